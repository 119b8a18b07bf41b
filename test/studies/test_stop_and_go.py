# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever speed is asked for, at whatever moment, the planar biped stands or walks."""

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")

from biped_slip.control.supervisor import Mode
from biped_slip.simulation.planar.scenario import changed, chosen_scenario
from studies.drawn_faults import Power
from studies.faults.live_speeds import (
    RARELY,
    SHORTEST,
    SLOWEST,
    drawn_speeds,
    stop_and_go,
    toggled_speeds,
)
from studies.stop_and_go import (
    DRAWN,
    STOP,
    TOGGLED,
    Job,
    Outcome,
    advance,
    guarded_walker,
    sound_walk,
    try_one,
)

MOMENTS = 20


@pytest.mark.parametrize("robot", ["thesis", "torso"])
def test_a_walk_stops_from_any_moment_and_goes_again(robot):
    for number in range(0, MOMENTS, 5):
        outcome = try_one(Job(robot, STOP, number, 5.0), MOMENTS)
        assert outcome.sound, outcome


@pytest.mark.parametrize("robot", ["thesis", "torso"])
def test_a_walk_goes_on_under_drawn_speeds(robot):
    for number in range(0, MOMENTS, 10):
        outcome = try_one(Job(robot, DRAWN, number, 12.0), MOMENTS)
        assert outcome.sound, outcome


def test_a_hip_that_stands_ahead_of_its_feet_goes_on_without_stretching_a_knee():
    """Stopped as it walked off, it came to rest 0.2 m ahead of its front foot."""
    outcome = try_one(Job("thesis", DRAWN, 202, 4.0, drawing=1), MOMENTS)
    assert outcome.tick == 700
    assert outcome.sound, outcome


def test_the_first_step_from_standing_holds_a_torso_as_well_as_any_other_step():
    """A foot that has stood knows little of the floor: with 0.08 in place of the
    default of 0.3 the torso tipped, and two steps on a hip took 136 W."""
    outcome = try_one(Job("torso", DRAWN, 42, 10.0), MOMENTS)
    assert outcome.sound, outcome
    assert outcome.power < 1.3


@pytest.mark.parametrize("period", [2, 50, 300, 770])  # ticks
def test_a_command_that_toggles_stops_no_walk(period):
    """Half of the time 0, half of it the walk's: at 20 Hz one that stood and set off
    in turn was carried beyond its feet."""
    scales = np.arange(6000) % period >= period // 2
    stood = walked("thesis", scales)
    assert stood.guarded.mode in (Mode.STANDING, Mode.WALKING)


def test_a_walk_goes_on_under_commands_that_toggle_at_drawn_rates():
    for number in range(3):
        outcome = try_one(Job("thesis", TOGGLED, number, 8.0), MOMENTS)
        assert outcome.sound, outcome


def walked(robot, scales):
    """Go on from the first moment of a walk; the robot at its end."""
    sound = sound_walk(robot, MOMENTS)
    sound.moments[0][1]()
    power = Power(len(sound.power))
    for scale in scales:
        sound.robot.guarded.controller.speed_scale = float(scale)
        problem = advance(sound.robot, power)
        assert not problem, problem
    return sound.robot


@pytest.mark.parametrize("robot", ["thesis", "torso"])
def test_who_stands_is_at_rest_with_its_hip_over_the_middle_of_its_feet(robot):
    stood = walked(robot, np.zeros(6000))
    state = stood.world.plant.state
    assert stood.guarded.mode == Mode.STANDING
    assert np.abs(state.v).max() < 0.02
    joints = state.q[-4:]
    root = 0.0 if robot == "thesis" else state.q[2]
    feet = [
        0.5 * np.cos(root + joints[2 * k])
        + 0.5 * np.cos(root + joints[2 * k] + joints[2 * k + 1])
        for k in range(2)
    ]
    assert sum(feet) == pytest.approx(0.0, abs=0.04)


@pytest.mark.parametrize("mu", [0.06, 0.1, 0.4])
def test_who_shall_stand_from_the_start_closes_a_stance_too_wide_to_brake_in(mu):
    """Its hip moves at 0.5 m/s, 0.2 m before its rear leg is used up: to stop there
    takes 0.06 of its weight, more than a floor that is not known is trusted with."""
    scenario = changed(
        chosen_scenario("thesis", seed=0), {"ground.mu": [mu], "ground.edges": []}
    )
    robot = guarded_walker(scenario, "touchdown")
    robot.guarded.controller.speed_scale = 0.0
    robot.guarded.start()
    power = Power(4)
    lifted = 0
    for _ in range(8000):
        problem = advance(robot, power)
        assert not problem, problem
        lifted += robot.guarded.controller.loop.held.value.walking.gait.phase != 0
    assert lifted > 0
    assert robot.guarded.mode == Mode.STANDING
    assert np.abs(robot.world.plant.state.v).max() < 0.02


WEIGHT = 33.4  # [N]


@pytest.mark.parametrize(
    ("robot", "slope", "share"),
    [
        ("thesis", 0.0, 0.8),
        ("thesis", 0.08, -0.3),
        ("thesis", -0.08, 0.3),
        ("torso", 0.0, 0.8),
        ("torso", 0.0, -0.8),
        ("torso", 0.08, 0.3),
    ],
)
def test_who_is_pushed_while_it_stands_stands_on(robot, slope, share):
    """For 0.1 s by a share of its weight, 0.8 m/s at most: its capture point, 0.2 m
    further on a floor that holds, stays between its feet."""
    changes = {
        "ground.slope": slope,
        "pushes.start": [7.0],
        "pushes.duration": [0.1],
        "pushes.force": [share * WEIGHT],
    }
    pushed = stopped(robot, "interval", changes, walking=3000, ticks=10_000)
    assert pushed.guarded.mode == Mode.STANDING
    assert np.abs(pushed.world.plant.state.v).max() < 0.02


@pytest.mark.parametrize("robot", ["thesis", "torso"])
def test_who_stands_on_a_floor_of_a_tenth_is_pushed_without_a_fall(robot):
    changes = {
        "ground.mu": [0.1],
        "ground.edges": [],
        "pushes.start": [7.0],
        "pushes.duration": [0.1],
        "pushes.force": [0.1 * WEIGHT],
    }
    pushed = stopped(robot, "touchdown", changes, walking=0, ticks=10_000)
    assert pushed.guarded.mode == Mode.STANDING
    assert np.abs(pushed.world.plant.state.v).max() < 0.02


def stopped(robot, limit, changes, walking, ticks):
    """Walk a changed scenario for some ticks, and stop for the others."""
    one = guarded_walker(changed(chosen_scenario(robot, seed=0), changes), limit)
    one.guarded.start()
    power = Power(4)
    for tick in range(ticks):
        one.guarded.controller.speed_scale = 1.0 if tick < walking else 0.0
        problem = advance(one, power)
        assert not problem, problem
    return one


@pytest.mark.parametrize("robot", ["thesis", "torso"])
@pytest.mark.parametrize("scale", [-0.5, 0.03])
def test_a_command_backwards_or_too_slow_to_walk_stands_too(robot, scale):
    stood = walked(robot, np.full(4000, scale))
    assert stood.guarded.controller.loop.held.value.walking.pace.speed == 0.0
    assert np.abs(stood.world.plant.state.v).max() < 0.05


def test_a_slow_command_is_walked_as_fast_on_average():
    robot = "thesis"
    slow = 0.3
    start = walked(robot, np.zeros(2000)).world.plant.state.q[0]
    end = walked(robot, [*np.zeros(2000), *np.full(12_000, slow)])
    distance = end.world.plant.state.q[0] - start
    assert distance == pytest.approx(slow * 0.5 * 12.0, abs=0.6)  # a stride


def test_drawn_speeds_hold_between_a_fifth_of_a_second_and_two():
    scales = drawn_speeds(100_000, np.random.default_rng(0))
    lengths = np.diff(np.flatnonzero(np.diff(scales)))
    assert lengths.min() >= SHORTEST
    assert np.quantile(lengths, 0.9) < 2 * RARELY  # the same speed may be drawn again
    assert 0.0 <= scales.min() < scales.max() <= 1.0
    assert stop_and_go(10).tolist() == [0.0] * 8 + [1.0] * 2


@pytest.mark.parametrize("seed", range(20))
def test_toggled_speeds_are_0_or_1_in_turn_and_hold_a_second_at_most(seed):
    scales = toggled_speeds(10_000, np.random.default_rng(seed))
    assert set(scales) == {0.0, 1.0}
    turns = np.flatnonzero(np.diff(scales)) + 1
    lengths = np.diff([0, *turns])
    assert lengths.max() <= SLOWEST
    assert len(set(lengths[::2])) == len(set(lengths[1::2])) == 1


def test_who_does_not_go_again_is_a_defect(monkeypatch):
    """Sensors that see no presliding made `demo` believe in 0.02 on a floor of 1.0: it
    stood for a minute, without a fall or a fault."""

    def stood(robot, power):
        robot.guarded.controller.speed_scale = 0.0
        return advance(robot, power)

    monkeypatch.setattr("studies.stop_and_go.advance", stood)
    outcome = try_one(Job("thesis", DRAWN, 0, 6.0), MOMENTS)
    assert outcome.problem.startswith("went "), outcome
    assert not outcome.sound


def test_other_drawings_have_other_moments():
    ticks = [
        {tick for tick, _ in sound_walk("thesis", MOMENTS, drawing).moments}
        for drawing in range(2)
    ]
    assert not ticks[0] & ticks[1]


def test_a_fall_a_fault_and_a_driven_joint_are_defects():
    job = Job("thesis", STOP, 0, 1.0)
    assert Outcome(job, 5, power=1.9).sound
    assert not Outcome(job, 5, power=2.1).sound
    assert not Outcome(job, 5, problem="fell").sound
