"""What is measured over HTTP: JSON answers, one request after another and on 16 connections."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import messages
from apps import App
from commands import Fleet
from http_client import Connection, HttpServer, timed_in_turn, timed_side_by_side
from messages import CREATE_NOTE, ECHO_LONG_TEXT, STATELESS
from probes import Effort, Figures, Probe

CONNECTIONS = 16


class _Opened:
    """A server, and what a burst does on how many connections."""

    def __init__(
        self,
        server: HttpServer,
        connections: int,
        act: Callable[[HttpServer, list[Connection]], Figures],
    ) -> None:
        self._server = server
        self._connections = connections
        self._act = act

    def burst(self) -> Figures:
        """One more, on new connections: servers close those that were idle for seconds."""
        opened = self._server.connections(self._connections)
        try:
            return self._act(self._server, opened)
        finally:
            for each in opened:
                each.close()

    def close(self) -> None:
        """Ends the server."""
        self._server.close()


@dataclass(frozen=True)
class HttpCalls:
    """Calls of `create_note` over one kept-open connection."""

    era: str
    most_rounds: ClassVar[int | None] = None

    def open(self, fleet: Fleet, server: str, effort: Effort) -> Probe:
        """Starts the server and warms it."""
        probe = _Opened(HttpServer(fleet, server, App()), 1, partial(self._act, calls=effort.calls))
        probe.burst()
        return probe

    def _act(self, server: HttpServer, connections: list[Connection], calls: int) -> Figures:
        requests = server.requests(self.era, CREATE_NOTE, calls)
        before = server.cpu()
        answers, times = timed_in_turn(connections[0], requests)
        used = server.cpu() - before
        messages.check_calls(answers, CREATE_NOTE)
        return {"CPU us": used / calls * 1e6, "p50 us": statistics.median(times) * 1e6}


@dataclass(frozen=True)
class HttpCallsSideBySide:
    """Calls of `create_note` over 16 connections that are never idle."""

    era: str
    most_rounds: ClassVar[int | None] = None

    def open(self, fleet: Fleet, server: str, effort: Effort) -> Probe:
        """Starts the server and warms it."""
        calls = 2 * effort.calls
        probe = _Opened(
            HttpServer(fleet, server, App()), CONNECTIONS, partial(self._act, calls=calls)
        )
        probe.burst()
        return probe

    def _act(self, server: HttpServer, connections: list[Connection], calls: int) -> Figures:
        requests = server.requests(self.era, CREATE_NOTE, calls)
        begun = time.perf_counter()
        answers, times = timed_side_by_side(connections, requests)
        wall = time.perf_counter() - begun
        messages.check_calls(answers, CREATE_NOTE)
        p99 = sorted(times)[int(len(times) * 0.99)]
        return {"wall us": wall / calls * 1e6, "p99 ms": p99 * 1e3}


@dataclass(frozen=True)
class HttpLongEcho:
    """An echo of 10 MB over HTTP."""

    most_rounds: ClassVar[int | None] = None

    def open(self, fleet: Fleet, server: str, _effort: Effort) -> Probe:
        """Starts the server and echoes once."""
        probe = _Opened(HttpServer(fleet, server, App()), 1, self._act)
        probe.burst()
        return probe

    def _act(self, server: HttpServer, connections: list[Connection]) -> Figures:
        (request,) = server.requests(STATELESS, ECHO_LONG_TEXT, 1)
        before = server.cpu()
        answers, times = timed_in_turn(connections[0], [request])
        used = server.cpu() - before
        messages.check_calls(answers, ECHO_LONG_TEXT)
        return {"wall ms": times[0] * 1e3, "CPU ms": used * 1e3}
