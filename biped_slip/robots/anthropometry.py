# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A person's segments from body mass and height.

References:
    D. A. Winter, Biomechanics and Motor Control of Human Movement [Winter2009]: table 4.1 (after [Dempster1955]:
    mass, centre of mass from the proximal end, radius of gyration about it), figure 4.1 (after Drillis and Contini:
    lengths in parts of the height).
"""

from __future__ import annotations

from typing import NamedTuple

from biped_slip.robots.urdf_writer import Body, box, rod


class Segment(NamedTuple):
    """One row: parts of body mass, of body height and of segment length."""

    mass: float
    length: float
    centre: float  # from the proximal end
    gyration: float  # about the centre of mass
    radius: float  # thickness in parts of the segment's length (choice)


SEGMENTS = {
    "foot": Segment(0.0145, 0.152, 0.50, 0.475, 0.15),
    "shank": Segment(0.0465, 0.246, 0.433, 0.302, 0.12),
    "thigh": Segment(0.100, 0.245, 0.433, 0.323, 0.16),
    "upper_arm": Segment(0.028, 0.186, 0.436, 0.322, 0.14),
    "forearm": Segment(0.016, 0.146, 0.430, 0.303, 0.13),
    "hand": Segment(0.006, 0.108, 0.506, 0.297, 0.20),
    "head": Segment(0.081, 0.182, 0.50, 0.495, 0.45),  # with the neck, from the shoulders up; centre: choice
    "trunk": Segment(0.497, 0.288, 0.50, 0.30, 0.30),  # hips to shoulders; gyration of a uniform trunk: choice
    "hat": Segment(0.678, 0.288, 0.626, 0.496, 0.30),  # head, arms and trunk
    "pelvis": Segment(0.142, 0.10, 0.50, 0.30, 0.80),  # a part of the trunk; its length: choice
}
ANKLE_HEIGHT, HIP_WIDTH, SHOULDER_WIDTH, FOOT_BREADTH = 0.039, 0.191, 0.259, 0.055  # of the height


class Person(NamedTuple):
    """Whom the segments belong to."""

    mass: float  # [kg]
    height: float  # [m]

    def length(self, segment: str) -> float:
        """Length of a segment [m]."""
        return SEGMENTS[segment].length * self.height

    def limb(self, name: str, segment: str, up: bool = False, less: float = 0.0, mass: float | None = None) -> Body:
        """A segment along z from its proximal end, downwards or upwards.

        Args:
            less: mass [kg] that its neighbours have taken.
            mass: [kg] instead of the table's.
        """
        row = SEGMENTS[segment]
        own = (row.mass * self.mass if mass is None else mass) - less
        length = row.length * self.height
        z = (1.0 if up else -1.0) * row.centre * length
        return Body(name, own, (0.0, 0.0, z), rod(own, length, row.gyration, row.radius * length))

    def foot(self, name: str, mass: float | None = None) -> Body:
        """A foot under its ankle: the heel a quarter of its length behind, the sole at the ankle's height."""
        own = SEGMENTS["foot"].mass * self.mass if mass is None else mass
        length, height = self.length("foot"), ANKLE_HEIGHT * self.height
        return Body(name, own, (0.25 * length, 0.0, -0.5 * height), box(own, length, self.breadth, height))

    @property
    def breadth(self) -> float:
        """Width of a foot [m]."""
        return FOOT_BREADTH * self.height
