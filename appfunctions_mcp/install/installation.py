"""Putting an entry into a client's file, and taking it out again.

A pure edit of bytes for each, handed to `ConfigFile`, which runs it on the newest bytes under a
lock. Knows nothing of the command line.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from appfunctions_mcp.install.addresses import read_url
from appfunctions_mcp.install.clients import ConfigDocument, ConfigPlace, McpClient, Scope
from appfunctions_mcp.install.config_file import ConfigFile, Rewrite, unified_diff
from appfunctions_mcp.install.entry import is_ours, merge_entry
from appfunctions_mcp.install.errors import InstallError
from appfunctions_mcp.install.machine import Machine


@dataclass(frozen=True, slots=True)
class Target:
    """The file of a client that is edited, and the other files that it might have been."""

    client: McpClient
    places: tuple[ConfigPlace, ...]
    file: ConfigFile

    @property
    def document(self) -> ConfigDocument:
        """The format of the file."""
        return self.client.document

    def entries(self) -> dict[str, Any]:
        """The server entries that the file has now."""
        return self.document.read_entries(self.file.read(), self.file.path)


def find_target(client: McpClient, machine: Machine, scope: Scope, locks: Path) -> Target:
    """The file that a client reads on this machine.

    Args:
        client: Whose file.
        machine: Where.
        scope: The user's file or the project's.
        locks: The folder of lock files.
    """
    return find_targets(client, machine, scope, locks)[0]


def find_targets(client: McpClient, machine: Machine, scope: Scope, locks: Path) -> list[Target]:
    """Every file that a client may have, the one that it reads first."""
    places = client.config_places(machine, scope)
    return [Target(client, places, config_file(place, locks)) for place in places]


def config_file(place: ConfigPlace, locks: Path) -> ConfigFile:
    """The file at a place."""
    return ConfigFile(place.path, place.roots, locks)


@dataclass(frozen=True, slots=True)
class Installation:
    """One entry that is to stand in one file."""

    target: Target
    name: str
    wanted: Mapping[str, Any]
    force: bool = False

    def entry(self, existing: Any) -> dict[str, Any]:
        """The entry as it will stand: the wanted one, with what the existing one has besides."""
        return merge_entry(existing, self.wanted)

    def edit(self, content: bytes | None) -> bytes | None:
        """The file with the entry; as it was where it has that entry already.

        Raises:
            InstallError: A different entry of this name is there and `force` is not given, or
                the file cannot be read.
        """
        path = self.target.file.path
        entries = self.target.document.read_entries(content, path)
        if self.name not in entries:
            return self.target.document.with_entry(content, path, self.name, self.wanted)
        existing = entries[self.name]
        entry = self.entry(existing)
        if entry == existing:
            return content
        if not self.force and not _only_adds(entry, existing):
            raise InstallError(
                f"{path}: another entry {self.name!r} ({_owner(existing)}) is there and would be "
                f"replaced; look at it with --dry-run --force, replace it with --force, or give "
                f"another --name"
            )
        return self.target.document.with_entry(content, path, self.name, entry)

    def diff(self, secret_names: frozenset[str] = frozenset()) -> str:
        """What the installation would change, as a unified diff; empty where nothing."""
        before = self.target.file.read()
        return unified_diff(self.target.file.path, before, self.edit(before), secret_names)

    def write(self) -> Rewrite:
        """Changes the file.

        Raises:
            InstallError: It cannot be changed; it is as it was.
        """
        return self.target.file.rewrite(self.edit, backup=True)


def _owner(entry: Any) -> str:
    if read_url(entry) is not None:
        return "an address"
    return "of this program" if is_ours(entry) else "of another program"


def _only_adds(entry: Mapping[str, Any], existing: Any) -> bool:
    """Whether an entry says all that the existing one of ours says: two clients share a file."""
    return is_ours(existing) and all(
        key in entry and entry[key] == value for key, value in existing.items()
    )


@dataclass(frozen=True, slots=True)
class Removal:
    """What taking an entry out has done."""

    restored: Path | None
    """The backup that the file is equal to again; None where only the entry was removed."""
    backup: Path | None
    """The bytes from before, kept where only the entry was removed."""
    file_removed: bool = False


def remove_entry(target: Target, name: str, *, force: bool = False) -> Removal:
    """Takes an entry out: back to the bytes from before it, if nothing else has changed.

    The file is still ours if putting the entry into a backup gives exactly its bytes. A backup
    that has an older entry of ours is passed over, so that the server is gone afterwards.

    Raises:
        InstallError: There is no such entry, it is another program's and `force` is not given,
            or the file cannot be changed.
    """
    path, document = target.file.path, target.document
    backups = target.file.backups()
    restored: list[Path] = []

    def edit(content: bytes | None) -> bytes | None:
        restored.clear()
        entry = _require_entry(target, content, name, force=force)
        for backup in backups:
            old = backup.read_bytes()
            if _is_before(document, old, content, backup, name, entry):
                restored.append(backup)
                return old
        if document.with_entry(None, path, name, entry) == content:
            return None
        return document.without_entry(content, path, name)

    done = target.file.rewrite(edit, backup=True)
    if not restored and done.after is not None:
        # A backup of what stands there again says nothing that the file does not.
        for backup in backups:
            if backup.read_bytes() == done.after:
                backup.unlink()
        return Removal(None, done.backup)
    # The file is as it was before the installation: what was kept on the way is of no more use.
    for leftover in (*restored, *([done.backup] if done.backup else [])):
        leftover.unlink()
    return Removal(restored[0] if restored else None, None, file_removed=done.after is None)


def _require_entry(target: Target, content: bytes | None, name: str, *, force: bool) -> Any:
    """The entry that is to go."""
    path = target.file.path
    entries = target.document.read_entries(content, path)
    if name not in entries:
        there = ", ".join(entries) or "none"
        raise InstallError(f"{path}: no entry {name!r}; servers there: {there}")
    entry = entries[name]
    starts_another = isinstance(entry, dict) and "command" in entry and not is_ours(entry)
    if starts_another and not force:
        raise InstallError(
            f"{path}: the entry {name!r} starts another program ({entry['command']}); "
            f"remove it all the same with --force"
        )
    return entry


def _is_before(
    document: ConfigDocument, old: bytes, now: bytes | None, backup: Path, name: str, entry: Any
) -> bool:
    """Whether a backup is the file without our entry, and nothing else has changed since."""
    # A backup that cannot be read any more is none that could be gone back to.
    try:
        earlier = document.read_entries(old, backup).get(name)
        return not is_ours(earlier) and document.with_entry(old, backup, name, entry) == now
    except InstallError:
        return False
