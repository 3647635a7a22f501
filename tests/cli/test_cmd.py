"""`appfunctions-mcp cmd`, and scripts that were written for a device."""

import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from appfunctions_mcp.cli import main
from tests.support.documents import ROOT, blocks_of
from tests.support.metadata_files import write_metadata
from tests.support.stdio_server import PROJECT

SAMPLE = str(PROJECT / "metadata" / "app_metadata.xml")

ADB = """#!/bin/sh
# The words of `adb shell` become one command line of the device's shell.
[ "$1" = shell ] && shift
exec sh -c "$*"
"""
CMD = f"""#!/bin/sh
exec '{sys.executable}' -m appfunctions_mcp cmd '{SAMPLE}' "$@"
"""
# As they are typed against a device: the whole command quoted, or the quotes lost on the way.
SCRIPT = r"""
set -u
say() { echo "== $1"; }
P=notes
say list
adb shell cmd app_function list-app-functions --package $P
say create
adb shell "cmd app_function execute-app-function --package $P \
  --function 'sample_app.notes#create_note' \
  --parameters '{\"title\":\"Milk & \\\"eggs\\\"\",\"content\":\"2 litres, \$5\"}'"
say stripped
adb shell cmd app_function execute-app-function --package $P \
  --function sample_app.notes#create_note --parameters '{"title":"Bread"}'
say find
adb shell "cmd app_function execute-app-function --brief-yaml --timeout-duration 20 --user 0 \
  --parameters '{\"query\":\"milk\"}' --function 'sample_app.notes#find_notes' --package $P"
say missing
adb shell "cmd app_function execute-app-function --package $P \
  --function 'sample_app.notes#get_note' --parameters '{\"note_id\":\"none\"}'"
echo "exit $?"
say lost
adb shell cmd app_function execute-app-function --package $P \
  --function sample_app.notes#create_note --parameters '{"title": "Two words"}'
echo "exit $?"
say states
F='sample_app.notes#delete_note'
adb shell "cmd app_function is-enabled --package $P --function '$F'"
adb shell "cmd app_function set-enabled --package $P --function '$F' --state enable"
adb shell "cmd app_function is-enabled --package $P --function '$F'"
adb shell "cmd app_function set-enabled --package $P --function '$F' --state default"
say description
adb shell cmd app_function read-app-description --package $P
say service
adb shell cmd appfunction list-app-functions
echo "exit $?"
"""


def ask(
    capsys: pytest.CaptureFixture[str], *words: str, options: tuple[str, ...] = ()
) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of `appfunctions-mcp cmd OPTIONS SAMPLE WORDS`."""
    code = main(["cmd", *options, SAMPLE, *words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the script prints, by the word before it."""
    folder = tmp_path_factory.mktemp("device")
    for name, text in (("adb", ADB), ("cmd", CMD)):
        (folder / name).write_text(text, encoding="utf-8")
        (folder / name).chmod(0o755)
    environment = {
        **{name: value for name, value in os.environ.items() if "APPFUNCTIONS" not in name},
        **{f"XDG_{kind}_HOME": str(folder / kind) for kind in ("STATE", "CACHE", "DATA")},
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(PROJECT),
    }
    done = subprocess.run(
        ["/bin/bash", "-c", SCRIPT],
        env=environment,
        cwd="/",
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    parts = (part.partition("\n") for part in done.stdout.split("== ")[1:])
    return {name: text for name, _, text in parts} | {"stderr": done.stderr}


def test_a_script_lists_functions(answers: dict[str, str]) -> None:
    entries: list[dict[str, Any]] = json.loads(answers["list"])["notes"]

    static = [each.get("AppFunctionStaticMetadata-notes") for each in entries]
    ids = [each["functionId"] for each in static if each]
    assert ["sample_app.notes#create_note"] in ids
    assert ["sample_app.labels#add"] in ids


def test_a_script_executes_functions(answers: dict[str, str]) -> None:
    (note,) = json.loads(answers["create"])["androidAppfunctionsReturnValue"]
    assert note["title"] == ['Milk & "eggs"']
    assert note["content"] == ["2 litres, $5"]
    assert note["created_at"][0].keys() == {"epochSecond", "nanoAdjustment"}

    (bread,) = json.loads(answers["stripped"])["androidAppfunctionsReturnValue"]
    assert bread["title"] == ["Bread"]
    assert "content" not in bread


def test_a_script_gets_brief_answers(answers: dict[str, str]) -> None:
    assert answers["find"].startswith("androidAppfunctionsReturnValue:\n  notes:\n    ")
    assert 'title: Milk & "eggs"' in answers["find"]


def test_a_script_gets_errors_with_codes(answers: dict[str, str]) -> None:
    assert answers["missing"].startswith(
        "Error executing app function: android.app.appfunctions.AppFunctionException: "
    )
    assert answers["missing"].endswith("(code 1500). See logcat for more details. \nexit 255\n")
    assert answers["lost"] == (
        "Exception: org.json.JSONException: End of input at character 7 of {title:\nexit 255\n"
    )


def test_a_script_switches_functions(answers: dict[str, str]) -> None:
    updated = "App function enabled state updated successfully.\n"

    assert answers["states"] == f"false\n{updated}true\n{updated}"


def test_a_script_reads_the_description(answers: dict[str, str]) -> None:
    assert answers["description"].startswith("Manages personal notes and their labels: ")


def test_a_script_learns_that_a_service_is_not_there(answers: dict[str, str]) -> None:
    assert answers["service"] == "exit 20\n"
    assert answers["stderr"] == "cmd: Can't find service: appfunction\n"


@pytest.mark.skipif(os.name == "nt", reason="scripts for a device are those of a POSIX shell")
@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_the_two_shell_functions_of_the_page_carry_a_script(tmp_path: Path, shell: str) -> None:
    (shown,) = (b for b in blocks_of(ROOT / "docs" / "android.md") if b.language == "bash")
    functions = shown.text.replace(
        "appfunctions-mcp cmd tasks", f"'{sys.executable}' -m appfunctions_mcp cmd '{SAMPLE}'"
    )
    script = r"""
adb shell "cmd app_function execute-app-function --package notes --brief-yaml \
  --function 'sample_app.notes#create_note' --parameters '{\"title\":\"Two  words, \$5\"}'" \
  | grep title
adb -s emulator-5554 shell cmd app_function is-enabled --package notes \
  --function sample_app.notes#delete_note
adb shell cmd app_function list || echo "failed: $?"
"""
    done = subprocess.run(
        [shell, "-c", functions + script],
        cwd=tmp_path,
        env={
            **{name: value for name, value in os.environ.items() if "APPFUNCTIONS" not in name},
            **{f"XDG_{kind}_HOME": str(tmp_path / kind) for kind in ("STATE", "CACHE", "DATA")},
            "PYTHONPATH": str(PROJECT),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.stdout.splitlines() == [
        "  title: Two  words, $5",
        "false",
        "Unknown command: list",
        "failed: 255",
    ], done.stderr


def test_the_state_is_that_of_every_other_command(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    options = ("--state-file", str(tmp_path / "state.json"))
    words = ("--package", "notes", "--function", "sample_app.labels#add", "--state", "disable")

    code, out, _ = ask(capsys, "app_function", "set-enabled", *words, options=options)

    assert (code, out) == (0, "App function enabled state updated successfully.\n")
    assert main(["list", SAMPLE, "--all", *options]) == 0
    assert "labels_add\toff" in capsys.readouterr().out


def test_the_metadata_file_may_be_found_by_itself(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(PROJECT)

    assert main(["cmd", "app_function", "list-app-functions"]) == 0
    assert list(json.loads(capsys.readouterr().out)) == ["notes"]


def test_an_older_device_can_be_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("app_function", "list-app-functions", "--package", "notes")

    assert ask(capsys, *words, options=("--api-level", "36")) == (
        255,
        "Unknown option: --package\n",
        "",
    )
    assert ask(capsys, *words, options=("--api-level", "35")) == (
        20,
        "",
        "cmd: Can't find service: app_function\n",
    )


def test_a_service_that_is_not_there_needs_no_metadata(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)

    assert main(["cmd", "package", "list"]) == 20
    assert main(["cmd"]) == 20
    assert capsys.readouterr().err.startswith("cmd: Can't find service: package\ncmd: No service")


def test_options_of_this_program_stand_before_the_file(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = ask(capsys, "--locale", "ru", "app_function", "help")

    assert (code, out) == (2, "")
    assert err == "'--locale' stands behind FILE; options of this program come before it\n"


def test_what_functions_print_stays_out_of_the_answer(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "loud.py").write_text(
        "from appfunctions_mcp import app_function\n\n\n"
        "@app_function\ndef shout() -> str:\n"
        '    """Shouts."""\n    print("LOUD")\n    return "\\N{GRINNING FACE}\\u2028"\n',
        encoding="utf-8",
    )
    file = write_metadata(
        tmp_path, 'appfn:description="Shouts."', '<mcp:functions module="loud"/>\n'
    )
    monkeypatch.setattr(sys, "modules", dict(sys.modules))

    code = main(
        [
            *("cmd", str(file), "app_function", "execute-app-function", "--package", "loud"),
            *("--function", "loud#shout", "--parameters", "{}"),
        ]
    )

    captured = capsys.readouterr()
    assert code == 0
    assert json.loads(captured.out) == {
        "androidAppfunctionsReturnValue": ["\N{GRINNING FACE}\u2028"]
    }
    assert "LOUD" in captured.err


def test_a_missing_setting_does_not_keep_functions_from_being_listed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = write_metadata(
        tmp_path,
        f'appfn:description="Notes." mcp:pythonPath="{PROJECT}"',
        '<mcp:functions module="sample_app.labels" optionalDefaults="declared"/>\n'
        '<mcp:setting name="NEEDED_HERE" required="true"/>\n',
    )

    assert main(["cmd", str(file), "app_function", "list-app-functions"]) == 0
    listed = capsys.readouterr()
    words = ("--package", "labels", "--function", "x", "--parameters", "{}")
    assert main(["cmd", str(file), "app_function", "execute-app-function", *words]) == 2
    assert "AppFunctionStaticMetadata-labels" in listed.out
    assert "NEEDED_HERE" in capsys.readouterr().err


def test_the_answer_goes_to_whatever_stands_for_stdout() -> None:
    stream = io.StringIO()

    with contextlib.redirect_stdout(stream):
        main(["cmd", SAMPLE, "app_function", "read-app-description", "--package", "notes"])

    assert stream.getvalue().startswith("Manages personal notes")
