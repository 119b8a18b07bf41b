# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What every walk amounts to, of whatever robot: fell, how far, how far a stance foot slid."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from biped_slip.simulation.stances import SLIP_LIMIT, Slip


class OffPatch(NamedTuple):
    """How a robot walked beside the slippery patch; NaN where it is not measured."""

    peak_ratio: float = float("nan")  # median over the stances of their largest force ratio
    speed: float = float("nan")  # [m/s] mean


@dataclass(frozen=True)
class Summary:
    """The result of one walk."""

    fell: bool
    end_time: float  # [s]
    distance: float  # [m] x of the hip or base at the end
    max_stance_slip: float  # [m] of a foot within one stance, without landing and lift-off
    slips: tuple[Slip, ...]

    @property
    def refused(self) -> bool:
        """Whether the sensors were found wrong before the first step."""
        return False

    @property
    def off_patch(self) -> OffPatch:
        """How it walked beside the slippery patch."""
        return OffPatch()

    def upright_without_slip(self, slip_limit: float = SLIP_LIMIT) -> bool:
        """Upright to the end, and no stance foot slid by the limit [m]."""
        return not self.fell and self.max_stance_slip < slip_limit

    def to_mapping(self) -> dict[str, Any]:
        """Plain dictionaries for JSON; what is not known is None."""
        return {name: None if value != value else value for name, value in asdict(self).items()}
