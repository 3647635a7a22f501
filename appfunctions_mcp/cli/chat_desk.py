"""The event loop of a conversation beside the person who types.

The main thread reads, since only there a terminal's line editing and Ctrl+C work as they do
everywhere; a second thread has the event loop, which so never waits for a key.
"""

import asyncio
import contextlib
import os
import queue
import signal
import socket
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from types import FrameType
from typing import Any

from appfunctions_mcp.server.event_loop import run_to_end

ENDING_SECONDS = 5.0
"""How long the event loop may take to end when the process is told to."""
_MOST_INTERRUPTS = 3
# Windows does not let Ctrl+C through while a thread waits without end.
_WAIT_SECONDS = 0.2 if os.name == "nt" else None

# A signal that comes just before a key or a pipe is waited for is passed over; a change of the
# window's size lets whoever waits look again, and does nothing else.
_NUDGE = getattr(signal, "SIGWINCH", None)
_NUDGE_SECONDS = 0.1

_Answer = asyncio.Future[str | None]


class Interrupted(Exception):  # noqa: N818 - it tells of a key, not of a fault
    """The person pressed Ctrl+C instead of typing a line."""


class Desk:
    """Where a conversation asks the person at the terminal.

    Args:
        read_line: Shows a prompt and reads a line on the main thread; None at the end of input.
    """

    def __init__(self, read_line: Callable[[str], str | None]) -> None:
        self.on_interrupt: Callable[[], object] = self._cancel
        """Called on the event loop at Ctrl+C while nothing is read."""
        self._read_line = read_line
        self._jobs: queue.Queue[tuple[str, _Answer] | None] = queue.Queue()
        self._outcome: Future[int] = Future()
        self._is_started = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Any] | None = None
        self._is_reading = False
        self._is_asked = False
        """Whether a line is wanted that the main thread has not begun to read."""
        self._is_cut = False
        """Whether Ctrl+C came meanwhile."""
        self._is_over = False
        """Whether the conversation has ended, so that no line is wanted any more."""
        self._is_served = threading.Event()
        self._interrupts = 0
        self._woken, self._waking = socket.socketpair()

    async def ask(self, prompt: str) -> str | None:
        """Reads a line, while the event loop goes on; None at the end of input.

        Raises:
            Interrupted: Ctrl+C was pressed.
        """
        answer: _Answer = asyncio.get_running_loop().create_future()
        self._is_asked = True
        self._jobs.put((prompt, answer))
        return await answer

    def run(self, body: Callable[[], Coroutine[Any, Any, int]]) -> int:
        """Runs a conversation to its end, and reads for it meanwhile.

        Args:
            body: The conversation, run on an event loop of its own.

        Returns:
            What the body returned.

        Raises:
            KeyboardInterrupt: Ctrl+C ended it.
        """
        with self._woken, self._waking:
            return self._run(body)

    def _run(self, body: Callable[[], Coroutine[Any, Any, int]]) -> int:
        thread = threading.Thread(target=self._run_loop, args=(body,), daemon=True)
        with self._signals():
            thread.start()
            self._is_started.wait()
            try:
                self._serve()
            except BaseException:
                self._call(self._cancel)
                thread.join(ENDING_SECONDS)
                raise
        thread.join()
        try:
            return self._outcome.result()
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None

    def _run_loop(self, body: Callable[[], Coroutine[Any, Any, int]]) -> None:
        async def started() -> int:
            self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
            if _NUDGE is not None:
                self._loop.add_reader(self._woken, self._signalled)
            self._is_started.set()
            return await body()

        try:
            self._outcome.set_result(run_to_end(started()))
        except BaseException as fault:  # noqa: BLE001 - raised by `run`, on the main thread
            self._outcome.set_exception(fault)
        finally:
            self._is_started.set()
            self._end_reading()

    def _end_reading(self) -> None:
        """Lets the main thread go on, also where it reads a line that nobody wants any more."""
        self._is_over = True
        main = threading.main_thread().ident
        if self._is_reading and _NUDGE is not None and main is not None:
            signal.pthread_kill(main, signal.SIGINT)
        self._jobs.put(None)
        while not self._is_served.wait(_NUDGE_SECONDS):
            self._nudge()

    def _serve(self) -> None:
        """Reads whatever is asked for, until the conversation ends."""
        try:
            self._serve_jobs()
        finally:
            self._is_served.set()

    def _serve_jobs(self) -> None:
        while True:
            try:
                job = self._jobs.get(timeout=_WAIT_SECONDS)
            except queue.Empty:
                continue
            if job is None:
                return
            self._interrupts = 0
            prompt, answer = job
            try:
                line = self._read(prompt)
            except KeyboardInterrupt:
                self._is_reading = False
                self._call(_fail, answer, Interrupted())
            else:
                self._call(_settle, answer, line)

    def _read(self, prompt: str) -> str | None:
        self._is_reading = True
        try:
            self._is_asked = False
            if self._is_cut or self._is_over:
                raise KeyboardInterrupt
            return self._read_line(prompt)
        except EOFError:
            return None
        finally:
            self._is_reading = self._is_cut = False

    def _call(self, function: Callable[..., object], *arguments: Any) -> None:
        """Lets the event loop call a function, where it is still there."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # it has been closed
                self._loop.call_soon_threadsafe(function, *arguments)

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        """While the block runs, Ctrl+C is ours, and an order to end lets everything be closed."""
        before: dict[int, Any] = {}
        for stream in (self._woken, self._waking):
            stream.setblocking(False)
        woken_before = signal.set_wakeup_fd(self._waking.fileno(), warn_on_full_buffer=False)
        reactions = [("SIGINT", self._interrupt), ("SIGTERM", _end), ("SIGHUP", _end)]
        if "readline" not in sys.modules:  # which has its own, and draws the line anew
            reactions.append(("SIGWINCH", _look_again))
        for name, react in reactions:
            number = getattr(signal, name, None)  # Windows has no SIGHUP
            if number is not None:
                before[number] = signal.signal(number, react)
        try:
            yield
        finally:
            for number, reaction in before.items():
                signal.signal(number, reaction)
            signal.set_wakeup_fd(woken_before)

    def _signalled(self) -> None:
        """A signal has come, of which the main thread may not know."""
        signals = b""
        with contextlib.suppress(OSError):  # nothing to read: it has been read already
            signals = self._woken.recv(64)
        if any(number != _NUDGE for number in signals):
            asyncio.get_running_loop().call_later(_NUDGE_SECONDS, self._nudge)

    def _nudge(self) -> None:
        main = threading.main_thread().ident
        if self._is_reading and _NUDGE is not None and main is not None:
            signal.pthread_kill(main, _NUDGE)

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        """Ends what is read; else tells the conversation, and ends it where it does not listen."""
        self._interrupts += 1
        if self._is_reading or self._interrupts >= _MOST_INTERRUPTS:
            raise KeyboardInterrupt
        if self._is_asked:
            self._is_cut = True
        else:
            self._call(self.on_interrupt)


def _look_again(_number: int, _frame: FrameType | None) -> None:
    """That it is called at all lets other signals be seen."""


def _end(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _settle(answer: _Answer, line: str | None) -> None:
    if not answer.done():
        answer.set_result(line)


def _fail(answer: _Answer, fault: Exception) -> None:
    if not answer.done():
        answer.set_exception(fault)
