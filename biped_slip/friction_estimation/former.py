# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Estimators of the former interface, without context, kept for one release.

It was ``step(state, measurement, dt)``; since then the interface has a fourth argument,
the context of the foot (:class:`.FootContext`). Where an estimator is taken in,
:func:`taking_context` looks once whether its step takes that argument, and puts those
that do not behind an adapter.
"""

from __future__ import annotations

import inspect
import warnings
from typing import Any, Callable

from biped_slip.friction_estimation.types import (
    NO_CONTEXT,
    FootContext,
    FootMeasurement,
    FrictionEstimate,
    FrictionEstimator,
    ignoring_context,
)


class FormerEstimator:
    """Estimator of the former interface behind the present one; it is told no context.

    Args:
        former: whose ``step`` takes state, measurement and dt.

    Attributes:
        former: the same; its other attributes, such as ``fault``, are found here too.
    """

    def __init__(self, former: Any) -> None:
        self.former = former
        if hasattr(former, "kernel"):
            self.kernel = (
                former.kernel
                if _takes(former.kernel, 5)
                else ignoring_context(former.kernel)
            )

    def __getattr__(self, name: str) -> Any:
        if name == "former" or name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.former, name)

    def initial_state(self) -> Any:
        """Return the state before the first sample."""
        return self.former.initial_state()

    def step(
        self,
        state: Any,
        measurement: FootMeasurement,
        dt: float,
        context: FootContext = NO_CONTEXT,
    ) -> tuple[Any, FrictionEstimate]:
        """Update the estimate by one sample; the context is left out."""
        found: tuple[Any, FrictionEstimate] = self.former.step(state, measurement, dt)
        return found


def taking_context(estimator: FrictionEstimator[Any]) -> FrictionEstimator[Any]:
    """Return the estimator, behind an adapter and with a warning if it is a former one.

    Args:
        estimator: of the present interface or of the former one.
    """
    step = getattr(estimator, "step", None)
    kernel = getattr(estimator, "kernel", None)
    if _takes(step, 4) and _takes(kernel, 5):
        return estimator
    warnings.warn(
        f"{type(estimator).__name__}: its step takes no context; write "
        "step(self, state, measurement, dt, context), and a kernel with context as its "
        "fifth argument; estimators without it go with the next release",
        FutureWarning,
        stacklevel=3,
    )
    return FormerEstimator(estimator)


def class_name(estimator: Any) -> str:
    """Return the name of an estimator's own class, not of its adapter."""
    return type(getattr(estimator, "former", estimator)).__name__


def _takes(function: Callable[..., Any] | None, count: int) -> bool:
    """Return whether a function or kernel, if there is one, takes so many arguments."""
    if function is None:
        return True
    try:
        signature = inspect.signature(getattr(function, "py_func", function))
    except ValueError:  # of no Python function: it is not known
        return True
    try:
        signature.bind(*range(count))
    except TypeError:
        return False
    return True
