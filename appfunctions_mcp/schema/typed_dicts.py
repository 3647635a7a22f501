"""`typing.TypedDict` for pydantic, which on Python 3.11 reads that of typing_extensions only.

Every such class below an annotation gets a hook through which pydantic sees its twin of
typing_extensions. To be deleted when Python 3.12 is the oldest version served.
"""

import dataclasses
import sys
import typing
from collections.abc import Callable, Iterator
from typing import Any

import typing_extensions

_HOOK = "__get_pydantic_core_schema__"
_QUALIFIERS = (typing.Required, typing.NotRequired)


def adopt_typed_dicts(annotation: Any) -> Any:
    """Makes every `typing.TypedDict` within a type readable; returns the type itself.

    Args:
        annotation: Any type; dataclasses and TypedDicts are looked into.
    """
    if sys.version_info < (3, 12):
        _adopt(annotation, set())
    return annotation


def _adopt(annotation: Any, seen: set[int]) -> None:
    if id(annotation) in seen:
        return
    seen.add(id(annotation))
    if typing.is_typeddict(annotation):
        _give_hook(annotation)
    for part in _parts_of(annotation):
        _adopt(part, seen)


def _parts_of(annotation: Any) -> Iterator[Any]:
    yield from typing.get_args(annotation)
    origin = typing.get_origin(annotation) or annotation
    if typing.is_typeddict(origin) or (
        isinstance(origin, type) and dataclasses.is_dataclass(origin)
    ):
        yield from _hints_of(origin).values()


def _hints_of(cls: Any) -> dict[str, Any]:
    """The annotations of a class; none where one is unknown, which pydantic reports better."""
    try:
        return typing.get_type_hints(cls, include_extras=True)
    except (NameError, TypeError):
        return {}


def _give_hook(cls: Any) -> None:
    if type(cls).__module__ != "typing" or hasattr(cls, _HOOK):
        return
    twins: list[Any] = []

    def hook(_source: Any, handler: Any) -> Any:
        if not twins:
            twins.append(_twin_of(cls))
        return handler.generate_schema(twins[0])

    setattr(cls, _HOOK, typing.cast("Callable[..., Any]", hook))


def _twin_of(cls: Any) -> Any:
    """The same TypedDict, made by typing_extensions."""
    fields = {}
    for name, hint in typing.get_type_hints(cls, include_extras=True).items():
        if typing.get_origin(hint) in _QUALIFIERS:
            fields[name] = hint
        elif name in cls.__required_keys__:
            fields[name] = typing.Required[hint]
        else:
            fields[name] = typing.NotRequired[hint]
    make: Any = typing_extensions.TypedDict
    twin = make(cls.__name__, fields)
    twin.__doc__, twin.__module__, twin.__qualname__ = cls.__doc__, cls.__module__, cls.__qualname__
    twin.__typed_dict__ = cls
    return twin
