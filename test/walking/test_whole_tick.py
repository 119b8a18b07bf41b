# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A guarded tick as one kernel answers what its stages answer one by one, to the last
bit, whatever goes wrong."""

from dataclasses import replace

import numpy as np
import pytest

from biped_slip.constants import GRAVITY
from biped_slip.control.supervisor import (
    Mode,
    Supervisor,
    SupervisorConfig,
    TorqueLimits,
    power_limit,
)
from biped_slip.control.tick_time import Steady
from biped_slip.estimation.health import HealthConfig, judge_of
from biped_slip.estimation.planar_feet import FloorConfig
from biped_slip.estimation.planar_health import HealthWatch
from biped_slip.estimation.readings import Problem, own
from biped_slip.friction_estimation.types import NO_ESTIMATE
from biped_slip.robots.planar_biped import leg_lengths
from biped_slip.simulation.planar.scenario import chosen_scenario
from biped_slip.simulation.planar.world import PlanarWorld
from biped_slip.walking.guarded import GuardedController
from biped_slip.walking.planar import GuardedPlanar, PlanarSite, guarded_planar
from biped_slip.walking.registry import planar_controller

KNOWN = NO_ESTIMATE._replace(
    mu=0.4, mu_low=0.35, mu_high=0.45, usable=True, state_code=3
)


def both(scenario, limit):
    """The whole tick, and the same parts behind each other."""
    robot = PlanarWorld(scenario).robot
    walking = scenario.walking
    floor = FloorConfig(scenario.ground.slope)
    supervision = SupervisorConfig()
    health = HealthConfig()
    whole = guarded_planar(robot, walking, limit, floor, supervision, health)
    assert isinstance(whole, GuardedPlanar)
    height = sum(leg_lengths(robot))
    limits = TorqueLimits(
        robot.joints, robot.effort_limits, power_limit(robot.mass * GRAVITY, height)
    )
    controller = planar_controller(
        walking,
        walking.policy(limit, robot.mass * GRAVITY),
        PlanarSite(robot, floor, walking.period),
    )
    stages = GuardedController(
        controller,
        judge_of(robot, health),
        HealthWatch(robot, health, height, floor.slope, walking.interval.force.offset),
        Supervisor(limits, supervision),
        robot.velocity_limits,
        walking.period,
    )
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
    return repr(first) == repr(second) and all(
        a.tobytes() == b.tobytes() for a, b in pairs
    )


CASES = [
    ("thesis_sensors", "interval", 1),
    ("torso", "thesis", 1),
    ("thesis", "none", 1),
    ("thesis_sensors", "touchdown", 2),
    ("traction_sensors", "reflex", 1),
    ("traction", "constant:0.3", 4),
]


@pytest.mark.parametrize(("name", "limit", "period"), CASES)
@pytest.mark.parametrize("seed", range(3))
def test_a_whole_tick_answers_what_its_stages_answer(name, limit, period, seed):
    rng = np.random.default_rng([7, seed])
    scenario = chosen_scenario(name, seed=seed, period=1e-3 * period)
    world = PlanarWorld(scenario, seed)
    guards = both(scenario, limit)
    now = 0.0
    met = set()
    for tick in range(3000):
        readings = world.read()
        problem = None
        estimates = None
        known = True
        now += 1e-3 * period * rng.uniform(0.9, 1.1)
        steady = Steady(now, 0.03 if tick % 701 == 700 else 0.0) if seed else None
        wrong = tick > 1000 and tick % 97 < (3 if tick < 2000 else 60)
        if wrong:
            readings = spoilt(readings, rng)
            problem = (
                Problem("stale input", "imu/data is late")
                if rng.random() < 0.1
                else None
            )
            known = bool(rng.random() < 0.9)
        if 500 < tick < 800:
            estimates = (KNOWN, NO_ESTIMATE)
        if tick % 2:
            readings = own(readings)
        if tick == 900:
            for guarded in guards:
                guarded.retune(
                    SupervisorConfig(grace=0.02),
                    replace(HealthConfig(), stuck_time=0.006),
                )
        if tick == 2900:
            for guarded in guards:
                guarded.stop()
        whole, stages = (
            guarded.step(readings, problem, estimates, known, steady)
            for guarded in guards
        )
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


PLUG_INS = """
from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation.limits import RatioLimit
from biped_slip.friction_estimation.registry import LANDING_ESTIMATOR, make_estimator
from biped_slip.walking.slip_policies import SlipPolicy
from biped_slip.walking.planar import virtual_model


def halved(config, policy, site):
    made = virtual_model(config, policy, site)
    honest = made.step
    made.step = lambda *given: (output := honest(*given))._replace(torques=0.5 * output.torques)
    return made


def borrowed(config, policy, site):
    made = virtual_model(config, policy, site)
    made.step = virtual_model(config, policy, site).step
    return made


@kernel
def one(state, settings, estimate, measurement, dt):
    return None, 1


class Limit(RatioLimit):
    foresees, settings = True, None

    def __init__(self):
        self.kernel = one


def whole_number(argument, settings):
    return SlipPolicy("whole_number", make_estimator(LANDING_ESTIMATOR, settings.estimator), Limit())
"""


@pytest.fixture
def plug_ins(tmp_path):
    file = tmp_path / "plug_ins.py"
    file.write_text(PLUG_INS, encoding="utf-8")
    return lambda name: f"{file}:{name}"


def guarded(scenario, limit, name="virtual_model"):
    """The controller of a node, of a name or of a file."""
    robot = PlanarWorld(scenario).robot
    floor = FloorConfig()
    made = guarded_planar(
        robot,
        scenario.walking,
        limit,
        floor,
        SupervisorConfig(),
        HealthConfig(),
        name=name,
    )
    made.start()
    return made


def test_a_plug_in_that_wraps_the_shipped_step_is_asked(plug_ins):
    scenario = chosen_scenario("thesis")
    readings = PlanarWorld(scenario).read()
    shipped = guarded(scenario, "none").step(readings).output.torques
    wrapped = (
        guarded(scenario, "none", plug_ins("halved")).step(readings).output.torques
    )
    np.testing.assert_array_equal(wrapped, 0.5 * shipped)


@pytest.mark.parametrize("name", ["halved", "borrowed"])
def test_a_plug_in_with_a_step_of_its_own_has_no_whole_tick(name, plug_ins):
    assert not isinstance(
        guarded(chosen_scenario("thesis"), "none", plug_ins(name)), GuardedPlanar
    )


def test_a_limit_that_answers_a_whole_number_limits(plug_ins):
    scenario = chosen_scenario("thesis")
    answer = guarded(scenario, plug_ins("whole_number")).step(
        PlanarWorld(scenario).read()
    )
    assert answer.output.limits == (1.0, 1.0)


@pytest.mark.parametrize("replaced", ["its step", "the controller"])
def test_whoever_replaces_the_controller_is_asked(replaced, monkeypatch):
    scenario = chosen_scenario("thesis")
    whole, stages = both(scenario, "none")
    world = PlanarWorld(scenario)
    asked = []

    def limp(readings, estimates=None):
        asked.append(readings)
        return honest(readings, estimates)._replace(torques=np.zeros(4))

    honest = (
        stages.controller.step
        if replaced == "the controller"
        else whole.controller.step
    )
    if replaced == "the controller":
        whole.controller = stages.controller
    monkeypatch.setattr(whole.controller, "step", limp)
    assert not whole.step(world.read()).torques.any()
    assert len(asked) == 1


def test_readings_of_a_wrong_shape_are_no_own_ones_and_named_also_behind_a_sound_one():
    scenario = chosen_scenario("thesis")
    sound = PlanarWorld(scenario).read()
    (whole, _) = both(scenario, "none")
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
