"""What the SDK's engine answers to each method: results of a service, as plain dictionaries.

The SDK has read the request and knows its client; what goes out is made by `wire.py` and
`wire_resources.py`. Errors leave as ProtocolErrors.
"""

import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from mcp_types.methods import validate_client_request
from pydantic_core import PydanticSerializationError, to_json

from appfunctions_mcp.exceptions import (
    AppFunctionException,
    AppFunctionFunctionNotFoundException,
    AppFunctionInvalidArgumentException,
)
from appfunctions_mcp.json_text import is_deeper_than, read_json, write_json
from appfunctions_mcp.metadata import AppFunctionCaller, AppFunctionMetadata
from appfunctions_mcp.requests import (
    CallChannel,
    ExecuteAppFunctionRequest,
    GetAppPromptRequest,
    ReadAppResourceRequest,
)
from appfunctions_mcp.server import wire, wire_resources
from appfunctions_mcp.server.capabilities import completes
from appfunctions_mcp.server.channel import QueuedChannel
from appfunctions_mcp.server.part_methods import require_subscribable
from appfunctions_mcp.server.protocol_errors import (
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    ProtocolError,
)
from appfunctions_mcp.server.request_state import RequestStates
from appfunctions_mcp.server.rounds import Round
from appfunctions_mcp.server.sdk.announcer import subscribed
from appfunctions_mcp.server.sdk.client_channel import SdkQuestions, report_sender
from appfunctions_mcp.server.sdk.request_contexts import (
    Context,
    caller_of,
    client_capabilities,
    connection_of,
    is_modern,
    log_levels,
)
from appfunctions_mcp.service import AppFunctionService

MAX_HTTP_RESULT_DEPTH = 200
"""How deep a result may be nested where the SDK's HTTP transport writes it."""

T = TypeVar("T")
Handler = Callable[[Context], Awaitable[wire.Json]]

log = logging.getLogger("appfunctions_mcp.server")


class ServiceAnswers:
    """Answers the requests for what a service serves.

    Args:
        service: What is served.
        info: What the server says of itself.
        caller: Who calls where a request does not say.
    """

    def __init__(
        self, service: AppFunctionService, info: wire.Json, caller: AppFunctionCaller
    ) -> None:
        self._service = service
        self._info = info
        self._caller = caller
        keys = service.manager.executor.confirmations.keys
        self._states = RequestStates(keys, service.metadata.name)
        self._tools: dict[str, tuple[AppFunctionMetadata, wire.Json]] = {}
        self._handlers: dict[str, Handler] = {
            "tools/list": self._list_tools,
            "tools/call": self._call_tool,
            "resources/list": self._list_resources,
            "resources/templates/list": self._list_templates,
            "resources/read": self._read_resource,
            "resources/subscribe": self._subscribe,
            "resources/unsubscribe": self._unsubscribe,
            "prompts/list": self._list_prompts,
            "prompts/get": self._get_prompt,
            "completion/complete": self._complete,
        }

    def handler_of(self, method: str) -> Handler | None:
        """What answers a method; None where the app has nothing that it concerns."""
        family = method.partition("/")[0]
        is_missing = (
            (family == "resources" and not self._service.has_resources)
            or (family == "prompts" and not self._service.has_prompts)
            or (family == "completion" and not completes(self._service))
        )
        return None if is_missing else self._handlers.get(method)

    async def _list_tools(self, ctx: Context) -> wire.Json:
        wire.require_first_page(ctx.params)
        _require_valid(ctx)
        listed = self._service.manager.listed(caller_of(ctx, self._caller))
        return wire.tools_list(map(self._tool, listed))

    async def _list_resources(self, ctx: Context) -> wire.Json:
        _require_valid_page(ctx)
        with _errors_told(ctx):
            listed = await self._service.resources.listed(caller_of(ctx, self._caller))
        return {"resources": list(map(wire_resources.resource, listed))}

    async def _list_templates(self, ctx: Context) -> wire.Json:
        _require_valid_page(ctx)
        listed = self._service.resources.templates(caller_of(ctx, self._caller))
        return {"resourceTemplates": list(map(wire_resources.resource, listed))}

    async def _list_prompts(self, ctx: Context) -> wire.Json:
        _require_valid_page(ctx)
        listed = self._service.prompts.listed(caller_of(ctx, self._caller))
        return {"prompts": list(map(wire_resources.prompt, listed))}

    async def _call_tool(self, ctx: Context) -> wire.Json:
        call = wire.read_tool_call(ctx.params)
        _require_valid(ctx)

        async def execute(channel: CallChannel) -> wire.Json:
            request = ExecuteAppFunctionRequest(
                call.name,
                call.arguments,
                activity_id=call.activity_id,
                **self._origin(ctx, channel),
            )
            return wire.call_result(await self._service.manager.execute(request))

        try:
            return fit_for_http(ctx, await self._served(ctx, execute))
        except AppFunctionException as error:
            is_unknown = self._service.registry.find(call.name) is None
            if is_unknown and isinstance(error, AppFunctionFunctionNotFoundException):
                raise wire.unknown_function(error) from error
            missing = wire.missing_capability(error)
            if missing is not None and is_modern(ctx):
                raise missing from error
            return fit_for_http(ctx, wire.error_result(error))
        except ProtocolError:
            raise
        except Exception as fault:  # noqa: BLE001 - it is logged, and the caller is told
            return wire.error_result(_logged(fault))

    async def _read_resource(self, ctx: Context) -> wire.Json:
        params = _require_valid(ctx)

        async def read(channel: CallChannel) -> wire.Json:
            request = ReadAppResourceRequest(params["uri"], **self._origin(ctx, channel))
            return wire_resources.read_result(await self._service.resources.read(request))

        with _errors_told(ctx):
            return fit_for_http(ctx, await self._served(ctx, read))

    async def _get_prompt(self, ctx: Context) -> wire.Json:
        params = _require_valid(ctx)

        async def get(channel: CallChannel) -> wire.Json:
            arguments = params.get("arguments") or {}
            request = GetAppPromptRequest(params["name"], arguments, **self._origin(ctx, channel))
            return wire_resources.prompt_result(await self._service.prompts.get(request))

        with _errors_told(ctx):
            return fit_for_http(ctx, await self._served(ctx, get))

    async def _complete(self, ctx: Context) -> wire.Json:
        call = wire_resources.read_completion_call(_require_valid(ctx))
        typed = (call.argument, call.value, call.arguments, caller_of(ctx, self._caller))
        with _errors_told(ctx):
            if call.prompt is not None:
                completion = await self._service.prompts.complete(call.prompt, *typed)
            else:
                completion = await self._service.resources.complete(call.uri or "", *typed)
        return fit_for_http(ctx, wire_resources.completion_result(completion))

    async def _subscribe(self, ctx: Context) -> wire.Json:
        uri = _require_valid(ctx)["uri"]
        uris = subscribed(connection_of(ctx))
        require_subscribable(self._service, uri, uris, caller_of(ctx, self._caller))
        uris.add(uri)
        return {}

    async def _unsubscribe(self, ctx: Context) -> wire.Json:
        subscribed(connection_of(ctx)).discard(_require_valid(ctx)["uri"])
        return {}

    async def _served(
        self, ctx: Context, serve: Callable[[CallChannel], Awaitable[wire.Json]]
    ) -> wire.Json:
        """Serves a request with a way to its client, to its end or to its questions."""
        asked = None
        if is_modern(ctx):
            asked = Round(
                self._states,
                ctx.method,
                ctx.params or {},
                caller=caller_of(ctx, self._caller),
                capabilities=client_capabilities(ctx),
                info=self._info,
            )
        channel = QueuedChannel(
            report_sender(ctx, self._service.metadata.name),
            wants_progress=self._wants_progress(ctx),
            log_levels=log_levels(ctx),
            questions=SdkQuestions(ctx) if asked is None else asked.questions,
        )
        async with channel.sending():
            if asked is None:
                return await serve(channel)
            result = await asked.run(serve(channel))
        return asked.result() if result is None else result

    def _wants_progress(self, ctx: Context) -> bool:
        """A client in this process gets progress without a token: the SDK hands it on to it."""
        is_in_memory = ctx.request is None and self._caller.connection is None
        return is_in_memory or wire.progress_token_of(ctx.params or {}) is not None

    def _origin(self, ctx: Context, channel: CallChannel) -> dict[str, Any]:
        """What every request of ours says of the one it comes from."""
        return {
            "caller": caller_of(ctx, self._caller),
            "request_id": ctx.request_id,
            "channel": channel,
            "client_capabilities": client_capabilities(ctx),
            "trace_context": (ctx.params or {}).get("_meta"),
        }

    def _tool(self, metadata: AppFunctionMetadata) -> wire.Json:
        known = self._tools.get(metadata.function_id)
        if known is None or known[0] is not metadata:
            known = (metadata, wire.tool(metadata))
            self._tools[metadata.function_id] = known
        return known[1]


def _require_valid(ctx: Context) -> Mapping[str, Any]:
    """The params, which have the shape that the client's version gives them."""
    try:
        validate_client_request(ctx.method, ctx.protocol_version, ctx.params)
    except KeyError:
        raise ProtocolError(METHOD_NOT_FOUND, "Method not found", ctx.method) from None
    return ctx.params or {}


def _require_valid_page(ctx: Context) -> None:
    _require_valid(ctx)
    wire.require_first_page(ctx.params)


@contextmanager
def _errors_told(ctx: Context) -> Iterator[None]:
    """Errors of what is no call of a tool, as errors of the protocol."""
    try:
        yield
    except AppFunctionException as error:
        uri = (ctx.params or {}).get("uri")
        raise wire_resources.request_error(error, uri=uri, is_modern=is_modern(ctx)) from error
    except ProtocolError:
        raise
    except Exception as fault:
        told = _logged(fault)
        raise ProtocolError(INTERNAL_ERROR, told.text(), told.structured()) from fault


def _logged(fault: Exception) -> AppFunctionException:
    """What the caller is told of a fault of the server itself, which the log has in full."""
    told = wire.server_fault()
    log.error("%s: a fault of the server itself", told.message, exc_info=fault)
    return told


def fit_for_http(ctx: Context, answer: T) -> T:
    """JSON in a form that the SDK's HTTP transport can write; else it would send nothing.

    Raises:
        AppFunctionInvalidArgumentException: It is nested too deep for that.
    """
    if ctx.request is None:
        return answer
    try:
        to_json(answer)
    except (PydanticSerializationError, ValueError, RecursionError):
        answer = read_json(write_json(answer))
        if is_deeper_than(answer, MAX_HTTP_RESULT_DEPTH):
            raise AppFunctionInvalidArgumentException(
                f"the result is nested deeper than {MAX_HTTP_RESULT_DEPTH}, the most over HTTP",
                recovery="Ask for less: a smaller part of the structure.",
            ) from None
    return answer
