# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One landing as currents, as sensors in the ankles and as the floor itself have it.

G1 walks by the currents of its motors. Sensors in its ankles, which it does not have as
it is sold, are read beside, and a second touchdown estimator listens to them alone::

                ┌► HumanoidSenses by currents ─► controller
    RawReadings ┤
                └► HumanoidSenses by ankle sensors
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, Sequence

import numpy as np
from matplotlib.figure import Figure

from biped_slip.compile.arrays import Array
from biped_slip.friction_estimation.types import FootMeasurement, FrictionEstimate
from biped_slip.reports.figures import (
    ESTIMATE,
    LIMIT,
    MUTED,
    TRUTH,
    legend_above,
    stacked_axes,
)
from biped_slip.robots.sensor_config import with_sensor_set
from biped_slip.simulation.humanoid.oracle import humanoid_policy
from biped_slip.simulation.humanoid.scenario import (
    HumanoidWalkConfig,
    humanoid_walk_of,
)
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.walking.humanoid import CURRENTS, HumanoidSenses

ROBOT = "g1"
SENSORS = "realistic"
LIMIT_KIND = "touchdown"
MU = 0.2
SPEED = 0.3  # [m/s]
SEED = 1
SECONDS = 7.0  # of the walk: the torques are judged, both feet have landed since
FOOT = 0
SWING = 0.05  # [s] without load that are a swing
# samples of 1 ms that are drawn
BEFORE = 20
AFTER = 80
LEAST_LOAD = 5.0  # [N] below which a ratio is none


class Shown(NamedTuple):
    """What one source of forces says of a foot at one instant."""

    along: float  # force of the floor along the foot [N]
    normal: float  # [N]
    estimate: FrictionEstimate


class Sample(NamedTuple):
    """One foot at one instant."""

    along: float  # true force of the floor along the foot [N]
    normal: float  # [N]
    currents: Shown
    ankles: Shown


def _floor() -> dict[str, Any]:
    return {"robot": ROBOT, "mu": MU, "speed": SPEED, "patch": {"length": 0.0}}


def walk_by_currents() -> HumanoidWalkConfig:
    """Build the walk, with sensors in ankles and feet that its controller ignores."""
    config = humanoid_walk_of({**_floor(), "sensors": SENSORS}, Path())
    sensors = replace(
        config.sensors,
        force_torque=replace(config.sensors.force_torque, present=True),
        foot_imu=replace(config.sensors.foot_imu, present=True),
    )
    return replace(config, sensors=sensors, forces=CURRENTS)


def ankle_senses(walk: HumanoidWalk) -> HumanoidSenses:
    """Make the senses of the same robot with sensors in its ankles."""
    mapping = with_sensor_set({**_floor(), "sensors": SENSORS}, "humanoid")
    config = humanoid_walk_of(mapping, Path())
    policy = humanoid_policy(LIMIT_KIND, config, walk.humanoid, SEED)
    senses = HumanoidSenses(
        walk.humanoid, policy.estimator, config.base, config.motion, config.touchdown
    )
    return senses


def _shown(senses: HumanoidSenses, measurement: FootMeasurement) -> Shown:
    """Return a foot's forces without the zero of its sensor, and what is known."""
    zero = senses.friction.states[FOOT].footing.zero
    return Shown(
        along=measurement.force_x - zero.x,
        normal=measurement.force_normal - zero.normal,
        estimate=senses.friction.estimates[FOOT],
    )


def heard_walk() -> tuple[list[Sample], float]:
    """Walk, and keep all samples of one foot; return them and the weight [N]."""
    walk = HumanoidWalk(walk_by_currents(), LIMIT_KIND, SEED)
    ankles = ankle_senses(walk)
    currents = walk.sequencer.controller._senses  # type: ignore[attr-defined]
    by_currents = currents.step
    samples: list[Sample] = []

    def listen(raw: Any, base: Any = None) -> Any:
        observed = by_currents(raw, base)
        beside = ankles.step(raw)
        log = walk.world.log
        now = log.length - 1
        samples.append(
            Sample(
                along=float(
                    log.wrench[now, FOOT, :3] @ log.sole_rotation[now, FOOT, :, 0]
                ),
                normal=float(log.normal[now, FOOT]),
                currents=_shown(currents, observed.measurements[FOOT]),
                ankles=_shown(ankles, beside.measurements[FOOT]),
            )
        )
        return observed

    currents.step = listen
    while not walk.ended and walk.world.plant.ticks < 1e3 * SECONDS:
        walk.tick()
    return samples, walk.humanoid.weight


def last_touchdown(load: Array) -> int:
    """Return the sample in which a foot last met the floor after a swing.

    Args:
        load: true, of each sample [N].
    """
    aloft = round(1e3 * SWING)
    loaded = load > 0.0
    begun = [
        at
        for at in range(aloft, len(load) - AFTER)
        if loaded[at] and not loaded[at - aloft : at].any()
    ]
    return begun[-1]


def landing_figure() -> Figure:
    """Draw the walk's last landing of one foot: forces, ratio, and the answers."""
    samples, weight = heard_walk()
    begun = last_touchdown(np.array([one.normal for one in samples]))
    return drawn_landing(samples[begun - BEFORE : begun + AFTER], weight)


def drawn_landing(samples: Sequence[Sample], weight: float) -> Figure:
    """Draw the samples of a landing, BEFORE of them before its touchdown.

    Args:
        samples: of one foot, 1 ms apart.
        weight: of the robot [N].
    """
    time = np.arange(len(samples), dtype=float) - BEFORE  # [ms]
    figure, (top, middle, bottom) = stacked_axes(
        ["load [N]", "friction along\nthe foot [N]", "ratio of friction\nto load [-]"],
        title=f"G1, {weight:.0f} N, lands on mu = {MU:g}",
        abscissa="time after touchdown [ms]; "
        "shaded: intervals of the answers, lines where they begin",
        row_height=1.9,
    )
    normal = np.array([one.normal for one in samples])
    along = np.array([one.along for one in samples])
    top.plot(time, normal, color=TRUTH, label="the floor's own force")
    middle.plot(time, along, color=TRUTH)
    for label, colour, heard, beside in (
        ("by ankle sensors", LIMIT, [one.ankles for one in samples], "right"),
        ("by currents", ESTIMATE, [one.currents for one in samples], "left"),
    ):
        top.plot(time, [one.normal for one in heard], color=colour, label=label)
        middle.plot(time, [one.along for one in heard], color=colour)
        _draw_answers(bottom, time, [one.estimate for one in heard], colour, beside)
    top.axhline(0.25 * weight, color=MUTED, linestyle=":", linewidth=0.9)
    top.text(AFTER, 0.25 * weight, "a quarter of the weight ", ha="right", va="bottom")
    bears = normal > LEAST_LOAD
    bottom.plot(time[bears], along[bears] / normal[bears], color=TRUTH, linestyle="--")
    bottom.set_ylim(0.0, 2.0 * MU)
    bottom.set_xlim(-BEFORE, AFTER)
    legend_above(figure, top.get_legend_handles_labels()[0])
    return figure


def _draw_answers(
    axis: Any,
    time: Array,
    estimates: Sequence[FrictionEstimate],
    colour: str,
    beside: str,
) -> None:
    """Draw what is answered, with its interval, and when it comes first.

    Args:
        axis: to draw on.
        time: since touchdown [ms].
        estimates: at these times.
        colour: of the source.
        beside: which end of the words is at the line, ``left`` or ``right``.
    """
    known = [
        k for k, one in enumerate(estimates) if time[k] >= 0 and np.isfinite(one.mu)
    ]
    first = known[0]
    axis.fill_between(
        time[known],
        [estimates[k].mu_low for k in known],
        [estimates[k].mu_high for k in known],
        color=colour,
        alpha=0.2,
        linewidth=0.0,
    )
    axis.plot(time[known], [estimates[k].mu for k in known], color=colour)
    axis.axvline(time[first], color=colour, linewidth=0.9)
    axis.annotate(
        f"after {time[first]:.0f} ms",
        (time[first], 0.03),
        xytext=(4 if beside == "left" else -4, 0),
        textcoords="offset points",
        ha=beside,
        color=colour,
    )
