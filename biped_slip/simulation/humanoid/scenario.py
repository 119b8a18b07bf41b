# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Scenarios of humanoids: a world for any controller, and the walk over a patch.

A scenario has floor, start, pushes and sensors. A walk goes straight on over a patch of
other friction, whose place the seed draws, and further floors along the way (course).
"""

from __future__ import annotations

import math
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Mapping, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.config import Configuration, configuration, parameter, section
from biped_slip.constants import GRAVITY
from biped_slip.contact.point_contact import ContactConfig
from biped_slip.contact.spill import timed_spills
from biped_slip.errors import InvalidParameter
from biped_slip.estimation.motion_config import MotionConfig
from biped_slip.robots.sensor_config import FloatingSensorConfig, UnmodelledConfig
from biped_slip.simulation.humanoid.plant import FloatingPlantConfig, standing_contact
from biped_slip.simulation.humanoid.terrain import TerrainConfig
from biped_slip.simulation.scenario import PlantScenario
from biped_slip.walking.humanoid import HumanoidWalkingConfig, completed, walk_file
from biped_slip.walking.sensor_sway import STILL_TIME_OF_CHECK, SWAYING

if TYPE_CHECKING:
    pass


@configuration
class PlaceConfig(Configuration):
    """Place of the robot at time zero, in its standing posture and at rest."""

    x: float = parameter(0.0, unit="m", doc="of the middle between the soles")
    y: float = parameter(0.0, unit="m", doc="of the middle between the soles")
    yaw: float = parameter(0.0, unit="rad", doc="heading")
    height: float = parameter(
        0.0,
        unit="m",
        low=0.0,
        high=10.0,
        doc="of the soles over the floor; 0 stands on it",
    )


@configuration
class PushesConfig(Configuration):
    """Pushes on the base: forces in world axes at its origin."""

    each: tuple[tuple[float, ...], ...] = parameter(
        (), doc="[start s, duration s, force x, y, z N] of each push"
    )

    def check(self) -> None:
        """Check for five numbers per push."""
        for push in self.each:
            if len(push) != 5 or push[1] < 0.0:
                raise InvalidParameter(
                    "pushes.each", push, "[start, duration >= 0, force x, y, z]"
                )

    def at(self, time: float) -> Array:
        """Return force and moment (6,) [N, N m] at a time [s]."""
        total = np.zeros(6)
        for start, duration, *force in self.each:
            if start <= time < start + duration:
                total[:3] += force
        return total


@configuration
class FloatingScenarioConfig(PlantScenario):
    """Scenario of a humanoid for any controller: floor, pushes, sensors, duration."""

    duration: float = parameter(
        10.0, unit="s", above=0.0, high=86400.0, doc="length of the run"
    )
    start: PlaceConfig = section(PlaceConfig)
    terrain: TerrainConfig = section(TerrainConfig)
    pushes: PushesConfig = section(PushesConfig)
    sensors: FloatingSensorConfig = section(FloatingSensorConfig)
    unmodelled: UnmodelledConfig = section(UnmodelledConfig)
    plant: FloatingPlantConfig = section(FloatingPlantConfig)
    fallen: float = parameter(
        0.6, above=0.0, below=1.0, doc="of its standing height: a lower base has fallen"
    )


@configuration
class PatchConfig(Configuration):
    """Patch of floor with another friction across the way."""

    mu: float = parameter(
        0.25, above=0.0, high=5.0, doc="friction coefficient of the patch"
    )
    length: float = parameter(
        2.0, unit="m", low=0.0, high=100.0, doc="along the way; 0: no patch"
    )
    earliest: float = parameter(
        3.0, unit="m", low=0.0, high=100.0, doc="first place where it may begin"
    )
    latest: float = parameter(
        6.0,
        unit="m",
        low=0.0,
        high=100.0,
        doc="last place where it may begin; the seed draws it",
    )


@configuration
class PushOnPatchConfig(Configuration):
    """One push on the base while it is over the patch; the seed draws its side."""

    force: float = parameter(
        0.0, low=0.0, high=1.0, doc="sideways, in body weights; 0: none"
    )
    duration: float = parameter(0.2, unit="s", above=0.0, high=5.0, doc="of the push")


@configuration
class CourseConfig(Configuration):
    """More floors along the way; the seed moves all of them by up to ``shift``."""

    patches: tuple[tuple[float, ...], ...] = parameter(
        (), doc="[x from, x to, y from, y to, mu] each, in m"
    )
    profile: tuple[tuple[float, ...], ...] = parameter(
        (), unit="m", doc="[x, height] each: ramps between them"
    )
    shift: float = parameter(0.0, unit="m", low=0.0, high=10.0, doc="forward at most")
    spots: tuple[tuple[float, ...], ...] = parameter(
        (),
        doc="[number per square metre, smallest radius m, largest radius m, mu] of "
        "round spots each, which the "
        "seed strews over the way: edges of all directions, soles half on one",
    )

    spills: tuple[tuple[float, ...], ...] = parameter(
        (),
        doc="[time s, x from, x to, y from, y to, mu] each, in m, or without y: the "
        "floor that there is from then on",
    )

    def check(self) -> None:
        """Check for four numbers per kind of spots, and for spills."""
        timed_spills(self.spills, "course.spills")
        for kind in self.spots:
            if (
                len(kind) != 4
                or kind[0] < 0.0
                or not 0.0 < kind[1] <= kind[2]
                or kind[3] < 0.0
            ):
                limits = "[number >= 0, smallest > 0, largest radius >= it, mu >= 0]"
                raise InvalidParameter("course.spots", kind, limits)


@configuration
class HumanoidWalkConfig(HumanoidWalkingConfig):
    """Configuration of a humanoid's walk.

    It is its controller's, distance, floor, and what the model does not know.
    """

    speed: float = parameter(
        0.3, unit="m/s", low=0.0, high=2.0, doc="commanded, forward"
    )
    distance: float = parameter(
        10.0, unit="m", above=0.0, high=1e3, doc="the walk ends here"
    )
    patience: float = parameter(
        3.0,
        above=1.0,
        high=100.0,
        doc="the walk ends after this times distance over speed",
    )
    mu: float = parameter(
        0.8, above=0.0, high=5.0, doc="friction coefficient beside the patch"
    )
    contact: ContactConfig = section(standing_contact)  # type: ignore[arg-type]
    patch: PatchConfig = section(PatchConfig)
    push: PushOnPatchConfig = section(PushOnPatchConfig)
    course: CourseConfig = section(CourseConfig)
    unmodelled: UnmodelledConfig = section(UnmodelledConfig)

    @property
    def walking(self) -> HumanoidWalkingConfig:
        """Return the controller's configuration."""
        return HumanoidWalkingConfig(
            **{
                one.name: getattr(self, one.name)
                for one in fields(HumanoidWalkingConfig)
            }
        )


LEG_LEVER = 0.9  # [m] of a leg's joints about its sole, together
# [N/m] of a leg along the floor, where no sensor sees the soles (choice)
LEG_STIFFNESS = 1e5
# [rad] by which the sole's attitude may be wrong; gravity leaks in (choice)
SOLE_TILT = 2e-3


def with_motion(config: HumanoidWalkConfig, source: str) -> HumanoidWalkConfig:
    """Change the motion source of the soles.

    Without a sensor of them, legs are compliant.

    Assumptions about encoders and feet's IMUs follow from the walk's sensors.
    """
    if source == config.motion.source:
        return config
    mapping = config.to_mapping()
    mapping["motion"]["source"] = source
    if source != MotionConfig().source:
        sensors = mapping["sensors"]
        sensors["encoders"]["leg_stiffness"] = mapping["motion"]["leg_stiffness"] = (
            LEG_STIFFNESS
        )
        imu = sensors["foot_imu"]
        mapping["motion"]["encoder_noise"] = (
            LEG_LEVER * sensors["encoders"]["position_noise"]
        )
        mapping["motion"]["noise_density"] = max(
            imu["accelerometer_noise"] * math.sqrt(2.0 * config.period), 1e-6
        )
        mapping["motion"]["bias"] = imu["accelerometer_bias"] + GRAVITY * SOLE_TILT
        if source == "both_feet":
            mapping["interval"]["sole"]["compliance_spread"] = 0.0
    return HumanoidWalkConfig.from_mapping(mapping)


def chosen_walk(
    name: str, sensors: str | None = None, period: float | None = None
) -> HumanoidWalkConfig:
    """Load a shipped walk by its robot's name, or a .yaml file.

    The file may name a robot's file beside it.

    Args:
        name: of the walk.
        sensors: name or file of a set of sensors, in place of the walk's.
        period: of control [s], in place of the walk's.
    """
    mapping, folder = walk_file(name)
    asked = {"sensors": sensors, "period": period}
    return humanoid_walk_of(
        {
            **mapping,
            **{key: value for key, value in asked.items() if value is not None},
        },
        folder,
    )


def humanoid_walk_of(mapping: Mapping[str, Any], folder: Path) -> HumanoidWalkConfig:
    """Build the walk that a file in ``folder`` describes.

    Missing values come from the robot: see ``first_walk``.
    """
    config = HumanoidWalkConfig.from_mapping(completed(mapping, folder))
    file = config.contact.mujoco.file
    if file and (folder / file).is_file():
        file = str((folder / file).resolve())
        return in_file(config, file)
    return config


def in_file(
    config: HumanoidWalkConfig, file: str, stiff: bool = False
) -> HumanoidWalkConfig:
    """Return the walk in the world of a user's MJCF.

    Args:
        config: of the walk.
        file: path of the MJCF.
        stiff: whether its friction is stiff, see ``STIFF_FRICTION``.
    """
    options = replace(config.contact.mujoco, file=file)
    if stiff:
        options = replace(options, **STIFF_FRICTION)
    return replace(
        config,
        contact=ContactConfig.from_mapping(
            {"law": "mujoco", "mujoco": options.to_mapping()}
        ),
    )


# of MuJoCo's contacts whose loaded feet creep little. A slide is braked by the time
# constant T of friction: a foot of mass m under N feels m v 2 / (0.95 T) where that is
# less than mu N, and hops where it is much more. Of G1's landing feet (0.7 kg, 40 to
# 55 N) those that slid by 1 mm at 0.2 m/s showed 0.17 to 0.61 on 0.8 with the usual
# 20 ms, and 0.75 with 10 ms, which lift such a foot for 6 % of its slide at 0.4 m/s;
# 2 ms lift it for half of it
STIFF_FRICTION: dict[str, Any] = {"friction_time_constant": 0.01, "impratio": 100.0}


class WalkDraw(NamedTuple):
    """Draws of a walk's seed beside the noise."""

    patch: tuple[float, float]  # from, to [m] along x
    push_at: float  # [m] along x
    side: float  # of the push, 1 or -1
    shift: float  # [m] of the course along x
    spots: tuple[tuple[float, float, float, float], ...]  # x, y, radius [m], mu


FINE = 0.01  # [m] grid of a floor with spots
STREWN_WIDTH = 1.0  # [m] to either side of the way within which spots lie (choice)


def drawn(config: HumanoidWalkConfig, seed: int) -> WalkDraw:
    """Draw places of the patch and the push."""
    rng = np.random.default_rng(seed)
    patch = config.patch
    begin = float(rng.uniform(patch.earliest, max(patch.latest, patch.earliest)))
    side = float(rng.choice((-1.0, 1.0)))
    push_at = float(rng.uniform(0.25, 0.75)) * patch.length + begin
    shift = float(rng.uniform(0.0, config.course.shift))
    spots = []
    for density, smallest, largest, mu in config.course.spots:
        number = rng.poisson(density * 2.0 * STREWN_WIDTH * config.distance)
        places = rng.uniform(
            (0.0, -STREWN_WIDTH, smallest),
            (config.distance, STREWN_WIDTH, largest),
            (number, 3),
        )
        spots += [(*place, mu) for place in places.tolist()]
    return WalkDraw(
        patch=(begin, begin + patch.length),
        push_at=push_at,
        side=side,
        shift=shift,
        spots=tuple(spots),
    )


def track_scenario(
    config: HumanoidWalkConfig, draw: WalkDraw
) -> FloatingScenarioConfig:
    """Build floor, sensors and time of a walk."""
    duration = (
        STILL_TIME_OF_CHECK
        + SWAYING
        + config.start
        + config.patience * config.distance / max(abs(config.speed), 0.05)
    )
    patches = (
        [[*draw.patch, -3.0, 3.0, config.patch.mu]] if config.patch.length > 0.0 else []
    )
    patches += [
        [x0 + draw.shift, x1 + draw.shift, *rest]
        for x0, x1, *rest in config.course.patches
    ]
    profile = [[x + draw.shift, height] for x, height in config.course.profile]
    extent = [-2.0, config.distance + 3.0, -3.0, 3.0]
    terrain: dict[str, Any] = {
        "mu": config.mu,
        "patches": patches,
        "profile": profile,
        "spills": [
            [time, x0 + draw.shift, x1 + draw.shift, *rest]
            for time, x0, x1, *rest in config.course.spills
        ],
        "extent": extent,
    }
    if draw.spots:
        terrain |= {"spots": draw.spots, "cell": FINE}
    robot = {
        "sensors": config.sensors.to_mapping(),
        "unmodelled": config.unmodelled.to_mapping(),
    }
    mapping = {
        "duration": duration,
        "terrain": terrain,
        "period": config.period,
        **robot,
    }
    contact = config.contact.to_mapping()
    if config.contact.law == "mujoco":  # another engine's floor; see HumanoidTrack
        contact = {**standing_contact().to_mapping(), "mujoco": contact["mujoco"]}
    mapping["contact"] = contact
    return FloatingScenarioConfig.from_mapping(mapping)
