# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A block pulled with half of what friction holds, then let go.

It shows its creep, and what it gives back.
"""

from __future__ import annotations

from typing import Any, Callable, Iterable, NamedTuple
from xml.etree import ElementTree

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.constants import GRAVITY
from biped_slip.contact.ground import Ground, GroundConfig
from biped_slip.contact.point_contact import (
    FREE_POINT,
    ContactLaw,
    FootForce,
    PointLaw,
    PointMotion,
    contact_law,
    planar_point,
)
from studies.frame import NAN, Row

try:
    import mujoco
except ImportError:
    mujoco = None

# [kg], [-], of mu N
MASS = 3.4
MU = 0.6
SHARE = 0.5
# [s] the pull grows, stays, is gone
RAMP = 1.0
HOLD = 5.0
FREE = 1.0
MEASURED = 4.0  # [s] at the end of the hold
STEP = 1e-4  # [s]
STEADY = 1e-8  # [m/s] that counts as no creep
RELAXED = 1e-3  # [s] MuJoCo's own step


class Creep(NamedTuple):
    """What a contact does under a load that it can hold."""

    name: str
    creep: float  # [m/s] in the last seconds of the hold
    deflection: float  # [m] when the pull has grown
    recovered: float  # [m] after the release


def block_on(
    foot_force: FootForce,
) -> Callable[[Array, Ground, PointLaw, float, float], Array]:
    """Move a block on one point under pulls (n,) [N], by semi-implicit Euler steps.

    The answer is its places along the floor (n,) [m].
    """

    @kernel
    def block(
        pulls: Array, ground: Ground, law: PointLaw, depth: float, dt: float
    ) -> Array:
        x = 0.0
        z = -depth
        vx = 0.0
        vz = 0.0
        memory = FREE_POINT
        places = np.empty(pulls.shape[0])
        for k in range(pulls.shape[0]):
            force, memory = foot_force(
                memory, memory, PointMotion(x, z, vx, vz), ground, law, dt
            )
            vx += dt * (force.x + pulls[k]) / MASS
            vz += dt * (force.z - MASS * GRAVITY) / MASS
            x = x + dt * vx
            z = z + dt * vz
            places[k] = x
        return places

    return block


def pulls(dt: float) -> Array:
    """Grow, stay, be gone (n,) [N]."""
    time = np.arange(round((RAMP + HOLD + FREE) / dt)) * dt
    return (
        np.where(time < RAMP + HOLD, np.minimum(time / RAMP, 1.0), 0.0)
        * SHARE
        * MU
        * MASS
        * GRAVITY
    )


def judged(name: str, places: Array, dt: float) -> Creep:
    """From places over time."""
    end = round((RAMP + HOLD) / dt) - 1
    loaded = round(RAMP / dt)
    creep = abs(float(places[end] - places[end - round(MEASURED / dt)])) / MEASURED
    return Creep(name, creep, float(places[loaded]), float(places[end] - places[-1]))


def our_creep(law: str) -> Creep:
    """Of a law of points by its name."""
    return creep_of(law, contact_law(law))


def creep_of(name: str, pair: ContactLaw) -> Creep:
    """Of a law of points."""
    block = block_on(planar_point(pair))
    ground = GroundConfig(mu=(MU,), edges=()).ground()
    depth = pair.normal.steady_penetration(MASS * GRAVITY)
    return judged(name, block(pulls(STEP), ground, pair.packed, depth, STEP), STEP)


def mujoco_creep(name: str, **options: Any) -> Creep:
    """Of MuJoCo's box with options of its own names."""
    root = ElementTree.fromstring(
        "<mujoco><worldbody><geom name='floor' type='plane' size='9 9 1'/><body "
        "pos='0 0 0.05'><freejoint/>"
        "<geom type='box' size='.05 .05 .05' "
        f"mass='{MASS}'/></body></worldbody></mujoco>"
    )
    for geom in root.iter("geom"):
        geom.set("friction", f"{MU} 0.005 0.0001")
    model: Any = mujoco.MjModel.from_xml_string(
        ElementTree.tostring(root, encoding="unicode")
    )
    for option, value in options.items():
        setattr(model.opt, option, value)
    model.opt.timestep, data, places = RELAXED, mujoco.MjData(model), []
    for pull in pulls(RELAXED):
        data.qfrc_applied[0] = pull
        data.qfrc_applied[4] = -0.05 * pull  # along the floor, as at the contact
        mujoco.mj_step(model, data)
        places.append(float(data.qpos[0]))
    return judged(name, np.array(places), RELAXED)


def all_creeps() -> list[Creep]:
    """Ours, and MuJoCo's where it is installed."""
    rows = [
        our_creep(law)
        for law in ("hunt_crossley + bliman_sorine", "hunt_crossley + elasto_plastic")
    ]
    if mujoco is not None:
        elliptic = {"cone": mujoco.mjtCone.mjCONE_ELLIPTIC}
        rows += [
            mujoco_creep("MuJoCo, elliptic", **elliptic),
            mujoco_creep("MuJoCo, elliptic, impratio 100", impratio=100.0, **elliptic),
            mujoco_creep("MuJoCo, pyramidal, noslip", noslip_iterations=5),
        ]
    return rows


def rows(found: Iterable[Creep]) -> list[Row]:
    """Check the requirements on our own laws; the others are reported."""
    table = []
    for one in found:
        required = 1e6 * STEADY if one.name.startswith("hunt_crossley") else NAN
        table.append(
            Row(
                what=f"creep at 0.5 mu N [um/s]: {one.name}",
                required=required,
                at_most=True,
                study="",
                ours=1e6 * one.creep,
            )
        )
        table.append(
            Row(
                what="... presliding given back [%]",
                required=NAN,
                at_most=True,
                study="",
                ours=100.0 * one.recovered / one.deflection,
            )
        )
    return table
