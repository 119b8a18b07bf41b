# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The walk in motion, as drawings that the page's own few lines of script move; nothing is loaded."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

import numpy as np

from biped_slip.reports.figures import FOOT_COLOURS, TRUTH
from biped_slip.reports.floor import floor_height, patches
from biped_slip.reports.friction_cones import COLOURS, MEANINGS
from biped_slip.reports.planar.figures import Walks
from biped_slip.reports.planar.frames import Frames, walk_frames
from biped_slip.simulation.planar.scenario import ScenarioConfig
from biped_slip.simulation.stances import FEET

RATE = 25  # [1/s] frames
SCALE = 220.0  # [px/m]
WIDTH, HEIGHT, FLOOR = 960, 290, 262  # [px] of a drawing; row in which the floor under the hip is shown
DEPTH = 400.0  # [px] of floor drawn under its surface
MARGIN = 3.0  # [m] of floor drawn before and behind the walk
SCRIPT = Path(__file__).with_name("player.js")


def walk_player(walks: Walks, scenario: ScenarioConfig) -> str:
    """A piece of HTML: one drawing per walk, and one clock with its controls for all of them."""
    end = max((float(walk.log.time[-1]) for walk in walks.values() if walk.log.length), default=0.0)
    times = np.arange(int(end * RATE) + 1) / RATE
    frames = [walk_frames(walk, scenario, times) for walk in walks.values()]
    data = {
        "rate": RATE,
        "count": len(times),
        "colours": COLOURS,
        "middle": WIDTH // 2,
        "floor": FLOOR,
        "incline": -float(np.tan(scenario.ground.slope)),
        "walks": [_pixels(f) for f in frames],
    }
    drawings = "".join(
        _drawing(name, walk.summary.fell, f, scenario)
        for (name, walk), f in zip(walks.items(), frames, strict=True)
    )  # fmt: skip
    return (
        '<div class="player">\n<p><button type="button">pause</button> '
        f'<input type="range" min="0" max="{len(times) - 1}" value="0" style="width:55%;vertical-align:middle" '
        'aria-label="time"> <output></output> <select aria-label="speed"><option value="1">real time</option>'
        '<option value="0.25">a quarter</option><option value="0.1">a tenth</option></select></p>\n'
        f"<p>{_legend(scenario)}</p>\n{drawings}"
        f'<script type="application/json">{json.dumps(data, separators=(",", ":"), allow_nan=False)}</script>\n'
        f"<script>{SCRIPT.read_text(encoding='utf-8')}</script></div>"
    )


def _pixels(frames: Frames) -> list[list[int]]:
    """Per frame: trunk, hip, then for each foot knee, sole, arrow's tip, cone's corners, nearness; y downwards."""
    flip = np.array([SCALE, -SCALE])
    n = len(frames.time)
    soles = frames.soles[:, :, None, :]
    points = np.concatenate(
        (frames.knees[:, :, None, :], soles, soles + frames.arrows[:, :, None, :], soles + frames.cones), axis=2
    )  # (n, 2, 5, 2)
    legs = np.concatenate(((points * flip).reshape(n, 2, 10), frames.nearness[:, :, None]), axis=2)
    rows = np.concatenate((frames.trunk * flip, frames.hip * flip, legs.reshape(n, 22)), axis=1)
    return [[int(value) for value in row] for row in np.rint(rows)]


def _drawing(name: str, fell: bool, frames: Frames, scenario: ScenarioConfig) -> str:
    """The parts of one walk; the script finds them by their order."""
    low, high = (float(frames.hip[:, 0].min()), float(frames.hip[:, 0].max())) if len(frames.time) else (0.0, 0.0)
    moving = "".join(
        f'<polygon class="cone" opacity="0.45"/><polyline class="leg" stroke="{colour}"/>'
        f'<line class="force" stroke="{TRUTH}" stroke-width="2.5"/><circle class="tip" r="4" fill="{TRUTH}"/>'
        for colour in FOOT_COLOURS
    )
    note = "fell" if fell else ""
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" style="width:100%;border:1px solid #ddd;margin-bottom:.5rem" '
        f'role="img" aria-label="{html.escape(name)}" data-end="{note}">'
        f'<g class="camera" fill="none" stroke-width="6" stroke-linecap="round" stroke-linejoin="round">'
        f"{_floor(scenario, low - MARGIN, high + MARGIN)}{moving}"
        f'<line class="trunk" stroke="{TRUTH}" stroke-width="11"/></g>'
        f'<text x="12" y="24" font-size="17">slip prevention: {html.escape(name)}</text>'
        f'<text class="note" x="{WIDTH - 12}" y="24" font-size="17" text-anchor="end"></text></svg>\n'
    )


def _floor(scenario: ScenarioConfig, low: float, high: float) -> str:
    ground, parts = scenario.ground, []

    def point(x: float, below: float) -> str:
        return f"{SCALE * x:.0f},{below - SCALE * float(floor_height(ground, x)):.0f}"

    for patch in patches(ground, low, high):
        corners = " ".join(
            point(x, y) for x, y in ((patch.start, 0), (patch.end, 0), (patch.end, 200), (patch.start, 200))
        )
        parts.append(f'<polygon points="{corners}" fill="{patch.colour}"/>')
    for metre in range(int(np.ceil(low)), int(np.floor(high)) + 1):
        x, y = point(metre, 20.0).split(",")
        parts.append(f'<text x="{x}" y="{y}" font-size="13" fill="{TRUTH}" text-anchor="middle">{metre} m</text>')
    return "".join(parts)


def _legend(scenario: ScenarioConfig) -> str:
    floors = [(p.colour, f"floor mu {p.mu:g}") for p in patches(scenario.ground, -np.inf, np.inf)]
    entries: list[tuple[Any, str]] = [
        *zip(FOOT_COLOURS, (f"{foot} leg" for foot in FEET), strict=True),
        *dict.fromkeys(floors),
        *zip(COLOURS, (f"cone: {meaning}" for meaning in MEANINGS), strict=True),
    ]
    return " ".join(
        f'<span style="white-space:nowrap;margin-right:1em"><span style="background:{colour};display:inline-block;'
        f'width:.8em;height:.8em"></span> {html.escape(text)}</span>'
        for colour, text in entries
    )
