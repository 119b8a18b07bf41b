# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Does a walker walk well on mu 1.0? A wrong contract is why most do not.

Three short walks: at its command, at 0.4 of it, and without one.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Sequence

import numpy as np

from biped_slip.comparison.columns import SPEED_FROM
from biped_slip.comparison.job import ComparedWalk
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation.humanoid.scenario import chosen_walk

CHECKED = (1.0, 0.4, 0.0)  # of the command
CHECK_SECONDS = 6.0
AT_ONCE = 1.5  # [s] a fall before it is one at once (choice)
TRACKS = (0.75, 1.35)  # of the command: twelve open policies go at 0.75 to 1.31
SATURATED = 0.1  # of the time at a torque limit (choice)
DEAD = 0.25  # of a small command, below which it is not obeyed (choice)
DRIFTS = 0.1  # [m/s] without a command (choice)


class ContractCheck(NamedTuple):
    """What is off with a walker on mu 1.0; no fault: nothing."""

    walker: str
    faults: tuple[str, ...]
    walks: str  # how it walks

    @property
    def sentence(self) -> str:
        """Say it in one sentence."""
        if not self.faults:
            return f"{self.walker}: nothing is off: {self.walks}."
        return f"{self.walker}: {'; '.join(self.faults)} ({self.walks})."


def checked(walks: Sequence[ComparedWalk]) -> ContractCheck:
    """Judge the walks of one walker at CHECKED shares of its command."""
    full, slow, still = (walk.end for walk in walks)
    name = walks[0].job.name
    faults = []
    if full.fell or full.problem:
        reason = f" ({full.problem})" if full.problem else ""
        at_once = " at once" if full.time < AT_ONCE else ""
        faults.append(
            f"falls{at_once} after {full.time:.1f} s where nothing is slippery{reason}"
            ": compare the order of its joints, posture, scales, gains and phases with "
            "its training"
        )
    elif math.isnan(full.columns.speed):
        faults.append(
            f"its walk of {full.time:.1f} s says nothing of its speed: give more than "
            f"{SPEED_FROM:g} s"
        )
    else:
        low, high = TRACKS
        share = full.columns.speed / full.commanded
        if not low <= share <= high:
            faults.append(f"does not track its command: {share:.0%} of it")
    if full.at_limit > SATURATED:
        faults.append(
            f"saturates: {full.joint_at_limit} is at its torque limit for "
            f"{full.at_limit:.0%} of the time"
        )
    faults += _small_commands(walks)
    how = f"{_speed(full.columns.speed)} at {full.commanded:g} m/s"
    how += f", {_speed(slow.columns.speed)} at {slow.commanded:g}"
    how += f", {_speed(still.columns.speed)} without a command"
    return ContractCheck(walker=name, faults=tuple(faults), walks=how)


def robot_words(robot: str) -> str:
    """Say what a walker's robot weighs and stands on, as it was read from its file."""
    humanoid = load_humanoid(chosen_walk(robot).robot)
    corners = np.array(humanoid.polygon(0))
    along, across = np.ptp(corners, axis=0)
    return (
        f"its robot was read as {humanoid.robot.mass:.2f} kg on soles of {along:.3f} x "
        f"{across:.3f} m: are they its own?"
    )


def _small_commands(walks: Sequence[ComparedWalk]) -> list[str]:
    """Name what is off at a small command and without one."""
    full, slow, still = (walk.end for walk in walks)
    if full.fell or full.problem:
        return []
    faults = []
    if slow.fell:
        faults.append(f"falls at {slow.commanded:g} m/s")
    elif slow.columns.speed < DEAD * slow.commanded:
        faults.append(
            f"has a dead zone: {_speed(slow.columns.speed)} at {slow.commanded:g} m/s"
        )
    if still.fell:
        faults.append("falls without a command")
    elif abs(still.columns.speed) > DRIFTS:
        faults.append(f"drifts without a command: {_speed(still.columns.speed)}")
    return faults


def _speed(speed: float) -> str:
    return "no speed" if math.isnan(speed) else f"{speed:.2f} m/s"
