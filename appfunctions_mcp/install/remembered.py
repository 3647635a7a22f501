"""Remembers which addresses this program has put into clients' files.

An entry that is an address shows nothing of who wrote it; without this, `doctor` would have to
connect to every server that the user has.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from appfunctions_mcp.install.addresses import read_url
from appfunctions_mcp.install.entry import absolute_path, is_ours
from appfunctions_mcp.kept_files import KeptFile

_VERSION = 1


class RememberedAddresses:
    """The addresses by client file and by the name of the entry.

    Args:
        path: Where they are kept.
    """

    def __init__(self, path: Path) -> None:
        self._file = KeptFile(path, kind="list of installed addresses", version=_VERSION)

    def of(self, config: Path) -> dict[str, str]:
        """The addresses that were put into a client's file, by name.

        Raises:
            StateFileError: The list cannot be read.
        """
        _, content = self._file.read()
        return dict(content.get("files", {}).get(str(absolute_path(config)), {}))

    def note(self, config: Path, name: str, entry: Any) -> None:
        """Remembers what an entry has become; one that is gone or no address is forgotten.

        Args:
            config: The client's file.
            name: The name of the entry.
            entry: The entry as it stands there; None where it does not.

        Raises:
            StateFileError: The list cannot be read.
            OSError: It cannot be written.
        """
        url = read_url(entry)
        if url is None and name not in self.of(config):
            return

        def change(content: dict[str, Any]) -> bool:
            files = content.setdefault("files", {})
            known = files.setdefault(str(absolute_path(config)), {})
            known.pop(name, None)
            if url is not None:
                known[name] = url
            if not known:
                del files[str(absolute_path(config))]
            return True

        self._file.update(change)

    def ours(self, config: Path, entries: Mapping[str, Any]) -> list[str]:
        """The entries of a client's file that this program has written.

        Raises:
            StateFileError: The list cannot be read.
        """
        known = self.of(config)
        return [
            name
            for name, entry in entries.items()
            if is_ours(entry) or (name in known and read_url(entry) == known[name])
        ]
