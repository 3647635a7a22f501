"""Gathers what an import reads: functions XML files, an app's folder, an archive, or several.

All that is read is in the records that come out. Faults of all sources come in one report.
Writes nothing but what archives unpack to.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from appfunctions_mcp.android.app.app_folders import AppFolder
from appfunctions_mcp.android.app.app_texts import AppTexts, read_app_texts
from appfunctions_mcp.android.app.source_parts import SourcePart, find_part, settled, unreadable
from appfunctions_mcp.android.data_types import AndroidDocument, AndroidFunction
from appfunctions_mcp.android.xml.functions_xml import read_functions_xml
from appfunctions_mcp.exceptions import MetadataXmlError
from appfunctions_mcp.fault_report import fault_text
from appfunctions_mcp.names import nearest_names
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.string_resources import values_folders

NamedDocument = tuple[str, AndroidDocument, Path]
"""A document, the name of its file without `.xml`, and the file as messages show it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AndroidSource:
    """What the sources of an import hold."""

    documents: tuple[NamedDocument, ...]
    """Each under a name of its own; no function stands in two."""
    texts: AppTexts = field(default_factory=AppTexts)
    package: str | None = None
    """The app's package on a device, where the sources tell."""
    version: str | None = None
    warnings: tuple[str, ...] = ()
    """What the author should know, though the import goes on."""


def read_source(paths: Sequence[Path], *, unpack_into: Path) -> AndroidSource:
    """Reads the sources of an import.

    Args:
        paths: Functions XML files, an `app_metadata.xml`, an app's `src/main` folder or a folder
            that has one, archives with `assets/`.
        unpack_into: An existing, empty folder for what archives hold.

    Raises:
        MetadataXmlError: A source cannot be used, or no source has functions; names all faults.
    """
    # Messages name files by where links lead, and have to be known as those of an archive.
    unpack_into = Path(os.path.realpath(unpack_into))
    parts: list[SourcePart] = []
    faults: list[str] = []
    for number, path in enumerate(paths):
        try:
            parts.append(find_part(path, unpack_into / str(number)))
        except MetadataXmlError as fault:
            faults += fault.faults
        except OSError as fault:
            faults.append(unreadable(fault, path))
    gathering = _Gathering(parts)
    faults += settled(parts, gathering.read)
    if not faults:
        faults += gathering.faults(paths)
    if faults:
        raise MetadataXmlError(dict.fromkeys(faults))
    return gathering.result()


class _Gathering:
    """What has been read of the sources so far.

    Args:
        parts: All sources; a file that is given by itself may be what a manifest names.
    """

    def __init__(self, parts: Sequence[SourcePart]) -> None:
        self._given = {path.name: path for part in parts for path in part.functions}
        self._documents: dict[Path, NamedDocument] = {}
        self._texts: list[tuple[AppTexts, str]] = []
        self._label = AppTexts()
        self._package: str | None = None
        self._version: str | None = None
        self._warnings: list[str] = []

    def read(self, part: SourcePart) -> None:
        """Reads one source.

        Raises:
            MetadataXmlError: Names all its faults, as its files are known here.
        """
        self._warnings += map(part.shown, part.warnings)
        faults: list[str] = []
        paths = list(part.functions)
        if part.app is not None:
            named, faults = self._named_by(part.app)
            paths += named
        for path in paths:
            try:
                self._read_document(path, part)
            except MetadataXmlError as fault:
                faults += fault.faults
        try:
            self._read_texts(part)
        except MetadataXmlError as fault:
            faults += fault.faults
        if faults:
            raise MetadataXmlError(faults)

    def faults(self, paths: Sequence[Path]) -> Iterator[str]:
        """What is wrong with all sources together."""
        if not any(document.functions for _, document, _ in self._documents.values()):
            shown = ", ".join(map(str, paths))
            yield f"{shown}: there are no functions; give a functions XML, or an app that has one"
        for _, place in self._texts[1:]:
            yield f"{place}: {self._texts[0][1]} describes the app too; give one of them"
        yield from self._repeated_functions()

    def result(self) -> AndroidSource:
        """The sources as one."""
        taken: dict[str, NamedDocument] = {}
        for name, document, path in self._kept():
            number, own = 1, name
            while own.casefold() in taken:
                number += 1
                own = f"{name}_{number}"
            taken[own.casefold()] = (own, document, path)
        return AndroidSource(
            documents=tuple(taken.values()),
            texts=self._texts[0][0] if self._texts else self._label,
            package=self._package,
            version=self._version,
            warnings=tuple(dict.fromkeys(self._warnings)),
        )

    def _named_by(self, app: AppFolder) -> tuple[list[Path], list[str]]:
        """The functions XML files of an app, and what is wrong with how they are named."""
        self._package = self._package or app.package()
        self._version = self._version or app.manifest.version
        found: list[Path] = []
        faults: list[str] = []
        for asset in app.manifest.assets:
            path = app.asset(asset.name) or self._given.get(asset.name.rpartition("/")[2])
            if path is not None:
                found.append(path)
                continue
            near = nearest_names(asset.name, app.asset_names(), limit=1)
            hint = f"perhaps {quoted(near[0])}; " if near else ""
            faults.append(
                fault_text(
                    app.manifest.path,
                    asset.line,
                    f"the manifest names {quoted(asset.name)}, which is not in "
                    f"{app.asset_places()}; {hint}build the app, which generates it, or give the "
                    "file too",
                )
            )
        if not app.manifest.assets:
            found += filter(None, [app.library_asset()])
        if not app.manifest.assets and not found and not self._given:
            faults.append(
                fault_text(
                    app.manifest.path,
                    1,
                    "the manifest names no functions XML, as a service does with the property "
                    f"android.app.appfunctions.v2, and {app.asset_places()} hold no "
                    "app_functions_v2.xml; build the app, which generates it, or give the file too",
                )
            )
        return found, faults

    def _read_document(self, path: Path, part: SourcePart) -> None:
        if path not in self._documents:
            document = read_functions_xml(path)
            shown = Path(part.shown(str(path)))
            self._documents[path] = (path.name.removesuffix(".xml"), document, shown)
            self._warnings += map(part.shown, document.warnings)

    def _read_texts(self, part: SourcePart) -> None:
        metadata, label = part.metadata, None
        resources = None
        if part.app is not None:
            self._warnings += map(part.shown, part.app.manifest.warnings)
            metadata, label = part.app.metadata_file(), part.app.manifest.label
            resources = part.app.path / "res"
        elif metadata is not None:
            beside = metadata.parent
            resources = beside if values_folders(beside) else beside.resolve().parent
        if resources is not None and (metadata is not None or label is not None):
            texts = read_app_texts(metadata, label=label, resources=resources)
            self._warnings += map(part.shown, texts.warnings)
            if metadata is None:
                self._label = texts
            else:
                self._texts.append((texts, part.shown(str(metadata))))

    def _kept(self) -> Iterator[NamedDocument]:
        """The documents without those that say less of the same functions: Android's first form."""
        whole = {
            function.id
            for _, document, _ in self._documents.values()
            if not _is_first_form(document)
            for function in document.functions
        }
        seen: list[AndroidDocument] = []
        for named in self._documents.values():
            document = named[1]
            ids = {function.id for function in document.functions}
            is_less = _is_first_form(document) and ids and ids <= whole
            if not is_less and document not in seen:
                seen.append(document)
                yield named

    def _repeated_functions(self) -> Iterator[str]:
        first: dict[str, tuple[AndroidFunction, Path]] = {}
        for _, document, path in self._kept():
            for function in document.functions:
                other, place = first.setdefault(function.id, (function, path))
                if place != path:
                    yield fault_text(
                        path,
                        function.line,
                        f"function {quoted(function.id)} stands in {place}:{other.line} too; give "
                        "one of the files",
                    )


def _is_first_form(document: AndroidDocument) -> bool:
    """Whether no function says what it takes or returns, as in v1 files."""
    return all(
        function.response is None and not function.parameters and not function.description
        for function in document.functions
    )
