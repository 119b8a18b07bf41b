# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Estimates and control records as stamped, self-describing messages: named scalars in a sensor_msgs/JointState."""

from __future__ import annotations

import math
from array import array
from typing import Sequence

import numpy as np
from sensor_msgs.msg import JointState

from biped_slip.friction.types import EstimateState, FrictionEstimate
from biped_slip.nodes.messages import UnusableSample, set_stamp
from biped_slip.simulation.walker import ControlRecord

ESTIMATE_NAMES = list(FrictionEstimate._fields)
_TYPES = [bool if name in ("usable", "flag", "slipping") else float for name in ESTIMATE_NAMES]


class NamedScalars:
    """One message with fixed names, refilled with values."""

    def __init__(self, frame: str, names: Sequence[str]) -> None:
        self._message = JointState(name=list(names))
        self._message.header.frame_id = frame

    def fill(self, stamp: int, values: Sequence[float]) -> JointState:
        """The message; valid until the next call."""
        set_stamp(self._message.header, stamp)
        self._message.position = array("d", values)
        return self._message


def estimate_from(message: JointState) -> FrictionEstimate:
    """The estimate in a message; quantities that it does not name are NaN or false.

    Raises:
        UnusableSample: it names no state_code.
    """
    values = message.position
    if message.name != ESTIMATE_NAMES:
        given = dict(zip(message.name, message.position, strict=False))
        if "state_code" not in given:
            raise UnusableSample(f"friction: no state_code among {', '.join(message.name) or 'no names'}")
        values = [
            given.get(name, float("nan") if kind is float else 0.0)
            for name, kind in zip(ESTIMATE_NAMES, _TYPES, strict=True)
        ]
    fields = [kind(value) for kind, value in zip(_TYPES, values, strict=True)]
    return FrictionEstimate(*fields[:-1], state_code=int(fields[-1]))


def estimate_in_words(estimate: FrictionEstimate, fault: str = "") -> str:
    """State word, interval and what was held, for people; ``fault`` says why an input is invalid."""
    words = EstimateState(estimate.state_code).name.lower().replace("_", " ")
    if fault:
        return f"{words}: {fault}"
    if math.isfinite(estimate.mu):
        words += f", mu {estimate.mu:.3f}"
    if math.isfinite(estimate.mu_low) and math.isfinite(estimate.mu_high):
        words += f", in {estimate.mu_low:.3f} ... {estimate.mu_high:.3f}"
    if math.isfinite(estimate.witnessed):
        words += f", held {estimate.witnessed:.3f}"
    return words


def control_record_names(joints: Sequence[str]) -> list[str]:
    """Names of the scalars in a control record."""
    feet = ("l", "r")
    return [
        *(f"{foot}_{name}" for name in ("wanted_ratio", "limit") for foot in feet),
        "phase",
        *(f"{joint}_effort" for joint in joints),
        *(f"{foot}_{name}" for foot in feet for name in ESTIMATE_NAMES),
    ]


def control_record_values(record: ControlRecord) -> list[float]:
    """Its scalars in the order of their names."""
    left, right = record.estimates
    return [*record.wanted_ratio, *record.limits, float(record.phase), *record.torques, *left, *right]


def control_record_from(message: JointState, joints: int) -> ControlRecord:
    """The record in a message of a controller of so many joints.

    Raises:
        UnusableSample: other names than expected.
    """
    values, fields = message.position, len(ESTIMATE_NAMES)
    if len(values) != 5 + joints + 2 * fields:
        raise UnusableSample(f"control record has {len(values)} values, but must have {5 + joints + 2 * fields}")
    left, right = 5 + joints, 5 + joints + fields
    return ControlRecord(
        (FrictionEstimate(*values[left:right]), FrictionEstimate(*values[right:])),
        (values[0], values[1]),
        (values[2], values[3]),
        np.array(values[5:left]),
        int(values[4]),
    )
