"""The entry that install prints, started as a client starts it."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from appfunctions_mcp.cli import main

ROOT = Path(__file__).parents[2]
METADATA = """<?xml version="1.0" encoding="utf-8"?>
<AppFunctionAppMetadata
    xmlns:appfn="http://schemas.android.com/apk/androidx.appfunctions"
    xmlns:mcp="urn:appfunctions-mcp:metadata:1"
    appfn:description="Greets people."
    mcp:name="greetings">
    <mcp:functions module="greeting_functions" />
</AppFunctionAppMetadata>
"""
FUNCTIONS = '''
import os
from appfunctions_mcp.functions import app_function

print("printed while it is imported")

@app_function
def greet(name: str) -> str:
    """Greets a person.

    Args:
        name: The person's name.
    """
    return f"Hello {name} from {os.getcwd()}"
'''
MESSAGES = (
    {
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    },
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/call", "params": {"name": "greet", "arguments": {"name": "Ann"}}},
)


@pytest.mark.skipif(os.name != "posix", reason="the root folder is / on POSIX")
def test_the_printed_command_serves_from_the_root_without_an_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """F103: cd / && env -i <printed command>; PYTHONPATH alone is for the clone under test."""
    (tmp_path / "app_metadata.xml").write_text(METADATA)
    (tmp_path / "greeting_functions.py").write_text(FUNCTIONS)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    words = ["install", "claude-desktop", "--print", "--env", f"PYTHONPATH={ROOT}"]
    assert main(words) == 0
    entry = json.loads(capsys.readouterr().out)["mcpServers"]["greetings"]
    lines = [json.dumps({"jsonrpc": "2.0", **message}) for message in MESSAGES]
    served = subprocess.run(
        [entry["command"], *entry["args"]],
        input="".join(f"{line}\n" for line in lines).encode(),
        capture_output=True,
        env=entry["env"],
        cwd="/",
        timeout=60,
        check=False,
    )
    answers = {answer["id"]: answer for answer in map(json.loads, served.stdout.splitlines())}
    assert answers[1]["result"]["serverInfo"]["name"] == "greetings"
    assert answers[2]["result"]["content"][0]["text"] == "Hello Ann from /"
    assert served.returncode == 0, served.stderr


@pytest.mark.skipif(os.name != "posix", reason="HOME says where the user's files are")
def test_a_server_is_installed_checked_and_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The whole path of a user, with the server itself."""
    (tmp_path / "app_metadata.xml").write_text(METADATA)
    (tmp_path / "greeting_functions.py").write_text(FUNCTIONS)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "home").mkdir()
    config = tmp_path / "home" / ".claude.json"
    config.write_text('{"mcpServers": {"b": {"command": "x"}}}')
    assert main(["install", "claude-code", "--env", f"PYTHONPATH={ROOT}"]) == 0
    assert main(["doctor", "claude-code", "--json"]) == 0
    printed = capsys.readouterr().out
    report = json.loads(printed[printed.index('{\n  "ok"') :])
    assert report["checked"][0]["tools"] == ["greet"]
    assert main(["uninstall", "claude-code"]) == 0
    assert config.read_text() == '{"mcpServers": {"b": {"command": "x"}}}'
