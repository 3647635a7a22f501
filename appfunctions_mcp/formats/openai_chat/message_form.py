"""What differs between the providers whose messages have the form of Chat Completions."""

from collections.abc import Callable
from typing import Any

from appfunctions_mcp.formats.call_writing import CallIds
from appfunctions_mcp.formats.user_media import base64_of, data_address, sound_format
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.media import Audio, Image
from appfunctions_mcp.records import record

__all__ = ["OPENAI_CHAT", "MessageForm"]

_PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_ID = regex(r"[^\x00-\x1f\ud800-\udfff]{1,40}")


@record(frozen=True, slots=True)
class MessageForm:
    """How one provider writes messages."""

    format_name: str
    media_part: Callable[[Image | Audio], dict[str, Any] | None]
    """A part of a user's message; None where the provider does not take it."""
    call_ids: Callable[[], CallIds]
    """New ids for one request."""
    names_results: bool = False
    """Whether a result names its function."""
    after_results: str = ""
    """What the model says between results and the user, where somebody has to speak."""
    joins_users: bool = False
    """Whether messages of the user that follow each other become one."""
    marks_begun_reply: bool = False
    """Whether a reply at the end is marked as one that the model goes on with."""


def picture_part(media: Image) -> dict[str, Any] | None:
    """A picture as OpenAI takes it; None where it is of another kind."""
    if media.mime_type not in _PICTURES:
        return None
    return {"type": "image_url", "image_url": {"url": data_address(media)}}


def _media_part(media: Image | Audio) -> dict[str, Any] | None:
    if isinstance(media, Image):
        return picture_part(media)
    kind = sound_format(media)
    sound = {"data": base64_of(media), "format": kind}
    return {"type": "input_audio", "input_audio": sound} if kind else None


OPENAI_CHAT = MessageForm(
    "openai-chat",
    _media_part,
    lambda: CallIds(_ID, lambda digits: f"call_{digits[:24]}"),
)
