"""Headers that repeat the body: names, and arguments that a schema asks for; against the SDK's."""

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.inbound import (
    decode_header_value,
    encode_header_value,
    find_invalid_x_mcp_header,
    mcp_param_headers,
    validate_mcp_param_headers,
    x_mcp_header_map,
)

from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.server.param_headers import ParamHeaders, repeated_arguments
from appfunctions_mcp.server.protocol_errors import ProtocolError
from appfunctions_mcp.server.routing_headers import decoded_value

REGION = {"type": "string", "x-mcp-header": "Region"}
LIMIT = {"type": "integer", "x-mcp-header": "Limit"}


@given(st.text())
def test_a_value_comes_back_as_it_was_sent(text: str) -> None:
    assert decoded_value(encode_header_value(text)) == text


@given(
    st.text(st.characters(codec="ascii"), max_size=12)
    | st.builds("=?base64?{}?=".format, st.text(st.characters(codec="ascii"), max_size=8))
    | st.binary(max_size=6).map(lambda b: f"=?base64?{base64.b64encode(b).decode()}?=")
)
def test_values_are_decoded_as_the_sdk_decodes_them(value: str) -> None:
    assert decoded_value(value) == decode_header_value(value)


def test_what_is_no_base64_stands_for_nothing() -> None:
    assert decoded_value("=?base64?\x80?=") is None


TOKENS = st.sampled_from(["Region", "region", "X", "a b", "", 5, None])
KINDS = st.sampled_from(["string", "integer", "boolean", "number", "object", ["string"], None])
SCHEMAS: st.SearchStrategy[Any] = st.recursive(
    st.fixed_dictionaries({}, optional={"x-mcp-header": TOKENS, "type": KINDS})
    | st.fixed_dictionaries({"x-mcp-header": st.just("Id"), "type": st.just("string")}),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2),
            "items": inner,
            "anyOf": st.lists(inner, max_size=2),
            "$defs": st.dictionaries(st.just("d"), inner, max_size=1),
            "default": inner,
        },
    ),
    max_leaves=5,
)


@given(SCHEMAS)
def test_annotations_are_found_where_the_sdk_finds_them(schema: dict[str, Any]) -> None:
    found = {repeated.path: repeated.header for repeated in repeated_arguments(schema)}
    if find_invalid_x_mcp_header(schema) is not None:
        assert found == {}
    else:
        expected = x_mcp_header_map(schema)
        assert found == {path: f"Mcp-Param-{token}" for path, token in expected.items()}


VALUES: st.SearchStrategy[Any] = st.sampled_from(
    ["eu", "ä", "", "true", True, 42, 42.0, 1.5, -0.0, None, [], 10**5000]
)
SENT = st.sampled_from(
    [None, "eu", "", "true", "42", "42.0", "42.5", "042", "1.5", "=?base64?w6Q=?=", "=?base64?!?="]
)


def refusal(check: ParamHeaders, headers: dict[str, str], arguments: Any) -> str | None:
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    try:
        check.check(headers, raw, {"name": "f", "arguments": arguments})
    except ProtocolError as error:
        return error.message if error.code == -32020 else None
    return None


@given(st.sampled_from(["string", "integer", "boolean"]), VALUES, SENT)
def test_headers_and_arguments_agree_where_the_sdk_says_so(
    kind: str, value: object, sent: str | None
) -> None:
    inner = {"type": "object", "properties": {"b": {"type": kind, "x-mcp-header": "B"}}}
    schema = {"type": "object", "properties": {"a": inner}}
    metadata = AppFunctionMetadata("m#f", "f", input_schema=schema)
    headers = {} if sent is None else {"mcp-param-b": sent}
    arguments = {"a": {"b": value}}
    expected = validate_mcp_param_headers(schema, arguments, headers)
    got = refusal(ParamHeaders(lambda _: metadata), headers, arguments)
    assert got == (None if expected is None else expected.message)


def test_what_the_sdks_client_sends_is_accepted() -> None:
    schema = {"type": "object", "properties": {"region": REGION, "limit": LIMIT}}
    metadata = AppFunctionMetadata("m#f", "f", input_schema=schema)
    arguments = {"region": "Gerät", "limit": 7}
    sent = mcp_param_headers(x_mcp_header_map(schema), arguments)
    headers = {name.lower(): value for name, value in sent.items()}
    check = ParamHeaders(lambda _: metadata)
    assert refusal(check, headers, arguments) is None
    for name in headers:
        others = {n: v for n, v in headers.items() if n != name}
        assert "header is missing" in (refusal(check, others, arguments) or "")


def test_a_header_of_an_argument_that_comes_twice_is_refused() -> None:
    schema = {"type": "object", "properties": {"region": REGION}}
    check = ParamHeaders(lambda _: AppFunctionMetadata("m#f", "f", input_schema=schema))
    raw = [(b"mcp-param-region", b"eu"), (b"mcp-param-region", b"eu")]
    with pytest.raises(ProtocolError, match="Mcp-Param-Region header appears more than once"):
        check.check({"mcp-param-region": "eu"}, raw, {"name": "f", "arguments": {"region": "eu"}})


@pytest.mark.parametrize(
    "params", [{}, {"name": 5}, {"name": "f", "arguments": []}, {"name": "gone"}]
)
def test_what_others_refuse_is_let_through(params: dict[str, Any]) -> None:
    schema = {"type": "object", "properties": {"region": REGION}}
    metadata = AppFunctionMetadata("m#f", "f", input_schema=schema)
    check = ParamHeaders(lambda name: metadata if name == "f" else None)
    check.check({}, [], params)


def test_a_schema_that_changes_is_read_anew() -> None:
    plain = AppFunctionMetadata("m#f", "f", input_schema={"type": "object", "properties": {}})
    annotated = AppFunctionMetadata(
        "m#f", "f", input_schema={"type": "object", "properties": {"region": REGION}}
    )
    current = [plain]
    check = ParamHeaders(lambda _: current[0])
    assert refusal(check, {}, {"region": "eu"}) is None
    current[0] = annotated
    assert refusal(check, {}, {"region": "eu"}) is not None
