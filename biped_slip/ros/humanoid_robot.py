# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Humanoid of a node: raw sensors, base motion, controller and its record."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from itertools import starmap
from typing import Any, Callable, Mapping, Sequence, TypeVar

import numpy as np
from nav_msgs.msg import Odometry
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState

from biped_slip.child_processes import WorkerProcesses
from biped_slip.compile.arrays import Array
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.control.supervisor import SupervisorConfig
from biped_slip.estimation.health import HealthConfig
from biped_slip.estimation.readings import (
    BaseMotion,
    HumanoidReadings,
    RawReadings,
    SensorReadings,
)
from biped_slip.estimation.sensor_self_test import turned
from biped_slip.robots.humanoid import FOOT_IMUS, FORCE_SENSORS, IMU, load_humanoid
from biped_slip.ros.controlled_robot import ControllerNodeConfig
from biped_slip.ros.dds import SCHEMAS, MessageLayout
from biped_slip.ros.messages import (
    FOOT_NAMES,
    FOOT_SENSORS,
    Frames,
    InputTopic,
    SerialisedSensors,
    record_names,
    record_values,
    sensor_topics,
    wrench_topics,
)
from biped_slip.ros.messages import HUMANOID_SOURCE as KIND
from biped_slip.ros.parameters import declare_configuration
from biped_slip.ros.rehearsal import Rehearsal, wavering
from biped_slip.ros.robot_node import RobotNode
from biped_slip.ros.sensor_inputs import (
    JointStateInput,
    foot_sensor_input,
    foot_sensor_inputs,
    wrench_inputs,
)
from biped_slip.walking.controller import ControlOutput
from biped_slip.walking.humanoid import (
    HumanoidOutput,
    chosen_walking,
    guarded_humanoid,
    standing_readings,
)
from biped_slip.walking.registry import HUMANOID_DEFAULT
from biped_slip.walking.sensor_sway import at_once

# Messages, each in its sensor's own frame. The IMU gives no orientation; that and the
# base's motion are in ``odom``.

UNKNOWN_ORIENTATION = np.array([0.0, 0.0, 0.0, 1.0])
#: Of the base's motion in ``odom``, in the order of BaseMotion.
BASE = (
    "pose.pose.orientation",
    "twist.twist.angular",
    "pose.pose.position",
    "twist.twist.linear",
)
#: Topics of the sensors that some humanoids have not, by fields of RawReadings.
DISPENSABLE = {
    "foot_imus": tuple(f"{foot}/imu" for foot in FOOT_NAMES),
    "force_torque": wrench_topics(KIND),
}
NOTHING_ABSENT: frozenset[str] = frozenset()


def humanoid_topics(absent: frozenset[str] = NOTHING_ABSENT) -> dict[str, type[Any]]:
    """Map the topics of a humanoid's sensors to types; joint_states is the last one.

    Args:
        absent: fields of RawReadings that the robot has no sensors for.
    """
    silent = {topic for field in absent for topic in DISPENSABLE[field]}
    return {
        topic: kind
        for topic, kind in sensor_topics(KIND).items()
        if topic not in silent
    }


class SerialisedHumanoidSensors(SerialisedSensors):
    """Bytes of a humanoid's sensor messages, made once.

    Stamps and numbers are written over. ``joint_states`` has efforts in it where the
    readings have torques of the joints.

    Args:
        joints: of the robot, in its order.
        absent: fields of RawReadings that the robot has no sensors, and no messages,
            for.
    """

    def __init__(
        self, joints: Sequence[str], absent: frozenset[str] = NOTHING_ABSENT
    ) -> None:
        super().__init__(
            joints, FORCE_SENSORS, Frames(imu=IMU, foot_imus=FOOT_IMUS), KIND
        )
        self._layouts = {
            topic: self._layouts[topic] for topic in humanoid_topics(absent)
        }
        silent = self._layouts["joint_states"]
        message = deserialize_message(silent.message(silent.time(0)), JointState)
        message.effort = [0.0] * len(joints)
        speaking = MessageLayout(serialize_message(message), SCHEMAS["JointState"])
        self._joint_states = {False: silent, True: speaking}

    def fill_raw(self, readings: HumanoidReadings) -> dict[str, bytes]:
        """Return the messages of one reading by topic.

        The base's motion goes to ``odom``.
        """
        raw, base = readings
        self._write(_in_their_fields(raw))
        known = len(raw.joint_torque) > 0 and not np.isnan(raw.joint_torque).all()
        joints = self._joint_states[known]
        if known:
            joints.views["position"][:] = raw.joint_position
            joints.views["velocity"][:] = raw.joint_velocity
            joints.views["effort"][:] = raw.joint_torque
        self._layouts["joint_states"] = joints
        if base is not None:
            odom = self._layouts["odom"].views
            for path, values in zip(BASE, base, strict=True):
                odom[path][:] = values
        return self._stamped(raw.stamp_ns)


def _in_their_fields(raw: RawReadings) -> SensorReadings:
    """Sort raw numbers into the messages' fields; no number is changed."""
    return SensorReadings(
        stamp_ns=raw.stamp_ns,
        joint_position=raw.joint_position,
        joint_velocity=raw.joint_velocity,
        orientation_base_in_world=UNKNOWN_ORIENTATION,
        angular_velocity_in_base=raw.imu[:3],
        specific_force_in_base=raw.imu[3:],
        position_base_in_odom=np.zeros(3),
        linear_velocity_in_base=np.zeros(3),
        wrench_ground_on_foot_in_sole=raw.force_torque,
        foot_specific_force_in_sole=raw.foot_imus[:, 3:],
        foot_angular_velocity_in_sole=raw.foot_imus[:, :3],
        foot_position_in_world=raw.foot_position,
    )


class HumanoidInputs:
    """Sensors of one humanoid; ``topics`` are in the order of publication.

    Args:
        joints: of the robot, in its order.
        odometry: whether ``odom`` has the base's motion; otherwise it is estimated.
        sole_positions: whether sensors measure the soles' places; otherwise these are
            NaN.
        raw: whether layouts may be learnt.
        absent: fields of RawReadings that the robot has no sensors for; they are NaN,
            and nothing is waited for.
    """

    def __init__(
        self,
        joints: Sequence[str],
        odometry: bool,
        sole_positions: bool = True,
        raw: bool = True,
        absent: frozenset[str] = NOTHING_ABSENT,
    ) -> None:
        self.joint_states = JointStateInput("joint_states", joints, raw)
        # as in a foot: without an orientation
        self._imu = foot_sensor_input("imu/data", FOOT_SENSORS["imu"], raw)
        before = math.nan if "force_torque" in absent else 0.0
        self._wrenches = wrench_inputs(KIND, FORCE_SENSORS, raw, before)
        self._foot_imus, self._foot_positions = (
            foot_sensor_inputs(name, raw) for name in ("imu", "position")
        )
        self._base = InputTopic("odom", Odometry, BASE, raw) if odometry else None
        there = [*self._wrenches, *self._foot_imus, self._imu, self.joint_states]
        there += (self._foot_positions if sole_positions else []) + (
            [self._base] if self._base is not None else []
        )
        by_name = {topic.name: topic for topic in there}
        self.topics: Mapping[str, InputTopic] = {
            n: by_name[n] for n in humanoid_topics(absent) if n in by_name
        }

    def readings(self, stamp: int) -> HumanoidReadings:
        """Return the newest readings of all sensors, stamped, in new arrays."""
        imu = self._imu.numbers
        joints = self.joint_states
        raw = RawReadings(
            stamp_ns=stamp,
            joint_position=joints.position,
            joint_velocity=joints.velocity,
            imu=np.concatenate((imu["angular_velocity"], imu["linear_acceleration"])),
            foot_imus=_both(self._foot_imus, "angular_velocity", "linear_acceleration"),
            force_torque=_both(self._wrenches, "wrench"),
            foot_position=_both(self._foot_positions, "point"),
            joint_torque=joints.effort,
        )
        base = (
            None
            if self._base is None
            else BaseMotion(*(self._base.numbers[path].copy() for path in BASE))
        )
        return HumanoidReadings(raw, base)


def _both(feet: Sequence[InputTopic], *parts: str) -> Array:
    """Stack quantities of both feet side by side (2, …)."""
    return np.array(
        [np.concatenate([foot.numbers[part] for part in parts]) for foot in feet]
    )


#: Scalars of a record; NaN as long as the controller does not know its base.
OWN_SCALARS = (
    "l_limit",
    "r_limit",
    "phase",
    "solved",
    "dcm_error_x",
    "dcm_error_y",
    "step",
)
SOLVED = OWN_SCALARS.index("solved")


Result = TypeVar("Result")


class BackgroundWorker:
    """Process beside a control loop for work of some tenths of a second.

    Call it with the work.

    A thread would ask for the interpreter whenever the loop has it: ticks took 3 to 14
    ms (studies/loop.md). It starts before the loop has a priority to inherit. A call
    returns what tells the work's result, None before, or its error.
    """

    def __init__(self) -> None:
        self._processes = WorkerProcesses(1)
        # what the judging of sensors needs
        self.loading = self._processes.submit(turned)

    def __call__(self, work: Callable[[], Result]) -> Callable[[], Result | None]:
        """Begin work."""
        future = self._processes.submit(work)
        return lambda: future.result() if future.done() else None


@configuration
class HumanoidRobotConfig(Configuration):
    """Parameters of a humanoid's controller beside its walk."""

    base: str = parameter(
        "estimated",
        choices=("odom", "estimated"),
        doc="motion of the base: from odom, or estimated",
    )
    foot_positions: bool = parameter(
        True,
        doc="sensors tell where the soles are, on l_foot/position and "
        "r_foot/position; false: only the joints do",
    )
    check_sensors: bool = parameter(
        True,
        doc="shift the weight and sway before the first step; wrong sensors: stand",
    )


ELSEWHERE = ("robot", "sensors", "period")  # not parameters below ``walk.``


class HumanoidRobot:
    """Humanoid behind the node; it always estimates friction by itself.

    Args:
        node: where parameters are declared.
        walk: by its name or as a .yaml file.
    """

    estimates_itself = True

    def __init__(self, node: RobotNode, walk: str) -> None:
        self._node = node
        self._walking = declare_configuration(
            node, chosen_walking(walk), "walk.", without=ELSEWHERE
        )
        self._config = declare_configuration(node, HumanoidRobotConfig())
        self._background = (
            at_once if node.settings.mode == "lockstep" else BackgroundWorker()
        )

    def build(
        self,
        config: ControllerNodeConfig,
        supervision: SupervisorConfig,
        health: HealthConfig,
        period: float | None = None,
    ) -> None:
        """Build controller and sensors."""
        odometry = self._config.base == "odom"
        walking = (
            self._walking if period is None else replace(self._walking, period=period)
        )
        self._humanoid = load_humanoid(walking.robot)
        self._absent = walking.absent_sensors
        self.period = walking.period
        robot = self._humanoid.robot
        self.guarded = guarded_humanoid(
            walking,
            config.limit,
            supervision,
            health,
            checked=self._config.check_sensors,
            external_base=odometry,
            background=self._background,
            name=config.controller or HUMANOID_DEFAULT,
        )
        if isinstance(self._background, BackgroundWorker):
            # not beside the first ticks, on what may be their only core
            self._background.loading.result()
        self.joints = robot.joints
        self.soles = robot.soles
        self._inputs = partial(
            HumanoidInputs,
            robot.joints,
            odometry,
            self._config.foot_positions,
            config.raw_messages,
            self._absent,
        )
        self.sensors = self._inputs()
        self.record_names = record_names(OWN_SCALARS, robot.joints)

    def rehearsal(self) -> Rehearsal:
        """Return the readings of a standing robot for the rehearsal."""
        rng = np.random.default_rng(0)
        standing = standing_readings(self._humanoid, True, self.period, self._absent)
        readings = ((wavering(raw, rng), base) for raw, base in standing)
        messages = SerialisedHumanoidSensors(self.joints, self._absent)
        return Rehearsal(
            self._inputs(), starmap(HumanoidReadings, readings), messages.fill_raw
        )

    def record_values(self, output: ControlOutput) -> list[float]:
        """List the controller's outputs in the order of the names.

        They are NaN where it has no such quantity.
        """
        answer = output.answer if isinstance(output, HumanoidOutput) else None
        own = [math.nan] * len(OWN_SCALARS)
        if answer is not None:
            own = [
                *answer.limits,
                float(answer.phase),
                float(answer.solved),
                *answer.dcm_error,
                answer.gait.forward,
            ]
        return record_values(own, output)
