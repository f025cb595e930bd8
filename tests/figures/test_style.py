import os
import subprocess
import sys
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from metatrace.figures import style
from metatrace.numbers import descending

DRAW = """
import sys
sys.path.insert(0, {tests!r})
from made_tables import JOB, make
from metatrace.figures import learning_curves, sensitivity, style
made, untuned = make("scalar", ["2^-5", "2^-8"], ["2^-6", "2^-9"]), make("none", ["2^-5", "2^-8"], ["0"])
style.save(learning_curves.draw(made.curves, JOB), made.curves, "{out}/curves")
table = sensitivity.drawn_table((made.settings, made.spread), (untuned.settings, untuned.spread))
style.save(sensitivity.draw(table, JOB), table, "{out}/sensitivity")
"""


def luminance(colour):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


@pytest.mark.parametrize("count", [2, 3, 6, 11])
def test_palette_rises_in_lightness_and_stands_out_on_white(count):
    light = [luminance(colour) for colour in style.palette(count)]
    # CIE L*, of 100; a step of 1 is about what the eye can tell side by side.
    lightness = 116 * np.cbrt(light) - 16
    assert (np.diff(lightness) > 3).all()
    assert lightness[-1] < 78


def test_neighbours_differ_in_dashes():
    assert all(style.dashes(i) != style.dashes(i + 1) for i in range(12))


def test_no_two_of_many_lines_share_marker_and_dashes():
    looks = style.token_looks([f"2^-{k}" for k in range(1, 37)], marked=True).values()
    assert len({(look.marker, look.line_style) for look in looks}) == 36


def test_descending_goes_by_value():
    assert descending(["2^-9", "0.001", "2^-10", "2^-9"]) == ["2^-9", "0.001", "2^-10"]


def test_theme_leaves_no_trace():
    before = dict(matplotlib.rcParams)
    with style.theme():
        assert matplotlib.rcParams["svg.hashsalt"] == "metatrace"
    assert dict(matplotlib.rcParams) == before


def test_files_have_the_same_bytes_whatever_process_and_clock_made_them(tmp_path):
    tests = str(Path(__file__).parent)
    for name, epoch in (("first", "1"), ("again", "1700000000")):
        (tmp_path / name).mkdir()
        code = DRAW.format(tests=tests, out=tmp_path / name)
        environment = os.environ | {"SOURCE_DATE_EPOCH": epoch, "PYTHONHASHSEED": epoch}
        subprocess.run([sys.executable, "-c", code], check=True, env=environment, timeout=120)
    files = sorted(path.name for path in (tmp_path / "first").iterdir())
    assert files == [f"{name}.{end}" for name in ("curves", "sensitivity") for end in ("csv", "pdf", "png", "svg")]
    for file in files:
        assert (tmp_path / "first" / file).read_bytes() == (tmp_path / "again" / file).read_bytes(), file


def test_table_reads_back_to_the_same_floats(tmp_path):
    frame = pd.DataFrame({"mu": ["2^-6", "0"], "mean": [0.1 + 0.2, -1 / 3], "low": [np.nan, 1e-300]})
    style.save(Figure(), frame, tmp_path / "t")
    assert (tmp_path / "t.csv").read_text().splitlines()[1] == "2^-6,0.30000000000000004,"
    back = pd.read_csv(tmp_path / "t.csv", dtype={"mu": str})
    pd.testing.assert_frame_equal(back, frame, check_exact=True)
