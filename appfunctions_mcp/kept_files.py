"""JSON files that this program keeps between runs: locked, atomic, private, versioned.

A change is on the disk when `update` returns, and a process killed at any moment leaves the
file as it was before or after a change, never between. A file that cannot be read is never
overwritten. Knows nothing of what the files hold.
"""

import contextlib
import itertools
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from appfunctions_mcp.exceptions import StateFileError

T = TypeVar("T")

LOCK_TIMEOUT_SECONDS = 10.0
_FURTHER_ATTEMPTS = 50 if os.name == "nt" else 0


class FileStamp(NamedTuple):
    """What one stat says of a file; two contents of a kept file never share a stamp."""

    mtime_ns: int
    size: int
    inode: int


class KeptFile:
    """One JSON object in a file, with a `version` of its form.

    Args:
        path: The file; it and its folder are made by the first change.
        kind: What the file is, for messages, such as `state file`.
        version: The newest form that this program reads, and the one that it writes.
        sort_members: Whether members are written sorted; else they keep their order.
    """

    def __init__(self, path: Path, *, kind: str, version: int, sort_members: bool = True) -> None:
        self.path = path
        self.kind = kind
        self.version = version
        self._sort_members = sort_members
        self._location = os.fspath(path)

    def stamp(self) -> FileStamp | None:
        """The file's stamp, by one stat; None where there is no file.

        Raises:
            OSError: The place cannot be looked into.
        """
        try:
            status = os.stat(self._location)  # noqa: PTH116 - a call's only system call
        except (FileNotFoundError, NotADirectoryError):
            return None
        return _stamp_of(status)

    def is_out_of_sight(self) -> bool:
        """Whether a stat would not find the file; a stat that fails costs twice as much."""
        return not os.access(self._location, os.F_OK)

    def read(self) -> tuple[FileStamp | None, dict[str, Any]]:
        """Reads the file: its stamp and its content, None and nothing where there is no file.

        Raises:
            StateFileError: The file is another version's, damaged, or may not be read.
        """
        try:
            stamp, text = _patiently(self._read_bytes)
        except (FileNotFoundError, NotADirectoryError):
            return None, {}
        except OSError as exc:
            raise self.fault(f"cannot be read: {_reason(exc)}") from exc
        return stamp, self._parsed(text)

    def update(
        self, change: Callable[[dict[str, Any]], bool]
    ) -> tuple[FileStamp | None, dict[str, Any]]:
        """Changes the content while no other process can, and waits until the disk has it.

        Args:
            change: Changes the content it is given; returns whether there is anything to write.

        Returns:
            The stamp and the content of the file as they are now.

        Raises:
            StateFileError: The file is another version's, damaged, or may not be read; or
                another process does not let go of it.
            OSError: The place cannot be written to; the file is unchanged.
        """
        with self._locked():
            stamp, content = self.read()
            if not change(content):
                return stamp, content
            content = {"version": self.version} | content
            return self._replace(content, stamp), content

    def fault(self, what: str) -> StateFileError:
        """An error that names the file, what is wrong with it and the ways out."""
        return StateFileError(
            f"{self.path}: this {self.kind} {what}; repair it, or move it away to start anew"
        )

    def _read_bytes(self) -> tuple[FileStamp, bytes]:
        # The stamp first: should the file be replaced in between, the next stamp differs.
        stamp = _stamp_of(self.path.stat())
        return stamp, self.path.read_bytes()

    def _parsed(self, text: bytes) -> dict[str, Any]:
        try:
            content = json.loads(text.decode("utf-8-sig"))
        except (ValueError, RecursionError) as exc:
            what = f"is no JSON ({exc})" if text.strip() else "is empty"
            raise self.fault(what) from exc
        version = content.get("version") if isinstance(content, dict) else None
        if not isinstance(content, dict) or type(version) is not int or version < 1:
            raise self.fault("is no JSON object with a version")
        if version > self.version:
            raise StateFileError(
                f"{self.path}: this {self.kind} has version {version}, which a newer "
                f"appfunctions-mcp wrote; this one reads up to {self.version}: upgrade it, or "
                f"use another file"
            )
        return content

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        from filelock import FileLock, Timeout

        make_private_folder(self.path.parent)
        lock = FileLock(f"{self.path}.lock", mode=0o600)
        try:
            lock.acquire(timeout=LOCK_TIMEOUT_SECONDS, poll_interval=0.01)
        except Timeout as exc:
            raise StateFileError(
                f"{self.path}: another process has held {lock.lock_file} for "
                f"{LOCK_TIMEOUT_SECONDS:g} s; end that process and try again"
            ) from exc
        try:
            yield
        finally:
            lock.release()

    def _replace(self, content: dict[str, Any], previous: FileStamp | None) -> FileStamp:
        # A link to the file stays a link, and what it points to is replaced.
        target = os.path.realpath(self.path)
        temporary = Path(f"{target}.tmp")
        # The lock is held, so what is left there belongs to a process that was killed.
        temporary.unlink(missing_ok=True)
        try:
            text = json.dumps(content, indent=1, sort_keys=self._sort_members)
            _write_new(temporary, text.encode() + b"\n")
            stamp = _stamp_after(temporary, previous)
            _patiently(lambda: os.replace(temporary, target))  # noqa: PTH105 - text and path alike
        except OSError:
            with contextlib.suppress(OSError):  # the first fault is the one to tell
                temporary.unlink(missing_ok=True)
            raise
        _synchronise_folder(Path(target).parent)
        return stamp


def make_private_folder(folder: Path) -> None:
    """Makes a folder and those above it that are missing, each for its owner only (0700).

    Raises:
        OSError: The place cannot be written to.
    """
    above = itertools.chain([folder], folder.parents)
    missing = list(itertools.takewhile(lambda each: not each.is_dir(), above))
    for each in reversed(missing):
        with contextlib.suppress(FileExistsError):  # another process was faster
            each.mkdir(mode=0o700)
        if not each.is_dir():
            raise NotADirectoryError(f"{each} is no folder")


def _write_new(path: Path, text: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags, 0o600), "wb") as file:  # noqa: PTH123 - opened as 0600 at once
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _stamp_after(path: Path, previous: FileStamp | None) -> FileStamp:
    """Gives a new file a later time than the one it replaces had, whatever the clock's grain.

    Inodes are used again and lengths repeat, so that nothing but the time would be left to
    tell two contents apart.
    """
    status = path.stat()
    if previous is not None and status.st_mtime_ns <= previous.mtime_ns:
        os.utime(path, ns=(status.st_atime_ns, previous.mtime_ns + 1_000))
        status = path.stat()
    return _stamp_of(status)


def _synchronise_folder(folder: Path) -> None:
    # Windows and some file systems cannot; the file itself is on the disk already.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _patiently(action: Callable[[], T]) -> T:
    """Does something that Windows refuses while another process reads or replaces the file."""
    for _ in range(_FURTHER_ATTEMPTS):
        try:
            return action()
        except PermissionError:
            time.sleep(0.01)
    return action()


def _stamp_of(status: os.stat_result) -> FileStamp:
    return FileStamp(status.st_mtime_ns, status.st_size, status.st_ino)


def _reason(exc: OSError) -> str:
    return exc.strerror or type(exc).__name__
