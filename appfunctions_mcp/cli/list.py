"""`appfunctions-mcp list`: what a client would see of an app, for people or as JSON."""

import argparse
import sys
from typing import TYPE_CHECKING, Any

from appfunctions_mcp.cli.arguments import add_service_arguments, split_file
from appfunctions_mcp.cli.opening import open_service
from appfunctions_mcp.cli.output import print_json
from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.metadata import (
    AppFunctionAccessLevel,
    AppFunctionMetadata,
    AppFunctionParameterMetadata,
    AppFunctionScope,
    AppPromptMetadata,
    AppResourceMetadata,
)
from appfunctions_mcp.quoting import as_it_is_read
from appfunctions_mcp.service import AppFunctionService

if TYPE_CHECKING:
    from rich.table import Table

USAGE = "[FILE]"
SUMMARY = "Shows the functions, resources and prompts of an app as a client would see them."
EXAMPLE = "appfunctions-mcp list metadata/app_metadata.xml --all"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds FILE and the options of the command."""
    parser.add_argument("file", nargs="*", metavar="FILE", help="the metadata XML")
    parser.add_argument("--all", action="store_true", help="the disabled functions too")
    parser.add_argument(
        "--only",
        action="append",
        metavar="GLOB",
        help="only these tool names, ids, addresses or prompts, such as 'labels_*' (repeatable)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_service_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Prints what there is; exit code 0, also where there is nothing."""
    file, rest = split_file(args.file)
    if rest:
        raise SettingsError(f"{rest[0]!r} is no metadata file; FILE ends in .xml or is a folder")
    service = open_service(args, file, require_settings=False)
    functions = service.manager.search() if args.all else service.manager.listed()
    if args.json:
        print_json(as_json(service, functions))
        return 0
    for warning in service.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    print_functions(service, functions)
    return 0


def print_functions(service: AppFunctionService, functions: list[AppFunctionMetadata]) -> None:
    """Prints functions and what else there is: a table on a terminal, else lines."""
    if sys.stdout.isatty():
        _print_table(service, functions)
    else:
        _print_lines(service, functions)


def as_json(service: AppFunctionService, functions: list[AppFunctionMetadata]) -> dict[str, Any]:
    """What there is, as a JSON value."""
    app = service.metadata
    return {
        "app": {
            "name": app.name,
            "title": app.title,
            "version": app.version,
            "description": app.description,
            "display_description": app.display_description,
            "website_url": app.website_url,
            "skipped_modules": service.skipped,
        },
        "functions": [
            {
                "function_id": m.function_id,
                "tool_name": m.tool_name,
                "description": m.description,
                "enabled": service.manager.is_enabled(m),
                **_android_part(m),
                "input_schema": m.input_schema,
            }
            for m in functions
        ],
        "resources": list(map(_resource_as_json, _resources_of(service))),
        "prompts": list(map(_prompt_as_json, _prompts_of(service))),
    }


def _android_part(metadata: AppFunctionMetadata) -> dict[str, Any]:
    """What the function is beyond what every function is without saying so."""
    part: dict[str, Any] = {}
    if metadata.schema is not None:
        schema = metadata.schema
        part["schema"] = {
            "category": schema.category,
            "name": schema.name,
            "version": schema.version,
        }
    if metadata.deprecated is not None:
        part["deprecated"] = metadata.deprecated
    if metadata.scope is not AppFunctionScope.GLOBAL:
        part["scope"] = metadata.scope.value
    if metadata.access_level is not AppFunctionAccessLevel.ANDROID_TRUSTED:
        part["access_level"] = metadata.access_level.value
    if metadata.package:
        part["package"] = metadata.package
    return part


def _resource_as_json(resource: AppResourceMetadata) -> dict[str, Any]:
    return {
        "uri": resource.uri,
        "name": resource.name,
        "title": resource.title,
        "description": resource.description,
        "mime_type": resource.mime_type,
        "is_template": resource.is_template,
    }


def _prompt_as_json(prompt: AppPromptMetadata) -> dict[str, Any]:
    return {
        "name": prompt.name,
        "title": prompt.title,
        "description": prompt.description,
        "arguments": [
            {"name": a.name, "description": a.description, "required": a.required}
            for a in prompt.parameters
        ],
    }


def _resources_of(service: AppFunctionService) -> list[AppResourceMetadata]:
    """The single resources and the templates; what templates list is known to a server only."""
    if not service.has_resources:
        return []
    return [*service.resources.static(), *service.resources.templates()]


def _prompts_of(service: AppFunctionService) -> list[AppPromptMetadata]:
    return service.prompts.listed() if service.has_prompts else []


def _parts_of(service: AppFunctionService) -> list[tuple[str, str, str, str]]:
    """Name, kind, parameters and first line of what an app has beside functions."""
    resources = [
        (r.uri, "resource", _parameters(r.parameters), _first_line(r.description))
        for r in _resources_of(service)
    ]
    prompts = [
        (p.name, "prompt", _parameters(p.parameters), _first_line(p.description))
        for p in _prompts_of(service)
    ]
    return [*resources, *prompts]


def _print_lines(service: AppFunctionService, functions: list[AppFunctionMetadata]) -> None:
    """A line for each, tab-separated, for programs."""
    for metadata in functions:
        state = _state_of(service, metadata)
        print(metadata.tool_name, state, _first_line(metadata.description), sep="\t")
    for part, kind, _, description in _parts_of(service):
        print(part, kind, description, sep="\t")


def _state_of(service: AppFunctionService, metadata: AppFunctionMetadata) -> str:
    """Whether it can be called, in a word; what belongs to an activity is called in one only."""
    if not service.manager.is_enabled(metadata):
        return "off"
    return "on" if metadata.scope is AppFunctionScope.GLOBAL else "in an activity"


def _print_table(service: AppFunctionService, functions: list[AppFunctionMetadata]) -> None:
    """A table for people, and what it leaves out."""
    from rich.console import Console
    from rich.text import Text

    console = Console()
    console.print(_table(service, functions))
    declared = service.manager.search()
    hidden = [m for m in declared if m not in functions and not service.manager.is_enabled(m)]
    if hidden:
        console.print(
            f"switched off: {len(hidden)}; --all shows them too", style="dim", highlight=False
        )
    for module, reason in service.skipped.items():
        console.print(Text(f"left out: {module}: {reason}", style="yellow"))


def _table(service: AppFunctionService, functions: list[AppFunctionMetadata]) -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    app = service.metadata
    table = Table(
        title=f"{app.title or app.name} {app.version}",
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    table.add_column("name", no_wrap=True)
    table.add_column(Text("parameters, [optional]"), max_width=26)
    table.add_column("what it does")
    for metadata in functions:
        state = _state_of(service, metadata)
        name = Text(metadata.tool_name, style="bold" if state == "on" else "dim")
        if state != "on":
            name.append(f" ({state})")
        if metadata.deprecated is not None:
            name.append(" (deprecated)", style="dim")
        parameters = _parameters(metadata.parameters)
        table.add_row(name, Text(parameters), Text(_first_line(metadata.description)))
    for part, kind, takes, description in _parts_of(service):
        named = Text(part, style="bold").append(f" ({kind})", style="dim")
        table.add_row(named, Text(takes), Text(description))
    return table


def _parameters(parameters: tuple[AppFunctionParameterMetadata, ...]) -> str:
    return ", ".join(p.name if p.required else f"[{p.name}]" for p in parameters)


def _first_line(text: str) -> str:
    return as_it_is_read(text.partition("\n")[0])
