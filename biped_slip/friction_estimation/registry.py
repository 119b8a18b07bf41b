# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Registry of friction estimators, for walks, replays, nodes, campaigns and commands.

A new estimator is its file and a line here, or an entry point of the group
``biped_slip.estimators``, or ``FILE.py:NAME``. Each is a place in the form of an entry
point, ``package.module:factory``, which is imported when its estimator is chosen: a
robot loads that one alone, and whoever asks for the names loads none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biped_slip.plugins import complete, loaded, names

if TYPE_CHECKING:
    from biped_slip.friction_estimation.settings import EstimatorSettings
    from biped_slip.friction_estimation.types import FrictionEstimator

DEFAULT = "interval"  # of recordings, whose feet land as they like
# of robots that walk with this package's controllers: their feet slide as they land
LANDING_ESTIMATOR = "touchdown"
GROUP = "biped_slip.estimators"


#: Factories ``(settings) -> FrictionEstimator`` by the estimator's name.
ESTIMATORS = {
    "interval": "biped_slip.friction_estimation.interval_or_slip:interval_estimator",
    "slip": "biped_slip.friction_estimation.slip_based:slip_estimator",
    "touchdown": "biped_slip.friction_estimation.touchdown:touchdown_estimator",
    "thesis": "biped_slip.friction_estimation.rls:thesis_estimator",
}


def estimator_names() -> list[str]:
    """List the names of all estimators, those of installed packages included."""
    return names(GROUP, ESTIMATORS)


def make_estimator(name: str, settings: EstimatorSettings) -> FrictionEstimator[Any]:
    """Make a fresh estimator for a foot.

    Args:
        name: of a shipped or installed estimator, or ``FILE.py:NAME``.
        settings: body weight [N], noise of the sensors, thresholds.

    Raises:
        UnknownName: no such estimator.
        InvalidParameter: what the name points to makes none.
    """
    # only who makes an estimator needs its interface
    from biped_slip.friction_estimation.former import taking_context

    made = loaded("estimator", GROUP, ESTIMATORS, name)(settings)
    parts = ("initial_state", "step")
    return taking_context(
        complete("estimator", name, made, "a FrictionEstimator", parts)
    )
