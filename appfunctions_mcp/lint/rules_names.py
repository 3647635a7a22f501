"""Rules about names: what clients accept, and what an agent understands before it reads on."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.lint.name_words import (
    FILLERS,
    MOSTLY_THINGS,
    SURELY_READ,
    THINGS_AS_WELL,
    VAGUE_NOUNS,
    VAGUE_VERBS,
    is_short_form,
)
from appfunctions_mcp.lint.rules import Fault, FunctionRule, Rule, SetRule, Severity
from appfunctions_mcp.lint.subjects import LintSubject, once_for_subject
from appfunctions_mcp.lint.texts import words_of_name
from appfunctions_mcp.lint.verbs import verb_of
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.quoting import quoted

__all__ = ["RULES"]

_GUIDELINES = "AppFunctions quality guidelines: function names that people can read"
_ACCEPTED = regex(r"[A-Za-z_][A-Za-z0-9_-]*\Z")
_LONGEST = 64
_LATIN = regex(r"[a-z]+\Z")
_VERSION = regex(r"(?:[_-][vV]?\d{1,2}|(?<=[a-z])[vV]\d{1,2}|[_-](?:new|old|final|copy))\Z")


def _characters(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    name = function.tool_name
    if not _ACCEPTED.match(name):
        suggestion = "_".join(words_of_name(name))
        fix = f"Call it {quoted(suggestion)}." if _ACCEPTED.match(suggestion) else ""
        yield Fault(f"The name {quoted(name)} is refused by some clients.", "name", name, fix)


def _length(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    name = function.tool_name
    if len(name) > _LONGEST:
        text = f"The name has {len(name)} characters; clients refuse more than {_LONGEST}."
        yield Fault(text, "name", name)


def _repeated(subject: LintSubject) -> Iterator[tuple[str, Fault]]:
    counts = Counter(function.tool_name for function in subject.functions)
    told = set[str]()
    for function in subject.functions:
        name = function.tool_name
        if counts[name] > 1 and name not in told:
            told.add(name)
            text = f"{counts[name]} functions have the name {quoted(name)}."
            yield function.function_id, Fault(text, "name", name)


def _nearly_same(subject: LintSubject) -> Iterator[tuple[str, Fault]]:
    alike = defaultdict[str, list[AppFunctionMetadata]](list)
    for function in subject.functions:
        key = "".join(words_of_name(function.tool_name))
        if key and all(each.tool_name != function.tool_name for each in alike[key]):
            alike[key].append(function)
    for first, *others in filter(None, alike.values()):
        for other in others:
            text = f"The name differs from {quoted(first.tool_name)} in case or signs alone."
            yield other.function_id, Fault(text, "name", other.tool_name)


def _vague(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    words = words_of_name(function.tool_name)
    if _is_vague(words):
        text = "The name says neither what is done nor to what."
        yield Fault(text, "name", function.tool_name)


def _is_vague(words: tuple[str, ...]) -> bool:
    meant = [word for word in words if not word.isdigit()]
    verbs = meant[:1] if meant[:1] and meant[0] in VAGUE_VERBS else []
    return all(word in VAGUE_NOUNS for word in meant[len(verbs) :])


def _one_word(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    words = words_of_name(function.tool_name)
    if len(words) == 1 and not _is_vague(words):
        text = "The name is one word, which functions of other servers may have as well."
        yield Fault(text, "name", function.tool_name)


def _without_verb(function: AppFunctionMetadata, subject: LintSubject) -> Iterator[Fault]:
    words = words_of_name(function.tool_name)
    own = words[1:] if words and words[0] in _prefixes(subject) else words
    if len(words) > 1 and _is_latin(words) and not any(_verbs_in(own)):
        text = "The name has no verb, so it does not say what is done."
        yield Fault(text, "name", function.tool_name)


def _verbs_in(words: tuple[str, ...]) -> Iterator[str]:
    """The words that are verbs; one at the end such as `review` or `lists` is a thing."""
    meant = [word for word in words if word not in FILLERS]
    for place, word in enumerate(meant):
        verb = verb_of(word)
        is_thing = verb in MOSTLY_THINGS or (verb != word and verb in THINGS_AS_WELL)
        if (verb or word in VAGUE_VERBS) and not (place and place == len(meant) - 1 and is_thing):
            yield word


def _is_latin(words: tuple[str, ...]) -> bool:
    return all(_LATIN.match(word) or word.isdigit() for word in words)


def _verb_not_first(function: AppFunctionMetadata, subject: LintSubject) -> Iterator[Fault]:
    words = words_of_name(function.tool_name)
    if len(words) > 1 and words[0] in _prefixes(subject):
        words = words[1:]
    if len(words) < 2 or verb_of(words[0]):
        return
    verb = next(_verbs_in(words), "")
    if verb not in {"", words[0]}:
        rest = [word for word in words if word != verb]
        fix = f"Begin with the verb: {quoted('_'.join([verb, *rest]))}."
        text = f"The verb {quoted(verb)} does not come first."
        yield Fault(text, "name", function.tool_name, fix)


@once_for_subject
def _prefixes(subject: LintSubject) -> frozenset[str]:
    """The first words that three functions share, or that repeat the server's name."""
    names = [words_of_name(function.tool_name) for function in subject.functions]
    counts = Counter(words[0] for words in names if len(words) > 1)
    shared = {word for word, count in counts.items() if count > 2 and not verb_of(word)}
    return frozenset(shared | set(words_of_name(subject.server_name)))


def _style(name: str) -> str:
    """How the words of a name are joined; empty for one word, which fits every style."""
    if "_" in name.strip("_"):
        return "snake_case"
    if "-" in name:
        return "kebab-case"
    if name[:1].isupper() and not name.isupper():
        return "PascalCase"
    return "camelCase" if name != name.lower() and not name.isupper() else ""


def _style_mixed(subject: LintSubject) -> Iterator[tuple[str, Fault]]:
    styles = {f.tool_name: style for f in subject.functions if (style := _style(f.tool_name))}
    counts = Counter(styles.values()).most_common()
    if len(counts) < 2:
        return
    usual = counts[0][0]
    for function in subject.functions:
        style = styles.get(function.tool_name, usual)
        if style != usual:
            text = f"The name is in {style}; most of the others are in {usual}."
            yield function.function_id, Fault(text, "name", function.tool_name)


def _reads_but_destroys(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    verb = next(filter(None, map(verb_of, words_of_name(function.tool_name))), None)
    if verb in SURELY_READ and function.destructive:
        text = f"The name says that it reads ({quoted(verb)}), the hints say that it destroys."
        yield Fault(text, "name", function.tool_name)


def _short_forms(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for word in words_of_name(function.tool_name):
        if not is_short_form(word):
            continue
        text = f"{quoted(word)} in the name is a short form that not everybody knows."
        yield Fault(text, "name", word)


def _numbered(function: AppFunctionMetadata, subject: LintSubject) -> Iterator[Fault]:
    name = function.tool_name
    found = _VERSION.search(name)
    if not found or not found.start():
        return
    marked = found[0].lstrip("_-")
    stem = name[: found.start()]
    has_version = marked[0] in "vV" and marked[1:].isdigit()
    if has_version or stem in _tool_names(subject):
        text = f"{quoted(marked)} in the name tells versions of a function apart, not functions."
        yield Fault(text, "name", marked)


@once_for_subject
def _tool_names(subject: LintSubject) -> frozenset[str]:
    return frozenset(function.tool_name for function in subject.functions)


def _filler_word(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    words = words_of_name(function.tool_name)
    if len(words) > 1 and words[-1] in FILLERS and not _is_vague(words):
        yield Fault(f"{quoted(words[-1])} in the name says nothing.", "name", words[-1])


def _repeats_server(subject: LintSubject) -> Iterator[tuple[str, Fault]]:
    server = "".join(words_of_name(subject.server_name))
    for function in subject.functions:
        words = words_of_name(function.tool_name)
        if len(words) > 1 and server and words[0] == server:
            text = "The name begins with the server's, which clients put before it anyway."
            yield function.function_id, Fault(text, "name", words[0])


def _named(name: str, **more: object) -> dict[str, object]:
    limit = {"type": "integer", "description": "How many notes to return at most."}
    schema = {"type": "object", "properties": {"limit": limit}}
    return {"name": name, "description": "Returns the user's notes.", "inputSchema": schema, **more}


RULES: tuple[FunctionRule | SetRule, ...] = (
    FunctionRule(
        Rule(
            "AF001",
            "name-characters",
            Severity.ERROR,
            "field case F13: Claude, OpenAI and Gemini refuse the whole request",
            "Use the letters A to Z, digits, '_' and '-', and begin with a letter or '_'.",
            bad=_named("notes.list"),
            good=_named("list_notes"),
        ),
        _characters,
    ),
    FunctionRule(
        Rule(
            "AF002",
            "name-too-long",
            Severity.ERROR,
            "field case F13: clients and providers accept at most 64 characters",
            "Shorten the name to a verb and what it acts on.",
            bad=_named("list_notes_of_the_user_who_has_signed_in_with_their_labels_and_files_too"),
            good=_named("list_notes"),
        ),
        _length,
    ),
    SetRule(
        Rule(
            "AF003",
            "name-repeated",
            Severity.ERROR,
            "the MCP specification: names are unique; providers refuse a repeated one",
            "Give each function a name of its own, or a module a prefix.",
            bad=[_named("list_notes"), _named("list_notes", description="Returns shared notes.")],
            good=[
                _named("list_notes"),
                _named("list_shared", description="Returns what others share."),
            ],
        ),
        _repeated,
    ),
    SetRule(
        Rule(
            "AF004",
            "name-nearly-repeated",
            Severity.WARNING,
            "AppFunctions quality guidelines: similar functions make wrong picks likely",
            "Give functions names that differ in a word.",
            bad=[
                _named("list_notes"),
                _named("listNotes", description="Returns what others share."),
            ],
            good=[
                _named("list_notes"),
                _named("list_shared", description="Returns what others share."),
            ],
        ),
        _nearly_same,
    ),
    FunctionRule(
        Rule(
            "AF005",
            "name-vague",
            Severity.WARNING,
            "AppFunctions quality guidelines: a name is a verb and a resource",
            "Name what is done and to what, such as 'list_notes'.",
            bad=_named("process_data"),
            good=_named("list_notes"),
        ),
        _vague,
    ),
    FunctionRule(
        Rule(
            "AF006",
            "name-one-word",
            Severity.WARNING,
            "AppFunctions quality guidelines: a name is a verb and a resource",
            "Say what the function acts on as well, such as 'search_notes'.",
            bad=_named("fetch"),
            good=_named("list_notes"),
        ),
        _one_word,
    ),
    FunctionRule(
        Rule(
            "AF007",
            "name-without-verb",
            Severity.WARNING,
            "AppFunctions quality guidelines: a name is a verb and a resource",
            "Begin the name with what is done, such as 'get_directory_tree'.",
            bad=_named("user_notes"),
            good=_named("list_notes"),
        ),
        _without_verb,
    ),
    FunctionRule(
        Rule(
            "AF008",
            "name-verb-not-first",
            Severity.NOTE,
            "AppFunctions quality guidelines: a name is a verb and a resource",
            "Put the verb before what it acts on.",
            bad=_named("notes_list"),
            good=_named("list_notes"),
        ),
        _verb_not_first,
    ),
    SetRule(
        Rule(
            "AF009",
            "name-style-mixed",
            Severity.WARNING,
            "style: names of one server are joined in one way",
            "Join the words of all names in the same way.",
            bad=[_named("list_notes"), _named("list_labels"), _named("listFiles")],
            good=[
                _named("list_notes"),
                _named("list_labels", description="Returns all labels, by name."),
                _named("list_files", description="Returns what is attached to a page."),
            ],
        ),
        _style_mixed,
    ),
    FunctionRule(
        Rule(
            "AF010",
            "name-reads-but-destructive",
            Severity.ERROR,
            "AppFunctions quality guidelines: no misleading names",
            "Name the function after its effect, or correct the hint.",
            bad=_named("get_notes", annotations={"destructiveHint": True}),
            good=_named("get_notes", annotations={"readOnlyHint": True}),
        ),
        _reads_but_destroys,
    ),
    FunctionRule(
        Rule(
            "AF011",
            "name-short-form",
            Severity.NOTE,
            _GUIDELINES,
            "Write the word out.",
            bad=_named("list_usr_notes"),
            good=_named("list_user_notes"),
        ),
        _short_forms,
    ),
    FunctionRule(
        Rule(
            "AF012",
            "name-numbered",
            Severity.WARNING,
            _GUIDELINES,
            "Keep one version, and name what makes another function different.",
            bad=_named("list_notes_v2"),
            good=_named("list_notes"),
        ),
        _numbered,
    ),
    FunctionRule(
        Rule(
            "AF013",
            "name-filler-word",
            Severity.NOTE,
            _GUIDELINES,
            "Leave the word out.",
            bad=_named("list_notes_tool"),
            good=_named("list_notes"),
        ),
        _filler_word,
    ),
    SetRule(
        Rule(
            "AF014",
            "name-repeats-server",
            Severity.NOTE,
            "field case F14: clients put the server's name before each tool's",
            "Leave the server's name out.",
            bad={"server": "notes", "tools": [_named("notes_list_all")]},
            good={"server": "notes", "tools": [_named("list_all_notes")]},
        ),
        _repeats_server,
    ),
)
