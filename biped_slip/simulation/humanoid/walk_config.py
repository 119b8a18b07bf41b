# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A humanoid's walk over a patch of other friction, as data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Mapping

from biped_slip.config import Configuration, configuration, parameter, read_yaml, section
from biped_slip.control.whole_body.config import WholeBodyConfig
from biped_slip.errors import UnknownName
from biped_slip.estimation.floating_base import FloatingBaseConfig
from biped_slip.friction_estimation.interval.config import IntervalConfig
from biped_slip.friction_estimation.limit_rule import LimitRuleConfig
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.shared_files import shared_file, shared_names
from biped_slip.simulation.humanoid.sensor_config import FloatingSensorConfig
from biped_slip.walking.first_walk import filled, first_walk

FOLDER = "config/humanoid_walks"


def walking_sensors() -> FloatingSensorConfig:
    """Sensors as the estimator issue has them (study 2): soles 20 um; forces 0.3 % of weight, noise and offset, 1 ms.

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
class PatchConfig(Configuration):
    """A stretch of floor with another friction across the way."""

    mu: float = parameter(0.25, above=0.0, high=5.0, doc="friction coefficient of the patch")
    length: float = parameter(2.0, unit="m", low=0.0, high=100.0, doc="along the way; 0: no patch")
    earliest: float = parameter(3.0, unit="m", low=0.0, high=100.0, doc="first place where it may begin")
    latest: float = parameter(
        6.0, unit="m", low=0.0, high=100.0, doc="last place where it may begin; the seed draws it"
    )


@configuration
class PushOnPatchConfig(Configuration):
    """One push on the base while it is over the patch; the seed draws its side."""

    force: float = parameter(0.0, low=0.0, high=1.0, doc="sideways, in body weights; 0: none")
    duration: float = parameter(0.2, unit="s", above=0.0, high=5.0, doc="of the push")


@configuration
class HumanoidWalkConfig(Configuration):
    """Which robot, how fast, how far, over what."""

    robot: str = parameter("talos", doc="name of a shipped robot, or a .yaml file")
    speed: float = parameter(0.3, unit="m/s", low=-2.0, high=2.0, doc="commanded, forward")
    distance: float = parameter(10.0, unit="m", above=0.0, high=1e3, doc="the walk ends here")
    start: float = parameter(0.5, unit="s", low=0.0, high=60.0, doc="stands before the command comes")
    patience: float = parameter(
        3.0, above=1.0, high=100.0, doc="the walk is over after this times distance over speed, wherever it is"
    )
    mu: float = parameter(0.8, above=0.0, high=5.0, doc="friction coefficient beside the patch")
    patch: PatchConfig = section(PatchConfig)
    push: PushOnPatchConfig = section(PushOnPatchConfig)
    sensors: FloatingSensorConfig = section(walking_sensors)  # type: ignore[arg-type]
    base: FloatingBaseConfig = section(FloatingBaseConfig)
    controller: WholeBodyConfig = section(WholeBodyConfig)
    interval: IntervalConfig = section(IntervalConfig)
    limit: LimitRuleConfig = section(LimitRuleConfig)


def humanoid_walk_named(name: str) -> HumanoidWalkConfig:
    """The shipped walk of a robot by its name."""
    known = shared_names(FOLDER)
    if name not in known:
        raise UnknownName("humanoid walk", name, known)
    return humanoid_walk_of(read_yaml(shared_file(f"{FOLDER}/{name}.yaml")), Path())


def chosen_walk(name: str) -> HumanoidWalkConfig:
    """A shipped walk by its robot's name, or a .yaml file, which may name a robot's file beside it."""
    if Path(name).suffix not in (".yaml", ".yml"):
        return humanoid_walk_named(name)
    return humanoid_walk_of(read_yaml(name), Path(name).parent)


def humanoid_walk_of(said: Mapping[str, Any], folder: Path) -> HumanoidWalkConfig:
    """The walk that a file in ``folder`` describes; what it does not say comes from the robot: see ``first_walk``."""
    config = HumanoidWalkConfig.from_mapping(said)
    beside = folder / config.robot
    robot = str(beside.resolve()) if beside.is_file() else config.robot
    default = first_walk(load_humanoid(robot), config.sensors)
    return replace(HumanoidWalkConfig.from_mapping(filled(said, default)), robot=robot)
