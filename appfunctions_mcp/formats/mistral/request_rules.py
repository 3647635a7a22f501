"""The rules of a request for Mistral's chat completions, where they differ from OpenAI's.

Ids have exactly nine letters and digits, behind results comes the model and nobody else, and
no message of the model is empty.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from appfunctions_mcp.formats.chat_rules import MessageDialect, message_violations
from appfunctions_mcp.formats.model_format import Violation
from appfunctions_mcp.formats.openai_chat.request_rules import choice_form_violations
from appfunctions_mcp.formats.rule_parts import Findings, at, choice_violations, objects
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.quoting import quoted

__all__ = ["request_violations"]

_ID_LENGTH = 9
_DIALECT = MessageDialect(
    parts_of_role={
        "system": ("text", "thinking"),
        "user": ("text", "image_url", "document_url", "input_audio", "file", "reference"),
        "assistant": ("text", "thinking", "reference", "image_url"),
        "tool": ("text", "image_url", "reference"),
    },
    longest_id=_ID_LENGTH,
    id_pattern=regex(r"[a-zA-Z0-9]{9}"),
    id_words="exactly 9 letters and digits",
    takes_argument_objects=True,
    takes_plain_payloads=True,
)
_MODES = ("auto", "none", "any", "required")


def request_violations(body: Mapping[str, Any]) -> list[Violation]:
    """Where a request for Mistral's chat completions breaks a documented rule.

    Args:
        body: The request, with or without members such as `model` that are not about the history.
    """
    from appfunctions_mcp.formats.mistral.tool_rules import tool_violations

    findings = Findings()
    if not findings.is_object(body, "", "the request"):
        return findings.violations
    message_violations(body.get("messages"), _DIALECT, findings)
    _check_turns(body.get("messages"), findings)
    if body.get("tools"):
        findings.add_below("/tools", tool_violations(body["tools"]))
    choice_violations(body, ("tool_choice", "parallel_tool_calls"), findings)
    choice_form_violations(body, _MODES, findings)
    return findings.violations


def _check_turns(messages: Any, findings: Findings) -> None:
    for i, message in objects(messages):
        says_nothing = not message.get("content") and not message.get("tool_calls")
        if message.get("role") == "assistant" and says_nothing:
            text = "the model's message has neither content nor calls; one of them is not empty."
            findings.add(at("/messages", i), "empty-reply", text)
    for (_, before), (i, message) in pairwise(objects(messages)):
        role = message.get("role")
        if before.get("role") == "assistant" and role == "system":
            text = "a message of the role 'system' follows the model's; it stands before a user's."
            findings.add(at("/messages", i), "turn-order", text)
        if before.get("role") == "tool" and role in ("user", "system"):
            text = f"a message of the role {quoted(role)} follows results"
            text += "; only results and 'assistant' are accepted there."
            findings.add(at("/messages", i), "after-results", text)
