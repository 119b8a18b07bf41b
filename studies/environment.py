# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a step of the environment costs, beside MuJoCo alone.

Robots play random actions; one that falls starts anew. The bare loop steps the same
models as often, under the torques of gravity in the posture of the start, and places
them anew before they lie on the floor: what it costs is the dynamics and nothing else.
"""

from __future__ import annotations

import argparse
import time
from typing import Any, NamedTuple

import numpy as np

from biped_slip.cli.terminal import Screen
from studies.frame import table_of

ENVIRONMENTS = 16
STEPS = 1000
BALANCED = 50  # steps until a robot under constant torques is placed anew


class StepCost(NamedTuple):
    """Cost of steps of several environments."""

    what: str
    environments: int
    steps: int  # of each
    seconds: float
    resets: int

    @property
    def rate(self) -> float:
        """Steps a second of all environments together."""
        return self.environments * self.steps / self.seconds


def played(environments: int, steps: int, settings: dict[str, Any]) -> StepCost:
    """Play random actions in a vector of environments."""
    # an extra
    import gymnasium

    from biped_slip.environments import ENVIRONMENT

    vector = gymnasium.make_vec(
        ENVIRONMENT, num_envs=environments, vectorization_mode="sync", **settings
    )
    vector.reset(seed=0)
    draw = np.random.default_rng(0)
    space: Any = vector.action_space
    resets = 0
    vector.step(np.zeros(space.shape))  # compiled
    begin = time.perf_counter()
    for _ in range(steps):
        *_, ended, cut, _ = vector.step(draw.uniform(space.low, space.high))
        resets += int(np.sum(np.logical_or(ended, cut)))
    seconds = time.perf_counter() - begin
    name = "estimate" if settings.get("estimate", True) else "true base, no estimate"
    return StepCost(name, environments, steps, seconds, resets)


def bare(environments: int, steps: int) -> StepCost:
    """Step MuJoCo's model of the same robot as often."""
    # an extra
    import mujoco

    from biped_slip.environments.slip import SlipEnvironment

    made = SlipEnvironment(estimate=False, true_base=True)
    made.reset(seed=0)
    twin = made.world.plant._twin  # type: ignore[attr-defined]
    inner = round(made.chosen.layout.period / twin.model.opt.timestep)
    states = []
    for _ in range(environments):
        data = mujoco.MjData(twin.model)
        data.qpos[:] = twin.data.qpos
        mujoco.mj_forward(twin.model, data)
        data.qfrc_applied[twin.vs] = data.qfrc_bias[twin.vs]
        states.append(data)
    resets = 0
    begin = time.perf_counter()
    for step in range(steps):
        for data in states:
            if step % BALANCED == 0 and step > 0:
                data.qpos[:] = twin.data.qpos
                data.qvel[:] = 0.0
                resets += 1
            mujoco.mj_step(twin.model, data, inner)
    seconds = time.perf_counter() - begin
    return StepCost("MuJoCo alone", environments, steps, seconds, resets)


COLUMNS = {
    "what": lambda row: row.what,
    "environments": lambda row: str(row.environments),
    "steps of each": lambda row: str(row.steps),
    "seconds": lambda row: f"{row.seconds:.1f}",
    "starts anew": lambda row: str(row.resets),
    "steps a second": lambda row: f"{row.rate:.0f}",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--environments", type=int, default=ENVIRONMENTS, help=f"({ENVIRONMENTS})"
    )
    parser.add_argument("--steps", type=int, default=STEPS, help=f"of each ({STEPS})")


def run(arguments: argparse.Namespace) -> int:
    """Play, step, and print the table."""
    environments = arguments.environments
    steps = arguments.steps
    simple = {"estimate": False, "true_base": True}
    costs = [
        bare(environments, steps),
        played(environments, steps, simple),
        played(environments, steps, {}),
    ]
    Screen().print(table_of(COLUMNS, costs))
    return 0
