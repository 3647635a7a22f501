"""`appfunctions-mcp bridge`: a whole server over a device whose shell is our own `cmd`."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from appfunctions_mcp.android.bridge.adb import MAX_WORD_BYTES
from appfunctions_mcp.cli import main
from tests.support.adb_server import adb_server
from tests.support.android_device import SERIAL, AndroidDevice
from tests.support.http_server import http_server
from tests.support.phone_functions import METADATA
from tests.support.stdio_server import PROJECT, StdioServer, stdio_server
from tests.support.terminal import shown_on_a_terminal

PACKAGE = "com.example.phone"
HOSTILE = 'it\'s "so"\n\t$(touch pwned) `touch pwned` $HOME ${x} \\ ; & | 😀 \u2028\u2029 é %s'


@pytest.fixture
def device(tmp_path: Path) -> AndroidDevice:
    """A phone whose functions are those of `phone_functions`."""
    made = AndroidDevice(tmp_path / "device")
    metadata = made.folder / "app_metadata.xml"
    metadata.write_text(METADATA.format(project=PROJECT), encoding="utf-8")
    made.change(metadata=str(metadata), installed={PACKAGE: "/data/app/phone/base.apk"})
    return made


def words(device: AndroidDevice, *more: str) -> list[str]:
    given = ["bridge", "--adb", str(device.adb), *more]
    return given if "--package" in more else [*given, "--package", PACKAGE]


def served(device: AndroidDevice, *more: str) -> Any:
    return stdio_server("-P", "-m", "appfunctions_mcp", *words(device, *more), cwd=device.folder)


def result_of(server: StdioServer, name: str, **arguments: Any) -> Any:
    """The value that a call gives; of an error, its text."""
    answer = server.call(name, arguments)
    assert "result" in answer, answer
    result = answer["result"]
    if "structuredContent" in result:
        structured = result["structuredContent"]
        return structured["result"] if set(structured) == {"result"} else structured
    return result["content"][0]["text"]


CASES: list[tuple[str, dict[str, Any], Any]] = [
    ("echo_text", {"value": HOSTILE}, HOSTILE),
    ("echo_text", {"value": ""}, ""),
    ("echo_optional_text", {"value": "null"}, "null"),
    ("echo_optional_text", {}, None),
    ("echo_int", {"value": -(2**31)}, -(2**31)),
    ("echo_long", {"value": 2**63 - 1}, str(2**63 - 1)),
    ("echo_long", {"value": 7}, 7),
    ("echo_float", {"value": 0.5}, 0.5),
    ("echo_double", {"value": 2}, 2.0),
    ("echo_double", {"value": 1.7976931348623157e308}, 1.7976931348623157e308),
    ("echo_boolean", {"value": False}, False),
    ("echo_bytes", {"value": "/+8="}, "/+8="),
    ("echo_texts", {"value": [HOSTILE, "", "'"]}, [HOSTILE, "", "'"]),
    ("echo_numbers", {"longs": [1, 2**40], "doubles": [1, 2.5]}, [1.0, 2.0**40, 1.0, 2.5]),
    ("echo_flags", {"value": [True, False]}, [True, False]),
    ("echo_date", {"value": "2026-02-28"}, "2026-02-28"),
    ("echo_date", {"value": {"year": 2026, "month": 2, "dayOfMonth": 28}}, "2026-02-28"),
    ("echo_time", {"value": "18:03:09.123456"}, "18:03:09.123456"),
    ("echo_date_time", {"value": "2026-05-27T18:00:00"}, "2026-05-27T18:00:00"),
    (
        "echo_instant",
        {"value": "2026-05-27T18:00:00+03:00", "zone": "Europe/Berlin"},
        "2026-05-27T15:00:00Z",
    ),
    ("echo_uri", {"value": "content://notes/7?q='$(x)'"}, "content://notes/7?q='$(x)'"),
    ("echo_priority", {"value": "HIGH"}, "HIGH"),
    (
        "echo_node",
        {
            "value": {
                "text": HOSTILE,
                "weight": 1.5,
                "due": "2026-02-28",
                "children": [{"text": "$(x)"}],
            }
        },
        {
            "text": HOSTILE,
            "weight": 1.5,
            "due": "2026-02-28",
            "children": [{"text": "$(x)", "weight": 0.0, "children": []}],
        },
    ),
    (
        "echo_shape",
        {"value": {"schemaType": "com.example.phone.Square", "side": 3}},
        {"schemaType": "com.example.phone.Square", "side": 3},
    ),
    ("change_title", {"title": {"value": "`x`"}}, "'`x`'"),
    ("change_title", {"title": {"value": None}}, "None"),
    ("change_title", {}, "nothing"),
    ("do_nothing", {}, None),
]


def test_functions_of_every_type_get_and_give_what_was_said(device: AndroidDevice) -> None:
    with served(device) as server:
        handshake = server.initialize()
        assert "Find a note before changing it." in handshake["instructions"]
        tools = {tool["name"]: tool for tool in server.request("tools/list")["result"]["tools"]}
        assert {name for name, _, _ in CASES} <= tools.keys()
        assert len(tools) == 23
        assert "wipe" not in tools
        hints = tools["echo_text"]["annotations"]
        assert (hints["destructiveHint"], hints["openWorldHint"]) == (True, True)
        assert "readOnlyHint" not in hints
        for name, arguments, expected in CASES:
            assert result_of(server, name, **arguments) == expected, name
        assert "app on the device" in result_of(server, "pay")
        told = result_of(server, "find_note", note_id="c9")
        assert told.startswith("AppFunctionElementNotFoundException: No note c9")
        assert "Search for it." in told
        assert not (device.folder / "pwned").exists()


@pytest.mark.parametrize("filler", ["'", "$(touch pwned)", "😀"])
def test_texts_up_to_the_argument_limit_arrive_unchanged(
    device: AndroidDevice, filler: str
) -> None:
    """The device's `sh` and kernel are real, and so is their limit."""
    size = len(filler.encode()) if len(json.dumps(filler)) - 2 != 2 else 2
    text = filler * ((MAX_WORD_BYTES - len('{"value":""}')) // size)
    with served(device, "--only", "echo_text") as server:
        server.initialize()
        assert result_of(server, "echo_text", value=text) == text
        told = result_of(server, "echo_text", value=text + filler)
        assert f"Android's shell takes {MAX_WORD_BYTES}, so nothing was sent" in told
        assert len(device.calls) == 1
        assert not (device.folder / "pwned").exists()


def test_a_phone_is_served_over_http_too(device: AndroidDevice) -> None:
    arguments = ["-P", "-m", "appfunctions_mcp", *words(device, "--http", "0")]
    with http_server(*arguments, env={"APPFUNCTIONS_LOG_LEVEL": "info"}) as server:
        body = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "echo_text", "arguments": {"value": HOSTILE}},
        }
        answer = server.ask(body=body, headers={"MCP-Protocol-Version": "2025-06-18"})
        assert answer.message["result"]["content"][0]["text"] == HOSTILE


def test_a_phone_that_is_unplugged_fails_its_calls_and_is_found_again(
    device: AndroidDevice,
) -> None:
    with served(device) as server:
        server.initialize()
        device.change(devices=[])
        told = result_of(server, "echo_text", value="x")
        assert told.startswith("AppFunctionSystemUnknownException: the device emulator-5554 is not")
        assert "Recovery: Ask the user to do that, then call again." in told
        device.change(devices=[[SERIAL, "device", "Pixel"]])
        assert result_of(server, "echo_text", value="x") == "x"


def test_the_real_adb_client_carries_it_all(
    device: AndroidDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = shutil.which("adb")
    if real is None:
        pytest.skip("no adb here; apt-get install adb")
    with adb_server(device.folder) as (_, port):
        monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(port))
        arguments = ["bridge", "--adb", real, "--package", PACKAGE, "--serial", SERIAL]
        with stdio_server("-P", "-m", "appfunctions_mcp", *arguments) as server:
            server.initialize()
            assert result_of(server, "echo_text", value=HOSTILE) == HOSTILE
            assert result_of(server, "echo_text", value="'" * 100_000) == "'" * 100_000


def test_functions_are_shown_and_what_is_withheld(
    device: AndroidDevice, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words(device, "--list", "--only", "*i*e")) == 0
    shown = capsys.readouterr()
    assert "wipe\toff\tIs switched off.\n" in shown.out
    assert "echo_time\ton\tReturns a time.\n" in shown.out
    assert main(words(device, "--list", "--json", "--only", "wipe")) == 0
    listed = json.loads(capsys.readouterr().out)
    assert listed["app"]["name"] == "phone"
    assert [(each["tool_name"], each["enabled"]) for each in listed["functions"]] == [
        ("wipe", False)
    ]
    static = f"AppFunctionStaticMetadata-{PACKAGE}"
    hidden = {static: {"functionId": ["a#b"], "description": ["x\u202e"]}}
    device.change(metadata="")
    device.list_functions({PACKAGE: [hidden]})
    assert main(words(device, "--list")) == 0
    shown = capsys.readouterr()
    assert shown.out == "b\ton\tB\n"
    assert "is withheld: it holds hidden characters (U+202E)" in shown.err


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudo-terminals")
def test_a_terminal_gets_a_table_of_the_functions(device: AndroidDevice) -> None:
    text = shown_on_a_terminal(*words(device, "--list", "--only", "*i*e"))
    assert "com.example.phone" in text
    assert "wipe (off)" in text
    assert "parameters, [optional]" in text


def failed(capsys: pytest.CaptureFixture[str], code: int, device: AndroidDevice, *more: str) -> str:
    assert main(words(device, *more)) == code
    return capsys.readouterr().err


def test_whatever_is_missing_is_told_with_what_helps(
    device: AndroidDevice, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    device.change(devices=[])
    assert "no device is connected; plug one in" in failed(capsys, 1, device)
    device.change(devices=[[SERIAL, "unauthorized", ""]])
    assert "accept 'Allow USB debugging'" in failed(capsys, 1, device)
    device.change(devices=[["A", "device", "One"], ["B", "device", "Two"]])
    told = failed(capsys, 1, device)
    assert "A (One), B (Two); choose with --serial SERIAL" in told
    assert "the device C is not connected" in failed(capsys, 1, device, "--serial", "C")
    device.change(devices=[[SERIAL, "device", "One"]], api_level=35)
    assert "API level 35; app functions need 36" in failed(capsys, 1, device)
    device.change(api_level=37, has_service=False)
    assert "has no service app_function" in failed(capsys, 1, device)
    device.change(has_service=True)
    told = failed(capsys, 1, device, "--package", "com.example.phon")
    assert "com.example.phon is not installed" in told
    assert PACKAGE in told
    device.change(metadata="")
    told = failed(capsys, 1, device)
    assert [line.strip()[:2] for line in told.splitlines()[1:]] == ["1.", "2.", "3.", "4.", "5."]
    monkeypatch.setattr(os, "environ", {**os.environ, "PATH": "", "HOME": "/nonexistent"})
    assert main(["bridge", "--package", PACKAGE]) == 1
    assert "adb was not found on PATH; install" in capsys.readouterr().err


def test_an_app_without_functions_beside_one_with_some_is_a_warning(
    device: AndroidDevice, capsys: pytest.CaptureFixture[str]
) -> None:
    more = ["--package", f"{PACKAGE}:own", "--package", "com.example.none", "--list"]
    assert main(words(device, *more, "--only", "own_echo_text")) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("own_echo_text\ton\t")
    assert "warning: com.example.none is not installed" in shown.err


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--package", "no package"], "'no package' is no package; give PACKAGE or PACKAGE:PREFIX"),
        (["--package", "-x"], "is no package"),
        (["--serial", "a;b"], "is no serial"),
        (["--timeout", "soon"], "--timeout: 'soon'; give seconds from 1"),
        (["--timeout", "0"], "give seconds from 1 to 86400"),
        (["--http", "x"], "--http: 'x' is not accepted"),
        (["--audit-arguments"], "--audit-arguments has no effect alone"),
        (["--json"], "--json has no effect without --list"),
    ],
)
def test_words_that_are_not_accepted_are_told(
    device: AndroidDevice, capsys: pytest.CaptureFixture[str], more: list[str], message: str
) -> None:
    assert message in failed(
        capsys, 2, device, *(more[:1] if len(more) == 1 else ()), *_joined(more)
    )


def _joined(more: list[str]) -> list[str]:
    return [f"{more[0]}={more[1]}"] if len(more) == 2 else []


def test_only_what_matches_is_served_and_a_misspelled_glob_is_told(
    device: AndroidDevice, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words(device, "--list", "--only", "ehco*")) == 0
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("warning: --only 'ehco*' matches no function; the first ones are ")


def test_an_app_of_which_nothing_can_be_served_is_told_with_the_reasons(
    device: AndroidDevice, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = {"name": ["x"], "dataTypeMetadata": [{"type": [9]}]}
    static = {"functionId": ["a#b"], "parameters": [odd]}
    device.change(metadata="")
    device.list_functions({PACKAGE: [{f"AppFunctionStaticMetadata-{PACKAGE}": static}]})
    first, second = failed(capsys, 1, device, "--list").splitlines()
    assert first == "none of the functions can be served"
    assert "parameter 'x': the type number is 9" in second


def test_a_description_cannot_write_over_its_line_of_the_list(
    device: AndroidDevice, capsys: pytest.CaptureFixture[str]
) -> None:
    static = {"functionId": ["a#b"], "description": ["Deletes all.\rReads one."]}
    device.change(metadata="")
    device.list_functions({PACKAGE: [{f"AppFunctionStaticMetadata-{PACKAGE}": static}]})
    assert main(words(device, "--list")) == 0
    assert "\r" not in capsys.readouterr().out


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_an_end_while_adb_is_waited_for_leaves_none_behind(
    device: AndroidDevice, sent: signal.Signals, code: int
) -> None:
    started = device.folder / "started"
    os.mkfifo(started)
    device.adb.write_text(f"#!/bin/sh\necho $$ > {started}\nexec sleep 60\n")
    command = [sys.executable, "-P", "-m", "appfunctions_mcp", *words(device)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, cwd=PROJECT) as process:
        adb = int(started.read_text())
        process.send_signal(sent)
        assert process.communicate(timeout=20)[1] == b""
    assert process.returncode == code
    with pytest.raises(ProcessLookupError):
        os.kill(adb, 0)


def test_an_app_has_to_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bridge"]) == 2
    assert "name the app with --package" in capsys.readouterr().err
