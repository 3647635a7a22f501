"""The SDK's server as the engine behind our stdio transport."""

import asyncio
from collections import deque
from typing import Any, Self

import anyio
import mcp_types as types
from mcp.server.runner import serve_dual_era_loop
from mcp.shared.message import SessionMessage

from appfunctions_mcp.server.envelopes import Message, is_response
from appfunctions_mcp.server.process import STDIO_CALLER
from appfunctions_mcp.server.protocol_errors import INTERNAL_ERROR
from appfunctions_mcp.server.sdk.service_server import build_server
from appfunctions_mcp.server.stdio import StdioTransport
from appfunctions_mcp.service import AppFunctionService


class SdkEngine:
    """The SDK's server behind the stdio transport.

    Args:
        service: What is served; somebody else keeps it running.
        transport: Carries the messages.
    """

    def __init__(self, service: AppFunctionService, transport: StdioTransport) -> None:
        self._server = build_server(service, caller=STDIO_CALLER, opens_service=False)
        self._transport = transport
        self._incoming = _Incoming()

    async def run(self) -> None:
        """Serves the messages that are received, until `close`."""
        # Without options the SDK asks for them at the handshake: an app may have grown by then.
        outgoing = _Outgoing(self._transport)
        async with self._server.lifespan(self._server) as state:
            await serve_dual_era_loop(self._server, self._incoming, outgoing, lifespan_state=state)

    def receive(self, message: Message) -> None:
        """Takes one valid message."""
        if message.get("method") == "notifications/cancelled" and not self._cancels(message):
            return
        self._incoming.put(SessionMessage(_typed(message)))

    def end_input(self) -> None:
        """Ends what would wait for ever."""
        self._server.end_subscriptions()

    def close(self) -> None:
        """Ends the connection; the SDK cancels what still runs."""
        self._incoming.end()

    def _cancels(self, message: Message) -> bool:
        """Whether a cancellation names a request that runs; the SDK would take `"7"` for 7."""
        request_id: Any = (message.get("params") or {}).get("requestId")
        if not self._transport.is_unanswered(request_id):
            return False
        self._transport.forget(request_id)
        return True


class _Incoming:
    """The SDK's read stream: a queue, so that taking a message costs no switch of tasks."""

    def __init__(self) -> None:
        self._messages: deque[SessionMessage] = deque()
        self._changed = asyncio.Event()
        self._ended = False

    def put(self, message: SessionMessage) -> None:
        """Adds a message."""
        self._messages.append(message)
        self._changed.set()

    def end(self) -> None:
        """Says that no message follows."""
        self._ended = True
        self._changed.set()

    async def receive(self) -> SessionMessage | Exception:
        """Waits for the next message."""
        while not self._messages:
            if self._ended:
                raise anyio.EndOfStream
            self._changed.clear()
            await self._changed.wait()
        return self._messages.popleft()

    async def aclose(self) -> None:
        """Drops what is left."""
        self._messages.clear()
        self.end()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class _Outgoing:
    """The SDK's write stream: hands plain dictionaries to the transport."""

    def __init__(self, transport: StdioTransport) -> None:
        self._transport = transport

    async def send(self, item: SessionMessage, /) -> None:
        """Takes a message; waits only while the client leaves too much unread."""
        self._transport.send(_plain(item.message))
        await self._transport.drain()

    async def aclose(self) -> None:
        """The transport ends by itself."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def _typed(message: Message) -> types.JSONRPCMessage:
    if "method" in message:
        fields = {k: message[k] for k in ("id", "method", "params") if k in message}
        kind = types.JSONRPCRequest if "id" in message else types.JSONRPCNotification
        return kind(jsonrpc="2.0", **fields)
    return _typed_response(message)


def _typed_response(message: Message) -> types.JSONRPCMessage:
    """A response that the SDK can read, even where the client's says nothing of use."""
    result, error = message.get("result"), message.get("error")
    if error is None:
        known = result if isinstance(result, dict) else {}
        return types.JSONRPCResponse(jsonrpc="2.0", id=message["id"], result=known)
    told = {"code": INTERNAL_ERROR, "message": ""}
    if isinstance(error, dict) and is_response({"error": error}):
        told = error
    return types.JSONRPCError(
        jsonrpc="2.0", id=message["id"], error=types.ErrorData.model_validate(told)
    )


def _plain(message: types.JSONRPCMessage) -> Message:
    """The message as a dictionary; results stay as our handlers made them."""
    match message:
        case types.JSONRPCResponse():
            return {"jsonrpc": "2.0", "id": message.id, "result": message.result}
        case types.JSONRPCError():
            error = message.error.model_dump(exclude_unset=True)
            return {"jsonrpc": "2.0", "id": message.id, "error": error}
        case _:
            return message.model_dump(exclude_unset=True)
