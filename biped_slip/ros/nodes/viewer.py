# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Node: shows a robot from its topics in the browser.

It runs in its own process, off every control loop.
"""

from __future__ import annotations

import math
import os
import time
from typing import Any

import numpy as np
from geometry_msgs.msg import WrenchStamped
from nav_msgs.msg import Odometry
from sensor_msgs.msg import JointState

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.ros.dds import SENSOR_INPUTS
from biped_slip.ros.messages import FOOT_NAMES
from biped_slip.ros.parameters import declare_configuration
from biped_slip.ros.robot_node import RobotNode, serve
from biped_slip.ros.stamps import Present
from biped_slip.view.live_source import Bounds, LiveSource, Wrench
from biped_slip.view.player import Player
from biped_slip.view.server import (
    LOCALHOST,
    PORT,
    close_server,
    need_libraries,
    open_server,
)

YIELDING = 10  # added to the process's niceness
NO_FORCE = np.zeros(3)
UNKNOWN_PLACE = (math.nan, math.nan, math.nan)
BOUNDS = (
    "limit",
    "mu_low",
    "mu_high",
    "mu",
    "test_travel",
)  # names in a record begin with l_ or r_


@configuration
class ViewerConfig(Configuration):
    """Parameters of this node alone."""

    robot: str = parameter(
        "", doc="a humanoid's name or .yaml file; empty: the planar biped"
    )
    host: str = parameter(
        LOCALHOST, doc="address to serve on; this one: only this machine"
    )
    port: int = parameter(
        PORT, low=1, high=65535, doc="the next free one where it is taken"
    )
    rate: float = parameter(
        30.0, unit="Hz", above=0.0, high=100.0, doc="of the pictures"
    )
    record: str = parameter(
        "walking_controller/record", doc="what the controller did and knew"
    )
    friction_topics: tuple[str, ...] = parameter(
        tuple(f"friction_estimator/{foot}/friction_values" for foot in FOOT_NAMES),
        doc="estimates, where there is no record",
    )


class ViewerNode(RobotNode):
    """Viewer of the newest messages of every topic."""

    def __init__(self, **options: Any) -> None:
        super().__init__("viewer", **options)
        self._config = declare_configuration(self, ViewerConfig())
        self._server: Any = None

    def build(self) -> None:
        """Build robot, server and topics."""
        need_libraries()
        humanoid = load_humanoid(self._config.robot) if self._config.robot else None
        self._server = open_server(self._config.host, self._config.port)
        self._open.callback(setattr, self, "_server", None)
        self._open.callback(close_server, self._server)
        self.source = LiveSource(humanoid, self._config.robot or "biped")
        self.player = Player(self._server, [self.source], live=True)
        self.get_logger().info(
            f"open http://{self._server.get_host()}:{self._server.get_port()} in a "
            "browser"
        )
        kinds = {
            "joint_states": JointState,
            "odom": Odometry,
            self._config.record: JointState,
        }
        kinds |= {f"{foot}/wrench": WrenchStamped for foot in FOOT_NAMES}
        kinds |= dict.fromkeys(self._config.friction_topics, JointState)
        self._boxes = {
            topic: self.subscribe(
                kind, topic, SENSOR_INPUTS, needed=topic != self._config.record
            )
            for topic, kind in kinds.items()
        }

    def begin(self) -> None:
        """Start with empty inputs."""
        self._present = Present("joint_states")
        self._due = self._shown = time.monotonic()

    def wait(self, now: float, timeout: float) -> None:
        """Wait until the next picture."""
        self.sleep_until(self._due, timeout)

    def work(self, now: float) -> None:
        """Show the newest instant when a picture is due."""
        if now < self._due:
            return
        self._due = max(self._due + 1.0 / self._config.rate, now)
        moved = {
            topic
            for topic, box in self._boxes.items()
            if self._present.take(topic, box.take())
        }
        if "joint_states" in moved:
            self._hear(self._present.get("joint_states"))
            self.well("showing")
        self.player.update(now - self._shown)
        self._shown = now

    def _hear(self, joints: Any) -> None:
        stamp = joints.header.stamp
        self.source.add(
            stamp.sec + 1e-9 * stamp.nanosec,
            self._base(),
            dict(zip(joints.name, joints.position, strict=False)),
            [self._wrench(f"{foot}/wrench") for foot in FOOT_NAMES],
            self._bounds(),
        )

    def _base(self) -> tuple[Any, Any] | None:
        odom = self._present.get("odom")
        if odom is None:
            return None
        place = odom.pose.pose.position
        turn = odom.pose.pose.orientation
        found = (
            np.array([place.x, place.y, place.z]),
            np.array([turn.x, turn.y, turn.z, turn.w]),
        )
        return found if all(np.all(np.isfinite(part)) for part in found) else None

    def _wrench(self, topic: str) -> Wrench:
        message = self._present.get(topic)
        if message is None:
            return Wrench("", NO_FORCE, NO_FORCE)
        force = message.wrench.force
        torque = message.wrench.torque
        parts = np.array([force.x, force.y, force.z, torque.x, torque.y, torque.z])
        if not np.all(np.isfinite(parts)):
            return Wrench("", NO_FORCE, NO_FORCE)
        return Wrench(message.header.frame_id, parts[:3], parts[3:])

    def _bounds(self) -> list[Bounds]:
        """Return the estimates of both feet.

        They come from the controller's record, else from the topics.
        """
        record = _scalars(self._present.get(self._config.record))
        if record:
            return [_bounds(record, f"{foot[0]}_") for foot in FOOT_NAMES]
        return [
            _bounds(_scalars(self._present.get(topic)), "")
            for topic in self._config.friction_topics[:2]
        ]

    def counters(self) -> dict[str, int | str]:
        """Return its address, and how much was sent."""
        if self._server is None:
            return {}
        return {"port": self._server.get_port(), "updates sent": self.player.sent}


def _scalars(message: Any) -> dict[str, float]:
    return (
        {}
        if message is None
        else dict(zip(message.name, message.position, strict=False))
    )


def _bounds(values: dict[str, float], prefix: str) -> Bounds:
    found = Bounds._make(values.get(prefix + name, math.nan) for name in BOUNDS)
    return (
        found if values.get(prefix + "usable", 0.0) else found._replace(high=math.nan)
    )


def main() -> int:
    """Run the node as a process that gives way to every other one."""
    os.nice(YIELDING)
    return serve(ViewerNode)
