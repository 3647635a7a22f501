# ruff: noqa: RUF001 - Russian words look like English ones
"""Rules about what is written of parameters, and about their names."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.lint.name_words import words_in
from appfunctions_mcp.lint.parameter_texts import listed_arguments
from appfunctions_mcp.lint.rules import Fault, FunctionRule, Rule, SetRule, Severity
from appfunctions_mcp.lint.schema_parts import SchemaPart, has_one_value, kinds_of, parameter_parts
from appfunctions_mcp.lint.subjects import LintSubject
from appfunctions_mcp.lint.texts import words_of, words_of_name
from appfunctions_mcp.metadata import AppFunctionMetadata, JsonSchema
from appfunctions_mcp.quoting import quoted

__all__ = ["RULES"]

_MOST_PARAMETERS = 12
_ARTICLES = words_in("a an the of to for is parameter argument value id")
_VAGUE = words_in("data value input arg args param params payload obj object val tmp foo bar thing")
_COORDINATES = words_in("x y z")
# "value" is the plain word for what one of these has.
_HAVE_VALUES = words_in("key name field property attribute setting option selector column variable")
_TIMES = words_in("date datetime timestamp deadline birthday day")
_SAYS_FORM = regex(
    r"\d|\bISO\b|\bRFC\b|[Yy]{4}|\bformat|\bform\b|\bunix\b|\bepoch\b|[Гг]{4}|\bформат|\bвид[еа]\b",
    re.IGNORECASE,
)
_MEASURES = words_in(
    "timeout duration delay interval distance radius weight height width temperature speed ttl "
    "elapsed latency bitrate altitude depth volume area"
)
_UNIT = regex(
    r"\b(?:ms|secs?|seconds?|millis\w*|microseconds?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?"
    r"|years?|bytes?|[kmgt]i?b|kilobytes?|megabytes?|px|pixels?|points?|pt|em|inch(?:es)?|cm|mm|km|miles?"
    r"|m|ft|feet|kilomet(?:er|re)s?|met(?:er|re)s?|centimet(?:er|re)s?|millimet(?:er|re)s?|grams?"
    r"|kg|kilograms?|g|lbs?|pounds?|celsius|fahrenheit|kelvin|degrees?|percent(?:age)?|hz|kph|mph|kw"
    r"|kilowatts?|watts?|characters?|chars?|lines?|items?|levels?|columns?|rows?|steps?|folders?"
    r"|litres?|liters?|db|bps|kbps|directories|links?|nodes?|hops?)\b|%|°"
    r"|секунд|минут|час|дн[еяй]|миллисекунд|байт|пиксел|метр|километр|грамм|градус|процент"
    r"|мс\b|км\b|уровн",
    re.IGNORECASE,
)
_SAYS_ORIGIN = regex(
    r"\d|['\"`«]|\be\.g|\bexample|\bsuch as|\bfrom\b|\breturned\b|\bgiven by\b|\bfound\b|\bas in\b"
    r"|\bsee\b|\bformat|\buse\b|\bnew\b|\bchoose"
    r"|\b(?:SHA|hash|UU?ID|GUID|ULID|CVE|GHSA|ISBN|ISSN|DOI|ORCID|IMDb|VIN|IATA|ICAO|EAN|IBAN)\b"
    r"|\bнапример|\bиз\b|\bот\b|\bвернул|\bнайд|\bнов",
    re.IGNORECASE,
)


def _is_set_field(schema: JsonSchema) -> bool:
    """Whether a part is what a SetField publishes, whose member `value` the field describes."""
    properties = schema.get("properties")
    names = set(properties) if isinstance(properties, dict) else set()
    return names in ({"value"}, {"value", "clear"}) and schema.get("additionalProperties") is False


def _described_parts(function: AppFunctionMetadata) -> Iterator[SchemaPart]:
    """The parameters and their properties that can have a description of their own."""
    fields = [part.place for part in parameter_parts(function) if _is_set_field(part.schema)]
    for part in parameter_parts(function):
        is_given = "$ref" in part.schema or has_one_value(part.schema)
        if part.name and not is_given and part.place.rpartition(".")[0] not in fields:
            yield part


def _undescribed(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    listed = listed_arguments(function.description)
    for part in _described_parts(function):
        if part.description.strip():
            continue
        if part.depth == 1 and listed.get(part.name):
            text = f"{quoted(part.name)} is described in the function's text, not in the schema."
            yield Fault(text, part.place, part.name, severity=Severity.NOTE)
            continue
        is_mentioned = part.depth == 1 and _speaks_of(part.name, function.description)
        text = f"{quoted(part.name)} has no description, though the function's text speaks of it."
        nothing = f"Nothing describes {quoted(part.name)}."
        yield Fault(text if is_mentioned else nothing, part.place, part.name)


def _speaks_of(name: str, text: str) -> bool:
    """Whether a text surely means a parameter, and not the word that is its name."""
    word = re.escape(name)
    if "_" in name or name != name.lower():
        return re.search(rf"\b{word}\b", text) is not None
    marked = rf"['\"`«]{word}['\"`»]|\b{word}\s+(?:parameter|argument)\b"
    return re.search(rf"{marked}|\b(?:parameter|argument)\s+{word}\b", text) is not None


def _says_nothing(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for part in _described_parts(function):
        words = [word.text.lower() for word in words_of(part.description)]
        meant = [word for word in words if word not in _ARTICLES]
        own = set(words_of_name(part.name))
        if words and "enum" not in part.schema and all(word in own for word in meant):
            text = "The description only repeats the name."
            yield Fault(text, part.place, part.description)


def _text_of(part: SchemaPart, function: AppFunctionMetadata) -> str:
    return f"{part.description} {listed_arguments(function.description).get(part.name, '')}"


def _form_untold(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for part in _described_parts(function):
        kinds = kinds_of(part.schema)
        is_bound = {"format", "pattern", "enum"} & part.schema.keys()
        if is_bound or not kinds or not kinds <= {"string", "null"}:
            continue
        if _is_time(part.name) and not _SAYS_FORM.search(_text_of(part, function)):
            yield Fault("Nothing says how the time is written.", part.place, part.name)


def _is_time(name: str) -> bool:
    words = words_of_name(name)
    # `wait_until` is no time, `until` alone is.
    is_bare = len(words) == 1 and words[0] in {"since", "until"}
    return is_bare or bool(_TIMES & set(words[-1:])) or name.endswith(("_at", "At"))


def _unit_untold(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for part in _described_parts(function):
        words = words_of_name(part.name)
        kinds = kinds_of(part.schema) - {"null"}
        if not words or words[-1] not in _MEASURES or not kinds or kinds > {"integer", "number"}:
            continue
        if kinds <= {"integer", "number"} and not _UNIT.search(_text_of(part, function)):
            text = f"Nothing says in which unit {quoted(part.name)} is."
            yield Fault(text, part.place, part.name)


def _origin_untold(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for part in _described_parts(function):
        words = words_of_name(part.name)
        is_id = words[-1:] in (("id",), ("ids",)) and "enum" not in part.schema
        if is_id and part.description and not _SAYS_ORIGIN.search(part.description):
            text = f"Nothing says what {quoted(part.name)} looks like, or where it comes from."
            yield Fault(text, part.place, part.name)


def _many(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    count = len(function.parameters)
    if count > _MOST_PARAMETERS:
        yield Fault(f"The function has {count} parameters.", "parameters")


def _vague(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    last_words = {words_of_name(each.name)[-1:] for each in function.parameters}
    for parameter in function.parameters:
        name = parameter.name.lower()
        if name in {"value", "val"} and any((word,) in last_words for word in _HAVE_VALUES):
            continue
        if name in _VAGUE or (len(name) == 1 and name not in _COORDINATES):
            text = f"The name {quoted(parameter.name)} does not say what is meant."
            yield Fault(text, f"parameters.{parameter.name}", parameter.name)


def _style(name: str) -> str:
    if "_" in name.strip("_"):
        return "snake_case"
    if "-" in name:
        return "kebab-case"
    return "camelCase" if re.search(r"[a-z][A-Z]", name) else ""


def _style_mixed(subject: LintSubject) -> Iterator[tuple[str, Fault]]:
    names = [(f, p.name) for f in subject.functions for p in f.parameters]
    counts = Counter(style for _, name in names if (style := _style(name)))
    if len(counts) < 2:
        return
    usual = counts.most_common(1)[0][0]
    for function, name in names:
        if _style(name) not in {"", usual}:
            text = f"The name is in {_style(name)}; most others are in {usual}."
            yield function.function_id, Fault(text, f"parameters.{name}", name)


def _taking(schema: JsonSchema, name: str = "limit") -> Any:
    return _taking_all({name: schema})


def _taking_all(properties: JsonSchema) -> Any:
    return {
        "name": "list_notes",
        "description": "Lists the notes of the signed-in user, newest first.",
        "inputSchema": {"type": "object", "properties": properties},
    }


_COUNT = {"type": "integer", "description": "How many notes to return at most."}
_NOTE_ID = "The ID of the note to begin behind"

RULES: tuple[FunctionRule | SetRule, ...] = (
    FunctionRule(
        Rule(
            "AF020",
            "parameter-undescribed",
            Severity.WARNING,
            "AppFunctions quality guidelines: parameters are documented, and so are properties",
            "Say what the parameter means, in its own description.",
            bad=_taking({"type": "integer"}),
            good=_taking(_COUNT),
        ),
        _undescribed,
    ),
    FunctionRule(
        Rule(
            "AF021",
            "parameter-says-nothing",
            Severity.NOTE,
            "Google's skill for AppFunctions: descriptions of parameters are specific",
            "Say what the name does not: what the value does, and which values there are.",
            bad=_taking({"type": "integer", "description": "The limit."}),
            good=_taking(_COUNT),
        ),
        _says_nothing,
    ),
    FunctionRule(
        Rule(
            "AF033",
            "time-form-untold",
            Severity.WARNING,
            "Google's skill for AppFunctions: rules of values stand with the parameter",
            "Declare a format, or say the form with an example, such as 2026-03-31.",
            bad=_taking({"type": "string", "description": "Notes written later."}, "since"),
            good=_taking(
                {
                    "type": "string",
                    "format": "date",
                    "description": "The first day of the notes, as YYYY-MM-DD.",
                },
                "since",
            ),
        ),
        _form_untold,
    ),
    FunctionRule(
        Rule(
            "AF034",
            "unit-untold",
            Severity.WARNING,
            "Google's skill for AppFunctions: rules of values stand with the parameter",
            "Name the unit in the description, or in the name.",
            bad=_taking({"type": "integer", "description": "How long to wait."}, "timeout"),
            good=_taking(
                {"type": "integer", "description": "How long to wait, in seconds."}, "timeout"
            ),
        ),
        _unit_untold,
    ),
    FunctionRule(
        Rule(
            "AF035",
            "id-origin-untold",
            Severity.NOTE,
            "Anthropic on writing tools: agents invent identifiers that they do not have",
            "Give an example, or say where the ID is found.",
            bad=_taking({"type": "string", "description": f"{_NOTE_ID}."}, "note_id"),
            good=_taking_all(
                {
                    "limit": _COUNT,
                    "note_id": {
                        "type": "string",
                        "description": f"{_NOTE_ID}, such as 'note-12'.",
                    },
                }
            ),
        ),
        _origin_untold,
    ),
    FunctionRule(
        Rule(
            "AF036",
            "many-parameters",
            Severity.NOTE,
            "AppFunctions quality guidelines: one clear purpose for each function",
            "Split the function, or leave out what hardly anybody sets.",
            bad=_taking_all({f"label_{each}": _COUNT for each in "abcdefghijklm"}),
            good=_taking(_COUNT),
        ),
        _many,
    ),
    FunctionRule(
        Rule(
            "AF037",
            "parameter-vague",
            Severity.NOTE,
            "Anthropic on writing tools: names of parameters say what is meant",
            "Name what the value is, such as 'note_id'.",
            bad=_taking(_COUNT, "value"),
            good=_taking(_COUNT),
        ),
        _vague,
    ),
    SetRule(
        Rule(
            "AF039",
            "parameter-style-mixed",
            Severity.NOTE,
            "style: names of one server are joined in one way",
            "Join the words of all names in the same way.",
            bad=_taking_all({"most_notes": _COUNT, "most_labels": _COUNT, "mostFiles": _COUNT}),
            good=_taking_all({"most_notes": _COUNT}),
        ),
        _style_mixed,
    ),
)
