# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A guarded tick as one kernel answers what its stages answer one by one, to the last bit, whatever goes wrong."""

from dataclasses import replace

import numpy as np
import pytest

from biped_slip.constants import GRAVITY
from biped_slip.control.supervisor import Mode, Steady, Supervisor, SupervisorConfig, TorqueLimits, power_limit
from biped_slip.estimation.health import HealthConfig, HealthWatch, judge_of
from biped_slip.estimation.planar_feet import FloorConfig
from biped_slip.estimation.readings import Problem, own
from biped_slip.friction_estimation.types import NO_ESTIMATE
from biped_slip.robots.planar_biped import leg_lengths
from biped_slip.simulation.planar.walk import World, chosen_scenario
from biped_slip.walking.guarded import GuardedController
from biped_slip.walking.planar import PlanarSite, guarded_planar, planar_controller

KNOWN = NO_ESTIMATE._replace(mu=0.4, mu_low=0.35, mu_high=0.45, usable=True, state_code=3)


def both(scenario, limit):
    """The whole tick, and the same parts behind each other."""
    robot, walking, floor = World(scenario).robot, scenario.walking, FloorConfig(scenario.ground.slope)
    supervision, health = SupervisorConfig(), HealthConfig()
    whole = guarded_planar(robot, walking, limit, floor, supervision, health)
    height = sum(leg_lengths(robot))
    limits = TorqueLimits(robot.joints, robot.effort_limits, power_limit(robot.mass * GRAVITY, height))
    controller = planar_controller(
        walking, walking.policy(limit, robot.mass * GRAVITY), PlanarSite(robot, floor, walking.period)
    )
    stages = GuardedController(
        controller, judge_of(robot, health),
        HealthWatch(robot, health, height, floor.slope, walking.interval.force.offset),
        Supervisor(limits, supervision), robot.velocity_limits, walking.period,
    )  # fmt: skip
    for guarded in (whole, stages):
        guarded.start()
    return whole, stages


def spoilt(readings, rng):
    """Readings with something wrong, now and then."""
    field = readings._fields[rng.integers(1, 9)]
    values = np.array(getattr(readings, field))
    match rng.integers(4):
        case 0:
            values.flat[rng.integers(values.size)] = rng.choice([np.nan, np.inf, 1e9])
        case 1:
            values = -values
        case 2:
            values = np.zeros_like(values)
        case _:
            values = np.zeros(7)
    return readings._replace(**{field: values})


def same(first, second):
    """Whether two answers are the same bits."""
    pairs = [(first.torques, second.torques)]
    if first.output is not None and second.output is not None:
        pairs.append((first.output.torques, second.output.torques))
    return repr(first) == repr(second) and all(a.tobytes() == b.tobytes() for a, b in pairs)


@pytest.mark.parametrize(("name", "limit"), [("thesis_sensors", "interval"), ("torso", "thesis"), ("thesis", "none")])
@pytest.mark.parametrize("seed", range(3))
def test_a_whole_tick_answers_what_its_stages_answer(name, limit, seed):
    rng, scenario = np.random.default_rng([7, seed]), chosen_scenario(name, seed=seed)
    world, guards, now, met = World(scenario, seed), both(scenario, limit), 0.0, set()
    for tick in range(3000):
        readings, problem, estimates, known = world.read(), None, None, True
        now += 1e-3 * rng.uniform(0.9, 1.1)
        steady = Steady(now, 0.03 if tick % 701 == 700 else 0.0) if seed else None
        wrong = tick > 1000 and tick % 97 < (3 if tick < 2000 else 60)
        if wrong:
            readings = spoilt(readings, rng)
            problem = Problem("stale input", "imu/data is late") if rng.random() < 0.1 else None
            known = bool(rng.random() < 0.9)
        if 500 < tick < 800:
            estimates = (KNOWN, NO_ESTIMATE)
        if tick % 2:
            readings = own(readings)
        if tick == 900:
            for guarded in guards:
                guarded.retune(SupervisorConfig(grace=0.02), replace(HealthConfig(), stuck_time=0.006))
        if tick == 2900:
            for guarded in guards:
                guarded.stop()
        whole, stages = (guarded.step(readings, problem, estimates, known, steady) for guarded in guards)
        assert same(whole, stages), tick
        assert guards[0].problem == guards[1].problem
        assert guards[0].mode == guards[1].mode
        assert guards[0].controller.moving == guards[1].controller.moving
        met.add((guards[0].mode, guards[0].problem and guards[0].problem.name))
        if guards[0].mode == Mode.FAULT and rng.random() < 0.05:
            for guarded in guards:
                guarded.start()
        if not world.ended:
            world.advance(whole.torques)
    assert {Mode.WALKING, Mode.SAFE_STOP, Mode.FAULT} <= {mode for mode, _ in met}
    assert len(met) >= 8


@pytest.mark.parametrize("replaced", ["its step", "the controller"])
def test_whoever_replaces_the_controller_is_asked(replaced, monkeypatch):
    scenario = chosen_scenario("thesis")
    whole, stages = both(scenario, "none")
    world, asked = World(scenario), []

    def limp(readings, estimates=None):
        asked.append(readings)
        return honest(readings, estimates)._replace(torques=np.zeros(4))

    honest = stages.controller.step if replaced == "the controller" else whole.controller.step
    if replaced == "the controller":
        whole.controller = stages.controller
    monkeypatch.setattr(whole.controller, "step", limp)
    assert not whole.step(world.read()).torques.any()
    assert len(asked) == 1


def test_readings_of_a_wrong_shape_are_no_own_ones_and_named_also_behind_a_sound_one():
    scenario = chosen_scenario("thesis")
    sound, (whole, _) = World(scenario).read(), both(scenario, "none")
    for field, values in (
        ("joint_position", np.zeros(3)),
        ("orientation_base_in_world", np.zeros(3)),
        ("wrench_ground_on_foot_in_sole", np.zeros(12)),
        ("foot_specific_force_in_sole", np.zeros((0, 3))),
    ):
        whole.start()
        whole.step(own(sound))
        whole.step(own(sound._replace(**{field: values})))
        assert (whole.mode, whole.problem.name) == (Mode.SAFE_STOP, "wrong size"), field
    other = {name: np.zeros(7) for name in ("joint_position", "joint_velocity")}
    whole.start()
    whole.step(own(sound._replace(**other)))
    assert whole.problem.name == "wrong size"
