"""The requests of both protocol eras as bytes, and the check of what came back.

Requests are made before a clock starts and answers are read after it has stopped.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

HANDSHAKE = "2025-11-25"
STATELESS = "2026-07-28"
ERAS = (HANDSHAKE, STATELESS)

_CLIENT = {"name": "benchmark", "version": "1"}
_ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": STATELESS,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": _CLIENT,
}


class WrongAnswerError(Exception):
    """A server's answer is not the one that all servers have to give."""


@dataclass(frozen=True)
class Call:
    """A `tools/call` and what its answer has to hold."""

    name: str
    arguments: dict[str, Any]
    structured: dict[str, Any] | None = None
    text: str | None = None


CREATE_NOTE = Call(
    "create_note",
    {"title": "Milk", "content": "Two litres"},
    structured={"id": "n1", "title": "Milk", "content": "Two litres"},
)
LONG_TEXT = "Two litres of milk. " * 500_000
ECHO_LONG_TEXT = Call("echo", {"text": LONG_TEXT}, text=LONG_TEXT)


def pause(milliseconds: int) -> Call:
    """A call that blocks its thread.

    Args:
        milliseconds: How long.
    """
    value = {"milliseconds": milliseconds}
    return Call("pause", value, structured={"result": milliseconds})


def request(
    era: str, number: int | None, method: str, params: dict[str, Any] | None = None
) -> bytes:
    """One request, or a notification where it has no number.

    Args:
        era: The protocol version.
        number: Its id.
        method: What is asked.
        params: The rest.
    """
    params = dict(params or {})
    if era == STATELESS:
        params["_meta"] = _ENVELOPE
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
    if number is not None:
        message["id"] = number
    return json.dumps(message, separators=(",", ":")).encode()


def initialize(number: int) -> bytes:
    """The first request of the handshake era.

    Args:
        number: Its id.
    """
    params = {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": _CLIENT}
    return request(HANDSHAKE, number, "initialize", params)


def tool_call(era: str, number: int, call: Call) -> bytes:
    """One `tools/call`.

    Args:
        era: The protocol version.
        number: Its id.
        call: What is called.
    """
    return request(era, number, "tools/call", {"name": call.name, "arguments": call.arguments})


def result_of(answer: bytes, number: int | None = None) -> dict[str, Any]:
    """The result that a JSON-RPC answer holds.

    Args:
        answer: The answer as it came; over HTTP it may be an event stream of one event.
        number: The id that it must have.

    Raises:
        WrongAnswerError: It is an error, or the answer to another request.
    """
    if answer.startswith((b"event:", b"data:", b"id:")):
        answer = answer.partition(b"data: ")[2].split(b"\n")[0]
    message = json.loads(answer)
    if "result" not in message or number not in {None, message["id"]}:
        raise WrongAnswerError(answer[:300].decode(errors="replace"))
    result: dict[str, Any] = message["result"]
    return result


def check_calls(answers: Sequence[bytes], call: Call) -> None:
    """Makes sure that each answer is the right one to a call.

    Args:
        answers: The answers as they came.
        call: The call that all of them answer.

    Raises:
        WrongAnswerError: One is not.
    """
    for answer in answers:
        result = result_of(answer)
        right = not result.get("isError")
        if call.structured is not None:
            right = right and result.get("structuredContent") == call.structured
        if call.text is not None:
            right = right and result["content"][0].get("text") == call.text
        if not right:
            raise WrongAnswerError(answer[:300].decode(errors="replace"))
