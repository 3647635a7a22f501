"""The rules of a list of chat messages with calls and results, as OpenAI and Mistral have it.

What differs between providers stands in a `MessageDialect`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from appfunctions_mcp.formats.rule_parts import Findings, at, objects, one_of, shown
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.records import record

__all__ = ["MessageDialect", "message_violations", "order_violations"]

MOST_CALLS = 128
_PAYLOADS = {
    "text": ("text", str),
    "refusal": ("refusal", str),
    "image_url": ("image_url", Mapping),
    "input_audio": ("input_audio", Mapping),
    "file": ("file", Mapping),
}
"""The member that a part of a kind holds its content in, and what it is."""


@record(frozen=True, slots=True)
class MessageDialect:
    """What a provider accepts in messages."""

    parts_of_role: Mapping[str, Sequence[str]]
    """The accepted roles, with the kinds of parts that a message of each may have."""
    longest_id: int
    kinds_of_calls: Sequence[str] = ("function",)
    id_pattern: Any = None
    """What a whole id matches, where that is documented."""
    id_words: str = ""
    """The pattern in words."""
    takes_argument_objects: bool = False
    """Whether the arguments of a call may be an object too."""
    takes_plain_payloads: bool = False
    """Whether a picture may be its address alone."""


def message_violations(messages: Any, dialect: MessageDialect, findings: Findings) -> None:
    """Checks the messages one by one, and how calls and results stand to each other."""
    if not findings.is_list(messages, "/messages", "the member 'messages'"):
        return
    for i, message in enumerate(messages):
        path = at("/messages", i)
        if findings.is_object(message, path, "the message"):
            _check_message(path, message, dialect, findings)
    order_violations(messages, findings)


def _check_message(
    path: str, message: Mapping[str, Any], dialect: MessageDialect, findings: Findings
) -> None:
    role = message.get("role")
    if not isinstance(role, str) or role not in dialect.parts_of_role:
        text = f"the role is {shown(role)}; accepted are {one_of(dialect.parts_of_role)}."
        findings.add(at(path, "role"), "role", text)
        return
    _check_content(path, message, dialect, findings)
    if role == "assistant" and message.get("tool_calls") is not None:
        _check_calls(at(path, "tool_calls"), message["tool_calls"], dialect, findings)
    elif message.get("tool_calls") is not None:
        text = (
            f"a message of the role {quoted(role)} has calls; those of 'assistant' may have them."
        )
        findings.add(at(path, "tool_calls"), "calls-in-role", text)
    if role == "tool":
        _check_id(at(path, "tool_call_id"), message.get("tool_call_id"), dialect, findings)


def _check_id(path: str, value: Any, dialect: MessageDialect, findings: Findings) -> None:
    is_usable = findings.check_id(path, value, dialect.longest_id)
    if is_usable and dialect.id_pattern and not dialect.id_pattern.fullmatch(value):
        text = f"the id is {shown(value)}; accepted are {dialect.id_words}."
        findings.add(path, "call-id", text)


def _check_content(
    path: str, message: Mapping[str, Any], dialect: MessageDialect, findings: Findings
) -> None:
    content = message.get("content")
    role = message["role"]
    where = at(path, "content")
    if content is None and role == "assistant" and _says_something_else(message):
        return
    if isinstance(content, str):
        return
    if not isinstance(content, list | tuple) or not content:
        text = f"the content is {shown(content)}; text or a list of parts is accepted"
        calls = ", and none beside calls" if role == "assistant" else ""
        findings.add(where, "content", f"{text}{calls}.")
        return
    for i, part in enumerate(content):
        if findings.is_object(part, at(where, i), "the part"):
            _check_part(at(where, i), part, role, dialect, findings)


def _says_something_else(message: Mapping[str, Any]) -> bool:
    return any(message.get(name) for name in ("tool_calls", "function_call", "refusal", "audio"))


def _check_part(
    path: str,
    part: Mapping[str, Any],
    role: str,
    dialect: MessageDialect,
    findings: Findings,
) -> None:
    accepted = dialect.parts_of_role[role]
    kind = part.get("type")
    if kind not in accepted:
        text = f"the part is of the type {shown(kind)}"
        text += f"; a message of the role {quoted(role)} takes {one_of(accepted) or 'text alone'}."
        findings.add(path, "content-part", text)
        return
    name, form = _PAYLOADS.get(str(kind), (str(kind), object))
    value = part.get(name)
    is_plain = dialect.takes_plain_payloads and isinstance(value, str)
    if value is None or not (isinstance(value, form) or is_plain):
        wanted = "text" if form is str else "an object"
        text = f"{quoted(name)} of the part is {shown(value)}; {wanted} is accepted."
        findings.add(path, "content-part", text)


def _check_calls(path: str, calls: Any, dialect: MessageDialect, findings: Findings) -> None:
    if not findings.is_list(calls, path, "the member 'tool_calls'"):
        return
    if len(calls) > MOST_CALLS:
        text = f"there are {len(calls)} calls; at most {MOST_CALLS} are accepted."
        findings.add(path, "too-many-calls", text)
    for i, call in enumerate(calls):
        if findings.is_object(call, at(path, i), "the call"):
            _check_call(at(path, i), call, dialect, findings)


def _check_call(
    path: str, call: Mapping[str, Any], dialect: MessageDialect, findings: Findings
) -> None:
    _check_id(at(path, "id"), call.get("id"), dialect, findings)
    kind = call.get("type")
    if not isinstance(kind, str) or kind not in dialect.kinds_of_calls:
        text = f"the call is of the type {shown(kind)}; accepted: {one_of(dialect.kinds_of_calls)}."
        findings.add(at(path, "type"), "call-type", text)
        return
    asked = call.get(kind)
    where = at(path, kind)
    if not findings.is_object(asked, where, f"the member {quoted(kind)}"):
        return
    findings.check_name(at(where, "name"), asked.get("name"))
    arguments = asked.get("arguments")
    if kind == "custom":
        if not isinstance(asked.get("input"), str):
            text = f"the input is {shown(asked.get('input'))}; text is accepted."
            findings.add(at(where, "input"), "call-arguments", text)
    elif not (dialect.takes_argument_objects and isinstance(arguments, Mapping)):
        findings.check_arguments_text(at(where, "arguments"), arguments)


def order_violations(messages: Sequence[Any], findings: Findings) -> None:
    """Checks that every call has one result right behind its message, and every result its call."""
    open_calls: dict[str, str] = {}
    answered: set[str] = set()
    seen: set[str] = set()
    for i, message in objects(messages):
        path = at("/messages", i)
        if message.get("role") == "tool":
            _answer(path, message.get("tool_call_id"), open_calls, answered, findings)
            continue
        _require_results(open_calls, f"before {path}", findings)
        open_calls, answered = {}, set()
        if message.get("role") != "assistant":
            continue
        for k, call in objects(message.get("tool_calls")):
            call_id = call.get("id")
            if not isinstance(call_id, str) or not call_id:
                continue
            where = at(path, "tool_calls", k)
            if call_id in seen:
                text = f"the id {quoted(call_id)} has come before; each call has its own."
                findings.add(at(where, "id"), "duplicate-call-id", text)
            seen.add(call_id)
            open_calls[call_id] = where
    _require_results(open_calls, "up to the end", findings)


def _answer(
    path: str, call_id: Any, open_calls: dict[str, str], answered: set[str], findings: Findings
) -> None:
    if not isinstance(call_id, str) or not call_id:
        return
    if open_calls.pop(call_id, None) is not None:
        answered.add(call_id)
    elif call_id in answered:
        text = f"the call {quoted(call_id)} has two results; one is accepted."
        findings.add(path, "duplicate-result", text)
    else:
        text = f"the result is for {quoted(call_id)}, which the message before does not call"
        findings.add(path, "result-without-call", f"{text}; results stand right behind their call.")


def _require_results(open_calls: Mapping[str, str], where: str, findings: Findings) -> None:
    for call_id, path in open_calls.items():
        text = f"the call {quoted(call_id)} has no result {where}"
        text += "; a message of the role 'tool' for each call follows at once."
        findings.add(path, "call-without-result", text)
