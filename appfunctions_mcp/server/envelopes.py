"""One line of text to one JSON-RPC message, or to the error that answers it.

Messages that come out of here have a valid envelope: a request with a string or integer id, a
method and an object of params, a notification, or a response. Knows nothing of methods.
"""

from typing import Any

from appfunctions_mcp.json_text import JsonTextError, read_json
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.records import record
from appfunctions_mcp.server.protocol_errors import INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR

RequestId = str | int
_ID_KINDS = (str, int)
Message = dict[str, Any]


@record(frozen=True, slots=True)
class BadMessage:
    """A message that is answered with an error before anybody else sees it."""

    code: int
    text: str
    request_id: RequestId | None = None

    def answer(self) -> Message:
        """The JSON-RPC error response."""
        return error_response(self.request_id, self.code, self.text)


def error_response(
    request_id: RequestId | None, code: int, message: str, data: Any = None
) -> Message:
    """A JSON-RPC error response.

    Args:
        request_id: The id of the request; None where it could not be read.
        code: JSON-RPC's number.
        message: What was wrong.
        data: More of it, left out when None.
    """
    error: Message = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": "2.0", "id": request_id, "error": error}


def read_message(line: bytes) -> Message | BadMessage | None:
    """Reads one line.

    Args:
        line: UTF-8 bytes without the line feed; a carriage return or a byte order mark is
            passed over.

    Returns:
        The message; a bad one, to be answered; None for a blank line and for a message without
        an id that is no valid notification, since nothing without an id is ever answered.
    """
    if not line.strip(b"\xef\xbb\xbf \t\r"):
        return None
    try:
        value = read_json(line)
    except JsonTextError as error:
        return BadMessage(PARSE_ERROR, f"Parse error: {error}")
    if not isinstance(value, dict):
        batch = "; batches are not accepted" if isinstance(value, list) else ""
        return BadMessage(
            INVALID_REQUEST, f"Invalid request: {_kind_of(value)} is no message{batch}"
        )
    if "id" not in value:
        return value if _is_notification(value) else None
    return _check_identified(value)


def is_request_id(value: object) -> bool:
    """Whether a value may be the id of a request: a string or an integer."""
    return isinstance(value, _ID_KINDS) and not isinstance(value, bool)


def is_response(message: Message) -> bool:
    """Whether a message without a method says what a response has to say."""
    error = message.get("error")
    return isinstance(message.get("result"), dict) or (
        isinstance(error, dict)
        and isinstance(error.get("code"), int)
        and isinstance(error.get("message"), str)
    )


def _check_identified(message: Message) -> Message | BadMessage | None:
    request_id = message["id"]
    if "method" not in message and ("result" in message or "error" in message):
        return message if _answers_something(message) else None
    if not is_request_id(request_id):
        return BadMessage(
            INVALID_REQUEST,
            f"Invalid request: the id is {_kind_of(request_id)}, not a string or an integer",
        )
    if message.get("jsonrpc") != "2.0":
        return BadMessage(INVALID_REQUEST, 'Invalid request: jsonrpc is not "2.0"', request_id)
    if not isinstance(message.get("method"), str):
        return BadMessage(INVALID_REQUEST, "Invalid request: method is not a string", request_id)
    params = message.get("params")
    if params is not None and not isinstance(params, dict):
        return BadMessage(
            INVALID_PARAMS,
            f"Invalid params: params is {_kind_of(params)}; an object is accepted",
            request_id,
        )
    return message


def _is_notification(message: Message) -> bool:
    return (
        message.get("jsonrpc") == "2.0"
        and isinstance(message.get("method"), str)
        and isinstance(message.get("params"), dict | None)
    )


def _answers_something(message: Message) -> bool:
    """Whether a response can belong to a request of ours, even if it says nothing of use."""
    return message.get("jsonrpc") == "2.0" and is_request_id(message["id"])


def _kind_of(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case list():
            return "an array"
        case dict():
            return "an object"
        case str():
            return f"the text {quoted(value)}"
        case _:
            return "a number"
