"""Rules about values: what a text says of a parameter against what its schema says."""

import re
from collections.abc import Iterator
from typing import Any

from appfunctions_mcp.lint.name_words import words_in
from appfunctions_mcp.lint.parameter_texts import listed_arguments, texts_of
from appfunctions_mcp.lint.rules import Fault, FunctionRule, Rule, Severity
from appfunctions_mcp.lint.schema_parts import kind_of, kinds_of, parameter_parts
from appfunctions_mcp.lint.subjects import LintSubject
from appfunctions_mcp.lint.value_fits import misfit_of, number_of, shown
from appfunctions_mcp.lint.value_texts import (
    Limit,
    Said,
    choices_in,
    defaults_in,
    examples_in,
    limits_in,
    switch_of,
)
from appfunctions_mcp.metadata import AppFunctionMetadata, JsonSchema
from appfunctions_mcp.quoting import quoted

__all__ = ["RULES"]

_CONTRADICTION = "agents believe the text or the schema, and clients check the schema"
# Seconds and milliseconds, minutes and hours, shares and percents, kilobytes.
_PHRASES = words_in(
    "latest newest oldest current today now yesterday tomorrow first last previous next all any "
    "everything unlimited infinite automatic same local global system home root top inherited "
    "random unknown сегодня сейчас завтра вчера текущий текущая текущее последний последняя все "
    "всё первый первая корень случайный"
)
_RATIOS = frozenset({60, 100, 1000, 1024, 3600, 60_000, 3_600_000})
_LONGEST_CODE = 3


def _members(schema: JsonSchema) -> list[Any]:
    members = schema.get("enum")
    if members is None and isinstance(schema.get("items"), dict):
        members = schema["items"].get("enum")
    return members if isinstance(members, list) else []


def _choices_differ(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for each in texts_of(function):
        members = [str(member) for member in _members(each.part.schema) if member is not None]
        known = {member.casefold() for member in members}
        for choices, _ in choices_in(each.text) if members else ():
            unknown = [choice for choice in choices if choice.casefold() not in known]
            # A list that has little in common with the enum is about something else.
            if unknown and 2 * len(unknown) <= len(choices):
                text = f"The text lists {quoted(unknown[0])}, the enum does not have it."
                yield Fault(text, each.place, unknown[0])


def _choices_left_out(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for each in texts_of(function):
        members = [str(member) for member in _members(each.part.schema) if member is not None]
        for choices, is_complete in choices_in(each.text):
            listed = {choice.casefold() for choice in choices}
            left_out = [member for member in members if member.casefold() not in listed]
            is_about = 2 * (len(members) - len(left_out)) >= len(members)
            said = [m for m in left_out if m and m.casefold() in each.text.casefold()]
            if is_complete and left_out and is_about and not said:
                text = f"The enum has {quoted(left_out[0])}, the list in the text does not."
                yield Fault(text, each.place, choices[0])


def _choices_in_prose(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for each in texts_of(function):
        schema = each.part.schema
        is_bound = _members(schema) or {"pattern", "const", "format", "anyOf"} & schema.keys()
        if is_bound or kinds_of(schema) != {"string"}:
            continue
        for choices, is_complete in choices_in(each.text):
            if is_complete:
                listed = ", ".join(map(quoted, choices[:6]))
                text = f"The text accepts {listed} alone, the schema any text."
                fix = f'Add "enum": [{", ".join(map(quoted, choices[:12]))}] to the schema.'
                yield Fault(text, each.place, choices[0], fix.replace("'", '"'))
                break


def _choices_unexplained(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    listed = listed_arguments(function.description)
    for part in parameter_parts(function):
        text = f"{part.description} {listed.get(part.name, '')}"
        codes = _codes_of(_members(part.schema))
        unexplained = [code for code in codes if not re.search(rf"\b{re.escape(code)}\b", text)]
        if part.name and len(codes) > 1 and unexplained:
            said = f"Nothing says what {quoted(unexplained[0])} means."
            yield Fault(said, part.place, part.name)


def _codes_of(members: list[Any]) -> list[str]:
    """The members that nobody understands by themselves: letters, and numbers from 0 on."""
    numbers = [each for each in members if kind_of(each) == "integer"]
    if 0 in numbers and max(numbers) < 10:
        return [str(each) for each in numbers]
    return [each for each in members if isinstance(each, str) and len(each) == 1]


def _default_differs(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    names = {parameter.name for parameter in function.parameters}
    for each in texts_of(function):
        default = each.part.schema.get("default")
        # Null and nothing stand for what the body decides by itself.
        if default is None or default in ("", [], {}):
            continue
        for said in defaults_in(each.text):
            if said.value in (None, *names) or _is_phrase(said, each.part.schema):
                continue
            if not _is_same(said, default):
                text = (
                    f"The text says that the default is {shown(said.value)}, "
                    f"the schema {shown(default)}."
                )
                yield Fault(text, each.place, said.words)
                break  # "defaults to 20 if not given" says it twice


def _is_phrase(said: Said, schema: JsonSchema) -> bool:
    """Whether a bare word such as `latest` says which value is taken, and is none itself."""
    if said.is_quoted or not isinstance(said.value, str):
        return False
    return said.value.casefold() in _PHRASES and said.value not in map(str, _members(schema))


def _is_same(said: Said, default: Any) -> bool:
    if isinstance(default, list | dict):
        return True
    if isinstance(said.value, str):
        return _is_same_word(said, said.value.strip("'\"").casefold(), default)
    number, other = number_of(said.value), number_of(default)
    if number is None or other is None:
        return said.value == default or kind_of(said.value) != kind_of(default)
    return number == other or (bool(said.unit) and _is_other_unit(number, other))


def _is_same_word(said: Said, word: str, default: Any) -> bool:
    switch = switch_of(word)
    if switch is not None:
        return switch == default if isinstance(default, bool) else True
    # An unquoted word of another kind of value describes it, as in `default: local time`.
    is_other_kind = not isinstance(default, str) and not said.is_quoted
    return is_other_kind or word == str(default).casefold() or _is_name_of_code(said, str(default))


def _is_name_of_code(said: Said, code: str) -> bool:
    """Whether a text may name in words what the schema has as a code: `English`, `en`."""
    is_word = not said.is_quoted and len(said.value) > _LONGEST_CODE >= len(code)
    is_other_script = code.isascii() and not str(said.value).isascii()
    return (is_word and said.value[:1].isupper()) or (is_other_script and not said.is_quoted)


def _is_other_unit(number: float, other: float) -> bool:
    low, high = sorted((abs(number), abs(other)))
    return low > 0 and round(high / low, 6) in _RATIOS


def _default_in_prose(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    names = {parameter.name for parameter in function.parameters}
    for each in texts_of(function):
        if "default" in each.part.schema or each.part.required or "$ref" in each.part.schema:
            continue
        is_switch = kinds_of(each.part.schema) == {"boolean"}
        for said in defaults_in(each.text):
            # "Default: no" of anything but a switch says that there is none.
            is_none = isinstance(said.value, str) and switch_of(said.value) is False
            if said.value in (None, *names) or _is_phrase(said, each.part.schema):
                continue
            if is_switch or not is_none:
                text = f"The text names the default {shown(said.value)}, the schema none."
                yield Fault(text, each.place, said.words)


_LIMITS = {
    "number": (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")),
    "string": (("minLength",), ("maxLength",)),
    "array": (("minItems",), ("maxItems",)),
}


def _bounds_of(limit: Limit, schema: JsonSchema) -> Iterator[tuple[float, tuple[str, ...]]]:
    """Each number of a limit, with the keywords that would hold it."""
    kinds = {"number" if kind == "integer" else kind for kind in kinds_of(schema)} - {"null"}
    if len(kinds) != 1 or (kind := next(iter(kinds))) not in _LIMITS:
        return
    if limit.counts_characters != (kind == "string"):
        return
    for number, keywords in zip((limit.least, limit.most), _LIMITS[kind], strict=True):
        if number is not None:
            yield number, keywords


def _limit_differs(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for each in texts_of(function):
        for limit in limits_in(each.text):
            for number, keywords in _bounds_of(limit, each.part.schema):
                found = [(k, number_of(each.part.schema.get(k))) for k in keywords]
                held = [(k, value) for k, value in found if value is not None]
                if held and not any(_is_same_limit(number, value, limit) for _, value in held):
                    keyword, value = held[0]
                    text = f"The text says {quoted(limit.words)}, but {keyword} is {value:g}."
                    yield Fault(text, each.place, limit.words)


def _is_same_limit(number: float, value: float, limit: Limit) -> bool:
    # `1 to 100` of whole numbers is the same as "more than 0" and "less than 101".
    is_next = value in {0, number + 1} and abs(number - value) <= 1
    return number == value or is_next or (bool(limit.unit) and _is_other_unit(number, value))


def _limit_in_prose(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for each in texts_of(function):
        for limit in limits_in(each.text):
            for number, keywords in _bounds_of(limit, each.part.schema):
                if not any(keyword in each.part.schema for keyword in keywords):
                    text = f"The text says {quoted(limit.words)}, the schema sets no such limit."
                    fix = f'Add "{keywords[0]}": {number:g} to the schema.'
                    yield Fault(text, each.place, limit.words, fix)
                    break


def _example_misfits(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for each in texts_of(function):
        kinds = kinds_of(each.part.schema) - {"null"}
        for said in examples_in(each.text):
            is_text = kind_of(said.value) == "string"
            if not kinds or not kinds <= ({"string"} if is_text else {"integer", "number"}):
                continue
            if misfit := misfit_of(said.value, each.part.schema):
                text = f"The example {shown(said.value)} is refused: {misfit}."
                yield Fault(text, each.place, said.words)


def _taking(schema: JsonSchema, name: str = "limit", description: str = "") -> Any:
    purpose = description or "How many notes to return at most."
    return {
        "name": "list_notes",
        "description": "Lists the notes of the signed-in user, newest first.",
        "inputSchema": {
            "type": "object",
            "properties": {name: {"description": purpose, **schema}},
        },
    }


_ORDERS = {"type": "string", "enum": ["newest", "title"]}
_ORDER = "What comes first, one of 'newest' or 'title'."

RULES: tuple[FunctionRule, ...] = (
    FunctionRule(
        Rule(
            "AF073",
            "choices-differ",
            Severity.ERROR,
            _CONTRADICTION,
            "List the same values in both.",
            bad=_taking(_ORDERS, "order", "What comes first, one of 'newest', 'title' or 'size'."),
            good=_taking(_ORDERS, "order", _ORDER),
        ),
        _choices_differ,
    ),
    FunctionRule(
        Rule(
            "AF074",
            "choices-left-out",
            Severity.WARNING,
            _CONTRADICTION,
            "List all values in the text, or leave the list to the enum.",
            bad=_taking({**_ORDERS, "enum": ["newest", "title", "size"]}, "order", _ORDER),
            good=_taking(_ORDERS, "order", _ORDER),
        ),
        _choices_left_out,
    ),
    FunctionRule(
        Rule(
            "AF075",
            "choices-without-enum",
            Severity.WARNING,
            "OpenAI's guide to function calling: enums make invalid states impossible",
            "Declare the values as an enum.",
            bad=_taking({"type": "string"}, "order", _ORDER),
            good=_taking(_ORDERS, "order", _ORDER),
        ),
        _choices_in_prose,
    ),
    FunctionRule(
        Rule(
            "AF076",
            "default-differs",
            Severity.ERROR,
            _CONTRADICTION,
            "Name the same default in both.",
            bad=_taking(
                {"type": "integer", "default": 20}, "limit", "How many to return (default: 50)."
            ),
            good=_taking(
                {"type": "integer", "default": 20}, "limit", "How many to return (default: 20)."
            ),
        ),
        _default_differs,
    ),
    FunctionRule(
        Rule(
            "AF077",
            "default-without-schema",
            Severity.NOTE,
            "JSON Schema: a default in the schema is seen by programs as well",
            "Declare the default in the schema.",
            bad=_taking({"type": "integer"}, "limit", "How many to return (default: 20)."),
            good=_taking(
                {"type": "integer", "default": 20}, "limit", "How many to return (default: 20)."
            ),
        ),
        _default_in_prose,
    ),
    FunctionRule(
        Rule(
            "AF078",
            "limit-differs",
            Severity.ERROR,
            _CONTRADICTION,
            "Set the same limit in both.",
            bad=_taking(
                {"type": "integer", "minimum": 1, "maximum": 50}, "limit", "How many, 1 to 100."
            ),
            good=_taking(
                {"type": "integer", "minimum": 1, "maximum": 50},
                "limit",
                "How many notes to return, from 1 to 50.",
            ),
        ),
        _limit_differs,
    ),
    FunctionRule(
        Rule(
            "AF080",
            "limit-without-schema",
            Severity.NOTE,
            "OpenAI's guide to function calling: make invalid states impossible",
            "Declare the limit in the schema.",
            bad=_taking({"type": "integer"}, "limit", "How many notes to return, at most 50."),
            good=_taking(
                {"type": "integer", "maximum": 50}, "limit", "How many notes to return, at most 50."
            ),
        ),
        _limit_in_prose,
    ),
    FunctionRule(
        Rule(
            "AF081",
            "example-refused",
            Severity.ERROR,
            _CONTRADICTION,
            "Give an example that the schema accepts.",
            bad=_taking(
                {"type": "string", "pattern": "^note-[0-9]+$"},
                "after",
                "The ID of the note to begin behind, for example 'n12'.",
            ),
            good=_taking(
                {"type": "string", "pattern": "^note-[0-9]+$"},
                "after",
                "The ID of the note to begin behind, for example 'note-12'.",
            ),
        ),
        _example_misfits,
    ),
    FunctionRule(
        Rule(
            "AF089",
            "choices-unexplained",
            Severity.WARNING,
            "AppFunctions quality guidelines: the meaning of accepted values is documented",
            "Say what each value means, or accept words in place of codes.",
            bad=_taking({"type": "string", "enum": ["a", "d"]}, "order", "What comes first."),
            good=_taking(_ORDERS, "order", _ORDER),
        ),
        _choices_unexplained,
    ),
)
