"""The files of an app that is being worked on: what to look at, and which of it has changed.

Nothing of the app is imported. The times of the files are looked at twice a second, since file
events do not come from every place where people keep their files: shared folders, containers.
"""

import asyncio
import importlib.util
import itertools
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from appfunctions_mcp.exceptions import AppFunctionsError
from appfunctions_mcp.metadata import AppMetadata

LOOK_SECONDS = 0.5
_SETTLE_SECONDS = 0.1
"""Editors and version control write several files; a change is over when nothing follows."""
_SUFFIXES = frozenset({".py", ".xml"})
_MOST_FILES = 20_000

_Stamp = tuple[int, int, int]


class WatchedFiles:
    """The metadata, the strings, the modules and the declared data files of an app.

    Args:
        metadata_file: The metadata file, which may be broken, or not be there.
        read_metadata: Reads it; called after each change, since it says what else to look at.
    """

    def __init__(self, metadata_file: Path, read_metadata: Callable[[], AppMetadata]) -> None:
        self._file = Path(os.path.abspath(metadata_file))  # noqa: PTH100 - links stay
        self._read_metadata = read_metadata
        self._metadata: AppMetadata | None = None
        self._seen: dict[str, _Stamp] = {}
        self.begin()

    def begin(self) -> None:
        """Takes what is there now for what the app has been started with."""
        try:
            self._metadata = self._read_metadata()
        except AppFunctionsError:  # who starts the app tells what is wrong with it
            self._metadata = self._metadata or None
        self._seen = self._stamps()

    def look(self) -> list[str]:
        """The names of the files that were changed, added or removed since `begin`."""
        return [self._shown(path) for path in self._different()]

    def settled(self) -> list[str]:
        """The names of the files that have changed, once nothing more changes; takes a while.

        Empty where everything is as it was in the end.
        """
        before, now = None, self._stamps()
        while before != now:
            time.sleep(_SETTLE_SECONDS)
            before, now = now, self._stamps()
        different = self._different()
        for path in different:
            _forget_compiled(path)
        self.begin()
        return [self._shown(path) for path in different]

    async def changed(self) -> list[str]:
        """Waits for a change, and until nothing more changes.

        Returns:
            The names of the files.
        """
        while not (names := await asyncio.to_thread(self._changed_now)):  # noqa: ASYNC110 - polled
            await asyncio.sleep(LOOK_SECONDS)
        return names

    def _different(self) -> list[str]:
        now = self._stamps()
        known = {**self._seen, **now}
        return sorted(path for path in known if self._seen.get(path) != now.get(path))

    def _changed_now(self) -> list[str]:
        return self.settled() if self.look() else []

    def _stamps(self) -> dict[str, _Stamp]:
        return dict(itertools.islice(self._stamped(), _MOST_FILES))

    def _stamped(self) -> Iterator[tuple[str, _Stamp]]:
        for path in (self._file, *self._named()):
            yield from _stamp_of(path)
        for folder, is_deep in self._folders().items():
            yield from _stamps_below(folder, is_deep=is_deep)

    def _named(self) -> Iterator[Path]:
        if self._metadata is not None:
            yield from self._metadata.sources
            yield from self._metadata.depends_on

    def _folders(self) -> dict[Path, bool]:
        """Where modules and strings lie, and whether in folders below as well.

        A file that is new there may be wanted by an old one.
        """
        folders = {self._file.parent: False}
        if self._metadata is not None:
            folders |= {source.parent: False for source in self._metadata.sources}
            folders |= _module_folders(self._metadata)
        return folders

    def _shown(self, path: str) -> str:
        try:
            return os.path.relpath(path)
        except ValueError:  # another drive
            return path


def _forget_compiled(path: str) -> None:
    """Python would take what it compiled for two versions of one second and one length as equal."""
    if path.endswith(".py"):
        with suppress(OSError):
            os.unlink(importlib.util.cache_from_source(path))  # noqa: PTH108 - a text


def _module_folders(metadata: AppMetadata) -> dict[Path, bool]:
    """The packages of the declared modules; for a module alone, the folder that it lies in."""
    folders: dict[Path, bool] = {}
    places = [Path(place) for place in sys.path if place]
    if metadata.python_path is not None:
        places.insert(0, metadata.python_path)
        folders[metadata.python_path] = False
    for top in {declared.module.partition(".")[0] for declared in metadata.modules}:
        for place in places:
            if (place / top).is_dir():
                folders[place / top] = True
                break
            if (place / f"{top}.py").is_file():
                folders.setdefault(place, False)
                break
    return folders


def _stamps_below(folder: Path, *, is_deep: bool) -> Iterator[tuple[str, _Stamp]]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:  # gone meanwhile, or never there
        return
    for entry in entries:
        if entry.name.startswith((".", "__pycache__")):
            continue
        if Path(entry.name).suffix in _SUFFIXES:
            yield from _stamp_of(Path(entry.path))
        elif is_deep and entry.is_dir(follow_symlinks=False):
            yield from _stamps_below(Path(entry.path), is_deep=True)


def _stamp_of(path: Path) -> Iterator[tuple[str, _Stamp]]:
    try:
        status = path.stat()
    except OSError:  # gone meanwhile, or not made yet
        return
    yield str(path), (status.st_mtime_ns, status.st_size, status.st_ino)
