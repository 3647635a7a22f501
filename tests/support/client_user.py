"""A user's folders, and a package that stands for the server, for the commands of `install/`."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from appfunctions_mcp.cli import main
from appfunctions_mcp.install.running import RunningApp

METADATA = """<?xml version="1.0" encoding="utf-8"?>
<AppFunctionAppMetadata
    xmlns:appfn="http://schemas.android.com/apk/androidx.appfunctions"
    xmlns:mcp="urn:appfunctions-mcp:metadata:1"
    appfn:description="Manages notes."
    mcp:name="notes">
    <mcp:functions module="notes" />
    SETTINGS
</AppFunctionAppMetadata>
"""
TOKEN = '<mcp:setting name="TOKEN" title="Access token" required="true" sensitive="true" />'
SERVER = """
import json, os, sys
if sys.argv[1] == "list":
    names = {"function_id": "notes#create_note"}
    print(json.dumps({"app": {"name": "notes"}, "functions": [names]}, indent=2))
    sys.exit()
assert sys.argv[1] == "run" and os.getcwd() == "/"
if os.environ.get("NOISY"):
    print("loading")
if os.environ.get("BROKEN"):
    sys.exit(sys.argv[2] + ":3: no module notes")
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        result = {"tools": [{"name": "create_note"}]}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


@dataclass
class User:
    """A user's folders, and the words of a command in them."""

    home: Path
    project: Path
    capsys: pytest.CaptureFixture[str]
    processes: list[RunningApp] = field(default_factory=list)
    """What is running on the user's machine."""

    def run(self, *words: str) -> tuple[int, str, str]:
        """Runs a command; returns its exit code and what it printed."""
        code = main(words)
        printed = self.capsys.readouterr()
        return code, printed.out, printed.err

    def install(self, *words: str) -> tuple[int, str, str]:
        """Installs with the package that stands for the server."""
        return self.run("install", *words, "--env", f"PYTHONPATH={self.home / 'packages'}")

    def give_settings(self, settings: str) -> None:
        """Declares settings in the project's metadata."""
        text = METADATA.replace("SETTINGS", settings)
        (self.project / "app_metadata.xml").write_text(text)

    @property
    def desktop(self) -> Path:
        """The file of Claude Desktop."""
        return self.home / ".config" / "Claude" / "claude_desktop_config.json"

    @property
    def code(self) -> Path:
        """The file of Claude Code."""
        return self.home / ".claude.json"
