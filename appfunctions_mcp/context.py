"""What a function may ask of the call that it serves.

A parameter annotated `AppFunctionContext` gets one; it never shows in a schema.
"""

import asyncio
import threading
from collections.abc import Awaitable, Mapping
from typing import Any, TypeVar

from appfunctions_mcp.exceptions import (
    AppFunctionCancelledException,
    AppFunctionNotSupportedException,
)
from appfunctions_mcp.metadata import LOCAL_CALLER, AppFunctionCaller
from appfunctions_mcp.requests import CallChannel, LogLevel, SilentChannel

T = TypeVar("T")


class MissingClientCapabilityException(AppFunctionNotSupportedException):
    """The call needs something of the client that it has not declared.

    Where the protocol has an error of its own for that (MCP 2026-07-28), the engine sends it;
    else the agent reads an AppFunctionNotSupportedException.

    Args:
        capability: MCP's name of it, such as `sampling`.
    """

    def __init__(self, capability: str) -> None:
        super().__init__(
            f"this needs a client that supports {capability}",
            recovery="Tell the user that this client cannot do it.",
        )
        self.capability = capability


class AppFunctionContext:
    """One call as its function sees it: who calls, with which settings, and the way back.

    `report_progress`, `log`, `cancelled` and `raise_if_cancelled` are plain and may be used in
    any thread.

    Args:
        caller: Who calls.
        request_id: The id of the request, None outside a server.
        settings: The app's settings by name, as the user gave them.
        lifespan: What the app's lifespan yielded.
        channel: The way back to the caller.
        client_capabilities: What the caller's program has declared.
    """

    def __init__(
        self,
        *,
        caller: AppFunctionCaller | None = None,
        request_id: str | int | None = None,
        settings: Mapping[str, Any] | None = None,
        lifespan: Any = None,
        channel: CallChannel | None = None,
        client_capabilities: Mapping[str, Any] | None = None,
    ) -> None:
        self.caller = caller or LOCAL_CALLER
        self.request_id = request_id
        self.settings: Mapping[str, Any] = settings or {}
        self.lifespan = lifespan
        self.client_capabilities: Mapping[str, Any] = client_capabilities or {}
        self._channel = channel or SilentChannel()
        self._has_ended = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._loop_thread = 0

    def report_progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Tells the caller how far the call is; nothing is sent after the call ended.

        Args:
            progress: How much is done; rises from report to report.
            total: How much there is to do, if known, in the same unit.
            message: What is being done, for people.
        """
        if not self._has_ended:
            self._channel.report_progress(progress, total, message)

    def log(self, message: str, *, level: LogLevel = "info", **fields: Any) -> None:
        """Sends a log message to a caller that listens; nothing is sent after the call ended."""
        if not self._has_ended:
            self._channel.log(level, message, fields)

    def require_client_capability(self, name: str) -> None:
        """Ends a call that needs something of the client which it has not declared.

        Args:
            name: MCP's name of the capability: `sampling`, `elicitation` or `roots`.

        Raises:
            MissingClientCapabilityException: The client has not declared it.
        """
        if name not in self.client_capabilities:
            raise MissingClientCapabilityException(name)

    @property
    def cancelled(self) -> bool:
        """Whether nobody waits for the answer any more: cancelled, or past the deadline."""
        return self._has_ended

    def raise_if_cancelled(self) -> None:
        """Ends a plain function whose answer nobody waits for any more.

        Raises:
            AppFunctionCancelledException: The call was cancelled or is past its deadline.
        """
        if self._has_ended:
            raise AppFunctionCancelledException("the call was cancelled")

    def wait(self, awaitable: Awaitable[T]) -> T:
        """Waits, in a plain `def`, for something that only the event loop can do.

        Args:
            awaitable: What to wait for.

        Returns:
            Its result.

        Raises:
            RuntimeError: Called on the event loop's own thread, where `await` is the way.
        """
        if self._loop is None or self._loop.is_closed():
            raise RuntimeError("context.wait works while a call runs on an event loop")
        if threading.get_ident() == self._loop_thread:
            raise RuntimeError("context.wait would block the event loop; use await here")

        async def settle() -> T:
            return await awaitable

        return asyncio.run_coroutine_threadsafe(settle(), self._loop).result()

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Binds the context to the loop that `wait` uses; the manager calls it."""
        self._loop = loop
        self._loop_thread = threading.get_ident()

    def end(self) -> None:
        """Marks the call as over: nothing is sent after its answer; the manager calls it."""
        self._has_ended = True
