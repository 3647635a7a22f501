"""A request whose params are checked and whose answer takes time, and what all of these share.

Progress and log messages go out before the answer; questions go to the client as its era has
it; a fault of the server itself is logged, and the client told so.
"""

import logging
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from appfunctions_mcp.exceptions import AppFunctionException
from appfunctions_mcp.records import record
from appfunctions_mcp.requests import CallChannel
from appfunctions_mcp.server import wire
from appfunctions_mcp.server.channel import ProgressReport, QueuedChannel, Report
from appfunctions_mcp.server.envelopes import Message, RequestId, error_response
from appfunctions_mcp.server.eras import ClientSession
from appfunctions_mcp.server.protocol_errors import INTERNAL_ERROR, ProtocolError
from appfunctions_mcp.service import AppFunctionService

if TYPE_CHECKING:
    from appfunctions_mcp.server.rounds import Round

Answer = Message | bytes
"""A JSON-RPC response; bytes are one that is written already, without a line feed."""
Emit = Callable[[Message], Awaitable[None]]
"""Sends a notification on, in order, before the answer."""

log = logging.getLogger("appfunctions_mcp.server")


@record(frozen=True, slots=True)
class ModernServer:
    """What the server says of itself in every modern result."""

    info: wire.Json
    written_meta: bytes


class PendingRequest(ABC):
    """A checked request that is to be answered; each method has a class of its own.

    Args:
        service: What is asked.
        request_id: The request.
        asked: What was asked for.
        session: Whose caller asks.
        capabilities: What the client has declared.
        levels: The levels of log messages that the client asked for.
        modern: What the server says of itself in a modern result; None in the other era.
        round: The questions of this request and what is answered of them, in the modern era.
    """

    __slots__ = (
        "_asked",
        "_capabilities",
        "_levels",
        "_modern",
        "_round",
        "_service",
        "_session",
        "request_id",
    )

    may_ask: ClassVar[bool] = False
    """Whether its client may be asked something before it is answered."""

    def __init__(
        self,
        service: AppFunctionService,
        request_id: RequestId,
        asked: Any,
        *,
        session: ClientSession,
        capabilities: Mapping[str, Any],
        levels: frozenset[str],
        modern: ModernServer | None = None,
        round: "Round | None" = None,  # noqa: A002 - the word for it
    ) -> None:
        self.request_id = request_id
        self._service = service
        self._asked = asked
        self._session = session
        self._capabilities = capabilities
        self._levels = levels
        self._modern = modern
        self._round = round

    def begin(self, emit: Emit) -> Answer | Awaitable[Answer]:
        """Goes as far as that takes no waiting.

        Args:
            emit: Sends progress and log messages; all of them before the answer.

        Returns:
            The JSON-RPC response or its bytes, or what has to be awaited for them, at once.
            Cancelling that ends the request; nothing else is raised.
        """
        return self._ended(self._begun(emit))

    async def run(self, emit: Emit) -> Answer:
        """Goes to its end; see `begin`."""
        begun = self.begin(emit)
        return begun if isinstance(begun, bytes | dict) else await begun

    @abstractmethod
    async def _serve(self, channel: CallChannel) -> Any:
        """Does what was asked for."""

    @abstractmethod
    def _answer(self, response: Any) -> Answer:
        """The JSON-RPC response around what `_serve` returned."""

    @abstractmethod
    def _protocol_error(self, error: AppFunctionException) -> ProtocolError | None:
        """The JSON-RPC error that an exception ends in; None where it ends in a result."""

    async def _ended(self, begun: Awaitable[Any]) -> Answer:
        try:
            response = await begun
            if self._round is not None and self._round.has_asked:
                return self._result(self._round.result())
            return self._answer(response)
        except AppFunctionException as error:
            return self._failure(error)
        except Exception as fault:  # noqa: BLE001 - it is logged, and the caller is told
            return self._fault(fault)

    def _begun(self, emit: Emit) -> Awaitable[Any]:
        """Serves with whatever way to the client it has asked for."""
        if self._asked.progress_token is not None or self._levels:
            return self._reported(emit)
        return self._asking(self._questions)

    async def _reported(self, emit: Emit) -> Any:
        channel = QueuedChannel(
            lambda report: emit(self._notification(report)),
            wants_progress=self._asked.progress_token is not None,
            log_levels=self._levels,
            questions=self._questions,
        )
        async with channel.sending():
            return await self._asking(channel)

    @property
    def _questions(self) -> CallChannel:
        """The channel of a request that wants nothing told, but may ask."""
        return self._session.channel if self._round is None else self._round.questions

    def _asking(self, channel: CallChannel) -> Awaitable[Any]:
        served = self._serve(channel)
        return served if self._round is None else self._round.run(served)

    def _failure(self, error: AppFunctionException) -> Message:
        protocol = self._protocol_error(error)
        if protocol is None:
            return self._result(wire.error_result(error))
        return error_response(self.request_id, protocol.code, protocol.message, protocol.data)

    def _fault(self, fault: Exception) -> Message:
        told = wire.server_fault()
        log.error("%s: a fault of the server itself", told.message, exc_info=fault)
        return self._fault_answer(told)

    def _fault_answer(self, told: AppFunctionException) -> Message:
        return error_response(self.request_id, INTERNAL_ERROR, told.text(), told.structured())

    def _result(self, result: wire.Json, *, is_list: bool = False) -> Message:
        if self._modern is not None:
            result = wire.modern_result(result, self._modern.info, is_list=is_list)
        return {"jsonrpc": "2.0", "id": self.request_id, "result": result}

    def _notification(self, report: Report) -> Message:
        params: wire.Json
        if isinstance(report, ProgressReport):
            params = {"progressToken": self._asked.progress_token, "progress": report.progress}
            if report.total is not None:
                params["total"] = report.total
            if report.message is not None:
                params["message"] = report.message
            return {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}
        params = {"level": report.level, "logger": self._service.metadata.name, "data": report.body}
        return {"jsonrpc": "2.0", "method": "notifications/message", "params": params}
