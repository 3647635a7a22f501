"""What the server answers to each method, in both protocol eras: logic on plain dictionaries.

`Methods.prepare` takes a request that `envelopes.read_message` let pass and checks era, envelope
and params. Most methods are answered by it at once. Two take time, and what is left to do comes
back as an object:

    prepared = methods.prepare(request, session)
    match prepared:
        case PendingCall():   answer = await prepared.run(emit)    # tools/call
        case Subscription():  ...                                  # subscriptions/listen
        case _:               answer = prepared                    # a response, or its bytes

Connections, cancellation and the order of what is sent are the engines' matter.
"""

import logging
from collections.abc import Mapping
from typing import Any

from appfunctions_mcp.server import wire
from appfunctions_mcp.server.envelopes import Message, RequestId, error_response
from appfunctions_mcp.server.eras import (
    CAPABILITIES_KEY,
    LOG_LEVEL_KEY,
    MODERN_VERSIONS,
    SUBSCRIPTION_KEY,
    ClientSession,
    Era,
    Params,
    agreed_version,
    log_levels,
)
from appfunctions_mcp.server.pending_call import Answer, ModernServer, PendingCall
from appfunctions_mcp.server.protocol_errors import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    ProtocolError,
)
from appfunctions_mcp.server.request_params import check_params
from appfunctions_mcp.server.tool_lists import ToolLists
from appfunctions_mcp.service import AppFunctionService

LIST_CHANGED = "notifications/tools/list_changed"
CAPABILITIES: wire.Json = {"logging": {}, "tools": {"listChanged": True}}
MAX_SUBSCRIPTIONS = 1024
"""How many streams of changes a server keeps open."""

_CALL_MEMBERS = frozenset({"name", "arguments", "_meta"})
"""What most calls have; the kinds of the first two are checked in any case."""

log = logging.getLogger("appfunctions_mcp.server")


class Methods:
    """The methods of a server.

    Args:
        service: What is served; somebody else keeps it running.
    """

    def __init__(self, service: AppFunctionService) -> None:
        self._service = service
        self._info = wire.server_info(service.metadata)
        self._modern = ModernServer(self._info, wire.written_meta(self._info))
        self._lists = ToolLists(service, self._info)
        self._known_envelope: Mapping[str, Any] | None = None

    def prepare(
        self, request: Message, session: ClientSession
    ) -> "Answer | PendingCall | Subscription":
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
    ) -> "Answer | PendingCall | Subscription":
        era = session.decide_era(method, params)
        if method == "tools/call":
            return self._call(request_id, params, era, session)
        if method == "tools/list":
            wire.require_first_page(params)
            check_params(era, method, params)
            return _answer_of(request_id, self._lists.result(session.caller, era))
        known = check_params(era, method, params)
        if era == "modern":
            return self._answer_modern(request_id, method, known)
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
        self, request_id: RequestId, method: str, known: dict[str, Any]
    ) -> "Answer | Subscription":
        if method == "server/discover":
            result = wire.modern_result(self._discovery(), self._info, is_list=True)
            return {"jsonrpc": "2.0", "id": request_id, "result": result}
        if method == "subscriptions/listen":
            return Subscription(request_id, known["notifications"], self._info)
        raise _not_found(method)

    def _initialize(self, known: dict[str, Any], session: ClientSession) -> wire.Json:
        session.version = agreed_version(known["protocolVersion"])
        session.client_capabilities = {
            name: declared
            for name, declared in known["capabilities"].items()
            if declared is not None
        }
        session.is_accepted = True
        return {
            "protocolVersion": session.version,
            "capabilities": CAPABILITIES,
            "serverInfo": self._info,
            "instructions": self._service.metadata.description,
        }

    def _discovery(self) -> wire.Json:
        return {
            "supportedVersions": list(MODERN_VERSIONS),
            "capabilities": CAPABILITIES,
            "instructions": self._service.metadata.description,
        }

    def _call(
        self, request_id: RequestId, params: Params, era: Era, session: ClientSession
    ) -> "PendingCall":
        call = wire.read_tool_call(params)
        if era == "modern":
            meta = self._checked_envelope(params or {})
            return PendingCall(
                self._service,
                request_id,
                call,
                session=session,
                capabilities=meta[CAPABILITIES_KEY],
                levels=log_levels(meta.get(LOG_LEVEL_KEY)),
                modern=self._modern,
            )
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

    def _checked_envelope(self, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """The envelope of a call; a client's are mostly equal, and so are checked once."""
        meta: Mapping[str, Any] = params["_meta"]
        if meta != self._known_envelope or not params.keys() <= _CALL_MEMBERS:
            check_params("modern", "tools/call", params)
            self._known_envelope = meta
        return meta


class Subscription:
    """A checked `subscriptions/listen`: the messages of one stream of changes.

    Args:
        request_id: The request, by which the messages are told apart.
        wanted: Of which changes the client wants to hear.
        info: What the server says of itself.
    """

    def __init__(self, request_id: RequestId, wanted: wire.Json, info: wire.Json) -> None:
        self.request_id = request_id
        self.wants_tools = wanted.get("toolsListChanged") is True
        self._honored = {name: want for name, want in wanted.items() if want}
        self._meta = {SUBSCRIPTION_KEY: request_id}
        self._info = info

    def acknowledged(self) -> Message:
        """The first message: which kinds of changes will be told."""
        params = {"notifications": self._honored, "_meta": self._meta}
        method = "notifications/subscriptions/acknowledged"
        return {"jsonrpc": "2.0", "method": method, "params": params}

    def changed(self) -> Message:
        """Says that the list of tools has changed; only where `wants_tools`."""
        return {"jsonrpc": "2.0", "method": LIST_CHANGED, "params": {"_meta": self._meta}}

    def ended(self) -> Message:
        """The last message: the response."""
        result = wire.modern_result({"_meta": self._meta}, self._info)
        return {"jsonrpc": "2.0", "id": self.request_id, "result": result}

    def refused(self) -> Message:
        """The response instead of all others where too many streams are open."""
        return error_response(self.request_id, INTERNAL_ERROR, "Subscription limit reached")


def _answer_of(request_id: RequestId, result: bytes) -> bytes:
    """A response around a result that is written already."""
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (wire.written_id(request_id), result)


def _not_found(method: str) -> ProtocolError:
    return ProtocolError(METHOD_NOT_FOUND, "Method not found", method)
