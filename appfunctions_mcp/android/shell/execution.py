"""One call from Android's shell: a document of arguments to a document of the result.

The function is executed as for any other caller, on this machine and of this user, and given up
when the time is over. Knows nothing of options and texts.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

from appfunctions_mcp.android.data_types import AndroidFunction, ArrayType
from appfunctions_mcp.android.describing.functions import described_document
from appfunctions_mcp.android.references import Components, components_of
from appfunctions_mcp.android.shell.documents import Document
from appfunctions_mcp.android.shell.values import Arguments, Results
from appfunctions_mcp.android.type_shapes import SCHEMA_TYPE
from appfunctions_mcp.exceptions import (
    AppFunctionException,
    AppFunctionFunctionNotFoundException,
)
from appfunctions_mcp.functions import AppFunction
from appfunctions_mcp.media import TextResource
from appfunctions_mcp.metadata import AppFunctionCaller
from appfunctions_mcp.requests import ExecuteAppFunctionRequest, ExecuteAppFunctionResponse
from appfunctions_mcp.service import AppFunctionService

__all__ = ["ShellTimeoutError", "exception_text", "execute_function"]

CANCEL_SECONDS = 5.0
"""How long a function that was cancelled may take to end."""
CONFIRMATION = "confirmation"
"""The argument that confirms a call; no parameter, so that it is declared nowhere on Android."""


class ShellTimeoutError(Exception):
    """The time is over."""


async def execute_function(
    service: AppFunctionService,
    function: AppFunction,
    arguments: Document,
    *,
    caller: AppFunctionCaller,
    seconds: float,
) -> Document:
    """Executes a function.

    Args:
        service: Has the function.
        function: The function.
        arguments: Its arguments.
        caller: Who calls.
        seconds: How long to wait.

    Returns:
        The document of the result.

    Raises:
        AppFunctionException: Whatever kept it from a value.
        ShellTimeoutError: It has not ended in time, and was cancelled.
        ValueError: What it returned has no form on Android.
    """
    declared, components = _described(function)
    tagged = _tagged_classes(function.metadata.input_schema)
    parameters = Arguments(components, tagged).of(arguments, declared)
    token = arguments.properties.get(CONFIRMATION)
    if token and function.metadata.requires_confirmation:
        parameters[CONFIRMATION] = token[0]
    request = ExecuteAppFunctionRequest(declared.id, parameters, caller=caller)
    async with service.running():
        response = await _response(service, request, seconds)
    return Results(components).of(_value_of(response, declared), declared)


def _described(function: AppFunction) -> tuple[AndroidFunction, Components]:
    """The function as Android sees it, and the types that it uses."""
    faults: list[str] = []
    document = described_document([function], faults=faults)
    if not document.functions:
        raise AppFunctionFunctionNotFoundException(
            f"no device would have {function.names.function_id}: {'; '.join(faults)}"
        )
    return document.functions[0], components_of(document)


def _tagged_classes(schema: Mapping[str, Any]) -> set[str]:
    """The classes whose name an object has under `schemaType`, in the arguments of a function."""
    found: set[str] = set()
    waiting: list[Any] = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, list):
            waiting.extend(part)
        elif isinstance(part, Mapping):
            waiting.extend(part.values())
            tag = part.get(SCHEMA_TYPE)
            if isinstance(tag, Mapping):
                found.update(tag.get("enum", ()), [tag["const"]] if "const" in tag else ())
    return found


def _value_of(response: ExecuteAppFunctionResponse, declared: AndroidFunction) -> Any:
    """What was returned, where texts beside the JSON are objects as on Android."""
    texts = [each for each in response.media if isinstance(each, TextResource)]
    if response.value is not None or not texts:
        return response.value
    values = [{"mimeType": each.mime_type, "content": each.text} for each in texts]
    is_list = declared.response is not None and isinstance(declared.response.type, ArrayType)
    return values if is_list else values[0]


async def _response(
    service: AppFunctionService, request: ExecuteAppFunctionRequest, seconds: float
) -> ExecuteAppFunctionResponse:
    execution = asyncio.ensure_future(service.manager.execute(request))
    done, _ = await asyncio.wait({execution}, timeout=max(0.0, seconds))
    if done:
        return execution.result()
    execution.cancel()
    await asyncio.wait({execution}, timeout=CANCEL_SECONDS)
    raise ShellTimeoutError


def exception_text(failure: AppFunctionException) -> str:
    """What Java's `toString` says of a failure; scripts take the code from its end."""
    message = failure.message or str(failure)
    if failure.recovery:
        message += f"{'' if message.endswith('.') or not message else '.'} {failure.recovery}"
    return f"android.app.appfunctions.AppFunctionException: {message} (code {failure.error_code})"
