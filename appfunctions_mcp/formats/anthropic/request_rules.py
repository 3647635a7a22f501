"""The rules of a request for Anthropic's Messages, as Anthropic documents and enforces them.

The message behind a reply with calls is one of the user and begins with a result for each call.
Turns alternate: the provider's own endpoint joins neighbours of one role, others that speak the
format refuse them, and a message of its own for each result weakens parallel calls (F76).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from appfunctions_mcp.formats.anthropic.block_rules import blocks_of, check_content
from appfunctions_mcp.formats.anthropic.pairing_rules import check_pairs
from appfunctions_mcp.formats.model_format import Violation
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

_ROLES = ("user", "assistant", "system")
_CHOICES = ("auto", "any", "tool", "none")
MOST_CACHE_MARKS = 4
_THOUGHTS = ("thinking", "redacted_thinking")
Json = Mapping[str, Any]


def request_violations(body: Mapping[str, Any]) -> list[Violation]:
    """Where a request for Messages breaks a documented rule.

    Args:
        body: The request, with or without members such as `model` that are not about the history.
    """
    from appfunctions_mcp.formats.anthropic.tool_rules import tool_violations

    findings = Findings()
    if not findings.is_object(body, "", "the request"):
        return findings.violations
    _check_system(body.get("system"), findings)
    messages = body.get("messages")
    if findings.is_list(messages, "/messages", "the member 'messages'"):
        for i, message in enumerate(messages):
            if findings.is_object(message, at("/messages", i), "the message"):
                _check_message(i, message, findings, is_last=i == len(messages) - 1)
        turns = list(objects(messages))
        _check_turns(turns, findings)
        check_pairs(turns, findings)
        _check_thoughts(body, turns, findings)
        _check_declared(body, turns, findings)
    if body.get("tools"):
        findings.add_below("/tools", tool_violations(body["tools"]))
    _check_cache_marks(body, findings)
    choice_violations(body, ("tool_choice",), findings)
    _check_choice(body, findings)
    return findings.violations


def _check_system(system: Any, findings: Findings) -> None:
    if system is None or isinstance(system, str):
        return
    if not isinstance(system, list | tuple):
        text = f"the system text is {shown(system)}; text or a list of texts is accepted."
        findings.add("/system", "content", text)
        return
    for i, block in enumerate(system):
        value = block.get("text") if isinstance(block, Mapping) else None
        if not isinstance(value, str) or not value or block.get("type") != "text":
            text = f"the block is {shown(block)}; one of the type 'text' with text is accepted."
            findings.add(at("/system", i), "content-block", text)


def _check_message(i: int, message: Json, findings: Findings, *, is_last: bool) -> None:
    path, role = at("/messages", i), message.get("role")
    if role not in _ROLES:
        text = f"the role is {shown(role)}; accepted are {one_of(_ROLES)}."
        findings.add(at(path, "role"), "role", text)
        return
    may_be_empty = role == "assistant" and is_last
    check_content(at(path, "content"), message.get("content"), role, findings, may_be_empty)
    text = _last_text(message) if may_be_empty else ""
    if text != text.rstrip():
        said = "the last reply ends in white space; the text that the model goes on with does not."
        findings.add(at(path, "content"), "trailing-space", said)


def _last_text(message: Json) -> str:
    content = message.get("content")
    blocks = blocks_of(message)
    last = content if isinstance(content, str) else blocks[-1][1].get("text") if blocks else ""
    return last if isinstance(last, str) else ""


def _check_turns(turns: Sequence[tuple[int, Json]], findings: Findings) -> None:
    spoken = [(i, m.get("role")) for i, m in turns if m.get("role") != "system"]
    before = None
    for i, role in spoken:
        if before is None and role != "user":
            text = f"the first message is of the role {shown(role)}; 'user' is accepted."
            findings.add(at("/messages", i), "first-turn", text)
        elif before == role:
            text = f"two messages of the role {shown(role)} follow each other"
            findings.add(
                at("/messages", i), "alternation", f"{text}; they are joined or alternate."
            )
        before = role


def _check_thoughts(body: Json, turns: Sequence[tuple[int, Json]], findings: Findings) -> None:
    """While thinking is on, a turn that goes on behind results began with a thought."""
    thinking = body.get("thinking")
    if not isinstance(thinking, Mapping) or thinking.get("type") != "enabled":
        return
    first: tuple[int, Json] | None = None
    for i, message in turns:
        if message.get("role") == "assistant":
            first = first or (i, message)
        elif not any(block.get("type") == "tool_result" for _, block in blocks_of(message)):
            first = None
    if first is None:
        return
    blocks = blocks_of(first[1])
    kind = blocks[0][1].get("type") if blocks else "text"
    if kind not in _THOUGHTS:
        text = f"thinking is on, and the turn begins with a block of the type {shown(kind)}"
        text += "; it begins with its thought, or thinking is off up to its end."
        findings.add(at("/messages", first[0], "content"), "thought-missing", text)


def _check_declared(body: Json, turns: Sequence[tuple[int, Json]], findings: Findings) -> None:
    if body.get("tools"):
        return
    for i, message in turns:
        for k, block in blocks_of(message):
            if block.get("type") in ("tool_use", "tool_result"):
                text = f"the history has a block of the type {quoted(block['type'])} and the"
                text += " request no 'tools'; they are declared as long as there are such blocks."
                findings.add(at("/messages", i, "content", k), "tools-missing", text)
                return


def _check_cache_marks(body: Json, findings: Findings) -> None:
    marks = _marks_in([body.get(name) for name in ("tools", "system", "messages")])
    if marks > MOST_CACHE_MARKS:
        text = f"{marks} blocks have 'cache_control'; at most {MOST_CACHE_MARKS} are accepted."
        findings.add("", "cache-marks", text)


def _marks_in(value: Any) -> int:
    """How many tools and blocks are marked; arguments and schemas are the user's own."""
    if isinstance(value, list | tuple):
        return sum(map(_marks_in, value))
    if not isinstance(value, Mapping):
        return 0
    return bool(value.get("cache_control")) + _marks_in(value.get("content"))


def _check_choice(body: Json, findings: Findings) -> None:
    choice = body.get("tool_choice")
    if choice is None or not body.get("tools"):
        return
    kind = choice.get("type") if isinstance(choice, Mapping) else None
    if kind not in _CHOICES:
        text = f"the choice is {shown(choice if kind is None else kind)}"
        findings.add("/tool_choice", "choice", f"{text}; accepted types are {one_of(_CHOICES)}.")
        return
    declared = [str(tool.get("name")) for _, tool in objects(body["tools"])]
    if kind == "tool" and choice.get("name") not in declared:
        text = f"the choice names {shown(choice.get('name'))}; declared are {one_of(declared)}."
        findings.add("/tool_choice/name", "choice", text)
    thinking = body.get("thinking")
    is_on = isinstance(thinking, Mapping) and thinking.get("type") in ("enabled", "adaptive")
    if is_on and kind in ("any", "tool"):
        text = f"thinking is on, and the choice is {shown(kind)}; 'auto' and 'none' are accepted."
        findings.add("/tool_choice", "choice-with-thinking", text)
