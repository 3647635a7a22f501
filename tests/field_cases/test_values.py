"""Field cases about values: what JSON cannot hold, and what a client may not read wrongly."""

import base64
import dataclasses
import enum
import json
import uuid
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import AwareDatetime, BaseModel, NaiveDatetime

from appfunctions_mcp.declaration import app_function
from appfunctions_mcp.exceptions import AppFunctionElementNotFoundException
from appfunctions_mcp.media import BlobResource, Image
from appfunctions_mcp.server.http import app_functions_asgi
from appfunctions_mcp.values import Instant, LocalDateTime
from tests.server.test_http import ask_app
from tests.support.calls import (
    INVALID,
    call,
    make_service,
    properties_of,
    refusal,
    refusal_of,
    returned,
    text_of,
    tool_of,
    value_of,
)
from tests.support.field_functions import serve_field_functions

pytestmark = pytest.mark.anyio

AT_FAULT = "AppFunctionAppUnknownException: "


class Point(BaseModel):
    """A point."""

    x: int
    y: float = 0


def numbers() -> list[int]:
    """Returns numbers."""
    return [1, 2]


def nothing() -> None:
    """Returns nothing."""


def point() -> Point:
    """Returns a point."""
    return Point(x=1)


def maybe() -> Point | None:
    """Returns no point."""
    return None


def by_name() -> dict[str, int]:
    """Returns an object."""
    return {"a": 1}


def yes() -> bool:
    """Returns true."""
    return True


@pytest.mark.parametrize("function", [numbers, nothing, point, maybe, by_name, yes])
async def test_structured_content_fits_the_schema_and_the_text_says_the_same(function: Any) -> None:
    """F97: has an output schema but did not return structured content."""
    schema = (await tool_of(function))["outputSchema"]
    assert schema["type"] == "object"
    result = await call(function)
    assert result.is_error is False
    Draft202012Validator(schema).validate(result.structured_content)
    assert json.loads(text_of(result)) == result.structured_content


async def test_a_text_is_sent_once_and_without_a_schema() -> None:
    """F97: text alone here, so that it is not sent twice."""

    def text() -> str:
        """Returns a text."""
        return "a text"

    assert "outputSchema" not in await tool_of(text)
    result = await call(text)
    assert (text_of(result), result.structured_content) == ("a text", None)


async def test_an_error_is_exempt_from_the_schema() -> None:
    """F97."""

    def fail() -> Point:
        raise AppFunctionElementNotFoundException("not there")

    assert refusal(await call(fail)) == "AppFunctionElementNotFoundException: not there"


@pytest.mark.parametrize("wrong", ["x", "5", True, 1.5, None, [1], {"a": 1}])
async def test_a_value_that_does_not_fit_is_the_functions_fault(wrong: object) -> None:
    """F97."""

    def count() -> int:
        return wrong  # type: ignore[return-value] # what is tested

    text = await refusal_of(count)
    assert text.startswith(AT_FAULT)
    assert "function" in text


async def test_what_fits_by_its_value_is_no_fault() -> None:
    """F97: an int fits a float, a tuple a list, a dict a model."""

    def fits() -> tuple[float, list[int], Point]:
        return 1, (1, 2), {"x": 3}  # type: ignore[return-value] # what is tested

    assert await value_of(fits) == [1, [1, 2], {"x": 3, "y": 0}]


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize("bad", [NAN, INF, -INF])
async def test_a_number_that_json_cannot_hold_is_never_sent(bad: float) -> None:
    """F98: a bare NaN, unreadable for JavaScript."""

    def mean() -> float:
        return bad

    def row() -> dict[str, Any]:
        return {"count": 0, "rows": [{"mean": bad}]}

    def optional() -> float | None:
        return bad

    text = await refusal_of(mean)
    assert text.startswith(AT_FAULT)
    assert ("nan" in text.lower()) or ("infinit" in text.lower()) or ("finite" in text)
    result = await call(row)
    if result.is_error:
        assert "rows[0].mean" in refusal(result)
    else:
        assert returned(result) == {"count": 0, "rows": [{"mean": None}]}
    assert await value_of(optional) is None, "null where the schema allows it"


@pytest.mark.parametrize("sent", [NAN, INF, "nan", "NaN", "inf", "1e999"])
async def test_an_argument_that_is_not_finite_is_refused(sent: object) -> None:
    """F98."""

    def sleep(seconds: float) -> float:
        return seconds

    assert (await refusal_of(sleep, {"seconds": sent})).startswith(INVALID)


@pytest.mark.usefixtures("engine")
def test_bare_tokens_on_the_wire_are_parse_errors(tmp_path: Path) -> None:
    """F98: Python's reader takes them."""
    with serve_field_functions(tmp_path) as server:
        server.initialize()
        for token in (b"NaN", b"Infinity", b"-Infinity"):
            server.send(
                b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":'
                b'{"name":"slow","arguments":{"seconds":' + token + b"}}}"
            )
            assert server.read()["error"]["code"] == -32700
        for call, path in (
            (b'"slow","arguments":{"seconds":1e999}', "seconds"),
            (b'"keep_object","arguments":{"x":{"a":[-1e999]}}', "x.a[0]"),
        ):
            server.send(
                b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":' + call + b"}}"
            )
            text = server.answer(1)["result"]["content"][0]["text"]
            assert text.startswith(INVALID)
            assert path in text


class Colour(enum.Enum):
    """A colour."""

    RED = "red"


@dataclasses.dataclass
class Row:
    """A row."""

    d: date
    at: datetime
    p: Decimal
    b: bytes
    u: uuid.UUID
    s: set[int]
    td: timedelta
    c: Colour
    where: Path
    point: Point


ROW = Row(
    date(2026, 5, 27),
    datetime(2026, 5, 27, 18, tzinfo=timezone(timedelta(hours=3))),
    Decimal("1.25"),
    b"\xff",
    uuid.UUID(int=1),
    {3, 1, 2},
    timedelta(minutes=90),
    Colour.RED,
    Path("a/b"),
    Point(x=1),
)
ROW_AS_JSON = {
    "d": "2026-05-27",
    "at": "2026-05-27T18:00:00+03:00",
    "p": "1.25",
    "b": "/w==",
    "u": "00000000-0000-0000-0000-000000000001",
    "s": [1, 2, 3],
    "td": "PT1H30M",
    "c": "red",
    "where": "a/b",
    "point": {"x": 1, "y": 0},
}


def typed_rows() -> dict[str, list[Row]]:
    """Returns rows."""
    return {"rows": [ROW]}


def untyped_rows() -> dict[str, Any]:
    """Returns rows."""
    return {"rows": [ROW, dict(vars(ROW))]}


async def test_what_databases_return_has_one_json_form_each() -> None:
    """F100: Object of type datetime is not JSON serializable."""
    assert await value_of(typed_rows) == {"rows": [ROW_AS_JSON]}
    assert await value_of(untyped_rows) == {"rows": [ROW_AS_JSON, ROW_AS_JSON]}
    schema = (await tool_of(typed_rows))["outputSchema"]
    properties = schema["additionalProperties"]["items"]["properties"]
    assert properties["b"]["contentEncoding"] == "base64"
    Draft202012Validator(schema).validate(await value_of(typed_rows))


@pytest.mark.parametrize("unknown", [object(), lambda: None, 1j])
async def test_an_object_without_a_json_form_is_an_error_that_names_its_path(
    unknown: object,
) -> None:
    """F100: the text of an object was passed off as success."""

    def rows() -> dict[str, Any]:
        return {"rows": [{"x": unknown}]}

    text = await refusal_of(rows)
    assert text.startswith(AT_FAULT)
    assert "$.rows[0].x" in text
    assert type(unknown).__name__ in text
    assert " at 0x" not in text


async def test_keys_that_are_no_text_become_text_or_an_error() -> None:
    """F100: numbers as JSON writes them; a tuple has no form."""

    def by_number() -> dict[int, str]:
        return {1: "a"}

    def untyped() -> dict[str, Any]:
        return {"rows": {2: "b"}}

    def by_pair() -> dict[str, Any]:
        return {"rows": {(1, 2): "c"}}

    assert await value_of(by_number) == {"1": "a"}
    assert await value_of(untyped) == {"rows": {"2": "b"}}
    text = await refusal_of(by_pair)
    assert text.startswith(AT_FAULT)
    assert "$.rows" in text


MEETING = "2026-05-27T18:00:00"


async def test_an_instant_needs_an_offset_and_keeps_it() -> None:
    """F101: taken as UTC, three hours late."""

    def plan(t: AwareDatetime) -> str:
        return t.isoformat()

    def plan_instant(t: Instant) -> Instant:
        return t

    for function in (plan, plan_instant):
        text = await refusal_of(function, {"t": MEETING})
        assert text.startswith(INVALID)
        assert "offset" in text
    assert await value_of(plan, {"t": f"{MEETING}+03:00"}) == f"{MEETING}+03:00"
    assert await value_of(plan, {"t": "2026-05-27T15:00:00Z"}) == "2026-05-27T15:00:00+00:00"
    assert await value_of(plan_instant, {"t": f"{MEETING}+03:00"}) == f"{MEETING}+03:00"


async def test_a_local_time_refuses_an_offset_and_stays_local() -> None:
    """F101."""

    def plan(t: NaiveDatetime) -> str:
        return t.isoformat()

    def plan_local(t: LocalDateTime) -> LocalDateTime:
        return t

    for function in (plan, plan_local):
        for sent in (f"{MEETING}Z", f"{MEETING}+03:00"):
            text = await refusal_of(function, {"t": sent})
            assert text.startswith(INVALID)
            assert "offset" in text
        assert await value_of(function, {"t": MEETING}) == MEETING


async def test_a_plain_datetime_converts_nothing() -> None:
    """F101: offsets were stripped on write, and +00:00 invented on read."""

    def echo(t: datetime) -> datetime:
        return t

    for sent in (MEETING, f"{MEETING}+03:00", f"{MEETING}-05:30"):
        assert await value_of(echo, {"t": sent}) == sent


@pytest.mark.parametrize("sent", ["18:00", "2026-13-01T00:00:00", 1_780_000_000, 1.5, "1780000000"])
async def test_what_is_no_date_and_time_is_refused_with_the_form(sent: object) -> None:
    """F101: numbers of seconds too."""

    def echo(t: datetime) -> datetime:
        return t

    text = await refusal_of(echo, {"t": sent})
    assert text.startswith(INVALID)
    assert "YYYY-MM-DD" in text


async def test_dates_and_times_of_day_are_iso_texts() -> None:
    """F101."""

    def echo(d: date, t: time) -> dict[str, Any]:
        return {"d": d, "t": t}

    sent = {"d": "2026-05-27", "t": "18:00:00"}
    assert await value_of(echo, sent) == sent


async def test_bytes_never_become_the_text_of_a_python_literal() -> None:
    """F102: invalid UTF-8 on the wire, and the client hung."""
    raw = b"\xff\xfebytes"

    def typed() -> bytes:
        return raw

    def untyped() -> Any:
        return {"raw": raw}

    def resource() -> BlobResource:
        return BlobResource("file:///a.bin", raw, "application/octet-stream")

    encoded = base64.b64encode(raw).decode()
    assert await value_of(typed) == encoded
    assert await value_of(untyped) == {"raw": encoded}
    (block,) = (await call(resource)).content
    assert block.type == "resource"
    assert block.model_dump()["resource"]["blob"] == encoded


async def test_half_a_surrogate_is_replaced_wherever_it_stands() -> None:
    """F102: text of a legacy encoding, read with surrogateescape."""
    broken = b"caf\xe9".decode("utf-8", "surrogateescape")

    def text() -> str:
        return broken

    def row() -> dict[str, str]:
        return {broken: broken}

    assert await value_of(text) == "caf\ufffd"
    (item,) = (await value_of(row)).items()
    assert item == (item[0].encode().decode(), "caf\ufffd")
    assert item[0].startswith("caf\ufffd")


async def test_half_a_surrogate_in_an_error_is_sent_too() -> None:
    """F102: over HTTP the answer was empty."""

    def fail() -> str:
        raise AppFunctionElementNotFoundException("caf\udce9")

    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "fail", "arguments": {}},
    }
    answer = await ask_app(app_functions_asgi(make_service(fail)), message)
    assert answer["status"] == 200
    (block,) = answer["result"]["content"]
    assert block["text"] == "AppFunctionElementNotFoundException: caf\ufffd"


async def test_whole_numbers_that_javascript_would_round_are_sent_as_text() -> None:
    """F99: the number has no text; the rule is that of unbounded integers in results."""

    def large() -> list[int]:
        return [2**53 - 1, 2**53, -(2**63), 0]

    schema = (await tool_of(large))["outputSchema"]
    assert schema["properties"]["result"]["items"] == {"type": ["integer", "string"]}
    assert await value_of(large) == [2**53 - 1, str(2**53), str(-(2**63)), 0]


async def test_a_picture_is_sent_once_as_a_picture() -> None:
    """F97: media have neither schema nor structured content."""

    def picture() -> Image:
        return Image(b"\x89PNG", "image/png")

    assert "outputSchema" not in await tool_of(picture)
    result = await call(picture)
    assert [block.type for block in result.content] == ["image"]
    assert result.structured_content is None


async def test_bytes_as_an_argument_are_base64() -> None:
    """F100."""

    def size(raw: bytes) -> int:
        return len(raw)

    assert (await properties_of(size))["raw"]["contentEncoding"] == "base64"
    assert await value_of(size, {"raw": "/w=="}) == 1
    assert (await refusal_of(size, {"raw": "not base64!"})).startswith(INVALID)


async def test_a_result_that_is_too_large_names_size_limit_and_the_way_out() -> None:
    """F97: no partial JSON."""

    @app_function(max_result_bytes=1000)
    def rows() -> list[str]:
        return ["x" * 100] * 20

    text = await refusal_of(rows)
    assert text.startswith(INVALID)
    assert "1,000" in text
    assert "Recovery: " in text
