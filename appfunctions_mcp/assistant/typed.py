"""A model that a person plays: what is typed becomes the calls, what they gave becomes the reply.

With it functions can be tried out in a conversation without any provider.
"""

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from typing import Any
from uuid import uuid4

from appfunctions_mcp.assistant.models import ClosingModel, ModelRequest
from appfunctions_mcp.assistant.typed_calls import TypedCall, TypingError, parse_typed_calls
from appfunctions_mcp.formats import format_named
from appfunctions_mcp.formats.exported_tools import ExportedTool, ExportedTools
from appfunctions_mcp.formats.messages import (
    FunctionCall,
    FunctionResult,
    History,
    ModelReply,
    ReplyStop,
    ResultsMessage,
    Text,
    UserMessage,
)
from appfunctions_mcp.formats.model_format import ModelFormat, StreamPiece, TextPiece
from appfunctions_mcp.json_text import JsonTextError, read_json
from appfunctions_mcp.names import nearest_names
from appfunctions_mcp.quoting import quoted

__all__ = ["TypedModel"]

_HOW = (
    "Type a call as FUNCTION key=value … or as FUNCTION {JSON}; several calls are parted by ';' "
    "or stand on lines of their own."
)


class TypedModel(ClosingModel):
    """Calls what the user has typed, and replies with the results.

    A line such as `create_note title=Milk` or `create_note {"title": "Milk"}` is a call; a value
    becomes what the function's schema asks for. The reply to anything else says which functions
    there are and how a call is typed.

    Example:
        >>> model = TypedModel()
        >>> model.format.name
        'openai-chat'
    """

    def __init__(self) -> None:
        self._format = format_named("openai-chat")

    @property
    def format(self) -> ModelFormat:
        """The form in which functions are described to it."""
        return self._format

    async def reply(self, request: ModelRequest) -> ModelReply:
        """The calls that the user has typed, or a text."""
        last = request.history.messages[-1]
        if isinstance(last, ResultsMessage):
            return _said(_told(last.results))
        if request.tools is None or not request.tools.by_name:
            return _said("There is no function that could be called now.")
        return _reply_to(_typed_last(request.history), request.tools)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamPiece | ModelReply, None]:
        """The same reply, its text as one piece."""
        reply = await self.reply(request)
        if reply.text:
            yield TextPiece(reply.text)
        yield reply


def _typed_last(history: History) -> str:
    last = history.messages[-1]
    return last.text if isinstance(last, UserMessage) else ""


def _reply_to(text: str, tools: ExportedTools) -> ModelReply:
    try:
        typed = parse_typed_calls(text)
    except TypingError as fault:
        first = fault.name
        why = str(fault) if first in tools.by_name else _unknown(first, tools.by_name)
        return _said(_help(why, tools))
    unknown = [call.name for call in typed if call.name not in tools.by_name]
    if unknown or not typed:
        return _said(_help(_unknown(unknown[0] if unknown else "", tools.by_name), tools))
    calls = tuple(
        FunctionCall(f"call_{uuid4().hex[:24]}", call.name, _arguments(call, tools.by_name))
        for call in typed
    )
    return ModelReply(calls, ReplyStop.CALLS, model="typed")


def _said(text: str) -> ModelReply:
    return ModelReply((Text(text),), model="typed")


def _told(results: Sequence[FunctionResult]) -> str:
    """What functions gave; each with its name where there are several."""
    if len(results) == 1:
        return results[0].text or "(nothing)"
    return "\n".join(f"{each.name}: {each.text or '(nothing)'}" for each in results)


def _unknown(name: str, names: Iterable[str]) -> str:
    if not name:
        return "Nothing is called by this."
    near = nearest_names(name, names)
    hint = f"; near it: {', '.join(near)}" if near else ""
    return f"There is no function {quoted(name)}{hint}."


def _help(why: str, tools: ExportedTools) -> str:
    lines = [_line_of(name, tool) for name, tool in tools.by_name.items()]
    return "\n".join([why, _HOW, "The functions are:", *lines])


def _line_of(name: str, tool: ExportedTool) -> str:
    parameters = ", ".join(_properties(tool))
    return f"  {name}({parameters})"


def _properties(tool: ExportedTool) -> Mapping[str, Any]:
    properties: Mapping[str, Any] = tool.value["function"]["parameters"]["properties"]
    return properties


def _arguments(call: TypedCall, tools: Mapping[str, ExportedTool]) -> dict[str, Any]:
    properties = _properties(tools[call.name])
    typed = {key: _value(text, properties.get(key)) for key, text in call.texts.items()}
    return {**call.arguments, **typed}


def _value(text: str, schema: Any) -> Any:
    """A word as the value that a schema asks for; text where it asks for text or says nothing."""
    types = _types_in(schema)
    if not types or ("string" in types and not (text == "null" and "null" in types)):
        return text
    try:
        return read_json(text)
    except JsonTextError:
        return text


def _types_in(schema: Any) -> set[str]:
    """The names of the types that a schema takes, alternatives included."""
    if not isinstance(schema, Mapping):
        return set()
    given = schema.get("type", ())
    types = {given} if isinstance(given, str) else set(given)
    if "enum" in schema and any(isinstance(value, str) for value in schema["enum"]):
        types.add("string")
    for keyword in ("anyOf", "oneOf", "allOf"):
        for part in schema.get(keyword, ()):
            types |= _types_in(part)
    return types
