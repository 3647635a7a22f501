"""Functions for dispatchers, and a source whose every answer is a script."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Self

from appfunctions_mcp.assistant.sources import SourceCall
from appfunctions_mcp.formats.messages import FunctionCall, FunctionResult
from appfunctions_mcp.metadata import AppFunctionMetadata

Body = Callable[[SourceCall], Awaitable[Any]]


class ScriptedSource:
    """A source of functions that do what a test says.

    Args:
        bodies: By tool name.
        described: Further fields of the metadata, by tool name.
    """

    def __init__(
        self, bodies: Mapping[str, Body], described: Mapping[str, Mapping[str, Any]] | None = None
    ) -> None:
        self.bodies = dict(bodies)
        self._described = described or {}
        self.calls: list[SourceCall] = []
        self.is_open = False

    async def __aenter__(self) -> Self:
        self.is_open = True
        return self

    async def __aexit__(self, *raised: object) -> None:
        self.is_open = False

    async def functions(self) -> Sequence[AppFunctionMetadata]:
        return [
            AppFunctionMetadata(function_id=name, tool_name=name, **self._described.get(name, {}))
            for name in self.bodies
        ]

    async def execute(self, call: SourceCall) -> FunctionResult:
        self.calls.append(call)
        result: FunctionResult = await self.bodies[call.function.tool_name](call)
        return result


def result(call: SourceCall, text: str = "done", **fields: Any) -> FunctionResult:
    """A result of a scripted function."""
    return FunctionResult(call.id, call.function.tool_name, text, **fields)


async def done(call: SourceCall) -> FunctionResult:
    """A function that is over at once."""
    return result(call)


def calls(*names: str, **arguments: Any) -> list[FunctionCall]:
    """Calls by name with the ids c0, c1 and so on, all with the same arguments."""
    return [FunctionCall(f"c{place}", name, arguments) for place, name in enumerate(names)]


class Blocked:
    """A function that waits until it is released, and says what became of it."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.released = asyncio.Event()
        self.was_cancelled = False

    async def __call__(self, call: SourceCall) -> FunctionResult:
        self.begun.set()
        try:
            await self.released.wait()
        except asyncio.CancelledError:
            self.was_cancelled = True
            raise
        return result(call)
