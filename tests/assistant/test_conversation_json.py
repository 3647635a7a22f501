"""Conversations as JSON and as files: whole, private, and never lost."""

import base64
import copy
import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from appfunctions_mcp.assistant.conversation import Conversation, ConversationError
from appfunctions_mcp.formats.messages import (
    FunctionCall,
    FunctionResult,
    History,
    ModelReply,
    Opaque,
    ReplyStop,
    Text,
    Usage,
)
from appfunctions_mcp.media import Audio, Image
from tests.support.histories import histories

THOUGHT = Opaque("anthropic", {"type": "thinking", "signature": "c2ln", "n": [1, None, 2.5]})


def everything() -> Conversation:
    """A conversation with every field of every record."""
    conversation = Conversation("Be short. \ud83d")
    conversation.add_user("Look: 🎉", Image(b"\x00\xff", "image/gif"), Audio(b"RIFF"), THOUGHT)
    conversation.add_reply(
        ModelReply(
            (
                THOUGHT,
                Text("Hm.", THOUGHT),
                FunctionCall("a", "read", {"z": 1, "a": [None, {"b": 1.5}]}, verbatim=THOUGHT),
                FunctionCall("b", "read", {}, "The arguments were cut."),
            ),
            ReplyStop.LENGTH,
            Usage(7, 5, 3),
            "some-model",
            THOUGHT,
        )
    )
    picture = Image(b"GIF89a", "image/gif")
    conversation.add_results(
        [
            FunctionResult("a", "read", "text", structured=[0, False], media=(picture,)),
            FunctionResult("b", "read", "cut", is_error=True),
        ]
    )
    conversation.add_reply(ModelReply((Text("Done."),)))
    conversation.add_user("And now?")
    conversation.add_reply(ModelReply((FunctionCall("c", "read"),)))
    return conversation


def is_same(first: Conversation, second: Conversation) -> bool:
    return (first.system, first.exchanges) == (second.system, second.exchanges)


def test_everything_survives_json() -> None:
    conversation = everything()
    value = conversation.to_json()
    text = json.dumps(value, allow_nan=False)
    assert is_same(Conversation.from_json(json.loads(text)), conversation)
    assert value["version"] == 1
    assert list(value["exchanges"][0]["steps"][0]["reply"]["parts"][2]["arguments"]) == ["z", "a"]


@given(histories())
@settings(max_examples=100, deadline=None)
def test_any_conversation_survives_json(history: History) -> None:
    conversation = Conversation.from_history(history)
    text = json.dumps(conversation.to_json(), allow_nan=False)
    assert is_same(Conversation.from_json(json.loads(text)), conversation)


def test_members_that_are_usual_may_be_left_out() -> None:
    reply = {"parts": [{"type": "call", "id": "a", "name": "f", "arguments": {}}], "stop": "calls"}
    result = {"call_id": "a", "name": "f", "text": "t"}
    exchange = {
        "user": [{"parts": [{"type": "text", "text": "Hello"}]}],
        "steps": [{"reply": reply}, {"reply": reply, "results": [result]}],
    }
    value = {"version": 1, "system": "", "exchanges": [exchange, {"user": []}]}
    first, second = Conversation.from_json(value).exchanges
    assert first.steps[0].reply.usage == Usage()
    assert first.steps[1].results == (FunctionResult("a", "f", "t"),)
    assert second.answer is None


def put(value: Any, path: str, new: Any) -> Any:
    """A copy of a JSON value with another one at a place; `DELETED` takes it away."""
    value = copy.deepcopy(value)
    *parents, last = path.strip("/").split("/")
    at = value
    for name in parents:
        at = at[int(name)] if isinstance(at, list) else at[name]
    key: Any = int(last) if isinstance(at, list) else last
    if new is DELETED:
        del at[key]
    else:
        at[key] = new
    return value


DELETED = object()
_REPLY = "/exchanges/0/steps/0/reply"
_RESULT = "/exchanges/0/steps/0/results/0"
_SAID = "/exchanges/0/user/0/parts"


@pytest.mark.parametrize(
    ("path", "new", "told"),
    [
        ("/version", 2, "/version: the conversation has version 2, which a newer"),
        ("/version", 0, "/version: a version from 1 is accepted here, not '0'"),
        ("/version", True, "/version: a whole number from 0 is accepted here, not 'True'"),
        ("/version", DELETED, "/: the member 'version' is missing"),
        ("/system", None, "/system: text is accepted here, not 'None'"),
        ("/exchanges", {}, "/exchanges: an array is accepted here, not '{}'"),
        ("/exchanges/0", 7, "/exchanges/0: an object is accepted here, not '7'"),
        ("/exchanges/0/note", "x", "/exchanges/0/note: this member is not known here"),
        ("/exchanges/0/user/0/role", "user", "/exchanges/0/user/0/role: this member is not known"),
        (f"{_SAID}/0/type", "video", "'video' is not known here; accepted are text, image, audio"),
        (f"{_SAID}/0/color", "red", f"{_SAID}/0/color: this member is not known here"),
        (f"{_SAID}/1/data", "a.b", f"{_SAID}/1/data: this is no base64"),
        (f"{_SAID}/1/mime_type", "text/plain", f"{_SAID}/1/mime_type: Image.mime_type is"),
        (f"{_SAID}/3/value", DELETED, f"{_SAID}/3: the member 'value' is missing"),
        (f"{_REPLY}/parts/2/arguments", [], "/parts/2/arguments: an object is accepted here"),
        (f"{_REPLY}/parts/2/arguments", {"x": float("nan")}, "/arguments/x: nan is no JSON number"),
        (f"{_REPLY}/parts/2/tool", 1, f"{_REPLY}/parts/2/tool: this member is not known here"),
        (f"{_REPLY}/stop", "tired", f"{_REPLY}/stop: 'tired' is not known here; accepted are end"),
        (f"{_REPLY}/usage/cost", 1, f"{_REPLY}/usage/cost: this member is not known here"),
        (f"{_REPLY}/usage/input_tokens", -1, "/input_tokens: a whole number from 0 is accepted"),
        (f"{_REPLY}/verbatim/x", 1, f"{_REPLY}/verbatim/x: this member is not known here"),
        (f"{_RESULT}/is_error", 1, f"{_RESULT}/is_error: true or false is accepted here, not '1'"),
        (f"{_RESULT}/media/0/type", "text", "'text' is not known here; accepted are image, audio"),
        (f"{_RESULT}/media/0/size", 1, f"{_RESULT}/media/0/size: this member is not known here"),
        ("/exchanges/0/steps/0/at", 1, "/exchanges/0/steps/0/at: this member is not known here"),
    ],
)
def test_what_is_not_known_is_refused_with_its_place(path: str, new: Any, told: str) -> None:
    with pytest.raises(ConversationError) as raised:
        Conversation.from_json(put(everything().to_json(), path, new))
    assert told in str(raised.value)


@pytest.mark.parametrize("value", [None, [], "text", 7])
def test_what_is_no_object_is_no_conversation(value: Any) -> None:
    with pytest.raises(ConversationError, match="/: an object is accepted here"):
        Conversation.from_json(value)


def test_a_file_holds_the_conversation_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "kept" / "chat.json"
    everything().save(path)
    assert is_same(Conversation.load(path), everything())
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    Conversation("Other.").save(str(path))
    assert Conversation.load(str(path)).system == "Other."
    assert not list(path.parent.glob("*.tmp"))


def test_a_file_that_is_not_there_is_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"chat\.json: there is no such file"):
        Conversation.load(tmp_path / "chat.json")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "is empty"),
        ('{"version": 1, "exch', "is no JSON"),
        ("[]", "is no JSON object with a version"),
        ('{"version": 1, "functions": {}}', "holds something else"),
        ('{"version": 7, "exchanges": []}', "has version 7, which a newer"),
    ],
    ids=["empty", "cut", "array", "another file", "newer"],
)
def test_a_file_that_is_broken_is_named_and_never_written_over(
    tmp_path: Path, content: str, told: str
) -> None:
    path = tmp_path / "chat.json"
    path.write_text(content)
    for use in (Conversation.load, everything().save):
        with pytest.raises(ConversationError) as raised:
            use(path)
        assert told in str(raised.value)
        assert str(raised.value).startswith(str(path))
    assert path.read_text() == content


def test_a_member_that_is_not_known_is_named_with_its_file(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(put(everything().to_json(), "/exchanges/0/note", 1)))
    with pytest.raises(ConversationError) as raised:
        Conversation.load(path)
    assert str(raised.value).startswith(f"{path}: /exchanges/0/note: this member")


def test_a_place_that_cannot_be_written_to_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    Conversation("Old.").save(path)
    (tmp_path / "chat.json.tmp").mkdir()
    with pytest.raises(OSError, match=r"chat\.json\.tmp"):
        Conversation("New.").save(path)
    assert Conversation.load(path).system == "Old."


_SAVING_FOR_EVER = """
import sys
from appfunctions_mcp.assistant.conversation import Conversation
from appfunctions_mcp.media import Image
conversation = Conversation("Begin.")
conversation.add_user(Image(bytes(200_000)))
number = 0
while True:
    conversation.system = str(number)
    conversation.save(sys.argv[1])
    print(number, flush=True)
    number += 1
"""


def test_what_is_wrong_with_a_file_is_told_once(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    for content in ("", "[]", "{", '{"version": 99, "exchanges": []}', '{"version": 1}'):
        path.write_text(content, encoding="utf-8")
        with pytest.raises(ConversationError) as refused:
            Conversation.load(path)
        assert str(refused.value).count("chat.json") == 1
        assert path.read_text(encoding="utf-8") == content


def test_a_process_killed_while_saving_leaves_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    command = [sys.executable, "-c", _SAVING_FOR_EVER, str(path)]
    for _ in range(3):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            saved = [int(process.stdout.readline()) for _ in range(5)][-1]
            process.kill()
            rest = process.stdout.read().split()
        saved = int(rest[-1]) if rest else saved
        conversation = Conversation.load(path)
        assert int(conversation.system) in {saved, saved + 1}
        assert conversation.exchanges[0].user[0].parts == (Image(bytes(200_000)),)
    Conversation("After.").save(path)
    assert Conversation.load(path).system == "After."


def test_pictures_are_base64_and_nothing_is_repeated() -> None:
    value = everything().to_json()
    assert value["exchanges"][0]["user"][0]["parts"][1] == {
        "type": "image",
        "mime_type": "image/gif",
        "data": base64.b64encode(b"\x00\xff").decode(),
    }


def test_what_was_written_shares_nothing_with_the_conversation() -> None:
    conversation = everything()
    value = conversation.to_json()
    value["exchanges"][0]["steps"][0]["reply"]["parts"][2]["arguments"]["a"].append(1)
    value["exchanges"][0]["user"][0]["parts"][3]["value"]["n"].append(1)
    assert is_same(conversation, everything())


def test_a_long_conversation_is_saved_in_a_moment(tmp_path: Path) -> None:
    conversation = everything()
    conversation.exchanges = conversation.exchanges[:1] * 500
    began = time.perf_counter()
    conversation.save(tmp_path / "chat.json")
    assert is_same(Conversation.load(tmp_path / "chat.json"), conversation)
    assert time.perf_counter() - began < 10
