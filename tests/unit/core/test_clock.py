"""Times as exact instants."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.clock import earlier, instant_of, later


@given(st.datetimes(timezones=st.timezones()), st.integers(0, 9))
def test_an_instant_is_what_the_standard_library_says(moment: datetime, decimals: int) -> None:
    offset = moment.utcoffset()
    assert offset is not None
    if offset.total_seconds() % 60 or not 1 < moment.year < 9999:
        return  # RFC 3339 has no seconds in offsets
    fraction = f"{moment.microsecond:06}000"[:decimals]
    zone = moment.strftime("%z")
    text = f"{moment.year:04}{moment:-%m-%dT%H:%M:%S}{'.' if fraction else ''}{fraction}"
    text += f"{zone[:3]}:{zone[3:5]}"
    whole = moment.replace(microsecond=0)
    seconds = round((whole - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds())
    assert instant_of(text) == (seconds, fraction.rstrip("0"))


@pytest.mark.parametrize(
    "value",
    [
        None, True, 1.5, "", "yesterday", "2026-01-01", "2026-01-01T00:00:00", [], {},
        "2026-13-01T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00+0100", "2026-01-01T00:00:00+25:00", "2026-01-01T00:00:00Zulu",
        "２０２６-01-01T00:00:00Z", "2026-01-01T00:60:00Z", "2026-01-00T00:00:00Z",
    ],
)  # fmt: skip
def test_what_is_no_time_has_no_instant(value: object) -> None:
    assert instant_of(value) is None


def test_the_ninth_decimal_and_the_offset_count() -> None:
    in_order = [
        "2026-01-01T00:30:00+01:00",
        "2025-12-31T23:59:59.999999999Z",
        "2026-01-01T00:00:00Z",
        "2025-12-31T16:00:00.000000001-08:00",
        "2026-01-01t00:00:00.0000000011z",
    ]
    assert sorted(set(in_order), key=lambda text: instant_of(text) or (0, "")) == in_order


def test_one_instant_in_two_spellings_is_settled_by_bytes_whichever_side_it_is_on() -> None:
    one, other = "2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00"
    assert later(one, other) == later(other, one) == earlier(one, other) == earlier(other, one)


def test_an_integer_is_seconds_and_meets_text_on_one_line() -> None:
    assert later(1_767_225_601, "2026-01-01T00:00:00Z") == 1_767_225_601
    assert earlier(1_767_225_601, "2026-01-01T00:00:00Z") == "2026-01-01T00:00:00Z"
