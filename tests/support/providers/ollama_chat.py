"""Replies and errors as Ollama's `/api/chat` has them."""

import json
from collections.abc import Iterator

from appfunctions_mcp.formats.messages import ReplyStop
from tests.support.providers.requests import Request
from tests.support.providers.script import Ids, Reply, Thought, pieces
from tests.support.providers.speaking import Json, Speaker

_TIME = "2026-12-01T00:00:00.000000Z"


def _body(reply: Reply, request: Request, _ids: Ids) -> Json:
    message: Json = {"role": "assistant", "content": reply.text}
    thoughts = "".join(part.text for part in reply.parts if isinstance(part, Thought))
    if thoughts:
        message["thinking"] = thoughts
    if reply.calls:
        message["tool_calls"] = [
            {"function": {"name": call.name, "arguments": call.object}} for call in reply.calls
        ]
    return {
        "model": request.model,
        "created_at": _TIME,
        "message": message,
        "done": True,
        "done_reason": "length" if reply.stop is ReplyStop.LENGTH else "stop",
        "total_duration": 174560334,
        "load_duration": 101397084,
        "prompt_eval_count": reply.usage.input_tokens,
        "prompt_eval_duration": 13074791,
        "eval_count": reply.usage.output_tokens,
        "eval_duration": 52479709,
    }


def _events(_reply: Reply, _request: Request, body: Json) -> Iterator[bytes]:
    message = body["message"]
    steps: list[Json] = [
        {"content": "", "thinking": p} for p in pieces(message.get("thinking", ""))
    ]
    steps += [{"content": piece} for piece in pieces(message["content"])]
    steps += [{"content": "", "tool_calls": [call]} for call in message.get("tool_calls", ())]
    for step in steps:
        shared = {"model": body["model"], "created_at": _TIME}
        yield _line({**shared, "message": {"role": "assistant", **step}, "done": False})
    yield _line({**body, "message": {"role": "assistant", "content": ""}})


def _line(value: Json) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"


def _error(_status: int, message: str) -> Json:
    return {"error": message}


OLLAMA = Speaker(_body, _events, _error, stream_type="application/x-ndjson")
