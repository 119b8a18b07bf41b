# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What can go wrong between sensors and controller: kinds of faults, each changing what is delivered in a tick."""

from __future__ import annotations

from collections import deque
from typing import Any, Callable, NamedTuple

import numpy as np
from numpy.random import Generator
from rclpy.parameter import Parameter
from rclpy.serialization import serialize_message

from biped_slip.nodes.messages import set_stamp, stamp_ns

DELAY = 10  # ticks
JUMP = 10_000_000_000  # [ns]


class Delivery:
    """The messages of one tick, to be spoilt before they are sent.

    ``messages`` are typed, in the order of publication; ``raw`` replaces the bytes of some; ``late`` holds back.
    """

    def __init__(self, rng: Generator) -> None:
        self.rng, self.tick = rng, -1  # ticks since the fault began
        self.messages: dict[str, Any] = {}
        self.raw: dict[str, bytes] = {}
        self.repeat: list[str] = []
        self.held: dict[str, deque[tuple[int, bytes]]] = {}
        self.kept: dict[str, Any] = {}  # what a fault remembers

    def begin(self, messages: dict[str, Any]) -> None:
        """A new tick, spoilt from now on."""
        self.tick += 1
        self.messages, self.raw, self.repeat = dict(messages), {}, []

    def bytes_of(self, topic: str) -> bytes:
        """What would be sent now."""
        return self.raw.get(topic) or serialize_message(self.messages[topic])

    def send(self) -> list[tuple[str, bytes]]:
        """What is sent in this tick, in order."""
        sent = []
        for topic in self.messages:
            if topic in self.held:
                line = self.held[topic]
                while line and line[0][0] <= self.tick:
                    sent.append((topic, line.popleft()[1]))
            else:
                sent += [(topic, self.bytes_of(topic))] * (1 + self.repeat.count(topic))
        return sent

    def hold(self, topic: str, ticks: int) -> None:
        """Send a message so many ticks later."""
        line = self.held.setdefault(topic, deque())
        line.append((self.tick + ticks, self.bytes_of(topic)))
        self.held[topic] = deque(sorted(line, key=lambda each: each[0]))


class Fault(NamedTuple):
    """One kind.

    ``within``: ticks to the damped joints; None: the walk must go on (or may, with ``may_go_on``).
    ``names``: problems of which /diagnostics must show one.
    """

    kind: str
    spoil: Callable[[Delivery], None]
    names: tuple[str, ...] = ()
    within: int | None = 5
    act: Callable[[Any], None] | None = None  # on the node, once, when the fault begins
    may_go_on: bool = False


def _stops(*topics: str) -> Callable[[Delivery], None]:
    def spoil(delivery: Delivery) -> None:
        for topic in topics:
            del delivery.messages[topic]

    return spoil


def _joints(change: Callable[[Any], None]) -> Callable[[Delivery], None]:
    return lambda delivery: change(delivery.messages["joint_states"])


def _put(field: str, value: float) -> Callable[[Delivery], None]:
    def change(message: Any) -> None:
        values = np.array(getattr(message, field))
        values[1] = value
        setattr(message, field, values.tolist())

    return _joints(change)


def _wrench(feet: tuple[str, ...], change: Callable[[Any], None]) -> Callable[[Delivery], None]:
    def spoil(delivery: Delivery) -> None:
        for foot in feet:
            change(delivery.messages[f"{foot}/wrench"].wrench)

    return spoil


def _imu(change: Callable[[Any], None]) -> Callable[[Delivery], None]:
    return lambda delivery: change(delivery.messages["imu/data"])


def _set(path: str, value: float) -> Callable[[Any], None]:
    def change(message: Any) -> None:
        *way, last = path.split(".")
        for name in way:
            message = getattr(message, name)
        setattr(message, last, value)

    return change


def _odom(path: str, value: float) -> Callable[[Delivery], None]:
    return lambda delivery: _set(path, value)(delivery.messages["odom"])


def _scale(factor: float) -> Callable[[Any], None]:
    def change(wrench: Any) -> None:
        for axis in "xyz":
            setattr(wrench.force, axis, factor * getattr(wrench.force, axis))

    return change


def _swap(delivery: Delivery) -> None:
    left, right = (delivery.messages[f"{foot}/wrench"] for foot in ("l_foot", "r_foot"))
    left.wrench, right.wrench = right.wrench, left.wrench


def _freeze(*topics: str) -> Callable[[Delivery], None]:
    """Numbers stand still, stamps go on."""

    def spoil(delivery: Delivery) -> None:
        for topic in topics:
            raw = delivery.kept.setdefault(topic, delivery.bytes_of(topic))
            delivery.raw[topic] = raw[:4] + delivery.bytes_of(topic)[4:12] + raw[12:]

    return spoil


def _shift(amount: int) -> Callable[[Delivery], None]:
    def spoil(delivery: Delivery) -> None:
        for message in delivery.messages.values():
            set_stamp(message.header, stamp_ns(message.header) + amount)

    return spoil


def _same_stamp(delivery: Delivery) -> None:
    for topic, message in delivery.messages.items():
        set_stamp(message.header, delivery.kept.setdefault(topic, stamp_ns(message.header)))


def _delay(*topics: str) -> Callable[[Delivery], None]:
    def spoil(delivery: Delivery) -> None:
        for topic in topics:
            delivery.hold(topic, DELAY)

    return spoil


def _jitter(delivery: Delivery) -> None:
    for topic in delivery.messages:
        if topic != "joint_states":
            delivery.hold(topic, int(delivery.rng.integers(0, 3)))


def _reorder(delivery: Delivery) -> None:
    delivery.hold("imu/data", 1 if delivery.tick % 2 else 3)  # each odd one overtakes the even one before it


def _duplicate(delivery: Delivery) -> None:
    delivery.repeat = list(delivery.messages)


def _bit_flips(delivery: Delivery) -> None:
    for topic in delivery.messages:
        data = bytearray(delivery.bytes_of(topic))
        data[delivery.rng.integers(len(data))] ^= 1 << delivery.rng.integers(8)
        delivery.raw[topic] = bytes(data)


def _truncated(delivery: Delivery) -> None:
    for topic in delivery.messages:
        raw = delivery.bytes_of(topic)
        delivery.raw[topic] = raw[: delivery.rng.integers(4, len(raw) - 16)]


def _noise(delivery: Delivery) -> None:
    for topic in delivery.messages:
        delivery.raw[topic] = delivery.rng.bytes(len(delivery.bytes_of(topic)))


def _nothing(delivery: Delivery) -> None:
    pass


def _rename(message: Any) -> None:
    message.name = ["l_hip", "l_knee", "r_hip", "knee_right"]


def _turn_round(message: Any) -> None:
    for field in ("name", "position", "velocity"):
        setattr(message, field, list(getattr(message, field))[::-1])


def _extra(message: Any) -> None:
    message.name = ["neck", *message.name]
    message.position = [9.0, *message.position]
    message.velocity = [-9.0, *message.velocity]


def _cut(field: str) -> Callable[[Any], None]:
    return lambda message: setattr(message, field, list(getattr(message, field))[:-1])


def _frame(delivery: Delivery) -> None:
    delivery.messages["l_foot/wrench"].header.frame_id = "r_sole"


def _absent(field: str) -> Callable[[Delivery], None]:
    def change(message: Any) -> None:
        getattr(message, field)[0] = -1.0

    return _imu(change)


def _folded(message: Any) -> None:
    message.position = [-2.8, 2.5, -2.8, 2.5]


def _saturate(delivery: Delivery) -> None:
    for foot in ("l_foot", "r_foot"):
        force = delivery.messages[f"{foot}/wrench"].wrench.force
        if force.z > 1.0:
            force.z = 90.0


def _set_parameters(node: Any) -> None:
    """What somebody might try in the middle of a step; every one is refused."""
    for name in ("supervisor.damping", "supervisor.grace", "health.stuck_time", "age_limit", "controller.gait.stride"):
        value = node.get_parameter(name).value
        (result,) = node.set_parameters([Parameter(name, value=1.5 * value)])
        if result.successful:
            raise AssertionError(f"{name} could be changed while walking")


def _raise(node: Any) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("broken on purpose")

    node.walker.walker.step = broken


def _bad_torques(node: Any) -> None:
    honest = node.walker.walker.step

    def broken(*arguments: Any) -> Any:
        record = honest(*arguments)
        return record._replace(torques=np.full_like(record.torques, np.nan))

    node.walker.walker.step = broken


def _stop(node: Any) -> None:
    node.walker.stop()


BOTH, INF, NAN = ("l_foot", "r_foot"), float("inf"), float("nan")
STALE, BAD, HUGE = ("stale input",), ("input not finite",), ("implausible input", "joint speed", "joint limit")
ALL = ("imu/data", "l_foot/wrench", "r_foot/wrench", "odom", "joint_states")
LONG = 1000  # ticks: what can only be seen in a certain phase of the gait

KINDS: tuple[Fault, ...] = (
    Fault("joint_states stop", _stops("joint_states"), ("silent input",)),
    Fault("IMU stops", _stops("imu/data"), STALE),
    Fault("left wrench stops", _stops("l_foot/wrench"), STALE),
    Fault("right wrench stops", _stops("r_foot/wrench"), STALE),
    Fault("odometry stops", _stops("odom"), STALE),
    Fault("simulator killed: everything stops", _stops(*ALL), ("silent input",)),
    Fault("joint position NaN", _put("position", NAN), BAD),
    Fault("joint velocity NaN", _put("velocity", NAN), BAD),
    Fault("joint velocity inf", _put("velocity", INF), BAD),
    Fault("IMU NaN", _imu(_set("linear_acceleration.x", NAN)), BAD),
    Fault("wrench NaN", _wrench(("l_foot",), _set("force.z", NAN)), BAD),
    Fault("wrench inf", _wrench(("r_foot",), _set("torque.y", -INF)), BAD),
    Fault("odometry NaN", _odom("twist.twist.linear.x", NAN), BAD),
    Fault("joint position huge", _put("position", 1e9), HUGE),
    Fault("joint velocity huge", _put("velocity", -1e12), HUGE),
    Fault("IMU huge", _imu(_set("angular_velocity.y", 1e7)), HUGE),
    Fault("wrench huge", _wrench(BOTH, _set("force.x", 1e15)), HUGE),
    Fault("odometry huge", _odom("pose.pose.position.z", 1e300), HUGE),
    Fault("velocity too short", _joints(_cut("velocity")), ("wrong size",)),
    Fault("position too short", _joints(_cut("position")), ("wrong size",)),
    Fault("joint renamed", _joints(_rename), ("missing joint",)),
    Fault("joints reordered", _joints(_turn_round), within=None),
    Fault("extra joint", _joints(_extra), within=None),
    Fault("wrong frame", _frame, ("wrong frame",)),
    Fault("orientation absent", _absent("orientation_covariance"), ("orientation absent",)),
    Fault("turn rate absent", _absent("angular_velocity_covariance"), ("angular velocity absent",)),
    Fault("everything twice", _duplicate, ("duplicated stamp",), within=None),
    Fault("stamps stand still", _same_stamp, ("silent input",)),
    Fault("IMU out of order", _reorder, ("reordered stamp",), within=None),
    Fault("left wrench delayed", _delay("l_foot/wrench"), STALE),
    Fault("joint_states delayed", _delay("joint_states"), (*STALE, "silent input")),
    Fault("jitter", _jitter, within=None, may_go_on=True),
    Fault("clock jumps ahead", _shift(JUMP), ("clock jump",)),
    Fault("clock jumps back", _shift(-JUMP), ("clock jump",)),
    Fault("wrenches stuck", _freeze("l_foot/wrench", "r_foot/wrench"), ("constant wrench",), within=LONG),
    Fault("wrenches zero", _wrench(BOTH, _scale(0.0)), ("zero wrench",), within=25),
    Fault("wrench sign wrong", _wrench(BOTH, _scale(-1.0)), ("wrong sign",), within=LONG),
    Fault("feet swapped", _swap, ("swapped feet",), within=LONG),
    Fault("wrench saturated", _saturate, ("saturated sensor",), within=LONG),
    Fault("IMU stuck", _freeze("imu/data"), ("constant IMU",), within=6),
    Fault("encoders stuck", _freeze("joint_states"), ("constant encoder",), within=LONG),
    Fault("bit flips", _bit_flips, within=None, may_go_on=True),
    Fault("messages cut short", _truncated, ("undecodable message",)),
    Fault("random bytes", _noise, ("undecodable message",)),
    Fault("joint past its range", _put("position", 3.5), ("joint limit",)),
    Fault("fall", _joints(_folded), ("fall",)),
    Fault("parameters changed mid-step", _nothing, within=None, act=_set_parameters),
    Fault("exception in the controller", _nothing, ("controller failure",), act=_raise),
    Fault("controller answers NaN", _nothing, ("torque not finite",), act=_bad_torques),
    Fault("asked to stop mid-step", _nothing, act=_stop),
)
