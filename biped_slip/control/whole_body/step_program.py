# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The step program: where and when the next foot lands, from the divergent component of motion in every tick.

Its formulas are in docs/step_program.md ([Khadiv2020], with a ZMP that rolls and a transfer that takes time). For a
given time each axis is a program of two unknowns in a box with one coupling, solved exactly by its dual. The DCM's
offset behind the step is soft: what nothing feasible saves leaves with a wrong speed, not beyond the floor's friction.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel

PLACE, SHIFT, OFFSET, TIME = 1.0, 0.02, 100.0, 20.0  # weights [1/m^2], the last [1/s^2] (choice: the sole first)
HURRY = 1.25  # times what a swing foot follows with ease: what it can (choice)
BEYOND = 1e4  # weight of friction that is exceeded at touchdown [1/m^2]
TIMES, GOLDEN, REFINED = 12, 0.618033988749895, 12  # of the search over time: a grid, then its best interval


class StepProgram(NamedTuple):
    """One step's program, in axes of the stance foot; arrays (2,) [m]."""

    dcm: Array  # now
    convergent: Array  # c - c'/omega, now
    lean: Array  # of the centre of mass from the c that balances over the ZMP, on a slope
    zmp: Array  # of the plan, now
    zmp_end: Array  # at touchdown
    place: Array  # u_0, wanted way from there to the new foot's ZMP
    offset: Array  # r_0, wanted at touchdown
    nearest: Array  # bounds of u
    furthest: Array
    back: Array  # bounds of delta
    front: Array
    reach: float  # mu_low h: of the centre of mass from the ZMP [m]
    way: float  # of the swing foot from its lift to the wanted place, along the stance foot [m]
    swing_speed: float  # mean one of a swing foot [m/s]
    swing_acceleration: float  # its way over the square of its time [m/s^2]
    share: float  # of the swing that is over
    time: float  # T_0 [s]
    soonest: float  # bounds of T [s]
    latest: float
    double_support: float  # T_d [s]
    omega: float  # [1/s]


class StepChoice(NamedTuple):
    """Optimum of the step program."""

    place: Array  # u (2,) [m]
    shift: Array  # delta (2,) [m]
    offset: Array  # r (2,) [m]
    time: float  # T [s]
    cost: float


@kernel
def transfer_shares(double_support: float, omega: float) -> tuple[float, float]:
    """Compute the shares of a transfer in the DCM at touchdown: k of the ZMP's way, E of the offset at its end."""
    a = omega * double_support
    if a < 1e-6:
        return 1.0, 1.0
    decay = math.exp(-a)
    return (1.0 - decay) / a, decay


@kernel
def _at_multiplier(m: float, place: float, near: float, far: float, back: float, front: float, k: float,
                   grown: float) -> tuple[float, float]:  # fmt: skip
    return min(max(place + k * m / PLACE, near), far), min(max(grown * m / SHIFT, back), front)


@kernel
def axis_optimum(gap: float, place: float, near: float, far: float, back: float, front: float, k: float,
                 grown: float) -> tuple[float, float, float]:  # fmt: skip
    """Solve one axis at a given time in closed form: u, delta and the remaining error of the offset.

    ``gap`` is the DCM at touchdown without a shift, less the wanted offset. With the multiplier m of
    ``left = gap - k u - grown delta`` both unknowns are clipped lines in m, and ``left - m / w_r`` falls with it: a
    broken line with four corners, whose root lies between two of them.
    """
    low, at_low, high, at_high = -math.inf, 0.0, math.inf, 0.0
    for corner in ((near - place) * PLACE / k, (far - place) * PLACE / k, back * SHIFT / grown, front * SHIFT / grown):
        u, shift = _at_multiplier(corner, place, near, far, back, front, k, grown)
        value = gap - k * u - grown * shift - corner / OFFSET
        if value >= 0.0 and corner > low:
            low, at_low = corner, value
        elif value < 0.0 and corner < high:
            high, at_high = corner, value
    if low == -math.inf:
        m = high + at_high * OFFSET
    elif high == math.inf:
        m = low + at_low * OFFSET
    else:
        m = low + (high - low) * at_low / (at_low - at_high)
    u, shift = _at_multiplier(m, place, near, far, back, front, k, grown)
    return u, shift, gap - k * u - grown * shift


@kernel
def at_time(program: StepProgram, time: float) -> StepChoice:
    """Solve the program for a given time [s] that is left of the swing."""
    omega = program.omega
    k, _ = transfer_shares(program.double_support, omega)
    tau = math.exp(omega * time)
    place, shift, offset = np.empty(2), np.empty(2), np.empty(2)
    cost, away = TIME * (time - program.time) ** 2, 0.0
    whole = time / (1.0 - program.share)
    most = HURRY * whole * min(program.swing_speed, program.swing_acceleration * whole)
    for i in range(2):
        lift = program.place[i] - (program.way if i == 0 else 0.0)
        near, far = lift - most, lift + most
        near = min(max(near, program.nearest[i]), program.furthest[i])
        far = max(min(far, program.furthest[i]), program.nearest[i])
        drift = (program.zmp_end[i] - program.zmp[i]) / (omega * time)
        free = drift + tau * (program.dcm[i] - program.zmp[i] - drift)
        u, d, left = axis_optimum(free - program.offset[i], program.place[i], near, far, program.back[i],
                                  program.front[i], k, tau - 1.0)  # fmt: skip
        place[i], shift[i], offset[i] = u, d, left + program.offset[i]
        cost += PLACE * (u - program.place[i]) ** 2 + SHIFT * d * d + OFFSET * left * left
        settled = (program.convergent[i] - program.zmp[i] + drift - d) / tau - drift
        away += (0.5 * (free - (tau - 1.0) * d + settled - d) + program.lean[i]) ** 2
    more = max(math.sqrt(away) - program.reach, 0.0)
    return StepChoice(place, shift, offset, time, cost + BEYOND * more * more)


@kernel
def solve_step(program: StepProgram) -> StepChoice:
    """Find the place and the time of the next touchdown: a grid over the time, then golden section."""
    best = at_time(program, min(max(program.time, program.soonest), program.latest))
    width = (program.latest - program.soonest) / TIMES
    if width < 1e-6:
        return best
    for i in range(TIMES + 1):
        one = at_time(program, program.soonest + i * width)
        if one.cost < best.cost:
            best = one
    low, high = max(best.time - width, program.soonest), min(best.time + width, program.latest)
    a, b = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_a, at_b = at_time(program, a), at_time(program, b)
    for _ in range(REFINED):
        if at_a.cost < at_b.cost:
            high, b, at_b = b, a, at_a
            a = high - GOLDEN * (high - low)
            at_a = at_time(program, a)
        else:
            low, a, at_a = a, b, at_b
            b = low + GOLDEN * (high - low)
            at_b = at_time(program, b)
    if at_a.cost < best.cost:
        best = at_a
    return at_b if at_b.cost < best.cost else best


@kernel
def steady_offset(way: float, other: float, rolled: float, single: float, double: float, omega: float) -> float:
    """Compute the DCM [m] from the ZMP at the begin of a single support, in the steady gait of two alternating steps.

    ``way`` [m] is that of the ZMP over the transfer behind it, ``other`` of the transfer behind the next one; in
    between it rolls by ``rolled`` [m]. With ``X = s + e^{omega Ts} (b - s) = k u + E b'`` the mean of both ways repeats
    and their difference alternates.
    """
    k, decay = transfer_shares(double, omega)
    grown = math.exp(omega * single)
    drift = rolled / (omega * single)
    mean, half = 0.5 * (way + other), 0.5 * (way - other)
    return (k * mean + drift * (grown - 1.0)) / (grown - decay) + k * half / (grown + decay)
