# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The closed loop of a humanoid without ROS: its way over the floor, and its ticks.

A tick is one control period: sensors are read at an instant, the guarded controller
answers at once, and the plant moves on under its torques to the next instant. The way
ends at a distance; on it lies a patch of other friction, over which a push may come.
"""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.control.supervisor import SupervisorConfig
from biped_slip.control.whole_body.controller import WholeBodyOutput
from biped_slip.control.whole_body.footsteps import Foothold, Gait
from biped_slip.estimation.readings import (
    BaseMotion,
    HumanoidReadings,
    RawReadings,
    base_motion,
)
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation.humanoid.oracle import UNDERFOOT, humanoid_policy
from biped_slip.simulation.humanoid.plant import FloatingPlant, FloatingState
from biped_slip.simulation.humanoid.scenario import (
    HumanoidWalkConfig,
    drawn,
    track_scenario,
    with_motion,
)
from biped_slip.simulation.humanoid.world import FloatingWorld
from biped_slip.simulation.scenario import ORACLE
from biped_slip.walking.controller import ControlOutput
from biped_slip.walking.guarded import Guarded
from biped_slip.walking.humanoid import HumanoidOutput, guard_humanoid
from biped_slip.walking.registry import HUMANOID_DEFAULT, humanoid_controller
from biped_slip.walking.sensor_sway import ChecksSensors, at_once


class HumanoidTrack(FloatingWorld):
    """World of a humanoid on the way of its walk.

    It ends when the robot has arrived, the time is over, or the robot has fallen.

    Args:
        config: robot, floor, patch, push, noise.
        seed: draws the patch's place, the push and the noise.
        compiled: false runs the plant in plain Python with CasADi.

    Attributes:
        patch: from, to [m] along x.
        shift: of the course along x [m].
    """

    def __init__(
        self, config: HumanoidWalkConfig, seed: int = 0, compiled: bool = True
    ) -> None:
        self.config = config
        self._draw = drawn(config, seed)
        self.patch = self._draw.patch
        self.shift = self._draw.shift
        plant = FloatingPlant
        if config.contact.law == "mujoco":
            # takes a while to load
            from biped_slip.simulation.humanoid.mujoco_plant import MujocoPlant

            plant = MujocoPlant
        super().__init__(
            load_humanoid(config.robot),
            track_scenario(config, self._draw),
            seed,
            compiled,
            plant,
        )
        self._push_left = (
            round(config.push.duration / config.period)
            if config.push.force > 0.0
            else 0
        )

    @property
    def world(self) -> HumanoidTrack:
        """Return the track itself, for reports and scenes of a track alone."""
        return self

    @property
    def ended(self) -> bool:
        """Return whether the robot arrived, fell or ran out of time."""
        arrived = float(self.plant.state.q[0]) >= self.config.distance
        return super().ended or (arrived and not self.endless)

    def read(self) -> HumanoidReadings:
        """Read the sensors at this instant, and the true motion of the base.

        The instant is logged.
        """
        return HumanoidReadings(self.sense(), base_motion(self.measure()))

    def advance(self, torques: Array, push: Any = 0.0) -> None:
        """Advance one control period under joint torques (n,).

        The walk's own push on the way acts, too.
        """
        if self._push_left > 0 and float(self.plant.state.q[0]) >= self._draw.push_at:
            self._push_left -= 1
            force = self._draw.side * self.config.push.force * self.humanoid.weight
            push = push + np.array([0.0, force, 0.0, 0.0, 0.0, 0.0])
        super().advance(torques, push)


class WalkTick(NamedTuple):
    """Output of the controller at one tick; pairs are left, right."""

    time: float  # [s]
    limits: tuple[float, float]  # on the force ratio
    phase: int  # a Phase
    solved: bool
    swing: int  # foot in the air, or the one to lift next
    target: Foothold  # of that foot
    gait: Gait  # of the steps to come


class HumanoidWalk:
    """Walk of a humanoid, tick by tick or to its end.

    Args:
        config: robot, command, floor, noise, controller.
        kind: of policy for slip.
        seed: draws the patch's place, the push and the noise.
        compiled: false runs the plant in plain Python with CasADi.
        true_base: whether the controller sees the base as it truly moves; else as IMU,
            joints and contacts tell it.
        checked: whether the sensors are checked before the first step.
        controller: by its name.

    Attributes:
        sequencer: the controller.
        guarded: the same behind the supervisor, as a node runs it; sensors are not
            watched, they are as described.
        ticks: what the whole-body controller made of each tick on which it knew the
            base; empty for any other.
    """

    def __init__(
        self,
        config: HumanoidWalkConfig,
        kind: str,
        seed: int = 0,
        compiled: bool = True,
        true_base: bool = False,
        checked: bool = False,
        controller: str = HUMANOID_DEFAULT,
    ) -> None:
        # who reads a map must know the places of the soles
        if kind in (
            ORACLE,
            UNDERFOOT,
        ):
            config = with_motion(config, "odometry")
        self.config = config
        self._true_base = true_base
        self.world = HumanoidTrack(config, seed, compiled)
        self.humanoid = self.world.humanoid
        policy = humanoid_policy(kind, config, self.humanoid, seed)
        self.sequencer = humanoid_controller(config.walking, policy, controller)
        self.guarded = guard_humanoid(
            self.sequencer,
            self.humanoid,
            SupervisorConfig(),
            None,
            absent=config.walking.absent_sensors,
            by_currents=config.walking.by_currents,
        )
        self.guarded.start()
        self._checks = (
            self.sequencer
            if checked and isinstance(self.sequencer, ChecksSensors)
            else None
        )
        if self._checks is not None:
            self._checks.check_sensors_first(at_once)
        self.ticks: list[WalkTick] = []

    @property
    def ended(self) -> bool:
        """Return whether the robot arrived, fell or ran out of time."""
        return self.world.ended

    def check_sensors(self) -> tuple[str, ...]:
        """List faults of the sensors, found before the first step.

        They are found by shifting the weight and swaying.
        """
        while (
            self._checks is not None and self._checks.faults is None and not self.ended
        ):
            self.tick()
            # a wrong sensor may make a joint run before it is found
            if self.guarded.problem is not None:
                return (str(self.guarded.problem),)
        return () if self._checks is None else self._checks.faults or ()

    def tick(self) -> ControlOutput | None:
        """Advance one control period: read, control, advance.

        Return None while the guard has the joints.
        """
        logs = self.world.logs
        answer = self.control(self.world.sense())
        self.world.advance(answer.torques)
        output = answer.output
        if output is None or not logs:
            return output
        self.world.log.record_control(output)
        if isinstance(output, HumanoidOutput) and output.answer is not None:
            self.ticks.append(_tick(output, output.answer))
        return output

    def control(self, raw: RawReadings) -> Guarded:
        """Compute joint torques for one sample, by the guarded controller.

        Args:
            raw: of the sensors, each in its own frame.

        Returns:
            Torques (n,) [N m] that reach the joints, and the controller's output.

        Raises:
            Exception: what the controller raised; a robot would stop instead.
        """
        base = true_base(self.world.plant.state) if self._true_base else None
        answer = self.guarded.step(HumanoidReadings(raw, base))
        if self.guarded.failure is not None:  # a robot stops; a program wants to know
            raise self.guarded.failure
        return answer

    def run(self, progress: Callable[[float], None] | None = None) -> None:
        """Walk to the end.

        Args:
            progress: called with the share of the walk that is done, 0 to 1.

        Raises:
            Exception: what the controller raised.
        """
        while not self.ended:
            self.tick()
            if progress is not None and self.world.plant.ticks % 100 == 0:
                progress(
                    min(
                        max(
                            float(self.world.plant.state.q[0]) / self.config.distance,
                            0.0,
                        ),
                        1.0,
                    )
                )
        self.world.log.trim()


def true_base(state: FloatingState) -> BaseMotion:
    """Return the true motion of the base, without asking what forces act."""
    q = state.q
    v = state.v
    return BaseMotion(
        orientation_base_in_world=q[3:7].copy(),
        angular_velocity_in_base=v[3:6].copy(),
        position_base_in_odom=q[:3].copy(),
        linear_velocity_in_base=v[:3].copy(),
    )


def _tick(output: HumanoidOutput, answer: WholeBodyOutput) -> WalkTick:
    return WalkTick(
        time=1e-9 * output.readings.stamp_ns,
        limits=answer.limits,
        phase=answer.phase,
        solved=answer.solved,
        swing=answer.stepping.swing,
        target=answer.stepping.target,
        gait=answer.gait,
    )
