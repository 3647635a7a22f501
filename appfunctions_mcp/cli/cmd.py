"""`appfunctions-mcp cmd`: answers as the shell of an Android device does.

Exit codes are the device's: 0, or 255 for its -1, and 20 where there is no such service.
"""

import argparse
import io
import sys
from typing import TextIO

from appfunctions_mcp.android.shell.commands import NO_SERVICE, SERVICE, missing_service, run_shell
from appfunctions_mcp.android.shell.function_listing import LATEST_API_LEVEL
from appfunctions_mcp.cli.arguments import add_service_arguments, split_file
from appfunctions_mcp.cli.opening import open_service
from appfunctions_mcp.cli.output import modules_print_on_stderr
from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.server.event_loop import run_to_end

USAGE = "[FILE] app_function COMMAND"
SUMMARY = (
    "Answers as 'adb shell cmd app_function' does, over these functions, so that scripts written "
    "for a device run here. Options of this program stand before FILE."
)
EXAMPLE = """appfunctions-mcp cmd app_function list-app-functions
         appfunctions-mcp cmd app_function execute-app-function \\
             --package notes --function 'sample_app.notes#find_notes' \\
             --parameters '{"query": "milk"}'"""

EXECUTE = "execute-app-function"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options, FILE, and everything behind it as it stands."""
    add_service_arguments(parser)
    parser.add_argument(
        "--api-level",
        type=int,
        default=LATEST_API_LEVEL,
        metavar="N",
        help=f"answer as Android of this API level does, 36 or {LATEST_API_LEVEL} (the default)",
    )
    parser.add_argument(
        "words",
        nargs=argparse.REMAINDER,
        metavar=USAGE,
        help="the metadata XML or its folder, and what would follow 'adb shell cmd'; "
        "'cmd app_function help' lists the commands",
    )


def run(args: argparse.Namespace) -> int:
    """Prints what a device prints and returns its exit code."""
    file, words = (None, args.words) if args.words[:1] == [SERVICE] else split_file(args.words)
    if words and words[0].startswith("-"):
        raise SettingsError(
            f"{quoted(words[0])} stands behind FILE; options of this program come before it"
        )
    missing = missing_service(words, args.api_level)
    if missing is not None:
        print(missing, file=sys.stderr)
        return NO_SERVICE
    is_execution = words[1:2] == [EXECUTE]
    service = open_service(args, file, require_settings=is_execution, audited_as="cmd")
    answer = io.StringIO()
    with modules_print_on_stderr():
        code = run_to_end(
            run_shell(words, service, stdout=answer, stderr=sys.stderr, api_level=args.api_level)
        )
    _print_as_a_device(sys.stdout, answer.getvalue())
    return code


def _print_as_a_device(stdout: TextIO, text: str) -> None:
    """Prints UTF-8 with bare line feeds, whatever this platform has."""
    if isinstance(stdout, io.TextIOWrapper):
        stdout.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    stdout.write(text)
    stdout.flush()
