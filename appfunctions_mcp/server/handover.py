"""From the prologue to the lean engine: the connection goes on with the app itself behind it.

What was answered from a manifest is compared with what the app says now that it is imported. A
client whose list is old is told so; a call that it made from an old schema is refused. Where the
app cannot be imported, each call is answered with the reason.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from appfunctions_mcp.exceptions import (
    AppFunctionAppUnknownException,
    AppFunctionInvalidArgumentException,
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
from appfunctions_mcp.server.engine import STDIO_CALLER, LeanEngine
from appfunctions_mcp.server.envelopes import Message
from appfunctions_mcp.server.eras import ClientSession
from appfunctions_mcp.server.methods import LIST_CHANGED
from appfunctions_mcp.server.process import serve_process
from appfunctions_mcp.server.prologue import Connection
from appfunctions_mcp.server.ready_answers import written_tools
from appfunctions_mcp.server.stdio import StdioTransport
from appfunctions_mcp.service import AppFunctionService
from appfunctions_mcp.state import JsonFileStateStore, StateStore

_HINTS = {
    "read_only": "readOnlyHint",
    "destructive": "destructiveHint",
    "idempotent": "idempotentHint",
    "open_world": "openWorldHint",
}


def resume_stdio(
    service: AppFunctionService,
    connection: Connection,
    outdated: "OutdatedTools",
    *,
    threads: bool = False,
) -> None:
    """Serves a connection that a prologue has begun, until the client is gone.

    Args:
        service: What the app says and does now.
        connection: As the prologue left it.
        outdated: How the app differs from what the client was told.
        threads: See `serve_stdio`.
    """
    has_news = connection.is_initialized and (
        outdated.has_changed or _has_other_states(service, connection)
    )
    if outdated.has_changed:
        service.around(outdated.refuse)

    def make_engine(transport: StdioTransport) -> "_ResumedEngine":
        engine = LeanEngine(service, transport, _session_of(connection))
        return _ResumedEngine(engine, transport, outdated, has_news=has_news)

    serve_process(
        service, make_engine, threads=threads, unread=connection.unread, unsent=connection.unsent
    )


class OutdatedTools:
    """What differs between the manifest and the app, until the client has listed the tools anew.

    Args:
        service: The app as it is.
        manifest: The app as it was.
    """

    def __init__(self, service: AppFunctionService, manifest: Manifest) -> None:
        known = dict(_known_tools(manifest))
        current = {m.tool_name: tool for m, tool in written_tools(service)}
        self.has_changed = list(known.items()) != list(current.items())
        self._names = {
            name
            for name, tool in known.items()
            if tool != current.get(name) and _has_other_input(tool, current.get(name))
        }
        self._refused: set[object] = set()

    def receive(self, message: Message) -> None:
        """Looks at what the client sends, before the engine does."""
        if not self._names or "id" not in message:
            return
        if message.get("method") == "tools/list":
            self._names.clear()
        elif message.get("method") == "tools/call":
            name = (message.get("params") or {}).get("name")
            if isinstance(name, str) and name in self._names:
                self._refused.add(message["id"])

    async def refuse(
        self, request: ExecuteAppFunctionRequest, proceed: Proceed
    ) -> ExecuteAppFunctionResponse:
        """The hook around executions: refuses those that were asked for by an old schema."""
        if request.request_id not in self._refused:
            return await proceed(request)
        self._refused.discard(request.request_id)
        raise AppFunctionInvalidArgumentException(
            f"the list of tools that this call was made by is old: {request.function} has changed",
            recovery="List the tools again, and call by the new schema.",
        )


class _ResumedEngine:
    """The lean engine, with an eye on calls that an old list has led to.

    Args:
        engine: Answers.
        transport: Carries the messages.
        outdated: What the client has an old list of.
        has_news: Whether the client is to be told that its list is old.
    """

    def __init__(
        self,
        engine: LeanEngine,
        transport: StdioTransport,
        outdated: OutdatedTools,
        *,
        has_news: bool,
    ) -> None:
        self._engine = engine
        self._transport = transport
        self._outdated = outdated
        self._has_news = has_news

    async def run(self) -> None:
        """Serves until `close`."""
        self._tell_news()
        await self._engine.run()

    def receive(self, message: Message) -> None:
        """Takes one valid message."""
        self._tell_news()
        self._outdated.receive(message)
        self._engine.receive(message)

    def end_input(self) -> None:
        """Is told that no message follows."""
        self._engine.end_input()

    def close(self) -> None:
        """Cancels what still runs."""
        self._engine.close()

    def _tell_news(self) -> None:
        if self._has_news:
            self._has_news = False
            self._transport.send({"jsonrpc": "2.0", "method": LIST_CHANGED})


def _session_of(connection: Connection) -> ClientSession:
    """What the prologue has learnt of the client, in the engine's form."""
    session = ClientSession(STDIO_CALLER)
    if connection.era == "modern":
        session.era = "modern"
    elif connection.era == "handshake":
        session.era = "handshake"
    if connection.version is not None and session.era == "handshake":
        session.version = connection.version
        session.is_accepted = True
    session.is_initialized = connection.is_initialized
    session.log_level = connection.log_level
    declared = connection.capabilities.items()
    session.client_capabilities = {name: value for name, value in declared if value is not None}
    return session


def _has_other_states(service: AppFunctionService, connection: Connection) -> bool:
    states = {} if service.store is None else service.store.read()
    current = {function_id: state.value for function_id, state in states.items()}
    return current != {i: state for i, state in connection.states.items() if state != "default"}


def _known_tools(manifest: Manifest) -> Iterator[tuple[str, bytes]]:
    start = 0
    for _, length, tool_name, _ in manifest.functions:
        yield tool_name, manifest.tools[start : start + length]
        start += length + 1


def _has_other_input(known: bytes, current: bytes | None) -> bool:
    if current is None:
        return True
    before, now = json.loads(known), json.loads(current)
    return bool(before["inputSchema"] != now["inputSchema"])


def unloaded_service(manifest: Manifest, fault: AppFunctionsError) -> AppFunctionService:
    """The service of an app that cannot be loaded any more: what was listed, and why it fails.

    Args:
        manifest: What the client was told.
        fault: What keeps the app from being loaded.
    """
    discovered = json.loads(b"{%b}" % manifest.answers[b"modern server/discover"])["result"]
    app = _app_of(discovered)
    service = AppFunctionService(
        app, list(_listed_functions(manifest)), store=_readable_store(manifest)
    )

    async def refuse(
        _request: ExecuteAppFunctionRequest, _proceed: Proceed
    ) -> ExecuteAppFunctionResponse:
        raise AppFunctionAppUnknownException(
            f"the app cannot be loaded: {'; '.join(fault.faults)}",
            recovery="The user has to mend the app and to start the server again.",
        )

    service.around(refuse)
    return service


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
