"""Field cases about arguments: what models and clients send instead of what was asked for."""

import enum
import io
import logging
from collections.abc import Iterator
from typing import Any, Literal

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel

from appfunctions_mcp.telemetry import configure_logging
from tests.support.calls import (
    INVALID,
    call,
    input_schema_of,
    make_service,
    properties_of,
    refusal_of,
    text_of,
    value_of,
)

pytestmark = pytest.mark.anyio

Runs = list[Any]


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What is logged at level info while the test runs."""
    stream, level = io.StringIO(), logging.getLogger().level
    configure_logging("info", json=True, stream=stream)
    yield stream
    configure_logging()
    logging.getLogger().setLevel(level)


async def take_limit(limit: int) -> int:
    """Returns a limit."""
    return limit


@pytest.mark.parametrize(
    ("sent", "received"), [("150", 150), (150, 150), (150.0, 150), ("-5", -5), ("0", 0)]
)
async def test_a_number_sent_as_its_canonical_text_is_that_number(
    sent: object, received: int
) -> None:
    """F01."""
    assert await value_of(take_limit, {"limit": sent}) == received


@pytest.mark.parametrize(
    "sent",
    ["150.5", "abc", "", "1_000", "١٥٠", " 150 ", "0x10", "+5", "007", "-0x1", "1e2", 150.5, True],
)
async def test_a_text_that_is_no_canonical_number_is_refused(sent: object) -> None:
    """F01: Python's int() would take some of these."""
    text = await refusal_of(take_limit, {"limit": sent})
    assert text.startswith(INVALID)
    assert "limit" in text


@pytest.mark.parametrize(
    ("sent", "received"), [("false", False), ("True", True), ("FALSE", False), (True, True)]
)
async def test_only_true_and_false_are_booleans(sent: object, received: bool) -> None:
    """F02."""

    async def delete(delete_all: bool = False) -> bool:
        return delete_all

    assert await value_of(delete, {"delete_all": sent}) is received


@pytest.mark.parametrize("sent", ["0", "no", "yes", 1, 0, 1.0, {}, [], "", "on", " true"])
async def test_nothing_else_is_a_boolean_and_the_body_does_not_run(sent: object) -> None:
    """F02: every non-empty text was true, and all alerts were deleted."""
    runs: Runs = []

    async def delete(alert_id: int, delete_all: bool = False) -> None:
        runs.append(delete_all)

    text = await refusal_of(delete, {"alert_id": 7, "delete_all": sent})
    assert text.startswith(INVALID)
    assert "delete_all" in text
    assert runs == []


class User(BaseModel):
    """A person."""

    name: str
    age: int


async def add_user(tags: list[str], user: User) -> dict[str, Any]:
    """Adds a user."""
    return {"tags": tags, "name": user.name, "age": user.age}


async def test_a_list_or_object_sent_as_its_json_text_is_decoded() -> None:
    """F04."""
    sent = {"tags": '["a","b"]', "user": '{"name":"Kim","age":25}'}
    assert await value_of(add_user, sent) == {"tags": ["a", "b"], "name": "Kim", "age": 25}


async def test_a_dict_of_lists_sent_as_text_is_decoded_to_the_leaves() -> None:
    """F04."""

    async def count(m: dict[str, list[int]]) -> dict[str, list[int]]:
        return m

    assert await value_of(count, {"m": '{"a":["1"]}'}) == {"a": [1]}


@pytest.mark.parametrize("tags", ["a,b", "{}", '"a"', '["a"', "", "null"])
async def test_a_text_of_another_kind_is_no_list(tags: str) -> None:
    """F04."""
    text = await refusal_of(add_user, {"tags": tags, "user": {"name": "Kim", "age": 25}})
    assert text.startswith(INVALID)
    assert "tags" in text


TEXTS = ['{"total": 3}', "12345", "null", "true", "[1]", "NaN", "00123", "1e3", '"quoted"']


@pytest.mark.parametrize("sent", TEXTS)
async def test_a_text_is_never_parsed_where_text_is_accepted(sent: str) -> None:
    """F05."""
    seen: Runs = []

    async def save(content: str, code: str | None = None, note: Any = None) -> None:
        seen.append((content, code, note))

    await value_of(save, {"content": sent, "code": sent, "note": sent})
    assert seen == [(sent, sent, sent)]


async def test_a_text_stays_text_for_a_union_with_text() -> None:
    """F05."""
    seen: Runs = []

    async def tag(x: str | list[str]) -> None:
        seen.append(x)

    await value_of(tag, {"x": '["a"]'})
    await value_of(tag, {"x": ["a"]})
    assert seen == ['["a"]', ["a"]]


async def test_null_for_an_optional_parameter_means_its_default() -> None:
    """F06."""
    seen: Runs = []

    async def search(query: str, start: str = "", n: int = 10) -> None:
        seen.append((query, start, n))

    sent = {"query": "x", "start": None, "n": None}
    await value_of(search, sent, optional_defaults="declared")
    assert seen == [("x", "", 10)]


async def test_null_for_a_required_parameter_is_refused() -> None:
    """F06."""

    async def search(q: str) -> str:
        return q

    text = await refusal_of(search, {"q": None})
    assert text.startswith(INVALID)
    assert "q" in text


async def test_null_is_none_where_the_type_admits_it() -> None:
    """F06."""
    seen: Runs = []

    async def page(x: int | None = 5) -> None:
        seen.append(x)

    await value_of(page, {"x": None}, optional_defaults="declared")
    await value_of(page, {}, optional_defaults="declared")
    assert seen == [None, 5]


@pytest.mark.parametrize("rule", ["type", "declared"])
async def test_a_default_of_none_makes_the_type_nullable_with_a_warning(rule: str) -> None:
    """F07: the server refused the value that its own schema offered."""
    seen: Runs = []

    async def list_runs(project: str = None) -> None:  # type: ignore[assignment] # noqa: RUF013 - what is tested
        seen.append(project)

    (published,) = (await properties_of(list_runs, optional_defaults=rule)).values()
    if "default" in published:
        Draft202012Validator(published).validate(published["default"])
    assert published["type"] == "string"
    await value_of(list_runs, {"project": None}, optional_defaults=rule)
    await value_of(list_runs, {}, optional_defaults=rule)
    assert seen == [None, None]
    service = make_service(list_runs, optional_defaults=rule)
    assert any("project has the default None" in warning for warning in service.warnings)


async def test_an_unknown_argument_is_refused_with_the_name_that_was_meant() -> None:
    """F09: it was dropped in silence, and the answer came from defaults."""
    runs: Runs = []

    async def impact(symbol: str, maxDepth: int = 3) -> None:  # noqa: N803 - as a model saw it elsewhere
        runs.append(symbol)

    text = await refusal_of(impact, {"symbol": "s", "depth": 1}, optional_defaults="declared")
    assert text.startswith(INVALID)
    assert "depth" in text
    assert "maxDepth" in text
    assert "symbol" in text
    assert runs == []
    schema = await input_schema_of(impact, optional_defaults="declared")
    assert schema["additionalProperties"] is False


async def test_an_unknown_key_of_a_nested_model_is_refused() -> None:
    """F09."""
    sent = {"tags": [], "user": {"name": "Kim", "age": 25, "agee": 1}}
    text = await refusal_of(add_user, sent)
    assert text.startswith(INVALID)
    assert "user.agee" in text
    assert "did you mean age" in text


@pytest.mark.parametrize("sent", [{"typo": True}, {"hour": 3}])
async def test_a_function_of_optional_parameters_refuses_unknown_ones_too(
    sent: dict[str, Any],
) -> None:
    """F09."""
    runs: Runs = []

    async def failures(status: str | None = None, hours: int = 0) -> None:
        runs.append(status)

    text = await refusal_of(failures, sent)
    assert text.startswith(INVALID)
    assert next(iter(sent)) in text
    assert "hours" in text
    assert runs == []


async def test_keys_that_clients_inject_are_dropped_and_logged(log: io.StringIO) -> None:
    """F10: TypeError: unexpected keyword argument."""

    async def status() -> str:
        return "fine"

    assert await value_of(status, {"wait_for_previous": True, "toolCallId": "c1"}) == "fine"
    assert "wait_for_previous" in log.getvalue()
    assert "toolCallId" in log.getvalue()


async def test_an_injected_key_that_the_function_declares_reaches_it() -> None:
    """F10."""

    async def trace(toolCallId: str) -> str:  # noqa: N803 - the client's spelling
        return toolCallId

    assert await value_of(trace, {"toolCallId": "c1"}) == "c1"


@pytest.mark.parametrize("rule", ["warn", "ignore"])
async def test_any_unknown_key_passes_where_the_app_says_so(rule: str, log: io.StringIO) -> None:
    """F10."""

    async def status(level: int = 0) -> int:
        return level

    sent = {"anything": [1], "level": "2"}
    assert await value_of(status, sent, unknown_arguments=rule) == 2
    assert ("anything" in log.getvalue()) is (rule == "warn")


@pytest.mark.parametrize("rule", ["refuse", "warn", "ignore"])
async def test_in_no_mode_a_type_error_of_python_is_shown(rule: str) -> None:
    """F10."""

    async def status() -> str:
        return "fine"

    unknown: list[dict[str, Any]] = [{"self": 1}, {"kwargs": {}}, {"": 1}, {"context": 1}]
    for sent in unknown:
        result = await call(status, sent, unknown_arguments=rule)
        assert "unexpected keyword" not in text_of(result)
        assert "TypeError" not in text_of(result)
        assert result.is_error is (rule == "refuse")


class Format(str, enum.Enum):
    """What a file holds."""

    MD = "markdown"
    JSON = "json"


async def export(format: Format) -> str:  # noqa: A002 - what an agent would call it
    """Exports."""
    return type(format).__name__ + " " + format.value


@pytest.mark.parametrize("sent", ["markdown", "MARKDOWN", "Markdown", "mArKdOwN"])
async def test_the_only_member_that_fits_without_case_is_meant(sent: str) -> None:
    """F11."""
    assert await value_of(export, {"format": sent}) == "Format markdown"
    assert (await properties_of(export))["format"]["enum"] == ["markdown", "json"]


@pytest.mark.parametrize("sent", ["xml", "", " markdown", 1, None, "MD", "Format.MD"])
async def test_a_refused_constant_names_those_that_are_accepted(sent: object) -> None:
    """F11: a member's name in Python is none of them."""
    text = await refusal_of(export, {"format": sent})
    assert text.startswith(INVALID)
    assert "markdown" in text
    assert "json" in text


async def test_an_exact_match_comes_before_one_without_case() -> None:
    """F11."""

    async def pick(letter: Literal["a", "A", "ab"]) -> str:
        return letter

    assert await value_of(pick, {"letter": "A"}) == "A"
    assert await value_of(pick, {"letter": "AB"}) == "ab"

    async def choose(word: Literal["yes", "YES"]) -> str:
        return word

    assert "yes" in await refusal_of(choose, {"word": "Yes"})


@pytest.mark.parametrize("sent", [True, 123, 1.5, {}, []])
async def test_a_text_parameter_takes_text_only(sent: object) -> None:
    """F12: a balance was returned for the account named "True"."""

    async def balance(account: str) -> str:
        return account

    text = await refusal_of(balance, {"account": sent})
    assert text.startswith(INVALID)
    assert "account" in text
    assert ("quote" in text) is not isinstance(sent, dict | list)


async def test_the_empty_text_is_a_text() -> None:
    """F12: what an empty account means is the function's own matter."""

    async def balance(account: str) -> str:
        return f"[{account}]"

    assert await value_of(balance, {"account": ""}) == "[]"
