# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The result of a simulated humanoid: what its world saw, as files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Iterable

from biped_slip.errors import BipedSlipError
from biped_slip.simulation.humanoid.world import FloatingWorld


class TruthRecord:
    """The log of a humanoid's world; what its controller reports is left to the controller."""

    complete = True

    def __init__(self, world: FloatingWorld) -> None:
        self._world = world

    def add(self, messages: Iterable[bytes]) -> None:
        """Records of a controller of the planar biped have no place here."""

    def write(self, result_file: str, log_file: str) -> None:
        """Fall, time and place of the base at the end, and the log; empty names write nothing."""
        world, log = self._world, self._world.log.trim()
        place = [float(x) for x in world.plant.state.q[:3]]
        result = {"fell": world.fell, "end_time": 1e-9 * world.plant.stamp_ns, "base": place}
        try:
            if result_file:
                Path(result_file).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
            if log_file:
                log.save(log_file)
        except OSError as error:
            raise BipedSlipError(f"the result can't be written ({error})") from error
