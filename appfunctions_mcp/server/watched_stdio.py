"""`--watch` on stdio: the client keeps its connection while the app behind it is started anew.

The client talks to this process, which passes lines on to a child that serves the app. After a
change a further child is told what the client has said of itself; once it answers, it gets the
client's next messages, and the one before ends when what it runs is answered. A child that does
not come so far changes nothing. For development only: each line is read here as well.
"""

import itertools
import json
import os
import secrets
import signal
import threading
import time
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from types import FrameType

from appfunctions_mcp.server.descriptors import guard_stdout
from appfunctions_mcp.server.envelopes import Message, RequestId, read_message
from appfunctions_mcp.server.shutdown import on_parent_end
from appfunctions_mcp.server.watched_child import WatchedChild
from appfunctions_mcp.server.watched_client import (
    ACKNOWLEDGED,
    HANDSHAKE,
    PROBE,
    WatchedClient,
    is_ours,
)
from appfunctions_mcp.server.watched_files import LOOK_SECONDS, WatchedFiles

_END_SECONDS = 3.0
"""How long children may take to end; they give themselves less."""
_TURN_SECONDS = 0.5
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")

_STATE_KEYS = "APPFUNCTIONS_STATE_KEYS"

_Event = tuple[str, WatchedChild | None, bytes]


def serve_watched(
    command: Sequence[str],
    files: WatchedFiles,
    tell: Callable[[str], None],
    *,
    watch_parent: bool,
) -> int:
    """Serves the client on stdin and stdout from children that are started anew.

    Args:
        command: What starts a child: the command that started this process.
        files: The app's files.
        tell: Shows a line to the person who changes them.
        watch_parent: Ends, too, when the process that started this one has ended.

    Returns:
        The exit status.
    """
    return _Relay(command, files, tell).run(watch_parent=watch_parent)


class _Relay:
    """Everything happens in one thread, event by event; the other threads only read."""

    def __init__(
        self, command: Sequence[str], files: WatchedFiles, tell: Callable[[str], None]
    ) -> None:
        # Tokens that the app has given before a change are understood after it.
        keys = os.environ.get(_STATE_KEYS) or secrets.token_urlsafe(32)
        self._command, self._environ = command, {_STATE_KEYS: keys}
        self._files = files
        self._tell_person = tell
        self._descriptors = guard_stdout()
        self._events: SimpleQueue[_Event] = SimpleQueue()
        self._client = WatchedClient()
        self._serving: WatchedChild | None = None
        """The child that gets the client's messages."""
        self._coming: WatchedChild | None = None
        self._leaving: set[WatchedChild] = set()
        self._held: list[bytes] = []
        """What the client has said while no child had answered anything."""
        self._asked: dict[RequestId, WatchedChild] = {}
        """The client's requests, by the child that answers them."""
        self._questions: dict[RequestId, tuple[WatchedChild, RequestId]] = {}
        """Requests to the client: who asks, and under which id."""
        self._numbers = itertools.count(1)

    def run(self, *, watch_parent: bool) -> int:
        for name in _SIGNALS:
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), self._on_signal)
        if watch_parent:
            on_parent_end(lambda: self._events.put(("end", None, b"")))
        self._serving = self._started()
        for target in (self._read_client, self._watch_files):
            threading.Thread(target=target, daemon=True).start()
        status: int | None = None
        while status is None:
            try:
                # Where a wait cannot be interrupted, signals are taken between two turns.
                status = self._turn(*self._events.get(timeout=_TURN_SECONDS))
            except Empty:
                continue
        self._finish()
        return status

    def _turn(self, kind: str, child: WatchedChild | None, content: bytes) -> int | None:
        """Takes one event; returns the exit status when it is the last."""
        if kind == "end":
            return 0
        if kind == "changed":
            self._renew(os.fsdecode(content))
        elif kind == "client":
            self._from_client(content)
        elif child is not None and content:
            self._from_child(child, content)
        elif child is not None:
            return self._has_ended(child)
        return None

    def _renew(self, names: str) -> None:
        self._tell_person(f"{names} changed; starting the app anew")
        if self._coming is not None:
            self._drop(self._coming)
            self._coming = None
        if self._serving is None or not self._client.has_spoken:
            if self._serving is not None:
                self._drop(self._serving)
            self._serve_anew()
            return
        self._coming = child = self._started()
        child.unacknowledged = len(self._client.listening)
        for message in self._client.said_again():
            child.tell(message)

    def _serve_anew(self) -> None:
        """Starts a child that is told everything that no child has answered."""
        self._serving = self._started()
        for line in self._held:
            self._serving.write(line)

    def _drop(self, child: WatchedChild) -> None:
        child.kill()
        self._leaving.add(child)

    def _from_client(self, line: bytes) -> None:
        if self._serving is None or not self._serving.has_answered:
            self._held.append(line)
        message = read_message(line.rstrip(b"\n"))
        to = self._serving
        if isinstance(message, dict):
            self._client.note(message)
            if "method" not in message:
                self._pass_answer(message)
                return
            if message["method"] == "notifications/cancelled":
                to = self._asked.get((message.get("params") or {}).get("requestId", ""), to)
            if "id" in message and to is not None:
                self._asked[message["id"]] = to
        if to is not None:
            to.write(line)

    def _pass_answer(self, answer: Message) -> None:
        child, request_id = self._questions.pop(answer["id"], (None, None))
        if child is not None:
            child.tell({**answer, "id": request_id})

    def _from_child(self, child: WatchedChild, line: bytes) -> None:
        message = json.loads(line)
        method = message.get("method")
        if method is None and is_ours(message["id"]):
            self._heard_again(child, message)
        elif method is None:
            self._pass_response(child, message["id"], line)
        elif "id" in message:
            number = f"watch-{next(self._numbers)}"
            self._questions[number] = (child, message["id"])
            self._tell({**message, "id": number})
        elif method == "notifications/cancelled":
            self._pass_cancellation(child, message)
        elif child.unacknowledged and method == ACKNOWLEDGED:
            child.unacknowledged -= 1
        else:
            self._write(line)

    def _pass_response(self, child: WatchedChild, request_id: RequestId, line: bytes) -> None:
        if self._asked.get(request_id, child) is not child:
            return  # the end of a stream that another child has taken over
        if not child.has_answered:
            child.has_answered = True
            self._held.clear()
        self._asked.pop(request_id, None)
        self._client.answered(request_id)
        self._write(line)
        for each in self._leaving.difference(self._asked.values()):
            each.end_input()

    def _pass_cancellation(self, child: WatchedChild, message: Message) -> None:
        """Passes on that a question is withdrawn, under the id that the client knows."""
        params = message.get("params") or {}
        for number, question in tuple(self._questions.items()):
            if question == (child, params.get("requestId")):
                del self._questions[number]
                self._tell({**message, "params": {**params, "requestId": number}})

    def _heard_again(self, child: WatchedChild, answer: Message) -> None:
        """Takes an answer to what was said again; with the last one the child serves."""
        if answer["id"] == HANDSHAKE:
            child.capabilities = (answer.get("result") or {}).get("capabilities") or {}
        if answer["id"] != PROBE or child is not self._coming or self._serving is None:
            return
        before, self._serving, self._coming = self._serving, child, None
        child.has_answered = True
        self._asked.update(dict.fromkeys(self._client.listening, child))
        self._leaving.add(before)
        if before not in self._asked.values():
            before.end_input()
        for message in self._client.changes(child.capabilities):
            self._tell(message)
        self._tell_person("the app has been started anew")

    def _has_ended(self, child: WatchedChild) -> int | None:
        if child in self._leaving:
            self._leaving.discard(child)
        elif child is self._coming:
            self._coming = None
            self._tell_person("the app cannot be started anew; what was served goes on")
        elif child is self._serving and (child.has_answered or not child.status(_END_SECONDS)):
            return child.status(_END_SECONDS)
        elif child is self._serving and self._coming is not None:
            self._drop(self._coming)
            self._coming = None
            self._serve_anew()
        elif child is self._serving:
            self._serving = None
            self._tell_person("the app cannot be served; waiting for a change of its files")
        return None

    def _finish(self) -> None:
        """Lets every child answer what it has, and passes that on."""
        present = {self._serving, *self._leaving} - {None}
        if self._coming is not None:
            self._coming.kill()
        end = time.monotonic() + _END_SECONDS
        for child in present:
            if child is not None:
                child.end_input()
        self._leaving |= {child for child in present if child is not None}
        self._serving = self._coming = None
        while self._leaving and (left := end - time.monotonic()) > 0:
            try:
                kind, child, content = self._events.get(timeout=left)
            except Empty:
                break
            if kind == "child":
                self._turn(kind, child, content)
        for child in self._leaving:
            child.status(0)

    def _started(self) -> WatchedChild:
        return WatchedChild(
            self._command,
            self._environ,
            lambda child, line: self._events.put(("child", child, line)),
        )

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._events.put(("end", None, b""))

    def _read_client(self) -> None:
        with open(self._descriptors.input, "rb", closefd=False) as lines:
            for line in lines:
                self._events.put(("client", None, line))
        self._events.put(("end", None, b""))

    def _watch_files(self) -> None:
        while True:
            time.sleep(LOOK_SECONDS)
            if self._files.look() and (names := self._files.settled()):
                self._events.put(("changed", None, os.fsencode(", ".join(names))))

    def _tell(self, message: Message) -> None:
        self._write(json.dumps(message).encode() + b"\n")

    def _write(self, line: bytes) -> None:
        try:
            while line:
                line = line[os.write(self._descriptors.output, line) :]
        except OSError:  # the client has gone
            self._events.put(("end", None, b""))
