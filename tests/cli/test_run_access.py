"""`appfunctions-mcp run`: whom it lets in, and where it refuses to listen."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.authorization_server import AUDIENCE
from tests.support.guarded_server import MODULE, guarded_server
from tests.support.metadata_files import write_metadata
from tests.support.stdio_server import PROJECT, stdio_server

NAMED = ("--allowed-host", "notes.example.com")
OAUTH = {
    "--oauth-issuer": "https://login.example.com",
    "--oauth-audience": AUDIENCE,
    "--oauth-jwks": "https://login.example.com/jwks",
}


def refused(folder: Path, *options: str) -> str:
    """What `run` writes when it exits with status 2."""
    file = write_metadata(folder)
    command = [sys.executable, "-m", "appfunctions_mcp", "run", str(file), "--module", MODULE]
    done = subprocess.run(
        [*command, *options], cwd=PROJECT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    return done.stderr


@pytest.mark.parametrize(
    ("address", "options", "missing"),
    [
        ("0.0.0.0:0", NAMED, "--token-env NAME, --oauth-issuer URL, or --allow-anonymous"),
        ("[::]:0", NAMED, "--token-env NAME, --oauth-issuer URL, or --allow-anonymous"),
        ("192.0.2.7:0", NAMED, "--token-env NAME, --oauth-issuer URL, or --allow-anonymous"),
        ("0.0.0.0:0", ("--allow-anonymous",), "--allowed-host NAME"),
        (
            "0.0.0.0:0",
            (*NAMED, "--workers", "2"),
            "--token-env NAME, --oauth-issuer URL, or --allow-anonymous",
        ),
    ],
)
def test_an_address_that_others_reach_is_refused_without_a_check_of_who_calls(
    address: str, options: tuple[str, ...], missing: str, tmp_path: Path
) -> None:
    told = refused(tmp_path, "--http", address, *options)
    host = address.rpartition(":")[0].strip("[]")
    assert told.startswith(f"{host} can be reached from other machines; give {missing}")


def test_a_word_opens_an_address_to_everybody(tmp_path: Path) -> None:
    env = {"APPFUNCTIONS_ALLOW_ANONYMOUS": "1"}
    with guarded_server(tmp_path, None, "--http", "0.0.0.0:0", *NAMED, env=env) as server:
        answer = server.call(None, headers={"Host": "notes.example.com"})
        assert answer.message["result"]["structuredContent"]["name"] == "anonymous"
        assert server.call(None, headers={"Host": "evil.example"}).status == 421


def test_an_authorization_server_guards_an_address_that_others_reach(tmp_path: Path) -> None:
    options = [word for pair in OAUTH.items() for word in pair]
    words = ("--http", "0.0.0.0:0", *NAMED, *options)
    with guarded_server(tmp_path, None, *words) as server:
        assert server.call(None, headers={"Host": "notes.example.com"}).status == 401
        assert server.calls == []


@pytest.mark.parametrize("missing", OAUTH)
def test_an_authorization_server_that_is_half_known_is_refused(
    missing: str, tmp_path: Path
) -> None:
    options = [word for name, value in OAUTH.items() if name != missing for word in (name, value)]
    assert refused(tmp_path, "--http", "0", *options).startswith(f"{missing}: not given; ")


def test_a_token_that_is_not_there_is_refused(tmp_path: Path) -> None:
    told = refused(tmp_path, "--http", "0", "--token-env", "NO_SUCH_TOKEN")
    assert told == ("--token-env: the variable NO_SUCH_TOKEN is not set; put the token into it\n")


def test_an_algorithm_that_anybody_could_sign_with_is_refused(tmp_path: Path) -> None:
    for algorithm in ("none", "HS256"):
        told = refused(tmp_path, "--http", "0", "--oauth-algorithm", algorithm)
        assert told.startswith(f"--oauth-algorithm: '{algorithm}' is not accepted; give RS256, ")


def test_on_stdio_the_local_user_calls_and_may_do_everything(tmp_path: Path) -> None:
    calls = tmp_path / "calls.txt"
    file = write_metadata(tmp_path)
    command = ("-m", "appfunctions_mcp", "run", str(file), "--module", MODULE)
    with stdio_server(*command, env={"CALLS_FILE": str(calls)}) as server:
        server.initialize()
        tools = server.request("tools/list")["result"]["tools"]
        assert [tool["name"] for tool in tools] == [
            "who_am_i",
            "tell_all",
            "rename_everything",
            "read_diary",
        ]
        caller = server.call("who_am_i")["result"]["structuredContent"]
        assert caller == {"name": "local", "scopes": "", "connection": "stdio"}
        assert server.call("read_diary")["result"]["isError"] is False
