"""`appfunctions-mcp lint`: targets, forms of output, exit codes."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

# The SDK takes the standard error of the moment at which it is imported; servers write to it.
import appfunctions_mcp.client  # noqa: F401 - as above
from appfunctions_mcp.cli import main
from tests.support.android_apps import usual_app, write_archive, write_files
from tests.support.metadata_files import write_metadata
from tests.support.stdio_server import PROJECT
from tests.support.terminal import shown_on_a_terminal

SAMPLE = str(PROJECT / "metadata" / "app_metadata.xml")
TOOLS = [
    {
        "name": "find_notes",
        "description": "Finds notes. You must call this first.",
        "inputSchema": {
            "type": "object",
            "properties": {"text": {"type": "string", "description": "The words to look for."}},
            "required": ["text"],
        },
    },
    {"name": "delete note", "inputSchema": {"type": "object", "properties": {}}},
]
MODULE = '''"""Functions of a test."""

from appfunctions_mcp import app_function


@app_function(destructive=False)
def find_notes(text: str) -> str:{comment}
    """Finds notes. You must call this first.

    Args:
        text: The words to look for.

    Returns:
        The titles of the notes.
    """
    return text
'''


@pytest.fixture
def tools(tmp_path: Path) -> str:
    path = tmp_path / "tools.json"
    path.write_text(json.dumps({"tools": TOOLS}, indent=2), encoding="utf-8")
    return str(path)


def test_the_sample_app_has_no_findings(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", SAMPLE, "--strict"]) == 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.endswith("no findings in 9 functions\n")


def test_findings_are_lines_and_errors_fail(tools: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", tools, "--select", "AF100,AF1"]) == 1
    printed = capsys.readouterr()
    line = next(
        n
        for n, row in enumerate(Path(tools).read_text("utf-8").splitlines(), 1)
        if "delete note" in row
    )
    assert f"{tools}:{line}: AF100 error: delete note: " in printed.out
    assert all(line.startswith(f"{tools}:") for line in printed.out.splitlines())
    assert "in 2 functions" in printed.err


def test_strict_fails_on_warnings_too(tools: str, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = ["lint", tools, "--select", "AF1", "--ignore", "description-missing"]
    assert main(chosen) == 0
    assert "warning: find_notes: " in capsys.readouterr().out
    assert main([*chosen, "--strict"]) == 1


def test_json_is_a_report(tools: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", tools, "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["functions"] == 2
    assert {"find_notes", "delete note"} <= {each["tool_name"] for each in report["findings"]}
    assert report["counts"]["error"] >= 1


def test_sarif_goes_into_a_file(tools: str, tmp_path: Path) -> None:
    output = tmp_path / "lint.sarif"
    assert main(["lint", tools, "--sarif", "--output", str(output)]) == 1
    (run,) = json.loads(output.read_text("utf-8"))["runs"]
    assert run["results"]


@pytest.mark.parametrize("form", ["--json", "--sarif", "--github"])
def test_half_a_character_is_written_as_its_escape(tmp_path: Path, form: str) -> None:
    tools, output = tmp_path / "tools.json", tmp_path / "lint.out"
    tools.write_text(json.dumps([{"name": "find_\ud800"}]), encoding="utf-8")
    assert main(["lint", str(tools), form, "--output", str(output)]) == 1
    assert "\\ud800" in output.read_text("utf-8")
    baseline = str(tmp_path / "baseline.json")
    assert main(["lint", str(tools), "--write-baseline", baseline]) == 0
    assert main(["lint", str(tools), "--baseline", baseline]) == 0


def test_lines_go_into_a_file(
    tools: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "lint.txt"
    assert main(["lint", tools, "--output", str(output)]) == 1
    assert output.read_text("utf-8").startswith(f"{tools}:")
    assert capsys.readouterr().out == ""


def test_a_file_that_cannot_be_written_is_a_usage_error(
    tools: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lint", tools, "--output", str(tmp_path)]) == 2
    assert f"{tmp_path}: cannot be written: " in capsys.readouterr().err


def test_github_gets_annotations(tools: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", tools, "--github"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("::error file=") for line in lines)
    assert all(line.startswith("::") for line in lines)


def test_rules_are_shown_without_a_target(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "--rules", "--select", "AF20"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert ["AF201", "error", "app-names-unknown-function"] in [row[:3] for row in rows]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--select", "AF999"], "there is no rule 'AF999'"),
        (["--ignore", "description-misses"], "perhaps description-missing"),
        (["--baseline", "missing.json"], "missing.json: cannot be read"),
        (["--command", "x"], "FILE, --command and --url name different targets"),
    ],
)
def test_a_wrong_word_is_a_usage_error(
    tools: str, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    assert main(["lint", tools, *words]) == 2
    assert told in capsys.readouterr().err


def test_a_baseline_tells_only_what_is_new(
    tools: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    baseline = str(tmp_path / "baseline.json")
    assert main(["lint", tools, "--write-baseline", baseline]) == 0
    assert main(["lint", tools, "--baseline", baseline, "--strict"]) == 0
    assert "in the baseline)" in capsys.readouterr().err
    Path(tools).write_text(json.dumps(TOOLS[:1]), encoding="utf-8")
    assert main(["lint", tools, "--baseline", baseline, "--strict"]) == 0
    assert "gone; write it anew with --write-baseline" in capsys.readouterr().err


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Path]:
    """An app with a function that has a fault."""
    (tmp_path / "linted_notes.py").write_text(MODULE.format(comment=""), encoding="utf-8")
    yield write_metadata(
        tmp_path,
        'appfn:description="Manages notes." mcp:name="linted"',
        '<mcp:functions module="linted_notes" />',
    )
    sys.modules.pop("linted_notes", None)
    sys.path[:] = [each for each in sys.path if each != str(tmp_path)]


def test_an_app_of_ours_is_told_by_file_and_line(
    app: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lint", str(app), "--select", "AF1"]) == 0
    assert f"{app.parent}/linted_notes.py:6: AF1" in capsys.readouterr().out


@pytest.mark.parametrize("in_metadata", [False, True])
def test_what_the_author_ignores_is_counted_and_not_told(
    app: Path, capsys: pytest.CaptureFixture[str], in_metadata: bool
) -> None:
    assert main(["lint", str(app.parent), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["findings"]
    ids = sorted({each["rule"] for each in found})
    assert ids
    sys.modules.pop("linted_notes")
    comment = "" if in_metadata else f"  # lint: ignore[{', '.join(ids)}] as it is"
    Path(app.parent, "linted_notes.py").write_text(MODULE.format(comment=comment), "utf-8")
    if in_metadata:
        content = app.read_text("utf-8").replace(
            "<mcp:functions", f'<mcp:lint ignore="{" ".join(ids)}" /><mcp:functions'
        )
        app.write_text(content, encoding="utf-8")

    assert main(["lint", str(app), "--strict"]) == 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert f"no findings in 1 function ({len(found)} ignored)" in printed.err


def test_an_ignored_rule_that_finds_nothing_is_told(
    app: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = app.read_text("utf-8")
    app.write_text(text.replace("<mcp:functions", '<mcp:lint ignore="AF201" /><mcp:functions'))
    assert main(["lint", str(app)]) == 0
    assert "AF201 is ignored, but finds nothing here" in capsys.readouterr().err


def test_an_android_app_is_judged_as_folder_archive_and_single_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_files(tmp_path / "main", usual_app())
    archive = write_archive(tmp_path / "notes.aar", usual_app())
    for target in (folder, archive, folder / "AndroidManifest.xml"):
        assert main(["lint", str(target), "--select", "AF21"]) == 1
        assert "AndroidManifest.xml:" in capsys.readouterr().out
    for part in ("assets/notes_service.xml", "res/xml/app_metadata.xml"):
        assert main(["lint", str(folder / part), "--select", "AF21"]) == 0
    assert capsys.readouterr().out == ""


def test_a_server_is_judged_by_its_command(capsys: pytest.CaptureFixture[str]) -> None:
    command = f"{sys.executable} -m appfunctions_mcp run {SAMPLE}"
    assert main(["lint", "--command", command, "--select", "AF201", "--strict"]) == 1
    # It is off until the user turns it on, so the server does not list it.
    assert "warning: There is no function 'delete_note'" in capsys.readouterr().out


def test_a_server_gets_no_keys_of_models(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-canary")
    monkeypatch.setenv("NOTES_TOKEN", "needed")
    log = tmp_path / "environment.json"
    program = f"import os, json; json.dump(dict(os.environ), open({str(log)!r}, 'w'))"
    script = tmp_path / "server.py"
    script.write_text(program, encoding="utf-8")
    assert main(["lint", "--command", f"{sys.executable} {script}"]) == 2
    environment = json.loads(log.read_text("utf-8"))
    assert "OPENAI_API_KEY" not in environment
    assert environment["NOTES_TOKEN"] == "needed"
    assert "the server cannot be asked" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--command", ""], "--command has no command"),
        (["--command", "'"], "No closing quotation"),
        (["--url", "localhost:8000"], "is no URL"),
        (["--url", "http://127.0.0.1:9/mcp"], "the server cannot be asked"),
        (["missing.json"], "missing.json: cannot be read"),
        (["missing.xml"], "there is no such file or folder"),
    ],
)
def test_what_cannot_be_judged_says_why(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lint", *words]) == 2
    assert told in capsys.readouterr().err


def test_json_is_known_by_how_it_begins(
    tools: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "tools.txt"
    other.write_bytes(Path(tools).read_text("utf-8").encode("utf-16"))
    assert main(["lint", str(other), "--select", "AF100"]) == 1
    assert "AF100" in capsys.readouterr().out


@pytest.mark.skipif(os.name == "nt", reason="there are no such terminals")
def test_a_terminal_shows_functions_with_the_words_marked(tools: str) -> None:
    Path(tools).write_text(json.dumps(TOOLS[:1]), encoding="utf-8")
    shown = shown_on_a_terminal("lint", tools, "--select", "AF1")
    assert "\x1b[1mfind_notes\x1b[0m" in shown or "find_notes  " in shown
    assert "You must call" in shown
    assert "warning " in shown
    assert "in 1 function" in shown


def test_an_app_is_judged_without_what_only_servers_and_terminals_need() -> None:
    program = (
        "import sys; from appfunctions_mcp.cli import main; code = main(sys.argv[1:]); "
        "print(*({'mcp', 'starlette', 'rich', 'anyio'} & sys.modules.keys())); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "lint", SAMPLE], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""


def test_a_module_makes_an_android_apps_folder_one_of_ours(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_files(tmp_path / "main", usual_app())
    module = "tests.support.field_functions"
    assert main(["lint", str(folder), "--module", module, "--json", "--select", "AF100"]) == 0
    assert json.loads(capsys.readouterr().out)["functions"] > 1
