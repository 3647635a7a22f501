"""An evaluation as text: tables that a terminal colours and a pipe gets plain."""

import io
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from appfunctions_mcp.lint.evaluation import (
    BY_TEXTS,
    Confusion,
    Evaluation,
    Outcome,
    reached,
)
from appfunctions_mcp.quoting import as_it_is_read

if TYPE_CHECKING:
    from rich.console import JustifyMethod

__all__ = ["print_evaluation"]

_WIDTH = 100
"""Of what is no terminal."""
_MOST_COLUMNS = 16
"""A table of confusions with more would not be read, and becomes a list of the mistakes."""

_MOST_ROWS = 100
"""Of a table that gets longer with the number of utterances or functions."""


def print_evaluation(evaluation: Evaluation, name: str) -> None:
    """Prints counts, what was not reached, confusions and pairs that are too alike.

    Args:
        evaluation: By the texts or by a model.
        name: What people call the app or server.
    """
    if sys.stdout.isatty():
        _draw(Console(), evaluation, name)
        return
    text = io.StringIO()
    _draw(Console(file=text, width=_WIDTH, color_system=None), evaluation, name)
    print("\n".join(line.rstrip() for line in text.getvalue().splitlines()))


def _draw(console: Console, evaluation: Evaluation, name: str) -> None:
    by = "their texts" if evaluation.chosen_by == BY_TEXTS else evaluation.chosen_by
    title = f"{name}: {evaluation.counted}, chosen by {by}"
    console.print(Text(as_it_is_read(title), style="bold"))
    for part in (_counts(evaluation), _failed(evaluation), _confused(evaluation)):
        if part is not None:
            console.print(part)
    pairs = evaluation.pairs()
    if pairs:
        console.print(_pairs(pairs))


def _table(title: str, *columns: tuple[str, "JustifyMethod"]) -> Table:
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    for column, justify in columns:
        # A name that is cut could be another function's.
        table.add_column(column, justify=justify, overflow="fold")
    return table


def _told_of_the_rest(table: Table, count: int) -> Table:
    """Says below a table how many rows are left out, and where they are."""
    if count > _MOST_ROWS:
        table.caption = f"and {count - _MOST_ROWS} more; --html and --json have all\n"
        table.caption_justify = "left"
    return table


def _shown(text: str, style: str = "") -> Text:
    return Text(as_it_is_read(text), style=style)


def _counts(evaluation: Evaluation) -> Table:
    by_texts = evaluation.chosen_by == BY_TEXTS
    second = "top 3" if by_texts else "arguments right"
    columns = (("utterances", "right"), ("top 1", "right"), (second, "right"))
    table = _table("", ("", "left"), *columns)  # type: ignore[arg-type] # literals in a tuple
    rows: list[tuple[str, Sequence[Outcome]]] = [
        (language, evaluation.of_language(language)) for language in evaluation.languages
    ]
    for label, outcomes in [*rows, ("all", evaluation.outcomes)]:
        first = reached(outcomes, 1)
        other = reached(outcomes, 3) if by_texts else sum(each.is_right for each in outcomes)
        shares = (_share(first, len(outcomes)), _share(other, len(outcomes)))
        table.add_row(_shown(label), str(len(outcomes)), *shares)
    return table


def _share(part: int, whole: int) -> str:
    return f"{part} ({100 * part / whole:.0f} %)" if whole else "0"


def _failed(evaluation: Evaluation) -> Table | None:
    failed = [each for each in evaluation.outcomes if not each.is_right]
    if not failed:
        return None
    title = "not reached" if evaluation.chosen_by == BY_TEXTS else "not right"
    table = _table(title, ("what the user says", "left"), ("meant", "left"), ("reached", "left"))
    for each in failed[:_MOST_ROWS]:
        reason = "; ".join(filter(None, [*each.argument_faults, each.note]))
        got = Text(each.first or "none", style="red" if each.rank != 1 else "yellow")
        if reason:
            got.append(f" ({as_it_is_read(reason)})", style="dim")
        table.add_row(_shown(each.utterance.text), _shown(each.expected), got)
    return _told_of_the_rest(table, len(failed))


def _confused(evaluation: Evaluation) -> Table | None:
    counts = evaluation.confused()
    rows = list(dict.fromkeys(expected for expected, _ in counts))
    columns = sorted({name for _, name in counts}, key=lambda name: (not name, name))
    if len(columns) > _MOST_COLUMNS:
        wrong = [(pair, count) for pair, count in counts.items() if pair[0] != pair[1]]
        table = _table("confusion", ("meant", "left"), ("reached", "left"), ("times", "right"))
        for (expected, name), count in sorted(wrong, key=lambda each: -each[1])[:_MOST_ROWS]:
            table.add_row(_shown(expected), _shown(name or "none"), str(count))
        return _told_of_the_rest(table, len(wrong)) if wrong else None
    table = _table("confusion", ("", "right"), ("meant", "left"))
    numbers = {name: str(place) for place, name in enumerate(rows, 1)}
    later = [name for name in columns if name and name not in numbers]
    numbers |= {name: str(place) for place, name in enumerate(later, len(rows) + 1)}
    columns.sort(key=lambda name: (not name, int(numbers.get(name, 0))))
    for name in columns:
        table.add_column(numbers.get(name, "none"), justify="right")
    for expected in [*rows, *later]:
        found = [counts.get((expected, name), 0) for name in columns]
        styles = ["green" if name == expected else "red" for name in columns]
        cells = [Text(str(n or ""), style=s) for n, s in zip(found, styles, strict=True)]
        table.add_row(numbers[expected], _shown(expected), *cells)
    return table


def _pairs(pairs: Sequence[Confusion]) -> Table:
    table = _table(
        "hard to tell apart", ("functions", "left"), ("mistaken", "right"), ("likeness", "right")
    )
    for pair in pairs[:_MOST_ROWS]:
        names = _shown(f"{pair.first}, {pair.second}")
        table.add_row(names, str(pair.mistaken), f"{pair.likeness:.2f}")
    return _told_of_the_rest(table, len(pairs))
