"""What the commands say to somebody who has mistyped something, and how help reads."""

from pathlib import Path

import pytest

from appfunctions_mcp.cli import COMMANDS, main

SAMPLE = Path(__file__).parents[2] / "metadata" / "app_metadata.xml"


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No state and no notes of the user."""
    monkeypatch.setenv("NOTES_DB", str(tmp_path / "notes.db"))
    monkeypatch.setenv("APPFUNCTIONS_STATE_FILE", str(tmp_path / "state.json"))


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_into_eighty_columns(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])

    out = capsys.readouterr().out
    assert ended.value.code == 0
    assert out.startswith(f"usage: appfunctions-mcp {command} ")
    assert [line for line in out.splitlines() if len(line) > 80] == []


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main([*words]) > 0
    return capsys.readouterr().err


def test_a_mistyped_command_comes_with_the_nearest_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "lst") == "appfunctions-mcp: there is no command 'lst'; perhaps list\n"


def test_a_mistyped_function_comes_with_those_that_are_off_too(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "near it: delete_note" in said(
        capsys, "set-enabled", str(SAMPLE), "delete_not", "enable"
    )


def test_arguments_that_are_no_json_come_with_both_forms(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = said(capsys, "call", str(SAMPLE), "find_notes", "{query: 1}")

    assert text.startswith("the arguments '{query: 1}' are no JSON: Expecting")
    assert text.endswith("or as --param title=Milk\n")


def test_a_glob_that_matches_nothing_is_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", str(SAMPLE), "--only", "zz*"]) == 0
    assert (
        "warning: --only 'zz*' matches no function, resource or prompt; the first ones are"
        in capsys.readouterr().err
    )


def test_a_mistyped_option_comes_with_the_nearest_one(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["run", str(SAMPLE), "--worker", "2"])
    assert ended.value.code == 2
    assert (
        "there is no option '--worker'; perhaps --workers; 'appfunctions-mcp run --help' shows"
        in capsys.readouterr().err
    )


def test_a_word_that_has_no_place_is_not_called_an_option(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["bridge", "com.example.chatapp"])
    assert ended.value.code == 2
    assert (
        "'com.example.chatapp' is one word too many; see 'appfunctions-mcp bridge --help'"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("name", "kind"), [("sum_up_notes", "a prompt"), ("notes://note-1", "a resource")]
)
def test_what_is_no_function_is_called_what_it_is(
    name: str, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert f"Recovery: '{name}' is {kind}, which" in said(capsys, "call", str(SAMPLE), name)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--oauth-scope", ""), "--oauth-scope: '' is not accepted; give a value, or leave"),
        (
            ("--allowed-host", "https://notes.example.com"),
            "--allowed-host: 'https://notes.example.com' is not accepted; give NAME[:PORT], such",
        ),
        (
            ("--allow-anonymous", "--token-env", "TOKEN"),
            "--allow-anonymous and --token-env: give one of them, not both",
        ),
    ],
)
def test_options_that_would_open_more_than_was_meant_are_refused(
    options: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said(capsys, "run", str(SAMPLE), "--http", "0", *options).startswith(message)
