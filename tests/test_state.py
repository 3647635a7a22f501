"""What every state store does, and what the file adds: other processes, kills, faults."""

import json
import os
import random
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from appfunctions_mcp.exceptions import StateFileError
from appfunctions_mcp.metadata import AppFunctionState
from appfunctions_mcp.state import InMemoryStateStore, JsonFileStateStore, StateStore

DEFAULT, ENABLED, DISABLED = (
    AppFunctionState.DEFAULT,
    AppFunctionState.ENABLED,
    AppFunctionState.DISABLED,
)
NewStore = Callable[[Path], StateStore]
# Writes a state a thousand times, telling each one that was written.
WRITER = """
import sys
from pathlib import Path
from appfunctions_mcp.metadata import AppFunctionState as S
from appfunctions_mcp.state import JsonFileStateStore
store = JsonFileStateStore(Path(sys.argv[1]))
first, last = int(sys.argv[3]), int(sys.argv[4])
for number in range(first, last):
    store.write(f"{sys.argv[2]}#{number}", S.ENABLED if number % 2 else S.DISABLED)
    print(number, flush=True)
"""


def unwritable_store(folder: Path) -> JsonFileStateStore:
    """A store whose folder would be below a plain file."""
    (folder / "file").write_text("")
    return JsonFileStateStore(folder / "file" / "state.json")


every_store = pytest.mark.parametrize(
    "new_store",
    [
        pytest.param(lambda _: InMemoryStateStore(), id="memory"),
        pytest.param(lambda folder: JsonFileStateStore(folder / "s" / "state.json"), id="file"),
        pytest.param(unwritable_store, id="unwritable file"),
    ],
)


def start_writer(path: Path, name: str, first: int, last: int) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), name, str(first), str(last)],
        stdout=subprocess.PIPE,
        text=True,
    )


def expected_state(number: int) -> AppFunctionState:
    return ENABLED if number % 2 else DISABLED


@every_store
def test_nothing_is_set_at_first(tmp_path: Path, new_store: NewStore) -> None:
    store = new_store(tmp_path)

    assert store.read() == {}
    assert store.read() is store.read()


@every_store
def test_a_state_is_read_back(tmp_path: Path, new_store: NewStore) -> None:
    store = new_store(tmp_path)

    store.write("m#a", DISABLED)
    store.write("m#b", ENABLED)

    assert store.read() == {"m#a": DISABLED, "m#b": ENABLED}


@every_store
def test_default_removes_what_was_set(tmp_path: Path, new_store: NewStore) -> None:
    """Android: setAppFunctionEnabled with DEFAULT returns to enabledByDefault."""
    store = new_store(tmp_path)
    store.write("m#a", DISABLED)
    store.write("m#b", DISABLED)

    store.write("m#a", DEFAULT)
    store.write("m#never_set", DEFAULT)

    assert store.read() == {"m#b": DISABLED}


@every_store
def test_the_last_write_holds(tmp_path: Path, new_store: NewStore) -> None:
    store = new_store(tmp_path)

    for state in (ENABLED, DISABLED, ENABLED):
        store.write("m#a", state)

    assert store.read() == {"m#a": ENABLED}


@every_store
def test_what_was_read_never_changes(tmp_path: Path, new_store: NewStore) -> None:
    store = new_store(tmp_path)
    store.write("m#a", ENABLED)
    before = store.read()

    store.write("m#b", ENABLED)

    assert before == {"m#a": ENABLED}
    assert store.read() is not before
    with pytest.raises(TypeError):
        before["m#a"] = DISABLED  # type: ignore[index] # what the test is about


@every_store
def test_writing_what_holds_already_changes_nothing(tmp_path: Path, new_store: NewStore) -> None:
    store = new_store(tmp_path)
    store.write("m#a", ENABLED)
    before = store.read()

    store.write("m#a", ENABLED)

    assert store.read() is before


@every_store
def test_every_store_says_where_it_keeps_states(tmp_path: Path, new_store: NewStore) -> None:
    store = new_store(tmp_path)
    store.write("m#a", ENABLED)

    assert store.describe().startswith("in memory") is not store.is_durable


@given(
    states=st.dictionaries(
        st.text(max_size=20) | st.characters(categories=["Cs"]), st.sampled_from(AppFunctionState)
    )
)
@settings(
    deadline=None,
    max_examples=30,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_any_function_id_survives_the_file(
    tmp_path: Path, states: dict[str, AppFunctionState]
) -> None:
    path = tmp_path / f"{uuid.uuid4()}.json"
    for function_id, state in states.items():
        JsonFileStateStore(path).write(function_id, state)

    kept = {name: state for name, state in states.items() if state is not DEFAULT}
    assert JsonFileStateStore(path).read() == kept


def test_the_file_is_json_with_a_version(tmp_path: Path) -> None:
    store = JsonFileStateStore(tmp_path / "state.json")

    store.write("m#a", DISABLED)

    assert json.loads(store.path.read_text()) == {"version": 1, "states": {"m#a": "disabled"}}
    assert store.describe() == f"in {store.path}"


def test_another_stores_change_is_read_at_once(tmp_path: Path) -> None:
    """F107: what was switched off must not run."""
    first, second = (JsonFileStateStore(tmp_path / "state.json") for _ in range(2))
    for number in range(30):
        first.write("m#a", expected_state(number))

        assert second.read() == {"m#a": expected_state(number)}
    first.path.unlink()

    assert second.read() == {}


def test_a_file_that_comes_and_goes_is_noticed_at_once(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    store, other = JsonFileStateStore(path), JsonFileStateStore(path)
    for writer in (other, store):
        assert not store.read()
        assert not store.read()
        writer.write("notes#create_note", AppFunctionState.DISABLED)
        assert store.read() == {"notes#create_note": AppFunctionState.DISABLED}
        path.unlink()
    assert not store.read()


def test_a_file_that_is_not_there_costs_no_exception(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = JsonFileStateStore(tmp_path / "state.json")
    store.read()
    monkeypatch.delattr(os, "stat")
    assert not store.read()


def test_an_unchanged_file_costs_one_stat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = JsonFileStateStore(tmp_path / "state.json")
    store.write("m#a", ENABLED)
    store.read()
    stats: list[str] = []

    def counted(path: str, stat: Callable[[str], os.stat_result] = os.stat) -> os.stat_result:
        stats.append(path)
        return stat(path)

    monkeypatch.setattr(os, "stat", counted)
    monkeypatch.setattr(Path, "read_bytes", None)
    store.read()

    assert stats == [str(store.path)]


def test_two_processes_that_write_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    writers = [start_writer(path, name, 0, 100) for name in ("a", "b")]

    for writer in writers:
        assert len(writer.communicate(timeout=100)[0].split()) == 100

    names = [f"{name}#{number}" for name in ("a", "b") for number in range(100)]
    assert JsonFileStateStore(path).read() == {n: expected_state(int(n[2:])) for n in names}


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL is POSIX's")
def test_a_writer_killed_at_any_moment_loses_no_acknowledged_change(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    written = 0
    moments = random.Random(7)  # noqa: S311 - moments, no secrets
    for _ in range(10):
        writer = start_writer(path, "m", written, written + 10_000)
        assert writer.stdout is not None
        told = [writer.stdout.readline() for _ in range(moments.randint(1, 25))]
        # Somewhere within the next write, which takes a millisecond or two.
        for _ in range(moments.randint(0, 60_000)):
            pass
        writer.send_signal(signal.SIGKILL)
        # Not communicate(), which would pass over the lines that readline has read ahead.
        with writer.stdout:
            told += writer.stdout.readlines()
        writer.wait(30)
        acknowledged = 1 + max(int(line) for line in told if line.endswith("\n"))

        states = JsonFileStateStore(path).read()

        written = len(states)
        assert written in {acknowledged, acknowledged + 1}
        assert states == {f"m#{n}": expected_state(n) for n in range(written)}
    JsonFileStateStore(path).write("m#after", ENABLED)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["state.json", "state.json.lock"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty"),
        ("{", "is no JSON"),
        ('{"version": 2, "states": {}}', "version 2, which a newer appfunctions-mcp wrote"),
        ('{"version": 1, "states": []}', "has a value that is no state"),
        ('{"version": 1, "states": {"m#a": "off"}}', "'off'"),
        ('{"version": 1, "states": {"m#a": {}}}', "has a value that is no state"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_and_left_as_it_is(
    tmp_path: Path, text: str, told: str
) -> None:
    path = tmp_path / "state.json"
    path.write_text(text)
    store = JsonFileStateStore(path)

    for _ in range(2):
        with pytest.raises(StateFileError, match=told) as fault:
            store.read()
        assert str(fault.value).startswith(f"{path}: this state file")
    with pytest.raises(StateFileError, match=told):
        store.write("m#a", ENABLED)
    assert path.read_text() == text

    path.write_text('{"version": 1, "states": {"m#a": "disabled"}}')
    assert store.read() == {"m#a": DISABLED}


def test_an_unwritable_place_means_memory_with_one_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = unwritable_store(tmp_path)

    store.write("m#a", DISABLED)
    store.write("m#b", ENABLED)
    store.write("m#b", DEFAULT)

    assert store.read() == {"m#a": DISABLED}
    assert not store.is_durable
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith(f"appfunctions-mcp: warning: {store.path} cannot be written")


def test_a_place_that_cannot_even_be_looked_into_means_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = JsonFileStateStore(tmp_path / ("n" * 1_000))

    assert store.read() == {}
    store.write("m#a", DISABLED)

    assert store.read() == {"m#a": DISABLED}
    assert capsys.readouterr().err.count("warning: ") == 1


def test_what_could_not_be_written_is_written_once_the_place_is_writable(tmp_path: Path) -> None:
    store = unwritable_store(tmp_path)
    store.write("m#a", DISABLED)
    (tmp_path / "file").unlink()

    store.write("m#b", ENABLED)

    assert store.is_durable
    assert JsonFileStateStore(store.path).read() == {"m#a": DISABLED, "m#b": ENABLED}


def test_another_change_of_the_file_does_not_hide_what_could_not_be_written(tmp_path: Path) -> None:
    store = JsonFileStateStore(tmp_path / "state.json")
    (tmp_path / "state.json.lock").mkdir()
    store.write("m#a", DISABLED)

    store.path.write_text('{"version": 1, "states": {"m#a": "enabled", "m#b": "enabled"}}')

    assert store.read() == {"m#a": DISABLED, "m#b": ENABLED}
