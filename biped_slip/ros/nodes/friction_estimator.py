# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Node: friction estimates under both feet, on any sagittal robot.

They come from joint states, IMU, wrenches and odometry.
"""

from __future__ import annotations

from sensor_msgs.msg import JointState

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.constants import GRAVITY
from biped_slip.estimation.health import (
    FrozenInputs,
    HealthConfig,
    judge_of,
)
from biped_slip.estimation.planar_feet import motion_source
from biped_slip.estimation.planar_health import HealthWatch
from biped_slip.estimation.readings import Judged, Problem
from biped_slip.friction_estimation.registry import LANDING_ESTIMATOR, make_estimator
from biped_slip.friction_estimation.types import (
    NO_ESTIMATE,
    EstimateState,
    FrictionEstimate,
)
from biped_slip.ros.dds import (
    COMPLETE_INPUTS,
    LOCKSTEP_INPUTS,
    OUTPUTS,
    SENSOR_INPUTS,
    SerialisedPublisher,
)
from biped_slip.ros.messages import (
    ESTIMATE_NAMES,
    FOOT_NAMES,
    SerialisedScalars,
    TypedEstimates,
    estimate_in_words,
)
from biped_slip.ros.parameters import declare_configuration
from biped_slip.ros.planar_parameters import declare_robot, declare_walking, robot_from
from biped_slip.ros.sensor_inputs import (
    Due,
    EventDriven,
    Lockstep,
    PacedNode,
    SensorInputs,
)
from biped_slip.walking.planar import FrictionObserver

INVALID = NO_ESTIMATE._replace(state_code=int(EstimateState.INVALID_INPUT))


@configuration
class EstimatorNodeConfig(Configuration):
    """Parameters of this node alone."""

    estimator: str = parameter(
        LANDING_ESTIMATOR,
        doc="friction estimator: touchdown, interval, slip, thesis, or one from "
        "outside",
    )
    age_limit: float = parameter(
        0.02,
        unit="s",
        above=0.0,
        high=10.0,
        doc="older inputs are skipped, by the stamps (real time)",
    )
    silence_limit: float = parameter(
        1.0,
        unit="s",
        above=0.0,
        high=60.0,
        doc="reported silence of joint_states, by the steady clock (real time)",
    )
    complete: bool = parameter(
        False,
        doc="in real time, too, only instants of which every input has come; false: "
        "the newest at each joint_states",
    )
    judge_sensors: bool = parameter(
        True,
        doc="name sensors that can't be believed; recordings have no IMU to believe",
    )


class FrictionEstimatorNode(PacedNode):
    """Friction estimator: sensors in, one message of named scalars per foot out."""

    starts_anew = "the estimators start anew"

    def __init__(self, **options: object) -> None:
        super().__init__("friction_estimator", **options)
        self._walking, slope = declare_walking(self, without=("controller", "speed"))
        self._robot_config, self._floor = declare_robot(self, slope)
        self._config = declare_configuration(self, EstimatorNodeConfig())

    def build(self) -> None:
        """Build robot, observer and topics."""
        walking = self._walking
        robot = robot_from(self._robot_config, self._walking.variant)
        weight = self._robot_config.body_weight or robot.mass * GRAVITY
        estimator = make_estimator(
            self._config.estimator, walking.policy_settings(weight).estimator
        )
        motion = motion_source(robot, walking.motion, self._floor)
        self._observer = FrictionObserver(robot, estimator, motion)
        self._observer.try_out(len(robot.joints))
        self._sensors = SensorInputs(robot.joints, robot.soles, walking.motion.source)
        self._watch = HealthWatch(
            robot, HealthConfig(), height=0.0, slope=self._floor.slope
        )
        self._frozen = FrozenInputs()
        self._judge = judge_of(robot)
        lockstep = self.settings.mode == "lockstep"
        if lockstep or self._config.complete:
            quality = LOCKSTEP_INPUTS if lockstep else COMPLETE_INPUTS
            self.hear(
                self._sensors.topics,
                quality,
                Lockstep(self.settings.timeout),
                in_order=True,
            )
        else:
            pacing = EventDriven(
                self._config.age_limit, silence=self._config.silence_limit
            )
            self.hear(self._sensors.topics, SENSOR_INPUTS, pacing)
        self._messages = [
            SerialisedScalars(sole, ESTIMATE_NAMES) for sole in robot.soles
        ]
        topics = (f"~/{foot}/friction" for foot in FOOT_NAMES)
        self._outputs = [
            self.opened(SerialisedPublisher(self, JointState, topic, OUTPUTS))
            for topic in topics
        ]
        self._typed = TypedEstimates(self, robot.soles)

    def begin(self) -> None:
        """Start with reset estimators."""
        super().begin()
        self._flight = 0
        self._last = (NO_ESTIMATE, NO_ESTIMATE)

    def restart(self) -> None:
        """Reset the estimators."""
        self._observer.reset()
        self._watch.reset()
        self._frozen.reset()
        super().restart()
        self._stamp_ns: int | None = None

    def step_at(self, due: Due) -> None:
        """Publish the estimates of both feet."""
        self._last = estimates = self._estimate(due)
        for output, message, estimate in zip(
            self._outputs, self._messages, estimates, strict=True
        ):
            output.publish(message.fill(due.stamp_ns, estimate))
        self._typed.publish(due.stamp_ns, estimates)

    def _estimate(self, due: Due) -> tuple[FrictionEstimate, FrictionEstimate]:
        dt = 0.0 if self._stamp_ns is None else 1e-9 * (due.stamp_ns - self._stamp_ns)
        self._stamp_ns = due.stamp_ns
        judged = due.problem or self._judge.judge(self._sensors.readings(due.stamp_ns))
        if self._config.judge_sensors and isinstance(judged, Judged):
            judged = self._frozen.step(judged.record, dt) or judged
        if isinstance(judged, Problem):
            self.skip(judged)
            return INVALID, INVALID
        readings = judged.record
        doubt = self._watch.step(readings, dt) if self._config.judge_sensors else None
        estimates = self._observer.step(readings).estimates
        self._flight += sum(
            estimate.state_code == EstimateState.NO_CONTACT for estimate in estimates
        )
        if doubt is None or doubt.severe:
            self.well("estimating")
        else:
            self.skip(doubt)
        return estimates

    def counters(self) -> dict[str, int | str]:
        """List estimates of each foot, and samples without normal force.

        Such samples show nothing of the floor.
        """
        if not self.active:
            return {}
        words = map(estimate_in_words, self._last, self._observer.faults())
        return {
            **dict(zip(FOOT_NAMES, words, strict=True)),
            "samples without normal force": self._flight,
        }
