"""Questions as MCP requests, and the shapes of what comes back; the SDK's types are the oracle."""

from typing import Any

import mcp_types as types
import pytest
from mcp_types import _v2026_07_28 as modern

from appfunctions_mcp.media import Audio, Image
from appfunctions_mcp.questions import (
    CONFIRMATION_FORM,
    Question,
    RootsRequest,
    UserQuestion,
    sample_messages,
)
from appfunctions_mcp.questions import SampleRequest as Request
from appfunctions_mcp.server.protocol_errors import INVALID_PARAMS, ProtocolError
from appfunctions_mcp.server.wire_questions import (
    answer_fault,
    askable,
    input_required_result,
    question_request,
    read_answers,
    read_state,
)

SAMPLE = Request(
    sample_messages(["Hello", Image(b"GIF89a", "image/gif"), Audio(b"RIFF", "audio/wav")]),
    max_tokens=50,
    system="Be brief.",
    temperature=0.0,
    stop_sequences=("END",),
    hints=("claude", "gpt"),
)
FORM = UserQuestion("Who?", {"type": "object", "properties": {"name": {"type": "string"}}})


@pytest.mark.parametrize(
    ("question", "request_type"),
    [
        (FORM, types.ElicitRequest),
        (UserQuestion("Sure?", CONFIRMATION_FORM), types.ElicitRequest),
        (SAMPLE, types.CreateMessageRequest),
        (RootsRequest(), types.ListRootsRequest),
    ],
)
def test_a_question_is_a_request_that_the_sdk_reads(question: Question, request_type: Any) -> None:
    request = question_request(question)
    read = request_type.model_validate(request)
    assert (
        read.model_dump(by_alias=True, exclude_none=True, mode="json")["method"]
        == (request["method"])
    )


def test_a_sampling_request_says_all_that_was_given_and_nothing_else() -> None:
    assert question_request(SAMPLE) == {
        "method": "sampling/createMessage",
        "params": {
            "messages": [
                {"role": "user", "content": {"type": "text", "text": "Hello"}},
                {
                    "role": "user",
                    "content": {"type": "image", "data": "R0lGODlh", "mimeType": "image/gif"},
                },
                {
                    "role": "user",
                    "content": {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"},
                },
            ],
            "modelPreferences": {"hints": [{"name": "claude"}, {"name": "gpt"}]},
            "systemPrompt": "Be brief.",
            "temperature": 0.0,
            "maxTokens": 50,
            "stopSequences": ["END"],
        },
    }
    bare = question_request(Request(sample_messages("Hello"), 9))["params"]
    assert bare.keys() == {"messages", "maxTokens"}


@pytest.mark.parametrize(
    ("capabilities", "expected"),
    [
        ({}, set()),
        ({"elicitation": {}, "sampling": {}, "roots": {}, "tasks": {}}, {"all"}),
        ({"elicitation": {"form": {}}}, {"elicitation"}),
        ({"elicitation": {"form": {}, "url": {}}}, {"elicitation"}),
        ({"elicitation": {"url": {}}}, set()),
        ({"elicitation": {"form": None, "url": {}}}, set()),
        ({"elicitation": None, "sampling": False, "roots": {"listChanged": True}}, {"roots"}),
    ],
)
def test_what_can_be_asked_is_what_a_client_declares(
    capabilities: dict[str, Any], expected: set[str]
) -> None:
    everything = {"elicitation", "sampling", "roots"}
    assert askable(capabilities) == (everything if expected == {"all"} else expected)


TEXT = {"type": "text", "text": "Hi"}
PICTURE = {"type": "image", "data": "R0lGODlh", "mimeType": "image/gif"}


def sample(**changes: Any) -> dict[str, Any]:
    answer = {"role": "assistant", "model": "m", "content": TEXT, **changes}
    return {name: value for name, value in answer.items() if value != "absent"}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (FORM, {"action": "accept", "content": {"name": "Ann"}}),
        (FORM, {"action": "accept"}),
        (FORM, {"action": "decline", "content": None}),
        (FORM, {"action": "cancel", "_meta": {}}),
        (SAMPLE, sample()),
        (SAMPLE, sample(content=[TEXT, PICTURE], stopReason="endTurn")),
        (SAMPLE, sample(content=PICTURE, stopReason=None)),
        (RootsRequest(), {"roots": []}),
        (RootsRequest(), {"roots": [{"uri": "file:///a"}, {"uri": "file:///b", "name": "B"}]}),
    ],
)
def test_an_answer_that_the_sdk_reads_fits(question: Question, answer: dict[str, Any]) -> None:
    assert answer_fault(question, answer) is None
    kinds: dict[str, Any] = {
        "elicitation": modern.ElicitResult,
        "sampling": modern.CreateMessageResult,
        "roots": modern.ListRootsResult,
    }
    assert kinds[question.capability].model_validate(answer)


@pytest.mark.parametrize(
    ("question", "answer", "told"),
    [
        (FORM, None, "kind NoneType"),
        (FORM, [], "kind list"),
        (FORM, {}, "its action is of the kind NoneType; accepted are accept, decline, cancel"),
        (FORM, {"action": "yes"}, "its action is 'yes'"),
        (FORM, {"action": ["accept"]}, "its action is of the kind list"),
        (FORM, {"action": "accept", "content": []}, "its content is of the kind list"),
        (RootsRequest(), {}, "no list of roots"),
        (RootsRequest(), {"roots": [{}]}, "no uri"),
        (RootsRequest(), {"roots": ["file:///a"]}, "no uri"),
        (RootsRequest(), {"roots": [{"uri": "file:///a", "name": 5}]}, "no text"),
        (SAMPLE, sample(role="absent"), "its role"),
        (SAMPLE, sample(model=5), "its model is of the kind int"),
        (SAMPLE, sample(stopReason=5), "stopReason"),
        (SAMPLE, sample(content="absent"), "a block of the type of the kind NoneType"),
        (SAMPLE, sample(content={"type": "tool_use"}), "a block of the type 'tool_use'"),
        (SAMPLE, sample(content={"type": []}), "a block of the type of the kind list"),
        (SAMPLE, sample(content=[TEXT, 5]), "a block of the type"),
        (SAMPLE, sample(content={"type": "text"}), "no text"),
        (SAMPLE, sample(content={**PICTURE, "mimeType": "audio/wav"}), "mimeType 'audio/wav'"),
        (SAMPLE, sample(content={**PICTURE, "mimeType": None}), "mimeType of the kind NoneType"),
        (SAMPLE, sample(content={**PICTURE, "mimeType": "image/"}), "mimeType 'image/'"),
        (SAMPLE, sample(content={**PICTURE, "mimeType": "image/a b"}), "mimeType 'image/a b'"),
        (SAMPLE, sample(content={**PICTURE, "data": "?"}), "no base64"),
        (SAMPLE, sample(content={**PICTURE, "data": 5}), "no base64"),
    ],
)
def test_an_answer_of_another_shape_is_told_what_is_wrong(
    question: Question, answer: Any, told: str
) -> None:
    assert told in (answer_fault(question, answer) or "")


def test_answers_and_state_are_read_from_the_params() -> None:
    assert read_answers({"inputResponses": {"a": {"action": "cancel"}}}) == {
        "a": {"action": "cancel"}
    }
    assert read_answers({"inputResponses": None}) == {}
    assert read_answers(None) == {}
    assert read_state({"requestState": "x"}) == "x"
    assert read_state({"requestState": None}) is None
    assert read_state(None) is None


@pytest.mark.parametrize("answers", [5, [], "x", {"a": 5}, {"a": None}])
def test_answers_that_are_no_objects_are_refused(answers: Any) -> None:
    with pytest.raises(ProtocolError, match="inputResponses") as caught:
        read_answers({"inputResponses": answers})
    assert caught.value.code == INVALID_PARAMS


def test_a_state_that_is_no_text_is_refused() -> None:
    with pytest.raises(ProtocolError, match="requestState"):
        read_state({"requestState": {}})


def test_a_result_that_puts_questions_is_one_that_the_sdk_reads() -> None:
    pending: dict[str, Question] = {"who": FORM, "roots": RootsRequest(), "greet": SAMPLE}
    result = input_required_result(pending, "sealed", {"name": "notes", "version": "1"})
    assert result["resultType"] == "input_required"
    assert result["inputRequests"]["who"] == question_request(FORM)
    assert "isError" not in result
    read = modern.InputRequiredResult.model_validate(result)
    assert (read.request_state, set(read.input_requests or {})) == ("sealed", set(pending))


def test_a_question_shows_people_what_it_says_and_nothing_else() -> None:
    evil = "Delete \x1b[2J\u202egpj.exe\u2069\U000e0041\x00\u2028\r\ud83d\ude00?"
    said = question_request(UserQuestion(evil, {}))["params"]["message"]
    assert said.startswith("Delete [2Jgpj.exe")
    kept = "Räder\tund\n\u2764\ufe0f \U0001f468\u200d\U0001f469 \u200fא?"
    assert question_request(UserQuestion(kept, {}))["params"]["message"] == kept


def test_a_question_is_a_text() -> None:
    with pytest.raises(TypeError, match="a question is a text, not int"):
        UserQuestion(5, {})  # type: ignore[arg-type] # authors do
