# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What differs between a simulated robot and its model, drawn once for a run.

The controller's model knows nothing of it: bodies heavier by a factor, a centre of mass
beside the model's, motors that follow late, joints that rub, links that err one by one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from biped_slip.compile.arrays import Array
from biped_slip.errors import InvalidParameter
from biped_slip.robots.gears import Gears
from biped_slip.robots.sensor_config import UnmodelledConfig


class Anatomy(NamedTuple):
    """What the sizes of the differences refer to, n joints."""

    efforts: Array  # (n,) largest torques [N m]
    speeds: Array  # (n,) largest rates [rad/s]
    gears: Gears
    bodies: int  # that move, the base among them


class Unmodelled(NamedTuple):
    """Differences between robot and model drawn for one run, n joints, b bodies."""

    mass: float  # of all bodies, over those of the model
    # (3,) of the whole robot's centre of mass beside the model's, along the base's axes
    # [m]
    centre: Array
    lag: float  # of the torques behind their commands [s]
    dead_time: float  # before a command begins to act [s]
    coulomb: Array  # (n,) [N m]
    viscous: Array  # (n,) [N m s/rad]
    load: Array  # (n,) share of the motor's torque that rubs as well
    static: Array  # (n,) peak at rest over the Coulomb friction
    static_rate: Array  # (n,) over which the peak fades [rad/s]
    bristle: Array  # (n,) by which friction bends before it slides [rad]; 0: as planned
    link_mass: Array  # (b,) share by which each body is heavier
    link_centre: Array  # (b, 3) of its centre of mass [m]


def drawn_unmodelled(
    config: UnmodelledConfig, anatomy: Anatomy, rng: Generator
) -> Unmodelled:
    """Draw how a robot differs from its model.

    Args:
        config: ranges of the differences.
        anatomy: of the robot.
        rng: generator of the draws; it spawns one for gears and one for links.
    """
    efforts = anatomy.efforts
    joints = efforts.size
    mass = 1.0 + config.mass * rng.uniform(-1.0, 1.0)
    centre = config.centre * rng.uniform(-1.0, 1.0, 3)
    coulomb = config.coulomb * efforts * rng.uniform(0.5, 1.0, joints)
    viscous = config.viscous * efforts / anatomy.speeds * rng.uniform(0.5, 1.0, joints)
    of_gears, of_links = rng.spawn(2)
    gears = anatomy.gears
    spread = 1.0 + config.gear_spread * of_gears.uniform(-1.0, 1.0, (2, joints))
    return Unmodelled(
        mass=float(mass),
        centre=centre,
        lag=config.motor_lag,
        dead_time=config.dead_time,
        coulomb=coulomb + config.gear_friction * spread[0] * gears.coulomb,
        viscous=viscous + config.gear_friction * spread[1] * gears.viscous,
        load=config.load * of_gears.uniform(0.2, 1.0, joints),
        static=1.0 + (config.static - 1.0) * of_gears.uniform(0.0, 1.0, joints),
        static_rate=config.static_rate * of_gears.uniform(0.2, 1.0, joints),
        bristle=config.bristle * of_gears.uniform(0.1, 1.0, joints),
        link_mass=config.link_mass * of_links.uniform(-1.0, 1.0, anatomy.bodies),
        link_centre=config.link_centre
        * of_links.uniform(-1.0, 1.0, (anatomy.bodies, 3)),
    )


def check_plain_joints(found: Unmodelled, where: str) -> None:
    """Refuse gears and links that a plant does not have.

    Args:
        found: differences.
        where: name of the plant.

    Raises:
        InvalidParameter: there is one.
    """
    sizes = {
        "load": found.load.max(),
        "static": found.static.max() - 1.0,
        "bristle": found.bristle.max(),
        "link_mass": np.abs(found.link_mass).max(),
        "link_centre": np.abs(found.link_centre).max(),
    }
    for name, size in sizes.items():
        if size > 0.0:
            raise InvalidParameter(
                f"unmodelled.{name}",
                float(size),
                f"0 ({where} has joints of Coulomb and viscous friction)",
                "leave it out",
            )


def timing_alone(found: Unmodelled) -> Unmodelled:
    """Leave of all differences when commands act, and none of bodies and joints."""
    none: dict[str, Any] = {
        name: np.zeros_like(value)
        for name, value in found._asdict().items()
        if isinstance(value, np.ndarray)
    }
    ones = np.ones_like(found.static)
    return found._replace(**{**none, "static": ones, "static_rate": ones}, mass=1.0)
