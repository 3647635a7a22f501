"""Writes a document as functions XML, in the newest form and the compiler's element order.

Refuses what would be read back otherwise: characters that no XML holds, and whatever the reader
refuses. Knows nothing of where the document came from.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from appfunctions_mcp.android.data_types import (
    AllOfType,
    AndroidComponent,
    AndroidDocument,
    AndroidFunction,
    AndroidParameter,
    AndroidProperty,
    ArrayType,
    DataType,
    ObjectType,
    OneOfType,
    ParcelableType,
    ReferenceType,
    ScalarType,
    StringPattern,
    number_of,
)
from appfunctions_mcp.android.xml.document_checks import UNUSED, document_faults
from appfunctions_mcp.exceptions import AppFunctionDeclarationError
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.quoting import quoted

__all__ = ["canonical", "functions_xml"]

_DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_INDENT = "    "
_NO_XML = regex("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def functions_xml(document: AndroidDocument) -> str:
    """A document as the text of a functions XML; to be written as UTF-8 with LF line ends.

    Functions, parameters, properties and components keep their order. The name of the service
    stands with the components, so it is written only where there are some.

    Raises:
        AppFunctionDeclarationError: The document is one that no reader accepts, or a text holds
            a character that no XML can hold; names all faults.
    """
    faults = [text for _, text in document_faults(document)]
    if not faults:
        writer = _Writer()
        writer.write(document)
        if not writer.faults:
            return writer.text()
        faults = writer.faults
    raise AppFunctionDeclarationError(dict.fromkeys(faults))


class _Writer:
    """The lines of one XML, and where in the document the next one stands."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        """Texts that cannot be written."""
        self._lines = [_DECLARATION]
        self._depth = 0
        self._place = ""

    def text(self) -> str:
        return "\n".join([*self._lines, ""])

    def write(self, document: AndroidDocument) -> None:
        with self._element("appfunctions"):
            for function in document.functions:
                self._place = f"function {quoted(function.id)}"
                self._write_function(function)
            if document.components:
                self._write_components(document)

    @contextmanager
    def _element(self, name: str) -> Iterator[None]:
        self._lines.append(f"{_INDENT * self._depth}<{name}>")
        self._depth += 1
        yield
        self._depth -= 1
        self._lines.append(f"{_INDENT * self._depth}</{name}>")

    def _leaf(self, name: str, text: str) -> None:
        illegal = _NO_XML.search(text)
        if illegal is not None:
            code = f"U+{ord(illegal[0]):04X}"
            self.faults.append(
                f"{self._place}: <{name}> {quoted(text)} holds the character {code}, which no "
                "XML can hold; remove it"
            )
        written = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        # A bare carriage return is read as a line feed.
        written = written.replace("\r", "&#13;")
        self._lines.append(f"{_INDENT * self._depth}<{name}>{written}</{name}>")

    def _unused(self) -> None:
        self._leaf("id", UNUSED)

    def _truth(self, name: str, value: bool | None) -> None:  # noqa: FBT001 - the text of an element
        if value is not None:
            self._leaf(name, "true" if value else "false")

    def _some(self, name: str, text: str | None) -> None:
        if text:
            self._leaf(name, text)

    def _write_function(self, function: AndroidFunction) -> None:
        with self._element("appfunction"):
            self._leaf("id", function.id)
            self._truth("enabledByDefault", function.enabled_by_default)
            self._some("scope", function.scope and function.scope.value)
            self._some("description", function.description)
            for parameter in function.parameters:
                self._write_parameter(parameter)
            if function.response is not None:
                with self._element("response"):
                    self._unused()
                    self._write_type("valueType", function.response.type)
                    self._some("description", function.response.description)
            if function.schema is not None:
                self._leaf("schemaCategory", function.schema.category)
                self._leaf("schemaName", function.schema.name)
                self._leaf("schemaVersion", str(function.schema.version))
            if function.deprecation is not None:
                with self._element("deprecation"):
                    self._unused()
                    self._leaf("message", function.deprecation)
            self._some("accessLevel", function.access_level and function.access_level.value)
            self._truth("isCompatEnforcementEnabled", function.compat_enforcement)
            self._leaf("functionId", function.id)

    def _write_parameter(self, parameter: AndroidParameter) -> None:
        with self._element("parameters"):
            self._write_type("dataTypeMetadata", parameter.type)
            self._unused()
            self._truth("isRequired", parameter.required)
            self._leaf("name", parameter.name)
            self._some("description", parameter.description)

    def _write_components(self, document: AndroidDocument) -> None:
        self._place = "the components"
        with self._element("AppFunctionComponentMetadataDocument"):
            for component in document.components:
                self._place = f"component {quoted(component.name)}"
                self._write_named("dataTypes", component)
            self._leaf("id", document.service or UNUSED)

    def _write_named(self, element: str, named: AndroidComponent | AndroidProperty) -> None:
        with self._element(element):
            self._write_type("dataTypeMetadata", named.type)
            self._unused()
            self._leaf("name", named.name)

    def _write_type(self, element: str, data_type: DataType) -> None:
        with self._element(element):
            if isinstance(data_type, AllOfType | OneOfType):
                word = "allOf" if isinstance(data_type, AllOfType) else "oneOf"
                for member in data_type.members:
                    self._write_type(word, member)
            if isinstance(data_type, ReferenceType):
                self._leaf("dataTypeReference", data_type.name)
            self._unused()
            self._truth("isNullable", data_type.nullable)
            if isinstance(data_type, ArrayType):
                self._write_type("itemType", data_type.items)
            if isinstance(data_type, ObjectType | AllOfType | OneOfType | ParcelableType):
                self._some("objectQualifiedName", data_type.name)
            self._some("description", data_type.description)
            if isinstance(data_type, ObjectType):
                for each in data_type.properties:
                    self._write_named("properties", each)
                for name in data_type.required:
                    self._leaf("required", name)
            if isinstance(data_type, ScalarType):
                self._write_constraints(data_type)
            self._leaf("type", str(int(number_of(data_type))))

    def _write_constraints(self, scalar: ScalarType) -> None:
        for value in scalar.enum_values:
            self._leaf("enumValues", value)
        for pattern in scalar.patterns:
            with self._element("patterns"):
                self._unused()
                self._leaf("type", str(int(pattern.type)))
                self._leaf("value", pattern.value)
        self._some("format", scalar.format)


def canonical(document: AndroidDocument) -> AndroidDocument:
    """A document of which two are equal where they say the same, in whatever order.

    Functions are sorted by id, parameters, properties and components by name, members of allOf
    and oneOf, required names, accepted values and patterns as they come in sorting. Lines and
    warnings are dropped, as is the service of a document without components, which no XML holds.
    """
    functions = (_sorted_function(each) for each in document.functions)
    components = (AndroidComponent(each.name, _sorted(each.type)) for each in document.components)
    return AndroidDocument(
        functions=tuple(sorted(functions, key=lambda each: each.id)),
        components=tuple(sorted(components, key=lambda each: each.name)),
        service=document.service if document.components else None,
    )


def _sorted_function(function: AndroidFunction) -> AndroidFunction:
    parameters = (replace(each, type=_sorted(each.type), line=0) for each in function.parameters)
    response = function.response
    return replace(
        function,
        parameters=tuple(sorted(parameters, key=lambda each: each.name)),
        response=response and replace(response, type=_sorted(response.type)),
        line=0,
    )


def _sorted(data_type: DataType) -> DataType:
    found = replace(data_type, line=0)
    if isinstance(found, ScalarType):
        # Plain numbers, since members are compared by how they are shown.
        patterns = {StringPattern(each.value, int(each.type)) for each in found.patterns}
        return replace(
            found,
            enum_values=tuple(sorted(set(found.enum_values))),
            patterns=tuple(sorted(patterns, key=lambda each: (each.value, each.type))),
        )
    if isinstance(found, ArrayType):
        return replace(found, items=_sorted(found.items))
    if isinstance(found, ObjectType):
        properties = (AndroidProperty(each.name, _sorted(each.type)) for each in found.properties)
        return replace(
            found,
            properties=tuple(sorted(properties, key=lambda each: each.name)),
            required=tuple(sorted(set(found.required))),
        )
    if isinstance(found, AllOfType | OneOfType):
        return replace(found, members=tuple(sorted(map(_sorted, found.members), key=repr)))
    return found
