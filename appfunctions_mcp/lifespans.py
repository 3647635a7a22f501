"""An app's lifespan: opened before its functions run, closed after.

It is the author's code at the edge of the process, so that whatever it raises becomes one line
that names it. Knows nothing of functions.
"""

import asyncio
import contextlib
import inspect
import traceback
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from appfunctions_mcp.exceptions import AppFunctionDeclarationError, AppFunctionsError
from appfunctions_mcp.metadata import AppMetadata
from appfunctions_mcp.telemetry import warn

CLOSE_SECONDS = 10
"""How long a lifespan may take to close; a process that ends must not wait for ever."""

Lifespan = Callable[..., AbstractAsyncContextManager[Any]]
"""An async context manager that takes nothing, or the app's settings."""


def lifespan_name(lifespan: Lifespan, metadata: AppMetadata) -> str:
    """How messages call a lifespan: where the metadata names it, or its name in code."""
    if metadata.lifespan is not None:
        return f"{metadata.path}:{metadata.lifespan_line}: the lifespan {metadata.lifespan}"
    return f"the lifespan {getattr(lifespan, '__qualname__', lifespan)}"


@asynccontextmanager
async def opened(lifespan: Lifespan, settings: Mapping[str, Any], name: str) -> AsyncIterator[Any]:
    """Keeps a lifespan open while the block runs; its value is what it yields.

    A lifespan that fails while it is closed is told by a warning: its calls were answered.

    Args:
        lifespan: What the author declared.
        settings: Given to a lifespan that takes an argument.
        name: How messages call it: `FILE:LINE: the lifespan NAME`.

    Raises:
        AppFunctionDeclarationError: It cannot be opened.
    """
    entered = _made(lifespan, settings, name)
    try:
        value = await entered.__aenter__()
    except BaseException as fault:
        _raise_unless_own(fault)
        raise AppFunctionDeclarationError(f"{name} cannot be opened: {_told(fault)}") from fault
    try:
        yield value
    finally:
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await entered.__aexit__(None, None, None)
        except BaseException as fault:  # noqa: BLE001 - what is not the author's is raised again
            _raise_unless_own(fault)
            warn(f"{name} failed while it was closed: {_told(fault)}")


def _made(
    lifespan: Lifespan, settings: Mapping[str, Any], name: str
) -> AbstractAsyncContextManager[Any]:
    try:
        made: Any = lifespan(settings) if _takes_settings(lifespan) else lifespan()
    except Exception as fault:
        raise AppFunctionDeclarationError(f"{name} cannot be opened: {_told(fault)}") from fault
    if isinstance(made, AbstractAsyncContextManager):
        return made
    if inspect.iscoroutine(made):
        made.close()
    raise AppFunctionDeclarationError(
        f"{name} gives a {type(made).__name__}, which is no async context manager; write it as an "
        "async function with one `yield`, and @asynccontextmanager above it"
    )


def _takes_settings(lifespan: Lifespan) -> bool:
    parameters = inspect.signature(lifespan).parameters.values()
    positional = {
        inspect.Parameter.POSITIONAL_ONLY,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        inspect.Parameter.VAR_POSITIONAL,
    }
    return any(parameter.kind in positional for parameter in parameters)


def _raise_unless_own(fault: BaseException) -> None:
    """Raises again what is no failure of the lifespan: a cancellation of the server's task."""
    task = asyncio.current_task()
    is_cancelled = task is not None and task.cancelling() > 0
    if isinstance(fault, KeyboardInterrupt | AppFunctionsError) or (
        isinstance(fault, asyncio.CancelledError) and is_cancelled
    ):
        raise fault


def _told(fault: BaseException) -> str:
    """What was raised, and where, in one line."""
    text = next(iter(str(fault).splitlines()), "")
    ours = {__file__, contextlib.__file__}
    frames = [f for f in traceback.extract_tb(fault.__traceback__) if f.filename not in ours]
    place = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
    return f"{type(fault).__name__}: {text}".rstrip(": ") + place
