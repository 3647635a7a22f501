"""Functions of one list that are hard to tell apart, by their words. Knows no rule."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations

from appfunctions_mcp.lint.function_texts import own_description
from appfunctions_mcp.lint.stems import stem, stems_of
from appfunctions_mcp.lint.texts import sentences_of, words_of_name
from appfunctions_mcp.lint.verbs import verb_of
from appfunctions_mcp.metadata import AppFunctionMetadata

__all__ = ["alike_pairs", "repeated_sentences", "same_purpose_pairs"]

FEWEST_STEMS = 4
FEWEST_CHARACTERS = 40
# More functions than this are compared with those that stand near them in the list.
_MOST_COMPARED = 400

_SAME = (
    "get fetch retrieve show view read load",
    "find search lookup query",
    "list enumerate browse",
    "create add make new insert generate",
    "delete remove erase destroy discard",
    "update edit modify change alter",
    "send submit post dispatch",
    "run execute start launch invoke trigger",
    "stop end terminate kill halt abort",
)
_TELLS_NOTHING = frozenset(["a", "an", "the", "of", "for", "to", "by", "in", "from", "all", "new"])


def repeated_sentences(functions: Sequence[AppFunctionMetadata]) -> dict[str, list[str]]:
    """The longer sentences that several descriptions have, each with the ids of the functions."""
    found: dict[str, list[str]] = {}
    for function in functions:
        texts = {_on_one_line(each.text) for each in sentences_of(own_description(function))}
        for text in sorted(texts):
            if len(text) >= FEWEST_CHARACTERS:
                found.setdefault(text, []).append(function.function_id)
    return {text: ids for text, ids in found.items() if len(ids) > 1}


def alike_pairs(
    functions: Sequence[AppFunctionMetadata],
) -> Iterator[tuple[AppFunctionMetadata, AppFunctionMetadata, float]]:
    """Pairs whose descriptions share words, with the share: 1 where all words are the same.

    What is said of many functions alike does not count.

    Args:
        functions: Those that are offered together.
    """
    repeated = {text for text, ids in repeated_sentences(functions).items() if len(ids) > 2}
    stems = [_stems(function, repeated) for function in functions]
    for one, other in _pairs(len(functions)):
        left, right = stems[one], stems[other]
        if min(len(left), len(right)) >= FEWEST_STEMS:
            yield functions[one], functions[other], len(left & right) / len(left | right)


def _stems(function: AppFunctionMetadata, repeated: set[str]) -> frozenset[str]:
    sentences = sentences_of(own_description(function))
    own = [each.text for each in sentences if _on_one_line(each.text) not in repeated]
    return frozenset(stems_of(" ".join(own)))


def _pairs(count: int) -> Iterator[tuple[int, int]]:
    for one, other in combinations(range(count), 2):
        if count <= _MOST_COMPARED or other - one < _MOST_COMPARED // 4:
            yield one, other


def same_purpose_pairs(
    functions: Sequence[AppFunctionMetadata],
) -> Iterator[tuple[AppFunctionMetadata, AppFunctionMetadata]]:
    """Pairs whose names say the same of the same: `get_note` and `fetch_note`."""
    seen: dict[tuple[str, frozenset[str]], AppFunctionMetadata] = {}
    for function in functions:
        key = _purpose(function.tool_name)
        if key is None:
            continue
        other = seen.setdefault(key, function)
        if other is not function and other.tool_name != function.tool_name:
            yield other, function


def _purpose(name: str) -> tuple[str, frozenset[str]] | None:
    words = words_of_name(name)
    verb = next((word for word in words if word in _groups()), None)
    if verb is None or verb_of(verb) is None:
        return None
    counted = Counter(stem(word) for word in words if word not in _TELLS_NOTHING)
    counted.subtract([stem(verb)])
    objects = frozenset(+counted)
    return (_groups()[verb], objects) if objects else None


@cache
def _groups() -> dict[str, str]:
    return {verb: group for group in _SAME for verb in group.split()}


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
