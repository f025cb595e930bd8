import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from metatrace.figures import style


@pytest.fixture
def check_texts():
    """Fails where a text leaves the canvas, covers another, is too small, or the legend meets a panel."""

    def check(figure: Figure) -> None:
        canvas = FigureCanvasAgg(figure)
        with style.theme():
            canvas.draw()
        renderer = canvas.get_renderer()
        boxes = [(text, text.get_window_extent(renderer)) for text in drawn_texts(figure)]
        assert len(boxes) > 4
        for text, box in boxes:
            assert box.x0 >= 0 and box.y0 >= 0, text
            assert box.x1 <= figure.bbox.width and box.y1 <= figure.bbox.height, text
            assert text.get_fontsize() >= 8, text
        for i, (text, box) in enumerate(boxes):
            for other, other_box in boxes[:i]:
                shared = np.minimum(box.max, other_box.max) - np.maximum(box.min, other_box.min)
                assert not (shared > 0).all(), (text, other)
        for shown in figure.legends:
            legend = shown.get_window_extent(renderer)
            assert all(axes.get_window_extent(renderer).x1 <= legend.x0 for axes in figure.axes)

    return check


def drawn_texts(figure: Figure) -> list[Text]:
    """All texts of a drawn figure, of the tick labels those within their axis."""
    texts = list(figure.texts)
    for legend in figure.legends:
        texts += [legend.get_title(), *legend.get_texts()]
    for axes in figure.axes:
        texts += [axes.title, axes._left_title, axes._right_title, axes.xaxis.label, axes.yaxis.label]
        texts += axes.texts
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
            texts += [tick.label1 for tick in ticks if low <= tick.get_loc() <= high]
    return [text for text in texts if text.get_visible() and text.get_text().strip()]
