"""`appfunctions-mcp call`."""

import io
import json
import sys
from pathlib import Path

import pytest

from appfunctions_mcp.cli import main
from tests.support.metadata_files import write_metadata
from tests.support.stdio_server import PROJECT

SAMPLE = str(PROJECT / "metadata" / "app_metadata.xml")


@pytest.fixture(autouse=True)
def _own_notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTES_DB", str(tmp_path / "notes.db"))


@pytest.fixture
def cases(tmp_path: Path) -> str:
    """The functions of the field cases and those of the servers' tests."""
    content = (
        '<mcp:functions module="tests.support.field_functions" />\n'
        '<mcp:functions module="tests.support.served_functions" prefix="served" />\n'
    )
    return str(write_metadata(tmp_path, content=content))


def test_a_note_is_created_and_read(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = '{"title": "Молоко", "content": null}'
    assert main(["call", SAMPLE, "create_note", arguments]) == 0
    captured = capsys.readouterr()
    note = json.loads(captured.out)
    assert "Молоко" in captured.out
    assert (note["title"], note["content"]) == ("Молоко", None)
    words = ["sample_app.notes#get_note", "--param", f"note_id={note['id']}"]
    assert main(["call", SAMPLE, *words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == note


def test_a_pair_becomes_what_the_parameter_asks_for(capsys: pytest.CaptureFixture[str]) -> None:
    """The same rules as for any client; of JSON and pairs together the pair counts."""
    words = ["--param", "query=a=b", "--param", "offset=0", "--param", "label="]
    assert main(["call", SAMPLE, "find_notes", '{"query": "x"}', *words]) == 0
    assert json.loads(capsys.readouterr().out)["total"] == 0


def test_a_text_is_printed_alone(cases: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["call", cases, "echo", "--param", "t=[1]"]) == 0
    assert capsys.readouterr().out == "[1]\n"
    assert main(["call", cases, "echo", "--param", "t=[1]", "--json"]) == 0
    assert capsys.readouterr().out == '"[1]"\n'


def test_media_are_described(cases: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["call", cases, "served_picture"]) == 0
    assert "Image: image/png, 4 bytes" in capsys.readouterr().out


def test_a_failure_is_told_on_stderr_with_exit_code_1(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["call", SAMPLE, "get_note", "--param", "note_id=n1"]
    assert main(words) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("AppFunctionElementNotFoundException: ")
    assert "\nRecovery: " in captured.err
    assert main([*words, "--json"]) == 1
    captured = capsys.readouterr()
    assert json.loads(captured.out)["error"]["code"] == 1500


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        ("get_notes", "AppFunctionFunctionNotFoundException"),
        ("find_notes", "AppFunctionInvalidArgumentException"),
        ("delete_note", "AppFunctionDisabledException"),
    ],
)
def test_every_refusal_is_that_of_a_client(
    function: str, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["call", SAMPLE, function]) == 1
    assert capsys.readouterr().err.startswith(f"{kind}: ")


def test_a_crash_is_shown_with_debug_only(cases: str, capsys: pytest.CaptureFixture[str]) -> None:
    """F62."""
    assert main(["call", cases, "served_crash", "--json"]) == 1
    assert "secret" not in capsys.readouterr().out
    assert main(["call", cases, "served_crash", "--json", "--debug"]) == 1
    assert "ValueError: secret" in capsys.readouterr().out


class Terminal(io.StringIO):
    """A person who types."""

    def isatty(self) -> bool:
        """Yes."""
        return True


def delete(note_id: str, *options: str) -> int:
    return main(["call", SAMPLE, "delete_note", "--param", f"note_id={note_id}", *options])


def test_a_confirmation_is_asked_of_the_person_at_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["set-enabled", SAMPLE, "delete_note", "enable"]) == 0
    ids = []
    for _ in range(2):
        capsys.readouterr()
        assert main(["call", SAMPLE, "create_note", "--param", "title=T"]) == 0
        ids.append(json.loads(capsys.readouterr().out)["id"])
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    assert delete(ids[0]) == 1, "nobody can agree where there is no terminal"
    assert "--yes" in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin", Terminal("\n"))
    assert delete(ids[0]) == 1
    shown = capsys.readouterr().err
    assert f'note_id = "{ids[0]}"' in shown
    assert "Run it? [y/N]" in shown
    monkeypatch.setattr("sys.stdin", Terminal("Yes\n"))
    assert delete(ids[0]) == 0
    assert delete(ids[1], "--yes") == 0
    capsys.readouterr()
    for note_id in ids:
        assert main(["call", SAMPLE, "get_note", "--param", f"note_id={note_id}"]) == 1


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ([], "give FUNCTION"),
        (["echo", "{}", "more"], "give FUNCTION"),
        (["echo", "{bad"], "JSON"),
        (["echo", "[1]"], "one JSON object"),
        (["echo", "--param", "t"], "K=V"),
        (["echo", "--param", "=x"], "K=V"),
    ],
)
def test_wrong_usage_is_one_line(
    words: list[str], fault: str, cases: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["call", cases, *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert fault in captured.err
    assert captured.err.count("\n") == 1


def test_what_a_function_prints_does_not_mix_with_the_answer(
    cases: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """F28."""
    assert main(["call", cases, "print_everywhere", "--json"]) == 0
    captured = capfd.readouterr()
    assert captured.out == '"printed"\n'
    assert "to descriptor 1" in captured.err
    assert "from a child" in captured.err


LINKS = '''
from appfunctions_mcp import ResourceLink, TextResource, app_function

@app_function
def page() -> TextResource:
    """Is a text."""
    return TextResource("notes://7", "# Milk", "text/markdown")

@app_function
def link() -> ResourceLink:
    """Links."""
    return ResourceLink("https://example.org/plan", "plan")

@app_function(access=lambda caller: False)
def forbidden() -> None:
    """Is nobody's."""
'''


def test_links_are_printed_and_a_denial_is_no_question(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.path", [*sys.path])
    (tmp_path / "case_of_links.py").write_text(LINKS, encoding="utf-8")
    content = '<mcp:functions module="case_of_links" />\n'
    file = str(write_metadata(tmp_path, content=content))
    assert main(["call", file, "link"]) == 0
    assert capsys.readouterr().out == "ResourceLink: https://example.org/plan\n"
    assert main(["call", file, "page"]) == 0
    assert capsys.readouterr().out == "TextResource: text/markdown, notes://7\n# Milk\n"
    assert main(["call", file, "forbidden", "--yes"]) == 1
    assert capsys.readouterr().err.startswith("AppFunctionDeniedException: ")


def test_a_step_ends_with_the_command_that_offered_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = '<mcp:functions module="tests.support.handing_functions" />'
    file = str(write_metadata(tmp_path, content=content))
    assert main(["call", file, "pay", "--param", "amount=5"]) == 0
    captured = capsys.readouterr()
    assert "Let pay happen." in captured.out
    assert "the step cannot be taken any more" in captured.err
    assert main(["call", file, "share", '{"uri": "report://2026/7", "mode_flags": 1}']) == 0
    assert "step" not in capsys.readouterr().err
