# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The local parabola and the maxima that stand out are those of scipy.signal."""

import numpy as np
import pytest
from scipy.signal import find_peaks, savgol_filter

from biped_slip.gait_laboratory.smoothing import local_parabola, prominent_maxima

COUNTS = [3, 5, 11, 41]


@pytest.mark.parametrize("derivative", [0, 1])
@pytest.mark.parametrize("count", COUNTS)
def test_a_parabola_is_its_own_smoothing(count, derivative):
    time = np.arange(60) * 0.01
    curve = 3.0 - 2.0 * time + 5.0 * time**2
    slope = -2.0 + 10.0 * time
    expected = slope if derivative else curve
    assert local_parabola(curve, count, derivative, 0.01) == pytest.approx(
        expected, abs=1e-9
    )


@pytest.mark.parametrize("derivative", [0, 1])
@pytest.mark.parametrize("count", COUNTS)
def test_it_smooths_like_savitzky_and_golay(count, derivative):
    rng = np.random.default_rng(5)
    for shape in ((count,), (60,), (60, 3)):
        values = rng.normal(size=shape)
        expected = savgol_filter(values, count, 2, derivative, delta=0.01, axis=0)
        found = local_parabola(values, count, derivative, 0.01)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-10)


@pytest.mark.parametrize("prominence", [0.0, 0.05, 1.0])
def test_maxima_stand_out_as_peaks_of_scipy_do(prominence):
    rng = np.random.default_rng(7)
    for _ in range(50):
        # rounded, so that there are flat tops and equal heights
        values = np.round(rng.normal(size=rng.integers(0, 80)), 1)
        expected, _ = find_peaks(values, prominence=prominence)
        assert prominent_maxima(values, prominence).tolist() == expected.tolist()


def test_an_edge_and_a_ramp_are_no_maxima():
    assert len(prominent_maxima(np.arange(20.0), 0.0)) == 0
    assert len(prominent_maxima(np.ones(20), 0.0)) == 0
    assert prominent_maxima(np.array([0.0, 1.0, 1.0, 1.0, 0.0]), 0.5).tolist() == [2]
