# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Step program: where and when the next foot lands, from the DCM in every tick.

Its formulas are in docs/step_program.md ([Khadiv2020], with a ZMP that rolls and a
transfer that takes time). Unknown are the way ``u`` of the ZMP to the next foot, the
shift ``delta`` of the ZMP under the stance foot, the time ``T`` to touchdown, and the
DCM's offset ``r`` from the new ZMP::

    min  w_u |u - u_0|^2 + w_d |delta|^2 + w_T (T - T_0)^2 + w_r |r - r_0|^2
    s.t. r = DCM at touchdown - k u           of the pendulum, from its DCM now
         u, delta, T in their boxes           of legs, sole and swing

For a given time each axis is a program of two unknowns in a box with one coupling,
solved exactly by its dual (:func:`axis_optimum`); over the time it is searched
(:func:`solve_step`). The DCM's offset behind the step is soft: what nothing feasible
saves leaves with a wrong speed, not beyond the friction.

The same program says when a foot may lift (:func:`may_lift`): not before the step
costs less than it would later.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.control.whole_body.balance import (
    USED,
    Support,
    into_support,
    support_of,
)
from biped_slip.control.whole_body.dcm import (
    PendulumState,
    dcm_error,
    steady_offsets,
    transfer_shares,
)
from biped_slip.control.whole_body.footsteps import (
    TRANSFER,
    Foothold,
    Gait,
    SolePoses,
    SteppingState,
    foothold_for,
    lift,
    side_of,
    turned,
    zmp_now,
    zmp_way,
)
from biped_slip.control.whole_body.gait_patterns import (
    Pendulum,
    transfer_offset,
)
from biped_slip.control.whole_body.setup import Setup

PLACE_WEIGHT = 1.0  # weight of the foothold's place [1/m^2] (choice: the sole first)
SHIFT_WEIGHT = 0.02  # weight of the shift of the ZMP [1/m^2] (choice)
OFFSET = 100.0  # weight of the DCM's offset [1/m^2] (choice)
TIME_WEIGHT = 20.0  # weight of the step's time [1/s^2] (choice)
HURRY = 1.25  # times what a swing foot follows with ease: what it can (choice)
EXCESS_FRICTION_WEIGHT = 1e4  # weight of friction that is exceeded at touchdown [1/m^2]
TIMES = 12  # of the grid of times
GOLDEN = 0.618033988749895  # golden section
REFINED = 12  # divisions of the best interval of the grid


class StepProgram(NamedTuple):
    """One step's program, in axes of the stance foot; arrays (2,) [m]."""

    dcm: Array  # now
    convergent: Array  # c - c'/omega, now
    lean: (
        Array  # of the centre of mass from the c that balances over the ZMP, on a slope
    )
    zmp: Array  # of the plan, now
    zmp_end: Array  # at touchdown
    place: Array  # u_0, wanted way from there to the new foot's ZMP
    offset: Array  # r_0, wanted at touchdown
    nearest: Array  # bounds of u
    furthest: Array
    back: Array  # bounds of delta
    front: Array
    reach: float  # mu_low h: of the centre of mass from the ZMP [m]
    # of the swing foot from its lift to the wanted place, along the stance foot [m]
    way: float
    swing_speed: float  # mean one of a swing foot [m/s]
    swing_acceleration: float  # its way over the square of its time [m/s^2]
    share: float  # of the swing that is over
    time: float  # T_0 [s]
    soonest: float  # bounds of T [s]
    latest: float
    double_support: float  # T_d [s]
    omega: float  # [1/s]


class NextStep(NamedTuple):
    """Optimum of the step program."""

    place: Array  # u (2,) [m]
    shift: Array  # delta (2,) [m]
    offset: Array  # r (2,) [m]
    time: float  # T [s]
    cost: float


@kernel
def _at_multiplier(
    m: float,
    place: float,
    near: float,
    far: float,
    back: float,
    front: float,
    k: float,
    grown: float,
) -> tuple[float, float]:
    """Return place and shift that minimise the Lagrangian at a multiplier, clipped."""
    return min(max(place + k * m / PLACE_WEIGHT, near), far), min(
        max(grown * m / SHIFT_WEIGHT, back), front
    )


@kernel
def axis_optimum(
    gap: float,
    place: float,
    near: float,
    far: float,
    back: float,
    front: float,
    k: float,
    grown: float,
) -> tuple[float, float, float]:
    """Solve one axis at a given time in closed form.

    The result is u, delta and the remaining error of the offset.

    ``gap`` is the DCM at touchdown without a shift, less the wanted offset. With the
    multiplier m of ``left = gap - k u - grown delta`` both unknowns are clipped lines
    in m, and ``left - m / w_r`` falls with it: a broken line with four corners, whose
    root lies between two of them.
    """
    low = -math.inf
    at_low = 0.0
    high = math.inf
    at_high = 0.0
    for corner in (
        (near - place) * PLACE_WEIGHT / k,
        (far - place) * PLACE_WEIGHT / k,
        back * SHIFT_WEIGHT / grown,
        front * SHIFT_WEIGHT / grown,
    ):
        u, shift = _at_multiplier(corner, place, near, far, back, front, k, grown)
        value = gap - k * u - grown * shift - corner / OFFSET
        if value >= 0.0 and corner > low:
            low = corner
            at_low = value
        elif value < 0.0 and corner < high:
            high = corner
            at_high = value
    if low == -math.inf:
        m = high + at_high * OFFSET
    elif high == math.inf:
        m = low + at_low * OFFSET
    else:
        m = low + (high - low) * at_low / (at_low - at_high)
    u, shift = _at_multiplier(m, place, near, far, back, front, k, grown)
    return u, shift, gap - k * u - grown * shift


@kernel
def at_time(program: StepProgram, time: float) -> NextStep:
    """Solve the program for a given time [s] that is left of the swing."""
    found = np.empty((3, 2))
    cost = _cost_at(program, time, found)
    return NextStep(
        place=found[0], shift=found[1], offset=found[2], time=time, cost=cost
    )


@kernel
def _cost_at(program: StepProgram, time: float, found: Array) -> float:
    """Solve the program for a given time [s] that is left; return what it costs.

    Filled: ``found`` (3, 2), place, shift and offset [m]. A search asks for dozens of
    costs and for one step: it makes no arrays.
    """
    omega = program.omega
    k, _ = transfer_shares(program.double_support, omega)
    tau = math.exp(omega * time)
    cost = TIME_WEIGHT * (time - program.time) ** 2
    away = 0.0
    for i in range(2):
        near, far = _foothold_bounds(program, i, time)
        drift = (program.zmp_end[i] - program.zmp[i]) / (omega * time)
        free = drift + tau * (program.dcm[i] - program.zmp[i] - drift)
        u, d, left = axis_optimum(
            free - program.offset[i],
            program.place[i],
            near,
            far,
            program.back[i],
            program.front[i],
            k,
            tau - 1.0,
        )
        found[0, i] = u
        found[1, i] = d
        found[2, i] = left + program.offset[i]
        cost += (
            PLACE_WEIGHT * (u - program.place[i]) ** 2
            + SHIFT_WEIGHT * d * d
            + OFFSET * left * left
        )
        # c - p = ((xi - p) + (c - c'/omega - p))/2 at touchdown: what friction bears
        settled = (program.convergent[i] - program.zmp[i] + drift - d) / tau - drift
        away += (0.5 * (free - (tau - 1.0) * d + settled - d) + program.lean[i]) ** 2
    more = max(math.sqrt(away) - program.reach, 0.0)
    return cost + EXCESS_FRICTION_WEIGHT * more * more


@kernel(inline="code")
def _foothold_bounds(
    program: StepProgram, axis: int, time: float
) -> tuple[float, float]:
    """Compute between which ways of the ZMP [m] the swing foot is fast enough."""
    whole = time / (1.0 - program.share)
    most = HURRY * whole * min(program.swing_speed, program.swing_acceleration * whole)
    lift = program.place[axis] - (program.way if axis == 0 else 0.0)
    near = lift - most
    far = lift + most
    near = min(max(near, program.nearest[axis]), program.furthest[axis])
    far = max(min(far, program.furthest[axis]), program.nearest[axis])
    return near, far


@kernel
def solve_step(program: StepProgram) -> NextStep:
    """Find the place and the time of the next touchdown.

    The search is a grid over the time, then golden section.
    """
    found = np.empty((3, 2))
    best = min(max(program.time, program.soonest), program.latest)
    least = _cost_at(program, best, found)
    width = (program.latest - program.soonest) / TIMES
    if width < 1e-6:
        return at_time(program, best)
    for i in range(TIMES + 1):
        time = program.soonest + i * width
        cost = _cost_at(program, time, found)
        if cost < least:
            best = time
            least = cost
    low = max(best - width, program.soonest)
    high = min(best + width, program.latest)
    a = high - GOLDEN * (high - low)
    b = low + GOLDEN * (high - low)
    at_a = _cost_at(program, a, found)
    at_b = _cost_at(program, b, found)
    for _ in range(REFINED):
        if at_a < at_b:
            high = b
            b = a
            at_b = at_a
            a = high - GOLDEN * (high - low)
            at_a = _cost_at(program, a, found)
        else:
            low = a
            a = b
            at_a = at_b
            b = low + GOLDEN * (high - low)
            at_b = _cost_at(program, b, found)
    if at_a < least:
        best = a
        least = at_a
    return at_time(program, b if at_b < least else best)


LATEST_CHANGE = 0.7  # of a swing: later foothold and time stay (choice)
SOONER = 0.6  # of the planned time that is left of a swing: not sooner (choice)
LATER = 1.4  # of the planned time that is left of a swing: not later (choice)
SHORTEST_REST = 0.01  # [s] that is left at least (choice)
# by which a swing is faster or slower than the plan while its time changes (choice)
HASTE = 1.0
ALWAYS = (
    0.9  # likewise of a foot without area: nothing but the foothold corrects (choice)
)
# of half the sole that the ZMP is trusted to use before the foothold moves (choice)
ADJUSTMENT_REACH = 0.7
# [m] outside of the support: holding both feet down can't stop the fall any more
# (choice)
LOST = 0.02
# planned transfers; by then the robot rests over its foot as near as it will get
# (choice)
LONGEST_TRANSFER = 2.0
LIFT_ERROR = 0.05  # [m] of the DCM at which a step that had to wait is begun (choice)


@kernel
def step_program_of(
    steps: SteppingState,
    planned: Foothold,
    feet: SolePoses,
    gait: Gait,
    pendulum: PendulumState,
    limit: float,
    trim: Array,
    setup: Setup,
) -> StepProgram:
    """Build the program of the step under way, in axes of the stance foot.

    Args:
        steps: phase of the feet: a swing.
        planned: foothold, but for ``trim``.
        feet: poses of the soles.
        gait: of the step.
        pendulum: as measured.
        limit: on the force ratio of the stance foot.
        trim: (2,) of the foothold [m].
        setup: of the walk.
    """
    config = setup.config
    stance = feet.holds[1 - steps.swing]
    way = zmp_way(planned, steps.swing, feet, gait, config.stepping)
    zmp = _in_stance(zmp_now(steps), stance)
    away = _in_stance(pendulum.balanced, stance)
    xi = _in_stance(pendulum.lasting, stance)
    lean = turned(pendulum.centre - pendulum.balanced, -stance.yaw)
    sole = _in_stance(np.array([planned.x, planned.y]), stance)
    share = min(max(steps.time / steps.duration, 0.0), 1.0)
    time = max((1.0 - share) * gait.single_support, SHORTEST_REST)
    low, high = _reachable(steps, feet, gait, time, setup)
    reach = USED * max(limit, gait.ratio) * setup.height
    back, front = _zmp_shifts(away + lean - zmp, reach, setup)
    _, after = steady_offsets(way, gait, setup.omega)
    k, decay = transfer_shares(gait.double_support, setup.omega)
    shift = way - sole
    return StepProgram(
        dcm=xi,
        convergent=2.0 * away - xi,
        lean=lean,
        zmp=zmp,
        zmp_end=_in_stance(steps.zmp_to, stance),
        place=way + trim,
        offset=decay * after - k * trim,
        nearest=low + shift,
        furthest=high + shift,
        back=back,
        front=front,
        reach=reach,
        way=2.0 * gait.forward,
        swing_speed=config.pattern.swing_speed,
        swing_acceleration=config.pattern.swing_acceleration,
        share=share,
        time=time,
        soonest=SOONER * time,
        latest=LATER * time,
        double_support=gait.double_support,
        omega=setup.omega,
    )


@kernel
def _in_stance(point: Array, stance: Foothold) -> Array:
    """Transform a point (2,) [m] into the axes of the stance foot."""
    return turned(point - np.array([stance.x, stance.y]), -stance.yaw)


@kernel
def _reachable(
    steps: SteppingState, feet: SolePoses, gait: Gait, time: float, setup: Setup
) -> tuple[Array, Array]:
    """Bound the next sole's place (2,) [m] by legs, and by the swing's speed in a time.

    The leg that is to lift next may lie no further behind the centre of mass than it
    reaches; the other bounds are those of the step, and what the swing foot covers in
    ``time`` [s].
    """
    config = setup.config
    pendulum = Pendulum(
        height=setup.height,
        omega=setup.omega,
        roll=0.0,
        turning=0.0,
        smooth=False,
        lever=0.0,
        free=0.0,
    )
    behind = HURRY * config.pattern.leg_reach * setup.height + 0.5 * gait.roll
    behind += transfer_offset(
        abs(gait.forward), gait.single_support, gait.double_support, pendulum
    )
    length = min(config.steps.length, behind)
    side = side_of(steps.swing)
    inner = side * (gait.width - config.steps.inward)
    outer = side * (gait.width + config.steps.outward)
    low = np.array([-length, min(inner, outer)])
    high = np.array([length, max(inner, outer)])
    hold = feet.holds[steps.swing]
    now = _in_stance(np.array([hold.x, hold.y]), feet.holds[1 - steps.swing])
    way = config.pattern.swing_speed * time
    for i in range(2):
        low[i] = min(max(low[i], now[i] - way), high[i])
        high[i] = max(min(high[i], now[i] + way), low[i])
    return low, high


@kernel
def _zmp_shifts(away: Array, reach: float, setup: Setup) -> tuple[Array, Array]:
    """Bound the shift (2,) [m] of the ZMP under the stance sole, backward and forward.

    It stays in the used part of the sole, and within ``reach`` [m], that of friction,
    of the centre of mass, which is ``away`` (2,) [m] from the planned one. A point has
    none.
    """
    back = np.zeros(2)
    front = np.zeros(2)
    if setup.flat:
        for i in range(2):
            most = ADJUSTMENT_REACH * setup.half_size[i]
            across = away[1 - i]
            held = math.sqrt(max(reach * reach - across * across, 0.0))
            front[i] = max(min(most, away[i] + held), 0.0)
            back[i] = min(max(-most, away[i] - held), 0.0)
    return back, front


@kernel
def place_and_time(
    steps: SteppingState,
    feet: SolePoses,
    gait: Gait,
    pendulum: PendulumState,
    limit: float,
    trim: Array,
    setup: Setup,
    dt: float,
) -> SteppingState:
    """Choose foothold and time of the present swing by the step program.

    Late in the swing they stay.

    A swing that gets shorter or longer goes on from the same share of its path.

    Args:
        steps: phase of the feet: a swing.
        feet: poses of the soles.
        gait: of the step.
        pendulum: as measured.
        limit: on the force ratio of the stance foot.
        trim: (2,) of the foothold of feet that are points [m].
        setup: of the walk.
        dt: tick [s].
    """
    latest = LATEST_CHANGE if setup.flat else ALWAYS
    if steps.time > latest * steps.duration:
        return steps
    stance = feet.holds[1 - steps.swing]
    planned = foothold_for(stance, steps.swing, gait, setup.config.steps)
    program = step_program_of(steps, planned, feet, gait, pendulum, limit, trim, setup)
    chosen = solve_step(program)
    moved = turned(chosen.place - program.place + trim, stance.yaw)
    left = steps.duration - steps.time
    time = min(max(chosen.time, left - HASTE * dt), left + HASTE * dt)
    duration = steps.duration * time / left
    return SteppingState(
        phase=steps.phase,
        time=steps.time * duration / steps.duration,
        duration=duration,
        swing=steps.swing,
        zmp_from=steps.zmp_from,
        zmp_to=steps.zmp_to,
        target=Foothold(planned.x + moved[0], planned.y + moved[1], planned.yaw),
        lift_z=steps.lift_z,
        point=steps.point,
        sliding=steps.sliding,
    )


@kernel
def _waiting(
    pendulum: PendulumState,
    aim: Array,
    error: Array,
    zmp: Array,
    both: Support,
    grown: float,
) -> PendulumState:
    """Predict the pendulum at the planned lift-off.

    The ZMP does what it can against the error until then.

    Args:
        pendulum: now.
        aim: (2,) planned DCM at lift-off [m].
        error: (2,) of the DCM now [m].
        zmp: (2,) mean of the planned one until then [m].
        both: support of both feet.
        grown: by which an error grows meanwhile if nothing is done.
    """
    later = (
        grown * (error + zmp)
        - (grown - 1.0) * into_support(zmp + grown / (grown - 1.0) * error, both)
        - zmp
    )
    move = aim + later - pendulum.lasting
    return PendulumState(
        centre=pendulum.centre + move,
        balanced=pendulum.balanced + move,
        dcm=pendulum.dcm + move,
        lasting=pendulum.lasting + move,
        up=pendulum.up,
    )


@kernel
def _lift_off_dcm(
    lifted: SteppingState, feet: SolePoses, gait: Gait, setup: Setup
) -> Array:
    """Compute the DCM (2,) [m] that the steady gait has where a swing begins."""
    way = zmp_way(lifted.target, lifted.swing, feet, gait, setup.config.stepping)
    this, _ = steady_offsets(way, gait, setup.omega)
    return lifted.zmp_from + turned(this, feet.holds[1 - lifted.swing].yaw)


@kernel
def may_lift(
    steps: SteppingState,
    feet: SolePoses,
    gait: Gait,
    pendulum: PendulumState,
    limits: tuple[float, float],
    trim: Array,
    setup: Setup,
    dt: float,
) -> bool:
    """Return whether the next stance foot is to carry alone in the next tick of dt [s].

    Its time has come, or the step would cost more later; its friction suffices, or
    nothing is left to be saved.

    Args:
        steps: phase of the feet.
        feet: poses of the soles.
        gait: of the step to come.
        pendulum: as measured.
        limits: on the force ratio of each foot.
        trim: (2,) of the foothold of feet that are points [m].
        setup: of the walk.
        dt: tick [s].
    """
    left = steps.duration - (steps.time + dt)
    if steps.phase != TRANSFER or not setup.flat:
        return left <= 0.0
    stance = 1 - steps.swing
    both = support_of((True, True), feet, limits, setup)
    dcm = pendulum.lasting
    outside = into_support(dcm, both) - dcm
    if left <= 0.0 and (
        math.hypot(outside[0], outside[1]) > LOST
        or steps.time > LONGEST_TRANSFER * steps.duration
    ):
        return True
    away = steps.zmp_to - pendulum.centre
    if math.hypot(away[0], away[1]) > USED * limits[stance] * setup.height + LOST:
        return False
    error, zmp = dcm_error(steps, feet, gait, dcm, setup)
    if left <= 0.0:
        return left >= -0.01 or max(abs(error[0]), abs(error[1])) < LIFT_ERROR
    lifted = lift(steps, feet, gait, setup.config.steps, setup.config.stepping)
    aim = _lift_off_dcm(lifted, feet, gait, setup)
    middle = 0.5 * (zmp + steps.zmp_to)
    later = _waiting(pendulum, aim, error, middle, both, math.exp(setup.omega * left))
    planned = lifted.target
    limit = limits[stance]
    now = step_program_of(lifted, planned, feet, gait, pendulum, limit, trim, setup)
    then = step_program_of(lifted, planned, feet, gait, later, limit, trim, setup)
    return solve_step(now).cost < solve_step(then).cost
