"""Requests for Chat Completions, broken and sound."""

from typing import Any

from tests.support.broken_requests.cases import Case, Json

USER: Json = {"role": "user", "content": "What time is it in Oslo and in Rome?"}
REPLY: Json = {"role": "assistant", "content": "It is noon."}
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_time",
            "description": "Gets the time of a place.",
            "parameters": {"type": "object", "properties": {"place": {"type": "string"}}},
        },
    }
]


def call(call_id: Any = "call_1", **function: Any) -> Json:
    asked = {"name": "get_time", "arguments": '{"place":"Oslo"}'} | function
    return {"id": call_id, "type": "function", "function": asked}


def calls(*asked: Json, **more: Any) -> Json:
    return {"role": "assistant", "content": None, "tool_calls": list(asked), **more}


def result(call_id: Any = "call_1", content: Any = "12:00") -> Json:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def body(*messages: Any, **more: Any) -> Json:
    return {"messages": list(messages), "tools": TOOLS} | more


TWO = calls(call("call_1"), call("call_2"))
SOUND = body(USER, TWO, result("call_2"), result("call_1"), REPLY, USER)
ONE = body(USER, calls(call()), result())


def with_call(**function: Any) -> Json:
    return body(USER, calls(call(**function)), result())


_BROKEN_ARGUMENTS: list[Any] = ["", None, {}, "[1]", '"foo"', "null", '{"path": "/tmp/re', '{}""']

CASES = [
    Case("object", "", [], SOUND),
    Case("list", "/messages", {"messages": []}, {"messages": [USER]}),
    Case("list", "/tools", body(USER, tools=[]), body(USER)),
    Case("list", "/messages/1/tool_calls", body(USER, calls(content="Hi.")), body(USER, REPLY)),
    Case("object", "/messages/0", body("Hi."), body(USER)),
    Case("object", "/messages/1/tool_calls/0", body(USER, calls("x")), ONE),  # type: ignore[arg-type] # broken
    Case(
        "object",
        "/messages/1/tool_calls/0/function",
        body(USER, calls({"id": "call_1", "type": "function"}), result()),
        ONE,
    ),
    Case("object", "/messages/0/content/0", body({**USER, "content": ["Hi."]}), body(USER)),
    Case("role", "/messages/0/role", body({**USER, "role": "human"}), body(USER)),
    Case("content", "/messages/0/content", body({"role": "user"}), body({**USER, "content": ""})),
    Case(
        "content",
        "/messages/1/content",
        body(USER, {"role": "assistant"}),
        body(USER, {"role": "assistant", "refusal": "No."}),
    ),
    Case(
        "content",
        "/messages/0/content",
        body({"role": "user", "content": []}),
        body({"role": "user", "content": [{"type": "text", "text": "Hi."}]}),
    ),
    Case(
        "content-part",
        "/messages/2/content/0",
        body(USER, calls(call()), result(content=[{"type": "image_url", "image_url": {}}])),
        body(USER, calls(call()), result(content=[{"type": "text", "text": "12:00"}])),
    ),
    Case(
        "content-part",
        "/messages/0/content/0",
        body({"role": "user", "content": [{"type": "image_url", "image_url": "https://a.b/c"}]}),
        body({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}),
    ),
    Case(
        "content-part",
        "/messages/0/content/0",
        body({"role": "user", "content": [{"type": "text"}]}),
        body({"role": "user", "content": [{"type": "text", "text": ""}]}),
    ),
    Case(
        "calls-in-role",
        "/messages/0/tool_calls",
        body({**USER, "tool_calls": []}),
        body({**USER, "tool_calls": None}),
    ),
    Case("call-id", "/messages/1/tool_calls/0/id", body(USER, calls(call(""))), ONE),
    Case("call-id", "/messages/1/tool_calls/0/id", body(USER, calls(call(7))), ONE),
    Case(
        "call-id",
        "/messages/1/tool_calls/0/id",
        body(USER, calls(call("c" * 41)), result("c" * 40)),
        body(USER, calls(call("c" * 40)), result("c" * 40)),
    ),
    Case("call-id", "/messages/2/tool_call_id", body(USER, calls(call()), result(None)), ONE),
    Case(
        "call-type",
        "/messages/1/tool_calls/0/type",
        body(USER, calls(call() | {"type": "tool"}), result()),
        ONE,
    ),
    Case(
        "call-arguments",
        "/messages/1/tool_calls/0/custom/input",
        body(USER, calls({"id": "c", "type": "custom", "custom": {"name": "run"}}), result("c")),
        body(
            USER,
            calls({"id": "c", "type": "custom", "custom": {"name": "run", "input": "ls"}}),
            result("c"),
        ),
    ),
    Case(
        "call-name",
        "/messages/1/tool_calls/0/function/name",
        with_call(name="notes.create"),
        with_call(name="notes-create_2"),
    ),
    Case(
        "call-name",
        "/messages/1/tool_calls/0/function/name",
        with_call(name="n" * 65),
        with_call(name="n" * 64),
    ),
    *(
        Case(
            "call-arguments",
            "/messages/1/tool_calls/0/function/arguments",
            with_call(arguments=broken),
            with_call(arguments="{}"),
        )
        for broken in _BROKEN_ARGUMENTS
    ),
    Case(
        "too-many-calls",
        "/messages/1/tool_calls",
        body(
            USER,
            calls(*(call(f"c{i}") for i in range(129))),
            *(result(f"c{i}") for i in range(129)),
        ),
        body(
            USER,
            calls(*(call(f"c{i}") for i in range(128))),
            *(result(f"c{i}") for i in range(128)),
        ),
    ),
    Case(
        "call-without-result", "/messages/1/tool_calls/1", body(USER, TWO, result("call_1")), SOUND
    ),
    Case(
        "call-without-result",
        "/messages/1/tool_calls/1",
        body(USER, TWO, result("call_1"), USER, result("call_2")),
        SOUND,
    ),
    Case("result-without-call", "/messages/0", body(result(), USER), SOUND),
    Case("result-without-call", "/messages/2", body(USER, calls(call()), result("call_9")), SOUND),
    Case("result-without-call", "/messages/4", body(*ONE["messages"], REPLY, result()), SOUND),
    Case("duplicate-result", "/messages/3", body(*ONE["messages"], result()), SOUND),
    Case(
        "duplicate-call-id",
        "/messages/1/tool_calls/1/id",
        body(USER, calls(call(), call()), result()),
        SOUND,
    ),
    Case(
        "duplicate-call-id",
        "/messages/3/tool_calls/0/id",
        body(*ONE["messages"], calls(call()), result()),
        SOUND,
    ),
    Case(
        "choice-without-tools",
        "/tool_choice",
        {"messages": [USER], "tool_choice": "auto"},
        body(USER, tool_choice="auto"),
    ),
    Case(
        "choice-without-tools",
        "/parallel_tool_calls",
        {"messages": [USER], "parallel_tool_calls": False},
        body(USER, parallel_tool_calls=False),
    ),
    Case(
        "choice", "/tool_choice", body(USER, tool_choice="any"), body(USER, tool_choice="required")
    ),
    Case(
        "choice",
        "/tool_choice",
        body(USER, tool_choice={"type": "x"}),
        body(USER, tool_choice="none"),
    ),
    Case(
        "choice",
        "/tool_choice/function/name",
        body(USER, tool_choice={"type": "function", "function": {"name": "other"}}),
        body(USER, tool_choice={"type": "function", "function": {"name": "get_time"}}),
    ),
    Case(
        "choice",
        "/tool_choice/function/name",
        body(USER, tool_choice={"type": "function"}),
        body(
            USER,
            tool_choice={"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": []}},
        ),
    ),
]
