"""How a rough client reaches its server: the pipes of a process, or HTTP with habits of its own.

Over HTTP it uses the other spelling of the path, accepts anything, never says which protocol
version it speaks, opens a connection for each request, and looks for a stream with GET at once.
"""

import http.client
import json
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import IO, Any, Protocol

from tests.support.http_server import HttpServer

Json = dict[str, Any]
_METHOD_NOT_FOUND = -32601


class ServerGoneError(Exception):
    """The server ended, or did not answer in time."""


class Link(Protocol):
    """Carries messages to a server and back."""

    noise: list[bytes]
    """What was no JSON-RPC message where there must be one."""

    def ask(self, request: Json) -> Json:
        """Sends a request and waits for its response."""

    def tell(self, notification: Json) -> None:
        """Sends a notification."""

    def close(self) -> int:
        """Ends the server and returns its exit code."""


class PipeLink:
    """The pipes of a process.

    Args:
        process: Started with pipes for stdin and stdout.
        seconds: How long a response is waited for.
    """

    def __init__(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        self.noise: list[bytes] = []
        self._process = process
        self._seconds = seconds
        self._responses: dict[int, Json] = {}
        self._changed = threading.Condition()
        self._ended = False
        self._writing = threading.Lock()
        threading.Thread(target=self._read_lines, daemon=True).start()

    def ask(self, request: Json) -> Json:
        """Writes a request and waits for its response.

        Raises:
            ServerGoneError: The server ended, or did not answer in time.
        """
        self.tell(request)
        request_id = request["id"]
        with self._changed:
            self._changed.wait_for(
                lambda: request_id in self._responses or self._ended, self._seconds
            )
            if request_id not in self._responses:
                raise ServerGoneError(f"no answer to {request['method']}")
            return self._responses.pop(request_id)

    def tell(self, notification: Json) -> None:
        """Writes a message.

        Raises:
            ServerGoneError: The server reads no more.
        """
        line = json.dumps(notification).encode() + b"\n"
        with self._writing:
            stdin = pipe(self._process.stdin)
            try:
                stdin.write(line)
                stdin.flush()
            except (OSError, ValueError) as fault:  # ValueError: closed by us
                raise ServerGoneError(f"the server reads no more: {fault}") from fault

    def close(self) -> int:
        """Closes the server's input and returns the exit code that it ends with."""
        with self._writing:
            pipe(self._process.stdin).close()
        return self._process.wait(self._seconds)

    def _read_lines(self) -> None:
        for line in pipe(self._process.stdout):
            self._read_line(line)
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _read_line(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except ValueError:
            self.noise.append(line)
            return
        if "method" in message and "id" in message:
            with suppress(ServerGoneError):
                self.tell(_refusal(message))
        elif "method" not in message:
            with self._changed:
                self._responses[message["id"]] = message
                self._changed.notify_all()


class HttpLink:
    """HTTP as a client does it whose author has read no specification.

    Args:
        server: The running server.
        seconds: How long a response is waited for.
    """

    def __init__(self, server: HttpServer, seconds: float) -> None:
        self.noise: list[bytes] = []
        self._server = server
        self._seconds = seconds
        self._session: dict[str, str] = {}

    def ask(self, request: Json) -> Json:
        """Posts a request and reads its answer to the end.

        Raises:
            ServerGoneError: The server does not answer, or not with a response.
        """
        response = None
        for message in self._posted(request):
            if "method" in message and "id" in message:
                self.tell(_refusal(message))
            elif message.get("id") == request["id"]:
                response = message
        if response is None:
            raise ServerGoneError(f"no answer to {request['method']}")
        return response

    def tell(self, notification: Json) -> None:
        """Posts a message that has no answer, and looks for a stream after the handshake.

        Raises:
            ServerGoneError: The server does not answer.
        """
        self.noise += [json.dumps(message).encode() for message in self._posted(notification)]
        if notification.get("method") == "notifications/initialized" and not self._session:
            with self._answer_to("GET") as answer:
                if answer.status != http.client.METHOD_NOT_ALLOWED:
                    self.noise.append(f"GET was answered with {answer.status}".encode())

    def close(self) -> int:
        """Ends the server with a signal and returns its exit code."""
        self._server.process.process.terminate()
        return self._server.process.wait(self._seconds)

    def _posted(self, message: Json) -> Iterator[Json]:
        """What comes back on a post, message by message, as it comes."""
        with self._answer_to("POST", json.dumps(message).encode()) as answer:
            if session := answer.getheader("Mcp-Session-Id"):
                self._session = {"Mcp-Session-Id": session}
            is_stream = answer.getheader("Content-Type", "").startswith("text/event-stream")
            for line in answer if is_stream else [answer.read()]:
                yield from self._read(line, is_stream=is_stream)

    def _read(self, line: bytes, *, is_stream: bool) -> Iterator[Json]:
        if is_stream and not line.startswith(b"data:"):
            return
        text = line.removeprefix(b"data:").strip()
        try:
            if text:
                yield json.loads(text)
        except ValueError:
            self.noise.append(line)

    @contextmanager
    def _answer_to(
        self, method: str, body: bytes | None = None
    ) -> Iterator[http.client.HTTPResponse]:
        connection = http.client.HTTPConnection(
            "127.0.0.1", self._server.port, timeout=self._seconds
        )
        headers = {"Accept": "*/*", "Content-Type": "application/json", **self._session}
        try:
            connection.request(method, "/mcp/", body=body, headers=headers)
            yield connection.getresponse()
        except (OSError, http.client.HTTPException) as fault:
            raise ServerGoneError(f"the server does not answer: {fault}") from fault
        finally:
            connection.close()


def pipe(stream: IO[bytes] | None) -> IO[bytes]:
    """The pipe, which there must be.

    Raises:
        ServerGoneError: The server was started without it.
    """
    if stream is None:
        raise ServerGoneError("the server was started without a pipe")
    return stream


def _refusal(request: Mapping[str, Any]) -> Json:
    """What such a client says to every request of a server's."""
    fault = {"code": _METHOD_NOT_FOUND, "message": "Method not found"}
    return {"jsonrpc": "2.0", "id": request["id"], "error": fault}
