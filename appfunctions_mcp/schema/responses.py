"""A function's return type → its published output schema, and the step that serialises results.

Everything that depends on the type is compiled once. A result is checked, then written by
pydantic's serializer; only what that refuses, such as half a surrogate or very deep nesting, is
encoded by `json_values`. Knows nothing of MCP.
"""

import typing
from collections.abc import Awaitable, Callable, Coroutine
from functools import cached_property, lru_cache
from typing import Any, Never, NoReturn

from pydantic import (
    PydanticSchemaGenerationError,
    PydanticUndefinedAnnotation,
    PydanticUserError,
)
from pydantic_core import (
    PydanticSerializationError,
    SchemaSerializer,
    SchemaValidator,
    ValidationError,
    from_json,
)

from appfunctions_mcp.docstrings import ParsedDocstring
from appfunctions_mcp.exceptions import (
    AppFunctionDeclarationError,
    AppFunctionException,
    AppFunctionInvalidArgumentException,
)
from appfunctions_mcp.json_text import escaped, write_json
from appfunctions_mcp.metadata import JsonSchema
from appfunctions_mcp.records import record
from appfunctions_mcp.requests import ExecuteAppFunctionResponse
from appfunctions_mcp.schema.annotations import EMPTY, type_name
from appfunctions_mcp.schema.core_keywords import UnsupportedTypeError
from appfunctions_mcp.schema.core_parts import CoreSchema, core_schema_of
from appfunctions_mcp.schema.core_shapes import read_shape
from appfunctions_mcp.schema.handed_parts import (
    Parts,
    noting_parts,
    parts_of_type,
    with_parts_beside,
)
from appfunctions_mcp.schema.json_schema import described_beside, publish, publish_root
from appfunctions_mcp.schema.json_values import (
    MAX_RESULT_DEPTH,
    NoJsonFormError,
    TooDeepError,
    contains_itself,
    depth_of,
    text_form,
    to_json_value,
    type_name_of,
)
from appfunctions_mcp.schema.result_checks import result_validator
from appfunctions_mcp.schema.result_faults import (
    faults_in_words,
    function_at_fault,
    is_about_recursion,
)
from appfunctions_mcp.schema.result_forms import result_serializer
from appfunctions_mcp.schema.result_media import (
    SENT,
    MediaKind,
    MisplacedMediaError,
    media_kind_of,
    require_no_media,
    unwrapped,
)
from appfunctions_mcp.schema.shapes import AnyShape, MapShape, ObjectShape, Shape, resolved, walk

Serialize = Callable[[Any], ExecuteAppFunctionResponse]

_MAX_MODEL_DEPTH = 254
"""How deep pydantic follows a type that holds itself."""
_UNTYPED = (
    "its result has no type that agents can read; annotate what it returns, best with a model"
)


class ResponseSchema:
    """What a function returns: what is published of it, and how a result is serialised.

    `warnings` is what the author should know.
    """

    def __init__(
        self,
        publish: Callable[[], JsonSchema | None],
        warnings: tuple[str, ...],
        serialize: Serialize,
        *,
        read: Callable[[], Shape | None] = lambda: None,
        description: str = "",
        hands_out: bool = False,
    ) -> None:
        self._publish = publish
        self.warnings = warnings
        self._serialize = serialize
        self._read = read
        self.description = description
        """What is said of the result beside its type."""
        self.hands_out = hands_out
        """Whether results may hold links that only their caller may use."""

    @cached_property
    def output_schema(self) -> JsonSchema | None:
        """Always of an object; None for text and media."""
        return self._publish()

    @cached_property
    def shape(self) -> Shape | None:
        """What a result looks like as JSON, media too; None where nothing is known of it."""
        return self._read()

    def serialize(self, value: object) -> ExecuteAppFunctionResponse:
        """Checks what the function returned and makes JSON, text and media of it.

        Args:
            value: What the function returned; not changed.

        Raises:
            AppFunctionAppUnknownException: The value does not fit the declared type; the text
                says that the function is at fault, and where.
            AppFunctionInvalidArgumentException: The value is nested too deeply.
        """
        return self._serialize(value)


def build_response(annotation: Any, *, docstring: ParsedDocstring, source: str) -> ResponseSchema:
    """Reads a return type once and compiles what its results need.

    Args:
        annotation: The resolved return type; `EMPTY` where the function has none.
        docstring: The function's docstring; its `Returns:` text describes a wrapped result.
        source: `FILE:LINE` of the function, for messages.

    Raises:
        AppFunctionDeclarationError: The type has no form in JSON; names file and type.
    """
    try:
        read = _response_type(returned_type(annotation))
    except (
        MisplacedMediaError,
        PydanticSchemaGenerationError,
        PydanticUndefinedAnnotation,
        PydanticUserError,
        RecursionError,
        UnsupportedTypeError,
    ) as fault:
        reason = "its types nest too deep" if isinstance(fault, RecursionError) else str(fault)
        reason = reason.partition("\n")[0].partition(". Set `arbitrary_types_allowed")[0]
        raise AppFunctionDeclarationError(
            f"{source}: the return type {type_name(annotation)} cannot be served: {reason}"
        ) from fault
    warnings = (f"{source}: {_UNTYPED}",) if read.untyped else ()

    def published() -> JsonSchema | None:
        if read.wrapped and read.published is not None:
            return _wrapped(read.published, docstring.returns)
        return read.published

    return ResponseSchema(
        published,
        warnings,
        read.serialize,
        read=lambda: _shape_of(returned_type(annotation)),
        description=described_beside(annotation),
        hands_out=read.hands_out,
    )


def _shape_of(returned: Any) -> Shape:
    return read_shape(core_schema_of(returned), "result")


@record(frozen=True, slots=True)
class _ResponseType:
    """What is known of a return type, whichever function has it."""

    serialize: Serialize
    published: JsonSchema | None = None
    """The type's own schema; None for text and media."""
    wrapped: bool = False
    """Whether results are no objects, and go out under `result`."""
    untyped: bool = False
    hands_out: bool = False


def _response_type(returned: Any) -> _ResponseType:
    try:
        # The text tells apart what is equal but published differently: `int | str`, `str | int`.
        return _cached(returned, repr(returned))
    except TypeError:
        # Not hashable, or refused with a TypeError that is raised here again.
        return _read(returned)


def _read(returned: Any, _written: str = "") -> _ResponseType:
    if kind := media_kind_of(returned):
        return _ResponseType(kind.respond, hands_out=kind.has_steps)
    core_schema = core_schema_of(returned)
    require_no_media(core_schema)
    if unwrapped(returned) is str:
        return _ResponseType(_TextWriter(core_schema))
    shape = read_shape(core_schema, "result")
    wrapped = not isinstance(resolved(shape), ObjectShape | MapShape)
    parts = parts_of_type(core_schema)
    writer = _HandingWriter if parts else _JsonWriter
    return _ResponseType(
        writer(core_schema, wrapped=wrapped),
        publish(shape, "result") if wrapped else publish_root(shape, "result"),
        wrapped,
        untyped=any(isinstance(part, AnyShape) for part in walk(shape)),
        hands_out="link" in parts,
    )


_cached = lru_cache(maxsize=1024)(_read)


def response_from_json_schema(output_schema: JsonSchema | None) -> ResponseSchema:
    """Takes a ready output schema, as bridges and proxies have one; results are JSON values.

    Args:
        output_schema: The schema of an object, or None where nothing is known of the results:
            then text goes out as it is, media as media, and anything else as JSON.
    """
    if output_schema is None:
        return ResponseSchema(lambda: None, (), _respond_freely)
    wrapped = set(output_schema.get("properties", ())) == {"result"}

    def respond(value: Any) -> ExecuteAppFunctionResponse:
        form = _patient_form(value, long_as_text=False)
        if isinstance(form, dict) and (not wrapped or set(form) == {"result"}):
            unwrapped = form["result"] if wrapped else form
            return _response(unwrapped, form)
        if wrapped:
            return _response(form, {"result": form})
        raise function_at_fault(f"$ is {type_name_of(value)}, but should be an object")

    def read() -> Shape:
        from appfunctions_mcp.schema.foreign_shapes import shape_of_json_schema

        shape = resolved(shape_of_json_schema(output_schema))
        one = wrapped and isinstance(shape, ObjectShape)
        return shape.parts[0] if one else shape

    return ResponseSchema(lambda: output_schema, (), respond, read=read)


class _TextWriter:
    """Serialises the results of `-> str`: the text alone."""

    def __init__(self, core_schema: CoreSchema) -> None:
        self._core_schema = core_schema

    @cached_property
    def _validator(self) -> SchemaValidator:
        return result_validator(self._core_schema)

    def __call__(self, value: Any) -> ExecuteAppFunctionResponse:
        text = text_form(_checked(self._validator, value))
        return ExecuteAppFunctionResponse(value=text, text=text)


class _JsonWriter:
    """Serialises the results of a type that goes out as JSON."""

    def __init__(self, core_schema: CoreSchema, *, wrapped: bool) -> None:
        self._core_schema = core_schema
        self._wrapped = wrapped

    @cached_property
    def _validator(self) -> SchemaValidator:
        return result_validator(self._core_schema)

    @cached_property
    def _serializer(self) -> SchemaSerializer:
        return result_serializer(self._core_schema)

    def __call__(self, value: Any) -> ExecuteAppFunctionResponse:
        return self._written(_checked(self._validator, value), None)

    def _written(self, checked: Any, noted: Parts | None) -> ExecuteAppFunctionResponse:
        try:
            line = self._serializer.to_json(checked, by_alias=True, warnings=False, context=noted)
            form = from_json(line)
        except (PydanticSerializationError, ValueError, TypeError):
            form = self._encode(checked, noted)
            return _response(form, {"result": form} if self._wrapped else form)
        line = escaped(line)
        text = (b'{"result":%b}' % line if self._wrapped else line).decode()
        structured = {"result": form} if self._wrapped else form
        return ExecuteAppFunctionResponse(value=form, structured=structured, text=text)

    def _encode(self, checked: Any, noted: Parts | None) -> Any:
        """What pydantic's serializer cannot write at once: half surrogates, deep nesting."""
        if noted:
            noted.clear()
        try:
            form = self._serializer.to_python(
                checked, mode="json", by_alias=True, warnings=False, context=noted
            )
        except (PydanticSerializationError, ValueError, TypeError, RecursionError):
            form = checked
        return _patient_form(form)


class _HandingWriter(_JsonWriter):
    """The same for a type that may hold what goes out beside its JSON too."""

    def __init__(self, core_schema: CoreSchema, *, wrapped: bool) -> None:
        super().__init__(noting_parts(core_schema), wrapped=wrapped)

    def __call__(self, value: Any) -> ExecuteAppFunctionResponse:
        parts: Parts = {}
        response = self._written(_checked(self._validator, value), parts)
        return with_parts_beside(response, parts)


def _checked(validator: SchemaValidator, value: Any) -> Any:
    try:
        return validator.validate_python(value)
    except ValidationError as error:
        if is_about_recursion(error):
            raise _recursive(value) from None
        # The cause would show values, which the words leave out.
        raise function_at_fault(faults_in_words(error, value)) from None
    except RecursionError:
        raise _recursive(value) from None
    except Exception as crash:
        name = type(crash).__name__
        raise function_at_fault(f"the checks of its type failed with {name}") from crash


def _recursive(value: Any) -> AppFunctionException:
    if contains_itself(value):
        return function_at_fault("$ is a value that contains itself")
    return AppFunctionInvalidArgumentException(
        f"the result is nested {depth_of(value)} levels deep; up to {MAX_RESULT_DEPTH} are sent, "
        f"and up to {_MAX_MODEL_DEPTH} of a type that holds itself. Ask for a smaller part."
    )


def _patient_form(value: Any, *, long_as_text: bool = True) -> Any:
    try:
        return to_json_value(value, long_as_text=long_as_text)
    except NoJsonFormError as fault:
        raise function_at_fault(str(fault)) from fault
    except TooDeepError as fault:
        raise AppFunctionInvalidArgumentException(f"{fault}. Ask for a smaller part.") from fault
    except Exception as crash:
        name = type(crash).__name__
        raise function_at_fault(f"it cannot be read to its end: {name}") from crash


def _response(value: Any, structured: Any) -> ExecuteAppFunctionResponse:
    text = write_json(structured).decode()
    return ExecuteAppFunctionResponse(value=value, structured=structured, text=text)


def _respond_freely(value: Any) -> ExecuteAppFunctionResponse:
    if isinstance(value, str):
        return ExecuteAppFunctionResponse(value=text_form(value), text=text_form(value))
    many = isinstance(value, list | tuple) and value and isinstance(value[0], SENT)
    if isinstance(value, SENT) or many:
        return MediaKind(SENT, SENT).respond(value)
    form = _patient_form(value)
    text = write_json(form).decode()
    structured = form if isinstance(form, dict) else None
    return ExecuteAppFunctionResponse(value=form, structured=structured, text=text)


def returned_type(annotation: Any) -> Any:
    """What a caller gets in the end: Any without an annotation, the outcome of an awaitable."""
    if annotation is EMPTY:
        return Any
    if annotation in (Never, NoReturn):
        return None
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if parts and (origin is Awaitable or origin is Coroutine):
        return parts[-1]
    return annotation


def _wrapped(published: JsonSchema, description: str) -> JsonSchema:
    """An object's schema with the published one under `result`; definitions move to the top."""
    inner = {key: part for key, part in published.items() if key != "$defs"}
    if description and "description" not in inner:
        inner["description"] = description
    wrapper: JsonSchema = {
        "type": "object",
        "properties": {"result": inner},
        "required": ["result"],
        "additionalProperties": False,
    }
    return wrapper | {"$defs": published["$defs"]} if "$defs" in published else wrapper
