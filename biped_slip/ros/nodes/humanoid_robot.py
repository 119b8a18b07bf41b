# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the controller node knows of a humanoid: its parameters, its sensors, what walks and watches it."""

from __future__ import annotations

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.control.supervisor import Supervisor, SupervisorConfig, TorqueLimits
from biped_slip.estimation.health.humanoid import HumanoidWatch
from biped_slip.estimation.health.watch import HealthConfig
from biped_slip.estimation.problem import Problem
from biped_slip.estimation.raw_readings import HumanoidReadings
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.ros.parameters.declare import declare_configuration
from biped_slip.ros.parameters.walk import BRAIN, declare_walk
from biped_slip.ros.runtime.background import in_background
from biped_slip.ros.runtime.robot_node import RobotNode
from biped_slip.ros.topics.humanoid_messages import HumanoidInputs
from biped_slip.ros.topics.humanoid_record import humanoid_record_names, humanoid_record_values
from biped_slip.simulation.humanoid.track import HumanoidCourse
from biped_slip.walking.guarded import GuardedWalker
from biped_slip.walking.humanoid import HumanoidRecord
from biped_slip.walking.humanoid_sequencer import HumanoidPilot
from biped_slip.walking.sensor_sway import at_once

PERIOD = 1e-3  # [s] of control
TRIALS = 3  # answers of the whole controller, after which nothing is left to compile


@configuration
class HumanoidBrainConfig(Configuration):
    """Parameters of a humanoid's controller beside its walk."""

    seed: int = parameter(-1, low=-1, high=2**31, doc="of the simulator, whose floor an oracle knows")
    base: str = parameter(
        "estimated", choices=("odom", "estimated"), doc="how the base moves: told by odom, or estimated"
    )
    check_sensors: bool = parameter(True, doc="shift the weight and sway before the first step; wrong sensors: stand")


class HumanoidBrain:
    """Walks a humanoid; it always estimates friction by itself.

    Args:
        node: where parameters are declared.
        walk: by its name or as a .yaml file.
    """

    estimates_itself = True

    def __init__(self, node: RobotNode, walk: str) -> None:
        self._node = node
        self._walk = declare_walk(node, walk, BRAIN)
        self._config = declare_configuration(node, HumanoidBrainConfig())

    def build(self, limit: str, raw: bool, supervision: SupervisorConfig, health: HealthConfig) -> None:
        """Robot, walker, sensors; compiled here, not at the first sample."""
        config, seed = self._config, max(self._config.seed, 0)
        humanoid, told = load_humanoid(self._walk.robot), self._config.base == "odom"
        robot = humanoid.robot
        aside = at_once if self._node.settings.mode == "lockstep" else in_background
        self._pilot = HumanoidPilot(self._walk, limit, seed, config.check_sensors, aside)
        self.guarded: GuardedWalker[HumanoidReadings] = GuardedWalker(
            self._pilot,
            HumanoidWatch(humanoid, health),
            Supervisor(TorqueLimits(robot.joints, humanoid.efforts), supervision),
            robot.velocity_limits,
            PERIOD,
        )
        self._try_out(told)
        self.joints, self.soles = robot.joints, robot.soles
        self.sensors = HumanoidInputs(robot.joints, told, raw)
        self.record_names = humanoid_record_names(robot.joints)

    def _try_out(self, told: bool) -> None:
        """Some ticks of standing on a floor of its own, until the whole controller has had its turn."""
        self.guarded.start()
        course, answers = HumanoidCourse(self._walk), 0
        while not course.ended and answers < TRIALS:
            readings = course.read()
            guarded = self.guarded.step(readings if told else readings._replace(base=None))
            course.advance(guarded.torques)
            answers += guarded.record is not None and guarded.record.answer is not None

    @property
    def reserve(self) -> Problem | None:
        """Why it stands and does not walk, if that is so."""
        return self._pilot.reserve

    def record_values(self, record: HumanoidRecord) -> list[float]:
        """What a record says, in the order of the names."""
        return humanoid_record_values(record)

    def set_speed(self, scale: float) -> None:
        """Of the walk's command."""
        self._pilot.speed_scale = scale
