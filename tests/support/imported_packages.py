"""Writes the Python source of documents to a folder and imports it, to look at what it says."""

import importlib
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path

from appfunctions_mcp.android.data_types import (
    AllOfType,
    AndroidComponent,
    AndroidDocument,
    AndroidFunction,
    AndroidProperty,
    AndroidResponse,
    ArrayType,
    DataType,
    ObjectType,
    OneOfType,
    ScalarType,
    TypeNumber,
)
from appfunctions_mcp.android.describing.functions import described_document
from appfunctions_mcp.android.python.source import python_modules, python_package
from appfunctions_mcp.android.xml.functions_xml_writing import canonical
from appfunctions_mcp.functions import AppFunction, functions_of_module

_NUMBERS = count()


def sources_of(*documents: AndroidDocument, package: str = "chat") -> dict[str, str]:
    """The package of some documents, as if they had been read from files `app0.xml` and so on."""
    return python_package(_named(documents), package=package)


def _named(documents: Sequence[AndroidDocument]) -> list[tuple[str, AndroidDocument, Path]]:
    return [(f"app{at}", each, Path(f"app{at}.xml")) for at, each in enumerate(documents)]


@contextmanager
def imported(*documents: AndroidDocument) -> Iterator[list[list[AppFunction]]]:
    """The functions of the package of some documents, by document, while it is imported."""
    package = f"imported_package_{next(_NUMBERS)}"
    with tempfile.TemporaryDirectory() as folder:
        for path, text in sources_of(*documents, package=package).items():
            file = Path(folder, path)
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="\n")
        sys.path.insert(0, folder)
        try:
            names = python_modules(_named(documents), package=package)
            yield [_functions_of(name) for name in names]
        finally:
            sys.path.remove(folder)
            for name in [each for each in sys.modules if each.partition(".")[0] == package]:
                del sys.modules[name]
            importlib.invalidate_caches()


def _functions_of(module: str) -> list[AppFunction]:
    found = functions_of_module(importlib.import_module(module))
    return [AppFunction.from_function(each) for each in found]


def described_again(*documents: AndroidDocument) -> list[AndroidDocument]:
    """What the package of some documents says, each as a document."""
    with imported(*documents):
        names = [name for name in sys.modules if name.startswith("imported_package_")]
        modules = [name for name in names if name.rpartition(".")[2].startswith("app")]
        return [described_document(_functions_of(name), modules=[name]) for name in sorted(modules)]


def settled(document: AndroidDocument) -> AndroidDocument:
    """A document as it comes out again: what older forms leave open is said.

    Whether a component or a member accepts null means nothing, for the place of use decides; a
    component without a name of its own has that of the document; a function of which nothing is
    said returns nothing.
    """
    return canonical(
        replace(
            document,
            functions=tuple(map(_settled_function, document.functions)),
            components=tuple(
                AndroidComponent(each.name, _named_component(each.name, _settled(each.type)))
                for each in document.components
            ),
        )
    )


def _settled_function(function: AndroidFunction) -> AndroidFunction:
    response = function.response or AndroidResponse(type=ScalarType(kind=TypeNumber.UNIT))
    return replace(
        function,
        parameters=tuple(replace(each, type=_settled(each.type)) for each in function.parameters),
        response=replace(response, type=_settled(response.type)),
    )


def _named_component(name: str, data_type: DataType) -> DataType:
    found = replace(data_type, nullable=True)
    if isinstance(found, ObjectType | AllOfType) and not found.name:
        return replace(found, name=name)
    return found


def _settled(data_type: DataType) -> DataType:
    if isinstance(data_type, ArrayType):
        return replace(data_type, items=_settled(data_type.items))
    if isinstance(data_type, ObjectType):
        properties = (
            AndroidProperty(each.name, _settled(each.type)) for each in data_type.properties
        )
        return replace(data_type, properties=tuple(properties))
    if isinstance(data_type, AllOfType | OneOfType):
        members = (replace(_settled(each), nullable=True) for each in data_type.members)
        return replace(data_type, members=tuple(members))
    return data_type


def components(types: Mapping[str, DataType]) -> Mapping[str, DataType]:
    """Components by name, of whatever kinds, for `document`."""
    return types
