"""Checked requests for resources, prompts, completions, and for lists that the app has to make.

What is left to do for each, and the response in either era.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from appfunctions_mcp.exceptions import AppFunctionException
from appfunctions_mcp.media import BlobResource, TextResource
from appfunctions_mcp.metadata import AppResourceMetadata
from appfunctions_mcp.records import record
from appfunctions_mcp.requests import (
    AppPromptResponse,
    CallChannel,
    Completion,
    GetAppPromptRequest,
    ReadAppResourceRequest,
)
from appfunctions_mcp.server import wire, wire_resources
from appfunctions_mcp.server.envelopes import Message
from appfunctions_mcp.server.pending_request import PendingRequest
from appfunctions_mcp.server.protocol_errors import ProtocolError


@record(frozen=True, slots=True)
class AskedPart:
    """What a request asks for, beyond its method: its checked params."""

    params: Mapping[str, Any]
    progress_token: str | int | None = None
    meta: wire.Json | None = None


class _PendingPart(PendingRequest):
    """A request whose failures are all errors of the protocol: no result says that it is one."""

    __slots__ = ()

    _asked: AskedPart

    def _protocol_error(self, error: AppFunctionException) -> ProtocolError:
        uri = self._asked.params.get("uri")
        return wire_resources.request_error(error, uri=uri, is_modern=self._modern is not None)


class PendingRead(_PendingPart):
    """A checked `resources/read`."""

    __slots__ = ()

    may_ask = True

    async def _serve(self, channel: CallChannel) -> tuple[TextResource | BlobResource, ...]:
        request = ReadAppResourceRequest(
            self._asked.params["uri"],
            self._session.caller,
            self.request_id,
            channel,
            self._capabilities,
            self._asked.meta,
        )
        return await self._service.resources.read(request)

    def _answer(self, response: Sequence[TextResource | BlobResource]) -> Message:
        return self._result(wire_resources.read_result(response), is_list=True)


class PendingPrompt(_PendingPart):
    """A checked `prompts/get`."""

    __slots__ = ()

    may_ask = True

    async def _serve(self, channel: CallChannel) -> AppPromptResponse:
        request = GetAppPromptRequest(
            self._asked.params["name"],
            self._asked.params.get("arguments") or {},
            self._session.caller,
            self.request_id,
            channel,
            self._capabilities,
            self._asked.meta,
        )
        return await self._service.prompts.get(request)

    def _answer(self, response: AppPromptResponse) -> Message:
        return self._result(wire_resources.prompt_result(response))


class PendingCompletion(_PendingPart):
    """A checked `completion/complete`."""

    __slots__ = ()

    async def _serve(self, _channel: CallChannel) -> Completion:
        call = wire_resources.read_completion_call(self._asked.params)
        typed = (call.argument, call.value, call.arguments, self._session.caller)
        if call.prompt is not None:
            return await self._service.prompts.complete(call.prompt, *typed)
        return await self._service.resources.complete(call.uri or "", *typed)

    def _answer(self, response: Completion) -> Message:
        return self._result(wire_resources.completion_result(response))


class PendingResources(_PendingPart):
    """A checked `resources/list` of an app that says at that time what there is."""

    __slots__ = ()

    async def _serve(self, _channel: CallChannel) -> list[AppResourceMetadata]:
        return await self._service.resources.listed(self._session.caller)

    def _answer(self, response: Sequence[AppResourceMetadata]) -> Message:
        listed = list(map(wire_resources.resource, response))
        return self._result({"resources": listed}, is_list=True)
