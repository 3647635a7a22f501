# ruff: noqa: RUF001 - Russian words look like English ones
"""What a text says to the model instead of saying what a function does.

A clause that says when a function applies is context, and no command: "use when the user names a
product", "do not use for images". So is what a parameter must be. Knows no rule.
"""

import re
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.lint.texts import (
    ENGLISH,
    RUSSIAN,
    Span,
    prose_of,
    sentences_of,
    word_set,
    words_of,
)
from appfunctions_mcp.lint.verbs import verb_of
from appfunctions_mcp.records import record

__all__ = ["Command", "CommandKind", "commands_of", "shouts_of"]


class CommandKind(Enum):
    """In which way a text commands."""

    SECOND_PERSON = "second person"
    """"You must call this first"."""
    ALWAYS_NEVER = "always or never"
    """"Always call this", "never guess"."""
    PROHIBITION = "prohibition"
    """"Do not invent an id"; not "do not use for images", which says when it applies."""
    USER_TALK = "talk to the user"
    """"Ask the user for the date"."""
    REMINDER = "reminder"
    """"Make sure to", "remember to", "please"."""


@record(frozen=True, slots=True)
class Command:
    """A place where a text commands the model."""

    kind: CommandKind
    words: Span
    """The words of the command, as they stand in the text."""


# The start of a clause: a sentence's start, a mark of a list, a colon, comma or dash, or one of
# the words that lead on to what is to be done.
_CLAUSE = (
    r"(?:^[\W_]*(?:(?:step\s+)?\d+[.):]?[\W_]*)?|[:;,–—(]\s*|\s-+\s|\b(?:then|and|first|please|"
    r"also|just|immediately|simply|instead|otherwise|but)\s+)"
)
_NEW_CLAUSE = r"(?:^[\W_]*(?:(?:step\s+)?\d+[.):]?[\W_]*)?|[:;,–—(]\s*|\s-+\s)"
# Where "you" begins a clause; "notes that you must see" and "when you need to" say something else.
_ADDRESSED = r"(?:^[\W_]*|[.,:;!?)–—-]\s*|\b(?:and|then|but|so|therefore|first|tool|function)\s+)\b"
_USER = r"(?:the\s+)?(?:end[- ])?(?:user|users|customer|human|person)\b"
_WHEN = r"(?:when|whenever|if|for|unless|until|while|to\s|as\s|on\s|with|in\s|during)"
_THIS = r"(?:this|it|the|these)(?:\s+(?:tool|function|method|endpoint|api|action|command)s?)?"

_ENGLISH: tuple[tuple[CommandKind, str], ...] = (
    (
        CommandKind.SECOND_PERSON,
        (
            _ADDRESSED + r"you\s+"
            r"(?:must|should|shall|have\s+to|need\s+to|ought\s+to|are\s+(?:required|expected|"
            r"not\s+allowed|forbidden)\s+to|may\s+not|can(?:no|')t|mustn't|shouldn't)"
            r"(?:\s+(?:not|never|always|first))*(?:\s+[\w'-]+)?"
        ),
    ),
    (
        CommandKind.SECOND_PERSON,
        (
            r"\b(?:the\s+)?(?:LLM|AI|assistant|(?:model|agent)(?=s?\s+(?:\w+\s+){1,3}?(?:call|ask|use|confirm|"
            r"pass|invoke|say|tell|answer|respond|check|wait)\b))s?\s+(?:must|should|shall|(?:has|have|needs?)\s+to"
            r"|may\s+not)(?:\s+(?:not|never|always|first))*\s+(?!be\b|have\b)\w+"
        ),
    ),
    (
        CommandKind.ALWAYS_NEVER,
        (
            r"\bunder\s+no\s+circumstances\b|\bthink\s+(?:step\s+by\s+step|carefully)\b|\bprefer\s+this\s+"
            r"(?:tool|function)\b|"
            + _NEW_CLAUSE
            + r"(?:(?:use|call|invoke|run)\s+(?:this|it)(?:\s+(?:tool|function|method))?\s+"
            r"(?:first|immediately|for\s+(?:every|each|all|any)\s+(?:requests?|questions?|messages?|quer(?:y|ies)|prompts?|tasks?))"
            r"(?=\s*[.,;:!]|\s*\Z|\s+(?:after|before|when|in)\b))"
        ),
    ),
    (
        CommandKind.USER_TALK,
        (
            _NEW_CLAUSE
            + r"(?:answer|respond|reply)\s+(?:only\s+|always\s+)?(?:in\s+[A-Z]\w+|with|briefly|"
            r"politely)\b|" + _CLAUSE + r"wait\s+for\s+(?:the\s+)?user\b"
        ),
    ),
    (
        CommandKind.USER_TALK,
        (
            _CLAUSE + r"(?:always\s+|never\s+|(?:(?<=must)|(?<=should))\s+)?"
            r"(?:ask|tell|inform|remind|notify|warn|prompt|thank|greet|reassure|interrupt)\s+"
            + _USER
        ),
    ),
    (
        CommandKind.USER_TALK,
        (_CLAUSE + r"(?:always\s+)?let\s+" + _USER + r"\s+know\b"),
    ),
    (
        CommandKind.USER_TALK,
        (
            _CLAUSE
            + r"(?:always\s+)?(?:confirm|check|clarify|verify|double-check)\s+(?:\w+\s+){0,3}?"
            r"with\s+" + _USER
        ),
    ),
    (
        CommandKind.USER_TALK,
        (
            _CLAUSE
            + r"(?:always\s+)?(?:show|present|explain|report|display|read|repeat|say|summarize)\s+"
            r"(?:[\w']+\s+){0,6}?to\s+" + _USER
        ),
    ),
    (
        CommandKind.REMINDER,
        (
            _CLAUSE
            + r"(?:make\s+sure|be\s+sure|be\s+careful|remember|take\s+care|keep\s+in\s+mind|"
            r"(?:don['’]t|do\s+not|never)\s+(?:forget|hesitate|worry)|note\s+that\s+you)\b"
        ),
    ),
    (CommandKind.REMINDER, r"\bplease\s+[\w'-]+"),
    (
        CommandKind.PROHIBITION,
        (
            _NEW_CLAUSE + r"(?:do\s+not|don['’]t)\s+(?!(?:forget|hesitate|worry)\b)"
            r"(?!(?:use|call|choose|pick|invoke|apply)\b[^.]{0,40}?\b"
            + _WHEN
            + r")(?!(?:have|need|want|exist|know|support|match|occur|"
            r"contain|belong|include|require|apply|work|count|matter|appear|fit|differ|change)\b)[\w'-]+"
        ),
    ),
)
_ALWAYS = regex(r"\b(?:always|never(?:\s+ever)?)\s+(?P<verb>[a-z]+)", re.IGNORECASE)
_ENDS_CLAUSE = regex(r"(?:[,:;!?)–—*]|\s-+)\s*\Z")
_LEADS_ON = word_set("and then but please you so")
# Forms that are those of the past as well: "and always set to 0".
_PARTICIPLES = word_set("set read put cut let cast reset hit split run")

_RUSSIAN: tuple[tuple[CommandKind, str], ...] = (
    (
        CommandKind.SECOND_PERSON,
        (
            r"\b(?:ты|вы|тебе|вам)\s+(?:обязательно\s+)?(?:долж\w+|обязан\w*|нужно|надо|необходимо|"
            r"следует|нельзя|не\s+должн\w+)(?:\s+\w+)?"
            r"|\b(?:модель|агент|ассистент)\s+(?:не\s+)?(?:должна?|обязана?)\s+(?:\w+\s+)??(?:вызвать|вызывать|"
            r"спросить|спрашивать|уточнить|сообщить|использовать|подтвердить)"
            r"|\b(?:запрещено|нельзя|следует|надо|нужно|необходимо|требуется)\s+(?:\w+\s+)??(?:вызвать|вызывать|"
            r"спросить|спрашивать)\b"
        ),
    ),
    (
        CommandKind.ALWAYS_NEVER,
        (
            r"\b(?:всегда|обязательно|никогда\s+не|ни\s+в\s+коем\s+случае\s+не|сначала|сперва|затем|"
            r"потом|сразу(?:\s+же)?)\s+\w+(?:й|йте|ите|ь|ьте)\b(?:\s+\w+)?"
            r"|"
            + _NEW_CLAUSE
            + r"(?:вызывай|вызови)(?:те)?\b(?!,?\s+(?:\w+\s+){0,3}?(?:когда|если|для|при|чтобы)\b)"
            r"|\bиспользуй(?:те)?\s+(?:\w+\s+){0,2}?для\s+(?:каждого|всех|любого|любых)\s+(?:запрос|вопрос|сообщени)\w+"
        ),
    ),
    (
        CommandKind.USER_TALK,
        (
            r"\b(?:отвечай|ответь)(?:те)?\s+(?:\w+\s+)??(?:на\s+\w+ом\b|только|кратко|вежливо|по-русски)"
            r"|\b(?:дождись|дождитесь|жди|ждите)\s+(?:\w+\s+){0,2}?пользовател\w+"
        ),
    ),
    (
        CommandKind.USER_TALK,
        (
            r"\b(?:спроси|спросите|спрашивай|спрашивайте|скажи|скажите|сообщи|сообщите|сообщай|"
            r"сообщайте|напомни|напомните|предупреди|предупредите|попроси|попросите|уведоми|уведомите|"
            r"объясни|объясните|покажи|покажите|предложи|предложите)\s+(?:\w+\s+){0,3}?"
            r"пользовател\w+"
        ),
    ),
    (
        CommandKind.USER_TALK,
        (
            r"\b(?:уточни|уточните|уточняй|уточняйте|узнай|узнайте|согласуй|согласуйте|подтверди|"
            r"подтвердите)\s+(?:\w+\s+){0,3}?(?:у|с)\s+пользовател\w+"
        ),
    ),
    (
        CommandKind.REMINDER,
        (
            r"\b(?:убедись|убедитесь|не\s+забудь|не\s+забудьте|не\s+забывай|не\s+забывайте|помни|"
            r"помните|учти|учтите|имей\s+в\s+виду|имейте\s+в\s+виду|пожалуйста)\b"
        ),
    ),
    (
        CommandKind.PROHIBITION,
        (
            r"\bне\s+(?!(?:используй|используйте|вызывай|вызывайте|применяй|применяйте)\b"
            r"[^.]{0,40}?\b(?:когда|если|для|при|чтобы))(?:используй|вызывай|применяй|придумывай|"
            r"выдумывай|угадывай|показывай|говори|отвечай|передавай|меняй|изменяй|удаляй|пытайся|"
            r"делай|повторяй)(?:те|тесь|ся)?\b"
        ),
    ),
)


@lru_cache(maxsize=4)
def _patterns(language: str) -> tuple[tuple[CommandKind, re.Pattern[str]], ...]:
    table = {ENGLISH: _ENGLISH, RUSSIAN: _RUSSIAN}.get(language, ())
    return tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in table)


# "Where you were told to ask the user" tells of others' orders.
_TOLD = regex(r"\b(?:told|asked|advised|instructed|trained)\s+to\b[^,;:]*\Z", re.IGNORECASE)
# A text of more is a hostile one; what is wrong with it is told by then.
_MOST_COMMANDS = 100
_LEADING = regex(r"[\W_]*(?:\d+[.):][\W_]*)?")


def _is_constant(text: str, found: re.Match[str]) -> bool:
    """Whether capitals are a name, or one of several values: `INFO, WARNING or CRITICAL`."""
    before = text[max(0, found.start() - 40) : found.start()]
    after = text[found.end() : found.end() + 40]
    is_listed = _VALUE_AFTER.match(after) or _VALUE_BEFORE.search(before)
    is_name = before[-1:] in (".", "_") or found[0].lower() in _NAMES
    return is_name or (is_listed is not None and " " not in found[0])


@lru_cache(maxsize=4096)
def commands_of(text: str, language: str) -> tuple[Command, ...]:
    """The places where a text commands the model, in their order.

    A first sentence that opens with a verb says what the function does, even "Ask the user a
    question", and is only a command where it says "always", "never" or "you must".

    Args:
        text: A description.
        language: Its language; of one that is neither English nor Russian nothing is known.
    """
    prose = prose_of(text)
    found: list[Command] = []
    for place, sentence in enumerate(sentences_of(prose)):
        for kind, words in _commands_of_sentence(sentence.text, language):
            # "Like stat, but do not follow links" says in the first sentence what is done.
            is_opening = place == 0 and (words.start == 0 or kind is CommandKind.PROHIBITION)
            if is_opening and kind in (CommandKind.USER_TALK, CommandKind.PROHIBITION):
                continue
            start = sentence.start + words.start
            if len(found) < _MOST_COMMANDS and not any(
                start < other.words.end and other.words.start < start + len(words.text)
                for other in found
            ):
                shown = text[start : start + len(words.text)]
                found.append(Command(kind, Span(shown, start)))
    return tuple(sorted(found, key=lambda each: each.words.start))


def _commands_of_sentence(sentence: str, language: str) -> Iterator[tuple[CommandKind, Span]]:
    for kind, pattern in _patterns(language):
        for found in pattern.finditer(sentence):
            leading = _LEADING.match(found[0]).end()  # type: ignore[union-attr] # may be empty
            if kind is not CommandKind.USER_TALK or not _TOLD.search(
                sentence[max(0, found.end() - 200) : found.end()]
            ):
                yield kind, Span(found[0][leading:], found.start() + leading)
    if language == ENGLISH:
        yield from _always_and_never(sentence)


def _always_and_never(sentence: str) -> Iterator[tuple[CommandKind, Span]]:
    """`Always call`, but neither `is always read` nor `never changes`."""
    for found in _ALWAYS.finditer(sentence):
        verb = found["verb"].lower()
        text_before = sentence[max(0, found.start() - 40) : found.start()]
        before = words_of(text_before)
        last = before[-1].text.lower() if before else ""
        if not before or _ENDS_CLAUSE.search(text_before):
            is_command = True
        else:
            is_command = last in _LEADS_ON and verb not in _PARTICIPLES
        if is_command and (verb_of(verb) == verb or verb == "use"):
            yield CommandKind.ALWAYS_NEVER, Span(found[0], found.start())


_STRONG = word_set(
    "important critical warning attention caution must never always required mandatory forbidden "
    "extremely absolutely strictly essential immediately "
    "важно внимание обязательно всегда никогда нельзя строго запрещено критично"
)
_WEAK = word_set(
    "only not very best every ever any all cannot dont don't do primary necessary no first before "
    "только очень не должен должны"
)
_CAPITALS = regex(r"\b[A-ZА-ЯЁ][A-ZА-ЯЁ'’]*[A-ZА-ЯЁ]\b(?:[ \t]+[A-ZА-ЯЁ][A-ZА-ЯЁ'’]*[A-ZА-ЯЁ]\b)*")
_MARKS = regex(
    r"\*\*[^\s*](?:[^*\n]{0,118}[^\s*])?\*\*|(?<!\w)__[^\s_][^_\n]{0,60} [^_\n]{0,60}__(?!\w)"
    r"|!{2,}|[❗⚠🚨‼🛑]\ufe0f?"
)
# What is written in capitals because it is: keywords of SQL.
_NAMES = frozenset(["not null", "primary key", "group by all", "union all"])
_VALUE_AFTER = regex(r"\s*[,|/]\s*(?:or\s+)?[A-Z]{3,}")
_VALUE_BEFORE = regex(r"[A-Z]{3,}\s*(?:[,|/]\s*(?:or\s+)?|\s+or\s+)\Z")
_OPERATORS = word_set("and or not")


def shouts_of(text: str) -> tuple[Span, ...]:
    """Words in capitals for emphasis, bold words and rows of exclamation marks.

    Abbreviations, constants and the operators `AND`, `OR` and `NOT` are none: capitals shout where
    a word like "must" or "important" is among them; one "NOT" alone does not.

    Args:
        text: A description.
    """
    prose = prose_of(text)
    found = [Span(each[0], each.start()) for each in _MARKS.finditer(prose)]
    has_operators = any(word.text in {"AND", "OR"} for word in words_of(prose))
    weak: list[Span] = []
    for each in _CAPITALS.finditer(prose):
        words = set(each[0].lower().split())
        if (has_operators and words <= _OPERATORS) or _is_constant(prose, each):
            continue
        if words & _STRONG or (words & _WEAK and len(words) > 1):
            found.append(Span(each[0], each.start()))
        elif words & _WEAK:
            weak.append(Span(each[0], each.start()))
    # A single "NOT" tells two sentences apart; several of such words are a tone.
    found += weak if found or len(weak) > 1 else []
    return tuple(sorted(found, key=lambda span: span.start))
