# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The body's IMU and the joints tell how the centre of mass's velocity changes, whatever
the feet do."""

import numpy as np
import pinocchio as pin
import pytest

from biped_slip.constants import GRAVITY
from biped_slip.estimation.centre_speed import CentreSpeed
from biped_slip.estimation.readings import RobotState
from biped_slip.robots.humanoid import IMU, load_humanoid

DT = 1e-3
STEP = 400  # samples
UP = np.array([0.0, 0.0, GRAVITY])


@pytest.mark.parametrize("name", ["g1", "talos"])
def test_it_is_the_change_of_the_models_own_centre_of_mass_in_any_motion(name):
    """An independent count: Pinocchio's acceleration of the IMU's place and its
    velocity of the centre of mass, along a motion that turns and swings everything."""
    model = load_humanoid(name).model
    data = model.createData()
    imu = model.getFrameId(IMU)
    rng = np.random.default_rng(3)
    sizes = 0.3 * rng.normal(size=model.nv)
    pitches = rng.uniform(3.0, 9.0, model.nv)  # [rad/s]
    q = pin.neutral(model)
    speed = CentreSpeed(model, IMU)
    first = last = None
    for tick in range(STEP):
        phase = pitches * tick * DT
        v = sizes * pitches * np.cos(phase)
        a = -sizes * pitches**2 * np.sin(phase)
        pin.forwardKinematics(model, data, q, v, a)
        felt = pin.getFrameClassicalAcceleration(
            model, data, imu, pin.LOCAL_WORLD_ALIGNED
        ).linear
        turn = pin.Quaternion(q[3:7]).matrix()
        if tick:
            speed.step(q[3:7], turn.T @ (felt + UP), DT)
        # what a filter says of the base's own velocity cancels
        wrong = v.copy()
        wrong[:3] += rng.normal(size=3)
        given = speed.velocity(RobotState(q=q, v=wrong))
        pin.centerOfMass(model, data, q, v)
        moved = given - data.vcom[0]
        first = moved if first is None else first
        last = moved
        q = pin.integrate(model, q, DT * (v + 0.5 * DT * a))
    assert last == pytest.approx(first, abs=0.02)


def test_a_body_at_rest_keeps_its_velocity_and_a_tilt_pulls_by_its_share_of_gravity():
    model = load_humanoid("g1").model
    state = RobotState(q=pin.neutral(model), v=np.zeros(model.nv))
    upright = np.array([0.0, 0.0, 0.0, 1.0])
    tilt = 0.01
    tilted = np.array([0.0, np.sin(0.5 * tilt), 0.0, np.cos(0.5 * tilt)])
    for orientation, along in ((upright, 0.0), (tilted, GRAVITY * np.sin(tilt))):
        speed = CentreSpeed(model, IMU)
        before = speed.velocity(state)
        for _ in range(STEP):
            speed.step(orientation, UP, DT)
        change = speed.velocity(state) - before
        assert change[0] == pytest.approx(STEP * DT * along, abs=1e-9)
        assert change[1] == pytest.approx(0.0, abs=1e-9)
