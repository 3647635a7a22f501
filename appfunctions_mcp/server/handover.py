"""From the prologue to the lean engine: the connection goes on with the app itself behind it.

What was answered from a manifest is compared with what the app says now that it is imported. A
client whose list is old is told so; a call that it made from an old schema is refused. Where the
app cannot be imported, `unloaded.py` answers with the reason.
"""

import json
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from appfunctions_mcp.exceptions import (
    AppFunctionInvalidArgumentException,
)
from appfunctions_mcp.manager import Proceed
from appfunctions_mcp.manifest import Manifest
from appfunctions_mcp.requests import ExecuteAppFunctionRequest, ExecuteAppFunctionResponse
from appfunctions_mcp.server.announcer import ListKind
from appfunctions_mcp.server.engine import LeanEngine
from appfunctions_mcp.server.envelopes import Message
from appfunctions_mcp.server.eras import ClientSession
from appfunctions_mcp.server.process import STDIO_CALLER, serve_process
from appfunctions_mcp.server.prologue import Connection
from appfunctions_mcp.server.ready_answers import changed_parts, written_tools
from appfunctions_mcp.server.stdio import StdioTransport
from appfunctions_mcp.server.subscriptions import list_changed
from appfunctions_mcp.server.unloaded import UnloadedService
from appfunctions_mcp.service import AppFunctionService


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
    session = _session_of(connection)
    news = outdated.changed_lists if session.is_initialized else set()
    if session.is_initialized and _has_other_states(service, connection):
        news = news | {"tools"}
    if "tools" in outdated.changed_lists:
        service.around(outdated.refuse)

    def make_engine(transport: StdioTransport) -> "_ResumedEngine":
        engine = LeanEngine(service, transport, session)
        return _ResumedEngine(engine, transport, outdated, news, service)

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
        self.changed_lists: AbstractSet[ListKind] = frozenset()
        if not isinstance(service, UnloadedService):
            self.changed_lists = set(changed_parts(service, manifest.answers))
        """Which lists are others than the client was told."""
        if list(known.items()) != list(current.items()):
            self.changed_lists |= {"tools"}
        self.has_changed = bool(self.changed_lists)
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
        news: The lists of which the client is to be told that they are old.
        service: What the app says and does now.
    """

    def __init__(
        self,
        engine: LeanEngine,
        transport: StdioTransport,
        outdated: OutdatedTools,
        news: AbstractSet[ListKind],
        service: AppFunctionService,
    ) -> None:
        self._engine = engine
        self._transport = transport
        self._outdated = outdated
        self._news = news
        self._answer = service.answer_part if isinstance(service, UnloadedService) else None

    async def run(self) -> None:
        """Serves until `close`."""
        self._tell_news()
        await self._engine.run()

    def receive(self, message: Message) -> None:
        """Takes one valid message."""
        self._tell_news()
        self._outdated.receive(message)
        answer = None if self._answer is None else self._answer(message)
        if answer is None:
            self._engine.receive(message)
        else:
            self._transport.send(answer)

    def end_input(self) -> None:
        """Is told that no message follows."""
        self._engine.end_input()

    def close(self) -> None:
        """Cancels what still runs."""
        self._engine.close()

    def _tell_news(self) -> None:
        if self._news:
            news, self._news = self._news, frozenset()
            for kind in sorted(news):
                self._transport.send(list_changed(kind))


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
    session.declare(connection.capabilities)
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
