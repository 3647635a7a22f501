"""The command line as a whole: exit codes, one line a fault, help and version."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from appfunctions_mcp import __version__
from appfunctions_mcp.cli import COMMANDS, main
from tests.support.metadata_files import write_metadata

PROGRAM = (sys.executable, "-m", "appfunctions_mcp")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main([command, "--help"])
    assert caught.value.code == 0
    shown = capsys.readouterr().out
    assert f"usage: appfunctions-mcp {command}" in shown
    assert f"example: appfunctions-mcp {command}" in shown


def test_the_program_lists_its_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--help"])
    assert caught.value.code == 0
    shown = capsys.readouterr().out
    assert all(f"  {name} " in shown for name in COMMANDS)
    assert "example: appfunctions-mcp run" in shown


def test_without_a_command_the_help_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "commands:" in captured.err


def test_an_unknown_command_is_one_line_with_the_one_that_was_meant(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["lst"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert main(["dance"]) == 2
    assert "set-enabled" in capsys.readouterr().err


def test_an_unknown_option_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["list", "--colour"], ["--colour"]):
        with pytest.raises(SystemExit) as caught:
            main(words)
        assert caught.value.code == 2
        assert "--colour" in capsys.readouterr().err


def test_python_m_is_the_same_program() -> None:
    ran = subprocess.run([*PROGRAM, "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout == f"appfunctions-mcp {__version__}\n"


def test_each_fault_is_one_line_that_begins_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = '<mcp:functions />\n<mcp:setting name="1x" />\n<mcp:what />\n'
    file = write_metadata(tmp_path, content=content)
    assert main(["list", str(file)]) == 2
    captured = capsys.readouterr()
    lines = [line for line in captured.err.splitlines() if not line.startswith(" ")]
    assert captured.out == ""
    assert len(lines) == 3
    assert all(line.startswith(f"{file}:{n}: ") for n, line in enumerate(lines, 6))


def test_the_usual_places_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = ["--module", "tests.support.field_functions"]
    monkeypatch.chdir(tmp_path)
    assert main(["list", *module]) == 2
    assert "metadata/app_metadata.xml" in capsys.readouterr().err
    write_metadata(tmp_path)
    assert main(["list", *module]) == 0
    (tmp_path / "metadata").mkdir()
    (tmp_path / "metadata" / "app_metadata.xml").write_text("broken", encoding="utf-8")
    assert main(["list", *module]) == 2, "metadata/ comes before the folder itself"
    assert main(["list", "app_metadata.xml", *module]) == 0
    (tmp_path / "empty").mkdir()
    assert main(["list", "empty", *module]) == 2
    assert "is a folder with neither" in capsys.readouterr().err
    monkeypatch.setenv("APPFUNCTIONS_FILE", str(tmp_path / "app_metadata.xml"))
    assert main(["list", *module]) == 0
    assert main(["list", str(tmp_path), *module]) == 2


@pytest.mark.skipif(os.name != "posix", reason="a pipe that is closed")
def test_a_reader_that_goes_away_is_no_crash() -> None:
    words = ["list", "metadata/app_metadata.xml", "--all", "--json"]
    with subprocess.Popen(
        [*PROGRAM, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=Path(__file__).parents[1],
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        errors = process.stderr.read().decode()
    assert "Traceback" not in errors
    assert "Exception ignored" not in errors


def test_ctrl_c_ends_a_command_quietly(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from appfunctions_mcp.cli import list as list_command

    def interrupted(_args: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(list_command, "run", interrupted)
    assert main(["list"]) == 130
    assert "Traceback" not in capsys.readouterr().err
