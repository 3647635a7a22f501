"""The end of a server process: on time, whatever runs.

Signals and the end of the parent process ask for it, `ExitDeadline` enforces it. None of this
touches the protocol.
"""

import asyncio
import logging
import os
import select
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType

EXIT_SECONDS = 1.9
"""How long an orderly end may take before the process is ended as it is."""
_PARENT_SECONDS = 2.0
END_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
"""What asks a server for its end, as far as the platform has it."""

log = logging.getLogger("appfunctions_mcp.server")


class ExitDeadline:
    """Ends the process when its orderly end takes too long: a stuck thread, a blocked loop.

    Args:
        seconds: From `arm` to the end.
    """

    def __init__(self, seconds: float = EXIT_SECONDS) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._armed = False

    def arm(self) -> None:
        """Starts the clock, once; it never stops, since what hangs may be the interpreter's end."""
        with self._lock:
            if self._armed:
                return
            self._armed = True
        threading.Thread(target=self._end_process, name="exit deadline", daemon=True).start()

    def arm_on_hangup(self, descriptor: int) -> None:
        """Arms when the other side of a pipe is closed, though the loop may be blocked."""
        if hasattr(select, "poll"):
            threading.Thread(
                target=self._await_hangup, args=(descriptor,), name="hang-up", daemon=True
            ).start()

    def _await_hangup(self, descriptor: int) -> None:
        poll = select.poll()
        poll.register(descriptor, getattr(select, "POLLRDHUP", 0))
        with suppress(OSError):
            while not any(e & ~select.POLLIN for _, e in poll.poll()):
                continue
            self.arm()

    def _end_process(self) -> None:
        time.sleep(self._seconds)
        os._exit(0)


@contextmanager
def stop_signals(stop: Callable[[], None], deadline: ExitDeadline) -> Iterator[None]:
    """While the block runs, a signal that asks for the end calls `stop` on the loop.

    A second signal ends the process at once. Signals can be had in the main thread only; in
    any other the block just runs.

    Args:
        stop: Begins the orderly end.
        deadline: Is armed, since the loop may be blocked by a function.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    asked = False

    def on_signal(_signal: int, _frame: FrameType | None) -> None:
        nonlocal asked
        if asked:
            os._exit(0)
        asked = True
        deadline.arm()
        loop.call_soon_threadsafe(stop)

    restore = take_signals(END_SIGNALS, on_signal)
    try:
        yield
    finally:
        if not asked:
            restore()


def take_signals(
    names: Sequence[str], handler: Callable[[int, FrameType | None], None]
) -> Callable[[], None]:
    """Has signals handled, in the main thread; what is returned gives them back.

    Args:
        names: Those of the platform are taken.
        handler: What is called with each.
    """
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {number: signal.signal(number, handler) for number in numbers}

    def restore() -> None:
        for number, earlier in before.items():
            signal.signal(number, earlier if earlier is not None else signal.SIG_DFL)

    return restore


def watch_parent(on_end: Callable[[], None]) -> None:
    """Calls `on_end` on the loop when the process that started this one has ended.

    Args:
        on_end: Begins the orderly end.
    """
    loop = asyncio.get_running_loop()

    def on_parent() -> None:
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(on_end)

    on_parent_end(on_parent)


def on_parent_end(on_end: Callable[[], None]) -> None:
    """Calls `on_end` in a thread when the process that started this one has ended.

    Clients leak handles of pipes, so that a server may never see the end of its input. Process
    ids are used again, so the parent's start time is compared too.

    Args:
        on_end: Begins the orderly end.
    """
    parent = os.getppid()
    if parent <= 1:
        log.warning("there is no parent process to watch; its end will not be noticed")
        return

    def await_end() -> None:
        _await_process_end(parent)
        on_end()

    threading.Thread(target=await_end, name="parent", daemon=True).start()


def _await_process_end(process_id: int) -> None:
    if hasattr(os, "pidfd_open"):
        try:
            descriptor = os.pidfd_open(process_id)
        except ProcessLookupError:
            return
        except OSError:
            _poll_process_end(process_id)
            return
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        poll.poll()
        os.close(descriptor)
        return
    _poll_process_end(process_id)


def _poll_process_end(process_id: int) -> None:
    import psutil

    try:
        process = psutil.Process(process_id)
        while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
            time.sleep(_PARENT_SECONDS)
    except psutil.NoSuchProcess:
        return
