"""What is measured while functions block, while nothing happens, and at the end."""

import time
from dataclasses import dataclass
from typing import ClassVar

import messages
from apps import App
from commands import Fleet
from messages import HANDSHAKE
from probes import Effort, Figures, Probe, Repeated, Restarted
from stdio_client import StdioServer

_BUSY_CALLS = 45
_BUSY_MILLISECONDS = 300
_SETTLE_SECONDS = 0.08
"""How long after the calls a ping is sent: every server has started what it can by then."""
_AT_ONCE = 20
_AT_ONCE_MILLISECONDS = 100
_POLL_SECONDS = 5.0
_STUCK_MILLISECONDS = 20_000
_LONGEST_EXIT_SECONDS = 15


@dataclass(frozen=True)
class PingWhileBusy:
    """A ping while 45 functions block for 300 ms each."""

    most_rounds: ClassVar[int | None] = None

    def open(self, fleet: Fleet, server: str, _effort: Effort) -> Probe:
        """Starts the server and all its threads."""
        probe = Repeated(_opened(fleet, server), self._act)
        probe.burst()
        return probe

    def _act(self, server: StdioServer) -> Figures:
        call = messages.pause(_BUSY_MILLISECONDS)
        server.exchange(b"".join(server.requests(HANDSHAKE, call, _BUSY_CALLS)), 0)
        time.sleep(_SETTLE_SECONDS)
        number = server.next_number()
        begun = time.perf_counter()
        lines = server.exchange(messages.request(HANDSHAKE, number, "ping") + b"\n")
        while b'"structuredContent"' in lines[-1]:
            lines += server.exchange(b"")
        wall = time.perf_counter() - begun
        messages.result_of(lines.pop(), number)
        lines += server.exchange(b"", _BUSY_CALLS - len(lines))
        messages.check_calls(lines, call)
        return {"wall us": wall * 1e6}


@dataclass(frozen=True)
class BlockingAtOnce:
    """20 functions that block for 100 ms, called at once."""

    most_rounds: ClassVar[int | None] = None

    def open(self, fleet: Fleet, server: str, _effort: Effort) -> Probe:
        """Starts the server and all its threads."""
        probe = Repeated(_opened(fleet, server), self._act)
        probe.burst()
        return probe

    def _act(self, server: StdioServer) -> Figures:
        call = messages.pause(_AT_ONCE_MILLISECONDS)
        requests = b"".join(server.requests(HANDSHAKE, call, _AT_ONCE))
        begun = time.perf_counter()
        answers = server.exchange(requests, _AT_ONCE)
        wall = time.perf_counter() - begun
        messages.check_calls(answers, call)
        return {"wall ms": wall * 1e3}


@dataclass(frozen=True)
class IdlePolling:
    """CPU in 5 s in which a client asks once for resources and once for prompts."""

    most_rounds: ClassVar[int | None] = None

    def open(self, fleet: Fleet, server: str, _effort: Effort) -> Probe:
        """Starts the server and polls once."""
        started = StdioServer(fleet.command(server, App()))
        started.open(HANDSHAKE)
        return _Polled(started)


class _Polled:
    """Counts from poll to poll; servers wait side by side, so a round takes 5 s for all."""

    def __init__(self, server: StdioServer) -> None:
        self._server = server
        self._poll()

    def _poll(self) -> None:
        requests = [
            messages.request(HANDSHAKE, self._server.next_number(), method) + b"\n"
            for method in ("resources/list", "prompts/list")
        ]
        for each in requests:
            self._server.exchange(each)
        self._cpu, self._at = self._server.cpu(), time.monotonic()

    def burst(self) -> Figures:
        """Waits until it is time, then polls."""
        before = self._cpu
        time.sleep(max(0.0, self._at + _POLL_SECONDS - time.monotonic()))
        self._poll()
        return {"CPU us": (self._cpu - before) * 1e6}

    def close(self) -> None:
        """Ends the server."""
        self._server.close()


@dataclass(frozen=True)
class StuckExit:
    """From the end of input to the end of the process while a function blocks."""

    most_rounds: ClassVar[int | None] = 5

    def open(self, fleet: Fleet, server: str, _effort: Effort) -> Probe:
        """Starts a server for each burst."""
        return Restarted(lambda: _opened(fleet, server), self._act)

    def _act(self, server: StdioServer) -> Figures:
        (request,) = server.requests(HANDSHAKE, messages.pause(_STUCK_MILLISECONDS), 1)
        server.exchange(request, 0)
        server.ask("ping")
        begun = time.perf_counter()
        server.end_input()
        ended = server.wait(_LONGEST_EXIT_SECONDS)
        return {"wall s": (ended or time.perf_counter()) - begun}


def _opened(fleet: Fleet, server: str) -> StdioServer:
    started = StdioServer(fleet.command(server, App()))
    started.open(HANDSHAKE)
    return started
