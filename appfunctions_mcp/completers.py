"""What completes the variables of a template and the arguments of a prompt.

An author gives values, or what makes them of the text so far; enumerations complete themselves.
Knows nothing of who asks.
"""

import enum
import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence, Sized
from functools import partial
from itertools import islice
from typing import Any

from appfunctions_mcp.exceptions import AppFunctionDeclarationError
from appfunctions_mcp.function_metadata import FunctionNames
from appfunctions_mcp.functions import AppFunction, Bind, ReadFunction, read_function
from appfunctions_mcp.metadata import (
    AppFunctionMetadata,
    AppFunctionParameterMetadata,
    JsonSchema,
)
from appfunctions_mcp.names import nearest_names
from appfunctions_mcp.records import record, replaced
from appfunctions_mcp.requests import Completion
from appfunctions_mcp.resource_declaration import Complete
from appfunctions_mcp.schema.arguments import arguments_from_json_schema
from appfunctions_mcp.schema.json_values import type_name_of
from appfunctions_mcp.schema.responses import response_from_json_schema
from appfunctions_mcp.schema.result_faults import function_at_fault

MAX_VALUES = 100
"""How many values one completion has at most."""
MAX_READ = 10_000
"""How many are read of what makes its values one by one, since that may have no end."""

_ANY_ARGUMENTS: JsonSchema = {"type": "object", "properties": {}}


@record(frozen=True, slots=True)
class Completer:
    """What completes one variable or argument: fixed values, or a function that makes them."""

    values: tuple[str, ...] = ()
    function: AppFunction | None = None
    """Gets `value` and `arguments`."""


def read_completers(
    complete: Complete | None, known: Iterable[str], names: FunctionNames
) -> dict[str, Completer]:
    """Reads what an author says completes each variable or argument.

    Args:
        complete: The values, or what makes them, by name.
        known: The names that there are.
        names: Whose they are.

    Raises:
        AppFunctionDeclarationError: Names every name that there is none of, and everything
            that cannot complete.
    """
    known = list(known)
    completers: dict[str, Completer] = {}
    faults: list[str] = []
    for name, how in (complete or {}).items():
        where = f"{names.source}: {names.name}: complete={{{name!r}: …}}"
        if name not in known:
            near = nearest_names(name, known, limit=1)
            hint = f"perhaps {near[0]}" if near else f"there are {', '.join(known) or 'none'}"
            faults.append(f"{where} names no parameter; {hint}")
            continue
        try:
            completers[name] = _completer(how, name, names)
        except AppFunctionDeclarationError as fault:
            faults += [f"{where}: {each}" for each in fault.faults]
    if faults:
        raise AppFunctionDeclarationError(faults)
    return completers


def _completer(how: object, name: str, names: FunctionNames) -> Completer:
    if isinstance(how, Iterable) and not isinstance(how, str | bytes | Mapping):
        return Completer(values=_texts(how))
    if not callable(how):
        raise AppFunctionDeclarationError(
            f"a list of values or a function is accepted, not {type(how).__name__}"
        )
    return Completer(
        function=side_function(
            how, names, f"complete {name}", made=made_completion, takes_text=True
        )
    )


def side_function(
    function: Callable[..., Any],
    names: FunctionNames,
    role: str,
    *,
    made: Callable[[object], object],
    takes_text: bool = False,
) -> AppFunction:
    """Makes an AppFunction of a function that serves a resource or prompt beside its own.

    Args:
        function: The author's function; it may take the context, and may be async.
        names: Whose it is.
        role: What it is for.
        made: Reads what it has returned, where and while it runs: values may be made by code of
            the author's too.
        takes_text: Whether it gets the text so far, and the other arguments if it takes them.

    Returns:
        A function of `value` and `arguments`, or of nothing, that runs under every limit.

    Raises:
        AppFunctionDeclarationError: It takes other parameters.
    """
    read = read_function(function)
    taken = [parameter.name for parameter in read.signature.parameters]
    most = 2 if takes_text else 0
    if len(taken) > most or (takes_text and not taken):
        accepted = "(value) or (value, arguments)" if takes_text else "()"
        raise AppFunctionDeclarationError(
            f"{read.source}: it takes {', '.join(taken) or 'nothing'}, but is called with "
            f"{accepted}; a parameter annotated AppFunctionContext may come besides"
        )
    metadata = AppFunctionMetadata(
        function_id=f"{names.function_id} ({role})",
        tool_name=names.tool_name,
        module=names.module,
        source=read.source,
    )
    side_names = replaced(names, function_id=metadata.function_id, source=read.source)
    return AppFunction(
        lambda: metadata,
        arguments_from_json_schema(_ANY_ARGUMENTS),
        response_from_json_schema(None),
        _binder(function, read, taken, made),
        names=side_names,
        is_async=read.is_async,
        takes_context=read.signature.context_parameter is not None,
    )


def _binder(
    function: Callable[..., Any],
    read: ReadFunction,
    taken: list[str],
    made: Callable[[object], object],
) -> Bind:
    context_parameter = read.signature.context_parameter

    def bind(given: dict[str, Any], context: Any) -> Callable[[], Any]:
        named = dict(zip(taken, (given.get("value"), given.get("arguments")), strict=False))
        if context_parameter is not None:
            named[context_parameter] = context
        return partial(_made_by, partial(function, **named), made)

    return bind


def _made_by(call: Callable[[], Any], made: Callable[[object], object]) -> object:
    returned = call()
    return _made_later(returned, made) if inspect.isawaitable(returned) else made(returned)


async def _made_later(returned: Awaitable[Any], made: Callable[[object], object]) -> object:
    return made(await returned)


def values_of_type(parameter: AppFunctionParameterMetadata) -> tuple[str, ...]:
    """The values that a parameter's type itself names: those of an enumeration or a bool."""
    return tuple(_values_in(parameter.schema))


def _values_in(schema: JsonSchema) -> list[str]:
    if "enum" in schema:
        return list(_texts(value for value in schema["enum"] if value is not None))
    if "const" in schema:
        return list(_texts([schema["const"]]))
    branches = schema.get("anyOf", schema.get("oneOf", ()))
    if branches:
        return [value for branch in branches for value in _values_in(branch)]
    types = schema.get("type", ())
    return ["true", "false"] if types == "boolean" or "boolean" in types else []


def completion_of(values: Sequence[str], typed: str) -> Completion:
    """The values that begin with what is typed, in any case.

    Args:
        values: All there are, in their order.
        typed: What has been typed so far.
    """
    folded = typed.casefold()
    return cut([value for value in values if value.casefold().startswith(folded)])


def made_completion(made: object) -> Completion:
    """What an author's function returned, as a completion.

    Raises:
        AppFunctionAppUnknownException: It returned something else than values.
    """
    if isinstance(made, Completion):
        return _checked(made)
    if isinstance(made, str | bytes | Mapping) or not isinstance(made, Iterable):
        raise function_at_fault(f"a completion is a list of values, not {type(made).__name__}")
    values, total = read_some(made, MAX_VALUES)
    return Completion(_texts(values), total, total is None or total > MAX_VALUES)


def read_some(made: Iterable[Any], most: int) -> tuple[list[Any], int | None]:
    """The first of some values that an author's code makes, and how many there are.

    Args:
        made: The values; they may have no end where they are made one by one.
        most: How many of them are wanted.

    Returns:
        The values, and their number; None where it is larger than anybody counts.
    """
    remaining = iter(made)
    values = list(islice(remaining, most))
    if isinstance(made, Sized):
        return values, len(made)
    total = len(values) + sum(1 for _ in islice(remaining, MAX_READ - len(values) + 1))
    return values, total if total <= MAX_READ else None


def _checked(made: Completion) -> Completion:
    total: object = made.total
    if total is not None and (not isinstance(total, int) or isinstance(total, bool)):
        raise function_at_fault(f"the total of a completion is a number, not {type_name_of(total)}")
    values = list(islice(made.values, MAX_VALUES + 1))
    has_more = bool(made.has_more) or len(values) > MAX_VALUES
    return Completion(_texts(values[:MAX_VALUES]), made.total, has_more)


def cut(values: Sequence[str]) -> Completion:
    """All of some values as far as one completion holds them."""
    return Completion(tuple(values[:MAX_VALUES]), len(values), len(values) > MAX_VALUES)


def _texts(values: Iterable[Any]) -> tuple[str, ...]:
    """Values as a client sends them back."""
    plain = (value.value if isinstance(value, enum.Enum) else value for value in values)
    return tuple(str(v).lower() if isinstance(v, bool) else str(v) for v in plain)
