"""The rules of a request for Chat Completions, as OpenAI documents them and its API enforces them.

The messages behind a reply with calls are its results, one for each id, in any order, before
anything else. Knows nothing of how requests are written.
"""

from collections.abc import Mapping
from typing import Any

from appfunctions_mcp.formats.chat_rules import MessageDialect, message_violations
from appfunctions_mcp.formats.model_format import Violation
from appfunctions_mcp.formats.rule_parts import Findings, at, choice_violations, one_of, shown

__all__ = ["DIALECT", "choice_form_violations", "request_violations"]

LONGEST_ID = 40
"""Longer ids are refused as `string_above_max_length`."""
DIALECT = MessageDialect(
    parts_of_role={
        "developer": ("text",),
        "system": ("text",),
        "user": ("text", "image_url", "input_audio", "file"),
        "assistant": ("text", "refusal"),
        "tool": ("text",),
        "function": (),
    },
    longest_id=LONGEST_ID,
    kinds_of_calls=("function", "custom"),
)
_MODES = ("none", "auto", "required")


def request_violations(body: Mapping[str, Any]) -> list[Violation]:
    """Where a request for Chat Completions breaks a documented rule.

    Args:
        body: The request, with or without members such as `model` that are not about the history.
    """
    from appfunctions_mcp.formats.openai_chat.tool_rules import tool_violations

    findings = Findings()
    if not findings.is_object(body, "", "the request"):
        return findings.violations
    message_violations(body.get("messages"), DIALECT, findings)
    tools = body.get("tools")
    if tools is not None and findings.is_list(tools, "/tools", "the member 'tools'"):
        findings.add_below("/tools", tool_violations(tools))
    choice_violations(body, ("tool_choice", "parallel_tool_calls"), findings)
    choice_form_violations(body, _MODES, findings)
    return findings.violations


def choice_form_violations(
    body: Mapping[str, Any], modes: tuple[str, ...], findings: Findings
) -> None:
    """Checks the form of `tool_choice` and that a tool it names is declared.

    Args:
        body: The request.
        modes: The words that are accepted.
        findings: Takes what is found.
    """
    choice = body.get("tool_choice")
    if choice is None or not body.get("tools"):
        return
    if isinstance(choice, str) and choice in modes:
        return
    if not isinstance(choice, Mapping) or choice.get("type") not in _FORMS_OF_CHOICE:
        text = f"the choice is {shown(choice)}; accepted are {one_of(modes)}"
        findings.add("/tool_choice", "choice", f"{text} and a named tool.")
        return
    kind = choice["type"]
    if kind == "allowed_tools":
        return
    named = choice.get(kind)
    name = named.get("name") if isinstance(named, Mapping) else None
    declared = _declared_names(body["tools"])
    if name not in declared:
        text = f"the choice names {shown(name)}; declared are {one_of(declared)}."
        findings.add(at("/tool_choice", kind, "name"), "choice", text)


_FORMS_OF_CHOICE = ("function", "custom", "allowed_tools")


def _declared_names(tools: Any) -> list[str]:
    """The names of the tools that a request declares; quiet about what has no form."""
    inner = (
        tool.get(str(tool.get("type")))
        for tool in (tools if isinstance(tools, list | tuple) else ())
        if isinstance(tool, Mapping)
    )
    return [str(each["name"]) for each in inner if isinstance(each, Mapping) and "name" in each]
