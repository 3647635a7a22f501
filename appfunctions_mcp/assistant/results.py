"""What a call ended in, as the result that a model reads.

Shared by all sources: texts and media to one result, exceptions to an error result in the words
that clients over MCP get, and the second call of one that the user has confirmed.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from appfunctions_mcp.assistant.sources import SourceCall
from appfunctions_mcp.confirming import PARAMETER
from appfunctions_mcp.exceptions import AppFunctionException, AppFunctionFunctionNotFoundException
from appfunctions_mcp.formats.messages import FunctionCall, FunctionResult
from appfunctions_mcp.json_text import write_json
from appfunctions_mcp.manager import function_not_found
from appfunctions_mcp.media import Audio, BlobResource, Image, Media, ResourceLink, TextResource
from appfunctions_mcp.names import name_in_words, nearest_names

__all__ = [
    "EMPTY_RESULT",
    "confirmed_arguments",
    "error_result",
    "result_of",
    "text_of",
    "unknown_function",
]

EMPTY_RESULT = "(the result is empty)"
"""What a model reads where a function returned no text; some providers refuse an empty one."""
_MOST_NAMES_SHOWN = 20


def error_result(call: FunctionCall, failure: AppFunctionException) -> FunctionResult:
    """The result of a call that failed: what an MCP client would read of it (F65)."""
    return FunctionResult(call.id, call.name, failure.text(), is_error=True)


def result_of(
    call: SourceCall,
    parts: Sequence[Media | str],
    *,
    structured: Any = None,
    is_error: bool = False,
) -> FunctionResult:
    """The result of a call that returned.

    Args:
        call: The call.
        parts: Texts and media, in order.
        structured: The result as a JSON value, where there is one.
        is_error: Whether they tell of a failure.
    """
    text = text_of(parts)
    if not text.strip() and structured is not None:
        text = write_json(structured).decode()
    media = tuple(part for part in parts if isinstance(part, Image | Audio))
    name = call.function.tool_name
    return FunctionResult(call.id, name, text, is_error, structured, media)


def text_of(parts: Iterable[Media | str]) -> str:
    """Texts as they are, and a line for each of the media, for models that cannot take them."""
    return "\n".join(map(_text_of_part, parts))


def _text_of_part(part: Media | str) -> str:
    match part:
        case str():
            return part
        case TextResource():
            return f"[{part.uri}]\n{part.text}"
        case Image() | Audio():
            kind = "picture" if isinstance(part, Image) else "sound"
            return f"[{kind}: {part.mime_type}, {_bytes(part.data)}]"
        case BlobResource():
            return f"[{part.uri}: {part.mime_type}, {_bytes(part.data)}]"
        case ResourceLink():
            told = [part.title or part.name, part.uri, part.description]
            return f"[{': '.join(text for text in told if text)}]"


def _bytes(content: bytes) -> str:
    return f"{len(content):,} bytes"


def unknown_function(name: str, known: Sequence[str]) -> AppFunctionFunctionNotFoundException:
    """Why a name cannot be called that no function has, with those that could be meant.

    Args:
        name: What the model wrote.
        known: The functions that there are.
    """
    failure = function_not_found(
        name, _with_other_prefix(name, known) or nearest_names(name, known)
    )
    if not known:
        failure.recovery = "There is no function to call now; answer without one."
        return failure
    # A name that is spelled alike may do something else, so that others are told too.
    words = _words(name)
    shown = sorted(known, key=lambda each: -len(words & _words(each)))[:_MOST_NAMES_SHOWN]
    more = f", and {len(known) - len(shown)} more" if len(known) > len(shown) else ""
    failure.recovery = f"There are: {', '.join(shown)}{more}."
    return failure


def _words(name: str) -> set[str]:
    return set(name_in_words(name).lower().split())


def _with_other_prefix(name: str, known: Sequence[str]) -> list[str]:
    """Names that differ in nothing but a prefix, which models forget and invent."""
    wanted = name.replace(".", "_").replace(":", "_").replace("/", "_")
    same = (k for k in known if k.endswith(f"_{wanted}") or wanted.endswith(f"_{k}"))
    return list(same)[:3]


def confirmed_arguments(call: SourceCall, error: Mapping[str, Any]) -> dict[str, Any] | None:
    """The arguments for the second call of a function that wants a confirmation.

    Such a function changes nothing in its first call and gives a token for the second one. Where
    the user has agreed to the call before, nobody needs to be asked again.

    Args:
        call: The first call.
        error: The record of the error that it ended in.

    Returns:
        None where the user has not agreed to the call, or the error is another.
    """
    token = error.get(PARAMETER)
    # Without the parameter it is the running function that asks, for something of its own.
    is_declared = PARAMETER in call.function.input_schema.get("properties", {})
    if not (call.is_confirmed and is_declared and isinstance(token, str)):
        return None
    return {**call.arguments, PARAMETER: token}
