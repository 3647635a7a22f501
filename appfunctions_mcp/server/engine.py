"""The lean engine: one stdio connection, without any MCP library.

`methods.py` says what is answered; here is when: requests that take time run in tasks, a
cancellation ends them unanswered, questions wait for their responses, changes are told to a
client that listens.
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Literal

from appfunctions_mcp.eager_tasks import begin_task
from appfunctions_mcp.server.announcer import Announcer, Changes
from appfunctions_mcp.server.envelopes import Message, RequestId
from appfunctions_mcp.server.eras import ClientSession, Params
from appfunctions_mcp.server.methods import Methods
from appfunctions_mcp.server.pending_request import Answer, PendingRequest
from appfunctions_mcp.server.process import STDIO_CALLER, Engine, serve_process
from appfunctions_mcp.server.stdio import StdioTransport
from appfunctions_mcp.server.subscriptions import (
    EVERY_LIST,
    MAX_SUBSCRIPTIONS,
    Subscription,
    told_of,
)
from appfunctions_mcp.service import AppFunctionService

MAX_UNREAD_BYTES = 1024 * 1024
"""How much a client may leave unread while it is told of each change on its own."""


def serve_stdio(
    service: AppFunctionService,
    *,
    engine: Literal["lean", "sdk"] = "lean",
    threads: bool = False,
    watch_parent: bool = False,
) -> None:
    """Serves a service on the process's stdin and stdout until the client is gone.

    Call `guard_stdout` before user modules are imported.

    Args:
        service: What is served.
        engine: What speaks MCP: our own engine, or the MCP SDK.
        threads: Reads and writes in threads though the platform could do without.
        watch_parent: Ends, too, when the process that started this one has ended.
    """
    make_engine: Callable[[AppFunctionService, StdioTransport], Engine] = LeanEngine
    if engine == "sdk":
        # Before a client that leaves starts the clock: the import takes long.
        from appfunctions_mcp.server.sdk.stdio_engine import SdkEngine

        make_engine = SdkEngine
    serve_process(
        service, partial(make_engine, service), threads=threads, watch_parent=watch_parent
    )


class LeanEngine:
    """Answers the messages of one connection.

    Args:
        service: What is served; somebody else keeps it running.
        transport: Carries the messages.
        session: What is known of the client already.
    """

    def __init__(
        self,
        service: AppFunctionService,
        transport: StdioTransport,
        session: ClientSession | None = None,
    ) -> None:
        self._service = service
        self._transport = transport
        transport.together = service.manager.refreshed
        self._session = session or ClientSession(STDIO_CALLER)
        self._session.open_way(self._emit)
        self._methods = Methods(service)
        self._running: dict[asyncio.Task[Answer], PendingRequest] = {}
        self._ending: set[asyncio.Task[Answer]] = set()
        """Requests that were cancelled and are not over yet."""
        self._subscriptions: list[Subscription] = []
        self._untold = Changes()
        self._telling: asyncio.Task[None] | None = None
        """Waits until the client has read enough to be told of changes."""
        self._closed = asyncio.Event()

    async def run(self) -> None:
        """Serves the messages that are received, until `close`."""
        announcer = Announcer()
        announcer.add(self._take_change)
        with announcer.announcing(self._service):
            await self._closed.wait()
        if self._telling is not None:
            self._telling.cancel()
        for task in tuple(self._running):
            self._end(task)
        await asyncio.gather(*self._ending, return_exceptions=True)

    def receive(self, message: Message) -> None:
        """Takes one valid message."""
        if "method" not in message:
            self._session.take_response(message)
            return
        if "id" not in message:
            self._take_notification(message["method"], message.get("params"))
            return
        prepared = self._methods.prepare(message, self._session)
        if isinstance(prepared, PendingRequest):
            self._begin(prepared)
        elif isinstance(prepared, Subscription):
            self._subscribe(prepared)
        else:
            self._answer(message["id"], prepared)

    def end_input(self) -> None:
        """Ends what would wait for ever: questions, and streams of changes, with their response."""
        if self._session.questions is not None:
            self._session.questions.close()
        for subscription in self._subscriptions:
            self._transport.send(subscription.ended())
        self._subscriptions.clear()

    def close(self) -> None:
        """Ends `run`, which cancels what still runs."""
        self._closed.set()

    def _begin(self, pending: PendingRequest) -> None:
        begun = pending.begin(self._emit)
        if isinstance(begun, bytes | dict):
            self._answer(pending.request_id, begun)
            return
        task = begin_task(_awaited(begun))
        self._running[task] = pending
        if task.done():
            self._end_request(task)
        else:
            task.add_done_callback(self._end_request)

    def _end_request(self, task: asyncio.Task[Answer]) -> None:
        pending = self._running.pop(task, None)
        # What was cancelled and ended all the same is not answered.
        if pending is not None and not task.cancelled():
            self._answer(pending.request_id, task.result())

    def _answer(self, request_id: RequestId, answer: Answer) -> None:
        if isinstance(answer, bytes):
            self._transport.send_line(request_id, answer)
        else:
            self._transport.send(answer)

    async def _emit(self, notification: Message) -> None:
        self._transport.send(notification)
        await self._transport.drain()

    def _take_notification(self, method: str, params: Params) -> None:
        if method == "notifications/cancelled":
            self._cancel((params or {}).get("requestId"))
        else:
            self._methods.notify(method, params, self._session)

    def _cancel(self, request_id: Any) -> None:
        """Ends a request that waits for its answer: of several with this id the last one."""
        if not self._transport.is_unanswered(request_id):
            return
        self._transport.forget(request_id)
        for task, pending in reversed(self._running.items()):
            if pending.request_id == request_id:
                self._end(task)
                return
        for subscription in reversed(self._subscriptions):
            if subscription.request_id == request_id:
                self._subscriptions.remove(subscription)
                return

    def _end(self, task: asyncio.Task[Answer]) -> None:
        del self._running[task]
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
        task.cancel()

    def _subscribe(self, subscription: Subscription) -> None:
        if len(self._subscriptions) >= MAX_SUBSCRIPTIONS:
            self._transport.send(subscription.refused())
            return
        self._subscriptions.append(subscription)
        self._transport.send(subscription.acknowledged())

    def _take_change(self, changes: Changes) -> None:
        """Tells of changes, once the client has read what was written before."""
        session = self._session
        if session.era != "modern":
            self._untold.merge(changes.among(EVERY_LIST, session.subscribed))
        for subscription in self._subscriptions:
            self._untold.merge(subscription.wanted_of(changes))
        if self._untold and self._telling is None:
            if self._transport.unsent_bytes <= MAX_UNREAD_BYTES:
                self._tell_of_changes()
            else:
                self._telling = asyncio.create_task(self._tell_when_read())

    async def _tell_when_read(self) -> None:
        await self._transport.drain(MAX_UNREAD_BYTES)
        self._telling = None
        self._tell_of_changes()

    def _tell_of_changes(self) -> None:
        """In the way of each era: to the client as such, or on the streams that it has opened."""
        session, changes, self._untold = self._session, self._untold, Changes()
        if session.is_initialized and session.era != "modern":
            for notification in told_of(
                changes, self._service, session.caller, lists=EVERY_LIST, uris=session.subscribed
            ):
                self._transport.send(notification)
        for subscription in self._subscriptions:
            for message in subscription.changed(changes):
                self._transport.send(message)


async def _awaited(answer: Awaitable[Answer]) -> Answer:
    return await answer
