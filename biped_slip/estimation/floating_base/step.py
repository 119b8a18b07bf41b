# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One sample of the floating-base filter: contacts begin and end, the IMU moves the base, the feet pull it back."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array, copy_matrix, copy_vector
from biped_slip.compile.kernel import kernel
from biped_slip.estimation.floating_base.contact_noise import contact_step, share_of_limit
from biped_slip.estimation.floating_base.filter import (
    VELOCITY,
    BaseState,
    ImuNoise,
    correct,
    forget_place,
    lift_off,
    orthonormal,
    propagate,
    touch_down,
)
from biped_slip.estimation.floating_base.lie import quaternion_of, turned_back
from biped_slip.friction_estimation.types import FrictionEstimate


class Legs(NamedTuple):
    """What leg kinematics says of both feet."""

    places: Array  # (2, 3) of the contact points in the base [m]
    spreads: Array  # (2, 3, 3) their covariance there [m^2]: J Sigma J^T of the joints, and the give of the leg


class FloatingBase(NamedTuple):
    """The answer: pose and velocity of the base, as ``SensorReadings`` states them."""

    orientation_base_in_world: Array  # (4,) quaternion x, y, z, w
    position_base_in_world: Array  # (3,) [m]
    linear_velocity_in_base: Array  # (3,) [m/s]
    angular_velocity_in_base: Array  # (3,) [rad/s], without bias
    velocity_sd: Array  # (3,) in the world [m/s]


class FilterState(NamedTuple):
    """Everything between two samples."""

    base: BaseState
    ages: Array  # (2,) of the contacts [s], negative in the air
    origin: Array  # (3,) from which the base's and the feet's places are counted: the base at the last touchdown [m]


class ContactInputs(NamedTuple):
    """Of both feet, each (2,)."""

    normal: Array  # force of the ground along the floor's normal [N]
    slipping: Any  # bool
    share_of_limit: Array  # of the friction that is certified; negative: not known


class FilterSettings(NamedTuple):
    """What does not change from sample to sample."""

    weight: float  # of the robot [N]
    noise: ImuNoise
    contact: Any  # packed ContactNoiseConfig


@kernel
def filter_step(
    state: FilterState,
    angular_velocity: Array,
    specific_force: Array,
    legs: Legs,
    contacts: ContactInputs,
    weight: float,
    noise: ImuNoise,
    config: Any,
    dt: float,
) -> FilterState:
    """One sample later: the IMU moves the base, every foot in contact pulls it back ([Hartley2020], section 5).

    Args:
        angular_velocity, specific_force: (3,) of the base, means since the sample before.
        weight: of the robot [N].
        config: packed ContactNoiseConfig.
        dt: since the sample before [s].
    """
    walk, ages = np.empty(2), np.empty(2)
    for foot in range(2):
        ages[foot], walk[foot] = contact_step(
            state.ages[foot], contacts.normal[foot], weight, contacts.slipping[foot], contacts.share_of_limit[foot],
            config, dt,
        )  # fmt: skip
    base = propagate(state.base, angular_velocity, specific_force, walk, noise, dt)
    for foot in range(2):
        if ages[foot] < 0.0:
            if base.in_contact[foot]:
                base = lift_off(base, foot)
        elif base.in_contact[foot]:
            base = correct(base, foot, legs.places[foot], legs.spreads[foot])
        else:
            base = touch_down(base, foot, legs.places[foot], legs.spreads[foot])
    return FilterState(base, ages, state.origin)


@kernel
def step_in_place(
    state: FilterState,
    found: FloatingBase,
    angular_velocity: Array,
    specific_force: Array,
    legs: Legs,
    normal: Array,
    friction: tuple[FrictionEstimate, FrictionEstimate],
    settings: FilterSettings,
    dt: float,
) -> None:
    """``filter_step`` into the arrays of ``state``, and the answer into those of ``found``.

    With each touchdown the place and the heading so far become the ones that are counted from.

    Args:
        normal: (2,) force of the ground on each foot along the floor's normal [N].
        friction: the last estimates under both feet.
    """
    slipping, share = np.empty(2, dtype=np.bool_), np.empty(2)
    slipping[0], slipping[1] = friction[0].slipping, friction[1].slipping
    share[0], share[1] = share_of_limit(friction[0]), share_of_limit(friction[1])
    contacts = ContactInputs(normal, slipping, share)
    moved = filter_step(
        state, angular_velocity, specific_force, legs, contacts, settings.weight, settings.noise, settings.contact, dt
    )
    new, base = moved.base, state.base
    if (new.in_contact[0] and not base.in_contact[0]) or (new.in_contact[1] and not base.in_contact[1]):
        new, way = forget_place(new)
        for i in range(3):
            state.origin[i] += way[i]
    copy_matrix(orthonormal(new.rotation), base.rotation)
    copy_vector(new.velocity, base.velocity, 0)
    copy_vector(new.position, base.position, 0)
    copy_matrix(new.feet, base.feet)
    copy_vector(new.gyro_bias, base.gyro_bias, 0)
    copy_vector(new.accelerometer_bias, base.accelerometer_bias, 0)
    copy_matrix(new.covariance, base.covariance)
    for foot in range(2):
        base.in_contact[foot], state.ages[foot] = new.in_contact[foot], moved.ages[foot]
    answer(state, angular_velocity, found)


@kernel
def answer(state: FilterState, angular_velocity: Array, found: FloatingBase) -> None:
    """What is published of a state."""
    base = state.base
    copy_vector(quaternion_of(base.rotation), found.orientation_base_in_world, 0)
    copy_vector(turned_back(base.rotation, base.velocity), found.linear_velocity_in_base, 0)
    for i in range(3):
        found.position_base_in_world[i] = state.origin[i] + base.position[i]
        found.angular_velocity_in_base[i] = angular_velocity[i] - base.gyro_bias[i]
        found.velocity_sd[i] = max(base.covariance[VELOCITY + i, VELOCITY + i], 0.0) ** 0.5
