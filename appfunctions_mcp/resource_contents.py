"""What a resource's function returns → the contents that stand at its address.

Text goes out as text, bytes as a blob, everything that JSON can hold as JSON; contents with an
address of their own keep it. Made once per resource, from the return type. Knows nothing of MCP.
"""

import types
from typing import Any, TypeGuard, Union

from appfunctions_mcp.docstrings import ParsedDocstring
from appfunctions_mcp.exceptions import AppFunctionDeclarationError
from appfunctions_mcp.json_text import write_json
from appfunctions_mcp.media import (
    Audio,
    BlobResource,
    Image,
    PendingIntent,
    ResourceLink,
    TextResource,
)
from appfunctions_mcp.records import record
from appfunctions_mcp.schema.annotations import EMPTY, type_name
from appfunctions_mcp.schema.json_values import text_form, type_name_of
from appfunctions_mcp.schema.responses import ResponseSchema, build_response, returned_type
from appfunctions_mcp.schema.result_faults import function_at_fault
from appfunctions_mcp.schema.result_media import alternatives, items_of

Contents = tuple[TextResource | BlobResource, ...]

_OWN = (TextResource, BlobResource, Image, Audio)
"""What never stands inside JSON, so that a list of it is several contents."""
_PLAIN = (str, bytes)
_LINKS = (ResourceLink, PendingIntent)
_MIME_TYPE_OF: dict[type, str] = {str: "text/plain", bytes: "application/octet-stream"}
_JSON = "application/json"


@record(frozen=True, slots=True)
class ContentWriter:
    """Makes contents of what one resource's function returns."""

    mime_type: str | None
    """What kind of content it always is; None where that differs."""
    single: tuple[type, ...]
    """Classes of a result that is content as it stands."""
    listed: tuple[type, ...]
    """Classes of the members of a result that is several contents."""
    response: ResponseSchema | None
    """Serialises a result that goes out as JSON; None where none does."""
    is_declared: bool
    """Whether the author has named the mime type."""
    is_untyped: bool = False
    """Whether only the result itself tells what it is."""

    def contents(self, value: object, uri: str) -> Contents | None:
        """The contents of a result.

        Args:
            value: What the function returned.
            uri: The address that was asked for.

        Returns:
            The contents; None where nothing stands at this address.

        Raises:
            AppFunctionAppUnknownException: The value does not fit the declared type.
            AppFunctionInvalidArgumentException: The value is nested too deeply.
        """
        if value is None:
            return None
        if isinstance(value, self.single):
            return (self._content(value, uri),)
        if self._is_several(value):
            for index, member in enumerate(value):
                if not isinstance(member, self.listed):
                    raise _misfit(f"$[{index}]", member, self.listed)
            return tuple(self._content(member, uri) for member in value)
        if self.response is None:
            raise _misfit("$", value, (*self.single, *([list] if self.listed else [])))
        response = self.response.serialize(value)
        text = response.text
        if text is None or response.structured is not response.value:
            text = write_json(response.value).decode()
        return (TextResource(uri, text, self._mime_type(_JSON)),)

    def _is_several(self, value: object) -> TypeGuard[list[Any] | tuple[Any, ...]]:
        if not self.listed or not isinstance(value, list | tuple):
            return False
        return not self.is_untyped or any(isinstance(member, _OWN) for member in value)

    def _mime_type(self, of_value: str) -> str:
        return self.mime_type if self.is_declared and self.mime_type else of_value

    def _content(self, value: Any, uri: str) -> TextResource | BlobResource:
        match value:
            case str():
                return TextResource(uri, text_form(value), self._mime_type("text/plain"))
            case bytes():
                mime_type = self._mime_type(_MIME_TYPE_OF[bytes])
                return BlobResource(uri, value, mime_type)
            case Image() | Audio():
                return BlobResource(uri, value.data, value.mime_type)
            case TextResource():
                return TextResource(value.uri, text_form(value.text), value.mime_type)
        assert isinstance(value, BlobResource)  # noqa: S101 - the last class of those accepted
        return value


def content_writer(
    annotation: Any, mime_type: str | None, *, docstring: ParsedDocstring, source: str
) -> ContentWriter:
    """Reads a return type once.

    Args:
        annotation: The resolved return type; `EMPTY` where the function has none.
        mime_type: What the author says of the content.
        docstring: The function's docstring.
        source: `FILE:LINE` of the function, for messages.

    Raises:
        AppFunctionDeclarationError: Such a type cannot stand at an address.
    """
    _require_mime_type(mime_type, source)
    returned = returned_type(annotation)
    if annotation is EMPTY or returned is Any:
        free = build_response(Any, docstring=docstring, source=source)
        every = (*_PLAIN, *_OWN)
        return ContentWriter(mime_type, every, every, free, mime_type is not None, is_untyped=True)
    members = [m for m in alternatives(returned) if m is not types.NoneType]
    _require_contents(members, returned, source)
    single = tuple(m for m in members if m in (*_PLAIN, *_OWN))
    lists = [m for m in members if any(item in _OWN for item in items_of(m))]
    listed = tuple(item for member in lists for item in items_of(member))
    rest = [m for m in members if m not in single and m not in lists]
    response = None
    if rest:
        response = build_response(Union[tuple(rest)], docstring=docstring, source=source)  # noqa: UP007 - the members are known only here
        if response.hands_out:
            raise AppFunctionDeclarationError(
                f"{source}: the return type {type_name(returned)} holds a PendingIntent or an "
                "AppFunctionUriGrant, which only results of functions hand out; return it there"
            )
    found = mime_type or _found_mime_type(single, listed, has_json=bool(rest))
    return ContentWriter(found, single, listed, response, mime_type is not None)


def _require_mime_type(mime_type: str | None, source: str) -> None:
    if mime_type is None:
        return
    try:
        TextResource("resource:mime", "", mime_type)
    except ValueError as fault:
        text = str(fault).removeprefix("TextResource.")
        raise AppFunctionDeclarationError(f"{source}: {text}") from fault


def _require_contents(members: list[Any], returned: Any, source: str) -> None:
    parts = [*members, *(item for member in members for item in items_of(member))]
    if any(part in _LINKS for part in parts):
        raise AppFunctionDeclarationError(
            f"{source}: the return type {type_name(returned)} holds a link, but a resource is what "
            "stands at its address; return the content, or list links by entries="
        )
    if not members:
        raise AppFunctionDeclarationError(
            f"{source}: it returns None, so nothing would ever stand at its address; return str, "
            "bytes, a model, TextResource or BlobResource"
        )
    for member in members:
        items = items_of(member)
        if any(item in _OWN for item in items) and not all(i in (*_PLAIN, *_OWN) for i in items):
            raise AppFunctionDeclarationError(
                f"{source}: the return type {type_name(returned)} mixes contents and JSON in one "
                "list; return a list of TextResource, BlobResource, str and bytes"
            )


def _found_mime_type(
    single: tuple[type, ...], listed: tuple[type, ...], *, has_json: bool
) -> str | None:
    kinds = [_MIME_TYPE_OF.get(each) for each in (*single, *listed)] + [_JSON] * has_json
    return kinds[0] if len(set(kinds)) == 1 else None


def _misfit(place: str, value: object, accepted: tuple[type, ...]) -> Exception:
    names = " or ".join(each.__name__ for each in dict.fromkeys(accepted))
    return function_at_fault(f"{place} is {type_name_of(value)}, but should be {names}")
