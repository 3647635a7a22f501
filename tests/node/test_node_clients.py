"""The sample app through the TypeScript SDKs and Inspector's command line."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCENARIO = Path(__file__).parent / "notes_scenario.cjs"
SERVER = [sys.executable, "-m", "appfunctions_mcp", "run", str(ROOT / "metadata/app_metadata.xml")]

pytestmark = [
    pytest.mark.node,
    pytest.mark.skipif("NODE_CLIENTS" not in os.environ, reason="run by .ci/node-clients"),
]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return os.environ | {"NOTES_DB": str(tmp_path / "notes.db")}


@contextmanager
def http_server(environment: dict[str, str], *options: str) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([*SERVER, "--http", str(port), *options], env=environment, cwd="/")
    try:
        deadline = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert process.poll() is None
                assert time.monotonic() < deadline
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        assert process.wait(20) == 0


def run(words: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, env=environment, capture_output=True, text=True, timeout=90, check=False
    )


SDKS = [("v1", "legacy"), ("v2", "legacy"), ("v2", "2026-07-28")]


@pytest.mark.parametrize(("sdk", "era"), SDKS)
def test_the_typescript_client_uses_the_sample_app_over_stdio(
    sdk: str, era: str, environment: dict[str, str]
) -> None:
    done = run(["node", str(SCENARIO), sdk, era, *SERVER], environment)
    assert (done.returncode, done.stdout.strip()) == (0, "ok"), done.stderr


@pytest.mark.parametrize("options", [(), ("--sessions",)], ids=["stateless", "sessions"])
@pytest.mark.parametrize(("sdk", "era"), SDKS)
def test_the_typescript_client_uses_the_sample_app_over_http(
    sdk: str, era: str, options: tuple[str, ...], environment: dict[str, str]
) -> None:
    with http_server(environment, *options) as url:
        done = run(["node", str(SCENARIO), sdk, era, url], environment)
    assert (done.returncode, done.stdout.strip()) == (0, "ok"), done.stderr


def inspector(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    program = Path(os.environ["NODE_CLIENTS"], "node_modules/.bin/mcp-inspector")
    return run([str(program), "--cli", *words, "--format", "json"], environment)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_inspector_lists_and_calls_over_stdio_and_http(
    era: str, environment: dict[str, str]
) -> None:
    with http_server(environment) as url:
        for target in (SERVER, [url, "--transport", "http"]):
            listed = inspector(
                environment, *target, "--protocol-era", era, "--method", "tools/list", "--strict"
            )
            assert listed.returncode == 0, listed.stderr + listed.stdout
            assert "create_note" in listed.stdout
            called = inspector(
                environment, *target, "--protocol-era", era, "--method", "tools/call",
                "--tool-name", "create_note", "--tool-args-json", '{"title": "Milk"}',
            )  # fmt: skip
            assert called.returncode == 0, called.stderr + called.stdout
            missing = inspector(
                environment, *target, "--protocol-era", era, "--method", "tools/call",
                "--tool-name", "get_note", "--tool-arg", "note_id=nothing",
            )  # fmt: skip
            assert missing.returncode == 5
            assert "AppFunctionElementNotFoundException" in missing.stdout + missing.stderr


def test_what_the_inspector_lists_is_json(environment: dict[str, str]) -> None:
    listed = inspector(environment, *SERVER, "--method", "tools/list")
    assert {t["name"] for t in json.loads(listed.stdout)["result"]["tools"]} >= {
        "create_note",
        "find_notes",
    }
