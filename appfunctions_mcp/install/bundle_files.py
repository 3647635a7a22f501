"""Chooses the files of an app that go into a bundle, and those that never may.

An app is its metadata, the strings and icons that the metadata names, and the Python modules that
it serves, with whatever lies in their packages. Environments, caches, keys and databases stay out.
"""

import ast
import fnmatch
import glob
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from appfunctions_mcp.install.errors import InstallError
from appfunctions_mcp.metadata import AppMetadata
from appfunctions_mcp.records import record

MAX_ICON_BYTES = 256 * 1024
_PROGRAM = "appfunctions_mcp"
_ENVIRONMENT_FILE = "pyvenv.cfg"
_SKIPPED_FOLDERS = ("__pycache__", "__pypackages__", ".*", "node_modules", "venv", "*.egg-info")
_REFUSED = {
    "a file of environment variables": (".env", ".env.*", "*.env", ".envrc"),
    "a key": (
        *("*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.ppk", "*.jks", "*.keystore"),
        *("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*.kdbx", "*.gpg"),
    ),
    "a database": (
        *("*.db", "*.db-*", "*.db3", "*.sqlite", "*.sqlite-*", "*.sqlite3", "*.sqlite3-*"),
        *("*.duckdb", "*.mdb"),
    ),
    "a secret of another program": (
        *(".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".htpasswd", ".git-credentials"),
        *("credentials*.json", "client_secret*.json", "token.json", "secrets.*", "*.tfstate"),
    ),
}
_SECRET_CONTENTS = {b"SQLite format 3\x00": "a database", b" PRIVATE KEY-----": "a key"}
_LOOKED_AT_BYTES = 65536
_LEFT_OUT = ("*.pyc", "*.pyo", ".*", "*.bak", "*.log", "*.swp")


@record(frozen=True, slots=True)
class BundleFiles:
    """What goes into a bundle, by its path in it."""

    files: dict[str, Path]
    refused: tuple[str, ...]
    """What was found and stays out, with the reason."""
    metadata: str
    """The metadata file's path in the bundle."""
    icons: tuple[str, ...]
    installed: tuple[str, ...]
    """What the app serves or imports that is no file of its own but installed."""


def find_bundle_files(metadata: AppMetadata) -> BundleFiles:
    """The files that belong to an app.

    Args:
        metadata: Of an app that has a file.

    Raises:
        InstallError: An icon is too large, or a file lies outside the app's folder.
    """
    assert metadata.path is not None  # noqa: S101 - read from a file
    path = Path(os.path.realpath(metadata.path))
    modules_folder = Path(os.path.realpath(metadata.python_path or path.parent))
    root = Path(os.path.commonpath([path.parent, modules_folder]))
    chosen, refused, installed = [path, *metadata.depends_on], [], []
    chosen += [each for source in metadata.sources for each in _in_all_languages(source)]
    waiting = [module.module.partition(".")[0] for module in metadata.modules]
    waiting += [metadata.lifespan.partition(".")[0].partition(":")[0]] if metadata.lifespan else []
    # This program is one of the packages that the bundle is installed with.
    seen = {_PROGRAM}
    while waiting:
        top = waiting.pop(0)
        if top in seen:
            continue
        seen.add(top)
        found = list(_files_of_module(modules_folder, top))
        installed += [] if found else [top]
        for file in found:
            reason = _refusal_of(file)
            if reason is None:
                chosen.append(file)
                waiting += sorted(imported_modules(file))
            elif reason:
                refused.append(f"{file}: {reason}")
    icons = [_icon(icon.src) for icon in metadata.icons if "://" not in icon.src]
    files = {_inside(root, file): file for file in [*chosen, *icons]}
    _refuse_twins(files)
    return BundleFiles(
        dict(sorted(files.items())),
        tuple(refused),
        _inside(root, path),
        tuple(_inside(root, icon) for icon in icons),
        tuple(installed),
    )


def refusal(name: str) -> str | None:
    """Why a file of this name stays out; empty for what nobody misses, None for what may go in."""
    for reason, patterns in _REFUSED.items():
        if any(fnmatch.fnmatchcase(name.lower(), pattern) for pattern in patterns):
            return reason
    return "" if any(fnmatch.fnmatchcase(name.lower(), each) for each in _LEFT_OUT) else None


def _refusal_of(path: Path) -> str | None:
    """Why a file, or a link, stays out; by its name, by what it is and by what is in it."""
    if path.is_symlink() and not path.is_file():
        return "a link to a folder, or to nothing"
    reason = refusal(path.name)
    if reason is not None or path.suffix == ".py":
        return reason
    if not path.is_file():
        return "no regular file"
    with path.open("rb") as stream:
        start = stream.read(_LOOKED_AT_BYTES)
    return next((what for mark, what in _SECRET_CONTENTS.items() if mark in start), None)


def _refuse_twins(files: Iterable[str]) -> None:
    """Refuses names that are the same file on Windows and macOS."""
    seen: dict[str, str] = {}
    for name in files:
        other = seen.setdefault(name.casefold(), name)
        if other != name:
            raise InstallError(f"{other} and {name} differ only in case; rename one")


def imported_modules(file: Path) -> set[str]:
    """The first names of the modules that a file imports, the standard library's left out.

    Raises:
        InstallError: It is no Python.
    """
    if file.suffix != ".py":
        return set()
    try:
        tree = ast.parse(file.read_bytes(), str(file))
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        raise InstallError(f"{file}:{line}: no Python ({error}); correct it") from error
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found - sys.stdlib_module_names


def _in_all_languages(source: Path) -> Iterator[Path]:
    """A file of strings, and the files of the same strings in other languages."""
    yield source
    if source.parent.name.partition("-")[0] == "values":
        yield from source.parent.parent.glob(f"values*/{glob.escape(source.name)}")


def _files_of_module(folder: Path, top: str) -> Iterator[Path]:
    """The file of a module, or every file of a package."""
    if (folder / f"{top}.py").is_file():
        yield folder / f"{top}.py"
    for place, folders, names in os.walk(folder / top):
        kept = sorted(name for name in folders if not _is_skipped(Path(place, name)))
        # Links to folders are not gone into; as files they are named among what stays out.
        links = [name for name in kept if Path(place, name).is_symlink()]
        folders[:] = [name for name in kept if name not in links]
        yield from (Path(place, name) for name in sorted([*names, *links]))


def _is_skipped(folder: Path) -> bool:
    """Whether a folder holds caches, another program's packages or a virtual environment."""
    name = folder.name.lower()
    is_named_so = any(fnmatch.fnmatchcase(name, pattern) for pattern in _SKIPPED_FOLDERS)
    return is_named_so or (folder / _ENVIRONMENT_FILE).is_file()


def _icon(src: str) -> Path:
    path = Path(src)
    size = path.stat().st_size
    if size > MAX_ICON_BYTES:
        raise InstallError(
            f"{path}: the icon has {size:,} bytes, at most {MAX_ICON_BYTES:,} are taken"
        )
    return path


def _inside(root: Path, file: Path) -> str:
    """The path of a file in the bundle; links that lead out are refused."""
    real = Path(os.path.realpath(file))
    if not real.is_relative_to(root):
        raise InstallError(f"{file}: lies outside of {root}, so it cannot go into the bundle")
    return real.relative_to(root).as_posix()
