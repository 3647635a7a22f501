"""An MCP client with the bad habits that users of real clients report.

Speaks JSON lines to a server that it starts. It shows its model no `anyOf`, sends lists and
objects as text, null for every optional parameter, no null inside an object, and keys of its
own; it cannot ask its user anything, looks at only one half of a result, keeps asking for
resources and prompts, and never lists the tools again.
"""

import json
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal

Reads = Literal["content", "structured"]

INJECTED_KEYS = {"wait_for_previous": True, "toolCallId": "call-1", "sessionId": "s-1"}
_METHOD_NOT_FOUND = -32601


@dataclass(frozen=True)
class RoughAnswer:
    """What such a client tells its model about one call."""

    is_error: bool
    seen: Any
    """Text, or an object if it reads `structuredContent` and there is one."""
    error_record: Mapping[str, Any] | None
    """`_meta["appfunctions/error"]`, which a developer reads in the client's log."""


class ServerGoneError(Exception):
    """The server ended, or did not answer in time."""


class RoughClient:
    """One connection to a server; made by `open_rough_client`."""

    def __init__(self, process: subprocess.Popen[bytes], reads: Reads, seconds: float) -> None:
        self.tools: list[dict[str, Any]] = []
        self.instructions = ""
        self.noise: list[bytes] = []
        """Lines that are no JSON-RPC message; there must never be one."""
        self.ignored: list[str] = []
        """Methods of the notifications that it did not care about."""
        self._process = process
        self._reads = reads
        self._seconds = seconds
        self._last_id = 0
        self._answers: dict[int, dict[str, Any]] = {}
        self._changed = threading.Condition()
        self._ended = False
        self._writing = threading.Lock()
        self._stop = threading.Event()
        threading.Thread(target=self._read_lines, daemon=True).start()

    def start(self, protocol_version: str, poll_seconds: float) -> None:
        """Shakes hands, asks for everything once, and goes on asking for what is not there."""
        answer = self.request(
            "initialize",
            {
                "protocolVersion": protocol_version,
                "capabilities": {},
                "clientInfo": {"name": "rough", "version": "0"},
            },
        )
        self.instructions = answer.get("result", {}).get("instructions", "")
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        listed = self.request("tools/list", {})
        self.tools = [_without_any_of(tool) for tool in listed["result"]["tools"]]
        self._ask_in_vain()
        threading.Thread(target=self._poll, args=(poll_seconds,), daemon=True).start()

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
        with self._changed:
            self._last_id += 1
            request_id = self._last_id
        self._send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": dict(params)})
        with self._changed:
            self._changed.wait_for(
                lambda: request_id in self._answers or self._ended, self._seconds
            )
            if request_id not in self._answers:
                raise ServerGoneError(f"no answer to {method} within {self._seconds} s")
            return self._answers.pop(request_id)

    def close(self) -> int:
        """Closes the server's input and returns the exit code that it ends with."""
        self._stop.set()
        with self._writing:
            _pipe(self._process.stdin).close()
        return self._process.wait(self._seconds)

    def _send(self, message: Mapping[str, Any]) -> None:
        line = json.dumps(message).encode() + b"\n"
        with self._writing:
            stdin = _pipe(self._process.stdin)
            try:
                stdin.write(line)
                stdin.flush()
            except (OSError, ValueError) as fault:  # ValueError: closed by us
                raise ServerGoneError(f"the server reads no more: {fault}") from fault

    def _read_lines(self) -> None:
        for line in _pipe(self._process.stdout):
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
            fault = {"code": _METHOD_NOT_FOUND, "message": "Method not found"}
            with suppress(ServerGoneError):
                self._send({"jsonrpc": "2.0", "id": message["id"], "error": fault})
        elif "method" in message:
            self.ignored.append(message["method"])
        else:
            with self._changed:
                self._answers[message["id"]] = message
                self._changed.notify_all()

    def _ask_in_vain(self) -> None:
        for method in ("resources/list", "prompts/list"):
            self.request(method, {})

    def _poll(self, seconds: float) -> None:
        while not self._stop.wait(seconds):
            try:
                self._ask_in_vain()
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
    stderr: IO[bytes] | int | None = None,
) -> Iterator[RoughClient]:
    """Starts a server and connects a rough client to it; both end with the block.

    Args:
        command: How the server is started.
        reads: Which half of a result its model sees.
        protocol_version: What it asks for in `initialize`.
        poll_seconds: How often it asks for resources and prompts.
        seconds: How long it waits for an answer.
        environ: The server's whole environment; this process's when left out.
        folder: Where the server starts; clients use any folder, often the root.
        stderr: Where the server's log goes.
    """
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env=None if environ is None else dict(environ),
        cwd=folder,
    )
    client = RoughClient(process, reads, seconds)
    try:
        client.start(protocol_version, poll_seconds)
        yield client
    finally:
        try:
            client.close()
        except (OSError, subprocess.TimeoutExpired):
            process.kill()
            process.wait()
        _pipe(process.stdout).close()


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise ServerGoneError("the server was started without a pipe")
    return stream


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
