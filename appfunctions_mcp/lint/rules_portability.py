"""Rules about what clients and providers take: names with prefixes, numbers, dialects of schemas.

What is refused by the plain form of a schema stands in the rules about schemas.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from appfunctions_mcp.formats import format_named
from appfunctions_mcp.lint.example_tools import example_tool
from appfunctions_mcp.lint.function_texts import own_description
from appfunctions_mcp.lint.rules import Fault, FunctionRule, Rule, SetRule, Severity
from appfunctions_mcp.lint.schema_parts import SchemaPart, parameter_parts
from appfunctions_mcp.lint.subjects import LintSubject
from appfunctions_mcp.lint.texts import word_set
from appfunctions_mcp.lint.unchanged_tools import GEMINI_SCHEMA, PROVIDERS, violations_of
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.quoting import quoted

__all__ = ["RULES"]

_LONGEST_NAME = 64
_LONGEST_SHOWN = 60
_MANY = 40
_TOO_MANY = 128
_CUT_BY_CLAUDE_CODE = 2048
# What rules about names, descriptions and schemas say in their own words.
_SAID_ELSEWHERE = word_set(
    "tool-name tool-description tool-description-length input-schema-missing root-not-object "
    "root-union root-without-properties property-key array-without-items untyped "
    "parameters-not-object type"
)


def _prefixed(function: AppFunctionMetadata, subject: LintSubject) -> Iterator[Fault]:
    server, name = subject.server_name, function.tool_name
    if not server:
        return
    called = f"mcp__{server}__{name}"
    if len(called) > _LONGEST_NAME:
        hidden = len(f"{server}-{name}") > _LONGEST_SHOWN
        said = f"Clients call it {quoted(called, 100)}: {len(called)} characters, and"
        more = f"; Cursor hides what has over {_LONGEST_SHOWN}" if hidden else ""
        yield Fault(f"{said} {_LONGEST_NAME} are accepted{more}.", "name", name)


def _many(subject: LintSubject) -> Iterator[tuple[str, Fault]]:
    count = len(subject.functions)
    if count > _TOO_MANY:
        said = f"{count} functions; VS Code and OpenAI take {_TOO_MANY} in a request."
        yield "", Fault(said, severity=Severity.ERROR)
    elif count > _MANY:
        said = (
            f"{count} functions; Cursor has shown {_MANY}, and models choose worse among so many."
        )
        yield "", Fault(said)


def _cut(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    text = own_description(function)
    if len(text) > _CUT_BY_CLAUDE_CODE:
        said = f"Claude Code shows {_CUT_BY_CLAUDE_CODE:,} of the {len(text):,} characters."
        lost = text[_CUT_BY_CLAUDE_CODE:].strip().partition("\n")[0]
        yield Fault(said, "description", lost[:60])


def _refused(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    seen = set[tuple[str, str]]()
    for provider in PROVIDERS:
        for each in violations_of(function, provider):
            key = (each.rule, each.place)
            if each.rule not in _SAID_ELSEWHERE and key not in seen:
                seen.add(key)
                yield Fault(f"{provider} refuses it as it is: {each.text}.", each.place)


def _refused_by_gemini_schema(
    function: AppFunctionMetadata, _subject: LintSubject
) -> Iterator[Fault]:
    for each in violations_of(function, GEMINI_SCHEMA):
        if each.rule not in _SAID_ELSEWHERE:
            what = each.text.partition(";")[0]
            yield Fault(f"Gemini's `parameters`: {what}.", each.place)


def _choices(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for part in parameter_parts(function):
        choices = part.schema.get("enum")
        if isinstance(choices, list) and any(not isinstance(c, str | None) for c in choices):
            said = f"The choices of {quoted(part.name or part.place)} are no texts"
            yield Fault(f"{said}; Gemini takes texts only.", part.place, part.name)


def _references(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for part in parameter_parts(function):
        reference = part.schema.get("$ref")
        if not isinstance(reference, str):
            continue
        target = _resolved(reference, function.input_schema)
        if target is None:
            said = f"{quoted(reference)} leads nowhere."
            yield Fault(said, part.place, reference, severity=Severity.ERROR)
        elif _is_recursive(reference, function.input_schema):
            said = f"{quoted(reference)} contains itself; some clients know no references."
            yield Fault(said, part.place, reference, severity=Severity.NOTE)
        else:
            said = f"{quoted(reference)} is a reference, which some clients drop."
            yield Fault(said, part.place, reference)


def _resolved(reference: str, root: Mapping[str, Any]) -> Any:
    found: Any = root
    for step in reference.removeprefix("#").split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        found = found.get(name) if isinstance(found, Mapping) else None
    return found if reference.startswith("#") else None


def _is_recursive(reference: str, root: Mapping[str, Any]) -> bool:
    seen = set[str]()
    waiting = [reference]
    while waiting:
        target = _resolved(waiting.pop(), root)
        for each in _references_in(target):
            if each == reference:
                return True
            if each not in seen:
                seen.add(each)
                waiting.append(each)
    return False


def _references_in(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Mapping):
            if isinstance(part.get("$ref"), str):
                yield part["$ref"]
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part


def _old_draft(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for part in parameter_parts(function):
        for keyword in _old_keywords(part):
            said = f"{quoted(keyword)} is written as in an old draft of JSON Schema."
            yield Fault(said, part.place, keyword)


def _old_keywords(part: SchemaPart) -> Iterator[str]:
    for keyword in ("exclusiveMinimum", "exclusiveMaximum", "required"):
        if isinstance(part.schema.get(keyword), bool):
            yield keyword
    if isinstance(part.schema.get("items"), list):
        yield "items"


def _not_strict(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for name, provider in (("openai-chat", "OpenAI"), ("anthropic", "Anthropic")):
        for tool in format_named(name).export_tools([function]).tools:
            for note in tool.notes:
                if note.startswith("Not strict"):
                    why = note.removeprefix("Not strict: ")
                    yield Fault(f"Not strict at {provider}: {why}.", "parameters")


_GOOD = example_tool()


def _with(schema: dict[str, Any], **members: Any) -> dict[str, Any]:
    described = {"description": "What the note is about.", **schema}
    tool = example_tool(parameters={"topic": described})
    return tool | {"inputSchema": tool["inputSchema"] | members}


_TOPIC = {"type": "object", "properties": {"name": {"type": "string", "description": "A word."}}}

RULES = (
    FunctionRule(
        Rule(
            "AF180",
            "name-too-long-with-server",
            Severity.ERROR,
            "Field case F14: with the prefix 64 characters at OpenAI and in Bedrock, 60 in Cursor",
            "Shorten the function's name, or the server's.",
            bad={
                "server": "git-repository-research-server",
                "tools": [example_tool("create_research_repository_index")],
            },
            good={"server": "git", "tools": [example_tool("create_note_of_commit")]},
        ),
        _prefixed,
    ),
    SetRule(
        Rule(
            "AF181",
            "functions-many",
            Severity.WARNING,
            "Field case F94: 40 in Cursor, 128 in VS Code and at OpenAI; OpenAI advises below 20",
            "Split the server, or enable the rarer functions when they are needed.",
            bad=[
                example_tool(f"create_note_{place}", f"Creates a note of the kind {place}.")
                for place in range(41)
            ],
            good=_GOOD,
        ),
        _many,
    ),
    FunctionRule(
        Rule(
            "AF182",
            "description-cut",
            Severity.WARNING,
            "Field case F26: 45 of 60 names of functions were cut off, and models made names up",
            "Put what matters first, and shorten the rest.",
            bad=example_tool(description="Creates a note. " + "A note has a title. " * 110),
            good=_GOOD,
        ),
        _cut,
    ),
    FunctionRule(
        Rule(
            "AF183",
            "refused-unchanged",
            Severity.WARNING,
            "The documentation of OpenAI, Anthropic and Gemini; most clients change nothing",
            "Write the schema as all providers take it.",
            bad=_with({"type": "string"}, **{"$ref": "#/$defs/None"}),
            good=_GOOD,
        ),
        _refused,
    ),
    FunctionRule(
        Rule(
            "AF184",
            "choices-not-text",
            Severity.NOTE,
            "Field case F20: Gemini refuses choices that are no texts",
            "Make the choices texts, or give a range.",
            bad=_with({"type": "integer", "enum": [1, 2, 4]}),
            good=_with({"type": "string", "enum": ["work", "home"]}),
        ),
        _choices,
    ),
    FunctionRule(
        Rule(
            "AF185",
            "refused-by-gemini-schema",
            Severity.NOTE,
            "Field case F20; off by default, since most schemas of today have such keywords",
            "Use a client that sends `parametersJsonSchema`, or leave the keyword out.",
            bad=_with({"type": ["string", "null"]}),
            good=_GOOD | {"inputSchema": {"type": "object", "properties": {}}},
            is_default=False,
        ),
        _refused_by_gemini_schema,
    ),
    FunctionRule(
        Rule(
            "AF186",
            "references-used",
            Severity.WARNING,
            "Field case F21: clients that drop `$defs` lose the type",
            "Write the definition out where it is used.",
            bad=_with({"$ref": "#/$defs/Topic"}, **{"$defs": {"Topic": _TOPIC}}),
            good=_GOOD,
        ),
        _references,
    ),
    FunctionRule(
        Rule(
            "AF187",
            "keyword-of-old-draft",
            Severity.ERROR,
            "Field case F27: providers read JSON Schema 2020-12 and refuse the whole list",
            "Write the keyword as JSON Schema 2020-12 has it.",
            bad=_with({"type": "integer", "minimum": 0, "exclusiveMinimum": True}),
            good=_with({"type": "integer", "exclusiveMinimum": 0}),
        ),
        _old_draft,
    ),
    FunctionRule(
        Rule(
            "AF188",
            "not-strict",
            Severity.NOTE,
            "OpenAI's and Anthropic's strict tools; off by default, since many need open objects",
            "Declare every member of objects, and let none be added.",
            bad=_with({"type": "object", "additionalProperties": {"type": "string"}}),
            good=_GOOD,
            is_default=False,
        ),
        _not_strict,
    ),
)
