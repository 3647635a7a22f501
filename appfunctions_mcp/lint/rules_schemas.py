"""Rules about the schemas of parameters: what clients refuse, and what contradicts itself."""

from collections.abc import Iterator, Mapping
from typing import Any

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.lint.rules import Fault, FunctionRule, Rule, Severity
from appfunctions_mcp.lint.schema_parts import (
    KINDS,
    SchemaPart,
    kind_of,
    own_kinds_of,
    parameter_parts,
)
from appfunctions_mcp.lint.subjects import LintSubject
from appfunctions_mcp.lint.value_fits import misfit_of, number_of, pattern_fault, shown
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.quoting import quoted

__all__ = ["RULES", "bounds_faults", "enum_faults", "required_faults", "type_faults"]

_TELLING = frozenset(
    {"type", "anyOf", "oneOf", "allOf", "enum", "const", "$ref", "properties", "items", "not", "if"}
)
_ROOT_BRANCHES = ("anyOf", "oneOf", "allOf", "not", "enum", "$ref")
_PROPERTY_NAME = regex(r"[A-Za-z0-9_.-]{1,64}\Z")
_BOUNDS = (
    ("minimum", "maximum"),
    ("exclusiveMinimum", "exclusiveMaximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
)


def _untyped(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for part in parameter_parts(function):
        if part.name and not _TELLING & part.schema.keys():
            yield Fault(f"{quoted(part.name)} has no type.", part.place, part.name)


def _items_missing(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for part in parameter_parts(function):
        if "array" not in own_kinds_of(part.schema) or "prefixItems" in part.schema:
            continue
        if "items" not in part.schema:
            yield Fault("The array has no 'items'.", part.place, part.name)
        elif (
            isinstance(part.schema["items"], Mapping) and not _TELLING & part.schema["items"].keys()
        ):
            yield Fault(
                "Nothing says what the items of the array are.",
                part.place,
                part.name,
                severity=Severity.WARNING,
            )


def _open_object(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for part in parameter_parts(function):
        schema = part.schema
        others = schema.get("additionalProperties", True)
        is_map = isinstance(others, Mapping) and bool(others)
        says = schema.get("properties") or schema.get("patternProperties") or schema.get("allOf")
        # A root that says nothing is that of a function without parameters.
        is_open = bool(part.depth) or schema.get("additionalProperties") is True
        if is_open and own_kinds_of(schema) == ("object",) and not (says or is_map):
            if others is False:
                continue
            yield Fault("Nothing says which members the object has.", part.place, part.name)


def type_faults(part: SchemaPart) -> Iterator[Fault]:
    """The types of a part that JSON Schema does not know."""
    kinds = part.schema.get("type")
    for kind in kinds if isinstance(kinds, list) else [kinds] if "type" in part.schema else []:
        if kind not in KINDS:
            yield Fault(f"There is no type {shown(kind)}.", part.place, str(kind))


def _type_unknown(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for part in parameter_parts(function):
        yield from type_faults(part)


def _root(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    schema = function.input_schema
    for keyword in _ROOT_BRANCHES:
        if keyword in schema:
            yield Fault(
                f"{quoted(keyword)} stands at the root of the schema.", "parameters", keyword
            )
    if schema.get("type") != "object":
        found = f"of type {shown(schema['type'])}" if "type" in schema else "without a type"
        yield Fault(f"The root of the schema is {found}, not an object.", "parameters", "type")
    elif not isinstance(schema.get("properties"), Mapping):
        yield Fault("The root of the schema has no 'properties'.", "parameters", "properties")


def required_faults(part: SchemaPart) -> Iterator[Fault]:
    """The names that a part requires, though it does not have them."""
    required = part.schema.get("required")
    if required is not None and not isinstance(required, list):
        yield Fault("'required' is no list of names.", part.place, "required")
        return
    properties = part.schema.get("properties")
    if isinstance(properties, Mapping):
        for name in required or []:
            if not isinstance(name, str) or name not in properties:
                text = f"{shown(name)} is required, but there is no such property."
                yield Fault(text, part.place, str(name))


def _required_unknown(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for part in parameter_parts(function):
        yield from required_faults(part)


def _default_misfit(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for part in parameter_parts(function):
        if "default" not in part.schema:
            continue
        default = part.schema["default"]
        if misfit := misfit_of(default, part.schema):
            # A null that means nothing but "left out" does no harm.
            severity = Severity.WARNING if default is None and not part.required else None
            text = f"The default {shown(default)} does not fit the schema: {misfit}."
            yield Fault(text, part.place, str(default), severity=severity)


def _required_default(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for part in parameter_parts(function):
        if part.required and "default" in part.schema:
            text = f"{quoted(part.name)} is required, so its default is never used."
            yield Fault(text, part.place, part.name)


def enum_faults(part: SchemaPart) -> Iterator[Fault]:
    """What is wrong with the enum of a part."""
    if "enum" not in part.schema:
        return
    members = part.schema["enum"]
    if not isinstance(members, list) or not members:
        yield Fault("The enum has no members, so no value is accepted.", part.place, "enum")
        return
    without = {name: value for name, value in part.schema.items() if name != "enum"}
    seen = set[tuple[str, Any]]()
    for member in members:
        # In Python, True equals 1.
        key = (kind_of(member), None if isinstance(member, list | dict) else member)
        if key in seen:
            text = f"The enum has {shown(member)} twice."
            yield Fault(text, part.place, str(member), severity=Severity.WARNING)
        elif misfit := misfit_of(member, without):
            text = f"The enum has {shown(member)}, which is never accepted: {misfit}."
            yield Fault(text, part.place, str(member))
        if key[1] is not None:
            seen.add(key)


def _enum(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for part in parameter_parts(function):
        yield from enum_faults(part)


def bounds_faults(part: SchemaPart) -> Iterator[Fault]:
    """The limits of a part between which nothing is."""
    for low, high in _BOUNDS:
        least, most = number_of(part.schema.get(low)), number_of(part.schema.get(high))
        if least is None or most is None:
            continue
        if least > most or (least == most and low == "exclusiveMinimum"):
            text = f"No value is accepted: {low} is {least:g}, {high} is {most:g}."
            yield Fault(text, part.place, low)


def _bounds(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for part in parameter_parts(function):
        yield from bounds_faults(part)


def _pattern(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for part in parameter_parts(function):
        pattern = part.schema.get("pattern")
        if isinstance(pattern, str) and (fault := pattern_fault(pattern)):
            text = f"{quoted(pattern)} is no regular expression: {fault}."
            yield Fault(text, part.place, pattern)


def _property_name(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for part in parameter_parts(function):
        if part.name and not _PROPERTY_NAME.match(part.name):
            severity = None if part.depth == 1 else Severity.WARNING
            text = f"{quoted(part.name)} is refused as the name of a parameter."
            yield Fault(text, part.place, part.name, severity=severity)


def _taking(schema: dict[str, Any], name: str = "limit", *, required: bool = False) -> Any:
    described = {"description": "How many notes to return at most.", **schema}
    return _whole(
        {
            "type": "object",
            "properties": {name: described},
            **({"required": [name]} if required else {}),
        }
    )


def _whole(schema: dict[str, Any]) -> Any:
    description = "Lists the notes of the signed-in user, newest first."
    return {"name": "list_notes", "description": description, "inputSchema": schema}


_GOOD = _taking({"type": "integer", "minimum": 1, "maximum": 50})
_TAGS = {"type": "array", "description": "Labels that the notes have, such as 'work'."}
_FILTER = {"type": "object", "description": "Which notes to return."}

RULES: tuple[FunctionRule, ...] = (
    FunctionRule(
        Rule(
            "AF022",
            "parameter-untyped",
            Severity.WARNING,
            "field case F23: clients send what has no type as text",
            "Give the parameter a type, or a union of types.",
            bad=_taking({}),
            good=_GOOD,
        ),
        _untyped,
    ),
    FunctionRule(
        Rule(
            "AF023",
            "array-without-items",
            Severity.ERROR,
            "field case F18: VS Code and OpenAI refuse the function",
            'Say what the items are: "items": {"type": "string"}.',
            bad=_taking(_TAGS, "labels"),
            good=_taking({**_TAGS, "items": {"type": "string"}}, "labels"),
        ),
        _items_missing,
    ),
    FunctionRule(
        Rule(
            "AF024",
            "object-without-properties",
            Severity.WARNING,
            "field case F25: models and clients guess what an open object holds",
            "Declare the members, or the type of all of them in 'additionalProperties'.",
            bad=_taking(_FILTER, "filter"),
            good=_taking(
                {
                    **_FILTER,
                    "properties": {
                        "label": {"type": "string", "description": "A label that the notes have."}
                    },
                    "additionalProperties": False,
                },
                "filter",
            ),
        ),
        _open_object,
    ),
    FunctionRule(
        Rule(
            "AF025",
            "type-unknown",
            Severity.ERROR,
            "field case F27: clients refuse the schema",
            f"Use one of {', '.join(KINDS)}.",
            bad=_taking({"type": "int"}),
            good=_GOOD,
        ),
        _type_unknown,
    ),
    FunctionRule(
        Rule(
            "AF026",
            "root-not-plain",
            Severity.ERROR,
            "field cases F16 and F17: providers refuse the whole request",
            "Make the root a plain object with 'properties', empty where nothing is taken.",
            bad=_whole({"anyOf": [{"type": "object", "properties": {}}]}),
            good=_whole({"type": "object", "properties": {}}),
        ),
        _root,
    ),
    FunctionRule(
        Rule(
            "AF027",
            "required-unknown",
            Severity.ERROR,
            "JSON Schema; OpenAI refuses such a schema, and nobody can call the function",
            "Declare the property, or take its name out of 'required'.",
            bad=_whole({"type": "object", "properties": {}, "required": ["limit"]}),
            good=_GOOD,
        ),
        _required_unknown,
    ),
    FunctionRule(
        Rule(
            "AF028",
            "default-misfit",
            Severity.ERROR,
            "a contradiction inside the schema",
            "Correct the default, or what the schema accepts.",
            bad=_taking({"type": "integer", "maximum": 50, "default": 100}),
            good=_taking({"type": "integer", "maximum": 50, "default": 20}),
        ),
        _default_misfit,
    ),
    FunctionRule(
        Rule(
            "AF029",
            "required-with-default",
            Severity.WARNING,
            "a contradiction inside the schema, which only costs arguments",
            "Take the name out of 'required', or leave the default out.",
            bad=_taking({"type": "integer", "default": 20}, required=True),
            good=_taking({"type": "integer", "default": 20}),
        ),
        _required_default,
    ),
    FunctionRule(
        Rule(
            "AF030",
            "enum-broken",
            Severity.ERROR,
            "a contradiction inside the schema; OpenAI and Gemini refuse an empty enum",
            "List each accepted value once, in the type of the parameter.",
            bad=_taking({"type": "integer", "enum": ["10", "20"]}),
            good=_taking({"type": "integer", "enum": [10, 20]}),
        ),
        _enum,
    ),
    FunctionRule(
        Rule(
            "AF031",
            "bounds-impossible",
            Severity.ERROR,
            "a contradiction inside the schema",
            "Make the lower limit the smaller one.",
            bad=_taking({"type": "integer", "minimum": 50, "maximum": 1}),
            good=_GOOD,
        ),
        _bounds,
    ),
    FunctionRule(
        Rule(
            "AF032",
            "pattern-broken",
            Severity.ERROR,
            "JSON Schema: a pattern is a regular expression of ECMA 262",
            "Correct the expression, or describe the form in words.",
            bad=_taking(
                {"type": "string", "pattern": "[a-z", "description": "A label, such as 'work'."},
                "label",
            ),
            good=_taking(
                {"type": "string", "pattern": "[a-z]+", "description": "A label, such as 'work'."},
                "label",
            ),
        ),
        _pattern,
    ),
    FunctionRule(
        Rule(
            "AF038",
            "parameter-characters",
            Severity.ERROR,
            "Anthropic's API: names of parameters match [a-zA-Z0-9_.-]{1,64}",
            "Use the letters A to Z, digits, '_', '.' and '-', at most 64 characters.",
            bad=_taking({"type": "integer"}, "how many"),
            good=_GOOD,
        ),
        _property_name,
    ),
)
