# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Where the soles of any robot are, from its base's pose and its joints by name (Pinocchio, for pictures)."""

from __future__ import annotations

from typing import Mapping, Sequence

import numpy as np
import pinocchio

from biped_slip.compile.arrays import Array
from biped_slip.errors import BipedSlipError, UnknownName


class SolePlaces:
    """Forward kinematics of a URDF whose base floats.

    Args:
        urdf: description as text.
        soles: frames.

    Raises:
        BipedSlipError: no valid URDF.
        UnknownName: a frame that it doesn't have.
    """

    def __init__(self, urdf: str, soles: Sequence[str]) -> None:
        try:
            self._model = pinocchio.buildModelFromXML(urdf, pinocchio.JointModelFreeFlyer())
        except ValueError as error:
            raise BipedSlipError(f"robot_description: not a valid URDF ({' '.join(str(error).split())})") from error
        known = [frame.name for frame in self._model.frames]
        for sole in soles:
            if sole not in known:
                raise UnknownName("frame", sole, known)
        self._data = self._model.createData()
        self._soles = [self._model.getFrameId(sole) for sole in soles]
        self._q = pinocchio.neutral(self._model)
        self._index = {
            name: self._model.joints[number].idx_q
            for number, name in enumerate(self._model.names)
            if number > 1 and self._model.joints[number].nq == 1
        }

    def places(
        self, position: Sequence[float], quaternion: Sequence[float], joints: Mapping[str, float]
    ) -> list[tuple[Array, Array]]:
        """Position (3,) and rotation (3, 3) of each sole; joints that aren't named stay where they were.

        Args:
            position: of the base [m].
            quaternion: of the base, x, y, z, w.
            joints: positions by name; names that the robot lacks are ignored.
        """
        self._q[:3] = position
        length = float(np.linalg.norm(quaternion))
        self._q[3:7] = np.asarray(quaternion) / length if length > 0.0 else (0.0, 0.0, 0.0, 1.0)
        for name, value in joints.items():
            if name in self._index:
                self._q[self._index[name]] = value
        pinocchio.framesForwardKinematics(self._model, self._data, self._q)
        found = (self._data.oMf[sole] for sole in self._soles)
        return [(np.array(one.translation), np.array(one.rotation)) for one in found]
