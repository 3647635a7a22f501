"""`appfunctions-mcp call`: executes one function as a client would, and prints its answer."""

import argparse
import sys
from typing import Any

from appfunctions_mcp.cli.arguments import add_service_arguments, split_file
from appfunctions_mcp.cli.opening import open_service
from appfunctions_mcp.cli.output import modules_print_on_stderr, print_json
from appfunctions_mcp.exceptions import (
    AppFunctionDeniedException,
    AppFunctionException,
    AppFunctionFunctionNotFoundException,
    SettingsError,
)
from appfunctions_mcp.json_text import JsonTextError, read_json
from appfunctions_mcp.media import (
    ACTION_SCHEME,
    Audio,
    BlobResource,
    Image,
    ResourceLink,
    TextResource,
)
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.requests import ExecuteAppFunctionRequest, ExecuteAppFunctionResponse
from appfunctions_mcp.server.event_loop import run_to_end
from appfunctions_mcp.service import AppFunctionService

USAGE = "[FILE] FUNCTION [JSON]"
SUMMARY = "Executes one function, with the same checks as for a client, and prints the answer."
EXAMPLE = """appfunctions-mcp call find_notes --param query=milk
         appfunctions-mcp call create_note '{"title": "Milk", "content": null}'"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds FILE, FUNCTION, JSON and the options of the command."""
    parser.add_argument(
        "words",
        nargs="+",
        metavar=USAGE,
        help="the metadata XML, a tool name or id, and the arguments as a JSON object",
    )
    parser.add_argument(
        "--param", action="append", default=[], metavar="K=V", help="one argument as text"
    )
    parser.add_argument("--json", action="store_true", help="print the whole answer as JSON")
    parser.add_argument("--yes", action="store_true", help="confirm without being asked")
    parser.add_argument(
        "--debug", action="store_true", help="put a crash's traceback into the answer too"
    )
    add_service_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Prints the answer on stdout, exit code 0; or the error on stderr, exit code 1."""
    file, words = split_file(args.words)
    if not words or len(words) > 2:
        raise SettingsError("give FUNCTION, and its arguments as one JSON object or as --param K=V")
    parameters = _parameters(words[1] if len(words) == 2 else None, args.param)
    service = open_service(args, file, audited_as="call")
    request = ExecuteAppFunctionRequest(words[0], parameters)
    try:
        with modules_print_on_stderr():
            response = run_to_end(_execute(service, request, confirmed=args.yes))
    except AppFunctionException as failure:
        if isinstance(failure, AppFunctionFunctionNotFoundException):
            failure.recovery = _other_kind(service, words[0]) or failure.recovery
        if args.json:
            print_json({"error": failure.structured()})
        print(failure.text(), file=sys.stderr)
        return 1
    _print_answer(response, as_json=args.json)
    if any(link.startswith(ACTION_SCHEME) for link in _links_of(response)):
        print(
            "the step cannot be taken any more: it ended with this command, as it lives in the "
            "process that offers it; a client that stays connected can take it",
            file=sys.stderr,
        )
    return 0


def _links_of(response: ExecuteAppFunctionResponse) -> list[str]:
    return [item.uri for item in response.media if isinstance(item, ResourceLink)]


def _parameters(text: str | None, pairs: list[str]) -> dict[str, Any]:
    """The arguments of the JSON object and of the `K=V` pairs together.

    A pair's value is text, which becomes a number, a bool, a list or an object only where the
    parameter's type asks for one, as it does for any client.
    """
    parameters: Any = {}
    if text is not None:
        try:
            parameters = read_json(text)
        except JsonTextError as fault:
            what = str(fault).removeprefix("not JSON: ")
            raise SettingsError(
                f"the arguments {quoted(text)} are no JSON: {what}; write them as "
                '\'{"title": "Milk"}\', or as --param title=Milk'
            ) from fault
        if not isinstance(parameters, dict):
            raise SettingsError('the arguments must be one JSON object, such as {"title": "Milk"}')
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not (name and equals):
            raise SettingsError(
                f"--param {quoted(pair)} has no form K=V; write it as --param title=Milk"
            )
        parameters[name] = value
    return parameters  # type: ignore[no-any-return] # checked to be an object above


async def _execute(
    service: AppFunctionService, request: ExecuteAppFunctionRequest, *, confirmed: bool
) -> ExecuteAppFunctionResponse:
    async with service.running():
        try:
            return await service.manager.execute(request)
        except AppFunctionDeniedException as denied:
            token = denied.extras.get("confirmation")
            if token is None:
                raise
            if not (confirmed or sys.stdin.isatty()):
                denied.recovery = "The same command with --yes runs it without asking."
                raise
            if not (confirmed or _agrees(denied)):
                raise AppFunctionDeniedException("not confirmed, so nothing was run") from None
        again = {**request.parameters, "confirmation": token}
        return await service.manager.execute(ExecuteAppFunctionRequest(request.function, again))


def _agrees(denied: AppFunctionDeniedException) -> bool:
    """Asks the person at the terminal."""
    print(denied.message, file=sys.stderr)
    print("Run it? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _other_kind(service: AppFunctionService, name: str) -> str | None:
    """What to do about the name of a prompt or the address of a resource."""
    if service.has_prompts and name in {p.name for p in service.prompts.listed()}:
        return f"{quoted(name)} is a prompt, which a client fills in; call executes functions only."
    if service.has_resources and service.resources.is_visible(name):
        return f"{quoted(name)} is a resource, which a client reads; call executes functions only."
    return None


def _print_answer(response: ExecuteAppFunctionResponse, *, as_json: bool) -> None:
    if as_json or (response.text is not None and response.structured is not None):
        print_json(response.value)
    elif response.text is not None:
        print(response.text)
    for item in response.media:
        if isinstance(item, Image | Audio | BlobResource):
            print(f"{type(item).__name__}: {item.mime_type}, {len(item.data):,} bytes")
        elif isinstance(item, ResourceLink):
            print(f"ResourceLink: {item.uri}")
        elif isinstance(item, TextResource):
            print(f"TextResource: {item.mime_type}, {item.uri}", item.text, sep="\n")
        else:
            print(item)
