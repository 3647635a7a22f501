"""Arguments that are logged show no secret: not by name, by schema, nor within a text."""

from typing import Any

import pytest

from appfunctions_mcp import AppFunctionDeniedException, AppFunctionService, app_function
from appfunctions_mcp.redaction import REDACTED, redacted, sensitive_values, without_sensitive
from appfunctions_mcp.requests import ExecuteAppFunctionRequest

LOGIN = {"type": "object", "properties": {"user": {}, "word": {"writeOnly": True}}}


@pytest.mark.parametrize(
    "schema",
    [
        LOGIN,
        {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/Login"}]},
        {"oneOf": [{"type": "string"}, LOGIN]},
        {"allOf": [{"properties": {"user": {}}}, {"$ref": "#/$defs/Login"}]},
        {"properties": {"word": {}}, "allOf": [LOGIN]},
    ],
    ids=["plain", "a reference in a union", "oneOf", "allOf", "beside"],
)
def test_a_secret_is_found_behind_references_and_unions(schema: dict[str, Any]) -> None:
    root = {"properties": {"value": schema}, "$defs": {"Login": LOGIN}}
    arguments = {"value": {"user": "ann", "word": "CANARY"}}

    assert redacted(arguments, root) == {"value": {"user": "ann", "word": REDACTED}}
    assert sensitive_values(arguments, root) == ["CANARY"]


def test_a_reference_that_leads_to_itself_ends() -> None:
    root = {"$ref": "#/$defs/A", "$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}]}}}

    assert redacted({"x": 1}, root) == {"x": 1}


def test_objects_that_came_as_text_are_looked_into() -> None:
    """Functions take an object, or a list, as the text of its JSON too."""
    text = '{"user": "ann", "password": "CANARY"}'

    assert redacted({"login": text}) == {"login": {"user": "ann", "password": REDACTED}}
    assert redacted({"logins": f"[{text}]"})["logins"][0]["password"] == REDACTED
    assert sensitive_values({"login": text}) == ["CANARY"]
    assert redacted({"text": "{no JSON"}) == {"text": "{no JSON"}
    assert redacted({"text": "[" * 100_000})["text"].endswith("(100000 characters)")


def test_what_a_closed_schema_does_not_know_is_hidden() -> None:
    closed = {"properties": {"query": {}}, "additionalProperties": False}

    assert redacted({"query": "milk", "passwrd": "CANARY"}, closed) == {
        "query": "milk",
        "passwrd": REDACTED,
    }


def test_every_text_and_number_within_a_secret_is_one() -> None:
    secret = {"a": ["CANARY-1", {"b": "CANARY-2"}], "pin": 12345, "n": 5, "on": True}

    assert sorted(sensitive_values({"token": secret})) == ["12345", "CANARY-1", "CANARY-2"]


def test_deep_arguments_are_walked_to_an_end() -> None:
    deep: Any = {"password": "CANARY"}
    for _ in range(500):
        deep = {"a": deep}

    assert sensitive_values(deep) == ["CANARY"]
    assert "CANARY" not in repr(redacted(deep))


def test_the_caller_sees_all_but_the_secrets_of_what_it_sent() -> None:
    arguments = {"text": "x" * 1_000, "many": [*range(100)], "pin": 12, "json": '{"a": [1]}'}

    assert without_sensitive(arguments) == {**arguments, "pin": REDACTED}
    assert without_sensitive({"json": '{"pin": 12}'}) == {"json": {"pin": REDACTED}}


@pytest.mark.anyio
async def test_what_is_to_be_confirmed_is_shown_without_secrets() -> None:
    def pay(amount: int, pin: str) -> None:
        """Pays."""

    declared = app_function(requires_confirmation=True)(pay)
    service = AppFunctionService.from_functions([declared], name="bank", description="Pays.")
    request = ExecuteAppFunctionRequest("pay", {"amount": 5, "pin": "CANARY"})

    with pytest.raises(AppFunctionDeniedException) as caught:
        await service.manager.execute(request)

    assert f'amount = 5, pin = "{REDACTED}"' in caught.value.text()
