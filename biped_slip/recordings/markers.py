# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Motion-capture markers: the foot's motion, the walk's axes, the foot on the plate."""

from __future__ import annotations

import dataclasses
import re
from typing import NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from biped_slip.errors import BipedSlipError, InvalidParameter, InvalidRecording
from biped_slip.recordings.series import FloatArray, Stance, differenced

# Names of marker sets in use (Plug-in Gait, Cleveland, Helen Hayes, OpenSim): heel,
# toe, ankle, calcaneus, metatarsals.
ON_FOOT = re.compile(
    r"^(?:.*:)?(?P<side>[LR])[._ "
    r"]?(?:HEE|HEEL|TOE|ANK|ANKLE|CAL|CALC|MT\d|MTP?\d|FT\d|D\dM|P\dM|5MT|1MT)$",
    re.I,
)
# Heel and toe by the same sets; the first that is there is taken.
HEEL = ("HEE", "HEEL", "CAL", "CALC", "FCC", "CAL1")
TOE = ("TOE", "MT2", "MTP2", "D2M", "MT1", "D1M", "1MT", "MT5", "MTP5", "D5M", "5MT")
VELOCITY_WINDOW = 0.05  # [s]
# [m/s]: a marker on a standing foot (skin, roll-over, camera noise), 0.03–0.04 in
# healthy gait
MARKER_NOISE = 0.03


@dataclasses.dataclass(frozen=True)
class Markers:
    """Positions of markers; NaN where a marker is missing.

    Attributes:
        names: as the file has them.
        rate: of the frames [Hz].
        position: shape (frames, markers, 3) [m].
    """

    names: tuple[str, ...]
    rate: float
    position: FloatArray

    @property
    def time(self) -> FloatArray:
        """Return the times of the frames, shape (frames,) [s]."""
        return np.arange(len(self.position)) / self.rate

    def turned(self, rotation: FloatArray) -> Markers:
        """Rotate into other axes.

        Args:
            rotation: shape (3, 3), its rows are the new axes in the old ones.
        """
        return dataclasses.replace(self, position=self.position @ rotation.T)

    def of_foot(self, side: str) -> FloatArray:
        """Return the markers on one foot, shape (frames, k, 3) [m].

        Args:
            side: ``left`` or ``right``.
        """
        wanted = side[0].upper()
        found = [ON_FOOT.match(name.strip()) for name in self.names]
        return self.position[
            :,
            [k for k, one in enumerate(found) if one and one["side"].upper() == wanted],
        ]

    @property
    def any_on_feet(self) -> bool:
        """Return whether the name of any marker is that of one on a foot."""
        return any(ON_FOOT.match(name.strip()) for name in self.names)


NO_MARKERS = Markers((), 1.0, np.empty((0, 0, 3)))


def foot_marker(
    markers: Markers, side: str, names: tuple[str, ...]
) -> FloatArray | None:
    """Return the first of some markers that exists on a foot, shape (frames, 3).

    Return None where none is.
    """
    by_name = {
        re.sub(r"^.*:", "", name).strip().upper(): k
        for k, name in enumerate(markers.names)
    }
    letter = side[0].upper()
    for name in names:
        for spelled in (
            f"{letter}{name}",
            f"{letter}.{name}",
            f"{letter}_{name}",
            f"{letter} {name}",
        ):
            index = by_name.get(spelled)
            if index is not None and np.isfinite(markers.position[:, index]).any():
                return markers.position[:, index]
    return None


def foot_centre(markers: Markers, side: str, time: FloatArray) -> FloatArray:
    """Average a foot's markers at given times, shape (n, 3) [m].

    It is NaN where all are missing.
    """
    position = markers.of_foot(side)
    if not position.size:
        return np.full((len(time), 3), np.nan)
    visible = np.isfinite(position[:, :, :1]).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        centre = np.where(visible > 0, np.nansum(position, axis=1) / visible, np.nan)
    return _on_time(markers.time, centre, time)


def slowest_velocity(
    markers: Markers, side: str, time: FloatArray, up: int
) -> FloatArray:
    """Compute the velocity [m/s] of the foot's slowest marker over the floor.

    It has shape (n, 3), its vertical part is zero.

    A rolling foot stands on one of its ends: its slowest marker shows best that it
    doesn't slide.
    """
    position = markers.of_foot(side)
    if not position.size or len(position) < 3:
        return np.full((len(time), 3), np.nan)
    flat = position.copy()
    flat[:, :, up] = 0.0
    velocity = np.stack(
        [
            differenced(markers.time, flat[:, k], VELOCITY_WINDOW)
            for k in range(flat.shape[1])
        ],
        axis=1,
    )
    speed = np.linalg.norm(velocity, axis=2)
    slowest = np.argmin(np.where(np.isfinite(speed), speed, np.inf), axis=1)
    return _on_time(markers.time, velocity[np.arange(len(velocity)), slowest], time)


def _on_time(frames: FloatArray, values: FloatArray, time: FloatArray) -> FloatArray:
    """Interpolate linearly between frames.

    The result is NaN beyond half a frame outside the frames and across unseen frames.
    """
    reach = 0.5 * (frames[1] - frames[0]) if len(frames) > 1 else 0.0
    inside = np.where(
        (time >= frames[0] - reach) & (time <= frames[-1] + reach), time, np.nan
    )
    return np.column_stack(
        [np.interp(inside, frames, values[:, k]) for k in range(values.shape[1])]
    )


# Which way is up and which way is forward in a laboratory's axes, from the data, with
# the reason.

SIGNED_AXES = ("+x", "-x", "+y", "-y", "+z", "-z")
DOMINANCE = 2.0  # how many times larger than the others the vertical force must be
# of the largest load; a plate that bears less tells nothing of the vertical axis, …
HEAVY_SHARE = 0.25
SIGN_SHARE = 0.1  # … and one that bears less than this, nothing of its own sign
LEAST_TRAVEL = 0.3  # [m] that markers must travel to tell the walking direction


class Frame(NamedTuple):
    """Rotation from the laboratory to x forward, y left, z up, with the reasons."""

    # shape (3, 3), rows are the new axes; forces are multiplied from the left
    rotation: FloatArray
    up: int  # index of the laboratory's vertical axis
    sign: float  # −1 where the recorded forces are those of the foot on the ground
    reasons: tuple[str, ...]


def axis_vector(name: str, text: str) -> FloatArray:
    """Return the unit vector of ``+x`` … ``-z``.

    Raises:
        InvalidParameter: another text.
    """
    if text not in SIGNED_AXES:
        raise InvalidParameter(name, text, "one of " + ", ".join(SIGNED_AXES))
    vector = np.zeros(3)
    vector["xyz".index(text[1])] = 1.0 if text[0] == "+" else -1.0
    return vector


class Upright(NamedTuple):
    """Vertical axis of a laboratory, and the sign of each plate's forces on it."""

    axis: int
    signs: tuple[float, ...]  # −1: the force of the foot on the plate was recorded
    reasons: tuple[str, ...]


def find_up(
    path: object,
    forces: Sequence[FloatArray],
    names: Sequence[str],
    override: str = "",
) -> Upright:
    """Find the vertical axis, and of each plate the sign of its recorded forces.

    Body weight dwarfs every other force, so the axis with the largest loaded force is
    vertical; the ground pushes, so the sign of each plate's own load tells whether it
    recorded the force of the ground on the foot or its opposite. A plate that bears
    little goes with the others.

    Args:
        path: for messages.
        forces: of each plate, shape (n, 3) [N].
        names: of the plates.
        override: vertical axis as the user knows it; empty: found.

    Raises:
        BipedSlipError: no axis stands out.
        InvalidRecording: one plate bears its load along another axis than the rest.
    """
    loads = np.array([loaded_force(force) for force in forces])
    sizes = np.linalg.norm(loads, axis=1)
    heavy = (sizes > 0.0) & (sizes >= HEAVY_SHARE * sizes.max())
    if override:
        vector = axis_vector("vertical", override)
        up = int(np.argmax(np.abs(vector)))
        usual = float(vector.sum())
        reasons = [f"vertical axis {override}, as requested"]
    else:
        bearing_names = [n for n, bears in zip(names, heavy, strict=True) if bears]
        up = _upright_axis(path, loads[heavy], bearing_names)
        bearing = loads[heavy, up]
        usual = 1.0 if (bearing > 0.0).any() else -1.0
        turned = [
            force * usual * np.sign(load[up])
            for force, load, bears in zip(forces, loads, heavy, strict=True)
            if bears
        ]
        mean = float(loaded_force(np.concatenate(turned))[up])
        whose = (
            "the ground pushes the foot"
            if usual > 0.0
            else "it is the foot that pushes, so all signs are turned"
        )
        reasons = [
            f"{'xyz'[up]} is vertical: the median loaded force there is {mean:.0f} N, "
            f"{whose}"
        ]
    tells = (sizes >= SIGN_SHARE * sizes.max()) & (loads[:, up] != 0.0)
    signs = np.where(tells, np.sign(loads[:, up]), usual)
    _refuse_lying(path, up, names, loads, heavy)
    reasons += [
        f"{name}: its loaded force along {'xyz'[up]} is {load[up]:.0f} N, against that "
        "of the others or what was requested: all its signs are turned"
        for name, load, sign in zip(names, loads, signs, strict=True)
        if sign != usual
    ]
    return Upright(up, tuple(float(sign) for sign in signs), tuple(reasons))


def _refuse_lying(
    path: object,
    up: int,
    names: Sequence[str],
    loads: FloatArray,
    heavy: NDArray[np.bool_],
) -> None:
    """Refuse a plate that bears its load (plates, 3) along another axis than ``up``."""
    for name, load, bears in zip(names, loads, heavy, strict=True):
        side = int(np.argmax(np.abs(load)))
        if bears and side != up and abs(load[side]) > DOMINANCE * abs(load[up]):
            raise InvalidRecording(
                path,
                f"{name} bears its load along {'xyz'[side]} ({load[side]:.0f} N), but "
                f"{'xyz'[up]} is vertical ({load[up]:.0f} N there)",
                "check its corners and channels",
            )


def loaded_force(force: FloatArray) -> FloatArray:
    """Compute the median force of a sensor while it is loaded, shape (3,) [N]."""
    known = np.nan_to_num(force)
    size = np.linalg.norm(known, axis=1)
    loaded = known[size >= 0.5 * np.quantile(size, 0.99)]
    return np.median(loaded, axis=0) if len(loaded) else np.zeros(3)


def _upright_axis(path: object, loads: FloatArray, names: Sequence[str]) -> int:
    """Return the axis along which the plates bear their loads, shape (plates, 3)."""
    mean = np.abs(loads).mean(axis=0) if len(loads) else np.zeros(3)
    order = np.argsort(mean)
    if mean[order[-1]] > DOMINANCE * mean[order[-2]]:
        return int(order[-1])
    each = np.sort(np.abs(loads), axis=1)
    axes = np.argmax(np.abs(loads), axis=1)
    if len(loads) and (each[:, 2] > DOMINANCE * each[:, 1]).all():
        words = ", ".join(
            f"{name} bears its load along {'xyz'[axis]} ({load[axis]:.0f} N)"
            for name, axis, load in zip(names, axes, loads, strict=True)
        )
        raise InvalidRecording(
            path, words, "check corners and channels of the one that lies wrong"
        )
    raise BipedSlipError(
        f"{path}: no axis carries the weight (median loaded force "
        f"{np.round(mean, 1).tolist()} N); "
        "name the vertical axis, for example --vertical +z"
    )


def find_forward(
    up: int, forces: Sequence[FloatArray], markers: Markers, override: str = ""
) -> tuple[FloatArray, str]:
    """Find the walking direction as a unit vector in the laboratory, and the reason.

    From the way of the markers; without them from the shear: along the walk it is the
    larger one, braking first and pushing off later; where neither tells, the first
    horizontal axis.
    """
    if override:
        return axis_vector("forward", override), f"forward is {override}, as requested"
    level = [axis for axis in range(3) if axis != up]
    if markers.position.size:
        places = markers.position[:, :, level]
        with np.errstate(all="ignore"):
            middle = np.array(
                [
                    np.nanmedian(frame, axis=0)
                    for frame in places
                    if np.isfinite(frame).any()
                ]
            )
        travel = middle[-1] - middle[0] if len(middle) > 1 else np.zeros(2)
        if np.linalg.norm(travel) > LEAST_TRAVEL:
            vector = np.zeros(3)
            vector[level[int(np.argmax(np.abs(travel)))]] = np.sign(
                travel[np.argmax(np.abs(travel))]
            )
            return (
                vector,
                f"forward is {_name(vector)}: the markers travel "
                f"{np.linalg.norm(travel):.2f} m that way",
            )
    shear = [np.concatenate([force[:, axis] for force in forces]) for axis in level]
    strength = [float(np.sqrt(np.nanmean(part**2))) for part in shear]
    along = level[int(np.argmax(strength))]
    push = _push_off_sign(forces, along, up)
    vector = np.zeros(3)
    if max(strength) < 1.5 * min(strength) or push == 0.0:
        vector[level[0]] = 1.0
        return (
            vector,
            f"forward is presumed to be {_name(vector)}: neither markers nor shear "
            "tell",
        )
    vector[along] = push
    return (
        vector,
        f"forward is {_name(vector)}: the larger shear, braking in early and pushing "
        "in late stance",
    )


def _push_off_sign(forces: Sequence[FloatArray], along: int, up: int) -> float:
    """Return the sign of the shear in the later part of the stances.

    Weighted by load, it is +1, −1, or 0 if unclear.
    """
    late = 0.0
    for force in forces:
        standing = force[:, up] > 0.1 * np.nanquantile(force[:, up], 0.99)
        edges = np.flatnonzero(np.diff(standing.astype(int), prepend=0, append=0))
        for first, last in zip(edges[::2], edges[1::2], strict=True):
            half = (first + last) // 2
            late += float(
                np.nansum(force[half:last, along]) - np.nansum(force[first:half, along])
            )
    return float(np.sign(late))


def _name(vector: FloatArray) -> str:
    axis = int(np.argmax(np.abs(vector)))
    return ("+" if vector[axis] > 0.0 else "-") + "xyz"[axis]


def sole_frame(
    up: int, sign: float, forward: FloatArray, reasons: tuple[str, ...]
) -> Frame:
    """Build the rotation to x forward, y left, z up.

    The vertical axis points up in the laboratory unless the forces were recorded upside
    down *and* turned signs: a plate that records the foot's force on the ground has all
    its signs turned by ``sign`` (the axes stay).
    """
    z = np.zeros(3)
    z[up] = 1.0
    y = np.cross(z, forward)
    return Frame(np.vstack([forward, y, z]), up, sign, reasons)


NEAREST_MARKERS = (
    0.30  # [m] from the centre of pressure to the middle of a foot's markers
)
STANDING_SPEED = 0.25  # [m/s] of the slowest marker of a foot that stands
FLOOR_HEIGHT = 0.05  # [m] above its lowest, a standing foot's markers
LEAST_STANDING = 0.5  # of the middle of a stance, that a foot is near and low
NOT_A_FOOT = "none"  # a stick or a hand
SHARED_STANCE = (
    0.25  # share of a stance during which a second foot on the plate spoils it
)
LONGEST_FOOT = 0.40  # [m]; a centre of pressure that travels further needs two feet
LOADED_PEAK_SHARE = 0.25  # of the largest load of a stance
LEAST_SPREAD = 0.02  # [m] lateral distance between left and right centres of pressure


def feet_from_markers(
    stance: Stance,
    time: FloatArray,
    pressure: FloatArray,
    corners: FloatArray | None,
    markers: Markers,
    up: int,
) -> tuple[str, str]:
    """Find the foot of one stance, or a refusal.

    It is the foot nearest to the centre of pressure in mid-stance. Where both feet are
    seen and neither is there, low, for half of that time, it is no foot at all.

    Args:
        stance: samples on the plate.
        time: shape (n,) [s], of the plate.
        pressure: centre of pressure, shape (n, 3), laboratory [m].
        corners: of the plate, shape (4, 3) [m], or None.
        markers: may be empty.
        up: vertical axis.
    """
    window = slice(stance.first, stance.last)
    middle = stance.middle
    level = [axis for axis in range(3) if axis != up]
    distance = {}
    on_plate = {}
    standing = {}
    for side in ("left", "right"):
        centre = foot_centre(markers, side, time[middle])
        apart = (centre - pressure[middle])[:, level]
        gap = np.linalg.norm(apart, axis=1)
        distance[side] = float(np.nanmedian(gap)) if np.isfinite(gap).any() else np.inf
        on_plate[side] = _stands(side, time[window], corners, markers, up)
        known = np.isfinite(gap)
        near = (gap < NEAREST_MARKERS) & _low(side, centre, markers, up)
        standing[side] = float(np.mean(near[known])) if known.any() else np.nan
        # a foot that swings past a stick leaves its centre of pressure behind
        if known.any() and _reach(apart[known]) > NEAREST_MARKERS:
            standing[side] = 0.0
    if all(share < LEAST_STANDING for share in standing.values()):
        return (
            NOT_A_FOOT,
            "no foot stands there (stick, hand?): no foot is near and low",
        )
    refusal = ""
    together = float(np.mean(on_plate["left"] & on_plate["right"]))
    if together > SHARED_STANCE:
        refusal = (
            f"two feet on one plate for {100 * together:.0f} % of the stance: "
            "the force can't be shared out"
        )
    nearest = min(distance, key=lambda side: distance[side])
    return (nearest if distance[nearest] < NEAREST_MARKERS else "unknown"), refusal


def _stands(
    side: str, time: FloatArray, corners: FloatArray | None, markers: Markers, up: int
) -> np.ndarray:
    """Return when a foot stands within the plate: above it, low, slow; shape (n,)."""
    centre = foot_centre(markers, side, time)
    if corners is None or not np.isfinite(centre).any():
        return np.zeros(len(time), dtype=bool)
    low = _low(side, centre, markers, up)
    speed = np.linalg.norm(slowest_velocity(markers, side, time, up), axis=1)
    level = [axis for axis in range(3) if axis != up]
    inside = (centre[:, level] > corners[:, level].min(axis=0)) & (
        centre[:, level] < corners[:, level].max(axis=0)
    )
    return inside.all(axis=1) & low & (speed < STANDING_SPEED)


def _low(side: str, centre: FloatArray, markers: Markers, up: int) -> np.ndarray:
    """Return where a foot's centre (n, 3) [m] is near its lowest; shape (n,)."""
    heights = foot_centre(markers, side, markers.time)[:, up]
    if not np.isfinite(heights).any():
        return np.zeros(len(centre), dtype=bool)
    return np.asarray(centre[:, up] < np.nanquantile(heights, 0.02) + FLOOR_HEIGHT)


def _reach(points: FloatArray) -> float:
    """Return how far points (n, 2) [m] spread, without their outermost twentieths."""
    low, high = np.quantile(points, [0.05, 0.95], axis=0)
    return float(np.linalg.norm(high - low))


def two_feet_by_pressure(pressure: FloatArray, load: FloatArray) -> str:
    """Refuse a stance whose centre of pressure travels further than a foot is long.

    The centre of pressure has shape (n, 2) [m].

    Only samples with a quarter of the largest load (shape (n,)) count: below, the point
    is mostly noise.
    """
    known = pressure[
        np.isfinite(pressure).all(axis=1) & (load > LOADED_PEAK_SHARE * np.nanmax(load))
    ]
    if len(known) < 10:
        return ""
    reach = _reach(known)
    words = (
        f"the centre of pressure travels {reach:.2f} m, further than one foot is "
        "long: two feet on one plate"
    )
    return words if reach > LONGEST_FOOT else ""


LEAST_BELT = 0.1  # [m/s] by which pressure goes back on a belt; on a floor it goes on
# [m] that pressure goes on under a foot at most: a belt is no faster than that allows,
# and from one foot to the other pressure jumps
FOOT_ROLL = 0.3
BELT_PARTS = 8  # of a stance, in each of which it goes no faster
BACKWARD_SHARE = 0.75  # of the parts, in which it goes back


def speed_backward(time: FloatArray, pressure: FloatArray, load: FloatArray) -> float:
    """Compute how fast a belt carries the centre of pressure back [m/s].

    It is 0 where the pressure doesn't go back steadily, as it does under one foot on a
    belt.

    Args:
        time: shape (n,) [s].
        pressure: shape (n, 2), x along the walk [m].
        load: shape (n,) [N]; only samples with a quarter of its largest count.
    """
    known = np.flatnonzero(
        np.isfinite(pressure).all(axis=1) & (load > LOADED_PEAK_SHARE * np.nanmax(load))
    )
    if len(known) < 10:
        return 0.0
    ends = known[np.linspace(0, len(known) - 1, BELT_PARTS + 1).astype(int)]
    speeds = -np.diff(pressure[ends, 0]) / np.diff(time[ends])
    duration = float(time[known[-1]] - time[known[0]])
    mean = float((pressure[known[0], 0] - pressure[known[-1], 0]) / duration)
    fastest = mean + FOOT_ROLL / duration
    steady = float(speeds.max()) <= fastest
    back = float((speeds > 0.0).mean()) >= BACKWARD_SHARE
    return mean if mean > LEAST_BELT and steady and back else 0.0


def feet_from_pressure(travel: list[FloatArray], forward: FloatArray) -> list[str]:
    """Find the sides of consecutive stances from their centres of pressure.

    The left foot is left of the path.

    Args:
        travel: per stance in the order of time, centre of pressure in the middle of the
            stance, shape (2,), in a frame whose axes are forward and left [m].
        forward: shape (2,), direction of the walk in that frame.
    """
    if len(travel) < 2:
        return ["unknown"] * len(travel)
    lateral = np.array(
        [point[1] * forward[0] - point[0] * forward[1] for point in travel]
    )
    centred = lateral - 0.5 * (lateral.max() + lateral.min())
    if np.ptp(lateral) < LEAST_SPREAD or not np.isfinite(lateral).all():
        return ["unknown"] * len(travel)
    return ["left" if value > 0.0 else "right" for value in centred]
