# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A process: the robot's side of the loop, with a stopwatch.

It also has two controllers to compare with.

``python -m studies.loop.probe ROLE [--seconds S] [--period-us P] [--realtime-priority
N] [--cpu K]``; the role ``robot`` prints one line of JSON. A period of 0 publishes the
next sample as soon as the last one is answered.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import sys
import time
from typing import Any, Sequence

import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.experimental import EventsExecutor
from rclpy.node import Node
from std_msgs.msg import Float64MultiArray

from biped_slip.compile.arrays import Array
from biped_slip.estimation.planar_feet import FloorConfig, motion_source
from biped_slip.estimation.readings import SECOND, SensorReadings
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.ros.dds import (
    COMMAND_QOS,
    DIAGNOSTICS,
    OUTPUTS,
    SENSOR_INPUTS,
    PolledSubscription,
    Waiter,
    time_of,
)
from biped_slip.ros.diagnostics import SAID
from biped_slip.ros.messages import (
    SENSOR_TOPICS,
    CommandMessage,
    SerialisedCommand,
    stamp_ns,
)
from biped_slip.ros.realtime import hurry, prepare
from biped_slip.ros.sensor_inputs import TRIGGER
from biped_slip.simulation.planar.oracle import planar_policy
from biped_slip.simulation.planar.scenario import chosen_scenario
from biped_slip.walking.planar import PlanarController
from studies.loop.robots import COMMAND, ProbedBiped, ProbedHumanoid, ProbedRobot


def echo(node: Node) -> None:
    """Answer every sample with zeros, from bytes to bytes.

    This is what the transport alone costs.
    """
    boxes = {
        topic: PolledSubscription(node, kind, topic, SENSOR_INPUTS, raw=True)
        for topic, kind in SENSOR_TOPICS.items()
    }
    output = node.create_publisher(Float64MultiArray, COMMAND, COMMAND_QOS)
    waiter = Waiter(node, 1)
    joints = len(planar_biped().joints)
    command = SerialisedCommand(joints)
    nothing = np.zeros(joints)
    time = None
    freeze()
    while True:
        waiter.wait([boxes[TRIGGER]], 0.1)
        for topic, box in boxes.items():
            for raw in box.take():
                time = time_of(raw) if topic == TRIGGER else time
        if time is not None:
            output.publish(command.fill(time[0] * SECOND + time[1], nothing))
            time = None


class PlainController(Node):
    """The controller as tutorials write it.

    It has typed messages, a callback each, and the default executor.
    """

    def __init__(self) -> None:
        super().__init__("plain_controller")
        scenario = chosen_scenario("thesis")
        robot = planar_biped(scenario.variant)
        motion = motion_source(robot, scenario.motion, FloorConfig())
        self._controller = PlanarController(
            robot, scenario.walking, planar_policy("thesis", scenario), motion, 0.0
        )
        self._newest: dict[str, Any] = {}
        for topic, kind in SENSOR_TOPICS.items():
            self.create_subscription(
                kind,
                topic,
                lambda message, topic=topic: self._heard(topic, message),
                10,
            )
        self._command = CommandMessage(len(robot.joints))
        self._output = self.create_publisher(Float64MultiArray, COMMAND, 10)

    def _heard(self, topic: str, message: Any) -> None:
        self._newest[topic] = message
        if topic == TRIGGER and len(self._newest) == len(SENSOR_TOPICS):
            readings = self._readings(stamp_ns(message.header))
            self._output.publish(
                self._command.fill(
                    readings.stamp_ns, self._controller.step(readings).torques
                )
            )

    def _readings(self, stamp: int) -> SensorReadings:
        def vector(value: Any, names: str = "xyz") -> Array:
            return np.array([getattr(value, name) for name in names])

        joints, imu, odom = (
            self._newest[topic] for topic in ("joint_states", "imu/data", "odom")
        )
        wrenches = [
            self._newest[f"{foot}/wrench"].wrench for foot in ("l_foot", "r_foot")
        ]
        return SensorReadings(
            stamp_ns=stamp,
            joint_position=np.array(joints.position),
            joint_velocity=np.array(joints.velocity),
            orientation_base_in_world=vector(imu.orientation, "xyzw"),
            angular_velocity_in_base=vector(imu.angular_velocity),
            specific_force_in_base=vector(imu.linear_acceleration),
            position_base_in_odom=vector(odom.pose.pose.position),
            linear_velocity_in_base=vector(odom.twist.twist.linear),
            wrench_ground_on_foot_in_sole=np.array(
                [[*vector(wrench.force), *vector(wrench.torque)] for wrench in wrenches]
            ),
        )


def freeze() -> None:
    """No garbage collection from here on."""
    gc.collect()
    gc.freeze()
    gc.disable()


WARM_UP = 1.0  # [s] not measured
STARTUP = 300.0  # [s] for the first answer
LOST = 0.05  # [s] without an answer before the next sample, where the period is 0
BETWEEN = 200  # ticks between two silences
BLOCK = 60.0  # [s] of which quantiles are kept for the drift


class Probe:
    """Publishes samples, waits for their answers and takes the time."""

    def __init__(self, node: Node, robot: ProbedRobot) -> None:
        self._robot = robot
        self._outputs = {
            topic: node.create_publisher(kind, topic, OUTPUTS)
            for topic, kind in robot.topics.items()
        }
        self._commands = PolledSubscription(
            node, Float64MultiArray, COMMAND, COMMAND_QOS, raw=True
        )
        self._diagnostics = PolledSubscription(
            node, DiagnosticArray, "/diagnostics", DIAGNOSTICS
        )
        self._waiter = Waiter(node, 1)
        self._torques = np.zeros(robot.joints)
        self._stamp = 0
        self.work = list[float]()
        self._not_finite = 0  # commands
        self._template = SerialisedCommand(robot.joints)
        self._next()

    def _next(self) -> None:
        """Prepare the next sample while nobody waits for it."""
        begin = time.perf_counter()
        self._stamp += 1_000_000
        self._robot.advance(self._torques)
        self._ready = self._robot.sample(self._stamp)
        self.work.append(time.perf_counter() - begin)

    def _ask(self) -> float:
        begin = time.perf_counter()
        for topic, raw in self._ready.items():
            self._outputs[topic].publish(raw)
        return begin

    def _answered(self) -> bool:
        for raw in self._commands.take():
            command = self._template.read(raw)
            if command is not None and command.stamp_ns == self._stamp:
                self._torques = command.efforts
                self._not_finite += not np.isfinite(command.efforts).all()
                return True
        return False

    def _wait(self, end: float) -> bool:
        while (left := end - time.perf_counter()) > 0.0:
            self._waiter.wait([self._commands], left)
            if self._answered():
                return True
        return self._answered()

    def begin(self) -> None:
        """Ask until somebody answers."""
        end = time.perf_counter() + STARTUP
        while not self._wait(self._ask() + 0.1):
            if time.perf_counter() > end:
                raise SystemExit("nobody answers")
            self._stamp += 1_000_000
            self._ready = self._robot.sample(self._stamp)

    def watch(self, count: int, period: float) -> dict[str, Any]:
        """Fall silent so often and time how soon the controller lets the joints go.

        The time counts from when the next sample was due.
        """
        took: list[float] = []
        for _ in range(count):
            deadline = time.perf_counter()
            for _ in range(BETWEEN):
                asked = self._ask()
                self._wait(asked + period)
                last = self._stamp
                self._next()
                deadline += period
                time.sleep(max(deadline - time.perf_counter(), 0.0))
            self._stamp = last  # the watchdog answers the last sample once more
            answered = self._wait(asked + LOST)
            # the last sample's own answer came late
            while answered and np.any(self._torques):
                answered = self._wait(asked + LOST)
            if answered:
                took.append(time.perf_counter() - asked - period)
            self._stamp = last + 1_000_000
        return {
            "silences": count,
            "missed": count - len(took),
            "compute_us": None,
            "causes": {},
            **quantiles(took or [math.inf]),
        }

    def run(self, seconds: float, period: float) -> dict[str, Any]:
        """Measure; a period of 0 runs as fast as the answers come."""
        late = ticks = 0
        blocks: list[list[float]] = []
        begin = deadline = time.perf_counter()
        while deadline - begin < WARM_UP + seconds and not self._robot.over:
            asked = self._ask()
            answered = self._wait(asked + (period or LOST))
            if asked - begin > WARM_UP:
                ticks += 1
                late += not answered
                block = int((asked - begin - WARM_UP) / BLOCK)
                blocks += [[] for _ in range(block + 1 - len(blocks))]
                blocks[block].append(time.perf_counter() - asked)
            self._next()
            deadline = deadline + period if period else time.perf_counter()
            time.sleep(max(deadline - time.perf_counter(), 0.0))
            # dropped deadlines are late, not made up
            deadline = max(deadline, time.perf_counter() - (period or 1.0))
        return {
            "ticks": ticks,
            "late": late,
            "seconds": time.perf_counter() - begin - WARM_UP,
            "falls": self._robot.falls,
            "not_finite": self._not_finite,
            "robot_us": 1e6 * float(np.median(self.work)),
            **self._said(),
            **quantiles([value for block in blocks for value in block]),
            "drift": [quantiles(block) for block in blocks],
        }

    def _said(self) -> dict[str, Any]:
        """Read from the controller its own computing, median [us].

        Also read its late ticks, by cause.
        """
        statuses = [
            status for array in self._diagnostics.take() for status in array.status
        ]
        said = {
            value.key: value.value for status in statuses for value in status.values
        }
        compute = said.get("compute p50 [ms]")
        causes = {
            key.removeprefix(SAID): int(value)
            for key, value in said.items()
            if key.startswith(SAID)
        }
        return {
            "compute_us": None if compute is None else 1e3 * float(compute),
            "causes": causes,
        }


def quantiles(seconds: Sequence[float]) -> dict[str, float]:
    """Median, 99 % and 99.9 % in microseconds."""
    shares = np.quantile(seconds, (0.5, 0.99, 0.999))
    return {
        name: 1e6 * float(value)
        for name, value in zip(("p50", "p99", "p999"), shares, strict=True)
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Play a role until interrupted, or for a time."""
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "role", choices=("robot", "still-robot", "echo", "plain", "events")
    )
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--period-us", type=float, default=1000.0)
    parser.add_argument(
        "--silences",
        type=int,
        default=0,
        help="instead: how fast the watchdog is, so many times",
    )
    parser.add_argument(
        "--walk", default="", help="of a humanoid; none: the planar biped"
    )
    chosen, _ = parser.parse_known_args(arguments)
    note, priority = prepare(arguments)
    if note:
        print(note, file=sys.stderr)
    rclpy.init(args=[])
    try:
        play(chosen, priority)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        rclpy.try_shutdown()
    return 0


def play(chosen: argparse.Namespace, priority: int | None) -> None:
    """One of the roles; the priority is taken when all is loaded."""
    role = chosen.role
    period = 1e-6 * chosen.period_us
    silences = chosen.silences
    if role == "plain":
        executor = SingleThreadedExecutor()
        executor.add_node(PlainController())
        executor.spin()
        return
    if role == "events":
        events = EventsExecutor()
        events.add_node(PlainController())
        hurry(priority)
        # its spin() burns a core and delivers nothing in these versions of rclpy
        while rclpy.ok():
            events.spin_once(timeout_sec=1.0)
        return
    node = rclpy.create_node(f"loop_{role.replace('-', '_')}")
    if role == "echo":
        hurry(priority)
        echo(node)
    probe = Probe(
        node,
        ProbedHumanoid(chosen.walk)
        if chosen.walk
        else ProbedBiped(role == "still-robot"),
    )
    freeze()  # takes 90 ms, for which it would keep the controller from their core
    hurry(priority)
    probe.begin()
    print(
        json.dumps(
            probe.watch(silences, period)
            if silences
            else probe.run(chosen.seconds, period)
        )
    )


if __name__ == "__main__":
    raise SystemExit(main())
