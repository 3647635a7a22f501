"""What is measured over stdio: each probe runs one server, and every burst gives its figures.

A probe is described by a small frozen value, so that scenarios that need the same bursts share
them. Answers are checked after the clocks have stopped.
"""

import json
import statistics
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol

import messages
from apps import App
from commands import Fleet
from environments import node, node_environment
from messages import CREATE_NOTE, ECHO_LONG_TEXT, HANDSHAKE
from stdio_client import StdioServer, timed_in_turn

Figures = dict[str, float]
IN_FLIGHT = 64
WARMING_CALLS = 40
"""Calls before the clocks start: the caches of the processor hold another server's memory."""
PLAIN = App()
_COUNT_TOKENS = Path(__file__).parent / "count_tokens.cjs"


@dataclass(frozen=True)
class Effort:
    """How much one burst does."""

    calls: int


class Probe(Protocol):
    """One server under measurement."""

    def burst(self) -> Figures:
        """Does the same work once more and says what it cost."""

    def close(self) -> None:
        """Ends the server."""


class Spec(Protocol):
    """The description of a probe."""

    most_rounds: ClassVar[int | None]
    """More rounds than this tell nothing new; None: as many as are asked for."""

    def open(self, fleet: Fleet, server: str, effort: Effort) -> Probe:
        """Starts a server and makes it ready for bursts."""


@dataclass(frozen=True)
class Repeated:
    """A probe whose server lives through all bursts."""

    server: StdioServer
    act: Callable[[StdioServer], Figures]

    def burst(self) -> Figures:
        """One more."""
        return self.act(self.server)

    def close(self) -> None:
        """Ends the server."""
        self.server.close()


@dataclass(frozen=True)
class Restarted:
    """A probe that starts a server for every burst."""

    start: Callable[[], StdioServer]
    act: Callable[[StdioServer], Figures]

    def burst(self) -> Figures:
        """One more start."""
        server = self.start()
        try:
            return self.act(server)
        finally:
            server.close()

    def close(self) -> None:
        """Has nothing to end."""


@dataclass(frozen=True)
class ColdStart:
    """From the spawn of the process to its first answers; nothing is kept but files."""

    app: App = PLAIN
    until_ready: bool = False
    """Whether only the handshake counts, as for a great many functions."""
    most_rounds: ClassVar[int | None] = None

    def open(self, fleet: Fleet, server: str, _effort: Effort) -> Probe:
        """Starts twice unmeasured: what is compiled in the first start is old in the second."""
        command = fleet.command(server, self.app)
        probe = Restarted(lambda: StdioServer(command), self._act)
        probe.burst()
        probe.burst()
        return probe

    def _act(self, server: StdioServer) -> Figures:
        server.initialize()
        figures = _since_start(server, "ready")
        server.notify("notifications/initialized")
        if self.until_ready:
            return figures
        tools = server.ask("tools/list")["tools"]
        figures |= _since_start(server, "list")
        (request,) = server.requests(HANDSHAKE, CREATE_NOTE, 1)
        answers = server.exchange(request)
        figures |= _since_start(server, "call")
        messages.check_calls(answers, CREATE_NOTE)
        if len(tools) != self.app.count:
            raise messages.WrongAnswerError(f"{len(tools)} tools, not {self.app.count}")
        return figures


def _since_start(server: StdioServer, step: str) -> Figures:
    wall = time.perf_counter() - server.begun
    return {
        f"{step} CPU ms": server.cpu() * 1e3,
        f"{step} wall ms": wall * 1e3,
        f"{step} peak MB": server.peak_memory(),
    }


@dataclass(frozen=True)
class Calls:
    """Calls of `create_note`, each sent when the one before is answered."""

    era: str
    app: App = PLAIN
    most_rounds: ClassVar[int | None] = None

    def open(self, fleet: Fleet, server: str, effort: Effort) -> Probe:
        """Starts the server and warms it."""
        started = _warm(fleet, server, self.era, self.app)
        return Repeated(started, lambda each: self._act(each, effort.calls))

    def _act(self, server: StdioServer, calls: int) -> Figures:
        timed_in_turn(server, server.requests(self.era, CREATE_NOTE, WARMING_CALLS))
        requests = server.requests(self.era, CREATE_NOTE, calls)
        before = server.cpu()
        answers, times = timed_in_turn(server, requests)
        used = server.cpu() - before
        messages.check_calls(answers, CREATE_NOTE)
        return {"CPU us": used / calls * 1e6, "p50 us": statistics.median(times) * 1e6}


@dataclass(frozen=True)
class CallsInFlight:
    """Calls of `create_note`, 64 sent at once."""

    era: str = HANDSHAKE
    most_rounds: ClassVar[int | None] = None

    def open(self, fleet: Fleet, server: str, effort: Effort) -> Probe:
        """Starts the server and warms it."""
        windows = max(1, 2 * effort.calls // IN_FLIGHT)
        return Repeated(
            _warm(fleet, server, self.era, App()), lambda each: self._act(each, windows)
        )

    def _act(self, server: StdioServer, windows: int) -> Figures:
        batches = [
            b"".join(server.requests(self.era, CREATE_NOTE, IN_FLIGHT)) for _ in range(windows + 1)
        ]
        answers: list[bytes] = []
        server.exchange(batches.pop(), IN_FLIGHT)
        begun = time.perf_counter()
        for batch in batches:
            answers += server.exchange(batch, IN_FLIGHT)
        wall = time.perf_counter() - begun
        messages.check_calls(answers, CREATE_NOTE)
        return {"wall us": wall / len(answers) * 1e6}


@dataclass(frozen=True)
class Growth:
    """A call with many functions against the same call with few, on two processes of a server."""

    few: int = 10
    many: int = 5_000
    most_rounds: ClassVar[int | None] = None

    def open(self, fleet: Fleet, server: str, effort: Effort) -> Probe:
        """Starts both."""
        opened = [
            Calls(HANDSHAKE, App(count=count)).open(fleet, server, effort)
            for count in (self.few, self.many)
        ]
        return _Pair(*opened)


@dataclass(frozen=True)
class _Pair:
    few: Probe
    many: Probe

    def burst(self) -> Figures:
        """Few, many, many, few, so that neither gains from its place."""
        first, *between, last = (
            each.burst()["CPU us"] for each in (self.few, self.many, self.many, self.few)
        )
        few, many = (first + last) / 2, sum(between) / 2
        return {"CPU us": many, "CPU us with few": few, "of few": many / few}

    def close(self) -> None:
        self.few.close()
        self.many.close()


@dataclass(frozen=True)
class Lists:
    """`tools/list` with a great many functions."""

    count: int = 1_000
    lists: int = 10
    most_rounds: ClassVar[int | None] = None

    def open(self, fleet: Fleet, server: str, _effort: Effort) -> Probe:
        """Starts the server and lists once."""
        return Repeated(_warm(fleet, server, HANDSHAKE, App(count=self.count)), self._act)

    def _act(self, server: StdioServer) -> Figures:
        requests = [
            messages.request(HANDSHAKE, server.next_number(), "tools/list") + b"\n"
            for _ in range(self.lists)
        ]
        server.ask("tools/list")
        before = server.cpu()
        answers, times = timed_in_turn(server, requests)
        used = server.cpu() - before
        for answer in answers:
            if len(messages.result_of(answer)["tools"]) != self.count:
                raise messages.WrongAnswerError(f"not {self.count} tools")
        return {
            "CPU ms": used / self.lists * 1e3,
            "wall ms": statistics.median(times) * 1e3,
            "KiB": len(answers[0]) / 1024,
        }


@dataclass(frozen=True)
class ListSize:
    """How many tokens of o200k_base the tools of `tools/list` are."""

    count: int = 100
    most_rounds: ClassVar[int | None] = 1

    def open(self, fleet: Fleet, server: str, _effort: Effort) -> Probe:
        """Starts the server."""
        return Repeated(_warm(fleet, server, HANDSHAKE, App(count=self.count)), self._act)

    def _act(self, server: StdioServer) -> Figures:
        tools = server.ask("tools/list")["tools"]
        text = json.dumps(tools, ensure_ascii=False, separators=(",", ":"))
        counted = subprocess.run(
            [node(), str(_COUNT_TOKENS)],
            input=text.encode(),
            env=node_environment(),
            stdout=subprocess.PIPE,
            check=True,
        )
        return {"tokens": float(counted.stdout)}


@dataclass(frozen=True)
class LongEcho:
    """An echo of 10 MB over stdio."""

    most_rounds: ClassVar[int | None] = None

    def open(self, fleet: Fleet, server: str, _effort: Effort) -> Probe:
        """Starts the server and warms it."""
        return Repeated(_warm(fleet, server, HANDSHAKE, App()), self._act)

    def _act(self, server: StdioServer) -> Figures:
        (request,) = server.requests(HANDSHAKE, ECHO_LONG_TEXT, 1)
        before, begun = server.cpu(), time.perf_counter()
        answers = server.exchange(request)
        figures = {
            "wall ms": (time.perf_counter() - begun) * 1e3,
            "CPU ms": (server.cpu() - before) * 1e3,
        }
        messages.check_calls(answers, ECHO_LONG_TEXT)
        return figures


def _warm(fleet: Fleet, server: str, era: str, app: App, calls: int = 64) -> StdioServer:
    """A started server that has answered some calls."""
    started = StdioServer(fleet.command(server, app))
    started.open(era)
    timed_in_turn(started, started.requests(era, CREATE_NOTE, calls))
    return started
