"""Any Python value as a JSON value, without a declared type to go by.

Known kinds have one form each: dates as ISO 8601, Decimal and UUID as text, bytes as base64,
sets as sorted lists, models and dataclasses as objects, NaN as null, integers that JavaScript
would round as decimal text; a key that is no text is written as the text of its value, except a
tuple. Anything else is a fault that names its place, never `str(value)`.
"""

import dataclasses
import ipaddress
import json
import math
from base64 import b64encode
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, time, timedelta, tzinfo
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from pathlib import PurePath
from typing import Any
from uuid import UUID

from pydantic import BaseModel
from pydantic_core import MultiHostUrl, Url, from_json, to_json, to_jsonable_python

from appfunctions_mcp.json_text import without_half_surrogates, write_json
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.media import (
    Audio,
    BlobResource,
    Image,
    PendingIntent,
    ResourceLink,
    TextResource,
)
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.values import zone_text

MAX_RESULT_DEPTH = 500
"""How deep arrays and objects of a result may be nested."""
MAX_SAFE_INTEGER = 2**53 - 1
"""The largest integer that JavaScript does not round."""

_MEASURED_DEPTH = 10_000
_LONG_NUMBER = regex(r"\d{16}")
_PLAIN = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, check_circular=False, separators=(",", ":")
)
_MEDIA = (Image, Audio, TextResource, BlobResource, ResourceLink, PendingIntent)

Path = tuple["Path", str | int] | None
"""Where a value stands: the path of what holds it, and the step from there."""


class NoJsonFormError(Exception):
    """A value, or something in it, has no JSON form.

    Args:
        path: Where it stands, `$.rows[0].x`.
        found: What stands there.
    """

    def __init__(self, path: str, found: str) -> None:
        super().__init__(f"{path} is {found}")
        self.path = path
        self.found = found


class TooDeepError(Exception):
    """A value is nested deeper than `MAX_RESULT_DEPTH`.

    Args:
        depth: How deep it is.
    """

    def __init__(self, depth: int) -> None:
        shown = f"more than {depth}" if depth >= _MEASURED_DEPTH else str(depth)
        super().__init__(
            f"the result is nested {shown} levels deep; up to {MAX_RESULT_DEPTH} are sent"
        )
        self.depth = depth


def to_json_value(value: Any, *, long_as_text: bool = True) -> Any:
    """Makes a JSON value of any value: dict, list, str, int, float, bool or None.

    Args:
        value: What a function returned; not changed.
        long_as_text: Whether integers that JavaScript would round become text.

    Raises:
        NoJsonFormError: Names the place of what has no JSON form, or of what contains itself.
        TooDeepError: Lists and objects are nested deeper than `MAX_RESULT_DEPTH`.
    """
    if isinstance(value, dict | list | tuple):
        try:
            text = _PLAIN.encode(value)
            if not (long_as_text and _LONG_NUMBER.search(text)):
                return from_json(text)
        except (TypeError, ValueError, RecursionError):
            pass  # something in it is more than plain JSON; the encoder below says what
    return _Encoder(long_as_text=long_as_text).encode(value)


def integer_form(number: int) -> int | str:
    """The integer, as decimal text where JavaScript would round it."""
    if -MAX_SAFE_INTEGER <= number <= MAX_SAFE_INTEGER:
        return int(number)
    return to_json(int(number)).decode()


def bytes_form(content: bytes | bytearray | memoryview) -> str:
    """Base64 of the standard alphabet, as `contentEncoding` promises."""
    return b64encode(content).decode("ascii")


def decimal_form(number: Decimal) -> str | None:
    """The number as text; NaN and Infinity as null."""
    return str(number) if number.is_finite() else None


def sorted_form(items: Iterable[Any]) -> list[Any]:
    """The JSON values of a set in an order that does not change from run to run."""
    listed = list(items)
    if all(isinstance(item, str) for item in listed):
        return sorted(listed)
    return sorted(listed, key=_sort_key)


def depth_of(value: Any) -> int:
    """How deep containers are nested, models and dataclasses included; stops at 10,000."""
    level, depth = [value], -1
    while level and depth < _MEASURED_DEPTH:
        depth += 1
        below = {
            id(m): m for v in level for _, m in members_of(v) if not isinstance(m, str | bytes)
        }
        level = list(below.values())
    return depth


def contains_itself(value: Any) -> bool:
    """Whether a container holds itself, at any depth."""
    finished: set[int] = set()
    ancestors: set[int] = set()
    waiting: list[tuple[Any, bool]] = [(value, False)]
    while waiting:
        current, leaving = waiting.pop()
        if leaving:
            ancestors.discard(id(current))
            finished.add(id(current))
        elif id(current) in ancestors:
            return True
        elif id(current) not in finished and _is_container(current):
            ancestors.add(id(current))
            waiting.append((current, True))
            waiting.extend((member, False) for _, member in members_of(current))
    return False


class _Encoder:
    """Encodes one value with an explicit stack, so that no depth overflows the interpreter's."""

    def __init__(self, *, long_as_text: bool = True) -> None:
        self._long_as_text = long_as_text
        self._waiting: list[Callable[[], None]] = []

    def encode(self, value: Any) -> Any:
        root: list[Any] = [None]
        self._put(root, 0, value, None, 0)
        try:
            while self._waiting:
                self._waiting.pop()()
        except TooDeepError:
            if contains_itself(value):
                raise NoJsonFormError("$", "a value that contains itself") from None
            raise TooDeepError(max(depth_of(value), MAX_RESULT_DEPTH + 1)) from None
        return root[0]

    def _put(self, target: Any, key: Any, value: Any, path: Path, depth: int) -> None:
        """Writes the JSON form of a scalar now, that of a container later."""
        kind: Any = type(value)
        if value is None or kind is bool:
            target[key] = value
        elif kind is str:
            target[key] = text_form(value)
        elif kind is int:
            target[key] = integer_form(value) if self._long_as_text else value
        elif kind is float:
            target[key] = value if math.isfinite(value) else None
        elif (form := _scalar_form(kind)) is not None:
            target[key] = form(value)
        elif isinstance(value, BaseModel) and _has_own_form(type(value)):
            dumped: Any = value.model_dump(by_alias=True)
            self._put(target, key, dumped, path, depth)
        elif _is_container(value):
            if depth >= MAX_RESULT_DEPTH:
                raise TooDeepError(depth + 1)
            self._waiting.append(lambda: self._fill(target, key, value, path, depth + 1))
        elif isinstance(value, Enum):
            self._put(target, key, value.value, path, depth)
        else:
            raise NoJsonFormError(path_text(path), _unknown(value))

    def _fill(self, target: Any, key: Any, value: Any, path: Path, depth: int) -> None:
        if isinstance(value, BaseModel | Mapping) or dataclasses.is_dataclass(value):
            filled: dict[str, Any] = {}
            for name, member in members_of(value):
                text = _key_form(name, path)
                filled[text] = None
                self._put(filled, text, member, (path, text), depth)
            target[key] = filled
            return
        items = [member for _, member in members_of(value)]
        listed: list[Any] = [None] * len(items)
        target[key] = listed
        if isinstance(value, set | frozenset):
            self._waiting.append(lambda: listed.sort(key=_sort_key))
        for index, member in enumerate(items):
            self._put(listed, index, member, (path, index), depth)


def text_form(text: str) -> str:
    """The text as UTF-8 can hold it."""
    if text.isascii():
        return str.__str__(text)
    try:
        text.encode()
    except UnicodeEncodeError:
        return without_half_surrogates(text)
    return str.__str__(text)


def path_text(path: Path) -> str:
    """The path as a reader sees it, `$.rows[0].x`."""
    steps = []
    while path is not None:
        path, step = path
        steps.append(path_step(step))
    return "$" + "".join(reversed(steps))


def path_step(name: str | int) -> str:
    """One step of a path: `.name`, `['any text']` or `[0]`."""
    if isinstance(name, int):
        return f"[{name}]"
    return f".{name}" if name.isidentifier() and len(name) <= 80 else f"[{quoted(name)}]"


@lru_cache(maxsize=1024)
def _scalar_form(kind: type) -> Callable[[Any], Any] | None:
    """How values of a known kind are written; None for containers and unknown kinds."""
    if issubclass(kind, Enum):
        return None
    return next((form for kinds, form in _SCALAR_FORMS if issubclass(kind, kinds)), None)


_SCALAR_FORMS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (bool, bool),
    (str, text_form),
    (int, integer_form),
    (float, lambda number: float(number) if math.isfinite(number) else None),
    (bytes | bytearray | memoryview, bytes_form),
    (date | time | timedelta, to_jsonable_python),
    (Decimal, decimal_form),
    (UUID | PurePath | Url | MultiHostUrl, str),
    (tzinfo, zone_text),
    (
        ipaddress.IPv4Address
        | ipaddress.IPv6Address
        | ipaddress.IPv4Network
        | ipaddress.IPv6Network
        | ipaddress.IPv4Interface
        | ipaddress.IPv6Interface,
        str,
    ),
)
_CONTAINERS = (list, tuple, set, frozenset, deque, Mapping, BaseModel)


def _is_container(value: Any) -> bool:
    if isinstance(value, _MEDIA):
        return False
    return isinstance(value, _CONTAINERS) or (
        dataclasses.is_dataclass(value) and not isinstance(value, type)
    )


def members_of(value: Any) -> Iterator[tuple[Any, Any]]:
    """The members of a container with their names; none for anything else."""
    if not _is_container(value):
        return
    if isinstance(value, BaseModel):
        yield from _fields_of_model(value)
    elif isinstance(value, Mapping):
        yield from value.items()
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            if hasattr(value, field.name):
                yield field.name, getattr(value, field.name)
    else:
        yield from enumerate(value)


def _fields_of_model(model: BaseModel) -> Iterator[tuple[str, Any]]:
    """What a model without serializers of its own would be dumped as."""
    for name, field in type(model).__pydantic_fields__.items():
        if not field.exclude and name in model.__dict__:
            yield field.serialization_alias or name, model.__dict__[name]
    for name, computed in type(model).__pydantic_computed_fields__.items():
        yield computed.alias or name, getattr(model, name)
    yield from (model.__pydantic_extra__ or {}).items()


def _has_own_form(cls: type[BaseModel]) -> bool:
    """Whether only the model itself knows what it is dumped as."""
    decorators = cls.__pydantic_decorators__
    return bool(
        cls.__pydantic_root_model__ or decorators.field_serializers or decorators.model_serializers
    )


def _key_form(key: Any, path: Path) -> str:
    """A dictionary's key as text: as its value would be written, if that is a scalar."""
    if isinstance(key, str) and not isinstance(key, Enum):
        return text_form(key)
    holder: list[Any] = [None]
    if not _is_container(key):
        _Encoder()._put(holder, 0, key, path, 0)  # noqa: SLF001 - the class of this module
        form = holder[0]
        return form if isinstance(form, str) else json.dumps(form)
    raise NoJsonFormError(path_text(path), f"a dictionary with a key of type {type_name_of(key)}")


def _unknown(value: Any) -> str:
    if isinstance(value, _MEDIA):
        return f"{type_name_of(value)}, which is only sent when the return type declares it"
    return f"a value of type {type_name_of(value)}, which has no JSON form"


def type_name_of(value: Any) -> str:
    """The class of a value, with its module unless it is built in."""
    kind = type(value)
    if value is None:
        return "None"
    return (
        kind.__qualname__
        if kind.__module__ == "builtins"
        else f"{kind.__module__}.{kind.__qualname__}"
    )


def _sort_key(item: Any) -> tuple[bool, Any, bytes]:
    """Numbers by size, then everything else by its JSON text."""
    if isinstance(item, int | float):
        return False, item, b""
    return True, 0, write_json(item)
