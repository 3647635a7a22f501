"""Rules about results: that somebody says what comes back, in words and as a schema."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.lint.name_words import words_in
from appfunctions_mcp.lint.rules import Fault, FunctionRule, Rule, Severity
from appfunctions_mcp.lint.rules_schemas import (
    bounds_faults,
    enum_faults,
    required_faults,
    type_faults,
)
from appfunctions_mcp.lint.schema_parts import has_one_value, kinds_of, result_parts
from appfunctions_mcp.lint.subjects import LintSubject, Origin
from appfunctions_mcp.lint.texts import words_of_name
from appfunctions_mcp.metadata import AppFunctionMetadata, JsonSchema
from appfunctions_mcp.quoting import quoted

__all__ = ["RULES"]

_GUIDELINE = "AppFunctions quality guidelines: parameters and return value are documented"
_LISTING = words_in("list search find query browse")
_PAGING = words_in(
    "limit page cursor offset max maximum count top first size after before since take n number "
    "results pages head tail most"
)
# AppFunctionTextResource and AppFunctionUriGrant, whose members Android leaves undescribed.
_OF_LIBRARY = ({"mimeType", "content"}, {"uri", "modeFlags"})
# There are a few of them, whatever grows.
_FEW = words_in(
    "types kinds categories formats modes settings languages units statuses states roles fields "
    "options columns permissions capabilities currencies timezones allowed supported"
)
_JSON = regex(r"\bJSON\b(?!\s+(?:Schema|Web|Pointer|Path|Patch|file|document\s+at))")
_TELLS = regex(
    r"\b(?:returns?|returning|results?|outputs?|responds?|response|yields?|gives?|get|gets|list|lists"
    r"|show|shows|read|reads|find|finds|fetch|fetches|search|searches|retrieves?)\b"
    r"|возвращ|верн[её]т|результат|выда[её]т|показыва|получ|список|найд|наход",
    re.IGNORECASE,
)
_ANYTHING = 5


def _value_schema(function: AppFunctionMetadata) -> JsonSchema | None:
    """The schema of what is returned, out of the object that MCP puts around it."""
    schema = function.response.schema
    properties = schema.get("properties") if schema else None
    if isinstance(properties, Mapping) and set(properties) == {"result"}:
        inner = properties["result"]
        return dict(inner) if isinstance(inner, Mapping) else schema
    return schema


def _returns_nothing(function: AppFunctionMetadata) -> bool:
    schema = _value_schema(function)
    return schema is not None and kinds_of(schema) == {"null"}


def _undescribed(function: AppFunctionMetadata, subject: LintSubject) -> Iterator[Fault]:
    if subject.origin is Origin.FOREIGN or function.response.description.strip():
        return
    # Android's older files tell of no function what it returns, nor anything else.
    is_older = not function.is_described and function.response.schema is None
    schema = _value_schema(function) or {}
    if not (is_older or _returns_nothing(function) or schema.get("description")):
        yield Fault("Nothing says what is returned.", "response")


def _untold(function: AppFunctionMetadata, subject: LintSubject) -> Iterator[Fault]:
    is_told = function.response.schema is not None or _TELLS.search(function.description)
    if subject.origin is Origin.FOREIGN and not is_told and function.description.isascii():
        yield Fault("Neither a schema nor the description says what comes back.", "response")


def _untyped(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    schema = _value_schema(function)
    if schema is None:
        return
    kinds = kinds_of(schema)
    others = schema.get("additionalProperties")
    says = schema.get("properties") or (isinstance(others, Mapping) and others)
    is_open = kinds == {"object"} and not says and not {"allOf", "$ref"} & schema.keys()
    is_anything = (
        not kinds and not {"$ref", "anyOf", "oneOf", "allOf", "properties"} & schema.keys()
    )
    if len(kinds) >= _ANYTHING or is_open or is_anything:
        yield Fault("The schema of the result admits anything.", "response")


def _json_as_text(function: AppFunctionMetadata, subject: LintSubject) -> Iterator[Fault]:
    schema = _value_schema(function)
    is_own_text = schema is None and subject.origin is Origin.OWN
    if not is_own_text and (schema is None or kinds_of(schema) - {"null"} != {"string"}):
        return
    text = f"{function.response.description} {(schema or {}).get('description', '')}"
    if found := _JSON.search(text):
        yield Fault("The result is JSON inside a text.", "response", found[0])


def _property_undescribed(function: AppFunctionMetadata, subject: LintSubject) -> Iterator[Fault]:
    is_foreign = subject.origin is Origin.FOREIGN
    severity = Severity.NOTE if is_foreign else None
    of_library = set() if is_foreign else set(_members_of_library(function))
    for part in result_parts(function):
        if part.place in of_library:
            continue
        is_wrapper = part.place == "response.result" and part.depth == 1
        is_given = "$ref" in part.schema or has_one_value(part.schema)
        if part.name and not is_wrapper and not part.description and not is_given:
            text = f"Nothing describes {quoted(part.name)} of the result."
            yield Fault(text, part.place, part.name, severity=severity)


def _members_of_library(function: AppFunctionMetadata) -> Iterator[str]:
    """The places of what an author does not declare: members of Android's types for everybody."""
    for part in result_parts(function):
        properties = part.schema.get("properties")
        if isinstance(properties, Mapping) and set(properties) in _OF_LIBRARY:
            yield from (f"{part.place}.{name}" for name in properties)
            if part.place.endswith(".resources[]"):  # an AppFunctionResourceContainer's
                yield part.place.removesuffix("[]")


def _broken(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    for part in result_parts(function):
        if not part.depth and part.schema.get("type") != "object":
            yield Fault("The root of the result's schema is no object.", part.place, "type")
        for check in (type_faults, required_faults, enum_faults, bounds_faults):
            yield from check(part)


def _unlimited(function: AppFunctionMetadata, _subject: LintSubject) -> Iterator[Fault]:
    words = words_of_name(function.tool_name)
    schema = _value_schema(function)
    is_list = not schema or "array" in kinds_of(schema)
    given = {word for parameter in function.parameters for word in words_of_name(parameter.name)}
    is_plural = bool(words) and words[0] in _LISTING and words[-1].endswith("s")
    if is_plural and is_list and not given & _PAGING and not _FEW.intersection(words):
        yield Fault("The list may be of any length, and nothing limits it.", "response")


def _tool(result: JsonSchema | None = None, **more: Any) -> Any:
    limit = {"type": "integer", "description": "How many notes to return at most."}
    return {
        "name": "list_notes",
        "description": "Lists the notes of the signed-in user, newest first.",
        "inputSchema": {"type": "object", "properties": {"limit": limit}},
        **({"outputSchema": result} if result else {}),
        **more,
    }


def _object(**properties: JsonSchema) -> JsonSchema:
    return {"type": "object", "properties": properties}


_MODULE = '''"""Notes."""
from appfunctions_mcp import app_function


@app_function(read_only=True)
def get_newest_note() -> str:
    """Returns the text of the newest note.{returns}
    """
    return "Buy milk."
'''
_TITLES = {"type": "array", "items": {"type": "string"}, "description": "The titles of the notes."}
_GOOD = _tool(_object(titles=_TITLES))

RULES: tuple[FunctionRule, ...] = (
    FunctionRule(
        Rule(
            "AF040",
            "result-undescribed",
            Severity.WARNING,
            _GUIDELINE,
            "Say in 'Returns:' (Kotlin: @return) what comes back.",
            bad={"python": _MODULE.format(returns="")},
            good={
                "python": _MODULE.format(returns="\n\n    Returns:\n        The text, as it is.")
            },
        ),
        _undescribed,
    ),
    FunctionRule(
        Rule(
            "AF041",
            "result-untold",
            Severity.NOTE,
            "Anthropic on writing tools: agents plan by what comes back; 43 % of tools do not say",
            "Say in a sentence what comes back, or declare an output schema.",
            bad=_tool(name="sync_notes", description="Synchronizes the notes with the server."),
            good=_GOOD,
            is_default=False,
        ),
        _untold,
    ),
    FunctionRule(
        Rule(
            "AF042",
            "result-untyped",
            Severity.WARNING,
            "the MCP specification: an output schema says what the structure is",
            "Declare the type that comes back, such as a model with its fields.",
            bad=_tool({"type": "object"}),
            good=_GOOD,
        ),
        _untyped,
    ),
    FunctionRule(
        Rule(
            "AF043",
            "result-json-as-text",
            Severity.WARNING,
            "Google's skill for AppFunctions: return a serializable, not JSON inside a text",
            "Return the structure itself.",
            bad=_tool(_object(result={"type": "string", "description": "The notes as JSON."})),
            good=_GOOD,
        ),
        _json_as_text,
    ),
    FunctionRule(
        Rule(
            "AF044",
            "result-property-undescribed",
            Severity.WARNING,
            "AppFunctions quality guidelines: the properties of serializables are documented",
            "Describe each property where it is declared.",
            bad={
                "python": '"""Notes."""\n'
                "from typing import TypedDict\n\n"
                "from appfunctions_mcp import app_function\n\n\n"
                "class Count(TypedDict):\n"
                '    """How many notes there are."""\n\n'
                "    total: int\n\n\n"
                "@app_function(read_only=True)\n"
                "def count_notes() -> Count:\n"
                '    """Returns how many notes there are.\n\n'
                "    Returns:\n"
                "        The number of notes.\n"
                '    """\n'
                "    return {'total': 1}\n"
            },
            good=_GOOD,
        ),
        _property_undescribed,
    ),
    FunctionRule(
        Rule(
            "AF045",
            "result-schema-broken",
            Severity.ERROR,
            "the MCP specification: an output schema is a valid schema of an object",
            "Correct the schema of the result.",
            bad=_tool({"type": "array", "items": {"type": "string"}}),
            good=_GOOD,
        ),
        _broken,
    ),
    FunctionRule(
        Rule(
            "AF046",
            "list-unlimited",
            Severity.NOTE,
            "field case F96, and Anthropic on writing tools: long results are cut by clients",
            "Take a limit, and say how to get the rest.",
            bad=_tool(inputSchema=_object()),
            good=_GOOD,
        ),
        _unlimited,
    ),
)
