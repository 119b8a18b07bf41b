# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Nodes as processes: diagnostics once a second, zero effort when interrupted, two
robots in two namespaces."""

import itertools
import os
import random
import re
import signal
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

import rclpy  # noqa: E402
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus  # noqa: E402
from lifecycle_msgs.msg import Transition  # noqa: E402
from lifecycle_msgs.srv import ChangeState, GetState  # noqa: E402
from rclpy.context import Context  # noqa: E402
from ros.partner import COMMAND, PERIOD, make, standing, until  # noqa: E402
from std_srvs.srv import Trigger  # noqa: E402

from biped_slip.ros.dds import (  # noqa: E402
    DIAGNOSTICS,
    PolledSubscription,
)
from biped_slip.ros.nodes.friction_estimator import FrictionEstimatorNode  # noqa: E402
from biped_slip.ros.processes import NodeProcess, free_domain, running_nodes  # noqa: E402

OK = DiagnosticStatus.OK
LOOP = "loop period p50 [ms]"


def answers(box, seconds=0.05):
    """What comes within a time; nothing if the question was lost."""
    end = time.monotonic() + seconds
    found = []
    while not found and time.monotonic() < end:
        time.sleep(0.001)
        found = list(box.take())
    return found


def last_word(box, seconds=0.3):
    """The last command of a process that is gone: nothing comes after it."""
    commands = until(lambda: list(box.take()))
    while more := answers(box, seconds):
        commands = more
    return np.array(commands[-1].data)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_controller_sends_zero_effort_before_it_goes(partner, number):
    parameters = {
        **{"mode": "real-time", "embedded_estimator": True, "age_limit": 1.0},
        # the robot of this test says a velocity and stays, whatever its torques; a cold
        # start leaves time to notice
        **{"health.disagreement": 1.0, "health.unanswered": 100.0},
        **{f"health.{name}": 1.0 for name in ("imbalance", "turning", "sideways")},
        # a loaded machine may stop a process for a while
        **{
            "supervisor.ridden_stall": 10.0,
            "supervisor.longest_stall": 10.0,
            "supervisor.clock_rate": 100.0,
        },
    }
    recover = partner.node.create_client(Trigger, "/walking_controller/recover")
    box = partner.boxes[COMMAND]
    diagnostics = PolledSubscription(
        partner.node, DiagnosticArray, "/diagnostics", DIAGNOSTICS
    )
    with running_nodes(
        {"walking_controller": parameters}, int(os.environ["ROS_DOMAIN_ID"])
    ) as processes:
        process = processes["walking_controller"].process
        until(
            lambda: (
                box.senders()
                and partner.outputs["joint_states"].get_subscription_count()
            )
        )
        time.sleep(0.5)
        ticks = itertools.count(1)
        known = []

        def holds_the_robot():
            """Sends the next sensors, which may be lost; a stall of this machine may be
            a fault, which one recovers."""
            partner.send(standing()._replace(stamp_ns=next(ticks) * PERIOD))
            holds = any(np.any(list(command.data)) for command in answers(box)[-1:])
            arrays = [array.status for array in diagnostics.take()]
            if any(
                value.value == "fault"
                for (status,) in arrays
                for value in status.values
                if value.key == "state"
            ):
                recover.call_async(Trigger.Request())
            known.extend(
                s
                for (s,) in arrays
                if LOOP in {value.key for value in s.values} and s.level == OK
            )
            return holds and known

        until(holds_the_robot)
        process.send_signal(number)
        assert process.wait(10.0) == 0
        assert not np.any(last_word(box))
    assert known[0].name == "/walking_controller"
    assert {"state", "problem", "compute p99 [ms]"} <= {
        value.key for value in known[0].values
    }


def test_two_robots_live_in_two_namespaces(ros):
    nodes = [FrictionEstimatorNode(namespace=name) for name in ("one", "two")]
    for node in nodes:
        node.trigger_configure()
        node.trigger_activate()
    for node, name in zip(nodes, ("one", "two"), strict=True):
        topics = {
            topic
            for topic, _ in node.get_publisher_names_and_types_by_node(
                node.get_name(), f"/{name}"
            )
        }
        assert f"/{name}/friction_estimator/l_foot/friction_values" in topics
        node.end()


def test_without_autostart_a_node_waits_to_be_configured(ros):
    node = make(FrictionEstimatorNode, autostart=False)
    assert not node.settings.autostart
    assert (node.active, node.status.word) == (False, "idle")
    node.end()


def test_without_autostart_the_lifecycle_services_take_a_node_round(partner):
    domain = int(os.environ["ROS_DOMAIN_ID"])
    ask = partner.node.create_client(ChangeState, "/friction_estimator/change_state")
    look = partner.node.create_client(GetState, "/friction_estimator/get_state")

    def answer(client, request):  # None when the question or the answer was lost
        future = client.call_async(request)
        rclpy.spin_until_future_complete(partner.node, future, timeout_sec=5.0)
        return future.result()

    def state():
        return until(lambda: answer(look, GetState.Request())).current_state.label

    def go(number, label):
        request = ChangeState.Request(transition=Transition(id=number))
        until(lambda: state() == label or (answer(ask, request) and False))

    with running_nodes({"friction_estimator": {"autostart": False}}, domain):
        assert state() == "unconfigured"
        for _ in range(2):
            go(Transition.TRANSITION_CONFIGURE, "inactive")
            go(Transition.TRANSITION_ACTIVATE, "active")
            go(Transition.TRANSITION_DEACTIVATE, "inactive")
            go(Transition.TRANSITION_CLEANUP, "unconfigured")


@pytest.mark.parametrize("delay", [0.0, 0.15, 0.4, 0.8])
def test_an_interruption_while_a_node_is_loaded_leaves_no_traceback(
    ros, delay, tmp_path
):
    process = NodeProcess(
        "walking_controller", {}, tmp_path, int(os.environ["ROS_DOMAIN_ID"])
    )
    # not so by itself: it loads the node
    until(lambda: answers_to(process.process.pid, signal.SIGTERM))
    time.sleep(delay)
    process.end()
    said = (tmp_path / "walking_controller.log").read_text()
    assert "Traceback" not in said, said


def answers_to(pid, number):
    """Whether a process has a handler of its own for a signal."""
    caught = re.search(
        r"^SigCgt:\s*(\w+)$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE
    ).group(1)
    return bool(int(caught, 16) >> (number - 1) & 1)


class Prefers(random.Random):
    """Draws one domain before all others."""

    def __init__(self, domain):
        super().__init__(0)
        self._domain = domain

    def shuffle(self, domains):
        domains.sort(key=lambda one: one != self._domain)


def test_a_domain_on_which_somebody_of_this_machine_alone_talks_is_not_free(ros):
    """They don't listen where everybody would."""
    domain = free_domain()
    context = Context()
    assert free_domain(Prefers(domain)) == domain
    rclpy.init(context=context, domain_id=domain)
    try:
        node = rclpy.create_node("somebody", context=context)
        assert free_domain(Prefers(domain)) != domain
        node.destroy_node()
    finally:
        rclpy.shutdown(context=context)
