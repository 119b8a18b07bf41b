# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Loaded soles: what one sample says of both soles of a humanoid, in one kernel.

Each part is explained in the file of its noun::

    coordinates of the robot, if all are finite       sole_motion
    wrenches without the cross-talk learnt so far     cross_talk
    places, forces and motion of the soles            sole_motion
    motion where no base may be believed              sole_motion (unseen soles)
    change of the centre of mass's speed, cross-talk  centre_speed, cross_talk

From Python, each of these costs more to call than to compute. With the sample in which
a foot lands, the cross-talk learns from the step that has ended.
"""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

import numpy as np

from biped_slip.compile.array_kernels import all_finite
from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import Held, OfOneType, hold, kernel
from biped_slip.estimation.centre_speed import CentreSpeed, advance
from biped_slip.estimation.cross_talk import (
    CrossTalk,
    CrossTalkFilter,
    CrossTalkSettings,
    cross_talk_step,
    without_cross_talk,
)
from biped_slip.estimation.motion_config import MotionConfig
from biped_slip.estimation.readings import NO_FOOT_SENSOR, RobotState, SensorReadings
from biped_slip.estimation.sole_motion import (
    FloorRise,
    SoleFrames,
    SoleMotion,
    SolePair,
    UnseenSoles,
    floating_coordinates,
    sole_accelerations,
    sole_measurements,
    unseen_in_place,
)
from biped_slip.friction_estimation.types import NO_MEASUREMENT
from biped_slip.robots.humanoid import IMU, Humanoid
from biped_slip.robots.model_functions import Generated, floating_functions


class SoleSample(NamedTuple):
    """What a sample says of both soles; feet left, right."""

    finite: bool  # whether all coordinates are; else nothing below is
    state: RobotState
    wrenches: Array  # (2, 6) of the floor on the soles, in the soles, corrected
    measured: SolePair
    landed: bool  # whether a step has ended with it


class SoleParts(NamedTuple):
    """What stays from sample to sample; arrays are overwritten."""

    robot: Generated  # addresses of its functions
    soles: SoleFrames
    rise: Array  # (2, 2) of the floor under each foot, along x and y
    no_places: Array  # (2, 3) NaN: no sensor of the soles


class CrossTalkParts(NamedTuple):
    """Cross-talk of the force sensors, and the change of speed that it learns from."""

    state: CrossTalk
    settings: CrossTalkSettings
    passed: Array  # (3,) integral of the IMU's acceleration in the world [m/s]


def loaded_soles_by(
    sole_kinematics: Callable[..., None],
) -> Callable[..., SoleSample]:
    """Make the kernel of one sample.

    Args:
        sole_kinematics: of the robot's model.
    """

    @kernel
    def loaded_soles(
        known: SensorReadings,
        base_measured: bool,
        dt: float,
        held: Held,
        unseen: Any,
        unseen_settings: Any,
        footings: Any,
        cross_parts: Any,
    ) -> SoleSample:
        """Find state, wrenches and measurements of both soles.

        Args:
            known: readings, with the base as it is best known.
            base_measured: whether the base's motion comes from outside.
            dt: since the sample before [s].
            held: ``SoleParts``.
            unseen: state of the soles' motion; None: the base is believed.
            unseen_settings: ``UnseenSettings``, or None.
            footings: contacts and sensors' zeros; None: no cross-talk is known.
            cross_parts: ``CrossTalkParts``, or None.
        """
        parts = held.value
        soles = parts.soles
        joints = known.joint_position.shape[0]
        state = RobotState(np.empty(7 + joints), np.empty(6 + joints))
        floating_coordinates(
            known.position_base_in_odom,
            known.orientation_base_in_world,
            known.joint_position,
            known.linear_velocity_in_base,
            known.angular_velocity_in_base,
            known.joint_velocity,
            state.q,
            state.v,
        )
        wrenches = known.wrench_ground_on_foot_in_sole
        if not (all_finite(state.q) and all_finite(state.v)):
            return SoleSample(
                finite=False,
                state=state,
                wrenches=wrenches,
                measured=(NO_MEASUREMENT, NO_MEASUREMENT),
                landed=False,
            )
        if cross_parts is not None:
            wrenches = without_cross_talk(cross_parts.value.state.share, wrenches)
        sole_kinematics(
            parts.robot,
            state.q,
            state.v,
            soles.position,
            soles.rotation,
            soles.velocity,
        )
        sensed = known.foot_position_in_world
        believed = base_measured
        if unseen is not None:
            # the base is taken for its attitude alone, and no sensor for the places
            sensed = parts.no_places
            believed = True
        measured = sole_measurements(
            known.stamp_ns, wrenches, sensed, believed, parts.rise, soles
        )
        if unseen is not None:
            felt = known.foot_specific_force_in_sole
            acceleration = sole_accelerations(soles.rotation, felt)
            settings = unseen_settings.value
            measured = unseen_in_place(unseen, measured, acceleration, settings, dt)
        landed = False
        if cross_parts is not None:
            cross = cross_parts.value
            advance(
                cross.passed,
                known.orientation_base_in_world,
                known.specific_force_in_base,
                dt,
            )
            level = not np.any(parts.rise)
            landed = cross_talk_step(
                cross.state, footings, measured, level, cross.settings, dt
            )
        return SoleSample(
            finite=True,
            state=state,
            wrenches=wrenches,
            measured=measured,
            landed=landed,
        )

    return loaded_soles


class LoadedSoles:
    """Both soles of a humanoid, sample by sample.

    Args:
        humanoid: whose soles.
        motion: what tells how the soles move; else a sensor that sees them.
        cross_talk: of its force sensors; None: they have none.

    Attributes:
        motion: of the soles, with their frames.
        floor: its slope under them, which others update.
        cross_talk: as given.
    """

    def __init__(
        self,
        humanoid: Humanoid,
        motion: MotionConfig | None,
        cross_talk: CrossTalkFilter | None,
    ) -> None:
        robot = humanoid.robot
        functions = floating_functions(robot)
        self.motion = SoleMotion(robot)
        self.floor = FloorRise(humanoid)
        self.cross_talk = cross_talk
        self._unseen = (
            None
            if motion is None or motion.source == "odometry"
            else UnseenSoles(robot, motion)
        )
        self._centre_speed = CentreSpeed(humanoid.model, IMU)
        step = loaded_soles_by(functions.sole_kinematics)
        self._step = OfOneType(step)
        # a kernel that closes over a function of CasADi's is plain
        self._compiled = hasattr(step, "get_compile_result")
        self._parts = self._held(
            SoleParts(
                robot=functions.generated,
                soles=self.motion.soles,
                rise=self.floor.rise,
                no_places=NO_FOOT_SENSOR,
            )
        )
        self._unseen_settings = (
            None if self._unseen is None else self._held(self._unseen.settings)
        )
        self.reset()

    def _held(self, value: Any) -> Any:
        return hold(value, self._compiled)

    def reset(self) -> None:
        """Reset to the state before the first sample."""
        for part in (
            self.motion,
            self.floor,
            self._unseen,
            self.cross_talk,
            self._centre_speed,
        ):
            if part is not None:
                part.reset()
        self._cross_parts = (
            None
            if self.cross_talk is None
            else self._held(
                CrossTalkParts(
                    state=self.cross_talk.state,
                    settings=self.cross_talk.settings,
                    passed=self._centre_speed.passed,
                )
            )
        )

    def step(self, known: SensorReadings, base_measured: bool, dt: float) -> SoleSample:
        """Find state, wrenches and measurements of both soles in one sample.

        Args:
            known: readings, with the base as it is best known.
            base_measured: whether the base's motion comes from outside.
            dt: since the sample before [s].
        """
        talk = self.cross_talk
        sample: SoleSample = self._step(
            known,
            base_measured,
            dt,
            self._parts,
            None if self._unseen is None else self._unseen.held,
            self._unseen_settings,
            None if talk is None else talk.footings,
            self._cross_parts,
        )
        if talk is not None and sample.landed:
            velocity = self._centre_speed.velocity(sample.state)
            talk.learn(self.motion.soles.rotation, velocity)
        return sample
