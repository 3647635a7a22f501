"""An MCP client with the bad habits that users of real clients report.

Speaks over a link of `rough_links`. It shows its model no `anyOf`, sends lists and objects as
text, null for every optional parameter, no null inside an object, and keys of its own; it cannot
ask its user anything, looks at only one half of a result, keeps asking for resources and prompts,
fills what its user leaves out of a prompt's form with empty texts, and never lists tools again.
"""

import json
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tests.support.http_server import http_server
from tests.support.rough_links import HttpLink, Link, PipeLink, ServerGoneError, pipe

Reads = Literal["content", "structured"]

INJECTED_KEYS = {"wait_for_previous": True, "toolCallId": "call-1", "sessionId": "s-1"}


@dataclass(frozen=True)
class RoughAnswer:
    """What such a client tells its model about one call."""

    is_error: bool
    seen: Any
    """Text, or an object if it reads `structuredContent` and there is one."""
    error_record: Mapping[str, Any] | None
    """`_meta["appfunctions/error"]`, which a developer reads in the client's log."""


class RoughClient:
    """One connection to a server; made by `open_rough_client` and `open_rough_http_client`."""

    def __init__(self, link: Link, reads: Reads) -> None:
        self.tools: list[dict[str, Any]] = []
        self.instructions = ""
        self._link = link
        self._reads = reads
        self._last_id = 0
        self._counting = threading.Lock()
        self._stop = threading.Event()

    @property
    def noise(self) -> list[bytes]:
        """What was no JSON-RPC message; there must never be any."""
        return self._link.noise

    def start(self, protocol_version: str, poll_seconds: float) -> None:
        """Shakes hands, asks for everything once, and goes on asking for resources and prompts."""
        answer = self.request(
            "initialize",
            {
                "protocolVersion": protocol_version,
                "capabilities": {},
                "clientInfo": {"name": "rough", "version": "0"},
            },
        )
        self.instructions = answer.get("result", {}).get("instructions", "")
        self._link.tell({"jsonrpc": "2.0", "method": "notifications/initialized"})
        listed = self.request("tools/list", {})
        self.tools = [_without_any_of(tool) for tool in listed["result"]["tools"]]
        self.listed_parts()
        threading.Thread(target=self._poll, args=(poll_seconds,), daemon=True).start()

    def listed_parts(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """The resources and the prompts that its user may choose from now."""
        resources = self.request("resources/list", {}).get("result", {})
        prompts = self.request("prompts/list", {}).get("result", {})
        return resources.get("resources", []), prompts.get("prompts", [])

    def attach(self, uri: str) -> str:
        """The text that it puts into the conversation for a resource, or the error's."""
        answer = self.request("resources/read", {"uri": uri})
        if "error" in answer:
            return str(answer["error"]["message"])
        return "\n".join(content["text"] for content in answer["result"]["contents"])

    def fill_in(self, name: str, **filled: str) -> list[dict[str, Any]]:
        """The messages of a prompt whose form its user has filled in, the rest left empty."""
        (prompt,) = [each for each in self.listed_parts()[1] if each["name"] == name]
        empty = {argument["name"]: "" for argument in prompt["arguments"]}
        answer = self.request("prompts/get", {"name": name, "arguments": {**empty, **filled}})
        if "error" in answer:
            return [{"error": answer["error"]["message"]}]
        messages: list[dict[str, Any]] = answer["result"]["messages"]
        return messages

    def call(self, name: str, arguments: Mapping[str, Any]) -> RoughAnswer:
        """Calls a tool the way a model behind this client would.

        Args:
            name: The tool's name.
            arguments: What the model wants to send; what it leaves out is sent as null.
        """
        answer = self.request(
            "tools/call", {"name": name, "arguments": self.rough_arguments(name, arguments)}
        )
        if "error" in answer:
            return RoughAnswer(True, answer["error"]["message"], answer["error"].get("data"))
        result = answer["result"]
        texts = [b["text"] for b in result.get("content", ()) if b["type"] == "text"]
        content = "\n".join(texts)
        # Clients that prefer structuredContent show the text only where there is nothing else.
        structured = result.get("structuredContent") if self._reads == "structured" else None
        return RoughAnswer(
            bool(result.get("isError")),
            content if structured is None else structured,
            result.get("_meta", {}).get("appfunctions/error"),
        )

    def rough_arguments(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as they go over the wire: texts, nulls and keys of its own."""
        tool = next((t for t in self.tools if t["name"] == name), None)
        schema = tool["inputSchema"] if tool else {}
        required = schema.get("required", ())
        absent = {n: None for n in schema.get("properties", {}) if n not in required}
        sent = {n: _as_text(_without_nested_nulls(v)) for n, v in arguments.items()}
        return absent | sent | INJECTED_KEYS

    def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Sends a request and waits for its answer.

        Raises:
            ServerGoneError: The server ended, or did not answer in time.
        """
        with self._counting:
            self._last_id += 1
            request_id = self._last_id
        return self._link.ask(
            {"jsonrpc": "2.0", "id": request_id, "method": method, "params": dict(params)}
        )

    def close(self) -> int:
        """Ends the server and returns its exit code."""
        self._stop.set()
        return self._link.close()

    def _poll(self, seconds: float) -> None:
        while not self._stop.wait(seconds):
            try:
                self.listed_parts()
            except ServerGoneError:
                return


@contextmanager
def open_rough_client(
    command: Sequence[str],
    *,
    reads: Reads = "content",
    protocol_version: str = "2025-06-18",
    poll_seconds: float = 3.0,
    seconds: float = 30.0,
    environ: Mapping[str, str] | None = None,
    folder: Path | str = "/",
) -> Iterator[RoughClient]:
    """Starts a server and connects a rough client to its pipes; both end with the block.

    Args:
        command: How the server is started.
        reads: Which half of a result its model sees.
        protocol_version: What it asks for in `initialize`.
        poll_seconds: How often it asks for resources and prompts.
        seconds: How long it waits for an answer.
        environ: The server's whole environment; this process's when left out.
        folder: Where the server starts; clients use any folder, often the root.
    """
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=None if environ is None else dict(environ),
        cwd=folder,
    )
    client = RoughClient(PipeLink(process, seconds), reads)
    try:
        client.start(protocol_version, poll_seconds)
        yield client
    finally:
        try:
            client.close()
        except (OSError, subprocess.TimeoutExpired):
            process.kill()
            process.wait()
        pipe(process.stdout).close()


@contextmanager
def open_rough_http_client(
    arguments: Sequence[str],
    *,
    reads: Reads = "content",
    protocol_version: str = "2025-06-18",
    poll_seconds: float = 3.0,
    seconds: float = 30.0,
    environ: Mapping[str, str] | None = None,
) -> Iterator[RoughClient]:
    """The same over HTTP.

    Args:
        arguments: What follows the interpreter's name.
        reads: Which half of a result its model sees.
        protocol_version: What it asks for in `initialize`.
        poll_seconds: How often it asks for resources and prompts.
        seconds: How long it waits for an answer.
        environ: Variables beside those of this process.
    """
    with http_server(*arguments, env=environ, cwd=Path("/")) as server:
        client = RoughClient(HttpLink(server, seconds), reads)
        client.start(protocol_version, poll_seconds)
        yield client
        assert client.close() == 0, server.process.stderr
        assert "Traceback" not in server.process.stderr, server.process.stderr


def _without_any_of(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_any_of(v) for k, v in value.items() if k != "anyOf"}
    return [_without_any_of(v) for v in value] if isinstance(value, list) else value


def _without_nested_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_nested_nulls(v) for k, v in value.items() if v is not None}
    return [_without_nested_nulls(v) for v in value] if isinstance(value, list) else value


def _as_text(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, dict | list) else value
