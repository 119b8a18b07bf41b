# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A Gazebo system: this package's contact law under point feet.

It takes the place of Gazebo's own contact.

The PythonSystemLoader loads this module for a model whose feet's collisions are masked
out (``collide_bitmask`` 0). The law is stepped with Gazebo's step, and each force is
held for one step.

Elements of the plugin, all optional:
    <links>  names of the feet, whose origins are the points; without them the model's
    first link <floor>  ``MU [X MU ...]``: friction up to a place along x, and from
    there on; the floor is z = 0 <law>    as in a scenario
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from biped_slip.contact.point_contact import FREE_POINT, contact_law

LAW = "hunt_crossley + bliman_sorine"
MU = 0.4


class Floor:
    """Friction by place along x; ``text`` is ``MU [X MU ...]``."""

    def __init__(self, text: str) -> None:
        numbers = [float(word) for word in text.split()]
        self._edges = numbers[1::2]
        self._mus = numbers[0::2]
        if len(self._mus) != len(self._edges) + 1 or self._edges != sorted(self._edges):
            raise ValueError(
                f"<floor> {text!r} must be MU, or MU X MU ... with growing X"
            )

    def mu(self, x: float) -> float:
        """At x [m]."""
        return self._mus[bisect_right(self._edges, x)]


class PointFoot:
    """Force of a flat floor (z = 0) on a point.

    It comes from the point's position and velocity in the world.
    """

    def __init__(self, law: str, floor: Floor) -> None:
        chosen = contact_law(law)
        self._forces = chosen.forces
        self._packed = chosen.packed
        self._floor = floor
        self._memory = FREE_POINT

    def force(
        self, x: float, height: float, velocity: tuple[float, float, float], dt: float
    ) -> tuple[float, float, float]:
        """Force of the floor on the point [N], after dt [s] at this velocity [m/s]."""
        vx, vy, vz = velocity
        answer = self._forces(
            self._memory, -height, -vz, vx, vy, self._floor.mu(x), self._packed, dt
        )
        self._memory = answer.memory
        return answer.tangential_x, answer.tangential_y, answer.normal


class ContactSystem:
    """Applies the forces at the origins of the links."""

    def configure(self, entity: int, sdf: Any, ecm: Any, events: Any) -> None:
        """Read <links>, <floor> and <law> of the plugin."""
        gz = _gazebo()
        self._vector = gz["Vector3d"]
        model = gz["Model"](entity)
        names = _said(sdf, "links", "").split()
        entities = [model.link_by_name(ecm, name) for name in names] or [
            model.canonical_link(ecm)
        ]
        law = _said(sdf, "law", LAW)
        floor = Floor(_said(sdf, "floor", str(MU)))
        self._feet = [(gz["Link"](link), PointFoot(law, floor)) for link in entities]
        for link, _ in self._feet:
            link.enable_velocity_checks(ecm)

    def pre_update(self, info: Any, ecm: Any) -> None:
        """Before every step of the physics."""
        if info.paused:
            return
        dt = info.dt.total_seconds()
        for link, foot in self._feet:
            pose = link.world_pose(ecm)
            velocity = link.world_linear_velocity(ecm)
            if pose is None or velocity is None:  # not computed yet
                continue
            force = foot.force(
                pose.x(), pose.z(), (velocity.x(), velocity.y(), velocity.z()), dt
            )
            link.add_world_force(ecm, self._vector(*force))


def _said(sdf: Any, name: str, default: str) -> str:
    """Text of an element of the plugin."""
    return str(sdf.get_string(name)) if sdf.has_element(name) else default


def _gazebo() -> dict[str, Any]:
    """Gazebo's bindings: Jetty's have no version in their name, Harmonic's have."""
    try:
        from gz.math import Vector3d
        from gz.sim import Link, Model
    except ImportError:
        from gz.math7 import Vector3d
        from gz.sim8 import Link, Model
    return {"Vector3d": Vector3d, "Link": Link, "Model": Model}


def get_system() -> ContactSystem:
    """Return the system that the PythonSystemLoader loads."""
    return ContactSystem()
