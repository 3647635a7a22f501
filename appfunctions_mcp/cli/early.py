"""The start of `run` from a manifest: before the command line is parsed, or much is imported.

A manifest is only found for the words and the environment with which a server has started well
before. So nothing has to be understood of them here, but what keeps a manifest from being used.
"""

import os
from time import time_ns

from appfunctions_mcp.manifest import manifest_folder, manifest_name, read_manifest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from appfunctions_mcp.manifest import Manifest
    from appfunctions_mcp.server.prologue import Connection

_OTHER_SERVING = ("--audit", "--eager", "--http", "--watch", "-h", "--help")
"""`--watch` stands for `--watch-parent` too."""
_OFF = frozenset({"", "0", "false", "no", "off"})
_OTHER_UNLESS = (
    ("APPFUNCTIONS_EAGER", _OFF),
    ("APPFUNCTIONS_WATCH", _OFF),
    ("APPFUNCTIONS_AUDIT_FILE", frozenset({""})),
    ("APPFUNCTIONS_WATCH_PARENT", _OFF),
    ("APPFUNCTIONS_HTTP", frozenset({""})),
    ("APPFUNCTIONS_ENGINE", frozenset({"", "lean"})),
)


class EarlyStart:
    """What was done before the command itself runs.

    Args:
        path: Where the manifest of this start is, or will be; None where there can be none.
    """

    __slots__ = ("connection", "is_over", "manifest", "named", "path", "started_ns")

    def __init__(self, path: str) -> None:
        self.path: str | None = path
        self.started_ns = time_ns()
        """Before anything of the app is read."""
        self.manifest: Manifest | None = None
        """What has been answered so far; None where nothing has."""
        self.named: list[Path] = []
        """What the command line names, as it does: the metadata file, the folder of strings."""
        self.connection: Connection | None = None
        self.is_over = False
        """Whether the client has gone, and nothing is left to do."""


def start_early(words: "list[str]") -> EarlyStart | None:
    """Serves from the manifest for as long as it has the answers.

    Args:
        words: The command line behind `run`.

    Returns:
        None where manifests have no part in this start.
    """
    if any(word.startswith(_OTHER_SERVING) for word in words) or os.isatty(0):
        return None
    for variable, fine in _OTHER_UNLESS:
        if os.environ.get(variable, "").strip().casefold() not in fine:
            return None
    folder = manifest_folder()
    if folder is None:
        return None
    try:
        path = os.path.join(folder, manifest_name(words))
    except OSError:
        return None
    early = EarlyStart(path)
    manifest = read_manifest(path)
    if manifest is not None:
        _serve(early, manifest)
    return early


def _serve(early: EarlyStart, manifest: "Manifest") -> None:
    from appfunctions_mcp.server.prologue import Prologue, end_on_signals

    try:
        prologue = Prologue(manifest)
    except (OSError, ValueError):
        return  # the states are for the full start to judge
    early.manifest = manifest
    end_on_signals(prologue)
    early.connection = prologue.run()
    early.is_over = early.connection is None
    early.started_ns = time_ns()
