"""Histories as messages of Mistral's chat completions, where they differ from OpenAI's.

Ids have nine letters and digits, so others are hashed. Behind results comes the model: where the
user speaks next, such as after a reply that was broken off, a short word of the model is put
between, and left out again when the request is read.
"""

from collections.abc import Mapping
from typing import Any

from appfunctions_mcp.formats.call_writing import CallIds
from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.messages import History
from appfunctions_mcp.formats.mistral.replies import FORMAT
from appfunctions_mcp.formats.openai_chat.histories import history_in, request_in
from appfunctions_mcp.formats.openai_chat.message_form import MessageForm, picture_part
from appfunctions_mcp.formats.user_media import base64_of, sound_format
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.media import Audio, Image

__all__ = ["AFTER_RESULTS", "history_of", "request_of"]

AFTER_RESULTS = "I have the results."
"""What the model says between results and the user."""
_ID = regex(r"[a-zA-Z0-9]{9}")


def _media_part(media: Image | Audio) -> dict[str, Any] | None:
    if isinstance(media, Image):
        return picture_part(media)
    return {"type": "input_audio", "input_audio": base64_of(media)} if sound_format(media) else None


_MISTRAL = MessageForm(
    FORMAT,
    _media_part,
    lambda: CallIds(_ID, lambda digits: digits[:9]),
    names_results=True,
    after_results=AFTER_RESULTS,
    joins_users=True,
    marks_begun_reply=True,
)


def request_of(history: History, tools: ExportedTools | None = None) -> dict[str, Any]:
    """The members of a request that hold the history; as in `ModelFormat.request`."""
    return request_in(_MISTRAL, history, tools)


def history_of(body: Mapping[str, Any], tools: ExportedTools | None = None) -> History:
    """The history that a request body holds; as in `ModelFormat.read_history`.

    Raises:
        ReplyError: A member has a form that is not documented; names it.
    """
    return history_in(_MISTRAL, body, tools)
