"""Requests for Responses, broken and sound."""

from typing import Any

from tests.support.broken_requests.cases import Case, Json

USER: Json = {"role": "user", "content": "What time is it in Oslo?"}
REPLY: Json = {"role": "assistant", "content": "It is noon."}
THOUGHT: Json = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAA"}
TOOLS = [
    {
        "type": "function",
        "name": "get_time",
        "description": "Gets the time of a place.",
        "parameters": {
            "type": "object",
            "properties": {"place": {"type": "string"}},
            "required": ["place"],
            "additionalProperties": False,
        },
        "strict": True,
    }
]


def call(call_id: Any = "call_1", **more: Any) -> Json:
    made = {"type": "function_call", "call_id": call_id, "name": "get_time", "arguments": "{}"}
    return made | more


def output(call_id: Any = "call_1", value: Any = "12:00") -> Json:
    return {"type": "function_call_output", "call_id": call_id, "output": value}


def custom(**more: Any) -> Json:
    return {"type": "custom_tool_call", "call_id": "c", "name": "run", "input": "ls"} | more


def body(*items: Any, **more: Any) -> Json:
    return {"input": list(items), "tools": TOOLS} | more


_CUSTOM_OUTPUT = {"type": "custom_tool_call_output", "call_id": "c", "output": "a b"}
ONE = body(USER, call(), output())
TWO = body(USER, THOUGHT, call(), call("call_2"), output("call_2"), output(), REPLY, USER)
BEHIND = body(output(), previous_response_id="resp_1")
_PART = [{"type": "input_text", "text": "Hi."}]

CASES = [
    Case("object", "", 7, TWO),
    Case("object", "/input/0", body("Hi."), TWO),
    Case("list", "/input", {"tools": TOOLS}, {"input": "Hi."}),
    Case("list", "/input", {"input": ""}, {"previous_response_id": "resp_1"}),
    Case(
        "item-type", "/input/0/type", body({"type": "tool_use"}), body({"type": "compaction"}, USER)
    ),
    Case(
        "item-id",
        "/input/1/id",
        body(USER, call(id="call_1"), output()),
        body(USER, call(id="fc_1"), output()),
    ),
    Case(
        "item-id",
        "/input/1/id",
        body(USER, call(id="fc" * 33), output()),
        body(USER, call(id="fc" * 32), output()),
    ),
    Case("item-id", "/input/0/id", body({"type": "item_reference"}), body({"id": "msg_1"})),
    Case(
        "role", "/input/0/role", body({**USER, "role": "tool"}), body({**USER, "type": "message"})
    ),
    Case("content", "/input/0/content", body({"role": "user"}), body(USER)),
    Case("content", "/input/2/output", body(USER, call(), output(value={"a": 1})), ONE),
    Case("content", "/instructions", body(USER, instructions=7), body(USER, instructions="")),
    Case(
        "content-part",
        "/input/1/content/0",
        body(USER, {"role": "assistant", "content": _PART}),
        body({"role": "user", "content": _PART}, {"role": "assistant", "content": ""}),
    ),
    Case(
        "content-part",
        "/input/0/content/0",
        body({"role": "user", "content": [{"type": "input_text"}]}),
        body({"role": "user", "content": _PART}),
    ),
    Case("content-part", "/input/0/content/0", body({"role": "user", "content": ["Hi."]}), ONE),
    Case("call-id", "/input/1/call_id", body(USER, call(""), output()), ONE),
    Case("call-id", "/input/2/call_id", body(USER, call(), output(None)), ONE),
    Case(
        "call-id",
        "/input/1/call_id",
        body(USER, call("c" * 65), output("c" * 65)),
        body(USER, call("c" * 64), output("c" * 64)),
    ),
    Case("call-name", "/input/1/name", body(USER, call(name="a b"), output()), ONE),
    Case("call-arguments", "/input/1/arguments", body(USER, call(arguments={}), output()), ONE),
    Case("call-arguments", "/input/1/arguments", body(USER, call(arguments='{"a'), output()), ONE),
    Case(
        "call-arguments",
        "/input/1/input",
        body(USER, custom(input=None), _CUSTOM_OUTPUT),
        body(USER, custom(), _CUSTOM_OUTPUT),
    ),
    Case("call-without-result", "/input/1", body(USER, call(), USER), ONE),
    Case("call-without-result", "/input/2", body(USER, call(), call("call_2"), output()), TWO),
    Case("call-without-result", "/input/1", body(USER, custom()), ONE),
    Case("result-without-call", "/input/1", body(USER, output()), BEHIND),
    Case(
        "result-without-call",
        "/input/1",
        body(USER, output(), call()),
        body({"id": "fc_1"}, output()),
    ),
    Case("duplicate-result", "/input/3", body(USER, call(), output(), output()), ONE),
    Case("duplicate-call-id", "/input/2/call_id", body(USER, call(), call(), output()), TWO),
    Case(
        "thought",
        "/input/1/summary",
        body(USER, {"type": "reasoning", "id": "rs_1"}, call(), output()),
        TWO,
    ),
    Case("thought-apart", "/input/1", body(USER, THOUGHT), TWO),
    Case("thought-apart", "/input/1", body(USER, THOUGHT, USER), body(USER, THOUGHT, REPLY)),
    Case("thought-apart", "/input/2", body(USER, call(), THOUGHT, output()), TWO),
    Case(
        "thought-not-kept",
        "/input/1",
        body(USER, {"type": "reasoning", "id": "rs_1", "summary": []}, REPLY, store=False),
        body(USER, THOUGHT, REPLY, store=False),
    ),
    Case(
        "reference-not-kept",
        "/input/0",
        body({"type": "item_reference", "id": "msg_1"}, USER, store=False),
        body({"type": "item_reference", "id": "msg_1"}, USER),
    ),
    Case(
        "two-histories",
        "/conversation",
        body(USER, previous_response_id="resp_1", conversation="conv_1"),
        body(USER, conversation="conv_1"),
    ),
    Case(
        "choice-without-tools",
        "/tool_choice",
        {"input": "Hi.", "tool_choice": "auto"},
        body(USER, tool_choice="auto"),
    ),
    Case(
        "choice-without-tools",
        "/parallel_tool_calls",
        {"input": "Hi.", "parallel_tool_calls": True},
        body(USER, parallel_tool_calls=True),
    ),
    Case(
        "choice", "/tool_choice", body(USER, tool_choice="any"), body(USER, tool_choice="required")
    ),
    Case(
        "choice",
        "/tool_choice/name",
        body(USER, tool_choice={"type": "function", "name": "other"}),
        body(USER, tool_choice={"type": "function", "name": "get_time"}),
    ),
]
