"""Ranks functions for what a user says, by their texts: BM25 over weighted fields.

Offline and deterministic. What counts is what a model gets: the name, the description, and the
names, descriptions and choices of the parameters; titles and results are for people or come
later. A word that is rare among the functions counts more than one that all of them have, and a
text does not win by its length (Robertson and Zaragoza, The Probabilistic Relevance Framework:
BM25 and Beyond, 2009; BM25F for the fields).
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.lint.glossary import translations
from appfunctions_mcp.lint.stems import name_words, stem, stems_of, words_of
from appfunctions_mcp.metadata import AppFunctionMetadata, JsonSchema
from appfunctions_mcp.records import record

__all__ = ["WEIGHTS", "AlikePair", "Match", "Ranking"]

WEIGHTS: Mapping[str, float] = {
    "name": 3.0,
    "summary": 2.0,
    "description": 1.0,
    "parameter": 1.0,
    "choice": 1.0,
    "parameter description": 0.5,
}
"""How much a word counts where it stands.

The name is a few chosen words, and stands at every place where an agent sees the function. The
first sentence of the description says what the function does; what follows says when and how.
Names and choices of parameters are what users say of a thing (`as markdown`). Descriptions of
parameters explain their values, and are long and alike among functions, so they count half.
"""

_SATURATION = 1.2
"""BM25's k1: how soon further occurrences of a word add nothing."""
_LENGTH_SHARE = 0.75
"""BM25's b: how much of a field's length is allowed for."""
_MOST_LEVELS = 12
"""How deep schemas are looked into; references are not followed, so that none is endless."""
_SENTENCE_END = regex(r"(?<=[.!?])\s+|\n\s*\n")
_NAME_IN_TEXT = regex(r"[A-Za-z]\w*(?:[_-]\w+)+|[a-z]+(?:[A-Z]\w*)+")
_PART_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")

Fields = dict[str, list[str]]


@record(frozen=True, slots=True)
class Match:
    """A function and how well its texts answer to what was said."""

    function: AppFunctionMetadata
    score: float
    """0 where no word is the same."""
    words: tuple[str, ...]
    """Those of its texts that gave the score, the strongest first."""


@record(frozen=True, slots=True)
class AlikePair:
    """Two functions whose texts are hard to tell apart."""

    first: AppFunctionMetadata
    second: AppFunctionMetadata
    likeness: float
    """From 0, no word in common, to 1, the same words."""
    words: tuple[str, ...]
    """What makes them alike, the strongest first."""


class Ranking:
    """Functions that are offered together, ready to be ranked.

    Example:
        matches = Ranking(service.manager.search()).matches("Write down the number of the boiler")

    Args:
        functions: In the order of their listing, which decides between equals.
    """

    def __init__(self, functions: Sequence[AppFunctionMetadata]) -> None:
        self.functions = tuple(functions)
        names = frozenset(function.tool_name for function in functions)
        fields = [_fields_of(function, names) for function in functions]
        self._forms = _forms_of(fields)
        self._counts = _weighted_counts(fields)
        self._holders = Counter(word for counts in self._counts for word in counts)

    def matches(self, text: str) -> list[Match]:
        """All functions, the best first.

        A word that no function has counts as its translations, as far as functions have these.

        Args:
            text: What the user says.
        """
        asked = list(dict.fromkeys(filter(None, map(self._known, stems_of(text)))))
        found = [
            self._match(function, counts, asked)
            for function, counts in zip(self.functions, self._counts, strict=True)
        ]
        return sorted(found, key=lambda match: -match.score)

    def unknown(self, text: str) -> list[str]:
        """The words of a text that no function has, in either language, each once."""
        return [word for word in dict.fromkeys(words_of(text)) if not self._known(stem(word))]

    def alike(self, least: float) -> list[AlikePair]:
        """The pairs of functions with texts at least so alike, the most alike first.

        Args:
            least: From 0 to 1.
        """
        vectors = [self._vector(counts) for counts in self._counts]
        pairs = []
        for second, other in enumerate(vectors):
            for first, one in enumerate(vectors[:second]):
                shared = {word: one[word] * other[word] for word in one.keys() & other.keys()}
                likeness = round(sum(sorted(shared.values())), 4)
                if likeness >= least:
                    functions = self.functions[first], self.functions[second]
                    pairs.append(AlikePair(*functions, min(likeness, 1.0), self._told(shared)))
        return sorted(pairs, key=lambda pair: -pair.likeness)

    def _known(self, word: str) -> tuple[str, ...]:
        """A word, or else its translations, as the functions have them; empty if they do not."""
        if word in self._holders:
            return (word,)
        found = tuple(other for other in translations(word) if other in self._holders)
        # What all functions have would make the other translations tell nothing too.
        telling = tuple(other for other in found if self._holders[other] < len(self.functions))
        return telling or found

    def _match(
        self,
        function: AppFunctionMetadata,
        counts: Mapping[str, float],
        asked: Sequence[tuple[str, ...]],
    ) -> Match:
        gained: dict[str, float] = {}
        for words in asked:
            # Translations of one word are one word: their occurrences are counted together.
            count = sum(counts.get(word, 0.0) for word in words)
            if count:
                holders = sum(any(word in each for word in words) for each in self._counts)
                gain = self._rarity(holders) * count / (_SATURATION + count)
                best = max(words, key=lambda word: counts.get(word, 0.0))
                gained[best] = gained.get(best, 0.0) + gain
        return Match(function, round(sum(gained.values()), 6), self._told(gained))

    def _rarity(self, holders: int) -> float:
        """How much a word tells: BM25's idf, but nothing where all functions have the word."""
        return math.log(1 + (max(len(self.functions), 2) - holders) / (holders + 0.5))

    def _told(self, gained: Mapping[str, float]) -> tuple[str, ...]:
        """The words of stems that count, the strongest first."""
        counting = [word for word, gain in gained.items() if gain]
        return tuple(self._forms[w] for w in sorted(counting, key=lambda w: (-gained[w], w)))

    def _vector(self, counts: Mapping[str, float]) -> dict[str, float]:
        """The weights of a function's words, of length 1."""
        # BM25's own idf: two functions with the same texts are alike, though no word tells them
        # apart from each other.
        total = len(self.functions)
        weights = {
            word: math.log(1 + (total - self._holders[word] + 0.5) / (self._holders[word] + 0.5))
            * (count / (_SATURATION + count))
            for word, count in counts.items()
        }
        length = math.sqrt(sum(sorted(weight**2 for weight in weights.values())))
        return {word: weight / length for word, weight in weights.items()} if length else {}


def _forms_of(fields: Sequence[Fields]) -> dict[str, str]:
    """The shortest word of each stem, by which people know it."""
    words = {word for each in fields for listed in each.values() for word in listed}
    return {stem(word): word for word in sorted(words, key=lambda w: (-len(w), w))}


def _weighted_counts(fields: Sequence[Fields]) -> list[dict[str, float]]:
    """How often each function has each word, weighted by where it stands (BM25F)."""
    average = {
        name: sum(len(each[name]) for each in fields) / max(len(fields), 1) or 1.0
        for name in WEIGHTS
    }
    weighted = []
    for each in fields:
        counts: dict[str, float] = {}
        for name, weight in WEIGHTS.items():
            share = 1 - _LENGTH_SHARE + _LENGTH_SHARE * len(each[name]) / average[name]
            for word, count in Counter(map(stem, each[name])).items():
                counts[word] = counts.get(word, 0.0) + weight * count / share
        weighted.append(counts)
    return weighted


def _fields_of(function: AppFunctionMetadata, names: frozenset[str]) -> Fields:
    """The words of each field; where a text names another function it speaks of that one."""
    others = names - {function.tool_name}

    def read(text: str) -> list[str]:
        return words_of(_NAME_IN_TEXT.sub(lambda m: "" if m[0] in others else m[0], text))

    description = function.description if function.is_described else ""
    summary, *rest = _SENTENCE_END.split(description.strip(), maxsplit=1)
    fields: Fields = {name: [] for name in WEIGHTS}
    fields["name"] = name_words(function.tool_name)
    fields["summary"] = read(summary)
    fields["description"] = read("".join(rest))
    for name, part in _parameters_in(function.input_schema, 0):
        fields["parameter"] += name_words(name)
        fields["parameter description"] += read(_text(part.get("description")))
        choices = part.get("enum", [part["const"]] if "const" in part else [])
        for choice in choices if isinstance(choices, list) else []:
            fields["choice"] += name_words(_text(choice))
    return fields


def _parameters_in(schema: JsonSchema, level: int) -> Iterator[tuple[str, JsonSchema]]:
    """Each property of a schema at every depth; parts without a name have an empty one."""
    properties = schema.get("properties")
    for name, part in properties.items() if isinstance(properties, dict) else ():
        if isinstance(part, dict):
            yield name, part
            yield from _inner_parts(part, level)
    if not level:
        yield from _inner_parts({**schema, "properties": None}, level)


def _inner_parts(part: JsonSchema, level: int) -> Iterator[tuple[str, JsonSchema]]:
    if level >= _MOST_LEVELS:
        return
    yield from _parameters_in(part, level + 1)
    inner = [part.get("items"), part.get("additionalProperties")]
    for keyword in _PART_LISTS:
        listed = part.get(keyword)
        inner += listed if isinstance(listed, list) else []
    for each in inner:
        if isinstance(each, dict):
            yield "", each
            yield from _inner_parts(each, level + 1)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
