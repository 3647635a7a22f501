"""Tells when one file changes, where the platform has file events: inotify or kqueue.

The folder is watched, so that a file which is replaced, removed or made later is noticed as
well. Nothing is polled: an idle watch costs nothing.
"""

import asyncio
import contextlib
import os
import select
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from appfunctions_mcp.inotify import inotify_events, open_inotify


class FileWatch(Protocol):
    """A watch that runs until it is closed."""

    def close(self) -> None:
        """Ends the watch; nothing is called back afterwards. May be called again."""


def watch_file(path: Path, callback: Callable[[], None]) -> FileWatch | None:
    """Calls back on the running loop after each change of a file, until the watch is closed.

    Replacing, removing and making the file count as changes. One callback may stand for
    several changes.

    Args:
        path: The file; its folder must exist.
        callback: What to call.

    Returns:
        None where the platform has no file events, or none for this place.
    """
    # A link is replaced where it points to, so that is where the events are.
    target = os.path.realpath(path)
    try:
        if sys.platform == "linux":
            return _InotifyWatch(target, callback)
        if hasattr(select, "kqueue"):
            return _KqueueWatch(target, callback)
    except (OSError, NotImplementedError):  # the watches of this user are used up, or the like
        return None
    return None


class _InotifyWatch:
    """One inotify descriptor on the file's folder, read by the loop."""

    def __init__(self, path: str, callback: Callable[[], None]) -> None:
        self._name = os.path.basename(os.fsencode(path))  # noqa: PTH119 - bytes, as events have
        self._callback = callback
        self._loop = asyncio.get_running_loop()
        self._descriptor = open_inotify(os.path.dirname(path))  # noqa: PTH120 - as above
        try:
            self._loop.add_reader(self._descriptor, self._read)
        except NotImplementedError:  # a loop without readers
            os.close(self._descriptor)
            raise

    def close(self) -> None:
        if self._descriptor >= 0:
            if not self._loop.is_closed():
                self._loop.remove_reader(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = -1

    def _read(self) -> None:
        try:
            events = os.read(self._descriptor, 65_536)
        except BlockingIOError:
            return
        if any(lost or name == self._name for lost, name in inotify_events(events)):
            self._callback()


class _KqueueWatch:  # pragma: no cover - macOS and the BSDs have kqueue
    """One kqueue on the file's folder and on the file, read by the loop."""

    def __init__(self, path: str, callback: Callable[[], None]) -> None:
        # Not every platform's `select` has these names.
        self._select: Any = select
        self._path = path
        self._callback = callback
        self._loop = asyncio.get_running_loop()
        self._file = -1
        self._folder = os.open(os.path.dirname(path), os.O_RDONLY)  # noqa: PTH120 - text
        self._queue = self._select.kqueue()
        try:
            self._register(self._folder)
            self._register_file()
            self._seen = self._stamp()
            self._loop.add_reader(self._queue.fileno(), self._read)
        except (OSError, NotImplementedError):
            self._close_descriptors()
            raise

    def close(self) -> None:
        if self._folder >= 0:
            if not self._loop.is_closed():
                self._loop.remove_reader(self._queue.fileno())
            self._close_descriptors()

    def _close_descriptors(self) -> None:
        self._queue.close()
        for descriptor in (self._folder, self._file):
            if descriptor >= 0:
                os.close(descriptor)
        self._folder = self._file = -1

    def _register(self, descriptor: int) -> None:
        s = self._select
        event = s.kevent(
            descriptor,
            filter=s.KQ_FILTER_VNODE,
            flags=s.KQ_EV_ADD | s.KQ_EV_CLEAR,
            fflags=s.KQ_NOTE_WRITE | s.KQ_NOTE_EXTEND | s.KQ_NOTE_DELETE | s.KQ_NOTE_RENAME,
        )
        self._queue.control([event], 0, 0)

    def _register_file(self) -> None:
        """Watches the file that now has the name, for changes in place."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
        with contextlib.suppress(FileNotFoundError):  # watched once it is made
            self._file = os.open(self._path, os.O_RDONLY)
            self._register(self._file)

    def _read(self) -> None:
        self._queue.control(None, 16, 0)
        self._register_file()
        # A folder's event does not say which of its files it is about.
        stamp = self._stamp()
        if stamp != self._seen:
            self._seen = stamp
            self._callback()

    def _stamp(self) -> tuple[int, int, int] | None:
        try:
            status = os.stat(self._path)  # noqa: PTH116 - text
        except FileNotFoundError:
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino
