"""Requests for Mistral, broken and sound, where Mistral differs from OpenAI."""

from tests.support.broken_requests.cases import Case
from tests.support.broken_requests.openai_chat import REPLY, USER, body, call, calls, result

_ID = "D681PevKs"
ONE = body(USER, calls(call(_ID)), result(_ID))
_PICTURE = {"type": "image_url", "image_url": "https://a.b/c.png"}

CASES = [
    Case("object", "", None, ONE),
    Case("call-id", "/messages/1/tool_calls/0/id", body(USER, calls(call()), result()), ONE),
    Case(
        "call-id",
        "/messages/1/tool_calls/0/id",
        body(USER, calls(call("D681-evKs")), result("D681-evKs")),
        ONE,
    ),
    Case("call-id", "/messages/2/tool_call_id", body(USER, calls(call(_ID)), result("D6")), ONE),
    Case(
        "call-arguments",
        "/messages/1/tool_calls/0/function/arguments",
        body(USER, calls(call(_ID, arguments=[])), result(_ID)),
        body(USER, calls(call(_ID, arguments={})), result(_ID)),
    ),
    Case(
        "after-results", "/messages/3", body(*ONE["messages"], USER), body(*ONE["messages"], REPLY)
    ),
    Case(
        "empty-reply",
        "/messages/1",
        body(USER, {"role": "assistant", "content": ""}, USER),
        body(USER, {"role": "assistant", "content": "-"}, USER),
    ),
    Case(
        "turn-order",
        "/messages/2",
        body(USER, REPLY, {"role": "system", "content": "Be brief."}, USER),
        body({"role": "system", "content": "Be brief."}, USER),
    ),
    Case("call-without-result", "/messages/1/tool_calls/0", body(USER, calls(call(_ID))), ONE),
    Case("role", "/messages/0/role", body({**USER, "role": "developer"}), body(USER)),
    Case(
        "content-part",
        "/messages/0/content/0",
        body({"role": "user", "content": [{"type": "image_url"}]}),
        body({"role": "user", "content": [_PICTURE]}),
    ),
    Case(
        "choice-without-tools",
        "/tool_choice",
        {"messages": [USER], "tool_choice": "any"},
        body(USER, tool_choice="any"),
    ),
    Case("choice", "/tool_choice", body(USER, tool_choice="all"), body(USER, tool_choice="any")),
]
