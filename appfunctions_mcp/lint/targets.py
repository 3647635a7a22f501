"""Apps of ours, and servers of any kind, read into what rules judge. Judges nothing."""

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from appfunctions_mcp.exceptions import AppFunctionsError
from appfunctions_mcp.formats.mcp_tools import metadata_of_tools
from appfunctions_mcp.lint.examples import bodies_of
from appfunctions_mcp.lint.subjects import LintSubject, Origin
from appfunctions_mcp.metadata import AppMetadata
from appfunctions_mcp.records import replaced
from appfunctions_mcp.service import AppFunctionService

__all__ = ["TargetError", "place_of_texts", "server_subject", "service_subject", "tools_subject"]

_START_SECONDS = 30.0
_LONGEST_CAUSE = 300
_HINT_OF_URL = (
    "see whether this is its MCP endpoint, and whether it wants credentials, which are not sent"
)
_HINT_OF_COMMAND = "start it by hand and see what it prints"


class TargetError(AppFunctionsError):
    """What should be judged cannot be reached or read; says why."""


def service_subject(service: AppFunctionService) -> LintSubject:
    """An app of ours, with every function that it declares, enabled or not.

    Args:
        service: It is loaded.
    """
    app = service.metadata
    bodies: dict[str, Callable[..., Any]] = {}
    for declared in app.modules:
        module = sys.modules.get(declared.module)
        if module is not None:
            bodies |= bodies_of(module, declared.prefix)
    return LintSubject(
        tuple(each.metadata for each in service.registry),
        Origin.OWN,
        server_name=app.name,
        app=app,
        instructions=app.description,
        instructions_source=place_of_texts(app),
        bodies=bodies,
        other_names=frozenset(_other_names(service)),
    )


def _other_names(service: AppFunctionService) -> Iterator[str]:
    if service.has_prompts:
        yield from (each.name for each in service.prompts.listed())
    if service.has_resources:
        for each in (*service.resources.static(), *service.resources.templates()):
            yield each.name
            yield from (parameter.name for parameter in each.parameters)
    yield from (each.name for each in service.metadata.settings)


def tools_subject(
    tools: Sequence[Any],
    *,
    server_name: str = "",
    instructions: str = "",
    source: str = "",
    lines: Sequence[int] = (),
) -> LintSubject:
    """The tools of a server that is not ours.

    Args:
        tools: As in the result of `tools/list`.
        server_name: What clients put before their names, where somebody knows it.
        instructions: What the server tells its clients about itself.
        source: The file, where the tools are saved in one.
        lines: Where in it each of them stands.

    Raises:
        ToolListError: A tool is no object, or has no name.
    """
    functions = metadata_of_tools(tools)
    if source:
        functions = tuple(
            replaced(each, source=f"{source}:{line}")
            for each, line in zip(functions, lines, strict=True)
        )
    return LintSubject(
        functions,
        Origin.FOREIGN,
        server_name=server_name,
        instructions=instructions,
        instructions_source=f"{source}:1" if source else "",
        tools=tuple(tools),
    )


async def server_subject(target: Any, *, name: str = "", **options: Any) -> LintSubject:
    """The tools of a server that runs, or is started for this.

    Args:
        target: A command as a list of its words, or the URL of a streamable HTTP endpoint.
        name: By which clients prefix tool names; the name that the server gives itself when left
            out.
        options: What else `client.open_server` takes.

    Raises:
        TargetError: It cannot be started or reached, or does not list its tools in half a minute.
        ToolListError: What it lists are no tools.
    """
    import anyio

    from appfunctions_mcp.client import open_server

    shown = target if isinstance(target, str) else " ".join(target)
    try:
        with anyio.fail_after(_START_SECONDS):
            async with open_server(target, on_tools_changed=lambda: None, **options) as connection:
                told = connection.client.server_info
                tools = await connection.list_tools()
                return tools_subject(
                    tools,
                    server_name=name or (told.name if told is not None else ""),
                    instructions=connection.instructions,
                )
    except AppFunctionsError:
        raise
    except TimeoutError as fault:
        raise TargetError(
            f"{shown}: no list of tools within {_START_SECONDS:g} seconds; see whether the server "
            "starts, and what it prints"
        ) from fault
    except Exception as fault:
        hint = _HINT_OF_URL if isinstance(target, str) else _HINT_OF_COMMAND
        raise TargetError(
            f"{shown}: the server cannot be asked: {_cause_of(fault)}; {hint}"
        ) from fault


def _cause_of(fault: BaseException) -> str:
    """The innermost of what went wrong, in words."""
    while isinstance(fault, BaseExceptionGroup):
        fault = fault.exceptions[0]
    return " ".join(str(fault).split())[:_LONGEST_CAUSE] or type(fault).__name__


def place_of_texts(app: AppMetadata) -> str:
    """`FILE:LINE` of what an app says of itself; empty for one that was made in code."""
    from appfunctions_mcp.metadata_attributes import ANDROIDX, RES_AUTO
    from appfunctions_mcp.xml_elements import read_xml

    if app.path is None:
        return ""
    root = read_xml(app.path)
    for name in ("instructions", "description"):
        for namespace in (ANDROIDX, RES_AUTO):
            attribute = root.attribute(name, namespace)
            if attribute is not None:
                return f"{app.path}:{attribute.line}"
    return f"{app.path}:{root.line}"
