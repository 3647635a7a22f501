"""The lean engine: one stdio connection, without any MCP library.

`methods.py` says what is answered; here is when: requests that take time run in tasks, a
cancellation ends them unanswered, changes are told to a client that listens.
"""

import asyncio
from collections.abc import Awaitable
from typing import Any

from appfunctions_mcp.eager_tasks import begin_task
from appfunctions_mcp.metadata import AppFunctionCaller
from appfunctions_mcp.server.announcer import Announcer
from appfunctions_mcp.server.envelopes import Message, RequestId
from appfunctions_mcp.server.eras import ClientSession, Params
from appfunctions_mcp.server.methods import (
    LIST_CHANGED,
    MAX_SUBSCRIPTIONS,
    Methods,
    Subscription,
)
from appfunctions_mcp.server.pending_call import Answer, PendingCall
from appfunctions_mcp.server.process import serve_process
from appfunctions_mcp.server.stdio import StdioTransport
from appfunctions_mcp.service import AppFunctionService

STDIO_CALLER = AppFunctionCaller(connection="stdio", local_user=True)


def serve_stdio(
    service: AppFunctionService, *, threads: bool = False, watch_parent: bool = False
) -> None:
    """Serves a service on the process's stdin and stdout until the client is gone.

    Call `guard_stdout` before user modules are imported.

    Args:
        service: What is served.
        threads: Reads and writes in threads though the platform could do without.
        watch_parent: Ends, too, when the process that started this one has ended.
    """
    serve_process(
        service,
        lambda transport: LeanEngine(service, transport),
        threads=threads,
        watch_parent=watch_parent,
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
        self._methods = Methods(service)
        self._running: dict[asyncio.Task[Answer], PendingCall] = {}
        self._ending: set[asyncio.Task[Answer]] = set()
        """Calls that were cancelled and are not over yet."""
        self._subscriptions: list[Subscription] = []
        self._closed = asyncio.Event()

    async def run(self) -> None:
        """Serves the messages that are received, until `close`."""
        announcer = Announcer()
        announcer.add(self._tell_of_change)
        with announcer.announcing(self._service):
            await self._closed.wait()
        for task in tuple(self._running):
            self._end(task)
        await asyncio.gather(*self._ending, return_exceptions=True)

    def receive(self, message: Message) -> None:
        """Takes one valid message."""
        if "method" not in message:
            return  # a response, though nothing was asked of the client
        if "id" not in message:
            self._take_notification(message["method"], message.get("params"))
            return
        prepared = self._methods.prepare(message, self._session)
        if isinstance(prepared, PendingCall):
            self._call(prepared)
        elif isinstance(prepared, Subscription):
            self._subscribe(prepared)
        else:
            self._answer(message["id"], prepared)

    def end_input(self) -> None:
        """Ends what would wait for ever: each stream of changes, with its response."""
        for subscription in self._subscriptions:
            self._transport.send(subscription.ended())
        self._subscriptions.clear()

    def close(self) -> None:
        """Ends `run`, which cancels what still runs."""
        self._closed.set()

    def _call(self, call: PendingCall) -> None:
        begun = call.begin(self._emit)
        if isinstance(begun, bytes | dict):
            self._answer(call.request_id, begun)
            return
        task = begin_task(_awaited(begun))
        self._running[task] = call
        if task.done():
            self._end_call(task)
        else:
            task.add_done_callback(self._end_call)

    def _end_call(self, task: asyncio.Task[Answer]) -> None:
        call = self._running.pop(task, None)
        # A call that was cancelled and ended all the same is not answered.
        if call is not None and not task.cancelled():
            self._answer(call.request_id, task.result())

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
        for task, call in reversed(self._running.items()):
            if call.request_id == request_id:
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

    def _tell_of_change(self) -> None:
        """In the way of each era: to the client as such, or on the streams that it has opened."""
        if self._session.is_initialized and self._session.era != "modern":
            self._transport.send({"jsonrpc": "2.0", "method": LIST_CHANGED})
        for subscription in self._subscriptions:
            if subscription.wants_tools:
                self._transport.send(subscription.changed())


async def _awaited(answer: Awaitable[Answer]) -> Answer:
    return await answer
