# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What can go wrong between sensors and controller: kinds of faults, and what is required of each."""

from __future__ import annotations

from typing import Any

import numpy as np
from rclpy.parameter import Parameter

from biped_slip.lab.fault_injection.delivery import Fault
from biped_slip.lab.fault_injection.injection import (
    JUMP,
    absent,
    bit_flips,
    cut,
    delay,
    duplicate,
    extra,
    folded,
    frame,
    freeze,
    imu,
    jitter,
    joint_value,
    joints,
    noise,
    nothing,
    odom,
    rename,
    reorder,
    same_stamp,
    saturate,
    scale,
    setter,
    shift,
    stamped,
    stops,
    swap,
    times,
    truncated,
    turn_round,
    wrench,
)


def change_parameters(node: Any) -> None:
    """What somebody might try in the middle of a step; every one is refused."""
    for name in ("supervisor.damping", "supervisor.grace", "health.stuck_time", "age_limit", "controller.gait.stride"):
        value = node.get_parameter(name).value
        (result,) = node.set_parameters([Parameter(name, value=1.5 * value)])
        if result.successful:
            raise AssertionError(f"{name} could be changed while walking")


def raise_in_step(node: Any) -> None:
    """The controller fails."""

    def broken(*_: Any) -> None:
        raise RuntimeError("broken on purpose")

    node.guarded.controller.step = broken


def answer_nan(node: Any) -> None:
    """The controller's torques are not finite."""
    honest = node.guarded.controller.step

    def broken(*arguments: Any) -> Any:
        record = honest(*arguments)
        return record._replace(torques=np.full_like(record.torques, np.nan))

    node.guarded.controller.step = broken


def ask_to_stop(node: Any) -> None:
    """Somebody stops the walk."""
    node.guarded.stop()


BOTH, INF, NAN = ("l_foot", "r_foot"), float("inf"), float("nan")
STALE, BAD, HUGE = ("stale input",), ("input not finite",), ("implausible input", "joint speed", "joint limit")
ALL = ("imu/data", "l_foot/wrench", "r_foot/wrench", "odom", "joint_states")
LONG = 1000  # ticks: what can only be seen in a certain phase of the gait

KINDS: tuple[Fault, ...] = (
    Fault("joint_states stop", stops("joint_states"), ("silent input",)),
    Fault("IMU stops", stops("imu/data"), STALE),
    Fault("left wrench stops", stops("l_foot/wrench"), STALE),
    Fault("right wrench stops", stops("r_foot/wrench"), STALE),
    Fault("odometry stops", stops("odom"), STALE),
    Fault("simulator killed: everything stops", stops(*ALL), ("silent input",)),
    Fault("joint position NaN", joint_value("position", NAN), BAD),
    Fault("joint velocity NaN", joint_value("velocity", NAN), BAD),
    Fault("joint velocity inf", joint_value("velocity", INF), BAD),
    Fault("IMU NaN", imu(setter("linear_acceleration.x", NAN)), BAD),
    Fault("wrench NaN", wrench(("l_foot",), setter("force.z", NAN)), BAD),
    Fault("wrench inf", wrench(("r_foot",), setter("torque.y", -INF)), BAD),
    Fault("odometry NaN", odom("twist.twist.linear.x", NAN), BAD),
    Fault("joint position huge", joint_value("position", 1e9), HUGE),
    Fault("joint velocity huge", joint_value("velocity", -1e12), HUGE),
    Fault("IMU huge", imu(setter("angular_velocity.y", 1e7)), HUGE),
    Fault("wrench huge", wrench(BOTH, setter("force.x", 1e15)), HUGE),
    Fault("odometry huge", odom("pose.pose.position.z", 1e300), HUGE),
    Fault("velocity too short", joints(cut("velocity")), ("wrong size",)),
    Fault("position too short", joints(cut("position")), ("wrong size",)),
    Fault("joint renamed", joints(rename), ("missing joint",)),
    Fault("joints reordered", joints(turn_round), within=None),
    Fault("extra joint", joints(extra), within=None),
    Fault("wrong frame", frame, ("wrong frame",)),
    Fault("orientation absent", absent("orientation_covariance"), ("orientation absent",)),
    Fault("turn rate absent", absent("angular_velocity_covariance"), ("angular velocity absent",)),
    Fault("everything twice", duplicate, ("duplicated stamp",), within=None),
    Fault("stamps stand still", same_stamp, ("silent input",)),
    Fault("IMU out of order", reorder, ("reordered stamp",), within=None),
    Fault("left wrench delayed", delay("l_foot/wrench"), STALE),
    Fault("joint_states delayed", delay("joint_states"), (*STALE, "silent input")),
    Fault("jitter", jitter, within=None, may_go_on=True),
    Fault("clock jumps ahead", shift(JUMP), ("clock jump",)),
    Fault("clock jumps back", shift(-JUMP), ("clock jump",)),
    Fault("IMU from before 1970", stamped("imu/data", -2_000_000_000, 0), ("clock jump",)),
    Fault("joint_states from before 1970", stamped("joint_states", -2_000_000_000, 0), ("clock jump",)),
    Fault("IMU from the end of time", stamped("imu/data", 2**31 - 1, 0), ("clock jump",)),
    Fault("IMU without a time", stamped("imu/data", 0, 2**32 - 1), ("impossible stamp",)),
    Fault("wrenches stuck", freeze("l_foot/wrench", "r_foot/wrench"), ("constant wrench",), within=LONG),
    Fault("wrenches zero", wrench(BOTH, scale(0.0)), ("zero wrench",), within=25),
    Fault("wrench sign wrong", wrench(BOTH, scale(-1.0)), ("wrong sign",), within=LONG),
    Fault("feet swapped", swap, ("swapped feet",), within=LONG),
    Fault("wrench saturated", saturate, ("saturated sensor",), within=LONG),
    Fault("IMU stuck", freeze("imu/data"), ("constant IMU",), within=6),
    Fault("encoders stuck", freeze("joint_states"), ("constant encoder",), within=LONG),
    Fault("bit flips", bit_flips, within=None, may_go_on=True),
    Fault("messages cut short", truncated, ("undecodable message",)),
    Fault("random bytes", noise, ("undecodable message",)),
    Fault("velocities negated", joints(times("velocity", -1.0)), ("wrong velocity",), within=LONG),
    Fault("one velocity negated", joints(times("velocity", -1.0, slice(1, 2))), ("wrong velocity",), within=LONG),
    Fault("velocities tripled", joints(times("velocity", 3.0)), ("wrong velocity", "joint speed"), within=LONG),
    Fault("joint past its range", joint_value("position", 3.5), ("joint limit",)),
    Fault("fall", joints(folded), ("fall",)),
    Fault("parameters changed mid-step", nothing, within=None, act=change_parameters),
    Fault("exception in the controller", nothing, ("controller failure",), act=raise_in_step),
    Fault("controller answers NaN", nothing, ("torque not finite",), act=answer_nan),
    Fault("asked to stop mid-step", nothing, act=ask_to_stop),
)
