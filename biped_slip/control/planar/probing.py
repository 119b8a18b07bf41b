# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Probing: in double support the feet push against each other, so that a freshly landed foot learns its floor early.

The force is internal: equal and opposite along the floor at both feet, so that nothing on the body changes. It grows
slowly, never leaves the cone of either foot, falls in the same tick as a limit does, ends slowly once the foot's
estimate is released and at once when a foot slips. (The sources have no probing: all of it is choice.)
"""

from __future__ import annotations

from typing import NamedTuple

from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.control.planar.force_distribution import FootForces, with_internal_force

_NO_LIMIT = 1e3  # stands for an infinite ratio, which a foot without load would turn into NaN


@configuration
class ProbingConfig(Configuration):
    """How hard and how fast the feet may push against each other."""

    enabled: bool = parameter(False, source="choice: off, as in study 7", doc="probe each foot that has landed")
    largest_force: float = parameter(
        8.0, unit="N", above=0.0, high=1e4, source="choice", doc="a quarter of the planar robot's weight"
    )
    force_rate: float = parameter(
        40.0, unit="N/s", above=0.0, high=1e5, source="choice", doc="slow against the estimator's blocks of 5 ms"
    )
    start_after: float = parameter(
        0.06, unit="s", low=0.0, high=1.0, source="study 7.8", doc="after landing; until then the estimator is blind"
    )


class Probing(NamedTuple):
    """The packed configuration, for type hints."""

    enabled: bool
    largest_force: float
    force_rate: float
    start_after: float


class ProbeState(NamedTuple):
    """The probe of the foot that landed last."""

    foot: int  # −1: none has swung yet
    direction: float  # of the force on the robot at that foot along the floor, ±1; 0: not chosen yet
    force: float  # internal force now [N], >= 0
    done: bool  # enough is known, or a foot slipped: no more in this double support


class FloorsKnown(NamedTuple):
    """What the estimates say, feet left and right."""

    released: tuple[bool, bool]
    slipping: tuple[bool, bool]


@kernel
def before_landing(foot: int) -> ProbeState:
    """State while a foot is in the air: it will be probed next."""
    return ProbeState(foot, 0.0, 0.0, False)


@kernel
def internal_room(forces: FootForces, limits: tuple[float, float], foot: int, direction: float) -> float:
    """Largest internal force [N], in a direction at a foot, that keeps both feet inside their ratio limits."""
    other = 1 - foot
    here = min(limits[foot], _NO_LIMIT) * forces.normal[foot] - direction * forces.tangential[foot]
    there = min(limits[other], _NO_LIMIT) * forces.normal[other] + direction * forces.tangential[other]
    return max(min(here, there), 0.0)


@kernel
def better_direction(forces: FootForces, limits: tuple[float, float], foot: int) -> float:
    """Direction in which the foot can be loaded more (+1 or −1)."""
    forward = forces.tangential[foot] + internal_room(forces, limits, foot, 1.0)
    backward = internal_room(forces, limits, foot, -1.0) - forces.tangential[foot]
    return 1.0 if forward >= backward else -1.0


@kernel
def probing_step(
    state: ProbeState,
    forces: FootForces,
    limits: tuple[float, float],
    known: FloorsKnown,
    time: float,
    config: Probing,
    dt: float,
) -> tuple[ProbeState, FootForces]:
    """One tick of double support: new state, and the foot forces with the internal force in them.

    Args:
        state: of the probe.
        forces: wanted at the feet, inside their cones.
        limits: on the force ratio of each foot.
        known: what the estimates say.
        time: since the landing [s].
        config: packed :class:`ProbingConfig`.
        dt: control period [s].
    """
    if not config.enabled or state.foot < 0 or time < config.start_after:
        return state, forces
    foot, direction = state.foot, state.direction
    if direction == 0.0:
        direction = better_direction(forces, limits, foot)
    slipping = known.slipping[0] or known.slipping[1]
    done = state.done or slipping or known.released[foot]
    if slipping:
        force = 0.0
    elif done:
        force = max(state.force - config.force_rate * dt, 0.0)
    else:
        force = min(state.force + config.force_rate * dt, config.largest_force)
    force = min(force, internal_room(forces, limits, foot, direction))
    return ProbeState(foot, direction, force, done), with_internal_force(forces, foot, direction * force)
