"""Android's dates, times, zones and addresses: objects there, text for everybody else.

Told apart by name and by properties. The text keeps all nine digits of a fraction of a second,
which Python's own values would cut to six.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from appfunctions_mcp.android.data_types import (
    URI,
    DataType,
    ObjectType,
    ReferenceType,
    ScalarType,
    TypeNumber,
)
from appfunctions_mcp.android.references import Components, resolved
from appfunctions_mcp.lazy_regex import regex

_DATE = ("year", "month", "dayOfMonth")
_TIME = ("hour", "minute", "second", "nanoOfSecond")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_DATE_TEXT = regex(r"(\d{4})-(\d\d)-(\d\d)")
_TIME_TEXT = regex(r"(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?")
_INSTANT_TEXT = regex(
    r"(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)([Zz]|[+-]\d\d:\d\d)"
)


@dataclass(frozen=True, slots=True)
class Proxy:
    """An object of Android's that is published as text."""

    form: str
    """The entry of `text_forms` that says how the text is published and told of."""
    members: tuple[str, ...]
    optional: int = 0
    """How many of the members, from the last, are 0 where they are left out."""


PROXIES = {
    "java.time.LocalDate": Proxy("date", _DATE),
    "java.time.LocalTime": Proxy("time-naive", _TIME, 2),
    "java.time.LocalDateTime": Proxy("datetime-naive", (*_DATE, *_TIME), 2),
    "java.time.Instant": Proxy("datetime-aware", ("epochSecond", "nanoAdjustment"), 1),
    "java.time.ZoneId": Proxy("zone", ("zoneID",)),
    URI: Proxy("uri", ("uri",)),
}
_WHOLE = {TypeNumber.INT, TypeNumber.LONG}
_TEXTS = {"zone", "uri"}


def proxy_of(name: str, data_type: DataType | None) -> Proxy | None:
    """The proxy that a type of this name is, if it has a proxy's properties too."""
    proxy = PROXIES.get(name)
    if proxy is None or not isinstance(data_type, ObjectType):
        return None
    if {each.name for each in data_type.properties} != set(proxy.members):
        return None
    kinds = {TypeNumber.STRING} if proxy.form in _TEXTS else _WHOLE
    are_fit = all(
        isinstance(each.type, ScalarType) and each.type.kind in kinds
        for each in data_type.properties
    )
    return proxy if are_fit else None


def proxy_at(data_type: DataType, components: Components) -> Proxy | None:
    """The proxy that values of a type are: a reference may have its name, or what it leads to."""
    found = resolved(data_type, components)
    while isinstance(data_type, ReferenceType):
        if (proxy := proxy_of(data_type.name, found)) is not None:
            return proxy
        data_type = components[data_type.name]
    return proxy_of(found.name, found) if isinstance(found, ObjectType) else None


def members_of(proxy: Proxy, value: Any) -> dict[str, Any]:
    """Android's object for a text, or for the object that is given instead of it.

    Raises:
        ValueError: The text or the object stands for no such value.
    """
    if isinstance(value, dict):
        return _checked_object(proxy, value)
    if not isinstance(value, str):
        raise ValueError("neither text nor an object")  # noqa: TRY004 - told as a fault of the arguments
    if proxy.form in _TEXTS:
        if not value or (proxy.form == "uri" and ":" not in value):
            raise ValueError("there is no such value")
        return {proxy.members[0]: value}
    if proxy.form == "date":
        return _date_members(value)
    if proxy.form == "time-naive":
        return _time_members(value)
    if proxy.form == "datetime-naive":
        day, separator, time = value.partition("T")
        if not separator:
            raise ValueError("there is no such value")
        return _date_members(day) | _time_members(time)
    return _instant_members(value)


def _checked_object(proxy: Proxy, value: Mapping[str, Any]) -> dict[str, Any]:
    needed = proxy.members[: len(proxy.members) - proxy.optional]
    if not set(proxy.members) >= value.keys() >= set(needed):
        raise ValueError("an object with other keys")
    kind = str if proxy.form in _TEXTS else int
    if not all(type(part) is kind for part in value.values()):
        raise ValueError("an object with other values")
    members = {name: value.get(name, 0) for name in proxy.members}
    text_of(proxy, members)
    return members


def _date_members(text: str) -> dict[str, Any]:
    found = _DATE_TEXT.fullmatch(text)
    if found is None or not text.isascii():
        raise ValueError("there is no such value")
    numbers = [int(part) for part in found.groups()]
    date(*numbers)
    return dict(zip(_DATE, numbers, strict=True))


def _time_members(text: str) -> dict[str, Any]:
    found = _TIME_TEXT.fullmatch(text)
    if found is None or not text.isascii():
        raise ValueError("there is no such value")
    hour, minute, second = (int(part or 0) for part in found.groups()[:3])
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError("there is no such value")
    nanos = int((found[4] or "").ljust(9, "0"))
    return dict(zip(_TIME, (hour, minute, second, nanos), strict=True))


def _instant_members(text: str) -> dict[str, Any]:
    found = _INSTANT_TEXT.fullmatch(text)
    if found is None or not text.isascii():
        raise ValueError("without an offset" if "T" in text else "there is no such value")
    parts = _date_members(found[1]) | _time_members(found[2])
    offset = timedelta(0)
    if found[3] not in "Zz":
        hours, minutes = found[3][1:].split(":")
        if int(hours) > 18 or int(minutes) > 59:
            raise ValueError("an offset is at most 18 hours")
        offset = timedelta(hours=int(hours), minutes=int(minutes))
        offset = -offset if found[3][0] == "-" else offset
    year, month, day, hour, minute, second = list(parts.values())[:6]
    whole = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    seconds = (whole - _EPOCH - offset) // timedelta(seconds=1)
    return {"epochSecond": seconds, "nanoAdjustment": parts["nanoOfSecond"]}


def text_of(proxy: Proxy, members: Mapping[str, Any]) -> str:
    """The text for one of Android's objects.

    Raises:
        KeyError: A member is missing.
        ValueError: No such value exists.
    """
    if proxy.form in _TEXTS:
        text = members[proxy.members[0]]
        if not isinstance(text, str):
            raise ValueError("there is no such value")
        return text
    if proxy.form == "datetime-aware":
        return _instant_text(members["epochSecond"], members.get("nanoAdjustment", 0))
    texts = []
    if "year" in proxy.members:
        texts.append(date(*(members[name] for name in _DATE)).isoformat())
    if "hour" in proxy.members:
        texts.append(_time_text(*(members.get(name, 0) for name in _TIME)))
    return "T".join(texts)


def _time_text(hour: int, minute: int, second: int, nano: int) -> str:
    if not (0 <= hour < 24 and 0 <= minute < 60 and 0 <= second < 60 and 0 <= nano < 10**9):
        raise ValueError("there is no such time")
    fraction = f".{nano:09}".rstrip("0").rstrip(".")
    return f"{hour:02}:{minute:02}:{second:02}{fraction}"


def _instant_text(seconds: int, nano: int) -> str:
    try:
        moment = _EPOCH + timedelta(seconds=seconds + nano // 10**9)
    except OverflowError as fault:
        raise ValueError("out of range") from fault
    fraction = f".{nano % 10**9:09}".rstrip("0").rstrip(".")
    return f"{moment:%Y-%m-%dT%H:%M:%S}".rjust(19, "0") + f"{fraction}Z"
