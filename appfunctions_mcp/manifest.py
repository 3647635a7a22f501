"""The manifest: what a server says of itself, kept from one start to the next.

With a manifest that is fresh, `run` answers a client's handshake before anything of the app is
imported. It is fresh for one command line in one environment, while every file that was loaded
is as it was; `manifest_writing` makes it. What this module needs stands at the start of every
server, so it imports next to nothing.

One file is a header line, and then, by the lengths in the header: places, files, answers and
functions, a line each, and the tools as they go over the wire.
"""

import os
import sys
from time import time

from appfunctions_mcp.plain_json import NotPlainError, read_plain_json

try:
    from _blake2 import blake2b
except ImportError:  # pragma: no cover - `hashlib` has it everywhere, at ten times the cost
    from hashlib import blake2b

VERSION = 2
LIFETIME_SECONDS = 7 * 24 * 3600
MAX_BYTES = 64 * 1024 * 1024
PARTS = ("places", "files", "answers", "functions", "tools")
_MODULE_ENDINGS = (".py", ".pyc", ".so", ".pyd")

_VOLATILE = (
    " _ PWD OLDPWD SHLVL COLUMNS LINES WINDOW WINDOWID STY TMUX TMUX_PANE TERM_SESSION_ID "
    "ITERM_SESSION_ID GNOME_TERMINAL_SCREEN KITTY_PID KITTY_WINDOW_ID SSH_AUTH_SOCK SSH_AGENT_PID "
    "SSH_CLIENT SSH_CONNECTION SSH_TTY GPG_AGENT_INFO XDG_SESSION_ID XDG_ACTIVATION_TOKEN "
    "DESKTOP_STARTUP_ID DBUS_SESSION_BUS_ADDRESS INVOCATION_ID JOURNAL_STREAM MANAGERPID "
    "SYSTEMD_EXEC_PID SECURITYSESSIONID XPC_SERVICE_NAME XPC_FLAGS SESSIONNAME "
)
"""Variables that differ from one start to the next and that no list of tools depends on."""
_LISTLESS_FLAGS = frozenset({"--debug", "--no-loop-guard"})
_LOG_LEVELS = frozenset({"debug", "info", "warning", "error"})


class Manifest:
    """What is known of a server.

    Args:
        path: The file that it was read from.
        parts: The parts of the file, in the order of `PARTS`.
    """

    __slots__ = ("answers", "functions", "metadata_file", "path", "state_file", "tools")

    def __init__(self, path: str, parts: "list[bytes]") -> None:
        places, _, answers, functions, tools = parts
        self.path = path
        self.metadata_file, self.state_file = os.fsdecode(places).split("\n")
        self.answers = dict(line.split(b"\t", 1) for line in answers.split(b"\n"))
        """The rest of an answer behind its id, by era and method: `handshake tools/list`."""
        self.functions = [_function(line) for line in functions.decode().split("\n") if line]
        """Whether it is on by default, how long its tool is, the tool's name, the id."""
        self.tools = tools
        """Every tool, separated by commas."""


def _function(line: str) -> "tuple[bool, int, str, str]":
    enabled, length, tool_name, function_id = line.split(" ", 3)
    return enabled == "1", int(length), tool_name, function_id


def manifest_name(words: "list[str]") -> str:
    """The name of the manifest for this command line, environment and interpreter.

    Args:
        words: The command line behind `run`.

    Raises:
        OSError: There is no current folder.
    """
    key = (
        VERSION,
        (sys.version, sys.executable, sys.prefix, tuple(sys.flags), sys.warnoptions),
        (sys.path, os.getcwd()),
        _words_that_count(words),
        sorted(item for item in os.environ.items() if _counts(*item)),
    )
    return hash_of(repr(key).encode("utf-8", "surrogatepass"))


def _words_that_count(words: "list[str]") -> "list[str]":
    """The command line without what changes no list; a value that is no good counts."""
    kept = []
    rest = iter(words)
    for word in rest:
        if word in _LISTLESS_FLAGS:
            continue
        kept.append(word)
        if word in {"--max-body-bytes", "--log-level"}:
            value = next(rest, "")
            if value in _LOG_LEVELS if word == "--log-level" else value.isdecimal():
                kept.pop()
            else:
                kept.append(value)
    return kept


def _counts(variable: str, value: str) -> bool:
    if variable == "APPFUNCTIONS_MAX_BODY_BYTES":
        return not value.isdecimal()
    if variable == "APPFUNCTIONS_LOG_LEVEL":
        return value not in _LOG_LEVELS
    return f" {variable} " not in _VOLATILE


def manifest_folder() -> "str | None":
    """The folder of manifests in the user's cache; None where the user has none."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "")
        parts = ("appfunctions-mcp", "Cache", "manifests")
    elif sys.platform == "darwin":
        base, parts = os.path.expanduser("~/Library/Caches"), ("appfunctions-mcp", "manifests")
    else:
        base = os.environ.get("XDG_CACHE_HOME", "").strip() or os.path.expanduser("~/.cache")
        parts = ("appfunctions-mcp", "manifests")
    return os.path.join(base, *parts) if os.path.isabs(base) else None


def read_manifest(path: str) -> "Manifest | None":
    """Reads a manifest if it is fresh.

    Args:
        path: `manifest_name` in `manifest_folder`.

    Returns:
        None where there is none, or it is old, or anything that it was made of has changed, or
        somebody else could have written it.
    """
    try:
        if not is_private(os.lstat(os.path.dirname(path)), is_folder=True):
            return None
        parts = _parts_of(_read_own(path))
        if parts is None or not all(map(is_unchanged, parts[1].split(b"\n"))):
            return None
        return Manifest(path, parts)
    except (OSError, ValueError, LookupError, TypeError):
        return None


def is_private(status: os.stat_result, *, is_folder: bool = False) -> bool:
    """Whether a file or folder is really one, and its owner's and nobody else's to write."""
    kind = status.st_mode & 0o170000
    if kind != (0o040000 if is_folder else 0o100000):
        return False
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & (0o022 if is_folder else 0o077)


def _read_own(path: str) -> bytes:
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    try:
        status = os.fstat(descriptor)
        if not is_private(status) or status.st_size > MAX_BYTES:
            raise ValueError("not ours")
        content = b""
        while chunk := os.read(descriptor, status.st_size + 1 - len(content)):
            content += chunk
        return content
    finally:
        os.close(descriptor)


def _parts_of(content: bytes) -> "list[bytes] | None":
    """The parts of a manifest's file; None for one that is too old, cut off or damaged."""
    head, _, body = content.partition(b"\n")
    header = read_plain_json(head.decode())
    if not isinstance(header, dict) or header.get("version") != VERSION:
        return None
    made, lengths = header.get("made"), header.get("lengths")
    if not isinstance(made, int) or not 0 <= time() - made < LIFETIME_SECONDS:
        return None
    if header.get("hash") != hash_of(body) or not isinstance(lengths, list):
        return None
    if len(lengths) != len(PARTS) or sum(lengths) != len(body):
        return None
    parts, start = [], 0
    for length in lengths:
        parts.append(body[start : start + length])
        start += length
    return parts


def hash_of(content: bytes) -> str:
    """What stands for bytes: 32 hexadecimal digits."""
    return blake2b(content, digest_size=16).hexdigest()


def content_line(path: str) -> bytes:
    """The line for a file whose bytes count.

    Raises:
        OSError: It cannot be read.
    """
    with open(path, "rb", buffering=0) as file:
        return f"= {hash_of(file.read())} ".encode() + os.fsencode(path)


def stamp_line(path: str) -> bytes:
    """The line for a file of which size and time count.

    Raises:
        OSError: There is no such file.
    """
    status = os.stat(path)
    return f"~ {status.st_size}.{status.st_mtime_ns} ".encode() + os.fsencode(path)


def listing_line(path: str) -> bytes:
    """The line for a folder that strings are looked for in: which of them it holds."""
    try:
        names = os.listdir(path)
    except OSError:
        names = []
    found = sorted(n for n in map(str.lower, names) if n.startswith("values") or ".xml" in n)
    return f"/ {hash_of(os.fsencode('/'.join(found)))} ".encode() + os.fsencode(path)


def modules_line(path: str) -> bytes:
    """The line for a folder of the author's: what could be imported from it, where links lead."""
    found = []
    try:
        with os.scandir(path) as entries:
            for entry in entries:
                name = entry.name
                if name.startswith(".") or name == "__pycache__":
                    continue
                if entry.is_symlink():
                    found.append(f"{name}/{os.readlink(entry.path)}")
                elif name.endswith(_MODULE_ENDINGS) or name.isidentifier():
                    found.append(name)
    except OSError:
        found = []
    return f"+ {hash_of(os.fsencode('//'.join(sorted(found))))} ".encode() + os.fsencode(path)


def place_line(path: str) -> bytes:
    """The line for a path as it was given: where its links lead."""
    return f"> {hash_of(os.fsencode(os.path.realpath(path)))} ".encode() + os.fsencode(path)


LINES = {
    b"=": content_line,
    b"~": stamp_line,
    b"/": listing_line,
    b"+": modules_line,
    b">": place_line,
}


def is_unchanged(line: bytes) -> bool:
    """Whether what a line of the files stands for is as it was.

    Raises:
        OSError: It has gone.
        ValueError: It is no such line.
        KeyError: It is of no kind that is known.
    """
    kind, _, path = line.split(b" ", 2)
    return LINES[kind](os.fsdecode(path)) == line


def read_states(path: str) -> "dict[str, str]":
    """The states that are kept in a state file; none where there is no file.

    Raises:
        OSError: It cannot be read.
        NotPlainError: It needs a full parser, or another version of this program.
    """
    try:
        with open(path, "rb", buffering=0) as file:
            content = file.read().decode()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    kept = read_plain_json(content.replace("\r", "").replace("\n", " "))
    if not isinstance(kept, dict) or type(kept.get("version")) is not int or kept["version"] != 1:
        raise NotPlainError
    states = kept.get("states", {})
    if not isinstance(states, dict) or not {"default", "enabled", "disabled"} >= {*states.values()}:
        raise NotPlainError
    return states
