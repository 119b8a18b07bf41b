# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a humanoid's sensors say in frames of their own, as its checks get it, and which
finding goes before which."""

import copy

import numpy as np
import pinocchio as pin
import pytest

from biped_slip.constants import GRAVITY
from biped_slip.estimation.health import (
    FALL,
    JOINT_SPEED,
    SWAPPED_FEET,
    UNBALANCED,
    WELL,
    WRONG_SIGN,
    ZERO_WRENCH,
    HealthConfig,
)
from biped_slip.estimation.humanoid_health import (
    PLACE_COORDINATES,
    THROWN,
    HumanoidWatch,
    humanoid_signals,
    without_foot,
)
from biped_slip.estimation.readings import BaseMotion, HumanoidReadings, RawReadings
from biped_slip.estimation.residuals import gravest_finding, new_memory
from biped_slip.estimation.signals import (
    Balance,
    LoadedJoints,
    Loads,
    Numbers,
    Rows,
    Signals,
    TorqueAnswer,
    Tracked,
    TwoRates,
    WatchedRobot,
    WatchLimits,
)
from biped_slip.robots.humanoid import FOOT_IMUS, FORCE_SENSORS, IMU, load_humanoid
from biped_slip.robots.model_functions import floating_functions
from biped_slip.robots.robot import SOLES


@pytest.fixture(scope="module")
def bolt():
    return load_humanoid("bolt")


@pytest.fixture
def watch(bolt):
    return HumanoidWatch(bolt, HealthConfig())


def signals_of(watch, readings, dt=1e-3):
    """What the residuals of a watch are given."""
    last = watch._memory.joint_way.joints.last.value.copy()
    return humanoid_signals(last, *watch.given(readings), dt)


def turned(model, foot, force_in_sole):
    """The same force in the frame of the force sensor."""
    sole, sensor = (
        model.frames[model.getFrameId(name[foot])].placement.rotation
        for name in (SOLES, FORCE_SENSORS)
    )
    return sensor.T @ sole @ force_in_sole


def raw(watch, wrench=None, seed=None):
    """Readings, all zero or at random."""
    joints = len(watch._joints)
    rng = np.random.default_rng(seed)
    some = (
        (lambda *shape: np.zeros(shape))
        if seed is None
        else (lambda *shape: 0.3 * rng.normal(size=shape))
    )
    told = RawReadings(
        stamp_ns=0,
        joint_position=some(joints),
        joint_velocity=some(joints),
        imu=some(6),
        foot_imus=some(2, 6),
        force_torque=some(2, 6),
    )
    return told if wrench is None else told._replace(force_torque=wrench)


@pytest.mark.parametrize(
    "forces",
    [([11.0, 7.0, 250.0], [0.0, 0.0, 30.0]), ([90.0, -40.0, 5.0], [-3.0, 8.0, 0.5])],
)
def test_the_load_is_the_force_along_the_normal_of_each_sole(watch, bolt, forces):
    wrench = np.zeros((2, 6))
    for foot, force in enumerate(forces):
        wrench[foot, :3] = turned(bolt.model, foot, np.array(force))
    loads = signals_of(watch, HumanoidReadings(raw(watch, wrench))).loads
    np.testing.assert_allclose(loads.load, [force[2] for force in forces])
    assert loads.crossed == loads.load[::-1]


def test_a_foot_that_is_thrown_up_pulls_at_its_own_sensor():
    """Bolt's steps throw its foot up with a twentieth of its weight; a reversed sensor
    pulls with all of it."""
    assert without_foot(-0.8, 1.5) == 0.0
    assert without_foot(-12.0, 1.5) == -10.5
    assert without_foot(3.0, 1.5) == 3.0


@pytest.mark.parametrize("foot", [0, 1])
def test_what_a_thrown_foot_explains_is_its_mass_times_an_acceleration(
    watch, bolt, foot
):
    model = bolt.model
    wrench = np.zeros((2, 6))
    mass = model.inertias[
        model.frames[model.getFrameId(FORCE_SENSORS[foot])].parentJoint
    ].mass
    wrench[foot, :3] = turned(model, foot, np.array([0.0, 0.0, -THROWN * mass - 3.0]))
    load = signals_of(watch, HumanoidReadings(raw(watch, wrench))).loads.load
    assert load[foot] == pytest.approx(-3.0)
    assert load[1 - foot] == 0.0


def test_the_checks_know_weight_and_standing_height_of_the_robot(watch, bolt):
    robot, config = watch._limits
    assert robot.weight == pytest.approx(bolt.weight)
    model = bolt.model
    data = bolt.model.createData()
    pin.framesForwardKinematics(
        model, data, np.concatenate((pin.neutral(model)[:7], bolt.posture))
    )
    lowest = min(data.oMf[model.getFrameId(sole)].translation[2] for sole in SOLES)
    assert robot.height == pytest.approx(-lowest)
    assert (robot.slope, config) == (0.0, HealthConfig().packed)
    np.testing.assert_array_equal(robot.speed, bolt.robot.velocity_limits)
    np.testing.assert_array_equal(robot.effort, bolt.efforts)
    np.testing.assert_array_equal(robot[:2], bolt.robot.position_limits)


def test_the_standing_height_is_that_over_the_lower_sole(bolt):
    bent = copy.copy(bolt)
    posture = np.array(bolt.posture)
    posture[len(posture) // 2 :] *= 0.5  # one leg is longer
    object.__setattr__(bent, "posture", posture)
    made = HumanoidWatch(bent, HealthConfig())
    left, right = made._body.soles[:, 2]
    assert abs(left - right) > 0.01
    assert made._limits.robot.height == pytest.approx(-min(left, right))


def test_every_sensor_arrives_where_the_checks_expect_it(watch):
    sensors = raw(watch, seed=1)
    told = signals_of(watch, HumanoidReadings(sensors))
    np.testing.assert_array_equal(told.base.value, np.zeros(PLACE_COORDINATES))
    np.testing.assert_array_equal(told.base.rate, np.zeros(PLACE_COORDINATES))
    # points land too hard to be compared
    np.testing.assert_array_equal(told.swing.value, np.full(6, np.nan))
    np.testing.assert_array_equal(told.swing.rate, watch._body.pull.ravel())
    np.testing.assert_array_equal(told.joints.moved.value, sensors.joint_position)
    np.testing.assert_array_equal(told.joints.moved.rate, sensors.joint_velocity)
    for foot, normal in enumerate(watch._feet.normal):
        force = sensors.force_torque[foot, :3]
        along = force - normal * (normal @ force)
        np.testing.assert_allclose(told.joints.pull[foot], along, atol=1e-9)
    np.testing.assert_array_equal(told.wrenches.values, sensors.force_torque)
    np.testing.assert_array_equal(
        told.imu.values, [[*sensors.imu[3:], *sensors.imu[:3]]]
    )
    np.testing.assert_array_equal(told.odometry.values, np.zeros((1, 6)))
    assert told.loads.specific_force_squared == pytest.approx(
        np.sum(sensors.imu[3:] ** 2)
    )


def test_joints_have_moved_when_they_are_elsewhere_than_at_the_last_reading(watch):
    readings = HumanoidReadings(raw(watch, seed=1))
    assert signals_of(watch, readings).imu.moved
    watch.step(readings, 1e-3)
    assert not signals_of(watch, readings).imu.moved


def test_a_base_that_is_told_gives_place_speed_odometry_and_what_is_up(watch, bolt):
    sensors = raw(watch, seed=2)
    rotation = pin.exp3(np.array([0.2, -0.3, 0.4]))
    base = BaseMotion(
        pin.Quaternion(rotation).coeffs(), *np.arange(1.0, 10.0).reshape(3, 3)
    )
    told = signals_of(watch, HumanoidReadings(sensors, base))
    np.testing.assert_array_equal(told.base.value, [4.0, 5.0])
    speed = rotation @ base.linear_velocity_in_base
    np.testing.assert_allclose(told.base.rate, speed[:2])
    np.testing.assert_array_equal(
        told.odometry.values, [[4.0, 5.0, 6.0, 7.0, 8.0, 9.0]]
    )
    model = bolt.model
    data = bolt.model.createData()
    pin.framesForwardKinematics(
        model, data, np.concatenate((pin.neutral(model)[:7], sensors.joint_position))
    )
    expected = [
        (rotation @ data.oMf[model.getFrameId(sole)].translation)[2] for sole in SOLES
    ]
    assert told.loads.sole_height == pytest.approx(expected)
    assert told.loads.base_height == 0.0


def test_a_finding_is_told_in_words_with_its_number(watch):
    sensors = raw(watch)
    fast = np.zeros(len(watch._joints))
    fast[1] = 1.01 * watch._limits.robot.speed[1]
    problem = watch.step(HumanoidReadings(sensors._replace(joint_velocity=fast)), 1e-3)
    assert problem.name == "joint speed"
    assert watch._joints[1] in problem.detail
    assert problem.severe


def test_other_thresholds_and_a_new_start_are_taken(watch):
    other = HealthConfig(stuck_time=1.0)
    watch.retune(other)
    assert watch._held.value[1].config == other.packed
    before = watch._memory
    watch.step(HumanoidReadings(raw(watch, seed=1)), 1e-3)
    assert not np.isnan(before.joint_way.joints.last.value).any()
    watch.reset()
    assert np.isnan(watch._memory.joint_way.joints.last.value).all()
    assert watch.doubted is watch._memory.joint_way.joints.account.doubt


def test_the_carried_body_feels_in_the_axes_of_the_base_what_its_sensors_say_in_theirs(
    watch, bolt
):
    sensors = raw(watch, seed=3)
    balance = signals_of(watch, HumanoidReadings(sensors)).balance
    model = bolt.model
    data = bolt.model.createData()
    q = np.concatenate((pin.neutral(model)[:7], sensors.joint_position))
    pin.forwardKinematics(
        model, data, q, np.concatenate((np.zeros(6), sensors.joint_velocity))
    )
    pin.updateFramePlacements(model, data)
    imu = model.getFrameId(IMU)
    feet = [model.getFrameId(name) for name in FORCE_SENSORS]
    hanging = sum(model.inertias[model.frames[foot].parentJoint].mass for foot in feet)
    carried = bolt.weight / GRAVITY - hanging
    felt = data.oMf[imu].rotation @ sensors.imu[3:]
    np.testing.assert_allclose(balance.carried[:3], carried * felt, atol=1e-9)
    joints = pin.getFrameVelocity(model, data, imu, pin.LOCAL_WORLD_ALIGNED).angular
    turning = data.oMf[imu].rotation @ sensors.imu[:3] - joints
    upper = model.copy()
    for foot in feet:
        upper.inertias[model.frames[foot].parentJoint] = pin.Inertia.Zero()
    moves = np.concatenate((np.zeros(3), turning, sensors.joint_velocity))
    momentum = pin.computeCentroidalMomentum(
        upper, upper.createData(), q, moves
    ).angular
    np.testing.assert_allclose(balance.momentum[3:], momentum, atol=1e-12)
    np.testing.assert_allclose(
        balance.carried[3:], np.cross(turning, momentum), atol=1e-12
    )
    wrenches = [
        data.oMf[foot].act(pin.Force(sensors.force_torque[i]))
        for i, foot in enumerate(feet)
    ]
    centre = pin.centerOfMass(upper, upper.createData(), q)
    whole = sum((one.vector for one in wrenches), np.zeros(6))
    np.testing.assert_allclose(balance.load[:3], whole[:3], atol=1e-12)
    np.testing.assert_allclose(
        balance.load[3:], whole[3:] - np.cross(centre, whole[:3]), atol=1e-12
    )


JOINTS = 2
DT = 2.0**-10
CONFIG = HealthConfig(contradiction_time=4 * DT).packed
ROBOT = WatchedRobot(
    lower=np.full(JOINTS, -1.0),
    upper=np.full(JOINTS, 1.0),
    speed=np.full(JOINTS, 9.0),
    effort=np.full(JOINTS, 99.0),
    weight=256.0,
    height=1.0,
    slope=0.0,
    force_offset=0.0,
)
ROWS = Rows(
    base=PLACE_COORDINATES,
    joints=JOINTS,
    swing=6,
    foot_rates=6,
    acceleration=0,
    torques=0,
)
HELD = np.array([0.0, 0.0, GRAVITY, 0.0, 0.0, 0.0])
WEIGHT = np.array([0.0, 0.0, 256.0, 0.0, 0.0, 0.0])
STANDS = Balance(WEIGHT, WEIGHT, np.zeros(6), HELD[:3] / GRAVITY)
HALF = 128.0, 128.0
find = gravest_finding()


def checked(
    ticks, load=HALF, up=(-1.0, -1.0), memory=None, balance=STANDS, imu=HELD, speed=0.0
):
    """Findings of a robot at rest at which something is wrong."""
    memory = new_memory(ROWS) if memory is None else memory
    none = np.zeros(0)
    signals = Signals(
        base=Tracked(np.zeros(PLACE_COORDINATES), np.zeros(PLACE_COORDINATES)),
        joints=LoadedJoints(
            Tracked(np.zeros(JOINTS), np.array([0.0, speed])),
            np.zeros((2, 3)),
            (0.0, 0.0),
        ),
        swing=Tracked(np.zeros(6), np.zeros(6)),
        foot_rates=TwoRates(np.zeros(6), np.zeros(6)),
        acceleration=TwoRates(none, none),
        torques=TorqueAnswer(none, none, np.zeros((0, 2))),
        balance=balance,
        wrenches=Numbers(np.zeros((2, 6)), False),
        imu=Numbers(imu[None], False),
        odometry=Numbers(np.zeros((1, 6)), False),
        loads=Loads(
            load=load,
            crossed=load[::-1],
            sole_height=up,
            base_height=0.0,
            specific_force_squared=float(imu[:3] @ imu[:3]),
        ),
    )
    limits = WatchLimits(ROBOT, CONFIG)
    return [find(memory, signals, limits, DT) for _ in range(ticks)]


def test_a_humanoid_that_stands_raises_no_finding():
    assert set(checked(400)) == {(WELL, 0)}


@pytest.mark.parametrize("foot", [0, 1])
def test_a_floor_that_pulls_at_a_foot_has_the_wrong_sign_and_a_loaded_foot_in_the_air_is_swapped(
    foot,
):
    pulled = [200.0, 200.0]
    loaded = [0.0, 0.0]
    up = [-1.0, -1.0]
    pulled[foot] = -100.0
    loaded[foot] = 256.0
    up[foot] = -0.5
    assert checked(5, tuple(pulled))[-1] == (WRONG_SIGN, foot)
    assert checked(5, tuple(loaded), tuple(up))[-1] == (SWAPPED_FEET, foot)


def test_no_load_on_a_robot_that_is_held_up_and_forces_that_nothing_explains_are_found():
    assert checked(60, (0.0, 0.0))[-1] == (ZERO_WRENCH, 0)
    assert checked(400, balance=STANDS._replace(load=2.0 * WEIGHT))[-1] == (
        UNBALANCED,
        0,
    )


def test_a_fall_goes_before_what_contradicts_itself():
    memory = new_memory(ROWS)
    pulls = -100.0, 200.0
    assert checked(9, pulls, (-0.1, -0.1), memory)[-1] == (FALL, 0)
    assert checked(1, pulls, memory=memory)[-1] == (WRONG_SIGN, 0)
    assert checked(1, speed=9.5)[-1] == (JOINT_SPEED, 1)


def test_a_foot_turns_as_the_base_and_the_joints_between_turn_it(watch, bolt):
    sensors = raw(watch, seed=4)
    model = bolt.model
    data = bolt.model.createData()
    rates = signals_of(watch, HumanoidReadings(sensors)).foot_rates
    turning = watch._body.turning
    np.testing.assert_array_equal(rates.measured, sensors.foot_imus[:, :3].ravel())
    q = np.concatenate((pin.neutral(model)[:7], sensors.joint_position))
    v = np.concatenate((np.zeros(3), turning, sensors.joint_velocity))
    pin.forwardKinematics(model, data, q, v)
    expected = [
        pin.getFrameVelocity(model, data, model.getFrameId(name), pin.LOCAL).angular
        for name in FOOT_IMUS
    ]
    np.testing.assert_allclose(rates.expected, np.concatenate(expected), atol=1e-12)


@pytest.mark.parametrize("stuck", [None, *range(6)])
def test_an_encoder_that_is_stuck_within_its_noise_is_named_once_its_joint_has_moved_by_some_milliradians(
    bolt, stuck
):
    """The joints turn evenly, the base rests; the feet's gyroscopes say what the legs
    truly do."""
    watch = HumanoidWatch(bolt, HealthConfig())
    rng = np.random.default_rng(0)
    model = bolt.model
    data = bolt.model.createData()
    rate = np.full(6, 0.4)
    for tick in range(60):
        joints = bolt.posture + 1e-3 * tick * rate
        q = np.concatenate((pin.neutral(model)[:7], joints))
        v = np.concatenate((np.zeros(6), rate))
        pin.forwardKinematics(model, data, q, v)
        told = [joints.copy(), rate.copy()]
        foot_imus = np.zeros((2, 6))
        for foot, name in enumerate(FOOT_IMUS):
            foot_imus[foot, :3] = pin.getFrameVelocity(
                model, data, model.getFrameId(name), pin.LOCAL
            ).angular
        foot_imus += 1e-3 * rng.standard_normal((2, 6))
        if stuck is not None:
            told[0][stuck] = bolt.posture[stuck] + 1e-5 * rng.standard_normal()
            told[1][stuck] = 0.0
        problem = watch.step(
            HumanoidReadings(
                RawReadings(0, *told, np.zeros(6), foot_imus, np.zeros((2, 6)))
            ),
            1e-3,
        )
        if problem is not None:
            break
    if stuck is None:
        assert problem is None
    else:
        assert problem.name == "wrong leg"
        assert ("left" if stuck < 3 else "right") in problem.detail
        assert rate[0] * 1e-3 * tick < 0.02


# [m/s^2] of the base's acceleration, of each accelerometer
SWAYED = 1.0
NOISE = 0.03


def swaying(humanoid, ticks, rng):
    """Readings of a robot that falls freely, is pushed to and fro and moves its joints:
    nothing stands on a floor."""
    functions = floating_functions(humanoid.robot)
    model = humanoid.model
    phases = rng.uniform(0.0, 2.0 * np.pi, model.nv)
    axes = np.full(model.nv, 0.05)
    axes[:3] = SWAYED / (4.0 * np.pi) ** 2
    axes[3:6] = 0.02
    for tick in range(ticks):
        angle = 4.0 * np.pi * 1e-3 * tick + phases
        q = pin.integrate(
            model,
            humanoid.standing(),
            np.concatenate((np.zeros(6), axes[6:] * np.sin(angle[6:]))),
        )
        v = 4.0 * np.pi * axes * np.cos(angle)
        a = -((4.0 * np.pi) ** 2) * axes * np.sin(angle)
        v[3:6], a[3:6], a[2] = 0.0, 0.0, a[2] - GRAVITY
        imu = np.zeros(6)
        foot_imus = np.zeros((2, 6))
        wrenches = np.zeros((2, 6))
        functions.sensor_readings(
            functions.generated, q, v, a, np.zeros((2, 6)), imu, foot_imus, wrenches
        )
        imu[3:] += NOISE * rng.standard_normal(3)
        foot_imus[:, 3:] += NOISE * rng.standard_normal((2, 3))
        yield RawReadings(
            stamp_ns=1_000_000 * tick,
            joint_position=q[7:].copy(),
            joint_velocity=v[6:].copy(),
            imu=imu,
            foot_imus=foot_imus,
            force_torque=wrenches,
        )


@pytest.fixture(scope="module")
def talos():
    return load_humanoid("talos")


def accelerometers(raw):
    """Base and feet, as one."""
    return [raw.imu, *raw.foot_imus]


ACCELEROMETER_FAULTS = {
    "negated": lambda now, held: -now,
    "unfilled": lambda now, held: 0.0 * now,
    "stuck within its noise": lambda now, held: held,
    "twice as much": lambda now, held: 2.0 * now,
    "off": lambda now, held: now + 1.0,
}


@pytest.mark.parametrize("which", [0, 1, 2])
@pytest.mark.parametrize("fault", ACCELEROMETER_FAULTS)
def test_an_accelerometer_of_base_or_foot_that_does_not_say_how_they_move_is_named_within_a_sway(
    talos, which, fault
):
    rng = np.random.default_rng(which)
    watch = HumanoidWatch(talos, HealthConfig())
    record = list(swaying(talos, 700, rng))
    held = accelerometers(record[299])[which][3:].copy()
    for tick, raw_now in enumerate(record):
        if tick >= 300:
            one = accelerometers(raw_now)[which]
            one[3:] = ACCELEROMETER_FAULTS[fault](
                one[3:], held + NOISE * rng.standard_normal(3)
            )
        problem = watch.step(HumanoidReadings(raw_now), 1e-3)
        if problem is not None and problem.name == "wrong twist":
            break
    assert 300 <= tick < 600


def test_sound_accelerometers_agree_however_the_robot_is_thrown_about(talos):
    for seed in range(5):
        watch = HumanoidWatch(talos, HealthConfig())
        for raw_now in swaying(talos, 700, np.random.default_rng(seed)):
            watch.step(HumanoidReadings(raw_now), 1e-3)
            assert not watch._memory.foot_swing.account.doubt.any()
