"""`appfunctions-mcp set-enabled`: switches a function on or off, for running servers too."""

import argparse
import sys

from appfunctions_mcp.cli.arguments import add_service_arguments, split_file
from appfunctions_mcp.cli.opening import open_service
from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.metadata import AppFunctionState
from appfunctions_mcp.names import nearest_names
from appfunctions_mcp.quoting import quoted

USAGE = "[FILE] FUNCTION STATE"
SUMMARY = "Switches a function on or off; servers that run already take it over at once."
EXAMPLE = "appfunctions-mcp set-enabled delete_note enable"

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
        metavar=USAGE,
        help="the metadata XML, a tool name or id, and one of enable, disable and default",
    )
    add_service_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Keeps the state and says what is in force now; exit code 1 where it cannot."""
    file, words = split_file(args.words)
    if len(words) != 2 or words[1] not in STATES:
        raise SettingsError(
            f"give FUNCTION and one of {', '.join(STATES)}; got {' '.join(words)!r}"
        )
    service = open_service(args, file, require_settings=False, audited_as="set-enabled")
    function = service.registry.find(words[0])
    if function is None:
        known = [each.metadata.tool_name for each in service.registry]
        near = nearest_names(words[0], known) or known[:3]
        print(
            f"no function is called {quoted(words[0])}; near it: {', '.join(near)}",
            file=sys.stderr,
        )
        return 1
    service.manager.set_enabled(words[0], STATES[words[1]])
    is_on = service.manager.is_enabled(function.metadata)
    print(f"{function.metadata.tool_name} is {'on' if is_on else 'off'}")
    if service.store is not None and not service.store.is_durable:
        print(f"the state could not be kept: it is {service.store.describe()}", file=sys.stderr)
        return 1
    return 0
