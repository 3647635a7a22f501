"""The command `appfunctions-mcp`: one module a command, imported when the command runs.

Exit codes: 0 success, 1 the thing asked for failed, 2 usage, metadata or declaration error.
Errors go to stderr, one line a fault.
"""

import argparse
import importlib
import os
import sys
from collections.abc import Callable, Sequence

from appfunctions_mcp import __version__
from appfunctions_mcp.exceptions import AppFunctionsError

COMMANDS = {
    "run": "serve the functions to MCP clients, over stdio or HTTP",
    "list": "show the functions that a client would see",
    "call": "execute one function from the command line",
    "set-enabled": "enable or disable a function",
    "new": "start a project: metadata, functions, a test, a README",
    "install": "put the server into an MCP client",
    "uninstall": "take the server out of an MCP client",
    "doctor": "check an installed server and say how to mend it",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command.

    Args:
        argv: The words after the program's name; those of this process when left out.

    Returns:
        The exit code.
    """
    # No `list(…)`: the command of that name becomes an attribute of this package.
    words = [*(sys.argv[1:] if argv is None else argv)]
    if not words or words[0] not in COMMANDS:
        _program().parse_args(words)
        _program().print_help(sys.stderr)
        return 2
    command = importlib.import_module(f"{__name__}.{words[0].replace('-', '_')}")
    parser = argparse.ArgumentParser(
        prog=f"appfunctions-mcp {words[0]}",
        description=command.SUMMARY,
        epilog=f"example: {command.EXAMPLE}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_arguments(parser)
    return _run(command.run, parser.parse_args(words[1:]))


def _program() -> argparse.ArgumentParser:
    listing = "\n".join(f"  {name:<12} {text}" for name, text in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="appfunctions-mcp",
        description="Serves declared Python functions to MCP clients.",
        epilog=f"commands:\n{listing}\n\nexample: appfunctions-mcp run metadata/app_metadata.xml\n"
        "'appfunctions-mcp COMMAND --help' shows a command's options.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="appfunctions-mcp COMMAND [FILE] [options]",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    parser.add_argument("command", choices=tuple(COMMANDS), metavar="COMMAND", nargs="?")
    return parser


def _run(run: Callable[[argparse.Namespace], int], args: argparse.Namespace) -> int:
    try:
        return run(args)
    except AppFunctionsError as fault:
        for line in fault.faults:
            print(line, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader of our output has gone; the interpreter must not flush into the closed pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
