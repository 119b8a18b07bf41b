# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a humanoid's walk amounts to: fell, arrived, slips under load, the ratio it needed, its speed off the patch."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Iterator, Mapping

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.simulation.humanoid.track import HumanoidTrack
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.simulation.planar.summary import stances, steady_part

LOADED = 0.2  # body weights; the ratio of a foot with less says little (choice)
UP_TO_SPEED = 1.5  # [m] of the way are left out of the mean speed: the walk starts from standing (choice)
BESIDE = 0.3  # [m] around the patch belong to it: the feet are ahead of and behind the base (choice)


@dataclass(frozen=True)
class HumanoidSummary:
    """The result of one walk."""

    fell: bool
    arrived: bool
    distance: float  # [m]
    end_time: float  # [s]
    largest_slip: float  # [m] of a loaded sole's middle within one stance, without landing and lift-off
    slips: int  # stances that slid more than 1 cm
    peak_ratio: float  # median over the stances off the patch of their largest force ratio
    speed_off_patch: float  # [m/s] mean; NaN where the walk never got there
    unsolved: int  # ticks whose program had no answer
    patch_from: float  # [m]
    faults: str = ""  # of the sensors, found before the first step

    def passes(self) -> bool:
        """Arrived upright with no slip over 1 cm, and with sensors that were found right."""
        return self.arrived and not self.fell and self.slips == 0 and not self.faults

    def to_mapping(self) -> dict[str, Any]:
        """Plain dictionary for JSON; what is not known is None."""
        return {name: None if value != value else value for name, value in asdict(self).items()}

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> HumanoidSummary:
        """Back from :meth:`to_mapping`."""
        values: dict[str, Any] = {name: float("nan") if value is None else value for name, value in mapping.items()}
        return cls(**values)


def summarise_humanoid(walk: HumanoidWalk) -> HumanoidSummary:
    """Summary of a walk that has ended."""
    return summarise_track(walk.track, sum(not tick.solved for tick in walk.ticks))


def summarise_track(walk: HumanoidTrack, unsolved: int) -> HumanoidSummary:
    """Summary of a way that has been walked, whoever walked it with so many ticks without an answer."""
    log, weight = walk.world.log.trim(), walk.humanoid.weight
    slides, peaks = [0.0], []
    for foot in (0, 1):
        for part in loaded_stances(walk, foot):
            place = log.sole_position[part, foot, :2]
            slides.append(float(np.linalg.norm(np.ptp(place, axis=0))))
            loaded = log.normal[part, foot] > LOADED * weight
            off = np.all(log.mu[part, foot] == walk.config.mu)
            if off and loaded.any() and place[0, 0] > UP_TO_SPEED:
                peaks.append(float(log.ratio[part, foot][loaded].max()))
    return HumanoidSummary(
        walk.world.fell,
        bool(log.q[-1, 0] >= walk.config.distance - 0.01),
        float(log.q[-1, 0]),
        float(log.time[-1]),
        max(slides),
        sum(slide > 0.01 for slide in slides),
        float(np.median(peaks)) if peaks else float("nan"),
        speed_off_patch(walk),
        unsolved,
        walk.patch[0],
    )


def loaded_stances(walk: HumanoidTrack, foot: int) -> Iterator[slice]:
    """Ticks of each stance of a foot without landing and lift-off."""
    log = walk.world.log
    for stance in stances(log.time, log.normal[:, foot] - LOADED * walk.humanoid.weight):
        part = steady_part(stance, log.time)
        if part.stop > part.start:
            yield part


def speed_off_patch(walk: HumanoidTrack) -> float:
    """Mean speed [m/s] once walking and away from the patch."""
    log = walk.world.log
    x: Array = log.q[:, 0]
    away = (x[1:] > UP_TO_SPEED) & ((x[1:] < walk.patch[0] - BESIDE) | (x[1:] > walk.patch[1] + BESIDE))
    time = float(np.diff(log.time)[away].sum())
    return float(np.diff(x)[away].sum()) / time if time > 0.5 else float("nan")
