"""A `tools/call` whose params are checked: what is left to do, and the response in either era."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from appfunctions_mcp.exceptions import (
    AppFunctionException,
    AppFunctionFunctionNotFoundException,
)
from appfunctions_mcp.records import record
from appfunctions_mcp.requests import (
    CallChannel,
    ExecuteAppFunctionRequest,
    ExecuteAppFunctionResponse,
    SilentChannel,
)
from appfunctions_mcp.server import wire
from appfunctions_mcp.server.channel import ProgressReport, QueuedChannel, Report
from appfunctions_mcp.server.envelopes import Message, RequestId, error_response
from appfunctions_mcp.server.eras import ClientSession
from appfunctions_mcp.server.protocol_errors import ProtocolError
from appfunctions_mcp.service import AppFunctionService

Answer = Message | bytes
"""A JSON-RPC response; bytes are one that is written already, without a line feed."""
Emit = Callable[[Message], Awaitable[None]]
"""Sends a notification on, in order, before the call's answer."""

_SILENT = SilentChannel()

log = logging.getLogger("appfunctions_mcp.server")


@record(frozen=True, slots=True)
class ModernServer:
    """What the server says of itself in every modern result."""

    info: wire.Json
    written_meta: bytes


class PendingCall:
    """A checked `tools/call` that is to be run.

    Args:
        service: Whose function is called.
        request_id: The request.
        call: What was asked for.
        session: Whose caller calls.
        capabilities: What the client has declared.
        levels: The levels of log messages that the client asked for.
        modern: What the server says of itself in a modern result; None in the other era.
    """

    __slots__ = (
        "_call",
        "_capabilities",
        "_levels",
        "_modern",
        "_service",
        "_session",
        "request_id",
    )

    def __init__(
        self,
        service: AppFunctionService,
        request_id: RequestId,
        call: wire.ToolCall,
        *,
        session: ClientSession,
        capabilities: Mapping[str, Any],
        levels: frozenset[str],
        modern: "ModernServer | None" = None,
    ) -> None:
        self.request_id = request_id
        self._service = service
        self._call = call
        self._session = session
        self._capabilities = capabilities
        self._levels = levels
        self._modern = modern

    def begin(self, emit: Emit) -> Answer | Awaitable[Answer]:
        """Executes the call as far as that goes without waiting: mostly to its end.

        Args:
            emit: Sends progress and log messages; all of them before the answer.

        Returns:
            The JSON-RPC response or its bytes, or what has to be awaited for them, at once.
            Cancelling that ends the call; nothing else is raised.
        """
        if self._call.progress_token is not None or self._levels:
            return self._ended(self._execute(emit))
        try:
            begun = self._service.manager.begin(self._request(_SILENT))
            if isinstance(begun, ExecuteAppFunctionResponse):
                return self._answer(begun)
        except AppFunctionException as error:
            return self._failure(error)
        except Exception as fault:  # noqa: BLE001 - it is logged, and the caller is told
            return self._fault(fault)
        return self._ended(begun)

    async def run(self, emit: Emit) -> Answer:
        """Executes the call to its end; see `begin`."""
        begun = self.begin(emit)
        return begun if isinstance(begun, bytes | dict) else await begun

    async def _ended(self, begun: Awaitable[ExecuteAppFunctionResponse]) -> Answer:
        try:
            return self._answer(await begun)
        except AppFunctionException as error:
            return self._failure(error)
        except Exception as fault:  # noqa: BLE001 - it is logged, and the caller is told
            return self._fault(fault)

    def _answer(self, response: ExecuteAppFunctionResponse) -> Answer:
        # A hook may have made text and structure differ.
        if not self._service.manager.has_hooks:
            meta = b"" if self._modern is None else self._modern.written_meta
            written = wire.written_call_answer(self.request_id, response, meta)
            if written is not None:
                return written
        return self._result(wire.call_result(response))

    def _failure(self, error: AppFunctionException) -> Message:
        protocol = self._protocol_error(error)
        if protocol is None:
            return self._result(wire.error_result(error))
        return error_response(self.request_id, protocol.code, protocol.message, protocol.data)

    def _fault(self, fault: Exception) -> Message:
        told = wire.server_fault()
        log.error("%s: a fault of the server itself", told.message, exc_info=fault)
        return self._result(wire.error_result(told))

    def _result(self, result: wire.Json) -> Message:
        if self._modern is not None:
            result = wire.modern_result(result, self._modern.info)
        return {"jsonrpc": "2.0", "id": self.request_id, "result": result}

    async def _execute(self, emit: Emit) -> ExecuteAppFunctionResponse:
        channel = QueuedChannel(
            lambda report: emit(self._notification(report)),
            wants_progress=self._call.progress_token is not None,
            log_levels=self._levels,
        )
        async with channel.sending():
            return await self._service.manager.execute(self._request(channel))

    def _request(self, channel: CallChannel) -> ExecuteAppFunctionRequest:
        return ExecuteAppFunctionRequest(
            self._call.name,
            self._call.arguments,
            self._session.caller,
            self.request_id,
            channel,
            self._capabilities,
        )

    def _notification(self, report: Report) -> Message:
        params: wire.Json
        if isinstance(report, ProgressReport):
            params = {"progressToken": self._call.progress_token, "progress": report.progress}
            if report.total is not None:
                params["total"] = report.total
            if report.message is not None:
                params["message"] = report.message
            return {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}
        params = {"level": report.level, "logger": self._service.metadata.name, "data": report.body}
        return {"jsonrpc": "2.0", "method": "notifications/message", "params": params}

    def _protocol_error(self, error: AppFunctionException) -> ProtocolError | None:
        """The JSON-RPC error that a call ends in; None where it ends in a result."""
        if isinstance(error, AppFunctionFunctionNotFoundException):
            is_unknown = self._service.registry.find(self._call.name) is None
            return wire.unknown_function(error) if is_unknown else None
        return None if self._modern is None else wire.missing_capability(error)
