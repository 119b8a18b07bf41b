# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A Gazebo system: this package's contact law under a point foot, in place of Gazebo's own contact.

The PythonSystemLoader loads this module for a model whose collisions are masked out (``collide_bitmask`` 0). The law is
stepped with Gazebo's step, and each force is held for one step. Untested on Gazebo.
"""

from __future__ import annotations

from typing import Any

from biped_slip.contact.laws import contact_law
from biped_slip.contact.point_law import FREE_POINT


class PointFoot:
    """Force of a flat floor (z = 0) on a point, from its position and velocity in the world."""

    def __init__(self, law: str, mu: float) -> None:
        chosen = contact_law(law)
        self._forces, self._packed, self._mu = chosen.forces, chosen.packed, mu
        self._memory = FREE_POINT

    def force(self, height: float, velocity: tuple[float, float, float], dt: float) -> tuple[float, float, float]:
        """Force of the floor on the point [N], after dt [s] at this velocity [m/s]."""
        vx, vy, vz = velocity
        answer = self._forces(self._memory, -height, -vz, vx, vy, self._mu, self._packed, dt)
        self._memory = answer.memory
        return answer.tangential_x, answer.tangential_y, answer.normal


class ContactSystem:
    """Applies the force at the model's canonical link."""

    def configure(self, entity: int, sdf: Any, ecm: Any, events: Any) -> None:
        """Read <mu> and <law> of the plugin."""
        gz = _gazebo()
        self._vector = gz["Vector3d"]
        self._link = gz["Link"](gz["Model"](entity).canonical_link(ecm))
        self._link.enable_velocity_checks(ecm)
        mu = sdf.get_double("mu") if sdf.has_element("mu") else 0.4
        law = sdf.get_string("law") if sdf.has_element("law") else "hunt_crossley + bliman_sorine"
        self._foot = PointFoot(law, mu)

    def pre_update(self, info: Any, ecm: Any) -> None:
        """Before every step of the physics."""
        pose, velocity = self._link.world_pose(ecm), self._link.world_linear_velocity(ecm)
        if info.paused or pose is None or velocity is None:
            return
        dt = info.dt.total_seconds()
        force = self._foot.force(pose.z(), (velocity.x(), velocity.y(), velocity.z()), dt)
        self._link.add_world_force(ecm, self._vector(*force))


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
    """What the PythonSystemLoader asks for."""
    return ContactSystem()
