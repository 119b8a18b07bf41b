# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The robots of the bench of faults, and the other end of their controllers' topics."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Protocol

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.serialization import deserialize_message
from std_msgs.msg import Float64MultiArray

from biped_slip.compile.arrays import Array
from biped_slip.constants import GRAVITY
from biped_slip.contact.spill import spill_of
from biped_slip.control.supervisor import SupervisorConfig
from biped_slip.errors import SimulationDiverged
from biped_slip.estimation.health import HealthConfig
from biped_slip.estimation.planar_feet import FloorConfig
from biped_slip.estimation.readings import HumanoidReadings, SensorReadings
from biped_slip.ros.dds import COMMAND_QOS, DIAGNOSTICS, OUTPUTS, PolledSubscription
from biped_slip.ros.humanoid_robot import KIND, SerialisedHumanoidSensors
from biped_slip.ros.messages import (
    SENSOR_TOPICS,
    Frames,
    JointEfforts,
    SerialisedCommand,
    sensor_topics,
    wrench_topics,
)
from biped_slip.ros.nodes.contact_simulator import typed_command
from biped_slip.simulation.humanoid.scenario import chosen_walk
from biped_slip.simulation.humanoid.walk import HumanoidTrack
from biped_slip.simulation.planar.scenario import chosen_scenario
from biped_slip.walking.guarded import GuardedController
from biped_slip.walking.humanoid import guarded_humanoid
from biped_slip.walking.planar import guarded_planar
from studies.faults.snapshot import snapshot
from studies.loop.robots import COMMAND, Robot
from synthetic.guarded_walk import LIMIT, safe_floor
from synthetic.sensor_messages import SensorMessages

PERIOD = 1_000_000  # [ns]
SPILLED = 3.0  # [m] of a spill, more than two steps
AT_THE_ANKLE: Mapping[str, str] = dict(
    zip(wrench_topics("odometry"), wrench_topics(KIND), strict=True)
)
KNOWN = {real: known for known, real in AT_THE_ANKLE.items()}


class BenchRobot(Protocol):
    """A robot on the bench."""

    name: str
    parameters: Mapping[str, object]  # of its controller
    moments: Mapping[str, int]  # ticks of its walk
    topics: Mapping[
        str, type[Any]
    ]  # by the names that the faults know, which are the planar biped's
    real: Mapping[str, str]  # names of topics that are called otherwise here
    unheard: tuple[str, ...]  # topics that its controller does not listen to
    joints: tuple[str, ...]
    limits: Array  # (n,) [N m]
    weight: float  # [N]

    def stand(self) -> None:
        """From the beginning."""
        ...

    def guarded(self) -> GuardedController[Any]:
        """Make the guarded controller that its node would have."""
        ...

    def sense(self, tick: int) -> Any:
        """Sense what the controller's sensors measure."""
        ...

    def read(self, tick: int) -> tuple[dict[str, Any], Array]:
        """Read what the sensors measure as messages by topic, the trigger last.

        Also return the joint velocities (n,) as measured [rad/s].
        """
        ...

    def spill(self, mu: float) -> None:
        """Change the friction of the floor around the robot, until it stands anew."""
        ...

    def advance(self, torques: Array) -> None:
        """One control period; time goes on for a heap on the floor, too."""
        ...


class PlanarOnBench:
    """The thesis' biped, whose first step lasts from tick 457 to 1752."""

    name = "planar"
    parameters: Mapping[str, object] = {}
    moments: Mapping[str, int] = {
        "start": 5,
        "double support": 300,
        "leg lifting": 462,
        "mid-swing": 1000,
        "landing": 1745,
    }
    topics: Mapping[str, type[Any]] = SENSOR_TOPICS
    real: Mapping[str, str] = {}
    unheard: tuple[str, ...] = ()

    def __init__(self) -> None:
        self._robot = Robot("thesis")
        model = self._robot.model
        self.joints = tuple(model.joints)
        self.limits = model.effort_limits
        self.weight = model.mass * GRAVITY
        self._soles = model.soles

    def stand(self) -> None:
        """From the start of the scenario."""
        self._robot.stand()

    def guarded(self) -> GuardedController[Any]:
        """Make the guarded controller of the scenario."""
        scenario = chosen_scenario("thesis")
        floor = FloorConfig()
        told = SupervisorConfig(), HealthConfig()
        return guarded_planar(self._robot.model, scenario.walking, LIMIT, floor, *told)

    def sense(self, tick: int) -> SensorReadings:
        """Sense what the sensors measure."""
        return self._robot.read(tick * PERIOD)

    def read(self, tick: int) -> tuple[dict[str, Any], Array]:
        """Messages and joint velocities."""
        readings = self.sense(tick)
        # new ones: a fault may change anything
        messages = SensorMessages(self.joints, self._soles, Frames())
        return dict(messages.fill(readings)), readings.joint_velocity

    def spill(self, mu: float) -> None:
        """Spill from behind the feet to well ahead of them."""
        plant = self._robot.plant
        x = float(plant.state.q[0])
        plant.spill(spill_of([x - 0.5 * SPILLED, x + 0.5 * SPILLED, mu]))

    def advance(self, torques: Array) -> None:
        """One control period."""
        try:
            self._robot.plant.advance(torques)
        except SimulationDiverged:
            self._robot.plant.ticks += 1


class TalosOnBench:
    """TALOS, which estimates its base, on a floor without a patch.

    It shifts its weight at 0.6 s and lifts at 1.4 s.
    """

    name = "talos"
    parameters: Mapping[str, object] = {
        "humanoid_walk": "talos",
        "check_sensors": False,
    }
    moments: Mapping[str, int] = {
        "start": 100,
        "double support": 900,
        "leg lifting": 1400,
        "mid-swing": 1550,
        "landing": 1755,
    }
    real = AT_THE_ANKLE
    unheard = ("odom",)
    topics: Mapping[str, type[Any]] = {
        KNOWN.get(topic, topic): kind for topic, kind in sensor_topics(KIND).items()
    }

    def __init__(self) -> None:
        self._walk = safe_floor(chosen_walk("talos"))
        self._track = HumanoidTrack(self._walk, 0)
        self._fresh = snapshot(self._track)
        humanoid = self._track.humanoid
        self.joints = tuple(humanoid.robot.joints)
        self.limits = humanoid.efforts
        self.weight = humanoid.weight
        self._messages = SerialisedHumanoidSensors(humanoid.robot.joints)

    def stand(self) -> None:
        """Start the world anew."""
        self._fresh()

    def guarded(self) -> GuardedController[Any]:
        """Make the guarded controller of the walk."""
        return guarded_humanoid(
            self._walk.walking, LIMIT, SupervisorConfig(), HealthConfig(), checked=False
        )

    def sense(self, tick: int) -> HumanoidReadings:
        """Sense what the sensors measure."""
        raw = self._track.read().raw
        return HumanoidReadings(raw._replace(stamp_ns=tick * PERIOD))

    def read(self, tick: int) -> tuple[dict[str, Any], Array]:
        """Messages and joint velocities."""
        readings = self.sense(tick)
        raw = readings.raw
        sent = self._messages.fill_raw(readings)
        return {
            topic: deserialize_message(sent[self.real.get(topic, topic)], kind)
            for topic, kind in self.topics.items()
        }, raw.joint_velocity

    def spill(self, mu: float) -> None:
        """Spill from behind the feet to well ahead of them."""
        self._track.spill(self._track.around_base(SPILLED, SPILLED, mu))

    def advance(self, torques: Array) -> None:
        """One control period."""
        if not self._track.ended:
            self._track.advance(torques)


ROBOTS: dict[str, type[PlanarOnBench] | type[TalosOnBench]] = {
    "planar": PlanarOnBench,
    "talos": TalosOnBench,
}


# of counters that are a problem: all with a detail, and this one without
COUNTED = (
    ": ",
    "own stall",
)


class Partner:
    """One robot's."""

    def __init__(self, robot: BenchRobot, name: str = "fault_bench") -> None:
        self.node = rclpy.create_node(name)
        self._outputs = {
            topic: self.node.create_publisher(
                kind, robot.real.get(topic, topic), OUTPUTS
            )
            for topic, kind in robot.topics.items()
        }
        self._unheard = robot.unheard
        self._commands = PolledSubscription(
            self.node, Float64MultiArray, COMMAND, COMMAND_QOS, raw=True
        )
        self._diagnostics = PolledSubscription(
            self.node, DiagnosticArray, "/diagnostics", DIAGNOSTICS
        )
        self._template = SerialisedCommand(len(robot.joints))

    def connected(self) -> bool:
        """Whether a controller hears what it acts on and is heard."""
        heard = (
            output
            for topic, output in self._outputs.items()
            if topic not in self._unheard
        )
        return self._commands.senders() > 0 and all(
            output.get_subscription_count() for output in heard
        )

    def forget(self) -> None:
        """Forget the commands that have come."""
        for box in (self._commands, self._diagnostics):
            list(box.take())

    def send(self, messages: Iterable[tuple[str, object]]) -> None:
        """Messages or their bytes, by the topics that the faults know."""
        for topic, message in messages:
            self._outputs[topic].publish(message)

    def commands(self) -> list[Array]:
        """List the commands that have come, each (n,) [N m]."""
        return [command.efforts for command in self.answers()]

    def answers(self) -> list[JointEfforts]:
        """List the commands with the instants that they answer."""
        return [
            self._template.read(raw) or typed_command(raw)
            for raw in self._commands.take()
        ]

    def problems(self) -> list[str] | None:
        """Return the names of all problems of the next message of /diagnostics.

        The answer is None as long as no message has come.
        """
        for array in self._diagnostics.take():
            values = {
                value.key: value.value
                for status in array.status
                for value in status.values
            }
            counted = [
                key.partition(":")[0]
                for key in values
                if COUNTED[0] in key or key.startswith(COUNTED[1])
            ]
            return sorted(
                {name for name in (values.get("problem", ""), *counted) if name}
            )
        return None

    def close(self) -> None:
        """No more."""
        self.node.destroy_node()
