"""A service → the files that an Android app with the same functions has: metadata, XML, Kotlin.

Knows nothing of folders: files are texts by their path, as they stand below an app's `src/main`.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from appfunctions_mcp.android.data_types import AndroidDocument
from appfunctions_mcp.android.describing.functions import described_modules
from appfunctions_mcp.android.kotlin.files import kotlin_files
from appfunctions_mcp.android.xml.app_metadata_writing import app_metadata_xml
from appfunctions_mcp.android.xml.functions_xml_writing import functions_xml
from appfunctions_mcp.exceptions import AppFunctionDeclarationError
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.metadata import AppMetadata
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.service import AppFunctionService

__all__ = ["exported_files", "is_package", "package_of"]

_PACKAGE = regex(r"[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)+")
_NOT_IN_PACKAGE = regex(r"[^a-z0-9]+")


def exported_files(service: AppFunctionService, *, package: str) -> dict[str, str]:
    """The texts of an exported app by their path below `src/main`.

    Args:
        service: What is exported.
        package: The package of what has no Android name of its own.

    Returns:
        `res/xml/app_metadata.xml`, an XML for each module in `assets/`, and Kotlin in `kotlin/`.

    Raises:
        AppFunctionDeclarationError: Something has no form on Android; names file, function,
            parameter and type, all of it in one report.
    """
    documents = _by_file_name(described_modules(service, package=package))
    files = {"res/xml/app_metadata.xml": app_metadata_xml(service.metadata)}
    sources = {each.names.function_id: each.names.source for each in service.registry}
    faults: list[str] = []
    for name, document in documents.items():
        try:
            files[f"assets/{name}.xml"] = functions_xml(document)
        except AppFunctionDeclarationError as fault:
            faults += (_with_source(each, sources) for each in fault.faults)
    try:
        kotlin = kotlin_files(
            documents, package=package, sources=sources, known_notes=_defaults_told(service)
        )
    except AppFunctionDeclarationError as fault:
        faults += fault.faults
    if faults:
        raise AppFunctionDeclarationError(dict.fromkeys(faults))
    return files | {f"kotlin/{path}": text for path, text in kotlin.items()}


def _defaults_told(service: AppFunctionService) -> Iterator[str]:
    """The declared defaults, of which Android knows none; see `optional_defaults`."""
    for function in service.registry:
        for parameter in function.metadata.parameters:
            default = parameter.schema.get("default")
            if default and not parameter.required:
                yield (
                    f"function {quoted(function.names.function_id)}, parameter "
                    f"{quoted(parameter.name)}: where it is left out, the body gets the empty "
                    f"value of its type on Android, and {json.dumps(default)} here"
                )


def package_of(metadata: AppMetadata) -> str:
    """The Android package of an app: as its metadata says, else one for its name."""
    name = _NOT_IN_PACKAGE.sub("_", metadata.name.lower()).strip("_")
    return metadata.package or f"com.example.{name if name[:1].isalpha() else f'app_{name}'}"


def is_package(text: str) -> bool:
    """Whether a text is a name of a Java package of two parts or more, as Android asks for."""
    return _PACKAGE.fullmatch(text) is not None


def _with_source(fault: str, sources: Mapping[str, str]) -> str:
    """A fault of a document's function, with the place of its declaration."""
    found = (
        f"{source}: {fault}"
        for function_id, source in sources.items()
        if fault.startswith(f"function {quoted(function_id)}")
    )
    return next(found, fault)


def _by_file_name(documents: Mapping[str, AndroidDocument]) -> dict[str, AndroidDocument]:
    """The documents by the names of their files: a module's last part, or all where it is taken."""
    last = {module: module.rpartition(".")[2] for module in documents}
    # Some systems keep one file for `Notes` and `notes`.
    times = Counter(_folded(last.values()))
    return {
        module.replace(".", "_") if times[last[module].casefold()] > 1 else last[module]: document
        for module, document in documents.items()
    }


def _folded(names: Iterable[str]) -> Iterable[str]:
    return (name.casefold() for name in names)
