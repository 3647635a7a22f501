"""The rules of a request for Ollama's `/api/chat`.

Calls have no ids: the results follow at once, one for each call, in the order of the calls, and
name the function. Arguments are objects, contents are text.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from appfunctions_mcp.formats.model_format import Violation
from appfunctions_mcp.formats.rule_parts import Findings, at, objects, one_of, shown
from appfunctions_mcp.quoting import quoted

__all__ = ["request_violations"]

_ROLES = ("system", "user", "assistant", "tool")
Json = Mapping[str, Any]


def request_violations(body: Mapping[str, Any]) -> list[Violation]:
    """Where a request for `/api/chat` breaks a documented rule.

    Args:
        body: The request, with or without members such as `model` that are not about the history.
    """
    from appfunctions_mcp.formats.ollama.tool_rules import tool_violations

    findings = Findings()
    if not findings.is_object(body, "", "the request"):
        return findings.violations
    messages = body.get("messages")
    if findings.is_list(messages, "/messages", "the member 'messages'"):
        for i, message in enumerate(messages):
            if findings.is_object(message, at("/messages", i), "the message"):
                _check_message(at("/messages", i), message, findings)
        _check_order([message for _, message in objects(messages)], findings)
    if body.get("tools"):
        findings.add_below("/tools", tool_violations(body["tools"]))
    for name in ("tool_choice", "parallel_tool_calls"):
        if body.get(name) is not None:
            text = f"the request has {quoted(name)}; '/api/chat' has no such member."
            findings.add(at("", name), "choice", text)
    return findings.violations


def _check_message(path: str, message: Json, findings: Findings) -> None:
    role, content, calls = (message.get(name) for name in ("role", "content", "tool_calls"))
    if role not in _ROLES:
        text = f"the role is {shown(role)}; accepted are {one_of(_ROLES)}."
        findings.add(at(path, "role"), "role", text)
    if not isinstance(content, str) and not (content is None and calls):
        text = f"the content is {shown(content)}; text is accepted, pictures stand in 'images'."
        findings.add(at(path, "content"), "content", text)
    if calls is None:
        return
    if role != "assistant":
        text = f"a message of the role {shown(role)} has calls; those of 'assistant' may have them."
        findings.add(at(path, "tool_calls"), "calls-in-role", text)
    for i, call in enumerate(calls if isinstance(calls, list | tuple) else [calls]):
        where = at(path, "tool_calls", i)
        asked = call.get("function") if isinstance(call, Mapping) else None
        if not isinstance(asked, Mapping):
            text = f"the call is {shown(call)}; an object with 'function' is accepted."
            findings.add(where, "object", text)
            continue
        findings.is_text(at(where, "function", "name"), asked.get("name"), "call-name", "the name")
        findings.check_arguments_object(at(where, "function", "arguments"), asked.get("arguments"))


def _check_order(messages: Sequence[Json], findings: Findings) -> None:
    waiting: list[tuple[str, Any]] = []
    for i, message in enumerate(messages):
        path = at("/messages", i)
        if message.get("role") == "tool":
            _check_result(path, message, waiting, findings)
            continue
        _require_results(waiting, findings)
        waiting = [
            (at(path, "tool_calls", k), _name_of(call))
            for k, call in objects(message.get("tool_calls"))
        ]
    _require_results(waiting, findings)


def _name_of(call: Json) -> Any:
    asked = call.get("function")
    return asked.get("name") if isinstance(asked, Mapping) else None


def _check_result(
    path: str, message: Json, waiting: list[tuple[str, Any]], findings: Findings
) -> None:
    if not waiting:
        text = "the result follows no call; one result for each call is accepted."
        findings.add(path, "result-without-call", text)
        return
    _, wanted = waiting.pop(0)
    name = message.get("tool_name", message.get("name"))
    if name != wanted:
        text = f"the result is of {shown(name)}, and the next call is of {shown(wanted)}"
        text += "; 'tool_name' is the name of the call, in the order of the calls."
        findings.add(at(path, "tool_name"), "result-name", text)


def _require_results(waiting: Sequence[tuple[str, Any]], findings: Findings) -> None:
    for path, name in waiting:
        text = f"the call of {shown(name)} has no result"
        text += "; a message of the role 'tool' for each call follows at once."
        findings.add(path, "call-without-result", text)
