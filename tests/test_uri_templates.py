"""RFC 6570 templates, read backwards."""

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appfunctions_mcp.uri_templates import (
    UriTemplateError,
    Values,
    is_uri_template,
    parse_uri_template,
)


@pytest.mark.parametrize(
    ("template", "uri", "values"),
    [
        ("notes://{id}", "notes://7", {"id": "7"}),
        ("notes://{id}", "NOTES://a%20b", {"id": "a b"}),
        ("notes://{id}", "notes://a%2Fb", {"id": "a/b"}),
        ("notes://{id}", "notes://%D0%BA%D0%BE%D1%82", {"id": "кот"}),
        ("notes://{id}", "notes://кот@дом:1", {"id": "кот@дом:1"}),
        ("notes://{id}", "notes://a/b", None),
        ("notes://{id}", "notes://", None),
        ("notes://{id}", "notes://a?b=1", None),
        ("notes://{id}", "notes://%zz", None),
        ("notes://{id}", "notes://%ff", None),
        ("notes://{id}", "other://7", None),
        ("notes://{id}/text.md", "notes://7/text.md", {"id": "7"}),
        ("notes://{id}/text.md", "notes://7/textXmd", None),
        ("map://{lat},{lon}", "map://50.1,8", {"lat": "50.1", "lon": "8"}),
        ("map://{lat,lon}", "map://50.1,8", {"lat": "50.1", "lon": "8"}),
        ("map://{lat,lon}", "map://50,8,9", None),
        ("mail://{user}@{host}", "mail://ann@example.org", {"user": "ann", "host": "example.org"}),
        ("files:///{+path}", "files:///a/b.md", {"path": "a/b.md"}),
        ("files:///{+path}", "files:///a?b#c", {"path": "a?b#c"}),
        ("files:///{+path}", "files:///a\nb", {"path": "a\nb"}),
        ("files:///{+path}{?v}", "files:///a/b?v=1", {"path": "a/b", "v": "1"}),
        ("files:///{+dir}/{name}", "files:///a/b/c", {"dir": "a/b", "name": "c"}),
        ("files:///{+dir}/{name}.md", "files:///a/b/c.md", {"dir": "a/b", "name": "c"}),
        ("pics://{name}{.kind}", "pics://a.b.png", {"name": "a.b", "kind": "png"}),
        ("pics://{name}{.kind}", "pics://a", {"name": "a"}),
        ("shop://cart{/item}", "shop://cart", {}),
        ("shop://cart{/item}", "shop://cart/7", {"item": "7"}),
        ("shop://cart{/item,part}", "shop://cart/7", {"item": "7"}),
        ("shop://cart{/item,part}", "shop://cart/7/x", {"item": "7", "part": "x"}),
        ("tree:/{/path*}", "tree://a/b", {"path": ["a", "b"]}),
        ("tree:/{/path*}", "tree:/", {}),
        ("tags://{tags*}", "tags://a,b%2Cc", {"tags": ["a", "b,c"]}),
        ("log://all{?day,level}", "log://all", {}),
        ("log://all{?day,level}", "log://all?", {}),
        ("log://all{?day,level}", "log://all?level=info&day=", {"level": "info", "day": ""}),
        ("log://all{?day,level}", "log://all?hour=1", None),
        ("log://all{?day,level}", "log://all?day=1&day=2", None),
        ("log://all{?day,level}", "log://all?day=%ff", None),
        ("log://all{?day*}", "log://all?day=1&day=2", {"day": ["1", "2"]}),
        ("log://all{?day}{&hour}", "log://all?hour=1&day=2", {"day": "2", "hour": "1"}),
        ("log://all?v=1{&day}", "log://all?v=1&day=2", {"day": "2"}),
        ("log://all?v=1{&day}", "log://all?v=1", {}),
        ("wiki://{page}{#part}", "wiki://home#a/b#c", {"page": "home", "part": "a/b#c"}),
        ("wiki://{page}{#part}", "wiki://home", {"page": "home"}),
        (
            "wiki://{page}{?v}{#part}",
            "wiki://home?v=1#top",
            {"page": "home", "v": "1", "part": "top"},
        ),
    ],
)
def test_an_address_gives_the_variables_or_is_another_s(
    template: str, uri: str, values: Values | None
) -> None:
    assert parse_uri_template(template).match(uri) == values


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("{scheme}://x", "scheme"),
        ("notes/{id}", "scheme"),
        ("notes://{a}{b}", "a ends and b begins"),
        ("notes://{a}-{b}", "a ends and b begins"),
        ("notes://{a}.{b}", "a ends and b begins"),
        ("notes://{+a}/{+b}", "a ends and b begins"),
        ("notes://{+a,b}", "a ends and b begins"),
        ("notes://{a}{+b}", "a ends and b begins"),
        ("notes:/{/a*}{/b*}", "a ends and b begins"),
        ("notes://x{#a,b*}", "a ends and b begins"),
        ("notes://{a:3}", "beginning of a"),
        ("notes://{a}/{a}", "a occurs twice"),
        ("notes://{;a}", "accepted are"),
        ("notes://{=a}", "accepted are"),
        ("notes://{}", "accepted are"),
        ("notes://{a b}", "accepted are"),
        ("notes://{a", "brace"),
        ("notes://a}{b}", "brace"),
        ("notes://{{a}}", "brace"),
        ("notes://x{?a}/y", "follows the query"),
        ("notes://x{?a}{b}", "follows the query"),
        ("notes://x{#a}y", "follows the fragment"),
        ("notes://x{#a}{?b}", "follows the fragment"),
        ("notes://x{&a}", "no '?' stands before"),
        ("notes://x?v=1{?a}", "after a '?'"),
    ],
)
def test_a_template_that_cannot_be_read_backwards_is_refused(template: str, reason: str) -> None:
    with pytest.raises(UriTemplateError, match=reason.replace("?", r"\?")):
        parse_uri_template(template)


def test_variables_lists_and_fixed_text_are_known() -> None:
    template = parse_uri_template("notes://{a}/b{/c*}{?d}{#e}")

    assert template.variables == ("a", "c", "d", "e")
    assert template.lists == {"c"}
    assert template.literal_size == len("notes:///b")


def test_what_has_a_brace_is_a_template() -> None:
    assert is_uri_template("notes://{a}")
    assert is_uri_template("notes://a}")
    assert not is_uri_template("notes://a")


def test_a_long_address_is_matched_in_no_time() -> None:
    template = parse_uri_template("notes://{a},{b},{c}{/d}{.e}")

    assert template.match("notes://" + "a," * 4000) is None
    assert template.match("notes://" + "/" * 8000) is None


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_values_that_a_client_encodes_come_back_as_they_were(
    first: str, second: str, third: str, fourth: str
) -> None:
    template = parse_uri_template("notes://{a},{b}/x{?c}{#d}")
    a, b, c, d = (quote(value, safe="") for value in (first, second, third, fourth))

    values = {"a": first, "b": second, "c": third, "d": fourth}
    assert template.match(f"notes://{a},{b}/x?c={c}#{d}") == values
