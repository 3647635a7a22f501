"""An HTTP server that answers as a test says, to see what a client of it makes of that."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[["Request"], None]


class Request(BaseHTTPRequestHandler):
    """One request, which a test answers."""

    answer: Answer
    seen: "list[dict[str, str]]"

    def do_POST(self) -> None:
        """Answers a message."""
        self.seen.append({name.lower(): value for name, value in self.headers.items()})
        self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        type(self).answer(self)

    def do_DELETE(self) -> None:
        """The end of a session."""
        self.seen.append({"deleted": self.headers.get("Mcp-Session-Id", "")})
        self.reply(200)

    def reply(self, status: int, body: bytes = b"", kind: str = "text/plain", **more: str) -> None:
        """Sends a whole answer."""
        self.send_response(status)
        headers = {"Content-Type": kind, "Content-Length": str(len(body)), **more}
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its parent's name
        """Says nothing."""


@dataclass
class Served:
    """A running server, and the headers of what it was asked."""

    url: str
    seen: list[dict[str, str]] = field(default_factory=list)


@contextmanager
def answering(answer: Answer) -> Iterator[Served]:
    """A server on a free port of this machine."""
    seen: list[dict[str, str]] = []
    handler = type("Handler", (Request,), {"answer": staticmethod(answer), "seen": seen})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield Served(f"http://127.0.0.1:{server.server_port}/mcp", seen)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def as_mcp(*tools: str, token: str | None = None) -> Answer:
    """Answers as an MCP server that has these tools, to those who have the token."""

    def answer(request: Request) -> None:
        if token is not None and request.headers.get("Authorization") != f"Bearer {token}":
            request.reply(401, WWW_Authenticate="Bearer")
            return
        message = json.loads(request.body)
        if "id" not in message:
            request.reply(202)
            return
        result = {"protocolVersion": "2025-06-18", "tools": [{"name": name} for name in tools]}
        reply = {"jsonrpc": "2.0", "id": message["id"], "result": result}
        request.reply(200, json.dumps(reply).encode(), "application/json")

    return answer
