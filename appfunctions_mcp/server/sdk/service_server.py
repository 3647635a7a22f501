"""The SDK's low-level server, in both protocol eras, with a service's functions as its tools.

The SDK has the handshake, sessions, versions and the envelope; lists, calls, results and errors
are made by `wire.py` and go out as they are.
"""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, get_args

import mcp_types as types
from mcp.server.connection import Connection
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.shared.exceptions import MCPError
from mcp_types.methods import validate_client_request
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic_core import PydanticSerializationError, to_json

from appfunctions_mcp.exceptions import (
    AppFunctionException,
    AppFunctionFunctionNotFoundException,
    AppFunctionInvalidArgumentException,
)
from appfunctions_mcp.json_text import is_deeper_than, read_json, write_json
from appfunctions_mcp.metadata import LOCAL_CALLER, AppFunctionCaller, AppFunctionMetadata
from appfunctions_mcp.requests import CallChannel, ExecuteAppFunctionRequest, SilentChannel
from appfunctions_mcp.server import wire
from appfunctions_mcp.server.channel import LogMessage, ProgressReport, QueuedChannel, Report
from appfunctions_mcp.server.protocol_errors import ProtocolError
from appfunctions_mcp.server.sdk.announcer import Announcer
from appfunctions_mcp.service import AppFunctionService

CALLER_SCOPE_KEY = "appfunctions_mcp.caller"
"""Where an HTTP request's ASGI scope names its caller."""
ANONYMOUS_CALLER = AppFunctionCaller(name="anonymous")
MAX_HTTP_RESULT_DEPTH = 200
"""How deep a result may be nested where the SDK's HTTP transport writes it."""

_LOG_LEVELS: tuple[str, ...] = get_args(types.LoggingLevel)
_LEVEL_KEY = "appfunctions_mcp.log_level"
_Context = ServerRequestContext[Any, Any]

log = logging.getLogger("appfunctions_mcp.server")


def build_server(
    service: AppFunctionService,
    *,
    caller: AppFunctionCaller = LOCAL_CALLER,
    opens_service: bool = True,
) -> "ServiceServer":
    """Makes an SDK server of a service.

    Args:
        service: What is served.
        caller: Who calls where a request does not say, on stdio and in memory.
        opens_service: Whether the server keeps the service running while it is served; False
            where the caller does.

    Returns:
        The server; anything that takes the SDK's low-level `Server` takes it.
    """
    return ServiceServer(service, caller=caller, opens_service=opens_service)


class ServiceServer(Server[Any]):
    """The SDK's low-level server with a service's functions as its tools.

    Args:
        service: What is served.
        caller: Who calls where a request does not say.
        opens_service: Whether the service runs for as long as the server does.
    """

    def __init__(
        self, service: AppFunctionService, *, caller: AppFunctionCaller, opens_service: bool
    ) -> None:
        self._service = service
        self._caller = caller
        self._opens_service = opens_service
        self._info = wire.server_info(service.metadata)
        self._tools: dict[str, tuple[AppFunctionMetadata, wire.Json]] = {}
        self._announcer = Announcer()
        info = types.Implementation.model_validate(self._info, by_name=False)
        super().__init__(
            info.name,
            version=info.version,
            title=info.title,
            description=info.description,
            website_url=info.website_url,
            icons=info.icons,
            instructions=service.metadata.description,
            lifespan=lambda _: self._running(),
            get_tool_input_schema=self._input_schema_of,
            on_subscriptions_listen=self._announcer.listen,
        )
        self.add_request_handler("tools/list", types.PaginatedRequestParams, self._list_tools)
        self.add_request_handler("tools/call", types.CallToolRequestParams, self._call_tool)
        self.add_request_handler("logging/setLevel", types.SetLevelRequestParams, _set_level)
        self.add_notification_handler(
            "notifications/initialized", types.NotificationParams, self._on_initialized
        )
        self.middleware.append(self._answer)

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Says that the list of tools may change, which the SDK does not say by itself."""
        return super().create_initialization_options(
            notification_options or NotificationOptions(tools_changed=True),
            experimental_capabilities,
            extensions,
        )

    def end_subscriptions(self) -> None:
        """Ends every stream of changes, each with its result."""
        self._announcer.listen.close()

    @asynccontextmanager
    async def _running(self) -> AsyncIterator[Any]:
        with self._announcer.announcing(self._service):
            if not self._opens_service:
                yield self._service
                return
            async with self._service.running():
                yield self._service

    async def _answer(self, ctx: _Context, call_next: CallNext) -> HandlerResult:
        """Gives the results of our own handlers out as they are.

        The SDK's check of results refuses what is nested deeper than 255, and costs more than
        the rest of a call.
        """
        handlers = {"tools/list": self._list_tools, "tools/call": self._call_tool}
        handler = handlers.get(ctx.method)
        if handler is None or ctx.request_id is None:
            return await call_next(ctx)
        try:
            result = await handler(ctx)
        except ProtocolError as error:
            raise MCPError(error.code, error.message, error.data) from error
        if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return result
        return wire.modern_result(result, self._info, is_list=ctx.method == "tools/list")

    async def _list_tools(self, ctx: _Context, _params: object = None) -> wire.Json:
        wire.require_first_page(ctx.params)
        validate_client_request(ctx.method, ctx.protocol_version, ctx.params)
        listed = self._service.manager.listed(self._caller_of(ctx))
        return wire.tools_list(map(self._tool, listed))

    async def _call_tool(self, ctx: _Context, _params: object = None) -> wire.Json:
        call = wire.read_tool_call(ctx.params)
        validate_client_request(ctx.method, ctx.protocol_version, ctx.params)
        try:
            result = await self._execute(ctx, call)
            return result if ctx.request is None else _fit_for_http(result)
        except AppFunctionException as error:
            is_unknown = self._service.registry.find(call.name) is None
            if is_unknown and isinstance(error, AppFunctionFunctionNotFoundException):
                raise wire.unknown_function(error) from error
            missing = wire.missing_capability(error)
            if missing is not None and ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
                raise missing from error
            result = wire.error_result(error)
            return result if ctx.request is None else _fit_for_http(result)
        except Exception:
            fault = wire.server_fault()
            log.exception("%s: a fault of the server itself", fault.message)
            return wire.error_result(fault)

    async def _execute(self, ctx: _Context, call: wire.ToolCall) -> wire.Json:
        def request(channel: CallChannel) -> ExecuteAppFunctionRequest:
            return ExecuteAppFunctionRequest(
                call.name,
                call.arguments,
                caller=self._caller_of(ctx),
                request_id=ctx.request_id,
                channel=channel,
                client_capabilities=_client_capabilities(ctx),
            )

        levels = _log_levels(ctx)
        wants_progress = call.progress_token is not None or self._is_in_memory(ctx)
        if not wants_progress and not levels:
            return wire.call_result(await self._service.manager.execute(request(SilentChannel())))
        channel = QueuedChannel(
            _sender(ctx, self.name),
            wants_progress=wants_progress,
            log_levels=levels,
        )
        async with channel.sending():
            response = await self._service.manager.execute(request(channel))
        return wire.call_result(response)

    async def _on_initialized(self, ctx: _Context, _params: object) -> None:
        self._announcer.add(_connection_of(ctx))

    def _tool(self, metadata: AppFunctionMetadata) -> wire.Json:
        known = self._tools.get(metadata.function_id)
        if known is None or known[0] is not metadata:
            known = (metadata, wire.tool(metadata))
            self._tools[metadata.function_id] = known
        return known[1]

    def _caller_of(self, ctx: _Context) -> AppFunctionCaller:
        if ctx.request is None:
            return self._caller
        caller = ctx.request.scope.get(CALLER_SCOPE_KEY, ANONYMOUS_CALLER)
        return caller if isinstance(caller, AppFunctionCaller) else ANONYMOUS_CALLER

    def _is_in_memory(self, ctx: _Context) -> bool:
        """Whether the client is in this process: the SDK hands it progress without a token then."""
        return ctx.request is None and self._caller.connection is None

    def _input_schema_of(self, tool_name: str) -> wire.Json | None:
        function = self._service.registry.find(tool_name)
        return None if function is None else function.metadata.input_schema


async def _set_level(ctx: _Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
    _connection_of(ctx).state[_LEVEL_KEY] = params.level
    return types.EmptyResult()


def _client_capabilities(ctx: _Context) -> wire.Json:
    """What the client has declared: with this request, or at the handshake."""
    if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
        declared = (ctx.meta or {}).get(types.CLIENT_CAPABILITIES_META_KEY)
        return declared if isinstance(declared, dict) else {}
    params = ctx.session.client_params
    return params.capabilities.model_dump(by_alias=True, exclude_none=True) if params else {}


def _log_levels(ctx: _Context) -> frozenset[str]:
    """The levels that the client asked for: with this request, or for the connection."""
    if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
        lowest = (ctx.meta or {}).get(types.LOG_LEVEL_META_KEY)
    else:
        lowest = _connection_of(ctx).state.get(_LEVEL_KEY)
    if lowest not in _LOG_LEVELS:
        return frozenset()
    return frozenset(_LOG_LEVELS[_LOG_LEVELS.index(lowest) :])


def _sender(ctx: _Context, logger: str) -> Callable[[Report], Awaitable[None]]:
    """How a call's reports go out: beside its answer, on the same stream."""

    async def send(report: Report) -> None:
        if isinstance(report, ProgressReport):
            await ctx.session.report_progress(report.progress, report.total, report.message)
        else:
            await ctx.session.send_notification(_log_notification(report, logger), ctx.request_id)

    return send


def _log_notification(report: LogMessage, logger: str) -> types.LoggingMessageNotification:
    params = types.LoggingMessageNotificationParams(
        level=report.level, logger=logger, data=report.body
    )
    return types.LoggingMessageNotification(params=params)


def _connection_of(ctx: _Context) -> Connection:
    """The connection that all requests of a client share; the SDK has no public way to it."""
    return ctx.session._connection  # noqa: SLF001 - no public way in 2.3


def _fit_for_http(result: wire.Json) -> wire.Json:
    """The result in a form that the SDK's HTTP transport can write; else it would send nothing."""
    try:
        to_json(result)
    except (PydanticSerializationError, ValueError, RecursionError):
        result = read_json(write_json(result))
        if is_deeper_than(result, MAX_HTTP_RESULT_DEPTH):
            raise AppFunctionInvalidArgumentException(
                f"the result is nested deeper than {MAX_HTTP_RESULT_DEPTH}, the most over HTTP",
                recovery="Ask for less: a smaller part of the structure.",
            ) from None
    return result
