"""`appfunctions-mcp set-enabled`: switches a function on or off, for running servers too."""

import argparse

from appfunctions_mcp.cli.arguments import add_service_arguments, split_file
from appfunctions_mcp.cli.opening import open_service
from appfunctions_mcp.exceptions import AppFunctionFunctionNotFoundException, SettingsError
from appfunctions_mcp.metadata import AppFunctionState

SUMMARY = "Switches a function on or off; servers that run already take it over at once."
EXAMPLE = "appfunctions-mcp set-enabled metadata/app_metadata.xml delete_note enable"

STATES = {
    "enable": AppFunctionState.ENABLED,
    "disable": AppFunctionState.DISABLED,
    "default": AppFunctionState.DEFAULT,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds FILE, FUNCTION and the state."""
    parser.add_argument(
        "words",
        nargs="+",
        metavar="[FILE] FUNCTION enable|disable|default",
        help="the metadata XML, a tool name or id, and what to do",
    )
    add_service_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Keeps the state and says what is in force now; exit code 1 where no function matches."""
    file, words = split_file(args.words)
    if len(words) != 2 or words[1] not in STATES:
        raise SettingsError(
            f"give FUNCTION and one of {', '.join(STATES)}; got {' '.join(words)!r}"
        )
    service = open_service(args, file, require_settings=False)
    try:
        service.manager.set_enabled(words[0], STATES[words[1]])
    except AppFunctionFunctionNotFoundException as failure:
        raise SettingsError(failure.message) from failure
    function = service.registry.find(words[0])
    if function is not None:
        is_on = service.manager.is_enabled(function.metadata)
        print(f"{function.metadata.tool_name} is {'on' if is_on else 'off'}")
    if service.store is not None and not service.store.is_durable:
        raise SettingsError(f"the state could not be kept: it is {service.store.describe()}")
    return 0
