# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Turning about the vertical: what a leg swings and the base counters, link by link,
and what is left for the floor."""

import numpy as np
import pinocchio as pin
import pytest

from biped_slip.control.whole_body.body import SWAYED, turning_of
from biped_slip.control.whole_body.gait_patterns import Pendulum, peak_ratio
from biped_slip.control.whole_body.tasks import Turning, counter_turn
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.walking.humanoid import humanoid_body


@pytest.fixture(scope="module")
def body():
    """SURENA III, which has no waist."""
    return humanoid_body(load_humanoid("surena3"))


def momentum(body, v):
    """About the vertical through the centre of mass [kg m^2/s], link by link, in the
    standing posture."""
    model = body.model
    dt = 1e-6
    q = pin.neutral(model)
    data = model.createData()
    after = model.createData()
    q[7:] = body.posture
    pin.forwardKinematics(model, after, pin.integrate(model, q, dt * v))
    centre = pin.centerOfMass(model, data, q).copy()
    total = 0.0
    pin.forwardKinematics(model, data, q)
    for inertia, before, later in zip(
        model.inertias[1:], data.oMi[1:], after.oMi[1:], strict=True
    ):
        arm = before.act(inertia.lever) - centre
        moved = later.act(inertia.lever) - before.act(inertia.lever)
        spin = (
            later.rotation
            @ inertia.inertia
            @ before.rotation.T
            @ pin.log3(later.rotation @ before.rotation.T)
        )
        total += (inertia.mass * np.cross(arm, moved) + spin)[2] / dt
    return total


def soles_of(body):
    """Jacobian (12, nv) of both soles in the standing posture."""
    model = body.model
    data = body.model.createData()
    q = pin.neutral(body.model)
    q[7:] = body.posture
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    return np.vstack(
        [
            pin.getFrameJacobian(model, data, sole, pin.LOCAL_WORLD_ALIGNED)
            for sole in body.soles
        ]
    )


def test_a_leg_without_counterweight_has_the_momentum_of_its_links(body):
    swing = np.concatenate((np.zeros(6), np.linalg.pinv(soles_of(body)[:6, 6:])[:, 0]))
    assert turning_of(body).lever == pytest.approx(
        SWAYED * abs(momentum(body, swing)), rel=1e-3
    )
    # a tenth of its mass at 0.1 m
    assert turning_of(body).lever > 0.1 * body.program.mass * 0.1


def test_a_base_that_turns_over_still_soles_has_the_momentum_of_its_links(body):
    soles = soles_of(body)
    turn = np.zeros(body.model.nv)
    turn[5] = 1.0
    turn[6:] = -np.linalg.lstsq(soles[:, 6:], soles[:, 5], rcond=None)[0]
    assert np.abs(soles @ turn).max() < 1e-6
    assert turning_of(body).inertia == pytest.approx(momentum(body, turn), rel=1e-3)


def test_the_base_takes_the_whole_momentum_of_short_steps_and_keeps_its_hips_inside_their_range(
    body,
):
    turning = turning_of(body)
    free = turning.most * turning.inertia / turning.lever
    assert counter_turn(turning, 0.5 * free) * turning.inertia == pytest.approx(
        turning.lever
    )
    for length in (1.5 * free, 3.0 * free):
        assert counter_turn(turning, length) * length == pytest.approx(turning.most)
    yaw = body.model.idx_vs[body.model.getJointId("l_hip_yaw")]
    assert turning.most < 0.7 * body.highest[list(body.program.moved).index(yaw)]


def test_longer_steps_than_those_need_the_floor_for_their_moment():
    free = Pendulum(
        height=0.8, omega=3.5, roll=0.0, turning=0.0, smooth=False, lever=0.03, free=0.2
    )
    none = free._replace(lever=0.0)
    assert peak_ratio(0.2, 0.17, 0.6, 0.3, free) == peak_ratio(
        0.2, 0.17, 0.6, 0.3, none
    )
    # lever times the acceleration of the part beyond
    moment = 0.03 * 12.0 * (0.4 - 0.2) / (0.95 * 0.6) ** 2
    assert peak_ratio(0.4, 0.0, 0.6, 1e-6, free) == pytest.approx(
        np.hypot(peak_ratio(0.4, 0.0, 0.6, 1e-6, none), moment)
    )


@pytest.mark.parametrize("robot", ["talos", "bolt"])
def test_a_waist_takes_the_moment_and_points_hold_none(robot):
    nothing = turning_of(humanoid_body(load_humanoid(robot)))
    assert nothing == Turning(0.0, 0.0, 0.0)
    assert counter_turn(nothing, 0.3) == 0.0
