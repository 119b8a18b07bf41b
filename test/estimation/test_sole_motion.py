# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the soles of a floating-base robot measure, against Pinocchio and by
construction."""

import numpy as np
import pinocchio as pin
import pytest

from biped_slip.constants import GRAVITY
from biped_slip.estimation.readings import SensorReadings
from biped_slip.estimation.sole_motion import SoleMotion, floating_state
from biped_slip.robots.humanoid import load_humanoid


@pytest.fixture(scope="module")
def talos():
    return load_humanoid("talos")


def readings(talos, q, v=None, wrench=None):
    v = np.zeros(talos.model.nv) if v is None else v
    wrench = np.zeros((2, 6)) if wrench is None else wrench
    return SensorReadings(
        stamp_ns=0,
        joint_position=q[7:],
        joint_velocity=v[6:],
        orientation_base_in_world=q[3:7],
        angular_velocity_in_base=v[3:6],
        specific_force_in_base=np.array([0.0, 0.0, GRAVITY]),
        position_base_in_odom=q[:3],
        linear_velocity_in_base=v[:3],
        wrench_ground_on_foot_in_sole=wrench,
    )


def test_the_state_is_pinocchios(talos):
    rng = np.random.default_rng(0)
    q = pin.integrate(
        talos.model, talos.standing(), 0.1 * rng.standard_normal(talos.model.nv)
    )
    v = rng.standard_normal(talos.model.nv)
    state = floating_state(readings(talos, q, v))
    assert state.q == pytest.approx(q)
    assert state.v == pytest.approx(v)


def test_a_force_at_a_point_has_its_centre_of_pressure_there_and_no_twist(talos):
    at = np.array([0.05, -0.02, 0.0])
    force = np.array([30.0, -10.0, 400.0])
    wrench = np.tile(np.concatenate((force, np.cross(at, force))), (2, 1))
    q = talos.standing(yaw=0.0)
    left, _ = SoleMotion(talos.robot).measure(
        floating_state(readings(talos, q)), readings(talos, q, wrench=wrench)
    )
    assert (left.centre_of_pressure_x, left.centre_of_pressure_y) == pytest.approx(
        (0.05, -0.02)
    )
    assert left.moment_normal == pytest.approx(0.0, abs=1e-9)
    assert (left.force_x, left.force_y, left.force_normal) == pytest.approx(
        (30.0, -10.0, 400.0)
    )


def test_forces_turn_with_the_robot_into_world_axes(talos):
    wrench = np.tile([30.0, 0.0, 400.0, 0.0, 0.0, 0.0], (2, 1))
    q = talos.standing(yaw=np.pi / 2)
    left, _ = SoleMotion(talos.robot).measure(
        floating_state(readings(talos, q)), readings(talos, q, wrench=wrench)
    )
    assert (left.force_x, left.force_y) == pytest.approx((0.0, 30.0), abs=1e-9)


def test_a_sole_that_twists_about_its_centre_of_pressure_does_not_move(talos):
    """Yaw about a point at the toe moves the origin by lever times twist, and the
    material at the point not at all."""
    motion = SoleMotion(talos.robot)
    lever = 0.08
    force = np.array([0.0, 0.0, 400.0])
    wrench = np.tile(
        np.concatenate((force, np.cross([lever, 0.0, 0.0], force))), (2, 1)
    )
    model = talos.model
    data = talos.model.createData()
    q0 = talos.standing()
    pin.framesForwardKinematics(model, data, q0)
    toe = data.oMf[model.getFrameId("l_sole")].act(np.array([lever, 0.0, 0.0]))
    seen = []
    origin = []
    for yaw in np.linspace(0.0, 5e-3, 50):
        turn = pin.SE3(pin.utils.rotate("z", yaw), np.zeros(3))
        base = (
            pin.SE3(np.eye(3), toe)
            * turn
            * pin.SE3(np.eye(3), -toe)
            * pin.XYZQUATToSE3(q0[:7])
        )
        q = np.concatenate((pin.SE3ToXYZQUAT(base), q0[7:]))
        state = floating_state(readings(talos, q))
        foot = motion.measure(state, readings(talos, q, wrench=wrench))[0]
        seen.append((foot.displacement_x, foot.displacement_y))
        pin.framesForwardKinematics(model, data, q)
        origin.append(data.oMf[model.getFrameId("l_sole")].translation[:2].copy())
    assert np.ptp(np.array(origin), axis=0).max() > 3e-4
    assert np.ptp(np.array(seen), axis=0).max() < 1e-5


def test_an_estimated_base_does_not_say_how_a_sole_moves_that_no_sensor_sees(talos):
    """The estimate believes that loaded feet stay: its drift would be taken for
    presliding, and friction for low."""
    q = talos.standing()
    place = np.array([[1.0, 2.0, 0.0], [np.nan] * 3])
    sensed = readings(talos, q)._replace(foot_position_in_world=place)
    left, right = SoleMotion(talos.robot).measure(
        floating_state(sensed), sensed, base_measured=False
    )
    assert (left.displacement_x, left.displacement_y) == (1.0, 2.0)
    assert np.isnan(
        [right.displacement_x, right.displacement_y, right.velocity_x, right.velocity_y]
    ).all()
    assert np.isfinite([right.force_normal, right.moment_normal, left.velocity_x]).all()
    _, told = SoleMotion(talos.robot).measure(floating_state(sensed), sensed)
    assert np.isfinite([told.displacement_x, told.velocity_x]).all()
