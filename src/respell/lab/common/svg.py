"""Figures as SVG files: words stay words, and the same results give the same file."""

from pathlib import Path
from typing import Any

from respell.lab.common.storage import replacing
from respell.types import Error


def figure(width: float, height: float) -> Any:
    """An empty figure of so many inches."""
    try:
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure
    except ImportError as error:
        raise Error("plots need matplotlib: pip install 'respell[lab]'") from error
    made = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasSVG(made)  # a canvas of its own: no pyplot, so no global state and no display
    return made


def save(figure: Any, path: Path) -> None:
    """Write a figure, whole or not at all."""
    from matplotlib import rc_context

    settings: Any = {"svg.fonttype": "none", "svg.hashsalt": "respell"}
    with replacing(path) as temporary, rc_context(settings):
        figure.savefig(temporary, format="svg", metadata={"Date": None})
