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
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCENARIO = Path(__file__).parent / "notes_scenario.cjs"
TALKING = Path(__file__).parent / "talking_scenario.cjs"
SERVER = [sys.executable, "-m", "appfunctions_mcp", "run", str(ROOT / "metadata/app_metadata.xml")]

pytestmark = [
    pytest.mark.node,
    pytest.mark.skipif("NODE_CLIENTS" not in os.environ, reason="run by .ci/node-clients"),
]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return os.environ | {"NOTES_DB": str(tmp_path / "notes.db")}


TALKING_SERVER = [sys.executable, "-m", "tests.support.talking_functions"]


@contextmanager
def http_server(environment: dict[str, str], *options: str) -> Iterator[str]:
    with served_over_http([*SERVER, "--http"], *options, environment=environment, cwd="/") as url:
        yield url


@contextmanager
def served_over_http(
    command: list[str], *options: str, environment: dict[str, str], cwd: str
) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([*command, str(port), *options], env=environment, cwd=cwd)
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


@pytest.mark.parametrize(("sdk", "era"), SDKS)
def test_the_typescript_client_is_asked_and_told_over_stdio(
    sdk: str, era: str, environment: dict[str, str]
) -> None:
    environment |= {"PYTHONPATH": str(ROOT)}
    command = [*TALKING_SERVER, "stdio"]
    done = run(["node", str(TALKING), sdk, era, "asks", *command], environment)
    assert (done.returncode, done.stdout.strip()) == (0, "ok"), done.stderr


@pytest.mark.parametrize("options", [(), ("--sessions",)], ids=["stateless", "sessions"])
@pytest.mark.parametrize(("sdk", "era"), SDKS)
def test_the_typescript_client_is_asked_and_told_over_http(
    sdk: str, era: str, options: tuple[str, ...], environment: dict[str, str]
) -> None:
    way = "tells" if era == "legacy" and not options else "asks"
    command = [*TALKING_SERVER, "http"]
    with served_over_http(command, *options, environment=environment, cwd=str(ROOT)) as url:
        done = run(["node", str(TALKING), sdk, era, way, url], environment)
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


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_inspector_reads_resources_and_gets_prompts_over_stdio_and_http(
    era: str, environment: dict[str, str]
) -> None:
    environment |= {"PYTHONPATH": str(ROOT)}
    command = [*TALKING_SERVER, "http"]

    def told(target: list[str], *words: str) -> str:
        done = inspector(environment, *target, "--protocol-era", era, "--method", *words)
        return done.stdout + done.stderr

    with served_over_http(command, environment=environment, cwd=str(ROOT)) as url:
        for target in ([*TALKING_SERVER, "stdio"], [url, "--transport", "http"]):
            listed = told(target, "resources/list")
            assert "notes://all" in listed
            assert "hidden://" not in listed
            assert "note://{note_id}" in told(target, "resources/templates/list")
            assert "Buy milk." in told(target, "resources/read", "--uri", "note://milk")
            assert "iVBORw==" in told(target, "resources/read", "--uri", "picture://cover")
            for uri in ("hidden://all", "folder://a/%252e%252e/b", "nothing://here"):
                refused = told(target, "resources/read", "--uri", uri)
                assert f"there is no resource '{uri}'" in refused
            assert "review" in told(target, "prompts/list")
            got = told(
                target, "prompts/get", "--prompt-name", "review",
                "--prompt-args", "note_id=milk", "most=3",
            )  # fmt: skip
            assert "at most 3 remarks" in got
            failed = told(target, "prompts/get", "--prompt-name", "broken_prompt")
            assert "AppFunctionAppUnknownException" in failed


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_inspector_which_asks_nobody_confirms_by_a_second_call(
    era: str, environment: dict[str, str]
) -> None:
    environment |= {"PYTHONPATH": str(ROOT), "APPFUNCTIONS_ENGINE": "lean"}
    command = [*TALKING_SERVER, "http"]
    with served_over_http(command, environment=environment, cwd=str(ROOT)) as url:
        target = [url, "--transport", "http", "--protocol-era", era]

        def called(**arguments: str) -> dict[str, Any]:
            done = inspector(
                environment, *target, "--method", "tools/call",
                "--tool-name", "agree", "--tool-args-json", json.dumps(arguments),
            )  # fmt: skip
            return dict(json.loads(done.stdout)["result"])

        first = called()
        assert first["isError"]
        token = first["_meta"]["appfunctions/error"]["confirmation"]
        assert called(confirmation=token)["structuredContent"] == {"result": True}
        assert called(confirmation=token)["isError"]


def test_what_the_inspector_lists_is_json(environment: dict[str, str]) -> None:
    listed = inspector(environment, *SERVER, "--method", "tools/list")
    assert {t["name"] for t in json.loads(listed.stdout)["result"]["tools"]} >= {
        "create_note",
        "find_notes",
    }
