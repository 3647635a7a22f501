"""The service of an app that cannot be loaded any more, though its client has been told of it.

What was listed stays listed, from the manifest; whatever is asked for is answered with the reason.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from appfunctions_mcp.exceptions import (
    AppFunctionAppUnknownException,
    AppFunctionsError,
    StateFileError,
)
from appfunctions_mcp.functions import AppFunction
from appfunctions_mcp.manager import Proceed
from appfunctions_mcp.manifest import Manifest
from appfunctions_mcp.metadata import (
    AppFunctionMetadata,
    AppFunctionResponseMetadata,
    AppMetadata,
)
from appfunctions_mcp.requests import ExecuteAppFunctionRequest, ExecuteAppFunctionResponse
from appfunctions_mcp.server import wire
from appfunctions_mcp.server.envelopes import Message, error_response
from appfunctions_mcp.server.eras import is_enveloped
from appfunctions_mcp.server.protocol_errors import INTERNAL_ERROR
from appfunctions_mcp.service import AppFunctionService
from appfunctions_mcp.state import JsonFileStateStore, StateStore

_NEED_THE_APP = {
    "resources/list": "resources",
    "resources/templates/list": "resources",
    "resources/read": "resources",
    "resources/subscribe": "resources",
    "prompts/list": "prompts",
    "prompts/get": "prompts",
    "completion/complete": "completions",
}
"""The capability that each method belongs to."""
_HINTS = {
    "read_only": "readOnlyHint",
    "destructive": "destructiveHint",
    "idempotent": "idempotentHint",
    "open_world": "openWorldHint",
}


class UnloadedService(AppFunctionService):
    """What was listed of an app, and why it fails.

    Args:
        manifest: What the client was told.
        fault: What keeps the app from being loaded.
    """

    def __init__(self, manifest: Manifest, fault: AppFunctionsError) -> None:
        discovered = json.loads(b"{%b}" % manifest.answers[b"modern server/discover"])["result"]
        functions = list(_listed_functions(manifest))
        super().__init__(_app_of(discovered), functions, store=_readable_store(manifest))
        self._manifest = manifest
        self._capabilities: Mapping[str, Any] = discovered["capabilities"]
        self._fault = fault
        self.around(self._refuse)

    async def _refuse(
        self, _request: ExecuteAppFunctionRequest, _proceed: Proceed
    ) -> ExecuteAppFunctionResponse:
        raise self._reason()

    def answer_part(self, message: Message) -> Message | None:
        """The answer to a request for resources or prompts, which the app itself would give.

        Returns:
            What was listed, or the reason; None for any other message, and for what the app
            never had.
        """
        method = message.get("method", "")
        if "id" not in message or _NEED_THE_APP.get(method) not in self._capabilities:
            return None
        era = "modern" if is_enveloped(message.get("params")) else "handshake"
        known = self._manifest.answers.get(f"{era} {method}".encode())
        if known is not None:
            return {"jsonrpc": "2.0", "id": message["id"], **json.loads(b"{%b}" % known)}
        reason = self._reason()
        return error_response(message["id"], INTERNAL_ERROR, reason.text(), reason.structured())

    def _reason(self) -> AppFunctionAppUnknownException:
        return AppFunctionAppUnknownException(
            f"the app cannot be loaded: {'; '.join(self._fault.faults)}",
            recovery="The user has to mend the app and to start the server again.",
        )


def _app_of(discovered: wire.Json) -> AppMetadata:
    info: Mapping[str, Any] = discovered["_meta"][wire.SERVER_INFO_META_KEY]
    return AppMetadata(
        name=info["name"],
        description=discovered["instructions"],
        title=info.get("title"),
        version=info["version"],
        website_url=info.get("websiteUrl"),
    )


def _readable_store(manifest: Manifest) -> StateStore | None:
    store = JsonFileStateStore(Path(manifest.state_file))
    try:
        store.read()
    except StateFileError:  # it may be the very fault
        return None
    return store


def _listed_functions(manifest: Manifest) -> Iterator[AppFunction]:
    known = {i: (name, is_on) for is_on, _, name, i in manifest.functions}
    tools = json.loads(b"[%b]" % manifest.tools)
    for (function_id, (name, is_on)), tool in zip(known.items(), tools, strict=True):
        hints = tool.get("annotations", {})
        metadata = AppFunctionMetadata(
            function_id,
            name,
            tool["description"],
            title=tool.get("title"),
            input_schema=tool["inputSchema"],
            response=AppFunctionResponseMetadata(schema=tool.get("outputSchema")),
            enabled_by_default=is_on,
            **{field: hints.get(hint) for field, hint in _HINTS.items()},
        )
        yield AppFunction.from_metadata(metadata, lambda _parameters, _context: None)
