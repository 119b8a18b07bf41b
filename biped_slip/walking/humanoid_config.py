# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a humanoid's controller is told: robot, command, sensors, gait, estimator, limit; walks by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Mapping

from biped_slip.config import Configuration, configuration, parameter, read_yaml, section
from biped_slip.control.whole_body.config import WholeBodyConfig
from biped_slip.errors import UnknownName
from biped_slip.estimation.floating_base import FloatingBaseConfig
from biped_slip.estimation.motion.config import MotionConfig
from biped_slip.friction_estimation.interval.config import IntervalConfig
from biped_slip.friction_estimation.limit_rule import LimitRuleConfig
from biped_slip.friction_estimation.registry import EstimatorSettings
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.robots.sensor_config import FloatingSensorConfig
from biped_slip.shared_files import shared_file, shared_names
from biped_slip.walking.first_walk import filled, first_walk
from biped_slip.walking.slip_policy import PolicySettings

FOLDER = "config/humanoid_walks"

#: Parts of a walk's file that describe the world around the robot; its controller does not look at them.
WORLD = ("contact", "distance", "patience", "mu", "patch", "push", "course")


def walking_sensors() -> FloatingSensorConfig:
    """Sensors as the estimator study has them (study 2): soles 20 um; forces 0.3 % of weight, noise and offset, 1 ms.

    Encoders of 18 bits; a MEMS IMU of 0.01 deg/s/sqrt(Hz) and 1e-3 m/s^2/sqrt(Hz) at 1 kHz with its biases (choice).
    """
    inertial = {"gyro_noise": 5e-3, "gyro_bias": 5e-3, "accelerometer_noise": 0.03, "accelerometer_bias": 0.03}
    return FloatingSensorConfig.from_mapping(
        {
            "encoders": {"position_noise": 1.5e-5, "velocity_noise": 5e-3},
            "imu": inertial,
            "foot_imu": inertial,
            "force_torque": {
                "force_noise": 3e-3, "moment_noise": 3e-4, "force_bias": 3e-3, "moment_bias": 1e-4,
                "delivery": {"latency_ticks": 1},
            },
            "foot_position": {"noise": 20e-6},
        }
    )  # fmt: skip


@configuration
class HumanoidWalkingConfig(Configuration):
    """Which robot, how fast, with which sensors and gains."""

    robot: str = parameter("talos", doc="name of a shipped robot, or a .yaml file")
    speed: float = parameter(0.3, unit="m/s", low=-2.0, high=2.0, doc="commanded, forward")
    start: float = parameter(0.5, unit="s", low=0.0, high=60.0, doc="stands before the command comes")
    sensors: FloatingSensorConfig = section(walking_sensors)  # type: ignore[arg-type]
    base: FloatingBaseConfig = section(FloatingBaseConfig)
    motion: MotionConfig = section(MotionConfig)
    controller: WholeBodyConfig = section(WholeBodyConfig)
    interval: IntervalConfig = section(IntervalConfig)
    limit: LimitRuleConfig = section(LimitRuleConfig)

    def policy_settings(self, body_weight: float) -> PolicySettings:
        """What policies for slip are told, for a body weight [N]."""
        told = self.motion.told(self.interval)
        return PolicySettings(EstimatorSettings(body_weight=body_weight, interval=told), self.limit)


def humanoid_walks() -> list[str]:
    """Names of the shipped walks, each that of its robot."""
    return shared_names(FOLDER)


def walk_file(name: str) -> tuple[dict[str, Any], Path]:
    """What a walk's file says, and the folder whose files it may name: a shipped walk by its robot, or a .yaml file."""
    if Path(name).suffix in (".yaml", ".yml"):
        return read_yaml(name), Path(name).parent
    known = humanoid_walks()
    if name not in known:
        raise UnknownName("humanoid walk", name, known)
    return read_yaml(shared_file(f"{FOLDER}/{name}.yaml")), Path()


def completed(said: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """What a walk's file says, and what it does not say from the robot: see :mod:`.first_walk`."""
    config = walking_part(said)
    beside = folder / config.robot
    robot = str(beside.resolve()) if beside.is_file() else config.robot
    return {**filled(said, first_walk(load_humanoid(robot), config.sensors)), "robot": robot}


def walking_part(said: Mapping[str, Any]) -> HumanoidWalkingConfig:
    """The controller's part of a walk; the world's part is left alone."""
    return HumanoidWalkingConfig.from_mapping({name: value for name, value in said.items() if name not in WORLD})


def chosen_walking(name: str) -> HumanoidWalkingConfig:
    """The controller's part of a shipped walk by its robot's name, or of a .yaml file."""
    return walking_part(completed(*walk_file(name)))
