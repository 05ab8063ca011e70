import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respell.lab.common.labels import Box, place

AREA = Box(0, 0, 500, 300)
RADIUS = 4.0


def test_overlap_of_boxes() -> None:
    assert Box(0, 0, 4, 4).overlap(Box(2, 1, 9, 9)) == 2 * 3
    assert Box(0, 0, 4, 4).overlap(Box(5, 0, 9, 4)) == 0
    assert Box(-1, 0, 4, 4).outside(AREA) == 4


def test_first_choice_is_to_the_right() -> None:
    (box,) = place({"name": (100.0, 100.0)}, AREA, size=9, radius=RADIUS).values()
    assert box.left == pytest.approx(106)
    assert (box.bottom + box.top) / 2 == pytest.approx(100)


def test_label_at_the_edge_stays_inside() -> None:
    (box,) = place({"name": (495.0, 100.0)}, AREA, size=9, radius=RADIUS).values()
    assert box.right < 495
    assert box.outside(AREA) == pytest.approx(0)


@given(st.lists(st.tuples(st.integers(50, 450), st.integers(50, 250)), min_size=1, max_size=6))
def test_labels_do_not_overlap(points: list[tuple[int, int]]) -> None:
    named = {f"name{i}": (float(x), float(y)) for i, (x, y) in enumerate(points)}
    boxes = place(named, AREA, size=9, radius=RADIUS)
    for one, other in itertools.combinations(boxes.values(), 2):
        assert one.overlap(other) == 0
    for box in boxes.values():
        for x, y in named.values():
            mark = Box(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS)
            assert box.overlap(mark) == pytest.approx(0)
