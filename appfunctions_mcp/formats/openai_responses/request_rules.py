"""The rules of a request for OpenAI's Responses, as OpenAI documents and its API enforces them.

A call and its output stand in one input, or the call in the stored response that
`previous_response_id` names; a thought stays directly before what the model made of it.
"""

from collections.abc import Mapping
from typing import Any

from appfunctions_mcp.formats.model_format import Violation
from appfunctions_mcp.formats.openai_responses.item_rules import check_item, kind_of
from appfunctions_mcp.formats.rule_parts import (
    Findings,
    at,
    choice_violations,
    objects,
    one_of,
    shown,
)
from appfunctions_mcp.quoting import quoted

__all__ = ["request_violations"]

_MODES = ("none", "auto", "required")
_OF_THE_MODEL = frozenset(
    {
        "function_call",
        "custom_tool_call",
        "message",
        "web_search_call",
        "file_search_call",
        "computer_call",
        "image_generation_call",
        "code_interpreter_call",
        "local_shell_call",
        "shell_call",
        "apply_patch_call",
        "mcp_call",
        "mcp_list_tools",
        "mcp_approval_request",
        "tool_search_call",
        "program",
        "reasoning",
        "item_reference",
    }
)
_PAIRS = {
    "function_call_output": "function_call",
    "custom_tool_call_output": "custom_tool_call",
}
Json = Mapping[str, Any]


def request_violations(body: Mapping[str, Any]) -> list[Violation]:
    """Where a request for Responses breaks a documented rule.

    Args:
        body: The request, with or without members such as `model` that are not about the history.
    """
    from appfunctions_mcp.formats.openai_responses.tool_rules import tool_violations

    findings = Findings()
    if not findings.is_object(body, "", "the request"):
        return findings.violations
    continues = body.get("previous_response_id") or body.get("conversation")
    _check_input(body, continues=bool(continues), findings=findings)
    if body.get("previous_response_id") and body.get("conversation"):
        text = "the request has 'previous_response_id' and 'conversation'; one of them is accepted."
        findings.add("/conversation", "two-histories", text)
    instructions = body.get("instructions")
    if instructions is not None and not isinstance(instructions, str | list):
        text = f"the instructions are {shown(instructions)}; text is accepted."
        findings.add("/instructions", "content", text)
    if body.get("tools"):
        findings.add_below("/tools", tool_violations(body["tools"]))
    choice_violations(body, ("tool_choice", "parallel_tool_calls"), findings)
    _check_choice(body, findings)
    return findings.violations


def _check_input(body: Json, *, continues: bool, findings: Findings) -> None:
    items = body.get("input")
    if (isinstance(items, str) and items) or (not items and continues):
        return
    if not findings.is_list(items, "/input", "the member 'input'"):
        return
    for i, item in enumerate(items):
        if findings.is_object(item, at("/input", i), "the item"):
            check_item(at("/input", i), item, findings)
    _check_pairs(items, continues=continues, findings=findings)
    _check_thoughts(items, findings)
    if body.get("store") is False:
        _check_kept(items, findings)


def _check_pairs(items: Any, *, continues: bool, findings: Findings) -> None:
    calls: dict[tuple[str, str], str] = {}
    answered: set[tuple[str, str]] = set()
    seen_elsewhere = continues or any(kind_of(i) == "item_reference" for _, i in objects(items))
    for i, item in objects(items):
        kind, call_id = kind_of(item), item.get("call_id")
        if not isinstance(call_id, str) or not call_id:
            continue
        path = at("/input", i)
        if kind in _PAIRS.values():
            if (kind, call_id) in calls:
                text = f"the id {quoted(call_id)} has come before; each call has its own."
                findings.add(at(path, "call_id"), "duplicate-call-id", text)
            calls.setdefault((kind, call_id), path)
        elif kind in _PAIRS:
            pair = (_PAIRS[kind], call_id)
            if pair in answered:
                text = f"the call {quoted(call_id)} has two outputs; one is accepted."
                findings.add(path, "duplicate-result", text)
            elif pair not in calls and not seen_elsewhere:
                text = f"the output is for {quoted(call_id)}, which no item before it calls"
                text += "; the call stands before its output, or in the previous response."
                findings.add(path, "result-without-call", text)
            answered.add(pair)
    for pair, path in calls.items():
        if pair not in answered:
            text = f"the call {quoted(pair[1])} has no output; one for each call is accepted."
            findings.add(path, "call-without-result", text)


def _check_thoughts(items: Any, findings: Findings) -> None:
    """A thought without what followed it is refused, at the end and before what others say."""
    for i, item in objects(items):
        if kind_of(item) != "reasoning":
            continue
        following = items[i + 1] if i + 1 < len(items) else None
        if not isinstance(following, Mapping):
            there = "nothing follows the thought"
        elif kind_of(following) not in _OF_THE_MODEL:
            there = f"an item of the type {shown(kind_of(following))} follows the thought"
        elif following.get("role", "assistant") != "assistant":
            there = f"a message of the role {shown(following['role'])} follows the thought"
        else:
            continue
        text = f"{there}; the item that the model made of it does, or the thought is left out."
        findings.add(at("/input", i), "thought-apart", text)


def _check_kept(items: Any, findings: Findings) -> None:
    """What is not stored cannot be looked up: a thought has to come whole."""
    for i, item in objects(items):
        kind = kind_of(item)
        if kind == "reasoning" and not item.get("encrypted_content"):
            text = "the thought has no 'encrypted_content', and 'store' is false"
            text += "; it comes with 'include' of 'reasoning.encrypted_content'."
            findings.add(at("/input", i), "thought-not-kept", text)
        elif kind == "item_reference":
            text = (
                "the item refers to a stored one, and 'store' is false; whole items are accepted."
            )
            findings.add(at("/input", i), "reference-not-kept", text)


def _check_choice(body: Json, findings: Findings) -> None:
    choice, tools = body.get("tool_choice"), body.get("tools")
    if choice is None or not tools or choice in _MODES:
        return
    if not isinstance(choice, Mapping) or not isinstance(choice.get("type"), str):
        text = f"the choice is {shown(choice)}; accepted are {one_of(_MODES)} and a named tool."
        findings.add("/tool_choice", "choice", text)
        return
    declared = [str(tool.get("name")) for _, tool in objects(tools) if tool.get("name")]
    if choice["type"] in ("function", "custom") and choice.get("name") not in declared:
        text = f"the choice names {shown(choice.get('name'))}; declared are {one_of(declared)}."
        findings.add("/tool_choice/name", "choice", text)
