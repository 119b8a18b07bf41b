# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A healthy walk raises no finding; each broken sensor is found within its time and
under its name."""

import numpy as np
import pytest

from biped_slip.constants import GRAVITY
from biped_slip.estimation.health import HealthConfig
from biped_slip.estimation.planar_health import HealthWatch
from biped_slip.robots.planar_biped import leg_lengths
from biped_slip.simulation.planar.oracle import planar_policy
from biped_slip.simulation.planar.scenario import chosen_scenario
from biped_slip.simulation.planar.walk import Walk

BREAK = 700  # tick
FEET = np.arange(2)


def recorded(name, ticks=3000):
    """Robot, readings and slope of a walk."""
    scenario = chosen_scenario(name, seed=1)
    walk = Walk(scenario, planar_policy("thesis", scenario), 1)
    readings = []
    for _ in range(ticks):
        readings.append(walk.read())
        walk.advance(walk.controller.step(readings[-1]).torques)
    return walk.robot, readings, scenario.ground.slope


@pytest.fixture(scope="module")
def walked():
    return recorded("thesis")


def findings(robot, readings, slope, inject=lambda tick, r: r):
    """Tick and problem of every finding; ``spoil`` acts from the break on."""
    watch = HealthWatch(robot, HealthConfig(), sum(leg_lengths(robot)), slope)
    seen = [
        (tick, watch.step(inject(tick, r) if tick >= BREAK else r, 1e-3))
        for tick, r in enumerate(readings)
    ]
    return [(tick, problem) for tick, problem in seen if problem is not None]


def wrench(readings, change):
    changed = readings.wrench_ground_on_foot_in_sole.copy()
    return readings._replace(wrench_ground_on_foot_in_sole=change(changed))


@pytest.mark.parametrize("name", ["thesis", "thesis_sensors", "torso", "traction"])
def test_a_healthy_walk_raises_no_finding(name):
    assert not findings(*recorded(name))


def stuck_wrench(readings, foot):
    held = readings[BREAK].wrench_ground_on_foot_in_sole[foot].copy()

    def inject(tick, r):
        return wrench(r, lambda w: np.where(FEET[:, None] == foot, held, w))

    return inject


def loaded_foot(readings):
    return int(np.argmax(readings[BREAK].wrench_ground_on_foot_in_sole[:, 2]))


def broken(kind, readings):
    loaded = loaded_foot(readings)
    held = readings[BREAK]
    return {
        "constant wrench": stuck_wrench(readings, loaded),
        "zero wrench": lambda tick, r: wrench(r, lambda w: 0.0 * w),
        "wrong sign": lambda tick, r: wrench(r, lambda w: -w),
        "swapped feet": lambda tick, r: wrench(r, lambda w: w[::-1].copy()),
        "saturated sensor": lambda tick, r: wrench(
            r, lambda w: w + (FEET[:, None] == loaded) * _clip(w)
        ),
        "constant IMU": lambda tick, r: r._replace(
            specific_force_in_base=held.specific_force_in_base,
            angular_velocity_in_base=held.angular_velocity_in_base,
        ),
        "constant odometry": lambda tick, r: r._replace(
            position_base_in_odom=held.position_base_in_odom,
            linear_velocity_in_base=held.linear_velocity_in_base,
        ),
        "unbalanced forces": lambda tick, r: wrench(
            r, lambda w: w + (FEET[:, None] == loaded) * _drift(tick)
        ),
        "wrong velocity": lambda tick, r: r._replace(
            joint_velocity=r.joint_velocity * [1.0, -1.0, 1.0, 1.0]
        ),
        "joint limit": lambda tick, r: r._replace(
            joint_position=r.joint_position + np.array([0.0, 3.0, 0.0, 0.0])
        ),
        "joint speed": lambda tick, r: r._replace(
            joint_velocity=r.joint_velocity + np.array([0.0, 0.0, 40.0, 0.0])
        ),
        "fall": lambda tick, r: r._replace(
            joint_position=np.array([-2.8, 2.5, -2.8, 2.5])
        ),
    }[kind]


def _drift(tick):
    """100 N/s along the vertical axis."""
    return np.where(np.arange(6) == 2, 0.1 * (tick - BREAK), 0.0)


def _clip(values):
    """What brings the vertical axis to 80 N."""
    return np.where(np.arange(6) == 2, 80.0 - values, 0.0)


@pytest.mark.parametrize(
    ("name", "within"),
    [
        ("constant wrench", 6),
        ("zero wrench", 22),
        ("wrong sign", 6),
        ("swapped feet", 150),
        ("saturated sensor", 6),
        ("constant IMU", 6),
        ("constant odometry", 6),
        ("unbalanced forces", 110),
        ("wrong velocity", 60),
        ("joint limit", 0),
        ("joint speed", 0),
        ("fall", 0),
    ],
)
def test_a_broken_sensor_is_named_in_time(walked, name, within):
    robot, readings, _ = walked
    found = [
        (tick, p)
        for tick, p in findings(robot, readings, 0.0, broken(name, readings))
        if p.name == name
    ]
    assert found, "never named"
    assert BREAK <= found[0][0] <= BREAK + within


@pytest.mark.parametrize("axis", [0, 2])
@pytest.mark.parametrize("leap", [0.04, -5.0])
def test_odometry_that_is_somewhere_else_all_of_a_sudden_is_named_at_once_and_for_good(
    walked, axis, leap
):
    robot, readings, slope = walked
    shift = np.where(np.arange(3) == axis, leap, 0.0)
    spoilt = findings(
        robot,
        readings,
        slope,
        lambda _, r: r._replace(position_base_in_odom=r.position_base_in_odom + shift),
    )
    assert [(tick, problem.name) for tick, problem in spoilt[:100]] == [
        (BREAK + k, "wrong twist") for k in range(100)
    ]


@pytest.mark.parametrize("axes", [(0, 1, 2), (0,)])
@pytest.mark.parametrize("factor", [0.0, -1.0, 0.5])
def test_a_twist_that_a_driver_leaves_unfilled_or_turns_is_named_within_50_ms(
    walked, factor, axes
):
    robot, readings, slope = walked
    factors = np.where(np.isin(np.arange(3), axes), factor, 1.0)
    spoilt = findings(
        robot,
        readings,
        slope,
        lambda _, r: r._replace(
            linear_velocity_in_base=factors * r.linear_velocity_in_base
        ),
    )
    assert spoilt[0][0] <= BREAK + 50
    assert spoilt[0][1].name in ("wrong twist", "wrong leg")


def test_encoders_that_stand_still_are_named_as_soon_as_their_velocity_or_their_foot_says_otherwise(
    walked,
):
    robot, readings, slope = walked
    held = readings[BREAK]
    for joints, within in (
        ((0, 1, 2, 3), 20),
        ((0,), 120),
        ((1,), 120),
        ((2,), 120),
        ((3,), 120),
    ):
        which = np.isin(np.arange(4), joints)
        spoilt = findings(
            robot,
            readings,
            slope,
            lambda _, r, which=which: r._replace(
                joint_position=np.where(which, held.joint_position, r.joint_position)
            ),
        )
        assert spoilt[0][0] <= BREAK + within
        assert spoilt[0][1].name in ("wrong velocity", "wrong leg")


def test_the_first_finding_is_the_right_one(walked):
    robot, readings, _ = walked
    for name in (
        "constant wrench",
        "wrong sign",
        "constant IMU",
        "joint limit",
        "fall",
    ):
        assert findings(robot, readings, 0.0, broken(name, readings))[0][1].name == name


@pytest.mark.parametrize(
    "late", [((0,), 20), ((1,), 20), ((0,), 40), ((1,), 100), ((0, 1), 200)], ids=str
)
def test_wrenches_that_come_late_with_fresh_stamps_are_named_within_a_step(
    walked, late
):
    (feet, ticks) = late
    (robot, readings, _) = walked

    def inject(tick, r):
        old = readings[tick - ticks].wrench_ground_on_foot_in_sole
        return wrench(r, lambda w: np.where(np.isin(FEET, feet)[:, None], old, w))

    found = findings(robot, readings, 0.0, inject)
    assert found
    assert {problem.name for _, problem in found} <= {
        "unbalanced forces",
        "swapped feet",
        "wrong sign",
        "wrong leg",
    }


def test_a_wrench_that_is_stuck_under_a_little_noise_is_named_within_a_step(walked):
    robot, readings, _ = walked
    rng, frozen = (
        np.random.default_rng(0),
        stuck_wrench(readings, loaded_foot(readings)),
    )
    found = findings(
        robot,
        readings,
        0.0,
        lambda tick, r: wrench(
            frozen(tick, r), lambda w: w + rng.normal(size=(2, 6)) * 1e-3
        ),
    )
    assert found
    assert {problem.name for _, problem in found} <= {
        "unbalanced forces",
        "swapped feet",
        "wrong leg",
    }


def test_a_force_from_the_side_is_a_push_as_long_as_it_is_short(walked):
    robot, readings, _ = walked
    # across whatever the legs do
    push = np.array([0.0, 0.2 * robot.mass * GRAVITY, *np.zeros(4)])

    def found(length):
        def inject(tick, r):
            pushed = tick < BREAK + length
            return (
                wrench(r, lambda w: w - push * w[:, 2:3] / w[:, 2].sum())
                if pushed
                else r
            )

        return {problem.name for _, problem in findings(robot, readings, 0.0, inject)}

    assert not found(300)
    assert found(700) == {"unbalanced forces"}


@pytest.mark.parametrize("factor", [-1.0, -0.5, 2.0, 4.0])
def test_velocities_that_positions_contradict_are_named_wherever_the_gait_is(
    walked, factor
):
    robot, readings, _ = walked
    for start in range(300, 1400, 100):
        part = readings[start:]
        watch = HealthWatch(robot, HealthConfig(), sum(leg_lengths(robot)), 0.0)
        found = []
        for tick, r in enumerate(part[:90]):
            wrong = r._replace(joint_velocity=factor * r.joint_velocity)
            found += [
                (tick, p.name)
                for p in [watch.step(wrong if tick >= 5 else r, 1e-3)]
                if p is not None
            ]
        assert {name for _, name in found} <= {
            "wrong velocity",
            "wrong leg",
            "joint speed",
            "unbalanced forces",
        }
        assert found, start


def test_a_long_tick_in_which_a_foot_may_have_landed_says_nothing_of_velocities(walked):
    robot, readings, _ = walked
    watch = HealthWatch(robot, HealthConfig(), sum(leg_lengths(robot)), 0.0)
    assert not any(watch.step(r, 0.012) for r in readings[::12])


def test_a_foot_in_the_air_and_a_robot_at_rest_may_stand_still(walked):
    robot, readings, _ = walked
    # on both feet
    rest = readings[250]._replace(
        joint_velocity=np.zeros(4), linear_velocity_in_base=np.zeros(3)
    )
    still = [rest._replace(stamp_ns=tick * 1_000_000) for tick in range(500)]
    assert not findings(robot, still, 0.0)


def test_the_thresholds_are_those_of_the_configuration(walked):
    robot, readings, _ = walked
    watch = HealthWatch(robot, HealthConfig(stuck_time=0.02), 1.0)
    inject = stuck_wrench(readings, loaded_foot(readings))
    seen = [
        tick
        for tick in range(BREAK - 5, BREAK + 40)
        if watch.step(inject(tick, readings[tick]), 1e-3)
    ]
    assert seen[0] >= BREAK + 15


def test_the_legs_in_each_others_place_are_named_at_once_and_the_joints_that_jumped_stay_doubted(
    walked,
):
    """Whatever the joints do afterwards: both accounts of a joint are the other leg's,
    and agree."""
    robot, readings, _ = walked
    for start in range(300, 1400, 100):
        watch = HealthWatch(robot, HealthConfig(), sum(leg_lengths(robot)), 0.0)
        for r in readings[start : start + 5]:
            assert watch.step(r, 1e-3) is None
            assert not watch.doubted.any()
        for r in readings[start + 5 : start + 60]:
            position = np.roll(r.joint_position, 2)
            velocity = np.roll(r.joint_velocity, 2)
            assert (
                watch.step(
                    r._replace(joint_position=position, joint_velocity=velocity), 1e-3
                )
                is not None
            )
        jumped = np.abs(
            np.roll(readings[start + 5].joint_position, 2)
            - readings[start + 4].joint_position
        )
        assert watch.doubted[jumped > 0.05].all()
        watch.reset()
        assert not watch.doubted.any()
