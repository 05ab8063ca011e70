"""Write figures as SVG files. Text stays text, and equal results give equal files."""

from pathlib import Path
from typing import Any

from respell.lab.common.storage import replacing
from respell.types import Error


def figure(width: float, height: float) -> Any:
    """An empty figure of this size in inches."""
    try:
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure
    except ImportError as error:
        raise Error("plots need matplotlib; run: pip install '.[lab]'") from error
    made = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasSVG(made)  # without pyplot there is no global state and no display
    return made


def save(figure: Any, path: Path) -> None:
    """Write a figure atomically."""
    from matplotlib import rc_context

    settings: Any = {"svg.fonttype": "none", "svg.hashsalt": "respell"}
    with replacing(path) as temporary, rc_context(settings):
        figure.savefig(temporary, format="svg", metadata={"Date": None})
