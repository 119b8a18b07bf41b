# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The prescribed walk of a person, and how the force under its feet is read."""

import numpy as np
import pinocchio as pin
import pytest

from biped_slip.constants import GRAVITY
from biped_slip.errors import InvalidParameter
from biped_slip.robots.humanoid import load_humanoid
from studies.papers.bruneau import leg_of_the_walker
from studies.papers.gait import HumanGait, HumanGaitConfig, stance_curves

CONFIG = HumanGaitConfig()
GAIT = HumanGait(CONFIG, leg_of_the_walker())
TIME = np.arange(0.0, 2.0 * CONFIG.half, 2e-3)


def model_motion():
    """Soles (n, 3) of the left foot and centre of mass (n, 3) of the walker's own model
    along the gait."""
    model = load_humanoid("hanavan_walker").model
    data = model.createData()
    sole = model.getFrameId("l_sole")
    soles = []
    centres = []
    for hip, joints in zip(GAIT.hip(TIME), GAIT.joints(TIME), strict=True):
        q = pin.neutral(model)
        q[0], q[2], q[7:] = hip[0], hip[1], joints
        centres.append(pin.centerOfMass(model, data, q).copy())
        pin.framesForwardKinematics(model, data, q)
        soles.append(data.oMf[sole].translation.copy())
    return np.array(soles), np.array(centres)


def test_joint_angles_put_the_robots_sole_where_the_gait_wants_it():
    soles, _ = model_motion()
    flat = (TIME > CONFIG.heel_rocker) & (TIME < CONFIG.half - CONFIG.heel_off)
    assert np.ptp(soles[flat, 0]) < 1e-9
    assert np.abs(soles[flat, 2] + CONFIG.sink).max() < CONFIG.sink + 1e-9


def test_the_centre_of_mass_rises_and_surges_as_configured():
    _, centres = model_motion()
    along = centres[:, 0] - CONFIG.speed * TIME
    assert np.ptp(centres[:, 2]) == pytest.approx(2.0 * CONFIG.rise, rel=0.02)
    assert np.ptp(along) == pytest.approx(CONFIG.surge * CONFIG.half / np.pi, rel=0.02)


def test_a_swing_begins_and_ends_with_the_speed_of_the_foot():
    ankle, pitch = GAIT.foot(TIME)
    # no jump of speed above 0.75 m/s in 2 ms
    assert np.abs(np.diff(ankle, n=2, axis=0)).max() < 1.5e-3
    assert np.abs(np.diff(pitch, n=2)).max() < 5e-3


def test_a_heel_that_rises_before_the_foot_is_flat_is_refused():
    with pytest.raises(InvalidParameter, match="heel_off"):
        HumanGaitConfig(heel_off=0.4)


def test_stances_are_cut_out_and_an_m_is_told_from_a_plateau():
    time = np.arange(0.0, 3.0, 1e-3)
    phase = np.clip((time % 1.0 - 0.1) / 0.65, 0.0, 1.0)
    weight = 70.0 * GRAVITY
    arch = weight * np.minimum(1.0, 8.0 * np.sin(np.pi * phase))
    double = arch * (1.0 + 0.2 * np.cos(4.0 * np.pi * (phase - 0.25)))
    curves = stance_curves(time, double, 0.0 * time, weight)
    assert len(curves.humps) == 3
    assert all(hump.m_shaped for hump in curves.humps)
    assert not any(
        hump.m_shaped for hump in stance_curves(time, arch, 0.0 * time, weight).humps
    )
