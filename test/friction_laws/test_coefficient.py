# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""mu is the friction that a law holds and slides with, or the law says what it is."""

from pathlib import Path

import pytest

import biped_slip
from biped_slip.friction_laws.bristle_laws import LuGreConfig
from biped_slip.friction_laws.coefficient import SLIDING_SPEEDS, measured_ratios
from biped_slip.friction_laws.law import FrictionLaw
from biped_slip.friction_laws.registry import FRICTION_LAWS, friction_law

LOAD = 9.81
EXAMPLE = Path(biped_slip.__file__).parents[1] / "examples/own_friction_law.py"
LAWS = {name: name for name in FRICTION_LAWS} | {"a plug-in": f"{EXAMPLE}:SmoothConfig"}


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("mu", [0.05, 0.4, 0.5, 0.8])
def test_a_law_holds_and_slides_with_mu_or_says_what_mu_is(name, mu):
    law = friction_law(LAWS[name])()
    found = measured_ratios(law, mu, LOAD)
    assert found.are_mu == (law.mu_is == FrictionLaw.mu_is), (found, law.mu_is)


def viscous(mu):
    """Bruneau's ratios: lambda_d plus 1 N s/m times the speed over the load."""
    return [1.0 + speed / (mu * LOAD) for speed in SLIDING_SPEEDS]


#: what the laws say of mu: held, and slid with at each speed
STATED = {
    "armstrong": (1.3, lambda mu: [1.0] * 5),
    "bliman_sorine_second_order": (1.45, lambda mu: [1.0] * 5),
    "peasgood": (0.0, lambda mu: [0.0, 0.0336, 1.2, 1.0, 1.0]),
    "regularised": (0.0, lambda mu: [0.0, 0.099, 0.639, 0.960, 0.996]),
    "bruneau": (1.75, viscous),
}


@pytest.mark.parametrize("name", STATED)
@pytest.mark.parametrize("mu", [0.05, 0.5, 0.8])
def test_what_a_law_says_of_mu_is_what_it_does(name, mu):
    found = measured_ratios(FRICTION_LAWS[name](), mu, LOAD)
    held, slid = STATED[name]
    assert found.held == pytest.approx(held, abs=0.01)
    assert found.slid == pytest.approx(slid(mu), abs=0.01)


def test_a_static_peak_and_a_viscous_part_are_found():
    published = LuGreConfig(static_ratio=1.5, viscosity=0.4)
    found = measured_ratios(published, 0.5, LOAD)
    assert not found.are_mu
    assert found.held == pytest.approx(1.5, abs=1e-3)
    wanted = [published.steady_ratio(speed, 0.5) / 0.5 for speed in SLIDING_SPEEDS]
    assert found.slid == pytest.approx(wanted, abs=1e-3)
    assert found.slid[-1] == pytest.approx(1.8, abs=1e-3)
