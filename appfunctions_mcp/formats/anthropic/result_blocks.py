"""Results of functions and pictures as blocks of Anthropic's Messages, both ways."""

from collections.abc import Mapping
from typing import Any

from appfunctions_mcp.formats.call_reading import json_text
from appfunctions_mcp.formats.call_writing import CallIds, result_text
from appfunctions_mcp.formats.messages import FunctionResult
from appfunctions_mcp.formats.reply_faults import objects_in
from appfunctions_mcp.formats.user_media import base64_of, media_of
from appfunctions_mcp.media import Audio, Image

__all__ = ["picture_block", "picture_of", "read_result", "result_block"]

_PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
Json = dict[str, Any]


def picture_block(media: Image | Audio) -> Json | None:
    """A picture as a block; None for sound, and pictures of other kinds."""
    if media.mime_type not in _PICTURES:
        return None
    source = {"type": "base64", "media_type": media.mime_type, "data": base64_of(media)}
    return {"type": "image", "source": source}


def picture_of(block: Mapping[str, Any]) -> Image | None:
    """The picture that a block holds; None where it holds none, or only its address."""
    source = block.get("source") if block.get("type") == "image" else None
    if not isinstance(source, Mapping):
        return None
    media = media_of(source.get("data"), source.get("media_type"))
    return media if isinstance(media, Image) else None


def result_block(result: FunctionResult, ids: CallIds) -> Json:
    """A result as a block; an error has text alone."""
    text = result_text(result)
    content: str | list[Json] = text
    # What has no picture here is told in the text of the result.
    pictures = [block for block in map(picture_block, result.media) if block]
    if pictures and not result.is_error:
        said: list[Json] = [{"type": "text", "text": text}] if text.strip() else []
        content = [*said, *pictures]
    return {
        "type": "tool_result",
        "tool_use_id": ids.written(result.call_id),
        "content": content,
        "is_error": result.is_error,
    }


def read_result(block: Mapping[str, Any]) -> FunctionResult:
    """The result that a block holds, without its name.

    Raises:
        ReplyError: The content is neither text nor a list of blocks.
    """
    content = block.get("content")
    texts: list[str] = [content] if isinstance(content, str) else []
    pictures: list[Image | Audio] = []
    for part in [] if isinstance(content, str) else objects_in(content, "content"):
        picture = picture_of(part)
        if picture is not None:
            pictures.append(picture)
        else:
            texts.append(str(part["text"]) if part.get("type") == "text" else json_text(part))
    call_id, is_error = str(block.get("tool_use_id") or ""), bool(block.get("is_error"))
    return FunctionResult(call_id, "", "\n".join(texts), is_error, media=tuple(pictures))
