"""Android's value types and constraints, as Python annotations.

Each type is a plain Python type with a marker that pydantic asks for its core schema, so this
module imports neither pydantic nor anything heavy. What goes out as media stands in `media`
and can be had from here. Knows nothing of JSON Schema beyond a few keywords.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from typing import Annotated, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.marks import (
    MARKS_KEY,
    AppFunctionOneOf,
    AppFunctionParameterName,
    AppFunctionParcelable,
    AppFunctionTypeDescription,
    app_function_serializable,
    serializable_mark,
    serializable_name,
)
from appfunctions_mcp.media import (
    Audio,
    BlobResource,
    Image,
    Media,
    PendingIntent,
    ResourceLink,
    TextResource,
)
from appfunctions_mcp.patterns import AppFunctionPatternMatcher, PatternType, regex_of
from appfunctions_mcp.records import record

__all__ = [
    "MARKS_KEY",
    "AppFunctionIntValueConstraint",
    "AppFunctionOneOf",
    "AppFunctionParameterName",
    "AppFunctionParcelable",
    "AppFunctionPatternMatcher",
    "AppFunctionStringValueConstraint",
    "AppFunctionTypeDescription",
    "AppFunctionUriValueConstraint",
    "Audio",
    "BlobResource",
    "Float32",
    "Image",
    "Instant",
    "Int32",
    "LocalDate",
    "LocalDateTime",
    "LocalTime",
    "Media",
    "PatternType",
    "PendingIntent",
    "ResourceLink",
    "TextResource",
    "Uri",
    "ZoneId",
    "app_function_serializable",
    "serializable_mark",
    "serializable_name",
]

FORM_KEY = "appfunctions_mcp_form"
"""Where a core schema's metadata names the text form of a value: `uri`, `zone`."""
KEYWORDS_KEY = "appfunctions_mcp_keywords"
"""Where a core schema's metadata holds JSON Schema keywords to publish."""

CoreSchema = dict[str, Any]

_URI = regex(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")
_OFFSET = regex(r"([+-])(\d\d):(\d\d)")
_FLOAT32_MAX = 3.4028234663852886e38


@record(frozen=True, slots=True)
class _Refinement:
    """Constraints and keywords that are written into the core schema of the annotated type."""

    constraints: tuple[tuple[str, Any], ...] = ()
    keywords: tuple[tuple[str, Any], ...] = ()

    def __get_pydantic_core_schema__(
        self, source: Any, handler: Callable[[Any], CoreSchema]
    ) -> CoreSchema:
        schema = {**handler(source), **dict(self.constraints)}
        return _with_metadata(schema, KEYWORDS_KEY, dict(self.keywords))


@record(frozen=True, slots=True)
class _UriForm:
    def __get_pydantic_core_schema__(
        self, source: Any, handler: Callable[[Any], CoreSchema]
    ) -> CoreSchema:
        return {
            "type": "function-after",
            "function": {"type": "no-info", "function": require_uri},
            "schema": handler(source),
            "metadata": {FORM_KEY: "uri", KEYWORDS_KEY: {"format": "uri"}},
        }


@record(frozen=True, slots=True)
class _ZoneForm:
    def __get_pydantic_core_schema__(
        self, source: Any, handler: Callable[[Any], CoreSchema]
    ) -> CoreSchema:
        return {
            "type": "function-plain",
            "function": {"type": "no-info", "function": parse_zone},
            "serialization": {"type": "function-plain", "function": zone_text},
            "metadata": {FORM_KEY: "zone"},
        }


Int32 = Annotated[
    int,
    _Refinement((("ge", -(2**31)), ("le", 2**31 - 1)), (("format", "int32"),)),
]
"""A whole number of 32 bits (Android: Int)."""
Float32 = Annotated[
    float,
    _Refinement((("ge", -_FLOAT32_MAX), ("le", _FLOAT32_MAX)), (("format", "float"),)),
]
"""A number in the range of 32 bits (Android: Float)."""
LocalDate = date
"""A date without a time, `2026-05-27`."""
LocalTime = Annotated[time, _Refinement((("tz_constraint", "naive"),))]
"""A time of day without an offset, `18:00:00`."""
LocalDateTime = Annotated[datetime, _Refinement((("tz_constraint", "naive"),))]
"""A date and time without an offset, `2026-05-27T18:00:00`."""
Instant = Annotated[datetime, _Refinement((("tz_constraint", "aware"),))]
"""A moment: date, time and offset, `2026-05-27T18:00:00+03:00`; the offset is kept."""
ZoneId = Annotated[tzinfo, _ZoneForm()]
"""A time zone: a name such as `Europe/Berlin`, an offset such as `+03:00`, `UTC` or `Z`."""
Uri = Annotated[str, _UriForm()]
"""An absolute address such as `content://notes/7` or `https://example.org`."""


@record(frozen=True, slots=True)
class AppFunctionIntValueConstraint:
    """Limits a whole number, or each of a list, to some values (Android's annotation).

    Example:
        >>> Priority = Annotated[int, AppFunctionIntValueConstraint(enum_values=(1, 2, 3))]

    Args:
        enum_values: The values that are accepted.
    """

    enum_values: tuple[int, ...] = ()

    def __get_pydantic_core_schema__(
        self, source: Any, handler: Callable[[Any], CoreSchema]
    ) -> CoreSchema:
        return _each_item(handler(source), "int", lambda item: _one_of(item, self.enum_values))


@record(frozen=True, slots=True)
class AppFunctionStringValueConstraint:
    """Limits a text, or each text of a list (Android's annotation).

    Args:
        enum_values: The texts that are accepted; all, if empty.
        pattern_matchers: Patterns of which one must match.
        format: What kind of text it is; published, not checked.
    """

    enum_values: tuple[str, ...] = ()
    pattern_matchers: tuple[AppFunctionPatternMatcher, ...] = ()
    format: str = ""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: Callable[[Any], CoreSchema]
    ) -> CoreSchema:
        return _each_item(handler(source), "str", self._constrain)

    def _constrain(self, item: CoreSchema) -> CoreSchema:
        schema = _one_of(item, self.enum_values)
        if self.format:
            schema = _with_metadata(schema, KEYWORDS_KEY, {"format": self.format})
        return _matching(schema, tuple(self.pattern_matchers))


@record(frozen=True, slots=True)
class AppFunctionUriValueConstraint:
    """Limits a `Uri`, or each of a list, to some schemes (Android's annotation).

    Args:
        allowed_schemes: Schemes without the colon, such as `https`.
    """

    allowed_schemes: tuple[str, ...] = ()

    def __get_pydantic_core_schema__(
        self, source: Any, handler: Callable[[Any], CoreSchema]
    ) -> CoreSchema:
        matchers = tuple(
            AppFunctionPatternMatcher(f"{scheme}:", PatternType.PREFIX)
            for scheme in self.allowed_schemes
        )
        return _each_item(handler(source), "uri", lambda item: _matching(item, matchers))


def require_uri(text: str) -> str:
    """Returns an absolute address as it came.

    Raises:
        ValueError: It has no scheme, or holds blanks.
    """
    if not _URI.fullmatch(text):
        raise ValueError("the text is no absolute URI")
    return text


def parse_zone(text: str | tzinfo) -> tzinfo:
    """The time zone that a name or an offset stands for.

    Raises:
        ValueError: There is no such zone here.
    """
    if isinstance(text, tzinfo):
        return text
    if not isinstance(text, str):
        raise ValueError("a time zone is text")  # noqa: TRY004 - pydantic reports ValueErrors only
    if text in {"Z", "UTC"}:
        return UTC if text == "Z" else ZoneInfo("UTC")
    if offset := _OFFSET.fullmatch(text):
        sign, hours, minutes = offset[1], int(offset[2]), int(offset[3])
        if hours > 18 or minutes > 59 or (hours == 18 and minutes):
            raise ValueError("an offset is at most 18 hours")
        delta = timedelta(hours=hours, minutes=minutes)
        return timezone(-delta if sign == "-" else delta)
    try:
        return ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError, OSError) as fault:
        raise ValueError("there is no such time zone") from fault


def zone_text(zone: tzinfo) -> str:
    """A time zone as `parse_zone` reads it."""
    if isinstance(zone, ZoneInfo):
        return zone.key
    offset = zone.utcoffset(None)
    if offset is None:
        return str(zone)
    if not offset:
        return "Z"
    sign, minutes = ("-" if offset < timedelta(0) else "+"), abs(offset) // timedelta(minutes=1)
    return f"{sign}{minutes // 60:02}:{minutes % 60:02}"


def _with_metadata(schema: CoreSchema, key: str, added: dict[str, Any]) -> CoreSchema:
    metadata = schema.get("metadata") or {}
    return {**schema, "metadata": {**metadata, key: {**metadata.get(key, {}), **added}}}


def _each_item(
    schema: CoreSchema, kind: str, constrain: Callable[[CoreSchema], CoreSchema]
) -> CoreSchema:
    """Constrains a value, or each item of a list of them, nullable or not."""
    if schema["type"] in {"nullable", "default"}:
        return {**schema, "schema": _each_item(schema["schema"], kind, constrain)}
    if schema["type"] in {"list", "set", "frozenset"}:
        items = _each_item(schema["items_schema"], kind, constrain)
        return {**schema, "items_schema": items}
    if _kind_of(schema) != kind:
        raise TypeError(f"a constraint for {kind} values stands on another type")
    return constrain(schema)


def _kind_of(schema: CoreSchema) -> str:
    if (schema.get("metadata") or {}).get(FORM_KEY) == "uri":
        return "uri"
    while schema["type"] == "function-after":
        schema = schema["schema"]
    if schema["type"] == "literal":
        return type(schema["expected"][0]).__name__
    return str(schema["type"])


def _one_of(schema: CoreSchema, values: tuple[Any, ...]) -> CoreSchema:
    if not values:
        return schema
    literal: CoreSchema = {"type": "literal", "expected": list(values)}
    if "metadata" in schema:
        literal["metadata"] = schema["metadata"]
    return literal


def _matching(schema: CoreSchema, matchers: tuple[AppFunctionPatternMatcher, ...]) -> CoreSchema:
    if not matchers:
        return schema

    def require_match(text: str) -> str:
        if not any(matcher.matches(text) for matcher in matchers):
            raise ValueError("the text matches none of the patterns")
        return text

    pattern = regex_of(matchers)
    return {
        "type": "function-after",
        "function": {"type": "no-info", "function": require_match},
        "schema": schema,
        "metadata": {
            KEYWORDS_KEY: {} if pattern is None else {"pattern": pattern},
            MARKS_KEY: {"patterns": matchers},
        },
    }
