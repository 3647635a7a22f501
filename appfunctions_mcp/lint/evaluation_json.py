"""An evaluation as a JSON value, for programs that follow how well functions are reached."""

from collections.abc import Sequence
from typing import Any

from appfunctions_mcp.lint.evaluation import BY_TEXTS, Confusion, Evaluation, Outcome, reached

__all__ = ["evaluation_as_json"]

MOST_PLACES = 5


def evaluation_as_json(evaluation: Evaluation) -> dict[str, Any]:
    """Counts, confusions, pairs and every outcome, in the order of the utterances.

    Args:
        evaluation: By the texts or by a model.
    """
    languages = {
        language: _counts(evaluation, evaluation.of_language(language))
        for language in evaluation.languages
    }
    functions = {
        function.tool_name: _counts(evaluation, evaluation.of_function(function.tool_name))
        for function in evaluation.functions
    }
    return {
        "chosen_by": evaluation.chosen_by,
        **_counts(evaluation, evaluation.outcomes),
        "languages": languages,
        "functions": functions,
        "confusion": [
            {"expected": expected, "reached": reached_one or None, "count": count}
            for (expected, reached_one), count in evaluation.confused().items()
        ],
        "pairs": [_pair(each) for each in evaluation.pairs()],
        "utterances": [_outcome(evaluation, each) for each in evaluation.outcomes],
    }


def _counts(evaluation: Evaluation, outcomes: Sequence[Outcome]) -> dict[str, int]:
    counts = {"count": len(outcomes), "top_1": reached(outcomes, 1)}
    if evaluation.chosen_by == BY_TEXTS:
        return {**counts, "top_3": reached(outcomes, 3)}
    return {**counts, "right": sum(each.is_right for each in outcomes)}


def _pair(pair: Confusion) -> dict[str, Any]:
    return {
        "functions": [pair.first, pair.second],
        "likeness": pair.likeness,
        "words": list(pair.words),
        "mistaken": pair.mistaken,
    }


def _outcome(evaluation: Evaluation, outcome: Outcome) -> dict[str, Any]:
    utterance = outcome.utterance
    told = {
        "text": utterance.text,
        "language": utterance.language,
        "source": utterance.source,
        "expected": outcome.expected,
        "rank": outcome.rank,
    }
    if evaluation.chosen_by == BY_TEXTS:
        chosen = zip(outcome.chosen, outcome.scores, strict=True)
        return {
            **told,
            "reached": [{"function": n, "score": s} for n, s in list(chosen)[:MOST_PLACES]],
            "words": list(outcome.words),
            "unknown_words": list(outcome.unknown_words),
        }
    return {
        **told,
        "reached": outcome.first or None,
        "is_right": outcome.is_right,
        "argument_faults": list(outcome.argument_faults),
        "note": outcome.note,
    }
