# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The interval estimator behind the common interface: what mu the floor under one foot can have (study 7)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from biped_slip.compile.kernel import kernel, without_dispatch
from biped_slip.errors import InvalidParameter
from biped_slip.friction_estimation import slip_detection
from biped_slip.friction_estimation.interval import filters, foot
from biped_slip.friction_estimation.interval.config import IntervalConfig
from biped_slip.friction_estimation.interval.foot_state import DOUBTS, FAULTS, FOOT, IntervalState
from biped_slip.friction_estimation.interval.settings import Settings, compact, settings
from biped_slip.friction_estimation.types import NO_MEASUREMENT, FootMeasurement, FrictionEstimate

WARM_UP_SAMPLES = 40


@kernel(inline="text")
def interval_step(
    state: IntervalState, settings: Settings, measurement: FootMeasurement, dt: float
) -> tuple[IntervalState, FrictionEstimate]:
    """One sample later; overwrites the buffers of ``state`` and returns it."""
    return state, foot.step(state, settings, measurement, dt)


class IntervalEstimator:
    """Friction interval of one foot, before it slips.

    Until the load has bent the force-displacement curve the honest answer is "not identifiable": ``mu`` is NaN,
    ``usable`` false, and ``mu_low`` is what the foot has already held. Once released ``mu`` is the median. A
    contact in which the foot slips answers with the ratio measured while sliding.

    The state is made of buffers that ``step`` overwrites: keep a copy (``copy_state``) to go back to it.

    Args:
        config: sensors, sole and thresholds.
        body_weight: of the robot [N]; scales contact detection and the belief about series compliance.
    """

    kernel = staticmethod(interval_step)

    def __init__(self, config: IntervalConfig | None = None, *, body_weight: float) -> None:
        if not (math.isfinite(body_weight) and body_weight > 0.0):
            raise InvalidParameter("body_weight", body_weight, "finite and > 0 [N]", "mass times 9.81")
        self.config = IntervalConfig() if config is None else config
        self.body_weight = float(body_weight)
        self.settings = settings(self.config, self.body_weight)
        self._compact = compact(self.settings)
        self._quick: Any = None  # compiled at the first sample

    @property
    def has_foresight(self) -> bool:
        """Whether the sole is calibrated; if not, the certificate is about what the foot has already held."""
        return self.config.sole.calibrated

    def initial_state(self) -> IntervalState:
        """A foot in the air that knows of its sole what the configuration says."""
        record = np.zeros(1, dtype=FOOT)
        sole = self.settings.sole
        record["sole_s_p"], record["sole_s_p_spread"] = sole.s_p, sole.s_p_spread
        record["sole_compliance"], record["sole_compliance_sd"] = sole.compliance, sole.compliance_sd
        return IntervalState(filters.new_filters(self.settings.model), slip_detection.new_buffers(), record)

    def step(
        self, state: IntervalState, measurement: FootMeasurement, dt: float
    ) -> tuple[IntervalState, FrictionEstimate]:
        """One sample later; overwrites the buffers of ``state`` and returns it.

        Args:
            state: from ``initial_state`` or the previous step.
            measurement: one sample of this foot.
            dt: time since the previous sample [s].
        """
        if self._quick is None:
            self._quick = without_dispatch(foot.step_compact, state, self._compact, NO_MEASUREMENT, 1e-3)
        return state, self._quick(state, self._compact, measurement, dt)

    def fault(self, state: IntervalState) -> str:
        """Why the last sample answered INVALID_INPUT, in one sentence; empty if it did not."""
        code = int(state.foot[0]["fault"])
        return FAULTS[code] if code else ""

    def doubt(self, state: IntervalState) -> str:
        """Why the certificate of this contact is withdrawn, in one sentence; empty if it is not."""
        code = int(state.foot[0]["doubt"])
        return DOUBTS[code] if code else ""

    def slip(self, state: IntervalState) -> slip_detection.SlipEvent | None:
        """Onset, direction, distance and kinetic ratio of the last slip of this contact, if there was one."""
        return slip_detection.last_event(state.slip)

    def warm_up(self) -> None:
        """Compile everything that a contact needs, so that the first touchdown costs no more than the others."""
        state = self.initial_state()
        period = self.config.block_time / 5.0
        settling = int(self.config.gate.settling_time / period)
        for k in range(settling + WARM_UP_SAMPLES):
            normal = self.body_weight if k < settling + WARM_UP_SAMPLES - 2 else 0.0
            measurement = FootMeasurement(
                k, -1e-3 * k * normal, 0.0, normal, 1e-7 * k, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            )
            state, _ = self.step(state, measurement, period)


def copy_state(state: IntervalState) -> IntervalState:
    """A state that later steps leave alone."""
    return IntervalState(
        type(state.filters)(*(array.copy() for array in state.filters)),
        type(state.slip)(*(array.copy() for array in state.slip)),
        state.foot.copy(),
    )
