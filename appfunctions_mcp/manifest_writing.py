"""Makes the manifest of a service that has started well; `manifest.py` reads it.

Everything that the list may depend on goes into it: what the author wrote by its bytes, what
was installed by size and time. Where that cannot be told, no manifest is made. Knows nothing
of MCP.
"""

import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType

from appfunctions_mcp.kept_files import make_private_folder
from appfunctions_mcp.manifest import (
    LIFETIME_SECONDS,
    LINES,
    VERSION,
    content_line,
    hash_of,
    is_private,
    listing_line,
    modules_line,
    place_line,
    stamp_line,
)
from appfunctions_mcp.metadata import AppFunctionMetadata, AppMetadata
from appfunctions_mcp.service import AppFunctionService
from appfunctions_mcp.state import JsonFileStateStore

MAX_KEPT = 64
"""How many manifests are kept; the oldest beyond them go."""
MAX_HASHED_BYTES = 1024 * 1024
"""Of a declared data file that is larger, size and time count."""
_INSTALLED = {"site-packages", "dist-packages"}
_STANDARD_LIBRARY = os.path.dirname(os.__file__) + os.sep  # noqa: PTH120 - compared as text


def reason_against(service: AppFunctionService) -> str | None:
    """Why a service can have no manifest, in words; None where it can."""
    if not service.metadata.manifest:
        return 'the metadata says mcp:manifest="off"'
    if not isinstance(service.store, JsonFileStateStore) or service.metadata.path is None:
        return "its states are not kept in a file"
    if service.skipped:
        return f"a module was left out: {next(iter(service.skipped))}"
    for metadata in _all_metadata(service):
        if callable(metadata.access):
            return f"{metadata.function_id} has an access predicate"
    return None


def _all_metadata(service: AppFunctionService) -> Iterator[AppFunctionMetadata]:
    """What is known of every function, also of those behind resources and prompts."""
    yield from (function.metadata for function in service.registry)
    if service.has_resources:
        yield from (resource.function.metadata for resource in service.resources.registry)
    if service.has_prompts:
        yield from (prompt.function.metadata for prompt in service.prompts.all)


def write_manifest(
    path: str,
    service: AppFunctionService,
    answers: Mapping[str, bytes],
    tools: Sequence[tuple[AppFunctionMetadata, bytes]],
    *,
    named: Sequence[Path] = (),
    resources: Path | None = None,
    started_ns: int = 0,
) -> bool:
    """Writes the manifest of a service, unless it can have none.

    Args:
        path: Where; made, or replaced in one step.
        service: What has been loaded.
        answers: See `Manifest.answers`.
        tools: Every function and its tool as it goes over the wire.
        named: Paths as they were given; where their links lead counts.
        resources: Where strings were looked for, if that was said.
        started_ns: When the process began to read; a file that was changed since then may have
            been read before or after.

    Returns:
        Whether it was written; a cache that cannot be written is no fault.
    """
    store = service.store
    if reason_against(service) is not None or not isinstance(store, JsonFileStateStore):
        return False
    try:
        lines = [place_line(os.path.abspath(each)) for each in named]  # noqa: PTH100 - links stay
        files = b"\n".join([*lines, *_file_lines(service.metadata, resources, started_ns)])
        places = os.fsencode(f"{service.metadata.path}\n{os.path.abspath(store.path)}")  # noqa: PTH100 - links stay
        parts = [places, files, _lines_of(answers), _function_lines(tools)]
        parts.append(b",".join(tool for _, tool in tools))
        if places.count(b"\n") != 1 or any(line[:2] not in _KINDS for line in files.split(b"\n")):
            return False
        _replace(path, _with_header(parts))
    except OSError:
        return False
    return True


_KINDS = {kind + b" " for kind in LINES}


def _lines_of(answers: Mapping[str, bytes]) -> bytes:
    return b"\n".join(b"%b\t%b" % (name.encode(), answer) for name, answer in answers.items())


def _function_lines(tools: Sequence[tuple[AppFunctionMetadata, bytes]]) -> bytes:
    return "\n".join(
        f"{m.enabled_by_default:d} {len(tool)} {m.tool_name} {m.function_id}" for m, tool in tools
    ).encode()


def _with_header(parts: list[bytes]) -> bytes:
    body = b"".join(parts)
    lengths = ",".join(str(len(part)) for part in parts)
    header = (
        f'{{"version":{VERSION},"made":{int(time.time())},"lengths":[{lengths}],'
        f'"hash":"{hash_of(body)}"}}\n'
    )
    return header.encode() + body


def _file_lines(app: AppMetadata, resources: Path | None, started_ns: int) -> Iterator[bytes]:
    """A line for everything that was read.

    Raises:
        OSError: Something has gone, or has changed since it was read.
    """
    for folder in _string_folders(app, resources):
        yield listing_line(folder)
    read = [*app.sources, *app.depends_on, *_icons(app)]
    written = {os.path.abspath(path) for path in read}  # noqa: PTH100 - as above
    own, installed = _module_files(app)
    for folder in _module_folders(app, own):
        yield modules_line(folder)
    for path in sorted(written | own):
        _require_older(path, started_ns)
        is_large = path not in own and os.path.getsize(path) > MAX_HASHED_BYTES  # noqa: PTH202 - text
        yield stamp_line(path) if is_large else content_line(path)
    for path in sorted(installed):
        _require_older(path, started_ns)
        yield stamp_line(path)


def _require_older(path: str, started_ns: int) -> None:
    if started_ns and os.stat(path).st_mtime_ns >= started_ns:  # noqa: PTH116 - text
        raise OSError(f"{path} has changed since it was read")


def _string_folders(app: AppMetadata, resources: Path | None) -> list[str]:
    """Where a further file of strings would be found."""
    assert app.path is not None  # noqa: S101 - `reason_against` has looked
    beside = app.path.parent
    roots = {beside, beside.parent} if resources is None else {beside, beside.parent, resources}
    folders = {*roots, *(source.parent for source in app.sources)}
    for root in roots:
        folders.update(each for each in _entries_of(root) if _awaits_strings(each))
    return sorted({os.path.abspath(folder) for folder in folders})  # noqa: PTH100 - as above


def _awaits_strings(folder: Path) -> bool:
    """Whether it is a folder for strings that holds none yet."""
    return folder.name.lower().startswith("values") and not any(
        entry.suffix.lower() == ".xml" for entry in _entries_of(folder)
    )


def _entries_of(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:  # no folder, or none that may be looked into
        return []


def _module_folders(app: AppMetadata, own: set[str]) -> list[str]:
    """Where the author keeps modules: a further one may be imported when it is there."""
    assert app.path is not None  # noqa: S101 - as above
    folders = {os.path.dirname(path) for path in own} | {str(app.path.parent)}  # noqa: PTH120 - text
    if app.python_path is not None:
        folders.add(str(app.python_path))
    return sorted({os.path.abspath(f) for f in folders if not _is_installed(f)})  # noqa: PTH100 - text


def _icons(app: AppMetadata) -> Iterator[Path]:
    for icon in app.icons:
        if not icon.src.startswith(("https:", "http:", "data:")):
            yield Path(icon.src)


def _module_files(app: AppMetadata) -> tuple[set[str], set[str]]:
    """The files of modules outside the standard library: the app's own, and others."""
    own: set[str] = set()
    installed: set[str] = set()
    for name, module in tuple(sys.modules.items()):
        path = _file_of(module)
        if path is None or name == "__main__" or _is_standard(path):
            continue
        (own if _is_own(name, path, app) else installed).add(path)
    return own, installed


def _file_of(module: ModuleType) -> str | None:
    """The file that a module was loaded from; for one in an archive, the archive."""
    known = getattr(module, "__dict__", {})
    path = known.get("__file__")
    if not isinstance(path, str):
        return None
    archive = getattr(getattr(known.get("__spec__"), "loader", None), "archive", None)
    return os.path.abspath(archive if isinstance(archive, str) else path)  # noqa: PTH100 - as above


def _is_standard(path: str) -> bool:
    return path.startswith(_STANDARD_LIBRARY) and not _is_installed(path)


def _is_installed(path: str) -> bool:
    return not _INSTALLED.isdisjoint(Path(path).parts)


def _is_own(name: str, path: str, app: AppMetadata) -> bool:
    """Whether a module is the app's: below its folder, or of a package that it declares."""
    if name.partition(".")[0] == "appfunctions_mcp":
        return False
    declared = {each.module.partition(".")[0] for each in app.modules}
    if name.partition(".")[0] in declared:
        return True
    if app.python_path is None or _is_installed(path):
        return False
    return path.startswith(os.path.join(os.path.abspath(app.python_path), ""))  # noqa: PTH100, PTH118 - text


def _replace(path: str, content: bytes) -> None:
    """Puts a file in its place in one step, for its owner only; others are pruned."""
    folder = Path(path).parent
    make_private_folder(folder)
    if not is_private(folder.lstat(), is_folder=True):
        raise PermissionError(f"{folder} is not this user's alone")
    _prune(folder, keep=Path(path))
    temporary = f"{path}.{os.urandom(4).hex()}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(temporary, flags, 0o600), "wb") as file:  # noqa: PTH123 - made as 0600
            file.write(content)
        os.replace(temporary, path)  # noqa: PTH105 - text
    except OSError:
        with suppress(OSError):  # the first fault is the one that counts
            os.unlink(temporary)  # noqa: PTH108 - text
        raise


def _prune(folder: Path, *, keep: Path) -> None:
    """Removes manifests that are too old or too many, and what a killed process left."""
    made = sorted(_times_of(folder.iterdir()), reverse=True)
    oldest = time.time() - LIFETIME_SECONDS
    for number, (modified, path) in enumerate(made):
        limit = time.time() - 60 if path.suffix == ".tmp" else oldest
        if path != keep and (modified < limit or number >= MAX_KEPT):
            with suppress(OSError):  # another process prunes as well
                path.unlink()


def _times_of(paths: Iterable[Path]) -> Iterator[tuple[float, Path]]:
    for path in paths:
        with suppress(OSError):  # gone meanwhile
            yield path.lstat().st_mtime, path
