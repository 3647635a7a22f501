"""Documents of an Android app → the source of a Python package that serves its functions.

One module a functions XML, with a stub for each function, and one of models. The source is built
of syntax nodes in which every text from the documents is a constant, so that no document can
become other statements.
"""

import ast
import keyword
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from appfunctions_mcp.android.data_types import AndroidComponent, AndroidDocument
from appfunctions_mcp.android.python.functions import FunctionsModule
from appfunctions_mcp.android.python.layout import source_text
from appfunctions_mcp.android.python.models import ModelModule
from appfunctions_mcp.android.python.names import NameTable, module_for
from appfunctions_mcp.android.python.nodes import docstring
from appfunctions_mcp.android.xml.functions_xml_writing import canonical
from appfunctions_mcp.exceptions import MetadataXmlError, SettingsError
from appfunctions_mcp.fault_report import FaultReport
from appfunctions_mcp.quoting import quoted

__all__ = ["python_modules", "python_package"]

NamedDocument = tuple[str, AndroidDocument, Path]
"""The name of a functions XML without its ending, what it says, and the file for messages."""


def python_package(documents: Sequence[NamedDocument], *, package: str) -> dict[str, str]:
    """Writes a package with the functions of an app.

    Args:
        documents: What was read of the app, each as `read_functions_xml` gives it.
        package: The package's name, with dots where it stands in others.

    Returns:
        Path in the project → source: `<package>/__init__.py`, a module for each document, and
        one of models, or one for each document where they do not agree on what is shared.

    Raises:
        MetadataXmlError: Something has no form in Python; names all, each `FILE:LINE: what; fix`.
        SettingsError: The package's name is none that Python accepts.
    """
    folder = "/".join(_parts_of(package))
    reports = [FaultReport(path) for _, _, path in documents]
    _refuse_repeated_ids(documents, reports)
    modules = _Modules(documents, reports)
    texts = {"__init__": _Source(_PACKAGE_DOCSTRING, [], {})} | modules.sources()
    faults = [fault for report in reports for fault in _faults_of(report)]
    if faults:
        raise MetadataXmlError(dict.fromkeys(faults))
    return {f"{folder}/{module}.py": source.text() for module, source in texts.items()}


def python_modules(documents: Sequence[NamedDocument], *, package: str) -> tuple[str, ...]:
    """The dotted names of the modules that `python_package` writes, in the order of documents.

    Args:
        documents: As `python_package` takes them.
        package: The package's name.

    Raises:
        SettingsError: The package's name is none that Python accepts.
    """
    _parts_of(package)
    return tuple(f"{package}.{name}" for name in _module_names(documents, NameTable({_MODELS})))


_PACKAGE_DOCSTRING = "Functions of an Android app, one module for each of its functions XML files."
_MODELS = "models"


@dataclass(frozen=True, slots=True)
class _Source:
    """One module before it is text."""

    description: str
    statements: Sequence[ast.stmt]
    comments: dict[ast.stmt, str]

    def text(self) -> str:
        body = [docstring(self.description), *self.statements]
        return source_text(ast.Module(body, []), self.comments)


class _Modules:
    """The modules of a package but its `__init__`."""

    def __init__(self, documents: Sequence[NamedDocument], reports: Sequence[FaultReport]) -> None:
        table = NameTable({_MODELS})
        names = _module_names(documents, table)
        read = [document for _, document, _ in documents]
        pairs = list(zip(read, reports, strict=True))
        self._models = [ModelModule(_MODELS, pairs)] * len(pairs) if pairs else []
        if not _do_agree(read):
            self._models = [
                ModelModule(table.claim(f"{name}_{_MODELS}"), [pair])
                for name, pair in zip(names, pairs, strict=True)
            ]
        self._functions = [
            FunctionsModule(name, document, report, models)
            for name, (document, report), models in zip(names, pairs, self._models, strict=True)
        ]

    def sources(self) -> dict[str, _Source]:
        """Module name → its source, models first."""
        functions = {
            each.module: _Source(_FUNCTIONS_DOCSTRING, each.statements(), {})
            for each in self._functions
        }
        return dict(self._model_sources()) | functions

    def _model_sources(self) -> Iterator[tuple[str, _Source]]:
        for models in dict.fromkeys(self._models):
            statements = models.statements()
            if statements:
                yield models.module, _Source(_MODELS_DOCSTRING, statements, models.comments)


_FUNCTIONS_DOCSTRING = (
    "The app's functions, each declared as on Android; one that raises is still to be written."
)
_MODELS_DOCSTRING = "What the functions take and return, under the names that it has on Android."


def _parts_of(package: str) -> list[str]:
    parts = package.split(".")
    for part in parts:
        if not part.isidentifier() or not part.isascii() or keyword.iskeyword(part):
            raise SettingsError(
                f"{quoted(package)} is no name of a Python package; accepted are letters A to Z, "
                "digits and '_', beginning with a letter, and no word of Python's own"
            )
    return parts


def _module_names(documents: Sequence[NamedDocument], names: NameTable) -> list[str]:
    """What the modules are called: after their files, each once on any file system."""
    found = [module_for(name.removesuffix(".xml"), "functions") for name, _, _ in documents]
    return [names.claim(name, f"{name}_functions") for name in found]


def _refuse_repeated_ids(
    documents: Sequence[NamedDocument], reports: Sequence[FaultReport]
) -> None:
    first: dict[str, tuple[Path, int]] = {}
    for (_, document, path), report in zip(documents, reports, strict=True):
        for function in document.functions:
            if function.id in first:
                where, line = first[function.id]
                report.fault(
                    function.line,
                    f"function {quoted(function.id)} is declared in {where}:{line} too; import one "
                    "of the files",
                )
            first.setdefault(function.id, (path, function.line))


def _do_agree(documents: Sequence[AndroidDocument]) -> bool:
    """Whether components of one name are the same in all documents."""
    shared: dict[str, AndroidComponent] = {}
    return all(
        shared.setdefault(each.name, each) == each
        for document in documents
        for each in canonical(document).components
    )


def _faults_of(report: FaultReport) -> Sequence[str]:
    try:
        report.require_none()
    except MetadataXmlError as fault:
        return fault.faults
    return ()
