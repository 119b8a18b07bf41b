# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A campaign file: scenarios, limits, what is drawn for each walk, one seed for everything.

Walk k draws the same values for every scenario and limit, so that these are compared on the same floors; what it
draws depends on the seed and k alone, neither on the number of walks nor on who walks it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from biped_slip.campaigns.distributions import Draw, distribution
from biped_slip.config import read_yaml
from biped_slip.errors import InvalidParameter, UnknownName
from biped_slip.shared_files import shared_file, shared_names
from biped_slip.simulation.planar.campaign import Job
from biped_slip.simulation.planar.policy import planar_policy

KEYS = ("seed", "walks", "scenarios", "limits", "draw")


@dataclass(frozen=True)
class Plan:
    """A campaign as its file says."""

    seed: int
    walks: int
    scenarios: tuple[str, ...]
    limits: tuple[str, ...]
    draw: tuple[tuple[str, Draw], ...]  # dotted parameter and its distribution, in the file's order

    def jobs(self) -> list[Job]:
        """Every walk: walk by walk, scenario by scenario, limit by limit."""
        jobs = []
        for k in range(self.walks):
            rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(k,)))
            drawn = tuple((name, draw(rng)) for name, draw in self.draw)
            seed = int(rng.integers(2**31))
            jobs += [Job(scenario, limit, seed, drawn) for scenario in self.scenarios for limit in self.limits]
        return jobs


def load_plan(path: str | Path) -> Plan:
    """A campaign file, or one that comes with the package by its name.

    Raises:
        BipedSlipError: a key, a name or a drawn value is not acceptable; the first walk is tried out.
    """
    known = shared_names("config/campaigns")
    mapping = read_yaml(shared_file(f"config/campaigns/{path}.yaml") if str(path) in known else path)
    for key in mapping:
        if key not in KEYS:
            raise UnknownName("key of a campaign", str(key), list(KEYS))
    draw = mapping.get("draw") or {}
    if not isinstance(draw, dict):
        raise InvalidParameter("draw", draw, "a mapping of parameter names to distributions")
    plan = Plan(
        _count("seed", mapping.get("seed", 0), 0),
        _count("walks", mapping.get("walks", 100), 1),
        _names("scenarios", mapping.get("scenarios")),
        _names("limits", mapping.get("limits")),
        tuple((str(name), distribution(f"draw.{name}", text)) for name, text in draw.items()),
    )
    for job in replace(plan, walks=1).jobs():
        planar_policy(job.limit, job.nominal())
    return plan


def _names(key: str, value: Any) -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise InvalidParameter(key, value, "a name or a list of names")
    if len(set(names)) != len(names):
        raise InvalidParameter(key, value, "a list without repetition")
    return tuple(names)


def _count(key: str, value: Any, low: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < low:
        raise InvalidParameter(key, value, f"a whole number >= {low}")
    return value
