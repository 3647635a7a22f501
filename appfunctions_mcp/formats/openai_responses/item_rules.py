"""The rules of one item of an input for OpenAI's Responses."""

from collections.abc import Mapping
from typing import Any

from appfunctions_mcp.formats.rule_parts import Findings, at, one_of, shown
from appfunctions_mcp.quoting import quoted

__all__ = ["check_item", "kind_of"]

LONGEST_ID = 64
_ROLES = ("user", "assistant", "system", "developer")
_INPUT_PARTS = ("input_text", "input_image", "input_file", "input_audio")
_OUTPUT_PARTS = ("output_text", "refusal")
_OUTPUT_OF_CALL_PARTS = ("input_text", "input_image", "input_file")
_PREFIX_OF_ID = {"function_call": "fc", "reasoning": "rs", "custom_tool_call": "ctc"}
_OPAQUE = frozenset(
    {
        "file_search_call",
        "computer_call",
        "computer_call_output",
        "web_search_call",
        "tool_search_call",
        "tool_search_output",
        "additional_tools",
        "configuration_update",
        "compaction",
        "compaction_trigger",
        "image_generation_call",
        "code_interpreter_call",
        "local_shell_call",
        "local_shell_call_output",
        "shell_call",
        "shell_call_output",
        "apply_patch_call",
        "apply_patch_call_output",
        "mcp_list_tools",
        "mcp_approval_request",
        "mcp_approval_response",
        "mcp_call",
        "item_reference",
        "program",
        "program_output",
    }
)
"""Items of tools that the provider runs, or of its own bookkeeping."""
Json = Mapping[str, Any]


def kind_of(item: Json) -> str:
    """The type of an item, which messages and references may leave out; text in any case."""
    kind = item.get("type")
    if kind is None:
        return "message" if "role" in item else "item_reference"
    return kind if isinstance(kind, str) else shown(kind)


def check_item(path: str, item: Json, findings: Findings) -> None:
    """Checks the form of one item.

    Args:
        path: Where it stands.
        item: One of the input.
        findings: Takes what is found.
    """
    kind = kind_of(item)
    _check_own_id(path, item, kind, findings)
    match kind:
        case "message":
            _check_message(path, item, findings)
        case "function_call" | "custom_tool_call":
            _check_call(path, item, kind, findings)
        case "function_call_output" | "custom_tool_call_output":
            findings.check_id(at(path, "call_id"), item.get("call_id"), LONGEST_ID)
            _check_content(at(path, "output"), item.get("output"), _OUTPUT_OF_CALL_PARTS, findings)
        case "reasoning":
            if not isinstance(item.get("summary"), list):
                text = f"the summary is {shown(item.get('summary'))}; a list is accepted."
                findings.add(at(path, "summary"), "thought", text)
        case "item_reference":
            findings.is_text(at(path, "id"), item.get("id"), "item-id", "the id")
        case _ if kind not in _OPAQUE:
            text = f"the item is of the type {shown(kind)}; accepted are 'message', 'function_call'"
            text += ", 'function_call_output', 'reasoning' and those of the provider's own tools."
            findings.add(at(path, "type"), "item-type", text)


def _check_own_id(path: str, item: Json, kind: str, findings: Findings) -> None:
    own, prefix = item.get("id"), _PREFIX_OF_ID.get(kind)
    if own is None or prefix is None:
        return
    if not isinstance(own, str) or not own.startswith(prefix) or len(own) > LONGEST_ID:
        text = f"the id is {shown(own)}; one that begins with {quoted(prefix)} is accepted"
        findings.add(at(path, "id"), "item-id", f"{text}, of {LONGEST_ID} characters at most.")


def _check_message(path: str, item: Json, findings: Findings) -> None:
    role = item.get("role")
    if role not in _ROLES:
        text = f"the role is {shown(role)}; accepted are {one_of(_ROLES)}."
        findings.add(at(path, "role"), "role", text)
        return
    parts = _OUTPUT_PARTS if role == "assistant" else _INPUT_PARTS
    _check_content(at(path, "content"), item.get("content"), parts, findings)


def _check_content(path: str, content: Any, parts: tuple[str, ...], findings: Findings) -> None:
    if isinstance(content, str):
        return
    if not isinstance(content, list | tuple):
        text = f"the content is {shown(content)}; text or a list of parts is accepted."
        findings.add(path, "content", text)
        return
    for i, part in enumerate(content):
        kind = part.get("type") if isinstance(part, Mapping) else None
        if kind not in parts:
            text = f"the part is {shown(part) if kind is None else 'of the type ' + shown(kind)}"
            findings.add(at(path, i), "content-part", f"{text}; accepted are {one_of(parts)}.")
        elif str(kind).endswith("_text") and not isinstance(part.get("text"), str):
            text = f"the text is {shown(part.get('text'))}; text is accepted."
            findings.add(at(path, i), "content-part", text)


def _check_call(path: str, item: Json, kind: str, findings: Findings) -> None:
    findings.check_id(at(path, "call_id"), item.get("call_id"), LONGEST_ID)
    findings.check_name(at(path, "name"), item.get("name"))
    if kind == "function_call":
        findings.check_arguments_text(at(path, "arguments"), item.get("arguments"))
    elif not isinstance(item.get("input"), str):
        text = f"the input is {shown(item.get('input'))}; text is accepted."
        findings.add(at(path, "input"), "call-arguments", text)
