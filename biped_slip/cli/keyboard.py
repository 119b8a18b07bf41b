# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A walk that is steered by keys: each changes the command, which holds until the next.

The keys come one by one from a terminal without echo. Simulated time goes no faster
than the clock; a computer that is slower than that walks slower.
"""

from __future__ import annotations

import contextlib
import os
import select
import sys
import time
from typing import Any, Callable, Iterator, Protocol

from biped_slip.control.friction_governor import STILL_TWIST, Twist
from biped_slip.errors import InvalidParameter
from biped_slip.walking.steering import Steerable, TwistLimits

#: What a key adds to the command, in the directions of a twist: forward, left, turn.
DIRECTIONS = {
    "w": (1.0, 0.0, 0.0),
    "s": (-1.0, 0.0, 0.0),
    "a": (0.0, 0.0, 1.0),
    "d": (0.0, 0.0, -1.0),
    "q": (0.0, 1.0, 0.0),
    "e": (0.0, -1.0, 0.0),
}
ARROWS = {"\x1b[A": "w", "\x1b[B": "s", "\x1b[D": "a", "\x1b[C": "d"}
STAND_KEY = " "
POUR_KEY = "p"
END_KEY = "x"
HELP = (
    "w s or arrows: faster forward, backward; a d: turn; q e: aside; space: stand; "
    "p: spill water under the robot; x: end"
)
STEPS = 5.0  # keys from standing to a limit (choice)
LOOK = 0.02  # [s] between two looks at the keys (choice)
WATER = 0.1  # friction of what is spilled (choice)
POOL = 1.0  # [m] its length and width (choice)


class SteeredWalk(Protocol):
    """A walk that is simulated tick by tick."""

    @property
    def world(self) -> Any:
        """Return what surrounds the controller."""

    def tick(self) -> Any:
        """Advance one control period."""


def after_key(twist: Twist, key: str, limits: TwistLimits) -> Twist:
    """Return the command after a key: a fifth of a limit more in its direction."""
    if key == STAND_KEY:
        return STILL_TWIST
    forward, left, turn = DIRECTIONS.get(ARROWS.get(key, key), (0.0, 0.0, 0.0))
    asked = Twist(  # rounded: as many keys back are standing again
        forward=round(twist.forward + forward * limits.forward / STEPS, 6),
        left=round(twist.left + left * limits.aside / STEPS, 6),
        turn=round(twist.turn + turn * limits.turn / STEPS, 6),
    )
    return limits.clipped(asked)


def command_words(twist: Twist) -> str:
    """Describe a command in a line."""
    if twist == STILL_TWIST:
        return "stand"
    return (
        f"forward {twist.forward:+.2f} m/s, left {twist.left:+.2f} m/s, turn "
        f"{twist.turn:+.2f} rad/s"
    )


def steerable(controller: Any, name: str) -> Steerable:
    """Return a controller that obeys velocity commands.

    Raises:
        InvalidParameter: it does not.
    """
    if not isinstance(controller, Steerable):
        raise InvalidParameter(
            "--controller", name, "one that obeys velocity commands with --keyboard"
        )
    return controller


def drive(
    walk: SteeredWalk,
    controller: Steerable,
    keys: Callable[[], list[str]],
    say: Callable[[str], None],
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Walk by keys until one ends it, or the robot falls.

    Args:
        walk: the robot in its world, which goes on beyond the walk's time and way.
        controller: of it.
        keys: those pressed since the last call.
        say: takes a line about each change.
        clock: [s] that simulated time does not overtake.
        sleep: waits for a time [s].
    """
    world = walk.world
    world.endless = True
    twist = STILL_TWIST
    controller.twist = twist
    say(HELP)
    begin = clock() - 1e-9 * world.plant.stamp_ns
    every = max(round(1e9 * LOOK / world.plant.config.control_period_ns), 1)
    while not world.ended:
        if world.plant.ticks % every == 0:
            sleep(max(begin + 1e-9 * world.plant.stamp_ns - clock(), 0.0))
            for key in keys():
                if key == END_KEY:
                    return
                if key == POUR_KEY:
                    spill = world.around_base(POOL, POOL, WATER)
                    world.spill(spill)
                    say(str(spill))
                    continue
                before = twist
                twist = after_key(twist, key, controller.twist_limits)
                if twist != before:
                    say(command_words(twist))
            controller.twist = twist
        walk.tick()


def split_keys(text: str) -> list[str]:
    """Split what a terminal sent into keys; an arrow is three characters."""
    keys = []
    while text:
        size = 3 if text[:3] in ARROWS else 1
        keys.append(text[:size])
        text = text[size:]
    return keys


def check_terminal() -> None:
    """Refuse what is no terminal, before a walk is begun.

    Raises:
        InvalidParameter: standard input is none.
    """
    if not sys.stdin.isatty():
        raise InvalidParameter(
            "--keyboard",
            "without a terminal",
            "started in one",
            "over topics any program steers by cmd_vel",
        )


@contextlib.contextmanager
def terminal_keys() -> Iterator[Callable[[], list[str]]]:
    """Open the terminal for single keys; it is as before at the end.

    Raises:
        InvalidParameter: standard input is no terminal.
    """
    check_terminal()
    import termios  # not everywhere
    import tty

    file = sys.stdin.fileno()
    before = termios.tcgetattr(file)

    def keys() -> list[str]:
        ready, _, _ = select.select([file], [], [], 0.0)
        return split_keys(os.read(file, 64).decode(errors="ignore")) if ready else []

    try:
        tty.setcbreak(file)
        yield keys
    finally:
        termios.tcsetattr(file, termios.TCSADRAIN, before)
