"""`cmd app_function execute-app-function`, as on a device."""

import json
from typing import Any

import pytest
from pydantic import BaseModel

from appfunctions_mcp import app_function
from appfunctions_mcp.android.shell.values import RETURN_VALUE
from appfunctions_mcp.metadata import AppFunctionState
from tests.support.shell import PACKAGE, ShellAnswer, ask, execute, shell_service
from tests.support.shell_functions import FUNCTIONS, MODULE

SERVICE = shell_service(*FUNCTIONS)
EVERYTHING = {
    "text": 'it\'s "$HOME" `id`\n\u2028\N{GRINNING FACE}',
    "whole": 2**62,
    "small": -5,
    "decimal": 1.5,
    "single": 2,
    "truth": False,
    "raw": "YWJj",
    "address": {"uri": "content://notes/7"},
    "priority": "HIGH",
    "times": {
        "day": {"year": 2026, "month": 5, "dayOfMonth": 27},
        "hour": {"hour": 18, "minute": 0, "second": 0, "nanoOfSecond": 0},
        "both": {
            "year": 2026,
            "month": 5,
            "dayOfMonth": 27,
            "hour": 18,
            "minute": 0,
            "second": 1,
            "nanoOfSecond": 5000,
        },
        "moment": {"epochSecond": 1779904800, "nanoAdjustment": 0},
        "zone": {"zoneID": "Europe/Berlin"},
    },
    "texts": ["a", ""],
    "numbers": [1, 2],
    "decimals": [1.5, 2],
    "truths": [True, False],
    "days": [{"year": 2026, "month": 5, "dayOfMonth": 27}],
    "addresses": [{"uri": "a:b"}, {"uri": "c:d"}],
}


def run(function: str, parameters: Any, *options: str) -> ShellAnswer:
    """Executes one of the functions."""
    text = parameters if isinstance(parameters, str) else json.dumps(parameters)
    return execute(SERVICE, f"{MODULE}#{function}", text, *options)


def shown(function: str, parameters: Any = "{}") -> Any:
    """What a function returns, as the shell shows it."""
    answer = run(function, parameters)
    assert (answer.code, answer.err) == (0, ""), answer
    return json.loads(answer.out)


def refused(function: str, parameters: Any = "{}", *options: str) -> str:
    """What the shell says of a call that failed."""
    answer = run(function, parameters, *options)
    assert answer.code == 255
    return answer.out


def error(message: str, code: int) -> str:
    """The text of an exception's answer."""
    return (
        "Error executing app function: android.app.appfunctions.AppFunctionException: "
        f"{message} (code {code}). See logcat for more details. \n"
    )


def test_a_result_is_json_in_which_everything_is_a_list() -> None:
    answer = run("maybe", {"there": True})

    assert answer == ShellAnswer(
        0, '{\n  "androidAppfunctionsReturnValue": [\n    "text"\n  ]\n}\n', ""
    )


def test_nothing_and_null_are_an_empty_object() -> None:
    assert run("nothing", {}).out == "{}\n"
    assert run("maybe", {"there": False}).out == "{}\n"


def test_an_empty_list_is_shown_as_one() -> None:
    assert shown("empty") == {RETURN_VALUE: []}


def test_texts_with_a_type_are_objects_and_steps_of_the_user_are_not_shown() -> None:
    expected = {"mimeType": ["text/markdown"], "content": ["# All well"]}

    assert shown("report") == shown("reports") == {RETURN_VALUE: [expected]}
    assert shown("pay") == {}


def test_a_value_of_every_type_reaches_the_function() -> None:
    value = {**EVERYTHING, "child": EVERYTHING, "children": [EVERYTHING, EVERYTHING]}

    (told,) = shown("tell", {"value": value})[RETURN_VALUE]

    for part in (
        *(repr(EVERYTHING["text"]), "whole=4611686018427387904", "small=-5", "decimal=1.5"),
        *("single=2.0", "truth=False", "raw=b'abc'", "address='content://notes/7'"),
        *("Priority.HIGH", "datetime.date(2026, 5, 27)", "datetime.time(18, 0)"),
        *("datetime.datetime(2026, 5, 27, 18, 0, 1, 5)", "'Europe/Berlin'", "texts=['a', '']"),
        *("numbers=[1, 2]", "decimals=[1.5, 2.0]", "truths=[True, False]", "nothing=None"),
        "addresses=['a:b', 'c:d']",
    ):
        assert told.count(part) >= 4, part


def test_what_is_shown_is_accepted_as_an_argument_and_shown_again() -> None:
    (first,) = shown("echo", {"value": {**EVERYTHING, "child": EVERYTHING}})[RETURN_VALUE]
    (second,) = shown("echo", {"value": first})[RETURN_VALUE]

    assert first == second
    assert first["text"] == [EVERYTHING["text"]]
    assert first["address"] == [{"uri": ["content://notes/7"]}]
    assert first["times"][0]["moment"] == [{"epochSecond": [1779904800], "nanoAdjustment": [0]}]
    assert first["children"] == []
    assert "nothing" not in first
    assert "action" not in first


def test_the_kind_of_a_list_is_that_of_its_first_item() -> None:
    answer = shown("numbers", '{"longs": [1, 2.9], "doubles": [1.5, 2], "one": 5}')

    assert answer == {RETURN_VALUE: ["([1, 2], [1.5, 2.0], 5.0)"]}


def test_unknown_keys_are_ignored_and_missing_nullables_are_null() -> None:
    answer = shown("require", {"text": "a", "unknown": {"b": 1}})

    assert answer == {RETURN_VALUE: ["('a', None, None)"]}


def test_optional_parameters_have_the_empty_value_of_their_type() -> None:
    answer = shown("find", {"query": "milk", "tags": [], "day": None})

    assert answer == {RETURN_VALUE: ["('milk', 0, None, None)"]}


def test_dates_are_objects() -> None:
    answer = shown("find", {"query": "", "day": {"year": 2026, "month": 5, "dayOfMonth": 7}})

    assert answer == {RETURN_VALUE: ["('', 0, None, datetime.date(2026, 5, 7))"]}


def test_one_value_does_for_a_list() -> None:
    answer = shown("find", {"query": "", "tags": "home"})

    assert answer == {RETURN_VALUE: ["('', 0, ['home'], None)"]}


def test_a_field_is_set_cleared_or_left() -> None:
    answer = shown("change", '{"title": {"value": null}, "count": {"value": 3}}')

    assert answer == {RETURN_VALUE: ["(SetField(None), SetField(3))"]}
    assert shown("change") == {RETURN_VALUE: ["(None, None)"]}


def test_one_of_several_classes_is_named_by_schema_type() -> None:
    circle = {"schemaType": "com.example.notes.Circle", "radius": 2}
    square = {"schemaType": "com.example.notes.Square", "side": 3}

    answer = shown("larger", {"shape": circle, "shapes": [square]})

    assert answer == {RETURN_VALUE: [{"radius": [2]}, {"side": [3]}]}
    assert refused("larger", {"shape": {"radius": 2}}) == error(
        "shape: schemaType is missing; accepted: com.example.notes.Circle, "
        "com.example.notes.Square",
        1001,
    )


def test_classes_that_do_not_say_their_name_are_named_by_schema_type_too() -> None:
    line = {"schemaType": "com.example.notes.Line", "length": 2.5}
    point = {"schemaType": "com.example.notes.Point", "x": 1, "y": 2}

    assert shown("mark", {"mark": line}) == {RETURN_VALUE: [{"length": [2.5]}]}
    assert shown("mark", {"mark": point}) == {RETURN_VALUE: [{"x": [1], "y": [2]}]}
    assert refused("mark", {"mark": {"length": 2.5}}) == error(
        "mark: schemaType is missing; accepted: com.example.notes.Line, com.example.notes.Point",
        1001,
    )


def test_json_that_a_shell_has_taken_the_quotes_from_is_read() -> None:
    answer = shown("require", "{text:Milk,note:'a b',count:5}")

    assert answer == {RETURN_VALUE: ["('Milk', 'a b', 5)"]}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ("", "End of input at character 0 of "),
        ("title", "Value title of type java.lang.String cannot be converted to JSONObject"),
        (
            '{"longs": [1, "a"]}',
            "Value a at 1 of type java.lang.String cannot be converted to long",
        ),
    ],
)
def test_json_that_cannot_be_read_is_an_exception(parameters: str, message: str) -> None:
    assert refused("numbers", parameters) == f"Exception: org.json.JSONException: {message}\n"


def test_an_exception_of_a_function_carries_its_code_and_its_recovery() -> None:
    """F111: type, message and what to do reach the caller."""
    assert refused("missing") == error("No note has this id. Search for it.", 1500)


def test_an_exception_without_a_message_has_its_code_alone() -> None:
    assert refused("crash") == error("", 1500)


def test_an_argument_that_is_missing_is_the_callers_mistake() -> None:
    assert "text: missing" in refused("require")
    assert refused("require").endswith("(code 1001). See logcat for more details. \n")


def test_a_number_that_javascript_rounds_is_shown_whole() -> None:
    assert shown("beyond") == {RETURN_VALUE: [2**63 - 1]}


def test_a_result_that_android_cannot_hold_is_told_of() -> None:
    answer = run("huge", {})

    assert answer.code == 255
    assert answer.out == "Failed to convert the function response to JSON.\n"
    assert "none that a long can be" in answer.err


def test_a_function_that_android_has_no_word_for_is_not_there() -> None:
    assert "no device would have tests.support.shell_functions#union" in refused("union")


@pytest.mark.parametrize("function", ["wait", "block"])
@pytest.mark.parametrize("seconds", ["0", "-1"])
def test_a_call_that_takes_too_long_is_given_up(function: str, seconds: str) -> None:
    assert refused(function, {}, "--timeout-duration", seconds) == "Timed out\n"


@pytest.mark.parametrize("seconds", ["soon", "1_0", "9" * 400])
def test_a_timeout_that_is_no_number_is_told_of_and_the_default_is_used(seconds: str) -> None:
    answer = run("nothing", {}, "--timeout-duration", seconds)

    assert answer.code == 0
    assert answer.out == f"Invalid timeout duration: {seconds}. Using default of 30s.\n{{}}\n"


def test_the_longest_timeout_that_java_knows_is_taken() -> None:
    answer = run("nothing", {}, "--timeout-duration", str(2**63 - 1))

    assert (answer.code, answer.out) == (0, "{}\n")


class Chain(BaseModel):
    """A link and the next one."""

    next: "Chain | None" = None


@app_function
def chain(length: int) -> Chain:
    """Returns a chain.

    Args:
        length: How many links it has.
    """
    made = Chain()
    for _ in range(length - 1):
        made = Chain(next=made)
    return made


@pytest.mark.parametrize("option", [(), ("--brief-yaml",)])
def test_a_result_as_deep_as_functions_may_return_is_shown(option: tuple[str, ...]) -> None:
    service = shell_service(chain)

    answer = execute(service, f"{__name__}#chain", '{"length": 254}', *option)

    assert (answer.code, answer.err) == (0, "")
    assert answer.out.count("next") == 253


def test_brief_yaml_is_short() -> None:
    circle = {"schemaType": "com.example.notes.Circle", "radius": 2, "color": "#fff"}

    answer = run("larger", {"shape": circle}, "--brief-yaml")

    assert answer.out == "androidAppfunctionsReturnValue:\n  radius: 2.0\n  color: '#fff'\n"


@pytest.mark.parametrize(
    ("package", "function", "code"),
    [
        (PACKAGE, f"{MODULE}#nope", 1003),
        (PACKAGE, "nothing", 1003),
        ("com.other", f"{MODULE}#nothing", 1003),
        ("", f"{MODULE}#nothing", 1001),
    ],
)
def test_what_is_not_there_cannot_be_executed(package: str, function: str, code: int) -> None:
    answer = ask(
        SERVICE,
        "execute-app-function",
        *("--package", package, "--function", function, "--parameters", "{}"),
    )

    assert answer.code == 255
    assert f"(code {code})" in answer.out


def test_the_nearest_ids_are_named() -> None:
    assert f"near it: {MODULE}#nothing" in refused("nothings")


def test_the_package_that_has_a_function_is_named() -> None:
    words = ("--package", "com.other", "--function", f"{MODULE}#nothing", "--parameters", "{}")
    answer = ask(SERVICE, "execute-app-function", *words)
    assert f"'{MODULE}#nothing'; it is one of --package {PACKAGE} (code 1003)" in answer.out


@pytest.mark.parametrize("missing", ["--package", "--function", "--parameters"])
def test_what_execution_needs_is_named(missing: str) -> None:
    options = {"--package": "a", "--function": "b", "--parameters": "{}"}
    words = [word for name, value in options.items() if name != missing for word in (name, value)]

    answer = ask(SERVICE, "execute-app-function", *words)

    assert answer == ShellAnswer(255, f"Error: {missing} must be specified.\n", "")


def test_options_stand_in_any_order() -> None:
    answer = ask(
        SERVICE,
        "execute-app-function",
        *("--brief-yaml", "--parameters", '{"there": true}', "--user", "0"),
        *("--function", f"{MODULE}#maybe", "--timeout-duration", "5", "--package", PACKAGE),
    )

    assert answer == ShellAnswer(0, "androidAppfunctionsReturnValue: text\n", "")


def test_a_call_that_has_to_be_confirmed_takes_two() -> None:
    service = shell_service(*FUNCTIONS)
    wipe = f"{MODULE}#wipe"
    service.manager.set_enabled(wipe, AppFunctionState.ENABLED)

    first = execute(service, wipe, '{"name": "a"}')
    token = first.out.split('"confirmation": "')[1].split('"')[0]
    second = execute(service, wipe, json.dumps({"name": "a", "confirmation": token}))

    assert first.code == 255
    assert "(code 1000)" in first.out
    assert json.loads(second.out) == {RETURN_VALUE: ["wiped a"]}
