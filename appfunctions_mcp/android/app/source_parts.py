"""Tells what one source of an import is, and which files of it are read.

A source is a functions XML, an `app_metadata.xml`, a manifest or the folder that holds one, or
an archive; told apart by its content. Knows nothing of what the functions are.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from appfunctions_mcp.android.app.app_folders import AppFolder, find_app
from appfunctions_mcp.android.app.archives import is_archive, unpack
from appfunctions_mcp.android.app.manifest import MANIFEST_FILE, is_compiled, read_manifest
from appfunctions_mcp.android.xml.functions_xml import MAX_FUNCTIONS_XML_BYTES
from appfunctions_mcp.exceptions import MetadataXmlError
from appfunctions_mcp.fault_report import fault_text
from appfunctions_mcp.metadata_xml import ROOT as METADATA_ROOT
from appfunctions_mcp.names import nearest_names
from appfunctions_mcp.xml_elements import read_xml

FUNCTIONS_ROOT = "appfunctions"

_ARCHIVE_SUFFIXES = {".aab", ".aar", ".apk", ".jar", ".zip"}
_FUNCTIONS_TAGS = (b"<appfunctions", "<appfunctions".encode("utf-16-le"))
_ACCEPTED = (
    "accepted are a functions XML (<appfunctions>), an app_metadata.xml "
    "(<AppFunctionAppMetadata>), an app's src/main folder, and an archive with assets/"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePart:
    """What one source comes to."""

    given: Path
    unpacked: Path | None = None
    """Where an archive has been unpacked to."""
    functions: tuple[Path, ...] = ()
    """Functions XML files that are read whatever a manifest names."""
    metadata: Path | None = None
    """An `app_metadata.xml` that was given by itself."""
    app: AppFolder | None = None
    """The app, whose manifest names what else is read."""
    warnings: tuple[str, ...] = ()

    def shown(self, text: str) -> str:
        """A message or a path as the user knows it: files of an archive as `ARCHIVE!/NAME`."""
        if self.unpacked is None:
            return text
        return text.replace(f"{self.unpacked}{os.sep}", f"{self.given}!/").replace(
            str(self.unpacked), str(self.given)
        )


def find_part(given: Path, unpack_into: Path) -> SourcePart:
    """Looks at one source.

    Args:
        given: The source.
        unpack_into: A folder, made if it is needed, for what an archive holds.

    Raises:
        MetadataXmlError: There is no such source, or it is of no kind that is accepted.
    """
    if given.is_dir():
        return _part_of_folder(given)
    if not os.path.lexists(given):
        raise MetadataXmlError(_missing(given))
    if is_archive(given):
        unpack_into.mkdir()
        unpack(given, unpack_into)
        part = SourcePart(given=given, unpacked=unpack_into)
        try:
            return _part_of_archive(given, unpack_into)
        except MetadataXmlError as fault:
            raise MetadataXmlError(map(part.shown, fault.faults)) from fault
    return _part_of_file(given)


def _missing(given: Path) -> str:
    """What is said of a source that is not there, with the nearest that is."""
    near = nearest_names(given.name, [each.name for each in given.parent.glob("*")], limit=1)
    hint = f"; perhaps {given.parent / near[0]}" if near else ""
    return f"{given}: there is no such file or folder{hint}"


def _part_of_file(path: Path) -> SourcePart:
    try:
        return _part_of_xml(path)
    except MetadataXmlError as fault:
        if path.suffix.lower() not in _ARCHIVE_SUFFIXES or not path.is_file():
            raise
        raise MetadataXmlError(
            f"{path}: this is no archive, for it does not begin as a ZIP does; build, copy or "
            "download it again"
        ) from fault


def _part_of_xml(path: Path) -> SourcePart:
    if path.name == MANIFEST_FILE or is_compiled(path):
        return SourcePart(given=path, app=AppFolder(path.parent, read_manifest(path)))
    root = read_xml(path, max_bytes=MAX_FUNCTIONS_XML_BYTES)
    if root.name == FUNCTIONS_ROOT:
        return SourcePart(given=path, functions=(path,))
    if root.name == METADATA_ROOT:
        return SourcePart(given=path, metadata=path)
    if root.name == "manifest":
        return SourcePart(given=path, app=AppFolder(path.parent, read_manifest(path)))
    raise MetadataXmlError(
        fault_text(path, root.line, f"the root element is <{root.qualified}>; {_ACCEPTED}")
    )


def _part_of_folder(folder: Path) -> SourcePart:
    app = find_app(folder)
    if app is not None:
        return SourcePart(given=folder, app=app)
    # In `assets/` alone: what else lies in a folder may be a whole disk.
    found = _functions_in_assets(folder if folder.name == "assets" else folder / "assets")
    if found:
        metadata = folder / "res" / "xml" / "app_metadata.xml"
        return SourcePart(
            given=folder, functions=found, metadata=metadata if metadata.is_file() else None
        )
    raise MetadataXmlError(
        f"{folder}: this folder has no {MANIFEST_FILE}, neither in it nor in src/main, and no "
        f"functions XML in assets/; {_ACCEPTED}"
    )


def _part_of_archive(given: Path, folder: Path) -> SourcePart:
    app = find_app(folder, anywhere=True)
    if app is not None:
        return SourcePart(given=given, unpacked=folder, app=app)
    found = _functions_in_assets(folder)
    warnings = [
        f"{manifest}: this manifest is compiled (binary XML) and is not read, nor are the app's "
        f"texts; the functions are those of all XML files in assets/"
        for manifest in sorted(folder.rglob(MANIFEST_FILE))[:1]
    ]
    if not found:
        none = "this archive has no functions XML in assets/, where an app with functions has one"
        raise MetadataXmlError([f"{given}: {none}", *warnings])
    return SourcePart(given=given, unpacked=folder, functions=found, warnings=tuple(warnings))


def _functions_in_assets(folder: Path) -> tuple[Path, ...]:
    """The functions XML files below any `assets/`; other XML there is none of ours."""
    folder_parts = len(folder.parent.parts)
    below = (
        path
        for path in sorted(folder.rglob("*.xml"))
        if "assets" in path.parts[folder_parts:-1] and path.is_file()
    )
    return tuple(path for path in below if _is_functions_xml(path))


def _is_functions_xml(path: Path) -> bool:
    """Whether a file's root is that of a functions XML, or would be if it were well-formed."""
    with path.open("rb") as file:
        content = file.read(MAX_FUNCTIONS_XML_BYTES + 1)
    return any(tag in content for tag in _FUNCTIONS_TAGS)


def settled(parts: Iterable[SourcePart], read: Callable[[SourcePart], None]) -> Iterator[str]:
    """Reads each part and gives the faults of all of them, as the user knows their files."""
    for part in parts:
        try:
            read(part)
        except MetadataXmlError as fault:
            yield from map(part.shown, fault.faults)
        except OSError as fault:
            yield part.shown(unreadable(fault, part.given))


def unreadable(fault: OSError, given: Path) -> str:
    """What is said of a file that is there and cannot be read.

    Args:
        fault: Why; it names the file where the system does.
        given: The source in which the file lies.
    """
    return f"{fault.filename or given}: this file cannot be read: {fault.strerror or fault}"
