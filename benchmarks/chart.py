"""The chart: one line a cost, one mark a server, on a logarithmic scale of ratios to the floor."""

import math
from collections.abc import Sequence
from xml.sax.saxutils import escape

from commands import EAGER, FASTMCP, FLOOR, LOWLEVEL, MCPSERVER, OURS, SDK, SPEED, TYPESCRIPT
from measuring import Run, medians
from scenarios import Scenario, Target

_SHOWN = {
    OURS: ("#0b6e4f", "circle"),
    EAGER: ("#5fb49c", "circle"),
    SPEED: ("#0b6e4f", "triangle"),
    SDK: ("#8d99ae", "circle"),
    LOWLEVEL: ("#8d99ae", "square"),
    MCPSERVER: ("#3d5a80", "square"),
    TYPESCRIPT: ("#e09f3e", "diamond"),
    FASTMCP: ("#9e2a2b", "diamond"),
}
_LEFT, _RIGHT, _TOP, _LINE, _WIDTH = 270, 30, 70, 26, 1020
_MARK = 5.5


def chart(run: Run, scenarios: Sequence[Scenario]) -> str:
    """The chart as SVG.

    Args:
        run: What was measured.
        scenarios: The rows that were asked for.
    """
    rows = list(_rows(run, scenarios))
    ratios = [value for _, _, marks in rows for value in marks.values()] or [1.0]
    low = math.floor(math.log10(min(*ratios, 0.5)))
    high = math.ceil(math.log10(max(*ratios, 2.0)))
    height = _TOP + _LINE * len(rows) + 30

    def x(ratio: float) -> float:
        part = (math.log10(ratio) - low) / (high - low)
        return _LEFT + part * (_WIDTH - _LEFT - _RIGHT)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}"',
        f' height="{height}" font-family="system-ui, sans-serif" font-size="13">',
        "<title>Cost of each server, of the floor's</title>",
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        *_legend({name for _, _, marks in rows for name in marks}),
        *(_grid_line(x(10.0**power), 10.0**power, height) for power in range(low, high + 1)),
    ]
    for index, (name, limit, marks) in enumerate(rows):
        y = _TOP + _LINE * index + _LINE / 2
        parts.append(f'<path d="M20 {y + _LINE / 2}H{_WIDTH - _RIGHT}" stroke="#f0f0f0"/>')
        parts.append(f'<text x="{_LEFT - 12}" y="{y + 4}" text-anchor="end">{escape(name)}</text>')
        if limit is not None:
            place = x(limit)
            parts.append(
                f'<path d="M{place:.1f} {y - 10}v20" stroke="#0b6e4f" stroke-width="2.5">'
                f"<title>limit {limit:g}</title></path>"
            )
        for server, ratio in reversed(marks.items()):
            parts.append(_mark(server, x(ratio), y, f"{server}: {ratio:.3g}"))
    return "\n".join([*parts, "</svg>", ""])


def _rows(
    run: Run, scenarios: Sequence[Scenario]
) -> list[tuple[str, float | None, dict[str, float]]]:
    rows = []
    for scenario in scenarios:
        for target in scenario.targets:
            marks = _marks(run, target)
            if target.subject in marks:
                note = f" {target.note}" if target.note else ""
                rows.append((f"{scenario.name}{note}", target.limits.get(FLOOR), marks))
    return rows


def _marks(run: Run, target: Target) -> dict[str, float]:
    found = {}
    shown = medians(run, target)
    for server in (each for each in _SHOWN if each in shown):
        ratio = run.ratio(target, server, FLOOR)
        if ratio is not None and ratio.median > 0:
            found[server] = ratio.median
    return found


def _grid_line(x: float, ratio: float, height: int) -> str:
    floor = ratio == 1
    colour, text = ("#333333", "the floor") if floor else ("#dddddd", f"{ratio:g}")
    return (
        f'<path d="M{x:.1f} {_TOP - 6}V{height - 20}" stroke="{colour}"/>'
        f'<text x="{x:.1f}" y="{_TOP - 12}" text-anchor="middle" fill="#555555">{text}</text>'
    )


def _legend(servers: set[str]) -> list[str]:
    parts, x = [], 20.0
    for server in _SHOWN:
        if server in servers:
            parts.append(_mark(server, x, 20, server))
            parts.append(f'<text x="{x + 11}" y="24">{server}</text>')
            x += 28 + 7.4 * len(server)
    parts.append(f'<path d="M{x} 11v18" stroke="#0b6e4f" stroke-width="2.5"/>')
    return [*parts, f'<text x="{x + 8}" y="24">limit</text>']


def _mark(server: str, x: float, y: float, title: str) -> str:
    colour, shape = _SHOWN[server]
    r = _MARK
    drawn = {
        "circle": f"M{x - r:.1f} {y}a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0 {-2 * r} 0z",
        "square": f"M{x - 5:.1f} {y - 5}h10v10h-10z",
        "diamond": f"M{x:.1f} {y - 7}l7 7l-7 7l-7 -7z",
        "triangle": f"M{x:.1f} {y - 7}l7 12h-14z",
    }[shape]
    return (
        f'<path d="{drawn}" fill="{colour}" stroke="#ffffff"><title>{escape(title)}</title></path>'
    )
