"""Where functions come from that a model may call: a service of this process, or MCP servers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Protocol, runtime_checkable

from appfunctions_mcp.exceptions import AppFunctionException, AppFunctionsError
from appfunctions_mcp.formats.messages import FunctionResult
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.records import record

__all__ = ["CheckingSource", "FunctionSource", "RefusingSource", "SourceCall", "SourceError"]


class SourceError(AppFunctionsError):
    """A source cannot be opened or listed; names it and says what helps."""


def _pass_over() -> None:
    """Progress that nobody waits for."""


@record(frozen=True, slots=True)
class SourceCall:
    """One call, as a source gets it."""

    id: str
    """The call's, which goes into its result."""
    function: AppFunctionMetadata
    """What is called, as the source has listed it."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """As the function's input schema has them; not checked yet."""
    is_confirmed: bool = False
    """Whether the user has agreed to this very call."""
    on_progress: Callable[[], None] = _pass_over
    """Told of each sign of life, which lets the call's time begin anew (F58); from any thread."""


@runtime_checkable
class FunctionSource(Protocol):
    """Functions that can be listed and called.

    One that has something to open is an async context manager too.
    """

    async def functions(self) -> Sequence[AppFunctionMetadata]:
        """The functions that can be called now, in a stable order, each by its tool name.

        Raises:
            SourceError: They cannot be listed.
        """

    async def execute(self, call: SourceCall) -> FunctionResult:
        """Calls a function that is listed; cancelling the task cancels the call.

        Raises:
            AppFunctionException: The call failed; its text tells the model what to do.
        """


@runtime_checkable
class RefusingSource(Protocol):
    """A source that knows more of a name than that it is not listed, such as switched off."""

    def refusal(self, name: str) -> AppFunctionException:
        """Why a name that is not listed cannot be called."""


@runtime_checkable
class CheckingSource(Protocol):
    """A source that knows whether arguments fit before it calls anything."""

    def check(self, call: SourceCall) -> None:
        """Checks the arguments of a call, so that no user is asked about one that cannot be made.

        Raises:
            AppFunctionException: They do not fit.
        """
