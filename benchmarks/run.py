"""Measures this project beside other MCP servers: `python benchmarks/run.py --help`."""

import argparse
import os
import platform
import pstats
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from commands import OWN, SERVERS, TYPESCRIPT, Fleet
from environments import venv_python, versions
from measuring import Run, measure, servers_by_spec
from probes import Effort, Spec
from report import summary, terminal_table, write_markdown
from scenarios import ALARMS, FELT, SCENARIOS, Scenario

PAIRS, QUICK_PAIRS = 20, 5
FULL, QUICK = Effort(calls=600), Effort(calls=300)
PROFILE_LINES = 30


def parsed(words: Sequence[str] | None = None) -> argparse.Namespace:
    """The options.

    Args:
        words: The command line; None takes the program's own.
    """
    listed = "\n".join(f"  {each.name:<20}{each.title}" for each in (*FELT, *ALARMS))
    servers = "\n".join(f"  {name:<20}{text}" for name, text in SERVERS.items())
    parser = argparse.ArgumentParser(
        prog="python benchmarks/run.py",
        description="Measures this project beside other MCP servers, as ratios within rounds.",
        epilog=f"scenarios:\n{listed}\n\nservers:\n{servers}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--quick", action="store_true", help=f"{QUICK_PAIRS} rounds instead of {PAIRS}")
    add("--pairs", type=int, metavar="N", help="so many rounds")
    add("--scenario", action="append", choices=list(SCENARIOS), metavar="NAME", help="only this")
    add("--server", action="append", choices=list(SERVERS), metavar="NAME", help="only this")
    add("--markdown", type=Path, metavar="FILE", help="write the tables there, the chart beside it")
    add("--project", type=Path, metavar="FOLDER", help="measure another checkout of this project")
    add("--profile", action="store_true", help="then profile this project's servers")
    add(
        "--here",
        action="store_true",
        help="use this Python and what it has instead of the benchmark's own environment",
    )
    return parser.parse_args(words)


def main() -> int:
    """Measures, prints, writes."""
    args = parsed()
    if sys.platform != "linux":
        raise SystemExit("the kernel's figures are read from Linux's /proc")
    scenarios = [SCENARIOS[name] for name in args.scenario or SCENARIOS]
    pairs = args.pairs or (QUICK_PAIRS if args.quick else PAIRS)
    effort = QUICK if args.quick else FULL
    fleet = Fleet(sys.executable if args.here else None, project=args.project)
    run = Run(only=args.server or ())
    needed = servers_by_spec(run, scenarios)
    for scenario in scenarios:
        for spec in dict.fromkeys(target.spec for target in scenario.targets):
            if spec not in run.rounds:
                measure(run, spec, needed[spec], pairs=pairs, fleet=fleet, effort=effort)
        print(terminal_table(run, scenario), end="\n\n", flush=True)
    print(summary(run, scenarios))
    if args.markdown:
        python = sys.executable if args.here else venv_python()
        write_markdown(args.markdown, run, scenarios, machine=_machine(python, run), pairs=pairs)
    if args.profile:
        _profile(scenarios, needed, fleet, effort)
    return 1 if run.failures else 0


def _machine(python: str, run: Run) -> str:
    with_node = any(TYPESCRIPT in rounds for rounds in run.rounds.values())
    found = versions(python, with_node=with_node)
    return f"{found} on {platform.system()} {platform.machine()}, {os.cpu_count()} cores"


def _profile(
    scenarios: Sequence[Scenario],
    needed: dict[Spec, list[str]],
    fleet: Fleet,
    effort: Effort,
) -> None:
    """One more burst of this project's servers under cProfile, and where the time went."""
    for spec in dict.fromkeys(target.spec for each in scenarios for target in each.targets):
        for server in (each for each in needed[spec] if each in OWN):
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "profile"
                probe = spec.open(replace(fleet, profile=file), server, effort)
                try:
                    probe.burst()
                finally:
                    probe.close()
                print(f"\nprofile of {server}, {spec}", flush=True)
                if file.exists():
                    pstats.Stats(str(file)).sort_stats("tottime").print_stats(PROFILE_LINES)


if __name__ == "__main__":
    raise SystemExit(main())
