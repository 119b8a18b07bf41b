# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Program for launch files: ends as soon as a lifecycle node is active, whenever that node was or will be started.

A transition that was announced before anybody listened is not missed: the node is asked.
"""

from __future__ import annotations

import time

import rclpy
from lifecycle_msgs.msg import State
from lifecycle_msgs.srv import GetState
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.ros.parameters.declare import declare_configuration

BETWEEN = 0.1  # [s] two questions
PATIENCE = 1.0  # [s] for an answer


@configuration
class WaitConfig(Configuration):
    """Parameters of this program."""

    node: str = parameter("walking_controller", doc="name of the lifecycle node, in the same namespace")


def wait_for(asker: Node, name: str) -> None:
    """Return when a node is active."""
    client = asker.create_client(GetState, f"{name}/get_state")
    while True:
        if client.service_is_ready():
            answer = client.call_async(GetState.Request())
            rclpy.spin_until_future_complete(asker, answer, timeout_sec=PATIENCE)
            if answer.done() and answer.result().current_state.id == State.PRIMARY_STATE_ACTIVE:
                return
        time.sleep(BETWEEN)


def main() -> int:
    """0 when the node is active, 1 when interrupted before."""
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    asker = rclpy.create_node("wait_for_active")
    try:
        wait_for(asker, declare_configuration(asker, WaitConfig()).node)
        return 0
    except KeyboardInterrupt:
        return 1
    finally:
        asker.destroy_node()
        rclpy.try_shutdown()


if __name__ == "__main__":
    raise SystemExit(main())
