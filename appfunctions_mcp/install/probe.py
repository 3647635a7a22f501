"""Starts a server as a client would and asks for its tools, to know that an entry works.

Speaks the few JSON lines itself: an import of the SDK would cost more than the whole probe.
The server gets a minimal environment and the root folder, as desktop clients give it.
"""

import json
import os
import queue
import shlex
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, Any

from appfunctions_mcp.install.entry import Launch
from appfunctions_mcp.install.machine import Machine

INSTALL_PROBE_SECONDS = 10.0
CLIENT_START_SECONDS = 60.0
"""After this long without an answer Claude Desktop gives a server up."""

_EXIT_SECONDS = 3.0
_MAX_LINE_BYTES = 16 * 1024 * 1024
MAX_PAGES = 100
_CLIENT = {"name": "appfunctions-mcp-probe", "version": "1"}
INITIALIZE = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": _CLIENT}


@dataclass(frozen=True, slots=True)
class ProbeReport:
    """What a start has shown."""

    failure: str | None
    """Why the server is of no use to a client; None where it works."""
    start_seconds: float | None = None
    """Until `initialize` was answered."""
    seconds: float = 0.0
    """Until the tools were listed, or the probe ended."""
    tools: tuple[str, ...] = ()
    noise: tuple[str, ...] = ()
    """Lines on stdout that are no JSON-RPC; strict clients end the connection there."""
    stderr: tuple[str, ...] = ()
    """The last lines of the server's log."""
    timed_out: bool = False
    fix: str = ""
    """What helps against the failure, where the probe itself can tell."""


def probe(
    launch: Launch, machine: Machine, timeout_seconds: float = INSTALL_PROBE_SECONDS
) -> ProbeReport:
    """Starts exactly this command, initializes, lists the tools and ends it.

    Args:
        launch: The command of an entry, variables replaced.
        machine: Gives the environment and the folder that a client starts servers with.
        timeout_seconds: When an unanswered probe ends.
    """
    with tempfile.TemporaryFile() as log:
        started = time.monotonic()
        try:
            process = _start(launch, machine, log)
        except OSError as error:
            reason = error.strerror or str(error)
            return ProbeReport(f"{launch.command} cannot be started: {reason}")
        with _ended(process):
            conversation = _Conversation(process, started, started + timeout_seconds)
            failure = conversation.run()
            seconds = time.monotonic() - started
        said = _last_lines(log)
        is_silent = failure is not None and not said and not conversation.timed_out
        return ProbeReport(
            failure=failure,
            start_seconds=conversation.start_seconds,
            seconds=seconds,
            tools=tuple(conversation.tools),
            noise=tuple(conversation.noise),
            stderr=said,
            timed_out=conversation.timed_out,
            fix=_try_it(launch) if is_silent else "",
        )


class _Silent(Exception):  # noqa: N818 - it is no error but the end of a conversation
    """The server gives no further answer; the message says why."""


@dataclass(slots=True)
class _Conversation:
    """The messages of one probe, and what they have shown."""

    process: subprocess.Popen[bytes]
    started: float
    deadline: float
    start_seconds: float | None = None
    tools: list[str] = field(default_factory=list)
    noise: list[str] = field(default_factory=list)
    timed_out: bool = False
    lines: queue.SimpleQueue[bytes | None] = field(default_factory=queue.SimpleQueue)
    last_id: int = 0

    def run(self) -> str | None:
        """Speaks with the server; returns why it is of no use, or None."""
        threading.Thread(target=self._read, daemon=True).start()
        try:
            self._ask("initialize", INITIALIZE)
            self.start_seconds = time.monotonic() - self.started
            self._send({"method": "notifications/initialized"})
            self._list_tools()
        except _Silent as silence:
            return str(silence)
        return None

    def _list_tools(self) -> None:
        parameters: dict[str, Any] = {}
        for _ in range(MAX_PAGES):
            page = self._ask("tools/list", parameters)
            tools = page.get("tools")
            if not isinstance(tools, list):
                raise _Silent("tools/list was answered without a list of tools")
            self.tools += [str(tool.get("name")) for tool in tools if isinstance(tool, dict)]
            if not page.get("nextCursor"):
                return
            parameters = {"cursor": page["nextCursor"]}
        raise _Silent(f"tools/list has more than {MAX_PAGES} pages")

    def _ask(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        """The result of a request."""
        self.last_id += 1
        self._send({"id": self.last_id, "method": method, "params": parameters})
        while True:
            message = self._next_message(method)
            if message.get("id") != self.last_id or "method" in message:
                continue
            result = message.get("result")
            if isinstance(result, dict):
                return result
            raise _Silent(f"{method} was answered with {json.dumps(message.get('error'))}")

    def _send(self, message: dict[str, Any]) -> None:
        line = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        stream = self.process.stdin
        try:
            if stream is not None:
                stream.write(line)
                stream.flush()
        except OSError as error:
            raise _Silent(self._end_in_words(str(message["method"]))) from error

    def _next_message(self, method: str) -> dict[str, Any]:
        """The next JSON-RPC message; everything else on stdout is noise."""
        while True:
            try:
                line = self.lines.get(timeout=max(0.0, self.deadline - time.monotonic()))
            except queue.Empty as error:
                self.timed_out = True
                seconds = self.deadline - self.started
                raise _Silent(f"{method} was not answered within {seconds:.0f} s") from error
            if line is None:
                raise _Silent(self._end_in_words(method))
            message = _parse(line)
            if message is not None:
                return message
            if line.strip():
                self.noise.append(line[:200].decode(errors="replace").rstrip())

    def _end_in_words(self, method: str) -> str:
        """How the server ended, which it did before it answered."""
        try:
            code = self.process.wait(timeout=_EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            return f"the server closed its output before it answered {method}"
        end = f"ended with status {code}" if code >= 0 else f"was ended by the signal {-code}"
        return f"the server {end} before it answered {method}"

    def _read(self) -> None:
        """Passes lines on; in a thread, since not every platform can wait on a pipe."""
        stream = self.process.stdout
        if stream is not None:
            while line := stream.readline(_MAX_LINE_BYTES):
                self.lines.put(line)
        self.lines.put(None)


def _try_it(launch: Launch) -> str:
    """What to do about a server that ends without a word."""
    as_typed = subprocess.list2cmdline if os.name == "nt" else shlex.join
    command = as_typed([launch.command, *launch.args])
    return f"it said nothing on stderr; see how it ends in a terminal: {command}"


def _start(launch: Launch, machine: Machine, log: IO[bytes]) -> "subprocess.Popen[bytes]":
    """Starts the command as a client would; in a session of its own, so that all of it ends."""
    return subprocess.Popen(  # noqa: S603 - the command that the user has installed, no shell
        [launch.command, *launch.args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        # Answers from a manifest would not show whether the app can be loaded.
        env={**machine.client_environment(), **launch.env, "APPFUNCTIONS_EAGER": "true"},
        cwd=machine.client_folder(),
        start_new_session=os.name == "posix",
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )


@contextmanager
def _ended(process: "subprocess.Popen[bytes]") -> Iterator[None]:
    """Ends the server at the end: by the end of its input, by force if that does nothing."""
    try:
        yield
    finally:
        try:
            if process.stdin is not None:
                process.stdin.close()
        except BrokenPipeError:
            process.stdin = None
        try:
            process.wait(timeout=_EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            _kill(process)
        if process.stdout is not None:
            process.stdout.close()


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """Kills the server and what it has started."""
    if os.name == "posix":
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()


def _parse(line: bytes) -> dict[str, Any] | None:
    """A line as a JSON-RPC message; None where it is none."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    is_message = isinstance(message, dict) and message.get("jsonrpc") == "2.0"
    return message if is_message else None


def _last_lines(log: IO[bytes]) -> tuple[str, ...]:
    """The end of the server's log."""
    log.seek(0, os.SEEK_END)
    log.seek(max(0, log.tell() - 8192))
    lines = log.read().decode(errors="replace").splitlines()
    return tuple(line for line in lines if line.strip())[-8:]
