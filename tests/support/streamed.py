"""Whole replies cut into the events of a stream, in pieces of any size; recorded streams too."""

import json
from collections.abc import Callable, Iterator
from typing import Any

Json = dict[str, Any]


def events_in(stream: str) -> list[Json]:
    """The events of a recorded stream as providers' clients give them on."""
    lines = (line.removeprefix("data: ") for line in stream.splitlines())
    return [json.loads(line) for line in lines if line.startswith("{")]


def events_of(format_name: str, body: Json, size: int) -> list[Json]:
    """The events that a provider would send instead of a whole body.

    Args:
        format_name: The format's.
        body: Of a response.
        size: How many characters a piece of a text has.
    """
    return list(_STREAMS[format_name](body, size))


def _pieces(text: str, size: int) -> list[str]:
    return [text[i : i + size] for i in range(0, len(text), size)]


def _chat(body: Json, size: int) -> Iterator[Json]:
    choice = body["choices"][0]
    for delta in _chat_deltas(choice["message"], size):
        piece = {"index": 0, "delta": delta, "finish_reason": None}
        yield {"id": body["id"], "model": body["model"], "choices": [piece]}
    last = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    yield {"id": body["id"], "model": body["model"], "choices": [last]}
    yield {"id": body["id"], "choices": [], "usage": body["usage"]}


def _chat_deltas(message: Json, size: int) -> Iterator[Json]:
    yield {"role": "assistant", "content": None}
    for name, value in message.items():
        if name == "tool_calls":
            yield from _chat_calls(value, size)
        elif isinstance(value, str) and name != "role":
            yield from ({name: piece} for piece in _pieces(value, size))
        elif name != "role":
            yield {name: value}


def _chat_calls(calls: list[Json], size: int) -> Iterator[Json]:
    for index, call in enumerate(calls):
        begun = {**call["function"], "arguments": ""}
        yield {"tool_calls": [{**call, "index": index, "function": begun}]}
        for piece in _pieces(call["function"]["arguments"], size):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _responses(body: Json, size: int) -> Iterator[Json]:
    begun = {**body, "status": "in_progress", "output": [], "usage": None}
    yield {"type": "response.created", "response": begun}
    for index, item in enumerate(body["output"]):
        place = {"output_index": index}
        empty = {"arguments": "", "content": []}
        first = {name: empty.get(name, value) for name, value in item.items()}
        yield {"type": "response.output_item.added", **place, "item": first}
        kind, text = "response.function_call_arguments.delta", item.get("arguments", "")
        if item["type"] == "message":
            kind, text = "response.output_text.delta", item["content"][0]["text"]
        for piece in _pieces(text, size):
            yield {"type": kind, **place, "delta": piece}
        yield {"type": "response.output_item.done", **place, "item": item}
    yield {"type": "response.completed", "response": body}


def _anthropic(body: Json, size: int) -> Iterator[Json]:
    first = {"input_tokens": body["usage"]["input_tokens"], "output_tokens": 1}
    begun = {**body, "content": [], "stop_reason": None, "usage": first}
    yield {"type": "message_start", "message": begun}
    yield {"type": "ping"}
    for index, block in enumerate(body["content"]):
        deltas = list(_anthropic_deltas(block, size))
        empty: Json = {"text": "", "thinking": "", "signature": "", "input": {}}
        start = {name: empty.get(name, value) for name, value in block.items()}
        yield {"type": "content_block_start", "index": index, "content_block": start}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ended = {"stop_reason": body["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": body["usage"]}
    yield {"type": "message_stop"}


def _anthropic_deltas(block: Json, size: int) -> Iterator[Json]:
    for name in ("thinking", "signature", "text"):
        for piece in _pieces(block.get(name, ""), size):
            yield {"type": f"{name}_delta", name: piece}
    if "input" in block:
        yield {"type": "input_json_delta", "partial_json": ""}
        for piece in _pieces(json.dumps(block["input"]), size):
            yield {"type": "input_json_delta", "partial_json": piece}


def _gemini(body: Json, size: int) -> Iterator[Json]:
    candidate = body["candidates"][0]
    rest = {name: value for name, value in body.items() if name != "candidates"}
    for part in candidate["content"]["parts"]:
        pieces = [part]
        if set(part) <= {"text", "thought"}:
            pieces = [{**part, "text": piece} for piece in _pieces(part["text"], size)]
        for piece in pieces:
            content = {"role": "model", "parts": [piece]}
            yield {**rest, "candidates": [{"content": content, "index": 0}]}
    last = {"content": {"role": "model", "parts": [{"text": ""}]}, "index": 0}
    yield {**rest, "candidates": [{**last, "finishReason": candidate["finishReason"]}]}


def _ollama(body: Json, size: int) -> Iterator[Json]:
    shared = {"model": body["model"], "created_at": body["created_at"], "done": False}
    message = body["message"]
    for name in ("thinking", "content"):
        for piece in _pieces(message.get(name, ""), size):
            said = {"role": "assistant", "content": "", name: piece}
            yield {**shared, "message": said}
    for call in message.get("tool_calls", ()):
        yield {**shared, "message": {"role": "assistant", "content": "", "tool_calls": [call]}}
    yield {**body, "message": {"role": "assistant", "content": ""}}


_STREAMS: dict[str, Callable[[Json, int], Iterator[Json]]] = {
    "openai-chat": _chat,
    "mistral": _chat,
    "openai-responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "ollama": _ollama,
}
