"""Field cases about the start: another folder, another PATH, an error before the first answer."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.stdio_server import PROJECT, stdio_server

HANDSHAKE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
HEAVY = "mcp mcp_types uvicorn starlette httpx jsonschema click rich structlog griffe pydantic"


def app_in(folder: Path, source: str) -> Path:
    """An app in a folder of its own: metadata, and one module beside it."""
    folder.mkdir(parents=True)
    (folder / "launch_case.py").write_text(source, encoding="utf-8")
    file = folder / "app_metadata.xml"
    file.write_text(
        '<AppFunctionAppMetadata xmlns:a="http://schemas.android.com/apk/androidx.appfunctions" '
        'xmlns:mcp="urn:appfunctions-mcp:metadata:1" a:description="Serves tests." '
        'mcp:name="launch"><mcp:functions module="launch_case"/></AppFunctionAppMetadata>',
        encoding="utf-8",
    )
    return file


GOOD = '''
from appfunctions_mcp import app_function

@app_function
def where() -> str:
    """Says where it is."""
    return __file__
'''


@pytest.mark.skipif(os.name != "posix", reason="env -i")
def test_the_printed_command_starts_from_the_root_without_an_environment(tmp_path: Path) -> None:
    """F103: spawn uv ENOENT; relative paths pointed at /."""
    app_in(tmp_path / "my app", GOOD)
    printed = subprocess.run(
        [
            *(sys.executable, "-m", "appfunctions_mcp", "install", "app_metadata.xml"),
            *("claude-desktop", "--print", "--env", f"PYTHONPATH={PROJECT}"),
        ],
        cwd=tmp_path / "my app",
        env={**os.environ, "HOME": str(tmp_path), "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        check=True,
    ).stdout
    (entry,) = json.loads(printed)["mcpServers"].values()
    assert Path(entry["command"]).is_absolute()
    assert str(tmp_path / "my app" / "app_metadata.xml") in entry["args"]
    lines = [HANDSHAKE, {"jsonrpc": "2.0", "id": 2, "method": "tools/call"}]
    lines[1]["params"] = {"name": "where", "arguments": {}}
    ran = subprocess.run(
        [entry["command"], *entry["args"]],
        cwd="/",
        env=entry["env"],
        input=b"".join(json.dumps(line).encode() + b"\n" for line in lines),
        capture_output=True,
        check=True,
        timeout=20,
    )
    answers = {m["id"]: m["result"] for m in map(json.loads, ran.stdout.splitlines())}
    assert answers[1]["serverInfo"]["name"] == "launch"
    assert answers[2]["content"][0]["text"] == str(tmp_path / "my app" / "launch_case.py")


def test_the_framework_itself_imports_nothing_heavy() -> None:
    """F104: what the first answer of `run` may import is the lean engine's matter."""
    code = (
        "import sys, appfunctions_mcp\n"
        "from appfunctions_mcp import app_function\n"
        f"print([name for name in {HEAVY.split()!r} if name in sys.modules])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT, capture_output=True, check=True, text=True
    )
    assert ran.stdout == "[]\n"


BROKEN = {
    "syntax error": ("def f(:\n", "launch_case.py:1"),
    "import error": ("\nimport not_installed_anywhere\n", "launch_case.py:2"),
    "crash": ("x = 1\n\n1 / 0\n", "launch_case.py:3"),
    "exit": ("import sys\nsys.exit('gone')\n", "launch_case.py:2"),
    "no function": ("x = 1\n", "app_metadata.xml:1"),
    "bad declaration": (
        "from appfunctions_mcp import app_function\n@app_function\ndef f(*a): ...\n",
        "launch_case.py:2",
    ),
}


@pytest.mark.parametrize(("source", "place"), BROKEN.values(), ids=BROKEN)
def test_an_app_that_cannot_start_says_why_in_one_line(
    source: str, place: str, tmp_path: Path
) -> None:
    """F105: Server transport closed unexpectedly."""
    file = app_in(tmp_path / "app", source)
    with stdio_server("-m", "appfunctions_mcp", "run", str(file)) as server:
        assert server.wait() == 2
        assert server.rest() == []
        unindented = [line for line in server.stderr.splitlines() if not line.startswith(" ")]
    assert place in unindented[-1]
    assert "Traceback" not in server.stderr


def test_a_wrong_option_is_one_line_and_status_2(tmp_path: Path) -> None:
    """F105."""
    file = app_in(tmp_path / "app", GOOD)
    with stdio_server("-m", "appfunctions_mcp", "run", str(file), "--no-such-option") as server:
        assert server.wait() == 2
        assert server.rest() == []
        assert "--no-such-option" in server.stderr.splitlines()[-1]


@pytest.mark.usefixtures("engine")
def test_ordinary_lines_of_the_log_are_no_errors(tmp_path: Path) -> None:
    """F105: clients mark stderr as errors; a good start is silent."""
    file = app_in(tmp_path / "app", GOOD)
    with stdio_server("-m", "appfunctions_mcp", "run", str(file)) as server:
        server.initialize()
        assert server.call("where")["result"]["isError"] is False
        server.close_input()
        assert server.wait() == 0
        assert server.stderr == ""
