# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the planar biped's controller is told: speed command, gait, estimators, limits, motion of the feet."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Mapping

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.config import Configuration, configuration, parameter, read_yaml, section
from biped_slip.control.planar.walking import WalkingConfig
from biped_slip.control.sole_moment import SoleMomentConfig, WithinSoleMoment
from biped_slip.errors import InvalidParameter, UnknownName
from biped_slip.estimation.motion.config import MotionConfig
from biped_slip.friction_estimation.interval.config import IntervalConfig
from biped_slip.friction_estimation.limit_rule import LimitRuleConfig
from biped_slip.friction_estimation.registry import EstimatorSettings
from biped_slip.friction_estimation.rls import RlsConfig
from biped_slip.robots.planar_biped import ROOTS
from biped_slip.shared_files import shared_file, shared_names
from biped_slip.walking.slip_policy import PolicySettings, SlipPolicy, slip_policy

#: Parts of a scenario's file that describe the world around the robot; its controller does not look at them.
WORLD = ("duration", "required_distance", "ground", "start", "pushes", "sensors", "spread", "plant", "contact")


@configuration
class SpeedConfig(Configuration):
    """Commanded speed along the floor: ``value[i]`` from ``time[i]`` on, ``value[0]`` before."""

    time: tuple[float, ...] = parameter((0.0,), unit="s", low=0.0, source="choice", doc="when each value begins")
    value: tuple[float, ...] = parameter((0.5,), unit="m/s", low=-2.0, high=2.0, source="A.8", doc="command")

    def check(self) -> None:
        """One value per time, times rising."""
        if len(self.time) != len(self.value) or not self.time:
            raise InvalidParameter("SpeedConfig.time", self.time, "as long as value and not empty")
        if any(b <= a for a, b in zip(self.time, self.time[1:], strict=False)):
            raise InvalidParameter("SpeedConfig.time", self.time, "rising")

    def at(self, time: float) -> float:
        """Command [m/s] at a time [s]."""
        held = self.value[0]
        for start, value in zip(self.time, self.value, strict=True):
            if time >= start:
                held = value
        return held

    def over(self, times: Array) -> Array:
        """Command [m/s] at each of many times [s]."""
        held = np.full(times.shape, self.value[0])
        for start, value in zip(self.time, self.value, strict=True):
            held[times >= start] = value
        return held


@configuration
class PlanarWalkingConfig(Configuration):
    """Everything that the planar biped's controller can be told; the policy for slip is chosen beside it."""

    variant: str = parameter("thesis", choices=tuple(ROOTS), source="A.6", doc="torso without or with pitch")
    speed: SpeedConfig = section(SpeedConfig)
    controller: WalkingConfig = section(WalkingConfig)
    rls: RlsConfig = section(RlsConfig)
    motion: MotionConfig = section(MotionConfig)
    interval: IntervalConfig = section(IntervalConfig)
    interval_limit: LimitRuleConfig = section(LimitRuleConfig)
    sole_moment: SoleMomentConfig = section(SoleMomentConfig)

    def policy_settings(self, body_weight: float) -> PolicySettings:
        """What policies are told: noise of the chosen motion source, body weight [N]."""
        told = self.motion.told(self.interval)
        estimator = EstimatorSettings(body_weight=body_weight, interval=told, rls=self.rls)
        return PolicySettings(estimator, self.interval_limit)

    def policy(self, name: str, body_weight: float) -> SlipPolicy:
        """The policy of a name, its limit less what the sole's moment uses."""
        return self.within_sole_moment(slip_policy(name, self.policy_settings(body_weight)))

    def within_sole_moment(self, policy: SlipPolicy) -> SlipPolicy:
        """A policy whose limit leaves the sole its moment, where the sole has any."""
        if self.sole_moment.effective_radius == 0.0:
            return policy
        return policy._replace(limit=WithinSoleMoment(policy.limit, self.sole_moment))


def scenario_file(name: str, variant: str | None = None) -> dict[str, Any]:
    """What a scenario's file says: a path, or the name of one that comes with the package.

    Args:
        name: of the scenario.
        variant: of the robot, in place of the file's; a pitching torso on the thesis' floor needs its own gait.
    """
    if Path(name).suffix in (".yaml", ".yml"):
        said = read_yaml(name)
    else:
        known = shared_names("config/scenarios")
        if name not in known:
            raise UnknownName("scenario", name, [*known, "or a .yaml file"])
        said = read_yaml(shared_file(f"config/scenarios/{name}.yaml"))
    if variant is None or variant == said.get("variant", PlanarWalkingConfig().variant):
        return said
    if name == "thesis" and variant == "torso":
        return scenario_file("torso")
    return {**said, "variant": variant}


def walking_part(mapping: Mapping[str, Any]) -> PlanarWalkingConfig:
    """The controller's part of a scenario's mapping; the world's part is left alone.

    Raises:
        BipedSlipError: a parameter is unknown or refused.
    """
    known = (*PlanarWalkingConfig().to_mapping(), *WORLD)
    for name in mapping:
        if name not in known:
            raise UnknownName("parameter", name, list(known))
    return PlanarWalkingConfig.from_mapping({name: value for name, value in mapping.items() if name not in WORLD})
