"""Results that are media, resources or links: which types they are, and what they become.

They go out as blocks of their own, so they stand alone or in a list, never inside a model. A
list of them may hold texts too, which keep their place.
"""

import types
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, TypeGuard

from typing_extensions import TypeAliasType

from appfunctions_mcp.media import (
    Audio,
    BlobResource,
    Image,
    Media,
    PendingIntent,
    ResourceLink,
    TextResource,
)
from appfunctions_mcp.records import record
from appfunctions_mcp.requests import ExecuteAppFunctionResponse
from appfunctions_mcp.schema.core_parts import CoreSchema, with_parts
from appfunctions_mcp.schema.handed_parts import sendable
from appfunctions_mcp.schema.json_values import text_form, type_name_of
from appfunctions_mcp.schema.result_faults import function_at_fault

BLOCKS = (Image, Audio, TextResource, BlobResource, ResourceLink)
"""The classes that go out as blocks of their own."""

SENT = (*BLOCKS, PendingIntent)
"""The classes that go out as a block where they stand alone or in a list."""
_LISTS = frozenset({list, tuple, Sequence, Iterable, Iterator})


class MisplacedMediaError(TypeError):
    """Media stand in a type where they cannot be sent; the text says where they can."""


@record(frozen=True, slots=True)
class MediaKind:
    """What a function that returns media may return."""

    single: tuple[type, ...] = ()
    """Classes of a result that is one thing; `str` and `NoneType` may be among them."""
    listed: tuple[type, ...] = ()
    """Classes of the members of a result that is a list."""

    @property
    def has_steps(self) -> bool:
        """Whether it may be, or hold, a step that only its caller may take."""
        return PendingIntent in self.single or PendingIntent in self.listed

    def respond(self, value: object) -> ExecuteAppFunctionResponse:
        """The response for what the function returned.

        Raises:
            AppFunctionAppUnknownException: It returned something else.
        """
        if self.listed and _is_listing(value):
            members = list(value)
            for index, member in enumerate(members):
                _require(member, self.listed, f"$[{index}]")
            return _blocks(members) if members else ExecuteAppFunctionResponse(value=[], text="[]")
        _require(value, self.single or (list,), "$")
        if isinstance(value, str):
            return ExecuteAppFunctionResponse(value=text_form(value), text=text_form(value))
        if value is None:
            return ExecuteAppFunctionResponse(text="null")
        return _blocks([value])


def media_kind_of(annotation: Any) -> MediaKind | None:
    """Reads a return type that is made of media.

    Args:
        annotation: The resolved return type.

    Returns:
        What may be returned; None for a type without media at its top.

    Raises:
        MisplacedMediaError: Media stand beside types that go out as JSON.
    """
    single: list[type] = []
    listed: list[type] = []
    rest: list[Any] = []
    for member in alternatives(annotation):
        items = items_of(member)
        if member in SENT or member in (str, types.NoneType):
            single.append(member)
        elif any(item in SENT for item in items) and all(i in (*SENT, str) for i in items):
            listed.extend(items)
        else:
            rest.append(member)
    if not listed and not any(member in SENT for member in single):
        return None
    if rest:
        raise MisplacedMediaError(_MISPLACED)
    return MediaKind(tuple(single), tuple(listed))


def require_no_media(core_schema: CoreSchema) -> None:
    """Refuses media inside a type that goes out as JSON.

    Raises:
        MisplacedMediaError: There are some.
    """

    def look(part: CoreSchema) -> CoreSchema:
        if part["type"] == "dataclass" and part["cls"] in BLOCKS:
            raise MisplacedMediaError(_MISPLACED)
        return with_parts(part, look)

    look(core_schema)


_MISPLACED = (
    "media stand inside a type that goes out as JSON; return them alone or in a list "
    "(list[Image | TextResource]), or put a link to them into the JSON"
)


def unwrapped(annotation: Any) -> Any:
    """The type that an `Annotated`, a `NewType` or a named alias stands for."""
    while True:
        if typing.get_origin(annotation) is Annotated:
            annotation = typing.get_args(annotation)[0]
        elif isinstance(annotation, typing.NewType):
            annotation = annotation.__supertype__
        elif isinstance(annotation, TypeAliasType):
            annotation = annotation.__value__
        else:
            return annotation


def _is_listing(value: object) -> TypeGuard[Iterable[Any]]:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def alternatives(annotation: Any) -> list[Any]:
    """The types that a result may have: the members of a union, or the type alone."""
    annotation = unwrapped(annotation)
    if annotation is None:
        return [types.NoneType]
    if typing.get_origin(annotation) in {typing.Union, types.UnionType}:
        return [a for member in typing.get_args(annotation) for a in alternatives(member)]
    return [annotation]


def items_of(annotation: Any) -> list[Any]:
    """The types of a list's members; none for what is no list."""
    if typing.get_origin(annotation) not in _LISTS:
        return []
    return [
        member
        for item in typing.get_args(annotation)
        if item is not Ellipsis
        for member in alternatives(item)
    ]


def _require(value: object, accepted: tuple[type, ...], place: str) -> None:
    if not isinstance(value, accepted):
        names = " or ".join("None" if a is types.NoneType else a.__name__ for a in accepted)
        raise function_at_fault(f"{place} is {type_name_of(value)}, but should be {names}")


def _blocks(values: Sequence[Any]) -> ExecuteAppFunctionResponse:
    media: list[Media | str] = []
    instructions: list[str] = []
    handed_out: list[PendingIntent] = []
    for value in values:
        if isinstance(value, PendingIntent):
            media.append(sendable(value.to_resource_link()))
            told = f"{value.instructions} {value.uri} {value.limits}"
            instructions.append(text_form(told.rstrip()))
            handed_out.append(value)
        elif isinstance(value, str):
            media.append(text_form(value))
        else:
            media.append(sendable(value))
    return ExecuteAppFunctionResponse(
        media=tuple(media),
        text="\n".join(instructions) or None,
        handed_out=tuple(handed_out),
    )
