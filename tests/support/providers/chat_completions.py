"""Replies and errors as OpenAI's Chat Completions and Mistral have them."""

from collections.abc import Iterator
from typing import Any

from appfunctions_mcp.formats.messages import ReplyStop
from tests.support.providers.requests import Request
from tests.support.providers.script import Ids, Reply, Thought, pieces
from tests.support.providers.speaking import CREATED, Json, Speaker, event

_STOPS = {
    ReplyStop.END: "stop",
    ReplyStop.CALLS: "tool_calls",
    ReplyStop.LENGTH: "length",
    ReplyStop.REFUSED: "content_filter",
    ReplyStop.OTHER: "stop",
}
_KINDS = {401: "invalid_request_error", 429: "requests", 400: "invalid_request_error"}
_CODES = {401: "invalid_api_key", 429: "rate_limit_exceeded"}


def _body(reply: Reply, request: Request, ids: Ids) -> Json:
    prefix, length = ("", 9) if request.format == "mistral" else ("call_", 24)
    calls = [
        {
            "id": call.id or ids.make(prefix, length),
            "type": "function",
            "function": {"name": call.name, "arguments": call.text},
        }
        for call in reply.calls
    ]
    message: Json = {
        "role": "assistant",
        "content": reply.text or None,
        "refusal": None,
        "annotations": [],
    }
    thoughts = "".join(part.text for part in reply.parts if isinstance(part, Thought))
    if thoughts:
        message["reasoning_content"] = thoughts
    if calls:
        message["tool_calls"] = calls
    choice = {
        "index": 0,
        "message": message,
        "logprobs": None,
        "finish_reason": _STOPS[reply.stop],
    }
    return {
        "id": ids.make("chatcmpl-", 29),
        "object": "chat.completion",
        "created": CREATED,
        "model": request.model,
        "choices": [choice],
        "usage": _usage(reply),
        "service_tier": "default",
        "system_fingerprint": "fp_b8bc95a0ac",
    }


def _usage(reply: Reply) -> Json:
    usage = reply.usage
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
        "prompt_tokens_details": {"audio_tokens": 0, "cached_tokens": usage.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }


def _deltas(message: Json) -> Iterator[Json]:
    yield {"role": "assistant", "content": "", "refusal": None}
    for name in ("reasoning_content", "content"):
        for piece in pieces(message.get(name) or ""):
            yield {name: piece}
    for i, call in enumerate(message.get("tool_calls", ())):
        function = {"name": call["function"]["name"], "arguments": ""}
        yield {"tool_calls": [{**call, "index": i, "function": function}]}
        for piece in pieces(call["function"]["arguments"]):
            yield {"tool_calls": [{"index": i, "function": {"arguments": piece}}]}


def _events(_reply: Reply, request: Request, body: Json) -> Iterator[bytes]:
    shared = {name: body[name] for name in ("id", "created", "model", "system_fingerprint")}
    shared["object"] = "chat.completion.chunk"
    wants_usage = (request.body.get("stream_options") or {}).get("include_usage", False)
    no_usage: Json = {"usage": None} if wants_usage else {}
    choice = body["choices"][0]

    def chunk(delta: Json, reason: Any) -> bytes:
        piece = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return event({**shared, "choices": [piece], **no_usage})

    for delta in _deltas(choice["message"]):
        yield chunk(delta, None)
    last = chunk({}, choice["finish_reason"])
    if request.format == "mistral":
        piece = {"index": 0, "delta": {"content": ""}, "finish_reason": choice["finish_reason"]}
        last = event({**shared, "choices": [piece], "usage": body["usage"]})
    yield last
    if wants_usage and request.format != "mistral":
        yield event({**shared, "choices": [], "usage": body["usage"]})
    yield b"data: [DONE]\n\n"


def openai_error(status: int, message: str) -> Json:
    """An error as OpenAI has it."""
    kind = _KINDS.get(status, "server_error" if status >= 500 else "invalid_request_error")
    error = {"message": message, "type": kind, "param": None, "code": _CODES.get(status)}
    return {"error": error}


def _mistral_error(status: int, message: str) -> Json:
    kind = _KINDS.get(status, "service_error" if status >= 500 else "invalid_request_error")
    return {"object": "error", "message": message, "type": kind, "param": None, "code": "3230"}


OPENAI = Speaker(_body, _events, openai_error)
MISTRAL = Speaker(_body, _events, _mistral_error)
