"""Histories as contents of Gemini's generateContent, both ways.

The content behind calls holds exactly their responses. From Gemini 3 on the first call of each
step needs a signature: one that came from elsewhere has the word that the documentation gives.
"""

from collections.abc import Mapping
from typing import Any

from appfunctions_mcp.formats.call_reading import CallReader, own_name
from appfunctions_mcp.formats.call_writing import written_arguments, written_name
from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.gemini.replies import ACCEPTED_NAME, FORMAT, model_parts, spelled
from appfunctions_mcp.formats.gemini.responses import read_response, response_of
from appfunctions_mcp.formats.history_reading import ReadMessages, past_reply, text_in
from appfunctions_mcp.formats.messages import (
    FunctionCall,
    FunctionResult,
    History,
    ModelReply,
    Opaque,
    ReplyPart,
    Text,
    UserMessage,
    UserPart,
)
from appfunctions_mcp.formats.reply_faults import objects_in, other_form, require_object
from appfunctions_mcp.formats.turns import sent_turns
from appfunctions_mcp.formats.user_media import base64_of, media_of, told_media
from appfunctions_mcp.media import Audio, Image

__all__ = ["SKIPPED_SIGNATURE", "history_of", "request_of"]

SKIPPED_SIGNATURE = "skip_thought_signature_validator"
"""What stands for the signature of a call that the provider has not made itself."""
_MEDIA = frozenset(
    {"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"}
    | {"audio/wav", "audio/mpeg", "audio/mp3", "audio/aiff", "audio/aac", "audio/ogg", "audio/flac"}
)
Json = dict[str, Any]


def request_of(history: History, tools: ExportedTools | None = None) -> Json:
    """The members of a request that hold the history; as in `ModelFormat.request`."""
    contents: list[Json] = []
    unsigned: list[Json] = []
    sent: dict[str, Mapping[str, Any]] = {}
    for turn in sent_turns(history, FORMAT):
        if isinstance(turn, UserMessage):
            contents.append({"role": "user", "parts": [_user_part(part) for part in turn.parts]})
        elif isinstance(turn, ModelReply):
            parts = [_model_part(part, tools) for part in turn.parts]
            calls = [
                (part.id, written)
                for part, written in zip(turn.parts, parts, strict=True)
                if isinstance(part, FunctionCall)
            ]
            sent |= {call_id: spelled(written, "functionCall") for call_id, written in calls}
            unsigned += [w for _, w in calls[:1] if not spelled(w, "thoughtSignature")]
            contents.append({"role": "model", "parts": parts})
        else:
            parts = [_response_part(each, sent, tools) for each in turn.results]
            contents.append({"role": "user", "parts": parts})
    _sign(unsigned, history, contents)
    body: Json = {"contents": contents}
    if history.system:
        body["systemInstruction"] = {"parts": [{"text": history.system}]}
    return {**body, **({"tools": tools.value} if tools and tools.value else {})}


def _user_part(part: UserPart) -> Json:
    if isinstance(part, str):
        return {"text": part}
    if isinstance(part, Opaque):
        return dict(part.value)
    if part.mime_type not in _MEDIA:
        return {"text": told_media(part)}
    return {"inlineData": {"mimeType": part.mime_type, "data": base64_of(part)}}


def _model_part(part: ReplyPart, tools: ExportedTools | None) -> Json:
    if isinstance(part, Opaque):
        return dict(part.value)
    if part.verbatim is not None:
        return dict(part.verbatim.value)
    if isinstance(part, Text):
        return {"text": part.text}
    name, arguments = written_name(part.name, tools), written_arguments(part, tools)
    return {"functionCall": {"id": part.id, "name": name, "args": arguments}}


def _response_part(
    result: FunctionResult, sent: Mapping[str, Mapping[str, Any]], tools: ExportedTools | None
) -> Json:
    unknown = {"id": result.call_id, "name": written_name(result.name, tools)}
    call = sent.get(result.call_id, unknown)
    own_id = {"id": call["id"]} if call.get("id") else {}
    response = {**own_id, "name": call.get("name"), "response": response_of(result)}
    return {"functionResponse": response}


def _sign(unsigned: list[Json], history: History, contents: list[Json]) -> None:
    """Puts the word for a signature into the first calls of steps that have none.

    A history that came from a model without signatures, and from nowhere else, goes back as it is.
    """
    parts = [part for content in contents for part in content["parts"]]
    is_foreign = any(
        call.verbatim is None or call.verbatim.format != FORMAT
        for message in history.messages
        if isinstance(message, ModelReply)
        for call in message.calls
    )
    if is_foreign or any(spelled(part, "thoughtSignature") for part in parts):
        for part in unsigned:
            part["thoughtSignature"] = SKIPPED_SIGNATURE


def history_of(body: Mapping[str, Any], tools: ExportedTools | None = None) -> History:
    """The history that a request body holds; as in `ModelFormat.read_history`.

    Raises:
        ReplyError: A member has a form that is not documented; names it.
    """
    reader = CallReader(tools, "history", keeps_ids=True, accepted_name=ACCEPTED_NAME)
    read = ReadMessages()
    system = spelled(body, "systemInstruction")
    if system is not None:
        read.add_system(text_in(require_object(system, "systemInstruction").get("parts")))
    contents = body.get("contents")
    listed = [contents] if isinstance(contents, Mapping) else contents
    for place, content in enumerate(objects_in(listed, "contents")):
        role, parts = content.get("role") or "user", objects_in(content.get("parts"), "parts")
        if role == "model":
            read.add(past_reply(model_parts(parts, reader)))
        elif role in ("user", "function"):
            _read_user_content(read, parts, tools)
        else:
            raise other_form(f"contents/{place}/role", role, "'user' or 'model'")
    return read.history()


def _read_user_content(
    read: ReadMessages, parts: list[Mapping[str, Any]], tools: ExportedTools | None
) -> None:
    said: list[UserPart] = []
    for part in parts:
        response = spelled(part, "functionResponse")
        if isinstance(response, Mapping):
            read.add_result(_result(read, response, tools))
        else:
            said.append(_read_user_part(part))
    if said or not parts:
        read.add(UserMessage(tuple(said)))


def _result(
    read: ReadMessages, response: Mapping[str, Any], tools: ExportedTools | None
) -> FunctionResult:
    name = own_name(str(response.get("name") or ""), tools)
    call_id = str(response.get("id") or "") or read.waiting_id(name)
    text, value, is_error = read_response(response.get("response"))
    return FunctionResult(call_id, name, text, is_error, value)


def _read_user_part(part: Mapping[str, Any]) -> UserPart:
    if isinstance(part.get("text"), str) and set(part) == {"text"}:
        return str(part["text"])
    held = spelled(part, "inlineData")
    media: Image | Audio | None = None
    if isinstance(held, Mapping):
        media = media_of(held.get("data"), spelled(held, "mimeType"))
    return media or Opaque(FORMAT, dict(part))
