import ast
import importlib
from pathlib import Path

import appfunctions_mcp


def test_type_checkers_see_the_names_that_are_there() -> None:
    """The names are resolved lazily, so they are written twice; both say the same."""
    source = Path(appfunctions_mcp.__file__).read_text(encoding="utf-8")
    seen = {
        alias.name: node.module
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("appfunctions_mcp.")
        for alias in node.names
    }

    assert tuple(sorted(seen)) == appfunctions_mcp.__all__
    for name, module in seen.items():
        assert getattr(appfunctions_mcp, name) is getattr(
            importlib.import_module(str(module)), name
        )
