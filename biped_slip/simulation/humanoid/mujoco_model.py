# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A humanoid's coordinates in a model of MuJoCo.

Both have the base's place, its turn and the joints; MuJoCo writes quaternions as
(w, x, y, z), has the base's linear velocity in world axes, and may have other bodies.
"""

from __future__ import annotations

from typing import Any, Iterable

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.estimation.invariant_filter import cross

try:
    import mujoco
except ImportError:
    mujoco = None


class MujocoModel:
    """A model of MuJoCo with a humanoid in it.

    Attributes:
        model, data: of MuJoCo.
        joints: numbers of the humanoid's joints (n,).
        qs, vs: addresses of their positions and velocities (n,).
        base: number of the base's body.
        q0, v0: addresses of its first coordinate and velocity.
        held: addresses and positions of joints that the humanoid holds for ever.
        pairs: numbers of the pairs of each foot with the floor.
        notes: what is worth knowing, a sentence each.
    """

    model: Any
    data: Any
    joints: Array
    qs: Array
    vs: Array
    base = 1
    q0 = 0
    v0 = 0
    pairs: list[list[int]]

    def __init__(self) -> None:
        self.held: list[tuple[int, float]] = []
        self.pairs = [[], []]
        self.notes: list[str] = []

    def find_joints(self, names: Iterable[str]) -> None:
        """Find the addresses of the humanoid's joints by their names."""
        model = self.model
        self.joints = np.array([model.joint(name).id for name in names])
        self.qs = model.jnt_qposadr[self.joints]
        self.vs = model.jnt_dofadr[self.joints]

    def place(self, q: Array, v: Array) -> None:
        """Set coordinates and velocities of MuJoCo's model."""
        from pinocchio import Quaternion

        rotation = Quaternion(q[3:7]).matrix()
        data = self.data
        mujoco.mj_resetData(self.model, data)
        data.qpos[self.q0 : self.q0 + 3] = q[:3]
        data.qpos[self.q0 + 3 : self.q0 + 7] = q[[6, 3, 4, 5]]
        data.qpos[self.qs] = q[7:]
        for address, position in self.held:
            data.qpos[address] = position
        data.qvel[self.v0 : self.v0 + 3] = rotation @ v[:3]
        data.qvel[self.v0 + 3 : self.v0 + 6] = v[3:6]
        data.qvel[self.vs] = v[6:]

    def advance(self, torques: Array, steps: int) -> None:
        """Integrate a number of steps under joint torques (n,)."""
        self.data.qfrc_applied[self.vs] = torques
        mujoco.mj_step(self.model, self.data, steps)

    @property
    def q(self) -> Array:
        """Return coordinates (nq,)."""
        qpos = self.data.qpos
        at = self.q0
        turn = qpos[[at + 4, at + 5, at + 6, at + 3]]
        return np.concatenate((qpos[at : at + 3], turn, qpos[self.qs]))

    @property
    def v(self) -> Array:
        """Return velocities (nv,)."""
        return self._turned(self.data.qvel)

    @property
    def acceleration(self) -> Array:
        """Return accelerations (nv,) at the beginning of the last step."""
        found = self._turned(self.data.qacc)
        v = self.v
        found[:3] -= cross(v[3:6], v[:3])
        return found

    def _turned(self, values: Array) -> Array:
        """Return velocities or accelerations with the base's in its own axes (nv,)."""
        at = self.v0
        rotation = np.empty(9)
        mujoco.mju_quat2Mat(rotation, self.data.qpos[self.q0 + 3 : self.q0 + 7])
        linear = rotation.reshape(3, 3).T @ values[at : at + 3]
        return np.concatenate((linear, values[at + 3 : at + 6], values[self.vs]))

    def wrenches(self, soles: Array) -> Array:
        """Add up what the floor does to each foot (2, 6), about its sole [N, N m].

        World axes; other contacts of the robot are none of it.

        Args:
            soles: places of their origins (2, 3) [m].
        """
        found = np.zeros((2, 6))
        data = self.data
        force = np.empty(6)
        for i in range(data.ncon):
            contact = data.contact[i]
            side = self._foot_of(contact)
            if side is None:
                continue
            foot, sign = side
            mujoco.mj_contactForce(self.model, data, i, force)
            frame = contact.frame.reshape(3, 3)
            linear = sign * (frame.T @ force[:3])
            found[foot, :3] += linear
            found[foot, 3:] += cross(contact.pos - soles[foot], linear)
            found[foot, 3:] += sign * (frame.T @ force[3:])
        return found

    def _foot_of(self, contact: Any) -> tuple[int, float] | None:
        """Return the foot of a contact, and 1 if the force is on it, -1 if by it."""
        one, other = int(contact.geom1), int(contact.geom2)
        return self._sides.get((one, other))

    def find_sides(self) -> None:
        """Note which geom of each pair is the foot's."""
        self._sides: dict[tuple[int, int], tuple[int, float]] = {}
        for foot, pairs in enumerate(self.pairs):
            for pair in pairs:
                one = int(self.model.pair_geom1[pair])
                other = int(self.model.pair_geom2[pair])
                of_floor = self.model.body_rootid[self.model.geom_bodyid[one]] == 0
                floor, sole = (one, other) if of_floor else (other, one)
                self._sides[floor, sole] = foot, 1.0
                self._sides[sole, floor] = foot, -1.0
