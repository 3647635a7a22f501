"""Rules about functions together: whether an agent can tell them apart."""

from collections import Counter
from collections.abc import Iterator

from appfunctions_mcp.lint.alike_functions import (
    alike_pairs,
    repeated_sentences,
    same_purpose_pairs,
)
from appfunctions_mcp.lint.example_tools import example_tool
from appfunctions_mcp.lint.function_texts import own_description
from appfunctions_mcp.lint.rules import Fault, Rule, SetRule, Severity
from appfunctions_mcp.lint.subjects import LintSubject
from appfunctions_mcp.lint.texts import OTHER, language_of
from appfunctions_mcp.lint.tokens import tokens_of
from appfunctions_mcp.quoting import quoted

__all__ = ["RULES"]

_GUIDELINES = "AppFunctions quality guidelines: no several functions for one use"
_MOST_ALIKE = 0.85
_FEWEST_REPEATS = 3
_LANGUAGES = {"en": "English", "ru": "Russian"}


def _same_text(subject: LintSubject) -> Iterator[tuple[str, Fault]]:
    seen: dict[str, str] = {}
    for function in subject.functions:
        text = " ".join(own_description(function).split()).lower()
        first = seen.setdefault(text, function.tool_name)
        if text and first != function.tool_name:
            said = f"The description is that of {quoted(first)}."
            yield function.function_id, Fault(said, "description", own_description(function))


def _alike(subject: LintSubject) -> Iterator[tuple[str, Fault]]:
    for one, other, share in alike_pairs(subject.functions):
        same = own_description(one).split() == own_description(other).split()
        if share >= _MOST_ALIKE and not same:
            said = f"{share:.0%} of the words are those of {quoted(one.tool_name)}."
            yield other.function_id, Fault(said, "description")


def _same_purpose(subject: LintSubject) -> Iterator[tuple[str, Fault]]:
    for one, other in same_purpose_pairs(subject.functions):
        said = f"The name says the same as {quoted(one.tool_name)}."
        yield other.function_id, Fault(said, "name", other.tool_name)


def _repeated(subject: LintSubject) -> Iterator[tuple[str, Fault]]:
    for text, ids in repeated_sentences(subject.functions).items():
        if len(ids) >= _FEWEST_REPEATS:
            cost = tokens_of(text) * (len(ids) - 1)
            said = f"{len(ids)} functions say {quoted(text)}, which costs {cost} tokens more than"
            yield ids[0], Fault(f"{said} once.", "description", text)


def _languages(subject: LintSubject) -> Iterator[tuple[str, Fault]]:
    found = {
        function.function_id: language_of(own_description(function))
        for function in subject.functions
        if own_description(function)
    }
    counts = Counter(language for language in found.values() if language != OTHER)
    if len(counts) < 2:
        return
    usual = counts.most_common(1)[0][0]
    for function_id, language in found.items():
        if language not in (usual, OTHER):
            said = f"The description is {_LANGUAGES[language]}, most others are"
            yield function_id, Fault(f"{said} {_LANGUAGES[usual]}.", "description")


_FINDS = example_tool("find_notes", "Finds notes by the words of their text.")
_DELETES = example_tool("delete_note", "Deletes a note for good.", destructive=True)
_NOTICE = "Titles of notes hold at most two hundred characters."
_GOOD = [_FINDS, example_tool()]

RULES = (
    SetRule(
        Rule(
            "AF150",
            "descriptions-equal",
            Severity.WARNING,
            _GUIDELINES,
            "Say of each function what it alone does, or make one of them.",
            bad=[_FINDS, example_tool("find_texts", "Finds notes by the words of their text.")],
            good=_GOOD,
        ),
        _same_text,
    ),
    SetRule(
        Rule(
            "AF151",
            "descriptions-alike",
            Severity.WARNING,
            f"{_GUIDELINES}; similar intents make wrong picks likely",
            "Begin with what makes the difference, or make one function of both.",
            bad=[
                example_tool("find_notes", "Finds notes by the words of title, text and labels."),
                example_tool("pick_notes", "Finds notes by all words of labels, title and text."),
            ],
            good=_GOOD,
        ),
        _alike,
    ),
    SetRule(
        Rule(
            "AF152",
            "functions-same-purpose",
            Severity.WARNING,
            f"{_GUIDELINES}; similar intents make wrong picks likely",
            "Keep one of them, or let the names say how they differ.",
            bad=[
                example_tool("create_note", "Creates a note and returns its ID."),
                example_tool("add_note", "Puts a text into the notes of today."),
            ],
            good=_GOOD,
        ),
        _same_purpose,
    ),
    SetRule(
        Rule(
            "AF153",
            "sentences-repeated",
            Severity.WARNING,
            "AppFunctions quality guidelines: what concerns all is in the app's description",
            "Say it once, in the app's description.",
            bad=[
                example_tool("create_note", f"Creates a note. {_NOTICE}"),
                example_tool("find_notes", f"Finds notes by the words of their text. {_NOTICE}"),
                example_tool("rename_note", f"Renames a note in its folder. {_NOTICE}"),
            ],
            good=[*_GOOD, _DELETES],
        ),
        _repeated,
    ),
    SetRule(
        Rule(
            "AF154",
            "languages-mixed",
            Severity.NOTE,
            "AppFunctions quality guidelines: clear wording",
            "Write all descriptions in one language.",
            bad=[*_GOOD, example_tool("rename_note", "Переименовывает заметку.")],
            good=_GOOD,
        ),
        _languages,
    ),
)
