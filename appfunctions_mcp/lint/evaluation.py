"""How well functions are reached by what users say: by their texts, or by a model.

Whoever chooses, a ranking or a model, gives outcomes; the evaluation counts them.
"""

from collections import Counter
from collections.abc import Sequence

from appfunctions_mcp.lint.bm25 import AlikePair, Ranking
from appfunctions_mcp.lint.expected_arguments import impossible_arguments
from appfunctions_mcp.lint.utterances import Utterance, UtterancesError
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.names import nearest_names
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.records import record

__all__ = [
    "BY_TEXTS",
    "Confusion",
    "Evaluation",
    "Outcome",
    "evaluate_texts",
    "functions_meant",
    "reached",
]

BY_TEXTS = "texts"
"""Who has chosen, where that was the ranking and no model."""
LEAST_LIKENESS = 0.6
"""From here on two functions are too alike: over real lists of tools it finds the pairs that
people mix up too, such as reactions to issues and to comments, and few others."""
LEAST_CONFUSIONS = 2
"""So many utterances between two functions make them a pair, however they are described."""


@record(frozen=True, slots=True)
class Outcome:
    """What came of one utterance."""

    utterance: Utterance
    expected: str
    """The tool name of the function that it should reach."""
    chosen: tuple[str, ...]
    """The tool names that were reached, the best first; empty where none was."""
    rank: int | None
    """The place of the expected function, 1 where it is reached; None where it is nowhere.
    Functions that are as good as it come before it."""
    scores: tuple[float, ...] = ()
    """Those of the ranking, one for each that is chosen."""
    words: tuple[str, ...] = ()
    """What spoke for the first of them, in its own words."""
    unknown_words: tuple[str, ...] = ()
    """What the user said and no function says."""
    argument_faults: tuple[str, ...] = ()
    """What is wrong with the arguments of a model's call."""
    note: str = ""
    """What else there is to know, such as what a model said instead of a call."""

    @property
    def first(self) -> str:
        """What was reached; empty where nothing was."""
        return self.chosen[0] if self.chosen else ""

    @property
    def is_right(self) -> bool:
        """Whether the expected function was reached, and with the arguments that are asked for."""
        return self.rank == 1 and not self.argument_faults


@record(frozen=True, slots=True)
class Confusion:
    """Two functions that are hard to tell apart: too alike, or taken for each other."""

    first: str
    second: str
    likeness: float
    """Of their texts, from 0 to 1."""
    words: tuple[str, ...]
    """What their texts have in common."""
    mistaken: int
    """How many utterances for one of them reached the other."""


@record(frozen=True, slots=True)
class Evaluation:
    """All outcomes, and what follows from them."""

    functions: tuple[AppFunctionMetadata, ...]
    outcomes: tuple[Outcome, ...]
    chosen_by: str = BY_TEXTS
    """`texts`, or the model."""

    @property
    def counted(self) -> str:
        """How much was evaluated, in words."""
        return ", ".join(
            f"{count} {thing}{'' if count == 1 else 's'}"
            for count, thing in (
                (len(self.outcomes), "utterance"),
                (len(self.functions), "function"),
            )
        )

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of the utterances, in alphabetical order."""
        return tuple(sorted({outcome.utterance.language for outcome in self.outcomes}))

    def of_language(self, language: str) -> tuple[Outcome, ...]:
        """The outcomes of one language."""
        return tuple(each for each in self.outcomes if each.utterance.language == language)

    def of_function(self, name: str) -> tuple[Outcome, ...]:
        """The outcomes of the utterances that should reach a function."""
        return tuple(each for each in self.outcomes if each.expected == name)

    def confused(self) -> dict[tuple[str, str], int]:
        """How many utterances of each expected function reached which; `` where none.

        Right ones are among them.
        """
        counts = Counter((each.expected, each.first) for each in self.outcomes)
        return dict(sorted(counts.items()))

    def pairs(self) -> list[Confusion]:
        """The pairs that are too alike by their texts or by outcomes, the worst first."""
        counts = self.confused()
        alike = {
            (pair.first.tool_name, pair.second.tool_name): pair
            for pair in Ranking(self.functions).alike(0.0)
        }
        found = []
        for (first, second), pair in alike.items():
            mistaken = counts.get((first, second), 0) + counts.get((second, first), 0)
            if pair.likeness >= LEAST_LIKENESS or mistaken >= LEAST_CONFUSIONS:
                found.append(Confusion(first, second, pair.likeness, _few(pair), mistaken))
        return sorted(found, key=lambda each: (-each.mistaken, -each.likeness))


def reached(outcomes: Sequence[Outcome], places: int) -> int:
    """How many utterances have their function among so many places."""
    return sum(each.rank is not None and each.rank <= places for each in outcomes)


def functions_meant(
    functions: Sequence[AppFunctionMetadata], utterances: Sequence[Utterance]
) -> list[AppFunctionMetadata]:
    """The function that each utterance should reach.

    Raises:
        UtterancesError: Names every utterance whose function, or one that it says may be called
            before, there is none of, and every argument that no call of its could have.
    """
    by_name = {function.function_id: function for function in functions}
    by_name |= {function.tool_name: function for function in functions}
    faults = [
        f"{each.source}: there is no function {quoted(name)}; {_instead(name, functions)}"
        for each in utterances
        for name in (each.function, *each.before)
        if name not in by_name
    ]
    for each in utterances:
        if each.function in by_name:
            faults += impossible_arguments(each, by_name[each.function])
    if faults:
        raise UtterancesError(faults)
    return [by_name[each.function] for each in utterances]


def evaluate_texts(
    functions: Sequence[AppFunctionMetadata], utterances: Sequence[Utterance]
) -> Evaluation:
    """Ranks the functions for each utterance by their texts.

    Args:
        functions: In the order of their listing.
        utterances: What users say.

    Raises:
        UtterancesError: An utterance should reach a function that there is none of.
    """
    ranking = Ranking(functions)
    meant = functions_meant(functions, utterances)
    outcomes = [
        _outcome(utterance, function.tool_name, ranking)
        for utterance, function in zip(utterances, meant, strict=True)
    ]
    return Evaluation(tuple(functions), tuple(outcomes))


def _outcome(utterance: Utterance, expected: str, ranking: Ranking) -> Outcome:
    found = [match for match in ranking.matches(utterance.text) if match.score > 0]
    # What is as good as the expected function comes before it: a model has no order to go by.
    own = next((match.score for match in found if match.function.tool_name == expected), None)
    rank = None if own is None else sum(match.score >= own for match in found)
    found.sort(key=lambda match: (-match.score, match.function.tool_name == expected))
    return Outcome(
        utterance,
        expected,
        tuple(match.function.tool_name for match in found),
        rank,
        scores=tuple(match.score for match in found),
        words=found[0].words if found else (),
        unknown_words=tuple(ranking.unknown(utterance.text)),
    )


def _instead(name: str, functions: Sequence[AppFunctionMetadata]) -> str:
    names = [function.tool_name for function in functions]
    near = nearest_names(name, names)
    return f"near it: {', '.join(near)}" if near else f"there are {', '.join(names)}"


def _few(pair: AlikePair) -> tuple[str, ...]:
    return pair.words[:5]
