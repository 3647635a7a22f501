"""HTTP over a bare socket: requests byte by byte, and answers as they come."""

import json
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tests.support.http_server import Answer
from tests.support.stdio_server import DEADLINE_SECONDS

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    },
}
CALL_ADD = {
    "jsonrpc": "2.0",
    "id": 7,
    "method": "tools/call",
    "params": {"name": "add", "arguments": {"a": 1, "b": 2}},
}


def call(name: str, **arguments: Any) -> dict[str, Any]:
    """A call as clients with a handshake send it."""
    return CALL_ADD | {"params": {"name": name, "arguments": arguments}}


def head(headers: Mapping[str, str | None] | None = None, target: str = "/mcp") -> bytes:
    """The head of a POST; a header of None is left out."""
    named: dict[str, str | None] = {
        "Host": "localhost",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        **(headers or {}),
    }
    lines = [f"{name}: {value}\r\n" for name, value in named.items() if value is not None]
    return f"POST {target} HTTP/1.1\r\n{''.join(lines)}\r\n".encode()


def request(message: object, headers: Mapping[str, str | None] | None = None) -> bytes:
    """A whole request."""
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return head({"Content-Length": str(len(body)), **(headers or {})}) + body


def chunk(data: bytes) -> bytes:
    """A piece of a body whose length is not declared."""
    return b"%x\r\n%b\r\n" % (len(data), data)


class RawConnection:
    """A client's end of a connection."""

    def __init__(self, client: socket.socket) -> None:
        self.socket = client
        self._file = client.makefile("rb")

    def send(self, data: bytes) -> None:
        """Sends bytes as they are."""
        self.socket.sendall(data)

    def answer(self) -> Answer:
        """The next answer, whole."""
        status = int(self._line().split(b" ")[1])
        headers = {}
        while line := self._line():
            name, _, value = line.decode("latin-1").partition(": ")
            headers[name.lower()] = value
        if "content-length" in headers:
            return Answer(status, headers, self._file.read(int(headers["content-length"])))
        pieces = []
        while length := int(self._line(), 16):
            pieces.append(self._file.read(length))
            self._line()
        self._line()
        return Answer(status, headers, b"".join(pieces))

    def read_until(self, text: bytes) -> bytes:
        """What comes up to a text; fails where the connection ends before it."""
        received = b""
        while text not in received:
            piece = self._file.read1(65536)
            assert piece, received
            received += piece
        return received

    def rest(self) -> bytes:
        """What comes up to the end of the connection."""
        return self._file.read()

    def _line(self) -> bytes:
        line = self._file.readline()
        assert line.endswith(b"\r\n"), line
        return line[:-2]

    def reset(self) -> None:
        """Ends the connection at once, as a client does that crashes."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.close()

    def close(self) -> None:
        """Ends the connection."""
        self._file.close()
        self.socket.close()


@contextmanager
def connected(port: int, *, seconds: float = DEADLINE_SECONDS) -> Iterator[RawConnection]:
    """Connects to a server of this machine, and waits so long for each answer."""
    with socket.create_connection(("127.0.0.1", port), seconds) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection = RawConnection(client)
        try:
            yield connection
        finally:
            connection.close()
