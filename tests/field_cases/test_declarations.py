"""Field cases about docstrings, signatures and defaults, as they reach a client."""

import enum
import json
import textwrap
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from appfunctions_mcp.declaration import app_function
from appfunctions_mcp.exceptions import AppFunctionDeclarationError
from tests.support.calls import (
    call,
    listed_tools,
    make_service,
    properties_of,
    refusal_of,
    returned,
    text_of,
    tool_of,
    value_of,
)

pytestmark = pytest.mark.anyio

GOOGLE = {
    "Args right under the summary": """Get the weather.
    Args:
        city: The city.
        units: C or F.
    """,
    "a blank line below Args": """Get the weather.

    Args:

        city: The city.
        units: C or F.
    """,
    "Args as the first line": """Args:
        city: The city.
        units: C or F.

    Get the weather.
    """,
    "Args after Note": """Get the weather.

    Note:
        It may be old.

    Args:
        city: The city.
        units: C or F.
    """,
    "Keyword Args": """Get the weather.

    Args:
        city: The city.

    Keyword Args:
        units: C or F.
    """,
}


def weather(docstring: str) -> Callable[..., str]:
    """A function with this docstring."""

    def w(city: str, *, units: str = "C") -> str:
        return f"{city} {units}"

    w.__doc__ = docstring
    return w


@pytest.mark.parametrize("docstring", GOOGLE.values(), ids=GOOGLE)
async def test_small_deviations_of_the_google_style_are_read(docstring: str) -> None:
    """F83: all parameter texts were lost in silence. A `Note:` is no parsed section and stays."""
    tool = await tool_of(weather(docstring), optional_defaults="declared")
    properties = tool["inputSchema"]["properties"]
    assert properties["city"]["description"] == "The city."
    assert properties["units"]["description"] == "C or F."
    note = "\n\nNote:\n    It may be old." if "Note:" in docstring else ""
    assert tool["description"] == f"Get the weather.{note}"


async def test_numpy_rest_and_lists_inside_an_entry_are_read() -> None:
    """F84."""

    def numpy_style(x: int, y: int, mode: str, scale: float | None = None) -> None:
        """Draws a point. See http://x:80 for more.

        Parameters
        ----------
        x, y : int
            Where it is.
        mode : str
            One of:

            - fast
            - deep

        Other Parameters
        ----------------
        scale : float
            How large.
        """

    def rest_style(x: int) -> None:
        """Draws a point.

        :param int x: Where it is,
            from the left.
        """

    def google_style(mode: str) -> None:
        """Draws.

        Args:
            mode (str): One of:
                - fast
                - deep
        """

    tools = await listed_tools(make_service(numpy_style, rest_style, google_style))
    numpy = tools["numpy_style"]["inputSchema"]["properties"]
    assert tools["numpy_style"]["description"] == "Draws a point. See http://x:80 for more."
    assert numpy["x"]["description"] == numpy["y"]["description"] == "Where it is."
    assert numpy["scale"]["description"] == "How large."
    rest = tools["rest_style"]["inputSchema"]["properties"]
    assert rest["x"]["description"].split() == ["Where", "it", "is,", "from", "the", "left."]
    google = tools["google_style"]["inputSchema"]["properties"]
    for text in (numpy["mode"]["description"], google["mode"]["description"]):
        assert "fast" in text
        assert "deep" in text


async def test_kdoc_texts_are_read_without_their_markup() -> None:
    """F85: brackets were shown to the model, parameter texts were null."""

    def find(query: str, s: str) -> str:
        """Finds notes in a [Notebook.section], see [the guide][Guide].

        @param appFunctionContext The context of the execution.
        @param query Text. Throws [AppFunctionInvalidArgumentException] if empty.
        @param s The sorting,
            which may be long,
            and is.
        @return The note as [Note].
        @throws AppFunctionElementNotFoundException If none fits; call [listNotes].
        """
        return query

    tool = await tool_of(find)
    properties = tool["inputSchema"]["properties"]
    assert tool["description"] == "Finds notes in a Notebook.section, see the guide."
    text = "Text. Throws AppFunctionInvalidArgumentException if empty."
    assert properties["query"]["description"] == text
    joined = " ".join(properties["s"]["description"].split())
    assert joined == "The sorting, which may be long, and is."
    assert "[" not in tool["description"] + json.dumps(properties["query"])
    assert "listNotes" not in json.dumps(tool), "what is thrown is a part of its own"
    function = next(iter(make_service(find).registry))
    assert function.metadata.raises == {
        "AppFunctionElementNotFoundException": "If none fits; call listNotes."
    }
    assert function.metadata.response.description == "The note as Note."


SOURCE = '''
import typing
from typing import Literal
from dataclasses import dataclass
if typing.TYPE_CHECKING:
    from decimal import Decimal

@dataclass
class Item:
    name: str

def f(
    args: list[int] | None = None, m: Literal["a", "b"] | None = None, i: Item | None = None
) -> Item:
    """Does it."""
    return Item(f"{args} {m} {i}")

def with_local():
    @dataclass
    class Local:
        n: int
    def g(x: Local) -> int:
        """Does it."""
        return x.n
    return g, Local
'''


def module_of(folder: Path, name: str, source: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A module of the source, imported from a file."""
    import importlib

    (folder / f"{name}.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    importlib.invalidate_caches()
    return importlib.import_module(name)


async def test_annotations_as_text_are_resolved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F86: NameError at start, or every type became "string"."""
    future = "from __future__ import annotations\n"
    plain = module_of(tmp_path, "case_f86_plain", SOURCE, monkeypatch)
    text = module_of(tmp_path, "case_f86_text", future + SOURCE, monkeypatch)
    for name, arguments in (("f", {"args": ["1"], "m": "A", "i": {"name": "n"}}),):
        schemas = [await tool_of(getattr(m, name)) for m in (plain, text)]
        assert schemas[0] == schemas[1]
        results = [await value_of(getattr(m, name), arguments) for m in (plain, text)]
        assert results[0] == results[1] == {"name": "[1] a Item(name='n')"}
    function, _ = plain.with_local()
    assert await value_of(function, {"x": {"n": 5}}) == 5


def test_a_local_class_is_found_while_its_function_runs() -> None:
    """F86."""
    namespace: dict[str, Any] = {}
    source = textwrap.dedent('''
        from __future__ import annotations
        from dataclasses import dataclass

        def register(make_service):
            @dataclass
            class Local:
                n: int
            def g(x: Local) -> int:
                """Does it."""
                return x.n
            return make_service(g)
    ''')
    exec(source, namespace)  # noqa: S102 - the one line of import is what is tested
    service = namespace["register"](make_service)
    (function,) = service.registry
    assert list(function.metadata.input_schema["properties"]["x"]["properties"]) == ["n"]


def test_a_name_that_exists_for_the_type_checker_only_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F86."""
    source = "from __future__ import annotations\n" + SOURCE + "\ndef h(x: Decimal): ...\n"
    module = module_of(tmp_path, "case_f86_checking", source, monkeypatch)
    with pytest.raises(AppFunctionDeclarationError) as caught:
        make_service(module.h)
    text = str(caught.value)
    assert "case_f86_checking.py:" in text
    for part in ("h", "x", "Decimal", "TYPE_CHECKING"):
        assert part in text


def positional(a: int, /) -> int:
    """Takes a number."""
    return a


def starred(*a: int) -> int:
    """Takes numbers."""
    return len(a)


def named(**a: int) -> int:
    """Takes numbers."""
    return len(a)


@pytest.mark.parametrize("function", [positional, starred, named])
def test_a_signature_that_agents_cannot_call_is_refused(function: Callable[..., int]) -> None:
    """F87: accepted at registration, and uncallable."""
    with pytest.raises(AppFunctionDeclarationError) as caught:
        make_service(function)
    assert f"test_declarations.py:{function.__code__.co_firstlineno}" in str(caught.value)
    assert function.__name__ in str(caught.value)


def get(url: str, *, key: str) -> str:
    """Gets a page."""
    return f"{url} with {len(key)}"


class Client:
    """Has a method and is callable."""

    def fetch(self, url: str) -> str:
        """Fetches a page."""
        return url

    def __call__(self, url: str) -> str:
        """Calls a page."""
        return f"called {url}"


async def test_partials_methods_and_callable_objects_are_served() -> None:
    """F87: two partials were both named "partial", and bound secrets listed as parameters."""
    tools = await listed_tools(make_service(partial(get, key="k-canary"), Client().fetch, Client()))
    assert list(tools) == ["get", "fetch", "Client"]
    assert [t["description"] for t in tools.values()] == [
        "Gets a page.",
        "Fetches a page.",
        "Calls a page.",
    ]
    assert all(list(t["inputSchema"]["properties"]) == ["url"] for t in tools.values())
    assert "k-canary" not in json.dumps(tools)
    assert await value_of(partial(get, key="k-canary"), {"url": "u"}) == "u with 8"
    assert await value_of(Client(), {"url": "u"}) == "called u"
    refused = await refusal_of(partial(get, key="k-canary"), {"url": "u", "key": "mine"})
    assert "key" in refused


def test_the_same_name_twice_is_refused() -> None:
    """F87: the last one silently won."""
    with pytest.raises(AppFunctionDeclarationError, match="declared already"):
        make_service(partial(get, key="a"), partial(get, key="b"))


class Color(enum.Enum):
    """A colour."""

    RED = "red"
    BLUE = "blue"


SENTINEL = object()


async def show(
    day: date = date(2025, 1, 2),
    c: Color = Color.RED,
    p: Path = Path(),
    o: object = SENTINEL,
    n: int = 10,
) -> str:
    """Shows what came."""
    return f"{day!r} {c!r} {p!r} {o is SENTINEL} {n!r}"


async def plain() -> None:
    """Stands beside it."""


async def test_defaults_are_published_in_their_json_form_where_they_have_one() -> None:
    """F88: one default that JSON cannot hold emptied the list for all."""
    tools = await listed_tools(make_service(show, plain, optional_defaults="declared"))
    assert json.loads(json.dumps(tools)) == tools
    assert list(tools) == ["show", "plain"]
    properties = tools["show"]["inputSchema"]["properties"]
    assert properties["c"] == {"type": "string", "enum": ["red", "blue"], "default": "red"}
    defaults = {name: p["default"] for name, p in properties.items() if "default" in p}
    assert defaults == {"day": "2025-01-02", "c": "red", "p": ".", "n": 10}
    declared = await value_of(show, {}, optional_defaults="declared")
    assert await value_of(show, defaults, optional_defaults="declared") == declared


def test_a_default_that_would_never_be_passed_is_refused_with_both_ways_out() -> None:
    """F88: under the default rule here, unlike the case, such a declaration is refused."""

    def search(query: str, limit: int = 10) -> str:
        """Searches."""
        return query

    with pytest.raises(AppFunctionDeclarationError) as caught:
        make_service(search)
    text = str(caught.value)
    assert "limit" in text
    assert 'optional_defaults="declared"' in text
    assert "int | None = None" in text or "limit or 10" in text


async def test_required_comes_from_the_default_and_nullable_from_the_type() -> None:
    """F110."""
    seen: list[object] = []

    async def f(s: str | None, n: int | None = 2, u: list[str] | None = None) -> None:
        seen.append((s, n, u))

    tool = await tool_of(f, optional_defaults="declared")
    assert tool["inputSchema"]["required"] == ["s"]
    assert tool["inputSchema"]["properties"]["s"]["type"] == ["string", "null"]
    assert tool["inputSchema"]["properties"]["n"]["type"] == "integer"
    for sent in ({"s": None}, {"s": "x", "n": None}, {"s": "x", "n": 3, "u": ["a"]}):
        await value_of(f, sent, optional_defaults="declared")
    assert seen == [(None, 2, None), ("x", None, None), ("x", 3, ["a"])]
    text = await refusal_of(f, {}, optional_defaults="declared")
    assert "s: missing" in text


async def test_under_androids_rule_the_types_own_empty_value_is_passed() -> None:
    """F110."""
    seen: list[object] = []

    @app_function
    async def f(
        s: str | None = None,
        n: int = 0,
        r: float = 0.0,
        b: bool = False,
        u: list[str] = [],  # noqa: B006 - what is tested
        raw: bytes = b"",
    ) -> None:
        seen.append((s, n, r, b, u, raw))
        u.append("mine")

    for _ in range(2):
        result = await call(f, {})
        assert returned(result) is None, text_of(result)
    assert seen[1] == (None, 0, 0.0, False, ["mine"], b"")
    assert "default" not in json.dumps(await properties_of(f))
