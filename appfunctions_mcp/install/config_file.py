"""Changes a client's configuration file so that nothing is ever half written or lost.

A change holds a lock, reads the file again, keeps a backup, writes a temporary file beside it
and puts that in its place. Knows nothing of what stands in the file.
"""

import difflib
import glob
import hashlib
import os
import re
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from appfunctions_mcp.install.errors import InstallError
from appfunctions_mcp.kept_files import make_private_folder

LOCK_TIMEOUT_SECONDS = 10.0
PRIVATE_MODE = 0o600
_TEMPORARY_SUFFIX = ".appfunctions-tmp"
_ATTEMPTS = 5
_SECRET_NAME = re.compile("TOKEN|KEY|SECRET|PASSW|AUTH|CREDENTIAL|COOKIE", re.IGNORECASE)
_MEMBER = re.compile(
    r"""((?:"(?P<quoted>[^"]*)"|(?P<bare>[A-Za-z0-9_-]+))\s*[:=]\s*)"""
    r"""(?:"(?:[^"\\]|\\.)*"|'[^']*')"""
)
"""A member of JSON or an assignment of TOML whose value is a text."""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What a change has done."""

    before: bytes | None
    after: bytes | None
    backup: Path | None

    @property
    def changed(self) -> bool:
        """Whether anything was written."""
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """One configuration file of a client."""

    path: Path
    """As the client names it; may be a symbolic link."""
    roots: tuple[Path, ...]
    """The folders that a symbolic link may lead to."""
    locks: Path
    """The folder of our lock files, so that none is left in a project."""

    def target(self) -> Path:
        """The file itself, links followed.

        Raises:
            InstallError: A link leads out of the allowed folders, or there is no regular file.
        """
        target = Path(os.path.realpath(self.path))
        roots = [Path(os.path.realpath(root)) for root in self.roots]
        if not any(target.is_relative_to(root) for root in roots):
            allowed = " or ".join(str(root) for root in self.roots)
            raise InstallError(
                f"{self.path}: a symbolic link that leads to {target}, out of {allowed}; "
                f"edit that file by hand with the output of --print"
            )
        if os.path.lexists(target) and not target.is_file():
            raise InstallError(f"{target}: no regular file; move it away")
        return target

    def read(self) -> bytes | None:
        """The bytes of the file; None where there is none.

        Raises:
            InstallError: The file cannot be read.
        """
        target = self.target()
        with _system_faults(target):
            return _read(target)

    def rewrite(self, edit: Callable[[bytes | None], bytes | None], *, backup: bool) -> Rewrite:
        """Changes the file under a lock; `edit` gets the newest bytes and may run again.

        Args:
            edit: Takes the bytes (None: no file) and returns the new ones (None: remove the
                file); what it raises ends the change with the file untouched.
            backup: Whether the bytes from before are kept beside the file.

        Raises:
            InstallError: The file cannot be written, or another program keeps changing it.
        """
        target = self.target()
        with _system_faults(target), self._lock(target):
            for _ in range(_ATTEMPTS):
                done = _rewrite_once(target, edit, backup=backup)
                if done is not None:
                    return done
        raise InstallError(f"{target}: another program keeps changing it; close that and repeat")

    def backups(self) -> list[Path]:
        """The backups beside the file, newest first."""
        target = self.target()
        found = target.parent.glob(f"{glob.escape(target.name)}.appfunctions-*.bak")
        return sorted(found, reverse=True)

    @contextmanager
    def _lock(self, target: Path) -> Iterator[None]:
        """Keeps other processes of ours out of the file."""
        from filelock import FileLock, Timeout

        make_private_folder(self.locks)
        digest = hashlib.sha256(os.fsencode(target)).hexdigest()[:16]
        lock = FileLock(self.locks / f"{digest}.lock", timeout=LOCK_TIMEOUT_SECONDS)
        try:
            lock.acquire()
        except Timeout as error:
            raise InstallError(
                f"{target}: another installation has held it for {LOCK_TIMEOUT_SECONDS:.0f} s; "
                f"wait for that one, or end it"
            ) from error
        try:
            yield
        finally:
            lock.release()


def unified_diff(
    path: Path,
    before: bytes | None,
    after: bytes | None,
    secret_names: frozenset[str] = frozenset(),
) -> str:
    """The change as a unified diff, without the values of secrets.

    Args:
        path: The file.
        before: Its bytes; None where there is no file.
        after: What they become.
        secret_names: Variables whose values are secrets though their names do not look so.
    """
    lines = difflib.unified_diff(
        (before or b"").decode(errors="replace").splitlines(),
        (after or b"").decode(errors="replace").splitlines(),
        str(path) if before is not None else os.devnull,
        str(path) if after is not None else os.devnull,
        lineterm="",
    )
    return "\n".join(_masked(line, secret_names) for line in lines)


def _masked(line: str, secret_names: frozenset[str]) -> str:
    """A line without the values of secrets."""

    def mask(found: re.Match[str]) -> str:
        name = found["quoted"] if found["bare"] is None else found["bare"]
        is_secret = looks_secret(name) or name in secret_names
        return f'{found[1]}"***"' if is_secret else found[0]

    return _MEMBER.sub(mask, line)


def looks_secret(name: str) -> bool:
    """Whether the value of a variable of this name is better not shown or shared."""
    return _SECRET_NAME.search(name) is not None


def _rewrite_once(
    target: Path, edit: Callable[[bytes | None], bytes | None], *, backup: bool
) -> Rewrite | None:
    """One attempt; None where another program changed the file meanwhile."""
    before = _read(target)
    after = edit(before)
    if after == before:
        return Rewrite(before, after, None)
    if before is not None and not os.access(target, os.W_OK):
        raise InstallError(f"{target}: the file is read-only; make it writable, or edit it by hand")
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    _remove_leftovers(target)
    kept = _write_backup(target, before) if backup and before is not None else None
    written = False
    try:
        written = _replace(target, before, after) if after is not None else _remove(target, before)
    finally:
        if not written and kept is not None:
            kept.unlink()
    if not written:
        return None
    _sync_folder(target.parent)
    return Rewrite(before, after, kept)


def _replace(target: Path, before: bytes | None, after: bytes) -> bool:
    """Puts the new bytes in the place of the old file; False where it has changed meanwhile."""
    descriptor, name = tempfile.mkstemp(
        prefix=f".{target.name}.", suffix=_TEMPORARY_SUFFIX, dir=target.parent
    )
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(after)
            stream.flush()
            os.fsync(stream.fileno())
        if before is not None:
            _copy_rights(target, temporary)
        if _read(target) != before:
            return False
        temporary.replace(target)
        return True
    finally:
        temporary.unlink(missing_ok=True)


def _remove(target: Path, before: bytes | None) -> bool:
    """Removes the file; False where it has changed meanwhile."""
    if _read(target) != before:
        return False
    target.unlink()
    return True


def _copy_rights(target: Path, temporary: Path) -> None:
    """Gives the new file the mode and the owner of the old one."""
    status = target.stat()
    temporary.chmod(stat.S_IMODE(status.st_mode))
    own = temporary.stat()
    if not hasattr(os, "chown"):
        return
    if own.st_uid != status.st_uid:
        os.chown(temporary, status.st_uid, status.st_gid)
    elif own.st_gid != status.st_gid:
        # A group that the user is not in cannot be given; the file stays the user's all the same.
        with suppress(PermissionError):
            os.chown(temporary, -1, status.st_gid)


def _write_backup(target: Path, content: bytes) -> Path:
    """Keeps the bytes beside the file, readable by its owner only."""
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    path = target.with_name(f"{target.name}.appfunctions-{moment}.bak")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags, PRIVATE_MODE)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
    except OSError:
        # Half a backup is none.
        path.unlink()
        raise
    return path


def _remove_leftovers(target: Path) -> None:
    """Removes temporary files of installations that were killed; called under the lock."""
    for leftover in target.parent.glob(f".{glob.escape(target.name)}.*{_TEMPORARY_SUFFIX}"):
        leftover.unlink(missing_ok=True)


def _read(target: Path) -> bytes | None:
    try:
        return target.read_bytes()
    except FileNotFoundError:
        return None


def _sync_folder(folder: Path) -> None:
    """Makes the new name last through a loss of power, where folders can be synced."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _system_faults(target: Path) -> Iterator[None]:
    """Turns the system's refusal into one line that names the file."""
    try:
        yield
    except OSError as error:
        where = error.filename if isinstance(error.filename, str) else target
        raise InstallError(
            f"{target}: {error.strerror or error} ({where}); nothing was changed"
        ) from error
