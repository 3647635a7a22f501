"""Looks `@string/name` up in Android's `values*/` folders, in the order of a locale.

Folders and files are read when a name is first looked up, so a document without references
costs nothing. Knows nothing of the metadata document that asks.
"""

import os
import re
from collections.abc import Iterable
from pathlib import Path

from appfunctions_mcp.exceptions import MetadataXmlError
from appfunctions_mcp.fault_report import FaultReport
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.records import record
from appfunctions_mcp.string_escapes import EscapedText
from appfunctions_mcp.xml_elements import XmlElement, read_xml

_LOCALE = regex(
    r"(?P<language>[A-Za-z]{2,3})"
    r"(?:[-_](?P<script>[A-Za-z]{4}))?"
    r"(?:[-_]r?(?P<region>[A-Za-z]{2}|[0-9]{3}))?"
    r"(?:\.[\w-]+)?(?:@\w+)?\Z"
)
# Android still knows these languages under the codes that ISO 639 gave up.
_OTHER_CODE = {"he": "iw", "iw": "he", "id": "in", "in": "id", "yi": "ji", "ji": "yi"}
_VALUES_FOLDER = regex(r"values(-.+)?\Z", re.IGNORECASE)
_STRING = regex(r"@[*+]?(?:[^\s:/@]+:)?string/(?P<name>.*)\Z", re.DOTALL)
_NAME = regex(r"[^\s/@:]+\Z")
_OTHER = regex(
    r"@[*+]?(?:[^\s:/@]+:)?(?:anim|animator|array|attr|bool|color|dimen|drawable|font|fraction|id|"
    r"integer|interpolator|layout|menu|mipmap|navigation|plurals|raw|style|styleable|transition|"
    r"xml)/[^\s/@:]+\Z"
)
NOTHING = frozenset({"@null", "@empty"})
"""What Android writes for no text."""

_LEADS_TO = " → "


class UnresolvedStringError(Exception):
    """A reference that gives no text.

    Args:
        message: Why, and where the name was looked for.
        is_missing: Whether nothing has the name, rather than that the reference itself is wrong.
    """

    def __init__(self, message: str, *, is_missing: bool) -> None:
        super().__init__(message)
        self.is_missing = is_missing


@record(frozen=True, slots=True)
class _StringResource:
    """A `<string>` and the file that holds it."""

    element: XmlElement
    path: Path


class StringResources:
    """The strings beside a metadata file.

    Args:
        metadata: The metadata file; its folder's `values*/` are read, else those of `../`.
        locale: `ru`, `pt-BR` or `sr-Latn-RS`: whose folders come first.
        resources: A folder that holds `values*/`, or is one, instead.
        report: Takes the faults of the string files themselves.
    """

    def __init__(
        self, metadata: Path, *, locale: str | None, resources: Path | None, report: FaultReport
    ) -> None:
        self._report = report
        self._qualifiers = self._qualifiers_of(locale)
        self._folders, self._expected = self._folders_of(metadata, resources)
        self._tables: dict[Path, dict[str, _StringResource]] = {}
        self.sources: list[Path] = []
        """The files that were read."""

    def resolve(self, reference: str, *, strip_lines: bool = False) -> str:
        """The text that a reference stands for; references in strings are followed.

        Args:
            reference: `@string/name`, with or without a package.
            strip_lines: See `EscapedText`.

        Raises:
            UnresolvedStringError: The reference is none to a string, nothing has its name, or
                it leads back to itself.
        """
        passed: dict[str, None] = {}  # in order, and fast to look into
        while True:
            name = _referenced_name(reference)
            if name in passed:
                cycle = quoted(_LEADS_TO.join([*passed, name]), 200)
                raise UnresolvedStringError(f"{cycle} is a cycle", is_missing=False)
            passed[name] = None
            resource = self._find(name, passed)
            raw = "".join(piece.text for piece in resource.element.texts()).strip()
            if raw in NOTHING:
                return ""
            if not is_reference(raw):
                return self._text_of(resource, strip_lines=strip_lines)
            reference = raw

    def _find(self, name: str, passed: Iterable[str]) -> _StringResource:
        for folder in self._folders:
            found = self._table(folder).get(name)
            if found is not None:
                return found
        sought = ", ".join(str(folder / "strings.xml") for folder in self._folders)
        chain = _LEADS_TO.join(passed)
        named = quoted(name) + (f" ({quoted(chain, 200)})" if chain != name else "")
        raise UnresolvedStringError(
            f"no <string> named {named} was found; looked in {sought or self._expected}",
            is_missing=True,
        )

    def _text_of(self, resource: _StringResource, *, strip_lines: bool) -> str:
        reading = EscapedText(strip_lines=strip_lines)
        for piece in resource.element.texts():
            reading.add(piece.text, keep_blanks=piece.literal)
        text = reading.finish()
        name = quoted(string_name(resource.element) or "")
        for fault in reading.faults:
            self._report.fault(resource.element.line, f"string {name}: {fault}", resource.path)
        for warning in reading.warnings:
            self._report.warn(resource.element.line, f"string {name}: {warning}", resource.path)
        return text

    def _table(self, folder: Path) -> dict[str, _StringResource]:
        """The strings of one folder by name, read once."""
        if folder not in self._tables:
            self._tables[folder] = {}
            for path in self._xml_files(folder):
                self._read(path, self._tables[folder])
        return self._tables[folder]

    def _read(self, path: Path, table: dict[str, _StringResource]) -> None:
        self.sources.append(Path(os.path.realpath(path)))
        try:
            root = read_xml(path)
        except MetadataXmlError as error:
            self._report.include(error, path)
            return
        if root.name != "resources" or root.namespace:
            self._report.fault(
                root.line, f"the root element is <{root.qualified}>; <resources> is accepted", path
            )
            return
        for element in root.children:
            name = string_name(element)
            if name is None:
                continue
            first = table.setdefault(name, _StringResource(element, path))
            if first.element is not element:
                self._report.fault(
                    element.line,
                    f"string {quoted(name)} is already defined at {first.path}:"
                    f"{first.element.line}; keep one",
                    path,
                )

    def _qualifiers_of(self, locale: str | None) -> list[str]:
        if not locale:
            return []
        match = _LOCALE.match(locale)
        if match is None:
            self._report.fault(
                1,
                f"locale {quoted(locale)} is not accepted; write a language such as 'ru', or "
                "language and region such as 'pt-BR'",
            )
            return []
        return _folder_qualifiers(match["language"], match["script"], match["region"])

    def _folders_of(self, metadata: Path, resources: Path | None) -> tuple[list[Path], Path]:
        """The folders to look in, in order, and the file that is named where there are none."""
        if resources is None:
            beside = metadata.parent
            root = beside if values_folders(beside) else Path(os.path.realpath(beside)).parent
            return self._ordered(root), beside / "values" / "strings.xml"
        if values_folders(resources):
            return self._ordered(resources), resources / "values" / "strings.xml"
        expected = resources / "strings.xml"
        if _is_values(resources.name) and _is_folder(resources):
            return self._ordered(resources.parent, given=resources), expected
        if os.path.isfile(expected):  # noqa: PTH113 - answers whatever the path is
            return [resources], expected
        self._report.fault(
            1,
            f"resources folder {quoted(str(resources))} is not accepted; name a folder that holds "
            "values*/ folders, or one of these",
        )
        return [], expected

    def _ordered(self, root: Path, *, given: Path | None = None) -> list[Path]:
        """The folders of the locale, the folder that was given itself, then the default."""
        folders = values_folders(root)
        order = [f"values-{qualifier}".lower() for qualifier in self._qualifiers]
        chosen = [folders[name] for name in order if name in folders]
        default = folders.get("values")
        return list(dict.fromkeys(path for path in (*chosen, given, default) if path is not None))

    def _xml_files(self, folder: Path) -> list[Path]:
        try:
            entries = sorted(folder.iterdir())
        except OSError as fault:
            self._report.fault(1, f"this folder cannot be read: {fault.strerror}", folder)
            return []
        if not _is_values(folder.name):
            return [folder / "strings.xml"]  # what else stands there is not known to be strings
        return [entry for entry in entries if entry.suffix.lower() == ".xml"]


def is_reference(text: str) -> bool:
    """Whether a text is a reference to a resource: `@string/name`, `@drawable/name` …."""
    return _STRING.match(text) is not None or _OTHER.match(text) is not None


def _referenced_name(reference: str) -> str:
    match = _STRING.match(reference)
    if match is None or not _NAME.match(match["name"]):
        raise UnresolvedStringError(
            f"{quoted(reference)} is no reference to a string; '@string/NAME' is accepted",
            is_missing=False,
        )
    return match["name"]


def string_name(element: XmlElement) -> str | None:
    """The name of a `<string>` or an `<item type="string">`; None for anything else."""
    kind = element.attribute("type")
    is_item = element.name == "item" and kind is not None and kind.value == "string"
    if element.namespace or not (element.name == "string" or is_item):
        return None
    product = element.attribute("product")
    if product is not None and product.value != "default":
        return None
    name = element.attribute("name")
    return None if name is None else name.value.strip()


def _is_values(name: str) -> bool:
    return _VALUES_FOLDER.match(name) is not None


def values_folders(root: Path) -> dict[str, Path]:
    """The values folders in a folder, by their names in small letters."""
    try:
        entries = sorted(root.iterdir())
    except (OSError, ValueError):
        return {}  # no such folder, or none that may be looked into
    return {
        entry.name.lower(): entry
        for entry in entries
        if _is_values(entry.name) and _is_folder(entry)
    }


def _is_folder(path: Path) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 - answers whatever the path is


def _folder_qualifiers(language: str, script: str | None, region: str | None) -> list[str]:
    """What Android appends to `values-` for a locale, the most exact first."""
    qualifiers: list[str] = []
    code = language.lower()
    for spelling in (code, *filter(None, [_OTHER_CODE.get(code)])):
        exact = [f"b+{spelling}+{script}+{region}", f"b+{spelling}+{script}"] if script else []
        regional = [f"{spelling}-r{region}", f"b+{spelling}+{region}"] if region else []
        qualifiers += [*exact, *regional, spelling, f"b+{spelling}"]
    return qualifiers
