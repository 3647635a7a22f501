"""The page about installing: its entries are what is written, and its commands run."""

import json
import os
import re
import shlex
import sys
from pathlib import Path

import pytest

from appfunctions_mcp.install.addresses import Address, read_headers
from appfunctions_mcp.install.clients import CLIENT_NAMES, find_client
from appfunctions_mcp.install.entry import Launch
from appfunctions_mcp.install.machine import Machine
from tests.support.client_user import User
from tests.support.documents import ROOT, blocks_of

PAGE = ROOT / "docs" / "install.md"
PYTHON = "/home/ann/.local/pipx/venvs/appfunctions-mcp/bin/python"
ARGS = ("-P", "-m", "appfunctions_mcp", "run", "/home/ann/notes/metadata/app_metadata.xml")
SHOWN = {
    "claude-desktop": Launch(PYTHON, ARGS),
    "vscode": Launch(PYTHON, ARGS, {"TOKEN": "${input:notes-TOKEN}"}),
    "codex": Launch(PYTHON, ARGS),
}
"""The clients whose entries the page shows, in its order."""


def test_the_entries_that_are_shown_are_those_that_are_written() -> None:
    blocks = [block for block in blocks_of(PAGE) if block.language in {"json", "toml"}]
    for block, (name, launch) in zip(blocks, SHOWN.items(), strict=True):
        client = find_client(name)
        snippet = client.document.snippet("notes", client.stdio_entry(launch))
        if block.language == "toml":
            assert block.text.rstrip() == snippet
        else:
            assert json.loads(block.text) == json.loads(snippet)


def test_what_is_shown_of_a_token_is_what_is_written() -> None:
    rows = re.findall(r"^\| (`.*?`) \| `(.*?)`.*\|$", PAGE.read_text(), re.MULTILINE)
    shown = {
        name: text
        for names, text in rows
        if "NOTES_TOKEN" in text
        for name in re.findall(r"`([a-z-]+)`", names)
    }
    assert set(shown) == set(CLIENT_NAMES) - {"claude-desktop"}
    address = Address("https://notes.example.com/mcp", "notes", read_headers([], "NOTES_TOKEN"))
    for name, text in shown.items():
        client = find_client(name)
        snippet = client.document.snippet("notes", client.url_entry(address))
        assert re.sub(r"\s+", "", text) in re.sub(r"\s+", "", snippet)


def test_the_numbers_of_tools_that_clients_take_are_true() -> None:
    text = PAGE.read_text()
    most = {name: find_client(name).max_tools for name in CLIENT_NAMES}
    assert f"Cursor takes at most {most['cursor']} tools" in text
    assert f"(Visual Studio Code and Copilot CLI {most['vscode']})" in text
    assert most["vscode"] == most["copilot-cli"]
    assert f"takes at most {most['windsurf']} tools" in text


@pytest.mark.skipif(os.name != "posix", reason="HOME says where the user's files are")
def test_the_commands_run_in_their_order(user: User) -> None:
    """With a package that stands for the server; addresses are not connected to."""
    folder = user.project / "metadata"
    folder.mkdir()
    (user.project / "app_metadata.xml").rename(folder / "app_metadata.xml")
    file = folder / "app_metadata.xml"
    file.write_text(file.read_text().replace("mcp:name", 'mcp:version="1.0.0" mcp:name'))
    (user.project / "notes.py").write_text("")
    file.write_text(file.read_text().replace("mcp:version", 'mcp:pythonPath=".." mcp:version'))
    said = []
    for block in blocks_of(PAGE):
        for line in block.text.splitlines() if block.language == "sh" else ():
            program, *words = shlex.split(line, comments=True)
            assert program == "appfunctions-mcp"
            run = user.install if words[0] == "install" and "--url" not in words else user.run
            code, out, err = run(*(words[1:] if run == user.install else words), *_dry(words))
            assert code == 0, (line, err)
            said.append(out)
    assert (user.project / "dist" / "notes-1.0.0.mcpb").is_file()
    assert sum("wrote 'notes'" in out for out in said) == 3
    assert "ok  Claude Code, notes: starts in" in said[-1], "only the project's entry is left"


def _dry(words: list[str]) -> list[str]:
    return ["--dry-run", "--force"] if "--url" in words else []


def test_the_paths_of_the_page_are_those_of_this_machine(tmp_path: Path) -> None:
    """The files of Linux, as the table of clients has them."""
    here = Machine("linux", {}, tmp_path, tmp_path / "p")
    text = PAGE.read_text()
    for name in set(CLIENT_NAMES) - {"claude-desktop", "vscode"}:
        path = find_client(name).config_places(here, "user")[0].path
        assert f"`~/{path.relative_to(tmp_path)}`" in text
    assert sys.executable not in text
