"""The tools of an MCP server, for a model to call: a command, a URL, or a server object.

The connection is opened once, kept, and opened again when it is used after it was lost.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from enum import Enum
from pathlib import PurePath
from typing import Any, Self
from urllib.parse import urlsplit

from appfunctions_mcp.assistant.content_blocks import parts_of
from appfunctions_mcp.assistant.results import confirmed_arguments, result_of, unknown_function
from appfunctions_mcp.assistant.sources import SourceCall, SourceError
from appfunctions_mcp.client import (
    ServerConnection,
    ServerError,
    ServerLostError,
    Target,
    open_server,
)
from appfunctions_mcp.exceptions import (
    AppFunctionCancelledException,
    AppFunctionException,
    AppFunctionInvalidArgumentException,
    AppFunctionSystemUnknownException,
)
from appfunctions_mcp.formats.mcp_tools import ToolListError, metadata_of_tools
from appfunctions_mcp.formats.messages import FunctionResult
from appfunctions_mcp.json_text import JsonTextError
from appfunctions_mcp.limits import STILL_RUNNING
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.telemetry import warn

__all__ = ["ConnectionState", "McpSource"]

START_SECONDS = 30.0
"""How long a server may take to answer for the first time."""
_INVALID_PARAMS = -32602
_ERROR_META_KEY = "appfunctions/error"
"""Where a server of this project says what kind of error a result is."""


class ConnectionState(Enum):
    """How it stands with the connection to a server."""

    CLOSED = "closed"
    """Not opened yet, or closed again."""
    CONNECTED = "connected"
    LOST = "lost"
    """The server is gone; the next use connects anew."""


class McpSource:
    """An MCP server whose tools are called through the one client of this project.

    Args:
        target: A command as a list of its words, the URL of a streamable HTTP endpoint, or a
            server object or transport of the SDK.
        name: What messages call the server; its program or host when left out.
        start_seconds: How long it may take to connect.
        options: What else `open_server` takes: `env`, `cwd`, `headers`, `mode`.

    Raises:
        ValueError: The text is no URL, or the list has no words.
    """

    def __init__(
        self,
        target: Target,
        *,
        name: str = "",
        start_seconds: float = START_SECONDS,
        **options: Any,
    ) -> None:
        _require_reachable(target)
        self.name = name or _name_of(target)
        self._target = target
        self._start_seconds = start_seconds
        self._options = options
        self._held: _HeldConnection | None = None
        self._ending: set[_HeldConnection] = set()
        self._connecting = asyncio.Lock()
        self._functions: tuple[AppFunctionMetadata, ...] | None = None
        self._is_stale = True
        self._is_untold = False
        """Whether the server may change its tools without saying so."""

    @property
    def state(self) -> ConnectionState:
        """How it stands with the connection."""
        if self._held is None:
            return ConnectionState.CLOSED
        is_lost = self._held.connection.is_lost
        return ConnectionState.LOST if is_lost else ConnectionState.CONNECTED

    @property
    def instructions(self) -> str:
        """What the server tells its clients about itself; empty while it is not connected."""
        return self._held.connection.instructions if self._held is not None else ""

    async def __aenter__(self) -> Self:
        """Connects to the server, and lists its tools.

        Raises:
            SourceError: It does not start or answer, or what it answers is no list of tools.
        """
        self._connecting = asyncio.Lock()  # of this event loop
        try:
            await self.functions()
        except BaseException:
            await self._close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        """Ends the connection, and a server that was started for it."""
        await self._close()

    async def functions(self) -> tuple[AppFunctionMetadata, ...]:
        """The server's tools; asked for anew when the server has said that they changed.

        While the server cannot be reached, they are those that it listed last: their calls say
        what is wrong.

        Raises:
            SourceError: They were never listed.
        """
        is_known = not self._is_stale and not self._is_untold and self._is_connected
        if self._functions is not None and is_known:
            return self._functions
        try:
            async with self._connection() as connection:
                self._is_stale = False
                listed = metadata_of_tools(await connection.list_tools())
        except (ServerError, ServerLostError, SourceError, ToolListError) as fault:
            self._is_stale = True
            if self._functions is None:
                raise self._fault(fault) from fault
            return self._functions
        self._functions = tuple({m.tool_name: m for m in reversed(listed)}.values())[::-1]
        return self._functions

    def refusal(self, name: str) -> AppFunctionException:
        """Why a name that is not listed cannot be called."""
        return unknown_function(name, [m.tool_name for m in self._functions or ()])

    async def execute(self, call: SourceCall) -> FunctionResult:
        """Calls a tool; cancelling tells the server.

        Raises:
            AppFunctionException: The server refuses, is gone, or cannot be reached.
        """
        answer = await self._answer(call, call.arguments)
        confirmed = confirmed_arguments(call, _error_of(answer))
        if confirmed is not None:
            answer = await self._answer(call, confirmed)
        is_error = answer.get("isError") is True
        structured = answer.get("structuredContent")
        return result_of(
            call, parts_of(answer.get("content")), structured=structured, is_error=is_error
        )

    async def _answer(self, call: SourceCall, arguments: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return await self._called(call, arguments)
        except ServerLostError as lost:
            raise AppFunctionCancelledException(
                f"the server {quoted(self.name)} ended during the call ({STILL_RUNNING})",
                recovery="It is connected anew by the next call; find out first whether this "
                "one took effect.",
            ) from lost
        except SourceError as fault:
            raise AppFunctionSystemUnknownException(
                str(fault), recovery="Go on without its functions, or try again later."
            ) from fault
        except ServerError as error:
            raise _refusal_of(error) from error
        except JsonTextError as fault:
            raise AppFunctionInvalidArgumentException(f"the arguments have {fault}") from fault

    async def _called(self, call: SourceCall, arguments: Mapping[str, Any]) -> dict[str, Any]:
        name = call.function.tool_name
        try:
            async with self._connection() as connection:
                return await connection.call_tool(name, arguments, call.on_progress)
        except ServerLostError as lost:
            if lost.may_have_run:
                raise
        # Nothing has happened yet, so that it is safe to begin anew (F45).
        async with self._connection() as connection:
            return await connection.call_tool(name, arguments, call.on_progress)

    @property
    def _is_connected(self) -> bool:
        return self.state is ConnectionState.CONNECTED

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[ServerConnection]:
        """The connection, made anew where there is none; it stays open while it is used."""
        async with self._connecting:
            if self._held is not None and self._held.connection.is_lost:
                self._end(self._held)
                self._held = None
            if self._held is None:
                self._held = await self._connected()
            held = self._held
        with held.in_use():
            yield held.connection

    async def _connected(self) -> "_HeldConnection":
        self._is_stale, self._is_untold = True, False
        held = _HeldConnection(self._target, self._options, self)
        try:
            async with asyncio.timeout(self._start_seconds):
                await held.opened()
        except BaseException as fault:
            self._end(held)
            if isinstance(fault, TimeoutError):
                seconds = f"{self._start_seconds:g}"
                raise self._fault(f"it did not answer within {seconds} s") from fault
            if isinstance(fault, Exception):
                raise self._fault(fault) from fault
            raise
        return held

    def tools_changed(self) -> None:
        """Lets the tools be listed anew when they are asked for next."""
        self._is_stale = True

    def lost_track(self) -> None:
        """Lets the tools be listed each time, as nobody says any more when they change."""
        self._is_untold = True

    def _end(self, held: "_HeldConnection") -> None:
        """Lets a connection end by itself; whoever closes the source waits for it."""
        self._ending.add(held)
        held.end(self._ending.discard)

    async def _close(self) -> None:
        if self._held is not None:
            self._end(self._held)
            self._held = None
        self._functions = None
        if self._ending:
            await asyncio.wait([held.task for held in self._ending])

    def _fault(self, fault: Exception | str) -> SourceError:
        if isinstance(fault, SourceError):
            return fault
        return SourceError(f"the MCP server {quoted(self.name)} cannot be used: {_said(fault)}")


class _HeldConnection:
    """A connection in a task of its own, since it has to be closed where it was opened.

    Args:
        target: As of `open_server`.
        options: As of `open_server`.
        source: Whose it is; told when the tools are others.
    """

    connection: ServerConnection

    def __init__(self, target: Target, options: Mapping[str, Any], source: McpSource) -> None:
        self._source = source
        self._users = 0
        self._is_unused = asyncio.Event()
        self._is_unused.set()
        self._has_ended = asyncio.Event()
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.task = asyncio.create_task(self._hold(target, options))

    async def opened(self) -> None:
        """Waits until it is open; raises what kept it from that."""
        await asyncio.shield(self._ready)

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Keeps it open, though it may have been ended, for a request that still runs."""
        self._users += 1
        self._is_unused.clear()
        try:
            yield
        finally:
            self._users -= 1
            if not self._users:
                self._is_unused.set()

    def end(self, ended: Callable[["_HeldConnection"], None]) -> None:
        """Closes it once it is not used any more.

        Args:
            ended: Called with this connection when it is closed.
        """
        if not self._ready.done():
            self.task.cancel()
        self._has_ended.set()
        self.task.add_done_callback(lambda _: ended(self))

    async def _hold(self, target: Target, options: Mapping[str, Any]) -> None:
        changed = self._source.tools_changed
        try:
            async with open_server(target, on_tools_changed=changed, **options) as connection:
                self.connection = connection
                self._ready.set_result(None)
                following = asyncio.create_task(self._follow(connection))
                await self._has_ended.wait()
                await self._is_unused.wait()
                following.cancel()
                await asyncio.wait([following])
        except BaseException as fault:  # whoever waits for it to open learns it
            if not self._ready.done():
                given_up = ServerLostError("it was given up", may_have_run=False)
                self._ready.set_exception(fault if isinstance(fault, Exception) else given_up)
                self._ready.exception()  # nobody may be waiting any more
            elif isinstance(fault, Exception):
                warn(f"an MCP server could not be closed cleanly: {_said(fault)}")
            else:
                raise

    async def _follow(self, connection: ServerConnection) -> None:
        try:
            await connection.follow_tools(self._source.tools_changed)
        except ServerLostError:
            self._source.lost_track()
        except ServerError as fault:
            self._source.lost_track()
            warn(f"an MCP server does not tell when its tools change: {_said(fault)}")


def _require_reachable(target: Target) -> None:
    """Refuses a command as one text, and one that names no program."""
    if isinstance(target, str) and not target.startswith(("http://", "https://")):
        raise ValueError(
            f"{quoted(target)} is no URL of an MCP server; accepted is one such as "
            "http://127.0.0.1:8000/mcp, or a command as a list of its words"
        )
    if isinstance(target, list | tuple) and not (target and all(map(_is_word, target))):
        raise ValueError("the command of an MCP server is a list of one or more words, all texts")


def _is_word(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _name_of(target: Target) -> str:
    """What a model may read of a target: neither folders nor options, which may be secret."""
    if isinstance(target, list | tuple):
        words = [PurePath(word).name for word in target[:2] if not word.startswith("-")]
        return " ".join(words)
    return urlsplit(target).hostname or "" if isinstance(target, str) else type(target).__name__


def _error_of(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    meta = answer.get("_meta")
    error = meta.get(_ERROR_META_KEY) if isinstance(meta, Mapping) else None
    return error if isinstance(error, Mapping) else {}


def _refusal_of(error: ServerError) -> AppFunctionException:
    """A protocol error, in the words of the server, as what the model reads (F61)."""
    if error.code == _INVALID_PARAMS:
        return AppFunctionInvalidArgumentException(error.message)
    return AppFunctionSystemUnknownException(
        f"the server answered with error {error.code}: {error.message or 'it says nothing else'}"
    )


def _said(fault: Exception | str) -> str:
    """What a fault says, of a group its first one; never empty."""
    while isinstance(fault, ExceptionGroup):
        fault = fault.exceptions[0]
    return str(fault) or type(fault).__name__
