"""The prologue: what it answers is what the engine would say, and what it leaves is whole."""

import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from appfunctions_mcp.manifest import Manifest, read_manifest
from appfunctions_mcp.manifest_writing import write_manifest
from appfunctions_mcp.metadata import AppFunctionState
from appfunctions_mcp.server import eras, plain_requests, prologue
from appfunctions_mcp.server.envelopes import read_message
from appfunctions_mcp.server.eras import ClientSession
from appfunctions_mcp.server.handover import _session_of
from appfunctions_mcp.server.methods import Methods
from appfunctions_mcp.server.process import STDIO_CALLER
from appfunctions_mcp.server.prologue import Connection, Prologue
from appfunctions_mcp.server.ready_answers import ready_answers, written_tools
from appfunctions_mcp.service import AppFunctionService, load_service
from appfunctions_mcp.state import JsonFileStateStore
from tests.server.test_transcripts import TRANSCRIPTS, _play, _steady
from tests.support.manifest_app import (
    LISTS,
    listed_names,
    manifests,
    running,
    start_once,
    write_app,
    write_module,
)
from tests.support.metadata_files import write_metadata
from tests.support.stdio_server import PROJECT, StdioServer

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes and pipes of POSIX")

VERSION_KEY, CAPABILITIES_KEY = eras.VERSION_KEY, eras.CAPABILITIES_KEY
ENVELOPE = {VERSION_KEY: "2026-07-28", CAPABILITIES_KEY: {}}
CLIENT = {"name": "client", "version": "1"}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> AppFunctionService:
    """The app, loaded in this process."""
    folder = tmp_path_factory.mktemp("app")
    store = JsonFileStateStore(folder / "states.json")
    return load_service(write_app(folder, name="lists_in_process"), store=store)


@pytest.fixture(scope="module")
def manifest(service: AppFunctionService, tmp_path_factory: pytest.TempPathFactory) -> Manifest:
    """Its manifest."""
    path = str(tmp_path_factory.mktemp("cache") / "manifests" / "made")
    tools = written_tools(service)
    assert write_manifest(path, service, ready_answers(service, tools), tools)
    made = read_manifest(path)
    assert made is not None
    return made


def prologue_of(manifest: Manifest, sent: bytes) -> tuple[bytes, Connection | None]:
    """What a prologue writes for what a client sends at once, and what it leaves."""
    to_client, from_server = os.pipe()
    with tempfile.TemporaryFile() as client:
        client.write(sent)
        client.seek(0)
        try:
            left = Prologue(manifest, client.fileno(), from_server).run()
        finally:
            os.close(from_server)
    with os.fdopen(to_client, "rb") as output:
        return output.read(), left


def engine_of(service: AppFunctionService, sent: bytes) -> tuple[bytes, ClientSession]:
    """What the engine's methods say to the same, and what they learn of the client."""
    methods, session, written = Methods(service), ClientSession(STDIO_CALLER), b""
    for line in sent.split(b"\n"):
        message = read_message(line)
        if not isinstance(message, dict) or "method" not in message:
            continue
        if "id" not in message:
            methods.notify(message["method"], message.get("params"), session)
            continue
        answer = methods.prepare(message, session)
        assert isinstance(answer, dict | bytes)
        written += (answer if isinstance(answer, bytes) else _written(answer)) + b"\n"
    return written, session


def _written(answer: dict[str, Any]) -> bytes:
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode()


def lines_of(*messages: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(m, ensure_ascii=False).encode() + b"\n" for m in messages)


def request(request_id: Any, method: str, params: Any = None) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "id": request_id, "method": method}
    return message if params is None else {**message, "params": params}


def handshake(version: str = "2025-11-25", **capabilities: Any) -> dict[str, Any]:
    params = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": CLIENT}
    return request(0, "initialize", params)


INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}

_IDS = st.integers(-1, 3) | st.sampled_from(["a", "7", "ä", 'q"', "", 1.5, None, True])
_METHODS = st.sampled_from(
    [
        "ping",
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "prompts/list",
        "server/discover",
        "logging/setLevel",
        "initialize",
        "tools/sing",
        "notifications/initialized",
        "notifications/cancelled",
    ]
)
_CAPABILITIES: st.SearchStrategy[Any] = st.dictionaries(
    st.sampled_from(["roots", "sampling", "elicitation", "experimental", "tasks", "tools", "x"]),
    st.sampled_from(
        [{}, {"listChanged": True}, {"listChanged": 1}, {"a": {}}, {"form": 1}, None, True, []]
    ),
    max_size=2,
)
_CLIENTS = st.sampled_from(
    [
        CLIENT,
        {**CLIENT, "title": "Client", "websiteUrl": "https://example.com"},
        {**CLIENT, "icons": [{"src": "a"}]},
        {**CLIENT, "title": None},
        {**CLIENT, "version": 1},
        {"name": "client"},
        None,
    ]
)
_METAS: st.SearchStrategy[Any] = st.sampled_from(
    [{}, {"progressToken": 1}, {"progressToken": "a"}, {"progressToken": None}, {"a": 1}, [], None]
) | st.fixed_dictionaries(
    {},
    optional={
        VERSION_KEY: st.sampled_from(["2026-07-28", "2026-07-28", "2025-11-25", 1, None]),
        CAPABILITIES_KEY: _CAPABILITIES,
        eras.CLIENT_INFO_KEY: _CLIENTS,
        eras.LOG_LEVEL_KEY: st.sampled_from(["info", "loud"]),
    },
)
_PARAMS: st.SearchStrategy[Any] = (
    st.none()
    | st.just({})
    | st.fixed_dictionaries({"_meta": _METAS})
    | st.fixed_dictionaries({"level": st.sampled_from(["info", "loud", 1])})
    | st.fixed_dictionaries({"cursor": st.sampled_from(["", "a", None])})
    | st.fixed_dictionaries({"requestId": st.integers(0, 3)})
    | st.fixed_dictionaries(
        {
            "protocolVersion": st.sampled_from([*eras.HANDSHAKE_VERSIONS, "2099-01-01", 1]),
            "capabilities": _CAPABILITIES,
            "clientInfo": _CLIENTS,
        },
        optional={"_meta": _METAS, "x": st.just(1)},
    )
)
_ENVELOPED = st.builds(
    lambda method, i: request(i, method, {"_meta": ENVELOPE}), _METHODS, st.integers(0, 3)
)
_ANY = st.builds(
    lambda i, method, params, is_request: {
        "jsonrpc": "2.0",
        **({"id": i} if is_request else {}),
        "method": method,
        **({} if params is None else {"params": params}),
    },
    _IDS,
    _METHODS,
    _PARAMS,
    st.booleans(),
)
_MESSAGES = _ANY | _ENVELOPED | st.just(handshake()) | st.just(INITIALIZED)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(_MESSAGES, max_size=6))
def test_what_is_answered_is_what_the_engine_says_and_the_rest_is_left(
    service: AppFunctionService, manifest: Manifest, messages: list[dict[str, Any]]
) -> None:
    sent = lines_of(*messages)
    written, left = prologue_of(manifest, sent)
    unread = b"" if left is None else left.unread
    assert sent.endswith(unread)
    taken = sent[: len(sent) - len(unread)]
    expected, session = engine_of(service, taken)
    assert written == expected
    if left is not None:
        resumed = _session_of(left)
        for name in ClientSession.__slots__:
            assert getattr(resumed, name) == getattr(session, name), name


@pytest.mark.parametrize(
    "messages",
    [
        [request("early", "ping"), handshake(), INITIALIZED, request(1, "tools/list")],
        [handshake("2024-11-05"), request(2, "logging/setLevel", {"level": "info"})],
        [handshake("2099-01-01", roots={"listChanged": True}, sampling={}), request(3, "ping", {})],
        [handshake(tools=True), request(1, "resources/list"), request(2, "prompts/list", {})],
        [
            request(1, "server/discover", {"_meta": ENVELOPE}),
            request(2, "tools/list", {"_meta": ENVELOPE}),
            request(3, "resources/templates/list", {"_meta": ENVELOPE}),
        ],
        [request("x-1", "server/discover", {"_meta": {**ENVELOPE, eras.CLIENT_INFO_KEY: CLIENT}})],
    ],
)
def test_what_clients_really_send_needs_no_engine(
    service: AppFunctionService, manifest: Manifest, messages: list[dict[str, Any]]
) -> None:
    written, left = prologue_of(manifest, lines_of(*messages))
    assert left is None
    assert written == engine_of(service, lines_of(*messages))[0]


@pytest.mark.parametrize(
    "line",
    [
        b"{bad",
        b"[]",
        b'\xff{"jsonrpc":"2.0","id":1,"method":"ping"}',
        b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"ping"}',
        b'{"jsonrpc":"1.0","id":1,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":1.0,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":true,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","extra":1}',
        b'{"jsonrpc":"2.0","id":1,"result":{}}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
        b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * 70_000 + b'"}',
        json.dumps(request(1, "tools/call", {"name": "add_item"})).encode(),
        json.dumps(request(1, "subscriptions/listen", {"_meta": ENVELOPE})).encode(),
    ],
)
def test_every_other_line_is_left_with_all_behind_it(manifest: Manifest, line: bytes) -> None:
    rest = line + b"\n" + lines_of(request(2, "ping"))
    written, left = prologue_of(manifest, lines_of(handshake()) + rest)
    assert written.count(b"\n") == 1
    assert left is not None
    assert left.unread == rest


def test_lines_may_end_in_crlf_and_be_blank(manifest: Manifest) -> None:
    ping = json.dumps(request(1, "ping")).encode()
    written, left = prologue_of(manifest, b"\r\n\n  \n" + ping + b" \r\n")
    assert (written, left) == (b'{"jsonrpc":"2.0","id":1,"result":{}}\n', None)


def test_a_last_line_without_a_line_feed_is_left(manifest: Manifest) -> None:
    last = json.dumps(request(1, "ping")).encode()
    written, left = prologue_of(manifest, lines_of(handshake()) + last)
    assert written.count(b"\n") == 1
    assert left is not None
    assert (left.unread, left.has_ended) == (last, True)


def test_the_constants_are_the_engines() -> None:
    assert plain_requests.HANDSHAKE_VERSIONS == eras.HANDSHAKE_VERSIONS
    assert (plain_requests.MODERN_VERSION,) == eras.MODERN_VERSIONS
    assert plain_requests.LOG_LEVELS == eras.LOG_LEVELS
    names = ("VERSION_KEY", "CAPABILITIES_KEY", "CLIENT_INFO_KEY")
    assert all(getattr(plain_requests, n) == getattr(eras, n) for n in names)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The metadata file of an app that has a fresh manifest."""
    made = write_app(tmp_path / "app")
    start_once(made)
    assert len(manifests()) == 1
    return made


@pytest.fixture
def server(file: Path) -> Iterator[StdioServer]:
    """A server of it that was started from the manifest."""
    with running(file) as started:
        yield started


SERVED = [p for p in TRANSCRIPTS if p.parent.name == "wire" and p.stem != "states"]
"""What `served_functions` answers and a file can declare; `test_prologue_parts` has the rest."""


@pytest.mark.parametrize("path", SERVED, ids=lambda p: p.stem)
def test_a_client_gets_what_the_transcript_says_from_a_manifest_too(
    path: Path, tmp_path: Path
) -> None:
    app = write_metadata(
        tmp_path,
        'appfn:description="Serves tests.&#10;Add before you echo." mcp:name="served" '
        f'mcp:version="1.2.3" mcp:pythonPath="{Path.cwd()}"',
        '<mcp:functions module="tests.support.served_functions" />\n',
    )
    start_once(app)
    expected = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    with running(app, cwd=Path.cwd()) as server:
        got = _play(server, expected)
        server.close_input()
        got += [{"server": _steady(message)} for message in server.rest()]
        assert server.wait() == 0
    assert got == expected


def test_a_start_from_a_manifest_imports_next_to_nothing(file: Path) -> None:
    sent = lines_of(handshake(), INITIALIZED, request(1, "tools/list"))
    environ = {n: v for n, v in os.environ.items() if not n.startswith("COVERAGE_PROCESS")}
    command = [sys.executable, "-P", "-X", "importtime", "-m", "appfunctions_mcp", "run", str(file)]
    for _ in range(2):
        done = subprocess.run(
            command, input=sent, capture_output=True, env=environ, cwd=file.parent, check=True
        )
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
    assert "appfunctions_mcp.server.prologue" in imported
    heavy = "asyncio typing enum re json dataclasses pathlib argparse signal hashlib ctypes"
    assert not imported & {*heavy.split(), "pydantic_core", "app_lists"}
    ours = {name for name in imported if name.startswith("appfunctions_mcp.")}
    assert len(ours) <= 7, ours


def test_a_call_goes_on_where_the_handshake_ended(server: StdioServer) -> None:
    assert listed_names(server) == ["add_item"]
    assert "imported" not in server.stderr
    assert server.call("add_item", {"text": "milk"})["result"]["content"][0]["text"] == "added milk"
    assert "imported" in server.stderr
    assert server.request("ping")["result"] == {}
    server.close_input()
    assert server.wait() == 0


def test_everything_sent_at_once_is_answered_in_order(server: StdioServer) -> None:
    call = request(2, "tools/call", {"name": "add_item", "arguments": {"text": "milk"}})
    messages = [handshake(), INITIALIZED, request(1, "tools/list"), call, request(3, "tools/list")]
    server.send(*messages)
    server.send_bytes(json.dumps(request(4, "ping")).encode())
    server.close_input()
    answers = {message["id"]: message for message in server.rest()}
    assert answers.keys() == {0, 1, 2, 3, 4}
    assert answers[1]["result"] == answers[3]["result"]
    assert server.wait() == 0


def test_progress_and_levels_agreed_on_before_the_app_is_imported_hold(tmp_path: Path) -> None:
    module = LISTS.replace("(text: str)", "(text: str, context: AppFunctionContext)").replace(
        "import app_function", "import AppFunctionContext, app_function"
    )
    module = module.replace('    return f"added', '    context.log(text)\n    return f"added')
    file = write_app(tmp_path / "app", module=module)
    start_once(file)
    with running(file) as server:
        server.initialize()
        server.request("logging/setLevel", {"level": "info"})
        assert "imported" not in server.stderr
        server.call("add_item", {"text": "milk"})
        assert [n["params"]["data"] for n in server.notifications] == ["milk"]


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_a_signal_ends_the_prologue(server: StdioServer, name: str) -> None:
    listed_names(server)
    server.signal(getattr(signal, name))
    assert server.wait() == 0
    assert server.stderr == ""


def test_a_broken_pipe_ends_the_prologue(manifest: Manifest) -> None:
    to_server, from_client = os.pipe()
    to_client, from_server = os.pipe()
    os.close(to_client)
    os.write(from_client, lines_of(handshake()))
    assert Prologue(manifest, to_server, from_server).run() is None
    for descriptor in (to_server, from_client, from_server):
        os.close(descriptor)


def test_a_client_may_write_on_before_it_reads(manifest: Manifest) -> None:
    to_server, from_client = os.pipe()
    to_client, from_server = os.pipe()
    count = 2000

    def send() -> None:
        with os.fdopen(from_client, "wb") as output:
            output.write(lines_of(handshake(), *(request(i, "tools/list") for i in range(count))))

    with ThreadPoolExecutor(2) as pool, os.fdopen(to_client, "rb") as output:
        sent = pool.submit(send)
        left = pool.submit(Prologue(manifest, to_server, from_server).run)
        sent.result(20)
        written = b"".join(output.readline() for _ in range(count + 1))
        assert left.result(20) is None
    os.close(to_server)
    os.close(from_server)
    assert [json.loads(line)["id"] for line in written.splitlines()] == [0, *range(count)]


def test_an_answer_that_nobody_reads_is_finished_by_the_engine(file: Path) -> None:
    count = 25_000
    lists = b"".join(lines_of(request(i, "tools/list")) for i in range(count))
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "appfunctions_mcp", "run", str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=file.parent,
    ) as process:
        assert process.stdin is not None
        process.stdin.write(lines_of(handshake()) + lists)
        process.stdin.flush()
        assert process.stdout is not None
        ids = [json.loads(process.stdout.readline())["id"] for _ in range(count + 1)]
        _, said = process.communicate(timeout=20)
    assert ids == [0, *range(count)]
    assert said == b"imported\n"
    assert process.returncode == 0


def test_states_are_respected_and_changes_are_told(file: Path, tmp_path: Path) -> None:
    states = tmp_path / "states.json"
    store = JsonFileStateStore(states)
    start_once(file, "--state-file", str(states))
    with running(file, "--state-file", str(states)) as server:
        assert listed_names(server) == ["add_item"]
        store.write("app_lists#clear_list", AppFunctionState.ENABLED)
        assert server.read()["method"] == "notifications/tools/list_changed"
        tools = server.request("tools/list")["result"]["tools"]
        assert [tool["name"] for tool in tools] == ["add_item", "clear_list"]
        store.write("app_lists#add_item", AppFunctionState.DISABLED)
        assert server.read()["method"] == "notifications/tools/list_changed"
        assert "imported" not in server.stderr
        result = server.call("add_item", {"text": "milk"})["result"]
        assert result["_meta"]["appfunctions/error"]["type"] == "AppFunctionDisabledException"
        assert server.notifications == []


def test_a_state_file_that_cannot_be_read_keeps_the_server_from_starting(
    file: Path, tmp_path: Path
) -> None:
    states = tmp_path / "states.json"
    start_once(file, "--state-file", str(states))
    states.write_text('{"version": 99}', "utf-8")
    with running(file, "--state-file", str(states)) as server:
        assert server.wait() == 2
        assert str(states) in server.stderr


def test_a_call_by_an_old_schema_is_refused_and_the_list_is_said_to_have_changed(
    file: Path, server: StdioServer
) -> None:
    listed_names(server)
    write_module(file.parent, LISTS.replace("text: str", "text: str, count: int"))
    result = server.call("add_item", {"text": "milk"})["result"]
    assert result["isError"] is True
    assert result["content"][0]["text"] == (
        "AppFunctionInvalidArgumentException: the list of tools that this call was made by is old: "
        "add_item has changed\nRecovery: List the tools again, and call by the new schema."
    )
    assert [n["method"] for n in server.notifications] == ["notifications/tools/list_changed"]
    (tool,) = server.request("tools/list")["result"]["tools"]
    assert "count" in tool["inputSchema"]["properties"]
    answer = server.call("add_item", {"text": "milk", "count": 2})
    assert answer["result"]["isError"] is False
    assert "mcp:dependsOn" in server.stderr


def test_a_list_that_a_data_file_has_changed_is_right_at_the_next_start(tmp_path: Path) -> None:
    app = tmp_path / "app"
    app.mkdir()
    (app / "word.txt").write_text("item", "utf-8")
    module = LISTS.replace("Adds an item.", "Adds a WORD.").replace("@app_function\n", "", 1)
    module += (
        "from pathlib import Path\n"
        "word = Path(__file__).with_name('word.txt').read_text('utf-8')\n"
        "add_item.__doc__ = add_item.__doc__.replace('WORD', word)\n"
        "add_item = app_function(add_item)\n"
    )
    file = write_app(app, module=module)
    start_once(file)
    (app / "word.txt").write_text("thing", "utf-8")
    with running(file) as server:
        assert listed_names(server) == ["add_item"]
        result = server.call("add_item", {"text": "milk"})["result"]
        assert result["isError"] is False, "only the description has changed"
        assert [n["method"] for n in server.notifications] == ["notifications/tools/list_changed"]
    with running(file) as server:
        listed_names(server)
        (tool,) = server.request("tools/list")["result"]["tools"]
        assert tool["description"] == "Adds a thing."
        assert "imported" not in server.stderr


def test_a_tool_that_has_gone_is_said_to_have_changed(file: Path, server: StdioServer) -> None:
    listed_names(server)
    write_module(file.parent, LISTS.replace("add_item", "put_item"))
    text = server.call("add_item", {"text": "milk"})["result"]["content"][0]["text"]
    assert text.startswith("AppFunctionInvalidArgumentException: the list of tools")
    assert server.request("tools/list")["result"]["tools"][0]["name"] == "put_item"
    assert server.call("add_item", {"text": "milk"})["error"]["code"] == -32602


def test_an_app_that_cannot_be_loaded_any_more_says_so_in_each_result(
    file: Path, server: StdioServer
) -> None:
    listed_names(server)
    tools = server.request("tools/list")["result"]
    write_module(file.parent, LISTS + "\nraise RuntimeError('no database')\n")
    for _ in range(2):
        result = server.call("add_item", {"text": "milk"})["result"]
        assert result["isError"] is True
        text = result["content"][0]["text"]
        assert text.startswith("AppFunctionAppUnknownException: the app cannot be loaded: ")
        assert "no database" in text
    assert server.request("tools/list")["result"] == tools
    assert server.request("ping")["result"] == {}
    assert server.notifications == []
    server.close_input()
    assert server.wait() == 0
    assert "no database" in server.stderr
    with running(file) as again:
        assert again.wait() == 2


def test_an_app_whose_metadata_has_gone_says_so_in_each_result(tmp_path: Path) -> None:
    (tmp_path / "metadata").mkdir()
    file = write_app(tmp_path / "metadata")
    start_once(file.parent)
    with running(file.parent) as server:
        assert listed_names(server) == ["add_item"]
        file.unlink()
        result = server.call("add_item", {"text": "milk"})["result"]
        assert result["isError"]
        assert "the app cannot be loaded" in result["content"][0]["text"]
        assert "imported" not in server.stderr


def test_a_modern_client_is_served_on_by_the_engine(server: StdioServer) -> None:
    discovered = server.request("server/discover", {"_meta": ENVELOPE})["result"]
    assert discovered["supportedVersions"] == ["2026-07-28"]
    assert "imported" not in server.stderr
    params = {"name": "add_item", "arguments": {"text": "milk"}, "_meta": ENVELOPE}
    assert server.request("tools/call", params)["result"]["resultType"] == "complete"
    refused = server.request("initialize", handshake()["params"])["error"]
    assert refused["code"] == -32022


def test_what_modules_print_misses_the_protocol(tmp_path: Path) -> None:
    module = 'import os\nprint("noise")\nos.write(1, b"noise\\n")\n' + LISTS
    file = write_app(tmp_path / "app", module=module)
    start_once(file)
    with running(file) as server:
        listed_names(server)
        server.call("add_item", {"text": "milk"})
        assert all(json.loads(line)["jsonrpc"] == "2.0" for line in server.raw)


@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&- 2>&-"])
def test_a_closed_descriptor_is_for_the_full_start(file: Path, closed: str) -> None:
    done = _served_in_a_shell(file, closed)
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.parametrize("option", ["", "--eager"])
def test_a_closed_stderr_is_no_fault(file: Path, option: str) -> None:
    done = _served_in_a_shell(file, f"{option} 2>&-")
    assert (done.returncode, json.loads(done.stdout)["id"]) == (0, 0)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has /dev/full")
def test_an_output_that_cannot_be_written_is_told(file: Path) -> None:
    """F38: only a client that has gone is passed over in silence."""
    done = _served_in_a_shell(file, ">/dev/full")
    assert done.returncode == 0
    assert b"the client cannot be written to: [Errno 28]" in done.stderr


def _environment() -> dict[str, str]:
    """What `running` gives a server, so that the manifest of such a start is found."""
    path = os.pathsep.join(filter(None, [str(PROJECT), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path}


def _served_in_a_shell(file: Path, redirection: str) -> subprocess.CompletedProcess[bytes]:
    """A server that gets a handshake, its descriptors redirected."""
    return subprocess.run(
        [
            "sh",
            "-c",
            f'exec "$0" -P -m appfunctions_mcp run "{file}" {redirection}',
            sys.executable,
        ],
        input=lines_of(handshake()),
        capture_output=True,
        cwd=file.parent,
        env=_environment(),
        check=False,
    )


def test_a_signal_leaves_the_output_as_it_was(file: Path) -> None:
    to_client, from_server = os.pipe()
    with (
        os.fdopen(to_client, "rb") as output,
        subprocess.Popen(
            [sys.executable, "-P", "-m", "appfunctions_mcp", "run", str(file)],
            stdin=subprocess.PIPE,
            stdout=from_server,
            cwd=file.parent,
            env=_environment(),
        ) as process,
    ):
        assert process.stdin is not None
        process.stdin.write(lines_of(handshake()))
        process.stdin.flush()
        assert json.loads(output.readline())["id"] == 0
        assert not os.get_blocking(from_server)
        process.terminate()
        assert process.wait(20) == 0
        assert os.get_blocking(from_server)
        os.close(from_server)


def test_the_first_change_of_a_state_is_told_where_the_folder_was_not_there(
    file: Path, tmp_path: Path
) -> None:
    states = tmp_path / "states" / "of" / "mine.json"
    options = ("--state-file", str(states))
    start_once(file, *options)
    with running(file, *options) as server:
        assert listed_names(server) == ["add_item"]
        while not states.parent.is_dir():  # made once the client is quiet
            assert server.process.poll() is None
        assert stat.S_IMODE(states.parent.stat().st_mode) == 0o700
        JsonFileStateStore(states).write("app_lists#add_item", AppFunctionState.DISABLED)
        assert server.read()["method"] == "notifications/tools/list_changed"
        assert "imported" not in server.stderr


def test_news_that_find_no_reader_are_left_to_the_engine(
    manifest: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pipe is full of what the client has not read, and it writes on."""
    to_server, from_client = os.pipe()
    to_client, from_server = os.pipe()
    monkeypatch.setattr(prologue, "MAX_UNREAD_BYTES", 0)
    monkeypatch.setattr(prologue, "WATCH_AFTER_MS", 0)
    served = Prologue(manifest, to_server, from_server)
    os.write(from_client, lines_of(handshake(), INITIALIZED))
    os.set_blocking(from_server, False)
    filler = os.write(from_server, b" " * 1_048_576)
    os.set_blocking(from_server, True)
    left = served.run()
    assert left is not None
    assert filler > 0
    assert (left.unread, left.unsent[:17]) == (lines_of(INITIALIZED), b'{"jsonrpc":"2.0",')
    for descriptor in (to_server, from_client, to_client, from_server):
        os.close(descriptor)
