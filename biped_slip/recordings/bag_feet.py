# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Feet of a bag: topics of force and motion, as series in pieces."""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
from array import array
from pathlib import Path
from typing import (
    Any,
    Iterable,
    Iterator,
    Mapping,
    NamedTuple,
    Protocol,
    Sequence,
    TypeVar,
)

import numpy as np

from biped_slip.config import (
    Configuration,
    configuration,
    parameter,
    read_yaml,
    section,
)
from biped_slip.constants import FEET
from biped_slip.errors import InvalidParameter, InvalidRecording
from biped_slip.estimation.motion_config import MotionConfig
from biped_slip.friction_estimation.interval.config import IntervalConfig
from biped_slip.friction_estimation.settings import (
    EstimatorSettings,
    RlsConfig,
    SlipBasedConfig,
    TouchdownConfig,
)
from biped_slip.recordings.bags import Bag, TopicStatistics
from biped_slip.recordings.foot_settings import foot_settings, slip_settings
from biped_slip.recordings.judge.losses import LONGEST_LOSS
from biped_slip.recordings.judge.stances import ContactLevels
from biped_slip.recordings.layout import (
    Processing,
    checked_sign,
    layout_file,
    listed_feet,
    refuse_unknown,
)
from biped_slip.recordings.plausibility import check_direction
from biped_slip.recordings.series import (
    FloatArray,
    Motion,
    Progress,
    TimeSeries,
    absent,
)
from biped_slip.robots.sensor_config import filled

# Which topics of a bag are a foot's force and motion::
#
#     source: whose bags these are
#     bag:
#       feet:
#         - name: left
#           wrench: l_foot/wrench      # geometry_msgs/WrenchStamped
#           sign: 1                    # -1 where the sensor gives the force of the foot
# on the ground
#           frame: l_sole              # refused when the messages name another frame;
# may be left out
#           motion: l_foot/odom        # optional: nav_msgs/Odometry,
# geometry_msgs/TwistStamped or PoseStamped
#           imu: l_foot/imu            # optional: sensor_msgs/Imu on the foot, for its
# rate of turn
#           settings: {body_weight: 700}  # optional: settings of this foot's
# estimators; else they are learnt
#       processing: {force_noise: 0.5}
#
# or, for the planar biped of this package, its own topics through its model::
#
#     bag: {robot: {scenario: demo}}      # the walk's settings are this scenario's
#
# or for a humanoid of this package::
#
#     bag: {humanoid: {walk: talos}}

WRENCH = "geometry_msgs/msg/WrenchStamped"


@dataclasses.dataclass(frozen=True)
class BagFoot:
    """Topics of one foot, with their leading slash; empty where there is none."""

    name: str
    wrench: str
    sign: float = 1.0
    frame: str = ""
    motion: str = ""
    imu: str = ""
    settings: EstimatorSettings | None = (
        None  # of the estimators; None: learnt from the bag
    )

    @property
    def topics(self) -> set[str]:
        """Return all topics that are read."""
        return {topic for topic in (self.wrench, self.motion, self.imu) if topic}


@configuration
class RobotTopics(Configuration):
    """Topics of the planar biped and the estimators' settings in its walk."""

    variant: str = parameter(
        "thesis", choices=("thesis", "torso"), doc="torso without pitch, or with"
    )
    slope: float = parameter(
        0.0, unit="rad", low=-0.5, high=0.5, doc="incline of the floor along x"
    )
    joints: str = parameter("/joint_states", doc="sensor_msgs/JointState")
    imu: str = parameter("/imu/data", doc="sensor_msgs/Imu")
    odometry: str = parameter("/odom", doc="nav_msgs/Odometry")
    left_wrench: str = parameter("/l_foot/wrench", doc="geometry_msgs/WrenchStamped")
    right_wrench: str = parameter("/r_foot/wrench", doc="geometry_msgs/WrenchStamped")
    left_foot_imu: str = parameter(
        "/l_foot/imu", doc="sensor_msgs/Imu, where the motion source is foot_imu"
    )
    right_foot_imu: str = parameter("/r_foot/imu", doc="likewise")
    left_position: str = parameter(
        "/l_foot/position",
        doc="geometry_msgs/PointStamped, where the source is external",
    )
    right_position: str = parameter("/r_foot/position", doc="likewise")
    control_period: float = parameter(
        1e-3, unit="s", above=0.0, high=1.0, doc="of the walk"
    )
    motion: MotionConfig = section(MotionConfig)
    interval: IntervalConfig = section(IntervalConfig)
    rls: RlsConfig = section(RlsConfig)
    touchdown: TouchdownConfig = section(TouchdownConfig)

    @property
    def wanted(self) -> tuple[str, ...]:
        """Return the topics of one instant.

        In order: joints, IMU, odometry, wrenches, then those that the motion source
        needs.
        """
        of_feet: dict[str, tuple[str, ...]] = {
            "foot_imu": (self.left_foot_imu, self.right_foot_imu),
            "external": (self.left_position, self.right_position),
        }
        every = (
            self.joints,
            self.imu,
            self.odometry,
            self.left_wrench,
            self.right_wrench,
        )
        return every + of_feet.get(self.motion.source, ())


@configuration
class HumanoidTopics(Configuration):
    """Topics of a humanoid and its walk, whose observer and estimator read them."""

    walk: str = parameter("talos", doc="name of a shipped walk, or a .yaml file")
    base: str = parameter(
        "estimated",
        choices=("odom", "estimated"),
        doc="motion of the base: from odom, or estimated",
    )
    foot_positions: bool = parameter(
        False, doc="sensors told where the soles were, on l_foot/position"
    )
    by_currents: bool = parameter(
        False,
        doc="the efforts of the joints tell the forces: joints and IMU are all that is "
        "read, and walk may be a robot's .yaml file, too",
    )
    joints: str = parameter("/joint_states", doc="sensor_msgs/JointState")
    imu: str = parameter("/imu/data", doc="sensor_msgs/Imu")
    odometry: str = parameter("/odom", doc="nav_msgs/Odometry")
    left_wrench: str = parameter("/l_ankle/wrench", doc="geometry_msgs/WrenchStamped")
    right_wrench: str = parameter("/r_ankle/wrench", doc="geometry_msgs/WrenchStamped")
    left_foot_imu: str = parameter("/l_foot/imu", doc="sensor_msgs/Imu")
    right_foot_imu: str = parameter("/r_foot/imu", doc="sensor_msgs/Imu")
    left_position: str = parameter("/l_foot/position", doc="geometry_msgs/PointStamped")
    right_position: str = parameter("/r_foot/position", doc="likewise")

    @property
    def wanted(self) -> tuple[str, ...]:
        """Return the topics of one instant.

        In order: joints, IMU, wrenches, IMUs of the feet, then positions of the soles
        and odometry where there are such; by currents the first two alone.
        """
        if self.by_currents:
            return self.joints, self.imu
        every = [self.joints, self.imu, self.left_wrench, self.right_wrench]
        every += [self.left_foot_imu, self.right_foot_imu]
        if self.foot_positions:
            every += [self.left_position, self.right_position]
        if self.base == "odom":
            every.append(self.odometry)
        return tuple(every)


@dataclasses.dataclass(frozen=True)
class BagLayout:
    """Feet of a bag, by their own topics or through a robot, with rules for slips."""

    feet: tuple[BagFoot, ...]
    processing: Processing
    robot: RobotTopics | None = None
    humanoid: HumanoidTopics | None = None
    remarks: tuple[str, ...] = ()  # which topics are no feet

    @property
    def topics(self) -> list[set[str]]:
        """Return the topics that are read, of each foot or of the robot."""
        robot = self.robot or self.humanoid
        if robot is not None:
            return [set(robot.wanted)]
        return [foot.topics for foot in self.feet]


def bag_layout(bag: Bag, config: str | Path | None, robot: str = "") -> BagLayout:
    """Read the topics from a YAML, else take one foot per WrenchStamped topic.

    Args:
        bag: whose topics they are.
        config: YAML with a section ``bag``.
        robot: a humanoid whose joint states, with efforts, and IMU are read instead.

    Raises:
        InvalidRecording: no messages, no wrench topic, or a named topic that isn't in
            the bag.
        InvalidParameter: a mistake in the YAML, with its place.
    """
    if not any(count for _, count in bag.topics.values()):
        raise InvalidRecording(bag.path, "holds no messages")
    if robot:
        topics = HumanoidTopics(walk=robot, by_currents=True)
        layout = BagLayout((), Processing(), humanoid=topics)
        _refuse_silent(bag, layout, f"topics of {robot}")
        return layout
    if config is None:
        wrenches = [
            name
            for name, (kind, count) in bag.topics.items()
            if kind == WRENCH and count
        ]
        if not wrenches:
            kinds = ", ".join(
                f"{name} ({kind})"
                for name, (kind, count) in bag.topics.items()
                if count
            )
            raise InvalidRecording(
                bag.path,
                f"has no topic of type WrenchStamped, only {kinds}",
                "forces are needed",
            )
        return _standing_feet(bag, sorted(wrenches))
    layout = read_bag_layout(layout_file(config))
    _refuse_silent(bag, layout, str(config))
    for foot in layout.feet:
        if bag.topics[foot.wrench][0] != WRENCH:
            raise InvalidRecording(
                bag.path,
                f"{foot.wrench} is {bag.topics[foot.wrench][0]}, not WrenchStamped",
            )
    return layout


OWN_ANKLES = {"/l_ankle/wrench", "/r_ankle/wrench"}
ANKLE_WRENCHES = (
    "doubtful: /l_ankle/wrench and /r_ankle/wrench are in axes of sensors that turn "
    "with the feet, as humanoids of this package record them; name the walk, as in "
    "--config talos"
)
OWN_LAYOUT = "walk"  # shipped, of the planar biped's bags


def recognised_layout(
    bag: Bag, config: str | Path | None, robot: str = ""
) -> BagLayout:
    """Return the layout of a bag; of one of this package's own, also without a config.

    The arguments and errors are those of :func:`bag_layout`.
    """
    own = None if config is not None or robot else own_layout(bag)
    return own or bag_layout(bag, config, robot)


def own_layout(bag: Bag) -> BagLayout | None:
    """Recognise a bag of this package's planar biped by its topics and joints.

    Its wrenches turn with its shanks: taken as they are, they are not those along the
    floor. None of any other bag.
    """
    wanted = set(RobotTopics().wanted)
    if any(not bag.topics.get(topic, ("", 0))[1] for topic in wanted):
        return None
    # only here: the robot takes long to load
    from biped_slip.robots.planar_biped import JOINTS

    first = next(bag.messages({RobotTopics().joints}), None)
    if first is None or set(first.content.name) != set(JOINTS):
        return None
    note = (
        "its topics and joints are those of this package's planar biped: read through "
        f"its model, as with --config {OWN_LAYOUT}; for the settings of another "
        "scenario name that"
    )
    return dataclasses.replace(
        read_bag_layout(layout_file(OWN_LAYOUT)), remarks=(note,)
    )


def _refuse_silent(bag: Bag, layout: BagLayout, named_by: str) -> None:
    """Refuse a bag without messages on a topic that is read."""
    for topics in layout.topics:
        for topic in sorted(topics):
            if not bag.topics.get(topic, ("", 0))[1]:
                known = ", ".join(
                    name for name, (_, count) in bag.topics.items() if count
                )
                raise InvalidRecording(
                    bag.path,
                    f"has no messages on {topic}, only on {known}",
                    f"check {named_by}",
                )


# parts of a robot that carry force sensors and are no feet
NO_FOOT = re.compile(
    r"wrist|gripper|finger|palm|elbow|shoulder|"
    r"(?:^|[^a-z])[lr]?_?(?:hand|arm|tool|head|neck)(?:[^a-z]|$)"
)
STANDING_SHARE = 0.05  # of the largest load; what never bears so much doesn't stand


def _standing_feet(bag: Bag, wrenches: Sequence[str]) -> BagLayout:
    """Take the wrenches of what stands on a floor for feet, and name the others.

    Raises:
        InvalidRecording: none of them is a foot.
    """
    words = [re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower() for name in wrenches]
    no_foot = {
        name: "is named after another part"
        for name, text in zip(wrenches, words, strict=True)
        if NO_FOOT.search(text)
    }
    rest = [name for name in wrenches if name not in no_foot]
    if len(rest) > len(FEET):
        feet = tuple(BagFoot(name, name) for name in rest)
        loads = Survey(TopicSource(bag, BagLayout(feet, Processing()))).loads
        largest = loads.max(axis=(1, 2))
        for name, load in zip(rest, largest, strict=True):
            if load < STANDING_SHARE * largest.max():
                no_foot[name] = (
                    f"never bears a twentieth of the others' load ({load:.3g} of "
                    f"{largest.max():.3g} N)"
                )
        rest = [name for name in rest if name not in no_foot]
    reasons = tuple(
        f"{name} {why}: it is no foot; --config names the topics of the feet"
        for name, why in no_foot.items()
    )
    if not rest:
        raise InvalidRecording(bag.path, "has no wrench of a foot", "; ".join(reasons))
    names = [_foot_name(name) for name in rest]
    return BagLayout(
        tuple(
            # of two sensors of one side each keeps its topic as its name
            BagFoot(side if names.count(side) == 1 else name.strip("/"), name)
            for side, name in zip(names, rest, strict=True)
        ),
        Processing(),
        remarks=(*reasons, ANKLE_WRENCHES) if OWN_ANKLES <= set(rest) else reasons,
    )


def _foot_name(topic: str) -> str:
    """Name a foot left, right, or by its topic."""
    words = topic.replace("/", "_").lower().split("_")
    for side, short in (("left", "l"), ("right", "r")):
        if side in words or short in words:
            return side
    return topic.strip("/")


def read_bag_layout(path: str | Path) -> BagLayout:
    """Read the ``bag`` section of a YAML."""
    content = read_yaml(path).get("bag")
    refuse_unknown(f"{path}: bag", content, ["feet", "processing", "robot", "humanoid"])
    assert isinstance(content, Mapping)
    kinds = [kind for kind in ("feet", "robot", "humanoid") if kind in content]
    processing = Processing.from_mapping(
        content.get("processing"), f"{path}: bag.processing"
    )
    if len(kinds) > 1:
        name = kinds[0]
        raise InvalidParameter(
            f"{path}: bag.{name}", content[name], "left out where a robot is named"
        )
    if "robot" in content:
        return BagLayout((), processing, robot_topics(path, content["robot"]))
    if "humanoid" in content:
        humanoid = HumanoidTopics.from_mapping(
            content["humanoid"], f"{path}: bag.humanoid"
        )
        return BagLayout((), processing, humanoid=humanoid)
    feet = tuple(_foot(*item) for item in listed_feet(f"{path}: bag", content))
    for number, foot in enumerate(feet):
        if foot.wrench in [other.wrench for other in feet[:number]]:
            raise InvalidParameter(
                f"{path}: bag.feet[{number}].wrench",
                foot.wrench,
                "a topic of its own",
                "another foot has it",
            )
    return BagLayout(feet, processing)


def robot_topics(path: str | Path, content: Any) -> RobotTopics:
    """Read the topics of the planar biped and the settings of its walk.

    ``scenario: NAME`` stands for all settings of that scenario's walk; what stands
    beside it counts more.

    Args:
        path: of the YAML, for errors.
        content: of its ``bag.robot``.
    """
    where = f"{path}: bag.robot"
    if isinstance(content, Mapping) and "scenario" in content:
        # only here: it needs the robot's walk
        from biped_slip.walking.planar import scenario_file

        scenario = scenario_file(str(content["scenario"]))
        known = ("variant", "motion", "interval", "rls", "touchdown")
        of_walk = {name: scenario[name] for name in known if name in scenario}
        if "slope" in scenario.get("ground", {}):
            of_walk["slope"] = scenario["ground"]["slope"]
        own = {name: value for name, value in content.items() if name != "scenario"}
        content = filled(own, of_walk)
    return RobotTopics.from_mapping(content, where)


def _foot(where: str, content: Any) -> BagFoot:
    refuse_unknown(
        where, content, ["name", "wrench", "sign", "frame", "motion", "imu", "settings"]
    )
    texts: dict[str, str] = {}
    for name in ("name", "wrench", "frame", "motion", "imu"):
        texts[name] = content.get(name, "foot" if name == "name" else "")
        if not isinstance(texts[name], str):
            raise InvalidParameter(f"{where}.{name}", texts[name], "text")
    if not texts["wrench"]:
        raise InvalidParameter(
            f"{where}.wrench", "", "the topic of the foot's WrenchStamped"
        )
    sign = float(checked_sign(where, content))
    wrench, motion, imu = (
        texts[name] and "/" + texts[name].strip("/")
        for name in ("wrench", "motion", "imu")
    )
    given = content.get("settings")
    settings = (
        None
        if given is None
        else EstimatorSettings.from_mapping(given, f"{where}.settings")
    )
    return BagFoot(
        name=texts["name"],
        wrench=wrench,
        sign=sign,
        frame=texts["frame"],
        motion=motion,
        imu=imu,
        settings=settings,
    )


# Series in pieces: memory stays bounded however long the bag is.

PIECE = 20_000  # samples after which a piece ends with the foot in the air
LONGEST_PIECE = 200_000  # samples after which it ends anyway
LOAD_BINS = np.geomspace(1e-3, 1e6, 3000)  # of the normal force [N], 0.7 % wide
LOWEST = float(LOAD_BINS[0])
BINS_PER_E = (len(LOAD_BINS) - 1) / math.log(float(LOAD_BINS[-1]) / LOWEST)


class Sample(NamedTuple):
    """One sample of one foot; NaN where not measured."""

    foot: int
    stamp_ns: int
    # force, moment (3 each), displacement, velocity (2 each), rate of turn (3)
    values: tuple[float, ...]
    answer: tuple[float, ...] = ()  # a FrictionEstimate, where a robot has made it


ROW_WIDTH = 13


class SampleSource(Protocol):
    """Feet of a bag, sample by sample; each call of ``samples`` reads the bag again."""

    path: str
    names: tuple[str, ...]  # of the feet
    origins: tuple[str, ...]  # topics of each foot, for notes
    stated: tuple[EstimatorSettings | None, ...]  # of each foot, beforehand
    bridged: float  # losses of contact that do not end a stance [s]
    remarks: tuple[str, ...]  # what was done to the samples, or left out

    def samples(self, estimator: str = "") -> Iterator[Sample]:
        """Yield all samples in the order of the bag.

        Given the name of an estimator, a robot's source yields its answers, too: the
        robot estimates as it did when it walked. Other sources know forces and motion
        alone.
        """
        ...

    def settings(self, slip: SlipBasedConfig, planar: bool) -> EstimatorSettings:
        """Return the estimators' settings for a foot with these thresholds.

        ``planar`` means that only x is known.
        """
        ...


Counted = TypeVar("Counted")


def counted(items: Iterable[Counted], progress: Progress | None) -> Iterator[Counted]:
    """Yield items, and report the progress every ten thousand."""
    for number, item in enumerate(items):
        yield item
        if progress is not None and number % 10_000 == 0:
            progress(number)


class Survey:
    """Survey of a bag, foot by foot.

    It has the loads of each foot (99th percentiles of its forces) and the order of its
    stamps.
    """

    def __init__(self, source: SampleSource, progress: Progress | None = None) -> None:
        feet = len(source.names)
        self.statistics = [TopicStatistics("samples") for _ in range(feet)]
        self.invalid = [0] * feet
        self.planar = [True] * feet  # no force across the foot is known
        # of each foot: forces along +x, -x, +y, -y, +z and -z
        counts = [[[0] * len(LOAD_BINS) for _ in range(6)] for _ in range(feet)]
        for sample in counted(source.samples(), progress):
            self.statistics[sample.foot].add(sample.stamp_ns)
            force = sample.values[:3]
            if math.isfinite(force[0] + force[2]):
                self.planar[sample.foot] &= not math.isfinite(force[1])
                for axis, value in enumerate(force):
                    if math.isfinite(value):
                        side = 2 * axis + (value < 0.0)
                        counts[sample.foot][side][_bin(abs(value))] += 1
            else:
                self.invalid[sample.foot] += 1
        self._names = tuple(zip(source.names, source.origins, strict=True))
        self._path = source.path
        #: load along both directions of each axis, shape (feet, 3, 2) [N]
        self.loads: FloatArray = np.array(
            [_axis_loads(np.array(rows)) for rows in counts]
        ).reshape(feet, 3, 2)

    def check_directions(self) -> None:
        """Refuse a foot whose load does not push along +z.

        Raises:
            InvalidRecording: with the topic, and the axis that carries the load.
        """
        for (name, origin), loads in zip(self._names, self.loads, strict=True):
            check_direction(self._path, f"{name} ({origin})", loads)

    def settings(
        self, source: SampleSource, processing: Processing
    ) -> list[EstimatorSettings]:
        """Return the estimators' settings, per foot."""
        self.check_directions()
        noise = processing.force_noise, processing.velocity_noise
        slips = [
            slip_settings(load, processing, *noise) for load in self.loads[:, 2, 0]
        ]
        learnt = [
            source.settings(slip, planar)
            for slip, planar in zip(slips, self.planar, strict=True)
        ]
        return [
            own if stated is None else stated
            for own, stated in zip(learnt, source.stated, strict=True)
        ]

    def notes(self, source: SampleSource) -> list[str]:
        """Describe each foot in one line."""
        feet = [
            statistics.note(origin) + (f", {bad} samples not finite" if bad else "")
            for origin, statistics, bad in zip(
                source.origins, self.statistics, self.invalid, strict=True
            )
        ]
        return [*feet, *source.remarks]


def _bin(normal: float) -> int:
    return (
        min(round(math.log(normal / LOWEST) * BINS_PER_E), len(LOAD_BINS) - 1)
        if normal > LOWEST
        else 0
    )


def _axis_loads(counts: np.ndarray) -> FloatArray:
    """Compute the loads of a foot, shape (3, 2) [N], from counts (6, bins)."""
    pairs = counts.reshape(3, 2, -1).copy()
    pairs[:, :, 0] += pairs[:, ::-1].sum(axis=2)  # no load in this direction
    return np.array([[_quantile(row, 0.99) for row in pair] for pair in pairs])


def _quantile(counts: np.ndarray, share: float) -> float:
    index = int(np.searchsorted(np.cumsum(counts), share * counts.sum()))
    return float(LOAD_BINS[min(index, len(LOAD_BINS) - 1)]) if counts.any() else 0.0


class _FootBuffer:
    """Samples of one foot since its last piece."""

    def __init__(self, unloaded: float, bridged: float) -> None:
        self._unloaded = unloaded  # normal force below which the foot is in the air [N]
        self._bridged_ns = round(1e9 * bridged)
        self.stamps = array("q")
        self._rows = array("d")
        self._answers = array("d")
        self._last_ns = self._loaded_ns = -(1 << 62)

    def take(self, sample: Sample) -> bool:
        """Store a sample; return whether a piece is complete."""
        if sample.stamp_ns <= self._last_ns:
            return False  # repeated or backward: counted by the survey
        self._last_ns = sample.stamp_ns
        self.stamps.append(sample.stamp_ns)
        self._rows.extend(sample.values)
        self._answers.extend(sample.answer)
        unloaded = sample.values[2] < self._unloaded
        if not unloaded:
            self._loaded_ns = sample.stamp_ns
        in_the_air = unloaded and sample.stamp_ns - self._loaded_ns > self._bridged_ns
        full = len(self.stamps)
        return full >= LONGEST_PIECE or (full >= PIECE and in_the_air)

    def piece(self, source: SampleSource, foot: int, force_noise: float) -> Piece:
        """Return the stored samples as a series, and empty the buffer."""
        rows: FloatArray = np.array(self._rows).reshape(-1, ROW_WIDTH)
        answers: FloatArray = np.array(self._answers).reshape(len(rows), -1)
        stamps = np.array(self.stamps, dtype=np.int64)
        self.stamps = array("q")
        self._rows = array("d")
        self._answers = array("d")
        moving = bool(np.isfinite(rows[:, 8]).any())
        series = TimeSeries(
            name=source.names[foot],
            stamp_ns=stamps,
            force=rows[:, 0:3],
            moment=rows[:, 3:6],
            displacement=rows[:, 6:8],
            velocity=rows[:, 8:10] if moving else absent(len(rows), 2),
            angular_rate=rows[:, 10:13],
            motion=Motion("measured")
            if moving
            else Motion(note="no velocity in the bag"),
            force_noise=force_noise,
            provenance=(
                source.path,
                f"{source.names[foot]}: {source.origins[foot]}",
                *source.remarks,
            ),
        )
        return Piece(foot, series, answers if answers.shape[1] else None)


class Piece(NamedTuple):
    """Piece of a foot's series, and the robot's answers to it, if it has made any."""

    foot: int
    series: TimeSeries
    answers: FloatArray | None  # (n, fields), columns ``FrictionEstimate._fields``


def answered_pieces(
    source: SampleSource,
    levels: Sequence[ContactLevels],
    processing: Processing,
    progress: Progress | None = None,
    estimator: str = "",
) -> Iterator[Piece]:
    """Yield the series of every foot in pieces; a piece ends in the air where it can.

    Args:
        source: feet of a bag.
        levels: of contact, per foot.
        processing: noise of the forces.
        progress: called with the number of samples read.
        estimator: whose answers a robot's source adds; empty: none.
    """
    noise = processing.force_noise
    bridged = max(source.bridged, LONGEST_LOSS)
    buffers = [_FootBuffer(level.ends, bridged) for level in levels]
    for sample in counted(source.samples(estimator), progress):
        if buffers[sample.foot].take(sample):
            yield buffers[sample.foot].piece(source, sample.foot, noise)
    for foot, buffer in enumerate(buffers):
        if len(buffer.stamps) > 1:
            yield buffer.piece(source, foot, noise)


def bag_pieces(
    source: SampleSource,
    levels: Sequence[ContactLevels],
    processing: Processing,
    progress: Progress | None = None,
) -> Iterator[tuple[int, TimeSeries]]:
    """Yield pieces of every foot as (index of the foot, series).

    The arguments are those of :func:`answered_pieces`.
    """
    for piece in answered_pieces(source, levels, processing, progress):
        yield piece.foot, piece.series


# how long the latest motion or rate of turn stands in for a missing one [ns]
HOLD_NS = 50_000_000
LOOKED_THROUGH = 5000  # messages, to find topics without stamps
LONG_AGO = -(1 << 62)


def header_ns(content: Any) -> int:
    """Return the header's stamp [ns]."""
    stamp = content.header.stamp
    return int(stamp.sec) * 1_000_000_000 + int(stamp.nanosec)


def unstamped(bag: Bag, topics: set[str]) -> set[str]:
    """List topics whose senders leave the stamp at zero.

    A first stamp of zero alone is the start of a simulation.
    """
    zeros = dict.fromkeys(topics, 0)
    undecided = set(topics)
    for message in itertools.islice(bag.messages(topics), LOOKED_THROUGH):
        zeros[message.topic] += 1
        if header_ns(message.content):
            zeros[message.topic] = 0
            undecided.discard(message.topic)
            if not undecided:
                break
    return {topic for topic, count in zeros.items() if topic in undecided and count > 1}


class FootSampler:
    """Sampler of a foot: joins its wrenches with the latest motion and rate of turn."""

    def __init__(self, path: str, foot: BagFoot) -> None:
        self._path = path
        self._foot = foot
        self._motion_ns = self._rate_ns = LONG_AGO
        self._motion: tuple[float, ...] = (math.nan,) * 4
        self._rate: tuple[float, ...] = (math.nan,) * 3

    def take(self, topic: str, content: Any, now_ns: int) -> tuple[float, ...] | None:
        """Return the sample of this foot if the message is its wrench, else None.

        Raises:
            InvalidRecording: the wrench is given in another frame than expected.
        """
        foot = self._foot
        if topic == foot.wrench:
            motion = (
                self._motion if now_ns - self._motion_ns <= HOLD_NS else (math.nan,) * 4
            )
            rate = self._rate if now_ns - self._rate_ns <= HOLD_NS else (math.nan,) * 3
            return self._wrench(content) + motion + rate
        if topic == foot.motion:
            self._take_motion(content, now_ns)
        elif topic == foot.imu:
            turn = content.angular_velocity
            self._rate_ns = now_ns
            self._rate = (turn.x, turn.y, turn.z)
        return None

    def _take_motion(self, content: Any, now_ns: int) -> None:
        """Take motion from Odometry, TwistStamped or PoseStamped."""
        pose = getattr(content, "pose", None)
        twist = getattr(content, "twist", None)
        pose = getattr(pose, "pose", pose)
        twist = getattr(twist, "twist", twist)
        position = (
            (pose.position.x, pose.position.y)
            if pose is not None
            else (math.nan, math.nan)
        )
        velocity = (
            (twist.linear.x, twist.linear.y)
            if twist is not None
            else (math.nan, math.nan)
        )
        self._motion_ns = now_ns
        self._motion = (*position, *velocity)
        if not self._foot.imu and twist is not None:
            self._rate_ns = now_ns
            self._rate = (twist.angular.x, twist.angular.y, twist.angular.z)

    def _wrench(self, content: Any) -> tuple[float, ...]:
        foot = self._foot
        found = content.header.frame_id
        if foot.frame and found != foot.frame:
            words = (
                f"{foot.wrench} is given in frame {found!r}, but {foot.frame!r} "
                "is expected"
            )
            raise InvalidRecording(self._path, words, "turn it beforehand")
        parts = content.wrench.force, content.wrench.torque
        return tuple(
            foot.sign * value for part in parts for value in (part.x, part.y, part.z)
        )


class TopicSource:
    """Source of the feet that a layout names."""

    def __init__(self, bag: Bag, layout: BagLayout) -> None:
        self.path = str(bag.path)
        self.names = tuple(foot.name for foot in layout.feet)
        self.origins = tuple(foot.wrench for foot in layout.feet)
        self.stated = tuple(foot.settings for foot in layout.feet)
        self.bridged = 0.0
        self.remarks = layout.remarks
        self._bag = bag
        self._feet = layout.feet
        self._processing = layout.processing

    def samples(self, estimator: str = "") -> Iterator[Sample]:
        """Yield one sample per wrench, with the latest motion."""
        samplers = [FootSampler(self.path, foot) for foot in self._feet]
        topics = set().union(*(foot.topics for foot in self._feet))
        without = unstamped(self._bag, topics)
        for message in self._bag.messages(topics):
            now_ns = (
                message.log_ns
                if message.topic in without
                else header_ns(message.content)
            )
            for index, sampler in enumerate(samplers):
                values = sampler.take(message.topic, message.content, now_ns)
                if values is not None:
                    yield Sample(index, now_ns, values)

    def settings(self, slip: SlipBasedConfig, planar: bool) -> EstimatorSettings:
        """Return the estimators' settings for a foot with these thresholds."""
        processing = self._processing
        load = slip.contact_on / processing.contact_share
        motion = Motion("measured", processing.velocity_noise)
        return foot_settings(load, slip, motion, processing.force_noise, planar)
