# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a humanoid's walk does when: checks its sensors if asked to, stands, then walks as commanded."""

from __future__ import annotations

from biped_slip.control.whole_body.footsteps import Command
from biped_slip.control.whole_body.stepping import Phase
from biped_slip.control.whole_body.support import balances
from biped_slip.estimation.problem import Problem
from biped_slip.estimation.raw_readings import HumanoidReadings
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.walking.controller import FootEstimates
from biped_slip.walking.humanoid import HumanoidController, HumanoidOutput
from biped_slip.walking.humanoid_config import HumanoidWalkingConfig
from biped_slip.walking.sensor_sway import Background, SensorSway, at_once
from biped_slip.walking.slip_policy import SlipPolicy


class HumanoidSequencer:
    """Walks a humanoid from readings alone; the same in every loop.

    Args:
        config: robot, command, controller.
        policy: for slip: estimator and limit.
        checked: whether the sensors are checked first; wrong ones keep it standing. Who can't stand is not checked.
        background: where the sensors are judged, see :class:`SensorSway`; it stands meanwhile.

    Attributes:
        speed_scale: of the commanded speed; may change at any time.
    """

    def __init__(
        self,
        config: HumanoidWalkingConfig,
        policy: SlipPolicy,
        checked: bool = False,
        background: Background = at_once,
    ) -> None:
        self._humanoid = load_humanoid(config.robot)
        self.config, self.speed_scale = config, 1.0
        self.controller = HumanoidController(self._humanoid, config.controller, policy, config.base, config.motion)
        self.sway: SensorSway | None = None
        if checked:
            self.check_sensors_first(background)
        self.reset()

    def check_sensors_first(self, background: Background = at_once) -> None:
        """Check the sensors before the first step from now on, as ``checked`` does."""
        stands = bool(balances(self.controller.whole_body.body.half_size))
        self.sway = SensorSway(self._humanoid.model, background) if stands else None

    def reset(self) -> None:
        """As before the first reading."""
        self.controller.reset()
        if self.sway is not None:
            self.sway.reset()
        self._first_ns: int | None = None
        self._command, self._phase = Command(), int(Phase.STAND)
        self._held_by_floor = False

    def wait_for_joints(self) -> None:
        """Somebody else still holds the joints: its time has not begun, though it sees how the base stands."""
        self._first_ns = None
        if self.sway is not None:
            self.sway.reset()

    @property
    def moving(self) -> bool:
        """Commanded to move, or in a step."""
        return self._command.forward != 0.0 or self._phase != Phase.STAND

    @property
    def faults(self) -> tuple[str, ...] | None:
        """What is wrong with the sensors; None as long as they are judged."""
        return () if self.sway is None else self.sway.faults

    @property
    def reserve(self) -> Problem | None:
        """Why it stands and does not walk, if that is so."""
        if self.faults:
            return Problem("sensor check", "; ".join(self.faults))
        return Problem("floor", "it holds too little for the sway of a step") if self._held_by_floor else None

    def step(self, readings: HumanoidReadings, estimates: FootEstimates | None = None) -> HumanoidOutput:
        """Torques for one reading; estimates from elsewhere are not looked at, they are made here."""
        raw = readings.raw
        self._first_ns = raw.stamp_ns if self._first_ns is None else self._first_ns
        time = 1e-9 * (raw.stamp_ns - self._first_ns)
        self._command = self._commanded(time)
        record = self.controller.step(raw, self._command, readings.base)
        if record.answer is not None:
            self._phase = record.answer.phase
            stands = self._phase == Phase.STAND and record.answer.gait.still
            self._held_by_floor = stands and self._command.forward != 0.0
        if self.sway is not None:
            self.sway.add(time, raw, record.readings)
        return record

    def _commanded(self, time: float) -> Command:
        if self.sway is not None and self.sway.faults is None:
            return self.sway.command(time)
        stands = time < self.config.start or bool(self.faults)
        return Command() if stands else Command(self.speed_scale * self.config.speed)
