# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np

from biped_slip.reports.figures import png_bytes, save_figure, stacked_axes, thinned


def test_the_same_figure_gives_the_same_bytes():
    def draw():
        figure, axes = stacked_axes(["force [N]", "ratio [-]"], title="left foot")
        axes[0].plot([0, 1, 2], [0, 1, 0])
        return png_bytes(figure)

    assert draw() == draw()


def test_saving_a_figure_makes_its_folder_and_returns_what_it_wrote(tmp_path):
    figure, _ = stacked_axes(["force [N]"])
    data = save_figure(figure, tmp_path / "deep" / "forces.png")
    assert (tmp_path / "deep" / "forces.png").read_bytes() == data


def test_thinning_keeps_isolated_peaks_and_the_ends():
    time = np.arange(100_000) * 1e-3
    curve = np.zeros_like(time)
    curve[[12_345, 77_777]] = 5.0, -3.0
    thin_time, thin_curve = thinned(time, curve, points=1000)
    assert len(thin_time) <= 1100
    assert thin_curve.max() == 5.0
    assert thin_curve.min() == -3.0
    assert thin_time[0] == time[0]
    assert thin_time[-1] == time[-1]


def test_short_curves_are_left_alone():
    time = np.arange(5.0)
    curve = np.arange(5.0)
    assert thinned(time, curve)[1] is curve
