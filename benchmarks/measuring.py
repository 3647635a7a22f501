"""Runs probes round by round, every server in each round, and compares them within rounds."""

import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from commands import Fleet
from messages import WrongAnswerError
from probes import Effort, Figures, Probe, Spec
from scenarios import ABSOLUTE, Scenario, Target
from stdio_client import ServerEndedError

Rounds = dict[str, list[Figures]]
"""The figures of each server, one entry a round."""


@dataclass(frozen=True)
class Spread:
    """A median and its quartiles."""

    median: float
    low: float
    high: float


@dataclass(frozen=True)
class Verdict:
    """Whether a figure is within its limit of a baseline."""

    scenario: Scenario
    target: Target
    baseline: str
    limit: float
    spread: Spread

    @property
    def held(self) -> bool:
        """Whether it is."""
        return self.spread.median <= self.limit

    @property
    def word(self) -> str:
        """PASS or MISS."""
        return "PASS" if self.held else "MISS"


@dataclass
class Run:
    """What was measured so far."""

    only: Sequence[str] = ()
    """The servers that were asked for; empty takes those of each target."""
    rounds: dict[Spec, Rounds] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def values(self, target: Target, server: str) -> list[float]:
        """A figure of a server, one a round; empty where the server was not measured.

        Args:
            target: Names the figure.
            server: Whose.
        """
        return [each[target.figure] for each in self.rounds.get(target.spec, {}).get(server, [])]

    def ratio(self, target: Target, server: str, baseline: str) -> Spread | None:
        """A server's figure as a part of another's in the same round.

        Args:
            target: Names the figure.
            server: Whose.
            baseline: Of whose; `ABSOLUTE` takes the figure itself.

        Returns:
            None where one of them was not measured.
        """
        values = self.values(target, server)
        if baseline != ABSOLUTE:
            others = self.values(target, baseline)
            values = [mine / other for mine, other in zip(values, others, strict=False)]
        return spread(values) if values else None

    def verdicts(self, scenario: Scenario) -> list[Verdict]:
        """What holds of a scenario and what does not.

        Args:
            scenario: One that was measured.
        """
        found = []
        for target in scenario.targets:
            for baseline, limit in target.limits.items():
                ratio = self.ratio(target, target.subject, baseline)
                if ratio is not None:
                    found.append(Verdict(scenario, target, baseline, limit, ratio))
        return found


def spread(values: Sequence[float]) -> Spread:
    """The median and the quartiles of some values.

    Args:
        values: One or more.
    """
    if len(values) == 1:
        return Spread(values[0], values[0], values[0])
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return Spread(median, low, high)


def servers_by_spec(run: Run, scenarios: Sequence[Scenario]) -> dict[Spec, list[str]]:
    """The probes that scenarios need, each once, with the servers it is needed for.

    Args:
        run: Knows which servers were asked for.
        scenarios: What is measured.
    """
    found: dict[Spec, list[str]] = {}
    for target in (target for each in scenarios for target in each.targets):
        servers = found.setdefault(target.spec, [])
        servers += [each for each in run.only or target.servers if each not in servers]
    return found


def measure(
    run: Run, spec: Spec, servers: Sequence[str], *, pairs: int, fleet: Fleet, effort: Effort
) -> None:
    """Measures servers side by side: each round runs every one of them, in turns first.

    A server that fails is left out from then on, and the run keeps what it said.

    Args:
        run: Takes the figures.
        spec: What is measured.
        servers: Who is measured.
        pairs: How many rounds.
        fleet: Makes the commands.
        effort: How much each burst does.
    """
    rounds = run.rounds.setdefault(spec, {})
    with ExitStack() as closing:
        probes: dict[str, Probe] = {}
        for server in servers:
            probe = _guarded(run, spec, server, partial(spec.open, fleet, server, effort))
            if probe is not None:
                closing.callback(probe.close)
                probes[server] = probe
        for number in range(min(pairs, spec.most_rounds or pairs)):
            _show(spec, number + 1, pairs)
            for server in _turned(list(probes), number):
                figures = _guarded(run, spec, server, probes[server].burst)
                if figures is None:
                    del probes[server]
                    rounds.pop(server, None)
                else:
                    rounds.setdefault(server, []).append(figures)
    _show_end()


def _turned(servers: list[str], by: int) -> list[str]:
    place = by % len(servers) if servers else 0
    return servers[place:] + servers[:place]


def _guarded(run: Run, spec: Spec, server: str, act: Callable[[], Any]) -> Any:
    try:
        return act()
    except (ServerEndedError, WrongAnswerError, OSError) as fault:
        said = f"{server}, {spec}: {type(fault).__name__}: {fault}"
        run.failures.append(said)
        print(f"\n{said}", file=sys.stderr)
        return None


def _show(spec: Spec, number: int, pairs: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{str(spec)[:70]} {number}/{pairs}\033[K", end="", file=sys.stderr, flush=True)


def _show_end() -> None:
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)


def medians(run: Run, target: Target) -> Mapping[str, float]:
    """The median of a figure by server.

    Args:
        run: What was measured.
        target: Names the figure.
    """
    measured = run.rounds.get(target.spec, {})
    shown = [server for server in run.only or target.servers if server in measured]
    return {server: statistics.median(run.values(target, server)) for server in shown}
