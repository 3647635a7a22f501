"""A `tools/call` whose params are checked: what is left to do, and the response in either era."""

from collections.abc import Awaitable

from appfunctions_mcp.exceptions import (
    AppFunctionException,
    AppFunctionFunctionNotFoundException,
)
from appfunctions_mcp.requests import (
    CallChannel,
    ExecuteAppFunctionRequest,
    ExecuteAppFunctionResponse,
)
from appfunctions_mcp.server import wire
from appfunctions_mcp.server.envelopes import Message
from appfunctions_mcp.server.pending_request import Answer, Emit, PendingRequest
from appfunctions_mcp.server.protocol_errors import ProtocolError


class PendingCall(PendingRequest):
    """A checked `tools/call` that is to be run."""

    __slots__ = ()

    _asked: wire.ToolCall

    def begin(self, emit: Emit) -> Answer | Awaitable[Answer]:
        """Executes the call as far as that goes without waiting: mostly to its end."""
        if self._asked.progress_token is not None or self._levels or self._round is not None:
            return self._ended(self._begun(emit))
        try:
            begun = self._service.manager.begin(self._request(self._session.channel))
            if isinstance(begun, ExecuteAppFunctionResponse):
                return self._answer(begun)
        except AppFunctionException as error:
            return self._failure(error)
        except Exception as fault:  # noqa: BLE001 - it is logged, and the caller is told
            return self._fault(fault)
        return self._ended(begun)

    async def _serve(self, channel: CallChannel) -> ExecuteAppFunctionResponse:
        return await self._service.manager.execute(self._request(channel))

    def _answer(self, response: ExecuteAppFunctionResponse) -> Answer:
        # A hook may have made text and structure differ.
        if not self._service.manager.has_hooks:
            meta = b"" if self._modern is None else self._modern.written_meta
            written = wire.written_call_answer(self.request_id, response, meta)
            if written is not None:
                return written
        return self._result(wire.call_result(response))

    def _fault_answer(self, told: AppFunctionException) -> Message:
        return self._result(wire.error_result(told))

    def _request(self, channel: CallChannel) -> ExecuteAppFunctionRequest:
        call = self._asked
        return ExecuteAppFunctionRequest(
            call.name,
            call.arguments,
            self._session.caller,
            self.request_id,
            channel,
            self._capabilities,
            call.meta,
            call.activity_id,
        )

    def _protocol_error(self, error: AppFunctionException) -> ProtocolError | None:
        if isinstance(error, AppFunctionFunctionNotFoundException):
            is_unknown = self._service.registry.find(self._asked.name) is None
            return wire.unknown_function(error) if is_unknown else None
        return None if self._modern is None else wire.missing_capability(error)
