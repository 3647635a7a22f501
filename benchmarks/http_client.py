"""A client on kept-open connections to a server's `/mcp`, as cheap as Python sockets can be."""

import contextlib
import selectors
import socket
import subprocess
import time
from collections.abc import Sequence

import kernel
import messages
from apps import App
from commands import Fleet
from stdio_client import PATIENCE_SECONDS, ServerEndedError, start


class HttpServer:
    """A started server that listens on a port."""

    def __init__(self, fleet: Fleet, name: str, app: App) -> None:
        self.port = _free_port()
        command = fleet.command(name, app, self.port)
        self._process, self._log = start(command, pipes=False)
        self._name = name
        self._next = 0
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end and self._process.poll() is None:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            time.sleep(0.02)
        said = self._log.read_text(errors="replace")[-1000:]
        raise ServerEndedError(f"{self._name} does not listen\n{said}")

    def requests(self, era: str, call: messages.Call, count: int) -> list[bytes]:
        """Whole HTTP requests for the same call.

        Args:
            era: The protocol version.
            call: What is called.
            count: How many.
        """
        return [self._post(era, call) for _ in range(count)]

    def _post(self, era: str, call: messages.Call) -> bytes:
        self._next += 1
        body = messages.tool_call(era, self._next, call)
        routing = ""
        if era == messages.STATELESS:
            routing = f"Mcp-Method: tools/call\r\nMcp-Name: {call.name}\r\n"
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
            "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
            f"MCP-Protocol-Version: {era}\r\n{routing}Content-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body

    def connections(self, count: int) -> "list[Connection]":
        """New connections to the server, each used already.

        Args:
            count: How many.
        """
        opened = [Connection(self.port) for _ in range(count)]
        for each in opened:
            calls = self.requests(messages.STATELESS, messages.CREATE_NOTE, -(-40 // count))
            timed_in_turn(each, calls)
        return opened

    def cpu(self) -> float:
        """Seconds of CPU so far."""
        return kernel.cpu_of(self._process.pid)

    def close(self) -> None:
        """Ends the server, gently at first."""
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class Connection:
    """One kept-open connection, with at most one request under way."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.settimeout(PATIENCE_SECONDS)
        self._parts: list[bytes] = []
        self._missing = -1

    def send(self, request: bytes) -> None:
        """Sends a request.

        Args:
            request: Its bytes.
        """
        self._parts, self._missing = [], -1
        self.socket.sendall(request)

    def receive(self) -> bool:
        """Reads once.

        Returns:
            Whether the response is complete.
        """
        part = self.socket.recv(1 << 18)
        if not part:
            raise ServerEndedError("the server closed a connection")
        self._parts.append(part)
        if self._missing < 0:
            so_far = b"".join(self._parts)
            self._parts = [so_far]
            self._missing = _missing(so_far)
        elif self._missing:
            self._missing -= len(part)
        return self._missing == 0

    def answer(self) -> bytes:
        """The body of the response that is complete.

        Raises:
            WrongAnswerError: Its status is not 200.
        """
        head, _, body = b"".join(self._parts).partition(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200"):
            raise messages.WrongAnswerError((head + body)[:500].decode(errors="replace"))
        if b"content-length:" in head.lower():
            return body
        return b"".join(_chunks(body))

    def close(self) -> None:
        """Closes it."""
        self.socket.close()


def _missing(so_far: bytes) -> int:
    """The bytes that a response still lacks; -1 while that is not known."""
    head, found, body = so_far.partition(b"\r\n\r\n")
    if not found:
        return -1
    lower = head.lower()
    place = lower.find(b"content-length:")
    if place < 0:
        return 0 if so_far.endswith(b"0\r\n\r\n") else -1
    return int(lower[place + 15 :].split(b"\r\n", 1)[0]) - len(body)


def _chunks(body: bytes) -> list[bytes]:
    chunks = []
    while body:
        size, _, body = body.partition(b"\r\n")
        length = int(size, 16)
        chunks.append(body[:length])
        body = body[length + 2 :]
    return chunks


def timed_in_turn(
    connection: Connection, requests: Sequence[bytes]
) -> tuple[list[bytes], list[float]]:
    """Sends requests over one connection, each when the one before is answered.

    Args:
        connection: The connection.
        requests: What is sent.

    Returns:
        The bodies and how long each took, in seconds.
    """
    responses, times = [], []
    for each in requests:
        begun = time.perf_counter()
        connection.send(each)
        while not connection.receive():
            pass
        times.append(time.perf_counter() - begun)
        responses.append(connection.answer())
    return responses, times


def timed_side_by_side(
    connections: Sequence[Connection], requests: Sequence[bytes]
) -> tuple[list[bytes], list[float]]:
    """Keeps every connection busy until all requests are answered.

    Args:
        connections: The connections.
        requests: What is sent.

    Returns:
        The bodies and how long each took, in seconds.
    """
    waiting = list(reversed(requests))
    answers: list[bytes] = []
    times: list[float] = []
    begun: dict[Connection, float] = {}
    with selectors.DefaultSelector() as selector:
        for each in connections:
            selector.register(each.socket, selectors.EVENT_READ, each)
            begun[each] = time.perf_counter()
            each.send(waiting.pop())
        while len(answers) < len(requests):
            for key, _ in selector.select(PATIENCE_SECONDS):
                each = key.data
                if not each.receive():
                    continue
                times.append(time.perf_counter() - begun[each])
                answers.append(each.answer())
                if waiting:
                    begun[each] = time.perf_counter()
                    each.send(waiting.pop())
    return answers, times


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port
