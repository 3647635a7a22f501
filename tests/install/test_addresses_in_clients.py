"""The commands with servers that run elsewhere: tokens, connecting, checking, removing."""

import json
import os
import shlex
from pathlib import Path

import pytest

from appfunctions_mcp.install.clients import CLIENT_NAMES
from tests.install.test_every_client import FILES, PROJECT_FILES, give_clients
from tests.support.answering_server import answering, as_mcp
from tests.support.client_user import User

pytestmark = pytest.mark.skipif(os.name != "posix", reason="HOME says where the user's files are")

CLIENTS = [name for name in CLIENT_NAMES if name != "claude-desktop"]
ASKING = ("vscode",)
"""Clients that ask for a secret themselves."""


@pytest.fixture(autouse=True)
def token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAR_TOKEN", "canary-1")


@pytest.mark.parametrize("client", CLIENTS)
def test_a_server_with_a_token_is_installed_checked_and_removed(user: User, client: str) -> None:
    with answering(as_mcp("find", "add", token="canary-1")) as served:
        code, out, err = user.run(
            "install", client, "--url", served.url, "--name", "far", "--bearer-env", "FAR_TOKEN"
        )
        assert code == 0, err
        assert "tools: 2" in out
        assert "FAR_TOKEN is not in the file: " in out
        file = user.home / FILES[client]
        assert "canary" not in file.read_text() + out + err
        code, out, err = user.run("doctor", client)
        assert code == 0, err
        assert out.startswith("ok  ")
        assert ": answers in 0." in out
    code, out, err = user.run("doctor", client)
    assert code == 1
    assert f"{served.url} refuses connections; start the server" in err
    code, out, err = user.run("uninstall", client)
    assert code == 0, err
    assert not file.exists()


@pytest.mark.parametrize("client", PROJECT_FILES)
def test_no_token_comes_into_a_file_of_a_project(user: User, client: str) -> None:
    url = ["--url", "http://127.0.0.1:9/mcp", "--name", "far", "--scope", "project"]
    for secret in (["--header", "Authorization=Bearer canary"], ["--header", "X-Api-Key: canary"]):
        code, out, err = user.run("install", client, *url, *secret)
        assert code == 2
        assert "looks like a secret" in err
        assert "canary" not in out + err
    code, _, err = user.run("install", client, url[0], url[1] + "?token=canary", *url[2:])
    assert code == 2
    assert not (user.project / PROJECT_FILES[client]).exists()
    reference = ["--header", "Authorization=Bearer ${FAR_TOKEN}", "--header", "X-Team=a"]
    code, out, err = user.run("install", client, *url, *reference)
    assert code == 0, err
    text = (user.project / PROJECT_FILES[client]).read_text()
    assert "canary" not in text + out + err
    assert "FAR_TOKEN" in text


def test_a_header_with_a_secret_goes_into_the_users_own_file_and_is_masked(user: User) -> None:
    words = ["--url", "http://127.0.0.1:9/mcp", "--name", "far"]
    header = ["--header", "Authorization=Basic canary"]
    code, out, err = user.run("install", "cursor", *words, *header, "--dry-run")
    assert code == 0, err
    assert '+        "Authorization": "***"' in out
    assert user.run("install", "cursor", *words, *header)[0] == 0
    assert "Basic canary" in (user.home / FILES["cursor"]).read_text()
    code, _, err = user.run("install", "vscode", *words, *header)
    assert code == 2
    assert "--bearer-env NAME" in err


def test_a_server_that_does_not_answer_is_told_and_may_be_started_later(user: User) -> None:
    words = ["install", "claude-code", "--name", "far", "--url", "http://127.0.0.1:9/mcp"]
    code, out, err = user.run(*words)
    assert code == 0
    assert "wrote 'far'" in out
    assert "warning: http://127.0.0.1:9/mcp refuses connections; start the server" in err


def test_an_address_is_asked_once_for_all_clients(user: User) -> None:
    give_clients(user)
    with answering(as_mcp("find")) as served:
        code, out, err = user.run("install", "--all", "--url", served.url, "--name", "far")
    assert code == 0, err
    assert out.count("tools: 1") == 7
    assert len(served.seen) == 3


def test_a_client_that_takes_no_such_header_does_not_hinder_the_others(user: User) -> None:
    give_clients(user)
    words = ["install", "--all", "--url", "http://127.0.0.1:9/mcp", "--name", "far"]
    code, out, err = user.run(*words, "--header", "X-Key=a-${FAR_TOKEN}")
    assert code == 1
    assert out.count("wrote 'far'") == 6
    assert "1 of 7 clients refused: Codex; see above" in err
    code, out, err = user.run(*words, "--header", "X-Api-Key=a", "--force")
    assert code == 1
    assert out.count("wrote 'far'") == 6
    assert "1 of 7 clients refused: Visual Studio Code; see above" in err
    code, out, err = user.run(*words, "--header", "X")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1


def test_a_token_that_is_not_set_here_is_no_fault(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FAR_TOKEN")
    words = ["--url", "http://127.0.0.1:9/mcp", "--name", "far", "--bearer-env", "FAR_TOKEN"]
    for client in ("codex", *ASKING):
        code, _, err = user.run("install", client, *words)
        assert code == 0
        assert "was not connected to: FAR_TOKEN is not set here" in err
        code, out, err = user.run("doctor", client)
        assert code == 0
        assert out.startswith("ok  ")
        assert "supplies FAR_TOKEN, which is not set here" in err


def test_doctor_says_how_to_install_an_address_again(user: User) -> None:
    with answering(as_mcp("find", token="other")) as served:
        user.run("install", "codex", "--url", served.url, "--name", "far")
        code, _, err = user.run("doctor")
        assert code == 1
        assert "status 401: it asks for a token; install it with --bearer-env NAME" in err
        code, out, _ = user.run("doctor", "--json")
        (checked,) = [each for each in json.loads(out)["checked"] if each.get("url")]
        assert (checked["url"], checked["command"]) == (served.url, None)
        code, _, err = user.run(
            "install", "codex", "--url", served.url, "--name", "far", "--bearer-env", "FAR_TOKEN"
        )
        assert code == 1
        assert "another entry 'far' (an address) is there" in err
        words = shlex.split(f"codex --url {served.url} --name far --bearer-env FAR_TOKEN --force")
        assert user.run("install", *words)[0] == 0
        assert "it does not take this token" in user.run("doctor", "codex")[2]


def test_another_programs_address_is_only_checked_by_its_name(user: User) -> None:
    """Nobody asked for a connection to it, with a token or without."""
    with answering(as_mcp("find")) as served:
        entry = {"mcpServers": {"theirs": {"type": "http", "url": served.url}}}
        user.code.write_text(json.dumps(entry))
        code, _, err = user.run("doctor", "claude-code")
        assert code == 1
        assert "no server of this program is installed" in err
        assert served.seen == []
        code, out, err = user.run("doctor", "--name", "theirs")
        assert code == 0, err
        assert "Claude Code, theirs: answers in" in out
    code, _, err = user.run("doctor", "--name", "nowhere")
    assert code == 1
    assert "no server 'nowhere' is installed in any client" in err
    assert user.run("uninstall", "claude-code")[0] == 1
    assert json.loads(user.code.read_text()) == entry


def test_an_address_that_somebody_has_changed_is_no_longer_ours(user: User) -> None:
    assert user.run("install", "cursor", "--url", "http://127.0.0.1:9/a", "--name", "far")[0] == 0
    file = user.home / FILES["cursor"]
    file.write_text(file.read_text().replace("/a", "/b"))
    code, _, err = user.run("uninstall", "cursor")
    assert code == 1
    assert "no server of this program; give one with --name" in err


def test_a_list_of_addresses_that_cannot_be_read_is_told(user: User) -> None:
    words = ["--url", "http://127.0.0.1:9/a", "--name", "far"]
    assert user.run("install", "cursor", *words)[0] == 0
    (kept,) = Path(user.home, ".local", "state").rglob("installed-addresses.json")
    assert kept.stat().st_mode & 0o777 == 0o600
    kept.write_text('{"version": 99}')
    code, _, err = user.run("install", "codex", *words)
    assert code == 0
    assert "'far' cannot be remembered" in err
    assert "a newer" in user.run("doctor", "cursor")[2]
    code, _, err = user.run("uninstall", "cursor")
    assert code == 1
    assert "or name the entry with --name" in err
    assert user.run("uninstall", "cursor", "--name", "far")[0] == 0
    assert json.loads(kept.read_text()) == {"version": 99}


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["--bearer-env", "T"], "give --url URL"),
        (["--header", "X=1"], "give --url URL"),
        (["--url", "http://h/", "--name", "a", "--header", "X"], "write --header NAME=VALUE"),
        (["--url", "http://h/", "--name", "a", "--bearer-env", "a b"], "--bearer-env NAME"),
    ],
)
def test_wrong_usage_ends_with_2(user: User, words: list[str], what: str) -> None:
    code, out, err = user.run("install", "codex", *words)
    assert (code, out) == (2, "")
    assert what in err
