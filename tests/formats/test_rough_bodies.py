"""Bodies that no provider documents: each is read, or refused with what is wrong with it."""

import copy
import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appfunctions_mcp.formats import FORMAT_NAMES, format_named
from appfunctions_mcp.formats.messages import (
    FunctionResult,
    History,
    ModelReply,
    ResultsMessage,
    UserMessage,
)
from appfunctions_mcp.formats.model_format import ReplyError
from tests.support.exported import tool_of
from tests.support.streamed import events_of
from tests.support.whole_replies import WHOLE

Json = dict[str, Any]
MANY = settings(max_examples=60, deadline=None)
values: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from([None, True, -1, 2.5, "", "x", [], {}, [[]], [None], ["x"], [{}], {"a": 1}]),
    st.sampled_from([{"type": []}, {"type": "text"}, {"text": 1}, {"role": {}}, {"function": 1}]),
)


def spoiled(draw: st.DrawFn, value: Any) -> Any:
    """A copy in which one value, at any depth, is another one."""
    if not value or not isinstance(value, dict | list) or draw(st.integers(0, 4)) == 0:
        return draw(values)
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    key = draw(st.sampled_from(keys))
    changed = copy.copy(value)
    changed[key] = spoiled(draw, value[key])
    return changed


@st.composite
def spoiled_objects(draw: st.DrawFn, value: Json) -> Json:
    changed = spoiled(draw, value)
    return changed if isinstance(changed, dict) else {"x": changed}


def request_body(name: str) -> Json:
    """A request with the whole reply and its results in it."""
    form = format_named(name)
    reply = form.read_reply(WHOLE[name])
    results = tuple(FunctionResult(call.id, call.name, "found") for call in reply.calls)
    messages = (UserMessage(("Go.",)), reply, ResultsMessage(results), UserMessage(("On.",)))
    schema = {"type": "object", "properties": {}}
    return form.request(History(messages, "Be brief."), form.export_tools([tool_of(schema)]))


@pytest.mark.parametrize("name", FORMAT_NAMES)
@given(st.data())
@MANY
def test_a_rough_reply_is_read_or_refused(name: str, data: st.DataObject) -> None:
    body = data.draw(spoiled_objects(WHOLE[name]))
    with suppress(ReplyError):
        check_reply(format_named(name).read_reply(body))


@pytest.mark.parametrize("name", FORMAT_NAMES)
@given(st.data())
@MANY
def test_a_rough_stream_is_read_or_refused(name: str, data: st.DataObject) -> None:
    events = events_of(name, WHOLE[name], 20)
    place = data.draw(st.integers(0, len(events) - 1))
    events[place] = data.draw(spoiled_objects(events[place]))
    reader = format_named(name).reply_reader()
    with suppress(ReplyError):
        for event in events:
            reader.feed(event)
        check_reply(reader.reply())


def check_reply(reply: ModelReply) -> None:
    """What was read is of the right kinds, and can be sent again."""
    assert reply.text or reply.calls
    assert isinstance(reply.usage.input_tokens, int)
    assert isinstance(reply.usage.output_tokens, int)
    assert isinstance(reply.usage.cached_tokens, int)
    ids = [call.id for call in reply.calls]
    assert len(set(ids)) == len(ids)
    for call in reply.calls:
        assert isinstance(call.name, str)
        assert isinstance(call.arguments, dict)
    results = tuple(FunctionResult(call.id, call.name, "found") for call in reply.calls)
    history = History((UserMessage(("Go.",)), reply, ResultsMessage(results)))
    for other in FORMAT_NAMES:
        json.dumps(format_named(other).request(history))


@pytest.mark.parametrize("name", FORMAT_NAMES)
@given(st.data())
@MANY
def test_a_rough_request_is_read_or_refused(name: str, data: st.DataObject) -> None:
    body = data.draw(spoiled_objects(request_body(name)))
    with suppress(ReplyError):
        history = format_named(name).read_history(body)
        for other in FORMAT_NAMES:
            json.dumps(format_named(other).request(history))
