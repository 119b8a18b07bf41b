# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The controller node answers every step with one finite command, and with zero effort whenever something is wrong."""

import math
import time

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from nodes.partner import COMMAND, PERIOD, activated, efforts, make, standing  # noqa: E402
from rclpy.lifecycle import TransitionCallbackReturn  # noqa: E402

from biped_slip.nodes.walking_controller import WalkingControllerNode  # noqa: E402
from biped_slip.robots.planar_biped import planar_biped  # noqa: E402

SUCCESS = TransitionCallbackReturn.SUCCESS
LIMITS = planar_biped().effort_limits


def controller(partner, **parameters):
    defaults = {"mode": "real-time", "embedded_estimator": True, "age_limit": 0.5}
    node = activated(WalkingControllerNode, **{**defaults, **parameters})
    partner.connect(node, COMMAND)
    partner.received(node, 0.1)  # until it knows that somebody listens
    return node


def answers(partner, node, stamp, count=1, **changes):
    partner.send(standing()._replace(stamp_ns=stamp), **changes)
    return efforts(partner.received(node, 5.0, enough=(COMMAND, count)))


def test_each_step_has_one_command_within_the_effort_limits(partner):
    node = controller(partner)
    sent = np.concatenate([answers(partner, node, k * PERIOD) for k in range(1, 6)])
    assert sent.shape == (5, 4)
    assert np.all(np.abs(sent) <= LIMITS)
    assert np.any(sent != 0.0)
    assert not len(efforts(partner.received(node, 0.2)))
    node.end()


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_input_that_is_not_finite_means_zero_effort_and_is_counted(partner, value):
    def spoil(messages):
        messages["joint_states"].velocity[2] = value

    node = controller(partner)
    answers(partner, node, PERIOD)
    assert not np.any(answers(partner, node, 2 * PERIOD, spoil=spoil))
    assert node.skipped["joint_velocity is not finite"] == 1
    assert np.any(answers(partner, node, 3 * PERIOD))
    assert node.status.healthy
    node.end()


def test_a_silent_sensor_means_zero_effort_and_is_named(partner):
    node = controller(partner, age_limit=0.0025)
    answers(partner, node, PERIOD)
    for k in range(2, 6):
        partner.send(standing()._replace(stamp_ns=k * PERIOD), without=("imu/data",))
        sent = efforts(partner.received(node, 5.0, enough=(COMMAND, 1)))[:1]
        assert bool(np.any(sent)) == (k < 4)
    assert "imu/data is older than 0.0025 s" in node.skipped
    node.end()


def test_when_the_robot_falls_silent_the_watchdog_sends_zero_effort(partner):
    node = controller(partner, age_limit=0.05)
    assert np.any(answers(partner, node, PERIOD))
    sent = efforts(partner.received(node, 0.4))
    assert sent.shape == (1, 4)
    assert not np.any(sent)
    assert "joint_states is older than 0.05 s" in node.status.sentence
    node.end()


@pytest.mark.parametrize("fault", [RuntimeError("boom"), ZeroDivisionError("x")])
def test_an_exception_means_zero_effort_and_activation_recovers(partner, fault, monkeypatch):
    node = controller(partner)
    answers(partner, node, PERIOD)
    with monkeypatch.context() as broken:
        broken.setattr(node._walker, "step", lambda *_: (_ for _ in ()).throw(fault))
        assert not np.any(answers(partner, node, 2 * PERIOD))
    assert not node.active
    assert (node.status.word, type(fault).__name__ in node.status.sentence) == ("fault", True)
    assert node.trigger_activate() == SUCCESS
    partner.received(node, 0.1)
    assert np.any(answers(partner, node, 3 * PERIOD))
    node.end()


def test_deactivation_sends_zero_effort_and_the_lifecycle_goes_round_and_round(partner):
    node = controller(partner)
    for k in range(3):
        assert np.any(answers(partner, node, (2 * k + 1) * PERIOD))
        assert node.trigger_deactivate() == SUCCESS
        sent = efforts(partner.received(node, 0.2))
        assert sent.shape == (1, 4)
        assert not np.any(sent)
        partner.send(standing()._replace(stamp_ns=(2 * k + 2) * PERIOD))
        assert not len(efforts(partner.received(node, 0.1)))
        assert (node.trigger_cleanup(), node.trigger_configure(), node.trigger_activate()) == (SUCCESS,) * 3
        partner.connect(node, COMMAND)
        partner.received(node, 0.3)
    node.end()


def test_shutdown_sends_zero_effort(partner):
    node = controller(partner)
    assert np.any(answers(partner, node, PERIOD))
    assert node.trigger_shutdown() == SUCCESS
    assert not np.any(efforts(partner.received(node, 0.2)))
    assert node.exit_code == 0
    node.end()


def test_in_lockstep_it_waits_for_every_input_estimates_included(partner):
    node = controller(partner, mode="lockstep", embedded_estimator=False, patience=0.3)
    partner.send(standing()._replace(stamp_ns=PERIOD))
    assert not len(efforts(partner.received(node, 0.5)))
    assert "missing: friction_estimator/l_foot/friction" in node.status.sentence
    partner.send_estimates(PERIOD)
    assert efforts(partner.received(node, 0.5)).shape == (1, 4)
    node.end()


def test_an_estimator_that_stops_means_zero_effort(partner):
    node = controller(partner, embedded_estimator=False, estimate_age_limit=0.0015)
    partner.send_estimates(PERIOD)
    time.sleep(0.1)
    assert np.any(answers(partner, node, 2 * PERIOD))
    assert not np.any(answers(partner, node, 3 * PERIOD))
    assert any("friction is older" in sentence for sentence in node.skipped)
    node.end()


def test_a_limit_it_does_not_know_is_refused(ros):
    node = make(WalkingControllerNode, limit="guess")
    assert node.trigger_configure() == TransitionCallbackReturn.FAILURE
    assert "constant:RATIO" in node.status.sentence
    node.end()
