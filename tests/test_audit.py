"""The audit log: one write a line, for its owner only, whole lines whatever happens."""

import asyncio
import json
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from appfunctions_mcp import AppFunctionService, AppFunctionState, app_function
from appfunctions_mcp.audit import REFUSALS_A_MINUTE, AuditLog, start_audit
from appfunctions_mcp.exceptions import AppFunctionException, SettingsError
from appfunctions_mcp.metadata import AppFunctionCaller
from appfunctions_mcp.requests import ExecuteAppFunctionRequest
from appfunctions_mcp.telemetry import ExecutionRecord

ANN = AppFunctionCaller("ann")
SCHEMA = {"properties": {"query": {}, "api_key": {}}, "additionalProperties": False}
RECORD = ExecutionRecord(
    "m#find",
    "success",
    1.23456,
    "ann",
    request_id=7,
    result_bytes=20,
    arguments={"query": "milk", "api_key": "CANARY", "made_up": "CANARY"},
    input_schema=SCHEMA,
)


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def make_service(*functions: Callable[..., Any]) -> AppFunctionService:
    return AppFunctionService.from_functions(functions, name="notes", description="Keeps notes.")


@app_function
def divide(number: int, secret_divisor: int) -> float:
    """Divides."""
    return number / secret_divisor


@app_function(access="admin")
def wipe() -> None:
    """Removes everything."""


def test_an_execution_is_one_line_without_its_arguments(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"

    AuditLog(path).execution(RECORD)

    (line,) = lines_of(path)
    assert line.pop("time").endswith("Z")
    assert line == {
        "event": "execution",
        "pid": os.getpid(),
        "kind": "function",
        "id": "m#find",
        "outcome": "success",
        "caller": "ann",
        "request_id": 7,
        "duration_ms": 1.235,
        "result_bytes": 20,
    }


def test_arguments_that_are_asked_for_are_redacted(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"

    AuditLog(path, log_arguments=True).execution(RECORD)

    assert lines_of(path)[0]["arguments"] == {
        "query": "milk",
        "api_key": "<redacted>",
        "made_up": "<redacted>",
    }


def test_arguments_that_json_cannot_hold_cost_no_line(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    endless = ExecutionRecord(
        "m#f", "error", 1, "ann", arguments={"query": float("inf")}, input_schema=SCHEMA
    )

    AuditLog(path, log_arguments=True).execution(endless)

    assert lines_of(path)[0]["arguments"].startswith("left out: ")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_the_file_is_for_its_owner_only_also_where_it_was_open_to_others(tmp_path: Path) -> None:
    fresh, open_to_all = tmp_path / "fresh.jsonl", tmp_path / "open.jsonl"
    open_to_all.write_text("")
    open_to_all.chmod(0o666)

    for path in (fresh, open_to_all):
        AuditLog(path).execution(RECORD)

        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_was_there_stays(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"

    AuditLog(path).execution(RECORD)
    AuditLog(path).execution(RECORD)

    assert len(lines_of(path)) == 2


@pytest.mark.parametrize("place", ["folder", "missing folder", "pipe", "file as a folder"])
def test_a_place_that_cannot_be_written_is_an_error_that_names_it(
    tmp_path: Path, place: str
) -> None:
    path = tmp_path / "place"
    if place == "folder":
        path.mkdir()
    elif place == "missing folder":
        path /= "audit.jsonl"
    elif place == "pipe":
        if os.name == "nt":
            pytest.skip("Windows has no pipes with names in folders")
        os.mkfifo(path)
    else:
        path.write_text("")
        path /= "audit.jsonl"

    with pytest.raises(SettingsError, match=r"--audit-file: .*place.* cannot be written"):
        AuditLog(path)


def test_a_file_that_has_grown_is_moved_aside(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    audit = AuditLog(path, max_bytes=1000, files_kept=2)

    for number in range(40):
        audit.execution(ExecutionRecord(f"m#f{number}", "success", 1, "ann"))

    kept = sorted(p.name for p in tmp_path.iterdir() if not p.name.endswith(".lock"))
    assert kept == ["audit.jsonl", "audit.jsonl.1", "audit.jsonl.2"]
    written = [lines_of(tmp_path / name) for name in reversed(kept)]
    ids = [line["id"] for lines in written for line in lines]
    assert ids == [f"m#f{number}" for number in range(40 - len(ids), 40)]
    assert all((tmp_path / name).stat().st_size <= 1000 for name in kept)
    if os.name != "nt":
        assert {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in kept} == {0o600}


def test_a_file_that_somebody_else_moved_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    audit = AuditLog(path)
    audit.execution(RECORD)

    path.rename(tmp_path / "yesterday.jsonl")
    audit.execution(RECORD)
    path.unlink()
    audit.execution(RECORD)

    assert len(lines_of(path)) == 1
    assert len(lines_of(tmp_path / "yesterday.jsonl")) == 1


WRITER = """
import sys
from pathlib import Path
from appfunctions_mcp.audit import AuditLog
from appfunctions_mcp.telemetry import ExecutionRecord

audit = AuditLog(Path(sys.argv[1]), max_bytes=20_000, files_kept=100)
for number in range(300):
    audit.execution(ExecutionRecord(f"{sys.argv[2]}-{number}", "success", 1, "x" * 50))
assert audit.failures == 0
"""


def test_several_processes_write_one_file_and_no_line_is_lost_or_cut(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), name]) for name in "abc"]
    assert [writer.wait(timeout=60) for writer in writers] == [0, 0, 0]

    files = [p for p in tmp_path.iterdir() if not p.name.endswith(".lock")]
    assert len(files) > 3
    ids = [line["id"] for file in files for line in lines_of(file)]
    assert sorted(ids) == sorted(f"{name}-{number}" for name in "abc" for number in range(300))


def test_threads_may_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    audit = AuditLog(path, max_bytes=5_000, files_kept=100)

    def write() -> None:
        for _ in range(100):
            audit.execution(RECORD)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    files = [p for p in tmp_path.iterdir() if not p.name.endswith(".lock")]
    assert sum(len(lines_of(file)) for file in files) == 400


def test_a_line_that_cannot_be_written_is_told_once_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "audit.jsonl"
    audit = AuditLog(path)
    path.unlink()
    path.mkdir()

    audit.execution(RECORD)
    audit.execution(RECORD)

    assert (audit.failures, audit.is_failing) == (2, True)
    told = capsys.readouterr().err
    assert told.count("could not be written") == 1
    assert f"{path}: a line of the audit log could not be written (it is no regular file)" in told

    path.rmdir()
    audit.execution(RECORD)

    assert (audit.failures, audit.is_failing) == (2, False)
    assert len(lines_of(path)) == 1


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from appfunctions_mcp.audit import AuditLog
from appfunctions_mcp.telemetry import ExecutionRecord

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
audit = AuditLog(Path(sys.argv[1]))
audit.execution(ExecutionRecord("m#first", "success", 1, "ann"))
size = audit.path.stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20, resource.RLIM_INFINITY))
audit.execution(ExecutionRecord("m#lost", "success", 1, "ann"))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
audit.execution(ExecutionRecord("m#last", "success", 1, "ann"))
print(audit.failures)
"""


@pytest.mark.skipif(os.name != "posix", reason="only there a file's size can be limited")
def test_a_line_that_was_cut_by_a_full_disk_does_not_swallow_the_next(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"

    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(path)],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip

    assert done.stdout == "1\n"
    assert "could not be written" in done.stderr
    first, cut, last = path.read_text().splitlines()
    assert json.loads(first)["id"] == "m#first"
    assert "m#lost" not in cut
    assert json.loads(last)["id"] == "m#last"


def test_a_service_tells_of_its_start_of_calls_of_denials_and_of_states(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    service = make_service(divide, wipe)
    start_audit(service, path)
    manager = service.manager

    def execute(name: str, **arguments: Any) -> None:
        try:
            asyncio.run(manager.execute(ExecuteAppFunctionRequest(name, arguments, ANN)))
        except AppFunctionException as failure:
            assert failure.kind  # noqa: PT017 - the log is what is looked at

    execute("divide", number=1, secret_divisor=2)
    execute("divide", number=1, secret_divisor=0)
    execute("divide", number="x", secret_divisor=0)
    execute("wipe")
    execute("made_up")
    manager.set_enabled("divide", AppFunctionState.DISABLED)
    execute("divide", number=1, secret_divisor=2)

    started, *lines = lines_of(path)
    assert (started["event"], started["server"], started["command"]) == ("started", "notes", "asgi")
    told = [(each["event"], each.get("outcome"), each.get("refusal")) for each in lines]
    assert told == [
        ("execution", "success", None),
        ("execution", "crash", None),
        ("execution", "error", None),
        ("denial", "error", "denied"),
        ("execution", "error", "unknown"),
        ("state", None, None),
        ("execution", "error", "disabled"),
    ]
    assert lines[1]["error_id"]
    assert lines[3]["id"] == f"{__name__}#wipe"
    assert (lines[5]["state"], lines[5]["is_enabled"]) == ("disabled", False)
    assert {each["caller"] for each in lines if "caller" in each} == {"ann"}
    assert not any("arguments" in each for each in lines)


def test_who_is_not_let_in_cannot_push_the_lines_of_others_out(tmp_path: Path) -> None:
    now = 600.0
    path = tmp_path / "audit.jsonl"
    audit = AuditLog(path, clock=lambda: now)
    audit.execution(RECORD)
    for _ in range(1_000):
        audit.refused(401, "unauthenticated", client="10.0.0.9", path="/mcp")
    audit.execution(RECORD)

    events = [line["event"] for line in lines_of(path)]
    assert events == ["execution", *["denial"] * REFUSALS_A_MINUTE, "execution"]

    now += 60
    audit.execution(RECORD)
    audit.refused(401, "unauthenticated", client="10.0.0.9", path="/mcp")

    told = lines_of(path)[len(events) :]
    assert [line["event"] for line in told] == ["denials", "execution", "denial"]
    assert told[0]["left_out"] == 1_000 - REFUSALS_A_MINUTE


def test_refusals_that_were_left_out_are_told_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    audit = AuditLog(path)
    for _ in range(3 * REFUSALS_A_MINUTE):
        audit.refused(401, "unauthenticated", client=None, path="/mcp")
    audit.close()

    written = lines_of(path)
    told = sum(line.get("left_out", 0) for line in written)
    assert told + sum(line["event"] == "denial" for line in written) == 3 * REFUSALS_A_MINUTE
