"""What is said of modules that cannot be loaded."""

import sys
from pathlib import Path

import pytest

from appfunctions_mcp import load_service
from appfunctions_mcp.exceptions import AppFunctionDeclarationError

METADATA = """<AppFunctionAppMetadata
    xmlns:appfn="http://schemas.android.com/apk/androidx.appfunctions"
    xmlns:mcp="urn:appfunctions-mcp:metadata:1"
    appfn:description="Does sums.">
    <mcp:functions module="{module}" />
</AppFunctionAppMetadata>
"""


@pytest.fixture(autouse=True)
def forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The modules of one test are not those of the next."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "modules", {**sys.modules})
    (tmp_path / "app_metadata.xml").write_text(METADATA.format(module="sums_of_a_test"))


def fault_of(folder: Path, source: str) -> str:
    (folder / "sums_of_a_test.py").write_text(source)
    with pytest.raises(AppFunctionDeclarationError) as caught:
        load_service(folder / "app_metadata.xml")
    (fault,) = caught.value.faults
    return fault


def test_a_missing_package_comes_with_the_command_that_installs_it(tmp_path: Path) -> None:
    fault = fault_of(tmp_path, "import math\nimport no_such_package_xyz.part\n")

    assert fault.startswith(f"{tmp_path / 'sums_of_a_test.py'}:2: sums_of_a_test cannot be")
    assert fault.endswith(" install no_such_package_xyz")


def test_an_unknown_option_is_placed_in_the_author_s_file(tmp_path: Path) -> None:
    fault = fault_of(
        tmp_path,
        "from appfunctions_mcp import app_function\n\n\n"
        "@app_function(readonly=True)\ndef add() -> int:\n    return 1\n",
    )

    assert fault == (
        f"{tmp_path / 'sums_of_a_test.py'}:4: sums_of_a_test cannot be imported: TypeError: "
        "@app_function has no option 'readonly'; perhaps read_only"
    )


def test_a_misspelled_module_comes_with_the_nearest_one(tmp_path: Path) -> None:
    (tmp_path / "sums_of_a_tset.py").write_text("")
    with pytest.raises(AppFunctionDeclarationError) as caught:
        load_service(tmp_path / "app_metadata.xml")

    assert "app_metadata.xml:5: there is no module 'sums_of_a_test'; perhaps sums_of_a_tset;" in (
        str(caught.value)
    )


def test_a_module_of_the_command_line_is_not_blamed_on_the_file(tmp_path: Path) -> None:
    (tmp_path / "sums_of_a_test.py").write_text(
        "from appfunctions_mcp import app_function\n\n\n@app_function\n"
        'def add() -> int:\n    """Adds."""\n    return 1\n'
    )
    with pytest.raises(AppFunctionDeclarationError) as caught:
        load_service(tmp_path / "app_metadata.xml", modules=["no_such_module_xyz"])

    assert caught.value.faults[0].startswith("--module: there is no module 'no_such_module_xyz'")


def test_two_functions_of_one_name_are_refused_since_python_keeps_only_the_last(
    tmp_path: Path,
) -> None:
    """F87: neither may win silently."""
    once = '@app_function\ndef add() -> int:\n    """Adds."""\n    return 1\n\n\n'
    fault = fault_of(tmp_path, f"from appfunctions_mcp import app_function\n\n\n{once}{once}")

    assert fault == (
        f"{tmp_path / 'sums_of_a_test.py'}:10: add is declared at line 4 already, and Python "
        "keeps only the last one; rename one of them"
    )


def test_a_class_is_no_function(tmp_path: Path) -> None:
    fault = fault_of(
        tmp_path,
        "from appfunctions_mcp import app_function\n\n\n@app_function\nclass Sum:\n    pass\n",
    )

    assert "Sum is a class; declare a function that makes one" in fault


ENDS = "class Ends(BaseException): ...\n"
MUTE = "class Mute(Exception):\n    def __str__(self):\n        raise RuntimeError\n"
PLACED = "{module}:{line}: sums_of_a_test cannot be imported: {told}"


@pytest.mark.parametrize(
    ("source", "line", "told"),
    [
        (ENDS + "raise Ends('now')\n", 2, "Ends: now"),
        ("import asyncio\nraise asyncio.CancelledError\n", 2, "CancelledError"),
        (MUTE + "raise Mute\n", 4, "Mute"),
    ],
)
def test_whatever_a_module_raises_is_one_line(
    source: str, line: int, told: str, tmp_path: Path
) -> None:
    module = tmp_path / "sums_of_a_test.py"
    assert fault_of(tmp_path, source) == PLACED.format(module=module, line=line, told=told)


def test_a_module_that_puts_something_else_in_its_place_is_refused(tmp_path: Path) -> None:
    fault = fault_of(tmp_path, "import sys\nsys.modules[__name__] = 5\n")
    assert "sums_of_a_test puts int in place of itself into sys.modules" in fault
