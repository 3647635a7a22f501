"""What each method answers, without a connection; and the shapes of params, against the SDK's."""

import json
from collections.abc import Callable
from typing import Any

import mcp_types.methods
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_types import (
    InitializeRequestParams,
    RequestParams,
    SetLevelRequestParams,
    SubscriptionsListenRequestParams,
)
from pydantic import ValidationError

from appfunctions_mcp.context import AppFunctionContext
from appfunctions_mcp.declaration import app_function
from appfunctions_mcp.manager import Proceed
from appfunctions_mcp.metadata import AppFunctionCaller, AppFunctionMetadata, AppFunctionState
from appfunctions_mcp.records import replaced
from appfunctions_mcp.requests import ExecuteAppFunctionRequest, ExecuteAppFunctionResponse
from appfunctions_mcp.server.eras import ClientSession, Era
from appfunctions_mcp.server.methods import Methods
from appfunctions_mcp.server.pending_request import PendingRequest
from appfunctions_mcp.server.protocol_errors import ProtocolError
from appfunctions_mcp.server.request_params import check_params
from appfunctions_mcp.server.subscriptions import Subscription
from appfunctions_mcp.service import AppFunctionService

pytestmark = pytest.mark.anyio

VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
ENVELOPE: dict[str, Any] = {VERSION: "2026-07-28", CAPABILITIES: {}}
CLIENT = {"name": "test", "version": "1"}


@app_function
async def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@app_function(access="admin")
async def wipe() -> str:
    """Deletes everything."""
    return "wiped"


@app_function
async def sample(context: AppFunctionContext) -> str:
    """Needs a client with a model."""
    context.require_client_capability("sampling")
    return "sampled"


def served() -> AppFunctionService:
    return AppFunctionService.from_functions(
        [add, wipe, sample], name="methods", description="Serves tests."
    )


def session_of(era: Era | None = None, *scopes: str) -> ClientSession:
    caller = AppFunctionCaller(name="test", scopes=frozenset(scopes))
    return ClientSession(caller, era=era, is_accepted=era == "handshake")


async def answer(
    methods: Methods, session: ClientSession, method: str, params: Any = None, request_id: Any = 1
) -> dict[str, Any]:
    """The whole response as a dictionary, however it was made."""
    request = {"jsonrpc": "2.0", "id": request_id, "method": method}
    if params is not None:
        request["params"] = params
    prepared = methods.prepare(request, session)
    if isinstance(prepared, PendingRequest):
        prepared = await prepared.run(_unheard)
    assert not isinstance(prepared, Subscription)
    read = json.loads(prepared) if isinstance(prepared, bytes) else prepared
    assert isinstance(read, dict)
    return read


async def _unheard(_notification: dict[str, Any]) -> None:
    raise AssertionError("nobody asked for notifications")


def names(response: dict[str, Any]) -> list[str]:
    return [tool["name"] for tool in response["result"]["tools"]]


@pytest.mark.parametrize("era", ["handshake", "modern"])
async def test_a_hook_that_changes_nothing_changes_no_answer(era: Era) -> None:
    """Without hooks the text of a result is also its structure, byte for byte."""
    hooked = served()
    hooked.around(lambda request, proceed: proceed(request))
    params = {"name": "add", "arguments": {"a": 1, "b": 2}}
    if era == "modern":
        params["_meta"] = ENVELOPE
    written, made = [
        await answer(Methods(service), session_of(era), "tools/call", params, 'i"\u2028')
        for service in (served(), hooked)
    ]
    assert written == made
    assert written["result"]["structuredContent"] == {"result": 3}


async def test_what_a_hook_changes_in_a_result_goes_out() -> None:
    async def mend(
        request: ExecuteAppFunctionRequest, proceed: Proceed
    ) -> ExecuteAppFunctionResponse:
        return replaced(await proceed(request), structured={"result": 4})

    service = served()
    service.around(mend)
    params = {"name": "add", "arguments": {"a": 1, "b": 2}}
    told = await answer(Methods(service), session_of("handshake"), "tools/call", params)
    assert told["result"]["structuredContent"] == {"result": 4}


async def test_the_list_is_written_once_and_anew_when_something_changes() -> None:
    service = served()
    methods, session = Methods(service), session_of("handshake")
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    first, second = methods.prepare(request, session), methods.prepare(request, session)
    assert first == second
    assert names(await answer(methods, session, "tools/list")) == ["add", "sample"]
    service.manager.set_enabled("add", AppFunctionState.DISABLED)
    assert names(await answer(methods, session, "tools/list")) == ["sample"]
    extra = AppFunctionMetadata("tests#extra", "extra")
    registration = service.register(extra, lambda _arguments, _context: "extra")
    assert names(await answer(methods, session, "tools/list")) == ["sample", "extra"]
    registration.unregister()
    service.manager.set_enabled("add", AppFunctionState.DEFAULT)
    assert names(await answer(methods, session, "tools/list")) == ["add", "sample"]


async def test_each_caller_has_the_list_of_what_it_may_execute() -> None:
    methods = Methods(served())
    for _ in range(2):
        assert names(await answer(methods, session_of("handshake"), "tools/list")) == [
            "add",
            "sample",
        ]
        admin = session_of("handshake", "admin")
        assert names(await answer(methods, admin, "tools/list")) == ["add", "wipe", "sample"]


async def test_a_modern_list_says_how_long_it_may_be_kept() -> None:
    methods, session = Methods(served()), session_of()
    result = (await answer(methods, session, "tools/list", {"_meta": ENVELOPE}))["result"]
    assert (result["resultType"], result["ttlMs"], result["cacheScope"]) == (
        "complete",
        0,
        "private",
    )
    assert session.era == "modern"


@pytest.mark.parametrize("request_id", [0, -1, 10**30, "", 'a"b', "ä", "\u2028"])
async def test_a_list_goes_out_under_any_id(request_id: object) -> None:
    response = await answer(
        Methods(served()), session_of("handshake"), "tools/list", request_id=request_id
    )
    assert response["id"] == request_id


async def test_a_missing_capability_has_an_error_of_its_own_in_the_modern_era_only() -> None:
    methods = Methods(served())
    called = {"name": "sample", "arguments": {}}
    legacy = await answer(methods, session_of("handshake"), "tools/call", called)
    assert legacy["result"]["_meta"]["appfunctions/error"]["code"] == 3501
    modern = await answer(methods, session_of(), "tools/call", {**called, "_meta": ENVELOPE})
    assert modern["error"]["code"] == -32021
    meta = {**ENVELOPE, CAPABILITIES: {"sampling": {}}}
    able = await answer(methods, session_of(), "tools/call", {**called, "_meta": meta})
    assert able["result"]["content"][0]["text"] == "sampled"


async def test_capabilities_of_the_handshake_hold_for_its_connection() -> None:
    methods, session = Methods(served()), session_of()
    params = {"protocolVersion": "2025-06-18", "capabilities": {"sampling": {}}}
    opened = await answer(methods, session, "initialize", {**params, "clientInfo": CLIENT})
    assert opened["result"]["protocolVersion"] == "2025-06-18"
    sampled = await answer(methods, session, "tools/call", {"name": "sample"})
    assert sampled["result"]["content"][0]["text"] == "sampled"


@pytest.mark.parametrize(
    ("meta", "code", "said"),
    [
        ({VERSION: "2026-07-28"}, -32602, f"key(s): {CAPABILITIES}"),
        ({VERSION: 5, CAPABILITIES: {}}, -32602, "must be a string"),
        ({VERSION: "2099-01-01", CAPABILITIES: {}}, -32022, "Unsupported protocol version"),
        ({VERSION: "2025-11-25", CAPABILITIES: {}}, -32022, "Unsupported protocol version"),
        ({VERSION: "2026-07-28", CAPABILITIES: []}, -32602, "Invalid request parameters"),
    ],
)
async def test_a_bad_envelope_is_refused(meta: dict[str, Any], code: int, said: str) -> None:
    error = (await answer(Methods(served()), session_of(), "tools/list", {"_meta": meta}))["error"]
    assert error["code"] == code
    assert said in error["message"]


async def test_an_era_once_decided_is_kept() -> None:
    methods, handshake, modern = Methods(served()), session_of("handshake"), session_of("modern")
    enveloped = await answer(methods, handshake, "tools/list", {"_meta": ENVELOPE})
    assert enveloped["error"]["code"] == -32600
    bare = await answer(methods, modern, "tools/list")
    assert bare["error"]["code"] == -32602
    opened = await answer(methods, modern, "initialize", {"protocolVersion": "2025-11-25"})
    assert opened["error"]["data"] == {"supported": ["2026-07-28"], "requested": "2025-11-25"}


async def test_a_fault_of_the_server_itself_is_answered_and_logged(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = served()

    async def fail(_request: object) -> Any:
        raise KeyError("secret")

    monkeypatch.setattr(service.manager, "begin", fail)
    called = await answer(Methods(service), session_of("handshake"), "tools/call", {"name": "add"})
    record = called["result"]["_meta"]["appfunctions/error"]
    assert record["code"] == 2000
    assert "secret" not in json.dumps(called)
    assert record["error_id"] in caplog.text


# The shapes of params, against those of the SDK.

SERVED: dict[str, type] = {
    "initialize": InitializeRequestParams,
    "ping": RequestParams,
    "logging/setLevel": SetLevelRequestParams,
    "server/discover": RequestParams,
    "subscriptions/listen": SubscriptionsListenRequestParams,
}
"""Methods whose params the SDK checks a second time, against its own models."""

SCALARS = st.sampled_from(
    [None, True, False, 0, 7, 1.0, 1.5, "", "7", "true", "x", "info", "ref/prompt", "ref/resource"]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["a", "form", "url", "tools", "listChanged"]), inner)
    ),
    max_leaves=4,
)


def either(*good: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from(good) | VALUES


def members(**strategies: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=strategies)


EMPTY_OR_OBJECT = either({}, {"form": {}}, {"tools": {}, "context": None}, {"listChanged": True})
CLIENTS = members(
    name=either("c"),
    version=either("1"),
    title=either("t"),
    icons=either([{"src": "data:"}], [{"src": "x", "sizes": ["1x1"], "theme": "dark"}], [{}]),
)
DECLARED = members(
    sampling=EMPTY_OR_OBJECT,
    elicitation=EMPTY_OR_OBJECT,
    roots=EMPTY_OR_OBJECT,
    experimental=either({"a": {}}),
    extensions=either({"a": {}}),
    tasks=either({"list": {}, "requests": {"sampling": {"createMessage": {}}}}, {"requests": 5}),
)
HANDSHAKE_META = members(progressToken=SCALARS, other=VALUES) | VALUES
MODERN_META = st.fixed_dictionaries(
    {VERSION: either("2026-07-28"), CAPABILITIES: DECLARED | VALUES},
    optional={
        "io.modelcontextprotocol/clientInfo": CLIENTS | VALUES,
        "io.modelcontextprotocol/logLevel": either("debug", "emergency"),
        "progressToken": SCALARS,
    },
)
FILTERS = members(
    toolsListChanged=SCALARS,
    promptsListChanged=SCALARS,
    resourcesListChanged=SCALARS,
    resourceSubscriptions=either([], ["a"], [5]),
    other=SCALARS,
)
REFERENCES = st.fixed_dictionaries(
    {"type": either("ref/prompt", "ref/resource")}, optional={"name": SCALARS, "uri": SCALARS}
)


def params(meta: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    known = members(
        _meta=meta,
        name=either("n"),
        arguments=either({"a": "b"}, {"a": 5}),
        cursor=SCALARS,
        level=either("info", "loud"),
        uri=SCALARS,
        task=either({"ttl": 5}, {"ttl": "5"}, {"ttl": 1.5}),
        requestState=SCALARS,
        inputResponses=either({}),
        protocolVersion=either("2025-11-25"),
        capabilities=DECLARED | VALUES,
        clientInfo=CLIENTS | VALUES,
        notifications=FILTERS | VALUES,
        argument=either({"name": "a", "value": "b"}, {"name": "a"}),
        ref=REFERENCES | VALUES,
        context=either({"arguments": {"a": "b"}}, {"arguments": {"a": 1}}),
    )
    return st.none() | known


HANDSHAKE = sorted(m for m, v in mcp_types.methods.CLIENT_REQUESTS if v == "2025-11-25")
MODERN = sorted(m for m, v in mcp_types.methods.CLIENT_REQUESTS if v == "2026-07-28")


def accepts(check: Callable[..., Any], *arguments: Any) -> bool:
    try:
        check(*arguments)
    except (ValidationError, ProtocolError):
        return False
    return True


def sdk_check(method: str, version: str, given: Any) -> None:
    mcp_types.methods.validate_client_request(method, version, given)
    if method in SERVED:
        model: Any = SERVED[method]
        model.model_validate({} if given is None else given, by_name=False)


@settings(max_examples=1000, deadline=None)
@given(st.sampled_from(HANDSHAKE), params(HANDSHAKE_META))
def test_params_of_the_handshake_era_are_refused_where_the_sdk_refuses_them(
    method: str, given_params: Any
) -> None:
    expected = accepts(sdk_check, method, "2025-11-25", given_params)
    assert accepts(check_params, "handshake", method, given_params) == expected


@settings(max_examples=1000, deadline=None)
@given(st.sampled_from(MODERN), params(MODERN_META))
def test_params_of_the_modern_era_are_refused_where_the_sdk_refuses_them(
    method: str, given_params: Any
) -> None:
    responses = (given_params or {}).get("inputResponses")
    if isinstance(responses, dict) and responses:
        return  # what the client was asked for is not looked into: nothing here asks
    expected = accepts(sdk_check, method, "2026-07-28", given_params)
    assert accepts(check_params, "modern", method, given_params) == expected
