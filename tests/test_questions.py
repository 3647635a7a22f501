"""What a function may ask its caller's side, and what it reads of the answers."""

from typing import Any

import pytest

from appfunctions_mcp.media import Audio, Image
from appfunctions_mcp.prompt_messages import AssistantMessage, UserMessage
from appfunctions_mcp.questions import (
    Choices,
    Root,
    Sample,
    SampleMessage,
    read_roots,
    read_sample,
    sample_messages,
)

PICTURE = Image(b"GIF89a", "image/gif")


def test_a_bare_text_picture_or_sound_is_the_users() -> None:
    sound = Audio(b"RIFF")
    assert sample_messages("Hello") == (SampleMessage("user", "Hello"),)
    assert sample_messages(PICTURE) == (SampleMessage("user", PICTURE),)
    assert sample_messages(["Hello", sound]) == (
        SampleMessage("user", "Hello"),
        SampleMessage("user", sound),
    )


def test_a_conversation_has_both_roles() -> None:
    said = sample_messages([UserMessage("One?"), AssistantMessage("Two."), "Three?"])
    assert [message.role for message in said] == ["user", "assistant", "user"]
    assert sample_messages(AssistantMessage(PICTURE)) == (SampleMessage("assistant", PICTURE),)


@pytest.mark.parametrize("wrong", [5, [5], {"role": "user"}.items(), b"bytes"])
def test_what_no_model_reads_is_refused_by_name(wrong: Any) -> None:
    with pytest.raises(TypeError, match=r"reads text, Image and Audio.*not (int|tuple)"):
        sample_messages(wrong)


def test_a_model_needs_a_message() -> None:
    with pytest.raises(ValueError, match="at least one message"):
        sample_messages([])


def test_a_sample_has_all_text_and_every_part_in_order() -> None:
    blocks = [
        {"type": "text", "text": "A "},
        {"type": "image", "data": "R0lGODlh", "mimeType": "image/gif"},
        {"type": "text", "text": "cat"},
    ]
    answer = {"role": "assistant", "model": "m-1", "content": blocks, "stopReason": "endTurn"}
    assert read_sample(answer) == Sample("A cat", ("A ", PICTURE, "cat"), "m-1", "endTurn")
    assert read_sample({"content": blocks[0], "model": "m-1"}).text == "A "


def test_a_root_knows_where_it_lies() -> None:
    roots = read_roots({"roots": [{"uri": "file:///home/ann/a%20b", "name": "Work"}]})
    assert roots == [Root("file:///home/ann/a%20b", "Work")]
    assert roots[0].path == "/home/ann/a b"
    assert Root("file:///C:/work").path == "C:/work"


@pytest.mark.parametrize("uri", ["https://example.org/x", "file://server/share"])
def test_a_root_elsewhere_has_no_path(uri: str) -> None:
    with pytest.raises(ValueError, match="no file of this machine"):
        _ = Root(uri).path


def test_choices_need_a_value_and_stand_with_texts_only() -> None:
    with pytest.raises(ValueError, match="at least one value"):
        Choices({})
    with pytest.raises(TypeError, match=r"str or list\[str\]"):
        Choices({"a": "A"}).__get_pydantic_core_schema__(int, None)
