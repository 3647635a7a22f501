"""The SDK's low-level server, in both protocol eras, with what a service serves.

The SDK has the handshake, sessions, versions and the envelope; what is answered is made by
`answers.py` and goes out as it is.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from appfunctions_mcp.access import is_restricted
from appfunctions_mcp.metadata import LOCAL_CALLER, AppFunctionCaller
from appfunctions_mcp.server import wire
from appfunctions_mcp.server.capabilities import capabilities_of
from appfunctions_mcp.server.protocol_errors import ProtocolError
from appfunctions_mcp.server.sdk.announcer import Announcer
from appfunctions_mcp.server.sdk.answers import ServiceAnswers, fit_for_http
from appfunctions_mcp.server.sdk.request_contexts import (
    Context,
    caller_of,
    connection_of,
    is_modern,
    set_log_level,
)
from appfunctions_mcp.service import AppFunctionService

_CACHEABLE = frozenset(
    {
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "prompts/list",
    }
)
"""The methods whose modern results say how long they may be kept."""


def build_server(
    service: AppFunctionService,
    *,
    caller: AppFunctionCaller = LOCAL_CALLER,
    opens_service: bool = True,
    has_channel: bool = True,
) -> "ServiceServer":
    """Makes an SDK server of a service.

    Args:
        service: What is served.
        caller: Who calls where a request does not say, on stdio and in memory.
        opens_service: Whether the server keeps the service running while it is served; False
            where the caller does.
        has_channel: Whether clients with a handshake can hear of single resources.

    Returns:
        The server; anything that takes the SDK's low-level `Server` takes it.
    """
    return ServiceServer(
        service, caller=caller, opens_service=opens_service, has_channel=has_channel
    )


class ServiceServer(Server[Any]):
    """The SDK's low-level server with what a service serves.

    Args:
        service: What is served.
        caller: Who calls where a request does not say.
        opens_service: Whether the service runs for as long as the server does.
        has_channel: Whether clients with a handshake can hear of single resources.
    """

    def __init__(
        self,
        service: AppFunctionService,
        *,
        caller: AppFunctionCaller,
        opens_service: bool,
        has_channel: bool,
    ) -> None:
        self._service = service
        self._caller = caller
        self._opens_service = opens_service
        self._has_channel = has_channel
        self._info = wire.server_info(service.metadata)
        self._answers = ServiceAnswers(service, self._info, caller)
        self._announcer = Announcer(service)
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
            on_subscriptions_listen=self._listen,
        )
        self.add_request_handler("logging/setLevel", types.SetLevelRequestParams, _set_level)
        self.add_notification_handler(
            "notifications/initialized", types.NotificationParams, self._on_initialized
        )
        self.middleware.append(self._answer)

    def get_capabilities(
        self, *_args: Any, protocol_version: str | None = None, **_options: Any
    ) -> types.ServerCapabilities:
        """What the app has now, whatever handlers the SDK knows of."""
        has_channel = self._has_channel or protocol_version in MODERN_PROTOCOL_VERSIONS
        declared = capabilities_of(self._service, has_channel=has_channel)
        return types.ServerCapabilities.model_validate(declared, by_name=False)

    def end_subscriptions(self) -> None:
        """Ends every stream of changes, each with its result."""
        self._announcer.end_streams()

    @asynccontextmanager
    async def _running(self) -> AsyncIterator[Any]:
        with self._announcer.announcing():
            if not self._opens_service:
                yield self._service
                return
            async with self._service.running():
                yield self._service

    async def _answer(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Gives the results of our own answers out as they are.

        The SDK's check of results refuses what is nested deeper than 255, and costs more than
        the rest of a call.
        """
        handler = None if ctx.request_id is None else self._answers.handler_of(ctx.method)
        if handler is None:
            return await call_next(ctx)
        try:
            result = await handler(ctx)
        except ProtocolError as error:
            message, data = fit_for_http(ctx, [error.message, error.data])
            raise MCPError(error.code, message, data) from error
        if not is_modern(ctx):
            return result
        is_kept = ctx.method in _CACHEABLE and result.get("resultType") != "input_required"
        return wire.modern_result(result, self._info, is_list=is_kept)

    async def _listen(
        self, ctx: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        return await self._announcer.listen(ctx, params, caller_of(ctx, self._caller))

    async def _on_initialized(self, ctx: Context, _params: object) -> None:
        self._announcer.add(connection_of(ctx), caller_of(ctx, self._caller))

    def _input_schema_of(self, tool_name: str) -> wire.Json | None:
        """The schema that headers are checked by, before anybody knows who calls.

        Of a function that not everybody may execute, nobody is told the parameters so.
        """
        function = self._service.registry.find(tool_name)
        if function is None or is_restricted(function.metadata):
            return None
        return function.metadata.input_schema


async def _set_level(ctx: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
    set_log_level(ctx, params.level)
    return types.EmptyResult()
