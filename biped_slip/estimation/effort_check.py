# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
r"""Whether the torques of motors and the IMU are what they pass for, found by walking.

A driver's ``effort`` may be a current, a torque, a command, zero, of the other sign, of
another joint, or late; an IMU may sit askew or leave gravity out. What either should
say is known while one foot carries the robot alone, which base and encoders tell
without any torque (``swing_finder.py``)::

    swinging leg   tau = n_leg                + friction of the gear
    carrying leg   tau = n_leg - J^T X^-T n_base + friction of the gear

The body's part has differences of speeds in it, and their noise is that of the robot's
inertia: hundreds of newton metres of a heavy one. What gears take of a load is taken
of the smooth part, for noise has no sign that its friction could have.

Of both, smooth over some hundredths of a second, the **sums** t.t, t.p and p.p of
torques t and expected ones p over all pairs of joints are kept. They give the squared
misfit of every hypothesis: |t_i - p_i|^2 of a right joint, |t_i + p_i|^2 of one with
the wrong sign, |t_i - p_j|^2 + |t_j - p_i|^2 of two that are exchanged. A fault is
named where its misfit is a small share of that of right joints.

The **age** of torques against encoders is found in what is fast: noise shakes the
motors, and they the joints of the swinging leg. The correlation of torques with the
changes of speed peaks where both are of one instant::

    correlation        __/\__             late torques: the peak lies before 0
              _____/\_/      \____
                      -5    0     lag of the change of speed [ms]

A command leads: its peak lies behind 0 by dead time and lag of the motors. It is found
by that alone; in a simulator whose motors do at once what they shall, it is right.

While the robot still stands, numbers that are none or zero are found, an IMU whose
specific force is not gravity along the soles' normals, and one whose gyroscope turns
soles that rest. Both soles of a robot that tips turn with it and seem at rest to each
other; how fast the gyroscope turns does not depend on its mounting, so fast turns are
left out.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Sequence

import numpy as np

from biped_slip.compile.array_kernels import copy_matrix
from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import OfOneType, kernel
from biped_slip.constants import GRAVITY

SMOOTH = 0.01  # [s] of either of two low passes, before torques are compared (choice)
SLOW_PASS = 0.004  # [s] of those below which motion is not fast (choice)
WITNESS_SPEED = 0.15  # [m/s] of one sole against the other, in a swing (choice)
SILENT_TIME = 0.03  # [s] for which its witnesses may be silent (choice)
LIFTING_TIME = (
    0.06  # [s] of a swing until what is smooth has forgotten the floor (choice)
)
# [s] of samples that are taken together; the last one or two of a swing are dropped,
# for a foot may have landed in them (choice)
BLOCK = 0.08
ENOUGH = 0.15  # [s] of swings of each leg that suffice (choice)
OLDEST = 16  # samples by which torques may be late and the peak is still found
NEWEST = 6  # samples by which they may lead
LAG_COUNT = OLDEST + NEWEST + 1
PEAK_REACH = 3  # samples on either side of the peak that tell its place (choice)
STANDING_TIME = (
    0.1  # [s] after which the numbers of a standing robot are judged (choice)
)

# shares of misfits, below which another hypothesis is the right one: 1.6 and more for
# sound torques of the simulated G1, below 0.4 for 389 of 390 wrong ones
OTHER = 0.4
SOON = 0.1  # the same after the first tenth of a second of a swing (choice)
CHANCE = 1.5  # Coulomb frictions that a misfit must exceed to be one (choice)
ZERO = 1e-4  # share of the expected torque, squared, below which there is none (choice)
GEAR = 3.0  # times what is asked: no error of a torque constant (choice)
MASS_ERROR_SHARE = (
    0.3  # by which all torques together may err: links' masses, constants (choice)
)
ASKED = 0.5  # share of its torque that a joint may leave unexplained (choice)
UNKNOWN_FRICTION = (
    4.0  # Coulomb frictions that it may, however small its torque (choice)
)
# between 1 and the root of 2: soles that roll and ring reach 1.2 (choice)
ADDED_TURN = 1.33
LEAST_TURN = 0.1  # [rad/s] rms from which a gyroscope is judged (choice)
# [rad/s] of the body, from which it may tip with its soles instead of turning over
# them: one that stands and sways stays below a third of it (choice)
TIPPING = 1.0
OLD = 3e-3  # [s] an age that is compensated; unpaired 3 ms err by 9 N
UNSURE = 7e-4  # [s] by which an age may err: 0.4, once 0.9 ms in simulation
# [s] sd from which an age is not known: 0.1 to 1 ms of torques that it was found of, 4
# to 5 ms of slow motors whose short swings show no fast part (simulated T1)
UNKNOWN_AGE = 2e-3
LEADS = 1.2e-3  # [s] by which torques may lead: two in three of a dead time of 2 ms
COARSE = 0.75  # periods by which they may lead: an age errs by half of one at 500 Hz
AGED = 2.5e-3  # [s] of a period, above which what is fast is not sampled (choice)
LEAST_FELT = 0.5  # [m/s^2] below which gravity is left out (choice)
FELT_ERROR = 0.2  # share of gravity by which the specific force may err (choice)
LEANING = math.radians(45.0)  # between it and the soles' normals: half a right angle
NEEDS = "forces by motor currents need measured torques of the joints"


class EffortSample(NamedTuple):
    """What motors say at an instant, and what they should."""

    torque: Array  # (2, k) of the legs' motors, at their joints [N m]
    asked: Array  # (2, k) by the body [N m]
    friction: Array  # (2, k) of the gears without load [N m]
    by_load: Array  # (2, k) share of the load that they take, with its sign [-]
    speed: Array  # (2, k) of the joints [rad/s]
    felt: Array  # (3,) specific force, in the base's axes [m/s^2]
    # (2, 3) turn of the left sole [rad/s]: by gyroscope and joints, by joints alone
    turn: Array
    normals: Array  # (2, 3) of the soles, in the base's axes
    swinging: int  # foot in the air as base and encoders tell it; -1: none
    resting: bool  # whether the soles rest, against each other and under a calm body


class Smooth(NamedTuple):
    """Low passes of both legs, two in a row; overwritten."""

    torque: Array  # (2, 2, k) first, second [N m]
    asked: Array  # (2, 2, k) [N m]
    expected: Array  # (2, 2, k) of what the body asks and the gears take [N m]
    slow_torque: Array  # (2, 2, k) [N m]
    slow_change: Array  # (2, 2, k) of speeds, per sample [rad/s]
    turn: Array  # (2, 2, 3) of the left sole [rad/s]


class Recent(NamedTuple):
    """Last fast parts, newest first; overwritten."""

    torque: Array  # (OLDEST + 1, 2, k) [N m]
    change: Array  # (OLDEST + 1, 2, k) of speeds, per sample [rad/s]
    speed: Array  # (2, k) last [rad/s]


class Blocks(NamedTuple):
    """Sums over the running block, the one before, and all that count; overwritten."""

    torque: Array  # (3, 2 k) t.t
    expected: Array  # (3, 2 k) p.p
    cross: Array  # (3, 2 k, 2 k) t_i p_j
    lagged: Array  # (3, 2 k, LAG_COUNT) of fast parts in swings, from OLDEST on
    fast_torque: Array  # (3, 2 k)
    fast_change: Array  # (3, 2 k)
    samples: Array  # (3, 1)
    swings: Array  # (3, 2) time of either foot's swing [s]


class Swinging(NamedTuple):
    """The swing under way; overwritten."""

    foot: Array  # (1,) int; -1: none
    time: Array  # (1,) since it began [s]
    silent: Array  # (1,) for which its witnesses have been silent [s]
    block: Array  # (1,) time of the running block [s]


class Resting(NamedTuple):
    """Turn of a sole that rests; overwritten."""

    turn: Array  # (2,) squares over time: by gyroscope and joints, by joints [rad^2/s]
    time: Array  # (1,) [s]


class EffortState(NamedTuple):
    """State between two samples; overwritten."""

    smooth: Smooth
    recent: Recent
    blocks: Blocks
    swinging: Swinging
    resting: Resting


def initial_effort(leg: int) -> EffortState:
    """Return the state before the first sample, of legs with so many joints."""
    passed = (2, 2, leg)
    joints = 2 * leg
    return EffortState(
        smooth=Smooth(
            torque=np.zeros(passed),
            asked=np.zeros(passed),
            expected=np.zeros(passed),
            slow_torque=np.zeros(passed),
            slow_change=np.zeros(passed),
            turn=np.zeros((2, 2, 3)),
        ),
        recent=Recent(
            torque=np.zeros((OLDEST + 1, 2, leg)),
            change=np.zeros((OLDEST + 1, 2, leg)),
            speed=np.zeros((2, leg)),
        ),
        blocks=Blocks(
            torque=np.zeros((3, joints)),
            expected=np.zeros((3, joints)),
            cross=np.zeros((3, joints, joints)),
            lagged=np.zeros((3, joints, LAG_COUNT)),
            fast_torque=np.zeros((3, joints)),
            fast_change=np.zeros((3, joints)),
            samples=np.zeros((3, 1)),
            swings=np.zeros((3, 2)),
        ),
        swinging=Swinging(
            foot=np.full(1, -1),
            time=np.zeros(1),
            silent=np.zeros(1),
            block=np.zeros(1),
        ),
        resting=Resting(turn=np.zeros(2), time=np.zeros(1)),
    )


@kernel
def pass_twice(passed: Array, foot: int, i: int, value: float, share: float) -> float:
    """Renew two low passes (2, 2, k) in a row by a value; return the second."""
    passed[0, foot, i] += share * (value - passed[0, foot, i])
    passed[1, foot, i] += share * (passed[0, foot, i] - passed[1, foot, i])
    return float(passed[1, foot, i])


@kernel
def smooth_step(state: EffortState, sample: EffortSample, dt: float) -> None:
    """Renew low passes and fast parts by a sample."""
    smooth = state.smooth
    recent = state.recent
    share = 1.0 - math.exp(-dt / SMOOTH)
    slow = 1.0 - math.exp(-dt / SLOW_PASS)
    for age in range(OLDEST, 0, -1):
        copy_matrix(recent.torque[age - 1], recent.torque[age])
        copy_matrix(recent.change[age - 1], recent.change[age])
    for foot in range(2):
        for i in range(sample.torque.shape[1]):
            torque = sample.torque[foot, i]
            change = sample.speed[foot, i] - recent.speed[foot, i]
            recent.speed[foot, i] = sample.speed[foot, i]
            pass_twice(smooth.torque, foot, i, torque, share)
            asked = sample.asked[foot, i]
            # of what is smooth: that of differences of noisy speeds would be a friction
            # that no gear has, with the sign of the speed
            load = abs(pass_twice(smooth.asked, foot, i, asked, share))
            expected = asked + sample.friction[foot, i] + sample.by_load[foot, i] * load
            pass_twice(smooth.expected, foot, i, expected, share)
            recent.torque[0, foot, i] = torque - pass_twice(
                smooth.slow_torque, foot, i, torque, slow
            )
            recent.change[0, foot, i] = change - pass_twice(
                smooth.slow_change, foot, i, change, slow
            )
        for i in range(3):
            pass_twice(smooth.turn, foot, i, sample.turn[foot, i], share)


@kernel
def follow_swing(swing: Swinging, witnessed: int, dt: float) -> bool:
    """Renew the swing under way; return whether it has ended or another began."""
    if witnessed == swing.foot[0] and witnessed >= 0:
        swing.silent[0] = 0.0
    else:
        swing.silent[0] += dt
    if swing.foot[0] >= 0 and swing.silent[0] <= SILENT_TIME:
        swing.time[0] += dt
        return False
    swing.foot[0] = witnessed
    swing.time[0] = 0.0
    swing.silent[0] = 0.0
    swing.block[0] = 0.0
    return True


@kernel
def add_sample(state: EffortState, dt: float) -> None:
    """Add the smooth and fast parts of now to the running block."""
    blocks = state.blocks
    recent = state.recent
    leg = recent.speed.shape[1]
    flying = state.swinging.foot[0]
    for one in range(2 * leg):
        torque = state.smooth.torque[1, one // leg, one % leg]
        blocks.torque[0, one] += torque**2
        blocks.expected[0, one] += state.smooth.expected[1, one // leg, one % leg] ** 2
        for other in range(2 * leg):
            blocks.cross[0, one, other] += (
                torque * state.smooth.expected[1, other // leg, other % leg]
            )
    for i in range(leg):
        one = leg * flying + i
        blocks.fast_torque[0, one] += recent.torque[0, flying, i] ** 2
        blocks.fast_change[0, one] += recent.change[0, flying, i] ** 2
        for lag in range(LAG_COUNT):
            older = OLDEST - lag  # of the change; below 0: of the torque
            blocks.lagged[0, one, lag] += (
                recent.torque[max(-older, 0), flying, i]
                * recent.change[max(older, 0), flying, i]
            )
    blocks.samples[0, 0] += 1.0
    blocks.swings[0, flying] += dt


@kernel
def shift_block(sums: Array, counts: bool) -> None:
    """Let the block before count (else drop it), and the running one be before."""
    flat = sums.reshape(3, -1)
    for i in range(flat.shape[1]):
        if counts:
            flat[2, i] += flat[1, i]
            flat[1, i] = flat[0, i]
        else:
            flat[1, i] = 0.0
        flat[0, i] = 0.0


@kernel
def shift_blocks(blocks: Blocks, counts: bool) -> None:
    """Shift the blocks of all sums: on, or away at the end of a swing."""
    shift_block(blocks.torque, counts)
    shift_block(blocks.expected, counts)
    shift_block(blocks.cross, counts)
    shift_block(blocks.lagged, counts)
    shift_block(blocks.fast_torque, counts)
    shift_block(blocks.fast_change, counts)
    shift_block(blocks.samples, counts)
    shift_block(blocks.swings, counts)


@kernel
def effort_step(state: EffortState, sample: EffortSample, dt: float) -> None:
    """Update the sums by one sample.

    Args:
        state: is overwritten.
        sample: of motors and body.
        dt: since the sample before [s].
    """
    smooth_step(state, sample, dt)
    swing = state.swinging
    if follow_swing(swing, sample.swinging, dt):
        shift_blocks(state.blocks, False)
    if swing.foot[0] < 0 and sample.resting:
        state.resting.time[0] += dt
        for way in range(2):
            for i in range(3):
                state.resting.turn[way] += state.smooth.turn[1, way, i] ** 2 * dt
    if swing.foot[0] < 0 or swing.time[0] < LIFTING_TIME:
        return
    add_sample(state, dt)
    swing.block[0] += dt
    if swing.block[0] >= BLOCK:
        swing.block[0] = 0.0
        shift_blocks(state.blocks, True)


class EffortSums(NamedTuple):
    """Sums over all swings that count, of n joints in both legs."""

    torque: Array  # (n,) t.t
    expected: Array  # (n,) p.p
    cross: Array  # (n, n) t_i p_j
    samples: float
    lagged: Array  # (n, LAG_COUNT) correlations of fast parts


def counted(blocks: Blocks) -> EffortSums:
    """Return the sums that count."""
    scale = np.sqrt(blocks.fast_torque[2] * blocks.fast_change[2])
    return EffortSums(
        torque=blocks.torque[2],
        expected=blocks.expected[2],
        cross=blocks.cross[2],
        samples=float(blocks.samples[2, 0]),
        lagged=blocks.lagged[2] / np.maximum(scale, 1e-12)[:, None],
    )


class Age(NamedTuple):
    """Age of torques against encoders."""

    value: float  # [s]; below 0: they lead
    sd: float  # [s]


def peak_of(correlation: Array) -> float:
    """Compute the place of a correlation's peak, in samples after its first one."""
    top = int(np.argmax(correlation))
    first = max(top - PEAK_REACH, 0)
    part = correlation[first : top + PEAK_REACH + 1]
    over = part - part.min()
    if not over.sum() > 0.0:
        return float(top)
    return first + float(over @ np.arange(len(part)) / over.sum())


def age_of(lagged: Array, samples: float, period: float) -> Age:
    """Compute the age of torques from the correlations of n joints.

    Its standard deviation is that of leaving out one joint after the other, and the
    way to the furthest instant beside the peak where the correlation is as high but
    for chance: where motion is slow it is high at all of them.

    Args:
        lagged: (n, LAG_COUNT) correlations.
        samples: of both legs' swings together.
        period: between samples [s].
    """
    whole = lagged.sum(axis=0)
    count = len(lagged)
    without = np.array([peak_of(whole - one) for one in lagged])
    spread = math.sqrt((count - 1) * float(np.var(without)))
    # sd of the difference of two such sums, each of a joint by half of the samples
    chance = 2.0 * math.sqrt(count / max(samples, 1.0))
    apart = np.abs(np.arange(LAG_COUNT) - int(np.argmax(whole)))
    rivals = (apart > PEAK_REACH) & (whole > whole.max() - chance)
    furthest = float(np.max(apart, where=rivals, initial=0.0))
    return Age(
        value=(OLDEST - peak_of(whole)) * period,
        sd=math.hypot(spread, furthest) * period,
    )


def misfits(sums: EffortSums) -> Array:
    """Compute the squared misfit (n, n) of the torque of i as that expected of j."""
    return np.asarray(sums.torque[:, None] - 2.0 * sums.cross + sums.expected[None, :])


def silent_faults(sums: EffortSums, names: Sequence[str]) -> tuple[str, ...]:
    """List joints without any torque."""
    silent = sums.torque < ZERO * sums.expected
    if silent.all():
        return (f"the torques of all joints of the legs read zero: {NEEDS}",)
    return tuple(
        f"the torque of {name} reads zero while its motion asks one"
        for name, wrong in zip(names, silent, strict=True)
        if wrong
    )


def own_misfits(sums: EffortSums) -> Array:
    """Compute the squared misfits (2, n) of each torque with its own and other sign."""
    along = 2.0 * np.diag(sums.cross)
    size = sums.torque + sums.expected
    return np.array([size - along, size + along])


def exchanged_pairs(
    sums: EffortSums, chance: Array, other: float
) -> list[tuple[int, int]]:
    """List pairs of joints whose torques fit each other far better than themselves.

    A torque of another joint may look like its own with the opposite sign; then the
    pair has only to fit better than that.

    Args:
        sums: that count.
        chance: squared misfits (n,) that friction alone may have.
        other: share of theirs below which another misfit is the right one.
    """
    apart = misfits(sums)
    same, opposite = own_misfits(sums)
    own = np.minimum(same, opposite)
    turned = (opposite < other * same) & (same > chance)
    share = (apart + apart.T) / np.maximum(own[:, None] + own[None, :], 1e-12)
    np.fill_diagonal(share, math.inf)
    best = np.argmin(share, axis=1)
    beyond_chance = own[:, None] + own[None, :] > chance[:, None] + chance[None, :]
    wrong = turned[:, None] | turned[None, :]
    better = np.where(wrong, share < 1.0, (share < other) & beyond_chance)
    return [
        (i, int(j))
        for i, j in enumerate(best)
        if i < j and best[j] == i and better[i, j]
    ]


def place_faults(
    sums: EffortSums, names: Sequence[str], coulomb: Array, other: float = OTHER
) -> tuple[str, ...]:
    """List joints whose torques are exchanged or have the wrong sign.

    Args:
        sums: that count.
        names: of the joints.
        coulomb: friction of their gears (n,) [N m].
        other: share of a joint's misfit below which another is the right one.
    """
    chance = sums.samples * (CHANCE * coulomb) ** 2
    pairs = exchanged_pairs(sums, chance, other)
    leg = len(names) // 2
    if sum(j == i + leg for i, j in pairs) > leg // 2:
        return ("the torques of the left and the right leg are exchanged",)
    same, opposite = own_misfits(sums)
    wrong = (opposite < other * same) & (same > chance)
    if wrong.all():
        return ("the torques of all joints of the legs have the opposite sign",)
    paired = {joint for pair in pairs for joint in pair}
    return (
        *(f"the torques of {names[i]} and {names[j]} are exchanged" for i, j in pairs),
        *(
            f"the torque of {names[i]} has the opposite sign"
            for i in map(int, np.flatnonzero(wrong))
            if i not in paired
        ),
    )


def size_faults(
    sums: EffortSums, names: Sequence[str], coulomb: Array
) -> tuple[str, ...]:
    """List torques of a wrong size, or that nothing explains.

    Args:
        sums: that count.
        names: of the joints.
        coulomb: friction of their gears (n,) [N m].
    """
    along = np.diag(sums.cross)
    whole = float(along.sum() / sums.expected.sum())
    if not 1.0 / GEAR < whole < GEAR:
        return (
            f"the torques are {whole:.2g} times what the robot's weight and motion "
            "ask: they are of the motors' sides of their gears, or in another unit",
        )
    if abs(whole - 1.0) > MASS_ERROR_SHARE:
        return (
            f"the torques are {whole:.2f} times what the robot's weight asks of them: "
            "check the masses of its model and the motors' torque constants",
        )
    apart = np.diag(misfits(sums))
    known = ASKED**2 * sums.expected + sums.samples * (UNKNOWN_FRICTION * coulomb) ** 2
    ratio = along / np.maximum(sums.expected, 1e-12)
    return tuple(
        f"the torque of {names[i]} is {ratio[i]:.2g} times what its motion asks, and "
        f"differs from it by {math.sqrt(apart[i] / sums.samples):.1f} N m"
        for i in map(int, np.flatnonzero(apart > known))
    )


def turn_faults(left: float, whole: float) -> tuple[str, ...]:
    """List a gyroscope that does not turn as legs that rest on the floor let it.

    Turned by a right angle a gyroscope adds to the turn that it should take away, as
    much again by its squares; a sole that rolls as it lands, without the base, turns
    alike either way.

    Args:
        left: rms turn of a sole by gyroscope and joints [rad/s].
        whole: by joints alone [rad/s].
    """
    if whole < LEAST_TURN or left < ADDED_TURN * whole:
        return ()
    return (
        f"the gyroscope and the joints turn a sole that rests by {left:.2f} rad/s, the "
        f"joints alone by {whole:.2f} rad/s: the IMU is turned against what the "
        "robot's model says of it, or has the opposite sign",
    )


def age_faults(age: Age, period: float) -> tuple[str, ...]:
    """List torques that are too old, or not measured.

    Args:
        age: of the torques; one that is not known is no fault.
        period: between samples [s]; where it is long, no age is known.
    """
    if period > AGED or age.sd > UNKNOWN_AGE:
        return ()
    if age.value > OLD + UNSURE:
        return (
            f"the torques are {1e3 * age.value:.1f} ms older than the encoders; up to "
            f"{1e3 * OLD:g} ms are compensated: send both from one cycle of the bus",
        )
    if age.value < -max(LEADS, COARSE * period):
        return (
            f"the torques lead the motion by {-1e3 * age.value:.1f} ms: they are "
            f"commanded, and {NEEDS}",
        )
    return ()


def standing_faults(felt: Array, normal: Array, largest: float) -> tuple[str, ...]:
    """List what is wrong while the robot stands.

    Args:
        felt: mean specific force, in the base's axes (3,) [m/s^2].
        normal: of both soles together (3,), likewise.
        largest: torque of the legs [N m].
    """
    found = []
    if largest == 0.0:
        found.append(f"the torques of all joints of the legs read zero: {NEEDS}")
    size = float(np.linalg.norm(felt))
    if size < LEAST_FELT:
        found.append(
            f"the IMU feels {size:.2f} m/s^2 while the robot stands: its specific "
            "force must hold gravity, 9.81 m/s^2 up"
        )
    elif abs(size - 1.0) < FELT_ERROR:
        found.append(
            f"the IMU feels {size:.2f} while the robot stands: its specific force is "
            "in g and must be in m/s^2"
        )
    elif abs(size - GRAVITY) > FELT_ERROR * GRAVITY:
        found.append(
            f"the IMU feels {size:.2f} m/s^2 while the robot stands, and gravity is "
            "9.81 m/s^2"
        )
    lean = math.acos(
        float(np.clip(felt @ normal / max(size * np.linalg.norm(normal), 1e-12), -1, 1))
    )
    if size >= LEAST_FELT and lean > LEANING:
        found.append(
            f"the IMU feels gravity {math.degrees(lean):.0f} degrees from the normals "
            "of the soles: it is turned against what the robot's model says of it"
        )
    return tuple(found)


class EffortCheck:
    """Check of torques and IMU, from standing to the first swing of each leg.

    Args:
        names: of the joints of both legs (2 k,), the left one's first.
        coulomb: friction of their gears (2, k) [N m].
        period: between samples [s].

    Attributes:
        faults: one sentence each.
        judged: whether torques have been compared with swings of both legs.
        age: of the torques against the encoders, once they have.
    """

    def __init__(self, names: Sequence[str], coulomb: Array, period: float) -> None:
        self._names = tuple(names)
        self._coulomb = coulomb
        self._period = period
        self._step = OfOneType(effort_step)
        self.reset()

    def reset(self) -> None:
        """Reset to the state before the first sample."""
        self._state = initial_effort(self._coulomb.shape[1])
        self.faults: tuple[str, ...] = ()
        self.judged = False
        self.age: Age | None = None
        self._felt = np.zeros(3)
        self._normal = np.zeros(3)
        self._largest = 0.0
        self._time = 0.0
        self._missing = 0.0
        self._stood = False

    @property
    def swinging(self) -> int:
        """Return the foot whose swing is under way, or -1."""
        return int(self._state.swinging.foot[0])

    @property
    def sums(self) -> EffortSums:
        """Return what has been summed up so far."""
        return counted(self._state.blocks)

    def step(self, sample: EffortSample, dt: float) -> None:
        """Look at one sample, dt [s] after the one before, until all is judged."""
        if self.judged or self.faults or not dt > 0.0:
            return
        if not self._stood:
            self._stand(sample, dt)
            if self.faults:
                return
        self._step(self._state, sample, dt)
        rest = self._state.resting
        if rest.time[0] >= STANDING_TIME:
            self.faults = turn_faults(*np.sqrt(rest.turn / rest.time[0]))
        if self.faults:
            return
        swings = self._state.blocks.swings[2]
        if swings.min() >= ENOUGH:
            self._judge()
        elif swings.max() > 0.0 and self._state.swinging.block[0] == 0.0:
            # who walks on wrong torques may fall in this very step
            self.faults = place_faults(
                self.sums, self._names, self._coulomb.ravel(), SOON
            )

    def there(self, torque: Array, dt: float) -> bool:
        """Return whether torques (2, k) are numbers; for long they must be."""
        if bool(np.isfinite(torque).all()):
            self._missing = 0.0
            return True
        self._missing += dt
        if self._missing >= STANDING_TIME:
            self.faults = (f"the torques of the legs' joints are not there: {NEEDS}",)
        return False

    def _stand(self, sample: EffortSample, dt: float) -> None:
        """Look at a sample of the standing robot; judge them when they suffice."""
        self._time += dt
        self._felt += sample.felt * dt
        self._normal += sample.normals.sum(axis=0) * dt
        self._largest = max(self._largest, float(np.abs(sample.torque).max()))
        if self._time >= STANDING_TIME:
            self._stood = True
            self.faults = standing_faults(
                self._felt / self._time, self._normal, self._largest
            )

    def _judge(self) -> None:
        """Compare torques with what the swings of both legs asked."""
        sums = self.sums
        coulomb = self._coulomb.ravel()
        self.judged = True
        self.age = age_of(sums.lagged, sums.samples, self._period)
        # longer than the period where samples are lost: what is fast is missed then
        spacing = float(self._state.blocks.swings[2].sum()) / sums.samples
        self.faults = (
            silent_faults(sums, self._names)
            or place_faults(sums, self._names, coulomb)
            or size_faults(sums, self._names, coulomb)
            or age_faults(self.age, spacing)
        )
