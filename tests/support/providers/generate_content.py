"""Replies and errors as Gemini's generateContent has them."""

import base64
import re
from collections.abc import Iterator

from appfunctions_mcp.formats.messages import ReplyStop
from tests.support.providers.requests import Request
from tests.support.providers.script import Call, Ids, Reply, Thought, pieces
from tests.support.providers.speaking import Json, Speaker, event

_STOPS = {
    ReplyStop.END: "STOP",
    ReplyStop.CALLS: "STOP",
    ReplyStop.LENGTH: "MAX_TOKENS",
    ReplyStop.REFUSED: "SAFETY",
    ReplyStop.OTHER: "OTHER",
}
_STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


def _body(reply: Reply, request: Request, ids: Ids) -> Json:
    parts = _parts(reply, request, ids)
    usage = reply.usage
    candidate: Json = {"content": {"parts": parts, "role": "model"}, "index": 0}
    candidate["finishReason"] = _STOPS[reply.stop]
    counts = {
        "promptTokenCount": usage.input_tokens,
        "candidatesTokenCount": usage.output_tokens,
        "totalTokenCount": usage.input_tokens + usage.output_tokens,
    }
    if usage.cached_tokens:
        counts["cachedContentTokenCount"] = usage.cached_tokens
    return {
        "candidates": [candidate],
        "usageMetadata": counts,
        "modelVersion": request.model,
        "responseId": ids.make("", 23),
    }


def _parts(reply: Reply, request: Request, ids: Ids) -> list[Json]:
    """A signature stands on the first call, or on the last part where there is no call."""
    thoughts = [part for part in reply.parts if isinstance(part, Thought)]
    parts: list[Json] = []
    for part in reply.parts:
        match part:
            case Thought():
                parts.append({"text": part.text, "thought": True})
            case Call():
                own = {"id": part.id} if part.id else {}
                call = {"name": part.name, "args": part.object, **own}
                parts.append({"functionCall": call})
            case _:
                parts.append({"text": part})
    version = re.search(r"gemini-(\d+)", request.model)
    thinks = bool(version) and int(version[1]) >= 3 and bool(reply.calls) if version else False
    if not parts or not (thoughts or thinks):
        return parts
    given = next((each.signature for each in thoughts if each.signature), "")
    made = base64.b64encode(ids.make("thought ", 52).encode()).decode()
    signed = next((part for part in parts if "functionCall" in part), parts[-1])
    signed["thoughtSignature"] = given or made
    return parts


def _events(_reply: Reply, _request: Request, body: Json) -> Iterator[bytes]:
    candidate = body["candidates"][0]
    pieces_of_parts = [piece for part in candidate["content"]["parts"] for piece in _split(part)]
    for piece in pieces_of_parts:
        yield _chunk(body, piece, {})
    yield _chunk(body, {"text": ""}, {"finishReason": candidate["finishReason"]})


def _split(part: Json) -> list[Json]:
    if "text" not in part:
        return [part]
    rest = {name: value for name, value in part.items() if name == "thought"}
    split: list[Json] = [{"text": piece, **rest} for piece in pieces(part["text"]) or [""]]
    split[-1] |= {name: value for name, value in part.items() if name == "thoughtSignature"}
    return split


def _chunk(body: Json, part: Json, more: Json) -> bytes:
    candidate = {"content": {"parts": [part], "role": "model"}, "index": 0, **more}
    return event({**body, "candidates": [candidate]}).replace(b"\n\n", b"\r\n\r\n")


def _error(status: int, message: str) -> Json:
    name = _STATUSES.get(status, "UNKNOWN")
    return {"error": {"code": status, "message": message, "status": name}}


GEMINI = Speaker(_body, _events, _error)
