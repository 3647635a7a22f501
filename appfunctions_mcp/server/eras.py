"""The two protocol eras: their versions, what a client has said of itself, and the envelope.

Up to 2025-11-25 a handshake opens a connection and what it agrees on holds for all of it; from
2026-07-28 on each request carries an envelope in `params._meta` and stands alone. The first
request decides which of both a connection speaks. Knows nothing of methods beyond `initialize`.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from appfunctions_mcp.metadata import AppFunctionCaller
from appfunctions_mcp.requests import CallChannel, SilentChannel
from appfunctions_mcp.server.envelopes import Message
from appfunctions_mcp.server.protocol_errors import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    UNSUPPORTED_VERSION,
    ProtocolError,
)

if TYPE_CHECKING:
    from appfunctions_mcp.server.asking import LiveQuestions

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSIONS = ("2026-07-28",)

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
CLIENT_INFO_KEY = "io.modelcontextprotocol/clientInfo"
LOG_LEVEL_KEY = "io.modelcontextprotocol/logLevel"
SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId"

LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
"""From the least to the most severe."""
_LEVELS_FROM = {level: frozenset(LOG_LEVELS[n:]) for n, level in enumerate(LOG_LEVELS)}
_NO_LEVELS: frozenset[str] = frozenset()
_SILENT = SilentChannel()

QUESTIONS = frozenset({"elicitation", "sampling", "roots"})
"""The capabilities of a client that can be asked something."""

Era = Literal["handshake", "modern"]
Params = Mapping[str, Any] | None


class ClientSession:
    """What is known of one client: on stdio for the connection, over HTTP for one request.

    `client_capabilities`, `log_level`, `questions` and `subscribed` are those of the handshake
    era; a modern request says all of it by itself.

    Args:
        caller: Who calls.
        era: Which era it speaks; None until the first request has decided.
        version: The version agreed on, or the one that is offered.
        is_accepted: Whether requests that need a handshake are served.
    """

    __slots__ = (
        "_send",
        "caller",
        "channel",
        "client_capabilities",
        "era",
        "is_accepted",
        "is_initialized",
        "log_level",
        "questions",
        "subscribed",
        "version",
    )

    def __init__(
        self,
        caller: AppFunctionCaller,
        *,
        era: Era | None = None,
        version: str = HANDSHAKE_VERSIONS[-1],
        is_accepted: bool = False,
    ) -> None:
        self.caller = caller
        self.era = era
        self.version = version
        self.is_accepted = is_accepted
        self.is_initialized = False
        """Whether the client has said that it is ready for notifications."""
        self.log_level: str | None = None
        self.client_capabilities: Mapping[str, Any] = {}
        self.questions: LiveQuestions | None = None
        """What is being asked of the client; None where it can be asked nothing."""
        self.channel: CallChannel = _SILENT
        """The way back of calls that want nothing told."""
        self.subscribed: set[str] = set()
        """The resources that the client wants to hear of."""
        self._send: Callable[[Message], Awaitable[None]] | None = None

    def open_way(self, send: Callable[[Message], Awaitable[None]]) -> None:
        """Lets the server send requests of its own; none can be sent without.

        Args:
            send: Sends a request on.
        """
        self._send = send
        self.declare(self.client_capabilities)

    def declare(self, capabilities: Mapping[str, Any]) -> None:
        """Takes what the client says that it can do, and opens the way for questions to it."""
        declared = capabilities.items()
        self.client_capabilities = {name: value for name, value in declared if value is not None}
        if self._send is None or self.questions is not None:
            return  # what was asked before a second handshake is still waited for
        if QUESTIONS.isdisjoint(self.client_capabilities):
            return
        from appfunctions_mcp.server.asking import LiveQuestions

        self.questions = LiveQuestions(self._send, lambda: self.client_capabilities)
        self.channel = self.questions

    def take_response(self, response: Message) -> None:
        """Takes what the client answers; an answer that nobody waits for is passed over."""
        if self.questions is not None:
            self.questions.receive(response)

    def decide_era(self, method: str, params: Params) -> Era:
        """The era of the connection, which its first request decides.

        Raises:
            ProtocolError: The request belongs to the other era.
        """
        is_modern = method != "initialize" and is_enveloped(params)
        if self.era is None:
            self.era = "modern" if is_modern else "handshake"
        elif is_modern and self.era == "handshake":
            raise ProtocolError(
                INVALID_REQUEST,
                "this connection serves the handshake protocol era; "
                "requests carrying the 2026-07-28 envelope are not accepted on it",
            )
        if self.era == "modern":
            if method == "initialize":
                raise _handshake_refused(params)
            require_envelope(params)
            require_served_version(params)
        return self.era


def is_enveloped(params: Params) -> bool:
    """Whether a request claims to be of the modern era: its `_meta` names a version."""
    meta = params.get("_meta") if params else None
    return isinstance(meta, dict) and VERSION_KEY in meta


def require_envelope(params: Params) -> None:
    """Checks that a modern request has an envelope; what stands in it is checked elsewhere.

    Raises:
        ProtocolError: There is none, or it lacks the version or the capabilities.
    """
    meta = params.get("_meta") if params else None
    if not isinstance(meta, dict):
        raise ProtocolError(
            INVALID_PARAMS,
            f"params._meta must be an object carrying the required {VERSION_KEY!r} and "
            f"{CAPABILITIES_KEY!r} envelope keys",
        )
    if VERSION_KEY in meta and CAPABILITIES_KEY in meta:
        return
    missing = ", ".join(key for key in (VERSION_KEY, CAPABILITIES_KEY) if key not in meta)
    raise ProtocolError(
        INVALID_PARAMS, f"params._meta is missing the required envelope key(s): {missing}"
    )


def require_served_version(params: Params) -> None:
    """Checks the version of an envelope; call `require_envelope` before.

    Raises:
        ProtocolError: It is no text, or no version that is served.
    """
    version = params["_meta"][VERSION_KEY] if params else None
    if version in MODERN_VERSIONS:
        return
    if not isinstance(version, str):
        raise ProtocolError(INVALID_PARAMS, "the protocol-version envelope value must be a string")
    raise ProtocolError(
        UNSUPPORTED_VERSION,
        "Unsupported protocol version",
        {"supported": list(MODERN_VERSIONS), "requested": version},
    )


def agreed_version(asked: str) -> str:
    """The version that a handshake agrees on: the one asked for, else the newest of its era."""
    return asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]


def log_levels(lowest: object) -> frozenset[str]:
    """The levels from the lowest that a client asked for; none where it asked for none."""
    return _LEVELS_FROM.get(lowest, _NO_LEVELS) if isinstance(lowest, str) else _NO_LEVELS


def _handshake_refused(params: Params) -> ProtocolError:
    about: dict[str, Any] = {"supported": list(MODERN_VERSIONS)}
    requested = (params or {}).get("protocolVersion")
    if isinstance(requested, str):
        about["requested"] = requested
    return ProtocolError(
        UNSUPPORTED_VERSION,
        "connection is serving the 2026-07-28 protocol; the initialize handshake is not accepted",
        about,
    )
