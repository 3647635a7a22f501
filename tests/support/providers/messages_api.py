"""Replies and errors as Anthropic's Messages has them."""

from collections.abc import Iterator

from appfunctions_mcp.formats.messages import ReplyStop
from tests.support.providers.requests import Request
from tests.support.providers.script import Call, Ids, Part, Reply, Thought, pieces
from tests.support.providers.speaking import Json, Speaker, event

_STOPS = {
    ReplyStop.END: "end_turn",
    ReplyStop.CALLS: "tool_use",
    ReplyStop.LENGTH: "max_tokens",
    ReplyStop.REFUSED: "refusal",
    ReplyStop.OTHER: "pause_turn",
}
_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def _body(reply: Reply, request: Request, ids: Ids) -> Json:
    usage = reply.usage
    return {
        "id": ids.make("msg_01", 22),
        "type": "message",
        "role": "assistant",
        "model": request.model,
        "content": [_block(part, ids) for part in reply.parts],
        "stop_reason": _STOPS[reply.stop],
        "stop_sequence": None,
        "usage": {
            "input_tokens": usage.input_tokens - usage.cached_tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": usage.cached_tokens,
            "output_tokens": usage.output_tokens,
            "service_tier": "standard",
        },
    }


def _block(part: Part, ids: Ids) -> Json:
    match part:
        case Thought():
            signature = part.signature or ids.make("EqoB", 60) + "="
            return {"type": "thinking", "thinking": part.text, "signature": signature}
        case Call():
            own = part.id or ids.make("toolu_01", 22)
            return {"type": "tool_use", "id": own, "name": part.name, "input": part.object}
    return {"type": "text", "text": part}


def _events(reply: Reply, _request: Request, body: Json) -> Iterator[bytes]:
    begun = body | {
        "content": [],
        "stop_reason": None,
        "usage": body["usage"] | {"output_tokens": 1},
    }
    yield _event("message_start", message=begun)
    yield _event("ping")
    for i, (part, block) in enumerate(zip(reply.parts, body["content"], strict=True)):
        empty, deltas = _deltas(part, block)
        yield _event("content_block_start", index=i, content_block=block | empty)
        for delta in deltas:
            yield _event("content_block_delta", index=i, delta=delta)
        yield _event("content_block_stop", index=i)
    ended = {name: body[name] for name in ("stop_reason", "stop_sequence")}
    usage = {"output_tokens": body["usage"]["output_tokens"]}
    yield _event("message_delta", delta=ended, usage=usage)
    yield _event("message_stop")


def _event(name: str, **more: object) -> bytes:
    return event({"type": name, **more}, name)


def _deltas(part: Part, block: Json) -> tuple[Json, list[Json]]:
    """The empty members with which a block begins, and the pieces that follow."""
    match part:
        case Thought():
            deltas = [{"type": "thinking_delta", "thinking": each} for each in pieces(part.text)]
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
            return {"thinking": "", "signature": ""}, deltas
        case Call():
            parts = ["", *pieces(part.text)]
            return {"input": {}}, [{"type": "input_json_delta", "partial_json": p} for p in parts]
    return {"text": ""}, [{"type": "text_delta", "text": each} for each in pieces(part)]


def _error(status: int, message: str) -> Json:
    kind = _KINDS.get(status, "api_error" if status >= 500 else "invalid_request_error")
    error = {"type": kind, "message": message}
    return {"type": "error", "error": error, "request_id": "req_011CTestTestTestTestTest"}


ANTHROPIC = Speaker(_body, _events, _error)
