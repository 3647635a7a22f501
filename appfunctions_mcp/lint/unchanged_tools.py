"""Tools as clients hand them to providers that change nothing of them, and what is refused then.

The exporters of `formats` mend what they can; most clients do not. The checkers of the providers'
documented rules say what becomes of it. Knows no rule of lint.
"""

from collections.abc import Callable, Iterator
from typing import Any

from appfunctions_mcp.formats import format_named
from appfunctions_mcp.formats.model_format import Violation
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.records import record

__all__ = ["GEMINI_SCHEMA", "PROVIDERS", "ProviderViolation", "violations_of"]

PROVIDERS = ("OpenAI", "Anthropic", "Gemini")
GEMINI_SCHEMA = "Gemini's own schema"
"""Gemini's `parameters`, a dialect of OpenAPI, beside `parametersJsonSchema`."""


@record(frozen=True, slots=True)
class ProviderViolation:
    """A rule of a provider that a tool breaks as it is."""

    provider: str
    rule: str
    place: str
    """As faults name it: `parameters.title`."""
    text: str


def violations_of(function: AppFunctionMetadata, provider: str) -> Iterator[ProviderViolation]:
    """What a provider refuses of a function that is handed to it unchanged.

    Args:
        function: With its schema as it is published.
        provider: One of `PROVIDERS`, or `GEMINI_SCHEMA`.
    """
    format_name, schema_path, write = _FORMS[provider]
    found = format_named(format_name).check_tools(write(function))
    for each in found:
        place = _place(each, schema_path)
        yield ProviderViolation(provider, each.rule, place, each.text)


def _place(violation: Violation, schema_path: str) -> str:
    if not violation.path.startswith(schema_path):
        return violation.path.rpartition("/")[2]
    steps = violation.path.removeprefix(schema_path).split("/")
    named = [
        step
        for before, step in zip(["", *steps], steps, strict=False)
        if before == "properties" and step
    ]
    return ".".join(["parameters", *(step.replace("~1", "/").replace("~0", "~") for step in named)])


def _openai(function: AppFunctionMetadata) -> list[dict[str, Any]]:
    return [{"type": "function", "function": _named(function, "parameters")}]


def _anthropic(function: AppFunctionMetadata) -> list[dict[str, Any]]:
    return [_named(function, "input_schema")]


def _gemini(function: AppFunctionMetadata) -> list[dict[str, Any]]:
    return [{"functionDeclarations": [_named(function, "parametersJsonSchema")]}]


def _gemini_schema(function: AppFunctionMetadata) -> list[dict[str, Any]]:
    return [{"functionDeclarations": [_named(function, "parameters")]}]


def _named(function: AppFunctionMetadata, schema: str) -> dict[str, Any]:
    return {
        "name": function.tool_name,
        "description": function.description,
        schema: function.input_schema,
    }


_FORMS: dict[str, tuple[str, str, Callable[[AppFunctionMetadata], list[dict[str, Any]]]]] = {
    "OpenAI": ("openai-chat", "/0/function/parameters", _openai),
    "Anthropic": ("anthropic", "/0/input_schema", _anthropic),
    "Gemini": ("gemini", "/0/functionDeclarations/0/parametersJsonSchema", _gemini),
    GEMINI_SCHEMA: ("gemini", "/0/functionDeclarations/0/parameters", _gemini_schema),
}
