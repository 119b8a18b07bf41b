# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Feet and their friction as whole_body_state_msgs/WholeBodyState, where it is built.

Its plug-in for RViz draws the forces and friction cones of the contacts. What is not
known here, the centre of mass, is not a number; a cone that is not known has the
coefficient zero, for which nothing is drawn.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Sequence

from biped_slip.ros.dds import message_class

if TYPE_CHECKING:
    from geometry_msgs.msg import Quaternion
    from sensor_msgs.msg import JointState

    from biped_slip.ros.nodes.friction_markers import FootView

WHOLE_BODY_TYPE = "whole_body_state_msgs/msg/WholeBodyState"
CONTACT_TYPE = "whole_body_state_msgs/msg/ContactState"
JOINT_TYPE = "whole_body_state_msgs/msg/JointState"
# of ContactState
LOCOMOTION = 0
CONTACT_CLOSED = 0
CONTACT_OPEN = 1
CONTACT_SLIPPING = 2


def whole_body_state(
    frame: str, joints: JointState, base: Quaternion, feet: Sequence[FootView]
) -> Any:
    """Build the message of one instant, that of the joints.

    Args:
        frame: of the feet's places and of the base's orientation.
        joints: positions, and velocities and efforts where they are sent.
        base: orientation.
        feet: places, forces and friction.
    """
    kind: Any = message_class(WHOLE_BODY_TYPE)
    message = kind()
    message.header.frame_id = frame
    message.header.stamp = joints.header.stamp
    message.time = joints.header.stamp.sec + 1e-9 * joints.header.stamp.nanosec
    message.centroidal.base_orientation = base
    for axis in "xyz":
        setattr(message.centroidal.com_position, axis, math.nan)
        setattr(message.centroidal.com_velocity, axis, math.nan)
    message.joints = [joint(joints, index) for index in range(len(joints.name))]
    message.contacts = [contact(foot) for foot in feet]
    return message


def joint(joints: JointState, index: int) -> Any:
    """Build the message of a joint; what is not sent is not a number."""
    kind: Any = message_class(JOINT_TYPE)
    message = kind()
    message.name = joints.name[index]
    message.acceleration = math.nan
    for what in ("position", "velocity", "effort"):
        sent = getattr(joints, what)
        setattr(message, what, sent[index] if index < len(sent) else math.nan)
    return message


def contact(foot: FootView) -> Any:
    """Build the message of a contact, in the frame of the feet's places."""
    kind: Any = message_class(CONTACT_TYPE)
    message = kind()
    message.name = foot.name
    message.type = LOCOMOTION
    closed = CONTACT_SLIPPING if foot.estimate.slipping else CONTACT_CLOSED
    message.contact_state = closed if foot.force[2] > 0.0 else CONTACT_OPEN
    force = foot.rotation @ foot.force
    normal = foot.rotation[:, 2]
    for row, axis in enumerate("xyz"):
        setattr(message.pose.position, axis, float(foot.position[row]))
        setattr(message.wrench.force, axis, float(force[row]))
        setattr(message.surface_normal, axis, float(normal[row]))
    mu = foot.estimate.mu
    message.friction_coefficient = mu if math.isfinite(mu) else 0.0
    return message
