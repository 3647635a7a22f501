"""The functions of a service in this process, for a model to call."""

from collections.abc import Callable
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Self

from appfunctions_mcp.assistant.results import confirmed_arguments, result_of, unknown_function
from appfunctions_mcp.assistant.sources import SourceCall
from appfunctions_mcp.confirming import PARAMETER
from appfunctions_mcp.exceptions import AppFunctionDeniedException, AppFunctionException
from appfunctions_mcp.formats.messages import FunctionResult
from appfunctions_mcp.manager import function_disabled
from appfunctions_mcp.metadata import LOCAL_CALLER, AppFunctionCaller, AppFunctionMetadata
from appfunctions_mcp.records import replaced
from appfunctions_mcp.requests import (
    ExecuteAppFunctionRequest,
    ExecuteAppFunctionResponse,
    SilentChannel,
)
from appfunctions_mcp.service import AppFunctionService

__all__ = ["ServiceSource"]


class ServiceSource:
    """A service whose functions are executed by its manager, with every check.

    Args:
        service: The service; it runs from `async with` on.
        caller: As whom the functions are called; the local user when left out.
    """

    def __init__(
        self, service: AppFunctionService, *, caller: AppFunctionCaller = LOCAL_CALLER
    ) -> None:
        self.service = service
        self._caller = caller
        self._opened = AsyncExitStack()

    async def __aenter__(self) -> Self:
        """Opens the app's lifespan."""
        await self._opened.enter_async_context(self.service.running())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Closes the app's lifespan."""
        await self._opened.__aexit__(kind, fault, trace)

    async def functions(self) -> list[AppFunctionMetadata]:
        """What is enabled, may be called by the caller and belongs to no activity."""
        return self.service.manager.listed(self._caller)

    def refusal(self, name: str) -> AppFunctionException:
        """Why a name that is not listed cannot be called: switched off, or unknown."""
        manager = self.service.manager
        for metadata in manager.search(caller=self._caller):
            if metadata.tool_name == name and not manager.is_enabled(metadata):
                return function_disabled(name)
        return unknown_function(name, [m.tool_name for m in manager.listed(self._caller)])

    def check(self, call: SourceCall) -> None:
        """Checks the arguments of a call, as executing it would.

        Raises:
            AppFunctionException: They do not fit.
        """
        function = self.service.registry.find(call.function.function_id)
        if function is not None:
            is_token = call.function.requires_confirmation
            given = {k: v for k, v in call.arguments.items() if not (is_token and k == PARAMETER)}
            function.validate(given)

    async def execute(self, call: SourceCall) -> FunctionResult:
        """Executes a function.

        Raises:
            AppFunctionException: As the manager raises it.
        """
        request = ExecuteAppFunctionRequest(
            call.function.function_id,
            call.arguments,
            self._caller,
            request_id=call.id,
            channel=_ProgressChannel(call.on_progress),
        )
        response = await self._response(call, request)
        text = () if response.text is None else (response.text,)
        return result_of(call, (*text, *response.media), structured=response.structured)

    async def _response(
        self, call: SourceCall, request: ExecuteAppFunctionRequest
    ) -> ExecuteAppFunctionResponse:
        execute = self.service.manager.execute
        try:
            return await execute(request)
        except AppFunctionDeniedException as denied:
            confirmed = confirmed_arguments(call, denied.extras)
            if confirmed is None:
                raise
        return await execute(replaced(request, parameters=confirmed))


class _ProgressChannel(SilentChannel):
    """A channel on which progress alone is heard.

    Args:
        on_progress: Called with each report, from whichever thread it comes.
    """

    def __init__(self, on_progress: Callable[[], None]) -> None:
        self._on_progress = on_progress

    def report_progress(self, _progress: float, _total: float | None, _message: str | None) -> None:
        """Tells that the call goes on."""
        self._on_progress()
