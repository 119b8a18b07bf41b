# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The floating-base filter against the group's mathematics, an ensemble drawn from its
own model, and slipping feet."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from scipy.linalg import expm, logm
from scipy.spatial.transform import Rotation

from biped_slip.errors import InvalidParameter
from biped_slip.estimation.floating_base import (
    ContactInputs,
    ContactNoiseConfig,
    FloatingBaseConfig,
    FloatingBaseEstimator,
    Legs,
    MeanImu,
    contact_step,
    filter_step,
    share_of_limit,
    start,
)
from biped_slip.estimation.invariant_filter import (
    BaseState,
    ImuNoise,
    correct,
    gammas,
    propagate,
    quaternion_of,
    rotation_of,
    skew,
    touch_down,
)
from biped_slip.estimation.readings import SensorReadings
from biped_slip.friction_estimation.types import NO_ESTIMATE

G = np.array([0.0, 0.0, -9.81])
SILENT = ImuNoise(0.0, 0.0, 0.0, 0.0)
STILL = np.zeros(2)
WEIGHT = 300.0


def rotation_by(vector):
    return expm(skew(np.asarray(vector, dtype=float)))


def some_state(rng, covariance=None, bias=0.0):
    return BaseState(
        rotation=rotation_by(rng.normal(size=3)),
        velocity=rng.normal(size=3),
        position=rng.normal(size=3),
        feet=rng.normal(size=(2, 3)),
        gyro_bias=bias * rng.normal(size=3),
        accelerometer_bias=bias * rng.normal(size=3),
        covariance=np.zeros((21, 21)) if covariance is None else covariance,
        in_contact=np.array([True, True]),
    )


def as_matrix(state):
    """The state as an element (7, 7) of SE_4(3)."""
    matrix = np.eye(7)
    matrix[:3, :3] = state.rotation
    matrix[:3, 3:] = np.column_stack(
        [state.velocity, state.position, state.feet[0], state.feet[1]]
    )
    return matrix


def error_between(estimate, true):
    """Right-invariant error (15,) and bias errors (6,): what the covariance is about."""
    algebra = np.real(logm(as_matrix(estimate) @ np.linalg.inv(as_matrix(true))))
    turn = [algebra[2, 1], algebra[0, 2], algebra[1, 0]]
    biases = [
        estimate.gyro_bias - true.gyro_bias,
        estimate.accelerometer_bias - true.accelerometer_bias,
    ]
    return np.concatenate([turn, algebra[:3, 3:].T.ravel(), *biases])


def moved_by(error, state):
    """The state with that error: the group's exponential from the left."""
    algebra = np.zeros((7, 7))
    algebra[:3, :3] = skew(error[:3])
    algebra[:3, 3:] = error[3:15].reshape(4, 3).T
    matrix = expm(algebra) @ as_matrix(state)
    return state._replace(
        rotation=matrix[:3, :3].copy(),
        velocity=matrix[:3, 3].copy(),
        position=matrix[:3, 4].copy(),
        feet=matrix[:3, 5:].T.copy(),
        gyro_bias=state.gyro_bias + error[15:18],
        accelerometer_bias=state.accelerometer_bias + error[18:],
    )


@pytest.mark.parametrize("length", [0.0, 1e-6, 5e-3, 0.0101, 0.5, 3.0])
def test_the_three_matrices_are_their_series(length):
    phi = length * np.array([0.6, -0.48, 0.64])
    cross = skew(phi)
    found = gammas(phi)
    for order, matrix in enumerate(found):
        series = sum(
            np.linalg.matrix_power(cross, n) / math.factorial(n + order)
            for n in range(40)
        )
        np.testing.assert_allclose(matrix, series, atol=1e-12)
    np.testing.assert_allclose(
        rotation_of(quaternion_of(found[0])), found[0], atol=1e-12
    )


@pytest.mark.parametrize(
    "axis", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.6, -0.48, 0.64)]
)
@pytest.mark.parametrize("short", [0.0, 1e-12, 1e-6])
def test_half_a_turn_has_a_quaternion_too(axis, short):
    turn = Rotation.from_rotvec((math.pi - short) * np.array(axis)).as_matrix()
    found = quaternion_of(turn)
    assert found[3] >= 0.0
    np.testing.assert_allclose(rotation_of(found), turn, atol=1e-12)


def test_without_bias_and_noise_the_logarithm_of_the_error_moves_linearly_however_large_it_is():
    rng = np.random.default_rng(0)
    for _ in range(5):
        true = some_state(rng)
        error = 0.6 * np.r_[rng.normal(size=15), np.zeros(6)]
        dt = 0.01
        estimate = moved_by(error, true)
        transition = np.eye(15)
        transition[3:6, :3] = dt * skew(G)
        transition[6:9, :3], transition[6:9, 3:6] = (
            0.5 * dt**2 * skew(G),
            dt * np.eye(3),
        )
        expected = error[:15]
        for _ in range(50):
            turn = rng.normal(size=3)
            felt = 10.0 * rng.normal(size=3)
            true = propagate(true, turn, felt, STILL, SILENT, dt)
            estimate = propagate(estimate, turn, felt, STILL, SILENT, dt)
            expected = transition @ expected
        np.testing.assert_allclose(
            error_between(estimate, true)[:15], expected, atol=1e-8
        )


def test_the_covariance_moves_as_small_errors_do_biases_included():
    rng = np.random.default_rng(1)
    dt = 1e-3
    step = 1e-6
    turn = rng.normal(size=3)
    felt = 10.0 * rng.normal(size=3)
    true = some_state(rng)
    after = propagate(true, turn, felt, STILL, SILENT, dt)
    jacobian = np.empty((21, 21))
    for k in range(21):
        error = step * np.eye(21)[k]
        moved = propagate(moved_by(error, true), turn, felt, STILL, SILENT, dt)
        jacobian[:, k] = error_between(moved, after) / step
    root = rng.normal(size=(21, 21))
    spread = propagate(
        true._replace(covariance=root @ root.T), turn, felt, STILL, SILENT, dt
    ).covariance
    np.testing.assert_allclose(
        spread, jacobian @ root @ root.T @ jacobian.T, rtol=2e-3, atol=2e-3
    )


def test_a_correction_is_the_kalman_filters_of_small_errors():
    rng = np.random.default_rng(2)
    root = 1e-3 * rng.normal(size=(21, 21))
    state = some_state(rng, root @ root.T)
    spread = 1e-6 * np.diag([1.0, 2.0, 3.0])
    for foot in (0, 1):
        seen = state.rotation.T @ (
            state.feet[foot] - state.position
        ) + 1e-3 * rng.normal(size=3)
        sight = np.zeros((3, 21))
        sight[:, 6:9], sight[:, 9 + 3 * foot : 12 + 3 * foot] = np.eye(3), -np.eye(3)
        noise = state.rotation @ spread @ state.rotation.T
        gain = (
            state.covariance
            @ sight.T
            @ np.linalg.inv(sight @ state.covariance @ sight.T + noise)
        )
        rest = np.eye(21) - gain @ sight
        found = correct(state, foot, seen, spread)
        expected = rest @ state.covariance @ rest.T + gain @ noise @ gain.T
        np.testing.assert_allclose(found.covariance, expected, atol=1e-15)
        residual = state.rotation @ seen + state.position - state.feet[foot]
        np.testing.assert_allclose(
            error_between(found, state), -gain @ residual, atol=1e-12
        )


class Sample(NamedTuple):
    readings: SensorReadings
    legs: Legs
    normal: np.ndarray
    true: BaseState


def readings_of(stamp, state, turn, felt):
    return SensorReadings(
        stamp_ns=stamp,
        joint_position=np.zeros(0),
        joint_velocity=np.zeros(0),
        orientation_base_in_world=quaternion_of(state.rotation),
        angular_velocity_in_base=turn,
        specific_force_in_base=felt,
        position_base_in_odom=state.position.copy(),
        linear_velocity_in_base=state.rotation.T @ state.velocity,
        wrench_ground_on_foot_in_sole=np.zeros((2, 6)),
    )


def walk(rng, config, seconds=1.5, dt=4e-3, sliding=None, first=None):
    """A base that sways and turns over feet that take turns, drawn from the filter's
    own noise; yields samples."""
    contact = config.contact
    spread = config.kinematics**2 * np.eye(3)
    true = first or BaseState(
        rotation=rotation_by([0.05, -0.04, 0.3]),
        velocity=np.array([0.2, 0.0, 0.0]),
        position=np.array([1.0, -2.0, 0.8]),
        feet=np.array([[1.0, -1.9, 0.0], [1.0, -2.1, 0.0]]),
        gyro_bias=config.start_gyro_bias * rng.standard_normal(3),
        accelerometer_bias=config.start_accelerometer_bias * rng.standard_normal(3),
        covariance=np.zeros((21, 21)),
        in_contact=np.array([True, True]),
    )
    ages = np.full(2, -1.0)
    for k in range(round(seconds / dt)):
        time = k * dt
        turn = np.array([0.3 * math.sin(7.0 * time), 0.4 * math.cos(5.0 * time), 0.5])
        pull = np.array(
            [
                1.5 * math.cos(6.0 * time),
                1.0 * math.sin(4.0 * time),
                0.8 * math.sin(9.0 * time),
            ]
        )
        felt = true.rotation.T @ (pull - G)
        normal = WEIGHT * np.array([0.5, 0.5])
        swing = int(time / 0.3) % 4
        if swing in (1, 3):
            normal = WEIGHT * np.eye(2)[swing // 2]
        silent = propagate(
            true,
            turn + true.gyro_bias,
            felt + true.accelerometer_bias,
            STILL,
            SILENT,
            dt,
        )
        feet = true.feet.copy()
        for foot in (0, 1):
            ages[foot], density = contact_step(
                ages[foot], normal[foot], WEIGHT, False, -1.0, config.contact.packed, dt
            )
            feet[foot] += density * math.sqrt(dt) * rng.standard_normal(3)
            if ages[foot] < 0.0:  # it swings to another place
                feet[foot] = silent.position + silent.rotation @ np.array(
                    [0.1, 0.1 - 0.2 * foot, -0.8]
                )
            if sliding is not None:
                feet[foot] += dt * sliding(foot, time)
        white = config.gyro_density, config.accelerometer_density
        noise = [density / math.sqrt(dt) * rng.standard_normal(3) for density in white]
        walks = [
            d * math.sqrt(dt) * rng.standard_normal(3)
            for d in (config.gyro_bias_walk, config.accelerometer_bias_walk)
        ]
        seen = (
            turn + true.gyro_bias + noise[0],
            felt + true.accelerometer_bias + noise[1],
        )
        true = silent._replace(
            feet=feet,
            gyro_bias=true.gyro_bias + walks[0],
            accelerometer_bias=true.accelerometer_bias + walks[1],
        )
        places = (
            true.feet - true.position
        ) @ true.rotation + config.kinematics * rng.standard_normal((2, 3))
        stamp = round(1e9 * (k + 1) * dt)
        yield Sample(
            readings_of(stamp, true, *seen),
            Legs(places, np.array([spread, spread])),
            normal,
            true,
        )
    assert contact.slide > 0.0


def begun(rng, config, true):
    """An estimator whose first error is drawn from its own doubts."""
    estimator = FloatingBaseEstimator(WEIGHT, config)
    first = start(readings_of(0, true, np.zeros(3), np.zeros(3)), config)
    error = np.linalg.cholesky(
        first.base.covariance + 1e-18 * np.eye(21)
    ) @ rng.standard_normal(21)
    error[15:] = first.base.gyro_bias.tolist() + first.base.accelerometer_bias.tolist()
    begun = moved_by(error, true)._replace(
        gyro_bias=np.zeros(3), accelerometer_bias=np.zeros(3)
    )
    estimator.step(
        readings_of(0, begun, np.zeros(3), np.zeros(3)),
        Legs(np.zeros((2, 3)), np.zeros((2, 3, 3))),
        STILL,
    )
    return estimator


def observable(state):
    """What the sensors tell: tilt, velocity and feet in contact in the base, biases;
    place and heading they don't."""
    inward = state.rotation.T
    feet = [
        inward @ (state.feet[foot] - state.position)
        for foot in (0, 1)
        if state.in_contact[foot]
    ]
    return np.concatenate(
        [
            inward[:2, 2],
            inward @ state.velocity,
            state.gyro_bias,
            state.accelerometer_bias,
            *feet,
        ]
    )


def doubt(state):
    """Covariance of what is observable, by small errors."""
    step = 1e-6
    at = observable(state)
    jacobian = np.column_stack(
        [(observable(moved_by(step * e, state)) - at) / step for e in np.eye(21)]
    )
    return jacobian @ state.covariance @ jacobian.T


def test_over_an_ensemble_from_its_own_model_the_error_is_as_large_as_it_says():
    """Normalised squared error of all that is observable has mean 1 a dimension; its sd
    over runs is 0.06."""
    config = FloatingBaseConfig()
    shares = []
    velocity = []
    for seed in range(16):
        rng = np.random.default_rng([11, seed])
        samples = list(walk(rng, config))
        # the walk's first state, drawn with the same generator, is what the estimator
        # begins with
        again = np.random.default_rng([11, seed])
        first = BaseState(
            rotation=rotation_by([0.05, -0.04, 0.3]),
            velocity=np.array([0.2, 0.0, 0.0]),
            position=np.array([1.0, -2.0, 0.8]),
            feet=np.array([[1.0, -1.9, 0.0], [1.0, -2.1, 0.0]]),
            gyro_bias=config.start_gyro_bias * again.standard_normal(3),
            accelerometer_bias=config.start_accelerometer_bias
            * again.standard_normal(3),
            covariance=np.zeros((21, 21)),
            in_contact=np.array([True, True]),
        )
        estimator = begun(rng, config, first)
        for k, sample in enumerate(samples):
            estimator.step(sample.readings, sample.legs, sample.normal)
            if k % 75 == 74:
                state = estimator.state.base
                error = observable(state) - observable(
                    sample.true._replace(in_contact=state.in_contact)
                )
                shares.append(error @ np.linalg.solve(doubt(state), error) / error.size)
        velocity.append(
            np.linalg.norm(
                state.rotation.T @ state.velocity
                - sample.true.rotation.T @ sample.true.velocity
            )
        )
    assert np.mean(shares) == pytest.approx(1.0, abs=0.2)
    assert np.median(velocity) < 0.03


def test_forgetting_place_and_heading_changes_nothing_that_sensors_tell():
    """The doubts that are dropped belong to directions which no sample corrects (but
    for the linearised biases)."""
    config = FloatingBaseConfig()
    rng = np.random.default_rng(8)
    samples = list(walk(rng, config))
    estimator = begun(rng, config, samples[0].true)
    begin = estimator.state
    remembers = begin._replace(
        base=BaseState(*(part.copy() for part in begin.base)), ages=begin.ages.copy()
    )
    for k, sample in enumerate(samples):
        contacts = ContactInputs(
            sample.normal, np.zeros(2, dtype=bool), np.full(2, -1.0)
        )
        imu = MeanImu(
            sample.readings.angular_velocity_in_base,
            sample.readings.specific_force_in_base,
        )
        remembers = filter_step(
            remembers, imu, sample.legs, contacts, estimator.settings, 4e-3
        )
        found = estimator.step(sample.readings, sample.legs, sample.normal)
        if k % 75 == 74:
            apart = np.abs(
                observable(estimator.state.base) - observable(remembers.base)
            )
            sd, as_before = (
                np.sqrt(np.diag(doubt(state.base)))
                for state in (estimator.state, remembers)
            )
            assert np.all(apart < 0.01 * sd)
            np.testing.assert_allclose(sd, as_before, rtol=0.01)
    assert np.linalg.norm(found.position_base_in_world - sample.true.position) < 0.05


def sideways(way, seconds=6.0):
    """Largest speed [m/s] of the estimated place of a base that rests, ``way`` [m] from
    where it began."""
    config = FloatingBaseConfig()
    rng = np.random.default_rng(9)
    estimator = FloatingBaseEstimator(WEIGHT, config)
    here = BaseState(
        rotation=np.eye(3),
        velocity=np.zeros(3),
        position=np.zeros(3),
        feet=np.array([[0.0, 0.1, -0.8], [0.0, -0.1, -0.8]]),
        gyro_bias=np.zeros(3),
        accelerometer_bias=np.zeros(3),
        covariance=np.zeros((21, 21)),
        in_contact=np.array([True, True]),
    )
    dt = 4e-3
    places = []
    white = config.gyro_density / math.sqrt(4e-3)
    legs = Legs(here.feet, np.tile(config.kinematics**2 * np.eye(3), (2, 1, 1)))
    for k in range(round(seconds / dt)):
        stamp = round(1e9 * (k + 1) * dt)
        standing = 0.5 * WEIGHT * np.ones(2)
        standing[k // 75 % 2] *= 0.0 if k // 25 % 3 == 0 else 1.0  # feet take turns
        seen = legs._replace(
            places=legs.places + config.kinematics * rng.standard_normal((2, 3))
        )
        found = estimator.step(
            readings_of(stamp, here, white * rng.standard_normal(3), -G), seen, standing
        )
        # its doubts are those of a robot that has come here from the world's origin
        if k == 25:
            estimator.state.base.position[0] += way
            estimator.state.base.feet[:, 0] += way
        places.append(found.position_base_in_world.copy())
    return np.abs(np.diff(np.array(places)[150:], axis=0)).max() / dt


def test_the_place_does_not_swing_about_where_a_long_walk_began():
    """A gyro's bias that is better known turned the whole way: 300 m of it went aside,
    faster than any foot follows."""
    assert sideways(300.0) < 1.2 * sideways(0.0)


def test_translating_and_turning_the_world_changes_nothing_but_that():
    """Same samples, another origin and heading: tilt, velocity in the base and biases
    are the same to rounding."""
    config = FloatingBaseConfig()
    rng = np.random.default_rng(5)
    samples = list(walk(rng, config, seconds=0.8))
    turn = rotation_by([0.0, 0.0, 2.1])
    shift = np.array([120.0, -40.0, 3.0])
    # adjoint of the turn; the shift's part is carried by the rotation's columns
    group = np.kron(np.eye(5), turn)
    arm = np.zeros((15, 3))
    for row in (6, 9, 12):
        arm[row : row + 3] = skew(shift) @ turn
    group[:, :3] += arm
    adjoint = np.eye(21)
    adjoint[:15, :15] = group
    one = FloatingBaseEstimator(WEIGHT, config)
    other = FloatingBaseEstimator(WEIGHT, config)
    for estimator in (one, other):
        estimator.step(samples[0].readings, samples[0].legs, samples[0].normal)
    here = other.state.base
    other.state = other.state._replace(
        base=here._replace(
            rotation=turn @ here.rotation,
            velocity=turn @ here.velocity,
            position=turn @ here.position + shift,
            feet=here.feet @ turn.T + shift,
            covariance=adjoint @ here.covariance @ adjoint.T,
        )
    )
    for sample in samples[1:]:
        a, b = (
            e.step(sample.readings, sample.legs, sample.normal) for e in (one, other)
        )
    np.testing.assert_allclose(
        a.linear_velocity_in_base, b.linear_velocity_in_base, atol=1e-8
    )
    np.testing.assert_allclose(
        a.angular_velocity_in_base, b.angular_velocity_in_base, atol=1e-10
    )
    np.testing.assert_allclose(
        turn @ a.position_base_in_world + shift, b.position_base_in_world, atol=1e-7
    )
    np.testing.assert_allclose(
        turn @ rotation_of(a.orientation_base_in_world),
        rotation_of(b.orientation_base_in_world),
        atol=1e-9,
    )


def slid(flagged, seed):
    """Largest error of the base's velocity while one foot slides at 0.3 m/s in double
    support [m/s]."""
    config = FloatingBaseConfig()
    during = (0.65, 0.85)

    def sliding(foot, time):
        return (
            np.array([0.3, 0.0, 0.0])
            if foot == 0 and during[0] < time < during[1]
            else np.zeros(3)
        )

    rng = np.random.default_rng([7, seed])
    samples = list(walk(rng, config, seconds=0.95, sliding=sliding))
    estimator = FloatingBaseEstimator(WEIGHT, config)
    worst = 0.0
    seen = NO_ESTIMATE._replace(slipping=True)
    for sample in samples:
        time = 1e-9 * sample.readings.stamp_ns
        now = flagged and during[0] < time < during[1] + 0.002
        estimator.step(
            sample.readings,
            sample.legs,
            sample.normal,
            (seen if now else NO_ESTIMATE, NO_ESTIMATE),
        )
        if during[0] < time:
            worst = max(
                worst,
                float(
                    np.linalg.norm(estimator.state.base.velocity - sample.true.velocity)
                ),
            )
    return worst


def test_a_foot_that_is_known_to_slip_does_not_drag_the_base_along():
    believed, known = (
        np.median([slid(flagged, seed) for seed in range(6)])
        for flagged in (False, True)
    )
    assert known < 0.03
    assert believed > 2.0 * known


def test_a_contact_is_believed_less_the_lighter_it_is_the_nearer_its_limit_and_not_at_all_in_the_air():
    config = ContactNoiseConfig()

    def walk_of(normal, slipping=False, share=-1.0, age=1.0):
        return contact_step(age, normal, WEIGHT, slipping, share, config.packed, 1e-3)

    assert walk_of(0.5 * WEIGHT) == (1.001, config.creep)
    assert walk_of(0.125 * WEIGHT)[1] == pytest.approx(4.0 * config.creep)
    assert walk_of(0.5 * WEIGHT, slipping=True)[1] == config.slide
    assert walk_of(0.5 * WEIGHT, share=0.95)[1] == config.slide
    assert walk_of(0.5 * WEIGHT, share=0.5)[1] == config.creep
    assert walk_of(0.5 * WEIGHT, share=math.nan)[1] == config.creep
    assert walk_of(0.5 * WEIGHT, age=0.0)[1] == config.slide, "a touchdown rings"
    for normal in (0.01 * WEIGHT, -5.0, math.nan):
        assert walk_of(normal)[0] < 0.0
    assert walk_of(0.07 * WEIGHT, age=-1.0)[0] < 0.0, "on and off differ"
    assert walk_of(0.07 * WEIGHT, age=1.0)[0] > 0.0


def test_only_a_usable_estimate_says_how_near_the_limit_a_foot_is():
    assert share_of_limit(NO_ESTIMATE) < 0.0
    known = NO_ESTIMATE._replace(usable=True, mu_low=0.4, force_ratio=0.3)
    assert share_of_limit(known) == pytest.approx(0.75)
    assert share_of_limit(known._replace(usable=False)) < 0.0


def test_a_foot_touches_down_where_the_legs_see_it():
    rng = np.random.default_rng(3)
    root = 1e-2 * rng.normal(size=(21, 21))
    state = some_state(rng, root @ root.T)
    place = rng.normal(size=3)
    spread = 1e-6 * np.eye(3)
    found = touch_down(state, 1, place, spread)
    np.testing.assert_allclose(
        found.rotation.T @ (found.feet[1] - found.position), place, atol=1e-12
    )
    gap = found.covariance[12:15, 12:15] - found.covariance[6:9, 12:15]
    np.testing.assert_allclose(gap, spread, atol=1e-12)
    seen = correct(found, 1, place, spread)
    np.testing.assert_allclose(seen.position, found.position, atol=1e-12)


def test_what_makes_no_sense_is_refused_with_a_sentence():
    with pytest.raises(InvalidParameter, match="mass times"):
        FloatingBaseEstimator(0.0)
    with pytest.raises(InvalidParameter, match="below on_share"):
        ContactNoiseConfig(on_share=0.1, off_share=0.2)
    config = FloatingBaseConfig()
    rng = np.random.default_rng(0)
    first, second = list(walk(rng, config, seconds=0.008))
    estimator = FloatingBaseEstimator(WEIGHT, config)
    estimator.step(first.readings, first.legs, first.normal)
    with pytest.raises(InvalidParameter, match="after the last sample"):
        estimator.step(first.readings, first.legs, first.normal)
    estimator.step(second.readings, second.legs, np.array([math.nan, 100.0]))
    assert not estimator.state.base.in_contact[0]
