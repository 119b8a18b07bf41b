# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walks of a comparison as jobs of a campaign.

A job is data: it goes to another process or machine that sees the same files, walks
there, and comes back with its end. Its key is a hash of all that the end depends on, so
that a file of walks serves a comparison that goes on.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Mapping

from biped_slip.comparison.columns import WalkColumns
from biped_slip.comparison.plan import (
    ALONE,
    ComparedWalker,
    ComparisonConfig,
    WalkedFloor,
)
from biped_slip.comparison.policy_robot import PolicyFiles, imu_of, write_robot
from biped_slip.comparison.walk import WalkEnd, walked
from biped_slip.compile.cache import sources_hash
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation.campaign import key_of
from biped_slip.walking.policy_layout import layout_of

WARM_UP = 50  # ticks


@dataclass(frozen=True)
class ComparedJob:
    """One walk of a comparison."""

    walker: ComparedWalker
    contact: str
    governed: str
    floor: WalkedFloor
    plan: ComparisonConfig
    seed: int
    scale: float = 1.0  # of the commanded speed

    @property
    def name(self) -> str:
        """Return the name of the walker."""
        return self.walker.name

    @property
    def limit(self) -> str:
        """Return contact and governor, which decide what is compiled."""
        return f"{self.contact}, {self.governed}"

    def key(self) -> str:
        """Hash the walk's parameters, files and code."""
        walker = self.walker
        network = walker.network
        plan = self.plan
        return key_of(
            sources_hash(__name__),
            (walker.config.speed, walker.config.limit),
            None if network is None else file_hash(network),
            None if network is None else layout_of(network).to_mapping(),
            robot_hash(walker.robot),
            (self.contact, self.governed, list(self.floor), self.seed, self.scale),
            (plan.seconds, plan.sensors, plan.patch_length, list(plan.patch_begin)),
            plan.governor.to_mapping() if self.governed != ALONE else None,
        )

    def run(self) -> ComparedWalk:
        """Walk."""
        return ComparedWalk(
            self,
            walked(
                self.walker,
                self.contact,
                self.governed,
                self.floor,
                self.plan,
                self.seed,
                self.scale,
            ),
        )

    def warm_up(self) -> None:
        """Compile the walk's kernels into the code cache, by its first ticks."""
        short = replace(self.plan, seconds=1e-3 * WARM_UP)
        replace(self, plan=short).run()

    def found(self, entry: Mapping[str, Any]) -> ComparedWalk:
        """Read the end of the walk from a file of campaigns."""
        said = numbers(entry["end"])
        columns = WalkColumns(**numbers(said.pop("columns")))
        return ComparedWalk(self, WalkEnd(**said, columns=columns))


@dataclass(frozen=True)
class ComparedWalk:
    """A job and how it ended."""

    job: ComparedJob
    end: WalkEnd

    @property
    def completed(self) -> bool:
        """Return whether the robot was on its feet to the end of the time."""
        return not self.end.fell and not self.end.problem

    def to_mapping(self) -> dict[str, Any]:
        """Convert to plain dictionaries for JSON."""
        job = self.job
        return {
            "walker": job.name,
            "contact": job.contact,
            "governed": job.governed,
            "floor": job.floor._asdict(),
            "seed": job.seed,
            "scale": job.scale,
            "end": plain(
                {**self.end._asdict(), "columns": plain(self.end.columns._asdict())}
            ),
        }


def plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Replace NaN, which JSON lacks, by None."""
    return {
        key: None if isinstance(value, float) and math.isnan(value) else value
        for key, value in values.items()
    }


def numbers(values: Mapping[str, Any]) -> dict[str, Any]:
    """Replace None by NaN again."""
    return {key: math.nan if value is None else value for key, value in values.items()}


@lru_cache(maxsize=1024)
def file_hash(path: Path) -> str:
    """Hash a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


@lru_cache(maxsize=256)
def robot_hash(robot: str) -> str:
    """Hash what a robot's name or file says, its description included."""
    humanoid = load_humanoid(robot)
    return key_of(humanoid.config.to_mapping(), humanoid.urdf)


def with_robot(walker: ComparedWalker, folder: Path) -> ComparedWalker:
    """Write the robot of a network whose robot is an MJCF, and name its file.

    Any other robot is loaded as ``walk --robot`` loads it.
    """
    if walker.network is None or Path(walker.robot).suffix != ".xml":
        return walker
    mjcf = Path(walker.robot)
    files = PolicyFiles(
        network=walker.network,
        layout=layout_of(walker.network),
        mjcf=mjcf,
        imu=walker.config.imu or imu_of(mjcf),
        speed=walker.config.speed,
    )
    return walker._replace(robot=str(write_robot(files, folder).resolve()))
