"""An evaluation as one HTML page that needs nothing else: no script, no font, no address.

Everything that came from outside is escaped, and the page forbids itself to load anything.
"""

from collections.abc import Iterator, Sequence
from html import escape

from appfunctions_mcp.lint.evaluation import BY_TEXTS, Evaluation, Outcome, reached
from appfunctions_mcp.lint.evaluation_style import STYLE
from appfunctions_mcp.quoting import as_it_is_read

__all__ = ["evaluation_page"]

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_LANGUAGES = {"en": "English", "ru": "Russian"}
_MOST_REACHED = 3
_MOST_SHADES = 4
_MANY = 16
"""More columns than these are drawn small."""


def evaluation_page(evaluation: Evaluation, name: str) -> str:
    """The page.

    Args:
        evaluation: By the texts or by a model.
        name: What people call the app or server.
    """
    title = f"{name}: what users say, and what it reaches"
    parts = (
        "<!doctype html>\n",
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n',
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n',
        f"<title>{_html(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n",
        *_head(evaluation, name),
        *_confusion(evaluation),
        *_pairs(evaluation),
        *_outcomes(evaluation),
        "</main>\n</body>\n</html>\n",
    )
    return "".join(parts)


def _html(text: str) -> str:
    return escape(as_it_is_read(text))


def _head(evaluation: Evaluation, name: str) -> Iterator[str]:
    by_texts = evaluation.chosen_by == BY_TEXTS
    by = "their texts" if by_texts else evaluation.chosen_by
    told = f"{evaluation.counted}, chosen by {by}."
    yield f"<header>\n<h1>{_html(name)}</h1>\n<p>{_html(told)}</p>\n</header>\n"
    yield '<section class="tiles">\n'
    yield _tile("all", evaluation.outcomes, by_texts=by_texts)
    for language in evaluation.languages:
        label = _LANGUAGES.get(language, language)
        yield _tile(label, evaluation.of_language(language), by_texts=by_texts)
    yield "</section>\n"


def _tile(label: str, outcomes: Sequence[Outcome], *, by_texts: bool) -> str:
    first = reached(outcomes, 1)
    other = reached(outcomes, 3) if by_texts else sum(each.is_right for each in outcomes)
    name = "top 3" if by_texts else "arguments right"
    return (
        f'<div class="tile"><h2>{_html(label)}</h2>'
        f'<p class="number">{_percent(first, len(outcomes))}</p>'
        f"<p>top 1: {first} of {len(outcomes)}</p>"
        f'<div class="bar"><i style="width:{_percent(first, len(outcomes))}"></i></div>'
        f"<p>{name}: {other} ({_percent(other, len(outcomes))})</p></div>\n"
    )


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f}%" if whole else "0%"


def _confusion(evaluation: Evaluation) -> Iterator[str]:
    counts = evaluation.confused()
    expected = [f.tool_name for f in evaluation.functions if evaluation.of_function(f.tool_name)]
    known = [f.tool_name for f in evaluation.functions]
    others = {second for _, second in counts} - set(known)
    columns = [name for name in known if any((row, name) in counts for row in expected)]
    columns += sorted(others)
    yield "<section>\n<h2>What was meant, and what was reached</h2>\n"
    yield "<p>A row for each function that was meant; what is off the diagonal is a mistake.</p>\n"
    size = " many" if len(columns) > _MANY else ""
    yield f'<div class="scroll"><table class="matrix{size}">\n<thead><tr><td></td>'
    yield "".join(_heading("col", name or "none") for name in columns)
    yield '<th scope="col"><span>right</span></th></tr></thead>\n<tbody>\n'
    for row in expected:
        outcomes = evaluation.of_function(row)
        cells = "".join(_cell(row, name, counts.get((row, name), 0)) for name in columns)
        right = _percent(reached(outcomes, 1), len(outcomes))
        yield f"<tr>{_heading('row', row)}{cells}<td>{right}</td></tr>\n"
    yield "</tbody></table></div>\n</section>\n"


def _heading(scope: str, name: str) -> str:
    """The name of a row or column, whole where the pointer rests on it."""
    return f'<th scope="{scope}" title="{_html(name)}"><span>{_html(name)}</span></th>'


def _cell(expected: str, name: str, count: int) -> str:
    if not count:
        return "<td></td>"
    kind = "right" if expected == name else "wrong"
    told = _html(f"{expected} meant, {name or 'none'} reached")
    return f'<td class="{kind} s{min(count, _MOST_SHADES)}" title="{told}">{count}</td>'


def _pairs(evaluation: Evaluation) -> Iterator[str]:
    pairs = evaluation.pairs()
    yield "<section>\n<h2>Functions that are hard to tell apart</h2>\n"
    if not pairs:
        yield "<p>None.</p>\n</section>\n"
        return
    yield '<table class="stacked"><thead><tr><th>functions</th><th>taken for each other</th>'
    yield "<th>likeness of texts</th><th>words in common</th></tr></thead>\n<tbody>\n"
    for pair in pairs:
        yield (
            f"<tr><td><code>{_html(pair.first)}</code><br><code>{_html(pair.second)}</code></td>"
            f'<td data-of="taken for each other">{pair.mistaken}</td>'
            f'<td data-of="likeness of texts">{pair.likeness:.2f}</td>'
            f'<td data-of="words in common">{_html(", ".join(pair.words))}</td></tr>\n'
        )
    yield "</tbody></table>\n</section>\n"


def _outcomes(evaluation: Evaluation) -> Iterator[str]:
    wrong = [each for each in evaluation.outcomes if not each.is_right]
    right = [each for each in evaluation.outcomes if each.is_right]
    names = ("Not reached", "Reached")
    if evaluation.chosen_by != BY_TEXTS:
        names = ("Not right", "Right")
    for title, outcomes, state in ((names[0], wrong, " open"), (names[1], right, "")):
        if outcomes:
            yield f"<section>\n<details{state}><summary><h2>{title}: {len(outcomes)}</h2></summary>"
            yield '\n<table class="said stacked"><thead><tr><th>what the user says</th>'
            yield "<th>meant</th><th>reached</th><th>why</th></tr></thead>\n<tbody>\n"
            yield from map(_row, outcomes)
            yield "</tbody></table>\n</details>\n</section>\n"


def _row(outcome: Outcome) -> str:
    found = outcome.chosen[:_MOST_REACHED]
    scores = outcome.scores or ("",) * len(found)
    shown = [
        f'<li class="{"right" if name == outcome.expected else "wrong"}"><code>{_html(name)}</code>'
        f"{f' <small>{score:.2f}</small>' if isinstance(score, float) else ''}</li>"
        for name, score in zip(found, scores, strict=False)
    ]
    reached_ones = f"<ol>{''.join(shown)}</ol>" if shown else '<span class="none">none</span>'
    language = _html(outcome.utterance.language)
    return (
        f'<tr><td lang="{language}">{_html(outcome.utterance.text)} <small>{language}</small></td>'
        f'<td data-of="meant"><code>{_html(outcome.expected)}</code></td>'
        f'<td data-of="reached">{reached_ones}</td>'
        f"<td>{'<br>'.join(_reasons(outcome))}</td></tr>\n"
    )


def _reasons(outcome: Outcome) -> Iterator[str]:
    if outcome.words:
        yield f"by <em>{_html(', '.join(outcome.words))}</em>"
    if outcome.unknown_words and not outcome.is_right:
        yield f"no function says <em>{_html(', '.join(outcome.unknown_words))}</em>"
    yield from map(_html, outcome.argument_faults)
    if outcome.note:
        yield _html(outcome.note)
