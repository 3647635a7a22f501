"""The files on the page about deploying: what each tool's own checker says, and what they start."""

import json
import os
import re
import shlex
import shutil
import socket
import ssl
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.documents import ROOT, Block, blocks_of
from tests.support.http_server import HttpServer, http_server
from tests.support.stdio_server import DEADLINE_SECONDS

PAGE = ROOT / "docs" / "deploying.md"
TOKEN = {"Authorization": "Bearer t0ken"}

pytestmark = pytest.mark.skipif(os.name != "posix", reason="tools of POSIX")


def file_named(name: str) -> Block:
    """The block of the page that is this file."""
    return next(block for block in blocks_of(PAGE) if block.file_name == name)


def tool(name: str) -> str:
    """The path of a tool that this machine may not have."""
    places = [os.environ.get("PATH", ""), "/usr/sbin", str(Path(sys.executable).parent)]
    found = shutil.which(name, path=os.pathsep.join(places))
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def unit() -> dict[str, str]:
    """The unit's settings; each stands once."""
    pairs = (line.partition("=") for line in file_named("notes.service").text.splitlines())
    return {name: value for name, equals, value in pairs if equals}


def instruction(name: str) -> str:
    """What follows the last instruction of this name in the container file."""
    text = file_named("Dockerfile").text.replace("\\\n", " ")
    found: list[str] = re.findall(rf"^{name} (.*)$", text, re.MULTILINE)
    return found[-1].strip()


def served_words(words: Sequence[str]) -> list[str]:
    """The options of a `run` on the page, on any free port of this machine."""
    assert words[1] == "run"
    here = list(words[1:])
    here[here.index("--http") + 1] = "127.0.0.1:0"
    return here


@contextmanager
def started(words: Sequence[str], folder: Path) -> Iterator[HttpServer]:
    """The sample app, served as a file of the page says, in the clone."""
    env = {
        "NOTES_TOKEN": "t0ken",
        "NOTES_DB": str(folder / "notes.db"),
        "APPFUNCTIONS_STATE_FILE": str(folder / "state.json"),
    }
    with http_server("-m", "appfunctions_mcp", *words, env=env, cwd=ROOT) as server:
        yield server


def listed(server: HttpServer) -> list[str]:
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    answer = server.ask(body=request, headers={**TOKEN, "Host": "notes.example.com"})
    return [each["name"] for each in answer.message["result"]["tools"]]


def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    analyze = tool("systemd-analyze")
    # What the unit starts has to be there for the checker.
    program = tmp_path / "appfunctions-mcp"
    program.write_text("#!/bin/sh\n", "utf-8")
    program.chmod(0o755)
    text = file_named("notes.service").text
    path = tmp_path / "notes.service"
    path.write_text(text.replace("/srv/notes/.venv/bin/appfunctions-mcp", str(program)), "utf-8")
    done = subprocess.run(
        [analyze, "verify", "--man=no", str(path)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_what_the_unit_starts_serves(tmp_path: Path) -> None:
    words = shlex.split(unit()["ExecStart"])
    assert Path(words[0]).name == "appfunctions-mcp"
    words = [word.replace("%S/notes", str(tmp_path)) for word in served_words(words)]
    with started(words, tmp_path) as server:
        assert "create_note" in listed(server)
        assert (tmp_path / "audit.jsonl").exists()
    assert float(unit()["TimeoutStopSec"]) > 15
    assert unit()["ExecReload"].endswith("kill -HUP $MAINPID")


def test_hadolint_accepts_the_container_file(tmp_path: Path) -> None:
    hadolint = tool("hadolint")
    path = tmp_path / "Dockerfile"
    path.write_text(file_named("Dockerfile").text, "utf-8")
    done = subprocess.run([hadolint, str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_docker_knows_the_options_of_its_commands() -> None:
    docker = tool("docker")
    (block,) = (b for b in blocks_of(PAGE) if b.language == "sh" and "docker" in b.text)
    for line in block.text.splitlines():
        _, command, *words = shlex.split(line)
        shown = subprocess.run(
            [docker, command, "--help"], capture_output=True, text=True, check=True
        )
        for option in (word for word in words if word.startswith("--")):
            assert re.search(rf"{option}\b", shown.stdout), option


def test_what_the_container_starts_serves_and_is_found_healthy(tmp_path: Path) -> None:
    words = json.loads(instruction("CMD"))
    check = json.loads(instruction("HEALTHCHECK").partition("CMD ")[2])
    assert check[:2] == ["python", "-c"]
    with started(served_words(words), tmp_path) as server:
        assert "create_note" in listed(server)
        code = check[2].replace(":8000/", f":{server.port}/")
        subprocess.run([sys.executable, "-c", code], check=True, timeout=DEADLINE_SECONDS)
    failed = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert failed.returncode != 0


def test_what_the_container_file_copies_is_in_the_clone() -> None:
    text = file_named("Dockerfile").text
    copied = re.findall(r"^COPY (\S+) ", text, re.MULTILINE)
    assert [name for name in copied if not (ROOT / name).exists()] == ["requirements.txt"]


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, ssl.SSLContext]]:
    """The sample app behind nginx, by the file of the page: the proxy's URL, and who trusts it."""
    nginx, openssl = tool("nginx"), tool("openssl")
    folder = tmp_path_factory.mktemp("nginx")
    key, certificate = folder / "notes.key", folder / "notes.crt"
    words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    words += ["-subj", "/CN=notes.example.com", "-addext", "subjectAltName=IP:127.0.0.1"]
    made = [openssl, *words, "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(made, check=True, capture_output=True)
    words = ["run", "metadata/app_metadata.xml", "--module", "tests.support.streaming_functions"]
    words += ["--http", "0", "--workers", "2", "--token-env", "NOTES_TOKEN"]
    words += ["--allowed-host", "notes.example.com", "--log-level", "info"]
    port = free_port()
    with started(words, folder) as server:
        configuration = folder / "nginx.conf"
        user = "user root;\n" if os.geteuid() == 0 else ""  # else nobody, who has no place here
        configuration.write_text(
            f"daemon off; pid {folder}/pid; error_log stderr warn; events {{}}\n{user}"
            f"http {{ access_log off;\n{temporary_places(folder)}"
            + file_named("notes.conf")
            .text.replace("127.0.0.1:8000", f"127.0.0.1:{server.port}")
            .replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl")
            .replace("/etc/ssl/private/notes.key", str(key))
            .replace("/etc/ssl/notes.crt", str(certificate))
            + "}\n",
            "utf-8",
        )
        command = [nginx, "-c", str(configuration), "-p", str(folder), "-e", "stderr"]
        checked = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False)
        assert checked.returncode == 0, checked.stderr
        assert "[warn]" not in checked.stderr
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
            try:
                context = ssl.create_default_context(cafile=str(certificate))
                url = f"https://127.0.0.1:{port}/mcp"
                until_answered(url.replace("/mcp", "/healthz"), context)
                yield url, context
            finally:
                process.terminate()
                process.wait(DEADLINE_SECONDS)


def temporary_places(folder: Path) -> str:
    """Places for nginx's files, which are root's by default."""
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    return "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in kinds)


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
    return port


def until_answered(url: str, context: ssl.SSLContext) -> None:
    end = time.monotonic() + DEADLINE_SECONDS
    while True:
        try:
            urllib.request.urlopen(url, context=context, timeout=5).close()  # noqa: S310 - our own
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.05)
        else:
            return


def post(proxied: tuple[str, ssl.SSLContext], name: str, **arguments: object) -> Any:
    url, context = proxied
    params = {"name": name, "arguments": arguments, "_meta": {"progressToken": 1}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Host": "notes.example.com",
        **TOKEN,
    }
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)  # noqa: S310 - our own
    return urllib.request.urlopen(request, context=context, timeout=DEADLINE_SECONDS)  # noqa: S310 - our own


def test_calls_and_large_bodies_go_through_nginx(proxied: tuple[str, ssl.SSLContext]) -> None:
    with post(proxied, "create_note", title="Milk", content="x" * 90_000) as answer:
        result = json.load(answer)["result"]
    assert result["structuredContent"]["title"] == "Milk"


def test_a_stream_comes_through_nginx_as_it_is_written(
    proxied: tuple[str, ssl.SSLContext],
) -> None:
    begun = time.monotonic()
    with post(proxied, "count_slowly", steps=3, seconds=1) as answer:
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        times = [time.monotonic() - begun for line in answer if line.startswith(b"data: ")]
    assert len(times) == 4
    assert times[0] < times[-1] - 1.5
