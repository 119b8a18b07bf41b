# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A parameter and a service of the simulator change the floor while it walks."""

import json

import numpy as np
import pytest
import yaml

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from rclpy.parameter import Parameter  # noqa: E402
from ros.partner import PERIOD, activated, until  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_srvs.srv import Trigger  # noqa: E402

from biped_slip.contact.spill import spill_of  # noqa: E402
from biped_slip.ros.dds import PLAYED, PolledSubscription  # noqa: E402
from biped_slip.ros.messages import CommandMessage  # noqa: E402
from biped_slip.ros.nodes.contact_simulator import ContactSimulatorNode  # noqa: E402
from biped_slip.ros.topic_walks import walk_over_topics  # noqa: E402
from biped_slip.simulation.planar.scenario import (  # noqa: E402
    changed,
    chosen_scenario,
)
from biped_slip.simulation.planar.walk import Walk, run_walk  # noqa: E402

DURATION = 1.0


@pytest.fixture
def node(partner):
    made = activated(ContactSimulatorNode, mode="lockstep", startup_timeout=600.0)
    yield made
    made.end()


def asked(node, *numbers):
    (result,) = node.set_parameters([Parameter("spill", value=list(numbers))])
    return result


def tick(partner, node):
    """One more control period without torques."""
    ticks = node._world.plant.ticks
    until(partner.commands.get_subscription_count)
    partner.commands.publish(CommandMessage(4).fill(ticks * PERIOD, np.zeros(4)))
    until(lambda: node.step() is not None and node._world.plant.ticks > ticks)


def test_the_parameter_changes_the_floor_from_the_next_period_on(partner, node):
    heard = PolledSubscription(
        partner.node, JointState, "contact_simulator/spills", PLAYED
    )
    until(heard.senders)
    for _ in range(3):
        tick(partner, node)
    feet = node._world.log.foot_x[2]
    assert asked(node, feet[0] - 0.1, feet[0] + 0.1, 0.05).successful
    tick(partner, node)
    # the sensors of the fourth instant had been read when the floor changed
    assert node._world.log.mu_true[:5].tolist() == [[1.0, 1.0]] * 4 + [[0.05, 1.0]]
    found = []
    until(lambda: found.extend(heard.take()) or found)
    (message,) = found
    assert message.name == ["x_from", "x_to", "y_from", "y_to", "mu"]
    assert message.position[4] == 0.05
    assert message.header.stamp.nanosec == 3 * PERIOD


@pytest.mark.parametrize(
    ("numbers", "why"),
    [
        ([2.0, 1.0, 0.1], "from < to"),
        ([1.0, 2.0, -0.1], "0 to 5"),
        ([1.0, 2.0, -1.0, 1.0, 0.1], "in a plane"),
    ],
)
def test_what_is_no_floor_is_refused_by_name_and_the_floor_stays(node, numbers, why):
    before = node._world.plant.ground
    refused = asked(node, *numbers)
    assert not refused.successful
    assert why in refused.reason
    assert node._world.plant.ground is before


def test_a_spill_among_other_changes_is_refused_because_one_of_them_may_be(node):
    results = node.set_parameters_atomically(
        [
            Parameter("spill", value=[1.0, 2.0, 0.1]),
            Parameter("diagnostics_period", value=-1.0),
        ]
    )
    assert not results.successful
    assert node._world.spilled == []


def test_the_service_spills_under_the_robot_what_its_parameters_say(node):
    node.set_parameters([Parameter("spill_here.length", value=0.4)])
    answer = node._floor._serve(Trigger.Request(), Trigger.Response())
    x = float(node._world.plant.state.q[0])
    assert answer.success
    assert answer.message == f"mu 0.1 on x {x - 0.2:.2f} to {x + 0.2:.2f} m"
    (timed,) = node._world.spilled
    assert timed.spill == spill_of([x - 0.2, x + 0.2, 0.1])


def test_the_service_has_nothing_to_spill_on_before_the_node_is_active(partner):
    node = ContactSimulatorNode()
    answer = node._floor._serve(Trigger.Request(), Trigger.Response())
    assert not answer.success
    assert "nothing is simulated" in answer.message
    node.end()


def test_set_before_the_start_it_is_the_floor_from_the_start(partner):
    node = activated(ContactSimulatorNode, mode="lockstep", spill=[0.0, 9.0, 0.3])
    assert node._world.plant.ground.mu[1] == 0.3
    assert node._world.spilled[0].stamp_ns == 0
    node.end()


def test_over_topics_a_scenarios_spill_is_the_one_without_ros(tmp_path, monkeypatch):
    monkeypatch.setattr(Walk, "walk_on", lambda walk, ticks: walk.tick())
    scenario = changed(
        chosen_scenario("thesis"),
        {"duration": DURATION, "ground.spills": [[0.5, 0.3, 0.7, 0.2]]},
    )
    file = tmp_path / "wet.yaml"
    file.write_text(yaml.safe_dump(json.loads(json.dumps(scenario.to_mapping()))))
    over_topics = walk_over_topics(str(file), "thesis", duration=DURATION)
    alone = run_walk(scenario, "thesis", 0)
    assert {0.2, 1.0} == set(alone.log.mu_true[:, 0].tolist())
    for name in ("q", "mu_true", "torques", "estimates"):
        np.testing.assert_allclose(
            getattr(over_topics.log, name),
            getattr(alone.log, name),
            rtol=0,
            atol=1e-9,
            err_msg=name,
        )
