"""One reply of each provider that has all: a thought, a text, and two calls of one function."""

from typing import Any

Json = dict[str, Any]
ARGUMENTS = '{"city":"Århus","days":3}'
_FUNCTION = {"name": "weather_of", "arguments": ARGUMENTS}
_AS_OBJECT = {"city": "Århus", "days": 3}


def _chat(first_id: str, second_id: str, **more: Any) -> Json:
    calls = [
        {"id": first_id, "type": "function", "function": dict(_FUNCTION)},
        {"id": second_id, "type": "function", "function": {**_FUNCTION, "arguments": "{}"}},
    ]
    message = {"role": "assistant", "content": "I look.", **more, "tool_calls": calls}
    usage = {"prompt_tokens": 90, "completion_tokens": 20}
    return {
        "id": "chatcmpl-1",
        "model": "model-1",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        "usage": {**usage, "prompt_tokens_details": {"cached_tokens": 40}},
    }


def _item(number: int, arguments: str) -> Json:
    return {
        "type": "function_call",
        "id": f"fc_{number}",
        "call_id": f"call_{number}",
        "name": "weather_of",
        "arguments": arguments,
        "status": "completed",
    }


_RESPONSES: Json = {
    "id": "resp_1",
    "model": "model-1",
    "status": "completed",
    "error": None,
    "output": [
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2VhbGVk"},
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "I look.", "annotations": []}],
        },
        _item(1, ARGUMENTS),
        _item(2, "{}"),
    ],
    "usage": {
        "input_tokens": 90,
        "output_tokens": 20,
        "input_tokens_details": {"cached_tokens": 40},
    },
}
_ANTHROPIC: Json = {
    "id": "msg_1",
    "model": "model-1",
    "role": "assistant",
    "content": [
        {"type": "thinking", "thinking": "Where?", "signature": "c2lnbmVk"},
        {"type": "redacted_thinking", "data": "c2VhbGVk"},
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "toolu_1", "name": "weather_of", "input": dict(_AS_OBJECT)},
        {"type": "tool_use", "id": "toolu_2", "name": "weather_of", "input": {}},
    ],
    "stop_reason": "tool_use",
    "usage": {
        "input_tokens": 40,
        "cache_read_input_tokens": 40,
        "cache_creation_input_tokens": 10,
        "output_tokens": 20,
    },
}
_GEMINI: Json = {
    "candidates": [
        {
            "content": {
                "role": "model",
                "parts": [
                    {"text": "Where?", "thought": True},
                    {"text": "I look."},
                    {
                        "functionCall": {"name": "weather_of", "args": dict(_AS_OBJECT)},
                        "thoughtSignature": "c2lnbmVk",
                    },
                    {"functionCall": {"name": "weather_of", "args": {}}},
                ],
            },
            "finishReason": "STOP",
            "index": 0,
        }
    ],
    "usageMetadata": {
        "promptTokenCount": 90,
        "candidatesTokenCount": 15,
        "thoughtsTokenCount": 5,
        "cachedContentTokenCount": 40,
    },
    "modelVersion": "model-1",
    "responseId": "r1",
}
_OLLAMA: Json = {
    "model": "model-1",
    "created_at": "2026-12-01T00:00:00Z",
    "message": {
        "role": "assistant",
        "content": "I look.",
        "thinking": "Where?",
        "tool_calls": [
            {"function": {"name": "weather_of", "arguments": dict(_AS_OBJECT)}},
            {"function": {"name": "weather_of", "arguments": {}}},
        ],
    },
    "done": True,
    "done_reason": "stop",
    "prompt_eval_count": 90,
    "eval_count": 20,
}
WHOLE: dict[str, Json] = {
    "openai-chat": _chat("call_1", "call_2", reasoning_content="Where?"),
    "openai-responses": _RESPONSES,
    "anthropic": _ANTHROPIC,
    "gemini": _GEMINI,
    "mistral": _chat("aB3dE6gH9", "aB3dE6gH8"),
    "ollama": _OLLAMA,
}
