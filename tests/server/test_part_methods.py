"""What the methods of resources, prompts and completion answer, without a connection."""

import json
from typing import Any, Literal

import pytest

from appfunctions_mcp.context import AppFunctionContext
from appfunctions_mcp.declaration import app_function
from appfunctions_mcp.exceptions import (
    AppFunctionElementNotFoundException,
    AppFunctionLimitExceededException,
)
from appfunctions_mcp.media import BlobResource, Image, ResourceLink
from appfunctions_mcp.metadata import AppFunctionCaller
from appfunctions_mcp.prompt_declaration import app_prompt
from appfunctions_mcp.prompt_messages import AssistantMessage, UserMessage
from appfunctions_mcp.resource_declaration import app_resource
from appfunctions_mcp.server.eras import ClientSession, Era
from appfunctions_mcp.server.methods import Methods
from appfunctions_mcp.server.pending_request import PendingRequest
from appfunctions_mcp.server.subscriptions import MAX_SUBSCRIPTIONS, Subscription
from appfunctions_mcp.service import AppFunctionService

pytestmark = pytest.mark.anyio

ENVELOPE: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
ERAS: list[Era] = ["handshake", "modern"]
NOTES = {"1": "Milk", "2": "Bread"}


@app_function
async def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@app_resource("notes://readme", title="Read me", size=5)
def readme() -> str:
    """Says how notes are kept."""
    return "Notes"


@app_resource("notes://picture", mime_type="image/png")
async def picture() -> bytes:
    """Shows a note."""
    return b"\x89PNG"


@app_resource("notes://secrets", access="admin")
def secrets() -> str:
    """Holds what only administrators may read."""
    return "secret"


@app_resource("notes://crash")
def crash() -> str:
    """Fails in a way that nobody foresaw."""
    raise ValueError("secret")


@app_resource("notes://busy")
def busy() -> str:
    """Is read too often."""
    raise AppFunctionLimitExceededException("too often")


@app_resource("notes://slow/{steps}", complete={"steps": ["1", "10", "2"]})
async def slow(steps: int, context: AppFunctionContext) -> str:
    """Says how far it is."""
    for step in range(steps):
        context.report_progress(step, steps)
    context.log("read")
    return f"{steps} steps"


def entries() -> list[ResourceLink]:
    return [ResourceLink(f"notes://note/{note_id}", text) for note_id, text in NOTES.items()]


@app_resource("notes://note/{note_id}", entries=entries)
def note(note_id: str) -> str | BlobResource:
    """One note."""
    if note_id not in NOTES:
        raise AppFunctionElementNotFoundException(f"no note {note_id}")
    return NOTES[note_id]


@app_prompt(title="Greet")
def greet(
    name: str, tone: Literal["warm", "cold"] | None = None
) -> list[UserMessage | AssistantMessage]:
    """Greets somebody.

    Args:
        name: Who is greeted.
        tone: How.
    """
    return [
        UserMessage(f"Greet {name}, {tone or 'warm'}."),
        AssistantMessage(Image(b"GIF89a", "image/gif")),
    ]


@app_prompt(access="admin")
def wipe() -> str:
    """Asks to delete everything."""
    return "Delete everything."


STATIC = (readme, picture, secrets, crash, busy, slow)


def served(*parts: Any) -> AppFunctionService:
    return AppFunctionService.from_functions(
        [add, *parts], name="parts", description="Serves tests."
    )


def session_of(era: Era, *scopes: str) -> ClientSession:
    caller = AppFunctionCaller(name="test", scopes=frozenset(scopes))
    return ClientSession(caller, era=era, is_accepted=era == "handshake")


async def answer(
    methods: Methods,
    session: ClientSession,
    method: str,
    params: dict[str, Any] | None = None,
    told: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """The whole response as a dictionary, however it was made."""

    async def tell(notification: dict[str, Any]) -> None:
        assert told is not None
        told.append(notification)

    given = dict(params or {})
    if session.era == "modern":
        given["_meta"] = {**ENVELOPE, **given.get("_meta", {})}
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": given}
    prepared = methods.prepare(request, session)
    if isinstance(prepared, PendingRequest):
        prepared = await prepared.run(tell)
    assert not isinstance(prepared, Subscription)
    read = json.loads(prepared) if isinstance(prepared, bytes) else prepared
    assert isinstance(read, dict)
    return read


def uris(response: dict[str, Any]) -> list[str]:
    return [resource["uri"] for resource in response["result"]["resources"]]


async def capabilities(service: AppFunctionService, era: Era, **options: bool) -> dict[str, Any]:
    methods = Methods(service, **options)
    if era == "modern":
        found = await answer(methods, session_of("modern"), "server/discover")
    else:
        client = {"name": "test", "version": "1"}
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
        found = await answer(methods, session_of("handshake"), "initialize", params)
    told = found["result"]["capabilities"]
    assert isinstance(told, dict)
    return told


@pytest.mark.parametrize("era", ERAS)
async def test_capabilities_are_what_the_app_has(era: Era) -> None:
    plain = {"logging": {}, "tools": {"listChanged": True}}
    assert await capabilities(served(), era) == plain
    resources = {"subscribe": True, "listChanged": True}
    assert await capabilities(served(readme), era) == {**plain, "resources": resources}
    with_template = {**plain, "resources": resources, "completions": {}}
    assert await capabilities(served(slow), era) == with_template
    with_prompt = {**plain, "prompts": {"listChanged": True}, "completions": {}}
    assert await capabilities(served(greet), era) == with_prompt


async def test_only_where_there_is_a_way_a_handshake_offers_subscriptions() -> None:
    told = await capabilities(served(readme), "handshake", has_channel=False)
    assert told["resources"] == {"subscribe": False, "listChanged": True}
    told = await capabilities(served(readme), "modern", has_channel=False)
    assert told["resources"] == {"subscribe": True, "listChanged": True}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("resources/list", {}),
        ("resources/templates/list", {}),
        ("resources/read", {"uri": "notes://readme"}),
        ("resources/subscribe", {"uri": "notes://readme"}),
        ("prompts/list", {}),
        ("prompts/get", {"name": "greet"}),
        (
            "completion/complete",
            {
                "ref": {"type": "ref/prompt", "name": "greet"},
                "argument": {"name": "a", "value": ""},
            },
        ),
    ],
)
async def test_what_an_app_has_not_is_no_method(
    era: Era, method: str, params: dict[str, Any]
) -> None:
    error = (await answer(Methods(served()), session_of(era), method, params))["error"]
    assert error == {"code": -32601, "message": "Method not found", "data": method}


async def test_a_subscription_of_the_handshake_era_is_no_method_of_the_modern_one() -> None:
    methods, params = Methods(served(readme)), {"uri": "notes://readme"}
    for method in ("resources/subscribe", "resources/unsubscribe", "resources/else"):
        error = (await answer(methods, session_of("modern"), method, params))["error"]
        assert error["code"] == -32601


@pytest.mark.parametrize("era", ERAS)
async def test_static_resources_are_listed_for_those_who_may_read_them(era: Era) -> None:
    methods = Methods(served(readme, secrets))
    listed = await answer(methods, session_of(era), "resources/list")
    assert listed["result"]["resources"] == [
        {
            "uri": "notes://readme",
            "name": "readme",
            "title": "Read me",
            "description": "Says how notes are kept.",
            "mimeType": "text/plain",
            "size": 5,
        }
    ]
    admin = await answer(methods, session_of(era, "admin"), "resources/list")
    assert uris(admin) == ["notes://readme", "notes://secrets"]
    assert uris(await answer(methods, session_of(era), "resources/list")) == ["notes://readme"]


async def test_a_static_list_is_kept_as_bytes_until_something_changes() -> None:
    service = served(readme)
    methods, session = Methods(service), session_of("handshake")
    request = {"jsonrpc": "2.0", "id": 1, "method": "resources/list"}
    first = methods.prepare(request, session)
    assert isinstance(first, bytes)
    assert methods.prepare(request, session) == first
    registration = service.resources.add([picture])
    assert uris(await answer(methods, session, "resources/list")) == [
        "notes://readme",
        "notes://picture",
    ]
    registration.unregister()
    assert methods.prepare(request, session) == first


@pytest.mark.parametrize("era", ERAS)
async def test_entries_of_a_template_are_listed_beside_it(era: Era) -> None:
    methods = Methods(served(readme, note))
    listed = await answer(methods, session_of(era), "resources/list")
    assert uris(listed) == ["notes://readme", "notes://note/1", "notes://note/2"]
    templates = await answer(methods, session_of(era), "resources/templates/list")
    assert [t["uriTemplate"] for t in templates["result"]["resourceTemplates"]] == [
        "notes://note/{note_id}"
    ]


@pytest.mark.parametrize(
    "method", ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]
)
async def test_a_list_of_the_modern_era_says_how_long_it_may_be_kept(method: str) -> None:
    methods = Methods(served(readme, note, greet))
    result = (await answer(methods, session_of("modern"), method))["result"]
    assert (result["ttlMs"], result["cacheScope"]) == (0, "private")
    assert result["resultType"] == "complete"
    bad = (await answer(methods, session_of("modern"), method, {"cursor": "2"}))["error"]
    assert bad["code"] == -32602
    assert "leave the cursor out" in bad["message"]


@pytest.mark.parametrize("era", ERAS)
async def test_what_stands_at_an_address_is_read(era: Era) -> None:
    methods = Methods(served(*STATIC, note))
    text = await answer(methods, session_of(era), "resources/read", {"uri": "notes://note/2"})
    assert text["result"]["contents"] == [
        {"uri": "notes://note/2", "mimeType": "text/plain", "text": "Bread"}
    ]
    blob = await answer(methods, session_of(era), "resources/read", {"uri": "notes://picture"})
    assert blob["result"]["contents"] == [
        {"uri": "notes://picture", "mimeType": "image/png", "blob": "iVBORw=="}
    ]
    assert ("ttlMs" in blob["result"]) == (era == "modern")


@pytest.mark.parametrize("era", ERAS)
async def test_an_address_of_nothing_is_named_in_the_error(era: Era) -> None:
    methods = Methods(served(*STATIC, note))
    for uri in ("notes://note/3", "notes://nothing", "http://elsewhere"):
        error = (await answer(methods, session_of(era), "resources/read", {"uri": uri}))["error"]
        assert error["code"] == -32602
        assert error["data"]["uri"] == uri
        assert error["data"]["type"] == "AppFunctionElementNotFoundException"


async def test_a_hidden_resource_is_answered_as_one_that_is_not_there() -> None:
    methods, session = Methods(served(*STATIC)), session_of("handshake")
    hidden = await answer(methods, session, "resources/read", {"uri": "notes://secrets"})
    absent = await answer(methods, session, "resources/read", {"uri": "notes://absent"})
    told = json.dumps(hidden["error"]).replace("secrets", "absent")
    assert told == json.dumps(absent["error"])
    admin = session_of("handshake", "admin")
    read = await answer(methods, admin, "resources/read", {"uri": "notes://secrets"})
    assert read["result"]["contents"][0]["text"] == "secret"


@pytest.mark.parametrize("era", ERAS)
async def test_a_crash_is_an_error_with_an_id_and_nothing_of_the_crash(era: Era) -> None:
    methods = Methods(served(*STATIC))
    failed = await answer(methods, session_of(era), "resources/read", {"uri": "notes://crash"})
    assert failed["error"]["code"] == -32603
    assert failed["error"]["data"]["error_id"] in failed["error"]["message"]
    assert "secret" not in json.dumps(failed)


async def test_what_may_succeed_later_is_not_the_clients_fault() -> None:
    params = {"uri": "notes://busy"}
    failed = await answer(Methods(served(*STATIC)), session_of("modern"), "resources/read", params)
    assert failed["error"]["code"] == -32603
    assert failed["error"]["data"]["retryable"] is True


@pytest.mark.parametrize("era", ERAS)
async def test_prompts_are_listed_and_filled_in(era: Era) -> None:
    methods = Methods(served(greet, wipe))
    listed = await answer(methods, session_of(era), "prompts/list")
    assert listed["result"]["prompts"] == [
        {
            "name": "greet",
            "title": "Greet",
            "description": "Greets somebody.",
            "arguments": [
                {"name": "name", "description": "Who is greeted.", "required": True},
                {"name": "tone", "description": "How.", "required": False},
            ],
        }
    ]
    params = {"name": "greet", "arguments": {"name": "Ada", "tone": "cold"}}
    result = (await answer(methods, session_of(era), "prompts/get", params))["result"]
    assert result["description"] == "Greets somebody."
    assert result["messages"] == [
        {"role": "user", "content": {"type": "text", "text": "Greet Ada, cold."}},
        {
            "role": "assistant",
            "content": {"type": "image", "data": "R0lGODlh", "mimeType": "image/gif"},
        },
    ]
    assert "ttlMs" not in result


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("params", "kind"),
    [
        ({"name": "great"}, "AppFunctionFunctionNotFoundException"),
        ({"name": "greet"}, "AppFunctionInvalidArgumentException"),
        (
            {"name": "greet", "arguments": {"name": "Ada", "tone": "loud"}},
            "AppFunctionInvalidArgumentException",
        ),
    ],
)
async def test_a_prompt_that_cannot_be_made_is_an_error_that_says_why(
    era: Era, params: dict[str, Any], kind: str
) -> None:
    error = (await answer(Methods(served(greet)), session_of(era), "prompts/get", params))["error"]
    assert error["code"] == -32602
    assert error["data"]["type"] == kind
    assert error["message"].startswith(f"{kind}: ")


@pytest.mark.parametrize("era", ERAS)
async def test_arguments_and_variables_are_completed(era: Era) -> None:
    methods = Methods(served(greet, slow))

    async def complete(reference: dict[str, str], argument: str, value: str) -> dict[str, Any]:
        params = {"ref": reference, "argument": {"name": argument, "value": value}}
        told = await answer(methods, session_of(era), "completion/complete", params)
        assert isinstance(told, dict)
        return told

    prompt = {"type": "ref/prompt", "name": "greet"}
    tone = await complete(prompt, "tone", "W")
    assert tone["result"]["completion"] == {"values": ["warm"], "total": 1, "hasMore": False}
    template = {"type": "ref/resource", "uri": "notes://slow/{steps}"}
    steps = await complete(template, "steps", "1")
    assert steps["result"]["completion"]["values"] == ["1", "10"]
    unknown = await complete({"type": "ref/prompt", "name": "nobody"}, "tone", "")
    assert unknown["error"]["code"] == -32602


@pytest.mark.parametrize("era", ERAS)
async def test_reading_tells_of_its_progress_and_logs(era: Era) -> None:
    told: list[dict[str, Any]] = []
    session = session_of(era)
    meta: dict[str, Any] = {"progressToken": 0}
    if era == "modern":
        meta["io.modelcontextprotocol/logLevel"] = "info"
    session.log_level = "info"
    params = {"uri": "notes://slow/2", "_meta": meta}
    await answer(Methods(served(slow)), session, "resources/read", params, told)
    assert [n["method"].rpartition("/")[2] for n in told] == ["progress", "progress", "message"]
    assert told[1]["params"] == {"progressToken": 0, "progress": 1, "total": 2}


async def test_a_client_subscribes_to_what_it_may_read_and_to_a_limited_number() -> None:
    methods, session = Methods(served(*STATIC, note)), session_of("handshake")
    seen = await answer(methods, session, "resources/subscribe", {"uri": "notes://note/1"})
    assert seen["result"] == {}
    assert session.subscribed == {"notes://note/1"}
    for uri in ("notes://secrets", "notes://absent"):
        error = (await answer(methods, session, "resources/subscribe", {"uri": uri}))["error"]
        assert error["code"] == -32602
        assert error["data"]["uri"] == uri
    session.subscribed.update(f"notes://note/{n}" for n in range(MAX_SUBSCRIPTIONS))
    full = await answer(methods, session, "resources/subscribe", {"uri": "notes://readme"})
    assert "the most accepted" in full["error"]["message"]
    for _ in range(2):
        ended = await answer(methods, session, "resources/unsubscribe", {"uri": "notes://note/1"})
        assert ended["result"] == {}
    assert "notes://note/1" not in session.subscribed


async def test_a_fault_of_the_server_itself_is_answered_and_logged(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = served(readme)

    async def fail(_request: object) -> Any:
        raise KeyError("secret")

    monkeypatch.setattr(service.resources, "read", fail)
    params = {"uri": "notes://readme"}
    failed = await answer(Methods(service), session_of("handshake"), "resources/read", params)
    assert failed["error"]["code"] == -32603
    assert "secret" not in json.dumps(failed)
    assert failed["error"]["data"]["error_id"] in caplog.text
