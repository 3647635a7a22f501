# ruff: noqa: RUF001 - Russian words look like English ones
"""Rules about descriptions of functions: that there is one, how it opens, how long it is."""

import re
from collections.abc import Iterator

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.lint.example_tools import example_tool
from appfunctions_mcp.lint.function_texts import language_of_function, own_description
from appfunctions_mcp.lint.rules import Fault, FunctionRule, Rule, Severity
from appfunctions_mcp.lint.subjects import LintSubject
from appfunctions_mcp.lint.texts import (
    ENGLISH,
    OTHER,
    RUSSIAN,
    first_sentence,
    sentences_of,
    word_set,
    words_of,
    words_of_name,
)
from appfunctions_mcp.lint.verbs import lacks_opening_verb
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.quoting import quoted

__all__ = ["RULES"]

_GUIDELINES = "AppFunctions quality guidelines, descriptions of functions"
_SKILL = "Android's skill for AppFunctions, KDoc"
_LANGUAGES = frozenset({ENGLISH, RUSSIAN})
_LONG_SENTENCE = 200
_LONG_TEXT = 1000
_TAKEN_BY_OPENAI = 1024

_EMPTY_WORDS = word_set(
    "a an the this that it its to of for in on with by from and or all any some new existing given "
    "specified provided specific please это эта в на с по для из и или все новый новая новую"
)
_WORDS_FOR_FUNCTIONS = word_set(
    "tool function method command api endpoint функция функции инструмент метод"
)
_BEFORE_OBJECTS = word_set("a an new existing all any some новый новую")
_FILLER = {
    ENGLISH: regex(
        r"(?:this|the)\s+(?:[\w-]+\s+){0,2}?(?:tool|function|method|endpoint|api|command|action|"
        r"call)\s+(?:(?:is|can\s+be|may\s+be|should\s+be)\s+(?:used|useful|helpful|designed|"
        r"intended|meant|for)|allows?|enables?|lets|helps?|will|can|provides?|is\s+an?|does|"
        r"returns?|gets?|creates?|takes?|performs?|sends?|lists?|searches|retrieves?|fetches)\b"
        r"|(?:use(?:d)?|useful|helpful|handy)\s+(?:this\s+(?:tool|function|method|endpoint|api)?\s*)?"
        r"(?:to|for|in\s+order\s+to|when)\b"
        r"|(?:allows?|enables?|lets|helps?)\s+(?:you|users?|the\s+(?:user|agent|model)|agents?|"
        r"one)\b|an?\s+(?:[\w-]+\s+){0,3}?(?:tool|function|method|utility|helper|wrapper|endpoint)"
        r"\s+(?:to|for|that|which)\b|(?:tools?|functions?|methods?|operations?|utility|helper|"
        r"wrapper)\s+(?:to|for|that|around)\b|call\s+this\s+(?:tool|function|method)?\s*to\b",
        re.IGNORECASE,
    ),
    RUSSIAN: regex(
        r"(?:(?:эта|данная|этот|данный|это)\s+)?(?:функция|метод|инструмент|команда|функционал)"
        r"[,\s]+(?:\w+\s+)??(?:позволя\w+|предназнач\w+|использу\w+|служ\w+|нуж\w+|созда\w+|дела\w+|"
        r"возвраща\w+|получа\w+|для|котор\w+)|(?:позволя|использу|предназнач)\w+\s|"
        r"служит\s+для|используйте?\s+(?:эту?\s+)?(?:функци\w+|метод|инструмент)",
        re.IGNORECASE,
    ),
}
_PLACEHOLDER = regex(
    r"\b(?:TODO|FIXME|TBD|XXX)\b|(?i:\blorem\s+ipsum\b"
    r"|\b(?:add|write|insert|put|your|enter)\s+(?:a\s+|the\s+|your\s+)?description"
    r"(?:\s+(?:here|goes\s+here))?(?=[\s.!]*\Z)|\bdescription\s+goes\s+here\b"
    r"|\bno\s+description(?:\s+(?:available|provided))?(?=[\s.!]*\Z)"
    r"|\b(?:здесь|тут)\s+(?:будет\s+)?описание\b|\bописание\s+(?:отсутствует|позже)\b)",
)
_SECTION = regex(
    r"^[ \t]*(?:Args|Arguments|Parameters|Params|Returns|Raises|Аргументы|Параметры|Возвращает)"
    r":?[ \t]*$|^[ \t]*(?:Args|Arguments|Parameters|Params|Параметры|Аргументы):",
    re.MULTILINE,
)
_MARKUP = regex(
    r"\{@(?:link|code|see)\b[^}\n]*\}|^[ \t]*@(?:param|return|throws|exception|see)\b|"
    r":(?:param|type|raises|rtype|returns?|func|class|meth)\b[^:\n]{0,60}:|"
    r"</?(?:p|b|i|br|ul|ol|li|code|pre|strong|em|h[1-6])\b[^<>\n]*>",
    re.MULTILINE,
)
_DANGLING = regex(
    r"(?:(?<![)\]}])[,;(\[]|\b(?:a|an|the|and|or|to|of|with|for|by|from|that|which|и|или|в|на|с|для|по|что))"
    r"\s*\Z",
    re.IGNORECASE,
)


def _missing(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    text = own_description(function)
    if not any(map(str.isalnum, text)):
        yield Fault("There is no description; an agent sees the name alone.", "description", text)


def _bare(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    text = own_description(function)
    # A single Latin word is too little in any language.
    is_word = text.isascii() and len(text.split()) == 1
    if not text.strip() or (language_of_function(function) == OTHER and not is_word):
        return
    if _things_said(text) <= 1 and not any(map(str.isdigit, text)):
        shown = quoted(" ".join(text.split()))
        yield Fault(f"{shown} says not what is acted on.", "description", text.strip())


def _things_said(text: str) -> int:
    """How many words say something; "a new function" does, "this function" and "it" do not."""
    said = 0
    before = ""
    for word in words_of(text):
        lower = word.text.lower()
        is_object = bool(said) and before in _BEFORE_OBJECTS
        said += lower not in _EMPTY_WORDS and (lower not in _WORDS_FOR_FUNCTIONS or is_object)
        before = lower
    return said


def _repeats_name(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    text = own_description(function)
    words = [word.text.lower() for word in words_of(text)]
    named = list(words_of_name(function.tool_name))
    if len(words) > 1 and words == named:
        yield Fault("The description is the name in words.", "description", text.strip())


def _filler(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    pattern = _FILLER.get(language_of_function(function))
    text = own_description(function)
    start = len(text) - len(text.lstrip())
    found = pattern.match(text, start) if pattern else None
    if found:
        said = quoted(found[0].strip())
        yield Fault(f"The description opens with {said}.", "description", found[0].strip())


def _no_verb(function: AppFunctionMetadata, subject: LintSubject) -> Iterator[Fault]:
    text, language = own_description(function), language_of_function(function)
    word = lacks_opening_verb(text, language)
    if word and not any(_filler(function, subject)):
        said = f"The description opens with {quoted(word.text)}, which is no verb that says"
        yield Fault(f"{said} what is done.", "description", word.text)


def _long_sentence(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    sentence = first_sentence(own_description(function))
    if len(sentence) > _LONG_SENTENCE:
        said = f"The first sentence has {len(sentence)} characters"
        yield Fault(f"{said}; the purpose is lost in it.", "description", sentence)


def _long(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    length = len(own_description(function))
    if length > _LONG_TEXT:
        more = "; OpenAI and those like it take 1,024" if length > _TAKEN_BY_OPENAI else ""
        yield Fault(f"The description has {length:,} characters{more}.", "description")


def _placeholder(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    found = _PLACEHOLDER.search(own_description(function))
    if found:
        said = f"{quoted(found[0])} stands where a description should."
        yield Fault(said, "description", found[0])


def _sections(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    found = _SECTION.search(own_description(function))
    if found:
        said = f"The section {quoted(found[0].strip())} stands in the description itself"
        yield Fault(f"{said}, apart from the parameters' own.", "description", found[0].strip())


def _markup(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    found = _MARKUP.search(own_description(function))
    if found:
        said = f"{quoted(found[0].strip())} is markup, which an agent reads as it stands."
        yield Fault(said, "description", found[0].strip())


def _unfinished(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    text = own_description(function).rstrip()
    last = sentences_of(text)[-1:]
    found = _DANGLING.search(text)
    if found and last and len(words_of(text)) > 2:
        said = "The description breaks off in the middle of a sentence."
        yield Fault(said, "description", last[0].text[-60:])


_GOOD = example_tool()

RULES = (
    FunctionRule(
        Rule(
            "AF100",
            "description-missing",
            Severity.ERROR,
            _GUIDELINES,
            "Say in a sentence what the function does and what it returns.",
            bad=example_tool(description=""),
            good=_GOOD,
        ),
        _missing,
    ),
    FunctionRule(
        Rule(
            "AF101",
            "description-bare",
            Severity.ERROR,
            f"{_GUIDELINES}: a verb and a resource",
            "Name what is acted on as well, such as 'Searches notes by text'.",
            bad=example_tool("search_notes", "Search"),
            good=example_tool("search_notes", "Searches notes by the words of their text."),
            languages=_LANGUAGES,
        ),
        _bare,
    ),
    FunctionRule(
        Rule(
            "AF102",
            "description-repeats-name",
            Severity.WARNING,
            "What linters of MCP servers agree on: a description says more than the name",
            "Say what the name does not: what is returned, which cases there are.",
            bad=example_tool(description="Create note"),
            good=_GOOD,
        ),
        _repeats_name,
    ),
    FunctionRule(
        Rule(
            "AF103",
            "description-filler",
            Severity.WARNING,
            f"{_GUIDELINES}: no filler such as 'this function is used to'",
            "Begin with the verb: 'Creates a note', not 'This function is used to create a note'.",
            bad=example_tool(description="This function is used to create a note."),
            good=_GOOD,
            languages=_LANGUAGES,
        ),
        _filler,
    ),
    FunctionRule(
        Rule(
            "AF104",
            "description-not-verb-first",
            Severity.WARNING,
            f"{_SKILL}: begin with a strong verb; {_GUIDELINES}: verb and resource",
            "Begin with the verb that says what the function does.",
            bad=example_tool(description="The creation of a note under a title."),
            good=_GOOD,
            languages=_LANGUAGES,
        ),
        _no_verb,
    ),
    FunctionRule(
        Rule(
            "AF105",
            "description-first-sentence-long",
            Severity.WARNING,
            f"{_GUIDELINES}: the key fact first, and short",
            f"Say the purpose in a sentence of about 120 characters, {_LONG_SENTENCE} at most.",
            bad=example_tool(
                description="Creates a note that holds the text which is given, after white space "
                "around the title was taken away and the length of both was looked at, in the "
                "folder that was used last or else in the first folder that there is, and "
                "returns its ID."
            ),
            good=_GOOD,
        ),
        _long_sentence,
    ),
    FunctionRule(
        Rule(
            "AF106",
            "description-long",
            Severity.WARNING,
            "Field case: OpenAI takes 1,024 characters, Claude Code cuts at 2,048",
            f"Keep to {_LONG_TEXT:,} characters; what concerns several functions belongs into the "
            "app's description, what concerns a parameter into the parameter's.",
            bad=example_tool(description="Creates a note. " + "A note has a title. " * 60),
            good=_GOOD,
        ),
        _long,
    ),
    FunctionRule(
        Rule(
            "AF107",
            "description-placeholder",
            Severity.WARNING,
            f"{_GUIDELINES}: say what the function is for",
            "Write the description.",
            bad=example_tool(description="TODO describe how notes are created."),
            good=_GOOD,
        ),
        _placeholder,
    ),
    FunctionRule(
        Rule(
            "AF108",
            "description-holds-parameters",
            Severity.WARNING,
            "Google's KDoc rules: what is said of a parameter stands at the parameter",
            "Move each entry to the description of its parameter, and of the result to the "
            "output schema.",
            bad=example_tool(
                description="Creates a note.\n\nArgs:\n    title: The note's title, one line."
            ),
            good=_GOOD,
        ),
        _sections,
    ),
    FunctionRule(
        Rule(
            "AF109",
            "description-markup",
            Severity.WARNING,
            "KDoc and HTML reach agents as they are written",
            "Write plain text.",
            bad=example_tool(description="Creates a {@link Note} and returns its ID."),
            good=_GOOD,
        ),
        _markup,
    ),
    FunctionRule(
        Rule(
            "AF110",
            "description-unfinished",
            Severity.WARNING,
            f"{_GUIDELINES}: clear wording",
            "Finish the sentence.",
            bad=example_tool(description="Creates a note with a title and"),
            good=_GOOD,
        ),
        _unfinished,
    ),
)
