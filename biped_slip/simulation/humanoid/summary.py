# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a humanoid's walk amounts to: fell, arrived, slips under load, needed ratio.

A slip is the way of a sole's middle within a stance, without landing and lift-off,
where it bears at least a fifth of the weight. Beside the patch of other friction, the
largest force ratio of each stance and the mean speed tell how the robot walks where
nothing is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.constants import FEET
from biped_slip.simulation.humanoid.walk import HumanoidTrack, HumanoidWalk
from biped_slip.simulation.stances import (
    BEARING_LOAD,
    SLIP_LIMIT,
    StanceSlide,
    extent,
    stances,
    steady_part,
)
from biped_slip.simulation.summary import END_LATE, END_REFUSED, OffPatch, Summary

# [m] of the way are left out of the mean speed: the walk starts from standing (choice)
UP_TO_SPEED = 1.5
# [m] around the patch belong to it: the feet are ahead of and behind the base (choice)
BESIDE_PATCH = 0.3


@dataclass(frozen=True)
class HumanoidSummary(Summary):
    """Result of one walk.

    ``slips`` are the stances in which a sole's middle slid by 1 cm or more.

    Attributes:
        fell: the robot lies.
        end_time: when the walk ended [s].
        distance: walked along x [m].
        max_stance_slip: farthest slide of a stance foot [m].
        slips: stances in which the middle of a sole slid by 1 cm or more.
        diverged: the simulation has no answer from some tick on; this is no fall.
        arrived: the course was walked to its end.
        peak_ratio: median of the largest force ratio of each stance off the patch [-].
        speed_off_patch: mean speed off the patch [m/s]; NaN: the walk never got there.
        unsolved: ticks whose program had no answer.
        patch_from: where the patch begins [m].
        faults: of the sensors or of its stance, found before the first step.
    """

    arrived: bool
    peak_ratio: float
    speed_off_patch: float
    unsolved: int
    patch_from: float
    faults: str = ""

    @property
    def refused(self) -> bool:
        """Return whether the sensors were found wrong before the first step."""
        return self.faults != ""

    @property
    def end(self) -> str:
        """Describe in a few words how the walk ended: arrived, fell, out of time."""
        if self.refused and not self.diverged:
            return END_REFUSED
        if self.fell or self.diverged:
            return super().end
        return "arrived" if self.arrived else END_LATE

    @property
    def off_patch(self) -> OffPatch:
        """Return the force ratio [-] and speed [m/s] beside the slippery patch."""
        return OffPatch(self.peak_ratio, self.speed_off_patch)

    def passes(self) -> bool:
        """Return whether it arrived upright with no slip over 1 cm.

        Its sensors must be sound, too.
        """
        return self.upright_without_slip() and self.arrived and not self.refused


def summarise_humanoid(walked: HumanoidWalk | HumanoidTrack) -> HumanoidSummary:
    """Summarise a walk that has ended, of any loop.

    Args:
        walked: the walk, or what a loop over topics has kept of it.

    Returns:
        How it ended, distances and slides [m], force ratios [-].
    """
    walk = walked.world
    log = walk.log.trim()
    weight = walk.humanoid.weight
    slides = []
    peaks = []
    for foot in (0, 1):
        for part in loaded_stances(walk, foot):
            place = log.sole_position[part, foot, :2]
            time = log.time[part]
            slides.append(
                StanceSlide(FEET[foot], float(time[0]), float(time[-1]), extent(place))
            )
            loaded = log.normal[part, foot] > BEARING_LOAD * weight
            off = np.all(log.mu[part, foot] == walk.config.mu)
            if off and loaded.any() and place[0, 0] > UP_TO_SPEED:
                peaks.append(float(log.ratio[part, foot][loaded].max()))
    far = sorted(
        (slide for slide in slides if slide.distance >= SLIP_LIMIT),
        key=lambda slide: slide.start,
    )
    return HumanoidSummary(
        fell=walk.fell,
        end_time=float(log.time[-1]),
        distance=float(log.q[-1, 0]),
        max_stance_slip=max((slide.distance for slide in slides), default=0.0),
        slips=tuple(far),
        arrived=bool(log.q[-1, 0] >= walk.config.distance - 0.01),
        peak_ratio=float(np.median(peaks)) if peaks else float("nan"),
        speed_off_patch=speed_off_patch(walk),
        unsolved=int(np.count_nonzero(~log.solved)),
        patch_from=walk.patch[0],
        diverged=walk.diverged,
    )


def loaded_stances(walk: HumanoidTrack, foot: int) -> Iterator[slice]:
    """Find the ticks of each stance of a foot without landing and lift-off."""
    log = walk.log
    for stance in stances(
        log.time, log.normal[:, foot] - BEARING_LOAD * walk.humanoid.weight
    ):
        part = steady_part(stance, log.time)
        if part.stop > part.start:
            yield part


def speed_off_patch(walk: HumanoidTrack) -> float:
    """Compute the mean speed [m/s] once walking and away from the patch."""
    log = walk.log
    x: Array = log.q[:, 0]
    away = (x[1:] > UP_TO_SPEED) & (
        (x[1:] < walk.patch[0] - BESIDE_PATCH) | (x[1:] > walk.patch[1] + BESIDE_PATCH)
    )
    time = float(np.diff(log.time)[away].sum())
    return float(np.diff(x)[away].sum()) / time if time > 0.5 else float("nan")
