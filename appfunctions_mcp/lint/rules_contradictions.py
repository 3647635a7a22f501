# ruff: noqa: RUF001 - Russian words look like English ones
"""Rules about what contradicts itself: names, texts, hints and types of one function."""

import re
from collections.abc import Iterator
from typing import Any

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.lint.function_texts import own_description
from appfunctions_mcp.lint.name_words import SURELY_READ, words_in
from appfunctions_mcp.lint.parameter_texts import listed_arguments
from appfunctions_mcp.lint.rules import Fault, FunctionRule, Rule, Severity
from appfunctions_mcp.lint.schema_parts import parameter_parts
from appfunctions_mcp.lint.subjects import LintSubject
from appfunctions_mcp.lint.texts import (
    ENGLISH,
    RUSSIAN,
    first_sentence,
    language_of,
    sentences_of,
    words_of_name,
)
from appfunctions_mcp.lint.verbs import Effect, effect_of_verb, opening_word, verb_of
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.quoting import quoted

__all__ = ["RULES"]

_SURELY_WRITE = words_in(
    "delete remove erase purge wipe destroy create update edit modify rename upload send publish "
    "save insert append overwrite write archive drop cancel submit deploy install pay"
)
# Sums are added, and texts replaced, without any effect.
_MAY_WRITE = words_in("add set move replace merge clear reset copy")
# What is created and handed out as the answer is kept nowhere: a plan, a hash, a link.
_ANSWERS = words_in(
    "plan preview summary diagram chart url link query regex estimate quote explanation hash "
    "uuid password thumbnail snippet план сводку диаграмму график ссылку запрос оценку хеш пароль"
)
_LONGEST_READ = 20_000
_GUIDELINE = "AppFunctions quality guidelines: what is described as read-only must not write"
_WRITING_EFFECTS = frozenset({Effect.CREATES, Effect.CHANGES, Effect.DELETES})
_TEXT_WRITES = words_in("store increment empty clear reset")
_AND_WRITES = regex(
    r"\b(?:and|then)\s+(?:then\s+|also\s+)?(?P<verb>deletes?|removes?|erases?|overwrites?|updates?|marks?"
    r"|stores?|cancels?)\s+(?:it|them|the|all|this|every|each|its|their)\b|\bи\s+(?:затем\s+)?"
    r"(?P<russian>удаляет|стирает|обновляет|помечает|отмечает|перезаписывает)\b",
    re.IGNORECASE,
)


def _verb_of_name(function: AppFunctionMetadata) -> str:
    return next(filter(None, map(verb_of, words_of_name(function.tool_name))), "")


def _writing_words(function: AppFunctionMetadata) -> str:
    """The words of a description that surely say that something is written; empty without any."""
    text = function.description
    if not function.is_described or language_of(text) not in {ENGLISH, RUSSIAN}:
        return ""
    word = opening_word(text)
    verb = verb_of(word.text) if word else None
    is_writing = verb in _SURELY_WRITE | _TEXT_WRITES
    if word and verb and (is_writing or _writes_in_russian(word.text, verb)):
        object_of_verb = text[word.end :].split(None, 4)[:4]
        said = {each.strip(".,;:()").lower() for each in object_of_verb}
        is_answer = effect_of_verb(verb) is Effect.CREATES and not _ANSWERS.isdisjoint(said)
        return "" if is_answer else word.text
    found = _AND_WRITES.search(first_sentence(text))
    return found["verb"] or found["russian"] if found else ""


def _writes_in_russian(word: str, verb: str) -> bool:
    return not word.isascii() and effect_of_verb(verb) in _WRITING_EFFECTS


def _read_only_name(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    verb = _verb_of_name(function)
    if function.read_only and verb in _SURELY_WRITE | _MAY_WRITE:
        is_answer = verb == "create" and not _ANSWERS.isdisjoint(words_of_name(function.tool_name))
        severity = Severity.WARNING if verb in _MAY_WRITE or is_answer else None
        text = f"The hints say that it only reads, the name says {quoted(verb)}."
        yield Fault(text, "name", function.tool_name, severity=severity)


def _read_only_text(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    if function.read_only and (words := _writing_words(function)):
        text = f"The hints say that it only reads, the description says {quoted(words)}."
        yield Fault(text, "description", words)


def _name_and_text(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    verbs = {verb for word in words_of_name(function.tool_name) if (verb := verb_of(word))}
    verb, words = _verb_of_name(function), _writing_words(function)
    if verb in SURELY_READ and words and not verbs & _SURELY_WRITE:
        text = f"The name says {quoted(verb)}, the description says {quoted(words)}."
        yield Fault(text, "description", words)
        return
    word = opening_word(function.description) if function.is_described else None
    opening = verb_of(word.text) if word else None
    if word is None or opening is None or opening in verbs:
        return
    said = effect_of_verb(opening)
    is_read = verb in _SURELY_WRITE and opening in SURELY_READ
    is_opposite = {effect_of_verb(verb), said} == {Effect.CREATES, Effect.DELETES}
    if is_opposite or (is_read and effect_of_verb(verb) is Effect.DELETES):
        text = f"The name says {quoted(verb)}, the description says {quoted(word.text)}."
        yield Fault(text, "description", word.text)


_CLAIMS_TO_READ = regex(
    r"(?:(?:\A|;)\s*|\b(?:this|the)(?:\s+(?:operation|tool|function|call|method|action))?\s+is\s+(?:an?\s+)?)"
    r"read[- ]only(?=\s*(?:[.,;!]|\Z)|\s+(?:operation|tool|function|call|method|action)\b)"
    r"|\b(?:does\s+not|doesn't|without|never)\s+(?:change|changing|modify|modifying|alter|altering|delete|deleting|write|writing)\s+(?:anything|any\s+data|data)\b"
    r"|\bnothing\s+is\s+(?:changed|modified|deleted|written)\b|\bno\s+side[- ]effects\b"
    r"|(?:\A|;)\s*только\s+(?:для\s+чтения|чтение)(?=\s*(?:[.,;!]|\Z))|\bничего\s+не\s+(?:меня|измен|удал)\w+",
    re.IGNORECASE,
)
# "With dry_run nothing is deleted", "fails without changing anything".
_DEPENDS = regex(
    r"\b(?:if|when|unless|in|with|without|while|until|not|fails?|refuse[sd]?|otherwise|dry|если|когда|при|до)\b|_run\b",
    re.IGNORECASE,
)


def _claims_to_read(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    verb = _verb_of_name(function)
    writes = verb if verb in _SURELY_WRITE else _writing_words(function)
    # What the hints say against the name is told by other rules.
    if function.read_only or not (writes or function.destructive):
        return
    for sentence in sentences_of(own_description(function)):
        found = _CLAIMS_TO_READ.search(sentence.text)
        rest = _CLAIMS_TO_READ.sub("", sentence.text)
        if found and not _DEPENDS.search(rest):
            words = found[0].strip("; ")
            shown = f"its verb is {quoted(writes)}" if writes else "the hints say that it destroys"
            yield Fault(f"The text says {quoted(words)}, but {shown}.", "description", words)
            return


_NAMED_PARAMETER = regex(
    r"(?:'(?P<a>[A-Za-z_]\w*)'|\"(?P<b>[A-Za-z_]\w*)\"|`(?P<c>[A-Za-z_]\w*)`)"
    r"\s+(?:parameter|argument)\b(?!\s+(?:of|in|to|from|for)\s+(?:the\s+)?[`'\"A-Za-z_]+[_`'\"-])"
    r"|\b(?:parameter|argument)\s+(?:`(?P<f>[A-Za-z_]\w*)`|'(?P<g>[A-Za-z_]\w*)'|\"(?P<h>[A-Za-z_]\w*)\")"
    r"|\bset\s+`(?P<i>[a-z_]\w*)`\s+to\b|(?:параметр\w*|аргумент\w*)\s+(?:`(?P<d>[A-Za-z_]\w*)`|«(?P<e>[A-Za-z_]\w*)»)",
    re.IGNORECASE,
)


def _parameter_unknown(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    known = {part.name for part in parameter_parts(function) if part.name}
    if "properties" not in function.input_schema:
        return
    named = list(listed_arguments(function.description))
    for found in _NAMED_PARAMETER.finditer(function.description[:_LONGEST_READ]):
        named += filter(None, found.groups())
    for name in dict.fromkeys(named):
        # In capitals it is a variable of the environment.
        if name not in known and not name.isupper():
            text = f"The description tells of the parameter {quoted(name)}, which does not exist."
            yield Fault(text, "description", name)


def _tool(name: str, description: str, **more: Any) -> Any:
    schema = {"type": "object", "properties": {}}
    return {"name": name, "description": description, "inputSchema": schema, **more}


_READS = {"readOnlyHint": True}
_LISTS = "Lists the notes of the signed-in user."

RULES: tuple[FunctionRule, ...] = (
    FunctionRule(
        Rule(
            "AF070",
            "read-only-name-writes",
            Severity.ERROR,
            _GUIDELINE,
            "Take the read-only hint away, or rename the function.",
            bad=_tool("archive_notes", "Archives the notes of the user.", annotations=_READS),
            good=_tool("list_notes", _LISTS, annotations=_READS),
        ),
        _read_only_name,
    ),
    FunctionRule(
        Rule(
            "AF071",
            "read-only-text-writes",
            Severity.ERROR,
            _GUIDELINE,
            "Take the read-only hint away, or describe what is read.",
            bad=_tool("sync_notes", "Updates the notes of the user.", annotations=_READS),
            good=_tool("list_notes", _LISTS, annotations=_READS),
            languages=frozenset({ENGLISH, RUSSIAN}),
        ),
        _read_only_text,
    ),
    FunctionRule(
        Rule(
            "AF072",
            "name-against-text",
            Severity.ERROR,
            "AppFunctions quality guidelines: no misleading names, as a fetchData that deletes",
            "Name the function after what the description says.",
            bad=_tool("fetch_notes", "Deletes all notes of the user."),
            good=_tool("list_notes", _LISTS),
            languages=frozenset({ENGLISH, RUSSIAN}),
        ),
        _name_and_text,
    ),
    FunctionRule(
        Rule(
            "AF090",
            "read-only-claim-writes",
            Severity.ERROR,
            _GUIDELINE,
            "Take the claim out, or describe what is read.",
            bad=_tool("archive_notes", "Archives old notes. This operation is read-only."),
            good=_tool("archive_notes", "Archives old notes. Notes that are read-only stay."),
            languages=frozenset({ENGLISH, RUSSIAN}),
        ),
        _claims_to_read,
    ),
    FunctionRule(
        Rule(
            "AF079",
            "parameter-unknown",
            Severity.ERROR,
            "a contradiction: agents send what the text names, and are refused",
            "Correct the name in the text, or declare the parameter.",
            bad=_tool("list_notes", "Lists the notes that have the `label` parameter as a label."),
            good=_tool("list_notes", _LISTS),
        ),
        _parameter_unknown,
    ),
)
