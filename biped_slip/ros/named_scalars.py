# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Estimates and records as stamped, self-describing messages."""

from __future__ import annotations

import math
from array import array
from typing import Any, Sequence

import numpy as np
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from biped_slip.friction_estimation.types import NO_ESTIMATE, EstimateState, FrictionEstimate
from biped_slip.ros.cdr import SCHEMAS, Layout, message_class
from biped_slip.ros.dds import OUTPUTS
from biped_slip.ros.messages import FEET, Content, InputTopic, Numbers, UnusableSample, set_stamp
from biped_slip.ros.robot_node import RobotNode
from biped_slip.walking.controller import ControlOutput

ESTIMATE_NAMES = list(FrictionEstimate._fields)
NEVER_NEGATIVE = ("mu", "mu_low", "mu_q05", "mu_median", "mu_high", "witnessed")  # nor infinite, but for an upper end
_TYPES: list[type] = [bool if name in ("usable", "flag", "slipping") else float for name in ESTIMATE_NAMES]
_ABSENT = [math.nan if kind is float else 0.0 for kind in _TYPES]  # what a message does not name


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


class SerialisedScalars:
    """The bytes of the same message, made once; stamp and values are written over."""

    def __init__(self, frame: str, names: Sequence[str]) -> None:
        raw = serialize_message(NamedScalars(frame, names).fill(0, np.zeros(len(names))))
        self._layout = Layout(raw, SCHEMAS["JointState"])

    def fill(self, stamp: int, values: Sequence[float]) -> bytes:
        """The message."""
        self._layout.views["position"][:] = values
        return self._layout.message(stamp)


class FrictionInput(InputTopic):
    """The newest estimate of one foot; quantities that its message does not name are NaN or false."""

    estimate = NO_ESTIMATE

    def __init__(self, name: str, raw: bool = True) -> None:
        super().__init__(name, JointState, ["position"], raw, texts=["name"])

    def check(self, content: Content) -> None:
        """It says what state it is in, and has a value for every name."""
        names, values = list(content.texts["name"]), content.numbers["position"]
        if "state_code" not in names:
            raise UnusableSample("wrong content", f"{self.name}: no state_code among {', '.join(names) or 'no names'}")
        if len(values) != len(names):
            raise UnusableSample("wrong size", f"{self.name}: {len(values)} values for {len(names)} names")
        self._picks = [names.index(name) if name in names else None for name in ESTIMATE_NAMES]

    def accept(self, numbers: Numbers) -> None:
        """As an estimate."""
        values = numbers["position"].tolist()
        given = [absent if at is None else values[at] for at, absent in zip(self._picks, _ABSENT, strict=True)]
        if not math.isfinite(given[-1]):
            raise UnusableSample("input not finite", f"{self.name}: state_code")
        for name in NEVER_NEGATIVE:
            value = given[ESTIMATE_NAMES.index(name)]
            if value < 0.0 or (value == math.inf and name != "mu_high"):
                raise UnusableSample("implausible input", f"{self.name}: {name} of {value:g}")
        fields = [kind(value) for kind, value in zip(_TYPES, given, strict=True)]
        self.estimate = FrictionEstimate(*fields[:-1], state_code=int(fields[-1]))


def estimate_from(message: JointState) -> FrictionEstimate:
    """The estimate in a message.

    Raises:
        UnusableSample: it says no state_code.
    """
    topic = FrictionInput("friction")
    content = topic.content(message)
    topic.check(content)
    topic.accept(content.numbers)
    return topic.estimate


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


# What a controller did in a tick: quantities of its own, then the joints' efforts and the estimates of both feet.


def record_names(own: Sequence[str], joints: Sequence[str]) -> list[str]:
    """Names of the scalars in a record."""
    estimates = (f"{foot[0]}_{name}" for foot in FEET for name in ESTIMATE_NAMES)
    return [*own, *(f"{joint}_effort" for joint in joints), *estimates]


def record_values(own: Sequence[float], output: ControlOutput) -> list[float]:
    """Its scalars in the order of their names."""
    left, right = output.estimates
    return [*own, *output.torques, *left, *right]


# Estimates as biped_slip_msgs/FrictionEstimate, beside the named scalars, where that package is installed.

TYPE = "biped_slip_msgs/msg/FrictionEstimate"


class TypedEstimates:
    """Topics ``~/FOOT/friction_estimate`` of a node; none where the package is absent, nothing where nobody listens.

    Args:
        node: publishes.
        soles: frames of the feet, left then right.
    """

    def __init__(self, node: RobotNode, soles: Sequence[str]) -> None:
        kind = message_class(TYPE)
        topics = [] if kind is None else [f"~/{foot}/friction_estimate" for foot in FEET]
        self._outputs = [node.advertise(kind, topic, OUTPUTS) for topic in topics]
        self._messages: list[Any] = [] if kind is None else [kind() for _ in soles]
        for message, sole in zip(self._messages, soles, strict=bool(self._messages)):
            message.header.frame_id = sole

    def publish(self, stamp: int, estimates: Sequence[FrictionEstimate]) -> None:
        """Of both feet at an instant [ns]."""
        for output, message, estimate in zip(self._outputs, self._messages, estimates):  # noqa: B905
            if output.get_subscription_count():
                set_stamp(message.header, stamp)
                for name, value in estimate._asdict().items():
                    setattr(message, name, value)
                output.publish(message)
