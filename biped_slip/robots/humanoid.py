# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Floating-base biped from its URDF and YAML.

The module has its model, its soles, its sensors, and checks of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, Mapping

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.config import (
    Configuration,
    configuration,
    parameter,
    read_yaml,
    section,
)
from biped_slip.constants import GRAVITY
from biped_slip.errors import BipedSlipError, InvalidParameter, UnknownName
from biped_slip.robots.description import (
    FramePlace,
    base_link,
    complete,
    has_link,
    read_description,
)
from biped_slip.robots.description_changes import (
    with_distinct_links,
    with_frictions,
    with_least_moment,
    with_limits,
)
from biped_slip.robots.gears import Gears, NamedGears, gears_of, named_gears
from biped_slip.robots.robot import ENDLESS, SOLES, Robot, Root
from biped_slip.shared_files import shared_file, shared_names

if TYPE_CHECKING:
    from typing_extensions import Self

# names of frames
IMU = "imu"
FOOT_IMUS = ("l_foot_imu", "r_foot_imu")
FORCE_SENSORS = ("l_ft", "r_ft")

#: Sensors of the feet, which a robot may lack.
ABSENT_SENSORS = ("force_torque", "foot_imus")

NamedNumbers = tuple[tuple[str, float], ...]
NamedRanges = tuple[tuple[str, tuple[float, float]], ...]


def named_ranges(mapping: Mapping[str, Any]) -> NamedRanges:
    """Convert ``ranges`` of a robot's YAML into pairs.

    Raises:
        InvalidParameter: not two numbers, the lower one first.
    """
    found = []
    for joint, ends in mapping.items():
        try:
            low, high = (float(end) for end in ends)
        except (TypeError, ValueError):
            low = high = math.nan
        if not low < high:
            raise InvalidParameter(
                f"ranges.{joint}", ends, "[lower, upper] in rad, the lower one first"
            )
        found.append((str(joint), (low, high)))
    return tuple(found)


def with_pairs(
    mapping: Mapping[str, Any] | None, keys: Iterable[str]
) -> dict[str, Any]:
    """Convert mappings of joint to number, under some keys, into pairs."""
    values = dict(mapping or {})
    for key in keys:
        if isinstance(values.get(key), Mapping):
            values[key] = tuple(
                (str(joint), float(number)) for joint, number in values[key].items()
            )
    return values


@configuration
class FrameConfig(Configuration):
    """A frame on a link."""

    link: str = parameter("", doc="link that carries it")
    position: tuple[float, ...] = parameter(
        (0.0, 0.0, 0.0), unit="m", doc="in the link"
    )
    rpy: tuple[float, ...] = parameter(
        (0.0, 0.0, 0.0), unit="rad", doc="roll, pitch, yaw in the link"
    )

    def check(self) -> None:
        """Check for three numbers of position and of rotation."""
        for name in ("position", "rpy"):
            if len(getattr(self, name)) != 3:
                raise InvalidParameter(
                    f"FrameConfig.{name}", getattr(self, name), "three numbers"
                )


@configuration
class SoleContactConfig(Configuration):
    """Contact of a sole with the floor.

    Stiffness and damping grow with the robot's weight.
    """

    polygon: tuple[tuple[float, float], ...] = parameter(
        ((0.0, 0.0),),
        unit="m",
        doc="corners (x, y) of the left sole, mirrored for the right; one corner: a "
        "point foot",
    )
    rows: int = parameter(4, low=2, high=50, doc="contact points along x")
    columns: int = parameter(4, low=2, high=50, doc="contact points along y")
    stiffness: float = parameter(
        900.0,
        unit="1/m",
        above=0.0,
        high=1e5,
        source="simulation study 2",
        doc="of a foot, per newton of weight",
    )
    damping: float = parameter(
        5.0,
        unit="s/m",
        low=0.0,
        high=100.0,
        doc="normal damping over stiffness b/k; between 0.7 (A.7) and 30 (E.3)",
    )

    def check(self) -> None:
        """Check for one corner, or at least three."""
        if (
            len(self.polygon) == 2
            or not self.polygon
            or any(len(corner) != 2 for corner in self.polygon)
        ):
            raise InvalidParameter(
                "contact.polygon", self.polygon, "one corner (x, y), or at least three"
            )


@configuration
class HumanoidConfig(Configuration):
    """A floating-base biped: ``config/robots/NAME.yaml``, joints named as in the URDF.

    A force/torque sensor that is not named sits in the sole, a foot's IMU in the
    force/torque sensor, the IMU at the origin of the base.
    """

    description: str = parameter(
        "", doc="URDF or MJCF: path, or PACKAGE:PATH of an installed package"
    )
    base_rpy: tuple[float, ...] = parameter(
        (0.0, 0.0, 0.0),
        unit="rad",
        doc="roll, pitch, yaw of the description's base in the robot's, which looks "
        "along x with z up",
    )
    absent: tuple[str, ...] = parameter(
        (),
        doc="sensors that the robot has not: force_torque, foot_imus; forces then come "
        "from the currents of its motors",
    )
    l_sole: FrameConfig = section(FrameConfig)
    r_sole: FrameConfig = section(FrameConfig)
    imu: FrameConfig = section(FrameConfig)
    l_ft: FrameConfig = section(FrameConfig)
    r_ft: FrameConfig = section(FrameConfig)
    l_foot_imu: FrameConfig = section(FrameConfig)
    r_foot_imu: FrameConfig = section(FrameConfig)
    contact: SoleContactConfig = section(SoleContactConfig)
    joints: tuple[str, ...] = parameter(
        (), doc="actuated joints; () is every joint that is not locked"
    )
    locked: NamedNumbers = parameter(
        (),
        unit="rad",
        doc="joints held for ever, with their position, by name or pattern",
    )
    posture: NamedNumbers = parameter(
        (),
        unit="rad",
        doc="standing posture; what is not named stands at 0, or at the end of its "
        "range next to it",
    )
    armature: float = parameter(
        0.0,
        unit="kg m^2",
        low=0.0,
        high=10.0,
        doc="reflected rotor inertia of every joint",
    )
    armatures: NamedNumbers = parameter(
        (), unit="kg m^2", low=0.0, high=10.0, doc="reflected rotor inertia by joint"
    )
    frictions: NamedNumbers = parameter(
        (),
        unit="N m",
        low=0.0,
        high=1e3,
        doc="Coulomb friction by joint that corrects that of the URDF: it always acts, "
        "that of gears where unmodelled.gear_friction asks for it",
    )
    least_moment: float = parameter(
        0.0,
        unit="kg m^2",
        low=0.0,
        high=1.0,
        doc="links of smaller principal moments get so much; 0 refuses zeros",
    )
    power: float = parameter(
        0.0,
        unit="W",
        low=0.0,
        high=1e6,
        doc="mean over 50 ms that no joint needs in any walk: beyond it all are "
        "damped; 0: from weight and height",
    )
    efforts: NamedNumbers = parameter(
        (), unit="N m", above=0.0, doc="torque limits that correct those of the URDF"
    )
    speeds: NamedNumbers = parameter(
        (), unit="rad/s", above=0.0, doc="speed limits that correct those of the URDF"
    )
    ranges: NamedRanges = parameter(
        (), unit="rad", doc="ends of ranges that correct those of the URDF"
    )
    gears: NamedGears = parameter(
        (),
        unit="N m, N m s/rad, share",
        low=0.0,
        high=1e4,
        source="[Unitree2025]",
        doc="friction by joint or pattern: coulomb, viscous, load; what is left out "
        "follows from the torque limit",
    )

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any] | None, name: str = "") -> Self:
        """Build from nested dictionaries.

        ``locked``, ``posture`` and the like may be mappings of joint to number.
        """
        pairs = with_pairs(
            mapping,
            ("locked", "posture", "armatures", "efforts", "frictions", "speeds"),
        )
        if isinstance(pairs.get("ranges"), Mapping):
            pairs["ranges"] = named_ranges(pairs["ranges"])
        if isinstance(pairs.get("gears"), Mapping):
            pairs["gears"] = named_gears(pairs["gears"])
        return super().from_mapping(pairs, name)

    def check(self) -> None:
        """Check for three angles of the base, and for known sensors."""
        if len(self.base_rpy) != 3:
            raise InvalidParameter("base_rpy", self.base_rpy, "three angles")
        for name in self.absent:
            if name not in ABSENT_SENSORS:
                raise UnknownName("sensor under 'absent'", name, list(ABSENT_SENSORS))


# What is wrong with a description.

LARGEST_TILT = 0.2  # [rad] between a sole and the floor in the standing posture
RANGE_SLACK = 1e-6  # [rad] beyond a joint's range: rounding of its description
UNEVEN = 0.01  # [m] between the heights of both soles
LEAST_MASS = 1e-9  # [kg]
# that move; the functions of so many are made in some seconds (choice; with hands and
# fingers a humanoid has up to 80)
MOST_JOINTS = 128


def check_description(urdf: str, joints: tuple[str, ...]) -> None:
    """Check that every moving link has inertia, and every moving joint an actuator.

    Args:
        urdf: completed description.
        joints: actuated joints; () is all.

    Raises:
        BipedSlipError: with the joint, its link and what to do.
    """
    try:
        model = pin.buildModelFromXML(urdf)
    except (ValueError, RuntimeError) as error:
        raise BipedSlipError(
            f"robot description: not a valid URDF ({error})"
        ) from error
    moving = list(model.names)[1:]
    if len(moving) > MOST_JOINTS:
        raise InvalidParameter(
            "number of moving joints",
            len(moving),
            f"at most {MOST_JOINTS}",
            "lock those that walking does not need, as fingers ('locked')",
        )
    for joint in joints:
        if joint not in moving:
            raise UnknownName("actuated joint", joint, moving)
    idle = [joint for joint in moving if joint not in joints]
    if joints and idle:
        allowed = f"every moving joint; {', '.join(idle)} is not actuated"
        raise InvalidParameter("joints", joints, allowed, "list it, or lock it")
    base = model.inertias[0].mass
    if base < LEAST_MASS:
        raise InvalidParameter(
            "mass of the base link",
            base,
            "> 0 kg",
            "give the description's root an inertia",
        )
    for i, name in enumerate(moving, start=1):
        inertia = model.inertias[i]
        if inertia.mass < LEAST_MASS:
            remedy = "give its link an <inertial>, or lock the joint"
            raise InvalidParameter(
                f"mass moved by joint {name}", inertia.mass, "> 0 kg", remedy
            )
        least = float(np.linalg.eigvalsh(inertia.inertia)[0])
        if least <= 0.0:
            remedy = "correct the link's inertia, or set 'least_moment: 1e-5'"
            raise InvalidParameter(
                f"smallest principal moment moved by joint {name}",
                least,
                "> 0 kg m^2",
                remedy,
            )


def check_motors(
    joints: tuple[str, ...], efforts: np.ndarray, speeds: np.ndarray
) -> None:
    """Check that every joint has torque and speed: descriptions may leave them at 0.

    Args:
        joints: names (n,).
        efforts: largest torques (n,) [N m].
        speeds: largest rates (n,) [rad/s].
    """
    for name, effort, speed in zip(joints, efforts, speeds, strict=True):
        if not effort > 0.0:
            remedy = "give it under 'efforts', or lock the joint"
            raise InvalidParameter(
                f"torque limit of joint {name}", float(effort), "> 0 N m", remedy
            )
        if not speed > 0.0:
            raise InvalidParameter(
                f"speed limit of joint {name}",
                float(speed),
                "> 0 rad/s",
                "correct its <limit>",
            )


def doubts(model: Any, efforts: np.ndarray) -> list[str]:
    """List implausible values of a description that do not prevent a simulation.

    Each is one sentence.
    """
    found = []
    for i in range(1, model.njoints):
        moments = np.linalg.eigvalsh(model.inertias[i].inertia)
        if moments[2] > (moments[0] + moments[1]) * (1.0 + 1e-3):
            excess = moments[2] / (moments[0] + moments[1])
            found.append(
                f"inertia moved by joint {model.names[i]}: no body has it, one moment "
                f"is {excess:.2g} x the others' sum"
            )
    endless = [
        model.names[i + 2] for i, effort in enumerate(efforts) if effort >= ENDLESS
    ]
    if endless:
        found.append(
            f"torque limits of {', '.join(endless)}: {ENDLESS:g} N m or more; give "
            "real ones under 'efforts'"
        )
    return found


def check_posture(model: Any, q: np.ndarray) -> None:
    """Check that every joint of the standing posture is inside its range.

    Args:
        model: of Pinocchio.
        q: coordinates (nq,) of the posture.
    """
    low = model.lowerPositionLimit[7:]
    high = model.upperPositionLimit[7:]
    outside = np.flatnonzero(
        (q[7:] < low - RANGE_SLACK) | (q[7:] > high + RANGE_SLACK)
    ).tolist()
    endless = [k for k in outside if low[k] == high[k]]
    if endless:
        names = ", ".join(model.names[2 + k] for k in endless)
        raise InvalidParameter(
            f"range of joint {names}",
            f"{low[endless[0]]:.4g} to {high[endless[0]]:.4g} rad",
            "a lower end below its upper end",
            "write lower and upper into the joint's <limit>, or lock the joint",
        )
    if outside:
        first, *more = outside
        others = (
            f" (outside are, too: {', '.join(model.names[2 + i] for i in more)})"
            if more
            else ""
        )
        raise InvalidParameter(
            f"posture of joint {model.names[2 + first]}",
            round(float(q[7 + first]), 4),
            f"within its range, {low[first]:.4g} to {high[first]:.4g} rad",
            f"correct it under 'posture', or the joint's <limit>{others}",
        )


def check_stance(model: Any, q: np.ndarray, soles: tuple[str, str]) -> None:
    """Check that in the standing posture both soles are level, look up and forward.

    The left one must also be on the left.

    Args:
        model: of Pinocchio.
        soles: names of their frames.
        q: coordinates (nq,) with an upright base that looks along x.
    """
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    places = [data.oMf[model.getFrameId(sole)] for sole in soles]
    for sole, place in zip(soles, places, strict=True):
        up = place.rotation[2, 2]
        forward = place.rotation[0, 0]
        if up < np.cos(LARGEST_TILT):
            raise InvalidParameter(
                f"{sole}: angle between its z axis and the vertical in the standing "
                "posture",
                round(float(np.arccos(np.clip(up, -1.0, 1.0))), 3),
                f"<= {LARGEST_TILT} rad",
                "correct its rpy or the posture",
            )
        if forward < 0.5:
            raise InvalidParameter(
                f"{sole}: x axis in the base's frame",
                tuple(place.rotation[:, 0].round(3).tolist()),
                "forward, as the base's x axis",
                "correct its rpy; a base that looks backwards needs a root link above "
                "it that looks forward",
            )
    left, right = (place.translation for place in places)
    if left[1] <= right[1]:
        where = f"{right[1] - left[1]:.3f} m right of r_sole"
        raise InvalidParameter(
            "l_sole", where, "on the left (+y) side", "swap the soles"
        )
    if abs(left[2] - right[2]) > UNEVEN:
        raise InvalidParameter(
            "height of l_sole over r_sole",
            float(left[2] - right[2]),
            f"within {UNEVEN} m",
        )


@dataclass(frozen=True)
class Humanoid:
    """A biped with the settings of its YAML.

    Args:
        name: for messages and logs.
        config: the YAML.
        urdf: completed description: joints locked, frames of soles and sensors added.
        folder: where relative paths of the description start.
        notes: what a user should know of a robot that was found in a description.
    """

    name: str
    config: HumanoidConfig
    urdf: str
    folder: Path | None = None
    notes: tuple[str, ...] = ()

    @cached_property
    def robot(self) -> Robot:
        """Return the model with a floating base.

        ``robot.joints`` is the order of joints everywhere.
        """
        armatures = dict(self.config.armatures)
        joints = tuple(pin.buildModelFromXML(self.urdf).names[1:])
        unknown = sorted(
            {
                joint
                for pairs in (
                    self.config.posture,
                    self.config.armatures,
                    self.config.efforts,
                    self.config.frictions,
                )
                for joint, _ in pairs
            }
            - set(joints)
        )
        if unknown:
            raise UnknownName("joint", unknown[0], list(joints))
        inertia = tuple(armatures.get(joint, self.config.armature) for joint in joints)
        return Robot(
            urdf=self.urdf,
            root=Root.FLOATING,
            joints=joints,
            soles=SOLES,
            armature=inertia,
        )

    @property
    def model(self) -> Any:
        """Return the Pinocchio model; shared, not to be changed."""
        return self.robot.model

    @property
    def weight(self) -> float:
        """Return the weight of the whole robot [N]."""
        return self.robot.mass * GRAVITY

    @cached_property
    def efforts(self) -> Array:
        """Return the largest joint torques (n,) [N m], corrected by the YAML."""
        corrected = dict(self.config.efforts)
        return np.array(
            [
                corrected.get(j, e)
                for j, e in zip(
                    self.robot.joints, self.robot.effort_limits, strict=True
                )
            ]
        )

    @cached_property
    def gears(self) -> Gears:
        """Return the friction of the gears of all joints."""
        return gears_of(self.config.gears, self.robot.joints, self.efforts)

    @cached_property
    def posture(self) -> Array:
        """Return joint positions of the standing posture (n,).

        What the YAML does not name stands at 0, or at the end of its range next to it.
        """
        known = dict(self.config.posture)
        low, high = self.robot.position_limits
        nearest = np.clip(0.0, low, high)
        return np.array(
            [
                known.get(joint, float(least))
                for joint, least in zip(self.robot.joints, nearest, strict=True)
            ]
        )

    def polygon(self, foot: int) -> tuple[tuple[float, float], ...]:
        """Return the corners (x, y) [m] of a sole in its frame.

        They are counter-clockwise as given; the right sole is mirrored.

        Args:
            foot: 0 left, 1 right.
        """
        corners = self.config.contact.polygon
        return corners if foot == 0 else tuple((x, -y) for x, y in reversed(corners))

    def standing(
        self,
        x: float = 0.0,
        y: float = 0.0,
        yaw: float = 0.0,
        height: float = 0.0,
        posture: Array | None = None,
    ) -> Array:
        """Return coordinates (nq,) of the standing posture over (x, y).

        The middle between the soles is over that point.

        Args:
            x: world [m].
            y: world [m].
            yaw: heading [rad].
            height: of the soles [m]; the lower one if they differ.
            posture: (n,) of the joints [rad], in place of the robot's.
        """
        model = self.model
        data = self.model.createData()
        q = pin.neutral(model)
        q[7:] = self.posture if posture is None else posture
        turn = np.array([0.0, 0.0, math.sin(0.5 * yaw), math.cos(0.5 * yaw)])
        q[3:7] = turn
        pin.framesForwardKinematics(model, data, q)
        soles = np.array(
            [data.oMf[model.getFrameId(sole)].translation for sole in SOLES]
        )
        middle = soles.mean(axis=0)
        q[:3] = x - middle[0], y - middle[1], height - soles[:, 2].min()
        return q


def humanoid_of(
    config: HumanoidConfig, name: str = "robot", folder: Path | None = None
) -> Humanoid:
    """Build and check a humanoid from its configuration.

    Args:
        config: of the YAML.
        name: for messages.
        folder: where relative paths of the description start.
    """
    text = read_description(config.description, folder)
    frames = _frames(config, name, text)
    completed = with_distinct_links(
        complete(text, dict(config.locked), frames, config.base_rpy)
    )
    limited = with_limits(completed, config.speeds, config.ranges)
    urdf = with_frictions(
        with_least_moment(limited, config.least_moment), config.frictions
    )
    check_description(urdf, config.joints)
    humanoid = Humanoid(name, config, urdf, folder)
    check_motors(
        humanoid.robot.joints, humanoid.efforts, humanoid.model.velocityLimit[6:]
    )
    gears_of(config.gears, humanoid.robot.joints, humanoid.efforts)
    check_posture(humanoid.model, humanoid.standing())
    check_stance(humanoid.model, humanoid.standing(), SOLES)
    return humanoid


@lru_cache(maxsize=16)
def load_humanoid(name: str) -> Humanoid:
    """Load a humanoid by its file, or by the name of a shipped or installed one.

    Args:
        name: of the robot; a file is the robot's YAML, or its description alone: see
            :mod:`.robot_file`.

    Raises:
        UnknownName: no such robot, link, joint or key.
        BipedSlipError: a description that cannot stand or move, with the remedy.
    """
    if Path(name).suffix in (".yaml", ".yml"):
        return _of_yaml(Path(name))
    known = shared_names("config/robots")
    if name in known:
        return _of_yaml(shared_file(f"config/robots/{name}.yaml"))
    # what reads descriptions is loaded for robots without a YAML alone
    from biped_slip.robots.robot_file import described_source, read_robot_file

    source = described_source(name, known)
    found = read_robot_file(source)
    humanoid = humanoid_of(
        HumanoidConfig.from_mapping(found.mapping), Path(name).name.partition(".")[0]
    )
    return replace(humanoid, notes=found.notes)


def _of_yaml(path: Path) -> Humanoid:
    return humanoid_of(
        HumanoidConfig.from_mapping(read_yaml(path)), path.stem, path.parent
    )


def _frames(config: HumanoidConfig, name: str, text: str) -> dict[str, FramePlace]:
    """Place the frames of soles and sensors.

    Unnamed ones share the place of named ones.
    """

    def place(frame: str, instead: FramePlace) -> FramePlace:
        named: FrameConfig = getattr(config, frame)
        if named.link:
            return FramePlace(named.link, named.position, named.rpy)
        return nowhere._replace(link=frame) if has_link(text, frame) else instead

    nowhere = FramePlace("", (0.0,) * 3, (0.0,) * 3)
    frames = {IMU: place(IMU, nowhere._replace(link=base_link(text)))}
    for sole, sensor, imu in zip(SOLES, FORCE_SENSORS, FOOT_IMUS, strict=True):
        frames[sole] = place(sole, nowhere)
        if not frames[sole].link:
            raise BipedSlipError(
                f"{name}: no sole; name the link of {sole} under '{sole}: {{link: "
                f"...}}'"
            )
        frames[sensor] = place(sensor, frames[sole])
        frames[imu] = place(imu, frames[sensor])
    return frames


def check_legs(humanoid: Humanoid) -> None:
    """Check that each leg moves its flat foot in all six ways.

    Point feet need less, and are not checked.

    Raises:
        BipedSlipError: with what the leg lacks.
    """
    from biped_slip.robots.leg_freedom import LegToSole, check_leg

    if len(humanoid.config.contact.polygon) < 3:
        return
    model = humanoid.model
    frames = [model.frames[model.getFrameId(sole)] for sole in SOLES]
    both = [list(model.supports[frame.parentJoint])[2:] for frame in frames]
    for sole, frame, whole in zip(SOLES, frames, both, strict=True):
        # a waist above both legs is no joint of either
        chain = [joint for joint in whole if not all(joint in one for one in both)]
        leg = LegToSole(chain=tuple(chain), sole=frame.placement, name=sole)
        check_leg(humanoid.name, model, humanoid.standing(), leg)


def moment_arm(polygon: NDArray[np.float64]) -> float:
    """Compute the largest moment over mu times normal force [m].

    It is for even pressure and a sole turning about its middle.

    ``int |r| dA / A`` [Goyal1991], summed over the triangles between the middle of the
    box around the sole and each edge: with the middle h from the edge and its ends at
    the angles a and b from the perpendicular, ``int |r| dA = h^3 (F(b) - F(a)) / 6``
    with ``F(t) = sec t tan t + asinh(tan t)``.

    Args:
        polygon: (n, 2) corners in order [m]; fewer than three hold no moment.
    """
    if len(polygon) < 3:
        return 0.0
    corners = polygon - 0.5 * (polygon.min(axis=0) + polygon.max(axis=0))
    total = area = 0.0
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        length = math.hypot(*(end - start))
        along = (end - start) / length
        twice = float(start[0] * end[1] - start[1] * end[0])
        height = abs(twice) / length
        area += 0.5 * twice
        if height > 0.0:
            a = float(start @ along) / height
            b = float(end @ along) / height
            total += math.copysign(
                height**3 * (_primitive(b) - _primitive(a)) / 6.0, twice
            )
    return total / area


def _primitive(tangent: float) -> float:
    return tangent * math.hypot(1.0, tangent) + math.asinh(tangent)
