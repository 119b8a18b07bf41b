# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the gait laboratory finds of made-up steps, beside their truth."""

from __future__ import annotations

import math
from typing import Iterator, NamedTuple

import numpy as np

from biped_slip.gait_laboratory.slips import (
    ONSET_TIME,
    FootSlips,
    GaitSlipConfig,
    find_slips,
)
from biped_slip.gait_laboratory.sole_motion import sole_motion
from biped_slip.gait_laboratory.step import CLASSES, NONE, SlipLimits, slip_class
from biped_slip.recordings.gait import Overrides
from biped_slip.recordings.judge.slip import Slip
from biped_slip.recordings.plate_series import plate_series
from biped_slip.recordings.series import FloatArray
from synthetic.slipping_steps import (
    FORCE_RATE,
    SlippingStep,
    TrueSlip,
    drawn_walker,
    slipping_step,
)


class FoundSlide(NamedTuple):
    """One true slide and what was found of it; NaN where it wasn't found."""

    mu: float
    marker_rate: float  # [Hz]
    distance: float  # true [m]
    forward: bool
    distance_error: float  # [m]
    onset_error: float  # [s]
    velocity_error: float  # [m/s]


class SlipTrial(NamedTuple):
    """One step: its class in truth and as found."""

    true_class: str
    found_class: str
    slides: tuple[FoundSlide, ...]


def counted(step: SlippingStep, config: GaitSlipConfig) -> tuple[TrueSlip, ...]:
    """Count true slides that are slips by the definition.

    They are long enough, and no skid of a foot that comes to rest soon.
    """
    settled = (
        abs(float(step.velocity[round(config.settle_time * FORCE_RATE)]))
        <= config.speed
    )
    return tuple(
        slide
        for slide in step.slides
        if slide.distance >= config.least_distance
        and not (
            slide.onset <= ONSET_TIME and (settled or slide.end <= config.settle_time)
        )
    )


def slip_trials(count: int, seed: int, mu: float | None = None) -> Iterator[SlipTrial]:
    """Generate steps of people at random, on random floors unless ``mu`` is given."""
    rng = np.random.default_rng(seed)
    config = GaitSlipConfig()
    limits = SlipLimits()
    for _ in range(count):
        yield _trial(rng, config, limits, mu)


def _trial(
    rng: np.random.Generator,
    config: GaitSlipConfig,
    limits: SlipLimits,
    mu: float | None,
) -> SlipTrial:
    walker = drawn_walker(rng, mu)
    step = slipping_step(walker, rng)
    (series,) = plate_series("made", [step.plate], step.markers, Overrides("+z", "+x"))
    (standing,) = series.standings or ()
    window = slice(*standing.stance)
    time: FloatArray = np.asarray(series.stamp_ns[window] * 1e-9, dtype=float)
    motion = sole_motion(step.markers, walker.side, float(time[0]), float(time[-1]))
    slips = (
        FootSlips((), 0.0)
        if isinstance(motion, str)
        else find_slips(time, series.force[window], motion, config, series.force_noise)
    )
    true = counted(step, config)
    return SlipTrial(
        _class([(slide.distance, slide.peak_speed) for slide in true], limits),
        _class([(slip.distance, slip.peak_velocity) for slip in slips.slips], limits),
        tuple(_found(walker.mu, step, slide, slips.slips) for slide in true),
    )


def _class(slides: list[tuple[float, float]], limits: SlipLimits) -> str:
    return max(
        (slip_class(*slide, limits) for slide in slides),
        key=CLASSES.index,
        default=NONE,
    )


def _found(
    mu: float, step: SlippingStep, true: TrueSlip, slips: tuple[Slip, ...]
) -> FoundSlide:
    missed = FoundSlide(
        mu=mu,
        marker_rate=step.markers.rate,
        distance=true.distance,
        forward=true.forward,
        distance_error=math.nan,
        onset_error=math.nan,
        velocity_error=math.nan,
    )
    same = [slip for slip in slips if slip.forward == true.forward]
    if not same:
        return missed
    begin = step.touchdown + true.onset
    nearest = min(same, key=lambda slip: abs(slip.start - begin))
    return missed._replace(
        distance_error=nearest.distance - true.distance,
        onset_error=nearest.start - begin,
        velocity_error=nearest.peak_velocity - true.peak_speed,
    )
