"""A request that came, with what tests ask of it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from appfunctions_mcp.formats.model_format import Violation

Json = dict[str, Any]


@dataclass(slots=True)
class Request:
    """One request for a reply."""

    format: str
    path: str
    headers: dict[str, str]
    body: Json
    model: str
    is_streamed: bool
    violations: list[Violation] = field(default_factory=list)
    status: int = 0
    """What it was answered with; 0 as long as it was not."""

    @property
    def tool_names(self) -> list[str]:
        """The exported names of the declared tools."""
        return [each["name"] for each in _declarations(self.body.get("tools"))]

    @property
    def user_text(self) -> str:
        """The text of the last message of the user that has any."""
        return next((t for t in (_user_text(m) for m in reversed(self._messages)) if t), "")

    @property
    def result_texts(self) -> list[str]:
        """The texts of the results at the end of the history, in order."""
        texts: list[str] = []
        for message in reversed(self._messages):
            found = list(_results(message))
            if not found:
                break
            texts = found + texts
        return texts

    @property
    def _messages(self) -> list[Json]:
        for name in ("messages", "input", "contents"):
            value = self.body.get(name)
            if isinstance(value, str):
                return [{"role": "user", "content": value}]
            if isinstance(value, list):
                return value
        return []


def _declarations(tools: Any) -> Iterator[Json]:
    for tool in [tools] if isinstance(tools, dict) else tools or []:
        listed = tool.get("functionDeclarations") or tool.get("function_declarations")
        if listed is not None:
            yield from listed
        elif "function" in tool:
            yield tool["function"]
        elif "name" in tool:
            yield tool


def _blocks(message: Json) -> list[Json]:
    content = message.get("content", message.get("parts"))
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return content or []


def _text_of(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "".join(each.get("text", "") for each in value or [])


def _user_text(message: Json) -> str:
    if message.get("role") != "user":
        return ""
    return _text_of(_blocks(message))


def _results(message: Json) -> Iterator[str]:
    """The texts of the results that a message or item holds."""
    if message.get("role") == "tool":
        yield _text_of(message.get("content"))
    elif message.get("type") == "function_call_output":
        yield _text_of(message["output"])
    else:
        for block in _blocks(message):
            response = block.get("functionResponse") or block.get("function_response")
            if block.get("type") == "tool_result":
                yield _text_of(block.get("content"))
            elif response is not None:
                values = list(response["response"].values())
                yield values[0] if values and isinstance(values[0], str) else str(values)
