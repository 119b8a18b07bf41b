# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One style: colours that the colour-blind tell apart, vector output that repeats
itself."""

from itertools import combinations

import numpy as np
import pytest

from biped_slip.reports.figures import (
    ESTIMATE,
    LEFT_COLOUR,
    LIMIT,
    RIGHT_COLOUR,
    SERIES,
    SLIP,
    TRUTH,
    Panel,
    columns_for,
    gallery,
    save_figure,
    single_axes,
)
from biped_slip.view.scene import KNOWN_COLOURS

# physiologically based simulation of colour vision deficiency, severity 1, on linear
# RGB
BLINDNESS = {
    "none": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
TO_XYZ = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
WHITE = np.array([0.9505, 1.0, 1.0890])


def lab(colour, blindness):
    """CIELAB of an sRGB colour (0 to 255) as somebody sees it."""
    share = np.array(colour) / 255.0
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.array(BLINDNESS[blindness]) @ linear, 0.0, 1.0)
    f = np.cbrt(np.maximum(np.array(TO_XYZ) @ seen / WHITE, 1e-6))
    return np.array([116.0 * f[1] - 16.0, 500.0 * (f[0] - f[1]), 200.0 * (f[1] - f[2])])


def rgb(text):
    return tuple(int(text[i : i + 2], 16) for i in (1, 3, 5))


@pytest.mark.parametrize("blindness", BLINDNESS)
def test_colours_with_a_meaning_are_told_apart(blindness):
    meaning = [
        rgb(colour)
        for colour in (LEFT_COLOUR, RIGHT_COLOUR, ESTIMATE, LIMIT, SLIP, TRUTH)
    ]
    for group, least in ((meaning, 15.0), (KNOWN_COLOURS, 15.0)):
        for one, other in combinations(group, 2):
            assert (
                np.linalg.norm(lab(one, blindness) - lab(other, blindness)) > least
            ), (one, other)


def test_curves_without_a_meaning_have_colours_of_their_own():
    assert len({*SERIES}) == len(SERIES) == 8


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_a_figure_repeats_itself_byte_for_byte(tmp_path, ending):
    def drawn():
        figure, axes = single_axes("time [s]", "ratio [-]")
        axes.plot([0.0, 1.0], [0.0, 1.0], label="one")
        axes.legend()
        return save_figure(figure, tmp_path / f"figure.{ending}")

    assert drawn() == drawn()
    assert drawn().startswith(
        {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending]
    )


@pytest.mark.parametrize("count", range(1, 21))
def test_a_gallery_leaves_few_places_empty(count):
    assert -count % columns_for(count) <= 3


def test_nothing_of_a_gallery_lies_outside():
    time = np.linspace(0.0, 1.0, 20)
    panels = {f"law number {k}": Panel(time, time, time) for k in range(7)}
    figure = gallery(
        panels,
        ("time [s]", "height [mm]", "force [weight]"),
        ((0.0, 1.0), (0.0, 1.0)),
        "seven laws",
    )
    figure.canvas.draw()
    for axes in (axes for axes in figure.axes if axes.get_visible()):
        box = axes.get_tightbbox()
        assert box.x0 >= -0.5
        assert box.y0 >= -0.5
        assert box.x1 <= figure.bbox.x1 + 0.5
        assert box.y1 <= figure.bbox.y1 + 0.5
