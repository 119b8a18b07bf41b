# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the controller takes the soles for."""

import numpy as np
import pytest

from biped_slip.control.whole_body.body import with_smaller_soles
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.walking.humanoid import humanoid_body

G1 = humanoid_body(load_humanoid("g1"))


def test_soles_shrink_along_and_across_by_their_own_shares_about_the_same_middle():
    smaller = with_smaller_soles(G1, (0.5, 0.9))
    assert smaller.half_size == pytest.approx(G1.half_size * (0.5, 0.9))
    assert smaller.middle == pytest.approx(G1.middle)
    assert np.array_equal(smaller.program.corners[:, :, 2], G1.program.corners[:, :, 2])


def test_the_whole_sole_is_the_sole():
    assert with_smaller_soles(G1, (1.0, 1.0)).program.corners == pytest.approx(
        G1.program.corners
    )
