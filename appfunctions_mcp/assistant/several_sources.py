"""Several sources as one, each with a prefix before the names of its functions."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from types import TracebackType
from typing import Self

from appfunctions_mcp.assistant.results import unknown_function
from appfunctions_mcp.assistant.sources import (
    CheckingSource,
    FunctionSource,
    RefusingSource,
    SourceCall,
    SourceError,
)
from appfunctions_mcp.exceptions import (
    AppFunctionDisabledException,
    AppFunctionException,
)
from appfunctions_mcp.formats.messages import FunctionResult
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.records import record, replaced

__all__ = ["SeveralSources"]


@record(frozen=True, slots=True)
class _Owned:
    """A function, and whose it is."""

    prefix: str
    function: AppFunctionMetadata
    """As its source lists it."""


class SeveralSources:
    """Sources side by side: `create_note` of the source `notes` is `notes_create_note`.

    Args:
        sources: By prefix; an empty one leaves the names as they are.
    """

    def __init__(self, sources: Mapping[str, FunctionSource]) -> None:
        self._sources = dict(sources)
        self._owned: dict[str, _Owned] = {}
        self._opened = AsyncExitStack()

    async def __aenter__(self) -> Self:
        """Opens all sources.

        Raises:
            SourceError: Names each one that cannot be opened, and functions of one name.
        """
        faults: list[str] = []
        async with AsyncExitStack() as opening:
            for prefix, source in self._sources.items():
                if isinstance(source, AbstractAsyncContextManager):
                    try:
                        await opening.enter_async_context(source)
                    except Exception as fault:  # noqa: BLE001 - named below, with those of others
                        faults += _faults_of(prefix, fault)
            if faults:
                raise SourceError(faults)
            await self.functions()
            self._opened = opening.pop_all()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Closes all sources, the last one first."""
        await self._opened.__aexit__(kind, fault, trace)

    async def functions(self) -> tuple[AppFunctionMetadata, ...]:
        """The functions of all sources, in their order, with their prefixes.

        Raises:
            SourceError: One cannot be listed, or two functions would have one name.
        """
        owned: dict[str, _Owned] = {}
        faults: list[str] = []
        for prefix, source in self._sources.items():
            try:
                listed = await source.functions()
            except SourceError as fault:
                faults += _faults_of(prefix, fault)
                continue
            for function in listed:
                name = f"{prefix}_{function.tool_name}" if prefix else function.tool_name
                if name in owned:
                    faults.append(_clash(name, owned[name], _Owned(prefix, function)))
                owned[name] = _Owned(prefix, function)
        if faults:
            raise SourceError(faults)
        self._owned = owned
        return tuple(replaced(each.function, tool_name=name) for name, each in owned.items())

    def refusal(self, name: str) -> AppFunctionException:
        """Why a name that is not listed cannot be called."""
        for prefix, source in self._sources.items():
            start = f"{prefix}_" if prefix else ""
            if isinstance(source, RefusingSource) and name.startswith(start):
                refusal = source.refusal(name.removeprefix(start))
                if isinstance(refusal, AppFunctionDisabledException):
                    return refusal
        return unknown_function(name, list(self._owned))

    def check(self, call: SourceCall) -> None:
        """Checks the arguments of a call, where its source can.

        Raises:
            AppFunctionException: As its source.
        """
        owned = self._owned.get(call.function.tool_name)
        source = self._sources[owned.prefix] if owned is not None else None
        if owned is not None and isinstance(source, CheckingSource):
            source.check(replaced(call, function=owned.function))

    async def execute(self, call: SourceCall) -> FunctionResult:
        """Calls a function of one of the sources.

        Raises:
            AppFunctionException: As its source.
        """
        name = call.function.tool_name
        owned = self._owned.get(name)
        if owned is None:
            raise self.refusal(name)
        result = await self._sources[owned.prefix].execute(replaced(call, function=owned.function))
        return replaced(result, name=name)


def _faults_of(prefix: str, fault: Exception) -> list[str]:
    faults = fault.faults if isinstance(fault, SourceError) else (str(fault) or repr(fault),)
    return [f"the source {quoted(prefix)}: {each}" for each in faults]


def _clash(name: str, first: _Owned, second: _Owned) -> str:
    """Two functions of one name, and what helps."""
    one, other = (
        f"{quoted(each.function.tool_name)} of the source {quoted(each.prefix)}"
        for each in (first, second)
    )
    return f"{one} and {other} would both be called {quoted(name)}; give one another prefix"
