"""Writes the files of a command that makes a folder: all of them, or none.

Nothing is replaced unless that is asked for, then only files of the same names. No file lies
outside the folder, whatever links are in it.
"""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from appfunctions_mcp.exceptions import SettingsError


def require_free_folder(folder: Path, *, force: bool) -> None:
    """Refuses a folder that holds something, unless its files may be replaced.

    Raises:
        SettingsError: It holds files, or is none.
    """
    if not os.path.lexists(folder):
        return
    if not folder.is_dir():
        raise SettingsError(f"{folder} is no folder; give another one with -o")
    if not force and any(folder.iterdir()):
        raise SettingsError(
            f"{folder} is not empty; give another folder with -o, or --force to replace the files "
            "that would be written"
        )


def write_folder(folder: Path, files: Mapping[str, str | bytes], *, force: bool = False) -> None:
    """Writes files into a folder, in one step where the folder is new.

    Args:
        folder: Where; made, if it is not there.
        files: Texts and contents by their path in it, with `/` between folders.
        force: Whether files of these paths are replaced.

    Raises:
        SettingsError: See `require_free_folder`; or a link in the folder leads out of it.
        OSError: The place cannot be written to; nothing has changed.
    """
    require_free_folder(folder, force=force)
    is_new = not os.path.lexists(folder)
    if is_new:
        folder.parent.mkdir(parents=True, exist_ok=True)
    beside = folder.parent if is_new else folder
    # A folder of its own in the same place, so that renaming is all that is left to do.
    staging = Path(tempfile.mkdtemp(prefix=".appfunctions-mcp-", dir=beside))
    try:
        new = staging / "new"
        _write_all(new, files)
        if is_new:
            new.rename(folder)
        else:
            _replace_all(folder, new, staging / "old", sorted(files))
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _write_all(folder: Path, files: Mapping[str, str | bytes]) -> None:
    folder.mkdir()
    for name, content in files.items():
        path = folder.joinpath(*name.split("/"))
        path.parent.mkdir(parents=True, exist_ok=True)
        # Exclusive: names that differ in case only are one file on some systems.
        with path.open("xb") as file:
            file.write(content.encode() if isinstance(content, str) else content)


def _replace_all(folder: Path, new: Path, old: Path, names: list[str]) -> None:
    """Moves new files to their places, and what was there back if one of them cannot be."""
    _require_inside(folder, names)
    with contextlib.ExitStack() as undo:
        for name in names:
            target = folder.joinpath(*name.split("/"))
            for parent in reversed(target.relative_to(folder).parents[:-1]):
                if not (folder / parent).is_dir():
                    (folder / parent).mkdir()
                    undo.callback((folder / parent).rmdir)
            if os.path.lexists(target):
                kept = old.joinpath(*name.split("/"))
                kept.parent.mkdir(parents=True, exist_ok=True)
                target.rename(kept)
                undo.callback(kept.replace, target)
            new.joinpath(*name.split("/")).rename(target)
            undo.callback(target.unlink)
        undo.pop_all()


def _require_inside(folder: Path, names: list[str]) -> None:
    """Refuses links that lead elsewhere, and folders where files would be, before any change."""
    root = folder.resolve()
    for name in names:
        target = folder.joinpath(*name.split("/"))
        if not target.parent.resolve().is_relative_to(root):
            raise SettingsError(f"{target.parent} leads out of {folder}; remove the link")
        if target.is_dir() and not target.is_symlink():
            raise SettingsError(
                f"{target} is a folder, where a file would be written; move it away"
            )
