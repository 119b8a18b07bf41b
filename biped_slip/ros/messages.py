# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Sensor readings, commands, estimates and records as ROS messages, both ways.

Input topics are read as numbers in place.
"""

from __future__ import annotations

import math
import re
from array import array
from operator import attrgetter
from typing import Any, Iterable, Iterator, Mapping, NamedTuple, Sequence

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PointStamped, WrenchStamped
from nav_msgs.msg import Odometry
from rclpy.lifecycle import LifecycleNode
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import Float64MultiArray, Header, MultiArrayDimension

from biped_slip.compile.arrays import Array
from biped_slip.errors import BipedSlipError, InvalidParameter
from biped_slip.estimation.magnitudes import IMPLAUSIBLE_TORQUE
from biped_slip.estimation.readings import (
    ESTIMATE,
    KNOWN_STATES,
    SECOND,
    Judge,
    Problem,
    SensorReadings,
    estimate_problem,
)
from biped_slip.friction_estimation.types import (
    NO_ESTIMATE,
    EstimateState,
    FrictionEstimate,
)
from biped_slip.ros.dds import (
    HEADER_BYTES,
    LITTLE_ENDIAN,
    OUTPUTS,
    SCHEMAS,
    MessageLayout,
    SerialisedPublisher,
    UnknownLayout,
    time_of,
)
from biped_slip.ros.stamps import FrameVote, legal_time, nearest_legal_stamp
from biped_slip.walking.controller import ControlOutput

FOOT_NAMES = ("l_foot", "r_foot")
#: Last part of the topics of estimates as named values, and what it was before 0.2.
VALUES = "friction_values"
FORMER_VALUES = "friction"
ANKLES = ("l_ankle", "r_ankle")
# source of the feet's motion: a robot with sensors of its own at ankles, base and feet
HUMANOID_SOURCE = "humanoid"
# whose frame a message is in
SOLE_FRAME = "sole"
WORLD_FRAME = "world"


class FootSensor(NamedTuple):
    """Kind of foot sensor, with the topics ``l_foot/NAME`` and ``r_foot/NAME``."""

    kind: type[Any]  # of message, with a schema in ``cdr``
    frame: str
    fields: Mapping[str, str]  # path in the message -> field (2, 3) of SensorReadings
    sources: tuple[str, ...]  # of the feet's motion that need it


#: The one table of sensors that only some robots have, one at each foot.
FOOT_SENSORS: dict[str, FootSensor] = {
    "imu": FootSensor(
        Imu,
        SOLE_FRAME,
        {
            "linear_acceleration": "foot_specific_force_in_sole",
            "angular_velocity": "foot_angular_velocity_in_sole",
        },
        ("foot_imu", HUMANOID_SOURCE),
    ),
    "position": FootSensor(
        PointStamped,
        WORLD_FRAME,
        {"point": "foot_position_in_world"},
        ("external", HUMANOID_SOURCE),
    ),
}


def check_topic_per_foot(name: str, topics: Sequence[str]) -> None:
    """Refuse topics of a parameter that are not two different ones, left and right.

    Raises:
        InvalidParameter: they are not.
    """
    if len(topics) != len(FOOT_NAMES) or len({one.strip("/") for one in topics}) < 2:
        raise InvalidParameter(name, tuple(topics), "two topics, left and right")


def wrench_topics(motion_source: str) -> tuple[str, str]:
    """Return the topics of both feet's forces.

    A humanoid's are at the ankle, in its sensor; elsewhere they are in the sole.
    """
    left, right = ANKLES if motion_source == HUMANOID_SOURCE else FOOT_NAMES
    return f"{left}/wrench", f"{right}/wrench"


def foot_topics(motion_source: str) -> dict[str, tuple[int, FootSensor]]:
    """List the topics of a motion source, each with its foot and its sensor.

    The foot is 0 left, 1 right.
    """
    return {
        f"{foot}/{name}": (index, sensor)
        for name, sensor in FOOT_SENSORS.items()
        if motion_source in sensor.sources
        for index, foot in enumerate(FOOT_NAMES)
    }


ABSENT = -1.0  # first covariance of a quantity that the IMU does not give (REP 145)


def sensor_topics(motion_source: str = "odometry") -> dict[str, type[Any]]:
    """Map sensor topics to types, for a source of the feet's motion.

    The last one is joint_states.
    """
    of_feet = {
        topic: sensor.kind for topic, (_, sensor) in foot_topics(motion_source).items()
    }
    wrenches = dict.fromkeys(wrench_topics(motion_source), WrenchStamped)
    return {
        **of_feet,
        "imu/data": Imu,
        **wrenches,
        "odom": Odometry,
        "joint_states": JointState,
    }


#: Topic of each sensor of the planar biped and its type, in the order of publication:
#: joint_states triggers the step.
SENSOR_TOPICS = sensor_topics()


class UnusableSample(BipedSlipError):
    """Error: a message that cannot be used; its sample is skipped and counted."""

    def __init__(self, name: str, detail: str) -> None:
        self.problem = Problem(name, detail)
        super().__init__(str(self.problem))


def stamp_from(topic: str, seconds: int, nanoseconds: int) -> int:
    """Read a message's time [ns].

    Raises:
        UnusableSample: no clock shows that.
    """
    if not legal_time(seconds, nanoseconds):
        raise UnusableSample(
            "impossible stamp", f"{topic} has one with a second of nanoseconds or more"
        )
    return seconds * SECOND + nanoseconds


def time_in(topic: str, message: Any) -> int:
    """Return the time [ns] that a typed message says; raises UnusableSample."""
    return stamp_from(topic, message.header.stamp.sec, message.header.stamp.nanosec)


def stamp_ns(header: Header) -> int:
    """Read the stamp of a message [ns]."""
    return int(header.stamp.sec) * SECOND + int(header.stamp.nanosec)


def set_time(time: Time, stamp: int) -> None:
    """Write a time [ns] into a message's time."""
    time.sec, time.nanosec = divmod(stamp, SECOND)


class Frames(NamedTuple):
    """Names of frames (REP 105, REP 120)."""

    base: str = "base_link"
    imu: str = "imu_link"
    odom: str = "odom"
    world: str = "world"
    foot_imus: tuple[str, ...] = ()  # empty: the soles


#: What the sensors of every robot say: topic, path in its message, field of
#: SensorReadings.
PLACES = (
    ("joint_states", "position", "joint_position"),
    ("joint_states", "velocity", "joint_velocity"),
    ("imu/data", "orientation", "orientation_base_in_world"),
    ("imu/data", "angular_velocity", "angular_velocity_in_base"),
    ("imu/data", "linear_acceleration", "specific_force_in_base"),
    ("odom", "pose.pose.position", "position_base_in_odom"),
    ("odom", "pose.pose.orientation", "orientation_base_in_world"),
    ("odom", "twist.twist.linear", "linear_velocity_in_base"),
    ("odom", "twist.twist.angular", "angular_velocity_in_base"),
)


class SerialisedSensors:
    """Serialised messages of all sensors, built once.

    Stamps and numbers are overwritten.

    Args:
        joints: of the robot, in its order.
        soles: frames of the wrenches.
        frames: of all other sensors.
        motion_source: of the feet, whose sensors have topics as well.
    """

    def __init__(
        self,
        joints: Sequence[str],
        soles: Sequence[str],
        frames: Frames,
        motion_source: str = "odometry",
    ) -> None:
        self.kinds = sensor_topics(motion_source)
        self._feet = foot_topics(motion_source)
        self._wrenches = wrench_topics(motion_source)
        blank = self._blank_messages(joints, soles, frames, motion_source)
        self._layouts = {
            topic: MessageLayout(
                serialize_message(message), SCHEMAS[self.kinds[topic].__name__]
            )
            for topic, message in blank.items()
        }
        self._places = [
            (
                self._layouts[topic].views[path],
                SensorReadings._fields.index(field),
                foot,
            )
            for topic, path, field, foot in self._numbers()
        ]

    def _blank_messages(
        self,
        joints: Sequence[str],
        soles: Sequence[str],
        frames: Frames,
        motion_source: str,
    ) -> dict[str, Any]:
        """Make the messages of all topics with their names, frames and flags."""
        blank: dict[str, Any] = {topic: kind() for topic, kind in self.kinds.items()}
        names = self._frame_names(soles, frames)
        for topic, message in blank.items():
            message.header.frame_id = names[topic]
            if self.kinds[topic] is Imu and (
                topic in self._feet or motion_source == HUMANOID_SOURCE
            ):
                message.orientation_covariance[0] = ABSENT
        joint_states = blank["joint_states"]
        rest = [0.0] * len(joints)
        joint_states.name = list(joints)
        joint_states.position = rest
        joint_states.velocity = rest
        blank["odom"].child_frame_id = frames.base
        return blank

    def _frame_names(self, soles: Sequence[str], frames: Frames) -> dict[str, str]:
        """Map every topic to the frame of its messages."""
        names = {
            "joint_states": frames.base,
            "imu/data": frames.imu,
            "odom": frames.odom,
        }
        names |= dict(zip(self._wrenches, soles, strict=True))
        for topic, (foot, sensor) in self._feet.items():
            own = frames.foot_imus if sensor.kind is Imu and frames.foot_imus else soles
            names[topic] = own[foot] if sensor.frame == SOLE_FRAME else frames.world
        return names

    def _numbers(self) -> Iterator[tuple[str, str, str, int | None]]:
        """Yield topic, path in its message, field of the readings, and foot if any."""
        for topic, path, field in PLACES:
            yield topic, path, field, None
        for foot, topic in enumerate(self._wrenches):
            yield topic, "wrench", "wrench_ground_on_foot_in_sole", foot
        for topic, (foot, sensor) in self._feet.items():
            for path, field in sensor.fields.items():
                yield topic, path, field, foot

    def fill(self, readings: SensorReadings) -> dict[str, bytes]:
        """Return the messages of one reading by topic."""
        self._write(readings)
        return self._stamped(readings.stamp_ns)

    def _stamped(self, stamp: int) -> dict[str, bytes]:
        time = MessageLayout.time(stamp)
        return {topic: layout.message(time) for topic, layout in self._layouts.items()}

    def _write(self, readings: SensorReadings) -> None:
        for view, field, foot in self._places:
            view[:] = readings[field] if foot is None else readings[field][foot]


class JointEfforts(NamedTuple):
    """Joint efforts (n,) [N m] and the instant [ns] that they answer.

    The instant is there where the sender states it.
    """

    stamp_ns: int | None
    efforts: Array


class ValuesPublisher:
    """Publisher of an estimate's named values, and under their former name, too.

    Args:
        node: publishes.
        place: of the topic, such as ``~/l_foot``.
    """

    def __init__(self, node: LifecycleNode, place: str) -> None:
        self._outputs = [
            SerialisedPublisher(node, JointState, f"{place}/{name}", OUTPUTS)
            for name in (VALUES, FORMER_VALUES)
        ]
        self.full_name = self._outputs[0].full_name

    def publish(self, message: bytes) -> None:
        """Publish a serialised message."""
        for output in self._outputs:
            output.publish(message)

    def listeners(self) -> int:
        """Count the connected subscriptions."""
        return sum(output.listeners() for output in self._outputs)

    def close(self) -> None:
        """Close the publishers."""
        for output in self._outputs:
            output.close()


_LABEL = "stamp_ns="
_DIGITS = 19  # of a stamp [ns]: labels of one length make messages of one layout


class CommandMessage:
    """Message of joint efforts for a forward command controller.

    The layout's label has the answered instant.
    """

    def __init__(self, joints: int) -> None:
        self._message = Float64MultiArray()
        self._message.layout.dim = [MultiArrayDimension(size=joints, stride=joints)]

    def fill(self, stamp: int, efforts: Array) -> Float64MultiArray:
        """Fill the message; valid until the next call."""
        self._message.layout.dim[
            0
        ].label = f"{_LABEL}{nearest_legal_stamp(stamp, 0):0{_DIGITS}d}"
        self._message.data = array("d", efforts.tobytes())
        return self._message


class SerialisedCommand:
    """Serialised message of joint efforts, built once.

    Stamp and efforts are overwritten.
    """

    def __init__(self, joints: int) -> None:
        mark = np.full(joints, np.pi)
        raw = serialize_message(CommandMessage(joints).fill(0, mark))
        self._bytes = bytearray(raw)
        label = raw.index(_LABEL.encode()) + len(_LABEL)
        data = raw.index(mark.tobytes())
        self._label = slice(label, label + _DIGITS)
        self._data = slice(data, data + 8 * joints)
        # size, stride, offset and count follow the label
        numbers = HEADER_BYTES + -(-(label + _DIGITS + 1 - HEADER_BYTES) // 4) * 4
        # refuses what is longer or shorter than its place
        self._places = memoryview(self._bytes)
        fixed = {
            0,
            1,
            *range(HEADER_BYTES, label),
            label + _DIGITS,
            *range(numbers, numbers + 16),
        }  # padding may hold anything
        form = [
            re.escape(raw[k : k + 1]) if k in fixed else b"." for k in range(len(raw))
        ]
        form[self._data] = [b"(.{%d})" % (8 * joints)]
        form[self._label] = [rb"(\d{%d})" % _DIGITS]
        self._form = re.compile(b"".join(form), re.DOTALL)

    def fill(self, stamp: int, efforts: Array) -> bytes:
        """Fill the message.

        A stamp before 1970, which would be longer, is replaced by zero.
        """
        self._places[self._label] = b"%0*d" % (_DIGITS, nearest_legal_stamp(stamp, 0))
        self._places[self._data] = efforts.tobytes()
        return bytes(self._bytes)

    def read(self, raw: bytes) -> JointEfforts | None:
        """Read a message that ``fill`` has made; None for any other."""
        found = self._form.fullmatch(raw)
        return (
            None
            if found is None
            else JointEfforts(int(found[1]), np.frombuffer(found[2]))
        )


def answered_stamp(command: Float64MultiArray) -> int | None:
    """Read the instant [ns] that a command answers.

    It is None when its sender does not state it.
    """
    for dimension in command.layout.dim:
        key, _, value = dimension.label.partition("=")
        if key == "stamp_ns" and value.isdecimal() and len(value) <= _DIGITS:
            return int(value)
    return None


def checked(command: JointEfforts, joints: int) -> JointEfforts:
    """Check that a command can be used.

    Raises:
        UnusableSample: wrong size, not finite, or beyond anything a motor does.
    """
    if command.efforts.size != joints:
        raise UnusableSample(
            "wrong size",
            f"command has {command.efforts.size} efforts, but must have {joints}",
        )
    # if that can be used, so can each, and NumPy takes longer
    whole = sum(map(abs, command.efforts.tolist()))
    if not (
        whole <= IMPLAUSIBLE_TORQUE
        or np.abs(command.efforts).max() <= IMPLAUSIBLE_TORQUE
    ):
        if np.isfinite(command.efforts).all():
            raise UnusableSample(
                "implausible command", f"an effort beyond {IMPLAUSIBLE_TORQUE:g} N m"
            )
        raise UnusableSample("command not finite", "a number of the command")
    return command


# A message whose layout is known is copied and looked at; any other is deserialised and
# checked, and its layout is learnt when it says the same. So the typed way is the
# fallback and the oracle of the raw one.

# [byte] a thousand joints with their names; decoding more would take a loop's time
# (choice)
LARGEST_MESSAGE = 65_536
FRAME = "header.frame_id"
CHILD = "child_frame_id"
NO_FLAGS: Mapping[str, str] = {}
Numbers = Mapping[str, Array]


class Content(NamedTuple):
    """Texts and doubles of a message by field name."""

    texts: Mapping[str, Sequence[str]]
    numbers: Numbers


class InputTopic:
    """Newest numbers of one topic, by their paths in its messages.

    Subclasses may check more of a message.

    Args:
        name: of the topic, for sentences.
        kind: of message.
        paths: of the numbers.
        raw: whether layouts may be learnt; without them every message goes the typed
            way.
        texts: paths of texts that are checked.
        frame: in which the numbers must be; empty: in that of most messages.
        flags: covariances whose first number may say that a quantity is absent (REP
            145), and the quantity.
        unknown: every number as long as nothing has come.
    """

    numbers: Numbers  # of the newest good message; the next one may overwrite them

    def __init__(
        self,
        name: str,
        kind: type[Any],
        paths: Iterable[str],
        raw: bool = True,
        *,
        texts: Sequence[str] = (),
        frame: str = "",
        flags: Mapping[str, str] = NO_FLAGS,
        unknown: float = 0.0,
    ) -> None:
        self.name = name
        self.kind = kind
        self._raw = raw
        blank = kind()
        paths = tuple(paths)
        self._flags = tuple(flags.items())
        self._expected = {
            FRAME: frame,
            **dict.fromkeys({CHILD} & blank.get_fields_and_field_types().keys(), ""),
        }
        self._texts = *texts, *self._expected
        self.forget()
        leaves = {
            path: _leaves(attrgetter(path)(blank), path) for path in (*paths, *flags)
        }
        self._read = {path: attrgetter(*of_path) for path, of_path in leaves.items()}
        self.numbers = {path: np.full(len(leaves[path]), unknown) for path in paths}
        self.problem: Problem | None = None  # with the newest message
        self.by_type = 0  # messages that went the typed way
        self.layout: MessageLayout | None = None  # of messages that need no typed way
        self._opened: bytes | tuple[Content, MessageLayout | None] = (
            b""  # typed, or as it is where its layout is known
        )

    def forget(self) -> None:
        """Learn the frames anew."""
        self._frames = {path: FrameVote(at) for path, at in self._expected.items()}
        self.agreed = 0  # messages whose layout says what the one before said

    def content(self, message: Any) -> Content:
        """Read the content of a typed message."""
        texts = {path: attrgetter(path)(message) for path in self._texts}
        return Content(
            {
                path: (text,) if isinstance(text, str) else text
                for path, text in texts.items()
            },
            {
                path: np.array(read(message), dtype=float)
                for path, read in self._read.items()
            },
        )

    def check(self, content: Content) -> None:
        """Refuse a message that can't be used.

        What is checked here doesn't change while the layout stays.
        """
        said = {path: content.texts[path][0] for path in self._frames}
        for vote in self._frames.values():
            vote.agree(self.agreed)
        self.agreed = 0
        rows = [
            (said[path], vote.expected(said[path]))
            for path, vote in self._frames.items()
        ]
        for frame, expected in rows:
            if frame != expected:
                raise UnusableSample(
                    "wrong frame",
                    f"{self.name}: frame {frame!r}, but must be {expected!r}",
                )

    def accept(self, numbers: Numbers) -> None:
        """Accept the numbers of a message, or refuse it."""
        for flag, what in self._flags:
            if numbers[flag][0] == ABSENT:
                raise UnusableSample(
                    f"{what} absent",
                    f"{self.name}: marked as absent (covariance -1); it is needed",
                )
        self.numbers = numbers

    def open(self, raw: bytes) -> int:
        """Open a message and return its stamp [ns].

        Raises:
            UnusableSample: these bytes are no message, or its stamp is no time.
        """
        if self.layout is not None and self.layout.fits(raw):
            self._opened = raw
            self.agreed += 1
            return stamp_from(self.name, *time_of(raw))
        if len(raw) > LARGEST_MESSAGE:
            raise UnusableSample(
                "oversized message",
                f"{self.name} is longer than {LARGEST_MESSAGE} bytes",
            )
        try:
            schema = SCHEMAS[self.kind.__name__]
            flags = dict(self._flags)
            layout = (
                MessageLayout(raw, schema, flags) if raw[:2] == LITTLE_ENDIAN else None
            )
            if layout is not None and not layout.fits(raw):
                # a minus, which may say absent: looked at in each message
                layout = MessageLayout(raw, schema)
            message = deserialize_message(raw, self.kind)
        except (
            UnknownLayout,
            RuntimeError,
            ValueError,
            OverflowError,
            MemoryError,
        ) as error:
            raise UnusableSample("undecodable message", self.name) from error
        self.by_type += 1
        self._opened = self.content(message), layout
        return stamp_from(
            self.name, message.header.stamp.sec, message.header.stamp.nanosec
        )

    @property
    def judges(self) -> bool:
        """Whether every message's numbers have to be looked at, as the layout's are."""
        flags = bool(self._flags) and not (self.layout and self.layout.positive)
        return flags or type(self).accept is not InputTopic.accept

    def take_shown(self) -> Problem | None:
        """Store the numbers in the layout's views; return their problem."""
        self.problem = None
        try:
            self.accept(self.layout.views)
        except UnusableSample as refusal:
            self.problem = refusal.problem
        return self.problem

    def keep(self) -> None:
        """Store the message that was opened last, with its ``problem``."""
        self.problem = None
        try:
            if isinstance(self._opened, bytes):
                self.accept(self.layout.show(self._opened))
                return
            content, layout = self._opened
            self.layout = None  # what is checked now need not fit an older layout
            self.check(content)
            self.accept(content.numbers)
            if self._raw and layout is not None and _says(layout, content):
                self.layout = layout
        except UnusableSample as refusal:
            self.problem = refusal.problem


def _says(layout: MessageLayout, content: Content) -> bool:
    """Return whether the raw way finds the same as the typed one."""
    texts = all(
        tuple(text) == layout.texts[name] for name, text in content.texts.items()
    )
    nothing = np.zeros(0)
    return texts and all(
        np.asarray(numbers).tobytes() == layout.views.get(name, nothing).tobytes()
        for name, numbers in content.numbers.items()
    )


def _leaves(part: Any, path: str) -> list[str]:
    """List paths of all numbers in a part of a message; an array counts as one."""
    fields = (
        part.get_fields_and_field_types()
        if hasattr(part, "get_fields_and_field_types")
        else ()
    )
    return [
        leaf
        for field in fields
        for leaf in _leaves(getattr(part, field), f"{path}.{field}")
    ] or [path]


# Estimates and records as stamped, self-describing messages.

ESTIMATE_NAMES = list(FrictionEstimate._fields)
FORMER_NAMES = {
    "witnessed": "mu_demonstrated"
}  # of recorded bags and of estimators of the release before
_TYPES: list[type] = [
    {"usable": bool, "flag": bool, "slipping": bool, "state_code": int}.get(name, float)
    for name in ESTIMATE_NAMES
]
_ABSENT = [
    math.nan if kind is float else 0.0 for kind in _TYPES
]  # what a message does not name


class NamedScalars:
    """Message of named scalars with fixed names, refilled with values."""

    def __init__(self, frame: str, names: Sequence[str]) -> None:
        self._message = JointState(name=list(names))
        self._message.header.frame_id = frame

    def fill(self, stamp: int, values: Sequence[float]) -> JointState:
        """Fill the message; valid until the next call."""
        set_time(self._message.header.stamp, stamp)
        self._message.position = array("d", values)
        return self._message


class SerialisedScalars:
    """Serialised message of named scalars, built once.

    Stamp and values are overwritten.
    """

    def __init__(self, frame: str, names: Sequence[str]) -> None:
        raw = serialize_message(
            NamedScalars(frame, names).fill(0, np.zeros(len(names)))
        )
        self._layout = MessageLayout(raw, SCHEMAS["JointState"])

    def fill(self, stamp: int, values: Sequence[float]) -> bytes:
        """Fill the message."""
        self._layout.views["position"][:] = values
        return self._layout.message(MessageLayout.time(stamp))


class FrictionInput(InputTopic):
    """The newest estimate of one foot.

    Quantities that its message does not name are NaN or false.
    """

    estimate = NO_ESTIMATE

    def __init__(self, name: str, raw: bool = True) -> None:
        super().__init__(name, JointState, ["position"], raw, texts=["name"])
        self._judge = Judge(ESTIMATE, name)

    def check(self, content: Content) -> None:
        """Check that the message has a state and a value for every name."""
        names = [FORMER_NAMES.get(name, name) for name in content.texts["name"]]
        values = content.numbers["position"]
        if "state_code" not in names:
            raise UnusableSample(
                "wrong content",
                f"{self.name}: no state_code among {', '.join(names) or 'no names'}",
            )
        if len(values) != len(names):
            raise UnusableSample(
                "wrong size",
                f"{self.name}: {len(values)} values for {len(names)} names",
            )
        self._picks = [
            names.index(name) if name in names else None for name in ESTIMATE_NAMES
        ]

    def accept(self, numbers: Numbers) -> None:
        """Accept a message as an estimate."""
        values = numbers["position"].tolist()
        given = [
            absent if at is None else values[at]
            for at, absent in zip(self._picks, _ABSENT, strict=True)
        ]
        estimate = FrictionEstimate._make(given)
        if problem := estimate_problem(self._judge, estimate):
            raise UnusableSample(*problem[:2])
        fields = [kind(value) for kind, value in zip(_TYPES, estimate, strict=True)]
        self.estimate = FrictionEstimate._make(fields)


def estimate_from(message: JointState) -> FrictionEstimate:
    """Read the estimate of a message.

    Raises:
        UnusableSample: it says no state_code.
    """
    topic = FrictionInput("friction")
    content = topic.content(message)
    topic.check(content)
    topic.accept(content.numbers)
    return topic.estimate


def estimate_in_words(estimate: FrictionEstimate, fault: str = "") -> str:
    """Describe an estimate by state, interval and demonstrated friction.

    ``fault`` says why an input is invalid.
    """
    code = estimate.state_code  # of any controller's estimator: it silences nothing
    words = (
        EstimateState(code).name.lower().replace("_", " ")
        if code in KNOWN_STATES
        else f"unknown state {code}"
    )
    if fault:
        return f"{words}: {fault}"
    if math.isfinite(estimate.mu):
        words += f", mu {estimate.mu:.3f}"
    if math.isfinite(estimate.mu_low) and math.isfinite(estimate.mu_high):
        words += f", in {estimate.mu_low:.3f} ... {estimate.mu_high:.3f}"
    if math.isfinite(estimate.mu_demonstrated):
        words += f", held {estimate.mu_demonstrated:.3f}"
    return words


# What a controller did in a tick: quantities of its own, then the joints' efforts and
# the estimates of both feet.


def record_names(own: Sequence[str], joints: Sequence[str]) -> list[str]:
    """List the names of the scalars in a record."""
    estimates = (f"{foot[0]}_{name}" for foot in FOOT_NAMES for name in ESTIMATE_NAMES)
    return [*own, *(f"{joint}_effort" for joint in joints), *estimates]


def record_values(own: Sequence[float], output: ControlOutput) -> list[float]:
    """List the scalars of a record in the order of their names."""
    left, right = output.estimates
    return [*own, *output.torques, *left, *right]
