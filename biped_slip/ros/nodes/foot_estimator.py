# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Node: friction under any number of feet from each foot's own wrench and motion.

No robot model is needed.
"""

from __future__ import annotations

from typing import Any, Iterator, NamedTuple

from sensor_msgs.msg import JointState

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.errors import BipedSlipError
from biped_slip.estimation.readings import Judge, Problem, within
from biped_slip.friction_estimation.interval.estimator import IntervalEstimator
from biped_slip.friction_estimation.registry import DEFAULT, make_estimator
from biped_slip.friction_estimation.settings import EstimatorSettings
from biped_slip.friction_estimation.types import (
    NO_ESTIMATE,
    EstimateState,
    FrictionEstimate,
    FrictionEstimator,
)
from biped_slip.recordings.bag_feet import BagFoot, FootSampler
from biped_slip.recordings.bags import Bag
from biped_slip.recordings.measurements import foot_measurement
from biped_slip.recordings.messages import ODOMETRY_TYPE, WRENCH, LiveFoot, live_feet
from biped_slip.recordings.registry import recording_format
from biped_slip.ros.dds import OUTPUTS, RECORDS, Waiter, message_class
from biped_slip.ros.messages import (
    ESTIMATE_NAMES,
    FORMER_VALUES,
    VALUES,
    NamedScalars,
    UnusableSample,
    time_in,
)
from biped_slip.ros.parameters import declare_configuration
from biped_slip.ros.robot_node import RobotNode
from biped_slip.ros.stamps import Sender

# [N, N m] a foot's of a hundred people (choice); what is no number is not known, but
# for the load
MOST_FORCE = 1e5
FORCE_JUDGE = Judge(
    {
        "x": within(MOST_FORCE, unknown=True),
        "y": within(MOST_FORCE, unknown=True),
        "z": within(MOST_FORCE),
    },
    "wrench",
)
TORQUE = Judge(dict.fromkeys("xyz", within(MOST_FORCE, unknown=True)), "wrench")


@configuration
class FootEstimatorConfig(Configuration):
    """Parameters of this node alone.

    ``FOOT.body_weight``, ``FOOT.slip.…`` and ``FOOT.interval.…`` are there, too.
    """

    estimator: str = parameter(
        DEFAULT,
        doc="friction estimator: interval, touchdown, slip, thesis, or one from "
        "outside",
    )
    recording: str = parameter(
        "",
        doc="recording that will be played: names the feet and gives the defaults "
        "below",
    )
    layout: str = parameter("", doc="YAML with which the recording replays")
    feet: tuple[str, ...] = parameter(
        ("l_foot", "r_foot"), doc="without a recording: feet, FOOT/wrench and FOOT/odom"
    )


def answer_topic(wrench: str) -> str:
    """Return the topic of a foot's estimates below the node's name.

    It is the wrench's with ``friction_values`` for ``wrench``.
    """
    return f"{foot_of(wrench)}/{VALUES}"


def foot_of(wrench: str) -> str:
    """Return a foot's name by the topic of its wrench."""
    return wrench.strip("/").removesuffix("/wrench")


class _Arrival(NamedTuple):
    """Message on its way to a foot, in the order in which messages must be taken."""

    stamp_ns: int
    is_wrench: bool  # of one stamp the motion comes first
    topic: str
    content: Any


class _Foot:
    """Foot with its inputs, its estimator and its output."""

    def __init__(
        self,
        node: RobotNode,
        live: LiveFoot,
        kinds: dict[str, str],
        name: str,
        recorded: bool,
    ) -> None:
        self._recorded = recorded
        self._node = node
        self.topics = live.topics
        self._planar = live.planar
        self._estimator: FrictionEstimator[Any] = make_estimator(name, live.settings)
        topics = [
            live.topics.wrench,
            *sorted(live.topics.topics - {live.topics.wrench}),
        ]  # the wrench is taken first
        self.boxes = {
            topic: node.subscribe(
                message_class(kinds[topic]), topic.strip("/"), RECORDS
            )
            for topic in topics
        }
        place = f"~/{foot_of(live.topics.wrench)}"
        self._outputs = [
            node.advertise(JointState, f"{place}/{name}", OUTPUTS)
            for name in (VALUES, FORMER_VALUES)
        ]
        self._message = NamedScalars(live.topics.frame or "sole", ESTIMATE_NAMES)
        self._compile()
        self.restart()

    def _compile(self) -> None:
        """Compile now, not at the first sample."""
        if isinstance(self._estimator, IntervalEstimator):
            self._estimator.warm_up()
        state = self._estimator.initial_state()
        for tick in range(3):
            measured = foot_measurement(
                tick * 1_000_000, (0.1, 0.1, 100.0, *(0.0,) * 10), self._planar
            )
            state, _ = self._estimator.step(state, measured, 1e-3)

    def restart(self) -> None:
        """Reset to the state before the first message."""
        self._sampler = FootSampler(self.topics.wrench, self.topics)
        self._sender = Sender(self.topics.wrench, self.topics.frame, self._recorded)
        self._state = self._estimator.initial_state()
        self._before: int | None = None

    def take(self) -> list[_Arrival]:
        """Sort arrivals by their stamps.

        Every motion sent before a wrench is there with it.
        """
        return sorted(self._arrivals(), key=lambda arrival: arrival[:2])

    def _arrivals(self) -> Iterator[_Arrival]:
        for topic, box in self.boxes.items():
            for message in box.take():
                try:
                    yield _Arrival(
                        time_in(topic, message),
                        topic == self.topics.wrench,
                        topic,
                        message,
                    )
                except UnusableSample as unusable:
                    self._node.skip(unusable.problem)

    def step(self, arrival: _Arrival) -> FrictionEstimate | None:
        """Step one message; return an answer where it was a wrench with a new stamp.

        Raises:
            UnusableSample: a wrench in another frame than before, or of numbers that
                are none.
            InvalidRecording: in another frame than its recording says.
        """
        if arrival.is_wrench:
            wrench = arrival.content.wrench
            if problem := self._sender.problem(
                arrival.stamp_ns, arrival.content.header.frame_id
            ):
                if problem.name == "wrong frame":
                    raise UnusableSample(*problem[:2])
                return None
            if problem := FORCE_JUDGE.problem(wrench.force) or TORQUE.problem(
                wrench.torque
            ):
                raise UnusableSample(*problem[:2])
        values = self._sampler.take(arrival.topic, arrival.content, arrival.stamp_ns)
        if values is None:
            return None
        if self._before is not None and arrival.stamp_ns <= self._before:
            self._state = self._estimator.initial_state()
            self._before = None
        dt = 0.0 if self._before is None else (arrival.stamp_ns - self._before) * 1e-9
        self._before = arrival.stamp_ns
        measured = foot_measurement(arrival.stamp_ns, values, self._planar)
        self._state, answer = self._estimator.step(self._state, measured, dt)
        return answer

    def publish(self, stamp: int, answer: FrictionEstimate) -> None:
        """Publish an answer."""
        message = self._message.fill(stamp, answer)
        for output in self._outputs:
            output.publish(message)


class FootEstimatorNode(RobotNode):
    """Friction estimator of any feet.

    Each wrench is answered by one message of named scalars with its stamp.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__("foot_estimator", **options)
        self._config = declare_configuration(self, FootEstimatorConfig())
        self._live = []
        for foot in self._described():
            prefix = foot_of(foot.topics.wrench).replace("/", ".")
            self._live.append(
                foot._replace(
                    settings=declare_configuration(self, foot.settings, f"{prefix}.")
                )
            )

    def _described(self) -> list[LiveFoot]:
        config = self._config
        if config.recording:
            return live_feet(config.recording, config.layout or None)
        topics = (
            BagFoot(name, f"/{name}/wrench", motion=f"/{name}/odom")
            for name in config.feet
        )
        return [
            LiveFoot(foot, EstimatorSettings(slip_counts=True), planar=False)
            for foot in topics
        ]

    def build(self) -> None:
        """Build feet with their estimators and topics."""
        config = self._config
        kinds = {}
        if config.recording and recording_format(config.recording) == "bag":
            kinds = {
                name: kind for name, (kind, _) in Bag(config.recording).topics.items()
            }
        self._feet = []
        for foot in self._live:
            own = {
                topic: kinds.get(topic, ODOMETRY_TYPE) for topic in foot.topics.topics
            } | {foot.topics.wrench: WRENCH}
            missing = [kind for kind in own.values() if message_class(kind) is None]
            if missing:
                raise BipedSlipError(f"message type {missing[0]} is not installed")
            self._feet.append(
                _Foot(self, foot, own, config.estimator, bool(config.recording))
            )
        self._waiter = Waiter(self, len(self._feet))

    def begin(self) -> None:
        """Start with reset estimators."""
        for foot in self._feet:
            foot.restart()

    def wait(self, now: float, timeout: float) -> None:
        """Wait until a wrench comes."""
        self._waiter.wait(
            [foot.boxes[foot.topics.wrench] for foot in self._feet], timeout
        )

    def work(self, now: float) -> None:
        """Publish an estimate for every wrench."""
        for foot in self._feet:
            for arrival in foot.take():
                try:
                    answer = foot.step(arrival)
                    if answer is not None:
                        self.well("estimating")
                except BipedSlipError as error:
                    unusable = isinstance(error, UnusableSample)
                    self.skip(
                        error.problem
                        if unusable
                        else Problem("wrong frame", str(error))
                    )
                    answer = NO_ESTIMATE._replace(
                        state_code=int(EstimateState.INVALID_INPUT)
                    )
                if answer is not None:
                    foot.publish(arrival.stamp_ns, answer)
