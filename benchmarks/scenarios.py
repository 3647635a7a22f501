"""Every cost that is promised: a named scenario, how it is measured, and what must hold.

`FELT` is what users feel and must hold; `ALARMS` are there to notice a regression.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from apps import App
from commands import EAGER, FASTMCP, FLOOR, LOWLEVEL, MCPSERVER, OURS, SDK, SPEED, TYPESCRIPT
from messages import HANDSHAKE, STATELESS
from probes import Calls, CallsInFlight, ColdStart, Growth, Lists, ListSize, LongEcho, Spec
from probes_blocking import BlockingAtOnce, IdlePolling, PingWhileBusy, StuckExit
from probes_http import HttpCalls, HttpCallsSideBySide, HttpLongEcho

ALL = (FLOOR, OURS, EAGER, SDK, LOWLEVEL, MCPSERVER, FASTMCP, TYPESCRIPT)
COMPARED = (FLOOR, OURS, EAGER, FASTMCP, TYPESCRIPT)
OVER_HTTP = (FLOOR, OURS, SDK, LOWLEVEL, MCPSERVER, FASTMCP, TYPESCRIPT)
ABSOLUTE = "absolute"
"""Stands for a baseline where the figure itself has a limit."""


@dataclass(frozen=True)
class Target:
    """A figure of one server and how much of another server's it may be."""

    spec: Spec
    figure: str
    limits: Mapping[str, float]
    """The largest ratio by baseline."""
    subject: str = OURS
    note: str = ""
    """What sets it apart from the scenario's other targets."""
    servers: tuple[str, ...] = ALL


@dataclass(frozen=True)
class Scenario:
    """A row of the tables."""

    name: str
    title: str
    targets: tuple[Target, ...]


def _limits(
    floor: float | None = None, fastmcp: float | None = None, typescript: float | None = None
) -> dict[str, float]:
    given = {FLOOR: floor, FASTMCP: fastmcp, TYPESCRIPT: typescript}
    return {name: limit for name, limit in given.items() if limit is not None}


_START = ColdStart()
_THOUSAND = ColdStart(App(count=1_000), until_ready=True)
_EAGER_AGAINST = (FLOOR, EAGER, FASTMCP, TYPESCRIPT)

FELT: Sequence[Scenario] = (
    Scenario(
        "start",
        "start, spawn to `tools/list` answered, CPU, fresh manifest",
        (Target(_START, "list CPU ms", _limits(0.55, 0.035, 0.15)),),
    ),
    Scenario(
        "start-slow-import",
        "the same where the app's module takes 3 s to import",
        (
            Target(
                ColdStart(App(slow_import=True)),
                "list CPU ms",
                _limits(0.55),
                servers=(FLOOR, OURS),
            ),
        ),
    ),
    Scenario(
        "start-eager",
        "the same, `--eager`, models in pydantic",
        (
            Target(
                ColdStart(App(models="pydantic")),
                "list CPU ms",
                _limits(3.0, 0.18, 0.75),
                subject=EAGER,
                servers=_EAGER_AGAINST,
            ),
        ),
    ),
    Scenario(
        "start-call",
        "start to the first `tools/call` answered, CPU, manifest",
        (Target(_START, "call CPU ms", _limits(3.0, 0.18, 0.72)),),
    ),
    Scenario(
        "memory-list",
        "peak memory after the list, manifest",
        (Target(_START, "list peak MB", _limits(0.70, 0.17, 0.22)),),
    ),
    Scenario(
        "memory-call",
        "peak memory after the first call, and eager",
        (
            Target(_START, "call peak MB", _limits(1.8, 0.44, 0.56), note="manifest"),
            Target(_START, "call peak MB", _limits(1.8, 0.44, 0.56), subject=EAGER, note="eager"),
        ),
    ),
    Scenario(
        "ping-busy",
        "`ping` while 45 blocking functions run, wall",
        (
            Target(
                PingWhileBusy(),
                "wall us",
                _limits(2, 0.005),
                servers=(FLOOR, OURS, SDK, LOWLEVEL, MCPSERVER, FASTMCP),
            ),
        ),
    ),
    Scenario(
        "blocking-20",
        "20 sync functions of 100 ms at once, wall",
        (
            Target(
                BlockingAtOnce(),
                "wall ms",
                _limits(1.10),
                servers=(FLOOR, OURS, SDK, LOWLEVEL, MCPSERVER, FASTMCP),
            ),
        ),
    ),
    Scenario(
        "http-p99",
        "HTTP 16 connections, JSON, p99",
        (
            Target(
                HttpCallsSideBySide(HANDSHAKE),
                "p99 ms",
                _limits(2.0, 0.12, 0.35),
                note="2025",
                servers=OVER_HTTP,
            ),
            Target(
                HttpCallsSideBySide(STATELESS),
                "p99 ms",
                _limits(2.0, 0.35, 0.35),
                note="2026",
                servers=OVER_HTTP,
            ),
        ),
    ),
    Scenario(
        "idle-polling",
        "idle under polling of `resources/list` and `prompts/list` every 5 s: CPU",
        (Target(IdlePolling(), "CPU us", _limits(1.3)),),
    ),
    Scenario(
        "exit-stuck",
        "exit after EOF with a stuck function",
        (Target(StuckExit(), "wall s", {ABSOLUTE: 2.0}, servers=(OURS, EAGER, SDK)),),
    ),
    Scenario(
        "list-tokens",
        "size of `tools/list` in tokens, same functions",
        (
            Target(
                ListSize(),
                "tokens",
                _limits(fastmcp=0.80),
                servers=(OURS, MCPSERVER, FASTMCP, TYPESCRIPT),
            ),
        ),
    ),
)

ALARMS: Sequence[Scenario] = (
    Scenario(
        "stdio-call",
        "stdio call `create_note`, CPU, both eras",
        (
            Target(Calls(HANDSHAKE), "CPU us", _limits(2.2, 0.08, 0.42), note="2025"),
            Target(Calls(STATELESS), "CPU us", _limits(2.2, 0.08, 0.42), note="2026"),
        ),
    ),
    Scenario(
        "stdio-64",
        "stdio, 64 in flight, wall per call",
        (Target(CallsInFlight(), "wall us", _limits(5, 0.025, 0.25)),),
    ),
    Scenario(
        "http-one",
        "HTTP one connection, JSON, CPU",
        (
            Target(
                HttpCalls(STATELESS),
                "CPU us",
                _limits(1.5, 0.36, 0.20),
                note="2026",
                servers=OVER_HTTP,
            ),
            Target(
                HttpCalls(HANDSHAKE),
                "CPU us",
                _limits(1.5, 0.28, 0.28),
                note="2025",
                servers=OVER_HTTP,
            ),
        ),
    ),
    Scenario(
        "http-16",
        "HTTP 16 connections, JSON, wall per call",
        (
            Target(
                HttpCallsSideBySide(STATELESS),
                "wall us",
                _limits(1.5, 0.26, 0.35),
                note="2026",
                servers=OVER_HTTP,
            ),
            Target(
                HttpCallsSideBySide(HANDSHAKE),
                "wall us",
                _limits(1.5, 0.20, 0.35),
                note="2025",
                servers=OVER_HTTP,
            ),
        ),
    ),
    Scenario(
        "http-speed",
        "with `[speed]`, JSON 2026, of the plain floor",
        (
            Target(
                HttpCalls(STATELESS),
                "CPU us",
                _limits(0.75),
                subject=SPEED,
                note="one connection, CPU",
                servers=(FLOOR, SPEED),
            ),
            Target(
                HttpCallsSideBySide(STATELESS),
                "wall us",
                _limits(0.65),
                subject=SPEED,
                note="16 connections, wall",
                servers=(FLOOR, SPEED),
            ),
        ),
    ),
    Scenario(
        "list-1000",
        "`tools/list` with 1,000 functions, CPU",
        (Target(Lists(), "CPU ms", _limits(0.6, 0.003, 0.015)),),
    ),
    Scenario(
        "ready-1000",
        "ready with 1,000 functions, CPU",
        (
            Target(
                _THOUSAND,
                "ready CPU ms",
                _limits(0.6, 0.015, 0.17),
                note="manifest",
                servers=COMPARED,
            ),
            Target(
                _THOUSAND,
                "ready CPU ms",
                _limits(3.5, 0.09, 1.0),
                subject=EAGER,
                note="eager",
                servers=COMPARED,
            ),
        ),
    ),
    Scenario(
        "call-5000",
        "a call with 5,000 functions, of one with 10, CPU",
        (Target(Growth(), "of few", {ABSOLUTE: 1.25}, servers=(OURS,)),),
    ),
    Scenario(
        "echo-10mb",
        "echo of 10 MB, CPU",
        (
            Target(LongEcho(), "CPU ms", _limits(1.0, 0.40, 0.25), note="stdio"),
            Target(
                HttpLongEcho(),
                "CPU ms",
                _limits(1.0, typescript=0.45),
                note="HTTP",
                servers=(FLOOR, OURS, SDK, LOWLEVEL, MCPSERVER, TYPESCRIPT),
            ),
        ),
    ),
)

SCENARIOS: Mapping[str, Scenario] = {each.name: each for each in (*FELT, *ALARMS)}
