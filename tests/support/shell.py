"""Asks Android's shell over the functions of a service."""

import asyncio
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from appfunctions_mcp import AppFunctionService
from appfunctions_mcp.android.shell.commands import run_shell

PACKAGE = "com.example.notes"


@dataclass(frozen=True)
class ShellAnswer:
    """What a command printed and returned."""

    code: int
    out: str
    err: str


def shell_service(*functions: Callable[..., Any], **kept: Any) -> AppFunctionService:
    """A service of functions in code, as a package of a device."""
    return AppFunctionService.from_functions(
        functions, name=PACKAGE, description="Keeps notes.", **kept
    )


def ask(service: AppFunctionService, *words: str, **how: Any) -> ShellAnswer:
    """The answer to `cmd app_function WORDS`."""
    return ask_cmd(service, "app_function", *words, **how)


def ask_cmd(service: AppFunctionService, *words: str, **how: Any) -> ShellAnswer:
    """The answer to `cmd WORDS`."""
    out, err = io.StringIO(), io.StringIO()
    code = asyncio.run(run_shell(words, service, stdout=out, stderr=err, **how))
    return ShellAnswer(code, out.getvalue(), err.getvalue())


def execute(
    service: AppFunctionService, function: str, parameters: str, *options: str
) -> ShellAnswer:
    """The answer to `execute-app-function`."""
    named = ("--package", PACKAGE, "--function", function, "--parameters", parameters)
    return ask(service, "execute-app-function", *named, *options)


def listed(service: AppFunctionService, *options: str, **how: Any) -> dict[str, Any]:
    """The documents of functions by the names of these."""
    answer = ask(service, "list-app-functions", *options, **how)
    assert answer.code == 0
    key = f"AppFunctionStaticMetadata-{PACKAGE}"
    functions = [each[key] for each in json.loads(answer.out)[PACKAGE] if key in each]
    return {each["functionId"][0].partition("#")[2]: each for each in functions}


def listed_state(service: AppFunctionService, function: str) -> int:
    """The number of a function's state in the list."""
    key = f"AppFunctionRuntimeMetadata-{PACKAGE}"
    entries = json.loads(ask(service, "list-app-functions").out)[PACKAGE]
    states = {each[key][key]["functionId"][0]: each[key][key] for each in entries if key in each}
    number: int = states[f"{function}"]["enabled"][0]
    return number
