# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What can be done to a node rather than to its messages.

These are functions of the bench, called once as a fault begins.
"""

from __future__ import annotations

import math
from typing import Any, Callable, NamedTuple

import numpy as np
import rclpy
from rclpy.parameter import Parameter
from std_msgs.msg import Float64MultiArray

from biped_slip.compile.arrays import Array
from biped_slip.ros.dds import OUTPUTS
from studies.loop.robots import COMMAND

SETTLES = 1000  # ticks in which a robot that was to stop has stood or failed

Action = Callable[[Any], None]


class Answer(NamedTuple):
    """What a controller that was tampered with answers."""

    torques: Any
    estimates: Any


def change_parameters(bench: Any) -> None:
    """Change parameters in the middle of a step; every change is refused."""
    node = bench.node
    for name in (
        "supervisor.damping",
        "supervisor.grace",
        "health.stuck_time",
        "health.imbalance",
        "age_limit",
    ):
        (result,) = node.set_parameters(
            [Parameter(name, value=1.5 * node.get_parameter(name).value)]
        )
        if result.successful:
            raise AssertionError(f"{name} could be changed while walking")


def change_speed(scale: float) -> Action:
    """Ask for another speed over the live parameter, and watch for a second."""

    def ask(bench: Any, value: float) -> None:
        parameter = Parameter("speed_scale", value=value)
        (result,) = bench.node.set_parameters([parameter])
        if not result.successful:
            raise AssertionError(f"speed_scale was refused: {result.reason}")

    def act(bench: Any) -> None:
        bench.undo.append(lambda: ask(bench, 1.0))
        ask(bench, scale)
        for _ in range(SETTLES):
            bench.advance()

    return act


def change_floor(mu: float) -> Action:
    """Spill around the robot, under both feet, and watch for a second."""

    def act(bench: Any) -> None:
        bench.robot.spill(mu)
        for _ in range(SETTLES):
            bench.advance()

    return act


def fail(error: type[BaseException]) -> Action:
    """Let the controller raise from now on."""

    def act(bench: Any) -> None:
        def broken(*_: Any) -> None:
            raise error("on purpose")

        bench.node.guarded.controller.step = broken

    return act


def answer(
    change: Callable[[Array], Any],
    estimated: Callable[[Any], Any] = lambda estimates: estimates,
) -> Action:
    """Replace the controller's torques, or estimates, from now on."""

    def act(bench: Any) -> None:
        honest = bench.node.guarded.controller.step

        def broken(*arguments: Any) -> Answer:
            output = honest(*arguments)
            return Answer(change(np.array(output.torques)), estimated(output.estimates))

        bench.node.guarded.controller.step = broken

    return act


def strided(torques: Array) -> Array:
    """Every second number of a longer array."""
    return np.repeat(torques, 2)[::2]


def read_only(torques: Array) -> Array:
    """Torques that nobody may write to."""
    torques.flags.writeable = False
    return torques


def unknown(estimates: Any) -> Any:
    """Blank every number of both feet's estimates by NaN."""
    blank = dict.fromkeys(("mu", "mu_low", "mu_high", "mu_demonstrated"), math.nan)
    return tuple(one._replace(**blank) for one in estimates)


def estimates(change: Callable[[Any], Any]) -> Action:
    """Replace the controller's friction estimates from now on."""
    return answer(lambda torques: torques, change)


def ask_to_stop(bench: Any) -> None:
    """Somebody stops the walk."""
    bench.node.guarded.stop()


def own_stall(seconds: float) -> Action:
    """Stall the process while the robot goes on."""

    def act(bench: Any) -> None:
        for _ in range(round(1e3 * seconds)):
            bench.tick += 1
            bench.robot.read(bench.tick)
            bench.robot.advance(np.clip(bench.torques, -bench.limits, bench.limits))

    return act


def clock_rate(rate: float) -> Action:
    """Let the stamps' clock run so many times as fast as the node's."""
    return lambda bench: bench.run_clock(1.0 / rate)


def second_publisher(bench: Any) -> None:
    """Somebody else commands the joints."""
    other = bench.partner.create_publisher(Float64MultiArray, COMMAND, OUTPUTS)
    bench.undo.append(lambda: bench.partner.destroy_publisher(other))
    bench.found(lambda: bench.node.count_publishers(COMMAND) > 1)


def second_controller(bench: Any) -> None:
    """Another node of the same name."""
    other = rclpy.create_node(bench.node.get_name())
    bench.undo.append(other.destroy_node)
    bench.found(lambda: bench.node.get_node_names().count(bench.node.get_name()) > 1)
