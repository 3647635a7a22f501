"""Reads a functions XML: v1, v2, dynamic schema and per-service files, told apart by content.

What Android refuses is refused, all faults in one report; what Android ignores is not carried
over, and stands in the document's warnings. Order does not matter. Older forms come out in the
newest one.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from appfunctions_mcp.android.data_types import (
    AndroidComponent,
    AndroidDocument,
    AndroidFunction,
    AndroidParameter,
    AndroidResponse,
)
from appfunctions_mcp.android.uri_forms import with_inline_uris
from appfunctions_mcp.android.xml.document_checks import UNUSED, document_faults
from appfunctions_mcp.android.xml.types_xml import TypeReader
from appfunctions_mcp.android.xml.xml_parts import ElementReader
from appfunctions_mcp.fault_report import FaultReport
from appfunctions_mcp.metadata import AppFunctionAccessLevel, AppFunctionSchema, AppFunctionScope
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.xml_elements import XmlElement, read_xml

__all__ = ["MAX_FUNCTIONS_XML_BYTES", "read_functions_xml"]

MAX_FUNCTIONS_XML_BYTES = 2 * 1_048_576
"""The most that a functions XML may hold; a function takes one to ten thousand bytes."""

_ROOT = "appfunctions"
_COMPONENTS = "AppFunctionComponentMetadataDocument"
_SCOPES = {each.value: each for each in AppFunctionScope}
_ACCESS_LEVELS = {each.value: each for each in AppFunctionAccessLevel}
_SNAKE = {
    "schemaCategory": "schema_category",
    "schemaName": "schema_name",
    "schemaVersion": "schema_version",
    "enabledByDefault": "enabled_by_default",
}
_CAMEL = {name: name for name in _SNAKE}


def read_functions_xml(path: Path) -> AndroidDocument:
    """Reads what an Android app says of its functions.

    Args:
        path: The file, such as `app/build/…/assets/my_service.xml`.

    Returns:
        The document in the newest form: an address is an inline object, one regular expression
        is patterns where these can say the same, a nullable response has a nullable type. What
        is not carried over stands in its `warnings`.

    Raises:
        MetadataXmlError: The file cannot be used; names all faults, each `FILE:LINE: what; fix`.
    """
    path = Path(path)
    root = read_xml(path, max_bytes=MAX_FUNCTIONS_XML_BYTES)
    report = FaultReport(path)
    if root.name != _ROOT or root.namespace:
        found = f"<{root.qualified}>{_of_namespace(root.namespace)}"
        report.fault(root.line, f"the root element is {found}; accepted is <{_ROOT}>")
        report.require_none()
    document = with_inline_uris(_DocumentReader(root, report).read())
    for line, text in document_faults(document):
        if report.is_full:
            break
        report.fault(line or root.line, text)
    report.require_none()
    return replace(document, warnings=report.warnings)


def _of_namespace(namespace: str) -> str:
    return f" of the namespace {quoted(namespace)}, where none is accepted" if namespace else ""


class _DocumentReader:
    """Reads one document.

    Args:
        root: What was read from the file.
        report: Takes faults and warnings.
    """

    def __init__(self, root: XmlElement, report: FaultReport) -> None:
        self._parts = ElementReader(root, report)
        self._types = TypeReader(report)

    def read(self) -> AndroidDocument:
        functions = [self._function(each) for each in self._parts.many("appfunction")]
        components, service = self._components()
        self._parts.leave_out()
        return AndroidDocument(
            functions=tuple(functions), components=tuple(components), service=service
        )

    def _components(self) -> tuple[list[AndroidComponent], str | None]:
        element = self._parts.one(_COMPONENTS)
        if element is None:
            return [], None
        parts = self._parts.inside(element)
        service = parts.name("id")
        named = [self._types.named(each, "", "component") for each in parts.many("dataTypes")]
        parts.leave_out()
        components = [AndroidComponent(each.name, each.type) for each in named]
        return components, None if service == UNUSED else service

    def _function(self, element: XmlElement) -> AndroidFunction:
        parts = self._parts.inside(element)
        if parts.has("function_id"):
            function = self._older_function(parts)
        else:
            function = self._newer_function(parts)
        parts.leave_out()
        return function

    def _older_function(self, parts: ElementReader) -> AndroidFunction:
        """A function of a v1 file, which says nothing of parameters and results."""
        function_id = parts.name("function_id") or ""
        parts.place = f"function {quoted(function_id)}"
        return AndroidFunction(
            id=function_id,
            enabled_by_default=parts.truth(_SNAKE["enabledByDefault"]),
            schema=_schema(parts, _SNAKE),
            line=parts.line,
        )

    def _newer_function(self, parts: ElementReader) -> AndroidFunction:
        function_id = _function_id(parts)
        parts.place = f"function {quoted(function_id)}"
        return AndroidFunction(
            id=function_id,
            enabled_by_default=parts.truth("enabledByDefault"),
            scope=parts.choice("scope", _SCOPES.get, _SCOPES),
            description=parts.text("description") or "",
            parameters=tuple(self._parameters(parts)),
            response=self._response(parts),
            schema=_schema(parts, _CAMEL),
            deprecation=_deprecation(parts),
            access_level=parts.choice("accessLevel", _ACCESS_LEVELS.get, _ACCESS_LEVELS),
            compat_enforcement=parts.truth("isCompatEnforcementEnabled"),
            line=parts.line,
        )

    def _parameters(self, function: ElementReader) -> Iterator[AndroidParameter]:
        for element in function.many("parameters"):
            parts = function.inside(element)
            parts.one("id")
            name = parts.name("name") or ""
            parts.place = f"{function.place}, parameter {quoted(name)}"
            yield AndroidParameter(
                name=name,
                type=self._types.child(parts, "dataTypeMetadata", parts.place),
                required=parts.truth("isRequired") or False,
                description=parts.text("description") or "",
                line=parts.line,
            )
            parts.leave_out()

    def _response(self, function: ElementReader) -> AndroidResponse | None:
        element = function.one("response")
        if element is None:
            return None
        parts = function.inside(element, "response")
        parts.one("id")
        found = self._types.child(parts, "valueType", parts.place)
        # An older form said it beside the type.
        nullable = found.nullable or parts.truth("isNullable") or False
        description = parts.text("description") or ""
        parts.leave_out()
        return AndroidResponse(type=replace(found, nullable=nullable), description=description)


def _function_id(parts: ElementReader) -> str:
    """The id, which newer files hold twice."""
    repeated = parts.name("functionId")
    function_id = parts.name("id")
    if function_id and repeated and function_id != repeated:
        parts.fault(
            f"<id> is {quoted(function_id)} and <functionId> is {quoted(repeated)}; they are to "
            "be the same"
        )
    return function_id or repeated or ""


def _schema(parts: ElementReader, names: dict[str, str]) -> AppFunctionSchema | None:
    """The predefined schema; none where its three parts are not all there, as Android has it."""
    category = parts.name(names["schemaCategory"])
    name = parts.name(names["schemaName"])
    version = parts.number(names["schemaVersion"])
    if category and name and version is not None and version > 0:
        return AppFunctionSchema(category, name, version)
    if any(parts.has(each) for each in list(names.values())[:3]):
        parts.warn(
            "the schema is not carried over, as Android ignores it: it needs a category, a name "
            "and a version from 1"
        )
    return None


def _deprecation(function: ElementReader) -> str | None:
    element = function.one("deprecation")
    if element is None:
        return None
    parts = function.inside(element, "deprecation")
    parts.one("id")
    message = parts.text("message")
    parts.leave_out()
    return message or ""
