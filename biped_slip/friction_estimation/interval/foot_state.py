# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What is remembered of one foot between samples, and what may be wrong with a sample."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biped_slip.friction_estimation.interval.types import Filters
from biped_slip.friction_estimation.slip_detection import SlipBuffers
from biped_slip.friction_estimation.types import EstimateState

FAULTS = (
    "no fault",
    "a force is not finite or above 100 body weights; check the force sensor",
    "the displacement is above 10 km; check its unit, metres are expected",
    "the time since the last sample is not positive and finite; check the stamps",
    "the displacement stays put while the load changes: a source that assumes the stance foot is still carries "
    "no information about friction; measure the foot's motion",
)
FORCE, DISPLACEMENT, TIME, STILL = 1, 2, 3, 4  # indices of FAULTS

DOUBTS = (
    "no doubt",
    "the foot has held more than the upper end of the interval: the sole, the floor or the motion is not as told",
    "the motion jumped against the model in this contact: the floor under the foot changed, or a sensor failed",
    "the residuals are correlated: motion or force drift, lag or come late more than told",
    "the foot moves against its load, the sign of force or motion is turned: force_x, force_y are the ground's on the "
    "foot, displacement_x, displacement_y the sole's over the ground; pushed forward it moves forward and is held back",
)
REFUTED, RESTLESS, COLOURED, OPPOSED = 1, 2, 3, 4  # indices of DOUBTS

NO_CONTACT = int(EstimateState.NO_CONTACT)
SETTLING = int(EstimateState.SETTLING)
NOT_IDENTIFIABLE = int(EstimateState.NOT_IDENTIFIABLE)
USABLE = int(EstimateState.USABLE)
SLIPPING = int(EstimateState.SLIPPING)
INVALID_INPUT = int(EstimateState.INVALID_INPUT)


class IntervalState(NamedTuple):
    """State of one foot: buffers that ``step`` overwrites and hands on."""

    filters: Filters
    slip: SlipBuffers
    foot: NDArray[Any]  # one record of FOOT


FOOT = np.dtype(
    [
        ("in_contact", np.bool_),
        ("age", np.float64),  # of the contact [s]
        ("aloft", np.float64),  # how long it has carried next to nothing [s]
        ("light", np.float64),  # how long the load has been too light for a contact [s]
        ("rolled", np.float64),  # age at which the foot last rolled or a gap ended [s]
        ("started", np.bool_),  # the grid has its first block
        ("anchored", np.bool_),  # and no roll, gap or slip has moved the origin since
        ("samples", np.int64),  # of the block under way, and its sums
        ("duration", np.float64),
        ("u_x", np.float64),
        ("u_y", np.float64),
        ("moment", np.float64),
        ("x", np.float64),
        ("y", np.float64),
        ("force_x", np.float64),
        ("force_y", np.float64),
        ("force_normal", np.float64),
        ("integral_x", np.float64),  # of a measured velocity where no displacement is given [m]
        ("integral_y", np.float64),
        ("sigma_u", np.float64),  # of the last block
        ("low", np.float64),  # last read-out
        ("q05", np.float64),
        ("median", np.float64),
        ("high", np.float64),
        ("witnessed", np.float64),
        ("s_p", np.float64),  # [mm]
        ("s_p_sd", np.float64),
        ("released", np.bool_),
        ("usable", np.bool_),
        ("sole_s_p", np.float64),  # belief about the sole with which the next contact starts [mm]
        ("sole_s_p_spread", np.float64),
        ("sole_compliance", np.float64),  # [mm/100 N]
        ("sole_compliance_sd", np.float64),
        ("doubt", np.int64),  # one of DOUBTS: why the certificate of this contact is withdrawn
        ("opposed", np.bool_),  # it moved against its load in this contact
        ("refuted", np.bool_),  # the foot held more than an interval of this contact allowed
        ("regripped", np.bool_),  # it has held more than its last slide did
        ("forgotten", np.int64),  # times that this contact was no longer what it was
        ("invalid", np.int64),  # samples skipped so far
        ("fault", np.int64),  # of the last sample, one of FAULTS
        ("still_x", np.float64),  # block since which the displacement has not changed [mm]
        ("still_y", np.float64),
        ("still_u_x", np.float64),
        ("still_u_y", np.float64),
    ]
)
