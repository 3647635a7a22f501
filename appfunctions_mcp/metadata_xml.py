"""Turns the app metadata XML and its strings into `AppMetadata`.

Android's file is valid as it is; what serving needs beside it stands in a namespace of our own.
All faults of a document come in one report. Imports no module that the document names.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from appfunctions_mcp.fault_report import FaultReport
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.metadata import AppMetadata, FunctionsModule
from appfunctions_mcp.metadata_attributes import (
    ANDROIDX,
    MCP,
    RES_AUTO,
    AttributeReader,
    TextReader,
    accepted_names,
)
from appfunctions_mcp.metadata_parts import ELEMENTS, PartReader
from appfunctions_mcp.metadata_values import (
    android_package,
    existing_folder,
    module_name,
    on_off,
    optional_defaults,
    server_name,
    tool_prefix,
    unknown_arguments,
    version,
    web_address,
)
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.records import replaced
from appfunctions_mcp.string_resources import StringResources
from appfunctions_mcp.xml_elements import XmlAttribute, XmlElement, XmlText, read_xml

ROOT = "AppFunctionAppMetadata"
_ANDROID = (ANDROIDX, RES_AUTO)
_ANDROID_NAMES = ("description", "instructions", "displayDescription")
_ANDROID_LIKE = regex(r"https?://schemas\.android\.com/apk/")
_MCP_NAMES = (
    "name",
    "title",
    "version",
    "websiteUrl",
    "package",
    "pythonPath",
    "optionalDefaults",
    "unknownArguments",
    "manifest",
)
_MCP_LIKE = regex(r"urn:appfunctions-mcp\b", re.IGNORECASE)


def parse_metadata(
    path: Path,
    *,
    modules: Sequence[str] = (),
    locale: str | None = None,
    resources: Path | None = None,
) -> AppMetadata:
    """Reads an app's metadata.

    Args:
        path: The XML file.
        modules: Further modules to serve, `NAME` or `NAME:PREFIX`; one that the file names too
            takes the prefix given here.
        locale: Whose strings come first, such as `ru` or `pt-BR`.
        resources: A folder that holds `values*/`, or is one, instead of those by the file.

    Raises:
        MetadataXmlError: The file, or a string that it names, cannot be used; names all faults,
            each `FILE:LINE: what; fix`.
    """
    path = Path(path)
    root = read_xml(path)
    report = FaultReport(path)
    strings = StringResources(path, locale=locale, resources=resources, report=report)
    document = _Document(path, root, TextReader(strings, report), report)
    if not document.has_known_root():
        report.require_none()
    metadata = document.read(modules, locale, strings)
    report.require_none()
    return metadata


class _Document:
    """One metadata document.

    Args:
        path: The file, as it was given.
        root: What was read from it.
        texts: Reads its texts.
        report: Takes its faults and warnings.
    """

    def __init__(
        self, path: Path, root: XmlElement, texts: TextReader, report: FaultReport
    ) -> None:
        folder = Path(os.path.realpath(path.parent))
        self._path = folder / path.name
        self._root = root
        self._texts = texts
        self._report = report
        self._misplaced_text = False
        self._attributes = AttributeReader(root, texts, report, MCP)
        self._parts = PartReader(texts, report, folder)

    def has_known_root(self) -> bool:
        """Whether the document is one of ours at all; reports what it is instead."""
        root = self._root
        if root.name == ROOT and not root.namespace:
            return True
        hint = ""
        if root.namespace:
            hint = f" without a namespace; found is the namespace {quoted(root.namespace)}"
        elif root.name.lower() == ROOT.lower():
            hint = ", spelled exactly so"
        self._report.fault(
            root.line, f"the root element is <{root.qualified}>; accepted is <{ROOT}>{hint}"
        )
        for child in root.children:
            if _android_name_like(child.name) is not None:
                self._report_child(child)
        return False

    def read(
        self, modules: Sequence[str], locale: str | None, strings: StringResources
    ) -> AppMetadata:
        """The record, with what is faulty left out; the report says whether it may be used."""
        self._check_root()
        self._check_content()
        value, text = self._attributes.value, self._attributes.text
        description = self._description()
        parts = self._parts
        served = self._with_modules(modules)
        metadata = AppMetadata(
            name=value("name", server_name) or self._default_name(served),
            description=description,
            display_description=self._display_description(),
            title=text("title"),
            version=value("version", version) or "0.0.0",
            website_url=value("websiteUrl", web_address),
            package=value("package", android_package),
            icons=tuple(parts.icons),
            path=self._path,
            locale=locale,
            python_path=value("pythonPath", existing_folder(self._path.parent))
            or self._path.parent,
            optional_defaults=value("optionalDefaults", optional_defaults) or "type",
            unknown_arguments=value("unknownArguments", unknown_arguments) or "refuse",
            manifest=value("manifest", on_off) is not False,
            modules=served,
            overrides=tuple(parts.overrides),
            settings=tuple(parts.settings),
            limits=parts.limits,
            lifespan=parts.lifespan,
            lifespan_line=parts.lifespan_line,
            lint_ignores=tuple(parts.lint_ignores),
            depends_on=tuple(dict.fromkeys(parts.depends_on)),
            sources=(self._path, *strings.sources),
            warnings=self._report.warnings,
        )
        self._attributes.report_unknown()
        return metadata

    def _description(self) -> str:
        """The text for models: `instructions` before `description`, androidx before res-auto."""
        attribute = self._android("instructions") or self._android("description")
        if attribute is None:
            if not self._misplaced_text:
                self._report.fault(self._root.line, self._no_description())
            return ""
        text = self._texts.read(attribute, several_lines=True)
        if text is not None and not text.strip():
            self._report.fault(
                attribute.line,
                f"{attribute.qualified} is empty; say what the app does and in which order its "
                "functions are called",
            )
        return text or ""

    def _no_description(self) -> str:
        found = [a.qualified for a in self._root.attributes if a.namespace not in {*_ANDROID, MCP}]
        others = f" (found: {', '.join(found[:10])})" if found else ""
        return (
            f"<{ROOT}> has no description{others}; add appfn:description with "
            f'xmlns:appfn="{ANDROIDX}"'
        )

    def _display_description(self) -> str:
        attribute = self._android("displayDescription")
        if attribute is None:
            return ""
        return self._texts.read(attribute, several_lines=True, may_be_missing=True) or ""

    def _android(self, name: str) -> XmlAttribute | None:
        return self._root.attribute(name, ANDROIDX) or self._root.attribute(name, RES_AUTO)

    def _check_root(self) -> None:
        """Reports attributes that an author meant for us but wrote as none of ours."""
        for attribute in self._root.attributes:
            if self._report.is_full:
                return
            namespace = attribute.namespace
            like = _android_name_like(attribute.name)
            if not namespace:
                self._report_bare(attribute, like)
            elif namespace in _ANDROID and attribute.name not in _ANDROID_NAMES:
                self._misplace(attribute, like, f"unknown attribute {quoted(attribute.qualified)}")
            elif like is not None and namespace not in _ANDROID and _ANDROID_LIKE.match(namespace):
                what = f"{attribute.qualified} is in the namespace {quoted(namespace)}"
                self._misplace(attribute, like, what)
            elif namespace != MCP and _MCP_LIKE.match(namespace):
                self._report_version(attribute.line, attribute.qualified, namespace)

    def _report_bare(self, attribute: XmlAttribute, like: str | None) -> None:
        what = f"attribute {quoted(attribute.name)} has no namespace"
        if like is None and attribute.name in _MCP_NAMES:
            self._report.fault(
                attribute.line, f'{what}; write mcp:{attribute.name} with xmlns:mcp="{MCP}"'
            )
        else:
            self._misplace(attribute, like, what)

    def _misplace(self, attribute: XmlAttribute, like: str | None, what: str) -> None:
        """Reports an attribute that should be one of Android's."""
        self._misplaced_text = self._misplaced_text or like in {"description", "instructions"}
        fix = (
            f'write appfn:{like} with xmlns:appfn="{ANDROIDX}"'
            if like
            else accepted_names(attribute.name, _ANDROID_NAMES, "appfn:")
        )
        self._report.fault(attribute.line, f"{what}; {fix}")

    def _report_version(self, line: int, qualified: str, namespace: str) -> None:
        self._report.fault(
            line, f"{qualified} is in the namespace {quoted(namespace)}; accepted is {MCP}"
        )

    def _check_content(self) -> None:
        """Reads our elements, reports what else stands inside the root."""
        for part in self._root.content:
            if self._report.is_full:
                return
            if isinstance(part, XmlText):
                if part.text.strip():
                    self._report.fault(
                        self._root.line,
                        f"text inside <{ROOT}>: {quoted(part.text.strip())}; texts are attributes",
                    )
            elif part.namespace == MCP:
                self._parts.read(part)
            else:
                self._report_child(part)

    def _report_child(self, child: XmlElement) -> None:
        like = _android_name_like(child.name)
        if like is not None:
            self._misplaced_text = True
            self._report.fault(
                child.line,
                f"<{child.qualified}> is a child element; the root takes attributes, not child "
                f"elements, for its texts: write appfn:{like}",
            )
        elif _MCP_LIKE.match(child.namespace):
            self._report_version(child.line, f"<{child.qualified}>", child.namespace)
        else:
            names = accepted_names(child.name, ELEMENTS, "mcp:")
            self._report.fault(
                child.line,
                f'unknown element <{child.qualified}>; {names}, with xmlns:mcp="{MCP}"',
            )

    def _with_modules(self, given: Sequence[str]) -> tuple[FunctionsModule, ...]:
        """The modules of the document, with those that were given beside it."""
        served = {module.module: module for module in self._parts.modules}
        prefixes: dict[str, str] = {}
        for text in given:
            name, colon, prefix = text.partition(":")
            try:
                module_name(name)
                if colon:
                    tool_prefix(prefix)
            except ValueError as accepted:
                self._report.fault(
                    1, f"module {quoted(text)} is not accepted; accepted is {accepted}"
                )
                continue
            if prefixes.setdefault(name, prefix) != prefix:
                self._report.fault(1, f"module {quoted(name)} is given with two prefixes; give one")
            declared = served.get(name, FunctionsModule(name))
            served[name] = replaced(declared, prefix=prefix or declared.prefix)
        return tuple(served.values())

    def _default_name(self, served: Sequence[FunctionsModule]) -> str:
        """The last part of the first module."""
        if not served:
            return "app"
        name = served[0].module.rpartition(".")[2]
        try:
            return server_name(name)
        except ValueError as accepted:
            self._report.fault(
                self._root.line,
                f"module {quoted(name)} gives no name for the server; add mcp:name, {accepted}",
            )
            return "app"


def _android_name_like(name: str) -> str | None:
    """Which of Android's attributes a name spells, in whatever style."""
    letters = name.replace("-", "").replace("_", "").lower()
    return next((known for known in _ANDROID_NAMES if known.lower() == letters), None)
