"""What a docstring says of a function that the function does not bear out.

A misspelled parameter or exception is no fault in Python, but agents would miss its text; so its
author is warned when the function is served.
"""

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

from appfunctions_mcp import exceptions
from appfunctions_mcp.docstrings import ParsedDocstring, parse_docstring
from appfunctions_mcp.function_metadata import FunctionNames
from appfunctions_mcp.names import nearest_names


def doubts(
    function: Callable[..., Any],
    names: FunctionNames,
    description: str | None,
    docstring: ParsedDocstring,
) -> list[str]:
    """What the docstring lacks, and what it says of things that do not exist.

    Args:
        function: The function.
        names: How it is called.
        description: What its declaration says in place of the docstring.
        docstring: The docstring.
    """
    where = f"{names.source}: {names.tool_name}"
    lacking = [f"{where} has no description; write a docstring"]
    if docstring.description or description:
        lacking = []
    return [*lacking, *docstring_warnings(function, where, docstring)]


def docstring_warnings(
    function: Callable[..., Any], where: str, docstring: ParsedDocstring | None = None
) -> list[str]:
    """Names the parameters and exceptions of a docstring that do not exist.

    Args:
        function: The declared function.
        where: `FILE:LINE: NAME` of it, which every warning begins with.
        docstring: Its docstring, where somebody has parsed it already.

    Returns:
        One line a doubt.
    """
    while isinstance(function, partial):
        function = function.func
    inner = inspect.unwrap(function)
    if not inspect.isroutine(inner):
        return []
    docstring = docstring or parse_docstring(inner.__doc__)
    if not (docstring.parameters or docstring.raises):
        return []
    parameters = _parameters_of(inner)
    known = [n for n in vars(exceptions) if n.startswith("AppFunction")] if docstring.raises else []
    its_own = getattr(inner, "__globals__", {})
    return [
        *(
            f"{where}: the docstring describes {name!r}, which is no parameter"
            f"{_perhaps(name, parameters)}"
            for name in docstring.parameters
            if name not in parameters
        ),
        *(
            f"{where}: the docstring raises {name!r}, which does not exist{_perhaps(name, known)}"
            for name in docstring.raises
            if name.startswith("AppFunction") and name not in known and name not in its_own
        ),
    ]


def _parameters_of(function: Any) -> list[str]:
    code = getattr(function, "__code__", None)
    if code is None:
        return list(inspect.signature(function).parameters)
    stars = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + stars])


def _perhaps(name: str, candidates: list[str]) -> str:
    near = nearest_names(name, candidates, limit=1)
    return f"; perhaps {near[0]}" if near else ""
