# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What differs between a simulated robot and its model, drawn once for a run.

The controller's model knows nothing of it: bodies heavier by a factor, a centre of mass
beside the model's, motors that follow late, joints that rub.
"""

from __future__ import annotations

from typing import NamedTuple

from numpy.random import Generator

from biped_slip.compile.arrays import Array
from biped_slip.robots.sensor_config import UnmodelledConfig


class Unmodelled(NamedTuple):
    """Differences between robot and model drawn for one run, n joints."""

    mass: float  # of all bodies, over those of the model
    # (3,) of the whole robot's centre of mass beside the model's, along the base's axes
    # [m]
    centre: Array
    lag: float  # of the torques behind their commands [s]
    dead_time: float  # before a command begins to act [s]
    coulomb: Array  # (n,) [N m]
    viscous: Array  # (n,) [N m s/rad]


def drawn_unmodelled(
    config: UnmodelledConfig, efforts: Array, speeds: Array, rng: Generator
) -> Unmodelled:
    """Draw how a robot differs from its model.

    Args:
        config: ranges of the differences.
        efforts: largest joint torques (n,) [N m].
        speeds: largest joint rates (n,) [rad/s].
        rng: generator of the draws.
    """
    mass = 1.0 + config.mass * rng.uniform(-1.0, 1.0)
    centre = config.centre * rng.uniform(-1.0, 1.0, 3)
    coulomb = config.coulomb * efforts * rng.uniform(0.5, 1.0, efforts.size)
    viscous = config.viscous * efforts / speeds * rng.uniform(0.5, 1.0, efforts.size)
    return Unmodelled(
        mass=float(mass),
        centre=centre,
        lag=config.motor_lag,
        dead_time=config.dead_time,
        coulomb=coulomb,
        viscous=viscous,
    )
