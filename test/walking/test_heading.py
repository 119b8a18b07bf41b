# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A humanoid keeps its heading, and walks in every direction alike."""

import math

import numpy as np
import pytest

from biped_slip.control.whole_body.floor_frame import LEVEL_FRAME, frame_about, on_floor
from biped_slip.control.whole_body.footsteps import (
    RETURN,
    Command,
    FootstepConfig,
    Gait,
    feet_of,
    on_course,
    yaw_near,
)
from biped_slip.control.whole_body.tasks import Terms, about_z
from biped_slip.estimation.readings import base_motion
from biped_slip.simulation.humanoid.scenario import FloatingScenarioConfig, chosen_walk
from biped_slip.simulation.humanoid.world import FloatingWorld
from biped_slip.walking.humanoid import HumanoidController, load_humanoid
from biped_slip.walking.slip_policies import slip_policy

STEPS = FootstepConfig().packed
TERMS = Terms(*[np.zeros((2, 6))] * len(Terms._fields))
MIDDLE = np.zeros((2, 2))
WALK = Gait(
    forward=0.3,
    left=0.0,
    turn=0.1,
    width=0.17,
    single_support=0.6,
    double_support=0.1,
    still=False,
)


@pytest.mark.parametrize("turns", [-2, 0, 1])
def test_yaws_of_feet_are_compared_on_either_side_of_half_a_turn(turns):
    heading = math.tau * turns + math.pi - 0.01
    assert yaw_near(about_z(heading + 0.02), heading) == pytest.approx(heading + 0.02)
    assert yaw_near(about_z(heading - 0.02), heading) == pytest.approx(heading - 0.02)


@pytest.mark.parametrize(
    ("twisted", "back"), [(0.01, -0.01), (-0.01, 0.01), (0.4, -RETURN), (-0.4, RETURN)]
)
def test_a_step_from_a_twisted_foot_turns_back_by_a_bounded_angle_beside_the_command(
    twisted, back
):
    gait, heading = on_course(WALK, 0.2, 0.2 + twisted, STEPS)
    assert gait.turn == pytest.approx(WALK.turn + back)
    assert heading == pytest.approx(0.3)


@pytest.mark.parametrize("most", [0.0, 0.4])
def test_a_heading_turns_no_faster_than_steps_can(most):
    """Else the walk would turn on for minutes after a command that was too fast."""
    steps = FootstepConfig(turn=most).packed
    heading = 0.0
    yaw = 0.0
    for _ in range(40):
        gait, heading = on_course(WALK._replace(turn=2.0), heading, yaw, steps)
        assert abs(gait.turn) <= most
        yaw += gait.turn - 0.01  # the sole twists
        assert heading - yaw < 0.02


@pytest.mark.parametrize("jump", [0.0, 0.4 * math.pi, math.pi, 1.9 * math.pi])
def test_feet_turned_apart_stay_comparable_when_the_base_turns_by_itself(jump):
    turns = np.array([about_z(jump + 0.3), about_z(jump - 0.3)])
    left, right = feet_of(TERMS._replace(rotation=turns), 0.0, MIDDLE).holds
    assert left.yaw - right.yaw == pytest.approx(0.6)


@pytest.mark.parametrize("yaw", [0.0, 3.1, math.pi, -3.1])
def test_a_slope_has_the_robot_in_its_axes_whatever_its_heading(yaw):
    frame = frame_about(np.array([0.15, -0.1]), np.zeros(3), LEVEL_FRAME)
    q = np.array([0.0, 0.0, 1.0, 0.0, 0.0, math.sin(0.5 * yaw), math.cos(0.5 * yaw)])
    x, y, z, w = on_floor(q, frame)[3:7]
    first = np.array(
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)]
    )
    np.testing.assert_allclose(
        frame.rotation @ first, [math.cos(yaw), math.sin(yaw), 0.0], atol=1e-12
    )


def walked(command, seconds, yaw=0.0):
    """The world after a walk of TALOS that begins with a heading; and by how much its
    base has turned [rad]."""
    config = chosen_walk("talos").walking
    humanoid = load_humanoid("talos")
    scenario = {
        "duration": seconds,
        "start": {"yaw": yaw},
        "sensors": config.sensors.to_mapping(),
        "terrain": {"mu": 0.8, "extent": [-9.0, 9.0, -9.0, 9.0]},
    }
    world = FloatingWorld(humanoid, FloatingScenarioConfig.from_mapping(scenario), 3)
    policy = slip_policy("constant:0.25", config.policy_settings(humanoid.weight))
    controller = HumanoidController(
        humanoid,
        config.controller,
        policy,
        config.base,
        config.motion,
        landing=config.touchdown,
    )
    turned = 0.0
    last = yaw
    while not world.ended:
        base = base_motion(world.measure())
        standing = world.plant.stamp_ns < 500_000_000
        world.advance(
            controller.step(
                world.sense(), Command() if standing else command, base
            ).torques
        )
        heading = 2.0 * math.atan2(world.plant.state.q[5], world.plant.state.q[6])
        turned = turned + math.remainder(heading - last, math.tau)
        last = heading
    return world, turned


def test_it_turns_past_half_a_turn_from_its_odometrys_axis():
    world, turned = walked(Command(forward=0.1, turn=0.4), 6.0, 2.6)
    assert not world.fell
    assert turned > 0.8


def test_it_walks_the_same_whatever_its_heading():
    """Half a turn from its odometry's axis the yaws of its feet lie on both sides of
    the jump."""
    forward = Command(forward=0.3)
    (one, _) = walked(forward, 5.0)
    (other, _) = walked(forward, 5.0, math.pi)
    assert one.plant.state.q[0] > 0.2
    np.testing.assert_allclose(
        other.plant.state.q[:2], -one.plant.state.q[:2], atol=1e-3
    )
    np.testing.assert_allclose(
        other.plant.state.q[7:], one.plant.state.q[7:], atol=1e-2
    )
