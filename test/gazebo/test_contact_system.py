# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The example's floor holds and lets slide as its law says, driven by a stand-in for Gazebo."""

import importlib.util
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

FILE = Path(__file__).parents[2] / "examples" / "gazebo" / "biped_slip_contact.py"
MASS, SLOPE, STEP = 5.0, 0.3, 1e-3


@pytest.fixture
def module():
    spec = importlib.util.spec_from_file_location("biped_slip_contact", FILE)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


class Vector:
    def __init__(self, x, y, z):
        self._values = (x, y, z)

    def x(self):
        return self._values[0]

    def y(self):
        return self._values[1]

    def z(self):
        return self._values[2]


class Link:
    """A mass that Gazebo would integrate (semi-implicit Euler), pulled along x by a share of gravity."""

    def __init__(self, entity):
        self.position, self.velocity, self.force = np.zeros(3), np.zeros(3), np.zeros(3)

    def enable_velocity_checks(self, ecm):
        pass

    def world_pose(self, ecm):
        return Vector(*self.position)

    def world_linear_velocity(self, ecm):
        return Vector(*self.velocity)

    def add_world_force(self, ecm, force):
        self.force = np.array([force.x(), force.y(), force.z()])

    def step(self):
        gravity = 9.81 * np.array([SLOPE, 0.0, -1.0])
        self.velocity = self.velocity + STEP * (gravity + self.force / MASS)
        self.position = self.position + STEP * self.velocity


class Sdf:
    def __init__(self, mu):
        self._mu = mu

    def has_element(self, name):
        return name == "mu"

    def get_double(self, name):
        return self._mu


def moved(module, monkeypatch, mu, seconds):
    model = SimpleNamespace(canonical_link=lambda ecm: 1)
    monkeypatch.setattr(module, "_gazebo", lambda: {"Vector3d": Vector, "Link": Link, "Model": lambda entity: model})
    system = module.get_system()
    system.configure(1, Sdf(mu), None, None)
    now = SimpleNamespace(paused=False, dt=timedelta(seconds=STEP))
    for _ in range(round(seconds / STEP)):
        system.pre_update(now, None)
        system._link.step()
    return system._link


def test_below_its_friction_the_foot_comes_to_rest(module, monkeypatch):
    link = moved(module, monkeypatch, 0.4, 2.0)
    assert abs(link.velocity[0]) < 1e-3
    assert link.force == pytest.approx([-SLOPE * MASS * 9.81, 0.0, MASS * 9.81], rel=0.01, abs=1e-9)


def test_above_its_friction_it_slides_with_mu(module, monkeypatch):
    link = moved(module, monkeypatch, 0.2, 2.0)
    assert link.velocity[0] > 1.0
    assert -link.force[0] / link.force[2] == pytest.approx(0.2, rel=0.01)


def test_while_paused_nothing_is_pushed(module, monkeypatch):
    link = moved(module, monkeypatch, 0.2, 0.0)
    assert not link.force.any()
