# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What happened on the slippery patch of a humanoid's walk."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Mapping

import numpy as np

from biped_slip.control.whole_body.stepping import Phase
from biped_slip.simulation.humanoid.summary import LOADED, loaded_stances
from biped_slip.simulation.humanoid.walk import HumanoidWalk


@dataclass(frozen=True)
class PatchSummary:
    """Of one walk; NaN where the patch was never reached."""

    first_slip: float  # [m] largest of the first stance of each foot on the patch
    later_slip: float  # [m] largest of the stances after them
    speed: float  # [m/s] mean while the base is over the patch
    peak_ratio: float  # largest force ratio of a loaded foot on the patch
    stood: bool  # at its end it stood on both feet and did not walk

    def to_mapping(self) -> dict[str, Any]:
        """Plain dictionary for JSON; what is not known is None."""
        return {name: None if value != value else value for name, value in asdict(self).items()}

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> PatchSummary:
        """Back from :meth:`to_mapping`."""
        values: dict[str, Any] = {name: float("nan") if value is None else value for name, value in mapping.items()}
        return cls(**values)


def summarise_patch(walk: HumanoidWalk) -> PatchSummary:
    """Summary of a walk that has ended."""
    track, log = walk.track, walk.world.log.trim()
    firsts, laters, peaks = [], [], []
    for foot in (0, 1):
        slides = []
        for part in loaded_stances(track, foot):
            if np.all(log.mu[part, foot] == walk.config.mu):
                continue
            slides.append(float(np.linalg.norm(np.ptp(log.sole_position[part, foot, :2], axis=0))))
            loaded = log.normal[part, foot] > LOADED * walk.humanoid.weight
            peaks.append(float(log.ratio[part, foot][loaded].max(initial=0.0)))
        firsts += slides[:1]
        laters += slides[1:]
    over = (log.q[:, 0] > track.patch[0]) & (log.q[:, 0] < track.patch[1])
    time, way = float(np.diff(log.time)[over[1:]].sum()), float(np.diff(log.q[:, 0])[over[1:]].sum())
    nan = float("nan")
    stood = bool(walk.ticks) and walk.ticks[-1].phase == Phase.STAND and not walk.world.fell
    return PatchSummary(
        max(firsts, default=nan),
        max(laters, default=nan),
        way / time if time > 0.0 else nan,
        max(peaks, default=nan),
        stood,
    )
