"""`AppFunctionManager`: the one path by which anybody executes a function.

`execute` finds the function, checks access, state and rate, validates, asks for confirmation,
takes a slot under a deadline, calls and serialises; each is one named step. It also answers
searches, keeps states and tells observers of changes. Knows nothing of MCP.
"""

import asyncio
import inspect
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from appfunctions_mcp.confirmation import Confirmations
from appfunctions_mcp.context import AppFunctionContext
from appfunctions_mcp.deadlines import deadline
from appfunctions_mcp.exceptions import (
    AppFunctionDeniedException,
    AppFunctionDisabledException,
    AppFunctionException,
    AppFunctionFunctionNotFoundException,
    AppFunctionInvalidArgumentException,
)
from appfunctions_mcp.execution_records import execution_record, is_crash, with_traceback
from appfunctions_mcp.function_states import FunctionStates, Listener
from appfunctions_mcp.functions import AppFunction, crashed
from appfunctions_mcp.json_text import JsonTextError, write_json
from appfunctions_mcp.limits import RateLimit, ServerBusyException, Slots
from appfunctions_mcp.loop_guard import LoopGuard
from appfunctions_mcp.metadata import (
    LOCAL_CALLER,
    AppFunctionCaller,
    AppFunctionMetadata,
    AppFunctionsChangeEvent,
    AppFunctionSearchSpec,
    AppFunctionState,
    ExecutionLimits,
)
from appfunctions_mcp.names import nearest_names
from appfunctions_mcp.quoting import quoted, with_escapes
from appfunctions_mcp.registry import AppFunctionRegistry
from appfunctions_mcp.requests import ExecuteAppFunctionRequest, ExecuteAppFunctionResponse
from appfunctions_mcp.state import InMemoryStateStore, StateStore
from appfunctions_mcp.tasks import CallTasks
from appfunctions_mcp.telemetry import ExecutionLog, warn
from appfunctions_mcp.threads import WorkerThreads

Proceed = Callable[[ExecuteAppFunctionRequest], Awaitable[ExecuteAppFunctionResponse]]
ExecutionHook = Callable[
    [ExecuteAppFunctionRequest, Proceed], Awaitable[ExecuteAppFunctionResponse]
]


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
        self.settings: dict[str, Any] = {}
        self.lifespan: Any = None
        self._confirmations = confirmations or Confirmations()
        self._log = log or ExecutionLog(log_arguments=debug)
        self._debug = debug
        self._slots = Slots(self.limits.max_concurrent, self.limits.max_waiting)
        self._threads = WorkerThreads(self.limits.max_threads, self.limits.max_stuck_threads)
        self._tasks = CallTasks(self.limits.max_stuck_threads)
        self._rate = RateLimit(self.limits.calls_per_minute)
        self._guard = LoopGuard() if self.limits.loop_guard else None
        self._states = FunctionStates(store or InMemoryStateStore())
        self._proceed: Proceed = self._execute
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
        started = time.perf_counter()
        try:
            response = await self._proceed(request)
        except (AppFunctionException, asyncio.CancelledError) as failure:
            self._record(request, started, failure)
            if self._debug and is_crash(failure):
                raise with_traceback(failure) from failure
            raise
        if self._log.wants_all:
            self._record(request, started, response)
        return response

    def _record(
        self,
        request: ExecuteAppFunctionRequest,
        started: float,
        outcome: ExecuteAppFunctionResponse | BaseException,
    ) -> None:
        function = self.registry.find(request.function)
        metadata = function.metadata if function else None
        seconds = time.perf_counter() - started
        self._log.record(execution_record(request, metadata, seconds, outcome))

    def use_hooks(self, hooks: list[ExecutionHook]) -> None:
        """Puts hooks around every execution, the first outermost; none costs nothing."""
        proceed: Proceed = self._execute
        for hook in reversed(hooks):
            proceed = _around(hook, proceed)
        self._proceed = proceed
        self.has_hooks = bool(hooks)

    async def _execute(self, request: ExecuteAppFunctionRequest) -> ExecuteAppFunctionResponse:
        function = self._find(request)
        self._require_access(function.metadata, request.caller)
        self._require_enabled(function.metadata)
        self._rate.take(request.caller.connection)
        if self._guard is None or request.caller.connection is None:
            return await self._validate_and_call(function, request)
        return await self._execute_guarded(self._guard, function, request)

    async def _execute_guarded(
        self, guard: LoopGuard, function: AppFunction, request: ExecuteAppFunctionRequest
    ) -> ExecuteAppFunctionResponse:
        connection, function_id = request.caller.connection, function.metadata.function_id
        # The key costs more than all else here, and is for calls that fail.
        if guard.is_watching(connection):
            guard.refusal(connection, function_id, _arguments_key(function, request))
        try:
            response = await self._validate_and_call(function, request)
        except AppFunctionException as failure:
            if "confirmation" in failure.extras or isinstance(failure, ServerBusyException):
                raise
            key = _arguments_key(function, request)
            note = guard.record_failure(connection, function_id, key, failure)
            if note is None:
                raise
            raise failure.restated(note=note) from failure
        guard.record_success(connection)
        return response

    async def _validate_and_call(
        self, function: AppFunction, request: ExecuteAppFunctionRequest
    ) -> ExecuteAppFunctionResponse:
        metadata = function.metadata
        dropped: list[str] = []
        parameters = dict(request.parameters)
        token = parameters.pop("confirmation", None) if metadata.requires_confirmation else None
        arguments = function.validate(parameters, dropped)
        if dropped:
            self._log.dropped_arguments(request, dropped)
        if metadata.requires_confirmation:
            await self._require_confirmation(metadata, arguments, parameters, token, request.caller)
        context = self._context_of(request) if function.takes_context else _UNSEEN
        seconds = metadata.timeout_seconds or self.limits.timeout_seconds
        try:
            with deadline(seconds):
                async with self._slots.enter():
                    value = await function.call(arguments, context, self._threads, self._tasks)
        finally:
            context.end()
        response = function.serialize(value)
        self._require_size(metadata, response)
        return response

    def _find(self, request: ExecuteAppFunctionRequest) -> AppFunction:
        function = self.registry.find(request.function)
        if function is not None:
            return function
        known = [m.tool_name for m in self.listed(request.caller)]
        near = nearest_names(request.function, known)
        hint = f"; near it: {', '.join(near)}" if near else ""
        raise AppFunctionFunctionNotFoundException(
            f"no function is called {quoted(request.function)}{hint}"
        )

    def _require_access(self, metadata: AppFunctionMetadata, caller: AppFunctionCaller) -> None:
        if not has_access(metadata, caller):
            raise AppFunctionDeniedException(f"this caller may not execute {metadata.tool_name}")

    def _require_enabled(self, metadata: AppFunctionMetadata) -> None:
        self.refresh()
        if not self.is_enabled(metadata):
            raise AppFunctionDisabledException(
                f"{metadata.tool_name} is switched off",
                recovery="The user can enable it; until then the task needs another way.",
            )

    async def _require_confirmation(
        self,
        metadata: AppFunctionMetadata,
        arguments: dict[str, Any],
        parameters: dict[str, Any],
        token: object,
        caller: AppFunctionCaller,
    ) -> None:
        """Lets a call with a good token pass; any other gets the first answer, with a fresh one."""
        function_id = metadata.function_id
        if isinstance(token, str) and await self._threads.run(
            function_id, partial(self._confirmations.redeem, token, function_id, arguments, caller)
        ):
            return
        fresh = self._confirmations.issue(function_id, arguments, caller)
        given = with_escapes(
            ", ".join(f"{n} = {write_json(v).decode()}" for n, v in parameters.items())
        )
        denied = AppFunctionDeniedException(
            f"confirmation needed\nNothing has been changed. {metadata.tool_name} would run with "
            f"{given or 'no arguments'}.",
            recovery="Once the user agrees, the same call with the same arguments and "
            f'"confirmation": "{fresh}" runs it; the token works once, within five minutes.',
            extras={"confirmation": fresh},
        )
        denied.retryable = True
        raise denied

    def _require_size(
        self, metadata: AppFunctionMetadata, response: ExecuteAppFunctionResponse
    ) -> None:
        limit = metadata.max_result_bytes or self.limits.max_result_bytes
        size = response.size
        if size > limit:
            raise AppFunctionInvalidArgumentException(
                f"the result has {size:,} bytes, more than the {limit:,} that a result may have",
                recovery="Ask for less: a narrower query, fewer items or a smaller page.",
            )

    def _context_of(self, request: ExecuteAppFunctionRequest) -> AppFunctionContext:
        context = AppFunctionContext(
            caller=request.caller,
            request_id=request.request_id,
            settings=self.settings,
            lifespan=self.lifespan,
            channel=request.channel,
            client_capabilities=request.client_capabilities,
        )
        context.begin(asyncio.get_running_loop())
        return context

    def listed(self, caller: AppFunctionCaller = LOCAL_CALLER) -> list[AppFunctionMetadata]:
        """What a caller sees: the functions that are enabled and that it may execute."""
        self.refresh()
        return [
            f.metadata
            for f in self.registry
            if self.is_enabled(f.metadata) and has_access(f.metadata, caller)
        ]

    def search(
        self, spec: AppFunctionSearchSpec | None = None, caller: AppFunctionCaller = LOCAL_CALLER
    ) -> list[AppFunctionMetadata]:
        """Finds functions, the disabled ones too (searchAppFunctions).

        Args:
            spec: The filters; None finds all.
            caller: Functions that it may not execute are left out.

        Returns:
            The metadata, in the order of declaration.
        """
        found = self.registry.search(spec or AppFunctionSearchSpec())
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

    def add_listener(self, listener: Listener) -> Callable[[], None]:
        """Calls the listener for each change, in the thread that made it; returns how to stop."""
        return self._states.add_listener(listener)

    def announce(self, event: AppFunctionsChangeEvent) -> None:
        """Tells every listener of a change."""
        self._states.announce(event)

    def observe(self) -> AsyncIterator[AppFunctionsChangeEvent]:
        """The changes from now on, without those before (observeAppFunctions).

        Returns:
            An async iterator; it listens from the moment of this call. Must be called on an
            event loop.
        """
        return self._states.observe()


_UNSEEN = AppFunctionContext()
"""The context of all calls whose functions do not ask for theirs."""


def _arguments_key(function: AppFunction, request: ExecuteAppFunctionRequest) -> bytes:
    """Equal for equal arguments; those that JSON cannot hold are all refused, so all are one."""
    parameters = request.parameters
    token = "confirmation" if function.metadata.requires_confirmation else None
    try:
        return write_json({name: parameters[name] for name in sorted(parameters) if name != token})
    except JsonTextError:
        return b""


def _around(hook: ExecutionHook, proceed: Proceed) -> Proceed:
    async def execute(request: ExecuteAppFunctionRequest) -> ExecuteAppFunctionResponse:
        try:
            return await hook(request, proceed)
        except (AppFunctionException, asyncio.CancelledError):
            raise
        except BaseException as crash:
            raise crashed() from crash

    return execute


def has_access(metadata: AppFunctionMetadata, caller: AppFunctionCaller) -> bool:
    """Whether the caller may execute the function, by its scope or its predicate."""
    access = metadata.access
    if access is None:
        return True
    if isinstance(access, str):
        return caller.local_user or access in caller.scopes
    try:
        allowed = access(caller)
        if not inspect.isawaitable(allowed):
            return bool(allowed)
        if inspect.iscoroutine(allowed):
            allowed.close()
        what = "is async; write it as a plain function"
    except (Exception, SystemExit) as fault:  # noqa: BLE001 - a predicate that crashes lets nobody in
        what = f"failed: {fault!r}"
    warn(f"{metadata.source}: the access predicate of {metadata.function_id} {what}")
    return False
