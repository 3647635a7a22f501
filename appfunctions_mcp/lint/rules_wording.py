# ruff: noqa: RUF001 - Russian words look like English ones
"""Rules about how descriptions say it: no commands to the model, no emphasis, no other functions.

A clause that says when a function applies is context, and is left alone.
"""

import re
from collections.abc import Callable, Iterator

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.lint.commands import CommandKind, commands_of, shouts_of
from appfunctions_mcp.lint.example_tools import example_tool
from appfunctions_mcp.lint.function_texts import (
    described_texts,
    language_of_function,
    own_description,
)
from appfunctions_mcp.lint.other_functions import functions_named_in, unknown_functions_named_in
from appfunctions_mcp.lint.rules import Fault, FunctionRule, Rule, Severity
from appfunctions_mcp.lint.schema_parts import parameter_parts
from appfunctions_mcp.lint.subjects import LintSubject
from appfunctions_mcp.lint.texts import ENGLISH, RUSSIAN, prose_of
from appfunctions_mcp.lint.verbs import Effect, effect_of_name, effect_of_verb, verb_of
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.names import nearest_names
from appfunctions_mcp.quoting import quoted

__all__ = ["RULES"]

_GUIDELINES = "AppFunctions quality guidelines, descriptions of functions"
_SKILL = "Android's skill for AppFunctions, KDoc"
_LANGUAGES = frozenset({ENGLISH, RUSSIAN})
_FEWEST_CHOICES = 3
# Comparing takes long, and no client takes a list of more.
_MOST_COMPARED = 200

Check = Callable[[AppFunctionMetadata, LintSubject], Iterator[Fault]]

_STEPS = {
    ENGLISH: regex(
        r"\b(?:before|prior\s+to|after)\s+(?:using|calling|invoking|running)\s+this"
        r"(?:\s+(?:tool|function|method))?\b|\b(?:must|should|has\s+to|needs\s+to)\s+be\s+"
        r"(?:called|used|run|invoked)\s+(?:first|before|after|once|prior)\b|"
        r"\brequired\s+workflow\b|\bfirst,?\s+(?:call|use|run|invoke|search|get|find|list|fetch)\s+"
        r"(?:the|a|for|this|\W)|\bthen\s+(?:call|use|run|invoke)\b|"
        r"\bcall\s+(?:this|it)(?:\s+(?:tool|function))?\s+(?:first|before|after)\b|"
        r"\bstep\s+1\b|\bworkflow:",
        re.IGNORECASE,
    ),
    RUSSIAN: regex(
        r"\b(?:перед|до|после)\s+(?:вызов\w+|использовани\w+)\s+(?:этой|этого|данной|данного|"
        r"функци\w+|метод\w*|инструмент\w*)|\b(?:сначала|сперва|затем|потом)\s+(?:нужно\s+)?"
        r"(?:вызов\w+|вызва\w+|вызыва\w+|использу\w+|найд\w+|найти|получ\w+)|\bшаг\s+1\b",
        re.IGNORECASE,
    ),
}
_ALLOWED_PHRASE = regex(r"\brequired\s+workflow\s*:", re.IGNORECASE)
_VAGUE = {
    ENGLISH: regex(
        r"\b(?:various|miscellaneous|several\s+(?:things|operations)|all\s+kinds\s+of|stuff|"
        r"and\s+(?:much\s+)?more|and\s+so\s+on|and\s+others|"
        r"general[- ]purpose|all[- ]purpose|multi[- ]?purpose)\b|\betc\b",
        re.IGNORECASE,
    ),
    RUSSIAN: regex(
        r"\b(?:различн\w+\s+(?:операц|действ)\w+|всевозможн\w+|что\s+угодно|и\s+так\s+далее|"
        r"и\s+прочее|и\s+многое\s+другое|универсальн\w+)\b|\bи\s+т\.\s?[дп]\.",
        re.IGNORECASE,
    ),
}
# "Places (schools, parks, shops, etc.)" has said enough; values in quotes are no examples.
_QUOTE = regex(r"[\"'`«]")
_EXAMPLES = regex(
    r"\((?:[^(),\n]{1,80},){2,20}\s*etc\.?\)"
    r"|\((?:[^(),\n]{1,80},){1,20}[^(),\n]{1,80}\sи\s+т\.\s?[дп]\.\)",
    re.IGNORECASE,
)
_MARKETING = {
    ENGLISH: regex(
        r"\b(?:powerful|seamless(?:ly)?|effortless(?:ly)?|cutting[- ]edge|"
        r"state[- ]of[- ]the[- ]art|best[- ]in[- ]class|"
        r"world[- ]class|blazing(?:ly)?[- ]fast|revolutionary|amazing|awesome|"
        r"incredibl[ey]|innovative|comprehensive|sophisticated|robust|next[- ]gen(?:eration)?|"
        r"intelligent|smart|advanced|surgical)\b(?!/)",
        re.IGNORECASE,
    ),
    RUSSIAN: regex(
        r"\b(?:мощн(?!ост)\w+|уникальн\w+\s+(?:функци|возможност)\w+|инновационн\w+|удобн\w+|"
        r"передов\w+|потрясающ\w+|невероятн\w+)\b",
        re.IGNORECASE,
    ),
}
_INSIDE = {
    ENGLISH: regex(
        r"\b(?:internally|under\s+the\s+hood|(?<!returns a )wrapper\s+(?:around|for)|"
        r"(?:calls?|calling|using|uses?|via|through)\s+(?:the\s+|an?\s+)?(?:[\w.]+\s+){0,2}?"
        r"(?:REST\s+API|HTTP\s+API|endpoint|SQL\s+quer(?:y|ies)|ORM|subprocess|singleton|"
        r"repository\s+class|database\s+table))\b",
        re.IGNORECASE,
    ),
    RUSSIAN: regex(
        r"\b(?:внутри\s+(?:использу|вызыва)\w+|под\s+капотом|обёртка\s+над|обертка\s+над|"
        r"через\s+(?:REST|SQL|ORM)\w*)\b",
        re.IGNORECASE,
    ),
}
_VERB_LIST = regex(
    r"[A-Za-z]+(?:(?:\s*,\s*(?:(?:and|or)\s+)?|\s+(?:and/or|and|or)\s+)[A-Za-z]+){2,}"
)
_CHOOSERS = frozenset(
    ["action", "operation", "method", "command", "op", "mode", "verb", "действие", "операция"]
)


def _commands(kinds: frozenset[CommandKind], said: str) -> Check:
    def check(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
        language = language_of_function(function)
        for each in described_texts(function):
            for command in commands_of(each.text, language):
                # What a parameter is given is decided by whoever calls; "do not pass" says when.
                about_value = command.kind in _ABOUT_VALUES and each.place != "description"
                if command.kind in kinds and not about_value:
                    words = " ".join(command.words.text.split())
                    yield Fault(f"{quoted(words)} {said}", each.place, command.words.text)

    return check


_ABOUT_VALUES = frozenset(
    {CommandKind.PROHIBITION, CommandKind.ALWAYS_NEVER, CommandKind.SECOND_PERSON}
)


def _shouts(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for each in described_texts(function):
        found = shouts_of(each.text)
        if found:
            shown = ", ".join(dict.fromkeys(quoted(span.text, 40) for span in found[:5]))
            yield Fault(f"Emphasis: {shown}.", each.place, found[0].text)


def _names_others(function: AppFunctionMetadata, subject: LintSubject) -> Iterator[Fault]:
    for name, words in functions_named_in(own_description(function), function, subject):
        yield Fault(f"The description speaks of the function {quoted(name)}.", "description", words)


def _names_unknown(function: AppFunctionMetadata, subject: LintSubject) -> Iterator[Fault]:
    for name, words in unknown_functions_named_in(own_description(function), subject):
        others = [each.tool_name for each in subject.functions[:_MOST_COMPARED]]
        near = nearest_names(name, others, limit=1)
        fix = f"Perhaps {quoted(near[0])} is meant." if near else ""
        yield Fault(f"There is no function {quoted(name)}.", "description", words, fix)


def _steps(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    pattern = _STEPS.get(language_of_function(function))
    text = own_description(function)
    found = pattern.search(prose_of(text)) if pattern else None
    if found:
        words = text[found.start() : found.end()]
        said = f"{quoted(words)} prescribes steps; agents plan them themselves."
        yield Fault(said, "description", words)


def _steps_in_other_words(function: AppFunctionMetadata, subject: LintSubject) -> Iterator[Fault]:
    if not _ALLOWED_PHRASE.search(own_description(function)):
        yield from _steps(function, subject)


def _said_in(
    patterns: dict[str, re.Pattern[str]], said: str, but: re.Pattern[str] | None = None
) -> Check:
    def check(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
        pattern = patterns.get(language_of_function(function))
        text = own_description(function)
        prose = prose_of(text)
        for each in but.finditer(prose) if but else ():
            if not _QUOTE.search(text, each.start(), each.end()):
                prose = prose[: each.start()] + " " * len(each[0]) + prose[each.end() :]
        found = pattern.search(prose) if pattern else None
        if found:
            words = text[found.start() : found.end()]
            yield Fault(f"{quoted(words)} {said}", "description", words)

    return check


def _many_purposes(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for part in parameter_parts(function):
        choices = part.schema.get("enum")
        if part.depth != 1 or part.name.lower() not in _CHOOSERS or not isinstance(choices, list):
            continue
        effects = {effect_of_name(each) for each in choices if isinstance(each, str)}
        if (
            len(choices) >= _FEWEST_CHOICES
            and len(effects - {None}) > 1
            and Effect.READS in effects
        ):
            shown = ", ".join(quoted(str(each), 30) for each in choices[:6])
            said = f"{quoted(part.name)} chooses between reading and writing: {shown}."
            yield Fault(said, part.place, part.name)
    found = _VERB_LIST.match(own_description(function))
    verbs = (
        [word for word in found[0].replace("/", " ").split() if word[:1].isalpha()] if found else []
    )
    done = [verb for verb in map(verb_of, (word.strip(",") for word in verbs)) if verb]
    if len(done) >= _FEWEST_CHOICES and len({effect_of_verb(verb) for verb in done} - {None}) > 1:
        said = f"The function does {len(done)} things: {', '.join(map(quoted, done[:6]))}."
        yield Fault(said, "description", found[0] if found else "")


_GOOD = example_tool()
_PAIR = [example_tool("find_notes", "Finds notes by the words of their text.")]


def _described(text: str) -> dict[str, object]:
    return example_tool(description=text)


def _rule(
    id_: str, name: str, severity: Severity, source: str, fix: str, bad: object, check: Check
) -> FunctionRule:
    rule = Rule(id_, name, severity, source, fix, bad, _GOOD, languages=_LANGUAGES)
    return FunctionRule(rule, check)


RULES = (
    _rule(
        "AF111",
        "description-commands-model",
        Severity.WARNING,
        f"{_GUIDELINES}: the description says what, the agent decides how",
        "Say what the function does and when it applies, not what the model has to do.",
        _described("Creates a note. You must always call this before answering."),
        _commands(
            frozenset({CommandKind.SECOND_PERSON, CommandKind.ALWAYS_NEVER}),
            "commands the model.",
        ),
    ),
    _rule(
        "AF112",
        "description-directs-user-talk",
        Severity.WARNING,
        f"{_GUIDELINES}: no 'ask the user'",
        "Say what the function needs; how the agent gets it from the user is the agent's.",
        _described("Creates a note. Ask the user for a title."),
        _commands(frozenset({CommandKind.USER_TALK}), "directs how the model talks to the user."),
    ),
    _rule(
        "AF113",
        "description-reminds-model",
        Severity.WARNING,
        f"{_GUIDELINES}: descriptive, not imperative",
        "State the fact: 'A title has up to 200 characters', not 'Make sure that …'.",
        _described("Creates a note. Make sure that the title is short."),
        _commands(frozenset({CommandKind.REMINDER}), "reminds the model instead of stating."),
    ),
    _rule(
        "AF114",
        "description-forbids-model",
        Severity.WARNING,
        f"{_GUIDELINES}: descriptive, not imperative",
        "Say what happens otherwise: 'An unknown ID is refused', not 'Do not invent IDs'.",
        _described("Creates a note. Do not invent titles."),
        _commands(frozenset({CommandKind.PROHIBITION}), "forbids the model something."),
    ),
    FunctionRule(
        Rule(
            "AF115",
            "description-shouts",
            Severity.WARNING,
            f"{_GUIDELINES}: no capitals or special characters for emphasis",
            "Write the words as any others; put first what matters most.",
            bad=_described("Creates a note. IMPORTANT: The title **MUST** be unique."),
            good=_GOOD,
        ),
        _shouts,
    ),
    FunctionRule(
        Rule(
            "AF116",
            "description-names-function",
            Severity.WARNING,
            f"{_GUIDELINES}: each description leads to its one function",
            "Describe this function alone; the order of calls belongs into the app's description.",
            bad=[*_PAIR, example_tool(description="Creates a note. Unlike find_notes, it writes.")],
            good=[*_PAIR, _GOOD],
            profiles=frozenset({"guidelines"}),
        ),
        _names_others,
    ),
    FunctionRule(
        Rule(
            "AF117",
            "description-steps",
            Severity.WARNING,
            f"{_GUIDELINES}: no procedural steps across functions",
            "Move the order of calls into the app's description.",
            bad=_described("Creates a note. Before using this function, look for the note."),
            good=_GOOD,
            profiles=frozenset({"guidelines"}),
            languages=_LANGUAGES,
        ),
        _steps,
    ),
    FunctionRule(
        Rule(
            "AF118",
            "description-steps-unmarked",
            Severity.WARNING,
            f"{_SKILL}: dependencies are written 'Required workflow: Call X first to Y'",
            "Write 'Required workflow: Call X first to Y'.",
            bad=_described("Creates a note. Before using this function, look for the note."),
            good=_described(
                "Creates a note. Required workflow: Call find_notes first to learn whether it "
                "exists."
            ),
            profiles=frozenset({"skill"}),
            languages=_LANGUAGES,
        ),
        _steps_in_other_words,
    ),
    _rule(
        "AF119",
        "description-vague",
        Severity.NOTE,
        f"{_GUIDELINES}: specific and focused",
        "Name what is meant, or leave it out.",
        _described("Creates notes and much more."),
        _said_in(_VAGUE, "says nothing definite.", _EXAMPLES),
    ),
    _rule(
        "AF120",
        "description-praises",
        Severity.NOTE,
        f"{_GUIDELINES}: clear neutral wording",
        "Leave the praise out.",
        _described("Creates a note with our powerful editor."),
        _said_in(_MARKETING, "praises; it tells an agent nothing."),
    ),
    _rule(
        "AF121",
        "description-implementation",
        Severity.NOTE,
        f"{_SKILL}: the user's benefit, not the implementation",
        "Say what comes of it, not how it is done.",
        _described("Creates a note. It is internally stored in two tables."),
        _said_in(_INSIDE, "tells of the implementation."),
    ),
    FunctionRule(
        Rule(
            "AF122",
            "function-many-purposes",
            Severity.WARNING,
            f"{_GUIDELINES}: no multi-purpose functions",
            "Make a function of each choice that does another kind of thing.",
            bad=example_tool(
                parameters={
                    "action": {
                        "type": "string",
                        "description": "What is done with the note.",
                        "enum": ["get", "create", "delete"],
                    }
                }
            ),
            good=_GOOD,
        ),
        _many_purposes,
    ),
    FunctionRule(
        Rule(
            "AF123",
            "description-names-unknown-function",
            Severity.WARNING,
            "Real servers name functions that were renamed; models then call them",
            "Leave the name out, or name a function that there is.",
            bad=[*_PAIR, example_tool(description="Creates a note. After it, call 'list_notes'.")],
            good=[*_PAIR, _GOOD],
        ),
        _names_unknown,
    ),
)
