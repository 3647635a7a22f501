"""Values that are text in JSON: dates, durations, UUIDs, bytes, addresses, zones.

One table says for each form how it is published, how it is told to an agent, how text becomes
the Python value, and which object of Android's stands for the same value.
"""

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from dataclasses import field
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import Any
from uuid import UUID

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.media import PendingIntent
from appfunctions_mcp.records import record
from appfunctions_mcp.values import parse_zone, require_uri

_DATE = r"\d{4}-\d\d-\d\d"
_TIME = r"\d\d:\d\d(:\d\d(\.\d{1,9})?)?"
_OFFSET = r"([Zz]|[+-]\d\d:\d\d)"
_NAIVE_TIME = f"^{_TIME}$"
_NAIVE_DATETIME = f"^{_DATE}T{_TIME}$"
_DURATION = regex(r"-?P(?!$)(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?|-?P\d+W", re.ASCII)
_UUID = regex(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_NANOSECONDS_PER_MICROSECOND = 1000


@record(frozen=True, slots=True)
class ObjectForm:
    """An object that Android writes where others write text."""

    members: tuple[str, ...]
    required: int
    """How many of the members, from the first, have to be there; the others are 0."""
    assemble: Callable[..., Any]
    """The members, in order, to the Python value."""
    kind: type = int


@record(frozen=True, slots=True)
class TextForm:
    """One form of text; `parse` and `assemble` raise ValueError for what does not fit."""

    accepted: str
    """What is accepted, in words."""
    parse: Callable[[str], Any]
    """Text to the Python value."""
    keywords: Mapping[str, Any] = field(default_factory=dict)
    """What is published for arguments beside `type: string`."""
    result_keywords: Mapping[str, Any] | None = None
    """What is published for results, where that differs."""
    objects: tuple["ObjectForm", ...] = ()
    """Android's objects for the same value."""

    def assemble(self, members: Mapping[str, Any]) -> Any:
        """Makes the Python value of one of Android's objects for it.

        Raises:
            ValueError: The object has other keys, or no such value exists.
        """
        for form in self.objects:
            if set(form.members) >= members.keys() >= set(form.members[: form.required]):
                values = [members.get(name, 0) for name in form.members]
                if all(type(value) is form.kind for value in values):
                    return form.assemble(*values)
        raise ValueError("with other keys")


def _matched(pattern: str, make: Callable[[str], Any], hint: str = "") -> Callable[[str], Any]:
    compiled = regex(pattern.strip("^$"), re.ASCII)

    def parse(text: str) -> Any:
        if not compiled.fullmatch(text):
            raise ValueError(hint)
        return make(text)

    return parse


def _parse_aware(make: Callable[[str], Any], pattern: str) -> Callable[[str], Any]:
    with_offset = regex(f"{pattern}{_OFFSET}", re.ASCII)
    without = regex(pattern, re.ASCII)

    def parse(text: str) -> Any:
        if without.fullmatch(text):
            raise ValueError("without an offset")
        if not with_offset.fullmatch(text):
            raise ValueError
        return make(text.upper())

    return parse


def _parse_naive(make: Callable[[str], Any], pattern: str) -> Callable[[str], Any]:
    with_offset = regex(f"{pattern}{_OFFSET}", re.ASCII)

    def parse(text: str) -> Any:
        if with_offset.fullmatch(text):
            raise ValueError("with an offset")
        return _matched(pattern, make)(text)

    return parse


def _parse_duration(text: str) -> Any:
    if not _DURATION.fullmatch(text):
        raise ValueError
    from pydantic_core import ValidationError

    try:
        return _duration_validator().validate_python(text)
    except ValidationError as fault:
        raise ValueError("out of range") from fault


@cache
def _duration_validator() -> Any:
    from pydantic_core import SchemaValidator

    return SchemaValidator({"type": "timedelta"})


def _parse_uuid(text: str) -> UUID:
    if not _UUID.fullmatch(text):
        raise ValueError
    return UUID(text)


def _parse_base64(text: str) -> bytes:
    try:
        return base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError) as fault:
        raise ValueError("that is no base64") from fault


def _checked_base64(text: str) -> str:
    _parse_base64(text)
    return text


def _time_of(hour: int, minute: int, second: int = 0, nano: int = 0) -> time:
    return time(hour, minute, second, nano // _NANOSECONDS_PER_MICROSECOND)


def _datetime_of(year: int, month: int, day: int, hour: int, minute: int, *rest: int) -> datetime:
    return datetime.combine(date(year, month, day), _time_of(hour, minute, *rest))


def _instant_of(seconds: int, nano: int = 0) -> datetime:
    microseconds = nano // _NANOSECONDS_PER_MICROSECOND
    try:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(0, seconds, microseconds)
    except OverflowError as fault:
        raise ValueError("out of range") from fault


_DATE_MEMBERS = ("year", "month", "dayOfMonth")
_TIME_MEMBERS = ("hour", "minute", "second", "nanoOfSecond")
_LOCAL_DATE = ObjectForm(_DATE_MEMBERS, 3, date)
_LOCAL_TIME = ObjectForm(_TIME_MEMBERS, 2, _time_of)
_LOCAL_DATETIME = ObjectForm((*_DATE_MEMBERS, *_TIME_MEMBERS), 5, _datetime_of)
_INSTANT = ObjectForm(("epochSecond", "nanoAdjustment"), 1, _instant_of)
_URI = ObjectForm(("uri",), 1, require_uri, str)
_ZONE = ObjectForm(("zoneID",), 1, parse_zone, str)

# JavaScript clients check results by RFC 3339, where date-time and time need an offset and a
# duration is never negative or fractional; a format is therefore only claimed where it holds.
TEXT_FORMS: dict[str, TextForm] = {
    "date": TextForm(
        "a date as YYYY-MM-DD",
        _matched(_DATE, date.fromisoformat),
        {"format": "date"},
        objects=(_LOCAL_DATE,),
    ),
    "time": TextForm(
        "a time as HH:MM:SS, with or without an offset such as +03:00 or Z",
        _matched(f"{_TIME}{_OFFSET}?", lambda text: time.fromisoformat(text.upper())),
        {"format": "time"},
        {"format": "iso-time"},
        objects=(_LOCAL_TIME,),
    ),
    "time-naive": TextForm(
        "a time as HH:MM:SS without an offset",
        _parse_naive(time.fromisoformat, _TIME),
        {"format": "iso-time", "pattern": _NAIVE_TIME},
        objects=(_LOCAL_TIME,),
    ),
    "time-aware": TextForm(
        "a time as HH:MM:SS with an offset such as +03:00 or Z",
        _parse_aware(time.fromisoformat, _TIME),
        {"format": "time"},
    ),
    "datetime": TextForm(
        "a date and time as YYYY-MM-DDTHH:MM:SS, with or without an offset such as +03:00 or Z",
        _matched(
            f"{_DATE}[Tt]{_TIME}{_OFFSET}?", lambda text: datetime.fromisoformat(text.upper())
        ),
        {"format": "date-time"},
        {"format": "iso-date-time"},
        objects=(_LOCAL_DATETIME, _INSTANT),
    ),
    "datetime-naive": TextForm(
        "a date and time as YYYY-MM-DDTHH:MM:SS without an offset",
        _parse_naive(datetime.fromisoformat, f"{_DATE}T{_TIME}"),
        {"format": "iso-date-time", "pattern": _NAIVE_DATETIME},
        objects=(_LOCAL_DATETIME,),
    ),
    "datetime-aware": TextForm(
        "a date and time as YYYY-MM-DDTHH:MM:SS with an offset such as +03:00 or Z",
        _parse_aware(datetime.fromisoformat, f"{_DATE}[Tt]{_TIME}"),
        {"format": "date-time"},
        objects=(_INSTANT,),
    ),
    "timedelta": TextForm(
        "a duration in ISO 8601, such as PT1H30M or P2D",
        _parse_duration,
        {"format": "duration"},
        {"pattern": "^-?P"},
    ),
    "uuid": TextForm(
        "a UUID such as 123e4567-e89b-12d3-a456-426614174000", _parse_uuid, {"format": "uuid"}
    ),
    "bytes": TextForm(
        "bytes as base64 text (RFC 4648, padded)", _parse_base64, {"contentEncoding": "base64"}
    ),
    "base64": TextForm(
        "bytes as base64 text (RFC 4648, padded)", _checked_base64, {"contentEncoding": "base64"}
    ),
    "uri": TextForm(
        "an absolute URI such as https://example.org/x or content://notes/7",
        require_uri,
        {"format": "uri"},
        {},
        objects=(_URI,),
    ),
    "pending-intent": TextForm(
        "the handle of a pending step, as a result gave it", PendingIntent.from_handle
    ),
    "zone": TextForm(
        "a time zone such as Europe/Berlin, +03:00 or UTC",
        parse_zone,
        objects=(_ZONE,),
    ),
}
