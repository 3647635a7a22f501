"""What the commands have in common on the command line: the metadata file and its options."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from appfunctions_mcp.exceptions import SettingsError

DEFAULT_FILES = ("metadata/app_metadata.xml", "app_metadata.xml")


def add_service_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what every command that loads a service takes."""
    parser.add_argument(
        "--module",
        action="append",
        default=[],
        metavar="NAME[:PREFIX]",
        help="serve this module too (repeatable)",
    )
    parser.add_argument("--locale", help="translation of the strings, such as ru or pt-BR")
    parser.add_argument("--resources", metavar="DIR", help="folder that holds values*/")
    parser.add_argument("--state-file", metavar="PATH", help="where functions' states are kept")


def split_file(words: Sequence[str]) -> tuple[str | None, list[str]]:
    """The FILE among positional words, and the words after it.

    The first word is FILE only if it ends in `.xml` or is a folder.
    """
    if words and (words[0].endswith(".xml") or Path(words[0]).is_dir()):
        return words[0], list(words[1:])
    return None, list(words)


def find_file(given: str | Path | None) -> Path:
    """The metadata file: as given, or at its usual places.

    Args:
        given: The file or the folder that holds it, which may be that of an Android app; None
            looks below the current folder.

    Raises:
        AppFunctionsError: There is none; names the places that were looked at.
    """
    return find_files(given)[0]


def find_files(given: str | Path | None) -> list[Path]:
    """The metadata file, and behind it the files that say where it is: an Android manifest.

    Raises:
        AppFunctionsError: As `find_file`.
    """
    if given is not None:
        return _files_in_folder(Path(given)) if Path(given).is_dir() else [Path(given)]
    for place in DEFAULT_FILES:
        if Path(place).is_file():
            return [Path(place)]
    raise SettingsError(
        f"no metadata file: neither {' nor '.join(DEFAULT_FILES)} is in {Path.cwd()}; give FILE or "
        "set APPFUNCTIONS_FILE, or start one with 'appfunctions-mcp new NAME'"
    )


def _files_in_folder(folder: Path) -> list[Path]:
    for place in DEFAULT_FILES:
        if (folder / place).is_file():
            return [folder / place]
    from appfunctions_mcp.android.app.app_folders import find_app

    app = find_app(folder)
    if app is None:
        raise SettingsError(
            f"{folder} is a folder with neither {' nor '.join(DEFAULT_FILES)}, and no Android "
            "app's src/main; give the metadata file"
        )
    metadata = app.metadata_file()
    if metadata is None:
        raise SettingsError(
            f"{app.manifest.path} names no metadata of an app with functions; add the property "
            "android.app.appfunctions.app_metadata, or give the metadata file"
        )
    return [metadata, app.manifest.path]
