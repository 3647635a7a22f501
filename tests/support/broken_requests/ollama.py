"""Requests for Ollama's `/api/chat`, broken and sound."""

from typing import Any

from tests.support.broken_requests.cases import Case, Json
from tests.support.broken_requests.openai_chat import REPLY, USER, body


def call(name: Any = "get_time", arguments: Any = None) -> Json:
    return {"function": {"name": name, "arguments": {} if arguments is None else arguments}}


def calls(*asked: Any) -> Json:
    return {"role": "assistant", "content": "", "tool_calls": list(asked)}


def result(name: str = "get_time") -> Json:
    return {"role": "tool", "tool_name": name, "content": "12:00"}


ONE = body(USER, calls(call()), result())
_TWO = calls(call("get_time"), call("get_date"))
TWO = body(USER, _TWO, result("get_time"), result("get_date"), REPLY)

CASES = [
    Case("object", "", "x", ONE),
    Case("object", "/messages/0", body("Hi."), ONE),
    Case("object", "/messages/1/tool_calls/0", body(USER, calls({"name": "x"}), result()), ONE),
    Case("list", "/messages", {}, ONE),
    Case("role", "/messages/0/role", body({**USER, "role": "developer"}), ONE),
    Case("content", "/messages/0/content", body({"role": "user", "content": [{}]}), ONE),
    Case("calls-in-role", "/messages/0/tool_calls", body({**calls(call()), "role": "user"}), ONE),
    Case("call-name", "/messages/1/tool_calls/0/function/name", body(USER, calls(call(""))), ONE),
    Case(
        "call-arguments",
        "/messages/1/tool_calls/0/function/arguments",
        body(USER, calls(call(arguments="{}")), result()),
        ONE,
    ),
    Case("call-without-result", "/messages/1/tool_calls/1", body(USER, _TWO, result()), TWO),
    Case("call-without-result", "/messages/1/tool_calls/0", body(USER, calls(call()), USER), ONE),
    Case("result-without-call", "/messages/1", body(USER, result()), ONE),
    Case("result-without-call", "/messages/3", body(*ONE["messages"], result()), ONE),
    Case(
        "result-name",
        "/messages/2/tool_name",
        body(USER, _TWO, result("get_date"), result("get_time")),
        TWO,
    ),
    Case("choice", "/tool_choice", body(USER, tool_choice="auto"), body(USER)),
    Case("choice", "/parallel_tool_calls", body(USER, parallel_tool_calls=True), body(USER)),
]
