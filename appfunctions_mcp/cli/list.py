"""`appfunctions-mcp list`: the functions that a client would see, for people or as JSON."""

import argparse
import sys
from typing import Any

from appfunctions_mcp.cli.arguments import add_service_arguments, split_file
from appfunctions_mcp.cli.opening import open_service
from appfunctions_mcp.cli.output import print_json
from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.service import AppFunctionService

USAGE = "[FILE]"
SUMMARY = "Shows the functions of an app as a client would see them."
EXAMPLE = "appfunctions-mcp list metadata/app_metadata.xml --all"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds FILE and the options of the command."""
    parser.add_argument("file", nargs="*", metavar="FILE", help="the metadata XML")
    parser.add_argument("--all", action="store_true", help="the disabled functions too")
    parser.add_argument(
        "--only",
        action="append",
        metavar="GLOB",
        help="only these tool names or ids, such as 'labels_*' (repeatable)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_service_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Prints the functions; exit code 0, also where there are none."""
    file, rest = split_file(args.file)
    if rest:
        raise SettingsError(f"{rest[0]!r} is no metadata file; FILE ends in .xml or is a folder")
    service = open_service(args, file, require_settings=False)
    functions = service.manager.search() if args.all else service.manager.listed()
    if args.json:
        print_json(_as_json(service, functions))
        return 0
    for warning in service.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    _print_table(service, functions)
    return 0


def _as_json(service: AppFunctionService, functions: list[AppFunctionMetadata]) -> dict[str, Any]:
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
                "input_schema": m.input_schema,
            }
            for m in functions
        ],
    }


def _print_table(service: AppFunctionService, functions: list[AppFunctionMetadata]) -> None:
    """A table on a terminal; elsewhere a line a function, tab-separated."""
    if not sys.stdout.isatty():
        for metadata in functions:
            state = "on" if service.manager.is_enabled(metadata) else "off"
            print(metadata.tool_name, state, _first_line(metadata.description), sep="\t")
        return
    from rich import box
    from rich.console import Console
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
    table.add_column("function", no_wrap=True)
    table.add_column(Text("parameters, [optional]"), max_width=26)
    table.add_column("what it does")
    for metadata in functions:
        is_on = service.manager.is_enabled(metadata)
        name = Text(metadata.tool_name, style="bold" if is_on else "dim")
        if not is_on:
            name.append(" (off)")
        parameters = ", ".join(p.name if p.required else f"[{p.name}]" for p in metadata.parameters)
        table.add_row(name, Text(parameters), Text(_first_line(metadata.description)))
    console = Console()
    console.print(table)
    declared = service.manager.search()
    hidden = [m for m in declared if m not in functions and not service.manager.is_enabled(m)]
    if hidden:
        console.print(
            f"switched off: {len(hidden)}; --all shows them too", style="dim", highlight=False
        )
    for module, reason in service.skipped.items():
        console.print(Text(f"left out: {module}: {reason}", style="yellow"))


def _first_line(text: str) -> str:
    return text.partition("\n")[0]
