# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Faults between sensors and controller: ways to spoil messages, and all kinds.

What is required of each kind is here, too.
"""

from __future__ import annotations

from collections import deque
from typing import Any, Callable, NamedTuple

import numpy as np
from numpy.random import Generator
from rclpy.serialization import serialize_message

from biped_slip.constants import GRAVITY
from biped_slip.ros.messages import set_time, stamp_ns
from studies.faults.actions import (
    answer,
    ask_to_stop,
    change_floor,
    change_parameters,
    change_speed,
    clock_rate,
    estimates,
    fail,
    own_stall,
    read_only,
    second_controller,
    second_publisher,
    strided,
    unknown,
)


class Delivery:
    """The messages of one tick, to be spoilt before they are sent.

    ``messages`` are typed, in the order of publication; ``raw`` replaces the bytes of
    some; ``late`` holds back.
    """

    def __init__(self, rng: Generator, weight: float) -> None:
        # ticks since the fault began
        self.rng = rng
        self.tick = -1
        self.weight = weight  # of the robot [N]
        self.messages: dict[str, Any] = {}
        self.raw: dict[str, bytes] = {}
        self.repeat: list[str] = []
        self.more: list[tuple[str, bytes]] = []  # sent before everything else
        self.held: dict[str, deque[tuple[int, bytes]]] = {}
        self.kept: dict[str, Any] = {}  # what a fault remembers

    def begin(self, messages: dict[str, Any]) -> None:
        """Begin a new tick, spoilt from now on."""
        self.tick += 1
        self.messages = dict(messages)
        self.raw = {}
        self.repeat = []
        self.more = []

    def bytes_of(self, topic: str) -> bytes:
        """Return the bytes that would be sent now."""
        return self.raw.get(topic) or serialize_message(self.messages[topic])

    def send(self) -> list[tuple[str, bytes]]:
        """List what is sent in this tick, in order."""
        sent = list(self.more)
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

    ``within``: ticks to the damped joints; None: the walk must go on (or may, with
    ``may_go_on``). ``names``: problems of which /diagnostics must show one.
    """

    kind: str
    inject: Callable[[Delivery], None]
    names: tuple[str, ...] = ()
    within: int | None = 5
    act: Callable[[Any], None] | None = (
        None  # on the bench, once, when the fault begins
    )
    may_go_on: bool = False
    robots: tuple[str, ...] = ("planar", "talos")  # that can have it
    row: int = 0  # of the study of faults; 0: none


DELAY = 10  # ticks
JUMP = 10_000_000_000  # [ns]

Injection = Callable[[Delivery], None]


def stops(*topics: str) -> Injection:
    """Topics that say nothing any more."""

    def inject(delivery: Delivery) -> None:
        for topic in topics:
            delivery.messages.pop(topic)

    return inject


def joints(change: Callable[[Any], None]) -> Injection:
    """Change joint_states."""
    return lambda delivery: change(delivery.messages["joint_states"])


def joint_value(field: str, value: float) -> Injection:
    """One number of joint_states."""

    def change(message: Any) -> None:
        values = np.array(getattr(message, field))
        values[1] = value
        setattr(message, field, values.tolist())

    return joints(change)


def times(
    field: str, factor: float, which: slice = slice(None)
) -> Callable[[Any], None]:
    """Numbers of joint_states times a factor."""

    def change(message: Any) -> None:
        values = np.array(getattr(message, field))
        values[which] *= factor
        setattr(message, field, values.tolist())

    return change


def wrench(feet: tuple[str, ...], change: Callable[[Any], None]) -> Injection:
    """Change the wrench of some feet."""

    def inject(delivery: Delivery) -> None:
        for foot in feet:
            change(delivery.messages[f"{foot}/wrench"].wrench)

    return inject


def imu(change: Callable[[Any], None]) -> Injection:
    """Change the IMU's message."""
    return lambda delivery: change(delivery.messages["imu/data"])


def setter(path: str, value: float) -> Callable[[Any], None]:
    """Set one number of a message, by its path."""

    def change(message: Any) -> None:
        *way, last = path.split(".")
        for name in way:
            message = getattr(message, name)
        setattr(message, last, value)

    return change


def odom(path: str, value: float) -> Injection:
    """One number of the odometry."""
    return lambda delivery: setter(path, value)(delivery.messages["odom"])


def scale(factor: float) -> Callable[[Any], None]:
    """All forces of a wrench times a factor."""

    def change(wrench: Any) -> None:
        for axis in "xyz":
            setattr(wrench.force, axis, factor * getattr(wrench.force, axis))

    return change


def swap(delivery: Delivery) -> None:
    """Each foot has the other's wrench."""
    left, right = (delivery.messages[f"{foot}/wrench"] for foot in ("l_foot", "r_foot"))
    left.wrench, right.wrench = right.wrench, left.wrench


def freeze(*topics: str) -> Injection:
    """Numbers stand still, stamps go on."""

    def inject(delivery: Delivery) -> None:
        for topic in topics:
            _with_numbers_of(
                delivery,
                topic,
                delivery.kept.setdefault(topic, delivery.bytes_of(topic)),
            )

    return inject


def _with_numbers_of(delivery: Delivery, topic: str, raw: bytes) -> None:
    """Write the numbers of older bytes under the present stamp."""
    delivery.raw[topic] = raw[:4] + delivery.bytes_of(topic)[4:12] + raw[12:]


def shift(amount: int) -> Injection:
    """All stamps off by an amount [ns]."""

    def inject(delivery: Delivery) -> None:
        for message in delivery.messages.values():
            set_time(message.header.stamp, stamp_ns(message.header) + amount)

    return inject


def stamped(topic: str, seconds: int, nanoseconds: int) -> Injection:
    """Give the messages of a topic a stamp of their own.

    Where that stamp is no time, only the first message is sent.
    """

    def inject(delivery: Delivery) -> None:
        if delivery.tick > 0 and nanoseconds:
            del delivery.messages[topic]
            return
        stamp = delivery.messages[topic].header.stamp
        stamp.sec = seconds
        stamp.nanosec = nanoseconds

    return inject


def same_stamp(delivery: Delivery) -> None:
    """Numbers go on, stamps stand still."""
    for topic, message in delivery.messages.items():
        set_time(
            message.header.stamp,
            delivery.kept.setdefault(topic, stamp_ns(message.header)),
        )


def delay(*topics: str) -> Injection:
    """Topics come late, all by the same time."""

    def inject(delivery: Delivery) -> None:
        for topic in topics:
            delivery.hold(topic, DELAY)

    return inject


def jitter(delivery: Delivery) -> None:
    """All but the trigger come up to two ticks late."""
    for topic in delivery.messages:
        if topic != "joint_states":
            delivery.hold(topic, int(delivery.rng.integers(0, 3)))


def reorder(delivery: Delivery) -> None:
    """IMU messages overtake each other."""
    # each odd one overtakes the even one before it
    delivery.hold("imu/data", 1 if delivery.tick % 2 else 3)


def duplicate(delivery: Delivery) -> None:
    """Everything comes twice."""
    delivery.repeat = list(delivery.messages)


def bit_flips(delivery: Delivery) -> None:
    """One bit of each message is turned."""
    for topic in delivery.messages:
        data = bytearray(delivery.bytes_of(topic))
        data[delivery.rng.integers(len(data))] ^= 1 << delivery.rng.integers(8)
        delivery.raw[topic] = bytes(data)


def truncated(delivery: Delivery) -> None:
    """Messages end too soon."""
    for topic in delivery.messages:
        raw = delivery.bytes_of(topic)
        delivery.raw[topic] = raw[: delivery.rng.integers(4, len(raw) - 16)]


def noise(delivery: Delivery) -> None:
    """Random bytes instead of messages."""
    for topic in delivery.messages:
        delivery.raw[topic] = delivery.rng.bytes(len(delivery.bytes_of(topic)))


def nothing(delivery: Delivery) -> None:
    """Everything comes as it is."""


def rename(message: Any) -> None:
    """One joint has another name."""
    message.name = [*list(message.name)[:-1], "knee_right"]


def twice(message: Any) -> None:
    """One joint is named again, with another position."""
    message.name = [*message.name, message.name[0]]
    message.position = [*message.position, 0.5]
    message.velocity = [*message.velocity, 0.0]


def nobody(message: Any) -> None:
    """No joint is named."""
    message.name = []
    message.position = []
    message.velocity = []


def crowd(message: Any) -> None:
    """Add 100 000 joints behind the robot's."""
    message.name = [*message.name, *(f"joint_{number}" for number in range(100_000))]
    message.position = [*message.position, *np.zeros(100_000)]
    message.velocity = [*message.velocity, *np.zeros(100_000)]


def turn_round(message: Any) -> None:
    """Reverse the order of the joints."""
    for field in ("name", "position", "velocity"):
        setattr(message, field, list(getattr(message, field))[::-1])


def extra(message: Any) -> None:
    """Add a joint that the robot's model does not have."""
    message.name = ["neck", *message.name]
    message.position = [9.0, *message.position]
    message.velocity = [-9.0, *message.velocity]


def cut(field: str) -> Callable[[Any], None]:
    """Shorten an array."""
    return lambda message: setattr(message, field, list(getattr(message, field))[:-1])


def empty(field: str) -> Callable[[Any], None]:
    """Empty an array."""
    return lambda message: setattr(message, field, [])


def longer(field: str) -> Callable[[Any], None]:
    """Lengthen an array by a number."""
    return lambda message: setattr(message, field, [*getattr(message, field), 0.1])


def frame(delivery: Delivery) -> None:
    """Put a wrench into the other foot's frame."""
    left, right = (
        delivery.messages[f"{foot}/wrench"].header for foot in ("l_foot", "r_foot")
    )
    left.frame_id = right.frame_id


def long_frame(delivery: Delivery) -> None:
    """Put a wrench into a frame with an endless name."""
    delivery.messages["l_foot/wrench"].header.frame_id = "sole" * 17_500


def absent(field: str) -> Injection:
    """Mark a quantity of the IMU as absent."""

    def change(message: Any) -> None:
        getattr(message, field)[0] = -1.0

    return imu(change)


#: [rad] of joints, by the end of their names, of a robot that lies on the floor.
FOLDED = {"_hip": -2.8, "_knee": 2.5, "_3_joint": -2.0, "_4_joint": 2.5}


def folded(message: Any) -> None:
    """Joints of a robot that lies on the floor."""
    message.position = [
        next(
            (
                angle
                for end, angle in FOLDED.items()
                if name.endswith(end) and "arm" not in name
            ),
            position,
        )
        for name, position in zip(message.name, message.position, strict=True)
    ]


def saturate(delivery: Delivery) -> None:
    """Vertical forces stay at one value, of almost three weights."""
    for foot in ("l_foot", "r_foot"):
        force = delivery.messages[f"{foot}/wrench"].wrench.force
        if force.z > 0.03 * delivery.weight:
            force.z = 2.7 * delivery.weight


def lost(delivery: Delivery) -> None:
    """Nothing of the first tick arrives."""
    if delivery.tick == 0:
        delivery.messages.clear()


def drift(topic: str, rate: float) -> Injection:
    """Let a vertical force rise by so many newtons a second."""

    def inject(delivery: Delivery) -> None:
        delivery.messages[topic].wrench.force.z += 1e-3 * rate * delivery.tick

    return inject


def late(topic: str, ticks: int) -> Injection:
    """Send numbers of so many ticks before under fresh stamps.

    Until there are any, send the first.
    """

    def inject(delivery: Delivery) -> None:
        line = delivery.kept.setdefault(topic, deque(maxlen=ticks + 1))
        line.append(delivery.bytes_of(topic))
        _with_numbers_of(delivery, topic, line[0])

    return inject


def noisy_freeze(topic: str) -> Injection:
    """Freeze a wrench but for a little noise."""

    def inject(delivery: Delivery) -> None:
        message = delivery.messages[topic].wrench
        parts = [
            (part, axis) for part in (message.force, message.torque) for axis in "xyz"
        ]
        held = delivery.kept.setdefault(
            topic, [getattr(part, axis) for part, axis in parts]
        )
        for (part, axis), value in zip(parts, held, strict=True):
            setattr(part, axis, value + 1e-3 * float(delivery.rng.standard_normal()))

    return inject


def upside_down(message: Any) -> None:
    """Turn an IMU upside down."""
    for axis in "xz":
        setattr(
            message.linear_acceleration,
            axis,
            -getattr(message.linear_acceleration, axis),
        )


def odometry_jump(delivery: Delivery) -> None:
    """Displace the base from now on."""
    delivery.messages["odom"].pose.pose.position.x += 0.3


def twist(factor: float, axes: str = "xyz") -> Injection:
    """Scale odometry's speeds along some axes while its pose goes on."""

    def inject(delivery: Delivery) -> None:
        linear = delivery.messages["odom"].twist.twist.linear
        for axis in axes:
            setattr(linear, axis, factor * getattr(linear, axis))

    return inject


def rival_odometry(delivery: Delivery) -> None:
    """Another driver's odometry at rest, a nanosecond older, before the honest one."""
    message = delivery.messages["odom"]
    own = delivery.bytes_of("odom")
    linear = message.twist.twist.linear
    set_time(message.header.stamp, stamp_ns(message.header) - 1)
    linear.x = linear.y = linear.z = 0.0
    delivery.more.append(("odom", delivery.bytes_of("odom")))
    delivery.raw["odom"] = own


def encoder_stuck(joint: int) -> Injection:
    """Freeze a joint's position under 1e-5 rad of noise, its speed near zero."""

    def change(message: Any, delivery: Delivery) -> None:
        held = delivery.kept.setdefault("encoder", message.position[joint])
        message.position[joint] = held + 1e-5 * float(delivery.rng.standard_normal())
        message.velocity[joint] = 1e-3 * float(delivery.rng.standard_normal())

    return lambda delivery: change(delivery.messages["joint_states"], delivery)


def quaternion(factor: float) -> Callable[[Any], None]:
    """Scale a quaternion so that its norm is not 1."""

    def change(message: Any) -> None:
        for part in "xyzw":
            setattr(
                message.orientation, part, factor * getattr(message.orientation, part)
            )

    return change


def degrees(message: Any) -> None:
    """Angles in the wrong unit."""
    message.position, message.velocity = (
        np.degrees(each).tolist() for each in (message.position, message.velocity)
    )


def weightless(message: Any) -> None:
    """Accelerations from which gravity has been taken."""
    felt = message.linear_acceleration
    felt.x = 0.0
    felt.y = 0.0
    felt.z = felt.z - GRAVITY


def forces_and_torques(wrench: Any) -> None:
    """Each in the other's place."""
    for axis in "xyz":
        force = getattr(wrench.force, axis)
        torque = getattr(wrench.torque, axis)
        setattr(wrench.force, axis, torque)
        setattr(wrench.torque, axis, force)


def hollow(delivery: Delivery) -> None:
    """Messages without content."""
    for topic in delivery.messages:
        delivery.raw[topic] = delivery.bytes_of(topic)[:4]


def misplaced(delivery: Delivery) -> None:
    """Send the bytes of one type on the topic of another."""
    delivery.raw["l_foot/wrench"] = delivery.bytes_of("imu/data")


def flood(delivery: Delivery) -> None:
    """Four messages of random bytes before each good one."""
    for topic in delivery.messages:
        for _ in range(4):
            delivery.more.append(
                (topic, delivery.rng.bytes(int(delivery.rng.integers(4, 400))))
            )


def timeless(delivery: Delivery) -> None:
    """All stamps are zero, as of a driver that does not fill them in."""
    for message in delivery.messages.values():
        set_time(message.header.stamp, 0)


def scattered_stamps(delivery: Delivery) -> None:
    """Sensors of one instant have stamps up to 0.2 ms apart."""
    for message in delivery.messages.values():
        set_time(
            message.header.stamp,
            stamp_ns(message.header) + int(delivery.rng.integers(-200_000, 200_000)),
        )


def shuffled(delivery: Delivery) -> None:
    """Shuffle the joints in every message."""
    message = delivery.messages["joint_states"]
    order = delivery.rng.permutation(len(message.name))
    for field in ("name", "position", "velocity"):
        values = list(getattr(message, field))
        setattr(message, field, [values[place] for place in order])


def in_halves(delivery: Delivery) -> None:
    """Two drivers, each with half of the joints."""
    message = delivery.messages["joint_states"]
    half = len(message.name) // 2
    whole = {f: list(getattr(message, f)) for f in ("name", "position", "velocity")}
    for field, values in whole.items():
        setattr(message, field, values[:half])
    delivery.more.append(("joint_states", delivery.bytes_of("joint_states")))
    for field, values in whole.items():
        setattr(message, field, values[half:])


def rival(first: bool) -> Injection:
    """Add somebody else's joint_states of the same instants, from another posture."""

    def inject(delivery: Delivery) -> None:
        message = delivery.messages["joint_states"]
        honest = list(message.position)
        own = delivery.bytes_of("joint_states")
        message.position = [position + 0.3 for position in honest]
        other = delivery.bytes_of("joint_states")
        message.position = honest
        delivery.more.append(("joint_states", other if first else own))
        if not first:
            delivery.raw["joint_states"] = other

    return inject


def efforts(*values: float) -> Callable[[Any], None]:
    """Measured efforts, which nobody asks for."""
    return lambda message: setattr(message, "effort", list(values))


def covariances(value: float) -> Callable[[Any], None]:
    """All covariances of the IMU."""

    def change(message: Any) -> None:
        for field in ("orientation", "angular_velocity", "linear_acceleration"):
            getattr(message, f"{field}_covariance")[:] = value

    return change


def nameless_frame(delivery: Delivery) -> None:
    """Remove a wrench's frame."""
    delivery.messages["l_foot/wrench"].header.frame_id = ""


def not_text(topic: str, attribute: str) -> Injection:
    """Name a joint by bytes that are no text in any encoding."""

    def inject(delivery: Delivery) -> None:
        message = delivery.messages[topic]
        name = message.header.frame_id if attribute == "frame" else message.name[-1]
        delivery.raw[topic] = delivery.bytes_of(topic).replace(
            name.encode(), b"\xff" * len(name)
        )

    return inject


def heading(first: int, second: int) -> Injection:
    """Another way of encoding is announced than the one of the bytes."""

    def inject(delivery: Delivery) -> None:
        for topic in delivery.messages:
            delivery.raw[topic] = bytes([first, second]) + delivery.bytes_of(topic)[2:]

    return inject


def trailing(delivery: Delivery) -> None:
    """More bytes than the message has."""
    for topic in delivery.messages:
        delivery.raw[topic] = delivery.bytes_of(topic) + delivery.rng.bytes(64)


def offset(field: str, value: float) -> Callable[[Any], None]:
    """One number of joint_states off by a value from now on."""

    def change(message: Any) -> None:
        values = np.array(getattr(message, field))
        values[1] += value
        setattr(message, field, values.tolist())

    return change


def turned_sensor(wrench: Any) -> None:
    """Mounted a quarter of a turn about the vertical off."""
    for part in (wrench.force, wrench.torque):
        part.x, part.y = part.y, -part.x


def pressed(share: float) -> Injection:
    """Offset a vertical force by a share of the weight from now on.

    This is a tare under load.
    """

    def inject(delivery: Delivery) -> None:
        delivery.messages["r_foot/wrench"].wrench.force.z += share * delivery.weight

    return inject


BOTH = ("l_foot", "r_foot")
INF = float("inf")
NAN = float("nan")
STALE = ("stale input",)
BAD = ("input not finite",)
HUGE = ("implausible input", "joint speed", "joint limit")
BALANCE = ("unbalanced forces", "swapped feet", "wrong sign", "constant wrench")
# of a robot that the fault made fall before its sensor was named
CAME_DOWN = (
    "fall",
    "joint speed",
    "joint limit",
)
ALL = ("imu/data", "l_foot/wrench", "r_foot/wrench", "odom", "joint_states")
LONG = 1000  # ticks: what can only be seen in a certain phase of the gait
STEP = 1600  # ticks, within which the load of each foot changes
THIRD = 100  # on top of a row: of the third attack's table
MOVES = 700  # ticks: a quantity that stands still must move before it is missed
TWIST = ("wrong twist", "wrong leg", "unbalanced forces", "reordered stamp")
# a humanoid here estimates its base and has no attitude from its IMU
PLANAR = ("planar",)
NO_TIME = ("clock jump",)
WRONG_SPEED = ("wrong velocity", "joint speed", "unbalanced forces")
#: A robot that stands says no velocity which stuck positions would contradict: the
#: forces of its fall are seen first.
STUCK_ENCODERS = (
    "wrong velocity",
    "wrong leg",
    "unanswered torque",
    "unbalanced forces",
    *CAME_DOWN,
)
# full torques may throw it into the air
ASKED_MUCH = (
    "torque limit",
    "zero wrench",
    *CAME_DOWN,
)
ANSWERED_ILL = ("no torques",)
UNDECODABLE = ("undecodable message", "oversized message")

KINDS: tuple[Fault, ...] = (
    Fault("joint_states stop", stops("joint_states"), ("silent input",)),
    Fault("IMU stops", stops("imu/data"), STALE),
    Fault("left wrench stops", stops("l_foot/wrench"), STALE),
    Fault("right wrench stops", stops("r_foot/wrench"), STALE),
    Fault("odometry stops", stops("odom"), STALE, robots=PLANAR),
    Fault("simulator killed: everything stops", stops(*ALL), ("silent input",)),
    Fault("one sample of everything lost", lost, within=None),
    Fault("joint position NaN", joint_value("position", NAN), BAD),
    Fault("joint velocity NaN", joint_value("velocity", NAN), BAD),
    Fault("joint velocity inf", joint_value("velocity", INF), BAD),
    Fault("IMU NaN", imu(setter("linear_acceleration.x", NAN)), BAD),
    Fault("turn rate inf", imu(setter("angular_velocity.z", INF)), BAD),
    Fault("wrench NaN", wrench(("l_foot",), setter("force.z", NAN)), BAD),
    Fault("wrench inf", wrench(("r_foot",), setter("torque.y", -INF)), BAD),
    Fault("moment NaN", wrench(("r_foot",), setter("torque.x", NAN)), BAD),
    Fault("odometry NaN", odom("twist.twist.linear.x", NAN), BAD, robots=PLANAR),
    Fault("odometry place inf", odom("pose.pose.position.x", INF), BAD, robots=PLANAR),
    Fault("joint position huge", joint_value("position", 1e9), HUGE),
    Fault("joint velocity huge", joint_value("velocity", -1e12), HUGE),
    Fault("IMU huge", imu(setter("angular_velocity.y", 1e7)), HUGE),
    Fault("specific force huge", imu(setter("linear_acceleration.z", -1e30)), HUGE),
    Fault("wrench huge", wrench(BOTH, setter("force.x", 1e15)), HUGE),
    Fault("odometry huge", odom("pose.pose.position.z", 1e300), HUGE, robots=PLANAR),
    Fault(
        "the smallest numbers there are",
        joint_value("velocity", 5e-324),
        within=None,
        may_go_on=True,
    ),
    Fault("velocity too short", joints(cut("velocity")), ("wrong size",)),
    Fault("position too short", joints(cut("position")), ("wrong size",)),
    Fault("no velocities", joints(empty("velocity")), ("wrong size",)),
    Fault("position too long", joints(longer("position")), ("wrong size",)),
    Fault("joint renamed", joints(rename), ("missing joint",)),
    Fault("joint named twice", joints(twice), ("duplicate joint",), row=13),
    Fault("no joint at all", joints(nobody), ("missing joint",)),
    Fault("joints reordered", joints(turn_round), within=None),
    Fault("extra joint", joints(extra), within=None),
    Fault("100 000 joints", joints(crowd), UNDECODABLE, row=7),
    Fault("wrong frame", frame, ("wrong frame",)),
    Fault("a frame with a name of 70 kB", long_frame, UNDECODABLE),
    Fault(
        "orientation absent",
        absent("orientation_covariance"),
        ("orientation absent",),
        robots=PLANAR,
    ),
    Fault(
        "turn rate absent",
        absent("angular_velocity_covariance"),
        ("angular velocity absent",),
    ),
    Fault("everything twice", duplicate, ("duplicated stamp",), within=None),
    Fault("stamps stand still", same_stamp, ("silent input",)),
    Fault("IMU out of order", reorder, ("reordered stamp",), within=None),
    Fault("left wrench delayed", delay("l_foot/wrench"), STALE),
    Fault("right wrench delayed", delay("r_foot/wrench"), STALE),
    Fault("joint_states delayed", delay("joint_states"), (*STALE, "silent input")),
    Fault("jitter", jitter, within=None, may_go_on=True),
    Fault("clock jumps ahead", shift(JUMP), NO_TIME),
    Fault("clock jumps back", shift(-JUMP), NO_TIME),
    Fault("stamps 0.4 s ahead", shift(400_000_000), ("stamp gap",), row=2),
    Fault(
        "stamps 30 ms ahead", shift(30_000_000), ("stamp gap",), may_go_on=True, row=2
    ),
    Fault(
        "IMU from before 1970", stamped("imu/data", -2_000_000_000, 0), NO_TIME, row=1
    ),
    Fault(
        "joint_states from before 1970",
        stamped("joint_states", -2_000_000_000, 0),
        NO_TIME,
        row=1,
    ),
    Fault(
        "left wrench from before 1970",
        stamped("l_foot/wrench", -2_000_000_000, 0),
        NO_TIME,
        row=1,
    ),
    Fault(
        "odometry from before 1970",
        stamped("odom", -2_000_000_000, 0),
        NO_TIME,
        robots=PLANAR,
        row=1,
    ),
    Fault(
        "IMU from the end of time", stamped("imu/data", 2**31 - 1, 0), NO_TIME, row=1
    ),
    Fault(
        "right wrench from the end of time",
        stamped("r_foot/wrench", 2**31 - 1, 0),
        NO_TIME,
        row=1,
    ),
    Fault(
        "IMU without a time",
        stamped("imu/data", 0, 2**32 - 1),
        ("impossible stamp",),
        row=1,
    ),
    Fault(
        "own stall of 15 ms",
        nothing,
        ("own stall ridden through",),
        within=None,
        act=own_stall(0.015),
        row=2,
    ),
    Fault("own stall of 60 ms", nothing, ("own stall",), act=own_stall(0.06), row=2),
    Fault("own stall of 450 ms", nothing, ("own stall",), act=own_stall(0.45), row=2),
    Fault(
        "stamps run at a tenth",
        nothing,
        ("clock rate", "silent input"),
        within=110,
        act=clock_rate(0.1),
        row=12,
    ),
    Fault(
        "stamps run at twice the rate",
        nothing,
        ("clock rate",),
        within=2100,
        act=clock_rate(2.0),
        row=12,
    ),
    Fault(
        "wrenches stuck", freeze("l_foot/wrench", "r_foot/wrench"), BALANCE, within=LONG
    ),
    Fault(
        "left wrench stuck under noise",
        noisy_freeze("l_foot/wrench"),
        (*BALANCE, *CAME_DOWN),
        within=STEP,
        row=12,
    ),
    Fault(
        "right wrench stuck under noise",
        noisy_freeze("r_foot/wrench"),
        (*BALANCE, *CAME_DOWN),
        within=STEP,
        row=12,
    ),
    Fault(
        "left wrench 20 ms late",
        late("l_foot/wrench", 20),
        (*BALANCE, *CAME_DOWN),
        within=STEP,
        row=12,
    ),
    Fault(
        "right wrench 100 ms late",
        late("r_foot/wrench", 100),
        (*BALANCE, *CAME_DOWN),
        within=STEP,
        row=12,
    ),
    Fault(
        "left force drifts by 100 N/s",
        drift("l_foot/wrench", 100.0),
        (*BALANCE, *CAME_DOWN),
        within=LONG,
        row=12,
    ),
    Fault(
        "right force drifts by -100 N/s",
        drift("r_foot/wrench", -100.0),
        (*BALANCE, *CAME_DOWN),
        LONG,
        row=12,
    ),
    Fault(
        "left wrench doubled",
        wrench(("l_foot",), scale(2.0)),
        (*BALANCE, *CAME_DOWN),
        within=STEP,
    ),
    Fault(
        "wrenches zero",
        wrench(BOTH, scale(0.0)),
        ("zero wrench", "unbalanced forces"),
        within=25,
    ),
    Fault("wrench sign wrong", wrench(BOTH, scale(-1.0)), BALANCE, within=LONG),
    Fault("feet swapped", swap, (*BALANCE, *CAME_DOWN), within=STEP),
    Fault(
        "wrench saturated",
        saturate,
        ("saturated sensor", "unbalanced forces"),
        within=LONG,
    ),
    Fault("IMU stuck", freeze("imu/data"), ("constant IMU",), within=6),
    Fault(
        "IMU upside down",
        imu(upside_down),
        ("unbalanced forces", "wrong twist", *CAME_DOWN),
        within=150,
    ),
    Fault(
        "odometry stands still",
        freeze("odom"),
        ("constant odometry",),
        within=8,
        robots=PLANAR,
        row=12,
    ),
    Fault("odometry jumps by 0.3 m", odometry_jump, ("wrong twist",), robots=PLANAR),
    Fault("quaternion of zeros", imu(quaternion(0.0)), HUGE, robots=PLANAR),
    Fault(
        "quaternion a thousand times too long",
        imu(quaternion(1e3)),
        HUGE,
        robots=PLANAR,
    ),
    Fault("joints in degrees", joints(degrees), (*HUGE, "fall")),
    Fault(
        "IMU without gravity", imu(weightless), (*BALANCE, "wrong twist"), within=150
    ),
    Fault(
        "forces in kN", wrench(BOTH, scale(1e-3)), ("zero wrench", *BALANCE), within=25
    ),
    Fault(
        "forces and torques exchanged",
        wrench(BOTH, forces_and_torques),
        BALANCE,
        within=150,
    ),
    Fault("encoders stuck", freeze("joint_states"), STUCK_ENCODERS, within=LONG),
    Fault("bit flips", bit_flips, within=None, may_go_on=True),
    Fault("messages cut short", truncated, ("undecodable message",)),
    Fault("empty messages", hollow, ("undecodable message",)),
    Fault("random bytes", noise, ("undecodable message",)),
    Fault("the IMU's bytes on the wrench's topic", misplaced, (*UNDECODABLE, *STALE)),
    Fault("a flood of garbage", flood, ("undecodable message",), within=None, row=7),
    Fault(
        "velocities negated",
        joints(times("velocity", -1.0)),
        WRONG_SPEED,
        within=LONG,
        row=6,
    ),
    Fault(
        "one velocity negated",
        joints(times("velocity", -1.0, slice(1, 2))),
        WRONG_SPEED,
        within=STEP,
        row=6,
    ),
    Fault(
        "velocities tripled", joints(times("velocity", 3.0)), WRONG_SPEED, within=LONG
    ),
    Fault("joint past its range", joint_value("position", 3.5), ("joint limit",)),
    Fault("fall", joints(folded), ("fall",)),
    Fault("parameters changed mid-step", nothing, within=None, act=change_parameters),
    Fault(
        "exception in the controller",
        nothing,
        ("controller failure",),
        act=fail(RuntimeError),
    ),
    Fault(
        "no memory in the controller",
        nothing,
        ("controller failure",),
        act=fail(MemoryError),
    ),
    Fault(
        "controller answers NaN",
        nothing,
        ("torque not finite",),
        act=answer(lambda torques: torques * NAN),
    ),
    Fault(
        "controller answers inf",
        nothing,
        ("torque not finite",),
        act=answer(lambda torques: torques + INF),
    ),
    Fault(
        "controller answers 1e9 N m",
        nothing,
        ASKED_MUCH,
        within=350,
        act=answer(lambda torques: torques + 1e9),
    ),
    Fault(
        "controller answers a text", nothing, ("controller failure",), act=answer(str)
    ),
    Fault(
        "controller answers a list", nothing, ("controller failure",), act=answer(list)
    ),
    Fault(
        "controller answers complex numbers",
        nothing,
        ("controller failure",),
        act=answer(lambda t: t + 0j),
    ),
    Fault(
        "controller answers whole numbers",
        nothing,
        ("controller failure",),
        act=answer(lambda t: t.astype(int)),
    ),
    Fault(
        "controller answers too few torques",
        nothing,
        ANSWERED_ILL,
        act=answer(lambda torques: torques[:-1]),
    ),
    Fault("asked to stop mid-step", nothing, act=ask_to_stop),
    Fault("stamps of zero", timeless, (*NO_TIME, "silent input")),
    Fault("stamps of one instant 0.2 ms apart", scattered_stamps, within=None),
    Fault("joints in another order every time", shuffled, within=None),
    Fault("joint_states of two drivers", in_halves, ("missing joint",)),
    Fault(
        "somebody else's joint_states first",
        rival(first=True),
        ("wrong velocity", "duplicated stamp"),
    ),
    Fault(
        "somebody else's joint_states second",
        rival(first=False),
        ("duplicated stamp",),
        within=None,
    ),
    Fault("measured efforts NaN", joints(efforts(NAN)), within=None),
    Fault("a thousand measured efforts", joints(efforts(*range(1000))), within=None),
    Fault("covariances NaN", imu(covariances(NAN)), within=None),
    Fault("a frame without a name", nameless_frame, ("wrong frame",)),
    Fault(
        "a frame whose name is no text",
        not_text("l_foot/wrench", "frame"),
        ("wrong frame", *UNDECODABLE),
    ),
    Fault(
        "a joint whose name is no text",
        not_text("joint_states", "name"),
        ("missing joint", *UNDECODABLE),
    ),
    Fault("bytes announced the other way round", heading(0, 0), UNDECODABLE),
    Fault("bytes announced in an encoding of XCDR2", heading(0, 7), UNDECODABLE),
    Fault("bytes behind the messages", trailing, within=None, may_go_on=True),
    Fault("one encoder off by 0.1 rad", joints(offset("position", 0.1)), WRONG_SPEED),
    Fault(
        "wrenches turned a quarter",
        wrench(BOTH, turned_sensor),
        (*BALANCE, *CAME_DOWN),
        within=STEP,
    ),
    Fault(
        "wrenches halved", wrench(BOTH, scale(0.5)), (*BALANCE, *CAME_DOWN), within=STEP
    ),
    Fault("right force off by half a weight", pressed(0.5), BALANCE, within=STEP),
    Fault(
        "controller answers a table",
        nothing,
        ANSWERED_ILL,
        act=answer(lambda torques: torques[np.newaxis]),
    ),
    Fault(
        "controller answers 32-bit numbers",
        nothing,
        ("controller failure",),
        act=answer(lambda t: t.astype("f4")),
    ),
    Fault(
        "controller answers every second of an array",
        nothing,
        within=None,
        may_go_on=True,
        act=answer(strided),
    ),
    Fault(
        "controller answers what can't be written",
        nothing,
        within=None,
        may_go_on=True,
        act=answer(read_only),
    ),
    Fault(
        "controller says no estimates",
        nothing,
        ("controller failure",),
        act=estimates(lambda _: None),
    ),
    Fault(
        "controller says estimates of NaN",
        nothing,
        within=None,
        may_go_on=True,
        act=estimates(unknown),
    ),
    Fault(
        "second publisher of the command",
        nothing,
        ("second publisher",),
        within=None,
        act=second_publisher,
        row=11,
    ),
    Fault(
        "second controller of the name",
        nothing,
        ("second controller",),
        within=None,
        act=second_controller,
        row=11,
    ),
    Fault(
        "odometry's twist unfilled",
        twist(0.0),
        TWIST,
        within=MOVES,
        robots=PLANAR,
        row=THIRD + 1,
    ),
    Fault(
        "odometry's twist negated",
        twist(-1.0),
        TWIST,
        within=MOVES,
        robots=PLANAR,
        row=THIRD + 1,
    ),
    Fault(
        "odometry's twist halved",
        twist(0.5),
        TWIST,
        within=MOVES,
        robots=PLANAR,
        row=THIRD + 1,
    ),
    Fault(
        "odometry's forward speed zero",
        twist(0.0, "x"),
        TWIST,
        within=MOVES,
        robots=PLANAR,
        row=THIRD + 1,
    ),
    Fault(
        "odometry's upward speed zero",
        twist(0.0, "z"),
        within=None,
        may_go_on=True,
        robots=PLANAR,
        row=THIRD + 1,
    ),
    Fault(
        "a rival's odometry 1 ns older",
        rival_odometry,
        TWIST,
        within=MOVES,
        robots=PLANAR,
        row=THIRD + 1,
    ),
    Fault(
        "a hip's encoder stuck under noise",
        encoder_stuck(2),
        STUCK_ENCODERS,
        within=MOVES,
        row=THIRD + 2,
    ),
    Fault(
        "a knee's encoder stuck under noise",
        encoder_stuck(3),
        STUCK_ENCODERS,
        within=MOVES,
        row=THIRD + 2,
    ),
    Fault(
        "a leg's last encoder stuck under noise",
        encoder_stuck(1),
        STUCK_ENCODERS,
        within=MOVES,
        row=THIRD + 2,
    ),
    Fault("speed 0 mid-step", nothing, within=None, act=change_speed(0.0)),
    Fault("slower mid-step", nothing, within=None, act=change_speed(0.3)),
    Fault("floor wet mid-step", nothing, within=None, act=change_floor(0.4)),
    Fault("floor dry mid-step", nothing, within=None, act=change_floor(1.0)),
)
