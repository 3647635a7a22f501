"""An Android app, or a part of one, read into what rules judge.

What is faulty in part gives what can be read of it; the faults stand in the subject.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from appfunctions_mcp.android.app.archives import is_archive
from appfunctions_mcp.android.app.source_parts import SourcePart, find_part
from appfunctions_mcp.android.app.sources import read_source
from appfunctions_mcp.android.data_types import AndroidDocument
from appfunctions_mcp.android.json_schema import function_metadata
from appfunctions_mcp.android.xml.functions_xml import read_functions_xml
from appfunctions_mcp.exceptions import MetadataXmlError
from appfunctions_mcp.lint.subjects import LintSubject, Origin
from appfunctions_mcp.lint.targets import place_of_texts
from appfunctions_mcp.metadata import AppFunctionMetadata, AppMetadata
from appfunctions_mcp.metadata_xml import parse_metadata
from appfunctions_mcp.string_resources import values_folders

__all__ = ["android_subject"]

T = TypeVar("T")


def android_subject(path: Path, unpack_into: Path | None = None) -> LintSubject:
    """An Android app, or a part of one.

    Args:
        path: A functions XML, an `app_metadata.xml`, a manifest, an app's folder or an archive.
        unpack_into: An existing, empty folder, which an archive needs.

    Raises:
        MetadataXmlError: There is no such source, it is of no kind that is accepted, or it is an
            archive and there is no folder for it.
    """
    if unpack_into is None and is_archive(path):
        raise MetadataXmlError(
            f"{path}: this is an archive, and no folder to unpack it into is given"
        )
    into = unpack_into or path
    part = find_part(path, into / "parts")
    documents, faults, warnings = _documents_of(path, part, into)
    app, unread = _texts_of(part)
    package = (part.app.package() if part.app is not None else None) or ""
    return LintSubject(
        tuple(
            each
            for document, shown in documents
            for each in _functions_of(document, shown, package)
        ),
        Origin.ANDROID,
        app=app,
        instructions=app.description if app is not None else "",
        instructions_source=part.shown(place_of_texts(app)) if app is not None else "",
        folder=part.app.path if part.app is not None else None,
        faults=tuple(dict.fromkeys((*faults, *map(part.shown, unread)))),
        warnings=warnings,
    )


_Read = tuple[list[tuple[AndroidDocument, str]], tuple[str, ...], tuple[str, ...]]


def _documents_of(path: Path, part: SourcePart, into: Path) -> _Read:
    """The documents with the files that they stand in, what is wrong, and what is ignored."""
    try:
        source = read_source([path], unpack_into=_made(into, path))
    except MetadataXmlError as fault:
        readable = ((_or_none(read_functions_xml, file), file) for file in _files_of(part))
        found = [(each, part.shown(str(file))) for each, file in readable if each is not None]
        return found, _without_missing_functions(fault.faults, part), part.warnings
    found = [(document, str(shown)) for _, document, shown in source.documents]
    return found, (), source.warnings


def _made(into: Path, path: Path) -> Path:
    if not is_archive(path):
        return into
    folder = into / "whole"
    folder.mkdir(exist_ok=True)
    return folder


def _without_missing_functions(faults: tuple[str, ...], part: SourcePart) -> tuple[str, ...]:
    """The faults, without that a file alone that describes an app has no functions."""
    if part.app is None and not part.functions:
        return tuple(each for each in faults if "there are no functions" not in each)
    return faults


def _files_of(part: SourcePart) -> Iterator[Path]:
    """The functions XML files that are there, whatever else is wrong with an app."""
    yield from part.functions
    if part.app is None:
        return
    for asset in part.app.manifest.assets:
        file = part.app.asset(asset.name)
        if file is not None:
            yield file
    if not part.app.manifest.assets:
        yield from filter(None, [part.app.library_asset()])


def _texts_of(part: SourcePart) -> tuple[AppMetadata | None, tuple[str, ...]]:
    """What the app says of itself, and what keeps it from being read."""
    try:
        file, resources = part.metadata, None
        if part.app is not None:
            file, resources = part.app.metadata_file(), part.app.path / "res"
        if file is None:
            return None, ()
        given = resources if resources is not None and values_folders(resources) else None
        return parse_metadata(file, resources=given), ()
    except MetadataXmlError as fault:
        return None, fault.faults


def _or_none(read: Callable[[Path], T], file: Path) -> T | None:
    try:
        return read(file)
    except MetadataXmlError:
        return None  # the fault stands in the report of the whole source


def _functions_of(
    document: AndroidDocument, shown: str, package: str
) -> Iterator[AppFunctionMetadata]:
    for function in document.functions:
        yield function_metadata(
            function,
            document,
            tool_name=function.id.rpartition("#")[2],
            module=package,
            source=f"{shown}:{function.line}",
        )
