# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Work of some tenths of a second beside a loop of a kilohertz."""

from __future__ import annotations

import contextlib
import os
import sys
from concurrent.futures import Future
from threading import Thread
from typing import Callable, TypeVar

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.control.supervisor import SupervisorConfig
from biped_slip.estimation.health import HealthConfig
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.ros.humanoid_messages import HumanoidInputs, humanoid_record_names, humanoid_record_values
from biped_slip.ros.nodes.walking_controller import ControllerChoice
from biped_slip.ros.parameters import declare_configuration, declare_humanoid_walking
from biped_slip.ros.robot_node import RobotNode
from biped_slip.walking.controller import ControlOutput
from biped_slip.walking.humanoid import guarded_humanoid
from biped_slip.walking.humanoid_registry import DEFAULT, at_once

Result = TypeVar("Result")

TURNS = 1e-4  # [s] after which the loop gets the interpreter back from the work; 5 ms otherwise (choice)


def in_background(work: Callable[[], Result]) -> Callable[[], Result | None]:
    """Start work in a thread; what is returned tells its result, None before, or raises its error."""
    future: Future[Result] = Future()
    before = sys.getswitchinterval()

    def run() -> None:
        with contextlib.suppress(OSError, AttributeError):  # the loop's real-time priority is not for this; Linux
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        sys.setswitchinterval(TURNS)
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)
        finally:
            sys.setswitchinterval(before)

    Thread(target=run, daemon=True).start()
    return lambda: future.result() if future.done() else None


# What the controller node knows of a humanoid: its parameters, its sensors, its controller.


@configuration
class HumanoidRobotConfig(Configuration):
    """Parameters of a humanoid's controller beside its walk."""

    base: str = parameter(
        "estimated", choices=("odom", "estimated"), doc="how the base moves: told by odom, or estimated"
    )
    foot_positions: bool = parameter(
        True, doc="sensors tell where the soles are, on l_foot/position and r_foot/position; false: only the joints do"
    )
    check_sensors: bool = parameter(True, doc="shift the weight and sway before the first step; wrong sensors: stand")


class HumanoidRobot:
    """A humanoid; it always estimates friction by itself.

    Args:
        node: where parameters are declared.
        walk: by its name or as a .yaml file.
    """

    estimates_itself = True

    def __init__(self, node: RobotNode, walk: str) -> None:
        self._node = node
        self._walking = declare_humanoid_walking(node, walk)
        self._config = declare_configuration(node, HumanoidRobotConfig())

    def build(self, choice: ControllerChoice, supervision: SupervisorConfig, health: HealthConfig) -> None:
        """Controller and sensors."""
        told = self._config.base == "odom"
        robot = load_humanoid(self._walking.robot).robot
        self.guarded = guarded_humanoid(
            self._walking,
            choice.limit,
            supervision,
            health,
            checked=self._config.check_sensors,
            told_base=told,
            background=at_once if self._node.settings.mode == "lockstep" else in_background,
            name=choice.name or DEFAULT,
        )
        self.joints, self.soles = robot.joints, robot.soles
        self.sensors = HumanoidInputs(robot.joints, told, self._config.foot_positions, choice.raw_messages)
        self.record_names = humanoid_record_names(robot.joints)

    def record_values(self, output: ControlOutput) -> list[float]:
        """What the controller did, in the order of the names."""
        return humanoid_record_values(output)
