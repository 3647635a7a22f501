"""What the server answers to the methods of resources, prompts and completion.

A method that the app has nothing for is not there: "Method not found". Logic on plain
dictionaries; `methods.py` has checked era and params.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from appfunctions_mcp.metadata import AppFunctionCaller, AppPromptMetadata, AppResourceMetadata
from appfunctions_mcp.records import record
from appfunctions_mcp.server import wire, wire_resources
from appfunctions_mcp.server.capabilities import completes
from appfunctions_mcp.server.envelopes import RequestId
from appfunctions_mcp.server.eras import ClientSession, Era
from appfunctions_mcp.server.part_lists import PartLists
from appfunctions_mcp.server.pending_reads import (
    AskedPart,
    PendingCompletion,
    PendingPrompt,
    PendingRead,
    PendingResources,
)
from appfunctions_mcp.server.pending_request import PendingRequest
from appfunctions_mcp.server.protocol_errors import INVALID_PARAMS, ProtocolError
from appfunctions_mcp.server.subscriptions import MAX_SUBSCRIPTIONS
from appfunctions_mcp.service import AppFunctionService


@record(frozen=True, slots=True)
class CheckedRequest:
    """A request whose era is known and whose params have the shape of its method."""

    request_id: RequestId
    method: str
    params: Mapping[str, Any]
    era: Era
    session: ClientSession


MakePending = Callable[[type[PendingRequest], CheckedRequest, AskedPart], PendingRequest]
"""Makes what is left to do of a request, with everything that its era has."""


class PartMethods:
    """The methods of one server's resources and prompts.

    Args:
        service: What is served.
        info: What `wire.server_info` says of the server.
        make_pending: Makes what is left to do where an answer takes time.
    """

    def __init__(
        self, service: AppFunctionService, info: wire.Json, make_pending: MakePending
    ) -> None:
        self._service = service
        self._make_pending = make_pending
        resource = wire_resources.resource
        self._resources = PartLists[AppResourceMetadata]("resources", resource, info)
        self._templates = PartLists[AppResourceMetadata]("resourceTemplates", resource, info)
        self._prompts = PartLists[AppPromptMetadata]("prompts", wire_resources.prompt, info)

    def prepare(self, request: CheckedRequest) -> bytes | wire.Json | PendingRequest | None:
        """Answers a request, or says what is left to do.

        Returns:
            The JSON of the result, the result, or what has to be awaited for the response; None
            where the app has no such method.

        Raises:
            ProtocolError: It asks for what cannot be.
        """
        if request.method == "completion/complete":
            return self._pending(PendingCompletion, request) if completes(self._service) else None
        if request.method.startswith("prompts/"):
            return self._of_prompts(request) if self._service.has_prompts else None
        return self._of_resources(request) if self._service.has_resources else None

    def _of_prompts(self, request: CheckedRequest) -> bytes | PendingRequest:
        if request.method == "prompts/get":
            return self._pending(PendingPrompt, request)
        wire.require_first_page(request.params)
        prompts = self._service.prompts
        seen = prompts.listed(request.session.caller)
        return self._prompts.result(request.era, seen, prompts.revision)

    def _of_resources(self, request: CheckedRequest) -> bytes | wire.Json | PendingRequest | None:
        resources, caller = self._service.resources, request.session.caller
        if request.method.endswith("/list"):
            wire.require_first_page(request.params)
        match request.method:
            case "resources/list":
                if resources.has_entries:
                    return self._pending(PendingResources, request)
                seen = resources.static(caller)
                return self._resources.result(request.era, seen, resources.revision)
            case "resources/templates/list":
                seen = resources.templates(caller)
                return self._templates.result(request.era, seen, resources.revision)
            case "resources/read":
                return self._pending(PendingRead, request)
            case "resources/subscribe" | "resources/unsubscribe":
                return self._subscribe(request) if request.era == "handshake" else None
            case _:
                return None

    def _subscribe(self, request: CheckedRequest) -> wire.Json:
        """Notes which resource a client wants to hear of; where it has a connection, it will."""
        session, uri = request.session, request.params["uri"]
        if request.method == "resources/unsubscribe":
            session.subscribed.discard(uri)
        else:
            require_subscribable(self._service, uri, session.subscribed, session.caller)
            session.subscribed.add(uri)
        return {}

    def _pending(self, kind: type[PendingRequest], request: CheckedRequest) -> PendingRequest:
        params = request.params
        token = wire.progress_token_of(params)
        return self._make_pending(kind, request, AskedPart(params, token, params.get("_meta")))


def require_subscribable(
    service: AppFunctionService, uri: str, subscribed: Collection[str], caller: AppFunctionCaller
) -> None:
    """Refuses what a connection cannot be told of.

    Args:
        service: Whose resource it is.
        uri: The address that the client wants to hear of.
        subscribed: Those that its connection is told of already.
        caller: Who would hear of it.

    Raises:
        ProtocolError: There are too many, or there is no such resource for this caller.
    """
    if uri not in subscribed and len(subscribed) >= MAX_SUBSCRIPTIONS:
        raise ProtocolError(
            INVALID_PARAMS,
            f"Invalid params: this connection is subscribed to {len(subscribed):,} resources, "
            "the most accepted; unsubscribe from others first",
        )
    if not service.resources.is_visible(uri, caller):
        raise wire_resources.unknown_resource(uri)
