# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Gears of a robot: by joint, by pattern, or derived from the torque limits."""

import numpy as np
import pytest

from biped_slip.errors import InvalidParameter, UnknownName
from biped_slip.robots.gears import gears_of
from biped_slip.robots.humanoid import HumanoidConfig, load_humanoid

JOINTS = ("l_hip", "l_knee", "r_hip", "r_knee")
EFFORTS = np.array([80.0, 120.0, 80.0, 120.0])


def gears(mapping):
    named = HumanoidConfig.from_mapping({"gears": mapping}).gears
    return gears_of(named, JOINTS, EFFORTS)


def test_gears_that_are_not_described_follow_from_the_torque_limits():
    found = gears({})
    np.testing.assert_allclose(found.coulomb, 0.0175 * EFFORTS)
    np.testing.assert_allclose(found.viscous, 0.00175 * EFFORTS)
    np.testing.assert_allclose(found.load, 0.05)


def test_a_later_pattern_prevails_and_the_rest_is_derived():
    found = gears({"*_knee": {"coulomb": 3.0, "load": 0.1}, "r_*": {"coulomb": 2}})
    np.testing.assert_allclose(found.coulomb, [1.4, 3.0, 2.0, 2.0])
    np.testing.assert_allclose(found.viscous, 0.1 * found.coulomb)
    np.testing.assert_allclose(found.load, [0.05, 0.1, 0.05, 0.1])


@pytest.mark.parametrize(
    ("mapping", "kind", "sentence"),
    [
        ({"*_elbow": {"coulomb": 1.0}}, UnknownName, r"\*_elbow.*l_hip"),
        ({"l_hip": {"coulumb": 1.0}}, UnknownName, r"gears.l_hip.*coulumb.*viscous"),
        ({"l_hip": 1.0}, InvalidParameter, r"gears.l_hip.*coulomb: 1.6"),
        ({"l_hip": {"coulomb": "1"}}, InvalidParameter, r"gears.*a number"),
        ({"l_hip": {"coulomb": -1.0}}, InvalidParameter, r"gears.*>= 0"),
    ],
)
def test_wrong_gears_are_refused_with_their_name(mapping, kind, sentence):
    with pytest.raises(kind, match=sentence):
        gears(mapping)


def test_the_legs_of_g1_have_the_gears_of_its_vendor():
    g1 = load_humanoid("g1")
    coulomb = dict(zip(g1.robot.joints, g1.gears.coulomb, strict=True))
    for side in ("left", "right"):
        assert coulomb[f"{side}_hip_pitch_joint"] == 1.6
        assert coulomb[f"{side}_knee_joint"] == 2.4
        assert coulomb[f"{side}_ankle_roll_joint"] == 1.2
        # not described: from its 25 N m
        assert coulomb[f"{side}_elbow_joint"] == pytest.approx(0.4375)
    np.testing.assert_allclose(g1.gears.viscous, 0.1 * g1.gears.coulomb)
