"""What the body of a Python function does, as far as its source shows it.

Functions of the same module that a body calls are read as well. What cannot be seen, such as
methods of objects, is never guessed at: the answers name only what surely stands there. Knows
no rule.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

from appfunctions_mcp.exceptions import AppFunctionException, AppFunctionNotSupportedException
from appfunctions_mcp.lint.name_words import words_in
from appfunctions_mcp.records import record

__all__ = ["Body", "Seen", "body_of"]

_CHANGING_METHODS = words_in(
    "unlink rmdir write_text write_bytes commit delete save resource_updated resources_changed "
    "bulk_create bulk_update executemany"
)
_CHANGING_BEGINNINGS = (
    "delete_",
    "create_",
    "update_",
    "remove_",
    "insert_",
    "save_",
    "overwrite_",
)
_CHANGING_CALLS = {
    "os": words_in("remove unlink rename replace rmdir mkdir makedirs truncate removedirs"),
    "shutil": words_in("rmtree move copy copy2 copyfile copytree"),
    "requests": words_in("post put delete patch"),
    "httpx": words_in("post put delete patch"),
}
_CHANGING_SQL = ("INSERT", "UPDATE", "DELETE", "DROP", "REPLACE", "ALTER", "CREATE", "TRUNCATE")
_WRITING_MODES = frozenset("wax+")
_ERROR_KEYS = frozenset({"error", "errors", "error_message"})


@record(frozen=True, slots=True)
class Seen:
    """Something that stands in a body."""

    text: str
    """The source of it, on one line."""
    line: int


@record(frozen=True, slots=True)
class Body:
    """The body of a function, with the functions of its module that it calls."""

    function: FunctionType
    node: ast.FunctionDef | ast.AsyncFunctionDef
    first_line: int
    called: tuple["Body", ...] = ()

    def exception_of(self, node: ast.expr) -> type[BaseException] | None:
        """The class of an exception that is raised; None where that cannot be seen."""
        called = node.func if isinstance(node, ast.Call) else node
        value = self.value_of(called)
        if isinstance(value, type) and issubclass(value, BaseException):
            return value
        if isinstance(value, FunctionType) and isinstance(node, ast.Call):
            made = inspect.get_annotations(value).get("return")
            found = self.function.__globals__.get(made) if isinstance(made, str) else made
            return found if isinstance(found, type) and issubclass(found, BaseException) else None
        return None

    def is_stub(self) -> bool:
        """Whether it only says that it is not written yet, as in a project that was generated."""
        first, *others = self.node.body
        has_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
        written = others if has_docstring else [first, *others]
        if len(written) != 1 or not isinstance(written[0], ast.Raise) or written[0].exc is None:
            return False
        raised = self.exception_of(written[0].exc)
        return raised in {AppFunctionNotSupportedException, NotImplementedError}

    def is_seen_whole(self) -> bool:
        """Whether nothing is called but classes, built-ins and what is read here as well."""
        known = {body.function for body in (self, *self.called)}
        for body in (self, *self.called):
            for node in _inside(body.node):
                is_opaque = isinstance(node, ast.Await | ast.With | ast.AsyncWith | ast.YieldFrom)
                if is_opaque or (isinstance(node, ast.Raise) and node.exc is None):
                    return False
                if isinstance(node, ast.Raise) and body.exception_of(node.exc) is None:  # type: ignore[arg-type]
                    return False
                if isinstance(node, ast.Call):
                    value = body.value_of(node.func)
                    is_plain = isinstance(value, type) or inspect.isbuiltin(value)
                    if not is_plain and value not in known:
                        return False
        return True

    def changes(self) -> Iterator[Seen]:
        """The calls that surely change something outside the body."""
        for body in (self, *self.called):
            for node in _inside(body.node):
                if isinstance(node, ast.Call) and _is_change(node):
                    yield Seen(ast.unparse(node.func), body.line_of(node))

    def returned_errors(self) -> Iterator[Seen]:
        """The results that tell of an error instead of an exception."""
        for node in _own_nodes(self.node):
            if isinstance(node, ast.Return) and node.value is not None and _is_error(node.value):
                yield Seen(_shown(node.value), self.line_of(node))

    def swallowing(self) -> Iterator[Seen]:
        """The handlers that catch every exception and raise none."""
        for node in _own_nodes(self.node):
            if not isinstance(node, ast.ExceptHandler):
                continue
            caught = self.value_of(node.type) if node.type is not None else BaseException
            is_raised = any(isinstance(each, ast.Raise) for each in ast.walk(node))
            if caught in {Exception, BaseException, AppFunctionException} and not is_raised:
                shown = f"except {ast.unparse(node.type)}" if node.type else "except"
                yield Seen(shown, self.line_of(node))

    def line_of(self, node: ast.AST) -> int:
        """The line of the file where something stands."""
        return self.first_line + int(getattr(node, "lineno", 1)) - 1

    def value_of(self, node: ast.expr | None) -> Any:
        """What a name means in the module of the function; None where that cannot be seen."""
        if isinstance(node, ast.Name):
            code = self.function.__code__
            if node.id in {*code.co_varnames, *code.co_cellvars, *code.co_freevars}:
                return None  # a variable of the function's own, whatever the module calls so
            names = self.function.__globals__
            builtins = names.get("__builtins__", {})
            known = builtins if isinstance(builtins, dict) else vars(builtins)
            return names.get(node.id, known.get(node.id))
        if isinstance(node, ast.Attribute) and inspect.ismodule(owner := self.value_of(node.value)):
            return getattr(owner, node.attr, None)
        return None


def body_of(function: Callable[..., Any]) -> Body | None:
    """The body of a Python function; None where there is no source to read.

    Args:
        function: As the author wrote it; decorators that keep `__wrapped__` are looked through.
    """
    body = _read(inspect.unwrap(function))
    if body is None:
        return None
    called: dict[FunctionType, Body] = {}
    waiting = [body]
    while waiting:
        for each in _called_in(waiting.pop()):
            if each is not body.function and each not in called and (read := _read(each)):
                called[each] = read
                waiting.append(read)
    return Body(body.function, body.node, body.first_line, tuple(called.values()))


def _read(function: Any) -> Body | None:
    if not isinstance(function, FunctionType):
        return None
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, SyntaxError, TypeError):
        # A function that was made at run time has no source; then nothing is said of it.
        return None
    node = tree.body[0]
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return Body(function, node, max(first, 1))
    return None


def _called_in(body: Body) -> Iterator[FunctionType]:
    for node in _inside(body.node):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            named = body.function.__globals__.get(node.func.id)
            value = inspect.unwrap(named) if callable(named) else None
            if isinstance(value, FunctionType) and value.__module__ == body.function.__module__:
                yield value


def _inside(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.AST]:
    """Everything in a body, without the decorators and the signature."""
    for statement in node.body:
        yield from ast.walk(statement)


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Everything in a body, without the functions that are declared inside."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield child
            yield from _own_nodes(child)


def _is_change(call: ast.Call) -> bool:
    if isinstance(call.func, ast.Name):
        return call.func.id == "open" and _is_writing(call.args[1:], call.keywords)
    if not isinstance(call.func, ast.Attribute):
        return False
    name, owner = call.func.attr, call.func.value
    if isinstance(owner, ast.Name) and owner.id in _CHANGING_CALLS:
        return name in _CHANGING_CALLS[owner.id]
    if name == "open":
        return _is_writing(call.args[:1], call.keywords)
    if name in {"execute", "executescript"}:
        sql = call.args[0] if call.args else None
        text = sql.value if isinstance(sql, ast.Constant) else ""
        return isinstance(text, str) and text.lstrip().upper().startswith(_CHANGING_SQL)
    return name in _CHANGING_METHODS or name.startswith(_CHANGING_BEGINNINGS)


def _is_writing(modes: list[ast.expr], keywords: list[ast.keyword]) -> bool:
    given = [*modes[:1], *(each.value for each in keywords if each.arg == "mode")]
    return any(
        isinstance(each, ast.Constant)
        and isinstance(each.value, str)
        and bool(_WRITING_MODES & set(each.value))
        for each in given
    )


def _is_error(value: ast.expr) -> bool:
    if isinstance(value, ast.BoolOp | ast.IfExp):
        parts = value.values if isinstance(value, ast.BoolOp) else [value.body, value.orelse]
        return any(map(_is_error, parts))
    if isinstance(value, ast.Dict):
        keys = {key.value for key in value.keys if isinstance(key, ast.Constant)}
        return bool(keys & _ERROR_KEYS)
    start: Any = value.values[0] if isinstance(value, ast.JoinedStr) and value.values else value
    text = start.value if isinstance(start, ast.Constant) else ""
    return isinstance(text, str) and text.lstrip().lower().startswith(
        ("error:", "error ", "failed")
    )


def _shown(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 80 else f"{text[:79]}…"
