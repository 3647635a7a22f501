"""The command `appfunctions-mcp`: one module a command, imported when the command runs.

Exit codes: 0 success, 1 the thing asked for failed, 2 usage, metadata or declaration error.
Errors go to stderr, one line a fault.
"""

import gc
import os
import sys

TYPE_CHECKING = False  # `run` may be over before `typing` and `argparse` would be imported
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence
    from typing import Any

COMMANDS = {
    "run": "serve the functions to MCP clients, over stdio or HTTP",
    "list": "show the functions, resources and prompts that a client would see",
    "call": "execute one function from the command line",
    "set-enabled": "enable or disable a function",
    "lint": "judge what functions say of themselves, here or in any MCP server",
    "new": "start a project: metadata, functions, a test, a README",
    "install": "put the server into an MCP client",
    "uninstall": "take the server out of an MCP client",
    "doctor": "check an installed server and say how to mend it",
    "bundle": "pack an app as a bundle that Claude Desktop installs by a double click",
    "import-android": "make a Python project of an Android app's functions",
    "export-android": "write functions as an Android app has them: XML and Kotlin",
    "bridge": "serve the functions of a connected Android device",
    "chat": "talk with a model that may call the functions",
    "eval": "measure how well functions are reached by what users say",
    "cmd": "answer as Android's shell does: cmd app_function …",
}


def main(argv: "Sequence[str] | None" = None) -> int:
    """Runs one command.

    Args:
        argv: The words after the program's name; those of this process when left out.

    Returns:
        The exit code.
    """
    # No `list(…)`: the command of that name becomes an attribute of this package.
    words = [*(sys.argv[1:] if argv is None else argv)]
    if words and words[0] not in COMMANDS and not words[0].startswith("-"):
        print(_unknown_command(words[0]), file=sys.stderr)
        return 2
    if not words or words[0] not in COMMANDS:
        _program().parse_args(words)
        _program().print_help(sys.stderr)
        return 2
    if words[0] != "run":
        return _run_command(words)
    from appfunctions_mcp.cli.early import start_early

    early = start_early(words[1:])
    if early is not None and early.is_over:
        return 0
    # What starts a process like this one: with the interpreter's options where it is a program.
    own = sys.orig_argv[1:] if argv is None else ["-P", "-m", "appfunctions_mcp", *words]
    # What is imported and loaded now stays; a server looks for garbage once it serves.
    gc.disable()
    try:
        return _run_command(words, early=early, command=[sys.executable, *own])
    finally:
        gc.enable()


def _run_command(words: "list[str]", **known: object) -> int:
    import argparse
    import importlib
    import textwrap

    command = importlib.import_module(f"{__name__}.{words[0].replace('-', '_')}")
    parser = argparse.ArgumentParser(
        prog=f"appfunctions-mcp {words[0]}",
        usage=f"appfunctions-mcp {words[0]} {command.USAGE} [options]",
        description=textwrap.fill(command.SUMMARY, 78),
        epilog=f"example: {command.EXAMPLE}",
        formatter_class=_formatter_class(),
        allow_abbrev=False,
    )
    command.add_arguments(parser)
    args, unknown = parser.parse_known_args(words[1:], argparse.Namespace(**known))
    if unknown:
        parser.error(_unknown_option(unknown[0], parser))
    return _run(command.run, args)


def _formatter_class() -> "Any":
    """The formatter of help; without a terminal its width is known, and costs no import."""
    import argparse
    from functools import partial

    columns = os.environ.get("COLUMNS", "" if os.isatty(1) else "80")
    width = int(columns) - 2 if columns.isdecimal() and int(columns) else None
    return partial(argparse.RawDescriptionHelpFormatter, width=width)


def _unknown_command(word: str) -> str:
    from appfunctions_mcp.names import nearest_names

    near = nearest_names(word, COMMANDS, limit=1)
    hint = f"perhaps {near[0]}" if near else f"the commands are {', '.join(COMMANDS)}"
    return f"appfunctions-mcp: there is no command {word!r}; {hint}"


def _unknown_option(word: str, parser: "argparse.ArgumentParser") -> str:
    import re

    from appfunctions_mcp.names import nearest_names

    if not word.startswith("-"):
        return f"{word!r} is one word too many; see '{parser.prog} --help'"
    near = nearest_names(word, sorted(set(re.findall(r"--[a-z-]+", parser.format_help()))), limit=1)
    hint = f"perhaps {near[0]}; " if near else ""
    return f"there is no option {word!r}; {hint}'{parser.prog} --help' shows those that are"


def _program() -> "argparse.ArgumentParser":
    import argparse

    from appfunctions_mcp import __version__

    listing = "\n".join(f"  {name:<15} {text}" for name, text in COMMANDS.items())
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


def _run(run: "Callable[[argparse.Namespace], int]", args: "argparse.Namespace") -> int:
    from appfunctions_mcp.cli.output import print_any_text
    from appfunctions_mcp.exceptions import AppFunctionsError

    if None in {sys.stdin, sys.stdout, sys.stderr}:
        from appfunctions_mcp.server.descriptors import open_closed_descriptors

        open_closed_descriptors()
    print_any_text()
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
