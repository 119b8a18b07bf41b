# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the benchmark of simulators claims of our own floor and steps."""

import numpy as np
import pytest

from studies.simulators import planar
from studies.simulators.bench import trajectory
from studies.simulators.creep import our_creep
from studies.simulators.peers import Bullet, Dart, Drake


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("law", "share"), [("bliman_sorine", 0.3), ("elasto_plastic", 0.99)]
)
def test_a_floor_holds_half_its_friction_without_creep_and_gives_presliding_back(
    law, share
):
    found = our_creep(f"hunt_crossley + {law}")
    assert found.creep <= 1e-8  # [m/s]
    assert 1e-4 < found.deflection < 4e-4
    assert found.recovered >= share * found.deflection


def test_without_tangential_damping_the_printed_law_creeps():
    """The test above can fail: this is the law as published."""
    from biped_slip.contact.point_contact import ContactLaw, contact_law
    from biped_slip.friction_laws.bristle_laws import BlimanSorineConfig
    from studies.simulators import creep

    damped = contact_law("hunt_crossley + bliman_sorine")
    law = ContactLaw(damped.normal, BlimanSorineConfig(damping_ratio=0.0))
    assert creep.creep_of("as published", law).creep > 1e-6


@pytest.mark.parametrize("scene", list(planar.SCENES))
def test_more_steps_are_closer_to_the_converged_run(scene):
    truth = trajectory(planar.Ours(scene, 80), 250)
    errors = [
        np.abs(trajectory(planar.Ours(scene, n), 250) - truth).max() for n in (2, 10)
    ]
    assert errors[1] < 0.2 * errors[0]
    assert errors[1] < 1e-4


@pytest.mark.parametrize(
    ("module", "peer"), [("pybullet", Bullet), ("dartpy", Dart), ("pydrake", Drake)]
)
def test_the_biped_in_other_simulators_is_the_same_biped(module, peer):
    pytest.importorskip(module)
    falls = [trajectory(make("drop", 10), 150) for make in (peer, planar.Ours)]
    # a floor that yields against one that does not
    np.testing.assert_allclose(*falls, atol=2e-3)
