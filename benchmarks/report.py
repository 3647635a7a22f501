"""The figures as text on a terminal and as Markdown."""

from collections.abc import Sequence
from pathlib import Path

from chart import chart
from commands import FASTMCP, FLOOR, OWN, SERVERS, TYPESCRIPT
from measuring import Run, Spread, Verdict, medians
from scenarios import ABSOLUTE, ALARMS, FELT, Scenario, Target

_BEGIN, _END = "<!-- measured: begin -->", "<!-- measured: end -->"
_INTRODUCTION = """# What it costs

Every figure is a cost: lower is better.
The compared servers offer the same functions, run side by side and take turns, so that a slow minute slows all of them alike.
A ratio is the median over the rounds of what one server needed to what another needed in the same round; its quartiles stand beside it.
Answers are checked after the clock has stopped.
CPU is the kernel's count for the server's process and everything it starts; the client is not in it.

The floor is a bare asyncio loop, and a bare ASGI app on uvicorn, with orjson: it knows no MCP library, checks nothing and limits nothing.

```text
python benchmarks/run.py                                   # everything; takes a while
python benchmarks/run.py --quick --scenario start          # one row, few rounds
python benchmarks/run.py --markdown docs/performance.md    # writes the tables below and the chart
```
"""  # noqa: E501 - one sentence a line, as in every document


def number(value: float) -> str:
    """A figure with three digits, or all before the point.

    Args:
        value: The figure.
    """
    for limit, digits in ((100, 0), (10, 1), (1, 2), (0.1, 3)):
        if abs(value) >= limit:
            return f"{value:,.{digits}f}"
    return f"{value:.4f}"


def quartiles(spread: Spread) -> str:
    """A median with its quartiles.

    Args:
        spread: They.
    """
    return f"{number(spread.median)} [{number(spread.low)}-{number(spread.high)}]"


def label(scenario: Scenario, target: Target) -> str:
    """What a target of a scenario is about.

    Args:
        scenario: The row.
        target: One of its targets.
    """
    return f"{scenario.title}; {target.note}" if target.note else scenario.title


def terminal_table(run: Run, scenario: Scenario) -> str:
    """A scenario's servers, then its verdicts.

    Args:
        run: What was measured.
        scenario: The row.
    """
    lines = [f"{scenario.name}: {scenario.title}"]
    shown = set()
    for target in scenario.targets:
        if (target.spec, target.figure) in shown:
            continue
        shown.add((target.spec, target.figure))
        lines.append(f"  {target.figure:<18}{target.note:<10}{'median':>10}{'of the floor':>26}")
        for server, median in medians(run, target).items():
            of_floor = run.ratio(target, server, FLOOR)
            ratio = quartiles(of_floor) if of_floor else ""
            lines.append(f"    {server:<24}{number(median):>10}{ratio:>26}")
    lines += [f"  {_verdict_line(each)}" for each in run.verdicts(scenario)]
    return "\n".join(lines)


def _verdict_line(verdict: Verdict) -> str:
    target = verdict.target
    of = "" if verdict.baseline == ABSOLUTE else f" of {verdict.baseline}"
    note = f" ({target.note})" if target.note else ""
    found = f"{quartiles(verdict.spread)}{of}"
    return f"{verdict.word}  {target.subject}{note}: {found}, limit {verdict.limit:g}"


def summary(run: Run, scenarios: Sequence[Scenario]) -> str:
    """How many limits hold, and those that do not.

    Args:
        run: What was measured.
        scenarios: The rows that were asked for.
    """
    verdicts = [each for scenario in scenarios for each in run.verdicts(scenario)]
    missed = [each for each in verdicts if not each.held]
    lines = [f"{len(verdicts) - len(missed)} of {len(verdicts)} limits hold"]
    lines += [f"  {each.scenario.name}: {_verdict_line(each)}" for each in missed]
    return "\n".join(lines)


def write_markdown(
    path: Path, run: Run, scenarios: Sequence[Scenario], *, machine: str, pairs: int
) -> None:
    """Writes the measured part of a document and the chart beside it; other text is kept.

    Args:
        path: The document.
        run: What was measured.
        scenarios: The rows that were asked for.
        machine: What it ran on, in words.
        pairs: How many rounds.
    """
    drawn = path.with_suffix(".svg")
    drawn.write_text(chart(run, scenarios), encoding="utf-8")
    measured = "\n".join(_measured(run, scenarios, drawn.name, machine, pairs))
    text = f"{_INTRODUCTION}\n{_BEGIN}\n{_END}\n"
    if path.exists() and _BEGIN in path.read_text(encoding="utf-8"):
        text = path.read_text(encoding="utf-8")
    before, _, rest = text.partition(_BEGIN)
    after = rest.partition(_END)[2]
    path.write_text(f"{before}{_BEGIN}\n{measured}\n{_END}{after}", encoding="utf-8")


def _measured(
    run: Run, scenarios: Sequence[Scenario], drawn: str, machine: str, pairs: int
) -> list[str]:
    lines = [f"Measured with {machine}; {pairs} rounds.", "", f"![Cost of each server]({drawn})"]
    for title, table in (("What users feel", FELT), ("Alarms against regression", ALARMS)):
        chosen = [each for each in table if each in scenarios]
        if chosen:
            lines += ["", f"## {title}", "", *_target_table(run, chosen)]
    lines += ["", "## All servers", "", "Medians; in brackets the ratio to the floor.", ""]
    lines += _server_table(run, scenarios)
    names = {name for measured in run.rounds.values() for name in measured}
    lines += ["", *(f"- `{each}`: {SERVERS[each]}" for each in SERVERS if each in names)]
    return lines


def _target_table(run: Run, scenarios: Sequence[Scenario]) -> list[str]:
    lines = [
        "| scenario | cost | median | of the floor | of FastMCP | of the TypeScript SDK |",
        "| --- | --- | ---: | --- | --- | --- |",
    ]
    for scenario in scenarios:
        verdicts = run.verdicts(scenario)
        for target in scenario.targets:
            values = medians(run, target)
            if target.subject not in values:
                continue
            own = {each.baseline: each for each in verdicts if each.target is target}
            first = _cell(own.get(FLOOR)) or _cell(own.get(ABSOLUTE))
            cells = [first, _cell(own.get(FASTMCP)), _cell(own.get(TYPESCRIPT))]
            median = f"{number(values[target.subject])} {_unit(target.figure)}"
            row = [f"`{scenario.name}`", label(scenario, target), median, *cells]
            lines.append(f"| {' | '.join(row)} |")
    return lines


def _cell(verdict: Verdict | None) -> str:
    if verdict is None:
        return ""
    word = "PASS" if verdict.held else "**MISS**"
    return f"{quartiles(verdict.spread)} ≤ {verdict.limit:g} {word}"


def _unit(figure: str) -> str:
    last = figure.rsplit(maxsplit=1)[-1]
    return last if last in {"ms", "us", "s", "MB", "tokens"} else ""


def _server_table(run: Run, scenarios: Sequence[Scenario]) -> list[str]:
    measured = {name for each in run.rounds.values() for name in each}
    names = [each for each in SERVERS if each in measured]
    lines = [f"| cost | {' | '.join(names)} |", f"| --- |{' ---: |' * len(names)}"]
    shown = set()
    for scenario in scenarios:
        for target in scenario.targets:
            values = medians(run, target)
            if (target.spec, target.figure) in shown or len(values) < 2:
                continue
            shown.add((target.spec, target.figure))
            cells = [_server_cell(run, target, name, values.get(name)) for name in names]
            lines.append(
                f"| {label(scenario, target)}, {_unit(target.figure)} | {' | '.join(cells)} |"
            )
    return lines


def _server_cell(run: Run, target: Target, server: str, median: float | None) -> str:
    if median is None:
        return ""
    ratio = run.ratio(target, server, FLOOR)
    shown = number(median) if ratio is None else f"{number(median)} ({number(ratio.median)})"
    return f"**{shown}**" if server in OWN else shown
