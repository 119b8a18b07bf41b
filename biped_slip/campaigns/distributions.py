# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Distributions as they stand in a campaign file: ``{uniform: [0.25, 1.0]}``; a plain value is itself."""

from __future__ import annotations

import math
from typing import Any, Callable, Mapping

import numpy as np
from numpy.random import Generator

from biped_slip.errors import InvalidParameter

Draw = Callable[[Generator], Any]


def distribution(name: str, text: object) -> Draw:
    """What draws the values of one parameter.

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
        raise InvalidParameter(name, dict(text), f"a value, or one of {', '.join(_KINDS)} with its arguments")
    kind, arguments = next(iter(text.items()))
    if not isinstance(arguments, list) or not arguments:
        raise InvalidParameter(f"{name}.{kind}", arguments, "a list of arguments")
    return _KINDS[kind](f"{name}.{kind}", arguments)


def _uniform(name: str, arguments: list[Any]) -> Draw:
    low, high = _rising(name, arguments)
    return lambda rng: float(rng.uniform(low, high))


def _log_uniform(name: str, arguments: list[Any]) -> Draw:
    low, high = _rising(name, arguments)
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


def _rising(name: str, arguments: list[Any]) -> tuple[float, float]:
    low, high = _numbers(name, arguments)
    if low > high:
        raise InvalidParameter(name, arguments, "lowest value, then highest")
    return low, high


def _numbers(name: str, arguments: list[Any]) -> tuple[float, float]:
    plain = [a for a in arguments if isinstance(a, (int, float)) and not isinstance(a, bool) and math.isfinite(a)]
    if len(arguments) != 2 or len(plain) != 2:
        raise InvalidParameter(name, arguments, "two finite numbers")
    return float(plain[0]), float(plain[1])


_KINDS: dict[str, Callable[[str, list[Any]], Draw]] = {
    "uniform": _uniform,
    "log_uniform": _log_uniform,
    "normal": _normal,
    "choice": _choice,
}
