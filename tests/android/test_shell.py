"""`cmd app_function …`: what is listed, help, and what there is none of."""

import json
from typing import Any

import pytest

from appfunctions_mcp import AppFunctionService
from appfunctions_mcp.metadata import AppMetadata
from tests.support.shell import PACKAGE, ShellAnswer, ask, ask_cmd, listed, shell_service
from tests.support.shell_functions import FUNCTIONS

SERVICE = shell_service(*FUNCTIONS)


def test_the_list_has_every_function_of_the_package_and_its_classes() -> None:
    answer = ask(SERVICE, "list-app-functions")

    entries = json.loads(answer.out)[PACKAGE]
    (components,) = entries[-1].values()
    assert set(listed(SERVICE)) == {each.__name__ for each in FUNCTIONS} - {"union"}
    assert {each["name"][0] for each in components["dataTypes"]} >= {
        "com.example.notes.Everything",
        "com.example.notes.Shape",
        "java.time.LocalDate",
    }
    assert answer.out.startswith(f'{{\n  "{PACKAGE}": [\n    {{\n')
    assert "union: value is a union" in answer.err


@pytest.mark.parametrize(
    ("options", "is_here"),
    [
        (("--package", PACKAGE), True),
        (("--package", "com.other"), False),
        (("--user", "0"), True),
        (("--user", "current"), True),
        (("--user", "cur"), True),
        (("--user", "all"), True),
        (("--user", "10"), False),
    ],
)
def test_the_list_is_that_of_the_package_and_the_user(
    options: tuple[str, ...], is_here: bool
) -> None:
    found = json.loads(ask(SERVICE, "list-app-functions", *options).out)

    assert list(found) == ([PACKAGE] if is_here else [])


def test_on_36_the_list_has_no_package_option() -> None:
    assert listed(SERVICE, api_level=36)
    assert ask(SERVICE, "list-app-functions", "--package", PACKAGE, api_level=36) == ShellAnswer(
        255, "Unknown option: --package\n", ""
    )


def test_a_service_without_functions_lists_nothing() -> None:
    assert ask(shell_service(), "list-app-functions").out == "{}\n"


def test_the_package_is_the_android_one_where_there_is_one() -> None:
    metadata = AppMetadata(name="notes", description="Notes.", package="com.example.android")
    service = AppFunctionService(metadata, list(SERVICE.registry)[-6:-4])

    assert list(json.loads(ask(service, "list-app-functions").out)) == ["com.example.android"]


def test_the_description_of_the_app_is_read() -> None:
    answer = ask(SERVICE, "read-app-description", "--package", PACKAGE)

    assert answer == ShellAnswer(0, "Keeps notes.\n", "")


@pytest.mark.parametrize("options", [("--package", "x"), ("--package", PACKAGE, "--user", "10")])
def test_an_app_that_is_not_there_has_no_description(options: tuple[str, ...]) -> None:
    answer = ask(SERVICE, "read-app-description", *options)

    assert answer == ShellAnswer(
        255,
        f"Exception: android.content.pm.PackageManager$NameNotFoundException: {options[1]}\n",
        "",
    )


@pytest.mark.parametrize(
    "command",
    [
        "list-app-functions",
        "execute-app-function",
        "set-enabled",
        "is-enabled",
        "read-app-description",
    ],
)
def test_every_command_names_an_unknown_option(command: str) -> None:
    assert ask(SERVICE, command, "--nope") == ShellAnswer(255, "Unknown option: --nope\n", "")
    assert ask(SERVICE, command, "--user") == ShellAnswer(
        255,
        'Exception: java.lang.IllegalArgumentException: Argument expected after "--user"\n',
        "",
    )


def test_a_user_that_is_no_number_is_told_of() -> None:
    answer = ask(SERVICE, "list-app-functions", "--user", "me")

    assert answer == ShellAnswer(
        255, "Exception: java.lang.IllegalArgumentException: Bad user number: me\n", ""
    )


@pytest.mark.parametrize("words", [(), ("help",), ("-h",)])
def test_help_lists_the_commands_and_fails_as_on_a_device(words: tuple[str, ...]) -> None:
    answer = ask(SERVICE, *words)

    assert answer.code == 255
    assert answer.out.startswith("AppFunctionManagerService commands:\n  help\n")
    for command in ("list-app-functions", "execute-app-function", "set-enabled", "is-enabled"):
        assert f"\n  {command} " in answer.out


def test_help_of_36_has_what_36_has() -> None:
    answer = ask(SERVICE, "help", api_level=36)

    assert "is-enabled" not in answer.out
    assert "  list-app-functions [--user <USER_ID>]\n" in answer.out


def test_an_unknown_command_is_named() -> None:
    assert ask(SERVICE, "nope") == ShellAnswer(255, "Unknown command: nope\n", "")


@pytest.mark.parametrize("command", ["is-enabled", "read-app-description"])
def test_commands_of_37_are_unknown_on_36(command: str) -> None:
    assert ask(SERVICE, command, api_level=36) == ShellAnswer(
        255, f"Unknown command: {command}\n", ""
    )


@pytest.mark.parametrize("command", ["grant-app-function-access", "list-valid-agents"])
def test_commands_of_grants_fail_and_say_what_there_is_instead(command: str) -> None:
    answer = ask(SERVICE, command, "--agent-package", "a")

    assert (answer.code, answer.out) == (255, "")
    assert "'access' in the metadata" in answer.err


@pytest.mark.parametrize(
    ("words", "how", "text"),
    [
        (("notification",), {}, "cmd: Can't find service: notification\n"),
        (("app_function", "help"), {"api_level": 35}, "cmd: Can't find service: app_function\n"),
        ((), {}, "cmd: No service specified; app_function is the one that is here\n"),
    ],
)
def test_a_service_that_is_not_there_is_named(
    words: tuple[str, ...], how: dict[str, Any], text: str
) -> None:
    assert ask_cmd(SERVICE, *words, **how) == ShellAnswer(20, "", text)
