"""Builds the nodes of Python source: few kinds, with every text from outside as a constant.

Nothing here parses or joins source, so a text can become no more than a string. Names are given
by `python_names`, which makes identifiers of them first.
"""

import ast
import sys
from collections.abc import Iterable, Sequence
from typing import Any

# Definitions have type parameters since Python 3.12; ours have none.
_TYPE_PARAMETERS: dict[str, Any] = {"type_params": []} if sys.version_info >= (3, 12) else {}

Statement = ast.stmt
Expression = ast.expr


def name(identifier: str) -> Expression:
    """A name, or several with dots between, such as `AppFunctionScope.GLOBAL`."""
    first, *rest = identifier.split(".")
    node: Expression = ast.Name(first, ast.Load())
    for attribute in rest:
        node = ast.Attribute(node, attribute, ast.Load())
    return node


def constant(value: str | bytes | float | None) -> Expression:
    """A text, bytes, a number, a truth value or None."""
    if isinstance(value, int | float) and not isinstance(value, bool) and value < 0:
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)


def call(function: str, *arguments: Expression, **keywords: Expression | None) -> Expression:
    """A call; keywords that are None are left out."""
    given = [ast.keyword(key, value) for key, value in keywords.items() if value is not None]
    return ast.Call(name(function), list(arguments), given)


def subscript(outer: str, *parts: Expression) -> Expression:
    """A generic type with its parts, such as `list[str]`."""
    inner = parts[0] if len(parts) == 1 else ast.Tuple(list(parts), ast.Load())
    return ast.Subscript(name(outer), inner, ast.Load())


def tuple_of(items: Iterable[Expression]) -> Expression:
    """A tuple."""
    return ast.Tuple(list(items), ast.Load())


def empty_list() -> Expression:
    """An empty list."""
    return ast.List([], ast.Load())


def union(*parts: Expression) -> Expression:
    """A union of types."""
    whole, *rest = parts
    for part in rest:
        whole = ast.BinOp(whole, ast.BitOr(), part)
    return whole


def annotated(expression: Expression, marks: Sequence[Expression]) -> Expression:
    """A type with marks; the type itself where there is none."""
    return subscript("Annotated", expression, *marks) if marks else expression


def docstring(text: str) -> Statement:
    """A text that stands alone; its lines are indented already."""
    return ast.Expr(ast.Constant(text))


def assignment(target: str, value: Expression) -> Statement:
    """`target = value`."""
    return ast.Assign([ast.Name(target, ast.Store())], value)


def declared(target: str, annotation: Expression, value: Expression | None) -> Statement:
    """`target: annotation = value`."""
    return ast.AnnAssign(ast.Name(target, ast.Store()), annotation, value, simple=1)


def class_of(
    identifier: str,
    bases: Iterable[str],
    body: Sequence[Statement],
    decorators: Iterable[Expression] = (),
) -> Statement:
    """A class; one without a body passes."""
    return ast.ClassDef(
        name=identifier,
        bases=[name(base) for base in bases],
        keywords=[],
        body=list(body) or [ast.Pass()],
        decorator_list=list(decorators),
        **_TYPE_PARAMETERS,
    )


def function_of(
    identifier: str,
    parameters: Iterable[tuple[str, Expression, Expression | None]],
    returns: Expression | None,
    body: Sequence[Statement],
    decorators: Iterable[Expression] = (),
) -> Statement:
    """An async function.

    Args:
        identifier: Its name.
        parameters: Name, type and default of each; those without a default stand first.
        returns: The type of the result; None leaves it out.
        body: What it does.
        decorators: What stands above it.
    """
    given = list(parameters)
    arguments = ast.arguments(
        posonlyargs=[],
        args=[ast.arg(each, annotation) for each, annotation, _ in given],
        kwonlyargs=[],
        kw_defaults=[],
        defaults=[default for *_, default in given if default is not None],
    )
    return ast.AsyncFunctionDef(
        name=identifier,
        args=arguments,
        body=list(body),
        decorator_list=list(decorators),
        returns=returns,
        **_TYPE_PARAMETERS,
    )


def raising(exception: Expression) -> Statement:
    """`raise exception`."""
    return ast.Raise(exception)


def import_from(module: str, names: Iterable[str], level: int = 0) -> Statement:
    """`from module import names`, in the order in which importers sort them."""
    ordered = sorted(names, key=_import_order)
    return ast.ImportFrom(module, [ast.alias(each) for each in ordered], level)


def _import_order(imported: str) -> tuple[int, str]:
    """Constants, then classes, then functions."""
    kind = 0 if imported.isupper() and len(imported) > 1 else 1 if imported[0].isupper() else 2
    return kind, imported
