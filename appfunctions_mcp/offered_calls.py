"""What resources and prompts have in common: how they are added, and how their functions run.

Rate, validation, slot, deadline, thread and record are those of functions. Knows nothing of
addresses or messages.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from appfunctions_mcp.exceptions import (
    AppFunctionException,
    AppFunctionInvalidArgumentException,
)
from appfunctions_mcp.execution_records import Execution, record_end, told
from appfunctions_mcp.functions import AppFunction
from appfunctions_mcp.manager import AppFunctionManager
from appfunctions_mcp.metadata import AppFunctionParameterMetadata
from appfunctions_mcp.names import nearest_names
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.registrations import AppRegistration, taken_away_once
from appfunctions_mcp.requests import (
    Completion,
    GetAppPromptRequest,
    ReadAppResourceRequest,
    size_of,
)

if TYPE_CHECKING:
    from appfunctions_mcp.completers import Completer

T = TypeVar("T")

OfferedRequest = ReadAppResourceRequest | GetAppPromptRequest


class OfferedCalls:
    """Runs what stands behind resources and prompts.

    Args:
        manager: Whose limits hold, and whose log is told.
    """

    def __init__(self, manager: AppFunctionManager) -> None:
        self.manager = manager

    async def told(
        self, execution: Execution, begun: Awaitable[T], size_of: Callable[[T], int]
    ) -> T:
        """Waits for an execution and tells the log of it; shows a crash where that is wanted.

        Args:
            execution: What is executed for whom.
            begun: The execution itself.
            size_of: How many bytes its value has.

        Raises:
            AppFunctionException: As the execution.
        """
        return await told(self.manager.log, execution, begun, size_of, debug=self.manager.debug)

    async def run(
        self, function: AppFunction, parameters: Mapping[str, Any], request: OfferedRequest
    ) -> object:
        """Checks the raw arguments, calls the function and returns what it returned.

        Raises:
            AppFunctionException: Whatever kept it from a value.
        """
        executor = self.manager.executor
        executor.rate.take(request.caller.connection)
        arguments = function.validate(parameters)
        return await self._called(function, arguments, request)

    async def run_aside(
        self,
        function: AppFunction,
        arguments: dict[str, Any],
        request: OfferedRequest,
        execution: Execution,
    ) -> object:
        """Calls a function that lists or completes: no call of anybody's, so only failures tell.

        Raises:
            AppFunctionException: Whatever kept it from a value.
        """
        started = time.perf_counter()
        try:
            return await self._called(function, arguments, request)
        except AppFunctionException as failure:
            record_end(self.manager.log, execution, time.perf_counter() - started, failure)
            raise

    async def _called(
        self, function: AppFunction, arguments: dict[str, Any], request: OfferedRequest
    ) -> object:
        executor = self.manager.executor
        context = executor.context_of(request)
        try:
            return await executor.runner.run(function, arguments, context)
        finally:
            context.end()

    def require_size(self, function: AppFunction, size: int) -> None:
        """Refuses what is larger than a result may be.

        Raises:
            AppFunctionInvalidArgumentException: Names size and limit.
        """
        limit = function.metadata.max_result_bytes or self.manager.limits.max_result_bytes
        if size > limit:
            raise AppFunctionInvalidArgumentException(
                f"the result has {size:,} bytes, more than the {limit:,} that a result may have",
                recovery="Ask for a smaller part.",
            )

    async def complete(
        self,
        completers: "Mapping[str, Completer]",
        parameter: AppFunctionParameterMetadata,
        typed: tuple[str, Mapping[str, str]],
        request: OfferedRequest,
        execution: Execution,
    ) -> Completion:
        """The values that complete one variable or argument.

        Args:
            completers: What completes which of them.
            parameter: The one that is completed.
            typed: What has been typed of it, and the values of the others.
            request: Who asks, and how.
            execution: What the log calls it, should it fail.

        Raises:
            AppFunctionException: The author's function failed, or ran past its deadline.
        """
        from appfunctions_mcp.completers import completion_of, values_of_type

        value, arguments = typed
        completer = completers.get(parameter.name)
        if completer is None:
            return completion_of(values_of_type(parameter), value)
        if completer.function is None:
            return completion_of(completer.values, value)
        given = {"value": value, "arguments": arguments}
        made = await self.run_aside(completer.function, given, request, execution)
        completion = cast("Completion", made)
        self.require_size(completer.function, sum(map(size_of, completion.values)))
        return completion


class OfferedParts(ABC, Generic[T]):
    """The resources of one service, or its prompts: added and taken away together.

    Args:
        manager: Whose limits hold, whose log is told and who announces changes.
        compiled: Makes one of a declared function, under the app's rules.
    """

    def __init__(
        self, manager: AppFunctionManager, compiled: Callable[[Callable[..., Any]], T]
    ) -> None:
        self._manager = manager
        self._compiled = compiled
        self._calls = OfferedCalls(manager)

    def add(self, functions: Iterable[Callable[..., Any]]) -> AppRegistration:
        """Adds what functions are declared as, all of it or none, at run time too.

        Args:
            functions: Functions that `@app_resource`, or `@app_prompt`, stands above.

        Returns:
            The registration; `unregister` takes all of it away again.

        Raises:
            AppFunctionDeclarationError: One cannot be served, or its address or name is taken.
        """
        return self.take([self._compiled(function) for function in functions])

    def take(self, parts: Sequence[T]) -> AppRegistration:
        """Adds compiled resources or prompts, as `add` does declared ones.

        Raises:
            AppFunctionDeclarationError: An address or a name is taken.
        """
        names = self._put(parts)
        self._announce(names)

        def remove(gone: frozenset[str]) -> None:
            self._drop(gone)
            self._announce(gone)

        return AppRegistration(names, taken_away_once(names, remove))

    @abstractmethod
    def _put(self, parts: Sequence[T]) -> frozenset[str]:
        """Adds all of them or none; gives their addresses or names."""

    @abstractmethod
    def _drop(self, names: frozenset[str]) -> None:
        """Takes away those of these addresses or names."""

    @abstractmethod
    def _announce(self, names: frozenset[str]) -> None:
        """Tells that these came or went."""


def parameter_named(
    name: str, parameters: tuple[AppFunctionParameterMetadata, ...], owner: str
) -> AppFunctionParameterMetadata:
    """The parameter of this name.

    Raises:
        AppFunctionInvalidArgumentException: There is none; names the nearest ones.
    """
    names = [parameter.name for parameter in parameters]
    if name in names:
        return parameters[names.index(name)]
    near = nearest_names(name, names)
    hint = f"; near it: {', '.join(near)}" if near else f"; there are {', '.join(names) or 'none'}"
    raise AppFunctionInvalidArgumentException(f"{owner} has no {quoted(name)}{hint}")
