"""What a client on stdio has said of itself, to be said again to an app that is started anew."""

from collections.abc import Iterator
from typing import Any

from appfunctions_mcp.server.envelopes import Message, RequestId
from appfunctions_mcp.server.eras import SUBSCRIPTION_KEY

_PREFIX = "appfunctions-watch:"
PROBE = f"{_PREFIX}ready"
"""The id of the last message that is said again: its answer shows that the app serves."""
HANDSHAKE = f"{_PREFIX}initialize"
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
_KINDS = ("tools", "resources", "prompts")


class WatchedClient:
    """Notes what later children have to be told; knows only the methods that it needs."""

    def __init__(self) -> None:
        self.listening: dict[RequestId, Message] = {}
        """The client's open streams of changes."""
        self._initialize: Message | None = None
        self._initialized: Message | None = None
        self._level: Message | None = None
        self._subscribed: dict[str, Message] = {}
        self._envelope: dict[str, Any] | None = None

    @property
    def has_spoken(self) -> bool:
        """Whether there is anything to say again."""
        return self._initialize is not None or self._envelope is not None

    def note(self, message: Message) -> None:
        """Takes a message of the client's."""
        params = message.get("params") or {}
        match message.get("method"):
            case "initialize":
                self._initialize = message
            case "notifications/initialized":
                self._initialized = message
            case "logging/setLevel":
                self._level = message
            case "resources/subscribe":
                self._subscribed[str(params.get("uri"))] = message
            case "resources/unsubscribe":
                self._subscribed.pop(str(params.get("uri")), None)
            case "subscriptions/listen":
                self.listening[message["id"]] = message
            case "notifications/cancelled":
                self.listening.pop(params.get("requestId", ""), None)
        if self._initialize is None and isinstance(params.get("_meta"), dict):
            self._envelope = params["_meta"]

    def answered(self, request_id: RequestId) -> None:
        """Takes note that a request of the client's has its answer."""
        self.listening.pop(request_id, None)

    def said_again(self) -> Iterator[Message]:
        """What a further child is told, under ids that its answers are known by."""
        again = (self._initialize, self._level, *self._subscribed.values())
        for number, message in enumerate(filter(None, again)):
            named = HANDSHAKE if message is self._initialize else f"{_PREFIX}{number}"
            yield {**message, "id": named}
            if message is self._initialize and self._initialized is not None:
                yield self._initialized
        yield from self.listening.values()
        probe: Message = {"jsonrpc": "2.0", "id": PROBE, "method": "tools/list"}
        yield probe if self._envelope is None else {**probe, "params": {"_meta": self._envelope}}

    def changes(self, capabilities: dict[str, Any]) -> Iterator[Message]:
        """The notifications that lists may have changed, as the client wants to hear of them.

        Args:
            capabilities: What the further child has answered to the handshake.
        """
        for kind in _KINDS:
            method = f"notifications/{kind}/list_changed"
            if (capabilities.get(kind) or {}).get("listChanged"):
                yield {"jsonrpc": "2.0", "method": method}
            for request_id, listen in self.listening.items():
                wanted = (listen.get("params") or {}).get("notifications") or {}
                if wanted.get(f"{kind}ListChanged"):
                    meta = {SUBSCRIPTION_KEY: request_id}
                    yield {"jsonrpc": "2.0", "method": method, "params": {"_meta": meta}}


def is_ours(request_id: object) -> bool:
    """Whether an id is of a message that was said again, whose answer nobody waits for."""
    return isinstance(request_id, str) and request_id.startswith(_PREFIX)
