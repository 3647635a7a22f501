"""Several worker processes behind one socket: started, replaced when they die, ended together.

The supervisor imports nothing of the app. It holds the listening socket, so that no connection
is refused while a worker is replaced: after its death, after a change of the app's files under
`--watch`, or when a hang-up signal asks for fresh workers.
"""

import asyncio
import logging
import os
import secrets
import signal
import socket
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

from appfunctions_mcp.server.event_loop import run_to_end
from appfunctions_mcp.server.shutdown import END_SIGNALS, take_signals
from appfunctions_mcp.server.watched_files import WatchedFiles
from appfunctions_mcp.server.worker_metrics import MetricsText
from appfunctions_mcp.server.worker_process import WorkerProcess, start_worker, told_status

END_SECONDS = 15.0
"""How long workers may take to answer what they run; more than they give themselves."""
_RESTART_SECONDS = 1.0
"""A place gets a new worker this often at most."""

log = logging.getLogger("appfunctions_mcp.server")


class Supervisor:
    """Keeps a number of workers serving one socket.

    Args:
        command: What starts a worker: the command that started this process.
        listening: What they serve; closed when the server ends.
        count: How many.
        state_keys: Secrets of this server; random ones for its workers when there are none.
        on_ready: Is told what the first worker says of its app, when all of them serve.
        tell: Shows a line to the person who changes the app's files.
        files: Fresh workers are started when any of these changes.
    """

    def __init__(
        self,
        command: Sequence[str],
        listening: socket.socket,
        *,
        count: int,
        state_keys: Sequence[str] = (),
        on_ready: Callable[[dict[str, Any]], None] = lambda _: None,
        tell: Callable[[str], None] = log.info,
        files: WatchedFiles | None = None,
    ) -> None:
        self._command = command
        self._listening = listening
        self._count = count
        self._state_keys = state_keys or (secrets.token_urlsafe(32),)
        self._on_ready = on_ready
        self._tell = tell
        self._files = files
        self._serving: dict[int, WorkerProcess] = {}
        """The worker of each place that takes requests."""
        self._alive: set[WorkerProcess] = set()
        """These, and those that start or end."""
        self._tasks: set[asyncio.Task[Any]] = set()
        self._placing = asyncio.Lock()
        self._past = MetricsText()
        self._last_status = 1
        self._status = 0
        self._has_terminal = False

    def run(self) -> int:
        """Serves until a signal comes.

        Returns:
            The exit status: 0 after a signal, the workers' own where none can be started.
        """
        return run_to_end(self._run())

    async def _run(self) -> int:
        self._ending = asyncio.Event()
        with self._signals():
            self._do(self._begin())
            await self._ending.wait()
            self._listening.close()
            await self._end_all()
        return self._status

    async def _begin(self) -> None:
        # One worker comes first: what is wrong with the app is told once.
        said = await self._placed(1, is_first=True)
        while said is None and self._files is not None:
            self._tell("the app cannot be served; waiting for a change of its files")
            self._tell(f"{', '.join(await self._files.changed())} changed; starting the app")
            said = await self._placed(1, is_first=True)
        if said is None:
            self._give_up()
            return
        await asyncio.gather(*(self._placed(n) for n in range(2, self._count + 1)))
        self._on_ready(said)
        if self._files is not None:
            await self._follow(self._files)

    async def _follow(self, files: WatchedFiles) -> None:
        while True:
            self._tell(f"{', '.join(await files.changed())} changed; starting the app anew")
            if await self._renew():
                self._tell("the app has been started anew")
            else:
                self._tell("the app cannot be started anew; what was served goes on")

    async def _renew(self) -> bool:
        """Puts a fresh worker in each place, one after the other, each before the old one goes."""
        async with self._placing:
            for number in range(1, self._count + 1):
                if await self._placed(number, is_first=number == 1) is None:
                    return False
        return True

    async def _renew_on_signal(self) -> None:
        log.info("a hang-up signal asks for fresh workers")
        if await self._renew():
            log.info("all workers are fresh")
        else:
            log.error("no fresh worker can be started; those that were there go on")

    async def _placed(self, number: int, *, is_first: bool = False) -> dict[str, Any] | None:
        """Starts a worker and gives it a place; None when it ends before it serves."""
        worker = await start_worker(
            self._command,
            number,
            self._listening,
            self._metrics,
            state_keys=self._state_keys,
            is_first=is_first,
        )
        self._alive.add(worker)
        if self._ending.is_set():
            worker.end()
        said = await worker.ready()
        if said is None:
            self._alive.discard(worker)
            self._last_status = max(await worker.ended(), 0) or 1
            return None
        before = self._serving.get(number)
        self._serving[number] = worker
        self._do(self._keep(worker))
        if before is not None:
            before.end()
            await before.closed()
        return said

    async def _keep(self, worker: WorkerProcess) -> None:
        """Waits for the end of a worker, and replaces one that has died."""
        status = await worker.ended()
        self._alive.discard(worker)
        self._past.add(worker.metrics, totals_only=True)
        if worker.is_retired or self._ending.is_set():
            return
        del self._serving[worker.number]
        log.error(
            "worker %d (process %d) %s; another takes its place",
            worker.number,
            worker.process_id,
            told_status(status),
        )
        async with self._placing:
            await self._replace(worker)

    async def _replace(self, worker: WorkerProcess) -> None:
        begun = worker.started_at
        while worker.number not in self._serving:
            await asyncio.sleep(begun + _RESTART_SECONDS - time.monotonic())
            begun = time.monotonic()
            if await self._placed(worker.number) is None and not self._serving:
                log.error("no worker is left, and none can be started")
                self._give_up()
                return

    def _give_up(self) -> None:
        self._status = self._last_status
        self._ending.set()

    async def _end_all(self) -> None:
        for task in self._tasks:
            task.cancel()
        workers = tuple(self._alive)
        for worker in workers:
            worker.end()
        if workers:
            ends = [asyncio.create_task(worker.ended()) for worker in workers]
            _, late = await asyncio.wait(ends, timeout=END_SECONDS)
            for worker in workers if late else ():
                worker.kill()

    async def _metrics(self, asking: WorkerProcess) -> str:
        """What all workers have counted, those that have ended included."""
        others = [worker for worker in self._alive if worker is not asking]
        texts = await asyncio.gather(*(worker.collect() for worker in others))
        return str(MetricsText(str(self._past), asking.metrics, *texts))

    def _do(self, what: Coroutine[Any, Any, object]) -> None:
        task = asyncio.create_task(what)
        self._tasks.add(task)
        task.add_done_callback(self._has_done)

    def _has_done(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (fault := task.exception()) is not None:
            log.error("the supervisor has failed; the server ends", exc_info=fault)
            self._give_up()

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """Takes signals: the first asks for the end, a second does not wait for calls.

        A hang-up asks for fresh workers, unless there is a terminal: then it has gone.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        loop = asyncio.get_running_loop()
        self._has_terminal = any(os.isatty(descriptor) for descriptor in range(3))

        def hear(number: int, _frame: FrameType | None) -> None:
            loop.call_soon_threadsafe(self._hear_signal, number)

        restore = take_signals(END_SIGNALS, hear)
        try:
            yield
        finally:
            restore()

    def _hear_signal(self, number: int) -> None:
        if self._ending.is_set():
            for worker in tuple(self._alive):
                worker.hurry()
        elif number == getattr(signal, "SIGHUP", None) and not self._has_terminal:
            self._do(self._renew_on_signal())
        else:
            self._ending.set()
