"""`Mcp-Param-*`: arguments that a schema asks to be repeated in headers.

A property with `x-mcp-header: NAME` is sent as `Mcp-Param-NAME` too, from 2026-07-28 on; header
and argument must then agree, or be absent together. A schema that annotates what may not be
annotated asks for nothing.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from appfunctions_mcp.access import has_access
from appfunctions_mcp.metadata import LOCAL_CALLER, AppFunctionCaller, AppFunctionMetadata
from appfunctions_mcp.server.http_access import Headers
from appfunctions_mcp.server.http_messages import RawHeaders
from appfunctions_mcp.server.routing_headers import decoded_value, header_mismatch

ANNOTATION = "x-mcp-header"
PREFIX = "Mcp-Param-"

_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_DECIMAL = re.compile(r"(-?[0-9]+)(?:\.0+)?")
_KINDS = frozenset({"string", "integer", "boolean"})
_ONE_SCHEMA = frozenset(
    [
        "items",
        "contains",
        "unevaluatedItems",
        "additionalProperties",
        "propertyNames",
        "unevaluatedProperties",
        "not",
        "if",
        "then",
        "else",
        "contentSchema",
    ]
)
_SCHEMA_LISTS = frozenset(["allOf", "anyOf", "oneOf", "prefixItems"])
_SCHEMA_MAPS = frozenset(["patternProperties", "dependentSchemas", "$defs", "definitions"])

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Repeated:
    """An argument that is repeated in a header."""

    path: Path
    header: str
    is_integer: bool


class ParamHeaders:
    """Checks the headers of calls against their arguments; reads each schema once.

    Args:
        find: The metadata of a function by its tool name.
    """

    def __init__(self, find: Callable[[str], AppFunctionMetadata | None]) -> None:
        self._find = find
        self._known: dict[str, tuple[AppFunctionMetadata, tuple[_Repeated, ...]]] = {}

    def check(
        self,
        headers: Headers,
        raw: RawHeaders,
        params: dict[str, Any],
        caller: AppFunctionCaller = LOCAL_CALLER,
    ) -> None:
        """Checks a `tools/call`; a name or arguments of the wrong kind are for others to refuse.

        A caller who may not execute the function learns nothing of its parameters.

        Raises:
            ProtocolError: A header and its argument do not agree.
        """
        name, arguments = params.get("name"), params.get("arguments")
        metadata = self._find(name) if isinstance(name, str) else None
        if metadata is None or not isinstance(arguments, dict | None):
            return
        asked = self._repeated(metadata)
        if not asked or not has_access(metadata, caller):
            return
        for repeated in asked:
            key = repeated.header.lower()
            if sum(1 for n, _ in raw if n == key.encode()) > 1:
                raise header_mismatch(f"{repeated.header} header appears more than once")
            _check_one(repeated, headers.get(key), _value_at(repeated.path, arguments or {}))

    def _repeated(self, metadata: AppFunctionMetadata) -> tuple[_Repeated, ...]:
        known = self._known.get(metadata.tool_name)
        if known is None or known[0] is not metadata:
            known = (metadata, repeated_arguments(metadata.input_schema))
            self._known[metadata.tool_name] = known
        return known[1]


def repeated_arguments(input_schema: dict[str, Any]) -> tuple[_Repeated, ...]:
    """The arguments that a schema asks to be repeated; none where an annotation is not valid."""
    found: dict[str, _Repeated] = {}
    for path, schema in _positions(input_schema):
        if ANNOTATION not in schema:
            continue
        token, kind = schema[ANNOTATION], schema.get("type")
        is_token = isinstance(token, str) and _TOKEN.fullmatch(token)
        is_known = isinstance(kind, str) and kind in _KINDS
        if not path or not is_token or not is_known or token.lower() in found:
            return ()
        found[token.lower()] = _Repeated(path, PREFIX + token, kind == "integer")
    return tuple(found.values())


def _check_one(repeated: _Repeated, raw: str | None, value: Any) -> None:
    header, argument = repeated.header, ".".join(repeated.path)
    expected = _text_of(value)
    if expected is None:
        if raw is None:
            return
        is_absent = value is None
        raise header_mismatch(
            f"{header} header is present but the request body's {argument!r} argument is absent"
            if is_absent
            else f"{header} header does not match the request body's {argument!r} argument"
        )
    if raw is None:
        raise header_mismatch(
            f"{header} header is missing but the request body's {argument!r} argument is present"
        )
    decoded = decoded_value(raw)
    if decoded is None:
        raise header_mismatch(f"{header} header carries a malformed base64 sentinel value")
    if decoded != expected and not (repeated.is_integer and _is_same_integer(value, decoded)):
        raise header_mismatch(
            f"{header} header does not match the request body's {argument!r} argument"
        )


def _positions(schema: Any) -> Iterator[tuple[Path | None, dict[str, Any]]]:
    """Every schema in a schema, with the properties that lead to it; None where others do too."""
    waiting: list[tuple[Path | None, Any]] = [((), schema)]
    while waiting:
        path, node = waiting.pop()
        if not isinstance(node, dict):
            continue
        yield path, node
        for keyword, value in node.items():
            if keyword == "properties" and isinstance(value, dict):
                waiting += [(None if path is None else (*path, n), s) for n, s in value.items()]
            elif keyword in _ONE_SCHEMA:
                waiting.append((None, value))
            elif keyword in _SCHEMA_LISTS and isinstance(value, list):
                waiting += [(None, inner) for inner in value]
            elif keyword in _SCHEMA_MAPS and isinstance(value, dict):
                waiting += [(None, inner) for inner in value.values()]


def _value_at(path: Path, arguments: dict[str, Any]) -> Any:
    value: Any = arguments
    for name in path:
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


def _text_of(value: Any) -> str | None:
    """A value as a header has it; None where it has no such form."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str | int | float):
        return None
    try:
        return str(value)
    except ValueError:  # an integer of more than 4,300 digits
        return None


def _is_same_integer(value: Any, text: str) -> bool:
    """Whether a text such as `42.0` means the integer."""
    decimal = _DECIMAL.fullmatch(text)
    if decimal is None or isinstance(value, bool | str) or value != value // 1:
        return False
    try:
        return int(decimal[1]) == int(value)
    except ValueError:
        return False
