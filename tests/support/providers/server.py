"""The server: it reads requests, checks them and does what the script says."""

import asyncio
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from tests.support.providers.chat_completions import MISTRAL, OPENAI
from tests.support.providers.checking import all_violations
from tests.support.providers.exchange import Connection, ReceivedRequest, read_request
from tests.support.providers.generate_content import GEMINI
from tests.support.providers.memory import Memory
from tests.support.providers.messages_api import ANTHROPIC
from tests.support.providers.ollama_chat import OLLAMA
from tests.support.providers.paths import format_of, model_of
from tests.support.providers.requests import Request
from tests.support.providers.responses import RESPONSES
from tests.support.providers.script import (
    Always,
    Answer,
    Dropped,
    Failure,
    Hang,
    Ids,
    Recorded,
    Reply,
    Step,
)
from tests.support.providers.speaking import Speaker

DEADLINE_SECONDS = 20.0
SPEAKERS: Mapping[str, Speaker] = {
    "openai-chat": OPENAI,
    "openai-responses": RESPONSES,
    "anthropic": ANTHROPIC,
    "gemini": GEMINI,
    "mistral": MISTRAL,
    "ollama": OLLAMA,
}


class ProviderServer:
    """A running server, with its script and the requests that came."""

    def __init__(self, steps: tuple[Step, ...], *, checked: bool) -> None:
        self.requests: list[Request] = []
        """Those for a reply, in the order in which they came."""
        self.faults: list[BaseException] = []
        """What went wrong in the script itself; raised when the server ends."""
        self.port = 0
        self._steps = list(steps)
        self._checked = checked
        self._memory = Memory()
        self._ids = Ids()
        self._hang_ups = 0
        self._changed = threading.Condition()

    @property
    def refused(self) -> list[Request]:
        """The requests that broke a rule."""
        return [request for request in self.requests if request.violations]

    @property
    def url(self) -> str:
        """The server's address without a path."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def openai_url(self) -> str:
        """`base_url` of OpenAI's clients, for Chat Completions and Responses."""
        return f"{self.url}/v1"

    @property
    def anthropic_url(self) -> str:
        """`base_url` of Anthropic's clients."""
        return self.url

    @property
    def gemini_url(self) -> str:
        """`base_url` in the `http_options` of Google's clients."""
        return self.url

    @property
    def mistral_url(self) -> str:
        """`base_url` of OpenAI's clients for Mistral's endpoint, with Mistral's rules."""
        return f"{self.url}/mistral/v1"

    @property
    def ollama_url(self) -> str:
        """Where `/api/chat` is; OpenAI's clients take `/v1` behind it."""
        return self.url

    def url_of(self, format: str) -> str:  # noqa: A002 - the word for it
        """The `base_url` for a format by its name."""
        by_name = {
            "openai-chat": self.openai_url,
            "openai-responses": self.openai_url,
            "mistral": self.mistral_url,
        }
        return by_name.get(format, self.url)

    def add(self, *steps: Step) -> None:
        """Prolongs the script."""
        self._steps.extend(steps)

    def know(self, body: Any) -> None:
        """Makes the signatures of a body known, a request or a response from elsewhere."""
        self._memory.learn(body)

    def wait_for(self, count: int) -> None:
        """Waits until so many requests have come."""
        with self._changed:
            came = self._changed.wait_for(lambda: len(self.requests) >= count, DEADLINE_SECONDS)
        assert came, f"{len(self.requests)} of {count} requests came"

    def wait_for_hang_ups(self, count: int) -> None:
        """Waits until so many clients have gone away from a `Hang`."""
        with self._changed:
            came = self._changed.wait_for(lambda: self._hang_ups >= count, DEADLINE_SECONDS)
        assert came, f"{self._hang_ups} of {count} clients hung up"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answers the requests of one connection."""
        connection = Connection(reader, writer)
        try:
            if head := await read_request(reader):
                await self._answer(head, connection)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # clients go away in the middle, and the server ends; tests see it at their end
        finally:
            writer.close()

    async def _answer(self, head: ReceivedRequest, connection: Connection) -> None:
        name = format_of(head.path)
        if name is None:
            missing = json.dumps({"error": {"message": f"there is no {head.path}"}}).encode()
            await connection.send(404, "application/json", missing)
            return
        request = _request_of(name, head)
        with self._changed:
            self.requests.append(request)
            self._changed.notify_all()
        if self._checked:
            request.violations = all_violations(request, self._memory)
        if request.violations:
            said = " ".join(f"{v.rule} at {v.path}: {v.text}" for v in request.violations)
            answer: Answer = Failure(400, said)
        else:
            answer = self._next_answer(request)
        await self._give(answer, request, connection)

    def _next_answer(self, request: Request) -> Answer:
        try:
            return self._resolved(self._next_step(), request)
        except Exception as error:  # noqa: BLE001 - it is the test's own, and raised at the end
            self.faults.append(error)
            return Failure(400, f"the script of the test failed: {error}")

    def _next_step(self) -> Step:
        if not self._steps:
            raise AssertionError("a request came beyond the end of the script")
        step = self._steps[0]
        if not isinstance(step, Always):
            self._steps.pop(0)
        return step

    def _resolved(self, step: Step, request: Request) -> Answer:
        if isinstance(step, str):
            return Reply(step)
        if isinstance(step, Always):
            return self._resolved(step.step, request)
        if isinstance(step, Reply | Failure | Hang | Dropped | Recorded):
            return step
        return self._resolved(step(request), request)

    async def _give(self, answer: Answer, request: Request, connection: Connection) -> None:
        request.status = answer.status if isinstance(answer, Failure) else 200
        match answer:
            case Failure():
                await self._fail(answer, request, connection)
            case Recorded():
                self._memory.learn(answer.body)
                await _send_recorded(answer.body, request, connection)
            case Reply():
                await self._reply(answer, request, connection, None)
            case Dropped():
                await self._reply(answer.reply, request, connection, answer.after)
            case Hang():
                await self._hang(answer, request, connection)

    async def _hang(self, hang: Hang, request: Request, connection: Connection) -> None:
        # A client may go away while something is still sent to it.
        with suppress(ConnectionError):
            if hang.reply is not None:
                await self._reply(hang.reply, request, connection, hang.after)
            await connection.wait_for_end()
        with self._changed:
            self._hang_ups += 1
            self._changed.notify_all()

    async def _fail(self, failure: Failure, request: Request, connection: Connection) -> None:
        message = failure.message or f"The scripted failure {failure.status}."
        body = SPEAKERS[request.format].error(failure.status, message)
        headers = {}
        if failure.retry_after is not None:
            headers["retry-after"] = f"{failure.retry_after:g}"
        content = json.dumps(body).encode()
        await connection.send(failure.status, "application/json", content, headers)

    async def _reply(
        self, reply: Reply, request: Request, connection: Connection, after: int | None
    ) -> None:
        """Sends a reply, or as much of it as is asked for."""
        speaker = SPEAKERS[request.format]
        body = speaker.body(reply, request, self._ids)
        self._memory.learn(body)
        self._memory.store(request, body)
        if request.is_streamed:
            events = list(speaker.events(reply, request, body))
            await connection.stream(speaker.stream_type, events, after)
            return
        content = json.dumps(body, ensure_ascii=False).encode()
        sent = None if after is None else len(content) // 2
        await connection.send(200, "application/json", content, most=sent)


def _request_of(name: str, head: ReceivedRequest) -> Request:
    try:
        body = json.loads(head.content)
    except json.JSONDecodeError:
        body = None
    members = body if isinstance(body, dict) else {}
    is_streamed = bool(members.get("stream", name == "ollama")) or ":stream" in head.path
    model = model_of(head.path) or str(members.get("model") or "")
    return Request(name, head.path, head.headers, members, model, is_streamed)


async def _send_recorded(body: Any, request: Request, connection: Connection) -> None:
    if isinstance(body, str):
        stream_type = SPEAKERS[request.format].stream_type
        await connection.stream(stream_type, [body.encode()], None)
        return
    await connection.send(200, "application/json", json.dumps(body).encode())


@contextmanager
def provider_server(*steps: Step, checked: bool = True) -> Iterator[ProviderServer]:
    """Serves a script; the package's docstring says what may stand in it.

    Args:
        *steps: The script.
        checked: Whether requests that break a rule are refused.
    """
    server = ProviderServer(steps, checked=checked)
    is_ready = threading.Event()
    stopping: list[Any] = []

    async def run() -> None:
        stop = asyncio.Event()
        listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
        server.port = listening.sockets[0].getsockname()[1]
        stopping.extend((asyncio.get_running_loop(), stop))
        is_ready.set()
        await stop.wait()
        listening.close()
        serving = asyncio.all_tasks() - {asyncio.current_task()}
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)

    thread = threading.Thread(target=asyncio.run, args=(run(),))
    thread.start()
    assert is_ready.wait(DEADLINE_SECONDS)
    try:
        yield server
    finally:
        loop, stop = stopping
        loop.call_soon_threadsafe(stop.set)
        thread.join(DEADLINE_SECONDS)
    if server.faults:
        raise server.faults[0]
