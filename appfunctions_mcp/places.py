"""Where this program keeps its files: the user's folders for state and data.

Only names places; whoever keeps a file there makes the folder.
"""

import hashlib
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

APP_FOLDER = "appfunctions-mcp"


def state_file(server_name: str, metadata_path: Path | None = None) -> Path:
    """The file that keeps which functions of a server are on and off.

    Args:
        server_name: The server's name.
        metadata_path: The metadata file; two servers of one name from two files keep apart.
            None for an app made in code.
    """
    return state_folder() / f"{_file_name(server_name, metadata_path)}.json"


def conversations_folder(name: str, sources: Sequence[str]) -> Path:
    """The folder that keeps the conversations over one set of functions.

    Args:
        name: What people call the set.
        sources: What it is made of; two sets of one name keep apart.
    """
    digest = hashlib.sha256("\0".join(sources).encode("utf-8", "surrogatepass")).hexdigest()
    return state_folder() / "conversations" / f"{_file_name(name, None)}-{digest[:8]}"


def state_folder() -> Path:
    """The folder for state: what was switched on or off, and used confirmations."""
    if folder := _unix_state_folder():
        return folder
    from platformdirs import user_state_path

    return _absolute(user_state_path)


def data_folder() -> Path:
    """The folder for what users made."""
    from platformdirs import user_data_path

    return _absolute(user_data_path)


def _unix_state_folder() -> Path | None:
    """What platformdirs would say where that is plain; its import costs every start."""
    if sys.platform != "linux" or "ANDROID_DATA" in os.environ:
        return None
    for variable, below in (("XDG_STATE_HOME", ""), ("HOME", ".local/state")):
        folder = Path(os.environ.get(variable, ""), below)
        if folder.is_absolute():
            return folder / APP_FOLDER
    return None


def _file_name(server_name: str, metadata_path: Path | None) -> str:
    name = re.sub(r"[^A-Za-z0-9._-]+", "_", server_name).strip("._")[:64] or "server"
    if metadata_path is None:
        return name
    # Clients on Windows start servers with drive letters of either case.
    location = os.path.normcase(os.path.abspath(metadata_path))  # noqa: PTH100 - links stay
    return f"{name}-{hashlib.sha256(os.fsencode(location)).hexdigest()[:8]}"


def _absolute(user_path: Callable[..., Path]) -> Path:
    """A folder of the user's; one that cannot be made where the user has no home."""
    nowhere = Path(os.sep, "nonexistent", APP_FOLDER)
    try:
        folder = user_path(APP_FOLDER, appauthor=False)
    except RuntimeError:  # platformdirs found no home; its older versions leave the '~'
        return nowhere
    return folder if folder.is_absolute() else nowhere
