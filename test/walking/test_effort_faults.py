# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Efforts of a walking G1 that are not measured torques, here and now, of their joints:
each is refused by name before the first number of friction."""

import math

import numpy as np
import pytest

from biped_slip.robots.humanoid import load_humanoid
from biped_slip.robots.model_functions import leg_joints
from biped_slip.walking.humanoid_friction import HumanoidFriction, walking_by_currents

ROBOT = load_humanoid("g1").robot
LEGS = np.ravel(leg_joints(ROBOT))
PERIOD = 1e-3
DRAWS = range(5)

pytestmark = pytest.mark.slow


def with_torques(samples, torques):
    """The samples with these torques in place of their own."""
    return [
        raw._replace(joint_torque=torque)
        for raw, torque in zip(samples, torques, strict=True)
    ]


def later(samples, count):
    """The samples with torques of so many samples before."""
    torques = [raw.joint_torque for raw in samples]
    return with_torques(samples, [torques[0]] * count + torques[:-count])


def refusal(samples):
    """The first sentence of a check, and whether a number of friction came before it."""
    friction = HumanoidFriction(walking_by_currents("g1"), period=PERIOD)
    numbers = False
    for raw in samples:
        found = friction.step(raw)
        if found.problem is not None and found.problem.severe:
            return str(found.problem), numbers
        numbers = numbers or any(math.isfinite(one.mu) for one in found.estimates)
    return "", numbers


def drawn_joints(draw, count):
    """Names of so many joints of the legs, in their order."""
    chosen = np.random.default_rng(draw).choice(LEGS, count, replace=False)
    return [int(joint) for joint in np.sort(chosen)]


@pytest.mark.parametrize("draw", DRAWS)
def test_a_torque_of_the_opposite_sign_is_named(heard_g1, draw):
    (joint,) = drawn_joints(draw, 1)
    sign = np.ones(len(ROBOT.joints))
    sign[joint] = -1.0
    wrong = with_torques(heard_g1, [sign * raw.joint_torque for raw in heard_g1])
    assert refusal(wrong) == (
        f"sensor check: the torque of {ROBOT.joints[joint]} has the opposite sign",
        False,
    )


@pytest.mark.parametrize("draw", DRAWS)
def test_exchanged_torques_are_named(heard_g1, draw):
    one, other = drawn_joints(100 + draw, 2)
    order = np.arange(len(ROBOT.joints))
    order[[one, other]] = other, one
    wrong = with_torques(heard_g1, [raw.joint_torque[order] for raw in heard_g1])
    names = f"{ROBOT.joints[one]} and {ROBOT.joints[other]}"
    assert refusal(wrong) == (
        f"sensor check: the torques of {names} are exchanged",
        False,
    )


@pytest.mark.parametrize("late", [5, 6, 8])
def test_late_torques_are_refused_with_their_age(heard_g1, late):
    sentence, numbers = refusal(later(heard_g1, late))
    assert "ms older than the encoders" in sentence
    age = float(sentence.split("the torques are ")[1].split(" ms")[0])
    assert age == pytest.approx(late, abs=1.0)  # an age errs by 0.4 ms, once by 0.9
    assert not numbers


def test_torques_that_are_late_by_what_is_compensated_are_not_refused(heard_g1):
    assert refusal(later(heard_g1, 2)) == ("", True)


def test_torques_of_zero_are_refused(heard_g1):
    nothing = np.zeros(len(ROBOT.joints))
    sentence, numbers = refusal(with_torques(heard_g1, [nothing] * len(heard_g1)))
    assert "all efforts of the legs are zero" in sentence
    assert not numbers


def test_commands_in_place_of_measured_torques_are_refused(listened_g1):
    """A driver that echoes the last command."""
    sentence, numbers = refusal(with_torques(*listened_g1))
    assert "they are commanded" in sentence
    assert not numbers
