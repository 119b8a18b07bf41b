# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The energy audit of friction laws: none creates energy at constant load."""

import numpy as np
import pytest

from biped_slip.friction_laws.registry import FRICTION_LAWS
from studies.papers.mechanics import audit

DT = 1e-5
TIME = np.arange(0.0, 0.4, DT)
SLIP = np.column_stack(
    (0.004 * np.cos(60.0 * TIME) * 60.0 * 1e-2, 0.001 * np.sin(35.0 * TIME))
)


@pytest.mark.parametrize("name", FRICTION_LAWS)
def test_at_constant_load_no_law_creates_energy(name):
    found = audit(FRICTION_LAWS[name](), SLIP, np.full(len(TIME), 30.0), 0.6, DT)
    assert found.dissipated > 0.0
    assert found.created <= 1e-6 * found.dissipated + 1e-12


def test_a_ratio_form_law_under_a_varying_load_creates_energy_and_the_audit_says_how_much():
    """The load is high whenever the point springs back: u·F_n then returns more than it
    took."""
    time = np.arange(0.0, 1.0, DT)
    slip = np.column_stack((1e-4 * 40.0 * np.cos(40.0 * time), np.zeros(len(time))))
    load = 30.0 - 25.0 * np.sign(np.cos(40.0 * time) * np.sin(40.0 * time))
    passive = audit(FRICTION_LAWS["stribeck"](), slip, load, 0.6, DT)
    active = audit(
        FRICTION_LAWS["elasto_plastic"](damping_ratio=0.0), slip, load, 0.6, DT
    )
    assert FRICTION_LAWS["elasto_plastic"].ratio_form
    assert active.created > 100.0 * max(passive.created, 1e-9)
