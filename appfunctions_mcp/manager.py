"""`AppFunctionManager`: the one path by which anybody executes a function.

`execute` finds the function, checks access, state and rate, validates, asks for confirmation,
takes a slot under a deadline, calls and serialises; each is one named step. It also answers
searches, keeps states and tells observers of changes. Knows nothing of MCP.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from appfunctions_mcp.access import has_access
from appfunctions_mcp.activities import Activities
from appfunctions_mcp.confirmation import Confirmations
from appfunctions_mcp.exceptions import (
    AppFunctionDeniedException,
    AppFunctionDisabledException,
    AppFunctionException,
    AppFunctionFunctionNotFoundException,
)
from appfunctions_mcp.execution_records import (
    Execution,
    execution_of,
    for_caller,
    record_end,
    tell_end,
)
from appfunctions_mcp.executor import Begun, Executor
from appfunctions_mcp.function_states import FunctionStates, Listener
from appfunctions_mcp.functions import AppFunction, crashed
from appfunctions_mcp.metadata import (
    LOCAL_CALLER,
    AppChangeEvent,
    AppFunctionCaller,
    AppFunctionMetadata,
    AppFunctionsChangeEvent,
    AppFunctionScope,
    AppFunctionSearchSpec,
    AppFunctionState,
    ExecutionLimits,
    StatesChanged,
)
from appfunctions_mcp.names import nearest_names
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.registry import AppFunctionRegistry
from appfunctions_mcp.requests import ExecuteAppFunctionRequest, ExecuteAppFunctionResponse
from appfunctions_mcp.state import InMemoryStateStore, StateStore
from appfunctions_mcp.telemetry import ExecutionLog

if TYPE_CHECKING:
    from appfunctions_mcp.tracing import Spans

Proceed = Callable[[ExecuteAppFunctionRequest], Awaitable[ExecuteAppFunctionResponse]]
ExecutionHook = Callable[
    [ExecuteAppFunctionRequest, Proceed], Awaitable[ExecuteAppFunctionResponse]
]

_GLOBAL = AppFunctionScope.GLOBAL
"""Looked up once: in an enumeration that costs every call seventy nanoseconds."""


class AppFunctionManager:
    """Executes, searches, enables and observes the functions of one service.

    Args:
        registry: The functions.
        limits: What one call and the process may cost.
        store: Where states are kept; in memory when left out.
        confirmations: Makes and redeems confirmation tokens.
        log: Gets a record of each execution.
        debug: Whether a crash's traceback goes to the caller too.
    """

    def __init__(
        self,
        registry: AppFunctionRegistry,
        *,
        limits: ExecutionLimits | None = None,
        store: StateStore | None = None,
        confirmations: Confirmations | None = None,
        log: ExecutionLog | None = None,
        debug: bool = False,
    ) -> None:
        self.registry = registry
        self.limits = limits or ExecutionLimits()
        self.log = log or ExecutionLog(log_arguments=debug)
        self.debug = debug
        self.executor = Executor(self.limits, confirmations or Confirmations(), self.log)
        self._states = FunctionStates(store or InMemoryStateStore())
        self.activities = Activities(registry, lambda ids: self.announce(StatesChanged(ids)))
        self.package = ""
        """The app's own package, of functions that name none; searches go by it."""
        self.hearers: list[Callable[[], bool]] = []
        """Each says whether a client of one server wants to hear of changes now."""
        self._proceed: Callable[[ExecuteAppFunctionRequest], Begun] = self._begin
        self.begin: Callable[[ExecuteAppFunctionRequest], Begun] = self._begin_and_tell
        """Executes one function as far as that goes without waiting: mostly to its end.

        Returns the response, or what has to be awaited for it, at once; raises as `execute`.
        """
        self.has_hooks = False
        """Whether responses may be others than what the functions' serializers made."""

    async def execute(self, request: ExecuteAppFunctionRequest) -> ExecuteAppFunctionResponse:
        """Executes one function for a caller, with every check.

        Args:
            request: The function's id or tool name, the raw parameters and the caller.

        Returns:
            What the function returned, as JSON, text and media.

        Raises:
            AppFunctionException: Whatever kept it from a value; the class says what. Cancelling
                the task ends an async body and sets the context's `cancelled`.
        """
        begun = self.begin(request)
        return begun if isinstance(begun, ExecuteAppFunctionResponse) else await begun

    def use_spans(self, spans: "Spans | None") -> None:
        """Opens a span around each execution from now on; None costs nothing."""
        self.log.spans = spans
        self.begin = self._begin_and_tell if spans is None else partial(self._begin_in_span, spans)

    def _begin_in_span(self, spans: "Spans", request: ExecuteAppFunctionRequest) -> Begun:
        if self.registry.find(request.function) is None:
            return self._begin_and_tell(request)  # what has no function may have any name
        execution = self._execution_of(request)
        return spans.around(execution, partial(self._begin_and_tell, request))

    def _begin_and_tell(self, request: ExecuteAppFunctionRequest) -> Begun:
        started = time.perf_counter()
        try:
            begun = self._proceed(request)
        except AppFunctionException as failure:
            self._tell_failure(request, started, failure)
            raise
        if not isinstance(begun, ExecuteAppFunctionResponse):
            return self._ended(request, started, begun)
        if self.log.wants_successes:
            self._tell_success(request, started, begun)
        return begun

    async def _ended(
        self,
        request: ExecuteAppFunctionRequest,
        started: float,
        begun: Awaitable[ExecuteAppFunctionResponse],
    ) -> ExecuteAppFunctionResponse:
        try:
            response = await begun
        except (AppFunctionException, asyncio.CancelledError) as failure:
            self._tell_failure(request, started, failure)
            raise
        if self.log.wants_successes:
            self._tell_success(request, started, response)
        return response

    def _tell_success(
        self,
        request: ExecuteAppFunctionRequest,
        started: float,
        response: ExecuteAppFunctionResponse,
    ) -> None:
        seconds, size = time.perf_counter() - started, response.size
        if self.log.meter is not None:
            self.log.meter.count("function", request.function, "success", seconds, size)
        if self.log.wants_all:
            record_end(self.log, self._execution_of(request), seconds, None, size)

    def _tell_failure(
        self, request: ExecuteAppFunctionRequest, started: float, failure: BaseException
    ) -> None:
        """Tells of a failure; raises what the caller gets, where that is another."""
        execution = self._execution_of(request)
        tell_end(self.log, execution, time.perf_counter() - started, failure)
        shown = for_caller(failure, execution, debug=self.debug)
        if shown is not failure:
            raise shown from failure

    def _execution_of(self, request: ExecuteAppFunctionRequest) -> Execution:
        function = self.registry.find(request.function)
        return execution_of(request, function.metadata if function else None)

    def use_hooks(self, hooks: list[ExecutionHook]) -> None:
        """Puts hooks around every execution, the first outermost; none costs nothing."""
        self.has_hooks = bool(hooks)
        self._proceed = self._begin
        if hooks:
            proceed: Proceed = self._executed
            for hook in reversed(hooks):
                proceed = _around(hook, proceed)
            self._proceed = proceed

    async def _executed(self, request: ExecuteAppFunctionRequest) -> ExecuteAppFunctionResponse:
        begun = self._begin(request)
        return begun if isinstance(begun, ExecuteAppFunctionResponse) else await begun

    def _begin(self, request: ExecuteAppFunctionRequest) -> Begun:
        function = self._find(request)
        metadata = function.metadata
        self._require_access(metadata, request.caller)
        self._require_enabled(metadata)
        if request.activity_id is not None or metadata.scope is not _GLOBAL:
            function = self.activities.body_of(function, request.activity_id)
        return self.executor.begin(function, request)

    def _find(self, request: ExecuteAppFunctionRequest) -> AppFunction:
        function = self.registry.find(request.function)
        if function is not None:
            return function
        known = [m.tool_name for m in self.listed(request.caller)]
        raise function_not_found(request.function, nearest_names(request.function, known))

    def _require_access(self, metadata: AppFunctionMetadata, caller: AppFunctionCaller) -> None:
        if not has_access(metadata, caller):
            raise AppFunctionDeniedException(
                f"this caller may not execute {metadata.tool_name}"
            ).as_refusal("denied")

    def _require_enabled(self, metadata: AppFunctionMetadata) -> None:
        self.refresh()
        if not self.is_enabled(metadata):
            raise function_disabled(metadata.tool_name)

    def offered(self) -> list[AppFunctionMetadata]:
        """What somebody may see: the functions that are enabled and belong to no activity."""
        self.refresh()
        listed = (f.metadata for f in self.registry)
        return [m for m in listed if m.scope is _GLOBAL and self.is_enabled(m)]

    def listed(self, caller: AppFunctionCaller = LOCAL_CALLER) -> list[AppFunctionMetadata]:
        """What a caller sees: of the offered functions those that it may execute."""
        return [m for m in self.offered() if has_access(m, caller)]

    def search(
        self, spec: AppFunctionSearchSpec | None = None, caller: AppFunctionCaller = LOCAL_CALLER
    ) -> list[AppFunctionMetadata]:
        """Finds functions, the disabled ones and those of activities too (searchAppFunctions).

        Args:
            spec: The filters; None finds all.
            caller: Functions that it may not execute are left out.

        Returns:
            The metadata, in the order of declaration.
        """
        found = self.registry.search(spec or AppFunctionSearchSpec(), self.package)
        return [f.metadata for f in found if has_access(f.metadata, caller)]

    def is_enabled(self, metadata: AppFunctionMetadata) -> bool:
        """Whether the function may be executed now, by its state and its default."""
        return self._states.is_enabled(metadata)

    def state_of(self, function: str) -> AppFunctionState:
        """The state that somebody set, DEFAULT where nobody did.

        Raises:
            AppFunctionFunctionNotFoundException: No function has this name or id.
        """
        metadata = self._find(ExecuteAppFunctionRequest(function)).metadata
        self.refresh()
        return self._states.state_of(metadata.function_id)

    def set_enabled(self, function: str, state: AppFunctionState) -> None:
        """Enables or disables a function, for every process that serves it (setAppFunctionEnabled).

        Args:
            function: Its id or tool name.
            state: DEFAULT returns to what is declared.

        Raises:
            AppFunctionFunctionNotFoundException: No function has this name or id.
            StateFileError: The state cannot be kept.
        """
        metadata = self._find(ExecuteAppFunctionRequest(function)).metadata
        self._states.set_state(metadata.function_id, state)

    def refresh(self) -> None:
        """Takes over states that another process has set; one stat when nothing changed."""
        self._states.refresh()

    @contextmanager
    def refreshed(self) -> Iterator[None]:
        """Takes over states once for all that begins within the block: requests read together."""
        self._states.refresh()
        self._states.is_held = True
        try:
            yield
        finally:
            self._states.is_held = False

    def revision(self) -> object:
        """Equal to what it was before for as long as neither functions nor states change."""
        self.refresh()
        return self.registry.revision, self._states.current

    @property
    def is_heard(self) -> bool:
        """Whether any client wants to hear of changes now."""
        return any(is_heard() for is_heard in self.hearers)

    def add_listener(self, listener: Listener) -> Callable[[], None]:
        """Calls the listener for each change, in the thread that made it; returns how to stop."""
        return self._states.add_listener(listener)

    def announce(self, event: AppChangeEvent) -> None:
        """Tells every listener of a change, of functions, resources or prompts."""
        self._states.announce(event)

    def observe(self) -> AsyncIterator[AppFunctionsChangeEvent]:
        """The changes from now on, without those before (observeAppFunctions).

        Returns:
            An async iterator; it listens from the moment of this call. Must be called on an
            event loop.
        """
        return self._states.observe()


def function_not_found(name: str, near: Sequence[str]) -> AppFunctionFunctionNotFoundException:
    """What a call of a name ends in that no function has.

    Args:
        name: What the caller wrote.
        near: What was probably meant, best first.
    """
    hint = f"; near it: {', '.join(near)}" if near else ""
    return AppFunctionFunctionNotFoundException(
        f"no function is called {quoted(name)}{hint}"
    ).as_refusal("unknown")


def function_disabled(tool_name: str) -> AppFunctionDisabledException:
    """What a call of a function that is switched off ends in."""
    return AppFunctionDisabledException(
        f"{tool_name} is switched off",
        recovery="The user can enable it; until then the task needs another way.",
    ).as_refusal("disabled")


def _around(hook: ExecutionHook, proceed: Proceed) -> Proceed:
    async def execute(request: ExecuteAppFunctionRequest) -> ExecuteAppFunctionResponse:
        try:
            return await hook(request, proceed)
        except (AppFunctionException, asyncio.CancelledError):
            raise
        except BaseException as crash:
            raise crashed() from crash

    return execute
