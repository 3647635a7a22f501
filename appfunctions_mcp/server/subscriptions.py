"""How a client hears of changes: on its connection after a handshake, else on streams it opens.

Up to 2025-11-25 a client hears of every list, and of the resources that it has named one by one;
from 2026-07-28 on only of what a `subscriptions/listen` has asked for. Nobody hears of a resource
that is hidden from them.
"""

from collections.abc import Container, Iterator, Mapping
from typing import Any

from appfunctions_mcp.metadata import AppFunctionCaller
from appfunctions_mcp.server import wire
from appfunctions_mcp.server.announcer import Changes, ListKind
from appfunctions_mcp.server.envelopes import Message, RequestId, error_response
from appfunctions_mcp.server.eras import SUBSCRIPTION_KEY
from appfunctions_mcp.server.protocol_errors import INTERNAL_ERROR
from appfunctions_mcp.service import AppFunctionService

MAX_SUBSCRIPTIONS = 1024
"""How many streams of changes a server keeps open, and resources a connection is told of."""

EVERY_LIST: frozenset[ListKind] = frozenset({"tools", "prompts", "resources"})
_WANTED: Mapping[str, ListKind] = {
    "toolsListChanged": "tools",
    "promptsListChanged": "prompts",
    "resourcesListChanged": "resources",
}


def list_changed(kind: ListKind, meta: wire.Json | None = None) -> Message:
    """The notification that a list is not what it was."""
    message: Message = {"jsonrpc": "2.0", "method": f"notifications/{kind}/list_changed"}
    return message if meta is None else {**message, "params": {"_meta": meta}}


def resource_updated(uri: str, meta: wire.Json | None = None) -> Message:
    """The notification that something else stands at an address now."""
    params = {"uri": uri} if meta is None else {"uri": uri, "_meta": meta}
    return {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": params}


def told_of(
    changes: Changes,
    service: AppFunctionService,
    caller: AppFunctionCaller,
    *,
    lists: Container[ListKind],
    uris: Container[str],
    meta: wire.Json | None = None,
) -> Iterator[Message]:
    """The notifications of changes for one client.

    Args:
        changes: What has changed.
        service: Whose it is.
        caller: Who would read it: nobody hears of what is hidden from them.
        lists: The lists that the client wants to hear of.
        uris: The addresses that it wants to hear of.
        meta: The `_meta` of each notification.
    """
    for kind in changes.lists:
        if kind in lists:
            yield list_changed(kind, meta)
    for uri in changes.uris:
        if uri in uris and service.resources.is_visible(uri, caller):
            yield resource_updated(uri, meta)


class Subscription:
    """A checked `subscriptions/listen`: the messages of one stream of changes.

    Args:
        request_id: The request, by which the messages are told apart.
        wanted: Of which changes the client wants to hear.
        service: Whose changes they are.
        caller: Who listens.
        info: What the server says of itself.
    """

    def __init__(
        self,
        request_id: RequestId,
        wanted: wire.Json,
        *,
        service: AppFunctionService,
        caller: AppFunctionCaller,
        info: wire.Json,
    ) -> None:
        self.request_id = request_id
        self._honored = {name: want for name, want in wanted.items() if want}
        self._lists = {kind for name, kind in _WANTED.items() if wanted.get(name) is True}
        self._uris = frozenset(wanted.get("resourceSubscriptions") or ())
        self._service = service
        self._caller = caller
        self._meta: dict[str, Any] = {SUBSCRIPTION_KEY: request_id}
        self._info = info

    def acknowledged(self) -> Message:
        """The first message: which kinds of changes will be told."""
        params = {"notifications": self._honored, "_meta": self._meta}
        method = "notifications/subscriptions/acknowledged"
        return {"jsonrpc": "2.0", "method": method, "params": params}

    def wanted_of(self, changes: Changes) -> Changes:
        """The part of some changes that the client wants to hear of."""
        return changes.among(self._lists, self._uris)

    def changed(self, changes: Changes) -> list[Message]:
        """The messages that tell of changes: none for what the client does not want to hear."""
        return list(
            told_of(
                changes,
                self._service,
                self._caller,
                lists=self._lists,
                uris=self._uris,
                meta=self._meta,
            )
        )

    def ended(self) -> Message:
        """The last message: the response."""
        result = wire.modern_result({"_meta": self._meta}, self._info)
        return {"jsonrpc": "2.0", "id": self.request_id, "result": result}

    def refused(self) -> Message:
        """The response instead of all others where too many streams are open."""
        return error_response(self.request_id, INTERNAL_ERROR, "Subscription limit reached")
