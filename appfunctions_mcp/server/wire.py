"""Records and exceptions to the plain dictionaries that go over MCP, and back.

What a call ends in, and what the client gets:

    unknown function                        JSON-RPC error -32602, `data` is the error record
    malformed request, bad cursor           JSON-RPC error -32602
    bad envelope; bad line                  JSON-RPC error -32600; -32700 (`envelopes.py`)
    unknown method                          JSON-RPC error -32601
    a client capability is missing          2026-07-28: JSON-RPC error -32021; else as below
    an AppFunctionException, whoever        a result with `isError: true`: `<ClassName>: <message>`,
    raised it: invalid argument, denied,    `Recovery: …` on its own line, the error record in
    disabled, limit, past its deadline,     `_meta["appfunctions/error"]`, no structuredContent
    crash, result too large or not fitting
    a fault of the server itself            the same, as AppFunctionSystemUnknownException
    cancelled by the client                 no answer
    a value                                 `isError: false`, text and structuredContent, each
                                            complete on its own
    media                                   media blocks alone

Pure functions, for every engine. Knows nothing of connections.
"""

import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from appfunctions_mcp.context import MissingClientCapabilityException
from appfunctions_mcp.exceptions import (
    AppFunctionException,
    AppFunctionSystemUnknownException,
    MetadataXmlError,
)
from appfunctions_mcp.json_text import write_json
from appfunctions_mcp.metadata import (
    AppFunctionAccessLevel,
    AppFunctionMetadata,
    AppIcon,
    AppMetadata,
)
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.records import record
from appfunctions_mcp.requests import ExecuteAppFunctionResponse
from appfunctions_mcp.server.protocol_errors import (
    INVALID_PARAMS,
    MISSING_CLIENT_CAPABILITY,
    ProtocolError,
)
from appfunctions_mcp.server.wire_media import as_base64, content_block, text_block

Json = dict[str, Any]

ERROR_META_KEY = "appfunctions/error"
ACTIVITY_META_KEY = "appfunctions/activityId"
"""Where a call names the activity that its function belongs to."""
FUNCTION_META_KEY = "appfunctions/function"
"""Where a tool says what Android knows of its function and MCP has no word for."""
SERVER_INFO_META_KEY = "io.modelcontextprotocol/serverInfo"


@record(frozen=True, slots=True)
class ToolCall:
    """What a `tools/call` asks for."""

    name: str
    arguments: Json
    progress_token: str | int | None = None
    """0 and the empty text are tokens too."""
    meta: Json | None = None
    activity_id: str | None = None
    """In which activity the function is called, if it belongs to one."""


def read_tool_call(params: Mapping[str, Any] | None) -> ToolCall:
    """Reads the params of `tools/call`.

    Raises:
        ProtocolError: There is no name, or name, arguments, `_meta` or what it has of ours have
            the wrong kind.
    """
    params = params or {}
    name, arguments = params.get("name"), params.get("arguments")
    if not isinstance(name, str):
        raise _bad_params("name", name, "a string: the name of a tool")
    if arguments is not None and not isinstance(arguments, dict):
        raise _bad_params("arguments", arguments, "an object")
    token, meta = progress_token_of(params), params.get("_meta")
    activity_id = meta.get(ACTIVITY_META_KEY) if meta else None
    if activity_id is not None and not isinstance(activity_id, str):
        raise _bad_params(f"_meta.{ACTIVITY_META_KEY}", activity_id, "a string")
    return ToolCall(name, arguments or {}, token, meta, activity_id)


def require_first_page(params: Mapping[str, Any] | None) -> None:
    """Refuses every cursor: a list has one page, so that no cursor was ever given out.

    Raises:
        ProtocolError: There is a cursor.
    """
    cursor = (params or {}).get("cursor")
    if cursor is not None:
        raise ProtocolError(
            INVALID_PARAMS,
            f"Invalid params: no cursor {quoted(str(cursor))} was given out; "
            "the list has one page, leave the cursor out",
        )


def unknown_function(error: AppFunctionException) -> ProtocolError:
    """The JSON-RPC error for a name that no function has."""
    return ProtocolError(INVALID_PARAMS, error.text(), error.structured())


def missing_capability(error: AppFunctionException) -> ProtocolError | None:
    """The JSON-RPC error of MCP 2026-07-28 for a capability that the client has not declared."""
    missing = error if isinstance(error, MissingClientCapabilityException) else error.__cause__
    if not isinstance(missing, MissingClientCapabilityException):
        return None
    required: Json = {"requiredCapabilities": {missing.capability: {}}}
    return ProtocolError(MISSING_CLIENT_CAPABILITY, missing.message, required)


def tool(metadata: AppFunctionMetadata) -> Json:
    """The tool that stands for a function in `tools/list`."""
    described: Json = {"name": metadata.tool_name}
    if metadata.title:
        described["title"] = metadata.title
    described["description"] = metadata.description
    if metadata.deprecated is not None:
        described["description"] += f"\n\nDeprecated: {metadata.deprecated}".rstrip(": ")
    described["inputSchema"] = metadata.input_schema
    if metadata.response.schema is not None:
        described["outputSchema"] = metadata.response.schema
    if annotations := _annotations(metadata):
        described["annotations"] = annotations
    if android := _android_part(metadata):
        described["_meta"] = {FUNCTION_META_KEY: android}
    return described


def tools_list(tools: Iterable[Json]) -> Json:
    """The result of `tools/list`: everything in one page, without a cursor."""
    return {"tools": list(tools)}


def call_result(response: ExecuteAppFunctionResponse) -> Json:
    """The result of a call that returned."""
    content = [] if response.text is None else [text_block(response.text)]
    content += map(content_block, response.media)
    result: Json = {"content": content}
    if response.structured is not None:
        result["structuredContent"] = response.structured
    result["isError"] = False
    return result


def written_call_answer(
    request_id: str | int, response: ExecuteAppFunctionResponse, modern_meta: bytes
) -> bytes | None:
    """The response around `call_result`, as JSON, with the text used for the structure as well.

    Args:
        request_id: The request.
        response: As a function's serializer made it; nobody may have changed it since.
        modern_meta: What `written_meta` returned, empty for the versions with a handshake.

    Returns:
        None where it is more than a text.
    """
    if response.text is None or response.media:
        return None
    # Joined once: a copy of a large text costs as much as writing it.
    parts = [b'{"jsonrpc":"2.0","id":', written_id(request_id), b',"result":{']
    if modern_meta:
        parts.append(b'"resultType":"complete",')
    parts += (b'"content":[{"type":"text","text":', write_json(response.text), b"}]")
    if response.structured is not None:
        parts += (b',"structuredContent":', response.text.encode())
    parts.append(b',"isError":false')
    if modern_meta:
        parts += (b',"_meta":', modern_meta)
    parts.append(b"}}")
    return b"".join(parts)


def written_id(request_id: str | int) -> bytes:
    """A request's id as JSON."""
    return b"%d" % request_id if isinstance(request_id, int) else write_json(request_id)


def written_meta(info: Json) -> bytes:
    """The `_meta` of a modern result, as JSON."""
    return write_json({SERVER_INFO_META_KEY: info})


def error_result(error: AppFunctionException) -> Json:
    """The result of a call that ended in an exception."""
    return {
        "content": [text_block(error.text())],
        "isError": True,
        "_meta": {ERROR_META_KEY: error.structured()},
    }


def server_fault() -> AppFunctionSystemUnknownException:
    """What goes out for a fault of the server itself: an error id that the log has too."""
    error_id = uuid.uuid4().hex[:12]
    return AppFunctionSystemUnknownException(
        f"the server failed unexpectedly (error id {error_id})", extras={"error_id": error_id}
    )


def modern_result(result: Json, info: Json, *, is_list: bool = False) -> Json:
    """A result as protocol version 2026-07-28 has it.

    Args:
        result: The result as the versions with a handshake have it.
        info: What `server_info` returned.
        is_list: Lists also say how long they may be kept: not at all, and by this caller only.
    """
    meta = {**result.get("_meta", {}), SERVER_INFO_META_KEY: info}
    lifetime = {"ttlMs": 0, "cacheScope": "private"} if is_list else {}
    return {"resultType": "complete", **result, **lifetime, "_meta": meta}


def server_info(app: AppMetadata) -> Json:
    """What the server says of itself."""
    info = {
        "name": app.name,
        "title": app.title,
        "version": app.version,
        "description": app.description,
        "websiteUrl": app.website_url,
        "icons": [_icon(app, icon) for icon in app.icons],
    }
    return {key: value for key, value in info.items() if value}


def progress_token_of(params: Mapping[str, Any]) -> str | int | None:
    """By which token a request wants its progress told; None where it wants none.

    Raises:
        ProtocolError: `_meta`, or the token in it, has the wrong kind.
    """
    meta = params.get("_meta")
    if meta is None:
        return None
    if not isinstance(meta, dict):
        raise _bad_params("_meta", meta, "an object")
    token = meta.get("progressToken")
    if token is None:
        return None
    if isinstance(token, bool) or not isinstance(token, str | int):
        raise _bad_params("_meta.progressToken", token, "a string or an integer")
    return token


def _bad_params(member: str, value: object, accepted: str) -> ProtocolError:
    came = "missing" if value is None else f"of the kind {type(value).__name__}"
    return ProtocolError(
        INVALID_PARAMS, f"Invalid params: {member} is {came}; accepted is {accepted}"
    )


def _annotations(metadata: AppFunctionMetadata) -> Json:
    hints = {
        "readOnlyHint": metadata.read_only,
        "destructiveHint": metadata.destructive,
        "idempotentHint": metadata.idempotent,
        "openWorldHint": metadata.open_world,
    }
    return {name: hint for name, hint in hints.items() if hint is not None}


def _android_part(metadata: AppFunctionMetadata) -> Json:
    """What differs from what every function is without saying so; `description` has the rest."""
    part: Json = {}
    if metadata.schema is not None:
        schema = metadata.schema
        part["schema"] = {
            "category": schema.category,
            "name": schema.name,
            "version": schema.version,
        }
    if metadata.access_level is not AppFunctionAccessLevel.ANDROID_TRUSTED:
        part["accessLevel"] = metadata.access_level.value
    if metadata.package:
        part["package"] = metadata.package
    return part


def _icon(app: AppMetadata, icon: AppIcon) -> Json:
    described: Json = {"src": _icon_source(app, icon)}
    if icon.mime_type:
        described["mimeType"] = icon.mime_type
    if icon.sizes:
        described["sizes"] = icon.sizes.split()
    return described


def _icon_source(app: AppMetadata, icon: AppIcon) -> str:
    """A client cannot read our files, so that a picture on disk goes along as a data URI."""
    if icon.src.startswith(("https:", "http:", "data:")):
        return icon.src
    try:
        picture = Path(icon.src).read_bytes()
    except OSError as fault:
        raise MetadataXmlError(
            f"{app.path}: the icon {icon.src} cannot be read: {fault}"
        ) from fault
    return f"data:{icon.mime_type or 'image/png'};base64,{as_base64(picture)}"
