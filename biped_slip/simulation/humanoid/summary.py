# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a humanoid's walk amounts to: fell, arrived, slips under load, the ratio it needed, its speed off the patch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterator, Mapping

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.simulation.humanoid.track import HumanoidTrack
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.simulation.stances import FEET, SLIP_LIMIT, Slip, extent, stances, steady_part
from biped_slip.simulation.summary import OffPatch, Summary

LOADED = 0.2  # body weights; the ratio of a foot with less says little (choice)
UP_TO_SPEED = 1.5  # [m] of the way are left out of the mean speed: the walk starts from standing (choice)
BESIDE = 0.3  # [m] around the patch belong to it: the feet are ahead of and behind the base (choice)


@dataclass(frozen=True)
class HumanoidSummary(Summary):
    """The result of one walk; ``slips`` are the stances in which a sole's middle slid by 1 cm or more."""

    arrived: bool
    peak_ratio: float  # median over the stances off the patch of their largest force ratio
    speed_off_patch: float  # [m/s] mean; NaN where the walk never got there
    unsolved: int  # ticks whose program had no answer
    patch_from: float  # [m]
    faults: str = ""  # of the sensors, found before the first step

    @property
    def refused(self) -> bool:
        """Whether the sensors were found wrong before the first step."""
        return self.faults != ""

    @property
    def off_patch(self) -> OffPatch:
        """How it walked beside the slippery patch."""
        return OffPatch(self.peak_ratio, self.speed_off_patch)

    def passes(self) -> bool:
        """Arrived upright with no slip over 1 cm, and with sensors that were found right."""
        return self.upright_without_slip() and self.arrived and not self.refused

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> HumanoidSummary:
        """What :meth:`to_mapping` gave, also after a detour through JSON."""
        values: dict[str, Any] = {name: float("nan") if value is None else value for name, value in mapping.items()}
        return cls(**{**values, "slips": tuple(Slip(**slip) for slip in values["slips"])})


def summarise_humanoid(walk: HumanoidWalk) -> HumanoidSummary:
    """Summary of a walk that has ended."""
    return summarise_track(walk.track, sum(not tick.solved for tick in walk.ticks))


def summarise_track(walk: HumanoidTrack, unsolved: int) -> HumanoidSummary:
    """Summary of a way that has been walked, whoever walked it with so many ticks without an answer."""
    log, weight = walk.world.log.trim(), walk.humanoid.weight
    slides, peaks = [], []
    for foot in (0, 1):
        for part in loaded_stances(walk, foot):
            place, time = log.sole_position[part, foot, :2], log.time[part]
            slides.append(Slip(FEET[foot], float(time[0]), float(time[-1]), extent(place)))
            loaded = log.normal[part, foot] > LOADED * weight
            off = np.all(log.mu[part, foot] == walk.config.mu)
            if off and loaded.any() and place[0, 0] > UP_TO_SPEED:
                peaks.append(float(log.ratio[part, foot][loaded].max()))
    return HumanoidSummary(
        walk.world.fell,
        float(log.time[-1]),
        float(log.q[-1, 0]),
        max((slide.distance for slide in slides), default=0.0),
        tuple(sorted((s for s in slides if s.distance >= SLIP_LIMIT), key=lambda slide: slide.start)),
        bool(log.q[-1, 0] >= walk.config.distance - 0.01),
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
