"""Requests for generateContent, broken and sound."""

from typing import Any

from tests.support.broken_requests.cases import Case, Json

TOOLS = [
    {
        "functionDeclarations": [
            {
                "name": "get_time",
                "description": "Gets the time of a place.",
                "parameters": {"type": "OBJECT", "properties": {"place": {"type": "STRING"}}},
            }
        ]
    }
]


def user(*parts: Any) -> Json:
    return {"role": "user", "parts": list(parts) or [{"text": "What time is it?"}]}


def model(*parts: Any) -> Json:
    return {"role": "model", "parts": list(parts) or [{"text": "It is noon."}]}


def call(name: Any = "get_time", signature: Any = None, **more: Any) -> Json:
    signed = {} if signature is None else {"thoughtSignature": signature}
    return {"functionCall": {"name": name, "args": {}, **more}, **signed}


def response(name: Any = "get_time", **more: Any) -> Json:
    return {"functionResponse": {"name": name, "response": {"result": "12:00"}, **more}}


def body(*contents: Any, **more: Any) -> Json:
    return {"contents": list(contents), "tools": TOOLS} | more


def chosen(**choice: Any) -> Json:
    return {"functionCallingConfig": choice}


ONE = body(user(), model(call()), user(response()))
TWO = body(
    user(),
    model({"text": "I look."}, call("a", id="1"), call("b", id="2")),
    user(response("b", id="2"), response("a", id="1")),
    model(),
    user(),
)
SIGNED = body(
    user(),
    model(call("a", "Eqo="), call("b")),
    user(response("a"), response("b")),
    model(call("a", "skip_thought_signature_validator")),
    user(response("a")),
)
_SNAKE = body(
    user(),
    model({"function_call": {"name": "a"}, "thought_signature": "Eqo="}),
    user({"function_response": {"name": "a", "response": {}}}),
    tool_config={
        "function_calling_config": {"mode": "ANY", "allowed_function_names": ["get_time"]}
    },
)

CASES = [
    Case(
        "list",
        "/toolConfig/functionCallingConfig/allowedFunctionNames",
        body(user(), toolConfig=chosen(mode="ANY", allowedFunctionNames="get_time")),
        _SNAKE,
    ),
    Case("object", "", 7, _SNAKE),
    Case("object", "/contents/0", body("Hi."), {"contents": user()}),
    Case("object", "/contents/0/parts/0", body(user("Hi.")), ONE),
    Case(
        "object",
        "/contents/1/parts/0/functionCall",
        body(user(), model({"functionCall": "a"})),
        ONE,
    ),
    Case(
        "object",
        "/systemInstruction",
        body(user(), systemInstruction="x"),
        body(user(), systemInstruction=user()),
    ),
    Case("list", "/contents", {"contents": []}, ONE),
    Case("list", "/contents/0/parts", body({"role": "user", "parts": []}), ONE),
    Case(
        "list",
        "/systemInstruction/parts",
        body(user(), systemInstruction={}),
        body(user(), system_instruction=user()),
    ),
    Case(
        "role",
        "/contents/1/role",
        body(user(), {**model(), "role": "assistant"}),
        body({"parts": [{"text": "Hi."}]}),
    ),
    Case(
        "content",
        "/contents/0/parts",
        body(user({"text": ""})),
        body(user(), model({"text": "", "thoughtSignature": "Eqo="}), user()),
    ),
    Case("part", "/contents/0/parts/0", body(user({"thought": True})), ONE),
    Case(
        "part",
        "/contents/0/parts/0",
        body(user({"text": "a", "inlineData": {}})),
        body(user({"text": "a"}, {"inlineData": {}})),
    ),
    Case("part", "/contents/0/parts/0/text", body(user({"text": 7})), ONE),
    Case(
        "part",
        "/systemInstruction/parts/0/text",
        body(user(), systemInstruction={"parts": [{"text": ""}]}),
        body(user(), systemInstruction=user()),
    ),
    Case("part-in-role", "/contents/0/parts/0", body(user(call()), user(response())), ONE),
    Case(
        "part-in-role", "/contents/2/parts/0", body(user(), model(call()), model(response())), ONE
    ),
    Case(
        "call-name",
        "/contents/1/parts/0/functionCall/name",
        body(user(), model(call("2a")), user(response("2a"))),
        body(user(), model(call("a.b:c-d")), user(response("a.b:c-d"))),
    ),
    Case(
        "call-name",
        "/contents/2/parts/0/functionResponse/name",
        body(user(), model(call()), user(response(""))),
        ONE,
    ),
    Case(
        "call-id",
        "/contents/1/parts/0/functionCall/id",
        body(user(), model(call(id=7)), user(response(id=7))),
        TWO,
    ),
    Case(
        "call-arguments",
        "/contents/1/parts/0/functionCall/args",
        body(user(), model(call(args="{}")), user(response())),
        ONE,
    ),
    Case(
        "response",
        "/contents/2/parts/0/functionResponse/response",
        body(user(), model(call()), user(response(response="12:00"))),
        ONE,
    ),
    Case("first-turn", "/contents/0", body(model(), user()), ONE),
    Case("call-turn", "/contents/2", body(user(), model(), model(call()), user(response())), ONE),
    Case(
        "call-without-result", "/contents/1/parts/0/functionCall", body(user(), model(call())), ONE
    ),
    Case("result-without-call", "/contents/0", body(user(response())), ONE),
    Case("result-without-call", "/contents/3", body(*ONE["contents"], user(response())), ONE),
    Case(
        "result-count",
        "/contents/2",
        body(user(), model(call("a"), call("b")), user(response("a")), user(response("b"))),
        TWO,
    ),
    Case("result-count", "/contents/2", body(user(), model(call()), user()), ONE),
    Case(
        "result-alone",
        "/contents/2",
        body(user(), model(call()), user(response(), {"text": "And?"})),
        ONE,
    ),
    Case(
        "result-name",
        "/contents/2/parts/0/functionResponse/name",
        body(user(), model(call("a")), user(response("b"))),
        ONE,
    ),
    Case(
        "result-id",
        "/contents/1/parts/0/functionCall",
        body(user(), model(call(id="1")), user(response())),
        TWO,
    ),
    Case(
        "duplicate-call-id",
        "/contents/1/parts/1/functionCall/id",
        body(user(), model(call(id="1"), call(id="1")), user(response(id="1"), response(id="1"))),
        TWO,
    ),
    Case(
        "thought-signature",
        "/contents/1/parts/0/thoughtSignature",
        body(user(), model(call(signature="a b")), user(response())),
        SIGNED,
    ),
    Case(
        "thought-signature",
        "/contents/3",
        body(*SIGNED["contents"][:3], model(call("a")), user(response("a"))),
        SIGNED,
    ),
    Case(
        "thought-signature",
        "/contents/1",
        body(user(), model(call("a"), call("b", "Eqo=")), user(response("a"), response("b"))),
        body(*SIGNED["contents"], model(), user(), model(call()), user(response())),
    ),
    Case(
        "choice-without-tools",
        "/toolConfig/functionCallingConfig",
        {"contents": [user()], "toolConfig": chosen(mode="AUTO")},
        body(user(), toolConfig=chosen(mode="AUTO")),
    ),
    Case(
        "choice",
        "/toolConfig/functionCallingConfig/mode",
        body(user(), toolConfig=chosen(mode="auto")),
        body(user(), toolConfig={}),
    ),
    Case(
        "choice",
        "/toolConfig/functionCallingConfig/allowedFunctionNames",
        body(user(), toolConfig=chosen(mode="AUTO", allowedFunctionNames=["get_time"])),
        _SNAKE,
    ),
    Case(
        "choice",
        "/toolConfig/functionCallingConfig/allowedFunctionNames/0",
        body(user(), toolConfig=chosen(mode="ANY", allowedFunctionNames=["x"])),
        _SNAKE,
    ),
]
