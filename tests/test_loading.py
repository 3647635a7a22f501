"""From the modules that the metadata names to functions, with every fault in one report."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from appfunctions_mcp.exceptions import AppFunctionDeclarationError
from appfunctions_mcp.loading import LoadedFunctions, load_functions
from appfunctions_mcp.metadata_xml import parse_metadata
from tests.support.metadata_files import write_metadata

GOOD = '''"""Functions."""
from appfunctions_mcp import app_function

@app_function
def create(title: str) -> str:
    """Creates.

    Args:
        title: The title.
    """
    return title

@app_function(enabled=False)
def wipe() -> None:
    """Wipes."""
'''
Load = Callable[..., LoadedFunctions]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Load]:
    """Loads an app of some modules, given as source by name."""
    known = set(sys.modules)
    monkeypatch.setattr(sys, "path", [*sys.path])

    def load_app(content: str, **sources: str) -> LoadedFunctions:
        for name, source in sources.items():
            (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")
        return load_functions(parse_metadata(write_metadata(tmp_path, content=content)))

    yield load_app
    for name in set(sys.modules) - known:
        if name.startswith("case_"):
            del sys.modules[name]


def functions_of(*modules: str) -> str:
    return "".join(f'<mcp:functions module="{module}" />\n' for module in modules)


def fault_of(load: Load, content: str, **sources: str) -> str:
    """The only fault of an app that cannot be loaded."""
    with pytest.raises(AppFunctionDeclarationError) as caught:
        load(content, **sources)
    (fault,) = caught.value.faults
    return fault


def test_functions_come_in_the_order_of_modules_and_definitions(load: Load) -> None:
    other = GOOD.replace("create", "add").replace("wipe", "empty")
    loaded = load(functions_of("case_b", "case_a"), case_a=GOOD, case_b=other)
    assert [f.metadata.tool_name for f in loaded.functions] == ["add", "empty", "create", "wipe"]
    assert loaded.warnings == []
    assert loaded.skipped == {}


def test_a_module_serves_what_it_defines_not_what_it_imports(load: Load) -> None:
    importing = "from case_a import create, wipe as again\n" + GOOD.replace("create", "mine")
    loaded = load(functions_of("case_b"), case_a=GOOD, case_b=importing)
    assert [f.metadata.tool_name for f in loaded.functions] == ["mine", "wipe"]
    assert {f.metadata.module for f in loaded.functions} == {"case_b"}


def test_the_metadata_changes_what_is_declared(load: Load) -> None:
    content = functions_of("case_a") + (
        '<mcp:function id="case_a#create" title="New" description="Makes one." readOnly="false" '
        'destructive="false" idempotent="true" openWorld="false" access="notes.write" '
        'timeoutSeconds="5" requiresConfirmation="true" enabledByDefault="false" />\n'
    )
    create, wipe = (f.metadata for f in load(content, case_a=GOOD).functions)
    assert (create.title, create.description, create.access) == ("New", "Makes one.", "notes.write")
    hints = (create.read_only, create.destructive, create.idempotent, create.open_world)
    assert hints == (False, False, True, False)
    assert (create.timeout_seconds, create.enabled_by_default) == (5, False)
    assert list(create.input_schema["properties"]) == ["title", "confirmation"]
    assert wipe.title is None


def test_a_prefix_and_the_rule_of_a_module_hold_for_its_functions(load: Load) -> None:
    source = GOOD.replace("title: str", "limit: int = 10").replace("title", "limit")
    content = '<mcp:functions module="case_a" prefix="my" optionalDefaults="declared" />\n'
    loaded = load(content, case_a=source.replace("-> str", "-> int"))
    assert [f.metadata.tool_name for f in loaded.functions] == ["my_create", "my_wipe"]
    assert loaded.functions[0].metadata.input_schema["properties"]["limit"]["default"] == 10


def test_resources_and_prompts_are_loaded_with_functions_and_may_stand_alone(load: Load) -> None:
    source = '''"""No function."""
from appfunctions_mcp import app_prompt, app_resource

@app_prompt
@app_resource("case://{title}{?colour}")
def show(title: str, colour: str = "red") -> str:
    """Shows."""
    return title
'''
    content = '<mcp:functions module="case_shown" prefix="p" optionalDefaults="declared" />'
    loaded = load(content, case_shown=source)

    assert loaded.functions == []
    assert [r.uri for r in loaded.resources] == ["case://{title}{?colour}"]
    assert [p.name for p in loaded.prompts] == ["p_show"]
    assert loaded.prompts[0].metadata.parameters[1].schema["default"] == "red"


def test_faults_of_resources_and_prompts_come_in_the_same_report(load: Load) -> None:
    source = '''"""Faults."""
from appfunctions_mcp import app_function, app_prompt, app_resource

@app_function
def one(*words: str) -> str:
    """One."""

@app_resource("case://{a}{b}")
def two(a: str, b: str) -> str:
    """Two."""

@app_prompt
def three(words: type) -> str:
    """Three."""
'''
    with pytest.raises(AppFunctionDeclarationError) as caught:
        load(functions_of("case_wrong"), case_wrong=source)

    first, second, third = caught.value.faults
    assert "*words" in first
    assert "where a ends and b begins" in second
    assert "words has the type type" in third


def test_two_resources_of_one_name_in_a_module_are_refused(load: Load) -> None:
    source = '''"""Twins."""
from appfunctions_mcp import app_prompt, app_resource

@app_resource("case://1")
def same() -> str:
    """One."""

@app_prompt
def same() -> str:
    """Two."""
'''
    assert "same is declared at line 4 already" in fault_of(
        load, functions_of("case_twins"), case_twins=source
    )


def test_an_unknown_id_is_an_error_with_the_nearest_ones(load: Load, tmp_path: Path) -> None:
    content = functions_of("case_a") + '<mcp:function id="case_a#creat" title="T" />\n'
    fault = fault_of(load, content, case_a=GOOD)
    assert fault.startswith(f"{tmp_path / 'app_metadata.xml'}:7: ")
    assert "near it: case_a#create" in fault
    content = functions_of("case_a") + '<mcp:function id="quite_other" title="T" />\n'
    assert "near it" not in fault_of(load, content, case_a=GOOD)


def test_all_faults_of_all_modules_come_in_one_report(load: Load) -> None:
    starred = "\n@app_function\ndef bad(*a): ...\n\n@app_function\ndef worse(**a): ...\n"
    modules = functions_of("case_a", "case_b", "case_none", "case_c")
    with pytest.raises(AppFunctionDeclarationError) as caught:
        load(modules, case_a=GOOD + starred, case_b="1 / 0\n", case_c="x = 1\n")
    parts = ("bad", "worse", "ZeroDivisionError", "no module 'case_none'", "declares no function")
    assert len(caught.value.faults) == len(parts)
    for part, fault in zip(parts, caught.value.faults, strict=True):
        assert part in fault


def test_a_module_that_fails_may_be_left_out(load: Load) -> None:
    content = (
        '<mcp:functions module="case_b" onError="skip" />\n'
        + functions_of("case_a")
        + '<mcp:function id="case_b#other" title="T" />\n'
    )
    loaded = load(content, case_a=GOOD, case_b="import not_there_at_all\n")
    assert [f.metadata.tool_name for f in loaded.functions] == ["create", "wipe"]
    assert list(loaded.skipped) == ["case_b"]
    assert "not_there_at_all" in loaded.skipped["case_b"]
    assert any("the module is left out" in warning for warning in loaded.warnings)


@pytest.mark.parametrize(
    ("source", "line", "text"),
    [
        ("def f(:\n", 1, "cannot be imported"),
        ("\n\nimport not_there_at_all\n", 3, "ModuleNotFoundError"),
        ("x = 1\n1 / 0\n", 2, "ZeroDivisionError: division by zero"),
        ("raise SystemExit\n", 1, "SystemExit"),
        ("raise RuntimeError('one\\ntwo')\n", 1, "RuntimeError: one"),
        ("import json\njson.loads('{')\n", 2, "JSONDecodeError"),
    ],
)
def test_an_import_that_fails_names_the_line_of_the_author(
    source: str, line: int, text: str, load: Load, tmp_path: Path
) -> None:
    """F105."""
    fault = fault_of(load, functions_of("case_a"), case_a=source)
    assert fault.startswith(f"{tmp_path / 'case_a.py'}:{line}: ")
    assert text in fault
    assert "\n" not in fault


def test_an_exception_without_a_text_is_told_by_its_class(load: Load) -> None:
    source = (
        "class Mute(Exception):\n    def __str__(self):\n        raise ValueError\n\nraise Mute\n"
    )
    assert fault_of(load, functions_of("case_a"), case_a=source).endswith("imported: Mute")


def test_a_module_that_puts_something_else_in_its_place_is_refused(load: Load) -> None:
    source = "import sys\nsys.modules[__name__] = 5\n"
    fault = fault_of(load, functions_of("case_a"), case_a=source)
    assert "puts int in place of itself" in fault


def test_ctrl_c_while_a_module_is_imported_is_no_fault_of_the_module(load: Load) -> None:
    with pytest.raises(KeyboardInterrupt):
        load(functions_of("case_a"), case_a="raise KeyboardInterrupt\n")


def test_a_module_that_is_not_there_names_where_it_was_looked_for(
    load: Load, tmp_path: Path
) -> None:
    fault = fault_of(load, functions_of("case_list"), case_lists=GOOD)
    assert fault.startswith(f"{tmp_path / 'app_metadata.xml'}:6: there is no module 'case_list'")
    assert str(tmp_path) in fault
    assert "mcp:pythonPath" in fault
    assert "there is no module 'case.part'" in fault_of(load, functions_of("case.part"))


def test_a_module_that_is_missing_in_a_package_is_named_with_the_package(
    load: Load, tmp_path: Path
) -> None:
    (tmp_path / "case_package").mkdir()
    (tmp_path / "case_package" / "__init__.py").touch()
    (tmp_path / "case_package" / "parts.py").touch()
    fault = fault_of(load, functions_of("case_package.part"))
    assert "there is no module 'case_package.part'; perhaps case_package.parts" in fault


@pytest.mark.parametrize("name", ["json", "pytest"])
def test_a_module_that_another_file_would_shadow_is_refused(name: str, load: Load) -> None:
    fault = fault_of(load, functions_of(name), **{name: GOOD})
    assert "would be imported as" in fault
    assert "rename the module" in fault


def test_a_module_without_functions_says_what_to_do(load: Load) -> None:
    fault = fault_of(load, functions_of("case_a"), case_a="x = 1\n")
    assert "case_a declares no function; put @app_function above" in fault


def test_a_folder_of_modules_comes_after_what_is_installed(load: Load, tmp_path: Path) -> None:
    before = list(sys.path)
    load(functions_of("case_a"), case_a=GOOD)
    assert sys.path == [*before, str(tmp_path)]
    load(functions_of("case_a"))
    assert sys.path == [*before, str(tmp_path)]
