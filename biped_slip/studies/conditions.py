# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The study's observation conditions with its seeds, and how a stance set is drawn from one (study 2, 9)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biped_slip.friction.interval.config import SoleModel
from biped_slip.studies.sensing import Observed, Sensors, observe
from biped_slip.studies.stances import StanceKind, Stances, draw

P1 = Sensors("position", 1e-6, 0.0, 0.5, 0.0, 0)
P2 = Sensors("position", 5e-6, 5e-6, 1.0, 1.0, 1)
P3 = Sensors("position", 20e-6, 20e-6, 1.0, 1.0, 1)
P4 = Sensors("position", 100e-6, 50e-6, 2.0, 2.0, 3)
V1 = Sensors("velocity", 1e-4, 0.0, 1.0, 1.0, 1)
V2 = Sensors("velocity", 1e-3, 0.0, 1.0, 1.0, 1)
V3 = Sensors("velocity", 5e-3, 0.0, 2.0, 2.0, 3)
I1 = Sensors("imu", 0.0, 0.0, 1.0, 1.0, 1)
BASE = Sensors("position", 5e-6, 0.0, 1.0, 0.0, 0)  # study 5, sensitivity

KNOWN_SOLE = SoleModel(calibrated=True, compliance_spread=0.0)
KNOWN_SHAPE = SoleModel(calibrated=True)  # with the compliance state
CALIBRATED_SOLE = SoleModel(calibrated=True, shape_scatter=0.2231, compliance_spread=0.0)  # alpha 0.8 to 1.25
UNKNOWN_SOLE = SoleModel(calibrated=False, compliance_spread=0.0)


class Condition(NamedTuple):
    """A named set of stances and how they are observed."""

    name: str
    seed: int
    sensors: Sensors
    kind: StanceKind = StanceKind()
    sole: SoleModel = KNOWN_SOLE

    def realise(self, count: int) -> tuple[Stances, Observed]:
        """Stances and observations of this condition's seed."""
        rng = np.random.default_rng(self.seed)
        stances = draw(rng, count, self.kind)
        return stances, observe(rng, stances, self.sensors, self.kind.planar)


PLANAR = StanceKind(planar=True)
ACCEPTANCE = (
    Condition("P1", 40000, P1),
    Condition("P2", 40001, P2),
    Condition("P3", 40002, P3),
    Condition("P4", 40003, P4),
    Condition("V1", 40004, V1),
    Condition("V2", 40005, V2),
    Condition("V3", 40006, V3),
    Condition("I1", 40007, I1),
    Condition("P2 2-D", 40008, P2, PLANAR),
    Condition("V2 2-D", 40009, V2, PLANAR),
)
