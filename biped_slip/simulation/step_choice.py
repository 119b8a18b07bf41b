# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The longest integration step whose error stays below a target, found by trying.

A plant is tried on a landing with more and more steps a control period; the truth is
the landing with the finest.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.errors import InvalidParameter, SimulationDiverged

COUNTS = (1, 2, 4, 5, 8, 10, 20, 40)  # steps a control period, tried in this order
FINEST = 80


MOST_HALVINGS = (
    4  # of a configured step at most; a law that wants more is refused (choice)
)


def with_borne_step(config: Any, longest: float) -> Any:
    """Halve a plant's step until it is at most ``longest`` [s], four times at most.

    What is still too long then, the plant refuses with a sentence.
    """
    step = config.step_ns
    for _ in range(MOST_HALVINGS):
        if 1e-9 * step <= longest or step % 2:
            break
        step //= 2
    if step == config.step_ns:
        return config
    return dataclasses.replace(config, step_ns=step)


class IntegrationStep(NamedTuple):
    """Chosen step and its cost."""

    step_ns: int
    steps: int  # per control period
    error: float  # [m] largest error in the trial


def longest_step(
    trial: Callable[[Any], Array], config: Any, target: float
) -> IntegrationStep:
    """Find the longest step with which a trial ends up within a target [m].

    The trial is one of a plant's configuration.

    Args:
        trial: places over time [m] with a configuration that has a ``step_ns``.
        config: of the plant.
        target: allowed distance from the places with 80 steps a control period.

    Raises:
        InvalidParameter: no number of steps is good enough.
    """

    def with_steps(count: int) -> Any:
        return dataclasses.replace(
            config, error_target=0.0, step_ns=config.control_period_ns // count
        )

    truth = trial(with_steps(FINEST))
    error = np.inf
    for count in COUNTS:
        if config.control_period_ns % count:
            continue
        try:
            error = float(np.abs(trial(with_steps(count)) - truth).max())
        # too long for the contact's stiffness
        except (
            InvalidParameter,
            SimulationDiverged,
        ):
            continue
        if error <= target:
            return IntegrationStep(config.control_period_ns // count, count, error)
    raise InvalidParameter(
        "target",
        target,
        f">= {error:.2g} m, the error of {COUNTS[-1]} steps",
        "soften the contact",
    )
