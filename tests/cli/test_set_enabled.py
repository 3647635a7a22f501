"""`appfunctions-mcp set-enabled`."""

import os
from pathlib import Path

import pytest

from appfunctions_mcp.cli import main
from tests.support.stdio_server import PROJECT

SAMPLE = str(PROJECT / "metadata" / "app_metadata.xml")


def states(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, str]:
    """What `list --all` shows."""
    capsys.readouterr()
    assert main(["list", SAMPLE, "--all", *options]) == 0
    return dict(line.split("\t")[:2] for line in capsys.readouterr().out.splitlines())


def test_a_function_is_enabled_disabled_and_returned_to_its_default(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert states(capsys)["delete_note"] == "off"
    for word, shown in (("enable", "on"), ("disable", "off"), ("enable", "on"), ("default", "off")):
        assert main(["set-enabled", SAMPLE, "delete_note", word]) == 0
        assert capsys.readouterr().out == f"delete_note is {shown}\n"
        assert states(capsys)["delete_note"] == shown
    assert main(["set-enabled", SAMPLE, "sample_app.labels#add", "disable"]) == 0
    assert capsys.readouterr().out == "labels_add is off\n"
    assert states(capsys)["labels_add"] == "off"


def test_the_state_is_kept_where_it_is_asked_to_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "folder" / "state.json"
    option = ("--state-file", str(file))
    assert main(["set-enabled", SAMPLE, "delete_note", "enable", *option]) == 0
    assert "sample_app.notes#delete_note" in file.read_text(encoding="utf-8")
    assert states(capsys, *option)["delete_note"] == "on"
    assert states(capsys)["delete_note"] == "off"


def test_an_unknown_function_is_named_with_the_nearest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["set-enabled", SAMPLE, "delete_notes", "enable"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "near it: delete_note" in captured.err
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize("words", [["delete_note"], ["delete_note", "on"], ["a", "enable", "b"]])
def test_wrong_usage_is_one_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["set-enabled", SAMPLE, *words]) == 2
    captured = capsys.readouterr()
    assert "enable, disable, default" in captured.err
    assert captured.err.count("\n") == 1


def test_a_file_of_a_newer_version_is_refused_and_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "state.json"
    file.write_text('{"version": 99, "states": {}}', encoding="utf-8")
    words = ["set-enabled", SAMPLE, "delete_note", "enable", "--state-file", str(file)]
    assert main(words) == 2
    assert str(file) in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == '{"version": 99, "states": {}}'


@pytest.mark.skipif(os.name != "posix", reason="a place that nobody may write to")
def test_a_state_that_cannot_be_kept_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["set-enabled", SAMPLE, "delete_note", "enable"]
    assert main([*words, "--state-file", "/dev/null/state.json"]) == 1
    assert "the state could not be kept" in capsys.readouterr().err
