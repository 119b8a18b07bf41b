# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Sliding found by motion, or by a plateau of the force ratio.

The plateau serves where no motion is measured.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation.settings import PlateauConfig, SlidingConfig
from biped_slip.friction_estimation.types import NAN

# Sliding found by motion: the foot moves against its friction and the friction has
# stopped growing.
#
# Presliding also moves the foot, but there the force ratio u still grows with the
# travel x: as fast as a spring at first (d ln u/d ln x = 1), not at all once the
# contact slides (0). On the Bliman–Sorine curve u = mu (1 − exp(−3x/s_p)) (A.2) a
# growth of 0.25 is reached at u = 0.9 mu, whatever mu and s_p are.
#
# And its opposite, grip: a force ratio that a foot has borne for a while without
# sliding is one that its floor has. No model of the contact and no statistics, so that
# is true also where an interval has been led astray.

SUSTAINED_TIME = (
    0.02  # [s] time constant with which a ratio that is borne counts (choice)
)
# times the load: what was held under less is forgotten, force sensors are off by some
# newtons (choice)
HEAVIER = 2.0


class SlidingState(NamedTuple):
    """Travel of the present movement.

    With it is the point from which the growth of the ratio is taken.
    """

    travel: float  # [m]
    anchor_travel: float  # [m]; NaN before the minimum travel
    anchor_ratio: float  # [-]
    sliding: bool


AT_REST = SlidingState(0.0, NAN, NAN, False)


@kernel
def sliding_step(
    state: SlidingState,
    force_x: float,
    force_y: float,
    force_normal: float,
    velocity_x: float,
    velocity_y: float,
    dt: float,
    config: SlidingConfig,
) -> SlidingState:
    """Detect sliding in one sample.

    Given are the force of the ground [N] and the velocity of the foot [m/s]; ``config``
    is packed.
    """
    speed = math.hypot(velocity_x, velocity_y)
    tangential = math.hypot(force_x, force_y)
    # [W], positive when friction brakes
    resisting = -(force_x * velocity_x + force_y * velocity_y)
    threshold = config.speed_threshold * (
        config.release_share if state.sliding else 1.0
    )
    if not (speed > threshold and resisting >= config.opposition * tangential * speed):
        return SlidingState(0.0, NAN, NAN, False)
    travel = state.travel + speed * dt
    ratio = resisting / (speed * force_normal)
    if travel < config.minimum_travel or ratio <= 0.0:
        return SlidingState(travel, NAN, NAN, False)
    if math.isnan(state.anchor_travel):
        return SlidingState(travel, travel, ratio, state.sliding)
    if travel < config.growth_step * state.anchor_travel:
        return SlidingState(
            travel, state.anchor_travel, state.anchor_ratio, state.sliding
        )
    growth = math.log(ratio / state.anchor_ratio) / math.log(
        travel / state.anchor_travel
    )
    return SlidingState(travel, travel, ratio, growth < config.growth_limit)


class GripState(NamedTuple):
    """Grip of one contact since its last slide."""

    bears: float  # ratio borne now: falls at once, rises slowly
    held: float  # the largest of those
    load: float  # under which that was [N]


NO_GRIP = GripState(0.0, 0.0, 0.0)


@kernel
def grip_step(
    state: GripState, tangential: float, normal: float, sliding: bool, dt: float
) -> GripState:
    """Update demonstrated friction by one sample; forces in [N], ``dt`` in [s]."""
    if sliding or not normal > 0.0:
        return NO_GRIP
    ratio = tangential / normal
    bears = min(
        ratio, state.bears + min(dt / SUSTAINED_TIME, 1.0) * (ratio - state.bears)
    )
    if bears > state.held or normal > HEAVIER * state.load:
        return GripState(bears, bears, normal)
    return GripState(bears, state.held, state.load)


# Sliding found in the forces alone: the load changes, the force ratio does not.
#
# A sticking foot carries any ratio below mu, so a ratio that stays put while the load
# changes is the friction limit. Two look-alikes are refused. A foot that stands still
# under a constant load: the load must vary several times more than the ratio could have
# varied unnoticed. The smooth top of a load curve: near a parabola's top the time spent
# within a small tolerance is about twice the time spent in the eight times wider band
# around it, at a limit it is many times longer (*choice*: the sources have no detector
# for feet without motion sensors).
#
# A constant ratio alone is still no slide: a foot that stands on a slope has one, and
# one whose controller holds its limit. What they don't do is turn the force while its
# ratio stays, as friction does that follows a sliding foot, or let the ratio drop from
# a peak just before, as a contact does that breaks away. One of both is asked for.

BLOCKS_BACK = 128  # blocks looked back upon


class ForceBlock(NamedTuple):
    """Sums over the samples of one block."""

    force_x: float  # [N]
    force_y: float
    normal: float
    samples: int
    time: float  # [s]


class Plateau(NamedTuple):
    """Sums over the blocks that lie on the friction limit."""

    tangential: float  # [N]
    normal: float  # [N]
    time: float  # since the onset [s]
    misses: int  # blocks in a row off the plateau
    sliding: bool


class PlateauState(NamedTuple):
    """The blocks of this contact and the plateau if there is one.

    The three arrays belong to the state and are overwritten in place: a state that was
    stepped must not be used again.
    """

    tangential: Array  # shape (BLOCKS_BACK,), block means in a ring [N]
    normal: Array  # shape (BLOCKS_BACK,) [N]
    heading: Array  # shape (BLOCKS_BACK, 2), mean tangential force of a block [N]
    blocks: int  # blocks since the contact began
    block: ForceBlock  # the present one
    held: float  # largest ratio held for the held time in this contact [-]
    plateau: Plateau


NO_BLOCK = ForceBlock(force_x=0.0, force_y=0.0, normal=0.0, samples=0, time=0.0)
NO_FORCE_PLATEAU = Plateau(
    tangential=0.0, normal=0.0, time=0.0, misses=0, sliding=False
)


def initial_plateau() -> PlateauState:
    """Return the state at the beginning of a contact."""
    return PlateauState(
        tangential=np.zeros(BLOCKS_BACK),
        normal=np.zeros(BLOCKS_BACK),
        heading=np.zeros((BLOCKS_BACK, 2)),
        blocks=0,
        block=NO_BLOCK,
        held=0.0,
        plateau=NO_FORCE_PLATEAU,
    )


@kernel
def restart_plateau(state: PlateauState) -> PlateauState:
    """Reset to the initial state, in the same buffers."""
    return PlateauState(
        tangential=state.tangential,
        normal=state.normal,
        heading=state.heading,
        blocks=0,
        block=NO_BLOCK,
        held=0.0,
        plateau=NO_FORCE_PLATEAU,
    )


@kernel
def plateau_step(
    state: PlateauState,
    force_x: float,
    force_y: float,
    force_normal: float,
    dt: float,
    config: PlateauConfig,
) -> PlateauState:
    """Detect a plateau of the force ratio in one sample.

    Args:
        state: after the sample before; its buffers are overwritten.
        force_x: of the ground on the foot [N].
        force_y: likewise [N].
        force_normal: likewise [N].
        dt: time since the sample before [s].
        config: thresholds, packed.
    """
    old = state.block
    block = ForceBlock(
        force_x=old.force_x + force_x,
        force_y=old.force_y + force_y,
        normal=old.normal + force_normal,
        samples=old.samples + 1,
        time=old.time + dt,
    )
    before = state.plateau
    plateau = Plateau(
        tangential=before.tangential,
        normal=before.normal,
        time=before.time + dt,
        misses=before.misses,
        sliding=before.sliding,
    )
    if block.time < config.block_time - 0.5 * dt:
        return _in_same_buffers(state, state.blocks, block, state.held, plateau)
    blocks = state.blocks + 1
    _store_block(state, block)
    borne = _held_ratio(state.tangential, state.normal, blocks, block.time, config)
    held = max(state.held, borne)
    state = _in_same_buffers(state, blocks, NO_BLOCK, held, plateau)
    plateau = (
        _keep(state, block.samples, config)
        if plateau.sliding
        else _search(state, block, config)
    )
    return _in_same_buffers(state, blocks, NO_BLOCK, held, plateau)


@kernel
def _in_same_buffers(
    state: PlateauState, blocks: int, block: ForceBlock, held: float, plateau: Plateau
) -> PlateauState:
    """Replace what is no buffer of a state.

    Args:
        state: whose buffers stay.
        blocks: that have been stored.
        block: that is being summed.
        held: largest ratio that was held [-].
        plateau: under way, or none.
    """
    return PlateauState(
        tangential=state.tangential,
        normal=state.normal,
        heading=state.heading,
        blocks=blocks,
        block=block,
        held=held,
        plateau=plateau,
    )


@kernel
def _store_block(state: PlateauState, block: ForceBlock) -> None:
    """Store the means of a block in the buffers."""
    slot = state.blocks % BLOCKS_BACK
    state.tangential[slot] = math.hypot(block.force_x, block.force_y) / block.samples
    state.normal[slot] = block.normal / block.samples
    state.heading[slot, 0] = block.force_x / block.samples
    state.heading[slot, 1] = block.force_y / block.samples


@kernel
def watch_ratio(
    state: PlateauState,
    force_x: float,
    force_y: float,
    force_normal: float,
    dt: float,
    config: PlateauConfig,
) -> PlateauState:
    """Update demonstrated friction like ``plateau_step``, without detecting slides."""
    state = plateau_step(state, force_x, force_y, force_normal, dt, config)
    return PlateauState(
        tangential=state.tangential,
        normal=state.normal,
        heading=state.heading,
        blocks=state.blocks,
        block=state.block,
        held=state.held,
        plateau=NO_FORCE_PLATEAU,
    )


@kernel
def relative_tolerance(
    ratio: float, normal: float, samples: int, config: PlateauConfig
) -> float:
    """Compute how far the ratio of a block may lie from the limit.

    It is given as a share of the limit [-].
    """
    noise = (
        config.noise_factor
        * config.force_noise
        / math.sqrt(samples)
        * math.hypot(1.0, ratio)
    )
    return max(config.tolerance, noise / (normal * max(ratio, 1e-9)))


@kernel
def _held_ratio(
    tangential: Array,
    normal: Array,
    blocks: int,
    block_time: float,
    config: PlateauConfig,
) -> float:
    """Return the least ratio of the newest blocks that span the held time [-].

    It is 0 before there are enough.
    """
    count = max(1, math.ceil(config.held_time / block_time))
    if blocks < count or count > BLOCKS_BACK:
        return 0.0
    least = np.inf
    for back in range(count):
        slot = (blocks - 1 - back) % BLOCKS_BACK
        least = min(least, tangential[slot] / normal[slot])
    return least


@kernel
def _keep(state: PlateauState, samples: int, config: PlateauConfig) -> Plateau:
    """Return whether the plateau goes on.

    It ends with the second block in a row that is off it.
    """
    plateau = state.plateau
    slot = (state.blocks - 1) % BLOCKS_BACK
    tangential = state.tangential[slot]
    normal = state.normal[slot]
    level = plateau.tangential / plateau.normal
    if abs(tangential / normal - level) <= level * relative_tolerance(
        level, normal, samples, config
    ):
        return Plateau(
            tangential=plateau.tangential + tangential,
            normal=plateau.normal + normal,
            time=plateau.time,
            misses=0,
            sliding=True,
        )
    misses = plateau.misses + 1
    return Plateau(
        tangential=plateau.tangential,
        normal=plateau.normal,
        time=plateau.time,
        misses=misses,
        sliding=misses < 2,
    )


class Stretch(NamedTuple):
    """Blocks back from the newest one whose force ratio is that of a plateau."""

    inside: int  # blocks on the plateau
    between: int  # blocks near it
    onset: int  # blocks back to the first one on it
    least_load: float  # [N]
    largest_load: float  # [N]
    tolerance: float  # widest of its blocks, as a share of the level [-]
    tangential: float  # sum of its blocks [N]
    normal: float  # [N]


NO_STRETCH = Stretch(
    inside=0,
    between=0,
    onset=0,
    least_load=math.inf,
    largest_load=0.0,
    tolerance=0.0,
    tangential=0.0,
    normal=0.0,
)


@kernel
def _search(state: PlateauState, block: ForceBlock, config: PlateauConfig) -> Plateau:
    """Search back from the newest block and decide whether a plateau has formed."""
    if state.blocks < config.minimum_blocks:
        return NO_FORCE_PLATEAU
    level = _newest_level(state, config)
    if level <= 0.0 or level < config.held_share * state.held:
        return NO_FORCE_PLATEAU
    found = _stretch(state, level, block.samples, config)
    if not _formed(found, block, config):
        return NO_FORCE_PLATEAU
    slides = _turned(state, found.onset) >= config.turn or _dropped(
        state, found.onset, level, block, config
    )
    return (
        Plateau(
            tangential=found.tangential,
            normal=found.normal,
            time=found.onset * block.time,
            misses=0,
            sliding=True,
        )
        if slides
        else NO_FORCE_PLATEAU
    )


@kernel
def _newest_level(state: PlateauState, config: PlateauConfig) -> float:
    """Compute the force ratio of the newest blocks, as many as a plateau needs [-]."""
    tangential = 0.0
    normal = 0.0
    for back in range(config.minimum_blocks):
        slot = (state.blocks - 1 - back) % BLOCKS_BACK
        tangential = tangential + state.tangential[slot]
        normal = normal + state.normal[slot]
    return tangential / normal


@kernel
def _stretch(
    state: PlateauState, level: float, samples: int, config: PlateauConfig
) -> Stretch:
    """Find the blocks whose ratio lies on a level; an isolated spike ends no plateau.

    Args:
        state: buffers of blocks.
        level: force ratio of the plateau [-].
        samples: of a block.
        config: tolerances.
    """
    inside = 0
    between = 0
    outside = 0
    onset = 0
    least_load = math.inf
    largest_load = 0.0
    widest = 0.0
    tangential = 0.0
    normal = 0.0
    for back in range(min(state.blocks, BLOCKS_BACK)):
        slot = (state.blocks - 1 - back) % BLOCKS_BACK
        load = state.normal[slot]
        tolerance = relative_tolerance(level, load, samples, config)
        deviation = abs(state.tangential[slot] / load - level) / level
        if deviation <= tolerance:
            inside = inside + 1
            outside = 0
            onset = back + 1
            tangential = tangential + state.tangential[slot]
            normal = normal + load
            least_load = min(least_load, load)
            largest_load = max(largest_load, load)
            widest = max(widest, tolerance)
        elif back == 0:
            return NO_STRETCH  # the newest block must lie on the plateau
        elif deviation <= config.band * tolerance:
            between = between + 1
            outside = 0
        else:
            outside += 1
            if outside > 1:
                break
    return Stretch(
        inside=inside,
        between=between,
        onset=onset,
        least_load=least_load,
        largest_load=largest_load,
        tolerance=widest,
        tangential=tangential,
        normal=normal,
    )


@kernel
def _formed(found: Stretch, block: ForceBlock, config: PlateauConfig) -> bool:
    """Return whether a stretch is long, sharp and varied enough for a plateau."""
    change = (found.largest_load - found.least_load) * found.inside
    return (
        found.inside >= config.minimum_blocks
        and (found.inside - 1) * block.time >= config.minimum_time - 1e-9
        and change > config.load_variation * found.tolerance * found.normal
        and found.inside >= config.sharpness * found.between
    )


@kernel
def _turned(state: PlateauState, onset: int) -> float:
    """Compute the largest angle between the newest force and another one [rad].

    The other one is on the plateau.
    """
    last = (state.blocks - 1) % BLOCKS_BACK
    x = state.heading[last, 0]
    y = state.heading[last, 1]
    widest = 0.0
    for back in range(1, onset):
        slot = (state.blocks - 1 - back) % BLOCKS_BACK
        one = state.heading[slot, 0]
        other = state.heading[slot, 1]
        widest = max(widest, abs(math.atan2(x * other - y * one, x * one + y * other)))
    return widest


@kernel
def _dropped(
    state: PlateauState,
    onset: int,
    level: float,
    block: ForceBlock,
    config: PlateauConfig,
) -> bool:
    """Return whether the ratio was clearly higher just before the plateau.

    It is so when a contact breaks away.
    """
    highest = 0.0
    for back in range(
        onset,
        min(
            onset + math.ceil(config.drop_time / block.time),
            min(state.blocks, BLOCKS_BACK),
        ),
    ):
        slot = (state.blocks - 1 - back) % BLOCKS_BACK
        tolerance = relative_tolerance(level, state.normal[slot], block.samples, config)
        highest = max(
            highest, state.tangential[slot] / state.normal[slot] / level - tolerance
        )
    return highest > 1.0 + config.drop
