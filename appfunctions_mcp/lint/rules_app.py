# ruff: noqa: RUF001 - Russian words look like English ones
"""Rules about what an app says of itself: its description, which agents read before all else.

The order in which functions are called belongs there; how agents behave does not.
"""

import re
from collections.abc import Iterator, Mapping

from appfunctions_mcp.lint.commands import commands_of, shouts_of
from appfunctions_mcp.lint.named_functions import unknown_names
from appfunctions_mcp.lint.rules import Fault, Rule, SetRule, Severity
from appfunctions_mcp.lint.subjects import LintSubject, Origin
from appfunctions_mcp.lint.texts import (
    ENGLISH,
    RUSSIAN,
    first_sentence,
    language_of,
    prose_of,
    sentences_of,
    words_of,
)
from appfunctions_mcp.quoting import quoted

__all__ = ["RULES"]

_GUIDELINES = "AppFunctions quality guidelines, the app's description"
_SKILL = "Android's skill for AppFunctions, the app's description"
_LANGUAGES = frozenset({ENGLISH, RUSSIAN})
_MOST_CHARACTERS = 3000
_FEWEST_REPEATED_WORDS = 5

_MARKETING = {
    ENGLISH: re.compile(
        r"\b(?:revolutionary|cutting[- ]edge|world[- ]class|best[- ]in[- ]class|state[- ]of[- ]"
        r"the[- ]art|game[- ]chang(?:er|ing)|next[- ]gen(?:eration)?|blazing(?:ly)?[- ]fast|"
        r"award[- ]winning|unparalleled|unmatched|amazing(?:ly)?|awesome|incredibl[ey]|"
        r"effortless(?:ly)?|seamless(?:ly)?|powerful|ultimate|supercharge[sd]?|"
        r"unleash(?:es)?|delightful(?:ly)?|(?:the\s+)?best\s+(?:app|tool|way|choice))\b",
        re.IGNORECASE,
    ),
    RUSSIAN: re.compile(
        r"\b(?:революционн|уникальн|инновационн|непревзойд[её]нн|потрясающ|невероятн|передов|"
        r"мощн(?!ост)|лучш(?:ий|ая|ее|ие)\s+(?:прилож|инструмент|способ|выбор))\w*",
        re.IGNORECASE,
    ),
}
_FILLER = {
    ENGLISH: re.compile(
        r"(?:welcome\s+to|this\s+(?:is|app|application|server|mcp\s+server|service|toolset|"
        r"collection)\b|here\s+(?:is|are)\b|the\s+purpose\s+of|an?\s+(?:app|application|(?:mcp\s+)?"
        r"server|set\s+of\s+(?:functions|tools))\s+(?:that|which|for|to)\b)",
        re.IGNORECASE,
    ),
    RUSSIAN: re.compile(
        r"(?:добро\s+пожаловать|это\s+(?:прилож|сервер|серви|набор)\w*|данн\w+\s+(?:прилож|сервер|"
        r"серви)\w*|приложение,?\s+(?:котор|предназнач|для)\w*)",
        re.IGNORECASE,
    ),
}
_PERSONALITY = {
    ENGLISH: re.compile(
        r"\b(?:you\s+are\s+(?:an?|the)\s+(?:[\w-]+\s+){0,3}(?:assistant|agent|expert|bot|ai|"
        r"chatbot|helper|specialist)|you\s+are\s+(?:an?\s+)?(?:\w+\s+)?(?:friendly|cheerful|polite|"
        r"helpful|witty|kind|professional|skilled|senior)\b|act\s+as\s+an?\b|pretend\s+to\s+be|your\s+(?:name|role|job)\s+"
        r"is|(?:be|stay|remain)\s+(?:friendly|polite|concise|helpful|cheerful|professional)|"
        r"(?:respond|reply|answer|speak)\s+(?:in\s+an?|with\s+an?|like\s+an?|politely|"
        r"cheerfully))",
        re.IGNORECASE,
    ),
    RUSSIAN: re.compile(
        r"\b(?:(?:ты|вы)\s*[—–-]\s*(?:\w+\s+){0,3}(?:ассистент|помощник|агент|эксперт|бот)|"
        r"представь(?:те)?,?\s+что\s+(?:ты|вы)|(?:твоя|ваша)\s+(?:роль|задача)|"
        r"(?:отвечай|говори|пиши)(?:те)?\s+(?:вежливо|дружелюбно|кратко|как))\b",
        re.IGNORECASE,
    ),
}


def _undescribed(subject: LintSubject) -> Iterator[tuple[str, Fault]]:
    is_told = subject.folder is None or subject.instructions.strip() or subject.faults
    if subject.functions and not is_told:
        source = f"{subject.folder / 'AndroidManifest.xml'}:1" if subject.folder else ""
        yield "", Fault("The app does not say what its functions do together.", source=source)


def _unknown(subject: LintSubject) -> Iterator[tuple[str, Fault]]:
    for each in unknown_names(subject.instructions, subject):
        # A server that runs may have functions that are switched off.
        is_foreign = subject.origin is Origin.FOREIGN
        hint = f"Perhaps {quoted(each.nearest)} is meant." if each.nearest else ""
        yield (
            "",
            Fault(
                f"There is no function {quoted(each.name)}.",
                "app description",
                each.words,
                fix=hint,
                severity=Severity.WARNING if is_foreign else None,
            ),
        )


def _commands(subject: LintSubject) -> Iterator[tuple[str, Fault]]:
    text = subject.instructions
    for command in commands_of(text, language_of(text)):
        words = command.words.text.strip(" :;,-–—")
        yield (
            "",
            Fault(
                f"{quoted(words)} tells the agent how to behave, not what the functions need.",
                "app description",
                words,
            ),
        )


def _repeats(subject: LintSubject) -> Iterator[tuple[str, Fault]]:
    told = _plain(subject.instructions)
    for function in subject.functions:
        sentence = first_sentence(function.description) if function.is_described else ""
        plain = _plain(sentence)
        if plain and plain.count(" ") + 1 >= _FEWEST_REPEATED_WORDS and f" {plain} " in f" {told} ":
            yield (
                "",
                Fault(
                    f"The app's description repeats that of {quoted(function.tool_name)}.",
                    "app description",
                    _as_written(sentence, subject.instructions),
                ),
            )


def _plain(text: str) -> str:
    return " ".join(word.text.lower() for word in words_of(text))


def _as_written(sentence: str, text: str) -> str:
    stripped = sentence.rstrip(".!? ")
    return stripped if stripped in text else ""


def _marketing(subject: LintSubject) -> Iterator[tuple[str, Fault]]:
    yield from _matches(subject, _MARKETING, "praises and says nothing that an agent can use.")


def _personality(subject: LintSubject) -> Iterator[tuple[str, Fault]]:
    yield from _matches(subject, _PERSONALITY, "gives the agent a character or a way to talk.")


def _matches(
    subject: LintSubject, patterns: Mapping[str, re.Pattern[str]], what: str
) -> Iterator[tuple[str, Fault]]:
    pattern = patterns.get(language_of(subject.instructions))
    for found in pattern.finditer(prose_of(subject.instructions)) if pattern else ():
        yield "", Fault(f"{quoted(found[0])} {what}", "app description", found[0])


def _filler(subject: LintSubject) -> Iterator[tuple[str, Fault]]:
    sentences = sentences_of(subject.instructions)
    pattern = _FILLER.get(language_of(subject.instructions))
    found = pattern.match(sentences[0].text) if pattern and sentences else None
    if found is not None:
        text = f"The description begins with {quoted(found[0])}, not with its domain."
        yield "", Fault(text, "app description", found[0])


def _shouts(subject: LintSubject) -> Iterator[tuple[str, Fault]]:
    for shout in shouts_of(subject.instructions):
        text = f"Emphasis: {quoted(shout.text)}."
        yield "", Fault(text, "app description", shout.text)


def _too_long(subject: LintSubject) -> Iterator[tuple[str, Fault]]:
    length = len(subject.instructions)
    if length > _MOST_CHARACTERS:
        text = f"The description has {length:,} characters."
        yield "", Fault(text, "app description")


_NOTES = [
    {"name": "find_notes", "description": "Finds notes whose title or text holds some words."},
    {"name": "create_note", "description": "Creates a note."},
]
_GOOD = {
    "app": "Manages personal notes: create and find them.\nOperational Patterns:\n"
    "- Use 'find_notes' to learn whether a note exists before 'create_note'.",
    "tools": _NOTES,
}
_MANIFEST = (
    '<manifest xmlns:android="http://schemas.android.com/apk/res/android"><application>'
    '<service android:name=".S" android:exported="true"'
    ' android:permission="android.permission.BIND_APP_FUNCTION_SERVICE">'
    '<property android:name="android.app.appfunctions.v2" android:value="f.xml" />'
    '<intent-filter><action android:name="android.app.appfunctions.AppFunctionService" />'
    "</intent-filter></service>{property}</application></manifest>"
)
_FUNCTIONS = (
    "<appfunctions><appfunction><functionId>a.S#makeNote</functionId><id>a.S#makeNote</id>"
    "<description>Creates a note.</description><response><id>unused</id><valueType>"
    "<id>unused</id><isNullable>false</isNullable><type>0</type></valueType></response>"
    "</appfunction></appfunctions>"
)
_UNDESCRIBED = {
    "files": {
        "AndroidManifest.xml": _MANIFEST.format(property=""),
        "assets/f.xml": _FUNCTIONS,
    }
}
_DESCRIBED = {
    "files": {
        "AndroidManifest.xml": _MANIFEST.format(
            property='<property android:name="android.app.appfunctions.app_metadata"'
            ' android:resource="@xml/app_metadata" />'
        ),
        "assets/f.xml": _FUNCTIONS,
        "res/xml/app_metadata.xml": "<AppFunctionAppMetadata "
        'xmlns:appfn="http://schemas.android.com/apk/androidx.appfunctions" '
        'appfn:description="Manages notes." />',
    }
}


def _with(text: str) -> dict[str, object]:
    return {"app": text, "tools": _NOTES}


RULES = (
    SetRule(
        Rule(
            "AF200",
            "app-description-missing",
            Severity.WARNING,
            _GUIDELINES,
            "Add app_metadata.xml with appfn:description: the domain, the tasks, the order of "
            "calls; and name it in the manifest.",
            bad=_UNDESCRIBED,
            good=_DESCRIBED,
        ),
        _undescribed,
    ),
    SetRule(
        Rule(
            "AF201",
            "app-names-unknown-function",
            Severity.ERROR,
            f"{_GUIDELINES}; found in Google's own sample app",
            "Name a function that the app has, by the name that agents see.",
            bad=_with("Manages notes.\n- Use 'find_notes' before calling 'make'."),
            good=_GOOD,
        ),
        _unknown,
    ),
    SetRule(
        Rule(
            "AF202",
            "app-commands-agent",
            Severity.WARNING,
            f"{_GUIDELINES}: the agent decides how, the description says what",
            "Say what is needed and what follows, as in \"Use 'find_notes' to learn a note's id\".",
            bad=_with("Manages notes.\n- Always call 'find_notes' first."),
            good=_GOOD,
            profiles=frozenset({"guidelines"}),
            languages=_LANGUAGES,
        ),
        _commands,
    ),
    SetRule(
        Rule(
            "AF203",
            "app-repeats-function",
            Severity.WARNING,
            _SKILL,
            "Leave to each function what it says itself, and say what holds for several of them.",
            bad=_with("Manages notes. Finds notes whose title or text holds some words."),
            good=_GOOD,
        ),
        _repeats,
    ),
    SetRule(
        Rule(
            "AF204",
            "app-marketing",
            Severity.WARNING,
            _SKILL,
            "Leave the praise out.",
            bad=_with("Manages notes with a powerful, world-class search."),
            good=_GOOD,
            languages=_LANGUAGES,
        ),
        _marketing,
    ),
    SetRule(
        Rule(
            "AF205",
            "app-filler-opening",
            Severity.WARNING,
            f"{_GUIDELINES}: it leads with the domain",
            "Begin with the verb and the domain, as in 'Manages personal notes'.",
            bad=_with("This app is a place for notes."),
            good=_GOOD,
            languages=_LANGUAGES,
        ),
        _filler,
    ),
    SetRule(
        Rule(
            "AF206",
            "app-description-long",
            Severity.WARNING,
            f"{_GUIDELINES}: it is concise",
            f"Keep to {_MOST_CHARACTERS:,} characters: what holds for several functions.",
            bad=_with("Manages notes. " + "- Titles are unique in a folder.\n" * 100),
            good=_GOOD,
        ),
        _too_long,
    ),
    SetRule(
        Rule(
            "AF207",
            "app-shouts",
            Severity.WARNING,
            f"{_GUIDELINES}: no capitals and marks for emphasis",
            "Write it as a plain sentence.",
            bad=_with("Manages notes. VERY IMPORTANT: titles are unique."),
            good=_GOOD,
        ),
        _shouts,
    ),
    SetRule(
        Rule(
            "AF208",
            "app-gives-personality",
            Severity.WARNING,
            _SKILL,
            "Say what the app does; who the agent is, is its own business.",
            bad=_with("Manages notes. You are a friendly note assistant."),
            good=_GOOD,
            languages=_LANGUAGES,
        ),
        _personality,
    ),
)
