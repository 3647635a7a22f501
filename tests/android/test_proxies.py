"""Dates, times, zones and addresses: Android's objects and the text for them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appfunctions_mcp.android.data_types import ObjectType, ScalarType, TypeNumber
from appfunctions_mcp.android.proxies import PROXIES, members_of, proxy_of, text_of
from tests.support.android_documents import INT, STRING, object_type

DATE, TIME, BOTH, INSTANT, ZONE, URI = PROXIES.values()


@pytest.mark.parametrize(
    ("proxy", "text", "members"),
    [
        (DATE, "2026-05-27", {"year": 2026, "month": 5, "dayOfMonth": 27}),
        (
            TIME,
            "18:03:09.123456789",
            {"hour": 18, "minute": 3, "second": 9, "nanoOfSecond": 123456789},
        ),
        (TIME, "18:03:00", {"hour": 18, "minute": 3, "second": 0, "nanoOfSecond": 0}),
        (
            BOTH,
            "2026-05-27T18:03:09.5",
            {
                "year": 2026,
                "month": 5,
                "dayOfMonth": 27,
                "hour": 18,
                "minute": 3,
                "second": 9,
                "nanoOfSecond": 500000000,
            },
        ),
        (INSTANT, "1970-01-01T00:00:01.000000002Z", {"epochSecond": 1, "nanoAdjustment": 2}),
        (INSTANT, "1969-12-31T23:59:59Z", {"epochSecond": -1, "nanoAdjustment": 0}),
        (INSTANT, "0001-01-01T00:00:00Z", {"epochSecond": -62135596800, "nanoAdjustment": 0}),
        (ZONE, "Europe/Berlin", {"zoneID": "Europe/Berlin"}),
        (URI, "content://notes/7", {"uri": "content://notes/7"}),
    ],
)
def test_text_and_object_stand_for_each_other(
    proxy: Any, text: str, members: dict[str, Any]
) -> None:
    """Nine digits of a second are kept, which Python's own values would cut to six."""
    assert members_of(proxy, text) == members
    assert members_of(proxy, members) == members
    assert text_of(proxy, members) == text


def test_an_instant_may_have_an_offset_and_a_time_no_seconds() -> None:
    assert members_of(INSTANT, "2026-05-27T18:00+03:00") == members_of(
        INSTANT, "2026-05-27T15:00:00Z"
    )
    assert members_of(INSTANT, "2026-05-27t18:00:00-01:30") == members_of(
        INSTANT, "2026-05-27T19:30:00z"
    )
    assert text_of(TIME, {"hour": 7, "minute": 5}) == "07:05:00"


@pytest.mark.parametrize(
    ("proxy", "value"),
    [
        (DATE, "27.05.2026"),
        (DATE, "2026-02-30"),
        (DATE, 20260527),
        (DATE, {"year": 2026, "month": 2, "dayOfMonth": 30}),
        (DATE, {"year": 2026, "month": 2}),
        (DATE, {"year": 2026, "month": "2", "dayOfMonth": 3}),
        (DATE, {"year": 2026, "month": 2, "dayOfMonth": 3, "hour": 1}),
        (DATE, "٢٠٢٦-05-27"),
        (TIME, "24:00:00"),
        (TIME, "18:00:00Z"),
        (TIME, {"hour": 25, "minute": 0, "second": 0, "nanoOfSecond": 0}),
        (BOTH, "2026-05-27"),
        (BOTH, "2026-05-27 18:00"),
        (INSTANT, "2026-05-27T18:00:00"),
        (INSTANT, "yesterday"),
        (INSTANT, "2026-05-27T18:00:00+19:00"),
        (INSTANT, "2026-05-27T18:00:00+01:75"),
        (INSTANT, {"epochSecond": 10**18, "nanoAdjustment": 0}),
        (ZONE, ""),
        (ZONE, {"zoneID": 3}),
        (URI, "no address"),
    ],
)
def test_what_is_no_such_value_is_refused(proxy: Any, value: Any) -> None:
    with pytest.raises(ValueError):
        members_of(proxy, value)


@given(st.datetimes(timezones=st.just(UTC)), st.integers(0, 999))
def test_every_moment_comes_back(moment: datetime, nanos: int) -> None:
    seconds = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1)
    members = {"epochSecond": seconds, "nanoAdjustment": moment.microsecond * 1000 + nanos}
    assert members_of(INSTANT, text_of(INSTANT, members)) == members


def test_a_type_of_the_name_in_another_shape_is_an_ordinary_object() -> None:
    day = object_type("java.time.LocalDate", year=INT, month=INT, dayOfMonth=INT)
    assert proxy_of("java.time.LocalDate", day) is DATE
    assert proxy_of("com.example.Day", day) is None
    assert proxy_of("java.time.LocalDate", STRING) is None
    assert proxy_of("java.time.LocalDate", None) is None
    other = object_type("java.time.LocalDate", year=INT, month=INT)
    assert proxy_of("java.time.LocalDate", other) is None
    texts: ObjectType = object_type("java.time.LocalDate", year=INT, month=STRING, dayOfMonth=INT)
    assert proxy_of("java.time.LocalDate", texts) is None
    long = ScalarType(kind=TypeNumber.LONG)
    instant = object_type("java.time.Instant", epochSecond=long, nanoAdjustment=INT)
    assert proxy_of("java.time.Instant", instant) is INSTANT
