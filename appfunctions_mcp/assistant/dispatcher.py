"""The calls of a model's reply, run: in parallel, limited, one result for each, in their order."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Self, TypedDict, Unpack

from appfunctions_mcp.assistant.batch import (
    Batch,
    Confirm,
    DispatchLimits,
    OnResult,
    is_destructive,
    logged_crash,
    tell_result,
    unavailable_result,
)
from appfunctions_mcp.assistant.owned_tasks import CallClock, OwnedTasks
from appfunctions_mcp.assistant.service_source import ServiceSource
from appfunctions_mcp.assistant.several_sources import SeveralSources
from appfunctions_mcp.assistant.sources import FunctionSource, SourceError
from appfunctions_mcp.formats.messages import FunctionCall, FunctionResult
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.service import AppFunctionService

__all__ = ["AnySource", "Confirm", "DispatchLimits", "ToolDispatcher", "is_destructive"]

AnySource = FunctionSource | AppFunctionService | Sequence[str]
"""A source, a service, or an MCP server: its URL, or its command as a list of words."""


class Limits(TypedDict, total=False):
    """The limits of a dispatcher, by the names of `DispatchLimits`."""

    max_parallel: int
    timeout_seconds: float | None
    batch_timeout_seconds: float | None
    max_calls: int


class ToolDispatcher:
    """Runs the calls that a model asks for.

    Every call ends in one result, in the order of the calls, whatever happens: an unknown name,
    arguments that do not fit, a crash, no time left. What goes wrong is told in the result's text,
    for the model to act on.

    Example:
        async with ToolDispatcher(service) as dispatcher:
            results = await dispatcher.dispatch(reply.calls)

    Args:
        source: A service of this process, an MCP server (its URL, or its command as a list of
            words), or any other source of functions.
        limits: `max_parallel` (20), `timeout_seconds` of a call (60), `batch_timeout_seconds` of
            all calls of a reply (300) and `max_calls` of a reply (128); see `DispatchLimits`.

    Raises:
        TypeError: The source is nothing that has functions.
        ValueError: A limit, a URL or a command is not accepted.
    """

    def __init__(self, source: AnySource, **limits: Unpack[Limits]) -> None:
        self.source = _source_of(source)
        self.limits = DispatchLimits(**limits)
        self._tasks = OwnedTasks()
        self._batches: set[Batch] = set()
        self._slots = asyncio.Semaphore(self.limits.max_parallel)
        self._opening = asyncio.Lock()
        self._opened = AsyncExitStack()
        self._open = 0
        self._uses = 0
        self._is_unused = asyncio.Event()
        self._is_unused.set()

    @classmethod
    def from_command(
        cls,
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        **limits: Unpack[Limits],
    ) -> Self:
        """Calls the tools of an MCP server that is started as a command.

        Args:
            command: The program and its arguments.
            env: Variables beside the few that a client passes on by default.
            cwd: The folder in which it starts.
            limits: As of the class.
        """
        from appfunctions_mcp.assistant.mcp_source import McpSource

        return cls(McpSource(list(command), env=env, cwd=cwd), **limits)

    @classmethod
    def from_url(
        cls, url: str, *, headers: Mapping[str, str] | None = None, **limits: Unpack[Limits]
    ) -> Self:
        """Calls the tools of an MCP server behind a URL.

        Args:
            url: Its streamable HTTP endpoint.
            headers: Sent with each request, such as `Authorization`.
            limits: As of the class.
        """
        from appfunctions_mcp.assistant.mcp_source import McpSource

        return cls(McpSource(url, headers=headers), **limits)

    @classmethod
    def from_sources(cls, sources: Mapping[str, AnySource], **limits: Unpack[Limits]) -> Self:
        """Calls the functions of several sources.

        Args:
            sources: By the prefix of their functions' names: `create_note` of the source `notes`
                is `notes_create_note`. An empty prefix leaves the names as they are.
            limits: As of the class.
        """
        several = {prefix: _source_of(source) for prefix, source in sources.items()}
        return cls(SeveralSources(several), **limits)

    async def __aenter__(self) -> Self:
        """Opens the source; entered again while it is open, it opens nothing twice.

        Raises:
            SourceError: The source cannot be opened.
        """
        async with self._opening:
            if not self._open:
                # These belong to the event loop that uses them first.
                self._slots = asyncio.Semaphore(self.limits.max_parallel)
                self._is_unused = asyncio.Event()
                self._is_unused.set()
                if isinstance(self.source, AbstractAsyncContextManager):
                    await self._opened.enter_async_context(self.source)
            self._open += 1
        return self

    async def __aexit__(self, *_: object) -> None:
        """Ends what runs, and closes the source."""
        await self._close(cancels=True)

    async def functions(self) -> tuple[AppFunctionMetadata, ...]:
        """The functions that may be called now, in a stable order.

        Raises:
            SourceError: They cannot be listed.
        """
        async with self._opened_source():
            return await self._listed()

    async def dispatch(
        self,
        calls: Sequence[FunctionCall],
        *,
        confirm: Confirm | None = None,
        on_result: OnResult | None = None,
    ) -> tuple[FunctionResult, ...]:
        """Runs the calls of one reply.

        Cancelling it cancels all calls, and waits for them.

        Args:
            calls: The calls.
            confirm: Asked before each destructive call, one at a time, in the order of the calls;
                only True lets it run. Left out, nobody is asked.
            on_result: Told of each result as soon as it is there.

        Returns:
            One result for each call, in the order of the calls.
        """
        try:
            async with self._opened_source():
                batch = Batch(
                    self.source,
                    self.limits,
                    self._slots,
                    self._tasks,
                    confirm=confirm,
                    on_result=on_result,
                )
                self._batches.add(batch)
                try:
                    return await batch.run(calls, self._listed)
                finally:
                    self._batches.discard(batch)
        except SourceError as fault:
            results = tuple(unavailable_result(call, fault) for call in calls)
            return tuple(tell_result(result, on_result) for result in results)

    @asynccontextmanager
    async def _opened_source(self) -> AsyncIterator[None]:
        """The source as it is open, or opened for this once."""
        if self._open:
            self._uses += 1
            self._is_unused.clear()
            try:
                yield
            finally:
                self._uses -= 1
                if not self._uses:
                    self._is_unused.set()
            return
        try:
            await self.__aenter__()
        except SourceError:
            raise
        except Exception as crash:
            raise _unusable("opened", crash) from crash
        try:
            yield
        finally:
            try:
                await self._close(cancels=False)
            except Exception as crash:  # noqa: BLE001 - logged; what was done is done
                logged_crash(crash, "closing the source of the functions")

    async def _close(self, *, cancels: bool) -> None:
        """Closes the source where nobody else has opened it, once nobody uses it any more."""
        async with self._opening:
            self._open -= 1
            if self._open:
                return
            if cancels:
                self.cancel("the program has ended the conversation")
            try:
                await self._is_unused.wait()
                await self._tasks.end_all()
            finally:
                # Also where nobody waits any more for what runs: no server may stay behind.
                await self._opened.aclose()

    async def _listed(self) -> tuple[AppFunctionMetadata, ...]:
        seconds = self.limits.timeout_seconds
        try:
            return tuple(await self._tasks.run(self.source.functions, CallClock(seconds)))
        except SourceError:
            raise
        except TimeoutError as fault:
            raise SourceError(f"the functions could not be listed within {seconds} s") from fault
        except Exception as crash:
            raise _unusable("listed", crash) from crash

    def cancel(self, why: str = "the user cancelled the call") -> None:
        """Ends all calls that run; `dispatch` returns, and their results say why they ended.

        Args:
            why: What the model is told.
        """
        for batch in tuple(self._batches):
            batch.cancel(why)


def _source_of(source: AnySource) -> FunctionSource:
    if isinstance(source, AppFunctionService):
        return ServiceSource(source)
    if isinstance(source, Sequence):
        from appfunctions_mcp.assistant.mcp_source import McpSource

        return McpSource(source if isinstance(source, str) else list(source))
    if not isinstance(source, FunctionSource):
        raise TypeError(
            f"functions come from no {type(source).__name__}; accepted are a service, such as "
            "load_service(…) or AppFunctionService.from_functions([…], …), an MCP server's URL, "
            "its command as a list of words, and an object with functions() and execute(call)"
        )
    return source


def _unusable(what: str, crash: Exception) -> SourceError:
    told = logged_crash(crash, f"what lets functions be {what}")
    return SourceError(f"the functions cannot be {what}: {told.message}")
