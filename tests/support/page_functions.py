"""The functions that the pages declare, block by block, as lint judges them.

Of a block's Python only what declares is executed: imports, functions and classes, and values
where functions are declared beside them. What a page does with its functions is executed, and
held against the page, by the tests of the documentation.
"""

import ast
import importlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from appfunctions_mcp.compiling import compile_declared
from appfunctions_mcp.functions import functions_of_module
from appfunctions_mcp.lint.examples import bodies_of
from appfunctions_mcp.lint.subjects import LintSubject, Origin
from appfunctions_mcp.metadata import AppMetadata
from tests.support.documents import Block, blocks_of

_DECLARING = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_VALUES = (ast.Assign, ast.AnnAssign)
_MARK = "@app_function"
_LEFT_OUT = ("made: ", "raises: ")
"""Made by commands, and faulty on purpose."""


@dataclass(frozen=True)
class PageFunctions:
    """What one block declares."""

    block: Block
    subject: LintSubject


def functions_of_page(page: Path, folder: Path) -> Iterator[PageFunctions]:
    """The functions of each block of a page that declares some.

    Args:
        page: The page.
        folder: Where its files are written; it has to be on `sys.path`.
    """
    blocks = [block for block in blocks_of(page) if not block.note.startswith(_LEFT_OUT)]
    for block in blocks:
        if block.file_name:
            path = folder / block.file_name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
    shared: dict[str, Any] = {}
    for block in blocks:
        if block.language != "python":
            continue
        declared = _declared_in(block, shared, folder)
        if functions_of_module(declared):
            yield PageFunctions(block, _subject_of(declared))


def _declared_in(block: Block, shared: dict[str, Any], folder: Path) -> ModuleType:
    """A module of what a block declares, which knows what the blocks before it have declared."""
    if block.file_name and _MARK in block.text:
        return importlib.import_module(block.file_name.removesuffix(".py").replace("/", "."))
    name = f"{Path(block.page).stem}_{block.line}".replace("-", "_")
    source = folder / f"{name}.py"
    source.write_text(block.text, encoding="utf-8")
    tree = ast.parse(block.text)
    kept = (*_DECLARING, *_VALUES) if _MARK in block.text else _DECLARING
    tree.body = [each for each in tree.body if isinstance(each, kept)]
    sys.modules[name] = own = ModuleType(name)
    vars(own).update(shared, __file__=str(source))
    if not block.file_name:
        exec(compile(tree, source, "exec"), vars(own))  # noqa: S102 - the project's own pages
    shared |= {key: value for key, value in vars(own).items() if not key.startswith("__")}
    return own


def _subject_of(module: ModuleType) -> LintSubject:
    app = AppMetadata(name="example", description="", optional_defaults="declared")
    compiled = compile_declared(functions_of_module(module), app)
    return LintSubject(
        tuple(each.metadata for each in compiled.functions),
        Origin.OWN,
        server_name="example",
        bodies=bodies_of(module),
    )
