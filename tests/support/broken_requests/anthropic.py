"""Requests for Messages, broken and sound."""

from typing import Any

from tests.support.broken_requests.cases import Case, Json

TOOLS = [
    {
        "name": "get_time",
        "description": "Gets the time of a place.",
        "input_schema": {"type": "object", "properties": {"place": {"type": "string"}}},
    }
]
THINKING: Json = {"type": "enabled", "budget_tokens": 2000}


def user(*content: Any) -> Json:
    return {"role": "user", "content": list(content) or "What time is it?"}


def model(*content: Any) -> Json:
    return {"role": "assistant", "content": list(content) or "It is noon."}


def text(value: Any = "Hi.") -> Json:
    return {"type": "text", "text": value}


def thought(**more: Any) -> Json:
    return {"type": "thinking", "thinking": "Hm.", "signature": "Eqo="} | more


def call(call_id: Any = "toolu_1", **more: Any) -> Json:
    return {"type": "tool_use", "id": call_id, "name": "get_time", "input": {}} | more


def result(call_id: Any = "toolu_1", **more: Any) -> Json:
    return {"type": "tool_result", "tool_use_id": call_id, "content": "12:00"} | more


def body(*messages: Any, **more: Any) -> Json:
    return {"messages": list(messages), "tools": TOOLS} | more


def answered(asked: Json, *results: Json, **more: Any) -> Json:
    return body(user(), model(asked), user(*(results or (result(),))), **more)


_SERVER_CALL: Json = {
    "type": "server_tool_use",
    "id": "srvtoolu_1",
    "name": "web_search",
    "input": {},
}
_SERVER_RESULT: Json = {
    "type": "web_search_tool_result",
    "tool_use_id": "srvtoolu_1",
    "content": [],
}
_PICTURE: Json = {"type": "image", "source": {}}
ONE = answered(call())
TWO = body(
    user(),
    model(thought(), text(), call("toolu_1"), call("toolu_2")),
    user(result("toolu_2"), result("toolu_1"), text("And now?")),
    model(),
    user(),
)
SERVED = body(user(), model(_SERVER_CALL, _SERVER_RESULT, text()), user())

_MARKED = text() | {"cache_control": {"type": "ephemeral"}}

CASES = [
    Case("object", "", None, TWO),
    Case("cache-marks", "", body(user(*[_MARKED] * 5)), body(user(*[_MARKED] * 4))),
    Case("object", "/messages/0", body("Hi."), ONE),
    Case("object", "/messages/0/content/0", body(user("Hi.")), body(user(text()))),
    Case("list", "/messages", {}, ONE),
    Case("role", "/messages/0/role", body({"role": "tool", "content": "x"}), ONE),
    Case("content", "/messages/0/content", body({"role": "user", "content": []}), ONE),
    Case(
        "content",
        "/messages/0/content",
        body({"role": "user"}),
        body(user(), {"role": "assistant", "content": []}),
    ),
    Case("content", "/system", body(user(), system=7), body(user(), system="")),
    Case("content", "/messages/2/content/0/content", answered(call(), result(content={})), ONE),
    Case(
        "content-block", "/system/0", body(user(), system=[text("")]), body(user(), system=[text()])
    ),
    Case("content-block", "/messages/0/content/0", body(user(call())), body(user(_PICTURE))),
    Case(
        "content-block",
        "/messages/1/content/0",
        body(user(), model(result())),
        body(user(), model(text())),
    ),
    Case(
        "content-block",
        "/messages/2/content/0/content/0",
        answered(call(), result(content=[call("toolu_2")])),
        answered(call(), result(content=[text(), _PICTURE])),
    ),
    Case(
        "content-block",
        "/messages/2/content/0/is_error",
        answered(call(), result(is_error="no")),
        ONE,
    ),
    Case(
        "content-block",
        "/messages/1/content/0/thinking",
        body(user(), model(thought(thinking=None), text())),
        body(user(), model(thought(thinking=""), text())),
    ),
    Case("empty-text", "/messages/0/content", body({"role": "user", "content": " \n"}), ONE),
    Case("empty-text", "/messages/0/content/0/text", body(user(text(""))), body(user(text()))),
    Case(
        "empty-text",
        "/messages/2/content/0/content/0/text",
        answered(call(), result(content=[text("")])),
        ONE,
    ),
    Case(
        "trailing-space",
        "/messages/1/content",
        body(user(), model(text("It is "))),
        body(user(), model(text("It is"))),
    ),
    Case("call-id", "/messages/1/content/0/id", answered(call("call 1"), result("call 1")), ONE),
    Case("call-id", "/messages/1/content/0/id", body(user(), model(call(None))), ONE),
    Case(
        "call-id",
        "/messages/1/content/0/id",
        answered(call("srvtoolu_1"), result("srvtoolu_1")),
        ONE,
    ),
    Case(
        "call-id",
        "/messages/1/content/0/id",
        body(user(), model(_SERVER_CALL | {"id": "toolu_1"})),
        SERVED,
    ),
    Case("call-id", "/messages/2/content/0/tool_use_id", answered(call(), result(None)), ONE),
    Case(
        "call-name",
        "/messages/1/content/0/name",
        answered(call(name="a.b")),
        answered(call(name="n" * 128)),
    ),
    Case("call-arguments", "/messages/1/content/0/input", answered(call(input="{}")), ONE),
    Case(
        "thought-signature",
        "/messages/1/content/0/signature",
        body(user(), model(thought(signature=""), text())),
        TWO,
    ),
    Case(
        "thought-signature",
        "/messages/1/content/0/data",
        body(user(), model({"type": "redacted_thinking"}, text())),
        body(user(), model({"type": "redacted_thinking", "data": "Eqo="}, text())),
    ),
    Case(
        "thought-first",
        "/messages/1/content/1",
        body(user(), model(text(), thought(), text())),
        TWO,
    ),
    Case(
        "thought-first",
        "/messages/1/content/2",
        body(user(), model(thought(), call(), thought(), text()), user(result())),
        TWO,
    ),
    Case("thought-last", "/messages/1/content/0", body(user(), model(thought()), user()), TWO),
    Case(
        "thought-missing",
        "/messages/1/content",
        answered(call(), thinking=THINKING),
        body(
            user(),
            model(thought(), call()),
            user(result()),
            model(call("toolu_2")),
            user(result("toolu_2")),
            thinking=THINKING,
        ),
    ),
    Case(
        "thought-missing",
        "/messages/1/content",
        body(user(), model(), thinking=THINKING),
        body(user(), model(), user(), thinking=THINKING),
    ),
    Case("first-turn", "/messages/0", body(model(), user()), ONE),
    Case(
        "alternation",
        "/messages/1",
        body(user(), user()),
        body(user(), {"role": "system", "content": "x"}, model(), user()),
    ),
    Case(
        "alternation",
        "/messages/3",
        body(user(), model(call("a"), call("b")), user(result("a")), user(result("b"))),
        TWO,
    ),
    Case(
        "call-without-result",
        "/messages/1/content/3",
        body(user(), TWO["messages"][1], user(result("toolu_1"))),
        TWO,
    ),
    Case("call-without-result", "/messages/1/content/0", body(user(), model(call())), ONE),
    Case("call-without-result", "/messages/1/content/0", body(user(), model(call()), user()), ONE),
    Case("result-without-call", "/messages/0/content/0", body(user(result())), ONE),
    Case(
        "result-without-call",
        "/messages/2/content/1",
        answered(call(), result(), result("toolu_9")),
        ONE,
    ),
    Case("duplicate-result", "/messages/2/content/1", answered(call(), result(), result()), ONE),
    Case(
        "duplicate-call-id",
        "/messages/3/content/0/id",
        body(*ONE["messages"], model(call()), user(result())),
        TWO,
    ),
    Case(
        "results-first",
        "/messages/2/content/1",
        answered(call(), text(), result()),
        answered(call(), result(), text()),
    ),
    Case(
        "server-call-answered",
        "/messages/2/content/0",
        body(user(), model(_SERVER_CALL), user(result("srvtoolu_1"))),
        SERVED,
    ),
    Case(
        "error-content",
        "/messages/2/content/0/content",
        answered(call(), result(content="", is_error=True)),
        answered(call(), result(content="")),
    ),
    Case(
        "error-content",
        "/messages/2/content/0/content/0",
        answered(call(), result(content=[_PICTURE], is_error=True)),
        answered(call(), result(content=[_PICTURE])),
    ),
    Case(
        "tools-missing",
        "/messages/1/content/0",
        answered(call(), tools=None),
        {"messages": [user(), model(), user()]},
    ),
    Case(
        "choice-without-tools",
        "/tool_choice",
        {"messages": [user()], "tool_choice": {"type": "none"}},
        body(user(), tool_choice={"type": "none"}),
    ),
    Case(
        "choice",
        "/tool_choice",
        body(user(), tool_choice="auto"),
        body(user(), tool_choice={"type": "auto"}),
    ),
    Case(
        "choice",
        "/tool_choice",
        body(user(), tool_choice={"type": "required"}),
        body(user(), tool_choice={"type": "any"}),
    ),
    Case(
        "choice",
        "/tool_choice/name",
        body(user(), tool_choice={"type": "tool", "name": "x"}),
        body(user(), tool_choice={"type": "tool", "name": "get_time"}),
    ),
    Case(
        "choice-with-thinking",
        "/tool_choice",
        body(user(), tool_choice={"type": "any"}, thinking=THINKING),
        body(user(), tool_choice={"type": "auto"}, thinking=THINKING),
    ),
]
