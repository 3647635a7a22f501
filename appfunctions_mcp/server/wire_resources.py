"""Resources, prompts and completions to the plain dictionaries that go over MCP, and back.

What a request for one ends in, and what the client gets:

    unknown or hidden address               JSON-RPC error -32602, `data` has the address as `uri`
    what the address names is not there     the same
    unknown prompt, bad arguments           JSON-RPC error -32602, `data` is the error record
    queue full, rate; any other             JSON-RPC error -32603, `data` is the error record
    a client capability is missing          2026-07-28: JSON-RPC error -32021; else as above

No result of these methods can say that it is an error, as that of a call can. Pure functions,
for every engine. Knows nothing of connections.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from appfunctions_mcp.exceptions import (
    AppFunctionElementNotFoundException,
    AppFunctionException,
)
from appfunctions_mcp.media import BlobResource, TextResource
from appfunctions_mcp.metadata import AppPromptMetadata, AppResourceMetadata
from appfunctions_mcp.reading import nothing_at
from appfunctions_mcp.records import record
from appfunctions_mcp.requests import AppPromptResponse, Completion
from appfunctions_mcp.server.protocol_errors import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    ProtocolError,
)
from appfunctions_mcp.server.wire import Json, missing_capability
from appfunctions_mcp.server.wire_media import content_block, resource_contents


@record(frozen=True, slots=True)
class CompletionCall:
    """What a `completion/complete` asks for."""

    prompt: str | None
    """The prompt whose argument is completed."""
    uri: str | None
    """The template of addresses whose variable is completed, where it is no prompt."""
    argument: str
    value: str
    """What has been typed so far."""
    arguments: Mapping[str, str]
    """The other arguments, as far as they are known."""


def read_completion_call(params: Mapping[str, Any]) -> CompletionCall:
    """Reads the params of `completion/complete`, whose shape is checked."""
    reference, argument = params["ref"], params["argument"]
    is_prompt = reference["type"] == "ref/prompt"
    return CompletionCall(
        prompt=reference["name"] if is_prompt else None,
        uri=None if is_prompt else reference["uri"],
        argument=argument["name"],
        value=argument["value"],
        arguments=(params.get("context") or {}).get("arguments") or {},
    )


def resource(metadata: AppResourceMetadata) -> Json:
    """A resource in `resources/list`, or a template in `resources/templates/list`."""
    address = "uriTemplate" if metadata.is_template else "uri"
    described = {
        address: metadata.uri,
        "name": metadata.name,
        "title": metadata.title,
        "description": metadata.description or None,
        "mimeType": metadata.mime_type,
        "size": None if metadata.is_template else metadata.size,
    }
    return {key: value for key, value in described.items() if value is not None}


def prompt(metadata: AppPromptMetadata) -> Json:
    """A prompt in `prompts/list`."""
    described: Json = {"name": metadata.name}
    if metadata.title:
        described["title"] = metadata.title
    if metadata.description:
        described["description"] = metadata.description
    if metadata.parameters:
        described["arguments"] = [
            _without_empty({"name": p.name, "description": p.description, "required": p.required})
            for p in metadata.parameters
        ]
    return described


def read_result(contents: Iterable[TextResource | BlobResource]) -> Json:
    """The result of `resources/read`."""
    return {"contents": list(map(resource_contents, contents))}


def prompt_result(response: AppPromptResponse) -> Json:
    """The result of `prompts/get`."""
    messages = [{"role": m.role, "content": content_block(m.content)} for m in response.messages]
    result: Json = {"messages": messages}
    return {"description": response.description, **result} if response.description else result


def completion_result(completion: Completion) -> Json:
    """The result of `completion/complete`."""
    values: Sequence[str] = completion.values
    told: Json = {"values": list(values), "hasMore": completion.has_more}
    if completion.total is not None:
        told["total"] = completion.total
    return {"completion": told}


def request_error(
    error: AppFunctionException, *, uri: str | None = None, is_modern: bool
) -> ProtocolError:
    """The JSON-RPC error for a request that is no call of a tool.

    Args:
        error: What the request ended in.
        uri: The address that was asked for, where it was one.
        is_modern: Whether the client speaks 2026-07-28.
    """
    missing = missing_capability(error) if is_modern else None
    if missing is not None:
        return missing
    told = error.structured()
    if uri is not None and isinstance(error, AppFunctionElementNotFoundException):
        return ProtocolError(INVALID_PARAMS, error.text(), {"uri": uri, **told})
    is_clients = told["category"] == "request" and not error.retryable
    code = INVALID_PARAMS if is_clients else INTERNAL_ERROR
    return ProtocolError(code, error.text(), told)


def unknown_resource(uri: str) -> ProtocolError:
    """The JSON-RPC error for an address of nothing that a caller may read."""
    return request_error(nothing_at(uri), uri=uri, is_modern=False)


def _without_empty(described: Json) -> Json:
    return {key: value for key, value in described.items() if value != ""}
