"""The model that a person plays by typing calls."""

from enum import Enum
from typing import Any, Literal

import pytest

from appfunctions_mcp import AppFunctionService, SetField, app_function
from appfunctions_mcp.assistant.assistant import Assistant
from appfunctions_mcp.assistant.events import Answer, CallEvent, StopEvent
from appfunctions_mcp.assistant.typed import TypedModel
from appfunctions_mcp.assistant.typed_calls import TypedCall, TypingError, parse_typed_calls
from appfunctions_mcp.media import Image
from tests.support import chat_functions

pytestmark = pytest.mark.anyio


@app_function(read_only=True)
async def find_notes(query: str, limit: int | None = None, *, exact: bool = False) -> str:
    """Finds notes.

    Args:
        query: Words.
        limit: How many.
        exact: Whether as they are.
    """
    return f"{query!r} {limit!r} {exact!r}"


@app_function(read_only=True)
async def tag(names: list[str], note: SetField[str | None] | None = None) -> str:
    """Tags.

    Args:
        names: The tags.
        note: A remark.
    """
    return f"{names!r} {note!r}"


class Depth(Enum):
    """How deep."""

    FLAT = 1
    DEEP = 2


@app_function(read_only=True)
async def paint(colour: Literal["red", "blue"], depth: Depth) -> str:
    """Paints.

    Args:
        colour: Which.
        depth: How deep.
    """
    return f"{colour} {depth.name.lower()}"


def service(*functions: Any) -> AppFunctionService:
    return AppFunctionService.from_functions(functions, name="notes", description="Keeps notes.")


async def said(text: Any, *functions: Any) -> tuple[Answer, list[CallEvent]]:
    app = service(*(functions or (find_notes, tag, paint)))
    async with Assistant(TypedModel(), app) as assistant:
        events = [event async for event in assistant.stream(text)]
    stop = events[-1]
    assert isinstance(stop, StopEvent)
    return stop.answer, [event for event in events if isinstance(event, CallEvent)]


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("find_notes query=milk", "'milk' None False"),
        ("find_notes query=12 limit=3 exact=true", "'12' 3 True"),
        ("find_notes query=null limit=null", "'null' None False"),
        ("find_notes query='two words' limit=5", "'two words' 5 False"),
        (r'find_notes query="a \"b\"; c"', "'a \"b\"; c' None False"),
        ('find_notes {"query": "a;b", "limit": 2}', "'a;b' 2 False"),
        ("  find_notes   query==x  ; ", "'=x' None False"),
        ("find_notes query=", "'' None False"),
        ("find_notes query=a limit=many", "AppFunctionInvalidArgumentException"),
        ("paint colour=red depth=2", "red deep"),
        ('tag names=["a", "b c"]', "['a', 'b c'] None"),
    ],
)
async def test_a_typed_call_is_made_with_values_of_the_declared_types(
    typed: str, told: str
) -> None:
    answer, calls = await said(typed)

    assert len(calls) == 1
    assert answer.text.startswith(told)


async def test_several_calls_are_parted_by_semicolons_or_lines() -> None:
    answer, calls = await said("find_notes query=a; find_notes query=b\n\nfind_notes query=c")

    assert [event.call.arguments["query"] for event in calls] == ["a", "b", "c"]
    assert len({event.call.id for event in calls}) == 3
    assert answer.rounds == 1
    assert answer.text == "\n".join(f"find_notes: '{letter}' None False" for letter in "abc")


async def test_what_is_no_call_is_answered_with_the_functions_there_are() -> None:
    answer, calls = await said("How are you?")

    assert calls == []
    assert "There is no function 'How'." in answer.text
    assert "FUNCTION key=value" in answer.text
    assert "  find_notes(query, limit, exact)" in answer.text


async def test_a_mistyped_name_comes_with_the_nearest() -> None:
    answer, calls = await said("find_note query=milk; find_notes query=x")

    assert calls == []
    assert "There is no function 'find_note'; near it: find_notes." in answer.text


@pytest.mark.parametrize(
    ("typed", "fault"),
    [
        ("find_notes milk", "After 'find_notes' comes 'milk'; key=value or JSON was expected."),
        ('find_notes {"query": }', "The arguments of find_notes are no JSON: Expecting value"),
        ('find_notes {"query": "a"} b', "comes what follows the JSON object"),
        ("find_notes query='a", "an apostrophe without a second one"),
        ("find_notes query=[1", "are no JSON"),
        ('find_notes {"query": NaN}', "are no JSON"),
        ("find_notes =a", "After 'find_notes' comes '=a'"),
        ("{}", "Nothing is called by this."),
        ("=", "Nothing is called by this."),
        (";", "Nothing is called by this."),
    ],
)
async def test_what_cannot_be_read_is_said_and_not_called(typed: str, fault: str) -> None:
    answer, calls = await said(typed)

    assert calls == []
    assert fault in answer.text


async def test_a_failed_call_is_answered_with_its_error() -> None:
    answer, calls = await said("find_notes limit=2")

    assert len(calls) == 1
    assert answer.text.startswith("AppFunctionInvalidArgumentException")


async def test_a_picture_is_no_call() -> None:
    answer, _ = await said(Image(b"\x89PNG\r\n\x1a\n", mime_type="image/png"))

    assert "Nothing is called by this." in answer.text


async def test_an_app_without_functions_says_so() -> None:
    async with Assistant(TypedModel(), service()) as assistant:
        answer = await assistant.ask("find_notes query=a")

    assert answer.text == "There is no function that could be called now."


async def test_a_call_without_arguments_and_an_empty_result() -> None:
    answer, calls = await said("echo text=''", chat_functions.echo)

    assert calls[0].call.arguments == {"text": ""}
    assert answer.text


def test_calls_are_read_without_knowing_functions() -> None:
    assert parse_typed_calls('a b=1 c="2"; d {"e": [1]}') == [
        TypedCall("a", {"c": "2"}, {"b": "1"}),
        TypedCall("d", {"e": [1]}),
    ]
    with pytest.raises(TypingError, match="no JSON") as caught:
        parse_typed_calls("name {")
    assert caught.value.name == "name"
