# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a walk amounts to: whether it fell, how far it came, how far a stance slid.

A summary is made once, from the log of a walk that has ended, and goes into tables,
pages and files of campaigns. Robots add what only they have.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Mapping, NamedTuple

from biped_slip.simulation.stances import SLIP_LIMIT, StanceSlide

if TYPE_CHECKING:
    from typing_extensions import Self

# bad ends of a walk; divergence is none of the robot's
END_FELL = "fell"
END_LATE = "ran out of time"
END_REFUSED = "took no step"  # as its self-test found
END_DIVERGED = "diverged"


class OffPatch(NamedTuple):
    """Walk beside the slippery patch; NaN where it is not measured."""

    # median over the stances of their largest force ratio
    peak_ratio: float = float("nan")
    speed: float = float("nan")  # [m/s] mean


@dataclass(frozen=True)
class Summary:
    """Result of one walk."""

    fell: bool
    end_time: float  # [s]
    distance: float  # [m] x of the hip or base at the end
    # [m] of a foot within one stance, without landing and lift-off
    max_stance_slip: float
    slips: tuple[StanceSlide, ...]
    # how the simulation diverged, a sentence; empty: it did not
    diverged: str = field(default="", kw_only=True)

    @property
    def refused(self) -> bool:
        """Return whether the sensors were found wrong before the first step."""
        return False

    @property
    def end(self) -> str:
        """Describe the end of the walk in a few words."""
        if self.diverged:
            return END_DIVERGED
        return END_FELL if self.fell else "still stood"

    def __str__(self) -> str:
        """Describe the walk in a sentence."""
        if self.diverged:
            return f"no verdict on the walk: {self.diverged}."
        count = sum(slip.distance >= SLIP_LIMIT for slip in self.slips)
        limit = f"by {1e3 * SLIP_LIMIT:.0f} mm"
        feet = (
            f"a stance foot slid {count} time{'s' * (count != 1)} {limit} or more"
            if count
            else "no stance foot slid " + limit
        )
        ratio, speed = self.off_patch
        pace = (
            f"; {speed:.2f} m/s and required friction {ratio:.2f} off the patch"
            if speed == speed
            else ""
        )
        words = (
            f"the robot {self.end} after {self.end_time:.1f} s and "
            f"{self.distance:.2f} m; {feet}"
        )
        return (
            f"{words} (most in one stance: {1e3 * self.max_stance_slip:.1f} mm){pace}."
        )

    @property
    def off_patch(self) -> OffPatch:
        """Return the force ratio [-] and speed [m/s] beside the slippery patch."""
        return OffPatch()

    def upright_without_slip(self) -> bool:
        """Return whether it ended upright, and no stance foot slid by 1 cm."""
        upright = not self.fell and not self.diverged
        return upright and self.max_stance_slip < SLIP_LIMIT

    def to_mapping(self) -> dict[str, Any]:
        """Convert the summary to plain dictionaries for JSON.

        Unknown values are None.
        """
        return {
            name: None if value != value else value
            for name, value in asdict(self).items()
        }

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> Self:
        """Build the summary from :meth:`to_mapping`, also after JSON."""
        known: dict[str, Any] = {
            name: float("nan") if value is None else value
            for name, value in mapping.items()
        }
        return cls(
            **{
                **known,
                "slips": tuple(StanceSlide(**slip) for slip in mapping["slips"]),
            }
        )
