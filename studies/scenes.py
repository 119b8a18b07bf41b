# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Recorded scenes of walks, each one HTML file of some hundred kB.

A recording is motion alone: where joints and soles are, what forces act, what is known
of the friction, 30 times a second, rounded to 0.1 mm. Its robots are rods from joint to
joint with a trunk and a head, drawn by the player of this folder; no mesh of anybody's
is in it, and no library. It opens from disk, without an installation or a network.
"""

from __future__ import annotations

import argparse
import base64
import json
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from biped_slip.cli.options import folder_to_write
from biped_slip.cli.terminal import Screen
from biped_slip.compile.arrays import Array
from biped_slip.errors import InvalidParameter, UnknownName
from biped_slip.reports.figures import FOOT_COLOURS, floor_colour
from biped_slip.view.scene import (
    FootprintTrail,
    Scene,
    SceneInstant,
    joint_frames,
    known,
    landing_streak,
    loaded,
    placed,
    slide_words,
    slides,
    streak,
)
from biped_slip.walking.registry import HUMANOID_DEFAULT
from studies.figures import ICE, ICE_BEGINS

PLAYER = Path(__file__).with_name("scene_player.html")
FOLDER = Path("docs/recorded/scenes")
RATE = 30.0  # [1/s] instants
UNIT = 1e-4  # [m] to which places are rounded; of a friction coefficient, too
UNKNOWN = -1  # of a friction coefficient
SHOWN_BEFORE = 0.7  # [m] before the patch where a scene begins
SHOWN_AFTER = 0.6  # [m] behind it where a scene ends
LONGEST = 13.0  # [s]
# of the robot's height
LEG_RADIUS = 0.028
ARM_RADIUS = 0.02
TRUNK_RADIUS = 0.045
HEAD_RADIUS = 0.05
HEAD_OVER = 0.12  # over the shoulders
ARROW_SHARE = 0.3  # of a force of the robot's weight


class Trunk(NamedTuple):
    """Joints between which a robot's trunk is drawn, and how its arms are named."""

    shoulders: tuple[str, str]  # left, right
    hips: tuple[str, str]
    arms: tuple[str, ...]  # pieces of names
    left_out: tuple[str, ...] = ()  # pieces of names: fingers, head


TRUNKS = {
    "talos": Trunk(
        shoulders=("arm_left_2_joint", "arm_right_2_joint"),
        hips=("leg_left_2_joint", "leg_right_2_joint"),
        arms=("arm_",),
        left_out=("gripper", "head"),
    ),
    "g1": Trunk(
        shoulders=("left_shoulder_pitch_joint", "right_shoulder_pitch_joint"),
        hips=("left_hip_roll_joint", "right_hip_roll_joint"),
        arms=("shoulder", "elbow", "wrist"),
    ),
}


class Recorded(NamedTuple):
    """A walk's instants at ``RATE``, from before its patch on."""

    scene: Scene
    instants: Sequence[SceneInstant]
    ended: str  # what is said at the end


class Story(NamedTuple):
    """What a page of scenes shows: walks side by side, each by its name."""

    title: str
    robot: str
    limits: dict[str, str]  # words over the walk, by slip policy
    note: str = ""
    network: str = ""  # its file's name
    patch: Mapping[str, float] = MappingProxyType({})  # what differs from the walk's


TALOS_LIMITS = {
    "none": "no friction limit",
    "touchdown": "limit: estimated friction",
}
STORIES = {
    "talos-ice": Story(
        title="TALOS onto ice of mu 0.06",
        robot="talos",
        limits=TALOS_LIMITS,
        patch={"mu": ICE, "earliest": ICE_BEGINS, "latest": ICE_BEGINS},
    ),
    "talos-patch": Story(
        title="TALOS over a patch of mu 0.25", robot="talos", limits=TALOS_LIMITS
    ),
    "g1-policy": Story(
        title="G1 under a learned policy over a patch of mu 0.25",
        robot="g1",
        limits={"touchdown": "G1 under a learned policy"},
        network="g1_playground.onnx",
        note=" The policy is that of MuJoCo Playground "
        "(google-deepmind/mujoco_playground, Apache-2.0), which knows nothing of the "
        "floor; the estimates are this package's.",
    ),
}
SEED = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--out", type=folder_to_write, default=FOLDER, metavar="DIR", help=f"({FOLDER})"
    )
    parser.add_argument(
        "--only", nargs="+", metavar="NAME", help=f"these of {', '.join(STORIES)}"
    )
    parser.add_argument(
        "--networks",
        type=Path,
        metavar="FOLDER",
        help="with the networks of policies, which are not part of the package; "
        "without it their scenes are left out",
    )
    parser.add_argument(
        "--player",
        action="store_true",
        help="write this player around the recordings that are there; nothing walks",
    )


def run(arguments: argparse.Namespace) -> int:
    """Walk and record one page after the other; 1 if one was left out."""
    screen = Screen(stderr=True)
    names = arguments.only or list(STORIES)
    for name in names:
        if name not in STORIES:
            raise UnknownName("scene", name, list(STORIES))
    if arguments.player:
        for name in names:
            path = Path(arguments.out) / f"{name}.html"
            held = recording_of(path.read_text(encoding="utf-8"))
            path.write_text(played(STORIES[name], held), encoding="utf-8")
        return 0
    missing = 0
    for name in names:
        story = STORIES[name]
        if story.network and arguments.networks is None:
            missing += 1
            screen.print(f"{name} is left out: --networks names no folder")
            continue
        with screen.status(f"walking {name}"):
            page = recorded_page(story, arguments.networks)
        path = Path(arguments.out) / f"{name}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page, encoding="utf-8")
        screen.print(f"{path}: {len(page) / 1e3:.0f} kB", highlight=False)
    return 1 if missing else 0


def recorded_page(story: Story, networks: Path | None = None) -> str:
    """Walk a story, and make the page that plays it."""
    walks = [walked(story, limit, networks) for limit in story.limits]
    return page_of(story, walks)


def walked(story: Story, limit: str, networks: Path | None) -> Recorded:
    """Walk once over the patch, and keep what its scene shows."""
    from biped_slip.simulation.humanoid.scenario import chosen_walk
    from biped_slip.simulation.humanoid.walk import HumanoidWalk
    from biped_slip.view.humanoid_source import HumanoidSource

    controller = HUMANOID_DEFAULT
    if story.network and networks is not None:
        controller = f"onnx:{networks / story.network}"
    config = chosen_walk(story.robot)
    config = replace(config, patch=replace(config.patch, **story.patch))
    walk = HumanoidWalk(config, limit, SEED, controller=controller)
    walk.run()
    source = HumanoidSource(walk, story.limits[limit])
    way = walk.world.log.q[:, 0]
    times = source.times
    begin, end = shown_span(times, way, walk.world.patch)
    picks = np.searchsorted(times, np.arange(begin, end, 1.0 / RATE))
    return Recorded(
        scene=source.scene,
        instants=[source.instant(int(i)) for i in picks],
        ended=last_words(walk.world.fell, float(times[-1]) - end, end - begin),
    )


def last_words(fell: bool, left_out: float, shown: float) -> str:
    """Say how a walk ended, where its scene does not just break off.

    Args:
        fell: whether the robot did, in the end.
        left_out: of the walk after the scene [s].
        shown: length of the scene [s].
    """
    if fell and left_out < 1.0 / RATE:
        return "fell"
    return "" if shown >= LONGEST else f"across after {shown:.1f} s"


def shown_span(
    times: Array, way: Array, patch: tuple[float, float]
) -> tuple[float, float]:
    """Find the seconds in which a robot walks from before a patch to behind it.

    Args:
        times: (n,) of its instants [s].
        way: (n,) of its base along x [m].
        patch: from, to [m].
    """
    begin = float(times[np.argmax(way >= patch[0] - SHOWN_BEFORE)])
    beyond = np.flatnonzero(way >= patch[1] + SHOWN_AFTER)
    end = float(times[beyond[0]] if len(beyond) else times[-1])
    return begin, min(end, begin + LONGEST)


def page_of(story: Story, walks: Sequence[Recorded]) -> str:
    """Make the page that plays recorded walks side by side."""
    recording = {
        "rate": RATE,
        "feet": list(FOOT_COLOURS),
        "walks": [content(walk, TRUNKS[story.robot]) for walk in walks],
    }
    return played(story, json.dumps(recording, separators=(",", ":")))


def played(story: Story, recording: str) -> str:
    """Put a recording, as JSON, into the page of its player."""
    text = PLAYER.read_text(encoding="utf-8")
    text = text.replace("TITLE", story.title, 1).replace("NOTE", story.note, 1)
    return text.replace("RECORDING = 0", f"RECORDING = {recording}")


def recording_of(page: str) -> str:
    """Return the recording, as JSON, that a page plays."""
    return page.partition("RECORDING = ")[2].partition(";\n")[0]


def content(walk: Recorded, trunk: Trunk) -> dict[str, Any]:
    """Write a walk as the player reads it."""
    scene = walk.scene
    figure = Figure(scene, walk.instants[0], trunk)
    rows = np.array([figure.row(instant) for instant in walk.instants])
    return {
        "name": scene.name,
        "ended": walk.ended,
        "tall": round(scene.height, 3),
        "aside": 1.0,
        "floor": [
            {
                "from": round(float(piece.corners[0, 0]), 3),
                "to": round(float(piece.corners[1, 0]), 3),
                "mu": piece.mu,
                "colour": floor_colour(piece.mu),
            }
            for piece in scene.floor
        ],
        "points": figure.points,
        "rods": figure.rods,
        "trunk": figure.trunk,
        "head": figure.head,
        "corners": [len(corners) for corners in scene.soles],
        "numbers": rows.shape[1],
        "first": rows[0].tolist(),
        "instants": packed(rows),
        **marks(scene, walk.instants),
    }


def packed(rows: NDArray[np.int64]) -> str:
    """Pack rows (n, numbers) as the differences of 16 bits that follow the first.

    Raises:
        InvalidParameter: a number changes by more than 16 bits hold.
    """
    steps = np.diff(rows, axis=0)
    largest = int(np.abs(steps).max(initial=0))
    if largest > np.iinfo(np.int16).max:
        raise InvalidParameter(
            "a recorded step", largest, "at most 32767 units of 0.1 mm"
        )
    return base64.b64encode(steps.astype("<i2").tobytes()).decode("ascii")


class Figure:
    """Points, rods, trunk and head by which a robot is drawn.

    Args:
        scene: with the robot's joints.
        instant: at which the feet are found.
        trunk: which joints are shoulders and hips.

    Attributes:
        rods: [point, point, radius in m] each.
        trunk: its corners, as points, and its radius.
        head: its point and its radius.
    """

    def __init__(self, scene: Scene, instant: SceneInstant, trunk: Trunk) -> None:
        self._scene = scene
        self._number = {name: k for k, name in enumerate(scene.joints)}
        places, _ = joint_frames(scene, instant)
        self._ankles = [
            int(np.argmin(np.linalg.norm(places - sole[:3], axis=1)))
            for sole in instant.soles
        ]
        self._shoulders = [self._number[name] for name in trunk.shoulders]
        self._hips = [self._number[name] for name in trunk.hips]
        count = len(scene.joints)
        self.points = count + 1 + 2 * len(scene.soles)
        self.rods = [*self._limbs(trunk), *self._feet(count + 1)]
        left, right = self._shoulders
        left_hip, right_hip = self._hips
        self.trunk = {
            "corners": [left, right, right_hip, left_hip],
            "radius": self._share(TRUNK_RADIUS),
        }
        self.head = {"point": count, "radius": self._share(HEAD_RADIUS)}

    def _share(self, of_height: float) -> float:
        return round(of_height * self._scene.height, 4)

    def _limbs(self, trunk: Trunk) -> list[list[float]]:
        """List the rods from joint to joint of arms and legs."""
        found = []
        for child, name in enumerate(self._scene.joints):
            parent = self._scene.parents[child]
            drawn = not any(piece in name for piece in trunk.left_out)
            if parent > 0 and drawn:
                arm = any(piece in name for piece in trunk.arms)
                radius = self._share(ARM_RADIUS if arm else LEG_RADIUS)
                found.append([parent, child, radius])
        return found

    def _feet(self, first: int) -> list[list[float]]:
        """List the rods of the feet, whose toes and heels are points from ``first``."""
        radius = self._share(ARM_RADIUS)
        found: list[list[float]] = []
        for foot, ankle in enumerate(self._ankles):
            toe = first + 2 * foot
            heel = toe + 1
            found += [[ankle, toe, radius], [ankle, heel, radius], [toe, heel, radius]]
        return found

    def row(self, instant: SceneInstant) -> NDArray[np.int64]:
        """Compute the numbers of one instant, in units of 0.1 mm and 0.0001 of mu."""
        scene = self._scene
        places, _ = joint_frames(scene, instant)
        soles = [
            placed(corners, pose)
            for corners, pose in zip(scene.soles, instant.soles, strict=True)
        ]
        parts = [places, self._head(places)]
        parts += [self._toe_and_heel(k, instant.soles[k]) for k in (0, 1)]
        parts += soles
        parts += [arrow(scene, instant, foot) for foot in (0, 1)]
        flat = np.concatenate([part.reshape(-1) for part in parts]) / UNIT
        numbers = [friction(scene, instant, foot) for foot in (0, 1)]
        return np.concatenate([np.round(flat), *numbers]).astype(np.int64)

    def _head(self, places: Array) -> Array:
        """Compute where the head is (3,), over the middle of the shoulders [m]."""
        middle = places[self._shoulders].mean(axis=0)
        up = middle - places[self._hips].mean(axis=0)
        over = HEAD_OVER * self._scene.height
        return np.asarray(middle + over * up / np.linalg.norm(up))

    def _toe_and_heel(self, foot: int, pose: Array) -> Array:
        """Compute the ends (2, 3) of the rod that is a foot [m]."""
        radius = self._share(ARM_RADIUS)
        along = self._scene.soles[foot][:, 0]
        ends = np.array(
            [
                (along.max() - radius, 0.0, radius),
                (along.min() + radius, 0.0, radius),
            ]
        )
        return placed(ends, pose)


def arrow(scene: Scene, instant: SceneInstant, foot: int) -> Array:
    """Compute both ends (2, 3) of the arrow of a foot's force [m]; equal in the air."""
    start = instant.pressure[foot]
    carried = loaded(scene, instant)[foot]
    long = ARROW_SHARE * scene.height / scene.weight if carried else 0.0
    return np.array([start, start + long * instant.forces[foot]])


def friction(
    scene: Scene, instant: SceneInstant, foot: int
) -> tuple[float, float, float]:
    """Return what is known of a foot's floor, its lower bound and the true mu."""
    low = float(instant.numbers.low[foot])
    high = float(instant.numbers.high[foot])
    if not loaded(scene, instant)[foot]:
        return 0.0, UNKNOWN, UNKNOWN
    bounds = [low, float(instant.numbers.mu[foot])]
    units = [round(mu / UNIT) if np.isfinite(mu) else UNKNOWN for mu in bounds]
    return float(known(low, high)), units[0], units[1]


def marks(scene: Scene, instants: Sequence[SceneInstant]) -> dict[str, Any]:
    """List footprints, slides and answers, each with the instant it is there from."""
    trail = FootprintTrail(scene)
    found: dict[str, Any] = {"prints": [], "slides": [], "landings": [], "total": []}
    before = len(instants[0].landings)
    for k, instant in enumerate(instants):
        trail.add(instant)
        for one in trail.prints[len(found["prints"]) :]:
            corners = placed(scene.soles[one.foot], one.pose)
            found["prints"].append(
                {"from": k, "known": int(one.known), "corners": rounded(corners)}
            )
            if slides([one]):
                found["slides"].append(
                    {
                        "from": k,
                        "corners": rounded(streak(one.landed, one.before)),
                        "words": f"slid {1e3 * one.slide:.0f} mm",
                    }
                )
                words = slide_words(slides(trail.prints))
                found["total"].append({"from": k, "words": words})
        for landing in instant.landings[before + len(found["landings"]) :]:
            found["landings"].append(
                {
                    "from": k,
                    "corners": rounded(landing_streak(scene, landing)),
                    "words": landing.words,
                }
            )
    return found


def rounded(corners: Array) -> list[list[float]]:
    """Round places (n, 3) [m] to 0.1 mm."""
    return [[round(float(value), 4) for value in corner] for corner in corners]
