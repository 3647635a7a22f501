"""The one path by which anybody lists, reads and completes resources."""

import asyncio
import itertools
import logging
import threading
from collections.abc import Mapping
from enum import Enum
from typing import Any, Literal

import pytest

from appfunctions_mcp.context import AppFunctionContext
from appfunctions_mcp.declaration import app_function
from appfunctions_mcp.exceptions import (
    AppFunctionAppUnknownException,
    AppFunctionCancelledException,
    AppFunctionDeclarationError,
    AppFunctionElementNotFoundException,
    AppFunctionException,
    AppFunctionInvalidArgumentException,
    AppFunctionLimitExceededException,
)
from appfunctions_mcp.media import BlobResource, ResourceLink, TextResource
from appfunctions_mcp.metadata import (
    AppFunctionCaller,
    ExecutionLimits,
    ResourcesChanged,
    ResourceUpdated,
)
from appfunctions_mcp.requests import (
    Completion,
    ExecuteAppFunctionRequest,
    ReadAppResourceRequest,
)
from appfunctions_mcp.resource_declaration import app_resource
from appfunctions_mcp.service import AppFunctionService
from tests.support.calls import make_service

pytestmark = pytest.mark.anyio

READER = AppFunctionCaller(name="ann", scopes=frozenset({"notes.read"}), connection="ann")
STRANGER = AppFunctionCaller(name="anonymous")


class Colour(Enum):
    """A colour."""

    RED = "red"
    ROSE = "rose"
    BLUE = "blue"


@app_resource("notes://all")
def everything() -> str:
    """All notes."""
    return "all"


@app_resource("notes://{note_id}", access="notes.read")
def note(note_id: int) -> str | None:
    """A note."""
    return f"note {note_id}" if note_id < 10 else None


@app_resource("files:///{+path}")
def file(path: str) -> str:
    """A file."""
    return path


@app_function
def rename() -> str:
    """No resource."""
    return ""


async def read(
    service: AppFunctionService, uri: str, caller: AppFunctionCaller = READER
) -> list[Any]:
    """Texts and bytes of what stands at an address."""
    contents = await service.resources.read(ReadAppResourceRequest(uri, caller))
    return [c.text if isinstance(c, TextResource) else c.data for c in contents]


async def failure_of(
    service: AppFunctionService, uri: str, caller: AppFunctionCaller = READER
) -> AppFunctionException:
    with pytest.raises(AppFunctionException) as caught:
        await service.resources.read(ReadAppResourceRequest(uri, caller))
    return caught.value


async def test_single_resources_and_those_of_templates_are_read() -> None:
    service = make_service(everything, note, file)

    assert await read(service, "notes://all") == ["all"]
    assert await read(service, "NOTES://7") == ["note 7"]
    assert await read(service, "files:///a/b%20c.md") == ["a/b c.md"]
    assert await service.resources.read(ReadAppResourceRequest("notes://all")) == (
        TextResource("notes://all", "all"),
    )


async def test_what_is_not_there_what_is_hidden_and_what_leads_out_have_one_answer(
    capsys: pytest.CaptureFixture[str],
) -> None:
    service = make_service(everything, note, file)
    asked = [
        ("notes://a/b", READER),
        ("notes://77", READER),
        ("notes://7", STRANGER),
        ("files:///../x", READER),
        ("gone://x", READER),
        ("notes://a b", READER),
        ("notes://" + "7" * 9000, READER),
        ("", READER),
    ]
    for uri, caller in asked:
        failure = await failure_of(service, uri, caller)
        assert type(failure) is AppFunctionElementNotFoundException
        assert failure.extras == {"uri": uri}
        assert failure.message.startswith("there is no resource '"), uri
        assert failure.recovery is None

    assert (
        "refused the address 'files:///../x': path leads out with '..'" in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    "path",
    [
        "..",
        "../x",
        "a/../../x",
        "/etc/passwd",
        "%2e%2e/x",
        "%252e%252e%252fx",
        "..%5cx",
        "C:/x",
        "%00",
        "a%2500",
        "%2Fetc",
        "%255c%255chost",
        "..%c0%afx",
        "%25c0%25ae%25c0%25ae/x",
    ],
)
@pytest.mark.parametrize("template", ["files:///{+path}", "files:///{path}", "files://{/path*}"])
async def test_no_path_that_leads_out_reaches_a_function(template: str, path: str) -> None:
    reached: list[object] = []

    if "*" in template:

        @app_resource(template)
        def parts(path: list[str]) -> str:
            """Parts."""
            reached.append(path)
            return ""

        service = make_service(parts, optional_defaults="declared")
    else:

        @app_resource(template)
        def whole(path: str) -> str:
            """A path."""
            reached.append(path)
            return ""

        service = make_service(whole)

    failure = await failure_of(service, f"files:///{path}")

    assert type(failure) is AppFunctionElementNotFoundException
    assert reached == []
    assert not service.resources.is_visible(f"files:///{path}", READER)


async def test_a_list_of_parts_that_is_an_absolute_path_is_refused() -> None:
    @app_resource("tree:/{/path*}")
    def tree(path: list[str] = []) -> list[str]:  # noqa: B006 - only read
        """A tree."""
        return path

    service = make_service(tree)

    assert await read(service, "tree://a/b") == ['["a","b"]']
    assert await read(service, "tree:/") == ["[]"]
    assert isinstance(
        await failure_of(service, "tree:///etc/passwd"), AppFunctionElementNotFoundException
    )


async def test_the_template_with_the_most_fixed_text_is_asked() -> None:
    @app_resource("x://{+path}")
    def anything(path: str) -> str:
        """Anything."""
        return f"anything {path}"

    @app_resource("x://notes/{note_id}")
    def one(note_id: str) -> str:
        """One."""
        return f"one {note_id}"

    @app_resource("x://notes/all")
    def single() -> str:
        """All."""
        return "single"

    service = make_service(anything, one, single)

    assert await read(service, "x://notes/all") == ["single"]
    assert await read(service, "x://notes/7") == ["one 7"]
    assert await read(service, "x://notes/7/a") == ["anything notes/7/a"]


async def test_variables_get_their_types() -> None:
    @app_resource("x://{number}/{colour}{?flag,ratio,tags*}")
    def typed(
        number: int,
        colour: Colour,
        flag: bool = False,
        ratio: float | None = None,
        tags: list[int] = [],  # noqa: B006 - only read
    ) -> dict[str, Any]:
        """Typed."""
        return {"number": number, "colour": colour, "flag": flag, "ratio": ratio, "tags": tags}

    service = make_service(typed)

    assert await read(service, "x://7/ROSE?flag=true&ratio=0.5&tags=1&tags=2") == [
        '{"number":7,"colour":"rose","flag":true,"ratio":0.5,"tags":[1,2]}'
    ]
    assert await read(service, "x://7/red") == [
        '{"number":7,"colour":"red","flag":false,"ratio":null,"tags":[]}'
    ]
    failure = await failure_of(service, "x://7.5/green?ratio=x")
    assert isinstance(failure, AppFunctionInvalidArgumentException)
    assert [name for name in ("number", "colour", "ratio") if name in failure.message] == [
        "number",
        "colour",
        "ratio",
    ]


async def test_a_function_gets_the_context_of_the_call() -> None:
    main = threading.get_ident()

    @app_resource("x://plain")
    def plain(context: AppFunctionContext) -> list[Any]:
        """Runs in a thread, as it may block."""
        return [context.caller.name, context.request_id, threading.get_ident() == main]

    @app_resource("x://async")
    async def waits(context: AppFunctionContext) -> list[Any]:
        """Runs on the loop."""
        await asyncio.sleep(0)
        return [dict(context.settings), context.lifespan, threading.get_ident() == main]

    service = make_service(plain, waits, settings={"A": 1})

    request = ReadAppResourceRequest("x://plain", READER, request_id=7)
    (content,) = await service.resources.read(request)
    assert isinstance(content, TextResource)
    assert content.text == '["ann",7,false]'
    assert await read(service, "x://async") == ['[{"A":1},null,true]']


async def test_a_crash_goes_out_as_an_error_id_that_the_log_has(
    caplog: pytest.LogCaptureFixture,
) -> None:
    @app_resource("x://{name}")
    def crashes(name: str) -> str:
        """Crashes."""
        raise RuntimeError(f"secret of {name}")

    service = make_service(crashes)
    with caplog.at_level(logging.INFO):
        failure = await failure_of(service, "x://y")

    assert isinstance(failure, AppFunctionAppUnknownException)
    assert "secret" not in failure.text()
    (entry,) = [r for r in caplog.records if "kind='resource'" in r.getMessage()]
    assert failure.extras["error_id"] in entry.getMessage()
    assert "function_id='x://{name}' outcome='crash'" in entry.getMessage()
    assert entry.levelname == "ERROR"

    service.manager.debug = True
    assert "secret of y" in (await failure_of(service, "x://y")).text()


async def test_what_the_function_raises_goes_out_with_the_recovery_of_its_docstring() -> None:
    @app_resource("x://y")
    def refuses() -> str:
        """Refuses.

        Raises:
            AppFunctionLimitExceededException: Tomorrow there is more.
        """
        raise AppFunctionLimitExceededException("sold out")

    failure = await failure_of(make_service(refuses), "x://y")

    assert failure.text() == (
        "AppFunctionLimitExceededException: sold out\nRecovery: Tomorrow there is more."
    )


async def test_reading_stands_under_the_limits_of_calls() -> None:
    entered = asyncio.Event()

    @app_resource("x://slow", timeout_seconds=0.05)
    async def slow() -> str:
        """Never ends."""
        entered.set()
        await asyncio.Event().wait()
        return ""

    @app_resource("x://large", max_result_bytes=10)
    def large() -> list[TextResource | BlobResource]:
        """Large."""
        return [TextResource("x://1", "123456"), BlobResource("x://2", b"1234")]

    limits = ExecutionLimits(calls_per_minute=3)
    service = make_service(slow, large, everything, limits=limits)

    assert isinstance(await failure_of(service, "x://slow"), AppFunctionCancelledException)
    assert entered.is_set()
    too_large = await failure_of(service, "x://large")
    assert isinstance(too_large, AppFunctionInvalidArgumentException)
    assert "14 bytes, more than the 10" in too_large.message
    assert await read(service, "notes://all") == ["all"]
    assert isinstance(await failure_of(service, "notes://all"), AppFunctionLimitExceededException)


async def test_a_cancelled_reading_ends_its_body(caplog: pytest.LogCaptureFixture) -> None:
    entered, ended = asyncio.Event(), asyncio.Event()
    contexts: list[AppFunctionContext] = []

    @app_resource("x://slow")
    async def slow(context: AppFunctionContext) -> str:
        """Waits."""
        contexts.append(context)
        entered.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return ""

    service = make_service(slow)
    with caplog.at_level(logging.INFO):
        reading = asyncio.create_task(read(service, "x://slow"))
        await entered.wait()
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading

    assert ended.is_set()
    assert contexts[0].cancelled
    assert any("outcome='cancelled'" in message for message in caplog.messages)


async def test_lists_hold_what_the_caller_may_read_in_the_order_of_declaration() -> None:
    service = make_service(note, file, everything)
    resources = service.resources

    assert [m.uri for m in resources.static(STRANGER)] == ["notes://all"]
    assert [m.uri for m in resources.templates(STRANGER)] == ["files:///{+path}"]
    assert [m.uri for m in resources.templates(READER)] == ["notes://{note_id}", "files:///{+path}"]
    assert [m.uri for m in await resources.listed(READER)] == ["notes://all"]
    assert resources.is_visible("notes://7", READER)
    assert not resources.is_visible("notes://7", STRANGER)
    assert not resources.has_entries
    assert bool(resources)
    assert not make_service(rename).has_resources


async def test_entries_are_listed_after_single_resources(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def entries(context: AppFunctionContext) -> list[Any]:
        return [
            ResourceLink("n://1", "one", "One", "First", "text/markdown", 3),
            ("n://2", context.caller.name),
            ("other://3", "three"),
            ("n://all", "again"),
            "n://4",
        ]

    @app_resource("n://{note_id}", entries=entries, mime_type="text/html")
    def numbered(note_id: str) -> str:
        """Numbered."""
        return note_id

    @app_resource("n://all")
    def single() -> str:
        """All."""
        return ""

    service = make_service(numbered, single)
    listed = await service.resources.listed(READER)
    await service.resources.listed(READER)

    assert [(m.uri, m.name, m.mime_type) for m in listed] == [
        ("n://all", "single", "text/plain"),
        ("n://1", "one", "text/markdown"),
        ("n://2", "ann", "text/html"),
    ]
    assert (listed[1].title, listed[1].description, listed[1].size) == ("One", "First", 3)
    assert not listed[1].is_template
    assert service.resources.has_entries
    told = capsys.readouterr().err
    assert told.count("the entry 'other://3' is no address of n://{note_id}") == 1
    assert told.count("an entry is a ResourceLink or a pair") == 1


@pytest.mark.parametrize("kind", ["crash", "late", "text", "hidden", "halfway", "endless"])
async def test_entries_that_fail_leave_the_others(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def entries() -> Any:
        if kind == "crash":
            raise RuntimeError("no connection")
        if kind == "late":
            await asyncio.Event().wait()
        if kind == "halfway":
            return (("n://1", "one") if n == 0 else 1 / (n - 1) for n in range(3))
        if kind == "endless":
            return itertools.repeat(("n://1", "one"))
        return "n://1" if kind == "text" else [("n://1", "one")]

    @app_resource("n://{note_id}", entries=entries, access="secret" if kind == "hidden" else None)
    def numbered(note_id: str) -> str:
        """Numbered."""
        return note_id

    service = make_service(numbered, everything, limits=ExecutionLimits(timeout_seconds=0.05))

    assert [m.uri for m in await service.resources.listed(READER)] == ["notes://all"]
    assert ("no connection" in caplog.text) == (kind == "crash")


async def test_resources_come_and_go_at_run_time_and_listeners_hear_of_it() -> None:
    service = make_service(rename)
    events: list[object] = []
    service.manager.add_listener(events.append)
    before = service.resources.revision

    added = service.resources.add([everything, note])
    assert await read(service, "notes://all") == ["all"]
    with pytest.raises(AppFunctionDeclarationError, match="'notes://all' is taken by"):
        service.resources.add([file, everything])
    service.resources.updated("notes://7")
    added.unregister()
    added.unregister()

    uris = frozenset({"notes://all", "notes://{note_id}"})
    assert added.names == uris
    assert events == [ResourcesChanged(uris), ResourceUpdated("notes://7"), ResourcesChanged(uris)]
    assert service.resources.revision == before + 2
    assert not service.resources


async def test_a_function_tells_that_a_resource_is_another_now() -> None:
    @app_function
    def change(context: AppFunctionContext) -> None:
        """Changes a note."""
        context.resource_updated("notes://7")

    service = make_service(change)
    events: list[object] = []
    service.manager.add_listener(events.append)
    changes = service.manager.observe()
    service.manager.announce(ResourcesChanged(frozenset()))
    await service.manager.execute(ExecuteAppFunctionRequest("change"))
    service.manager.set_enabled("change", service.manager.state_of("change").DISABLED)

    assert ResourceUpdated("notes://7") in events
    assert (await anext(changes)).function_ids, "of functions alone"


def labels_like(value: str, arguments: Mapping[str, str], context: AppFunctionContext) -> Any:
    return [value, *sorted(arguments.values()), context.caller.name]


async def words_like(value: str) -> list[str]:
    return [f"{value}{number}" for number in range(250)]


@app_resource(
    "c://{fixed}/{made}/{words}/{colour}/{literal}{?flag,free,told}",
    complete={
        "fixed": ["Berlin", "bern", "Paris", 7, Colour.RED],
        "made": labels_like,
        "words": words_like,
        "told": lambda value: Completion((value,), 5000, has_more=True),
    },
)
def completed(
    fixed: str,
    made: str,
    words: str,
    colour: Colour,
    literal: Literal["on", "off"],
    flag: bool | None = None,
    free: str | None = None,
    told: str | None = None,
) -> str:
    """Is completed."""
    return f"{fixed}{made}{words}{colour}{literal}{flag}{free}{told}"


@pytest.mark.parametrize(
    ("argument", "value", "completion"),
    [
        ("fixed", "BER", Completion(("Berlin", "bern"), 2)),
        ("fixed", "", Completion(("Berlin", "bern", "Paris", "7", "red"), 5)),
        ("fixed", "x", Completion((), 0)),
        ("made", "v", Completion(("v", "1", "ann"), 3)),
        ("words", "w", Completion(tuple(f"w{n}" for n in range(100)), 250, has_more=True)),
        ("colour", "r", Completion(("red", "rose"), 2)),
        ("literal", "O", Completion(("on", "off"), 2)),
        ("flag", "t", Completion(("true",), 1)),
        ("free", "a", Completion((), 0)),
        ("told", "a", Completion(("a",), 5000, has_more=True)),
    ],
)
async def test_variables_are_completed(argument: str, value: str, completion: Completion) -> None:
    resources = make_service(completed).resources
    uri = resources.templates()[0].uri

    assert await resources.complete(uri, argument, value, {"other": "1"}, READER) == completion


async def test_a_template_is_found_by_an_address_too() -> None:
    @app_resource("c://{name}", complete={"name": ["ann"]})
    def named(name: str) -> str:
        """Named."""
        return name

    resources = make_service(named).resources

    assert (await resources.complete("c://x", "name", "a")).values == ("ann",)


async def test_completing_what_is_not_there_or_hidden_is_refused() -> None:
    resources = make_service(note, completed).resources

    for uri in ("gone://{x}", "notes://{note_id}"):
        with pytest.raises(AppFunctionElementNotFoundException, match="there is no resource"):
            await resources.complete(uri, "note_id", "", None, STRANGER)
    with pytest.raises(AppFunctionInvalidArgumentException, match="near it: colour"):
        await resources.complete(completed_uri(), "color", "")


def completed_uri() -> str:
    return make_service(completed).resources.templates()[0].uri


@pytest.mark.parametrize("made", [5, "text", {"a": 1}, None])
async def test_a_completion_of_another_type_is_the_functions_fault(made: object) -> None:
    @app_resource("c://{name}", complete={"name": lambda value: made if value else []})
    def named(name: str) -> str:
        """Named."""
        return name

    with pytest.raises(AppFunctionAppUnknownException, match="at fault"):
        await make_service(named).resources.complete("c://{name}", "name", "a")


async def test_a_completion_that_crashes_is_logged_and_answered(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def crashes(value: str) -> list[str]:
        raise RuntimeError(f"secret {value}")

    @app_resource("c://{name}", complete={"name": crashes})
    def named(name: str) -> str:
        """Named."""
        return name

    with pytest.raises(AppFunctionAppUnknownException) as caught:
        await make_service(named).resources.complete("c://{name}", "name", "a")

    assert "secret" not in caught.value.text()
    assert str(caught.value.extras["error_id"]) in caplog.text


async def test_readings_are_logged_as_executions_are(caplog: pytest.LogCaptureFixture) -> None:
    service = make_service(note)
    with caplog.at_level(logging.INFO):
        await read(service, "notes://7")
        await failure_of(service, "notes://7", STRANGER)

    told = [message for message in caplog.messages if "kind='resource'" in message]
    assert "function_id='notes://{note_id}' outcome='success'" in told[0]
    assert "result_bytes=6" in told[0]
    assert "outcome='error'" in told[1]
    assert "error_type='AppFunctionElementNotFoundException'" in told[1]


async def test_an_entry_that_nobody_could_read_is_not_listed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    @app_resource("f:///{+path}", entries=lambda: [("f:///a", "a"), ("f:///%2e%2e/b", "b")])
    def kept(path: str) -> str:
        """Kept."""
        return path

    service = make_service(kept)

    assert [m.uri for m in await service.resources.listed()] == ["f:///a"]
    assert "nobody could read the entry 'f:///%2e%2e/b'" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["crash", "text", "large", "endless"])
async def test_values_are_read_where_their_function_runs(kind: str) -> None:
    threads: list[int] = []

    class Value:
        """What an author may return instead of a text."""

        def __str__(self) -> str:
            threads.append(threading.get_ident())
            if kind == "text":
                raise ValueError("no text")
            return "x" * (1_000_000 if kind == "large" else 1)

    def values(value: str) -> Any:
        made = (Value() for _ in (itertools.count() if kind == "endless" else range(2)))
        return (1 / 0 for _ in range(1)) if kind == "crash" else made

    @app_resource("n://{note_id}", complete={"note_id": values})
    def numbered(note_id: str) -> str:
        """Numbered."""
        return note_id

    completing = make_service(numbered).resources.complete("n://{note_id}", "note_id", "")
    if kind == "endless":
        assert await completing == Completion(("x",) * 100, None, has_more=True)
    else:
        error: type[AppFunctionException] = AppFunctionAppUnknownException
        with pytest.raises(AppFunctionInvalidArgumentException if kind == "large" else error):
            await completing
    assert threading.get_ident() not in threads
