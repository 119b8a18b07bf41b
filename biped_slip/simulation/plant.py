# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
r"""A plant: a robot on its floor, under torques that are held for a control period.

Time is counted in whole control periods, each a whole number of integration steps:
:math:`t = k\,T`, :math:`T = n\,\Delta t`. How a step goes is the affair of each
robot's plant (``planar/plant.py``, ``humanoid/plant.py``); here is what all have.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from biped_slip.compile.arrays import Array
from biped_slip.contact.spill import Spill
from biped_slip.errors import SimulationDiverged
from biped_slip.simulation.divergence import check_force
from biped_slip.simulation.unmodelled import Anatomy, Unmodelled


class SteppedPlant(ABC):
    """Integration step and time of a plant, of any robot."""

    config: Any
    ticks: int  # control periods so far
    weight: float  # of the robot [N]

    @property
    @abstractmethod
    def anatomy(self) -> Anatomy:
        """Return limits of the motors, friction of their gears, number of bodies."""

    @abstractmethod
    def differ(self, found: Unmodelled) -> None:
        """Apply differences between robot and model, before the first period."""

    @abstractmethod
    def advance(self, torques: Array, push: Any) -> None:
        """Advance one control period under joint torques (n,) and a push on the base.

        Raises:
            SimulationDiverged: a coordinate is not finite or absurdly fast, or a foot
                is held by an absurd force; the state stays as it was.
        """

    @abstractmethod
    def spill(self, spill: Spill) -> None:
        """Change the floor from now on; the friction of feet on it begins anew.

        Raises:
            InvalidParameter: the plant's step does not bear this friction, or the floor
                does not reach there.
        """

    @property
    def step(self) -> float:
        """Return the integration step [s]."""
        return 1e-9 * self.config.step_ns

    @property
    def steps(self) -> int:
        """Return the integration steps in a control period."""
        return int(self.config.control_period_ns // self.config.step_ns)

    @property
    def stamp_ns(self) -> int:
        """Return the time since the start, in whole control periods [ns]."""
        return int(self.ticks * self.config.control_period_ns)

    def check_speed(self, fastest: float) -> None:
        """Refuse a state whose fastest coordinate is not finite or absurdly fast.

        Raises:
            SimulationDiverged: it is.
        """
        if not fastest <= self.config.speed_limit:
            raise SimulationDiverged(
                "largest speed", fastest, self.config.speed_limit, 1e-9 * self.stamp_ns
            )

    def check(self, fastest: float, beyond: float) -> None:
        """Refuse what a control period has come to, if it is absurd.

        Args:
            fastest: speed of a coordinate [rad/s or m/s].
            beyond: force of a foot along the floor, see ``force_beyond`` [N].

        Raises:
            SimulationDiverged: it is.
        """
        self.check_speed(fastest)
        check_force(beyond, self.weight, 1e-9 * self.stamp_ns)
