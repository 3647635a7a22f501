"""The one MCP client of this project, over the SDK's.

Tests, tools and bridges reach any MCP server through it: one in this process, one started as a
command, or one behind a URL.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Self

from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import SubscriptionLost
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp_types import CONNECTION_CLOSED, INVALID_REQUEST, ToolListChangedNotification
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from appfunctions_mcp.json_text import read_json, write_json

Json = dict[str, Any]
Target = Any
"""What the SDK's `Client` connects to: a server object, a URL, or a transport."""


@asynccontextmanager
async def connect_client(
    target: Target, *, mode: str = "auto", **options: Any
) -> AsyncIterator[Client]:
    """Connects to an MCP server.

    Args:
        target: A low-level server object, the URL of a streamable HTTP endpoint, or a transport.
        mode: `"auto"`, `"legacy"` for a handshake-era session, or a protocol revision such as
            `"2026-07-28"`.
        options: What else the SDK's `Client` takes.

    Returns:
        The connected client.
    """
    async with Client(target, mode=mode, **options) as client:
        yield client


@asynccontextmanager
async def connect_command(
    command: Sequence[str],
    *,
    mode: str = "auto",
    env: Mapping[str, str] | None = None,
    cwd: str | None = None,
    **options: Any,
) -> AsyncIterator[Client]:
    """Starts an MCP server as a command and connects to it over stdio.

    Args:
        command: The program and its arguments.
        mode: As in `connect_client`.
        env: Variables beside the few that a client passes on by default.
        cwd: The folder in which it starts.
        options: What else the SDK's `Client` takes.

    Returns:
        The connected client.
    """
    parameters = _parameters(command, env, cwd)
    async with connect_client(stdio_client(parameters), mode=mode, **options) as client:
        yield client


_MOST_PAGES = 1000
"""A server that has more pages of tools than this goes round in circles."""
_SESSION_GONE_CODES = (INVALID_REQUEST, -32001)
"""By which servers refuse a session that they do not know; HTTP's 404 in JSON-RPC."""


class ServerError(Exception):
    """What a server answered instead of a result.

    Args:
        code: The code of JSON-RPC.
        message: What the server says.
        data: What it adds.
    """

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class ServerLostError(Exception):
    """The connection to a server has ended.

    Args:
        message: How.
        may_have_run: Whether the server may have begun with the request.
    """

    def __init__(self, message: str, *, may_have_run: bool) -> None:
        super().__init__(message)
        self.may_have_run = may_have_run


class ServerConnection:
    """A connected MCP server, in plain values; made by `open_server`.

    May be used in several tasks at once. Cancelling a request tells the server so (F57).

    Args:
        client: The connected client.
        is_http: Whether each request has a connection of its own, and a session may be forgotten.
    """

    def __init__(self, client: Client, *, is_http: bool) -> None:
        self.client = client
        self.is_lost = False
        """Whether nothing can come over it any more."""
        self._is_http = is_http

    @property
    def instructions(self) -> str:
        """What the server tells its clients about itself; empty where it says nothing."""
        return self.client.instructions or ""

    async def list_tools(self) -> list[Json]:
        """Every tool of every page, as the server describes it.

        Raises:
            ServerError: The server refuses, or its list has no end.
            ServerLostError: The connection has ended.
        """
        tools: list[Json] = []
        cursor = None
        for _ in range(_MOST_PAGES):
            with _Translated(self):
                page = await self.client.list_tools(cursor=cursor, cache_mode="bypass")
            tools += (
                tool.model_dump(mode="json", by_alias=True, exclude_none=True)
                for tool in page.tools
            )
            if page.next_cursor is None:
                return tools
            cursor = page.next_cursor
        raise ServerError(INVALID_REQUEST, f"the list of tools has more than {_MOST_PAGES} pages")

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any], on_progress: Callable[[], None]
    ) -> Json:
        """Calls a tool, with a token for progress (F58).

        Args:
            name: The tool.
            arguments: Its arguments.
            on_progress: Called whenever the server tells how far it is.

        Returns:
            The result as the server sent it: `content`, `structuredContent`, `isError`, `_meta`.

        Raises:
            ServerError: The server answered an error, or a result that does not fit.
            ServerLostError: The connection has ended.
            JsonTextError: The arguments have no JSON form.
        """
        # What the SDK's writer cannot write would end the whole connection.
        sendable = read_json(write_json(dict(arguments)))

        async def progressed(progress: float, total: float | None, message: str | None) -> None:  # noqa: ARG001 - called by these names
            on_progress()

        with _Translated(self):
            result = await self.client.call_tool(name, sendable, progress_callback=progressed)
        return result.model_dump(mode="json", by_alias=True, exclude_none=True)

    async def follow_tools(self, changed: Callable[[], None]) -> None:
        """Calls a function for each change of the list of tools, where only a stream tells it.

        Returns at once where changes come as notifications, or never come.

        Raises:
            ServerError: The server refuses to tell.
            ServerLostError: The connection, or the stream, has ended.
        """
        tools = self.client.server_capabilities.tools
        if self.client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return
        if tools is None or not tools.list_changed:
            return
        with _Translated(self):
            async with self.client.listen(tools_list_changed=True) as events:
                changed()  # what changed before anybody listened
                async for _ in events:
                    changed()
        raise ServerLostError("the server has ended the stream of changes", may_have_run=False)

    def translated(self, fault: Exception) -> Exception | None:
        """A fault of the SDK's client as one of ours; None where it is none."""
        match fault:
            case MCPError() if self.is_lost or (self._is_http and fault.code == CONNECTION_CLOSED):
                self.is_lost = True
                return ServerLostError(fault.message, may_have_run=True)
            case MCPError() if self._has_no_session(fault):
                self.is_lost = True
                return ServerLostError(fault.message, may_have_run=False)
            case MCPError():
                return ServerError(fault.code, fault.message, fault.data)
            case SubscriptionLost():
                return ServerLostError(str(fault), may_have_run=True)
            case ValidationError() | RuntimeError():
                # The SDK's client compares results with what the server declares.
                return ServerError(INVALID_REQUEST, f"the server's answer does not fit: {fault}")
        return None

    def _has_no_session(self, fault: MCPError) -> bool:
        says_so = "session" in fault.message.lower() and fault.code in _SESSION_GONE_CODES
        return self._is_http and says_so


class _Translated:
    """Raises faults of the SDK's client as ours.

    Args:
        connection: On which the request is made.
    """

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        """Nothing is to be done before."""

    def __exit__(self, _kind: object, fault: BaseException | None, _trace: object) -> None:
        if isinstance(fault, Exception):
            ours = self._connection.translated(fault)
            if ours is not None:
                raise ours from fault


@asynccontextmanager
async def open_server(
    target: Target,
    *,
    env: Mapping[str, str] | None = None,
    cwd: str | None = None,
    headers: Mapping[str, str] | None = None,
    on_tools_changed: Callable[[], None],
    **options: Any,
) -> AsyncIterator[ServerConnection]:
    """Connects to an MCP server.

    Args:
        target: A command as a list of its words, or what `connect_client` takes.
        env: For a command: variables beside the few that a client passes on by default.
        cwd: For a command: the folder in which it starts.
        headers: For a URL: sent with each request, such as `Authorization`.
        on_tools_changed: Called when the server says that its tools are others now.
        options: What else `connect_client` takes.

    Returns:
        The connection.
    """
    opened: list[ServerConnection] = []

    def lost() -> None:
        for connection in opened:
            connection.is_lost = True

    async def heard(message: object) -> None:
        if isinstance(message, ToolListChangedNotification):
            on_tools_changed()

    if isinstance(target, list | tuple):
        transport = stdio_client(_parameters(target, env, cwd))
        target = _heard_to_its_end(transport, lost)
    is_http = isinstance(target, str)
    if is_http and headers:
        target = _http_with_headers(target, headers)
    async with connect_client(target, message_handler=heard, **options) as client:
        opened.append(ServerConnection(client, is_http=is_http))
        yield opened[0]


def _parameters(
    command: Sequence[str], env: Mapping[str, str] | None, cwd: str | None
) -> StdioServerParameters:
    return StdioServerParameters(
        command=command[0], args=list(command[1:]), env=dict(env) if env else None, cwd=cwd
    )


@asynccontextmanager
async def _http_with_headers(
    url: str, headers: Mapping[str, str]
) -> AsyncIterator[tuple[Any, Any]]:
    async with (
        create_mcp_http_client(dict(headers)) as http_client,
        streamable_http_client(url, http_client=http_client) as streams,
    ):
        yield streams


@asynccontextmanager
async def _heard_to_its_end(
    transport: AbstractAsyncContextManager[tuple[Any, Any]], ended: Callable[[], None]
) -> AsyncIterator[tuple[Any, Any]]:
    async with transport as (read, write):
        yield _HeardStream(read, ended), write


class _HeardStream:
    """A stream of messages that tells when nothing comes any more.

    Args:
        stream: The stream.
        ended: Called at its end.
    """

    def __init__(self, stream: Any, ended: Callable[[], None]) -> None:
        self._stream = stream
        self._ended = ended

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self._stream.__aexit__(*raised)

    def __aiter__(self) -> "_HeardStream":
        return self

    async def __anext__(self) -> Any:
        is_over = True
        try:
            item = await self._stream.__anext__()
            is_over = False
        finally:
            if is_over:
                self._ended()
        return item
