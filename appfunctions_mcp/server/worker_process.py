"""One worker as its supervisor sees it: a process, and the link on which both tell each other."""

import asyncio
import json
import os
import signal
import socket
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

from appfunctions_mcp.server.worker_place import LONGEST_LINE, WORKER_VARIABLE

COLLECT_SECONDS = 1.0
"""How long a worker may take to say what it has counted; later, what it last said counts."""
CLOSE_SECONDS = 2.0
"""How long is waited for a worker that is replaced to take no connection any more."""

GIVES_MEMORY_BACK = {"MALLOC_TRIM_THRESHOLD_": "65536", "MALLOC_MMAP_THRESHOLD_": "65536"}
"""Variables by which glibc returns what a peak has taken; by itself it keeps more after each."""


class WorkerProcess:
    """A worker that was started.

    Args:
        number: Its place among the workers of the server.
        process: The process.
        link: The supervisor's end of the link.
        on_metrics: Answers a worker that asks what all workers have counted.
    """

    def __init__(
        self,
        number: int,
        process: asyncio.subprocess.Process,
        link: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        on_metrics: Callable[["WorkerProcess"], Awaitable[str]],
    ) -> None:
        self.number = number
        self.metrics = ""
        """What it has counted, as it last said."""
        self.is_retired = False
        """Whether its end is wanted."""
        self.started_at = time.monotonic()
        self._process = process
        self._reader, self._writer = link
        self._on_metrics = on_metrics
        self._ready: asyncio.Future[dict[str, Any] | None] = (
            asyncio.get_running_loop().create_future()
        )
        self._closed = asyncio.Event()
        self._collected: asyncio.Future[None] | None = None
        self._answers: set[asyncio.Task[None]] = set()
        self._hearing = asyncio.create_task(self._hear())

    @property
    def process_id(self) -> int:
        """The number of the process."""
        return self._process.pid

    async def ready(self) -> dict[str, Any] | None:
        """What it says of its app once it serves; None when it has ended before."""
        return await asyncio.shield(self._ready)

    async def ended(self) -> int:
        """The exit status, negative for a signal's number, once all that it said is heard."""
        status = await self._process.wait()
        await asyncio.wait({self._hearing})
        return status

    def end(self) -> None:
        """Asks it to end as soon as the calls that it runs are answered."""
        self.is_retired = True
        with suppress(ProcessLookupError):
            self._process.terminate()

    async def closed(self) -> None:
        """Waits until it takes no connection any more; not for ever, should its loop be held."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._closed.wait(), CLOSE_SECONDS)

    def hurry(self) -> None:
        """Asks it not to wait for the calls that it runs."""
        self._tell({"hurry": self.number})

    def kill(self) -> None:
        """Ends it at once."""
        with suppress(ProcessLookupError):
            self._process.kill()

    async def collect(self) -> str:
        """What it has counted up to now."""
        if not self._hearing.done() and self._ready.done():
            if self._collected is None:
                self._collected = asyncio.get_running_loop().create_future()
                self._tell({"collect": self.number})
            await asyncio.wait({self._collected}, timeout=COLLECT_SECONDS)
        return self.metrics

    async def _hear(self) -> None:
        with suppress(OSError):
            while line := await self._reader.readline():
                self._heard(json.loads(line))
        self._writer.close()
        self._closed.set()
        if not self._ready.done():
            self._ready.set_result(None)
        self._has_collected()

    def _heard(self, told: dict[str, Any]) -> None:
        self.metrics = told.get("metrics", told.get("last", self.metrics))
        if "ready" in told:
            self._ready.set_result(told["ready"])
        elif "closed" in told:
            self._closed.set()
        elif "collected" in told:
            self._has_collected()
        elif "ask" in told:
            answering = asyncio.create_task(self._answer(told["ask"]))
            self._answers.add(answering)
            answering.add_done_callback(self._answers.discard)

    async def _answer(self, number: int) -> None:
        self._tell({"answered": number, "metrics": await self._on_metrics(self)})

    def _has_collected(self) -> None:
        if self._collected is not None:
            self._collected.set_result(None)
            self._collected = None

    def _tell(self, what: dict[str, Any]) -> None:
        self._writer.write(json.dumps(what).encode() + b"\n")


async def start_worker(
    command: Sequence[str],
    number: int,
    listening: socket.socket,
    on_metrics: Callable[[WorkerProcess], Awaitable[str]],
    *,
    state_keys: Sequence[str],
    is_first: bool,
) -> WorkerProcess:
    """Starts a worker, in a process group of its own: Ctrl+C is for the supervisor alone.

    Args:
        command: The command that started the supervisor.
        number: The worker's place among the workers of the server.
        listening: The socket that it serves.
        on_metrics: Answers a worker that asks what all workers have counted.
        state_keys: The secrets that all workers share.
        is_first: Whether it is the first worker of the server.
    """
    ours, theirs = socket.socketpair()
    with theirs:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            pass_fds=(listening.fileno(), theirs.fileno()),
            env={**GIVES_MEMORY_BACK, **os.environ, WORKER_VARIABLE: str(theirs.fileno())},
            process_group=0,
        )
    link = await asyncio.open_connection(sock=ours, limit=LONGEST_LINE)
    place = {
        "number": number,
        "first": is_first,
        "listening": listening.fileno(),
        "state_keys": list(state_keys),
    }
    link[1].write(json.dumps(place).encode() + b"\n")
    return WorkerProcess(number, process, link, on_metrics)


def told_status(status: int) -> str:
    """How a process has ended, in words.

    Args:
        status: As `ended` gives it.
    """
    if status >= 0:
        return f"ended with status {status}"
    with suppress(ValueError):
        return f"was ended by {signal.Signals(-status).name}"
    return f"was ended by signal {-status}"
