# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Where feet stood, and what was certified of the floor there."""

from __future__ import annotations

from typing import NamedTuple

from biped_slip.compile.arrays import Array
from biped_slip.view.colours import Known, known
from biped_slip.view.scene import Instant, Scene, loaded


class Footprint(NamedTuple):
    """A stance that is over."""

    foot: int
    pose: Array  # (7,) of the sole when it lifted
    since: float  # [s] when it lifted
    known: Known  # the most that was certified in this stance


class FootprintTrail:
    """Remembers stances; instants must come in order."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._standing: dict[int, Footprint] = {}
        self.prints: list[Footprint] = []

    def add(self, instant: Instant) -> None:
        """One instant later."""
        carries = loaded(self._scene, instant)
        for foot in range(len(instant.soles)):
            before = self._standing.get(foot)
            if carries[foot]:
                now = known(float(instant.numbers.low[foot]), float(instant.numbers.high[foot]))
                most = now if before is None else max(before.known, now)
                self._standing[foot] = Footprint(foot, instant.soles[foot], instant.time, most)
            elif before is not None:
                self.prints.append(before._replace(since=instant.time))
                del self._standing[foot]
