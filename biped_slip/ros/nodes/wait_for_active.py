# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Program for launch files: ends when a lifecycle node is active.

Sensor messages must also have come for a while.

It does not matter when that node was or will be started: a transition that was
announced before anybody listened is not missed, for the node is asked.
"""

from __future__ import annotations

import signal
import time

import rclpy
from lifecycle_msgs.msg import State
from lifecycle_msgs.srv import GetState
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.ros.parameters import declare_configuration

BETWEEN = 0.1  # [s] two questions
ANSWER_PATIENCE = 1.0  # [s] for an answer


@configuration
class WaitConfig(Configuration):
    """Parameters of this program."""

    node: str = parameter(
        "walking_controller", doc="name of the lifecycle node, in the same namespace"
    )
    heard: float = parameter(
        0.0,
        unit="s",
        low=0.0,
        high=60.0,
        doc="of joint_states, by their stamps, that it must have had while active",
    )


def wait_for(asker: Node, name: str) -> None:
    """Wait until a node is active."""
    client = asker.create_client(GetState, f"{name}/get_state")
    while True:
        if client.service_is_ready():
            answer = client.call_async(GetState.Request())
            rclpy.spin_until_future_complete(asker, answer, timeout_sec=ANSWER_PATIENCE)
            # a call may fail, too: its answer raises what did
            if (
                answer.done()
                and answer.exception() is None
                and answer.result().current_state.id == State.PRIMARY_STATE_ACTIVE
            ):
                return
        time.sleep(BETWEEN)


def wait_for_sensors(asker: Node, seconds: float) -> None:
    """Wait until the stamps of ``joint_states`` have advanced by a time [s]."""
    first: list[float] = []
    now = 0.0

    def keep(message: JointState) -> None:
        nonlocal now
        now = message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec
        if not first or now < first[0]:
            first[:] = [now]

    asker.create_subscription(JointState, "joint_states", keep, qos_profile_sensor_data)
    while not first or now - first[0] < seconds:
        rclpy.spin_once(asker, timeout_sec=BETWEEN)


def main() -> int:
    """Return 0 when the node is active, 1 when interrupted before."""
    # who starts it beside a shell has it ignored
    signal.signal(signal.SIGINT, signal.default_int_handler)
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    asker = rclpy.create_node("wait_for_active")
    try:
        config = declare_configuration(asker, WaitConfig())
        wait_for(asker, config.node)
        if config.heard > 0.0:
            wait_for_sensors(asker, config.heard)
        return 0
    except KeyboardInterrupt:
        return 1
    finally:
        asker.destroy_node()
        rclpy.try_shutdown()
