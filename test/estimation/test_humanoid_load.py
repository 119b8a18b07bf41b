# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A humanoid's load is the force along the normal of its sole, however its force sensor is turned in the foot."""

import numpy as np
import pytest

from biped_slip.estimation.health import humanoid as humanoid_health
from biped_slip.estimation.health.humanoid import HumanoidWatch
from biped_slip.estimation.health.watch import HealthConfig
from biped_slip.estimation.raw_readings import HumanoidReadings, RawReadings
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.robots.humanoid_config import FORCE_SENSORS, SOLES


@pytest.fixture
def watch(monkeypatch):
    """A watch whose kernel only notes what it is given, and which finds nothing."""
    given = []

    def noted(*arguments):
        given.append(arguments)
        return humanoid_health.WELL, 0

    monkeypatch.setattr(humanoid_health, "without_dispatch", lambda *_: noted)
    made = HumanoidWatch(load_humanoid("bolt"), HealthConfig())
    made.given = given
    return made


def turned(watch, foot, force_in_sole):
    """The same force in the frame of the force sensor."""
    model = watch._body._model
    sole, sensor = (model.frames[model.getFrameId(name[foot])].placement.rotation for name in (SOLES, FORCE_SENSORS))
    return sensor.T @ sole @ force_in_sole


@pytest.mark.parametrize("forces", [([11.0, 7.0, 250.0], [0.0, 0.0, 30.0]), ([90.0, -40.0, 5.0], [-3.0, 8.0, 0.5])])
def test_the_load_is_the_force_along_the_normal_of_each_sole(watch, forces):
    wrench = np.zeros((2, 6))
    for foot, force in enumerate(forces):
        wrench[foot, :3] = turned(watch, foot, np.array(force))
    joints = len(watch._joints)
    raw = RawReadings(0, np.zeros(joints), np.zeros(joints), np.zeros(6), np.zeros((2, 6)), wrench)
    assert watch.step(HumanoidReadings(raw), 1e-3) is None
    np.testing.assert_allclose(watch.given[-1][6], [force[2] for force in forces])
