# ruff: noqa: RUF001 - Russian words look like English ones
"""Rules about what a text says of a parameter's form, and its schema otherwise.

Units, formats, types, and whether it may be left out. What values are told stands in
`rules_text_values`.
"""

import re
from collections.abc import Iterator
from typing import Any

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.lint.parameter_texts import texts_of
from appfunctions_mcp.lint.rules import Fault, FunctionRule, Rule, Severity
from appfunctions_mcp.lint.schema_parts import kinds_of
from appfunctions_mcp.lint.subjects import LintSubject
from appfunctions_mcp.lint.texts import words_of_name
from appfunctions_mcp.metadata import AppFunctionMetadata, JsonSchema
from appfunctions_mcp.quoting import quoted

__all__ = ["RULES"]

_UNITS = {
    "milliseconds": r"\b(?:milliseconds?|millis|msecs?|ms)\b|миллисекунд\w*|\bмс\b",
    "seconds": r"\b(?:seconds?|secs?)\b|\bсекунд\w*",
    "minutes": r"\b(?:minutes?|mins)\b|\bминут\w*",
    "hours": r"\bhours?\b|\bчас(?:ов|а|ы|ах)?\b",
    "days": r"\bdays?\b|\b(?:дней|дня|днях)\b",
    "bytes": r"\bbytes?\b|\bбайт\w*",
    "kilobytes": r"\b(?:kilobytes?|kb|kib)\b|\bкилобайт\w*",
    "megabytes": r"\b(?:megabytes?|mb|mib)\b|\bмегабайт\w*",
    "metres": r"\b(?:met(?:er|re)s?)\b|\bметр\w*",
    "kilometres": r"\b(?:kilomet(?:er|re)s?|km)\b|\bкилометр\w*|\bкм\b",
    "miles": r"\bmiles?\b|\bмил[иь]\w*",
    "centimetres": r"\b(?:centimet(?:er|re)s?|cm)\b|\bсантиметр\w*|\bсм\b",
    "inches": r"\binch(?:es)?\b|\bдюйм\w*",
    "kilograms": r"\b(?:kilograms?|kilos?|kg)\b|\bкилограмм\w*|\bкг\b",
    "grams": r"\bgrams?\b|\bграмм\w*",
    "pounds": r"\b(?:pounds|lbs?)\b|\bфунт(?:ах|ов|ы)\b",
    "degrees Celsius": r"\bCelsius\b|°C|\bЦельси\w+",
    "degrees Fahrenheit": r"\bFahrenheit\b|°F|\bФаренгейт\w*",
    "cents": r"\bcents?\b|\bкопе[ей]к\w*|\bцент(?:ах|ов|ы)\b",
    "whole units of money": r"\b(?:dollars|euros|pounds|roubles|rubles)\b|\bевро\b"
    r"|\b(?:рубл|доллар)(?:ях|ах|ей|ов|и|ы)\b",
}
_SUFFIXES = {
    "ms": "milliseconds", "millis": "milliseconds", "milliseconds": "milliseconds",
    "seconds": "seconds", "secs": "seconds", "sec": "seconds",
    "minutes": "minutes", "mins": "minutes", "hours": "hours", "days": "days",
    "bytes": "bytes", "kb": "kilobytes", "mb": "megabytes",
    "meters": "metres", "metres": "metres", "km": "kilometres", "miles": "miles",
    "cm": "centimetres", "inches": "inches", "kg": "kilograms", "grams": "grams", "lbs": "pounds",
    "celsius": "degrees Celsius", "fahrenheit": "degrees Fahrenheit", "cents": "cents",
}  # fmt: skip


def _unit_differs(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for each in texts_of(function):
        unit = _SUFFIXES.get((words_of_name(each.part.name) or ("",))[-1])
        if unit is None or not kinds_of(each.part.schema) & {"integer", "number"}:
            continue
        if re.search(_UNITS[unit], each.text, re.IGNORECASE):
            continue
        for other, expression in _UNITS.items():
            if found := re.search(
                rf"\bin\s+(?:{expression})|(?:{expression})", each.text, re.IGNORECASE
            ):
                text = f"The name of {quoted(each.part.name)} says {unit}, the text {other}."
                yield Fault(text, each.place, found[0])
                break


_EPOCH = r"\b(?:[Uu]nix|[Ee]poch)\b"
_DAY = r"\b(?:YYYY-MM-DD|ГГГГ-ММ-ДД)\b"
_OTHER_ORDER = (
    r"\b(?:(?:DD|dd|MM|mm)[./-](?:MM|mm|DD|dd)[./-](?:YYYY|yyyy|YY)|ДД[./-]ММ[./-]ГГГГ)\b"
)
_MOMENT = r"\b[Dd]ate(?:[- ]?| and )time\b|\btimestamp\b|\b(?:HH|hh|ЧЧ):|[Дд]ат[аыу] и врем"
_E_MAIL = r"\b[Ee]-?mail\b|\bпочт"
_ADDRESS_OF_PAGE = r"\bUR[LI]\b|\b[Ll]ink\b|\b[Сс]сылк|\bweb\b"
# A form of the schema, what contradicts it in a text, and what shows that the text knows it.
_FORMATS = (
    ("date", _MOMENT, rf"{_DAY}|\b[Dd]ay\b|\b[Дд]ень\b|\bnot an? |\bбез времени\b"),
    ("date", r"\dT\d\d:\d\d", r"\bnot\b|\bне\b"),
    ("date", f"{_EPOCH}|{_OTHER_ORDER}", ""),
    ("date-time", rf"{_DAY}(?!['\"`]?[T ]+\(?(?:HH|hh|ЧЧ|or|или))|{_EPOCH}|{_OTHER_ORDER}", ""),
    ("time", f"{_DAY}|{_EPOCH}", ""),
    ("email", r"\b[Pp]hone number\b|\b[Нн]омер\w* телефон|\bURL\b", _E_MAIL),
    ("uri", r"\b[Ee]-?mail address\b", _ADDRESS_OF_PAGE),
    ("uuid", rf"\b[Ee]-?mail address\b|\bURL\b|{_DAY}", r"\bUUID\b|\bID\b|\bid\b"),
)
_ISO_DATE = regex(rf"\bISO[- ]?8601\b|{_DAY}")


def _format_differs(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for each in texts_of(function):
        for form, expression, own in _FORMATS:
            if each.part.schema.get("format") != form or (own and re.search(own, each.text)):
                continue
            if found := re.search(expression, each.text):
                text = f"The schema asks for the format {quoted(form)}, the text says otherwise."
                yield Fault(text, each.place, found[0])
        kinds = kinds_of(each.part.schema)
        found = _ISO_DATE.search(each.text)
        if found and kinds and kinds <= {"integer", "number"}:
            text = "The text describes a date as text, the schema takes a number."
            yield Fault(text, each.place, found[0])


_OPTIONAL = regex(
    r"[(\[]\s*(?:optional|необязательн\w+|опционально)\s*[)\],;]|\A\s*(?:optional|необязательн\w+)\b"
    r"|,\s*(?:optional|необязательно|по\s+желанию)\s*\.?\s*\Z"
    r"|(?<!which )(?<!that )\b(?:can|may)\s+be\s+(?:omitted|left\s+out)\b"
    r"|(?:\A|[.;,]\s*)(?:omit|leave\s+(?:it\s+)?out)\s+(?:to|for)\b|\bможно\s+(?:не\s+(?:указывать|задавать|передавать)"
    r"|опустить)",
    re.IGNORECASE,
)
_REQUIRED = regex(
    r"[(\[]\s*(?:required|mandatory|обязательн\w+)\s*[)\]]"
    r"|\A\s*(?:required|mandatory|обязательный\s+параметр|обязательно)\s*[.:]"
    r"|[.,;]\s*(?:required|mandatory|обязател(?:ен|ьн[аоы]))\s*\.?\s*\Z"
    r"|\A\s*обязательн(?:ое|ый|ая)\s+(?:поле|параметр|аргумент)\b|\A\s*mandatory\s+\w+"
    r"|\bthis\s+(?:parameter|field|argument|value)\s+is\s+(?:required|mandatory)\b"
    r"|(?:\A|[.;,]\s*)must\s+(?:always\s+)?be\s+(?:provided|given|specified|passed|supplied)\s*(?=[.;]|\Z)",
    re.IGNORECASE,
)
_CONDITION = regex(
    r"\b(?:if|when|unless|either|one\s+of|at\s+least|together|for|with|если|когда|только|для|при|либо)\b",
    re.IGNORECASE,
)


def _is_required_in(text: str) -> str:
    """The words that say so; empty where they depend on something."""
    found = _REQUIRED.search(text)
    if found is None:
        return ""
    start = max(text.rfind(mark, 0, found.start()) for mark in ".;\n") + 1
    end = min(place for mark in ".;\n" if (place := f"{text}{mark}".find(mark, found.end())) >= 0)
    is_marked = found[0].lstrip()[:1] in ("(", "[") or found[0].rstrip()[-1:] == ":"
    return "" if not is_marked and _CONDITION.search(text[start:end]) else found[0]


def _requiredness_differs(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for each in texts_of(function):
        if not each.part.name:
            continue
        if each.part.required and (found := _OPTIONAL.search(each.text)):
            text = (
                f"The text says that {quoted(each.part.name)} is optional, the schema requires it."
            )
            yield Fault(text, each.place, found[0].strip("([])., "))
        elif not each.part.required and (words := _is_required_in(each.text)):
            text = f"The text says that {quoted(each.part.name)} is required, the schema does not."
            yield Fault(text, each.place, words.strip("([])., "))


_LIST_AS_TEXT = (
    r"\A\s*(?:an?\s+)?(?:array|list)\s+of\b(?!.*\b(?:separated|delimited|JSON|newline|per line))"
    r"|\A\s*(?:список|массив)\s+\w+(?!.*(?:через|раздел|JSON|по\s+одн))"
)
_SWITCH = r"\A\s*(?:whether|true,?\s+(?:if|to|when|если|чтобы)|нужн[оы]\s+ли)\b(?!.*['\"`])"
_COUNT = r"\A\s*(?:how\s+many|(?:the\s+)?(?:maximum\s+)?number\s+of|сколько|количество)\b"
_KINDS_IN_TEXT = (
    ("array", r"\bcomma[- ](?:separated|delimited)\b|через\s+запятую", Severity.ERROR),
    ("object", r"\bJSON(?:[- ]encoded)?\s+string\b|\bcomma[- ]separated\b", Severity.ERROR),
    ("string", _LIST_AS_TEXT, Severity.WARNING),
    ("string", _SWITCH, Severity.WARNING),
    ("boolean", _COUNT, Severity.ERROR),
    ("array", r"\bJSON(?:[- ]encoded)?\s+string\b", Severity.ERROR),
    ("boolean", r"\A\s*(?:an?\s+)?(?:array|list)\s+of\b|\b(?:comma|semicolon)[- ]separated\b",
     Severity.ERROR),
    ("number", rf"\A\s*(?:an?\s+)?(?:array|list)\s+of\b|\bcomma[- ]separated\b|{_SWITCH}",
     Severity.ERROR),
)  # fmt: skip


def _type_differs(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for each in texts_of(function):
        kinds = {"number" if k == "integer" else k for k in kinds_of(each.part.schema)} - {"null"}
        for kind, expression, severity in _KINDS_IN_TEXT:
            found = re.search(expression, each.text, re.IGNORECASE)
            if kinds == {kind} and found and "enum" not in each.part.schema:
                text = f"The schema takes a value of type {kind}, the text says otherwise."
                yield Fault(text, each.place, found[0].strip(), severity=severity)
                break


def _tool(name: str, description: str, schema: JsonSchema) -> Any:
    whole = {"type": "object", "properties": schema}
    return {"name": name, "description": description, "inputSchema": whole}


def _waiting(schema: JsonSchema, name: str = "timeout_ms") -> Any:
    return _tool("list_notes", "Lists the notes of the signed-in user.", {name: schema})


RULES: tuple[FunctionRule, ...] = (
    FunctionRule(
        Rule(
            "AF082",
            "unit-differs",
            Severity.ERROR,
            "a contradiction: the value sent is a thousand times too large or too small",
            "Name the same unit in both.",
            bad=_waiting({"type": "integer", "description": "How long to wait, in seconds."}),
            good=_waiting({"type": "integer", "description": "How long to wait, in milliseconds."}),
        ),
        _unit_differs,
    ),
    FunctionRule(
        Rule(
            "AF083",
            "format-differs",
            Severity.ERROR,
            "a contradiction: clients check the format",
            "Describe the form that the schema asks for.",
            bad=_waiting(
                {"type": "string", "format": "date", "description": "A timestamp: notes since."},
                "since",
            ),
            good=_waiting(
                {
                    "type": "string",
                    "format": "date",
                    "description": "The first day of the notes, as YYYY-MM-DD.",
                },
                "since",
            ),
        ),
        _format_differs,
    ),
    FunctionRule(
        Rule(
            "AF084",
            "required-differs",
            Severity.ERROR,
            "a contradiction: a call that follows the text is refused",
            "Say the same in 'required' and in the text, or nothing in the text.",
            bad=_waiting(
                {"type": "string", "description": "A label that the notes have (required)."},
                "label",
            ),
            good=_waiting(
                {"type": "string", "description": "A label that the notes have."}, "label"
            ),
        ),
        _requiredness_differs,
    ),
    FunctionRule(
        Rule(
            "AF088",
            "type-differs",
            Severity.ERROR,
            "a contradiction: a value that follows the text is refused",
            "Describe a value of the type that the schema takes.",
            bad=_waiting(
                {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "Labels that the notes have, comma-separated.",
                },
                "labels",
            ),
            good=_waiting(
                {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "Labels that the notes have, such as 'work'.",
                },
                "labels",
            ),
        ),
        _type_differs,
    ),
)
