"""From a function that may be called to its response: the steps of an execution.

Rate and loop guard, validation, confirmation, the call and its result, in this order. What never
waits is over when `begin` returns. Knows nothing of names, access or states.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from appfunctions_mcp.calls import CallRunner
from appfunctions_mcp.confirmation import Confirmations
from appfunctions_mcp.confirming import PARAMETER, CallConfirmation, takes_token
from appfunctions_mcp.context import AppFunctionContext
from appfunctions_mcp.exceptions import (
    AppFunctionException,
    AppFunctionInvalidArgumentException,
)
from appfunctions_mcp.functions import AppFunction
from appfunctions_mcp.json_text import JsonTextError, write_json
from appfunctions_mcp.limits import RateLimit, ServerBusyException
from appfunctions_mcp.loop_guard import LoopGuard
from appfunctions_mcp.metadata import (
    AppFunctionCaller,
    AppFunctionMetadata,
    ExecutionLimits,
    ResourcesChanged,
    ResourceUpdated,
)
from appfunctions_mcp.outcomes import Outcome
from appfunctions_mcp.requests import (
    AppRequest,
    ExecuteAppFunctionRequest,
    ExecuteAppFunctionResponse,
)
from appfunctions_mcp.telemetry import ExecutionLog

Begun = ExecuteAppFunctionResponse | Awaitable[ExecuteAppFunctionResponse]
"""An execution that is over, or the rest of one."""
HandOut = Callable[[AppFunctionMetadata, AppFunctionCaller, Sequence[Any]], None]
"""The function, who gets its result, and what that holds."""


class Executor:
    """Executes the functions of one service.

    Args:
        limits: What one call and the process may cost.
        confirmations: Makes and redeems confirmation tokens.
        log: Is told of arguments that were left out.
    """

    def __init__(
        self, limits: ExecutionLimits, confirmations: Confirmations, log: ExecutionLog
    ) -> None:
        self.limits = limits
        self.settings: Mapping[str, Any] = {}
        self.lifespan: Any = None
        self.announce: Callable[[ResourceUpdated | ResourcesChanged], None] | None = None
        """Tells who listens of a change of resources."""
        self.hand_out: HandOut | None = None
        """Gives a caller what a result holds for it alone."""
        self.runner = CallRunner(limits)
        self.confirmations = confirmations
        self._log = log
        self.rate = RateLimit(limits.calls_per_minute)
        self._guard = LoopGuard() if limits.loop_guard else None

    def begin(self, function: AppFunction, request: ExecuteAppFunctionRequest) -> Begun:
        """Executes a function as far as that goes without waiting: mostly to its end.

        Args:
            function: What the request asks for; access and state are checked.
            request: The raw parameters and the caller.

        Returns:
            The response, or what has to be awaited for it, at once.

        Raises:
            AppFunctionException: Whatever kept it from a value.
        """
        connection = request.caller.connection
        self.rate.take(connection)
        guard = self._guard
        if guard is None or connection is None:
            return self._validate_and_call(function, request)
        # The key costs more than all else here, and is for calls that fail.
        if guard.is_watching(connection):
            key = _arguments_key(function, request)
            guard.refusal(connection, function.metadata.function_id, key)
        try:
            begun = self._validate_and_call(function, request)
        except AppFunctionException as failure:
            self._count_failure(guard, function, request, failure)
            raise
        if not isinstance(begun, ExecuteAppFunctionResponse):
            return self._guarded(guard, function, request, begun)
        guard.record_success(connection)
        return begun

    async def _guarded(
        self,
        guard: LoopGuard,
        function: AppFunction,
        request: ExecuteAppFunctionRequest,
        begun: Awaitable[ExecuteAppFunctionResponse],
    ) -> ExecuteAppFunctionResponse:
        try:
            response = await begun
        except AppFunctionException as failure:
            self._count_failure(guard, function, request, failure)
            raise
        guard.record_success(request.caller.connection)
        return response

    def _count_failure(
        self,
        guard: LoopGuard,
        function: AppFunction,
        request: ExecuteAppFunctionRequest,
        failure: AppFunctionException,
    ) -> None:
        """Counts a failure; raises it anew with a note where it is one of many."""
        if "confirmation" in failure.extras or isinstance(failure, ServerBusyException):
            return
        connection, function_id = request.caller.connection, function.metadata.function_id
        key = _arguments_key(function, request)
        note = guard.record_failure(connection, function_id, key, failure)
        if note is not None:
            raise failure.restated(note=note) from failure

    def _validate_and_call(
        self, function: AppFunction, request: ExecuteAppFunctionRequest
    ) -> Begun:
        if function.metadata.requires_confirmation:
            return self._confirm_and_call(function, request)
        parameters, token = request.parameters, None
        if PARAMETER in parameters and takes_token(function, parameters):
            parameters = dict(parameters)
            token = parameters.pop(PARAMETER)
        arguments = self._validated(function, request, parameters)
        return self._call(function, request, arguments, token)

    def _validated(
        self,
        function: AppFunction,
        request: ExecuteAppFunctionRequest,
        parameters: Mapping[str, Any],
    ) -> dict[str, Any]:
        dropped: list[str] = []
        arguments = function.validate(parameters, dropped)
        if dropped:
            self._log.dropped_arguments(request, dropped)
        return arguments

    async def _confirm_and_call(
        self, function: AppFunction, request: ExecuteAppFunctionRequest
    ) -> ExecuteAppFunctionResponse:
        parameters = dict(request.parameters)
        token = parameters.pop(PARAMETER, None)
        arguments = self._validated(function, request, parameters)
        await self._confirmation(function, request, arguments, token).require()
        begun = self._call(function, request, arguments)
        return begun if isinstance(begun, ExecuteAppFunctionResponse) else await begun

    def _call(
        self,
        function: AppFunction,
        request: ExecuteAppFunctionRequest,
        arguments: dict[str, Any],
        token: str | None = None,
    ) -> Begun:
        if function.takes_context:
            confirmation = self._confirmation(function, request, arguments, token)
            context = self.context_of(request, confirmation.confirm)
        else:
            context = _UNSEEN
        try:
            begun = self.runner.begin(function, arguments, context)
        except BaseException:
            context.end()
            raise
        if not isinstance(begun, tuple):
            return self._called(function, request, begun, context)
        context.end()
        return self._response(function, request, begun)

    async def _called(
        self,
        function: AppFunction,
        request: ExecuteAppFunctionRequest,
        begun: Awaitable[Outcome],
        context: AppFunctionContext,
    ) -> ExecuteAppFunctionResponse:
        try:
            outcome = await begun
        finally:
            context.end()
        return self._response(function, request, outcome)

    def _response(
        self, function: AppFunction, request: ExecuteAppFunctionRequest, outcome: Outcome
    ) -> ExecuteAppFunctionResponse:
        response = function.serialize(function.result_of(outcome))
        self._require_size(function.metadata, response)
        if response.handed_out and self.hand_out is not None:
            self.hand_out(function.metadata, request.caller, response.handed_out)
        return response

    def _confirmation(
        self,
        function: AppFunction,
        request: ExecuteAppFunctionRequest,
        arguments: dict[str, Any],
        token: str | None,
    ) -> CallConfirmation:
        return CallConfirmation(
            self.confirmations, self.runner.threads, function.metadata, request, arguments, token
        )

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

    def context_of(
        self,
        request: AppRequest,
        confirm: Callable[[str], Awaitable[bool]] | None = None,
    ) -> AppFunctionContext:
        """Makes the context of a call; who makes it ends it.

        Args:
            request: The call.
            confirm: How a user confirms where the client cannot ask.
        """
        context = AppFunctionContext(
            caller=request.caller,
            request_id=request.request_id,
            settings=self.settings,
            lifespan=self.lifespan,
            channel=request.channel,
            client_capabilities=request.client_capabilities,
            confirm=confirm,
            announce=self.announce,
        )
        context.begin(asyncio.get_running_loop())
        return context


_UNSEEN = AppFunctionContext()
"""The context of all calls whose functions do not ask for theirs."""


def _arguments_key(function: AppFunction, request: ExecuteAppFunctionRequest) -> bytes:
    """Equal for equal arguments in one activity; what JSON cannot hold is refused, so all one."""
    parameters = request.parameters
    is_token = function.metadata.requires_confirmation or (
        PARAMETER in parameters and takes_token(function, parameters)
    )
    token = PARAMETER if is_token else None
    named = {name: parameters[name] for name in sorted(parameters) if name != token}
    try:
        return write_json(named if request.activity_id is None else [request.activity_id, named])
    except JsonTextError:
        return b""
