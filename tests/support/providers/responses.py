"""Replies as OpenAI's Responses has them."""

from collections.abc import Iterator

from appfunctions_mcp.formats.messages import ReplyStop
from tests.support.providers.chat_completions import openai_error
from tests.support.providers.requests import Request
from tests.support.providers.script import Call, Ids, Part, Reply, Thought, pieces
from tests.support.providers.speaking import CREATED, Json, Speaker, event

_ECHOED = ("instructions", "previous_response_id", "max_output_tokens", "tools", "tool_choice")
_INCOMPLETE = {
    ReplyStop.LENGTH: "max_output_tokens",
    ReplyStop.REFUSED: "content_filter",
}


def _body(reply: Reply, request: Request, ids: Ids) -> Json:
    items = [_item(part, request, ids) for part in reply.parts]
    reason = _INCOMPLETE.get(reply.stop)
    status = "incomplete" if reason else "completed"
    if items and reason and "status" in items[-1]:
        items[-1]["status"] = "incomplete"
    usage = reply.usage
    body = {
        "id": ids.make("resp_", 48),
        "object": "response",
        "created_at": CREATED,
        "status": status,
        "background": False,
        "error": None,
        "incomplete_details": {"reason": reason} if reason else None,
        "model": request.model,
        "output": items,
        "parallel_tool_calls": True,
        "store": request.body.get("store", True),
        "temperature": 1.0,
        "top_p": 1.0,
        "truncation": "disabled",
        "metadata": {},
        "usage": {
            "input_tokens": usage.input_tokens,
            "input_tokens_details": {"cached_tokens": usage.cached_tokens},
            "output_tokens": usage.output_tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": usage.input_tokens + usage.output_tokens,
        },
    }
    defaults: Json = {"tools": [], "tool_choice": "auto"}
    return body | {name: request.body.get(name, defaults.get(name)) for name in _ECHOED}


def _item(part: Part, request: Request, ids: Ids) -> Json:
    match part:
        case Thought():
            item: Json = {"id": ids.make("rs_", 48), "type": "reasoning"}
            item["summary"] = [{"type": "summary_text", "text": part.text}]
            if "reasoning.encrypted_content" in (request.body.get("include") or ()):
                item["encrypted_content"] = part.signature or ids.make("gAAAAAB", 57)
            return item
        case Call():
            return {
                "id": ids.make("fc_", 48),
                "type": "function_call",
                "status": "completed",
                "arguments": part.text,
                "call_id": part.id or ids.make("call_", 24),
                "name": part.name,
            }
    text = {"type": "output_text", "annotations": [], "logprobs": [], "text": part}
    return {
        "id": ids.make("msg_", 48),
        "type": "message",
        "status": "completed",
        "role": "assistant",
        "content": [text],
    }


def _events(_reply: Reply, _request: Request, body: Json) -> Iterator[bytes]:
    begun = body | {"status": "in_progress", "output": [], "usage": None}
    begun["incomplete_details"] = None
    steps: list[tuple[str, Json]] = [
        ("response.created", {"response": begun}),
        ("response.in_progress", {"response": begun}),
    ]
    for i, item in enumerate(body["output"]):
        steps += [(name, {"output_index": i, **more}) for name, more in _item_steps(item)]
    steps.append((f"response.{body['status']}", {"response": body}))
    for number, (name, more) in enumerate(steps):
        yield event({"type": name, "sequence_number": number, **more}, name)


def _item_steps(item: Json) -> Iterator[tuple[str, Json]]:
    of_item: Json = {"item_id": item["id"]}
    match item["type"]:
        case "function_call":
            yield "response.output_item.added", {"item": _begun(item, arguments="")}
            for piece in pieces(item["arguments"]):
                yield "response.function_call_arguments.delta", {**of_item, "delta": piece}
            done = {**of_item, "arguments": item["arguments"], "name": item["name"]}
            yield "response.function_call_arguments.done", done
        case "message":
            yield "response.output_item.added", {"item": _begun(item, content=[])}
            yield from _text_steps(item["content"][0], of_item | {"content_index": 0})
        case _:
            yield "response.output_item.added", {"item": {**item, "summary": []}}
            yield from _summary_steps(item["summary"][0], of_item | {"summary_index": 0})
    yield "response.output_item.done", {"item": item}


def _begun(item: Json, **empty: object) -> Json:
    return {**item, "status": "in_progress", **empty}


def _text_steps(part: Json, place: Json) -> Iterator[tuple[str, Json]]:
    yield "response.content_part.added", {**place, "part": {**part, "text": ""}}
    for piece in pieces(part["text"]):
        yield "response.output_text.delta", {**place, "delta": piece, "logprobs": []}
    yield "response.output_text.done", {**place, "text": part["text"], "logprobs": []}
    yield "response.content_part.done", {**place, "part": part}


def _summary_steps(part: Json, place: Json) -> Iterator[tuple[str, Json]]:
    yield "response.reasoning_summary_part.added", {**place, "part": {**part, "text": ""}}
    for piece in pieces(part["text"]):
        yield "response.reasoning_summary_text.delta", {**place, "delta": piece}
    yield "response.reasoning_summary_text.done", {**place, "text": part["text"]}
    yield "response.reasoning_summary_part.done", {**place, "part": part}


RESPONSES = Speaker(_body, _events, openai_error)
