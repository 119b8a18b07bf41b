# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Settings of a biped's YAML beside its URDF."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Mapping

from biped_slip.config import Configuration, configuration, parameter, section
from biped_slip.errors import InvalidParameter

if TYPE_CHECKING:
    from typing_extensions import Self


SOLES = ("l_sole", "r_sole")  # names of frames, the soles' by REP 120
IMU = "imu"
FOOT_IMUS = ("l_foot_imu", "r_foot_imu")
FORCE_SENSORS = ("l_ft", "r_ft")

Pairs = tuple[tuple[str, float], ...]


def with_pairs(mapping: Mapping[str, Any] | None, keys: Iterable[str]) -> dict[str, Any]:
    """Convert mappings of joint to number, under some keys, into pairs."""
    values = dict(mapping or {})
    for key in keys:
        if isinstance(values.get(key), Mapping):
            values[key] = tuple((str(joint), float(number)) for joint, number in values[key].items())
    return values


@configuration
class FrameConfig(Configuration):
    """A frame on a link."""

    link: str = parameter("", doc="link that carries it")
    position: tuple[float, ...] = parameter((0.0, 0.0, 0.0), unit="m", doc="in the link")
    rpy: tuple[float, ...] = parameter((0.0, 0.0, 0.0), unit="rad", doc="roll, pitch, yaw in the link")

    def check(self) -> None:
        """Check that there are three numbers each."""
        for name in ("position", "rpy"):
            if len(getattr(self, name)) != 3:
                raise InvalidParameter(f"FrameConfig.{name}", getattr(self, name), "three numbers")


@configuration
class SoleContactConfig(Configuration):
    """Contact of a sole with the floor; stiffness and damping grow with the robot's weight."""

    polygon: tuple[tuple[float, float], ...] = parameter(
        ((0.0, 0.0),), unit="m", doc="corners (x, y) of the left sole, mirrored for the right; one corner: a point foot"
    )
    rows: int = parameter(4, low=2, high=50, doc="contact points along x")
    columns: int = parameter(4, low=2, high=50, doc="contact points along y")
    stiffness: float = parameter(
        900.0, unit="1/m", above=0.0, high=1e5, source="simulation study 2", doc="of a foot, per newton of weight"
    )
    damping: float = parameter(
        5.0, unit="s/m", low=0.0, high=100.0, doc="normal damping over stiffness b/k; between 0.7 (A.7) and 30 (E.3)"
    )

    def check(self) -> None:
        """Check that there is one corner, or a polygon."""
        if len(self.polygon) == 2 or not self.polygon or any(len(corner) != 2 for corner in self.polygon):
            raise InvalidParameter("contact.polygon", self.polygon, "one corner (x, y), or at least three")


@configuration
class HumanoidConfig(Configuration):
    """A floating-base biped: ``config/robots/NAME.yaml``; joints are named as in the URDF.

    A force/torque sensor that is not named sits in the sole, a foot's IMU in the force/torque sensor, the IMU at the
    origin of the base.
    """

    description: str = parameter("", doc="URDF: path, or example-robot-data:PATH")
    l_sole: FrameConfig = section(FrameConfig)
    r_sole: FrameConfig = section(FrameConfig)
    imu: FrameConfig = section(FrameConfig)
    l_ft: FrameConfig = section(FrameConfig)
    r_ft: FrameConfig = section(FrameConfig)
    l_foot_imu: FrameConfig = section(FrameConfig)
    r_foot_imu: FrameConfig = section(FrameConfig)
    contact: SoleContactConfig = section(SoleContactConfig)
    joints: tuple[str, ...] = parameter((), doc="actuated joints; () is every joint that is not locked")
    locked: Pairs = parameter((), unit="rad", doc="joints held for ever, with their position")
    posture: Pairs = parameter((), unit="rad", doc="standing posture; what is not named stands at 0")
    armature: float = parameter(0.0, unit="kg m^2", low=0.0, high=10.0, doc="reflected rotor inertia of every joint")
    armatures: Pairs = parameter((), unit="kg m^2", low=0.0, high=10.0, doc="reflected rotor inertia by joint")
    least_moment: float = parameter(
        0.0, unit="kg m^2", low=0.0, high=1.0, doc="links of smaller principal moments get so much; 0 refuses zeros"
    )
    power: float = parameter(
        0.0, unit="W", low=0.0, high=1e6,
        doc="mean over 50 ms that no joint needs in any walk: beyond it all are damped; 0: from weight and height",
    )  # fmt: skip
    efforts: Pairs = parameter((), unit="N m", above=0.0, doc="torque limits that correct those of the URDF")

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any] | None, name: str = "") -> Self:
        """Build from nested dictionaries; ``locked``, ``posture`` and the like may be mappings of joint to number."""
        return super().from_mapping(with_pairs(mapping, ("locked", "posture", "armatures", "efforts")), name)
