# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Axes that lie on a slope: the same robot in them, under the same gravity."""

import math

import numpy as np
import pinocchio as pin
import pytest

from biped_slip.control.whole_body.dcm import over_zmp
from biped_slip.control.whole_body.floor_frame import (
    LEVEL_FRAME,
    frame_about,
    lean_gravity,
    on_floor,
)
from biped_slip.control.whole_body.friction_adaptation import allowed_ratio, believed
from biped_slip.control.whole_body.tasks import (
    TermsSource,
    base_acceleration,
    turned_up,
)
from biped_slip.robots.humanoid import load_humanoid

RISE = np.array([0.18, -0.07])


@pytest.fixture(scope="module")
def talos():
    return load_humanoid("talos")


def some_frame():
    first = frame_about(RISE, np.array([0.3, -0.1, 0.02]), LEVEL_FRAME)
    return frame_about(np.array([-0.1, 0.05]), np.array([1.3, 0.4, -0.05]), first)


def in_world(place, frame):
    return frame.rotation @ (place - frame.in_floor) + frame.in_world


def test_a_new_floor_turns_about_its_pivot_and_its_third_axis_is_normal_to_it():
    old = frame_about(RISE, np.array([0.3, -0.1, 0.02]), LEVEL_FRAME)
    pivot = np.array([1.0, 0.2, 0.1])
    new = frame_about(np.array([0.0, 0.1]), pivot, old)
    np.testing.assert_allclose(in_world(pivot, new), in_world(pivot, old), atol=1e-12)
    for frame, (x, y) in ((old, RISE), (new, (0.0, 0.1))):
        np.testing.assert_allclose(
            frame.rotation @ frame.rotation.T, np.eye(3), atol=1e-12
        )
        np.testing.assert_allclose(
            frame.rotation[:, 2] * math.sqrt(1.0 + x * x + y * y),
            [-x, -y, 1.0],
            atol=1e-12,
        )


def test_the_robot_is_the_same_in_the_floors_axes_and_falls_as_fast(talos):
    """Places turn with the axes; inertia and, with gravity leant, the bias are the
    base's own and stay."""
    rng = np.random.default_rng(4)
    model = talos.model
    frame = some_frame()
    q = pin.integrate(
        model, talos.standing(0.5, -0.2, 0.4), 0.2 * rng.standard_normal(model.nv)
    )
    v = 0.5 * rng.standard_normal(model.nv)
    one = TermsSource(talos.robot)
    other = TermsSource(talos.robot)
    world = one.at(q, v)
    moved = on_floor(q, frame)
    floor = other.at(moved, v)
    lean_gravity(floor, moved, frame.up)
    np.testing.assert_allclose(floor.bias, world.bias, atol=1e-8)
    np.testing.assert_allclose(floor.mass_matrix, world.mass_matrix, atol=1e-9)
    np.testing.assert_allclose(
        in_world(floor.centre_of_mass, frame), world.centre_of_mass, atol=1e-10
    )
    for foot in (0, 1):
        np.testing.assert_allclose(
            in_world(floor.position[foot], frame), world.position[foot], atol=1e-10
        )
        np.testing.assert_allclose(
            frame.rotation @ floor.rotation[foot], world.rotation[foot], atol=1e-10
        )


def test_at_rest_the_point_that_balances_lies_over_the_zmp():
    """The force from the ZMP to the centre of mass is vertical then: it asks for the
    slope's tangent."""
    up = some_frame().up
    height = 0.85
    zmp = np.array([0.2, 0.1])
    centre = np.array([*zmp, 0.0]) + height / up[2] * up
    np.testing.assert_allclose(over_zmp(centre, up, height)[:2], zmp, atol=1e-12)


def test_the_trunk_stays_upright_on_a_slope():
    up = some_frame().up
    upright = turned_up(up)
    np.testing.assert_allclose(upright[:, 2], up, atol=1e-12)
    quaternion = np.asarray(pin.Quaternion(upright).coeffs())
    np.testing.assert_allclose(
        base_acceleration(quaternion, np.zeros(3), up, 0.0, 0.0, 100.0),
        np.zeros(3),
        atol=1e-9,
    )


def test_a_slope_takes_its_share_of_the_friction():
    floor = believed(0.5, 0.45)
    climb = math.tan(math.radians(10.0))
    assert (
        0.0
        < allowed_ratio(floor, climb, 1.0)
        < allowed_ratio(floor, 0.0, 1.0) - 0.8 * climb
    )
    assert allowed_ratio(believed(0.17, 0.16), climb, 1.0) == 0.0
