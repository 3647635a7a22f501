"""Writes the Kotlin of functions documents: services, classes, and what an app adds to use them.

Knows the records of `data_types` only; nothing of XML, of Python functions or of files.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from appfunctions_mcp.android.data_types import AndroidDocument, DataType
from appfunctions_mcp.android.kotlin.class_text import class_lines
from appfunctions_mcp.android.kotlin.classes import KotlinClasses
from appfunctions_mcp.android.kotlin.findings import Findings, Place
from appfunctions_mcp.android.kotlin.fragments import gradle_fragment, manifest_fragment, notes
from appfunctions_mcp.android.kotlin.functions import FunctionReader
from appfunctions_mcp.android.kotlin.model import KotlinClass
from appfunctions_mcp.android.kotlin.names import ClassName, FileScope
from appfunctions_mcp.android.kotlin.service_text import schema_lines, service_lines
from appfunctions_mcp.android.kotlin.services import KotlinService, KotlinServices
from appfunctions_mcp.android.kotlin.words import INDENT, identifier, qualified
from appfunctions_mcp.android.xml.document_checks import document_faults
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.quoting import quoted

__all__ = ["kotlin_files"]

_NOT_IN_PATH = regex(r"[^A-Za-z0-9_-]")


def kotlin_files(
    documents: Mapping[str, AndroidDocument],
    *,
    package: str,
    sources: Mapping[str, str] = MappingProxyType({}),
    known_notes: Iterable[str] = (),
) -> dict[str, str]:
    """Writes the Kotlin of all documents of an app.

    Args:
        documents: The documents by the name of their XML, without `.xml`; components that two
            documents name are one class.
        package: The Kotlin package of classes whose own names give none, such as the services
            of Python modules.
        sources: Where functions are declared, `FILE:LINE` by function id, for messages.
        known_notes: What the caller knows to be otherwise on Android.

    Returns:
        The text of each file by its relative path, which has `/` between folders: Kotlin in the
        folders of its packages; beside them fragments of manifest and Gradle file, and notes
        where Kotlin says something otherwise than a document.

    Raises:
        AppFunctionDeclarationError: Something has no word in Kotlin; all of it in one report.
    """
    findings = Findings()
    with findings.at(Place(f"package {quoted(package)}")):
        qualified(package)
    for name, document in documents.items():
        for _, text in document_faults(document):
            findings.fault(Place(f"document {quoted(name)}"), text)
    findings.require_none()
    classes = KotlinClasses(_components(documents, findings), package, findings)
    services = KotlinServices(FunctionReader(classes, findings), package, sources, findings)
    services.read(documents)
    made = classes.all()
    named = services.all({each.name.binary for each in made})
    files = _written(_tree(made, named), findings)
    findings.require_none()
    files["AndroidManifest.fragment.xml"] = manifest_fragment(named)
    files["build.gradle.kts.txt"] = gradle_fragment()
    told = [*findings.notes, *known_notes]
    if told:
        files["NOTES.md"] = notes(told)
    return files


def _components(
    documents: Mapping[str, AndroidDocument], findings: Findings
) -> dict[str, DataType]:
    """The components of all documents; two of one name are to be the same."""
    components: dict[str, DataType] = {}
    for document in documents.values():
        for each in document.components:
            if components.setdefault(each.name, each.type) != each.type:
                findings.fault(
                    Place(f"type {quoted(each.name)}"),
                    "two documents have types of this name that differ; rename one",
                )
    return components


@dataclass(slots=True)
class _Node:
    """A class or service with what it holds, or a name that only holds others."""

    name: ClassName
    content: KotlinClass | KotlinService | None = None
    inner: dict[str, "_Node"] = field(default_factory=dict)

    def all(self) -> Iterable["_Node"]:
        yield self
        for each in self.inner.values():
            yield from each.all()


def _tree(
    classes: Sequence[KotlinClass], services: Sequence[KotlinService]
) -> dict[tuple[str, str], _Node]:
    """Everything that is written, by package and outermost name."""
    roots: dict[tuple[str, str], _Node] = {}
    contents: list[KotlinClass | KotlinService] = [*classes, *services]
    for content in contents:
        name = content.name
        outer = ClassName(name.package, name.path[:1])
        node = roots.setdefault((name.package, name.path[0]), _Node(outer))
        for depth, part in enumerate(name.path[1:], 2):
            inner = ClassName(name.package, name.path[:depth])
            node = node.inner.setdefault(part, _Node(inner))
        node.content = content
    return roots


def _written(roots: Mapping[tuple[str, str], _Node], findings: Findings) -> dict[str, str]:
    names = [node.name for root in roots.values() for node in root.all()]
    for root in roots.values():
        names += _further_names(root)
    files: dict[str, str] = {}
    for (package, outer), root in sorted(roots.items()):
        folder = "/".join(_NOT_IN_PATH.sub("_", part) for part in package.split("."))
        stem = _NOT_IN_PATH.sub("_", outer)
        path = f"{folder}/{stem}.kt"
        number = 2
        # Some systems keep one file for `Note.kt` and `note.kt`.
        while path.casefold() in {each.casefold() for each in files}:
            path = f"{folder}/{stem}_{number}.kt"
            number += 1
        files[path] = _file(root, FileScope(package, names), findings)
    return files


def _further_names(root: _Node) -> Iterable[ClassName]:
    """The names of what stands beside a service, written or generated."""
    for node in root.all():
        if isinstance(node.content, KotlinService):
            service = node.content
            further = [*service.schemas.values(), *filter(None, [service.generated])]
            yield from (ClassName(service.name.package, (each,)) for each in further)


def _file(root: _Node, scope: FileScope, findings: Findings) -> str:
    body = _lines(root, scope, findings, "")
    for node in root.all():
        if isinstance(node.content, KotlinService):
            for lines in schema_lines(node.content, scope, findings):
                body += ["", *lines]
    marks = []
    if scope.uses_experimental:
        opt_in = scope.name("kotlin.OptIn")
        experimental = scope.name("androidx.appfunctions.ExperimentalAppFunctionsApi")
        marks = [f"@file:{opt_in}({experimental}::class)", ""]
    imports = list(scope.imports())
    head = [*marks, f"package {qualified(root.name.package)}", ""]
    head += [*imports, ""] if imports else []
    return "\n".join([*head, *body, ""])


def _lines(node: _Node, scope: FileScope, findings: Findings, indent: str) -> list[str]:
    inner: list[str] = []
    for each in node.inner.values():
        inner += [""] if inner else []
        inner += _lines(each, scope, findings, indent + INDENT)
    if isinstance(node.content, KotlinClass):
        return list(class_lines(node.content, scope, inner, findings, indent))
    if isinstance(node.content, KotlinService):
        return list(service_lines(node.content, scope, inner, findings, indent))
    return [f"{indent}object {identifier(node.name.path[-1])} {{", *inner, f"{indent}}}"]
