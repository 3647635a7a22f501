import ast
import importlib
from pathlib import Path
from types import ModuleType

import pytest

import appfunctions_mcp
from appfunctions_mcp import assistant, formats
from appfunctions_mcp.assistant import providers


@pytest.mark.parametrize("package", [appfunctions_mcp, assistant, formats, providers])
def test_type_checkers_see_the_names_that_are_there(package: ModuleType) -> None:
    """The names are resolved lazily, so they are written twice; both say the same."""
    tree = ast.parse(Path(str(package.__file__)).read_text(encoding="utf-8"))
    seen = {
        alias.name: node.module
        for block in tree.body
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    defined_here = {
        name
        for name in package.__all__
        if any(
            name == getattr(node, "name", None)
            or (isinstance(node, ast.Assign) and name == ast.unparse(node.targets[0]))
            for node in tree.body
        )
    }

    assert seen
    assert sorted([*seen, *defined_here]) == sorted(package.__all__)
    for name, module in seen.items():
        assert getattr(package, name) is getattr(importlib.import_module(str(module)), name)
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = package.no_such_name


def test_the_tools_for_tests_have_the_scripted_model() -> None:
    from appfunctions_mcp import testing

    assert testing.ScriptedModel is assistant.ScriptedModel
    assert testing.ScriptedCall is assistant.ScriptedCall
    assert {"ScriptedModel", "ScriptedCall"} <= set(testing.__all__)
