# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Friction of feet and floor as messages: named scalars, and types of their own.

Where biped_slip_msgs is installed, estimates have types of their own
(``…/friction_estimate``). The same numbers as named scalars (sensor_msgs/JointState,
``…/friction_values``) need no package beside ROS.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Sequence

from sensor_msgs.msg import JointState

from biped_slip.estimation.readings import ESTIMATE, SECOND, Judge, estimate_problem
from biped_slip.friction_estimation.contact_state import NO_TOUCHDOWN, FootContact
from biped_slip.friction_estimation.recent_floor import RecentFloor
from biped_slip.friction_estimation.types import FrictionEstimate
from biped_slip.ros.dds import OUTPUTS, message_class
from biped_slip.ros.messages import (
    ESTIMATE_NAMES,
    FOOT_NAMES,
    SerialisedScalars,
    UnusableSample,
    ValuesPublisher,
    estimate_from,
    set_time,
)
from biped_slip.ros.robot_node import RobotNode

ESTIMATE_TYPE = "biped_slip_msgs/msg/FrictionEstimate"
FLOOR_TYPE = "biped_slip_msgs/msg/FloorFriction"
NORMAL_FORCE = "normal_force_newtons"
#: Named scalars behind those of an estimate.
CONTACT_NAMES = ["contact_state", "seconds_since_touchdown", "force_source"]
FOOT_NAMED = [*ESTIMATE_NAMES, *CONTACT_NAMES, NORMAL_FORCE]
FLOOR_NAMED = ["mu", "mu_low", "mu_high", "answers", "seconds_since_answer"]


def seconds_since(stamp_ns: int, then_ns: int) -> float:
    """Return the time since an instant [s]; NaN where there was none."""
    return math.nan if then_ns == NO_TOUCHDOWN else (stamp_ns - then_ns) / SECOND


def contact_scalars(stamp_ns: int, contact: FootContact) -> list[float]:
    """List the scalars of a contact in the order of their names."""
    return [
        float(contact.state),
        seconds_since(stamp_ns, contact.touchdown_ns),
        float(contact.force_source),
        contact.normal_force,
    ]


def floor_scalars(stamp_ns: int, floor: RecentFloor) -> list[float]:
    """List the scalars of a floor in the order of their names."""
    since = seconds_since(stamp_ns, floor.answered_ns)
    return [floor.mu, floor.mu_low, floor.mu_high, float(floor.answers), since]


class FrictionOutputs:
    """Publishers of a node that knows the friction under feet and floor.

    ``~/FOOT/friction_estimate`` and ``~/floor/friction_estimate`` have types, where
    their package is installed, and are silent without listeners;
    ``~/FOOT/friction_values`` and ``~/floor/friction_values`` are named scalars.

    Args:
        node: publishes.
        soles: frames of the feet.
        base: frame of the floor's message, that of the body.
    """

    def __init__(self, node: RobotNode, soles: Sequence[str], base: str) -> None:
        places = [f"~/{foot}" for foot in FOOT_NAMES]
        self._feet = [node.opened(ValuesPublisher(node, place)) for place in places]
        self._floor = node.opened(ValuesPublisher(node, "~/floor"))
        self._foot_messages = [SerialisedScalars(sole, FOOT_NAMED) for sole in soles]
        self._floor_message = SerialisedScalars(base, FLOOR_NAMED)
        self._typed_feet = [
            typed_output(node, ESTIMATE_TYPE, f"~/{foot}/friction_estimate", sole)
            for foot, sole in zip(FOOT_NAMES, soles, strict=True)
        ]
        self._typed_floor = typed_output(
            node, FLOOR_TYPE, "~/floor/friction_estimate", base
        )

    def publish(
        self,
        stamp: int,
        estimates: Sequence[FrictionEstimate],
        contacts: Sequence[FootContact],
        floor: RecentFloor,
    ) -> None:
        """Publish what is known at an instant [ns]."""
        for foot, (estimate, contact) in enumerate(
            zip(estimates, contacts, strict=True)
        ):
            values = [*estimate, *contact_scalars(stamp, contact)]
            message = self._foot_messages[foot].fill(stamp, values)
            self._feet[foot].publish(message)
            if output := heard(self._typed_feet[foot]):
                fill_foot(output.message, stamp, estimate, contact)
                output.publisher.publish(output.message)
        scalars = floor_scalars(stamp, floor)
        self._floor.publish(self._floor_message.fill(stamp, scalars))
        if output := heard(self._typed_floor):
            fill_floor(output.message, stamp, floor)
            output.publisher.publish(output.message)


class TypedOutput(NamedTuple):
    """Publisher of a type that need not be installed, and its message."""

    publisher: Any
    message: Any


def typed_output(
    node: RobotNode, kind: str, topic: str, frame: str
) -> TypedOutput | None:
    """Advertise a topic of a type; None where its package is absent."""
    found = message_class(kind)
    if found is None:
        return None
    message: Any = found()
    message.header.frame_id = frame
    return TypedOutput(node.advertise(found, topic, OUTPUTS), message)


def heard(output: TypedOutput | None) -> TypedOutput | None:
    """Return an output that has listeners."""
    if output is None or not output.publisher.get_subscription_count():
        return None
    return output


def fill_foot(
    message: Any, stamp: int, estimate: FrictionEstimate, contact: FootContact
) -> None:
    """Write a foot's friction and contact at an instant [ns] into a typed message."""
    set_time(message.header.stamp, stamp)
    for name, value in estimate._asdict().items():
        setattr(message, name, value)
    message.contact_state = int(contact.state)
    set_time(message.touchdown, contact.touchdown_ns)
    message.force_source = int(contact.force_source)
    message.normal_force_newtons = contact.normal_force


def fill_floor(message: Any, stamp: int, floor: RecentFloor) -> None:
    """Write the floor's friction at an instant [ns] into a typed message."""
    set_time(message.header.stamp, stamp)
    message.mu = floor.mu
    message.mu_low = floor.mu_low
    message.mu_high = floor.mu_high
    message.answers = floor.answers
    set_time(message.answered, floor.answered_ns)


class FootReport(NamedTuple):
    """A foot's estimate and load as a message says them."""

    estimate: FrictionEstimate
    normal_force: float  # [N]; NaN where the message says none


_JUDGE = Judge(ESTIMATE, "friction")


def report_from(message: Any) -> FootReport:
    """Read a foot's message: named scalars, or biped_slip_msgs/FrictionEstimate.

    Raises:
        UnusableSample: it says no state_code, or a number that no estimate has.
    """
    if isinstance(message, JointState):
        named = dict(zip(message.name, message.position, strict=False))
        return FootReport(estimate_from(message), named.get(NORMAL_FORCE, math.nan))
    estimate = FrictionEstimate._make(getattr(message, name) for name in ESTIMATE_NAMES)
    if problem := estimate_problem(_JUDGE, estimate):
        raise UnusableSample(*problem[:2])
    return FootReport(estimate, float(message.normal_force_newtons))
