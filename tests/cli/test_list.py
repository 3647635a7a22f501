"""`appfunctions-mcp list`."""

import json
import os
from pathlib import Path

import pytest

from appfunctions_mcp.cli import main
from tests.support.metadata_files import write_metadata
from tests.support.stdio_server import PROJECT
from tests.support.terminal import shown_on_a_terminal

SAMPLE = str(PROJECT / "metadata" / "app_metadata.xml")
MODULE = "tests.support.field_functions"


def test_it_shows_what_a_client_would_see(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", SAMPLE]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    told = "Makes a new note: writes down and saves a text, a list or links under a title."
    assert rows[0] == ["create_note", "on", told]
    assert "delete_note" not in [name for name, _, _ in rows]
    assert {state for _, state, _ in rows} == {"on", "resource", "prompt"}
    assert ["notes://{note_id}", "resource"] in [row[:2] for row in rows]
    assert ["sum_up_notes", "prompt"] in [row[:2] for row in rows]


def test_all_shows_the_disabled_functions_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", SAMPLE, "--all"]) == 0
    states = dict(line.split("\t")[:2] for line in capsys.readouterr().out.splitlines())
    assert states["delete_note"] == "off"
    assert states["labels_add"] == "on"


def test_json_is_an_object_of_the_app_and_what_it_serves(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["list", SAMPLE, "--json", "--all", "--locale", "ru"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert listed["app"]["name"] == "notes"
    assert listed["app"]["description"].startswith("Manages personal notes")
    assert listed["app"]["title"] != "Notes"
    delete = next(f for f in listed["functions"] if f["tool_name"] == "delete_note")
    assert delete.keys() == {
        "function_id",
        "tool_name",
        "description",
        "enabled",
        "input_schema",
    }
    assert (delete["function_id"], delete["enabled"]) == ("sample_app.notes#delete_note", False)
    (note,) = listed["resources"]
    assert (note["uri"], note["is_template"]) == ("notes://{note_id}", True)
    (prompt,) = listed["prompts"]
    assert prompt["arguments"] == [
        {"name": "subject", "description": "The words that the notes have.", "required": True},
        {"name": "label", "description": "Only notes that have this label.", "required": False},
    ]
    assert prompt["title"] == "Sum up notes"


def test_only_shows_what_a_glob_names(capsys: pytest.CaptureFixture[str]) -> None:
    """F94."""
    assert main(["list", SAMPLE, "--only", "labels_*", "--only", "*#get_note"]) == 0
    names = [line.partition("\t")[0] for line in capsys.readouterr().out.splitlines()]
    assert names == ["get_note", "labels_add", "labels_remove", "labels_list_all"]
    assert main(["list", SAMPLE, "--only", "notes://*", "--only", "sum_*"]) == 0
    names = [line.partition("\t")[0] for line in capsys.readouterr().out.splitlines()]
    assert names == ["notes://{note_id}", "sum_up_notes"]


def test_settings_that_are_missing_do_not_matter(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = (
        f'<mcp:setting name="CASE_TOKEN" required="true" />\n<mcp:functions module="{MODULE}" />\n'
    )
    assert main(["list", str(write_metadata(tmp_path, content=content))]) == 0
    assert "echo\ton\t" in capsys.readouterr().out


def test_warnings_and_modules_that_were_left_out_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = (
        '<mcp:functions module="not_there_at_all" onError="skip" />\n'
        f'<mcp:functions module="{MODULE}" />\n'
    )
    file = str(write_metadata(tmp_path, content=content))
    assert main(["list", file]) == 0
    assert "not_there_at_all" in capsys.readouterr().err
    assert main(["list", file, "--json"]) == 0
    captured = capsys.readouterr()
    assert list(json.loads(captured.out)["app"]["skipped_modules"]) == ["not_there_at_all"]


def test_another_word_is_a_fault(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", SAMPLE, "more"]) == 2
    assert "'more' is no metadata file" in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="pseudo terminals")
def test_a_terminal_gets_a_table(tmp_path: Path) -> None:
    content = (
        '<mcp:functions module="not_there_at_all" onError="skip" />\n'
        f'<mcp:functions module="{MODULE}" />\n'
        '<mcp:functions module="tests.support.android_like_functions" />\n'
    )
    file = write_metadata(tmp_path, 'appfn:description="D" mcp:title="Cases"', content)
    text = shown_on_a_terminal("list", str(file), "--all")
    assert "Cases 0.0.0" in text
    assert "wipe (off)" in text
    assert "zoom (in an activity)" in text
    assert "(deprecated)" in text
    assert "[" not in text.replace("[1m", "") or "seconds" in text
    assert "left out: not_there_at_all" in text
    assert "\x1b[3" not in text, "no colour under NO_COLOR"


def test_what_android_knows_of_a_function_is_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = '<mcp:functions module="tests.support.android_like_functions" />'
    file = str(write_metadata(tmp_path, content=content))
    assert main(["list", file, "--all", "--json"]) == 0
    create, zoom = json.loads(capsys.readouterr().out)["functions"]
    assert create["schema"] == {"category": "notes", "name": "createNote", "version": 2}
    assert (create["access_level"], create["deprecated"]) == ("system", "use create_page")
    assert zoom["scope"] == "activity"
    assert main(["list", file, "--all"]) == 0
    states = dict(line.split("\t")[:2] for line in capsys.readouterr().out.splitlines())
    assert states == {"create_note": "on", "zoom": "in an activity"}
    assert main(["list", file]) == 0
    assert "zoom" not in capsys.readouterr().out
