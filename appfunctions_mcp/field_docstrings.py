"""The docstrings under the fields of a class, and the classes that fields come from.

Python keeps no such docstring at run time, so they are read from the source of the module; a
class without source has none. What is parsed is kept.
"""

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.records import record

_NEXT_STATEMENT = regex(r"^[^\s)#]", re.MULTILINE)

# Base classes of these describe themselves, not the author's fields.
_FOREIGN_PACKAGES = frozenset({"builtins", "pydantic", "typing", "typing_extensions", "enum"})


@record(frozen=True, slots=True)
class _ClassSource:
    """What only the source of a class tells."""

    docstrings: dict[str, str]
    bases: tuple[str, ...]
    """The names of its bases, as written."""


def lineage_of(cls: type) -> list[type]:
    """The author's classes that the fields of a class come from, nearest first.

    Args:
        cls: The class; of a TypedDict, whose MRO forgets its parents, these are found too.
    """
    classes = list(cls.__mro__)
    if hasattr(cls, "__total__"):
        for base in _bases_of_typed_dict(cls):
            classes.extend(c for c in lineage_of(base) if c not in classes)
    return [c for c in classes if c.__module__.partition(".")[0] not in _FOREIGN_PACKAGES]


def own_field_docstrings(cls: type) -> dict[str, str]:
    """Field → the text of the bare string directly under it, in this class alone.

    Args:
        cls: The class whose body is read.
    """
    source = _source_of(cls)
    return source.docstrings if source else {}


def _bases_of_typed_dict(cls: type) -> Iterator[type]:
    """The parents of a TypedDict: as it remembers them, or else (Python 3.11) as written."""
    bases = cls.__dict__.get("__orig_bases__")
    if bases is None:
        source = _source_of(cls)
        names = vars(sys.modules[cls.__module__]) if source else {}
        bases = [names.get(name) for name in source.bases] if source else []
    for base in bases:
        origin = getattr(base, "__origin__", base)
        if isinstance(origin, type) and origin is not cls:
            yield origin


def _source_of(cls: type) -> _ClassSource | None:
    module = sys.modules.get(cls.__module__)
    try:
        source = inspect.getsource(module) if module else ""
    except (OSError, TypeError):
        # Built in, frozen, typed into a shell, or deleted since: there is no source.
        return None
    found = _classes_of(_text_of_class(source, cls.__qualname__)).get(cls.__qualname__)
    return found or _classes_of(source).get(cls.__qualname__)


def _text_of_class(source: str, qualname: str) -> str:
    """The lines of a class; the whole source where they cannot be told without parsing it.

    A module may be long, and parsing it takes its time.
    """
    begins = list(re.finditer(rf"^class {re.escape(qualname)}\b.*\n", source, re.MULTILINE))
    if len(begins) != 1:
        return source
    end = _NEXT_STATEMENT.search(source, begins[0].end())
    return source[begins[0].start() : end.start() if end else None]


@lru_cache(maxsize=32)
def _classes_of(source: str) -> dict[str, _ClassSource]:
    """Qualified name → each class of a module's source."""
    found: dict[str, _ClassSource] = {}

    def visit(node: ast.AST, prefix: str) -> None:
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, ast.ClassDef):
                found[prefix + inner.name] = _ClassSource(
                    _docstrings_under_fields(inner.body), tuple(_names_of(inner.bases))
                )
                visit(inner, f"{prefix}{inner.name}.")
            elif isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
                visit(inner, f"{prefix}{inner.name}.<locals>.")
            elif isinstance(inner, ast.stmt | ast.excepthandler):
                visit(inner, prefix)

    try:
        visit(ast.parse(source), "")
    except (SyntaxError, ValueError, RecursionError):
        # The file was edited since it was imported and does not parse now.
        return {}
    return found


def _docstrings_under_fields(body: list[ast.stmt]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for node, below in pairwise(body):
        if not (isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)):
            continue
        targets = node.targets if isinstance(node, ast.Assign) else []
        if isinstance(node, ast.AnnAssign):
            targets = [node.target]
        text = below.value.value
        if len(targets) == 1 and isinstance(targets[0], ast.Name) and isinstance(text, str):
            texts[targets[0].id] = inspect.cleandoc(text)
    return texts


def _names_of(bases: list[ast.expr]) -> Iterator[str]:
    for base in bases:
        named = base.value if isinstance(base, ast.Subscript) else base
        if isinstance(named, ast.Name):
            yield named.id
