# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The step program: its optimum beside a general solver's, the pendulum it stands for,
what it never gives up."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear

from biped_slip.control.whole_body.dcm import dcm_before, steady_offset, transfer_shares
from biped_slip.control.whole_body.step_program import (
    EXCESS_FRICTION_WEIGHT,
    OFFSET,
    PLACE_WEIGHT,
    SHIFT_WEIGHT,
    TIME_WEIGHT,
    StepProgram,
    at_time,
    solve_step,
)

OMEGA = 3.5


def drawn(rng):
    """A step of a robot of adult size, disturbed, on any floor."""
    side = rng.choice((-1.0, 1.0))
    time = rng.uniform(0.1, 0.6)
    reach = rng.uniform(0.04, 0.5)
    zmp = np.array([rng.uniform(-0.04, 0.0), 0.0])
    end = np.array([rng.uniform(0.0, 0.04), 0.0])
    dcm = np.array([rng.uniform(-0.1, 0.2), side * rng.uniform(-0.05, 0.1)])
    place = np.array([rng.uniform(0.0, 0.4), 0.16 * side])
    return StepProgram(
        dcm=dcm,
        convergent=dcm - rng.uniform(0.0, 0.3, 2),
        lean=rng.uniform(-0.1, 0.1, 2),
        zmp=zmp,
        zmp_end=end,
        place=place,
        offset=np.array([0.1, -0.03 * side]),
        nearest=np.array([-0.5, min(0.14 * side, 0.3 * side)]),
        furthest=np.array([0.6, max(0.14 * side, 0.3 * side)]),
        back=-rng.uniform(0.0, 0.05, 2),
        front=rng.uniform(0.0, 0.05, 2),
        reach=reach,
        way=2.0 * place[0],
        swing_speed=1.8,
        swing_acceleration=3.4,
        share=rng.uniform(0.0, 0.7),
        time=time,
        soonest=0.6 * time,
        latest=1.4 * time,
        double_support=rng.uniform(0.0, 0.5),
        omega=OMEGA,
    )


def least_cost(program, time):
    """Cost of a general solver at a given time, which knows the program's formulas and
    none of its solution."""
    k, _ = transfer_shares(program.double_support, OMEGA)
    tau = math.exp(OMEGA * time)
    whole = time / (1.0 - program.share)
    most = 1.25 * whole * min(program.swing_speed, program.swing_acceleration * whole)
    total = TIME_WEIGHT * (time - program.time) ** 2
    away = np.zeros(2)
    for i in range(2):
        lift = program.place[i] - (program.way if i == 0 else 0.0)
        near = lift - most
        far = lift + most
        near = np.clip(near, program.nearest[i], program.furthest[i])
        far = np.clip(far, program.nearest[i], program.furthest[i])
        drift = (program.zmp_end[i] - program.zmp[i]) / (OMEGA * time)
        free = drift + tau * (program.dcm[i] - program.zmp[i] - drift)

        rows = np.array(
            [
                [math.sqrt(PLACE_WEIGHT), 0.0],
                [0.0, math.sqrt(SHIFT_WEIGHT)],
                [math.sqrt(OFFSET) * k, math.sqrt(OFFSET) * (tau - 1.0)],
            ]
        )
        aims = np.array(
            [
                math.sqrt(PLACE_WEIGHT) * program.place[i],
                0.0,
                math.sqrt(OFFSET) * (free - program.offset[i]),
            ]
        )
        bounds = [near, program.back[i]], [far + 1e-12, program.front[i] + 1e-12]
        found = lsq_linear(rows, aims, bounds, method="bvls", tol=1e-14)
        total += 2.0 * found.cost
        zeta = (
            -drift + (program.convergent[i] - program.zmp[i] + drift - found.x[1]) / tau
        )
        away[i] = (
            0.5 * (free - (tau - 1.0) * found.x[1] + zeta - found.x[1])
            + program.lean[i]
        )
    return (
        total + EXCESS_FRICTION_WEIGHT * max(np.hypot(*away) - program.reach, 0.0) ** 2
    )


def test_at_any_time_the_optimum_is_that_of_a_general_solver():
    rng = np.random.default_rng(31)
    for _ in range(1000):
        program = drawn(rng)
        time = rng.uniform(program.soonest, program.latest)
        mine = at_time(program, time).cost
        other = least_cost(program, time)
        assert mine == pytest.approx(other, rel=1e-4, abs=1e-7)


def test_no_time_of_a_fine_grid_is_better_than_the_one_that_is_chosen():
    rng = np.random.default_rng(32)
    for _ in range(200):
        program = drawn(rng)._replace(reach=10.0)
        best = min(
            at_time(program, time).cost
            for time in np.linspace(program.soonest, program.latest, 400)
        )
        assert solve_step(program).cost <= best * (1.0 + 1e-3) + 1e-9


def test_what_is_chosen_is_where_the_pendulum_ends():
    rng = np.random.default_rng(33)
    for _ in range(20):
        program = drawn(rng)
        chosen = solve_step(program)
        dcm = program.dcm.copy()
        steps = 4000
        for n in range(steps):
            zmp = (
                program.zmp
                + (n + 0.5) / steps * (program.zmp_end - program.zmp)
                + chosen.shift
            )
            dcm = zmp + (dcm - zmp) * math.exp(OMEGA * chosen.time / steps)
        k, _ = transfer_shares(program.double_support, OMEGA)
        assert dcm - program.zmp_end == pytest.approx(
            k * chosen.place + chosen.offset, abs=1e-4
        )


@given(st.integers(0, 10**6))
@settings(max_examples=200, deadline=None)
def test_place_shift_and_time_keep_to_their_bounds_whatever_the_state(seed):
    program = drawn(np.random.default_rng(seed))
    wild = program._replace(dcm=20.0 * program.dcm)
    for one in (program, wild):
        chosen = solve_step(one)
        assert np.all(chosen.place >= one.nearest - 1e-12)
        assert np.all(chosen.place <= one.furthest + 1e-12)
        assert np.all(chosen.shift >= one.back - 1e-12)
        assert np.all(chosen.shift <= one.front + 1e-12)
        assert one.soonest - 1e-9 <= chosen.time <= one.latest + 1e-9


def test_a_push_is_answered_by_the_sole_then_by_the_place_and_where_feet_would_cross_by_the_time():
    calm = drawn(np.random.default_rng(5))._replace(
        zmp=np.zeros(2),
        zmp_end=np.zeros(2),
        time=0.4,
        soonest=0.24,
        latest=0.56,
        double_support=0.1,
        share=0.0,
        nearest=np.array([-0.5, 0.13]),
        furthest=np.array([0.5, 0.3]),
        back=np.full(2, -0.02),
        front=np.full(2, 0.02),
        reach=0.4,
        way=0.0,
        place=np.array([0.0, 0.16]),
    )
    _, decay = transfer_shares(0.1, OMEGA)
    steady = steady_offset(0.16, -0.16, 0.0, 0.4, 0.1, OMEGA)
    calm = calm._replace(
        offset=np.array([0.0, -decay * steady]),
        dcm=np.array([0.0, steady]),
        convergent=np.array([0.0, steady]),
    )
    rest = solve_step(calm)
    assert rest.place == pytest.approx(calm.place, abs=1e-3)
    assert rest.time == pytest.approx(0.4, abs=1e-3)
    small, inward, outward = (
        solve_step(calm._replace(dcm=calm.dcm + np.array([0.0, y])))
        for y in (0.008, 0.05, -0.08)
    )
    assert abs(small.shift[1]) > 0.005
    assert abs(small.place[1] - 0.16) < 0.005
    assert inward.place[1] > 0.2
    assert outward.place[1] == pytest.approx(0.13, abs=1e-3)
    assert outward.time < 0.39


def test_a_floor_that_holds_little_is_left_before_the_pull_is_too_much():
    calm = drawn(np.random.default_rng(6))._replace(
        dcm=np.array([0.06, 0.0]),
        convergent=np.array([-0.1, 0.0]),
        lean=np.zeros(2),
        zmp=np.zeros(2),
        zmp_end=np.zeros(2),
        back=np.zeros(2),
        front=np.zeros(2),
        time=0.4,
        soonest=0.2,
        latest=0.5,
        share=0.0,
    )
    free = solve_step(calm._replace(reach=1.0))
    held = solve_step(calm._replace(reach=0.06))
    assert held.time < free.time

    def away(chosen):
        tau = math.exp(OMEGA * chosen.time)
        return 0.5 * (0.06 * tau - 0.1 / tau)

    assert away(free) > 0.06
    assert away(held) <= 0.065


@given(
    st.floats(0.0, 0.5), st.floats(0.0, 0.08), st.floats(0.3, 0.9), st.floats(0.05, 1.0)
)
@settings(max_examples=50, deadline=None)
def test_the_steady_offset_repeats_from_step_to_step(length, rolled, single, double):
    way = np.array([length - rolled, 0.16])
    wide = np.array([length - rolled, -0.16])
    begin = np.array(
        [
            steady_offset(way[0], wide[0], rolled, single, double, OMEGA),
            steady_offset(way[1], wide[1], 0.0, single, double, OMEGA),
        ]
    )
    again = np.array(
        [begin[0], steady_offset(wide[1], way[1], 0.0, single, double, OMEGA)]
    )
    toe = np.array([rolled, 0.0])
    middle = dcm_before(toe + way + again, toe, toe + way, double, OMEGA)
    assert dcm_before(middle, np.zeros(2), toe, single, OMEGA) == pytest.approx(
        begin, abs=1e-9
    )
