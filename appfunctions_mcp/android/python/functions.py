"""The functions of one document → the stubs of a Python module.

Each keeps its Android identity and answers that it is not written yet. What is said of it stands
in its docstring as far as that gives it back, else beside it.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from appfunctions_mcp.android.data_types import (
    AndroidDocument,
    AndroidFunction,
    AndroidParameter,
    ArrayType,
    ScalarType,
    TypeNumber,
)
from appfunctions_mcp.android.describing.functions import COMPONENTS_ATTRIBUTE, SERVICE_ATTRIBUTE
from appfunctions_mcp.android.python.classes import empty_value
from appfunctions_mcp.android.python.docstrings import (
    FunctionTexts,
    docstring_part,
    function_docstring,
)
from appfunctions_mcp.android.python.models import ModelModule
from appfunctions_mcp.android.python.names import (
    TYPES,
    NameTable,
    candidates_for,
    class_names_for,
    is_identifier,
)
from appfunctions_mcp.android.python.nodes import (
    Expression,
    assignment,
    constant,
    docstring,
    empty_list,
    function_of,
    name,
    raising,
    tuple_of,
)
from appfunctions_mcp.android.python.types import IMPORTED, Imports, Place, TypeWriter
from appfunctions_mcp.fault_report import FaultReport
from appfunctions_mcp.metadata import AppFunctionSchema
from appfunctions_mcp.names import TOOL_NAME, tool_name_of
from appfunctions_mcp.quoting import quoted

_ALWAYS_NUMBERS = frozenset(
    {TypeNumber.BOOLEAN, TypeNumber.BYTES, TypeNumber.DOUBLE, TypeNumber.FLOAT}
)
_RAISED = "AppFunctionNotSupportedException"


@dataclass(frozen=True, slots=True)
class _Parameter:
    """One parameter as it is written."""

    identifier: str
    declared: AndroidParameter
    default: Expression | None
    by_declaration: bool
    """Whether Python's own rule for defaults has to hold, since Android has none for the type."""


class FunctionsModule:
    """The module of one document.

    Args:
        module: Its name.
        document: The document.
        report: Takes what Python cannot hold.
        models: The models that it uses.
    """

    def __init__(
        self, module: str, document: AndroidDocument, report: FaultReport, models: ModelModule
    ) -> None:
        self.module = module
        self._document = document
        self._report = report
        self._models = models
        self._imports = Imports(models.module)
        self._types = TypeWriter(models, self._imports)
        self._identifiers = _identifiers_of(document, models)
        models.names.reserve(self._identifiers.values())
        self._tools = NameTable()

    def statements(self) -> list[ast.stmt]:
        """The body of the module, without its docstring."""
        self._models.report = self._report
        stubs = [self._stub(function) for function in self._document.functions]
        beside = [*self._service(), *self._unused_components()]
        return [*self._imports.statements(), *beside, *stubs]

    def _service(self) -> Iterator[ast.stmt]:
        if self._document.service is not None and self._document.components:
            yield assignment(SERVICE_ATTRIBUTE, constant(self._document.service))

    def _unused_components(self) -> Iterator[ast.stmt]:
        """Names the components that no function leads to, so that they are not forgotten."""
        unused = self._models.kinds.unused(self._document)
        if unused:
            names = [self._types.model(self._models.component(each)) for each in unused]
            yield assignment(COMPONENTS_ATTRIBUTE, tuple_of(names))

    def _stub(self, function: AndroidFunction) -> ast.stmt:
        identifier = self._identifiers[function.id]
        place = f"function {quoted(function.id)}"
        parameters = list(self._parameters(function, place))
        response = function.response
        texts = FunctionTexts(
            function.description,
            {each.identifier: each.declared.description for each in parameters},
            response.description if response is not None else "",
        )
        shown = docstring_part(texts)
        written = function_docstring(shown)
        message = constant(f"{identifier} is not written yet")
        return function_of(
            identifier,
            [self._written(each, identifier, place, shown) for each in parameters],
            self._returns(function, identifier, place, shown),
            [
                *([docstring(written)] if written is not None else []),
                raising(self._types.call(_RAISED, message)),
            ],
            [self._declaration(function, identifier, parameters, shown)],
        )

    def _declaration(
        self,
        function: AndroidFunction,
        identifier: str,
        parameters: list[_Parameter],
        shown: FunctionTexts,
    ) -> Expression:
        is_shown = shown.description == function.description
        by_declaration = any(each.by_declaration for each in parameters)
        return self._types.call(
            "app_function",
            id=constant(function.id),
            name=self._tool_name(function, identifier),
            description=None if is_shown else constant(function.description),
            enabled=_enabled(function),
            schema=None if function.schema is None else self._schema(function.schema),
            access_level=function.access_level
            and self._member("AppFunctionAccessLevel", function.access_level.name),
            access_level_compat=_unless_none(function.compat_enforcement),
            scope=function.scope and self._member("AppFunctionScope", function.scope.name),
            optional_defaults=constant("declared") if by_declaration else None,
            deprecated=_unless_none(function.deprecation),
        )

    def _schema(self, schema: AppFunctionSchema) -> Expression:
        return self._types.call(
            "AppFunctionSchema",
            category=constant(schema.category),
            name=constant(schema.name),
            version=constant(schema.version),
        )

    def _member(self, enumeration: str, member: str) -> Expression:
        return name(f"{self._imports.use(enumeration)}.{member}")

    def _tool_name(self, function: AndroidFunction, identifier: str) -> Expression | None:
        """The name of its tool where the id gives none, or one that another function has."""
        try:
            given = tool_name_of(function.id)
        except ValueError:
            given = ""
        other = identifier if TOOL_NAME.match(identifier) else "function"
        chosen = self._tools.claim(*([given] if given else []), other)
        return None if chosen == given else constant(chosen)

    def _parameters(self, function: AndroidFunction, place: str) -> Iterator[_Parameter]:
        """The parameters, those without a default first, as Python has it."""
        names = NameTable({_RAISED})
        claimed = {
            each.name: names.claim(*candidates_for(each.name, "parameter"))
            for each in sorted(function.parameters, key=lambda each: not is_identifier(each.name))
        }
        for each in sorted(function.parameters, key=lambda each: not each.required):
            default = None if each.required else self._default(each, place)
            by_declaration = not each.required and not _has_empty_value_by_type(each)
            yield _Parameter(claimed[each.name], each, default, by_declaration)

    def _default(self, parameter: AndroidParameter, place: str) -> Expression:
        if isinstance(parameter.type, ArrayType) and not parameter.type.nullable:
            return empty_list()
        value = empty_value(parameter.type)
        if value is None:
            self._report.fault(
                parameter.line,
                f"{place}, parameter {quoted(parameter.name)} is optional, but its type has no "
                "value that stands for none; make it required or nullable",
            )
        return value or constant(None)

    def _written(
        self, parameter: _Parameter, owner: str, place: str, shown: FunctionTexts
    ) -> tuple[str, Expression, Expression | None]:
        declared = parameter.declared
        is_shown = shown.parameters.get(parameter.identifier, "") == declared.description
        marks = []
        if declared.name != parameter.identifier:
            marks.append(self._types.call("AppFunctionParameterName", constant(declared.name)))
        if not is_shown:
            marks.append(constant(declared.description))
        annotation = self._types.annotation(
            declared.type,
            Place(declared.name, owner, f"{place}, parameter {quoted(declared.name)}"),
            marks=marks,
            open_enum=not declared.required and not declared.type.nullable,
        )
        return parameter.identifier, annotation, parameter.default

    def _returns(
        self, function: AndroidFunction, identifier: str, place: str, shown: FunctionTexts
    ) -> Expression:
        response = function.response
        if response is None:
            return constant(None)
        marks = []
        if shown.returns != response.description:
            marks.append(constant(response.description))
        found = response.type
        if isinstance(found, ScalarType) and found.kind == TypeNumber.UNIT and not found.nullable:
            if found.description:
                text = constant(found.description)
                marks.insert(0, self._types.call("AppFunctionTypeDescription", text))
            return self._types.marked(constant(None), marks)
        where = Place(f"{identifier}Result", identifier, f"{place}, response")
        return self._types.annotation(found, where, marks=marks)


def _identifiers_of(document: AndroidDocument, models: ModelModule) -> dict[str, str]:
    """Function id → what the function is called, those that keep their name first."""
    names = NameTable({*IMPORTED, *TYPES, *models.identifiers()})
    methods = {each.id: _method_of(each.id) for each in document.functions}
    found: dict[str, str] = {}
    for function_id, method in sorted(methods.items(), key=lambda each: not is_identifier(each[1])):
        first, *others = candidates_for(method, "function")
        owner = class_names_for(function_id.rpartition("#")[0], "Function")[0]
        found[function_id] = names.claim(first, *others[:1], f"{owner}_{first}")
    return found


def _method_of(function_id: str) -> str:
    """The method of an id: what follows the `#`, else the last part of whatever it is."""
    for separator in "#/.":
        before, found, method = function_id.rpartition(separator)
        if found and before:
            return method
    return function_id


def _has_empty_value_by_type(parameter: AndroidParameter) -> bool:
    """Whether Android's rule gives the parameter a value when it is left out."""
    found = parameter.type
    if found.nullable or not isinstance(found, ScalarType):
        return True
    is_number = found.kind in {TypeNumber.INT, TypeNumber.LONG} and not found.enum_values
    return is_number or found.kind in _ALWAYS_NUMBERS


def _enabled(function: AndroidFunction) -> Expression | None:
    """What is to be said of its state: nothing where it is on, or a scope alone says so."""
    unsaid = True if function.scope is None else None
    is_on = function.enabled_by_default
    return None if is_on is unsaid else constant(is_on)


def _unless_none(value: str | bool | None) -> Expression | None:  # noqa: FBT001 - any constant
    return None if value is None else constant(value)
