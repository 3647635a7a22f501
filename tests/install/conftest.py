"""A user of the commands install, uninstall and doctor."""

import sys
from pathlib import Path

import pytest

from appfunctions_mcp.install import running
from tests.support.client_user import METADATA, SERVER, User


@pytest.fixture
def user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> User:
    """A user on Linux who stands in a project with a metadata file."""
    home, project = tmp_path / "home", tmp_path / "project"
    package = home / "packages" / "appfunctions_mcp"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "__main__.py").write_text(SERVER)
    project.mkdir()
    (project / "app_metadata.xml").write_text(METADATA.replace("SETTINGS", ""))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", str(home / "bin"))
    for name in (
        "XDG_CONFIG_HOME",
        "XDG_STATE_HOME",
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "GEMINI_CLI_HOME",
        "COPILOT_HOME",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.chdir(project)
    user = User(home, project, capsys)
    monkeypatch.setattr(running, "_processes", lambda: user.processes)
    return user
