"""What the server answers to each method, in both protocol eras: logic on plain dictionaries.

`Methods.prepare` takes a request that `envelopes.read_message` let pass and checks era, envelope
and params. Many methods are answered by it at once. For others, what is left to do comes back as
an object:

    prepared = methods.prepare(request, session)
    match prepared:
        case PendingRequest():  answer = await prepared.run(emit)  # tools/call, resources/read …
        case Subscription():    ...                                # subscriptions/listen
        case _:                 answer = prepared                  # a response, or its bytes

Connections, cancellation and the order of what is sent are the engines' matter.
"""

import logging
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from appfunctions_mcp.server import wire
from appfunctions_mcp.server.capabilities import capabilities_of
from appfunctions_mcp.server.envelopes import Message, RequestId, error_response
from appfunctions_mcp.server.eras import (
    CAPABILITIES_KEY,
    LOG_LEVEL_KEY,
    MODERN_VERSIONS,
    QUESTIONS,
    ClientSession,
    Era,
    Params,
    agreed_version,
    log_levels,
)
from appfunctions_mcp.server.pending_call import PendingCall
from appfunctions_mcp.server.pending_request import Answer, ModernServer, PendingRequest
from appfunctions_mcp.server.protocol_errors import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    ProtocolError,
)
from appfunctions_mcp.server.request_params import check_params
from appfunctions_mcp.server.subscriptions import Subscription
from appfunctions_mcp.server.tool_lists import ToolLists
from appfunctions_mcp.service import AppFunctionService

if TYPE_CHECKING:
    from appfunctions_mcp.server.part_methods import CheckedRequest, PartMethods
    from appfunctions_mcp.server.pending_reads import AskedPart
    from appfunctions_mcp.server.request_state import RequestStates
    from appfunctions_mcp.server.rounds import Round

_PARTS = ("resources/", "prompts/", "completion/")
_CONTINUES = frozenset({"inputResponses", "requestState"})
"""What a request has that goes on with one which has put questions."""
_CALL_MEMBERS = frozenset({"name", "arguments", "_meta"})
"""What most calls have; the kinds of the first two are checked in any case."""

log = logging.getLogger("appfunctions_mcp.server")


class Methods:
    """The methods of a server.

    Args:
        service: What is served; somebody else keeps it running.
        has_channel: Whether there is a way on which a client with a handshake hears of changes.
    """

    def __init__(self, service: AppFunctionService, *, has_channel: bool = True) -> None:
        self._service = service
        self._has_channel = has_channel
        self._info = wire.server_info(service.metadata)
        self._modern = ModernServer(self._info, wire.written_meta(self._info))
        self._lists = ToolLists(service, self._info)
        self._known_envelope: Mapping[str, Any] | None = None
        self._known_takes_questions = False

    def prepare(
        self, request: Message, session: ClientSession
    ) -> "Answer | PendingRequest | Subscription":
        """Answers a request, or checks it and says what is left to do.

        Args:
            request: With a valid id, method and params.
            session: Its client; a handshake, a log level and the era are kept there.

        Returns:
            The response, or what has to be awaited for it. It never raises.
        """
        request_id = request["id"]
        try:
            return self._prepare(request_id, request["method"], request.get("params"), session)
        except ProtocolError as error:
            return error_response(request_id, error.code, error.message, error.data)
        except Exception:
            log.exception("a fault of the server itself")
            return error_response(request_id, INTERNAL_ERROR, "Internal server error")

    def notify(self, method: str, params: Params, session: ClientSession) -> None:
        """Takes a notification; those that concern a running request are the engine's matter."""
        if method != "notifications/initialized" or session.era == "modern":
            return
        meta = params.get("_meta") if params else None
        if meta is not None and not isinstance(meta, dict):
            log.warning("dropped %r: malformed params", method)
            return
        session.is_accepted = session.is_initialized = True

    def _prepare(
        self, request_id: RequestId, method: str, params: Params, session: ClientSession
    ) -> "Answer | PendingRequest | Subscription":
        era = session.decide_era(method, params)
        if method == "tools/call":
            return self._call(request_id, params, era, session)
        if method == "tools/list":
            wire.require_first_page(params)
            check_params(era, method, params)
            return _answer_of(request_id, self._lists.result(session.caller, era))
        known = check_params(era, method, params)
        if method.startswith(_PARTS):
            return self._of_part(request_id, method, params or {}, era, session)
        if era == "modern":
            return self._answer_modern(request_id, method, known, session)
        result = self._handshake_result(method, known, session)
        return {"jsonrpc": "2.0", "id": request_id, "result": result}

    def _handshake_result(
        self, method: str, known: dict[str, Any], session: ClientSession
    ) -> wire.Json:
        if method == "initialize":
            return self._initialize(known, session)
        if method == "ping":
            return {}
        if method != "logging/setLevel":
            raise _not_found(method)
        if not session.is_accepted:
            raise ProtocolError(INVALID_PARAMS, "Invalid request parameters", "")
        session.log_level = known["level"]
        return {}

    def _answer_modern(
        self, request_id: RequestId, method: str, known: dict[str, Any], session: ClientSession
    ) -> "Answer | Subscription":
        if method == "server/discover":
            result = wire.modern_result(self._discovery(), self._info, is_list=True)
            return {"jsonrpc": "2.0", "id": request_id, "result": result}
        if method == "subscriptions/listen":
            return Subscription(
                request_id,
                known["notifications"],
                service=self._service,
                caller=session.caller,
                info=self._info,
            )
        raise _not_found(method)

    def _initialize(self, known: dict[str, Any], session: ClientSession) -> wire.Json:
        session.version = agreed_version(known["protocolVersion"])
        session.declare(known["capabilities"])
        session.is_accepted = True
        return {
            "protocolVersion": session.version,
            "capabilities": capabilities_of(self._service, has_channel=self._has_channel),
            "serverInfo": self._info,
            "instructions": self._service.metadata.description,
        }

    def _discovery(self) -> wire.Json:
        return {
            "supportedVersions": list(MODERN_VERSIONS),
            "capabilities": capabilities_of(self._service),
            "instructions": self._service.metadata.description,
        }

    def _call(
        self, request_id: RequestId, params: Params, era: Era, session: ClientSession
    ) -> PendingCall:
        call = wire.read_tool_call(params)
        if era == "modern":
            return self._modern_call(request_id, call, params or {}, session)
        if params is not None and "task" in params:
            check_params(era, "tools/call", params)
        return PendingCall(
            self._service,
            request_id,
            call,
            session=session,
            capabilities=session.client_capabilities,
            levels=log_levels(session.log_level),
        )

    def _modern_call(
        self,
        request_id: RequestId,
        call: wire.ToolCall,
        params: Mapping[str, Any],
        session: ClientSession,
    ) -> PendingCall:
        """A call in its envelope; a client's are mostly equal, and so are checked once."""
        meta: Mapping[str, Any] = params["_meta"]
        is_plain = params.keys() <= _CALL_MEMBERS
        if not is_plain or meta != self._known_envelope:
            check_params("modern", "tools/call", params)
            self._known_envelope = meta
            self._known_takes_questions = not QUESTIONS.isdisjoint(meta[CAPABILITIES_KEY])
        can_ask = not is_plain or (self._known_takes_questions and self._may_ask(call.name))
        return PendingCall(
            self._service,
            request_id,
            call,
            session=session,
            capabilities=meta[CAPABILITIES_KEY],
            levels=log_levels(meta.get(LOG_LEVEL_KEY)),
            modern=self._modern,
            round=self._round("tools/call", params, session) if can_ask else None,
        )

    def _may_ask(self, name: str) -> bool:
        function = self._service.registry.find(name)
        return function is not None and (
            function.takes_context or function.metadata.requires_confirmation
        )

    def _round(self, method: str, params: Mapping[str, Any], session: ClientSession) -> "Round":
        from appfunctions_mcp.server.rounds import Round

        return Round(
            self._states,
            method,
            params,
            caller=session.caller,
            capabilities=params["_meta"][CAPABILITIES_KEY],
            info=self._info,
        )

    @cached_property
    def _states(self) -> "RequestStates":
        from appfunctions_mcp.server.request_state import RequestStates

        keys = self._service.manager.executor.confirmations.keys
        return RequestStates(keys, self._service.metadata.name)

    @cached_property
    def _parts(self) -> "PartMethods":
        """Imported when somebody asks for a part, which few clients do before a first call."""
        from appfunctions_mcp.server.part_methods import PartMethods

        return PartMethods(self._service, self._info, self._pending)

    def _of_part(
        self,
        request_id: RequestId,
        method: str,
        params: Mapping[str, Any],
        era: Era,
        session: ClientSession,
    ) -> "Answer | PendingRequest":
        if not (self._service.has_resources or self._service.has_prompts):
            raise _not_found(method)
        from appfunctions_mcp.server.part_methods import CheckedRequest

        prepared = self._parts.prepare(CheckedRequest(request_id, method, params, era, session))
        if prepared is None:
            raise _not_found(method)
        if isinstance(prepared, PendingRequest):
            return prepared
        if isinstance(prepared, bytes):
            return _answer_of(request_id, prepared)
        return {"jsonrpc": "2.0", "id": request_id, "result": prepared}

    def _pending(
        self, kind: type[PendingRequest], request: "CheckedRequest", asked: "AskedPart"
    ) -> PendingRequest:
        """What is left to do of a request for a part, with what its era has."""
        session, params = request.session, request.params
        if request.era == "handshake":
            return kind(
                self._service,
                request.request_id,
                asked,
                session=session,
                capabilities=session.client_capabilities,
                levels=log_levels(session.log_level),
            )
        meta = params["_meta"]
        is_round = kind.may_ask and (
            not QUESTIONS.isdisjoint(meta[CAPABILITIES_KEY]) or not _CONTINUES.isdisjoint(params)
        )
        return kind(
            self._service,
            request.request_id,
            asked,
            session=session,
            capabilities=meta[CAPABILITIES_KEY],
            levels=log_levels(meta.get(LOG_LEVEL_KEY)),
            modern=self._modern,
            round=self._round(request.method, params, session) if is_round else None,
        )


def _answer_of(request_id: RequestId, result: bytes) -> bytes:
    """A response around a result that is written already."""
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (wire.written_id(request_id), result)


def _not_found(method: str) -> ProtocolError:
    return ProtocolError(METHOD_NOT_FOUND, "Method not found", method)
