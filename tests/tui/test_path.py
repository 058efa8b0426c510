"""The path as a diagram, for any width."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from doctor.models import Hop, HopStatus, PathHop
from doctor.tui import pathview
from doctor.tui.pathview import Placed, cells, lay_out, stops_at
from tests.tui import samples

Row = list[Placed]


def drawn(path: tuple[PathHop | None, ...], width: int) -> list[Row]:
    return lay_out(cells(path, examining=False), width, pathview.NAMES, pathview.SHORT)


def columns(row: Row) -> int:
    return sum(placed.width for placed in row)


@pytest.mark.parametrize("width", [76, 96, 116, 196])
@pytest.mark.parametrize(
    "path", [samples.BROKEN_PATH, samples.HEALTHY_PATH, samples.UNREACHABLE_PATH]
)
def test_from_eighty_columns_on_it_is_one_row_and_every_state_has_a_word(
    path: tuple[PathHop, ...], width: int
) -> None:
    rows = drawn(path, width)

    assert len(rows) == 1
    assert columns(rows[0]) <= width
    assert all(len(p.state) > 1 or p.cell.joined for p in rows[0])


def test_on_a_narrow_screen_it_is_two_rows_that_fit() -> None:
    rows = drawn(samples.BROKEN_PATH, 56)

    assert [len(row) for row in rows] == [5, 4]
    assert all(columns(row) <= 56 for row in rows)


def test_the_first_broken_hop_is_marked_and_no_other() -> None:
    marked = [cell.hop for cell in cells(samples.BROKEN_PATH, examining=False) if cell.first]

    assert marked == [Hop.CONFIGURATION]


def test_hops_that_were_not_reached_are_told_once() -> None:
    (row,) = drawn(samples.UNREACHABLE_PATH, 116)

    told = [placed.state for placed in row if placed.state.startswith("?")]
    assert told == ["? not reached", "? not tested"]


def test_it_says_where_the_request_stops() -> None:
    assert stops_at(samples.UNREACHABLE_PATH)[0] == (
        "the request stops at DNS: gateway.invalid: Name or service not known"
    )
    assert stops_at(samples.BROKEN_PATH)[0] == (
        "2 faults in the configuration; the request stops at proxy: "
        "127.0.0.1:7890: connection refused"
    )
    assert stops_at(samples.HEALTHY_PATH) == ()


hops = st.tuples(
    st.sampled_from(HopStatus),
    st.sampled_from(["", "direct", "not reached", "203.0.113.7", "证书已过期", "x" * 60]),
    st.none() | st.integers(0, 100_000),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=60)
@given(st.lists(st.none() | hops, min_size=9, max_size=9), st.integers(50, 220))
def test_whatever_was_seen_it_fits(
    seen: list[tuple[HopStatus, str, int | None] | None], width: int
) -> None:
    path = tuple(
        None if one is None else PathHop(hop, *one) for hop, one in zip(Hop, seen, strict=True)
    )

    for row in drawn(path, width):
        assert columns(row) <= width
        for placed, following in itertools.pairwise(row):
            if placed.state and not following.cell.joined:
                assert cell_len(placed.state) < placed.width
