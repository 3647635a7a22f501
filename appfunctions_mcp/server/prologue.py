"""The first minutes of a server on stdio, from its manifest: blocking reads, ready answers.

Answers what a client asks before it calls anything: the handshake, pings, the list of tools,
and the lists that the app does not have. With the first line that is anything else, or that is
out of the ordinary in any way, it ends, and everything unread goes to an engine unseen. No
module of the app is imported, nor asyncio; what is answered is, to the byte, what the engine
would say.
"""

import os
import select
import sys

try:
    # The public face of it makes enumerations of all its numbers, which takes its time.
    import _signal as signal  # type: ignore[import-not-found] # typeshed lacks it
except ImportError:  # pragma: no cover - other implementations of Python
    import signal

from appfunctions_mcp.manifest import Manifest, read_states
from appfunctions_mcp.plain_json import NotPlainError, read_plain_json
from appfunctions_mcp.server.plain_requests import (
    HANDSHAKE_VERSIONS,
    LOG_LEVELS,
    MODERN_VERSION,
    is_plain_envelope,
    is_plain_handshake,
    is_plain_meta,
)

CHUNK_BYTES = 65_536
MAX_UNREAD_BYTES = 1024 * 1024
"""How much is read ahead while the client leaves an answer unread; then an engine is needed."""
WATCH_AFTER_MS = 1_000
"""How long a client is quiet before file events are asked for; they cost more than an answer."""
LIST_CHANGED = b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n'
_PASSED_OVER = frozenset({"notifications/cancelled", "notifications/roots/list_changed"})
"""Nothing is running, and no roots are asked for."""


class Connection:
    """What is known of a connection when an engine takes it over."""

    __slots__ = (
        "capabilities",
        "era",
        "has_ended",
        "is_initialized",
        "log_level",
        "states",
        "unread",
        "unsent",
        "version",
    )

    def __init__(self) -> None:
        self.era: str | None = None
        """`handshake` or `modern`, as the first request decided."""
        self.version: str | None = None
        """What the handshake agreed on; None before it."""
        self.capabilities: dict[str, object] = {}
        self.is_initialized = False
        self.log_level: str | None = None
        self.states: dict[str, str] = {}
        """The states that the client knows of."""
        self.unread = b""
        self.unsent = b""
        self.has_ended = False
        """Whether the input has come to its end, behind what is unread."""


def end_on_signals(prologue: "Prologue") -> None:
    """A signal that asks for the end gets it at once: nothing runs that would need a clean-up.

    It stays so until an engine has handlers of its own.
    """

    def end(_number: int, _frame: object) -> None:
        prologue.put_back()
        os._exit(0)

    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), end)


class Prologue:
    """Serves one connection until something is asked that the manifest does not know.

    Args:
        manifest: What is answered; fresh.
        input: The descriptor to read.
        output: The descriptor to write.

    Raises:
        OSError: The state file cannot be read.
        NotPlainError: The state file needs the full parser.
    """

    def __init__(self, manifest: Manifest, input: int = 0, output: int = 1) -> None:  # noqa: A002 - the descriptor of that name
        self._manifest = manifest
        self._input = input
        self._output = output
        self._connection = Connection()
        self._stamp = _stamp_of(manifest.state_file)
        self._states = read_states(manifest.state_file)
        self._connection.states = self._states
        self._watch: _StateWatch | None = None
        self._has_watched = False
        self._has_set_mode = False
        """Whether the output's mode is ours; others may share the pipe."""

    def run(self) -> Connection | None:
        """Serves.

        Returns:
            The connection as the engine finds it; None when it is over: the input has ended, or
            nobody reads any more.
        """
        try:
            if _is_own_pipe(self._output) and os.get_blocking(self._output):
                self._has_set_mode = True
                os.set_blocking(self._output, False)
            return self._serve()
        except _ClientGoneError:
            return None
        except (NotPlainError, UnicodeDecodeError, OSError):
            return self._connection
        finally:
            self.put_back()
            if self._watch is not None:
                self._watch.close()

    def put_back(self) -> None:
        """Gives the output the mode that it had."""
        if self._has_set_mode:
            self._has_set_mode = False
            os.set_blocking(self._output, True)

    def _serve(self) -> Connection | None:
        """Serves; raises where an engine is needed, and leaves what it needs in the connection."""
        connection = self._connection
        while True:
            line, found, rest = connection.unread.partition(b"\n")
            if found:
                answer = self._answer(line)
                connection.unread = rest
                self._write(answer)
            elif connection.has_ended:
                return connection if line else None
            elif len(line) >= CHUNK_BYTES:
                return connection
            else:
                self._await_input()
                self._read()

    def _read(self) -> None:
        """Takes what has come."""
        chunk = os.read(self._input, CHUNK_BYTES)
        self._connection.unread += chunk
        self._connection.has_ended = not chunk

    def _answer(self, line: bytes) -> bytes:
        """What goes out for one line; raises NotPlainError where the engine is needed."""
        if not line.strip(b" \t\r"):
            return b""
        if len(line) > CHUNK_BYTES:
            raise NotPlainError
        message = read_plain_json(line.rstrip(b" \r").decode())
        if not isinstance(message, dict) or message.pop("jsonrpc", None) != "2.0":
            raise NotPlainError
        method, params = message.pop("method", None), message.pop("params", {})
        if not isinstance(method, str) or not isinstance(params, dict):
            raise NotPlainError
        if not message:
            self._notify(method, params)
            return b""
        if message.keys() != {"id"}:
            raise NotPlainError
        head = _head_of(message["id"])
        self._refresh()
        rest = self._request(method, params)
        return self._news() + head + rest

    def _notify(self, method: str, params: dict[str, object]) -> None:
        connection = self._connection
        if connection.version is None or params.keys() - {"requestId", "reason"}:
            raise NotPlainError
        if method == "notifications/initialized" and connection.era == "handshake":
            connection.is_initialized = True
        elif method not in _PASSED_OVER:
            raise NotPlainError

    def _request(self, method: str, params: dict[str, object]) -> bytes:
        """The rest of the answer to a request, behind its id."""
        connection = self._connection
        if connection.era == "modern" or is_plain_envelope(params.get("_meta")):
            return self._modern(method, params)
        if method == "initialize":
            return self._initialize(params)
        if connection.version is None and method != "ping":
            raise NotPlainError
        if method == "logging/setLevel":
            level = params.pop("level", None)
            if params or level not in LOG_LEVELS:
                raise NotPlainError
            connection.log_level = str(level)
        elif not is_plain_meta(params):
            raise NotPlainError
        answer = self._known(f"handshake {method}")
        connection.era = "handshake"
        return answer

    def _modern(self, method: str, params: dict[str, object]) -> bytes:
        connection = self._connection
        if connection.era == "handshake" or params.keys() != {"_meta"}:
            raise NotPlainError
        if not is_plain_envelope(params["_meta"]):
            raise NotPlainError
        answer = self._known(f"modern {method}")
        connection.era, connection.version = "modern", MODERN_VERSION
        return answer

    def _initialize(self, params: dict[str, object]) -> bytes:
        connection = self._connection
        if connection.version is not None or not is_plain_handshake(params):
            raise NotPlainError
        asked, capabilities = params["protocolVersion"], params["capabilities"]
        version = str(asked) if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]
        answer = self._known(f"handshake initialize {version}")
        assert isinstance(capabilities, dict)  # noqa: S101 - `is_plain_handshake` has looked
        connection.era, connection.version = "handshake", version
        connection.capabilities = capabilities
        return answer

    def _known(self, what: str) -> bytes:
        answer = self._manifest.answers.get(what.encode())
        if answer is None:
            raise NotPlainError
        if what.endswith(" tools/list"):
            before, _, after = answer.partition(b"\t")
            return before + self._listed() + after + b"}\n"
        return answer + b"}\n"

    def _listed(self) -> bytes:
        """The tools that are enabled now; a manifest has none that this caller may not see."""
        tools, states = self._manifest.tools, self._states
        listed, start, is_whole = [], 0, True
        for is_on, length, _, function_id in self._manifest.functions:
            state = states.get(function_id, "default")
            if is_on if state == "default" else state == "enabled":
                listed.append(tools[start : start + length])
            else:
                is_whole = False
            start += length + 1
        return tools if is_whole else b",".join(listed)

    def _refresh(self) -> None:
        """Takes over states that another process has set; one stat when nothing has changed."""
        stamp = _stamp_of(self._manifest.state_file)
        if stamp != self._stamp:
            self._states, self._stamp = read_states(self._manifest.state_file), stamp

    def _news(self) -> bytes:
        """What a client that listens has to hear of states that have changed since."""
        connection = self._connection
        if self._states == connection.states:
            return b""
        connection.states = self._states
        return LIST_CHANGED if connection.is_initialized else b""

    def _await_input(self) -> None:
        """Waits for the client; meanwhile, once it is quiet, tells it of changes of states."""
        if not self._connection.is_initialized or not hasattr(select, "poll"):
            return
        poll = select.poll()
        poll.register(self._input, select.POLLIN)
        if not self._has_watched:
            if poll.poll(WATCH_AFTER_MS):
                return
            self._has_watched = True
            self._watch = _StateWatch.of(self._manifest.state_file)
            self._tell_news()
        if self._watch is None:
            return
        poll.register(self._watch.descriptor, select.POLLIN)
        while all(descriptor == self._watch.descriptor for descriptor, _ in poll.poll()):
            self._watch.clear()
            self._tell_news()

    def _tell_news(self) -> None:
        try:
            self._refresh()
        except (OSError, NotPlainError):
            return  # the next request finds it, too, and leaves it to the engine
        self._write(self._news())

    def _write(self, answer: bytes) -> None:
        """Writes all of an answer, and reads on meanwhile where the client writes on."""
        rest = memoryview(answer)
        try:
            while rest:
                try:
                    rest = rest[os.write(self._output, rest) :]
                except BlockingIOError:
                    self._await_output()
        except ConnectionError as error:
            raise _ClientGoneError from error
        except (OSError, NotPlainError):
            self._connection.unsent = bytes(rest)
            raise

    def _await_output(self) -> None:
        connection = self._connection
        if len(connection.unread) >= MAX_UNREAD_BYTES:
            raise NotPlainError
        poll = select.poll()
        poll.register(self._output, select.POLLOUT)
        if not connection.has_ended:
            poll.register(self._input, select.POLLIN)
        if self._output not in {descriptor for descriptor, _ in poll.poll()}:
            self._read()


class _ClientGoneError(Exception):
    """Nobody reads any more."""


class _StateWatch:
    """Tells when something happens in the state file's folder.

    Args:
        descriptor: Becomes readable then.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    @classmethod
    def of(cls, state_file: str) -> "_StateWatch | None":
        """The watch for a state file; None where the platform or the place has none."""
        if sys.platform != "linux":
            return None
        from appfunctions_mcp.inotify import open_inotify

        folder = os.path.dirname(os.path.realpath(state_file))
        mask = os.umask(0o077)
        try:
            os.makedirs(folder, exist_ok=True)  # as the engine does, to hear of the first change
            return cls(open_inotify(folder))
        except OSError:
            return None
        finally:
            os.umask(mask)

    def clear(self) -> None:
        """Takes what has happened, so that the descriptor is quiet again."""
        os.read(self.descriptor, CHUNK_BYTES)

    def close(self) -> None:
        """Ends the watch."""
        os.close(self.descriptor)


def _head_of(request_id: object) -> bytes:
    """The beginning of an answer, up to its result."""
    if isinstance(request_id, str) and request_id.isascii():
        return b'{"jsonrpc":"2.0","id":"%b",' % request_id.encode()
    if type(request_id) is int:
        return b'{"jsonrpc":"2.0","id":%d,' % request_id
    raise NotPlainError


def _stamp_of(path: str) -> "tuple[int, int, int] | None":
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _is_own_pipe(descriptor: int) -> bool:
    """Whether it can be made non-blocking: a pipe or socket that stderr does not share."""
    if os.name != "posix":
        return False
    try:
        mine, stderr = os.fstat(descriptor), os.fstat(2)
    except OSError:  # one of them is closed
        return False
    if mine.st_mode & 0o170000 not in {0o010000, 0o140000}:
        return False
    return (mine.st_dev, mine.st_ino) != (stderr.st_dev, stderr.st_ino)
