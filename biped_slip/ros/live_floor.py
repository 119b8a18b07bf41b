# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The floor of a simulated robot, changed while it walks: a parameter and a service.

``spill`` is set to a rectangle and its friction; ``~/spill_here`` puts one under the
robot. Either acts from the next control period on. Every spill, those of the scenario
among them, is published on ``~/spills`` with the time of the simulation, so that a bag
knows the floor, and stands in the result file.
"""

from __future__ import annotations

from typing import Any, Sequence

from rcl_interfaces.msg import SetParametersResult
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.contact.spill import Spill, spill_of
from biped_slip.errors import InvalidParameter
from biped_slip.ros.dds import PLAYED
from biped_slip.ros.messages import NamedScalars
from biped_slip.ros.robot_node import RobotNode
from biped_slip.simulation.world import World

SPILL = "spill"  # name of the parameter
SPILL_TOPIC = "~/spills"


@configuration
class SpillHereConfig(Configuration):
    """What the service ``~/spill_here`` spills, centred under the robot's base."""

    mu: float = parameter(
        0.1, low=0.0, high=5.0, doc="friction that the floor gets", read_only=False
    )
    length: float = parameter(
        1.0, unit="m", above=0.0, high=100.0, doc="along x", read_only=False
    )
    width: float = parameter(
        1.0, unit="m", above=0.0, high=100.0, doc="along y", read_only=False
    )


class LiveFloor:
    """Spills of a node's world by parameter and service.

    Args:
        node: whose parameter ``spill`` is declared.
        spill: its numbers from the start; empty: none.
        here: what the service spills.
    """

    def __init__(
        self, node: RobotNode, spill: Sequence[float], here: SpillHereConfig
    ) -> None:
        self._node = node
        self._numbers = tuple(spill)
        self._here = here
        self._world: World[Any, Any] | None = None
        self._told = 0
        self._message = NamedScalars("", Spill._fields)
        node.live.watch(
            here, lambda config: setattr(self, "_here", config), "spill_here."
        )
        node.add_on_set_parameters_callback(self._set)
        node.create_service(
            Trigger, "~/spill_here", self._serve, qos_profile=QoSProfile(depth=1000)
        )

    def open(self) -> None:
        """Open the topic, which is silent while the node is inactive."""
        self._output = self._node.advertise(JointState, SPILL_TOPIC, PLAYED)

    def begin(self, world: World[Any, Any]) -> None:
        """Take a new world, with the parameter's spill if there is one.

        Raises:
            InvalidParameter: the world has no such floor.
        """
        self._world = world
        self._told = 0
        if self._numbers:
            world.spill(spill_of(self._numbers))

    def tell(self) -> None:
        """Publish what has been spilled since the last call."""
        if self._world is None:
            return
        spilled = self._world.spilled
        while self._told < len(spilled):
            timed = spilled[self._told]
            self._output.publish(self._message.fill(timed.stamp_ns, timed.spill))
            self._told += 1

    def _set(self, changes: list[Parameter]) -> SetParametersResult:
        """Spill what the parameter is set to, or refuse it by name."""
        for change in changes:
            if change.name != SPILL:
                continue
            if len(changes) > 1:  # none of them is set if one is refused
                return SetParametersResult(
                    successful=False, reason="spill must be set alone"
                )
            try:
                spill = spill_of(change.value or ())
                if self._node.active and self._world is not None:
                    self._world.spill(spill)
                    self.tell()
                self._numbers = tuple(change.value)
            except InvalidParameter as error:
                return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _serve(
        self, request: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        """Serve a spill under the robot."""
        response.success = False
        if not self._node.active or self._world is None:
            response.message = "nothing is simulated yet"
            return response
        here = self._here
        spill = self._world.around_base(here.length, here.width, here.mu)
        try:
            self._world.spill(spill)
        except InvalidParameter as error:
            response.message = str(error)
            return response
        self.tell()
        response.success = True
        response.message = str(spill)
        return response
