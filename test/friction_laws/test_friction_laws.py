# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What every friction law of the family must do at a contact point."""

import math
import sys
from dataclasses import fields

import numpy as np
import pytest

from biped_slip.constants import GRAVITY
from biped_slip.errors import InvalidParameter
from biped_slip.friction_laws.bristle_laws import (
    REVERSAL_FACTOR,
    VIRGIN,
    BlimanSorineConfig,
    BlimanSorineSecondOrderConfig,
    DahlConfig,
)
from biped_slip.friction_laws.hysteresis_laws import MaxwellSlipConfig
from biped_slip.friction_laws.law import FRESH, DamperLaw
from biped_slip.friction_laws.registry import FRICTION_LAWS

N = 40.0
MU = 0.6
POINTWISE = {
    name: kind for name, kind in FRICTION_LAWS.items() if name != "bruneau"
}  # it needs its foot to let go
SLIDING = {
    name: kind for name, kind in POINTWISE.items() if name != "park_kwon"
}  # which never slides
MEMORYLESS = tuple(
    name for name, kind in SLIDING.items() if issubclass(kind, DamperLaw)
)
STICKING = {name: kind for name, kind in SLIDING.items() if name not in MEMORYLESS}


def slide(law, velocity, distance, dt=1e-4, memory=FRESH, mu=MU, normal=N):
    """Force and memory after sliding a distance at a constant velocity."""
    speed = math.hypot(*velocity)
    for _ in range(max(int(distance / speed / dt), 1)):
        memory, x, y = law.step(memory, *velocity, normal, mu, law.packed, dt)
    return memory, np.array([x, y])


@pytest.mark.parametrize("name", SLIDING)
@pytest.mark.parametrize("speed", [0.02, 0.5])
def test_steady_sliding_follows_the_laws_own_curve_against_any_heading(name, speed):
    law = SLIDING[name]()
    for heading in np.linspace(0.0, 2.0 * math.pi, 7):
        along = np.array([math.cos(heading), math.sin(heading)])
        _, force = slide(law, speed * along, 0.02)  # twenty times s_p
        np.testing.assert_allclose(
            force, law.steady_ratio(speed, MU) * N * along, rtol=5e-4, atol=1e-9 * N
        )


@pytest.mark.parametrize("name", FRICTION_LAWS)
def test_turning_the_motion_turns_the_force(name):
    law = FRICTION_LAWS[name]()
    angle = 0.7
    turn = np.array(
        [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
    )
    rng = np.random.default_rng(3)
    path = np.cumsum(rng.normal(0.0, 0.02, (300, 2)), axis=0)
    one = two = FRESH
    for v in path:
        one, x, y = law.step(one, v[0], v[1], N, MU, law.packed, 1e-4)
        turned = turn @ v
        two, p, q = law.step(two, turned[0], turned[1], N, MU, law.packed, 1e-4)
        np.testing.assert_allclose([p, q], turn @ [x, y], atol=1e-8 * N)


@pytest.mark.parametrize("name", SLIDING)
def test_friction_opposes_a_slide_after_every_reversal(name):
    law = SLIDING[name]()
    memory = FRESH
    for sign in (1.0, -1.0, 1.0, -1.0):
        memory, force = slide(law, (sign * 0.1, 0.0), 0.05, memory=memory)
        assert sign * force[0] > 0.5 * MU * N


def pull(law, ratio, mass=N / GRAVITY, seconds=10.0, dt=1e-4, ramp=1.0):
    """Displacement over time [s, m] of a block on one contact under a load that rises
    within ``ramp`` seconds."""
    memory = FRESH
    x = 0.0
    v = 0.0
    path = []
    for k in range(int(seconds / dt)):
        memory, force, _ = law.step(memory, v, 0.0, N, MU, law.packed, dt)
        load = ratio * MU * N * min(k * dt / ramp, 1.0)
        v += (load - force) / mass * dt
        x += v * dt
        path.append(x)
    return np.array(path)


@pytest.mark.parametrize("name", STICKING)
def test_a_sticking_contact_holds_nine_tenths_of_the_limit_without_drift(name):
    path = pull(STICKING[name](), 0.9, dt=2e-4)
    settled = path[
        int(5.0 / 2e-4)
    ]  # the vibration that the end of the ramp excites has died away
    assert abs(path[-1] - settled) < 1e-7
    assert path[-1] < 2.5e-3


@pytest.mark.parametrize("name", MEMORYLESS)
def test_a_law_without_memory_creeps_as_predicted(name):
    law = SLIDING[name]()
    path = pull(law, 0.9, seconds=3.0)
    measured = (path[-1] - path[-5000]) / 0.4999
    assert law.steady_ratio(measured, MU) == pytest.approx(0.9 * MU, rel=2e-4)
    assert measured > 0.0


@pytest.mark.parametrize("name", FRICTION_LAWS)
def test_contact_work_and_stored_energy_never_create_energy_at_constant_load(name):
    law = FRICTION_LAWS[name]()
    dt = 1e-5
    rng = np.random.default_rng(11)
    knots = rng.normal(0.0, 0.05, (12, 2))
    time = np.arange(0.0, 1.1, dt * 10)
    velocity = np.column_stack(
        [np.interp(time, 0.1 * np.arange(12), knots[:, k]) for k in range(2)]
    )
    memory = FRESH
    work = 0.0
    stored = 0.0
    for v in velocity:
        before = stored
        memory, x, y = law.step(memory, v[0], v[1], N, MU, law.packed, dt)
        stored = law.stored_energy(memory, N, MU, law.packed)
        done = (x * v[0] + y * v[1]) * dt
        work += done
        assert before + done - stored > -2e-3 * MU * N * math.hypot(*v) * dt - 1e-12
    assert work >= stored - 1e-9


@pytest.mark.parametrize("name", STICKING)
def test_a_closed_cycle_of_sliding_dissipates(name):
    law = STICKING[name]()
    memory = FRESH
    work = 0.0
    for k in range(4000):
        v = 0.05 * math.cos(2.0 * math.pi * k / 1000)
        memory, x, _ = law.step(memory, v, 0.0, N, MU, law.packed, 1e-3)
        work += x * v * 1e-3
    travelled = 4 * 4 * 0.05 / (2.0 * math.pi)
    assert 0.5 < work / (MU * N * travelled) < 2.0


@pytest.mark.parametrize("name", STICKING)
def test_halving_the_step_converges_to_the_same_pull(name):
    law = STICKING[name]()
    ends = [pull(law, 0.6, seconds=0.5, dt=dt)[-1] for dt in (2e-4, 1e-4, 5e-5, 2.5e-5)]
    gaps = np.abs(np.diff(ends))
    assert gaps[-1] < 0.02 * abs(ends[-1])
    assert gaps[-1] <= 0.75 * gaps[0] + 1e-9


def test_dahl_from_rest_follows_its_closed_form():
    law = DahlConfig(stiffness=2.0e3, damping_ratio=0.0)
    for distance in (1e-4, 3e-4, 1e-3):
        _, force = slide(law, (0.01, 0.0), distance, dt=distance / 0.01 / 7.0)
        assert force[0] == pytest.approx(
            MU * N * (1.0 - math.exp(-2.0e3 * distance / MU)), rel=1e-9
        )


@pytest.mark.parametrize("exponent", [0.5, 1.0, 1.7])
def test_dahl_at_any_exponent_agrees_with_a_fine_integration_of_the_printed_equation(
    exponent,
):
    law = DahlConfig(exponent=exponent, damping_ratio=0.0)
    force = 0.0
    dt = 1e-6
    for _ in range(20000):
        gap = 1.0 - force / MU
        force += 3.0e3 * abs(gap) ** exponent * math.copysign(1.0, gap) * 0.02 * dt
    _, exact = slide(law, (0.02, 0.0), 20000 * dt * 0.02, dt=20000 * dt / 3.0)
    assert exact[0] == pytest.approx(force * N, rel=1e-3)


def test_bliman_sorine_reaches_95_percent_at_s_p_and_is_dahl_with_exponent_one():
    law = BlimanSorineConfig(s_p=2e-3, damping_ratio=0.0)
    _, force = slide(law, (0.1, 0.0), 2e-3, dt=2e-3 / 0.1 / 4)
    assert force[0] == pytest.approx((1.0 - math.exp(-3.0)) * MU * N, rel=1e-9)
    _, dahl = slide(
        DahlConfig(stiffness=3.0 * MU / 2e-3, damping_ratio=0.0),
        (0.1, 0.0),
        2e-3,
        dt=2e-3 / 0.1 / 4,
    )
    assert dahl[0] == pytest.approx(force[0], rel=1e-12)


def test_on_a_line_the_plane_law_is_the_printed_equation_with_its_damper():
    law = BlimanSorineConfig(s_p=1e-3, damping_ratio=0.1)
    rng = np.random.default_rng(0)
    dt = 1e-6
    memory = FRESH
    u = 0.0
    tau = 0.2 * math.sqrt(1e-3 / (3.0 * MU * GRAVITY))
    for v in np.repeat(rng.normal(0.0, 0.05, 20), 200):
        memory, force, across = law.step(memory, v, 0.0, N, MU, law.packed, dt)
        u += 3.0 / 1e-3 * (MU * v - abs(v) * u) * dt
        damped = u + tau * 3.0 / 1e-3 * (MU * v - abs(v) * u)
        assert force == pytest.approx(N * min(max(damped, -MU), MU), abs=2e-3 * N)
        assert across == 0.0


def test_maxwell_slip_remembers_a_reversal_and_closes_its_loops():
    law = MaxwellSlipConfig(s_p=3e-3, damping_ratio=0.0)
    memory = FRESH
    forces = []
    for way in (1.2e-3, -0.8e-3, 0.5e-3, -0.5e-3):
        memory, force = slide(
            law,
            (math.copysign(0.01, way), 0.0),
            abs(way),
            dt=abs(way) / 0.01 / 10,
            memory=memory,
        )
        forces.append(force[0])
    assert forces[3] == pytest.approx(forces[1], rel=1e-9)  # the inner loop is closed
    _, first = slide(law, (0.01, 0.0), 0.4e-3, dt=0.004)
    # Masing: twice the half-scaled pull curve
    assert forces[0] - forces[1] == pytest.approx(2.0 * first[0], rel=1e-9)


@pytest.mark.parametrize("name", STICKING)
@pytest.mark.parametrize("ratio", [0.3, -0.5])
def test_a_preloaded_contact_starts_with_its_load(name, ratio):
    law = STICKING[name]()
    _, force, _ = law.step(
        law.preloaded(ratio, N, MU), 0.0, 0.0, N, MU, law.packed, 0.0
    )
    assert force == pytest.approx(ratio * N)


def peak_displacement(law):
    """Displacement s_e [m] of the peak (A.2)."""
    eta = law.length_ratio
    f_2 = law.weakening
    return law.length * eta / (1.0 - eta) * math.log((1.0 + f_2) / (eta * f_2))


@pytest.mark.parametrize(("reverse", "peak"), [(False, 1.08740), (True, 1.42481)])
def test_second_order_peaks_as_measured_from_rest_and_at_a_reversal(reverse, peak):
    law = BlimanSorineSecondOrderConfig(
        weakening=1.0, length_ratio=0.2, length=1e-3, damping_ratio=0.0
    )
    # f_1 = 1.5, f_2 = 0.75, so F_c = 0.75
    memory = FRESH
    scale = 0.75
    if reverse:
        memory, _ = slide(law, (-0.1, 0.0), 0.1, mu=scale, normal=1.0)
    forces = []
    for _ in range(300):
        memory, x, _ = law.step(memory, 1e-2, 0.0, 1.0, scale, law.packed, 1e-3)
        forces.append(x)
    assert max(forces) == pytest.approx(peak, rel=1e-4)
    assert (np.argmax(forces) + 1) * 1e-5 == pytest.approx(0.57565e-3, abs=1.1e-5)
    assert scale * law.peak(REVERSAL_FACTOR if reverse else VIRGIN) == pytest.approx(
        peak, rel=1e-5
    )
    assert peak_displacement(law) == pytest.approx(0.57565e-3, rel=1e-4)


@pytest.mark.parametrize("factor", [VIRGIN, REVERSAL_FACTOR])
@pytest.mark.parametrize(
    ("static", "s_e", "s_p"),
    [(1.0, 1.2e-3, 6e-3), (1.25, 0.5e-3, 3e-3), (0.8, 1.5e-3, 8e-3)],
)
def test_second_order_fit_returns_the_levels_and_lengths_it_was_given(
    factor, static, s_e, s_p
):
    law = BlimanSorineSecondOrderConfig.fit(0.75, static, s_e, s_p, factor)
    assert 0.75 * law.peak(factor) == pytest.approx(static, rel=1e-9)
    assert peak_displacement(law) == pytest.approx(s_e, rel=1e-9)
    assert 3.0 * law.length == pytest.approx(s_p)


def test_second_order_fit_without_a_peak_is_refused():
    with pytest.raises(InvalidParameter, match="static"):
        BlimanSorineSecondOrderConfig.fit(1.0, 0.9, 1e-3, 5e-3)


@pytest.mark.compiled
@pytest.mark.parametrize("name", FRICTION_LAWS)
def test_the_compiled_law_is_the_readable_law(name):
    law = FRICTION_LAWS[name]()
    rng = np.random.default_rng(9)
    one = two = FRESH
    for x, y, load, mu in rng.uniform(
        [-0.1, -0.1, 1.0, 0.0], [0.1, 0.1, 50.0, 1.0], (200, 4)
    ):
        one, *force = law.step(one, x, y, load, mu, law.packed, 1e-3)
        two, *expected = law.step.py_func(two, x, y, load, mu, law.packed, 1e-3)
        for kept, wanted in zip(
            (*one[:-1], *force, one.elements),
            (*two[:-1], *expected, two.elements),
            strict=True,
        ):
            np.testing.assert_allclose(kept, wanted, rtol=1e-9, atol=1e-12)


REFUSED = [
    (name, field.name)
    for name, kind in FRICTION_LAWS.items()
    for field in fields(kind)
    if isinstance(field.default, float)
    and max(field.metadata["limits"].low, field.metadata["limits"].above) >= 0.0
]


@pytest.mark.parametrize(("name", "field"), REFUSED)
def test_a_negative_parameter_is_refused_with_its_name(name, field):
    with pytest.raises(InvalidParameter, match=f"{field} is -1"):
        FRICTION_LAWS[name](**{field: -1.0})


@pytest.mark.parametrize(
    "names", [("maxwell_slip", "bliman_sorine"), ("featherstone", "park_kwon")]
)
@pytest.mark.compiled
def test_laws_whose_parameters_are_alike_are_told_apart_without_python(names):
    called = []
    for name in names:
        law = FRICTION_LAWS[name]()
        arguments = (FRESH, 0.02, 0.0, N, MU, law.packed, 1e-4)
        law.step(*arguments)
        sys.setprofile(
            lambda frame, event, arg: (
                event == "call" and called.append(frame.f_code.co_name)
            )
        )
        law.step(*arguments)
        sys.setprofile(None)
    assert "_compile_for_args" not in called
