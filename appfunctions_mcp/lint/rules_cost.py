"""Rules about what functions cost: tokens that every request pays, used or not."""

from collections.abc import Iterator

from appfunctions_mcp.lint.example_tools import example_tool
from appfunctions_mcp.lint.rules import Fault, FunctionRule, Rule, SetRule, Severity
from appfunctions_mcp.lint.schema_parts import parameter_parts
from appfunctions_mcp.lint.subjects import LintSubject
from appfunctions_mcp.lint.texts import words_of_name
from appfunctions_mcp.lint.tokens import function_tokens, tokens_of
from appfunctions_mcp.metadata import AppFunctionMetadata

__all__ = ["RULES"]

_COSTLY = 800
_RATHER_COSTLY = 400
_COSTLY_LIST = 10_000
_RATHER_COSTLY_LIST = 5_000
_MANY_CHOICES = 50


def _function(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    cost = function_tokens(function)
    if cost > _RATHER_COSTLY:
        described = tokens_of(function.description)
        said = f"About {cost} tokens in every request, {described} of them the description."
        severity = None if cost > _COSTLY else Severity.NOTE
        yield Fault(said, "description", severity=severity)


def _list(subject: LintSubject) -> Iterator[tuple[str, Fault]]:
    cost = sum(map(function_tokens, subject.functions))
    if cost > _RATHER_COSTLY_LIST:
        dearest = max(subject.functions, key=function_tokens)
        said = (
            f"About {cost:,} tokens in every request for {len(subject.functions)} functions; "
            f"{dearest.tool_name} costs most, {function_tokens(dearest)}."
        )
        yield "", Fault(said, severity=None if cost > _COSTLY_LIST else Severity.NOTE)


def _titles(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    titles = [
        part.schema["title"]
        for part in parameter_parts(function)
        if part.name and isinstance(part.schema.get("title"), str)
    ]
    empty = [
        part
        for part in parameter_parts(function)
        if part.name and words_of_name(part.name) == _title_words(part.schema.get("title"))
    ]
    if empty:
        cost = sum(tokens_of(f',"title":"{title}"') for title in titles)
        what = "titles repeat" if len(empty) > 1 else "title repeats"
        said = f"{len(empty)} {what} the name of a parameter: about {cost} tokens."
        yield Fault(said, empty[0].place, str(empty[0].schema["title"]))


def _title_words(title: object) -> tuple[str, ...] | None:
    return words_of_name(title.replace(" ", "_")) if isinstance(title, str) else None


def _choices(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for part in parameter_parts(function):
        choices = part.schema.get("enum")
        if isinstance(choices, list) and len(choices) > _MANY_CHOICES:
            cost = sum(tokens_of(f'"{each}",') for each in choices)
            said = f"{len(choices)} choices cost about {cost} tokens in every request."
            yield Fault(said, part.place, part.name)


_GOOD = example_tool()
_LONG = "The text may have headings, lists and tables, which are kept as they were written. "


RULES = (
    FunctionRule(
        Rule(
            "AF170",
            "function-costly",
            Severity.WARNING,
            "Anthropic's guide to tools: definitions of five servers cost 55,000 tokens",
            "Shorten what repeats the schema, and move what is general into the app's description.",
            bad=example_tool(description="Creates a note. " + _LONG * 60),
            good=_GOOD,
        ),
        _function,
    ),
    SetRule(
        Rule(
            "AF171",
            "list-costly",
            Severity.WARNING,
            "Anthropic's guide to tools: few functions of high use; field case F94",
            "Offer fewer functions at once, and shorten those that cost most.",
            bad=[
                example_tool(f"create_note_in_folder_{place}", "Creates a note. " + _LONG * 40)
                for place in range(20)
            ],
            good=_GOOD,
        ),
        _list,
    ),
    FunctionRule(
        Rule(
            "AF172",
            "titles-repeat-names",
            Severity.NOTE,
            "Field case F27: titles that are made of names are noise",
            "Leave the titles of parameters out.",
            bad=example_tool(
                parameters={
                    "note_title": {
                        "type": "string",
                        "title": "Note Title",
                        "description": "The note's title.",
                    }
                }
            ),
            good=_GOOD,
        ),
        _titles,
    ),
    FunctionRule(
        Rule(
            "AF173",
            "choices-many",
            Severity.NOTE,
            "Anthropic's guide to tools: what is shown to a model has its price",
            "Take the text and look the choice up, or offer a function that lists the choices.",
            bad=example_tool(
                parameters={
                    "colour": {
                        "type": "string",
                        "description": "The note's colour.",
                        "enum": [f"colour-{place}" for place in range(60)],
                    }
                }
            ),
            good=_GOOD,
        ),
        _choices,
    ),
)
