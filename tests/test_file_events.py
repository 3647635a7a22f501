"""A watched file tells of its changes, whoever makes them and however."""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from appfunctions_mcp.file_events import FileWatch, watch_file
from appfunctions_mcp.metadata import AppFunctionState
from appfunctions_mcp.state import InMemoryStateStore, JsonFileStateStore, watching_soon

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file events here"),
]


class Watched:
    """A watched file, and whether it was told to have changed."""

    def __init__(self, path: Path) -> None:
        self.changed = asyncio.Event()
        watch = watch_file(path, self.changed.set)
        assert watch is not None
        self.watch: FileWatch = watch

    async def expect_change(self) -> None:
        async with asyncio.timeout(10):
            await self.changed.wait()
        self.changed.clear()

    async def expect_none(self) -> None:
        """Lets the loop poll its descriptors: an event would be there already."""
        for _ in range(5):
            await asyncio.sleep(0)
        assert not self.changed.is_set()


def replace(path: Path) -> None:
    path.with_suffix(".tmp").write_text("new")
    path.with_suffix(".tmp").replace(path)


def move_away(path: Path) -> None:
    path.rename(path.with_suffix(".old"))


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(replace, id="replaced"),
        pytest.param(lambda path: path.write_text("more than before"), id="written in place"),
        pytest.param(Path.unlink, id="removed"),
        pytest.param(move_away, id="moved away"),
    ],
)
async def test_every_way_to_change_a_file_is_told(
    tmp_path: Path, change: Callable[[Path], object]
) -> None:
    path = tmp_path / "a.json"
    path.write_text("old")
    watched = Watched(path)

    change(path)
    await watched.expect_change()

    # Made anew, whatever became of it.
    replace(path)
    await watched.expect_change()
    watched.watch.close()


async def test_a_file_that_is_made_later_is_told(tmp_path: Path) -> None:
    watched = Watched(tmp_path / "a.json")

    (tmp_path / "a.json").write_text("x")

    await watched.expect_change()
    watched.watch.close()


async def test_other_files_of_the_folder_are_not_told(tmp_path: Path) -> None:
    watched = Watched(tmp_path / "a.json")

    (tmp_path / "a.json.lock").write_text("x")
    (tmp_path / "b.json").write_text("x")
    (tmp_path / "b.json").unlink()

    await watched.expect_none()
    watched.watch.close()


async def test_the_end_of_the_folder_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.json").write_text("x")
    watched = Watched(folder / "a.json")

    (folder / "a.json").unlink()
    folder.rmdir()

    await watched.expect_change()
    watched.watch.close()


async def test_a_file_behind_a_link_is_told(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "a.json"
    link.symlink_to(tmp_path / "real" / "a.json")
    watched = Watched(link)

    replace(tmp_path / "real" / "a.json")

    await watched.expect_change()
    watched.watch.close()


async def test_nothing_is_told_after_the_watch_was_closed(tmp_path: Path) -> None:
    watched = Watched(tmp_path / "a.json")
    replace(tmp_path / "a.json")

    watched.watch.close()
    watched.watch.close()

    await watched.expect_none()


async def test_a_place_without_a_folder_has_no_watch(tmp_path: Path) -> None:
    descriptors = len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0  # noqa: PTH208 - counted

    assert watch_file(tmp_path / "none" / "a.json", lambda: None) is None

    if sys.platform == "linux":
        assert len(os.listdir("/proc/self/fd")) == descriptors  # noqa: PTH208 - counted


@pytest.mark.skipif(sys.platform != "linux", reason="reads inotify")
async def test_an_event_that_was_read_already_is_no_fault(tmp_path: Path) -> None:
    watched = Watched(tmp_path / "a.json")

    watched.watch._read()  # type: ignore[attr-defined] # the loop's reader

    await watched.expect_none()
    watched.watch.close()


@pytest.mark.skipif(sys.platform != "linux", reason="the number of descriptors is POSIX's")
async def test_where_descriptors_are_used_up_there_is_no_watch(tmp_path: Path) -> None:
    import ctypes  # noqa: F401 - what the watch imports while files can be opened
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
    try:
        watch = watch_file(tmp_path / "a.json", lambda: None)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    assert watch is None


@pytest.mark.skipif(sys.platform != "linux", reason="counts descriptors")
def test_a_loop_without_readers_has_no_watch(tmp_path: Path) -> None:
    class NoReaders(asyncio.SelectorEventLoop):
        def add_reader(self, *_: object) -> None:
            raise NotImplementedError

    async def watched() -> FileWatch | None:
        before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - counted
        watch = watch_file(tmp_path / "a.json", lambda: None)
        assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208 - counted
        return watch

    with asyncio.Runner(loop_factory=NoReaders) as runner:
        # The loop's own descriptors are registered by a way of its own.
        assert runner.run(watched()) is None


def test_a_watch_may_be_closed_after_its_loop(tmp_path: Path) -> None:
    async def watched() -> FileWatch:
        return Watched(tmp_path / "a.json").watch

    watch = asyncio.run(watched())

    watch.close()


async def test_a_state_store_tells_of_another_process_change(tmp_path: Path) -> None:
    """F107: what another process switches off is announced at once."""
    path = tmp_path / "new folder" / "state.json"
    changed = asyncio.Event()
    store = JsonFileStateStore(path)
    watch = store.watch(changed.set)
    assert watch is not None
    code = (
        "import sys; from pathlib import Path; from appfunctions_mcp.metadata import *;"
        "from appfunctions_mcp.state import *;"
        "JsonFileStateStore(Path(sys.argv[1])).write('m#a', AppFunctionState.DISABLED)"
    )

    other = await asyncio.create_subprocess_exec(sys.executable, "-c", code, str(path))

    assert await other.wait() == 0
    async with asyncio.timeout(10):
        await changed.wait()
    assert store.read() == {"m#a": AppFunctionState.DISABLED}
    watch.close()


async def test_what_no_other_process_can_change_is_not_watched(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    assert InMemoryStateStore().watch(lambda: None) is None
    assert JsonFileStateStore(tmp_path / "file" / "state.json").watch(lambda: None) is None


async def test_a_service_watches_once_its_client_had_its_answers(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    changed = asyncio.Event()
    store = JsonFileStateStore(path)

    with watching_soon(store, changed.set):
        assert not changed.is_set()
        async with asyncio.timeout(10):
            await changed.wait()  # it has begun, and told what may have changed before
        changed.clear()
        store.write("m#a", AppFunctionState.DISABLED)
        async with asyncio.timeout(10):
            await changed.wait()
    changed.clear()
    store.write("m#a", AppFunctionState.ENABLED)
    await asyncio.sleep(0)
    assert not changed.is_set()
