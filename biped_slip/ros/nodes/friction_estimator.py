# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Node: friction under both feet of a robot that others walk.

It commands nothing. A sagittal robot is felt by joint states, IMU, wrenches and
odometry, a humanoid by joint states with efforts and one IMU.
"""

from __future__ import annotations

from typing import Mapping, Protocol

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.friction_estimation.contact_state import NO_FOOT_CONTACT, contact_step
from biped_slip.friction_estimation.recent_floor import (
    NO_FLOOR,
    StepAnswer,
    recent_floor,
    with_answer,
)
from biped_slip.friction_estimation.registry import LANDING_ESTIMATOR
from biped_slip.friction_estimation.types import (
    NO_ESTIMATE,
    EstimateState,
    FrictionEstimate,
)
from biped_slip.ros.dds import COMPLETE_INPUTS, LOCKSTEP_INPUTS, SENSOR_INPUTS
from biped_slip.ros.friction_messages import FrictionOutputs
from biped_slip.ros.messages import FOOT_NAMES, InputTopic, estimate_in_words
from biped_slip.ros.parameters import declare_configuration
from biped_slip.ros.sensor_inputs import Due, EventDriven, Lockstep, PacedNode
from biped_slip.walking.felt_friction import FeltFriction, nothing_felt


@configuration
class EstimatorNodeConfig(Configuration):
    """Parameters of this node alone."""

    humanoid: str = parameter(
        "",
        doc="a humanoid, felt by joint_states with efforts and imu/data alone: name of "
        "a shipped walk, or the .yaml file of a walk or a robot; empty: the planar "
        "biped",
    )
    period: float = parameter(
        0.0,
        unit="s",
        low=0.0,
        high=5e-3,
        doc="between two joint_states of a humanoid; 0: found from their stamps",
    )
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


class ListeningRobot(Protocol):
    """Robot behind this node: ``planar_friction.py`` or ``humanoid_friction.py``."""

    base: str  # frame of the body
    force_source: int  # a ForceSource

    @property
    def soles(self) -> tuple[str, str]:
        """Return the frames of the feet."""

    @property
    def topics(self) -> Mapping[str, InputTopic]:
        """Return the topics of the sensors in the order of publication."""

    def build(self, config: EstimatorNodeConfig) -> None:
        """Build the robot; BipedSlipError refuses."""

    def reset(self) -> None:
        """Reset to the state before the first sample."""

    def passed_over(self, stamp_ns: int) -> None:
        """Note an instant [ns] whose sensors cannot be used."""

    def step(self, stamp_ns: int) -> FeltFriction:
        """Estimate friction from the newest readings of all sensors."""

    def faults(self) -> tuple[str, str]:
        """Explain why the last sample of each foot was invalid, where it is known."""

    def notes(self) -> dict[str, str]:
        """List what a reader of diagnostics should know beside the estimates."""


class FrictionEstimatorNode(PacedNode):
    """Friction estimator: sensors in, friction of both feet and of the floor out."""

    starts_anew = "the estimators start anew"

    def __init__(self, **options: object) -> None:
        super().__init__("friction_estimator", **options)
        self._config = declare_configuration(self, EstimatorNodeConfig())
        self._robot = self._listening_robot()

    def _listening_robot(self) -> ListeningRobot:
        """Make the chosen robot; its libraries are loaded for it alone."""
        if self._config.humanoid:
            from biped_slip.ros.humanoid_friction import ListeningHumanoid

            return ListeningHumanoid(self._config.humanoid)
        from biped_slip.ros.planar_friction import PlanarFriction

        return PlanarFriction(self)

    def build(self) -> None:
        """Build robot, observer and topics."""
        robot = self._robot
        robot.build(self._config)
        lockstep = self.settings.mode == "lockstep"
        if lockstep or self._config.complete:
            quality = LOCKSTEP_INPUTS if lockstep else COMPLETE_INPUTS
            self.hear(
                robot.topics, quality, Lockstep(self.settings.timeout), in_order=True
            )
        else:
            pacing = EventDriven(
                self._config.age_limit, silence=self._config.silence_limit
            )
            self.hear(robot.topics, SENSOR_INPUTS, pacing)
        self._outputs = FrictionOutputs(self, robot.soles, robot.base)

    def begin(self) -> None:
        """Start with reset estimators."""
        super().begin()
        self._flight = 0
        self._last: tuple[FrictionEstimate, FrictionEstimate] = (
            NO_ESTIMATE,
            NO_ESTIMATE,
        )

    def restart(self) -> None:
        """Reset the estimators, and forget the floor."""
        self._robot.reset()
        self._contacts = [NO_FOOT_CONTACT, NO_FOOT_CONTACT]
        self._answers: tuple[StepAnswer, ...] = ()
        self._floor = NO_FLOOR
        super().restart()

    def step_at(self, due: Due) -> None:
        """Publish what is known of both feet and of the floor."""
        if due.problem is None:
            felt = self._robot.step(due.stamp_ns)
        else:
            self._robot.passed_over(due.stamp_ns)
            felt = nothing_felt(due.problem)
        self._follow(due.stamp_ns, felt)
        self._outputs.publish(due.stamp_ns, felt.estimates, self._contacts, self._floor)
        if felt.problem is None:
            self.well("estimating")
        else:
            self.skip(felt.problem)

    def _follow(self, stamp_ns: int, felt: FeltFriction) -> None:
        """Follow the contacts of both feet and the floor under them."""
        self._last = felt.estimates
        before = self._answers
        for foot, estimate in enumerate(felt.estimates):
            self._flight += estimate.state_code == EstimateState.NO_CONTACT
            contact = contact_step(
                self._contacts[foot],
                stamp_ns,
                estimate,
                felt.measurements[foot].force_normal,
                self._robot.force_source,
            )
            self._contacts[foot] = contact
            self._answers = with_answer(
                self._answers, foot, stamp_ns, estimate, contact
            )
        if self._answers is not before:
            self._floor = recent_floor(self._answers)

    def counters(self) -> dict[str, int | str]:
        """List what is known of each foot and the floor, and samples without force.

        Such samples show nothing of the floor.
        """
        if not self.active:
            return {}
        words = map(estimate_in_words, self._last, self._robot.faults())
        floor = self._floor
        known = f"mu {floor.mu:.3f}, in {floor.mu_low:.3f} ... {floor.mu_high:.3f}"
        return {
            **dict(zip(FOOT_NAMES, words, strict=True)),
            "floor": f"{known}, by {floor.answers} steps"
            if floor.answers
            else "not known yet",
            "samples without normal force": self._flight,
            **self._robot.notes(),
        }
