"""The entry that starts our server."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.install.entry import (
    Launch,
    another_command,
    build_launch,
    expand_launch,
    is_ours,
    launched_file,
    long_names,
    merge_entry,
    read_launch,
    require_server_name,
)
from appfunctions_mcp.install.errors import InstallError
from appfunctions_mcp.install.references import SHELL

OURS = {
    "command": "/venv/bin/python",
    "args": ["-P", "-m", "appfunctions_mcp", "run", "/app/app_metadata.xml"],
}

posix_only = pytest.mark.skipif(os.name != "posix", reason="paths and links of POSIX")


def test_a_launch_names_the_interpreter_and_the_file_absolutely(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F103: a client starts servers in another folder, with another PATH."""
    monkeypatch.chdir(tmp_path)
    launch = build_launch(Path("app.xml"), ["--module", "more"], {"A": "1"})
    assert launch == Launch(
        sys.executable,
        ("-P", "-m", "appfunctions_mcp", "run", str(tmp_path / "app.xml"), "--module", "more"),
        {"A": "1"},
    )


@posix_only
def test_the_link_of_a_virtual_environment_is_not_followed(tmp_path: Path) -> None:
    """The link is what finds the installed packages."""
    link = tmp_path / "python"
    link.symlink_to(sys.executable)
    assert build_launch(Path("/a.xml"), [], {}, str(link)).command == str(link)


@pytest.mark.parametrize(
    ("interpreter", "env", "what"),
    [
        ("", {}, "does not know its own path"),
        ("/python", {"A": "\udcff"}, "is not UTF-8"),
        ("/python", {"A": "a\0b"}, "NUL"),
    ],
)
def test_what_an_entry_cannot_hold_is_refused(
    interpreter: str, env: dict[str, str], what: str
) -> None:
    with pytest.raises(InstallError, match=what):
        build_launch(Path("/a.xml"), [], env, interpreter)


@pytest.mark.parametrize("name", ["notes", "my-notes_2", "N" * 64])
def test_a_name_that_every_client_takes_is_kept(name: str) -> None:
    assert require_server_name(name) == name


@pytest.mark.parametrize(
    ("name", "proposal"),
    [("my notes", "--name my-notes"), ("com.example.notes", "--name com-example-notes")],
)
def test_another_name_is_refused_with_one_that_would_do(name: str, proposal: str) -> None:
    with pytest.raises(SettingsError, match=proposal):
        require_server_name(name)


@pytest.mark.parametrize("name", ["", "***", "заметки"])
def test_a_name_without_any_letter_of_theirs_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match="give one with --name"):
        require_server_name(name)


@pytest.mark.parametrize(
    ("existing", "wanted", "merged"),
    [
        pytest.param(None, {"command": "new"}, {"command": "new"}, id="nothing-there"),
        pytest.param("text", {"command": "new"}, {"command": "new"}, id="no-object-there"),
        pytest.param(
            {"command": "old", "env": {"A": "1", "B": "2"}, "timeout": 9},
            {"command": "new", "env": {"B": "3"}},
            {"command": "new", "env": {"A": "1", "B": "3"}, "timeout": 9},
            id="old-variables-and-unknown-keys-stay",
        ),
        pytest.param(
            {"command": "old", "env": {"A": "1"}},
            {"type": "http", "url": "https://h/mcp"},
            {"type": "http", "url": "https://h/mcp"},
            id="a-command-becomes-an-address",
        ),
        pytest.param(
            {"type": "http", "url": "https://h/mcp", "headers": {"X": "1"}},
            {"type": "http", "url": "https://h/mcp"},
            {"type": "http", "url": "https://h/mcp", "headers": {"X": "1"}},
            id="headers-of-the-same-address-stay",
        ),
    ],
)
def test_an_entry_is_merged(existing: Any, wanted: dict[str, Any], merged: dict[str, Any]) -> None:
    assert merge_entry(existing, wanted) == merged


@pytest.mark.parametrize(
    ("entry", "ours"),
    [
        (OURS, True),
        ({"command": "/usr/local/bin/appfunctions-mcp", "args": ["run"]}, True),
        ({"command": "C:\\Tools\\appfunctions-mcp.exe"}, True),
        ({"command": "npx", "args": ["-y", "appfunctions-mcp-other"]}, False),
        ({"command": "python", "args": "-m appfunctions_mcp"}, False),
        ({"type": "http", "url": "https://h/mcp"}, False),
        (None, False),
    ],
)
def test_an_entry_of_this_program_is_recognised(entry: Any, ours: bool) -> None:
    assert is_ours(entry) == ours


def test_what_an_entry_starts_is_read_back() -> None:
    launch = read_launch({**OURS, "args": [*OURS["args"], "--locale", "ru"]})
    assert launch is not None
    assert launched_file(launch) == Path("/app/app_metadata.xml")
    assert another_command(launch, "list", "--all") == [
        "/venv/bin/python",
        "-P",
        "-m",
        "appfunctions_mcp",
        "list",
        "--all",
    ]
    uv = Launch("/bin/uv", ("run", "python", "-m", "appfunctions_mcp", "run", "/a.xml"))
    assert launched_file(uv) == Path("/a.xml")
    assert another_command(uv, "list")[:3] == ["/bin/uv", "run", "python"]
    script = Launch("/bin/appfunctions-mcp", ("run", "/a.xml"))
    assert another_command(script, "list") == ["/bin/appfunctions-mcp", "list"]
    assert launched_file(Launch("x", ("serve",))) is None
    assert launched_file(Launch("x", ("run", "--http", "80"))) is None


def test_references_are_replaced_as_claude_code_does() -> None:
    launch = Launch("${BIN}/python", ("${MISSING:-a}", "$BIN"), {"T": "${TOKEN}", "E": "${NO}"})
    expanded = expand_launch(launch, SHELL, {"BIN": "/b", "TOKEN": "t"})
    assert expanded == Launch("/b/python", ("a", "$BIN"), {"T": "t", "E": ""})


@pytest.mark.parametrize(
    ("server", "tool", "faults"),
    [
        ("git-repo-research-mcp-server", "create_research_repository", []),
        ("git-repo-research-mcp-server", "create_research_repository_again", [("joined", True)]),
        ("s" * 20, "t" * 37, []),
        ("s" * 20, "t" * 38, [("prefixed", False)]),
        ("s" * 20, "t" * 40, [("joined", True)]),
    ],
)
def test_names_that_become_too_long_are_found(
    server: str, tool: str, faults: list[tuple[str, bool]]
) -> None:
    """F14: a tool whose name is too long with its server's is hidden, and nothing says so."""
    names = {"joined": f"{server}-{tool} has", "prefixed": f"mcp__{server}__{tool} has"}
    found = long_names(server, ["short", tool])
    assert [is_error for _, is_error in found] == [is_error for _, is_error in faults]
    assert all(
        what.startswith(names[kind]) for (what, _), (kind, _) in zip(found, faults, strict=True)
    )
