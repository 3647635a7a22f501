"""A function of Android's → what is published of it here, and the check of its arguments.

The schemas are made by the core's own publisher, so that a function of a device looks like one
in Python. Knows nothing of devices.
"""

from typing import Any

from appfunctions_mcp.android.data_types import (
    AllOfType,
    AndroidDocument,
    AndroidFunction,
    DataType,
    ObjectType,
    ScalarType,
    TypeNumber,
)
from appfunctions_mcp.android.proxies import Proxy, proxy_at
from appfunctions_mcp.android.references import components_of, resolved
from appfunctions_mcp.android.type_shapes import TypeShapes
from appfunctions_mcp.metadata import (
    AppFunctionAccessLevel,
    AppFunctionMetadata,
    AppFunctionResponseMetadata,
    AppFunctionScope,
    JsonSchema,
)
from appfunctions_mcp.names import name_in_words
from appfunctions_mcp.schema.arguments import ArgumentsSchema, parameters_of
from appfunctions_mcp.schema.json_schema import publish, publish_root
from appfunctions_mcp.schema.shapes import (
    NumberShape,
    ObjectShape,
    Property,
    Shape,
    TextShape,
    UnionShape,
)

RESULT = "result"
"""The key under which a result goes out that is no object."""


def function_metadata(
    function: AndroidFunction,
    document: AndroidDocument,
    *,
    tool_name: str,
    function_id: str | None = None,
    module: str = "",
    source: str = "",
    enabled: bool | None = None,
) -> AppFunctionMetadata:
    """What is published of a function.

    Args:
        function: The function.
        document: Where its references lead.
        tool_name: Its name for clients.
        function_id: Its id here; its own when left out.
        module: The package of the app that it belongs to.
        source: Where it comes from, for messages.
        enabled: Whether it is on; as declared when left out.
    """
    schema = input_schema_of(function, document)
    on = function.enabled_by_default is not False if enabled is None else enabled
    return AppFunctionMetadata(
        function_id=function_id or function.id,
        tool_name=tool_name,
        description=function.description or name_in_words(function.id.rpartition("#")[2]),
        is_described=bool(function.description),
        parameters=tuple(parameters_of(schema)),
        input_schema=schema,
        response=_response_of(function, document),
        enabled_by_default=on,
        deprecated=function.deprecation,
        schema=function.schema,
        scope=function.scope or AppFunctionScope.GLOBAL,
        access_level=function.access_level or AppFunctionAccessLevel.ANDROID_TRUSTED,
        access_level_compat=function.compat_enforcement is not False,
        module=module,
        package=module,
        source=source,
    )


def input_schema_of(function: AndroidFunction, document: AndroidDocument) -> JsonSchema:
    """The schema of a function's arguments; dates and addresses are text."""
    return publish_root(_arguments_shape(function, TypeShapes(document, "arguments")), "arguments")


def arguments_of(function: AndroidFunction, document: AndroidDocument) -> ArgumentsSchema:
    """The check of a function's arguments, which takes Android's objects for dates too.

    Values stay JSON values; what a date says is for the one who sends it on to read.
    """
    checked = _arguments_shape(function, TypeShapes(document, "arguments", _text_or_object))
    return ArgumentsSchema(checked, {}, lambda: input_schema_of(function, document))


def output_schema_of(function: AndroidFunction, document: AndroidDocument) -> JsonSchema | None:
    """The schema of what a function returns; None for a text, and for what no shell shows."""
    if function.response is None:
        return None
    shapes = TypeShapes(document, "result")
    data_type = function.response.type
    if shapes.is_hidden(data_type) or is_bare_text(function, document):
        return None
    shape = shapes.shape(data_type)
    if is_object(data_type, document):
        return publish_root(shape, "result")
    inner = publish(shape, "result")
    definitions = inner.pop("$defs", None)
    if function.response.description:
        inner["description"] = function.response.description
    wrapper = {
        "type": "object",
        "properties": {RESULT: inner},
        "required": [RESULT],
        "additionalProperties": False,
    }
    return wrapper | ({"$defs": definitions} if definitions else {})


def is_object(data_type: DataType, document: AndroidDocument) -> bool:
    """Whether results of a type go out as they are, since they are always objects."""
    components = components_of(document)
    found = resolved(data_type, components)
    if data_type.nullable or not isinstance(found, ObjectType | AllOfType):
        return False
    return proxy_at(data_type, components) is None


def is_bare_text(function: AndroidFunction, document: AndroidDocument) -> bool:
    """Whether results are any text, which goes out as it is."""
    if function.response is None:
        return False
    data_type = resolved(function.response.type, components_of(document))
    return (
        isinstance(data_type, ScalarType)
        and data_type.kind is TypeNumber.STRING
        and not data_type.nullable
        and not data_type.enum_values
    )


def unsendable_parameters(function: AndroidFunction, document: AndroidDocument) -> list[str]:
    """The required parameters that travel beside the document, where no shell can put them."""
    shapes = TypeShapes(document, "arguments")
    return [
        each.name
        for each in function.parameters
        if each.required and not each.type.nullable and shapes.is_hidden(each.type)
    ]


def _arguments_shape(function: AndroidFunction, shapes: TypeShapes) -> ObjectShape:
    properties = []
    for each in function.parameters:
        if shapes.is_hidden(each.type):
            continue
        shape = shapes.shape(each.type, each.description)
        required = each.required and shapes.is_required(each.type)
        properties.append(
            Property(name=each.name, attribute=each.name, shape=shape, required=required)
        )
    return ObjectShape(name="arguments", properties=tuple(properties))


def _text_or_object(proxy: Proxy, keywords: dict[str, Any]) -> Shape:
    """A date as it is checked: any text, or the object that Android has for it."""
    is_text = proxy.form in {"zone", "uri"}
    member: Shape = TextShape() if is_text else NumberShape(kind="int")
    needed = len(proxy.members) - proxy.optional
    as_object = ObjectShape(
        name=proxy.form,
        properties=tuple(
            Property(name=name, attribute=name, shape=member, required=at < needed)
            for at, name in enumerate(proxy.members)
        ),
    )
    return UnionShape(branches=(TextShape(), as_object), keywords=keywords)


def _response_of(
    function: AndroidFunction, document: AndroidDocument
) -> AppFunctionResponseMetadata:
    description = function.response.description if function.response is not None else ""
    return AppFunctionResponseMetadata(description, output_schema_of(function, document))
