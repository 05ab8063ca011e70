"""Place the names of points so that they cover neither each other nor the points."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Point = tuple[float, float]
_SIDES = ((1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
_DISTANCES = (6.0, 12.0, 20.0, 30.0, 42.0)
_WIDE, _HIGH = 0.62, 1.25  # of a letter, in font sizes: a little more than most fonts take


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle, in points."""

    left: float
    bottom: float
    right: float
    top: float

    def shared(self, other: "Box") -> float:
        """The area that both cover."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.top, other.top) - max(self.bottom, other.bottom)
        return max(0.0, width) * max(0.0, height)

    def outside(self, other: "Box") -> float:
        """The area of this one that the other does not cover."""
        return (self.right - self.left) * (self.top - self.bottom) - self.shared(other)


def place(points: Mapping[str, Point], area: Box, *, size: float, radius: float) -> dict[str, Box]:
    """A box for each name, near its point and free if there is room; earlier names choose first."""
    marks = [Box(x - radius, y - radius, x + radius, y + radius) for x, y in points.values()]
    placed: dict[str, Box] = {}
    for name, point in points.items():
        taken = [*marks, *placed.values()]
        choices = _choices(name, point, size)
        placed[name] = min(choices, key=lambda box: _covered(box, taken, area))
    return placed


def _covered(box: Box, taken: Sequence[Box], area: Box) -> float:
    return sum(map(box.shared, taken)) + box.outside(area)


def _choices(name: str, point: Point, size: float) -> list[Box]:
    """Boxes around a point, the nearest first."""
    width, height = _WIDE * size * len(name), _HIGH * size
    boxes = []
    for distance in _DISTANCES:
        for right, up in _SIDES:
            x = point[0] + right * distance + (right - 1) * width / 2
            y = point[1] + up * distance + (up - 1) * height / 2
            boxes.append(Box(x, y, x + width, y + height))
    return boxes
