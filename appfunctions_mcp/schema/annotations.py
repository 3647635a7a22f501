"""A function's signature, with every annotation resolved to a type.

Annotations may be text (`from __future__ import annotations`), stand behind wrappers, partials
and bound methods, or name classes that are local to a function; all of them end here as types.
Knows nothing of JSON Schema.
"""

import inspect
import sys
import types
import typing
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Annotated, Any

from appfunctions_mcp.context import AppFunctionContext
from appfunctions_mcp.exceptions import AppFunctionDeclarationError
from appfunctions_mcp.records import record
from appfunctions_mcp.schema.recursive_aliases import holds_forward_reference, tie_aliases
from appfunctions_mcp.schema.typed_dicts import adopt_typed_dicts

EMPTY: Any = inspect.Parameter.empty
"""No default, or no annotation."""

_REFUSED_KINDS: dict[Any, str] = {
    inspect.Parameter.POSITIONAL_ONLY: (
        "{name} is positional-only, but agents pass arguments by name; remove the '/'"
    ),
    inspect.Parameter.VAR_POSITIONAL: (
        "*{name} takes any number of values; declare a parameter of a list type"
    ),
    inspect.Parameter.VAR_KEYWORD: (
        "**{name} takes any name; declare each parameter, or one of a model or dict type"
    ),
}


_OTHER_SIGNATURE = {"__signature__", "__wrapped__", "__text_signature__"}


@record(frozen=True, slots=True)
class Parameter:
    """One parameter that agents pass."""

    name: str
    annotation: Any
    default: Any = EMPTY
    keyword_only: bool = False
    annotated: bool = True
    """False where the author gave no type, so that it is `Any`."""

    @property
    def required(self) -> bool:
        """Whether there is no default."""
        return self.default is EMPTY


@record(frozen=True, slots=True)
class Signature:
    """A function as agents call it: without `self`, bound arguments and the context."""

    parameters: tuple[Parameter, ...]
    return_annotation: Any
    context_parameter: str | None = None
    warnings: tuple[str, ...] = ()


def read_signature(function: Callable[..., Any], source: str) -> Signature:
    """Reads parameters and return type of a function, with every name resolved.

    Args:
        function: A function, a bound method, a partial or a callable object.
        source: `FILE:LINE` of the definition, for messages.

    Returns:
        The signature; a missing return annotation is `EMPTY`.

    Raises:
        AppFunctionDeclarationError: Names every parameter that agents cannot pass, and every
            annotation that cannot be resolved.
    """
    where = f"{source}: {_name_of(function)}"
    try:
        declared, returns = _declared_parameters(function)
    except (TypeError, ValueError, NameError) as fault:
        raise AppFunctionDeclarationError(
            f"{where}: the signature cannot be read: {fault}"
        ) from fault
    reader = _SignatureReader(function, where)
    bound = set(function.keywords) if isinstance(function, partial) else set()
    parameters = [reader.read(parameter) for parameter in declared if parameter.name not in bound]
    returned = reader.resolve("return", returns)
    if reader.faults:
        raise AppFunctionDeclarationError(reader.faults)
    return Signature(
        tuple(parameter for parameter in parameters if parameter is not None),
        returned,
        reader.context_parameter,
        tuple(reader.warnings),
    )


def _declared_parameters(function: Any) -> tuple[list[Any], Any]:
    """The parameters as `inspect` tells them, and the return annotation.

    Of a plain function they are read from its code, at a fifth of the cost.
    """
    if type(function) is not types.FunctionType or vars(function).keys() & _OTHER_SIGNATURE:
        signature = inspect.signature(function)
        return list(signature.parameters.values()), signature.return_annotation
    code, hints = function.__code__, function.__annotations__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if code.co_posonlyargcount or code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
        return list(inspect.signature(function).parameters.values()), hints.get("return", EMPTY)
    positional = names[: code.co_argcount]
    given = function.__defaults__ or ()
    defaults = dict(zip(positional[len(positional) - len(given) :], given, strict=True))
    defaults |= function.__kwdefaults__ or {}
    return [
        _Declared(
            name,
            hints.get(name, EMPTY),
            defaults.get(name, EMPTY),
            inspect.Parameter.POSITIONAL_OR_KEYWORD
            if at < code.co_argcount
            else inspect.Parameter.KEYWORD_ONLY,
        )
        for at, name in enumerate(names)
    ], hints.get("return", EMPTY)


@record(frozen=True, slots=True)
class _Declared:
    """A parameter of a plain function, as `inspect.Parameter` has it."""

    name: str
    annotation: Any
    default: Any
    kind: Any


class _SignatureReader:
    """Resolves one function's annotations; collects faults and warnings on the way."""

    def __init__(self, function: Callable[..., Any], where: str) -> None:
        self._where = where
        inner = _defined_function(function)
        self._globals = getattr(inner, "__globals__", {})
        self._locals = _Locals(inner)
        self.context_parameter: str | None = None
        self.faults: list[str] = []
        self.warnings: list[str] = []

    def read(self, parameter: inspect.Parameter) -> Parameter | None:
        """The parameter, or None for the context and for a faulty one."""
        if parameter.kind in _REFUSED_KINDS:
            refusal = _REFUSED_KINDS[parameter.kind].format(name=parameter.name)
            self.faults.append(f"{self._where}: {refusal}")
            return None
        annotation = self.resolve(parameter.name, parameter.annotation)
        if _is_context(annotation):
            self._take_context(parameter.name)
            return None
        annotated = annotation is not EMPTY
        if not annotated:
            self._warn(parameter.name, "has no type, so agents learn nothing of it; annotate it")
            annotation = Any
        annotation, default = _without_field(annotation, parameter.default)
        if default is None and not admits_none(annotation):
            self._warn(parameter.name, "has the default None, so its type is read as nullable")
            annotation |= None
        if default is EMPTY and _field_default(annotation) is not EMPTY:
            self.faults.append(
                f"{self._where}: {parameter.name} has its default inside Annotated, where Python "
                f"does not see it; write {parameter.name}: … = {_field_default(annotation)!r}"
            )
        keyword_only = parameter.kind is inspect.Parameter.KEYWORD_ONLY
        return Parameter(parameter.name, annotation, default, keyword_only, annotated)

    def resolve(self, name: str, annotation: Any) -> Any:
        """The type of an annotation; `EMPTY` where there is none or it is faulty."""
        if annotation is EMPTY:
            return EMPTY
        if not _is_unresolved(annotation):
            return adopted(type(None) if annotation is None else annotation)
        holder = types.SimpleNamespace(__annotations__={name: annotation})
        try:
            hints = typing.get_type_hints(holder, self._globals, self._locals, include_extras=True)
            hint = hints[name]
            if holds_forward_reference(hint):
                written = self._look(annotation) if isinstance(annotation, str) else annotation
                hint = tie_aliases(written, self._look)
        except Exception as fault:  # noqa: BLE001 - an annotation is code and may raise anything
            self.faults.append(f"{self._where}: {_unresolved(name, annotation, fault)}")
            return EMPTY
        return adopted(hint)

    def _look(self, name: str) -> Any:
        """What a name in an annotation stands for."""
        return eval(name, self._globals, self._locals)  # noqa: S307 - the author's own annotation, as `typing` evaluates it

    def _take_context(self, name: str) -> None:
        if self.context_parameter is not None:
            self.faults.append(
                f"{self._where}: {self.context_parameter} and {name} are both an "
                "AppFunctionContext; keep one"
            )
        self.context_parameter = name

    def _warn(self, name: str, text: str) -> None:
        self.warnings.append(f"{self._where}: {name} {text}")


class _Locals(dict[str, Any]):
    """Names that an annotation may use beside its module's: closures and local classes.

    The enclosing functions' frames are only looked at when a name is needed, since they are
    usually gone and never cheap to search.
    """

    def __init__(self, function: Any) -> None:
        super().__init__()
        self._function = function
        code = getattr(function, "__code__", None)
        cells = getattr(function, "__closure__", None) or ()
        for name, cell in zip(code.co_freevars if code else (), cells, strict=False):
            try:
                self[name] = cell.cell_contents
            except ValueError:  # the name is not assigned yet
                continue

    def __missing__(self, name: str) -> Any:
        for frame in _enclosing_frames(self._function):
            if name in frame.f_locals:
                return frame.f_locals[name]
        raise KeyError(name)


@lru_cache(maxsize=1024)
def _is_unresolved_type(annotation: Any) -> bool:
    return holds_forward_reference(annotation)


def _is_unresolved(annotation: Any) -> bool:
    """Whether an annotation is text, or holds some."""
    try:
        return _is_unresolved_type(annotation)
    except TypeError:  # not hashable
        return holds_forward_reference(annotation)


_adopted_once = lru_cache(maxsize=1024)(adopt_typed_dicts)


def adopted(annotation: Any) -> Any:
    """The type itself, with every TypedDict in it made readable."""
    try:
        _adopted_once(annotation)
    except TypeError:  # not hashable
        adopt_typed_dicts(annotation)
    return annotation


def _enclosing_frames(function: Any) -> Iterator[types.FrameType]:
    """The running frames of the functions that a local function is defined in."""
    outer = getattr(function, "__qualname__", "").rpartition(".<locals>.")[0]
    frame: types.FrameType | None = sys._getframe(1) if outer else None  # noqa: SLF001 - local classes stand nowhere else
    while frame is not None:
        qualname = getattr(frame.f_code, "co_qualname", frame.f_code.co_name)
        if frame.f_globals is function.__globals__ and f"{outer}.".startswith(f"{qualname}."):
            yield frame
        frame = frame.f_back


def admits_none(annotation: Any) -> bool:
    """Whether None is a value of the type."""
    if annotation in {None, type(None), Any, object}:
        return True
    if typing.get_origin(annotation) is Annotated:
        return admits_none(typing.get_args(annotation)[0])
    if _is_union(annotation):
        return any(map(admits_none, typing.get_args(annotation)))
    return typing.get_origin(annotation) is typing.Literal and None in typing.get_args(annotation)


def type_name(annotation: Any) -> str:
    """A type as its author wrote it, as far as that can be told."""
    if isinstance(annotation, type) and not typing.get_args(annotation):
        return annotation.__qualname__
    return str(annotation).replace("typing.", "")


def _without_field(annotation: Any, default: Any) -> tuple[Any, Any]:
    """Reads `x: int = Field(10, le=50)` as `x: Annotated[int, Field(le=50)] = 10`."""
    if not _is_field(default):
        return annotation, default
    return Annotated[annotation, default], _default_of_field(default)


def _field_default(annotation: Any) -> Any:
    """The default of a `Field` in Annotated; `EMPTY` where there is none."""
    fields = filter(_is_field, getattr(annotation, "__metadata__", ()))
    return next(map(_default_of_field, fields), EMPTY)


def _is_field(value: Any) -> bool:
    fields = sys.modules.get("pydantic.fields")
    return fields is not None and isinstance(value, fields.FieldInfo)


def _default_of_field(field: Any) -> Any:
    if field.is_required():
        return EMPTY
    return field.get_default(call_default_factory=True, validated_data={})


def _is_union(annotation: Any) -> bool:
    return typing.get_origin(annotation) in {typing.Union, types.UnionType}


def _is_context(annotation: Any) -> bool:
    if annotation is AppFunctionContext or type(annotation) is type:
        return annotation is AppFunctionContext
    if typing.get_origin(annotation) is Annotated or _is_union(annotation):
        return any(map(_is_context, typing.get_args(annotation)))
    return False


def _unresolved(name: str, annotation: Any, fault: Exception) -> str:
    what = "the return type" if name == "return" else name
    text = annotation if isinstance(annotation, str) else type_name(annotation)
    hint = ""
    if isinstance(fault, NameError):
        hint = "; import it at run time, not under TYPE_CHECKING"
    return f"{what} has the type {text!r}, which cannot be resolved: {fault}{hint}"


def _name_of(function: Any) -> str:
    while isinstance(function, partial):
        function = function.func
    return str(getattr(function, "__name__", type(function).__name__))


def _defined_function(function: Any) -> Any:
    """The function that the annotations were written at."""
    while isinstance(function, partial):
        function = function.func
    if not (inspect.isroutine(function) or inspect.isclass(function)):
        function = type(function).__call__
    unwrapped = inspect.unwrap(function)
    return getattr(unwrapped, "__func__", unwrapped)
