# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One scene on a viser server, whose parts are added once, then moved.

Robot, soles, cones and arrows are made at first; an instant sends the poses that
have changed. Footprints and streaks are added as they come.
"""

from __future__ import annotations

import math
from typing import Any, Sequence

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.reports.figures import SLIP, floor_colour
from biped_slip.view.scene import (
    CENTRE,
    FEET_COLOURS,
    KNOWN_COLOURS,
    MARKED_SLIDE,
    PLANNED,
    PLATE,
    POINT_HALF_SIZE,
    ZMP,
    Footprint,
    FootprintTrail,
    Landing,
    Scene,
    SceneInstant,
    known,
    landing_streak,
    loaded,
    outline_faces,
    rgb,
    slide_words,
    slides,
    streak,
)

STAGE_ROOT = "/view"
# [m] and of a quaternion's parts: finer changes are not sent, coarser ones compress
# better
GRAIN = 2.0**-13
# of the robot's height; the arrow that of its weight
CONE_SHARE = 0.09
ARROW_SHARE = 0.3
BALL_SHARE = 0.016
ABOVE = 0.004  # [m] of marks over the floor, against flicker
BEYOND = 0.5  # [m] from a way that is behind another one to the name of its floor
NAME_HEIGHT = 1.0  # of the robot's height, over the floor
NAME_RISE = 0.25  # [m] for each metre that its way is farther away
GRID = 0.25  # [m] between lines of the floor
GRID_AROUND = 1.0  # [m] of lines beside the floor
UPRIGHT_POSE = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
PARTS = ("robot", "forces", "cones", "plan", "footprints", "slides", "landings")


class Stage:
    """Stage that draws instants of one scene.

    Args:
        server: viser's.
        scene: what is there.
        aside: where its way runs, world y [m].
        named: whether its name stands over the robot, before the number of slides.
    """

    def __init__(
        self, server: Any, scene: Scene, aside: float = 0.0, named: bool = False
    ) -> None:
        self._api = server.scene
        self._scene = scene
        self._aside = aside
        self._root = f"{STAGE_ROOT}/{scene.name.replace('/', ' ')}"
        self._frame = self._api.add_frame(
            self._root, show_axes=False, position=(0.0, aside, 0.0)
        )
        self._sent: dict[int, Array] = {}
        self._seen: dict[int, bool] = {}
        self._groups = {
            part: self._api.add_frame(f"{self._root}/{part}", show_axes=False)
            for part in PARTS
        }
        self._add_floor()
        self._named = scene.name if named else ""
        self._said = self._named
        self._slid = ""
        self._joints = self._add_robot()
        self._name = self._api.add_label(
            f"{self._root}/name",
            self._said,
            visible=bool(self._said),
            anchor="bottom-center",
        )
        feet = range(len(scene.soles))
        self._soles = [self._add_sole(foot) for foot in feet]
        self._cones = [self._add_cone(foot) for foot in feet]
        self._arrows = [self._add_arrow(foot) for foot in feet]
        self._add_plan()
        self._trail = FootprintTrail(scene)
        self._prints: dict[int, Any] = {}
        self._slides: dict[int, tuple[Any, Any]] = {}
        self._landings: list[tuple[Any, Any]] = []
        self._colours: dict[int, int] = {}

    def follow(self, place: Array | None) -> None:
        """Keep a place (3,) of the scene in the middle of the view.

        With None, the floor stays.
        """
        x, y = (
            (0.0, 0.0)
            if place is None or not np.all(np.isfinite(place))
            else (float(place[0]), float(place[1]))
        )
        self._move(
            self._frame, np.array([-x, self._aside - y, 0.0, 1.0, 0.0, 0.0, 0.0])
        )

    def show_part(self, part: str, visible: bool) -> None:
        """Show or hide one of PARTS."""
        self._groups[part].visible = visible

    def remember(self, instant: SceneInstant) -> None:
        """Record footprints; instants in order."""
        self._trail.add(instant)

    def show(self, instant: SceneInstant) -> None:
        """Show one instant of the scene."""
        for handle, place in zip(self._joints, instant.places, strict=True):
            self._move(handle, place)
        carries = loaded(self._scene, instant)
        for foot in range(len(self._scene.soles)):
            self._show_foot(foot, instant, bool(carries[foot]))
        self._show_plan(instant)
        self._show_footprints(instant.time)
        self._show_name(instant)
        self._show_landings(instant.landings)

    def _show_foot(self, foot: int, instant: SceneInstant, carries: bool) -> None:
        sole = instant.soles[foot]
        numbers = instant.numbers
        level = (
            known(float(numbers.low[foot]), float(numbers.high[foot])) if carries else 0
        )
        self._move(self._soles[foot], sole)
        if self._colours.get(foot) != level:
            self._colours[foot] = int(level)
            self._soles[foot].color = KNOWN_COLOURS[level]
        force = instant.forces[foot]
        place = instant.pressure[foot]
        size = float(np.linalg.norm(force)) / self._scene.weight
        self._seen_as(self._arrows[foot], carries)
        if carries:
            length = ARROW_SHARE * self._scene.height * size
            self._arrows[foot].scale = _grained(length)
            self._move(self._arrows[foot], np.concatenate([place, _turn_to(force)]))
        certified, true = self._cones[foot]
        for cone, mu in ((certified, numbers.low[foot]), (true, numbers.mu[foot])):
            drawn = carries and math.isfinite(mu) and mu > 0.0
            self._seen_as(cone, drawn)
            if drawn:
                height = CONE_SHARE * self._scene.height
                wide = _grained(height * float(mu))
                cone.scale = (wide, wide, _grained(height))
                self._move(cone, np.concatenate([place, sole[3:]]))
        if carries and self._colours.get(-1 - foot) != level:
            self._colours[-1 - foot] = int(level)
            certified.color = KNOWN_COLOURS[level]

    def _show_plan(self, instant: SceneInstant) -> None:
        for ball, place in ((self._centre, instant.centre), (self._zmp, instant.zmp)):
            there = bool(np.all(np.isfinite(place)))
            self._seen_as(ball, there)
            if there:
                self._move(ball, np.concatenate([place, UPRIGHT_POSE[3:]]))
        for k, foothold in enumerate(self._footholds):
            there = k < len(instant.footholds)
            foot = instant.swing if k == 0 else 1 - instant.swing
            for side in (0, 1):
                self._seen_as(foothold[side], there and side == foot)
            if there:
                x, y, yaw = instant.footholds[k]
                turn = (math.cos(0.5 * yaw), 0.0, 0.0, math.sin(0.5 * yaw))
                self._move(foothold[foot], np.array([x, y, ABOVE, *turn]))

    def _show_footprints(self, time: float) -> None:
        prints = self._trail.prints
        for k in range(len(self._prints), len(prints)):
            self._prints[k] = self._add_footprint(k, prints[k])
            if prints[k].slide >= MARKED_SLIDE:
                self._slides[k] = self._add_slide(k, prints[k])
        over = [k for k in self._slides if prints[k].since <= time]
        for k, handle in self._prints.items():
            self._seen_as(handle, prints[k].since <= time)
            if k in self._slides:
                band, length = self._slides[k]
                self._seen_as(band, k in over)
                self._seen_as(length, k in over[-1:])
        self._slid = slide_words(slides(prints, time))

    def _show_name(self, instant: SceneInstant) -> None:
        """Write over the robot who walks and how far its feet slid so far.

        Words over a robot behind are higher, so that those of both can be read.
        """
        soles = np.nan_to_num(instant.soles[:, :3])
        known_centre = bool(np.all(np.isfinite(instant.centre)))
        place = instant.centre if known_centre else soles.mean(axis=0)
        floor = float(soles[:, 2].min())
        over = floor + NAME_HEIGHT * self._scene.height + NAME_RISE * self._aside
        where = np.array([place[0], place[1], over])
        self._move(self._name, np.concatenate([where, UPRIGHT_POSE[3:]]))
        words = ": ".join(filter(None, (self._named, self._slid)))
        if words != self._said:
            self._said = words
            self._name.text = words
            self._seen_as(self._name, bool(words))

    def _show_landings(self, landings: Sequence[Landing]) -> None:
        """Draw a streak at each landing with an estimate, the number at the newest.

        Two steps are closer to each other than the words of one are long.
        """
        for k in range(len(self._landings), len(landings)):
            self._landings.append(self._add_landing(k, landings[k]))
        for k, (band, number) in enumerate(self._landings):
            self._seen_as(band, k < len(landings))
            self._seen_as(number, k == len(landings) - 1)

    def _add_landing(self, k: int, landing: Landing) -> tuple[Any, Any]:
        corners = landing_streak(self._scene, landing)
        name = f"{self._root}/landings/{k}"
        band = self._api.add_mesh_simple(
            name,
            _raised(corners, 1.5 * ABOVE),
            outline_faces(4),
            color=KNOWN_COLOURS[2],
            side="double",
            cast_shadow=False,
        )
        return band, self._api.add_label(
            f"{name}/words",
            f"mu {landing.words}",
            position=_raised(corners[1], 0.02),
            anchor="top-left",
        )

    def _move(self, handle: Any, place: Array) -> None:
        """Send a pose (7,) if it has changed."""
        now = np.round(np.asarray(place) / GRAIN) * GRAIN
        before = self._sent.get(id(handle))
        if before is None or not np.array_equal(now[:3], before[:3]):
            handle.position = now[:3]
        if before is None or not np.array_equal(now[3:], before[3:]):
            handle.wxyz = now[3:]
        self._sent[id(handle)] = now

    def _seen_as(self, handle: Any, visible: bool) -> None:
        if self._seen.get(id(handle)) != visible:
            handle.visible = self._seen[id(handle)] = visible

    def _add_floor(self) -> None:
        # on the side where no foot stands before it, of a way in front or behind
        behind = self._aside > 0.0
        for k, piece in enumerate(self._scene.floor):
            colour = PLATE if math.isnan(piece.mu) else rgb(floor_colour(piece.mu))
            name = f"{self._root}/floor {k}"
            self._api.add_mesh_simple(
                name, piece.corners, outline_faces(4), color=colour, side="double"
            )
            words = piece.name or ("" if math.isnan(piece.mu) else f"mu {piece.mu:g}")
            if words:
                start, end = piece.corners[[3, 2] if behind else [0, 1]]
                beside = np.array([0.0, BEYOND if behind else 0.0, 0.0])
                self._api.add_label(
                    f"{name}/words",
                    words,
                    position=0.9 * start + 0.1 * end + beside,
                    anchor="bottom-right" if behind else "top-right",
                )

        corners = np.concatenate(
            [piece.corners for piece in self._scene.floor] or [np.zeros((1, 3))]
        )
        low = corners.min(axis=0)
        high = corners.max(axis=0)
        if high[2] - low[2] < ABOVE:  # on a level floor lines show how far things go
            self._api.add_grid(
                f"{self._root}/grid",
                width=float(np.ceil(high[0] - low[0])) + 2.0 * GRID_AROUND,
                height=float(np.ceil(high[1] - low[1])) + 2.0 * GRID_AROUND,
                cell_size=GRID,
                section_size=4.0 * GRID,
                position=(
                    float(round(0.5 * (low[0] + high[0]))),
                    0.0,
                    float(low[2]) - ABOVE,
                ),
            )

    def _add_robot(self) -> list[Any]:
        names: list[str] = []
        joints = []
        for name, parent in zip(self._scene.joints, self._scene.parents, strict=True):
            beyond = names[parent] if parent >= 0 else f"{self._root}/robot"
            names.append(f"{beyond}/{name.replace('/', ' ')}")
            joints.append(self._api.add_frame(names[-1], show_axes=False))
        for k, shape in enumerate(self._scene.shapes):
            self._api.add_mesh_simple(
                f"{names[shape.joint]}/shape {k}",
                shape.vertices,
                shape.faces,
                color=shape.colour,
                flat_shading=True,
            )
        return joints

    def _add_sole(self, foot: int) -> Any:
        corners = _corners(self._scene, foot)
        return self._api.add_mesh_simple(
            f"{self._root}/sole {foot}",
            _raised(corners, ABOVE),
            outline_faces(len(corners)),
            color=KNOWN_COLOURS[0],
            side="double",
            opacity=0.95,
            cast_shadow=False,
            visible=len(corners) > 0,
        )

    def _add_slide(self, k: int, footprint: Footprint) -> tuple[Any, Any]:
        """Draw a band along which the sole slid, with its length."""
        corners = streak(footprint.landed, footprint.before)
        name = f"{self._root}/slides/{k}"
        band = self._api.add_mesh_simple(
            name,
            _raised(corners, 1.5 * ABOVE),
            outline_faces(4),
            color=rgb(SLIP),
            side="double",
            cast_shadow=False,
        )
        return band, self._api.add_label(
            f"{name}/words",
            f"slid {1e3 * footprint.slide:.0f} mm",
            position=_raised(corners[0], 0.02),
            anchor="bottom-right",
        )

    def _add_footprint(self, k: int, footprint: Footprint) -> Any:
        corners = _corners(self._scene, footprint.foot)
        place = footprint.pose
        return self._api.add_mesh_simple(
            f"{self._root}/footprints/{k}",
            _raised(corners, 0.5 * ABOVE),
            outline_faces(len(corners)),
            color=KNOWN_COLOURS[footprint.known],
            side="double",
            opacity=0.75,
            cast_shadow=False,
            position=place[:3],
            wxyz=place[3:],
        )

    def _add_cone(self, foot: int) -> tuple[Any, Any]:
        import trimesh

        cone = trimesh.creation.cone(1.0, 1.0, sections=32)
        # opens upwards, apex at the origin
        cone.apply_transform(np.diag([1.0, -1.0, -1.0, 1.0]))
        cone.apply_translation((0.0, 0.0, 1.0))
        vertices = np.asarray(cone.vertices, np.float32)
        faces = np.asarray(cone.faces, np.uint32)
        look: dict[str, Any] = {
            "side": "double",
            "cast_shadow": False,
            "receive_shadow": False,
            "visible": False,
        }
        name = f"{self._root}/cones/{foot}"
        certified = self._api.add_mesh_simple(
            f"{name} certified", vertices, faces, opacity=0.35, **look
        )
        true = self._api.add_mesh_simple(
            f"{name} true", vertices, faces, color=(90, 90, 90), opacity=0.12, **look
        )
        return certified, true

    def _add_arrow(self, foot: int) -> Any:
        import trimesh

        shaft = trimesh.creation.cylinder(
            0.02, segment=[(0.0, 0.0, 0.0), (0.0, 0.0, 0.82)], sections=12
        )
        head = trimesh.creation.cone(0.055, 0.18, sections=16)
        head.apply_translation((0.0, 0.0, 0.82))
        arrow = trimesh.util.concatenate([shaft, head])
        return self._api.add_mesh_simple(
            f"{self._root}/forces/{foot}",
            np.asarray(arrow.vertices, np.float32),
            np.asarray(arrow.faces, np.uint32),
            color=FEET_COLOURS[foot % 2],
            cast_shadow=False,
            visible=False,
        )

    def _add_plan(self) -> None:
        root = f"{self._root}/plan"
        size = BALL_SHARE * self._scene.height
        self._centre = self._api.add_icosphere(
            f"{root}/centre of mass", radius=size, color=CENTRE, visible=False
        )
        self._zmp = self._api.add_icosphere(
            f"{root}/ZMP", radius=0.7 * size, color=ZMP, visible=False
        )
        self._footholds = []
        for k in (0, 1):
            pair = []
            for foot in range(min(len(self._scene.soles), 2)):
                corners = _corners(self._scene, foot)
                pair.append(
                    self._api.add_mesh_simple(
                        f"{root}/foothold {k} {foot}",
                        corners,
                        outline_faces(len(corners)),
                        color=PLANNED,
                        side="double",
                        opacity=0.55 - 0.25 * k,
                        cast_shadow=False,
                        visible=False,
                    )
                )
            if len(pair) == 2:
                self._footholds.append(tuple(pair))


def _corners(scene: Scene, foot: int) -> Array:
    """Return the corners of a sole; a small square where it is a point."""
    corners = scene.soles[foot]
    if 0 < len(corners) < 3:
        square = POINT_HALF_SIZE * np.array(
            [(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 0.0)]
        )
        return square + corners[0]
    return corners


def _raised(corners: Array, height: float) -> Array:
    return np.asarray(corners + np.array([0.0, 0.0, height]))


def _grained(value: float) -> float:
    return max(round(value / GRAIN), 1) * GRAIN


def _turn_to(direction: Array) -> Array:
    """Compute the quaternion w, x, y, z that turns z into a direction (3,)."""
    x, y, z = direction / max(float(np.linalg.norm(direction)), 1e-12)
    turn = np.array([1.0 + z, -y, x, 0.0])
    size = float(np.linalg.norm(turn))
    return turn / size if size > 1e-6 else np.array([0.0, 1.0, 0.0, 0.0])
