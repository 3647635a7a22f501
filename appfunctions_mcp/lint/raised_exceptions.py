"""Which exceptions may leave the body of a Python function.

What a `try` around them catches does not leave it, nor does what `contextlib.suppress` holds
back. What cannot be told is given as unsure. Knows no rule.
"""

import ast
import contextlib
import inspect
from collections.abc import Iterator
from types import FunctionType

from appfunctions_mcp.lint.body_checks import Body
from appfunctions_mcp.records import record, replaced

__all__ = ["Raised", "raised_by"]

_Classes = tuple[type[BaseException], ...] | None
"""The classes that are caught somewhere; None where that cannot be seen."""
_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@record(frozen=True, slots=True)
class Raised:
    """An exception that a body raises."""

    exception: type[BaseException]
    line: int
    has_message: bool
    is_direct: bool = True
    """Whether it stands in the body itself, not in a function that the body calls."""
    is_sure: bool = True
    """Whether it surely may leave the body; else that cannot be told."""


def raised_by(body: Body) -> tuple[Raised, ...]:
    """The exceptions that may leave a body, those of the functions that it calls as well."""
    bodies = {each.function: each for each in (body, *body.called)}
    return tuple(_raised_in(body, bodies, {}))


def _raised_in(
    body: Body, bodies: dict[FunctionType, Body], known: dict[FunctionType, tuple[Raised, ...]]
) -> Iterator[Raised]:
    known[body.function] = ()  # where it calls itself, it adds nothing
    for node, caught in _reached(body, body.node, ()):
        found: Iterator[Raised] | tuple[Raised, ...] = ()
        if isinstance(node, ast.Raise) and node.exc is not None:
            found = _raised_at(body, node, node.exc)
        elif isinstance(node, ast.Call):
            called = (
                bodies.get(inspect.unwrap(value)) if (value := body.value_of(node.func)) else None
            )
            if called is not None and called.function not in known:
                known[called.function] = tuple(_raised_in(called, bodies, known))
            found = known[called.function] if called is not None else ()
            found = (replaced(each, is_direct=False) for each in found)
        for each in found:
            yield from _left_by(each, caught)


def _raised_at(body: Body, node: ast.Raise, raised: ast.expr) -> Iterator[Raised]:
    made = [raised.body, raised.orelse] if isinstance(raised, ast.IfExp) else [raised]
    if isinstance(raised, ast.Name) and (assigned := _assigned_to(body, raised.id)):
        made = assigned
    for each in made:
        exception = body.exception_of(each)
        if exception is not None:
            has_message = isinstance(each, ast.Call) and bool(each.args or each.keywords)
            yield Raised(exception, body.line_of(node), has_message)


def _assigned_to(body: Body, name: str) -> list[ast.expr]:
    """What a local variable is set to."""
    return [
        node.value
        for node in ast.walk(body.node)
        if isinstance(node, ast.Assign)
        and any(isinstance(each, ast.Name) and each.id == name for each in node.targets)
    ]


def _left_by(raised: Raised, caught: tuple[_Classes, ...]) -> Iterator[Raised]:
    """The exception, unless something around it catches it."""
    if any(classes and issubclass(raised.exception, classes) for classes in caught):
        return
    yield replaced(raised, is_sure=raised.is_sure and None not in caught)


def _reached(
    body: Body, node: ast.AST, caught: tuple[_Classes, ...]
) -> Iterator[tuple[ast.AST, tuple[_Classes, ...]]]:
    """Everything in a body, each with what is caught around it."""
    for child in ast.iter_child_nodes(node):
        inner = caught
        if isinstance(child, _FUNCTIONS):
            inner = (*caught, None)  # nobody knows whether it is called
        elif isinstance(child, ast.With | ast.AsyncWith):
            inner = (*caught, *_suppressed(body, child))
        elif isinstance(child, ast.Try | ast.TryStar):
            handled = (*caught, *(_caught_by(body, each) for each in child.handlers))
            for statement in child.body:
                yield from _reached(body, ast.Module([statement], []), handled)
            for part in (*child.handlers, *child.orelse, *child.finalbody):
                yield from _reached(body, ast.Module([part], []), caught)  # type: ignore[list-item]
            continue
        yield child, inner
        yield from _reached(body, child, inner)


def _caught_by(body: Body, handler: ast.ExceptHandler) -> _Classes:
    """What a handler keeps; nothing where it raises again what it has caught."""
    for node in ast.walk(handler):
        is_name = (
            isinstance(node, ast.Raise)
            and isinstance(node.exc, ast.Name)
            and (node.exc.id == handler.name)
        )
        if isinstance(node, ast.Raise) and (node.exc is None or is_name):
            return ()
    if handler.type is None:
        return (BaseException,)
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return _classes(body, types)


def _suppressed(body: Body, node: ast.With | ast.AsyncWith) -> Iterator[_Classes]:
    for item in node.items:
        call = item.context_expr
        if isinstance(call, ast.Call) and body.value_of(call.func) is contextlib.suppress:
            yield _classes(body, call.args)


def _classes(body: Body, nodes: list[ast.expr]) -> _Classes:
    found = [body.value_of(each) for each in nodes]
    classes = tuple(
        each for each in found if isinstance(each, type) and issubclass(each, BaseException)
    )
    return classes if len(classes) == len(found) else None
