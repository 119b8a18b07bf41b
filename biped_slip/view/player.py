# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The live view: play, pause, scrub and slow motion.

A camera follows, and curves are beside the scene.
"""

from __future__ import annotations

import math
import time
from typing import Any, Callable, Sequence

import numpy as np

from biped_slip.constants import FEET
from biped_slip.reports.figures import ESTIMATE, FOOT_COLOURS, LIMIT, SLIP, TRUTH
from biped_slip.view.scene import KNOWN_COLOURS, KNOWN_WORDS, REMEMBERED, SceneSource
from biped_slip.view.server import lanes, look_at
from biped_slip.view.stage import PARTS, Stage

# Curves beside the scene: force ratio, limit and what is certified, in a window up to
# now.

# [s] and samples of a plot
PLOT_WINDOW = 6.0
PLOT_POINTS = 150
PLAYER_KEY = (
    f'<span style="color:{ESTIMATE}">&#9632;</span> numbers at a landing: mu '
    "(interval), measured in its slide, drawn "
    "ten times as long; arrows: forces on the feet; cones: forces that hold on the "
    "certified (coloured) and the "
    f'true (grey) friction; <span style="color:{SLIP}">&#9632;</span> where a '
    "standing foot slid"
)
SIZES = {"true mu": 1.5, "at most": 2.0}  # [px] of dots
RATIO_AXIS_END = 1.2  # end of the axis of ratios
CURVES = (
    ("|Ft| / Fn", ""),
    ("limit", LIMIT),
    ("at least", ESTIMATE),
    ("at most", ESTIMATE),
    ("true mu", TRUTH),
)


class FootPlots:
    """Plots of the first two feet of a source."""

    def __init__(self, gui: Any, source: SceneSource) -> None:
        self._source = source
        count = min(len(source.scene.soles), 2)
        self._plots = [self._add(gui, foot) for foot in range(count)]

    def _add(self, gui: Any, foot: int) -> Any:
        name = self._source.scene.name
        series: list[dict[str, Any]] = [{"label": "time [s]"}]
        for label, colour in CURVES:
            stroke = colour or FOOT_COLOURS[foot]
            dots = {
                "show": True,
                "size": SIZES.get(label, 3.0),
                "fill": stroke,
                "width": 0,
            }
            # a line would bridge gaps
            series.append(
                {"label": label, "stroke": stroke, "width": 0, "points": dots}
            )
        empty = np.array([0.0, 1.0])
        return gui.add_uplot(
            (empty, *(np.full(2, np.nan) for _ in CURVES)),
            tuple(series),
            title=f"{name}: {FEET[foot]} foot",
            scales={
                "x": {"time": False},
                "y": {"auto": False, "range": (0.0, RATIO_AXIS_END)},
            },
            axes=({"label": "time [s]"}, {"label": "ratio [-]"}),
            height=190,
            legend={"show": foot == 0},
        )

    def show(self, time: float) -> None:
        """Draw the curves of the window that ends at a time [s]."""
        times = self._source.times
        wanted = np.linspace(
            max(time - PLOT_WINDOW, float(times[0])),
            max(time, float(times[0]) + 1e-3),
            PLOT_POINTS,
        )
        indices = np.minimum(np.searchsorted(times, wanted), len(times) - 1)
        numbers = self._source.numbers(indices)
        for foot, plot in enumerate(self._plots):
            plot.data = (
                wanted,
                *(
                    np.where(one[:, foot] <= RATIO_AXIS_END, one[:, foot], np.nan)
                    for one in numbers
                ),
            )


# [1/s] of scene and plots
SCENE_RATE = 30.0
PLOT_RATE = 5.0
PLAYBACK_SPEEDS = {
    "1/20": 0.05,
    "1/10": 0.1,
    "1/4": 0.25,
    "1/2": 0.5,
    "1": 1.0,
    "2": 2.0,
    "4": 4.0,
}


class Player:
    """Player of several sources at one common time.

    Args:
        server: viser's.
        sources: side by side, one at least.
        live: begin at the newest instant and stay there.
        playing: begin to play at once.

    Attributes:
        sent: updates so far.
    """

    def __init__(
        self,
        server: Any,
        sources: Sequence[SceneSource],
        live: bool = False,
        playing: bool = True,
    ) -> None:
        self._server = server
        self._sources = sources
        scenes = [source.scene for source in sources]
        self._stages = [
            Stage(server, scene, y, len(scenes) > 1)
            for scene, y in zip(scenes, lanes(scenes), strict=True)
        ]
        look_at(server, scenes)
        self._live = live
        self._playing = playing
        self._speed = 1.0
        self._follow = True
        self._reached = [0.0] * len(sources)
        self._asked: float | None = None
        self._time = -1.0
        self._shown = -1.0
        self.sent = 0
        self._add_controls(server.gui)
        self._plots = [FootPlots(server.gui, source) for source in sources]
        self._plots_due = 0.0

    def _add_controls(self, gui: Any) -> None:
        swatches = "  ".join(
            f'<span style="color:rgb{colour}">&#9632;</span> {word}'
            for colour, word in zip(KNOWN_COLOURS, KNOWN_WORDS, strict=True)
        )
        gui.add_html(
            '<div style="padding:0 1em;font-size:.85em">certified under the sole: '
            f"{swatches}<br>{PLAYER_KEY}</div>"
        )
        self._button = gui.add_button("Pause" if self._playing else "Play")
        self._slider = gui.add_slider(
            "time [s]", min=0.0, max=1.0, step=0.01, initial_value=0.0
        )
        speeds = gui.add_dropdown("speed", tuple(PLAYBACK_SPEEDS), initial_value="1")
        follow = gui.add_checkbox("camera follows", True)
        with gui.add_folder("show", expand_by_default=False):
            for part in PARTS:
                self._add_switch(gui, part)

        self._button.on_click(self._press)
        self._slider.on_update(self._scrub)
        speeds.on_update(lambda _: self._set_speed(speeds.value))
        follow.on_update(lambda _: self._set_follow(follow.value))

    def _add_switch(self, gui: Any, part: str) -> None:
        box = gui.add_checkbox(part, True)

        def switch(_: Any) -> None:
            for stage in self._stages:
                stage.show_part(part, bool(box.value))

        box.on_update(switch)

    def _press(self, _: Any) -> None:
        self._playing = not self._playing
        self._live = False
        self._button.label = "Pause" if self._playing else "Play"

    def _scrub(self, event: Any) -> None:
        if event.client is not None:  # a visitor, not this program
            self._asked = float(self._slider.value)

    def _set_speed(self, name: str) -> None:
        self._speed = PLAYBACK_SPEEDS[name]
        self._live = False

    def _set_follow(self, follow: bool) -> None:
        self._follow = follow
        self._shown = math.nan

    def run(
        self,
        goes_on: Callable[[], bool] = lambda: True,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Run the player until stopped."""
        before = time.monotonic()
        while goes_on():
            due = before + 1.0 / SCENE_RATE
            sleep(max(due - time.monotonic(), 0.0))
            now = time.monotonic()
            self.update(now - before)
            before = now

    def update(self, passed: float) -> None:
        """Update the scenes after some seconds of the wall clock."""
        known = [source for source in self._sources if len(source.times)]
        if not known:
            return
        first = min(s.times[0] for s in known)
        last = max(s.times[-1] for s in known)
        self._time = self._next(float(first), float(last), passed)
        if self._time == self._shown:
            return
        with self._server.atomic():
            for k, source in enumerate(self._sources):
                if len(source.times):
                    self._show(k, source)
            self._slider.min = float(first)
            self._slider.max = max(float(last), float(first) + 0.01)
            self._slider.value = self._time
        self._shown = self._time
        self.sent = self.sent + 1
        if time.monotonic() >= self._plots_due:
            self._plots_due = time.monotonic() + 1.0 / PLOT_RATE
            for plots, source in zip(self._plots, self._sources, strict=True):
                if len(source.times):
                    plots.show(self._time)

    def _next(self, first: float, last: float, passed: float) -> float:
        if self._asked is not None:
            wanted = self._asked
            self._asked = None
            self._live = False
            return min(max(wanted, first), last)
        if self._live:
            return last
        if not self._playing:
            return self._time if self._time >= first else first
        wanted = max(self._time, first) + self._speed * passed
        if wanted < last:
            return wanted
        over = all(source.ended for source in self._sources)
        return first if over and self._time >= last else last

    def _show(self, k: int, source: SceneSource) -> None:
        times = source.times
        stage = self._stages[k]
        # a robot may begin anew
        self._reached[k] = min(self._reached[k], float(times[-1]))
        for moment in np.arange(
            self._reached[k] + REMEMBERED, min(self._time, float(times[-1])), REMEMBERED
        ):
            stage.remember(source.instant(int(np.searchsorted(times, moment))))
            self._reached[k] = float(moment)
        instant = source.instant(
            min(int(np.searchsorted(times, self._time)), len(times) - 1)
        )
        stage.show(instant)
        stage.follow(instant.centre if self._follow else None)
