"""Replies that call functions by their exported names, as each provider would send them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

Json = dict[str, Any]
Calls = Sequence[tuple[str, Mapping[str, Any]]]
"""Exported names with arguments by the exported schema."""


def reply_with(format_name: str, calls: Calls) -> Json:
    """A response body with some calls and nothing else.

    Args:
        format_name: The format's.
        calls: In their order.
    """
    match format_name:
        case "openai-chat" | "mistral":
            return _chat(calls)
        case "openai-responses":
            items = [
                {"type": "function_call", "id": f"fc_{place}", "call_id": f"call_{place}", **named}
                for place, named in enumerate(_as_texts(calls))
            ]
            return {"id": "resp_1", "model": "m", "status": "completed", "output": items}
        case "anthropic":
            blocks = [
                {"type": "tool_use", "id": f"toolu_{place}", "name": name, "input": arguments}
                for place, (name, arguments) in enumerate(calls)
            ]
            return {"id": "msg_1", "model": "m", "content": blocks, "stop_reason": "tool_use"}
        case "gemini":
            parts = [{"functionCall": {"name": name, "args": given}} for name, given in calls]
            content = {"role": "model", "parts": parts}
            return {"candidates": [{"content": content, "finishReason": "STOP"}]}
    functions = [{"function": {"name": name, "arguments": given}} for name, given in calls]
    message = {"role": "assistant", "content": "", "tool_calls": functions}
    return {"model": "m", "message": message, "done": True, "done_reason": "stop"}


def _as_texts(calls: Calls) -> list[Json]:
    return [{"name": name, "arguments": json.dumps(arguments)} for name, arguments in calls]


def _chat(calls: Calls) -> Json:
    listed = [
        {"id": f"call{place:05}", "type": "function", "function": function}
        for place, function in enumerate(_as_texts(calls))
    ]
    message = {"role": "assistant", "content": None, "tool_calls": listed}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    return {"id": "chatcmpl-1", "model": "m", "choices": [choice]}
