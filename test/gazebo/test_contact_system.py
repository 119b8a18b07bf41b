# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The example's floor holds and lets slide as its law says, driven by a stand-in for
Gazebo."""

import importlib.util
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

FILE = Path(__file__).parents[2] / "examples" / "gazebo" / "biped_slip_contact.py"
MASS = 5.0
SLOPE = 0.3
STEP = 1e-3


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
    """A mass that Gazebo would integrate (semi-implicit Euler), pulled along x by a
    share of gravity."""

    def __init__(self, entity):
        self.entity = entity
        self.position = np.zeros(3)
        self.velocity = np.zeros(3)
        self.force = np.zeros(3)

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
    def __init__(self, **said):
        self._said = said

    def has_element(self, name):
        return name in self._said

    def get_string(self, name):
        return str(self._said[name])


def system_of(module, monkeypatch, **said):
    model = SimpleNamespace(
        canonical_link=lambda ecm: 1, link_by_name=lambda ecm, name: name
    )
    monkeypatch.setattr(
        module,
        "_gazebo",
        lambda: {"Vector3d": Vector, "Link": Link, "Model": lambda entity: model},
    )
    system = module.get_system()
    system.configure(1, Sdf(**said), None, None)
    return system


def moved(module, monkeypatch, seconds, place=(0.0,), **said):
    """Its links, from these places along x, after some seconds."""
    system = system_of(module, monkeypatch, **said)
    links = [link for link, _ in system._feet]
    for link, x in zip(links, place, strict=True):
        link.position[0] = x
    now = SimpleNamespace(paused=False, dt=timedelta(seconds=STEP))
    for _ in range(round(seconds / STEP)):
        system.pre_update(now, None)
        for link in links:
            link.step()
    return links


def test_below_its_friction_the_foot_comes_to_rest(module, monkeypatch):
    (link,) = moved(module, monkeypatch, 2.0, floor=0.4)
    assert abs(link.velocity[0]) < 1e-3
    assert link.force == pytest.approx(
        [-SLOPE * MASS * 9.81, 0.0, MASS * 9.81], rel=0.01, abs=1e-9
    )


def test_above_its_friction_it_slides_with_mu(module, monkeypatch):
    (link,) = moved(module, monkeypatch, 2.0, floor=0.2)
    assert link.velocity[0] > 1.0
    assert -link.force[0] / link.force[2] == pytest.approx(0.2, rel=0.01)


def test_every_foot_stands_on_the_floor_of_its_place(module, monkeypatch):
    feet = moved(
        module, monkeypatch, 2.0, (0.0, 3.0), links="l_foot r_foot", floor="0.4 2.0 0.2"
    )
    assert [foot.entity for foot in feet] == ["l_foot", "r_foot"]
    assert abs(feet[0].velocity[0]) < 1e-3
    assert -feet[1].force[0] / feet[1].force[2] == pytest.approx(0.2, rel=0.01)


@pytest.mark.parametrize("floor", ["", "0.4 1.0", "0.4 2.0 0.3 1.0 0.2", "high"])
def test_a_floor_that_is_none_is_refused(module, monkeypatch, floor):
    with pytest.raises(ValueError, match=r"floor|float"):
        system_of(module, monkeypatch, floor=floor)


def test_while_paused_nothing_is_pushed(module, monkeypatch):
    system = system_of(module, monkeypatch)
    system.pre_update(SimpleNamespace(paused=True, dt=timedelta(seconds=STEP)), None)
    assert not system._feet[0][0].force.any()
