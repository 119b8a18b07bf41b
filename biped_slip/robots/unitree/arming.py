# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whether torques may go to a robot, and what ends it.

Nothing is armed by itself. Arming needs the parameter, the request and a fresh state,
and that nobody else commands the robot. From then on every one of these ends it at
once, and the joints are damped: a state or a command that does not come, another
writer, ankles that change to their motors' angles. Arming again takes a new request.

All times are of one steady clock [s].
"""

from __future__ import annotations

import math
from typing import NamedTuple

from biped_slip.config import Configuration, configuration, parameter

# [s] without a state or a command after which damping begins: it must be out within
# 20 ms, and to wake and to write took up to 1.0 ms on a loaded computer
DAMPING_AFTER = 0.018
FOREIGN_MEMORY = 1.0  # [s] for which a foreign command forbids arming (choice)

LOST_STATE = "lost state"
LOST_COMMANDS = "lost commands"
SECOND_WRITER = "second writer"


@configuration
class ArmingConfig(Configuration):
    """Limits of what may go to the robot."""

    commands: bool = parameter(
        False, doc="whether torques may be sent at all; each time ~/arm must be called"
    )
    damping: float = parameter(
        8.0,
        unit="N m s/rad",
        above=0.0,
        high=20.0,
        source="[Unitree2025c]",
        doc="of every joint when commands end",
    )
    state_limit: float = parameter(
        DAMPING_AFTER,
        unit="s",
        low=0.004,
        high=0.1,
        doc="without a good state; then joints are damped",
    )
    command_limit: float = parameter(
        DAMPING_AFTER,
        unit="s",
        low=0.004,
        high=0.1,
        doc="without a command, after the first one; then joints are damped",
    )


class Arming(NamedTuple):
    """Whether torques go to the robot.

    Attributes:
        armed: whether they do.
        state_at: time of the last good state [s].
        command_at: time of the last command since arming [s].
        foreign_at: time of the last command of another writer [s].
    """

    armed: bool = False
    state_at: float = -math.inf
    command_at: float = math.nan
    foreign_at: float = -math.inf


class Ended(NamedTuple):
    """Why joints are damped."""

    name: str
    detail: str


def refusal(arming: Arming, now: float, config: ArmingConfig) -> str:
    """Say why the robot can't be armed; empty: it can."""
    if not config.commands:
        return "set the parameter commands to true first: torques may not be sent"
    if now - arming.state_at > config.state_limit:
        return (
            f"no good state for {1e3 * config.state_limit:g} ms; see /diagnostics for "
            "what is wrong with rt/lowstate"
        )
    if now - arming.foreign_at < FOREIGN_MEMORY:
        return (
            "another writer sends commands on rt/lowcmd; stop it, or release the "
            "vendor's controller"
        )
    return ""


def armed(arming: Arming) -> Arming:
    """Arm; the first command begins the time of commands.

    Who is armed already stays so: asked again between two commands, it would wait for
    the next one for ever, the last torques on the joints.
    """
    return arming if arming.armed else arming._replace(armed=True, command_at=math.nan)


def deadline(arming: Arming, config: ArmingConfig) -> float:
    """Return when the joints are damped if nothing comes [s]; inf: never."""
    if not arming.armed:
        return math.inf
    commands = arming.command_at + config.command_limit
    state = arming.state_at + config.state_limit
    return state if math.isnan(commands) else min(state, commands)


def ended(arming: Arming, now: float, config: ArmingConfig) -> Ended | None:
    """Say why commands must end now; None: they need not."""
    if not arming.armed:
        return None
    if now - arming.state_at > config.state_limit:
        limit = f"{1e3 * config.state_limit:g} ms"
        return Ended(LOST_STATE, f"no good state on rt/lowstate for {limit}")
    if now - arming.command_at > config.command_limit:
        limit = f"{1e3 * config.command_limit:g} ms"
        return Ended(LOST_COMMANDS, f"no usable command for {limit}")
    if now - arming.foreign_at < FOREIGN_MEMORY:
        return Ended(SECOND_WRITER, "another writer sends commands on rt/lowcmd")
    return None
