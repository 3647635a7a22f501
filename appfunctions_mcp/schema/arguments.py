"""A function's parameters → its input schema, and the check of a call's arguments.

Made once per function, by `build_arguments` from a signature or by `arguments_from_json_schema`
from a ready schema. Knows nothing of who calls, nor of confirmations.
"""

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Any

from pydantic import PydanticUserError

from appfunctions_mcp.docstrings import ParsedDocstring
from appfunctions_mcp.exceptions import AppFunctionDeclarationError
from appfunctions_mcp.metadata import (
    AppFunctionParameterMetadata,
    JsonSchema,
    OptionalDefaults,
    UnknownArguments,
)
from appfunctions_mcp.records import replaced
from appfunctions_mcp.schema.annotations import Parameter, Signature, type_name
from appfunctions_mcp.schema.argument_types import Argument, argument_type, default_as_json
from appfunctions_mcp.schema.json_schema import annotated_text, publish_root
from appfunctions_mcp.schema.optional_values import (
    OptionalValueError,
    declared_value,
    value_by_type,
)
from appfunctions_mcp.schema.shapes import (
    MISSING,
    AnyShape,
    ListShape,
    MapShape,
    NullableShape,
    ObjectShape,
    Property,
    Shape,
    resolved,
)

Check = Callable[[Mapping[str, Any], list[str] | None], dict[str, Any]]
"""Checks the arguments of one call, as `ArgumentsSchema.validate` says."""


class ArgumentsSchema:
    """What a function takes: published as `input_schema`, checked by `validate`.

    Both are made when they are first needed. `warnings` is what the author should know.
    """

    def __init__(
        self,
        shape: ObjectShape,
        arguments: Mapping[str, Argument],
        publish: Callable[[], JsonSchema],
        *,
        unknown_arguments: UnknownArguments = "refuse",
        warnings: tuple[str, ...] = (),
        said: Callable[[], Mapping[str, str]] | None = None,
    ) -> None:
        self._publish = publish
        self._said = said
        self.warnings = warnings
        self.shape = shape
        """The parameters as one object, without what is said of them."""
        self._arguments = arguments
        self._unknown = unknown_arguments
        self._renamed = {p.name: p.attribute for p in shape.properties if p.name != p.attribute}
        self._check: Check | None = None

    @cached_property
    def input_schema(self) -> JsonSchema:
        """What is published: the schema of an object."""
        return self._publish()

    @cached_property
    def parameters(self) -> tuple[AppFunctionParameterMetadata, ...]:
        """The same, parameter by parameter."""
        return tuple(parameters_of(self.input_schema))

    @cached_property
    def descriptions(self) -> Mapping[str, str]:
        """What is said of each parameter itself, by name; nothing of what its type says."""
        if self._said is None:
            return {each.name: each.description for each in self.parameters}
        return self._said()

    def validate(
        self, parameters: Mapping[str, Any], dropped: list[str] | None = None
    ) -> dict[str, Any]:
        """Checks the raw arguments of a call and makes Python values of them.

        Args:
            parameters: JSON values by parameter name; not changed.
            dropped: Gets the names of arguments that were left out: those that clients add,
                and unknown ones where these are only warned of.

        Returns:
            Keyword arguments for the function, without its context.

        Raises:
            AppFunctionInvalidArgumentException: Names every fault: path, what kind of value
                came and what is accepted.
        """
        if self._check is None:
            from appfunctions_mcp.schema.argument_checks import compile_check

            self._check = compile_check(self.shape, self._arguments, self._unknown)
        checked = self._check(parameters, dropped)
        if not self._renamed:
            return checked
        return {self._renamed.get(name, name): value for name, value in checked.items()}


def build_arguments(
    function: Callable[..., Any],
    *,
    signature: Signature,
    docstring: ParsedDocstring,
    optional_defaults: OptionalDefaults = "type",
    unknown_arguments: UnknownArguments = "refuse",
    source: str,
) -> ArgumentsSchema:
    """Compiles the parameters of a function.

    Args:
        function: The function, for its name in messages.
        signature: Its signature, as `read_signature` gives it.
        docstring: What its docstring says of the parameters.
        optional_defaults: Whether a left-out parameter is its type's empty value or its
            declared default.
        unknown_arguments: What happens to arguments that are not declared.
        source: `FILE:LINE` of the definition, for messages.

    Returns:
        The compiled parameters.

    Raises:
        AppFunctionDeclarationError: Names every parameter that cannot be served as it is
            declared, with its type.
    """
    builder = _Builder(f"{source}: {_name_of(function)}", docstring, optional_defaults)
    for parameter in signature.parameters:
        builder.add(parameter)
    if builder.faults:
        raise AppFunctionDeclarationError(builder.faults)
    return builder.build(unknown_arguments, signature.warnings)


class _Builder:
    """Reads one function's parameters; collects faults and warnings on the way."""

    def __init__(
        self, where: str, docstring: ParsedDocstring, optional_defaults: OptionalDefaults
    ) -> None:
        self._where = where
        self._docstring = docstring
        self._declared = optional_defaults == "declared"
        self._parameters: list[Parameter] = []
        self._properties: list[Property] = []
        self._arguments: dict[str, Argument] = {}
        self._warnings: list[str] = []
        self.faults: list[str] = []

    def add(self, parameter: Parameter) -> None:
        """Reads one parameter."""
        try:
            read = argument_type(parameter.annotation)
        except Exception as fault:  # noqa: BLE001 - an author's own classes take part and may raise anything
            self.faults.append(f"{self._where}: {_unsupported(parameter, fault)}")
            return
        try:
            value_if_absent = self._value_if_absent(parameter, read.shape)
        except OptionalValueError as fault:
            self.faults.append(f"{self._where}: {fault}")
            return
        name = read.shape.marks.get("name", parameter.name)
        if name in self._arguments:
            self.faults.append(f"{self._where}: two parameters have the name {name!r}")
            return
        self._arguments[name] = Argument(read, value_if_absent)
        self._parameters.append(parameter)
        self._properties.append(
            Property(
                name=name,
                attribute=parameter.name,
                shape=read.shape,
                required=parameter.required,
                default=parameter.default if not parameter.required else MISSING,
            )
        )
        if parameter.annotated and read.untyped:
            self._warnings.append(
                f"{self._where}: {parameter.name} takes any JSON, of which agents learn nothing; "
                "give it, or what it holds, a type"
            )

    def build(
        self, unknown_arguments: UnknownArguments, warnings: tuple[str, ...]
    ) -> ArgumentsSchema:
        """Compiles what was read."""
        shape = ObjectShape(name="arguments", properties=tuple(self._properties))
        return ArgumentsSchema(
            shape,
            self._arguments,
            self._published,
            unknown_arguments=unknown_arguments,
            warnings=(*warnings, *self._warnings),
            said=self._said,
        )

    def _said(self) -> dict[str, str]:
        return {
            prop.name: _description_of(parameter, prop.shape, self._docstring)
            for parameter, prop in zip(self._parameters, self._properties, strict=True)
        }

    def _published(self) -> JsonSchema:
        default_of = partial(_published_default, self._arguments) if self._declared else None
        said = self._said()
        described = [replaced(prop, description=said[prop.name]) for prop in self._properties]
        shape = ObjectShape(name="arguments", properties=tuple(described))
        return publish_root(shape, "arguments", default_of=default_of)

    def _value_if_absent(self, parameter: Parameter, shape: Shape) -> Callable[[], Any] | None:
        if parameter.required:
            return None
        return declared_value(parameter) if self._declared else value_by_type(parameter, shape)


def arguments_from_json_schema(input_schema: JsonSchema, source: str = "") -> ArgumentsSchema:
    """Makes the check of a ready input schema; values are passed on as JSON.

    Args:
        input_schema: The schema of an object.
        source: Where it comes from, for messages.

    Raises:
        AppFunctionDeclarationError: The schema is not one of an object.
    """
    from appfunctions_mcp.schema.foreign_shapes import ForeignSchemaError, shape_of_json_schema

    where = f"{source}: " if source else ""
    if input_schema.get("type", "object") != "object":
        raise AppFunctionDeclarationError(
            f"{where}the input schema has the type {input_schema['type']!r}; 'object' is accepted"
        )
    try:
        shape = resolved(shape_of_json_schema({"properties": {}, **input_schema}))
    except ForeignSchemaError as fault:
        raise AppFunctionDeclarationError(f"{where}the input schema: {fault}") from fault
    if not isinstance(shape, ObjectShape):
        shape = ObjectShape(name="arguments", properties=(), extra=AnyShape())
    published = {"type": "object", "properties": {}, **input_schema}
    return ArgumentsSchema(shape, {}, lambda: published)


def _published_default(arguments: Mapping[str, Argument], shape: Shape, default: Any) -> Any:
    """A default as JSON, if sending it gives the default back; else `MISSING`."""
    if default is None:
        return MISSING
    of_parameter = next((a.type for a in arguments.values() if a.type.shape is shape), None)
    try:
        from appfunctions_mcp.schema.coercion import compile_coercer
        from appfunctions_mcp.schema.coercion_pass import CoercionPass

        published = _without_nulls(default_as_json(default), shape)
        state = CoercionPass()
        value = compile_coercer(shape)(published, (), state)
        faults = state.faults
        if of_parameter is not None and not faults:
            value = of_parameter.finish("", value, faults)
        return published if not faults and bool(value == default) else MISSING
    except Exception:  # noqa: BLE001 - a default may be any object, with any behaviour; it is only not published
        return MISSING


def _without_nulls(value: Any, shape: Shape) -> Any:
    """A default without the nulls of optional fields, which are published as not nullable."""
    plain = resolved(shape)
    if isinstance(plain, NullableShape):
        return _without_nulls(value, plain.inner)
    if isinstance(plain, ListShape) and isinstance(value, list):
        return [_without_nulls(item, plain.items) for item in value]
    if isinstance(plain, MapShape) and isinstance(value, dict):
        return {key: _without_nulls(entry, plain.values) for key, entry in value.items()}
    if not isinstance(plain, ObjectShape) or not isinstance(value, dict):
        return value
    of = {prop.name: prop for prop in plain.properties}
    return {
        key: _without_nulls(entry, of[key].shape) if key in of else entry
        for key, entry in value.items()
        if entry is not None or key not in of or of[key].required
    }


def _description_of(parameter: Parameter, shape: Shape, docstring: ParsedDocstring) -> str:
    """What the author says of a parameter: beside its type, else in the docstring."""
    inner = shape.inner if isinstance(shape, NullableShape) else shape
    written = shape.keywords.get("description") or inner.keywords.get("description")
    return str(
        written
        or annotated_text(parameter.annotation)
        or docstring.parameters.get(parameter.name, "")
    )


def parameters_of(input_schema: JsonSchema) -> list[AppFunctionParameterMetadata]:
    """What an input schema says of each parameter."""
    required = input_schema.get("required", ())
    definitions = {key: input_schema[key] for key in ("$defs",) if key in input_schema}
    return [
        AppFunctionParameterMetadata(
            name=name,
            description=str(schema.get("description", "")) if isinstance(schema, dict) else "",
            required=name in required,
            schema=schema | definitions if definitions and "$ref" in repr(schema) else schema,
        )
        for name, schema in input_schema.get("properties", {}).items()
    ]


def _unsupported(parameter: Parameter, fault: Exception) -> str:
    reason = str(fault).partition("\n")[0].partition(". Set `arbitrary_types_allowed")[0]
    if isinstance(fault, PydanticUserError) and fault.code == "class-not-fully-defined":
        reason = "it names a class that cannot be found; define that class in the module"
    if isinstance(fault, RecursionError):
        reason = "its types nest too deep"
    return (
        f"{parameter.name} has the type {type_name(parameter.annotation)}, which is not "
        f"supported: {reason}"
    )


def _name_of(function: Any) -> str:
    while isinstance(function, partial):
        function = function.func
    return str(getattr(function, "__name__", type(function).__name__))
