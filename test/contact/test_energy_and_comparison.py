# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The energy audit, the comparison of laws and its command."""

import numpy as np
import pytest

from biped_slip.cli import main
from biped_slip.contact import free_body
from biped_slip.contact.point_contact import check_time_step, contact_law, stiffest
from biped_slip.errors import InvalidParameter
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


@pytest.mark.compiled
def test_holding_half_the_limit_tells_stick_from_creep():
    held, drift, stays = free_body.hold_test("elasto_plastic")
    assert held == pytest.approx(0.5 * 1e-3 / 3.0, rel=0.02)
    assert abs(drift) < 1e-9
    assert abs(stays) < 1e-6
    _, drift, _ = free_body.hold_test("regularised")
    assert FRICTION_LAWS["regularised"]().steady_ratio(drift, 0.5) == pytest.approx(
        0.25, rel=0.01
    )


@pytest.mark.compiled
def test_the_command_compares_and_draws_the_laws_that_are_asked_for(tmp_path, capsys):
    assert (
        main(
            [
                "contact-laws",
                "--normal",
                "hertz",
                "--friction",
                "dahl",
                "--picture",
                str(tmp_path),
            ]
        )
        == 0
    )
    assert "hertz" in capsys.readouterr().out
    assert (tmp_path / "drop.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "pull.png").exists()


def test_the_step_check_names_stiffness_limit_and_remedy():
    law = contact_law("linear + bliman_sorine", {"normal": {"stiffness": 4e4}})
    assert stiffest(law, 10.0, 0.5) == 4e4
    check_time_step(law, 1.0, 10.0, 0.5, 4.9e-3)
    with pytest.raises(
        InvalidParameter,
        match="1 kg on 4e\\+04 N/m; take a smaller step or a softer contact",
    ):
        check_time_step(law, 1.0, 10.0, 0.5, 5.1e-3)
