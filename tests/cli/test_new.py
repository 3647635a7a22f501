import subprocess
import sys
from pathlib import Path

import pytest

from appfunctions_mcp.cli import main

PROGRAM = (sys.executable, "-m", "appfunctions_mcp")
FILES = {
    "README.md",
    "app_metadata.xml",
    "shopping_list.py",
    "test_shopping_list.py",
    "values/strings.xml",
}


def files_in(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def output_of(*command: str, folder: Path) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_a_new_project_is_written_into_a_folder_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)

    assert main(["new", "shopping-list"]) == 0

    written = files_in(tmp_path / "shopping-list")
    assert set(written) == FILES
    assert [name for name, text in written.items() if "$" in text] == []
    printed = capsys.readouterr().out
    assert "cd shopping-list" in printed
    assert f"{sys.executable} -m unittest" in printed


def test_a_new_project_runs_and_passes_its_test_at_once(tmp_path: Path) -> None:
    main(["new", "shopping-list", "-o", str(tmp_path / "a folder")])
    folder = tmp_path / "a folder"

    listed = output_of(*PROGRAM, "list", folder=folder)
    assert [line.split("\t")[:2] for line in listed.splitlines()] == [
        ["add_task", "on"],
        ["find_tasks", "on"],
        ["list_done_tasks", "on"],
        ["update_task", "on"],
    ]
    called = output_of(*PROGRAM, "call", "add_task", "--param", "title=Buy milk", folder=folder)
    assert '"title": "Buy milk"' in called
    assert "\nOK" in output_of(sys.executable, "-W", "error", "-m", "unittest", folder=folder)
    assert "3 passed" in output_of(
        sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", folder=folder
    )


def test_nothing_is_overwritten_and_nothing_else_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "README.md").write_text("mine")

    assert main(["new", "shopping-list", "-o", str(tmp_path)]) == 1

    assert files_in(tmp_path) == {"README.md": "mine"}
    assert f"{tmp_path / 'README.md'} is there already" in capsys.readouterr().err


def test_a_folder_with_other_files_may_get_a_project(tmp_path: Path) -> None:
    (tmp_path / "other.txt").write_text("mine")

    assert main(["new", "shopping-list", "-o", str(tmp_path)]) == 0

    assert set(files_in(tmp_path)) == FILES | {"other.txt"}


def test_a_file_that_cannot_be_written_leaves_nothing_behind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "values").write_text("a file where a folder should be")

    assert main(["new", "shopping-list", "-o", str(tmp_path)]) == 1

    assert set(files_in(tmp_path)) == {"values"}
    assert "nothing was written" in capsys.readouterr().err


def test_an_output_that_is_a_file_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("mine")

    assert main(["new", "shopping-list", "-o", str(tmp_path / "file")]) == 1

    assert "which is no folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "no name for a server"),
        ("Shopping", "small letters"),
        ("2nd", "beginning with a letter"),
        ("a-", "ending with a letter or digit"),
        ("../shopping", "a folder is given with -o"),
        ("shopping list", "small letters"),
        ("покупки", "small letters"),
        ("x" * 41, "up to 40"),
        ("class", "a word of Python itself"),
        ("match", "a word of Python itself"),
        ("json", "installed already"),
        ("appfunctions-mcp", "installed already"),
    ],
)
def test_a_name_that_cannot_be_a_module_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    reason: str,
) -> None:
    monkeypatch.chdir(tmp_path)

    assert main(["new", name]) == 2

    assert reason in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_new_does_not_import_mcp(tmp_path: Path) -> None:
    """F104: what needs no server starts at once."""
    script = (
        "import sys; from appfunctions_mcp.cli import main; "
        f"main(['new', 'shopping', '-o', {str(tmp_path / 'x')!r}]); "
        "print([m for m in ('mcp', 'pydantic', 'starlette', 'rich') if m in sys.modules])"
    )

    printed = output_of(sys.executable, "-c", script, folder=Path(__file__).parents[2])
    assert printed.endswith("\n[]\n")
