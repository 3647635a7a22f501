"""`cmd app_function set-enabled` and `is-enabled`, as on a device."""

from pathlib import Path
from typing import Any

import pytest

from appfunctions_mcp import AppFunctionService
from appfunctions_mcp.state import JsonFileStateStore
from tests.support.shell import (
    PACKAGE,
    ShellAnswer,
    ask,
    execute,
    listed,
    listed_state,
    shell_service,
)
from tests.support.shell_functions import FUNCTIONS, MODULE

SERVICE = shell_service(*FUNCTIONS)
NOTHING = f"{MODULE}#nothing"


def state(service: AppFunctionService, word: str, **how: Any) -> ShellAnswer:
    """Sets the state of `nothing`."""
    function = how.pop("function", NOTHING)
    named = ("--package", PACKAGE, "--function", function, "--state", word)
    return ask(service, "set-enabled", *named, **how)


def is_enabled(service: AppFunctionService, function: str = "nothing", *options: str) -> str:
    """What `is-enabled` says."""
    named = ("--package", PACKAGE, "--function", f"{MODULE}#{function}")
    answer = ask(service, "is-enabled", *named, *options)
    assert answer.code == 0
    return answer.out


def test_a_function_is_switched_off_and_back(tmp_path: Path) -> None:
    """The states are those of every other command, in the same file."""
    path = tmp_path / "state.json"
    service = shell_service(*FUNCTIONS, store=JsonFileStateStore(path))

    assert state(service, "disable") == ShellAnswer(
        0, "App function enabled state updated successfully.\n", ""
    )

    other = shell_service(*FUNCTIONS, store=JsonFileStateStore(path))
    assert is_enabled(other) == "false\n"
    assert execute(other, NOTHING, "{}").out.endswith(
        "(code 1002). See logcat for more details. \n"
    )
    assert listed_state(other, NOTHING) == 2

    state(other, "default")
    assert is_enabled(service) == "true\n"
    assert listed_state(service, NOTHING) == 0


def test_a_function_that_is_off_by_default_is_off_until_it_is_enabled() -> None:
    """F107: what is off does not run."""
    service = shell_service(*FUNCTIONS)

    assert is_enabled(service, "wipe") == "false\n"
    assert listed(service)["wipe"]["enabledByDefault"] == [False]

    state(service, "enable", function=f"{MODULE}#wipe")
    assert is_enabled(service, "wipe") == "true\n"
    assert listed_state(service, f"{MODULE}#wipe") == 1


@pytest.mark.parametrize("words", [(), ("--state", "on")])
def test_a_state_that_is_none_is_refused(words: tuple[str, ...]) -> None:
    answer = ask(SERVICE, "set-enabled", "--package", PACKAGE, "--function", "f", *words)

    assert answer == ShellAnswer(
        255,
        "Error: --state must be specified. The accepted values are: "
        "`enable`, `disable`, `default`.\n",
        "",
    )


def test_a_function_that_is_not_there_has_no_state() -> None:
    """The exit code is 0 on a device too."""
    fault = (
        "android.os.ParcelableException: java.lang.IllegalArgumentException: "
        f"Function {MODULE}#nope does not exist"
    )

    answer = state(SERVICE, "enable", function=f"{MODULE}#nope")

    assert answer == ShellAnswer(0, f"Error setting app function state: {fault}\n", "")
    assert is_enabled(SERVICE, "nope") == f"Error checking app function state: {fault}\n"


def test_a_state_file_that_cannot_be_used_is_told_of(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    service = shell_service(*FUNCTIONS, store=JsonFileStateStore(path))
    path.write_text("{}{", encoding="utf-8")

    answer = state(service, "enable")

    assert answer.code == 0
    assert answer.out.startswith(
        "Error setting app function state: android.os.ParcelableException: java.io.IOException: "
    )


def test_a_state_that_is_only_kept_in_memory_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    service = shell_service(*FUNCTIONS, store=JsonFileStateStore(tmp_path / "file" / "state.json"))

    answer = state(service, "disable")

    assert "java.io.IOException: the state is in memory" in answer.out


@pytest.mark.parametrize(
    ("command", "missing"),
    [
        ("set-enabled", "--package"),
        ("is-enabled", "--package"),
        ("read-app-description", "--package"),
    ],
)
def test_a_command_names_what_it_needs(command: str, missing: str) -> None:
    answer = ask(SERVICE, command)

    assert answer == ShellAnswer(255, f"Error: {missing} must be specified.\n", "")
