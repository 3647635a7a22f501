"""`--workers N` as processes: one socket, workers that are replaced, one end for all."""

import http.client
import json
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import psutil
import pytest

from appfunctions_mcp.server.worker_process import told_status
from tests.support.http_server import Answer, HttpServer, http_server
from tests.support.stdio_server import DEADLINE_SECONDS, stdio_server

T = TypeVar("T")

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes share no socket on Windows")

APP = """\
import asyncio, os, time
from appfunctions_mcp import AppFunctionContext, app_function
print("imported")

@app_function
async def process() -> int:
    '''Tells which process answers.'''
    return os.getpid()

@app_function
async def wait(seconds: float) -> str:
    '''Waits.

    Args:
        seconds: How long.
    '''
    await asyncio.sleep(seconds)
    return "waited"

@app_function
async def die() -> str:
    '''Ends its process.'''
    os._exit(7)

@app_function(requires_confirmation=True)
async def wipe(name: str) -> str:
    '''Removes something.

    Args:
        name: What.
    '''
    return f"wiped {name}"
"""
METADATA = """\
<AppFunctionAppMetadata xmlns:appfn="http://schemas.android.com/apk/androidx.appfunctions"
    xmlns:mcp="urn:appfunctions-mcp:metadata:1" appfn:description="Serves." mcp:name="several">
  <mcp:functions module="served_by_workers"/>
</AppFunctionAppMetadata>
"""


def write_app(folder: Path, text: str = APP) -> str:
    """The app's files; returns the metadata's path."""
    (folder / "served_by_workers.py").write_text(text, "utf-8")
    file = folder / "app_metadata.xml"
    file.write_text(METADATA, "utf-8")
    return str(file)


@contextmanager
def served(folder: Path, *options: str, workers: int = 2) -> Iterator[HttpServer]:
    """The app, served by several workers."""
    words = ("run", write_app(folder), "--http", "0", "--workers", str(workers), *options)
    state = ("--state-file", str(folder / "state.json"))
    with http_server("-m", "appfunctions_mcp", *words, *state, cwd=folder) as server:
        yield server


def call(server: HttpServer, name: str, /, **arguments: Any) -> Answer:
    params = {"name": name, "arguments": arguments}
    return server.ask(body={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})


def result_of(answer: Answer) -> Any:
    return answer.message["result"]["structuredContent"]["result"]


def text_of(answer: Answer) -> Any:
    return answer.message["result"]["content"][0]["text"]


def workers_of(server: HttpServer) -> list[psutil.Process]:
    return psutil.Process(server.process.process.pid).children()


def until(value: Callable[[], T | None]) -> T:
    """The first value that is not None or False, asked for again and again."""
    end = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < end:
        if got := value():
            return got
        time.sleep(0.05)
    raise AssertionError("it did not come to it in time")


def answering(server: HttpServer, count: int) -> set[int]:
    """The processes that answer, once there are as many."""
    seen: set[int] = set()

    def ask() -> set[int] | None:
        seen.add(result_of(call(server, "process")))
        return seen if len(seen) == count else None

    return until(ask)


def test_every_worker_answers_and_no_session_is_given(tmp_path: Path) -> None:
    """F46."""
    with served(tmp_path) as server:
        assert answering(server, 2) == {worker.pid for worker in workers_of(server)}
        for _ in range(50):
            answer = call(server, "process")
            assert answer.status == 200
            assert "mcp-session-id" not in answer.headers
        server.process.signal(signal.SIGTERM)
        assert server.process.wait() == 0
        # What all workers would say alike is said once, and who prints is heard from each.
        assert server.process.stderr.count("serving http://") == 1
        assert re.search(
            r"serving http://127\.0\.0\.1:\d+/mcp with 2 workers", server.process.stderr
        )
        assert "Traceback" not in server.process.stderr


def test_a_worker_that_dies_is_replaced_and_the_others_answer_meanwhile(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        before = answering(server, 2)
        killed = min(before)
        os.kill(killed, signal.SIGKILL)
        assert result_of(call(server, "process")) in before - {killed} | {
            worker.pid for worker in workers_of(server)
        }
        until(lambda: len({worker.pid for worker in workers_of(server)} - {killed}) == 2)
        after = answering(server, 2)
        assert killed not in after
        assert max(before) in after
        assert "was ended by SIGKILL; another takes its place" in server.process.stderr


def test_a_function_that_ends_its_process_costs_one_call(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        with pytest.raises(ConnectionError):
            call(server, "die")
        assert result_of(call(server, "process")) > 0
        until(lambda: len(workers_of(server)) == 2)
        until(lambda: "ended with status 7" in server.process.stderr)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_every_worker_answer_what_it_runs(number: int, tmp_path: Path) -> None:
    with served(tmp_path) as server:
        answering(server, 2)
        answers: list[Answer] = []
        calls = [
            threading.Thread(target=lambda: answers.append(call(server, "wait", seconds=1.5)))
            for _ in range(8)
        ]
        for each in calls:
            each.start()
        time.sleep(0.5)
        workers = workers_of(server)
        server.process.signal(number)
        for each in calls:
            each.join(DEADLINE_SECONDS)
        assert [text_of(answer) for answer in answers] == ["waited"] * 8
        assert server.process.wait() == 0
        assert not any(worker.is_running() for worker in workers)


def test_a_second_signal_does_not_wait(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        waiting = threading.Thread(target=lambda: _ignoring(call, server, "wait", seconds=20))
        waiting.start()
        time.sleep(0.5)
        begun = time.monotonic()
        server.process.signal(signal.SIGTERM)
        time.sleep(0.3)
        server.process.signal(signal.SIGTERM)
        assert server.process.wait() == 0
        assert time.monotonic() - begun < 6
        waiting.join(DEADLINE_SECONDS)


def _ignoring(function: Callable[..., object], *args: Any, **kwargs: Any) -> None:
    try:
        function(*args, **kwargs)
    except (OSError, http.client.HTTPException):  # the connection is cut on purpose
        return


def test_workers_do_not_outlive_their_supervisor(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        workers = workers_of(server)
        server.process.process.kill()
        gone, left = psutil.wait_procs(workers, timeout=DEADLINE_SECONDS)
        assert (len(gone), left) == (2, [])


def test_a_hang_up_signal_puts_fresh_workers_in_place_without_a_lost_call(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        before = answering(server, 2)
        (tmp_path / "served_by_workers.py").write_text(
            APP.replace('"waited"', '"waited anew"'), "utf-8"
        )
        answers: list[Answer] = []
        ends = threading.Event()

        def keep_calling() -> None:
            while not ends.is_set():
                answers.append(call(server, "process"))

        calling = threading.Thread(target=keep_calling)
        calling.start()
        server.process.signal(signal.SIGHUP)
        until(lambda: "all workers are fresh" in server.process.stderr)
        until(lambda: not before & {worker.pid for worker in workers_of(server)})
        ends.set()
        calling.join(DEADLINE_SECONDS)
        assert {answer.status for answer in answers} == {200}
        assert text_of(call(server, "wait", seconds=0)) == "waited anew"


def test_where_there_is_a_terminal_a_hang_up_signal_ends_the_server(tmp_path: Path) -> None:
    ours, terminal = os.openpty()
    words = ("run", write_app(tmp_path), "--http", "0", "--workers", "2")
    with http_server("-m", "appfunctions_mcp", *words, stdin=terminal, cwd=tmp_path) as server:
        server.process.signal(signal.SIGHUP)
        assert server.process.wait() == 0
    os.close(ours)
    os.close(terminal)


def test_a_hang_up_signal_changes_nothing_where_the_app_is_broken(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        before = answering(server, 2)
        (tmp_path / "served_by_workers.py").write_text("def broken(:\n", "utf-8")
        server.process.signal(signal.SIGHUP)
        until(lambda: "those that were there go on" in server.process.stderr)
        assert "served_by_workers cannot be imported" in server.process.stderr
        assert answering(server, 2) == before


def test_a_confirmation_from_one_worker_holds_in_another_and_once(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        processes = set()
        for number in range(200):
            first = call(server, "wipe", name=f"n{number}").message["result"]
            token = first["_meta"]["appfunctions/error"]["confirmation"]
            processes.add(result_of(call(server, "process")))
            done = call(server, "wipe", name=f"n{number}", confirmation=token).message["result"]
            assert done["content"][0]["text"] == f"wiped n{number}"
            again = call(server, "wipe", name=f"n{number}", confirmation=token).message["result"]
            assert again["isError"] is True
            if number >= 12 and len(processes) == 2:
                break
        assert len(processes) == 2


def test_metrics_are_those_of_all_workers_and_no_total_ever_falls(tmp_path: Path) -> None:
    def calls_of(function: str) -> int:
        text = server.ask("GET", "/metrics").body.decode()
        found = re.findall(
            rf'^appfunctions_calls_total{{.*#{function}",outcome="success"}} (\d+)$',
            text,
            re.MULTILINE,
        )
        assert len(found) == 1, text
        assert text.count("# TYPE appfunctions_calls_total counter") == 1
        return int(found[0])

    with served(tmp_path) as server:
        before = answering(server, 2)
        made = calls_of("process")
        for number in range(20):
            call(server, "process")
            assert calls_of("process") == made + number + 1
        made = calls_of("process")
        os.kill(min(before), signal.SIGKILL)
        assert calls_of("process") == made
        until(lambda: "another takes its place" in server.process.stderr)
        until(lambda: min(before) not in {worker.pid for worker in workers_of(server)})
        assert calls_of("process") == made
        server.process.signal(signal.SIGHUP)
        until(lambda: "all workers are fresh" in server.process.stderr)
        until(lambda: max(before) not in {worker.pid for worker in workers_of(server)})
        assert calls_of("process") == made


def test_workers_give_back_what_a_peak_has_taken_as_the_user_wants_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MALLOC_MMAP_THRESHOLD_", "99999")
    with served(tmp_path) as server:
        answering(server, 2)
        variables = workers_of(server)[0].environ()
    assert variables["MALLOC_MMAP_THRESHOLD_"] == "99999"
    assert variables["MALLOC_TRIM_THRESHOLD_"] == "65536"


def test_what_is_switched_off_is_off_in_every_worker(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        answering(server, 2)
        words = ["set-enabled", str(tmp_path / "app_metadata.xml"), "wait", "disable"]
        words += ["--state-file", str(tmp_path / "state.json")]
        with stdio_server("-m", "appfunctions_mcp", *words, cwd=tmp_path) as command:
            assert command.wait() == 0
        for _ in range(20):
            result = call(server, "wait", seconds=0).message["result"]
            assert result["_meta"]["appfunctions/error"]["type"] == "AppFunctionDisabledException"


def test_an_app_that_cannot_be_served_is_told_once_and_ends_with_its_status(tmp_path: Path) -> None:
    file = write_app(tmp_path, "def broken(:\n")
    words = ("run", file, "--http", "0", "--workers", "3")
    with stdio_server("-m", "appfunctions_mcp", *words, cwd=tmp_path) as server:
        assert server.wait() == 2
        assert server.stderr.count("cannot be imported") == 1


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (("--workers", "2"), "--workers needs --http"),
        (("--http", "0", "--workers", "2", "--sessions"), "a session lives in one process"),
        (("--http", "0", "--workers", "0"), "--workers: '0' is not accepted"),
        (("--http", "0.0.0.0:0", "--workers", "2"), "can be reached from other machines"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    options: tuple[str, ...], fault: str, tmp_path: Path
) -> None:
    with stdio_server(
        "-m", "appfunctions_mcp", "run", write_app(tmp_path), *options, cwd=tmp_path
    ) as server:
        assert server.wait() == 2
        assert fault in server.stderr
        assert "Traceback" not in server.stderr


def test_the_variable_of_the_workers_is_not_for_others(tmp_path: Path) -> None:
    words = ("-m", "appfunctions_mcp", "run", write_app(tmp_path), "--http", "0")
    with stdio_server(*words, env={"APPFUNCTIONS_WORKER": "1234"}, cwd=tmp_path) as server:
        assert server.wait() == 2
        assert server.stderr.startswith("APPFUNCTIONS_WORKER is for the workers")


@pytest.mark.parametrize(
    ("status", "text"),
    [(0, "ended with status 0"), (-9, "was ended by SIGKILL"), (-200, "was ended by signal 200")],
)
def test_the_end_of_a_worker_is_told_in_words(status: int, text: str) -> None:
    assert told_status(status) == text


def test_no_child_of_a_function_inherits_the_link(tmp_path: Path) -> None:
    app = APP + (
        "\nimport subprocess, sys\n"
        "@app_function\ndef inherited() -> str:\n    '''Tells what a child gets.'''\n"
        "    code = 'import os, json; print(json.dumps(["
        'os.environ.get("APPFUNCTIONS_WORKER"), sorted(os.listdir("/proc/self/fd"))]))\'\n'
        "    return subprocess.run([sys.executable, '-c', code], capture_output=True, text=True)"
        ".stdout\n"
    )
    write_app(tmp_path)
    if not Path("/proc/self/fd").exists():
        pytest.skip("no /proc")
    with served(tmp_path) as server:
        (tmp_path / "served_by_workers.py").write_text(app, "utf-8")
        server.process.signal(signal.SIGHUP)
        until(lambda: "all workers are fresh" in server.process.stderr)
        variable, descriptors = json.loads(
            call(server, "inherited").message["result"]["content"][0]["text"]
        )
        assert variable is None
        assert len(descriptors) == 4
