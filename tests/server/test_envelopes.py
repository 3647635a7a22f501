"""One line to a message or to the error that answers it; the cases on pipes are in test_stdio."""

import json

from hypothesis import given
from hypothesis import strategies as st

from appfunctions_mcp.server.envelopes import BadMessage, is_request_id, read_message

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
envelopes = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.sampled_from(["2.0", "1.0", None]),
        "id": json_values,
        "method": st.just("ping") | json_values,
        "params": json_values,
        "result": json_values,
        "error": json_values,
    },
)


@given(json_values | envelopes)
def test_every_message_that_passes_has_a_valid_envelope(value: object) -> None:
    message = read_message(json.dumps(value).encode())
    if isinstance(message, BadMessage):
        answer = message.answer()
        assert answer["error"]["code"] in {-32600, -32602}
        assert answer["id"] is None or is_request_id(answer["id"])
        assert not isinstance(value, dict) or "id" in value
    elif message is not None:
        assert message["jsonrpc"] == "2.0"
        assert "id" not in message or is_request_id(message["id"])
        assert isinstance(message.get("params"), dict | None)
        assert isinstance(message.get("method", "response"), str)


@given(st.binary(max_size=100))
def test_no_bytes_are_too_strange_for_an_answer(line: bytes) -> None:
    """F32."""
    message = read_message(line)
    assert message is None or isinstance(message, BadMessage | dict)


def test_what_came_is_quoted_and_cut() -> None:
    bad = read_message(json.dumps("x\u202e" * 500).encode())
    assert isinstance(bad, BadMessage)
    assert len(bad.text) < 150
    assert "\u202e" not in bad.text
