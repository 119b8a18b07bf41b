# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What surrounds a humanoid's walk: its floor with the patch, the push on the way, the end of it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.estimation.raw_readings import HumanoidReadings, base_motion
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation.humanoid.scenario import FloatingScenarioConfig
from biped_slip.simulation.humanoid.walk_config import HumanoidWalkConfig
from biped_slip.simulation.humanoid.world import FloatingWorld
from biped_slip.walking.sensor_sway import STILL, SWAYING


class Draw(NamedTuple):
    """What the seed of a walk decides beside the noise."""

    patch: tuple[float, float]  # from, to [m] along x
    push_at: float  # [m] along x
    side: float  # of the push, 1 or -1
    shift: float  # [m] of the course along x


def drawn(config: HumanoidWalkConfig, seed: int) -> Draw:
    """Places of the patch and the push."""
    rng, patch = np.random.default_rng(seed), config.patch
    begin = float(rng.uniform(patch.earliest, max(patch.latest, patch.earliest)))
    side = float(rng.choice((-1.0, 1.0)))
    push_at = float(rng.uniform(0.25, 0.75)) * patch.length + begin
    return Draw((begin, begin + patch.length), push_at, side, float(rng.uniform(0.0, config.course.shift)))


def track_scenario(config: HumanoidWalkConfig, draw: Draw) -> FloatingScenarioConfig:
    """Floor, sensors and time of a walk."""
    duration = STILL + SWAYING + config.start + config.patience * config.distance / max(abs(config.speed), 0.05)
    patches = [[*draw.patch, -3.0, 3.0, config.patch.mu]] if config.patch.length > 0.0 else []
    patches += [[x0 + draw.shift, x1 + draw.shift, *rest] for x0, x1, *rest in config.course.patches]
    profile = [[x + draw.shift, height] for x, height in config.course.profile]
    extent = [-2.0, config.distance + 3.0, -3.0, 3.0]
    terrain: dict[str, Any] = {"mu": config.mu, "patches": patches, "profile": profile, "extent": extent}
    sensors = config.sensors.to_mapping()
    law = {"contact": config.contact} if config.contact else {}
    return FloatingScenarioConfig.from_mapping({"duration": duration, "terrain": terrain, "sensors": sensors, **law})


class HumanoidTrack:
    """A humanoid on the way that its walk describes, until it has arrived, the time is over, or it has fallen.

    Args:
        config: robot, floor, patch, push, noise.
        seed: draws the patch's place, the push and the noise.
        compiled: false runs the plant in plain Python on Pinocchio.

    Attributes:
        patch: from, to [m] along x.
    """

    def __init__(self, config: HumanoidWalkConfig, seed: int = 0, compiled: bool = True) -> None:
        self.config, self.humanoid, self._draw = config, load_humanoid(config.robot), drawn(config, seed)
        self.patch = self._draw.patch
        self.world = FloatingWorld(self.humanoid, track_scenario(config, self._draw), seed, compiled)
        self._push_left = round(config.push.duration * 1e3) if config.push.force > 0.0 else 0

    @property
    def shift(self) -> float:
        """Of the course along x [m]."""
        return self._draw.shift

    @property
    def ended(self) -> bool:
        """Arrived, fallen, or out of time."""
        return self.world.ended or float(self.world.plant.state.q[0]) >= self.config.distance

    def read(self) -> HumanoidReadings:
        """What the sensors say at this instant, which is logged, and how the base truly moves."""
        return HumanoidReadings(self.world.sense(), base_motion(self.world.measure()))

    def advance(self, torques: Array) -> None:
        """One control period under joint torques (n,)."""
        self.world.advance(torques, self._push())

    def _push(self) -> Array | None:
        if self._push_left == 0 or float(self.world.plant.state.q[0]) < self._draw.push_at:
            return None
        self._push_left -= 1
        force = self._draw.side * self.config.push.force * self.humanoid.weight
        return np.array([0.0, force, 0.0, 0.0, 0.0, 0.0])
