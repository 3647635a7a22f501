"""The examples of rules, read as what they stand for.

Every rule has a bad and a good example; they are its documentation and its tests. An example is
one tool as MCP servers list it, a list of such tools, or an object of parts:

- `tools` and `app`: the tools, and what their app says of itself
- `server`: the name that clients put before the tools' names
- `python`: the text of a module that declares functions
- `files`: an Android app's files, each with its path below `src/main`
"""

import linecache
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from appfunctions_mcp.compiling import compile_declared
from appfunctions_mcp.declaration import declaration_of
from appfunctions_mcp.formats.mcp_tools import metadata_of_tools
from appfunctions_mcp.function_metadata import names_of
from appfunctions_mcp.functions import functions_of_module, source_of
from appfunctions_mcp.lint.subjects import LintSubject, Origin
from appfunctions_mcp.metadata import AppMetadata

__all__ = ["bodies_of", "subject_of"]

_MODULE = "example"
_FILE = "<example>"


def subject_of(example: Any, folder: Path | None = None) -> LintSubject:
    """What an example of a rule stands for.

    Args:
        example: In one of the forms above.
        folder: Where an example's files are written; only one with `files` needs it.

    Raises:
        ToolListError: A tool is none.
        AppFunctionDeclarationError: A function cannot be served.
    """
    parts = example if isinstance(example, Mapping) else {"tools": example}
    if "files" in parts and folder is not None:
        return _subject_of_files(parts["files"], folder)
    if "python" in parts:
        return _subject_of_python(parts["python"], parts.get("app", ""))
    tools = parts.get("tools", [] if "app" in parts else [example])
    return LintSubject(
        metadata_of_tools(tools),
        Origin.FOREIGN,
        server_name=parts.get("server", ""),
        instructions=parts.get("app", ""),
        tools=tuple(tools),
    )


def bodies_of(module: ModuleType, prefix: str | None = None) -> dict[str, Callable[..., Any]]:
    """The Python functions that a module declares, by their function ids.

    Args:
        module: It is imported already.
        prefix: What the app puts before the names of this module's functions.
    """
    return {
        names_of(each, declaration, prefix, source_of(each)).function_id: each
        for each in functions_of_module(module)
        if (declaration := declaration_of(each)) is not None
    }


def _subject_of_python(text: str, description: str) -> LintSubject:
    module = ModuleType(_MODULE)
    # Whoever reads a body again, reads it from here, since no file holds it.
    linecache.cache[_FILE] = (len(text), None, text.splitlines(keepends=True), _FILE)
    exec(compile(text, _FILE, "exec"), vars(module))  # noqa: S102 - a rule's own example
    app = AppMetadata(name=_MODULE, description=description)
    compiled = compile_declared(functions_of_module(module), app)
    return LintSubject(
        tuple(each.metadata for each in compiled.functions),
        Origin.OWN,
        server_name=_MODULE,
        app=app,
        instructions=description,
        bodies=bodies_of(module),
    )


def _subject_of_files(files: Mapping[str, str], folder: Path) -> LintSubject:
    from appfunctions_mcp.lint.android_target import android_subject

    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return android_subject(folder)
