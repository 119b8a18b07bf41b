# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The plant obeys mechanics, converges with its step and says when it diverges."""

import numpy as np
import pytest

from biped_slip.contact.ground import GroundConfig
from biped_slip.errors import InvalidParameter, SimulationDiverged
from biped_slip.robots.planar_biped import planar_biped, standing_coordinates
from biped_slip.simulation.planar.plant import Plant, PlantConfig

FLOOR = GroundConfig(mu=(0.8,), edges=())
FEET = ((0.3, 0.0), (-0.3, 0.0))


def plant(variant="torso", step_ns=50_000, height=0.8, drop=0.0, ground=FLOOR):
    robot = planar_biped(variant)
    made = Plant(robot, ground, PlantConfig(step_ns=step_ns))
    q = standing_coordinates(robot, (0.0, height), FEET)
    q[1] += drop
    made.place(q, np.zeros_like(q))
    return made


def test_in_flight_the_centre_of_mass_falls_freely_and_momentum_along_x_stays():
    import pinocchio as pin

    made = plant(drop=1.0)
    model = planar_biped("torso").model
    data = model.createData()
    start = pin.centerOfMass(model, data, made.state.q).copy()
    for _ in range(200):
        made.advance(np.array([1.0, -2.0, 0.5, 3.0]))
    com = pin.centerOfMass(model, data, made.state.q, made.state.v)
    np.testing.assert_allclose(com - start, [0.0, 0.0, -0.5 * 9.81 * 0.2**2], atol=1e-9)
    assert data.vcom[0][0] == pytest.approx(0.0, abs=1e-9)


def test_in_flight_without_torques_energy_is_kept():
    import pinocchio as pin

    made = plant(drop=1.0, step_ns=10_000)
    model = planar_biped("torso").model
    data = model.createData()
    made.state.v[2:] = 0.5, 1.0, -2.0, 0.3, 1.5
    before = pin.computeMechanicalEnergy(model, data, made.state.q, made.state.v)
    for _ in range(200):
        made.advance(np.zeros(4))
    after = pin.computeMechanicalEnergy(model, data, made.state.q, made.state.v)
    assert after == pytest.approx(before, rel=1e-7)


def test_the_floor_never_adds_energy():
    """Dropped without torques, the mechanical energy after each millisecond is not
    above the one before."""
    import pinocchio as pin

    made, model = plant(drop=0.1, step_ns=10_000), planar_biped("torso").model
    data = model.createData()

    def energy():  # the compressed floor stores 1/2 k d² under each foot
        depth = np.minimum(made.motion(made.state.q, made.state.v)[0][:, 2], 0.0)
        stored = 0.5 * 5e4 * (depth**2).sum()
        return (
            pin.computeMechanicalEnergy(model, data, made.state.q, made.state.v)
            + stored
        )

    energies = []
    for _ in range(300):
        energies.append(energy())
        made.advance(np.zeros(4))
    assert max(np.diff(energies)) < 2e-4
    assert energies[-1] < energies[0] - 0.1


def test_halving_the_step_quarters_the_error():
    def end(step_ns):
        made = plant(step_ns=step_ns)
        for _ in range(60):
            made.advance(np.array([1.0, -12.0, -1.0, -12.0]))
        return made.state.q

    reference = end(3_125)
    errors = [np.abs(end(step) - reference).max() for step in (50_000, 25_000)]
    assert errors[1] < 0.4 * errors[0]


@pytest.mark.parametrize("shift", [3.0, -7.0])
def test_the_world_has_no_special_place(shift):
    def end(offset):
        made = plant()
        made.state.q[0] += offset
        for _ in range(100):
            made.advance(np.array([1.0, -12.0, -1.0, -12.0]))
        q = made.state.q.copy()
        q[0] -= offset
        return q

    np.testing.assert_allclose(end(shift), end(0.0), atol=1e-9)


def test_forces_of_the_floor_are_inside_the_cone_and_push():
    made = plant(drop=0.02, ground=GroundConfig(mu=(0.3,), edges=()))
    for _ in range(300):
        made.advance(np.array([2.0, -10.0, -2.0, -10.0]))
        contact = made.contact()
        assert (contact.normal >= 0.0).all()
        assert (np.abs(contact.force[:, 0]) <= 0.3 * contact.normal + 1e-9).all()


def test_divergence_is_reported_and_the_last_good_state_is_kept():
    made = plant()
    before = made.state.q.copy()
    with pytest.raises(SimulationDiverged, match="speed"):
        made.advance(np.full(4, 1e9))
    np.testing.assert_array_equal(made.state.q, before)
    with pytest.raises(SimulationDiverged):
        made.advance(np.full(4, np.nan))
    assert np.isfinite(made.state.q).all()


def test_the_step_must_divide_the_control_period():
    with pytest.raises(InvalidParameter, match="divisor"):
        PlantConfig(step_ns=30_000)


def test_time_is_counted_in_whole_periods():
    made = plant()
    for _ in range(3):
        made.advance(np.zeros(4))
    assert made.stamp_ns == 3_000_000


def test_numbers_of_any_kind_act_as_what_they_are_in_the_first_period_and_later():
    wanted = np.array([1.0, -2.0, 0.0, 3.0])
    frozen = np.frombuffer(wanted.tobytes())  # as a message's: read-only
    kinds = [
        wanted,
        wanted.astype(int),
        frozen,
        np.repeat(wanted, 2)[::2],
        wanted.tolist(),
    ]
    for first in kinds:
        made = plant()
        other = plant()
        for torques, push in zip(
            (first, *kinds), (0, 50.5, 1, 0.0, 0.25, 7), strict=True
        ):
            made.advance(torques, push)
            other.advance(wanted, float(push))
            np.testing.assert_array_equal(made.state.v, other.state.v)
