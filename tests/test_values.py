import re
from datetime import UTC, datetime, time, timedelta, timezone, tzinfo
from typing import Annotated, Any, TypedDict
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from appfunctions_mcp import values
from appfunctions_mcp.patterns import AppFunctionPatternMatcher, PatternType, regex_of
from appfunctions_mcp.values import (
    AppFunctionIntValueConstraint,
    AppFunctionStringValueConstraint,
    AppFunctionUriValueConstraint,
    Float32,
    Instant,
    Int32,
    LocalDateTime,
    LocalTime,
    Uri,
    ZoneId,
    app_function_serializable,
    parse_zone,
    serializable_name,
    zone_text,
)
from tests.support.arguments import declaration_fault, function_of, published, received, refusal

LITERAL, PREFIX, SUFFIX = PatternType.LITERAL, PatternType.PREFIX, PatternType.SUFFIX
SIMPLE, ADVANCED = PatternType.SIMPLE_GLOB, PatternType.ADVANCED_GLOB


def test_every_public_name_is_there() -> None:
    assert [name for name in values.__all__ if not hasattr(values, name)] == []


@pytest.mark.parametrize(
    ("annotation", "sent", "value"),
    [
        (Int32, 2**31 - 1, 2**31 - 1),
        (Int32, "-5", -5),
        (Float32, 3, 3.0),
        (LocalTime, "18:00", time(18)),
        (
            LocalTime,
            {"hour": 18, "minute": 5, "second": 1, "nanoOfSecond": 2000},
            time(18, 5, 1, 2),
        ),
        (LocalDateTime, "2026-05-27T18:00:00", datetime(2026, 5, 27, 18)),  # noqa: DTZ001 - a local time
        (
            LocalDateTime,
            {"year": 2026, "month": 5, "dayOfMonth": 27, "hour": 18, "minute": 0},
            datetime(2026, 5, 27, 18),  # noqa: DTZ001 - a local time
        ),
        (
            Instant,
            {"epochSecond": 1, "nanoAdjustment": 5000},
            datetime(1970, 1, 1, 0, 0, 1, 5, UTC),
        ),
        (ZoneId, "Europe/Berlin", ZoneInfo("Europe/Berlin")),
        (ZoneId, {"zoneID": "+03:00"}, timezone(timedelta(hours=3))),
        (Uri, "content://notes/7", "content://notes/7"),
        (Uri, {"uri": "mailto:a@example.org"}, "mailto:a@example.org"),
    ],
)
def test_android_types_take_text_and_androids_objects(
    annotation: Any, sent: Any, value: Any
) -> None:
    assert received(annotation, sent) == value


@pytest.mark.parametrize(
    ("annotation", "sent", "said"),
    [
        (Int32, 2**31, "from -2147483648 to 2147483647"),
        (Float32, 1e39, "out of range"),
        (LocalTime, "18:00Z", "without an offset"),
        (LocalTime, {"hour": 18}, "an object with other keys"),
        (LocalTime, {"hour": True, "minute": 1}, "an object with other keys"),
        (LocalDateTime, "2026-05-27T18:00:00Z", "without an offset"),
        (LocalDateTime, "2026-05-27", "YYYY-MM-DDTHH:MM:SS"),
        (Instant, "2026-05-27T18:00:00", "offset"),
        (Instant, {"epochSecond": 10**15}, "out of range"),
        (ZoneId, "Middle/Earth", "Europe/Berlin"),
        (ZoneId, "+19:00", "Europe/Berlin"),
        (ZoneId, "../../etc/passwd", "Europe/Berlin"),
        (ZoneId, "a\0b", "Europe/Berlin"),
        (Uri, "notes/7", "absolute URI"),
        (Uri, "https://a b", "absolute URI"),
    ],
)
def test_android_types_refuse_the_rest(annotation: Any, sent: Any, said: str) -> None:
    """F101 among others: an Instant needs an offset, a local time refuses one."""
    assert said in refusal(annotation, sent)


@pytest.mark.parametrize("text", ["2026-05-27T18:00:00+03:00", "2026-05-27t18:00:00z"])
def test_an_instant_keeps_its_offset(text: str) -> None:
    """F101."""
    assert received(Instant, text) == datetime.fromisoformat(text.upper())
    assert received(Instant, text).utcoffset() == datetime.fromisoformat(text.upper()).utcoffset()


def test_a_width_is_published_with_its_range() -> None:
    assert published(Int32) == {
        "type": "integer",
        "minimum": -(2**31),
        "maximum": 2**31 - 1,
        "format": "int32",
    }
    assert published(Float32)["format"] == "float"


@pytest.mark.parametrize(
    "text", ["Europe/Berlin", "UTC", "Z", "+03:00", "-11:30", "+00:30", "-00:30"]
)
def test_a_zone_is_written_as_it_is_read(text: str) -> None:
    assert zone_text(parse_zone(text)) == text


def test_a_zone_that_is_one_already_is_taken() -> None:
    assert parse_zone(UTC) is UTC


def test_a_zone_without_a_fixed_offset_is_written_by_its_own_text() -> None:
    class Floating(tzinfo):
        def utcoffset(self, _moment: datetime | None) -> None:
            return None

        dst = utcoffset

        def tzname(self, _moment: datetime | None) -> str:
            return "floating"

        def __str__(self) -> str:
            return "floating"

    assert zone_text(Floating()) == "floating"


@pytest.mark.parametrize(
    ("matcher", "matching", "others", "regex"),
    [
        (("a.b", LITERAL), ["a.b"], ["axb", "a.bc"], r"^a\.b$"),
        (("a/", PREFIX), ["a/", "a/b"], ["b/a/"], r"^a\/"),
        ((".md", SUFFIX), [".md", "x.md"], ["xmd", "a.mdx"], r"\.md$"),
        (("a.*z", SIMPLE), ["az", "abz", "azz"], ["a", "abzc"], r"^a.*z$"),
        (("ab*", SIMPLE), ["a", "ab", "abbb"], ["b", "aab"], r"^ab*$"),
        ((r"a\*[1]", SIMPLE), ["a*[1]"], ["aa1", "a*1"], r"^a\*\[1\]$"),
        (("[a-c]+[^0-9]", ADVANCED), ["ab!", "cx"], ["!", "a1", "d!"], r"^[a-c]+[^0-9]$"),
        (("x{2}y{1,2}z{0,}", ADVANCED), ["xxy", "xxyyzz"], ["xy", "xxyyy"], "^x{2}y{1,2}z{0,}$"),
        ((r"[\]-]", ADVANCED), ["]", "-"], ["x"], r"^[\]\-]$"),
        (("", SIMPLE), [""], ["a"], "^$"),
        (("*.txt", SIMPLE), ["*.txt", "*xtxt"], ["a.txt"], r"^\*.txt$"),
        (("a**", SIMPLE), ["*", "aa*"], ["a", "aa"], r"^a*\*$"),
        (("a\\", SIMPLE), ["a\0"], ["a", "a\\"], "^a\0$"),
    ],
)
def test_patterns_match_as_on_android(
    matcher: tuple[str, PatternType], matching: list[str], others: list[str], regex: str
) -> None:
    """Derived expressions: androidx.appfunctions metadata, PatternMatcherRegex."""
    tested = AppFunctionPatternMatcher(*matcher)

    assert [text for text in matching if not tested.matches(text)] == []
    assert [text for text in others if tested.matches(text)] == []
    assert tested.regex == regex.replace("z{0,}", "z*")


@given(st.text("ab.*\\", max_size=8), st.text("ab.", max_size=10))
def test_a_glob_and_its_expression_agree(pattern: str, text: str) -> None:
    try:
        matcher = AppFunctionPatternMatcher(pattern, SIMPLE)
    except ValueError:
        return

    assert matcher.matches(text) == bool(re.fullmatch(matcher.regex or "", text))


@given(st.text("abc[]-^+{}1,", max_size=8), st.text("abc-^1", max_size=8))
def test_an_advanced_glob_and_its_expression_agree(pattern: str, text: str) -> None:
    try:
        matcher = AppFunctionPatternMatcher(pattern, ADVANCED)
    except ValueError:
        return

    assert matcher.matches(text) == bool(re.fullmatch(matcher.regex or "", text))


@pytest.mark.parametrize(
    "pattern",
    ["*a", "a**", "[", "[]", "[^]", "a\\", "+", "a{", "a{x}", "a{3,1}", "}", "a{1,9999}", "[a\\"],
)
def test_a_pattern_that_android_refuses_is_refused_where_it_is_written(pattern: str) -> None:
    with pytest.raises(ValueError, match="the pattern"):
        AppFunctionPatternMatcher(pattern, ADVANCED)


def test_a_pattern_that_is_refused_is_told_in_short() -> None:
    with pytest.raises(ValueError, match="longer than 2048 steps") as refused:
        AppFunctionPatternMatcher("x" * 100_000, ADVANCED)
    assert len(str(refused.value)) < 200


def test_a_range_that_runs_backwards_is_refused() -> None:
    with pytest.raises(ValueError, match="backwards"):
        AppFunctionPatternMatcher("[z-a]", ADVANCED)


def test_no_pattern_makes_a_match_slow() -> None:
    """A backtracking expression takes minutes for this text."""
    matcher = AppFunctionPatternMatcher(".*a" * 20 + "b", SIMPLE)
    with_many_steps = AppFunctionPatternMatcher(".*[ab]{0,2000}x", ADVANCED)

    assert not matcher.matches("a" * 3000)
    assert not with_many_steps.matches("ab" * 100_000)
    assert with_many_steps.matches("ab" * 100_000 + "x")


def test_several_patterns_are_one_expression() -> None:
    matchers = [AppFunctionPatternMatcher("a"), AppFunctionPatternMatcher("b", PREFIX)]

    assert regex_of(matchers) == "(?:^a$)|(?:^b)"


Sort = Annotated[str, AppFunctionStringValueConstraint(enum_values=("NAME", "DATE"))]
NoteId = Annotated[
    str,
    AppFunctionStringValueConstraint(
        pattern_matchers=(AppFunctionPatternMatcher("note-[0-9]+", ADVANCED),), format="note-id"
    ),
]
Priority = Annotated[int, AppFunctionIntValueConstraint(enum_values=(1, 2))]
WebUri = Annotated[Uri, AppFunctionUriValueConstraint(allowed_schemes=("https", "content"))]


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (Sort, {"type": "string", "enum": ["NAME", "DATE"]}),
        (NoteId, {"type": "string", "pattern": "^note-[0-9]+$", "format": "note-id"}),
        (Priority, {"type": "integer", "enum": [1, 2]}),
        (
            WebUri,
            {"type": "string", "format": "uri", "pattern": "(?:^https:)|(?:^content:)"},
        ),
        (
            Annotated[list[str], AppFunctionStringValueConstraint(enum_values=("a",))],
            {"type": "array", "items": {"type": "string", "enum": ["a"]}},
        ),
        (
            Annotated[int | None, AppFunctionIntValueConstraint(enum_values=(1,))],
            {"type": ["integer", "null"], "enum": [1, None]},
        ),
    ],
)
def test_android_constraints_are_published(annotation: Any, schema: dict[str, Any]) -> None:
    assert published(annotation) == schema


@pytest.mark.parametrize(
    ("annotation", "sent", "value"),
    [
        (Sort, "name", "NAME"),
        (NoteId, "note-12", "note-12"),
        (Priority, "2", 2),
        (WebUri, "https://x", "https://x"),
        (Annotated[list[Uri], AppFunctionUriValueConstraint(("a",))], ["a:b"], ["a:b"]),
    ],
)
def test_what_android_constraints_accept_is_received(
    annotation: Any, sent: Any, value: Any
) -> None:
    assert received(annotation, sent) == value


@pytest.mark.parametrize(
    ("annotation", "sent", "said"),
    [
        (Sort, "SIZE", '"NAME", "DATE"'),
        (NoteId, "note-x", "note-[0-9]+"),
        (Priority, 3, "1, 2"),
        (WebUri, "ftp://x", "accepted: an absolute URI that matches (?:^https:)|(?:^content:)"),
        (Uri, "x", "accepted: an absolute URI such as https://example.org/x"),
        (Annotated[list[Uri], AppFunctionUriValueConstraint(("a",))], ["a:b", "c:d"], "x[1]"),
    ],
)
def test_what_android_constraints_refuse_is_told(annotation: Any, sent: Any, said: str) -> None:
    assert said in refusal(annotation, sent)


def test_a_constraint_on_another_type_is_refused_where_it_is_declared() -> None:
    """Android's compiler refuses a Uri constraint on anything but a Uri."""
    constrained = Annotated[int, AppFunctionUriValueConstraint(("https",))]

    assert "constraint for uri values" in declaration_fault(function_of(constrained))


def test_enum_values_and_patterns_hold_both() -> None:
    both = Annotated[
        str,
        AppFunctionStringValueConstraint(("ab", "cd"), (AppFunctionPatternMatcher("a", PREFIX),)),
    ]

    assert received(both, "ab") == "ab"
    assert "matches none of the patterns" in refusal(both, "cd")


def test_a_model_has_the_android_name_that_it_is_given() -> None:
    @app_function_serializable(name="com.example.notes.Note")
    class Note(BaseModel):
        title: str

    @app_function_serializable(name="com.example.notes.Label")
    class Label(TypedDict):
        name: str

    class Derived(Note):
        pass

    assert serializable_name(Note) == "com.example.notes.Note"
    assert serializable_name(Label) == "com.example.notes.Label"
    outer = "test_a_model_has_the_android_name_that_it_is_given"
    assert serializable_name(Derived) == f"{Derived.__module__}.{outer}$Derived"
