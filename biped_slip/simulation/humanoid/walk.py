# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The closed loop of a humanoid without ROS: world and walker, until the way is done, the time over, or a fall."""

from __future__ import annotations

import math
from typing import Callable, NamedTuple

from biped_slip.control.supervisor import SupervisorConfig
from biped_slip.control.whole_body.controller import WholeBodyOutput
from biped_slip.control.whole_body.footsteps import Foothold
from biped_slip.control.whole_body.stepping import Gait
from biped_slip.estimation.raw_readings import HumanoidReadings, RawReadings, base_motion
from biped_slip.simulation.humanoid.policy import humanoid_policy
from biped_slip.simulation.humanoid.track import HumanoidTrack
from biped_slip.simulation.humanoid.walk_config import HumanoidWalkConfig
from biped_slip.walking.controller import ControlOutput
from biped_slip.walking.guarded import Guarded
from biped_slip.walking.guarded_humanoid import guard_humanoid
from biped_slip.walking.humanoid import HumanoidOutput
from biped_slip.walking.humanoid_registry import DEFAULT, ChecksSensors, humanoid_controller
from biped_slip.walking.sensor_sway import at_once


class WalkTick(NamedTuple):
    """What the controller made of one tick; pairs are left, right."""

    time: float  # [s]
    limits: tuple[float, float]  # on the force ratio
    phase: int  # a Phase
    solved: bool
    mu_low: tuple[float, float]  # certified; NaN as long as it is not known
    mu_high: tuple[float, float]  # certified, where the interval is narrow enough to act upon; else NaN
    swing: int  # foot in the air, or the one to lift next
    target: Foothold  # of that foot
    gait: Gait  # of the steps to come


class HumanoidWalk:
    """One walk.

    Args:
        config: robot, command, floor, noise, controller.
        kind: of policy for slip.
        seed: draws the patch's place, the push and the noise.
        compiled: false runs the plant in plain Python on Pinocchio.
        true_base: whether the controller sees the base as it truly moves; else as IMU, joints and contacts tell it.
        checked: whether the sensors are checked before the first step.
        controller: by its name.

    Attributes:
        sequencer: the controller.
        guarded: the same behind the supervisor, as a node runs it; sensors are not watched, they are as described.
        ticks: what the whole-body controller made of each tick on which it knew the base; empty for any other.
    """

    def __init__(self, config: HumanoidWalkConfig, kind: str, seed: int = 0, compiled: bool = True,
                 true_base: bool = False, checked: bool = False, controller: str = DEFAULT) -> None:  # fmt: skip
        self.config, self._true_base = config, true_base
        self.track = HumanoidTrack(config, seed, compiled)
        self.humanoid, self.world = self.track.humanoid, self.track.world
        policy = humanoid_policy(kind, config, self.humanoid, seed)
        self.sequencer = humanoid_controller(config.walking, policy, controller)
        self.guarded = guard_humanoid(self.sequencer, self.humanoid, SupervisorConfig(), None)
        self.guarded.start()
        self._checks = self.sequencer if checked and isinstance(self.sequencer, ChecksSensors) else None
        if self._checks is not None:
            self._checks.check_sensors_first(at_once)
        self.ticks: list[WalkTick] = []

    @property
    def ended(self) -> bool:
        """Arrived, fallen, or out of time."""
        return self.track.ended

    def check_sensors(self) -> tuple[str, ...]:
        """What is wrong with the sensors, found before the first step by shifting the weight and swaying."""
        while self._checks is not None and self._checks.faults is None and not self.ended:
            self.tick()
            if self.guarded.problem is not None:  # a wrong sensor may make a joint run before it is found
                return (str(self.guarded.problem),)
        return () if self._checks is None else self._checks.faults or ()

    def tick(self) -> ControlOutput | None:
        """One control period: read, control, advance; nothing while the guard has the joints."""
        answer = self.control(self.world.sense())
        self.track.advance(answer.torques)
        output = answer.output
        if isinstance(output, HumanoidOutput) and output.answer is not None:
            self.ticks.append(_tick(output, output.answer))
        return output

    def control(self, raw: RawReadings) -> Guarded:
        """What the guarded controller makes of one sample of the sensors."""
        base = base_motion(self.world.measure()) if self._true_base else None
        answer = self.guarded.step(HumanoidReadings(raw, base))
        if self.guarded.failure is not None:  # a robot stops; a program wants to know
            raise self.guarded.failure
        return answer

    def run(self, progress: Callable[[float], None] | None = None) -> None:
        """Walk to the end; ``progress`` is called with the share done."""
        while not self.ended:
            self.tick()
            if progress is not None and self.world.plant.ticks % 100 == 0:
                progress(min(max(float(self.world.plant.state.q[0]) / self.config.distance, 0.0), 1.0))
        self.world.log.trim()


def _tick(output: HumanoidOutput, answer: WholeBodyOutput) -> WalkTick:
    left, right = output.estimates
    high = (left.mu_high if left.usable else math.nan, right.mu_high if right.usable else math.nan)
    return WalkTick(1e-9 * output.readings.stamp_ns, answer.limits, answer.phase, answer.solved,
                    (left.mu_low, right.mu_low), high, answer.stepping.swing, answer.stepping.target,
                    answer.gait)  # fmt: skip
