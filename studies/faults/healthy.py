# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How often a sound robot is accused: walks with every sensor's noise, until so many minutes have been walked."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from itertools import count
from typing import Any, Callable, Iterator

import numpy as np

from biped_slip.control.supervisor import Mode
from biped_slip.estimation.health import HealthConfig
from biped_slip.simulation.campaign import LineFile, key_of
from biped_slip.walking.guarded import GuardedController
from studies.faults.guarded_walk import NAMES, Walker, walked, walker

RESULTS = "healthy-walks.jsonl"
OF_THE_WALK = ("fall", "true ")  # the robot came down or truly left a joint's range: a bad walk and no false alarm
MARGIN = 0.95 * HealthConfig().joint_margin  # [rad] encoders have a little noise


@dataclass
class HealthyWalk:
    """One walk of a robot whose sensors are sound."""

    name: str
    seed: int
    seconds: float = 0.0
    stop: str = ""  # problem that ended it
    warnings: dict[str, int] = field(default_factory=dict)  # safe stops that it survived, by problem
    fell: bool = False

    @property
    def stopped(self) -> bool:
        """Whether it was stopped for nothing."""
        return bool(self.stop) and not self.stop.startswith(OF_THE_WALK)


def healthy_walk(name: str, seed: int) -> HealthyWalk:
    """Walk once."""
    robot, outcome = walker(name, seed), HealthyWalk(name, seed)
    warnings: Counter[str] = Counter()
    before = Mode.STANDING
    for _, guarded in walked(robot):
        outcome.seconds += 1e-3
        mode, problem = guarded.mode, guarded.problem
        if mode == Mode.SAFE_STOP and before != mode and problem is not None:
            warnings[problem.name] += 1
        if mode == Mode.FAULT:
            outcome.stop = f"true {problem}" if _past_its_range(robot, guarded) else str(problem)
            break
        before = mode
    outcome.warnings = dict(warnings)
    outcome.fell = robot.fell
    return outcome


def _past_its_range(robot: Walker, guarded: GuardedController[Any]) -> bool:
    """Whether the plant's own joints, without any sensor, are where the problem says."""
    lower, upper = robot.world.robot.position_limits
    joints = robot.world.plant.state.q[-len(lower) :]
    named = guarded.problem is not None and guarded.problem.name == "joint limit"
    return named and bool(np.any((joints < lower - MARGIN) | (joints > upper + MARGIN)))


def healthy_walks(minutes: float, path: str, tell: Callable[[HealthyWalk], None]) -> Iterator[HealthyWalk]:
    """Walks by turns over all robots until that many minutes are together; those in the file are not walked again."""
    file, total = LineFile(path), 0.0
    for seed in count():
        for name in NAMES:
            if total >= 60.0 * minutes:
                return
            key = key_of("healthy", name, seed)
            known = file.entry(key)
            if known is None:
                outcome = healthy_walk(name, seed)
                file.append(key, asdict(outcome))
                tell(outcome)
            else:
                outcome = HealthyWalk(**{field: known[field] for field in asdict(HealthyWalk("", 0))})
            total += outcome.seconds
            yield outcome
