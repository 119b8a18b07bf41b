# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A campaign file: scenarios, limits, and what is drawn for each walk from one seed.

Distributions stand in it as ``{uniform: [0.25, 1.0]}``; a plain value is itself. Walk k
draws the same values for every scenario and limit, so that these are compared on the
same floors; what it draws depends on the seed and k alone, neither on the number of
walks nor on who walks it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Callable, Mapping

import numpy as np
from numpy.random import Generator

from biped_slip.config import read_yaml
from biped_slip.errors import InvalidParameter, UnknownName
from biped_slip.shared_files import shared_file, shared_names
from biped_slip.simulation.planar.job import PlanarJob
from biped_slip.simulation.planar.oracle import planar_policy

Draw = Callable[[Generator], Any]
KEYS = ("seed", "walks", "scenarios", "limits", "draw")


def distribution(name: str, text: object) -> Draw:
    """Parse the distribution of one parameter.

    Args:
        name: of the parameter, for messages.
        text: as in the file; a list draws its items one by one.
    """
    if isinstance(text, list):
        items = [distribution(f"{name}[{i}]", item) for i, item in enumerate(text)]
        return lambda rng: tuple(draw(rng) for draw in items)
    if not isinstance(text, Mapping):
        return lambda rng: text
    if len(text) != 1 or next(iter(text)) not in _KINDS:
        raise InvalidParameter(
            name,
            dict(text),
            f"a value, or one of {', '.join(_KINDS)} with its arguments",
        )
    kind, arguments = next(iter(text.items()))
    if not isinstance(arguments, list) or not arguments:
        raise InvalidParameter(f"{name}.{kind}", arguments, "a list of arguments")
    return _KINDS[kind](f"{name}.{kind}", arguments)


def _uniform(name: str, arguments: list[Any]) -> Draw:
    low, high = _numbers(name, arguments, rising=True)
    return lambda rng: float(rng.uniform(low, high))


def _log_uniform(name: str, arguments: list[Any]) -> Draw:
    low, high = _numbers(name, arguments, rising=True)
    if low <= 0.0:
        raise InvalidParameter(name, arguments, "two numbers > 0")
    return lambda rng: float(np.exp(rng.uniform(math.log(low), math.log(high))))


def _normal(name: str, arguments: list[Any]) -> Draw:
    mean, deviation = _numbers(name, arguments)
    if deviation < 0.0:
        raise InvalidParameter(name, arguments, "a mean and a standard deviation >= 0")
    return lambda rng: float(rng.normal(mean, deviation))


def _choice(name: str, arguments: list[Any]) -> Draw:
    return lambda rng: arguments[int(rng.integers(len(arguments)))]


def _numbers(
    name: str, arguments: list[Any], rising: bool = False
) -> tuple[float, float]:
    plain = [
        a
        for a in arguments
        if isinstance(a, (int, float)) and not isinstance(a, bool) and math.isfinite(a)
    ]
    if len(arguments) != 2 or len(plain) != 2:
        raise InvalidParameter(name, arguments, "two finite numbers")
    if rising and plain[0] > plain[1]:
        raise InvalidParameter(name, arguments, "lowest value, then highest")
    return float(plain[0]), float(plain[1])


_KINDS: dict[str, Callable[[str, list[Any]], Draw]] = {
    "uniform": _uniform,
    "log_uniform": _log_uniform,
    "normal": _normal,
    "choice": _choice,
}


@dataclass(frozen=True)
class Plan:
    """Campaign as its file describes it."""

    seed: int
    walks: int
    scenarios: tuple[str, ...]
    limits: tuple[str, ...]
    draw: tuple[
        tuple[str, Draw], ...
    ]  # dotted parameter and its distribution, in the file's order

    def jobs(self) -> list[PlanarJob]:
        """List every walk, ordered by number, scenario and limit."""
        jobs = []
        for k in range(self.walks):
            rng = np.random.default_rng(
                np.random.SeedSequence(self.seed, spawn_key=(k,))
            )
            drawn = tuple((name, draw(rng)) for name, draw in self.draw)
            seed = int(rng.integers(2**31))
            jobs += [
                PlanarJob(scenario, limit, seed, drawn)
                for scenario in self.scenarios
                for limit in self.limits
            ]
        return jobs


def load_plan(path: str | Path) -> Plan:
    """Load a campaign file, or a shipped one by its name.

    Raises:
        BipedSlipError: a key, a name or a drawn value is not acceptable; the first walk
            is tried out.
    """
    known = shared_names("config/campaigns")
    mapping = read_yaml(
        shared_file(f"config/campaigns/{path}.yaml") if str(path) in known else path
    )
    for key in mapping:
        if key not in KEYS:
            raise UnknownName("key of a campaign", str(key), list(KEYS))
    draw = mapping.get("draw") or {}
    if not isinstance(draw, dict):
        raise InvalidParameter(
            "draw", draw, "a mapping of parameter names to distributions"
        )
    plan = Plan(
        seed=_count("seed", mapping.get("seed", 0), 0),
        walks=_count("walks", mapping.get("walks", 100), 1),
        scenarios=_listed("scenarios", mapping.get("scenarios")),
        limits=_listed("limits", mapping.get("limits")),
        draw=tuple(
            (str(name), distribution(f"draw.{name}", text))
            for name, text in draw.items()
        ),
    )
    for job in replace(plan, walks=1).jobs():
        planar_policy(job.limit, job.nominal())
    return plan


def _listed(key: str, value: Any) -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else value
    if (
        not isinstance(names, list)
        or not names
        or not all(isinstance(name, str) for name in names)
    ):
        raise InvalidParameter(key, value, "a name or a list of names")
    if len(set(names)) != len(names):
        raise InvalidParameter(key, value, "a list without repetition")
    return tuple(names)


def _count(key: str, value: Any, low: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < low:
        raise InvalidParameter(key, value, f"a whole number >= {low}")
    return value


def drawn(job: PlanarJob) -> dict[str, Any]:
    """List the draws of a walk, one entry a number.

    The items of a list are called ``name[0]``, ``name[1]``.
    """
    flat: dict[str, Any] = {}
    for name, value in job.changes:
        flat |= (
            {f"{name}[{i}]": item for i, item in enumerate(value)}
            if isinstance(value, tuple)
            else {name: value}
        )
    return flat
