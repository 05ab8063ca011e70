"""Place the labels of points in a plot so that they do not overlap."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Point = tuple[float, float]
_SIDES = ((1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
_DISTANCES = (6.0, 12.0, 20.0, 30.0, 42.0)
_WIDTH, _HEIGHT = 0.62, 1.25  # of a letter, in font sizes: slightly more than most fonts need


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle; coordinates are in points."""

    left: float
    bottom: float
    right: float
    top: float

    def overlap(self, other: "Box") -> float:
        """The area that both boxes cover."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.top, other.top) - max(self.bottom, other.bottom)
        return max(0.0, width) * max(0.0, height)

    def outside(self, other: "Box") -> float:
        """The area of this box outside the other."""
        return (self.right - self.left) * (self.top - self.bottom) - self.overlap(other)


def place(points: Mapping[str, Point], area: Box, *, size: float, radius: float) -> dict[str, Box]:
    """Choose a box for each name, near its point and without overlap; the first names go first."""
    marks = [Box(x - radius, y - radius, x + radius, y + radius) for x, y in points.values()]
    placed: dict[str, Box] = {}
    for name, point in points.items():
        taken = [*marks, *placed.values()]
        candidates = _candidates(name, point, size)
        placed[name] = min(candidates, key=lambda box: _penalty(box, taken, area))
    return placed


def _penalty(box: Box, taken: Sequence[Box], area: Box) -> float:
    return sum(map(box.overlap, taken)) + box.outside(area)


def _candidates(name: str, point: Point, size: float) -> list[Box]:
    """Possible boxes for a name, the nearest to its point first."""
    width, height = _WIDTH * size * len(name), _HEIGHT * size
    boxes = []
    for distance in _DISTANCES:
        for right, up in _SIDES:
            x = point[0] + right * distance + (right - 1) * width / 2
            y = point[1] + up * distance + (up - 1) * height / 2
            boxes.append(Box(x, y, x + width, y + height))
    return boxes
