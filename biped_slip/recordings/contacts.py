# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts of a recorded foot: stances, slips, required and demonstrated friction.

Estimators are covered, too.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Iterable, NamedTuple, Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter1d

from biped_slip.compile.kernel import kernel
from biped_slip.errors import InvalidRecording
from biped_slip.friction_estimation.interval.config import (
    ForceNoise,
    IntervalConfig,
    MotionNoise,
)
from biped_slip.friction_estimation.registry import EstimatorSettings
from biped_slip.friction_estimation.sliding import PlateauConfig
from biped_slip.friction_estimation.slip_based import (
    SlipBasedConfig,
    SlipBasedEstimator,
    SlipBasedState,
    slip_based_step,
)
from biped_slip.friction_estimation.types import FootMeasurement
from biped_slip.recordings.layout import G0, Processing
from biped_slip.recordings.series import FloatArray, Motion, Stance, TimeSeries

# Stances of a foot: where its normal force exceeds a level, with hysteresis.

OFF_SHARE = 0.5  # of the level that begins a contact; below it the contact ends
NOISE_FACTOR = 5.0  # standard deviations of force noise that a contact must exceed


def usual_load(normal: FloatArray) -> float:
    """Compute the 99th percentile of the finite normal forces [N].

    It is 0 where nothing is loaded.
    """
    finite = normal[np.isfinite(normal)]
    return max(float(np.quantile(finite, 0.99)), 0.0) if len(finite) else 0.0


def contact_level(load: float, share: float, noise: float) -> float:
    """Compute the normal force that begins a contact [N].

    It is a share of the usual load, but well above the noise.
    """
    return max(share * load, NOISE_FACTOR * noise, 1e-9)


def stances(normal: FloatArray, level: float, shortest: int = 2) -> list[Stance]:
    """Find the stances in a normal force.

    A stance goes from the first to the last sample above ``level`` without falling
    below half of it between.

    NaN ends a stance.

    Args:
        normal: shape (n,) [N].
        level: [N].
        shortest: fewest samples of a stance.
    """
    above = normal >= level
    below = ~(normal >= OFF_SHARE * level)
    known = np.where(
        above, 1, np.where(below, 0, -1)
    )  # -1: between the levels, as before
    last_known = np.maximum.accumulate(np.where(known >= 0, np.arange(len(known)), 0))
    standing = np.clip(known[last_known], 0, 1) if len(known) else known
    edges = np.flatnonzero(np.diff(standing, prepend=0, append=0))
    found = []
    for first, end in zip(edges[::2], edges[1::2], strict=True):
        last = int(first + np.flatnonzero(above[first:end])[-1]) + 1
        if last - first >= shortest:
            found.append(Stance(int(first), last))
    return found


def standing_mask(count: int, found: list[Stance]) -> NDArray[np.bool_]:
    """Return the stances as a mask of shape (count,)."""
    mask = np.zeros(count, dtype=bool)
    for stance in found:
        mask[stance.first : stance.last] = True
    return mask


# Slips of a series: what the slip-based estimator finds sample by sample, as a list.

NOISE_MARGIN = (
    5.0  # standard deviations of velocity noise that a moving foot must exceed
)
MERGE_TIME = 0.03  # [s]; slips closer than this are one
SLIP_TIME, MU, MOVES, ON_LIMIT = range(4)  # columns of a trace


class Slip(NamedTuple):
    """One slip as samples first … last − 1 of its series."""

    first: int
    last: int
    mu: float  # |tangential| / normal over the slip [-]
    source: str  # motion | markers | force-plateau


def slip_config(series: TimeSeries, processing: Processing) -> SlipBasedConfig:
    """Build the slip-based estimator's settings for a series.

    Thresholds follow its load and its noise.
    """
    load = usual_load(series.force[:, 2])
    return slip_settings(
        load, processing, series.force_noise, series.motion.velocity_noise
    )


def slip_settings(
    load: float, processing: Processing, force_noise: float, velocity_noise: float
) -> SlipBasedConfig:
    """Build settings for a foot that bears ``load`` [N].

    That is the 99th percentile of its normal force.
    """
    level = contact_level(load, processing.contact_share, force_noise)
    threshold = max(processing.motion.speed_threshold, NOISE_MARGIN * velocity_noise)
    motion = type(processing.motion)(
        **{**processing.motion.to_mapping(), "speed_threshold": threshold}
    )
    force = PlateauConfig(
        **{**processing.force.to_mapping(), "force_noise": force_noise}
    )
    least = processing.slip_load_share * load
    return SlipBasedConfig(
        contact_on=level,
        contact_off=OFF_SHARE * level,
        settle_time=processing.settle_time,
        minimum_load=least,
        motion=motion,
        force=force,
    )


def find_slips(series: TimeSeries, config: SlipBasedConfig) -> list[Slip]:
    """Find all slips in a series.

    The onset is as the detector dates it back, and close slips are joined.
    """
    trace = np.zeros((len(series.stamp_ns), 4))
    _trace(
        SlipBasedEstimator(config).initial_state(),
        series.table(),
        series.stamp_ns,
        trace,
        config.packed,
    )
    slipping = trace[:, SLIP_TIME] > 0.0
    edges = np.flatnonzero(np.diff(slipping.astype(np.int8), prepend=0, append=0))
    markers = series.motion.source == NOT_THE_PATCH
    found: list[Slip] = []
    for begin, end in zip(edges[::2], edges[1::2], strict=True):
        last = int(begin + np.flatnonzero(trace[begin:end, ON_LIMIT])[-1]) + 1
        onset = series.stamp_ns[begin] - round(trace[begin, SLIP_TIME] * 1e9)
        first = min(
            int(np.searchsorted(series.stamp_ns, onset, side="right")), int(begin)
        )
        source = (
            BY_FORCE
            if not trace[begin, MOVES]
            else BY_MARKERS
            if markers
            else BY_MOTION
        )
        found = _join(
            found, Slip(first, last, float(trace[last - 1, MU]), source), series
        )
    return found


def _join(found: list[Slip], slip: Slip, series: TimeSeries) -> list[Slip]:
    """Append a slip, or lengthen the one before if only a moment lies between them."""
    if found and found[-1].source == slip.source:
        before = found[-1]
        slip = slip._replace(first=max(slip.first, before.last))
        pause = (series.stamp_ns[slip.first] - series.stamp_ns[before.last - 1]) * 1e-9
        if pause <= MERGE_TIME and _same_contact(series, before, slip):
            lengths = np.array([before.last - before.first, slip.last - slip.first])
            mu = float(np.average([before.mu, slip.mu], weights=lengths))
            return [*found[:-1], Slip(before.first, slip.last, mu, slip.source)]
    return [*found, slip]


def _same_contact(series: TimeSeries, before: Slip, slip: Slip) -> bool:
    """Return whether load and direction stay.

    Two strokes of a reversal are two slips.
    """
    between = series.force[before.last - 1 : slip.first + 1]
    turned = np.nan_to_num(between[0, :2]) @ np.nan_to_num(between[-1, :2]) < 0.0
    return bool((between[:, 2] > 0.0).all()) and not turned


@kernel
def _trace(
    state: SlipBasedState,
    table: FloatArray,
    stamps: NDArray[np.int64],
    trace: FloatArray,
    config: SlipBasedConfig,
) -> None:
    """Fill ``trace`` (shape (n, 4)) with the slip state of the estimator.

    There is one row for the state after every sample.
    """
    for i in range(len(stamps)):
        row = table[i]
        measurement = FootMeasurement(
            stamp_ns=stamps[i],
            force_x=row[0],
            force_y=row[1],
            force_normal=row[2],
            displacement_x=row[3],
            displacement_y=row[4],
            velocity_x=row[5],
            velocity_y=row[6],
            moment_normal=row[7],
            centre_of_pressure_x=row[8],
            centre_of_pressure_y=row[9],
            angular_rate=row[10],
        )
        state, _ = slip_based_step(
            state, config, measurement, (stamps[i] - stamps[max(i - 1, 0)]) * 1e-9
        )
        trace[i, SLIP_TIME] = state.slip_time
        trace[i, MU] = state.mu
        trace[i, MOVES] = state.by_motion
        trace[i, ON_LIMIT] = state.slip_time > 0.0 and (
            state.by_motion or state.plateau.plateau.misses == 0
        )


# The law of a contact: every answer about one passes through :func:`consistent`, so
# that none contradicts another.
#
# - What a foot bore without slip its floor holds: no slide, estimate or upper bound
#   lies below it, beyond noise.
# - A slide needs evidence. The motion of the sole itself is enough: a foot that breaks
#   away bore more before it slid,
#   so what it held is then bounded by the friction of its slides. Markers on skin and
# shoes, and forces alone, are not
#   enough against a ratio that the same contact bore.
# - A contact that is too short, or a slide by markers or forces in one that lands,
#   leaves, stands for long or is cut
#   off, certifies nothing: forces of rolling, of sway and of half a stance have
# plateaus, too.
#
# What is withheld is withheld with its reason.

# [s], of the contact, [s]: that a ratio must last
HELD_TIME = 0.02
HELD_SHARE = 0.05
LONGEST_HELD = 0.15
LOADED_SHARE = 0.1  # of the usual load, below which ratios mean little
NOISE_SIGMAS = 3.0  # of the force noise, that may have made a ratio larger
# times the friction of a slide that a ratio of the same contact may reach, e.g. while
# it starts
BEYOND_NOISE = 1.05
# samples, [s] of a contact that certifies anything
FEWEST = 20
SHORTEST_CONTACT = 0.05
SHORTEST_SLIDE = 0.02  # [s] of one that markers or forces show
# [s]; a person's foot that bears load for longer stands: its plateaus are those of sway
LONGEST_STEP = 4.0
DIFFERENCED = "differenced"  # a source of motion: positions over a time
# what a slide is found by
BY_MOTION = "motion"
BY_MARKERS = "markers"
BY_FORCE = "force-plateau"


class SlipEvent(NamedTuple):
    """One slide of a foot in the recording's own time."""

    start: float  # [s]
    end: float  # [s]
    mu: float | None  # |tangential| / normal while it slides [-]
    source: str  # BY_MOTION: the sole's own | BY_MARKERS | BY_FORCE


class Borne(NamedTuple):
    """Forces on a foot in one contact of n samples, and conditions of the contact."""

    time: FloatArray  # shape (n,) [s]
    # of the ground on the foot, z along the floor's normal, shape (n, 3) [N]
    force: FloatArray
    load: float  # usual normal force of this foot [N]
    noise: float  # standard deviation of a force axis; 0: unknown [N]
    settle: float = 0.0  # that a foot takes to land and to leave: a person's rolls [s]
    cut_off: bool = False  # the contact reaches an end of the recording
    # half the time over which a position was differenced: a swing reaches so far into a
    # stance [s]
    blurred: float = 0.0


class Claim(NamedTuple):
    """Estimate of a contact; NaN where there is no such value."""

    mu: float = math.nan
    low: float = math.nan
    high: float = math.nan
    of_slides: bool = (
        False  # the value is the friction of the slides, not an estimate of its own
    )


class Verdict(NamedTuple):
    """Judged result of a contact; NaN where unknown."""

    slips: tuple[SlipEvent, ...] = ()
    kept: tuple[bool, ...] = ()  # which of the slides that were claimed
    claim: Claim = Claim()
    # largest ratio that lasted without slip, less noise; not above the friction of
    # slides [-]
    held: float = math.nan
    withheld: tuple[str, ...] = ()  # what was withheld, and why


def consistent(
    borne: Borne, slips: Sequence[SlipEvent], claim: Claim | None = None
) -> Verdict:
    """Check the estimate of one contact against its forces.

    Contradictions are withheld, with the reason.
    """
    claim = claim or Claim()
    span = float(borne.time[-1] - borne.time[0])
    if len(borne.time) < FEWEST or span < SHORTEST_CONTACT:
        words = (
            f"a contact of {len(borne.time)} samples and {1e3 * span:.0f} ms is "
            "too short to certify anything"
        )
        silent = not slips and math.isnan(claim.mu)
        return Verdict(kept=(False,) * len(slips), withheld=() if silent else (words,))
    reasons = [_no_slide(borne, slip) for slip in slips]
    bound = _bound(borne)
    while True:
        kept = [slip for slip, why in zip(slips, reasons, strict=True) if not why]
        held = _longest_held(borne, bound, kept)
        least = [
            math.inf
            if one.source == BY_MOTION or one.mu is None
            else BEYOND_NOISE * one.mu
            for one in slips
        ]
        places = [k for k in range(len(slips)) if not reasons[k] and least[k] < held]
        if not places:
            break
        worst = min(places, key=lambda k: slips[k].mu or 0.0)
        reasons[worst] = (
            f"its ratio is {slips[worst].mu:.3g}, but the same contact held "
            f"{held:.3g} without slip"
        )
    withheld = [
        f"a slide at {slip.start:.2f} s by {slip.source} is withheld: {why}"
        for slip, why in zip(slips, reasons, strict=True)
        if why
    ]
    friction = _friction(kept)
    held = (
        min([held, *(slip.mu for slip in kept if slip.mu is not None)])
        if math.isfinite(held)
        else held
    )
    found, why = _consistent_claim(claim, friction, held)
    return Verdict(
        slips=tuple(kept),
        kept=tuple(not why for why in reasons),
        claim=found,
        held=held,
        withheld=(*withheld, *why),
    )


def _no_slide(borne: Borne, slip: SlipEvent) -> str:
    """Explain why a slide cannot be one whatever its friction; empty if it can."""
    begin = float(borne.time[0])
    end = float(borne.time[-1])
    if slip.source == BY_MOTION:
        if borne.blurred and (
            slip.end <= begin + borne.blurred or slip.start >= end - borne.blurred
        ):
            return "its velocity is differenced over a time that reaches into the swing"
        return "" if slip.end > slip.start else "a single sample moves"
    if borne.cut_off:
        return "the recording cuts the contact off"
    if slip.end - slip.start < SHORTEST_SLIDE:
        return f"it lasts {1e3 * (slip.end - slip.start):.0f} ms"
    if borne.settle and (
        slip.end <= begin + borne.settle or slip.start >= end - borne.settle
    ):
        return "the foot lands or leaves"
    if borne.settle and slip.source == BY_FORCE and end - begin > LONGEST_STEP:
        return "the foot stands, and sway has plateaus of force, too"
    return ""


def _friction(slips: Sequence[SlipEvent]) -> float:
    """Compute the median friction of slides [-], each weighted by its duration.

    It is NaN without any slide.
    """
    known = sorted(
        (slip.mu, slip.end - slip.start) for slip in slips if slip.mu is not None
    )
    if not known:
        return math.nan
    lasted = np.cumsum([length for _, length in known])
    return float(known[int(np.searchsorted(lasted, 0.5 * lasted[-1]))][0])


def _consistent_claim(
    claim: Claim, friction: float, held: float
) -> tuple[Claim, tuple[str, ...]]:
    """Compare an estimate with what the contact slid at and held.

    Return it, or why it is withheld.
    """
    if claim.of_slides and math.isfinite(claim.mu) and math.isnan(friction):
        return Claim(), (
            f"a friction of {claim.mu:.3g} is withheld: no slide is left that shows it",
        )
    low, high = (
        claim.mu if math.isnan(bound) else bound for bound in (claim.low, claim.high)
    )
    if claim.of_slides or math.isnan(claim.mu):
        claim = Claim(friction, of_slides=True)
    elif friction < low / BEYOND_NOISE or friction > high * BEYOND_NOISE:
        what = (
            f"estimate of {claim.mu:.3g}"
            if low == high
            else f"interval of {low:.3g} to {high:.3g}"
        )
        return Claim(friction, of_slides=True), (
            f"an {what} is withheld: the foot slid at {friction:.3g}",
        )
    if claim.mu < held <= min(BEYOND_NOISE * claim.mu, claim.high):
        claim = claim._replace(mu=held)
    if math.isnan(claim.mu) or not (
        min(claim.mu, claim.high) < held
        or claim.mu < claim.low
        or claim.high < claim.mu
    ):
        return claim, ()
    return Claim(), (
        f"an estimate of {claim.mu:.3g} is withheld: the contact held {held:.3g} "
        "without slip",
    )


def _bound(borne: Borne) -> FloatArray:
    """Compute the force ratio less possible noise, shape (n,).

    It is NaN where the foot is hardly loaded.
    """
    normal: Any = np.where(
        borne.force[:, 2] > LOADED_SHARE * borne.load, borne.force[:, 2], np.nan
    )
    ratio = np.hypot(borne.force[:, 0], np.nan_to_num(borne.force[:, 1])) / normal
    return np.asarray(
        ratio - NOISE_SIGMAS * borne.noise * np.hypot(1.0, ratio) / normal,
        dtype=np.float64,
    )


def _longest_held(borne: Borne, bound: FloatArray, slips: Iterable[SlipEvent]) -> float:
    """Find the largest bound that lasted outside of slides; NaN without one [-].

    As long as 20 ms, or a twentieth of a long contact: an impact passes, what a foot
    stands on stays.
    """
    still = bound.copy()
    for slip in slips:
        still[(borne.time >= slip.start - 1e-9) & (borne.time <= slip.end + 1e-9)] = (
            np.nan
        )
    lasting = min(
        max(HELD_TIME, HELD_SHARE * float(borne.time[-1] - borne.time[0])), LONGEST_HELD
    )
    span = max(math.ceil(lasting / float(np.median(np.diff(borne.time))) - 1e-6) + 1, 2)
    if still.size < span:
        return math.nan
    windows = np.min(
        sliding_window_view(still, span), axis=1
    )  # NaN where any sample of the window is
    return float(np.nanmax(windows)) if np.isfinite(windows).any() else math.nan


def borne_by(
    series: TimeSeries,
    stance: Stance,
    processing: Processing,
    unloaded: float,
    load: float,
) -> Borne:
    """Collect the forces on a recorded foot in one stance.

    Args:
        series: of the foot.
        stance: in it.
        processing: how long a foot takes to land.
        unloaded: normal force below which the foot is in the air [N].
        load: usual normal force [N].
    """
    part = slice(stance.first, stance.last)
    time: FloatArray = np.asarray(series.stamp_ns[part] * 1e-9, dtype=np.float64)
    cut = cut_off(series, stance, unloaded)
    blurred = (
        0.5 * processing.velocity_window if series.motion.source == DIFFERENCED else 0.0
    )
    return Borne(
        time=time,
        force=series.force[part],
        load=load,
        noise=series.force_noise,
        settle=processing.settle_time,
        cut_off=cut,
        blurred=blurred,
    )


# What one stance asked of its floor, and the weight that was carried.

EDGE_SHARE = 0.1  # of a stance at either end, where ratios of small forces mean little
LONGEST_FLIGHT = 0.4  # [s] without any contact that still belongs to one run
# [s]; a stance that begins or ends this close to the recording's ends is cut off there
EDGE_TIME = 0.02
STILL_SHARE = 0.1  # of the mean by which the total force of standing may scatter
# [s]; of the mean, by which the total force of quiet standing in a walk scatters
STILL_TIME = 1.0
QUIET_SHARE = 0.01
# of what is carried mostly: a person with one foot beside the plates stands on less
FULL_SHARE = 0.85
WEIGHTS_APART = 3.0  # [%] from which on two weights are no longer the same


class StanceForces(NamedTuple):
    """Forces of a stance; NaN if not known.

    Required friction is the largest ratio outside the stance's first and last tenth.
    """

    peak_normal: float  # [N]
    peak_tangential: float = math.nan  # [N]
    required: float = math.nan  # |tangential| / normal [-]
    required_forward: float = math.nan  # along the foot, |Fx| / Fn [-]
    required_lateral: float = math.nan  # across, |Fy| / Fn [-]


class Span(NamedTuple):
    """A stance in time, on a sensor."""

    first: float  # [s]
    last: float  # [s]
    sensor: int


def plural(number: int, what: str) -> str:
    """Format a number of things in words."""
    return f"{number} {what}" + "s" * (number != 1)


def cut_off(series: TimeSeries, stance: Stance, unloaded: float) -> bool:
    """Return whether a stance reaches a loaded end of the series.

    At such an end the foot still bears more than ``unloaded`` [N].

    A piece of a long recording ends with its foot in the air, just after a stance that
    is whole.
    """
    time = series.stamp_ns
    edge = round(1e9 * EDGE_TIME)
    normal = series.force[:, 2]
    begins = time[stance.first] - time[0] <= edge and not normal[0] < unloaded
    return bool(
        begins
        or (time[-1] - time[stance.last - 1] <= edge and not normal[-1] < unloaded)
    )


def stance_forces(force: FloatArray) -> StanceForces:
    """Compute peak forces and required friction of one stance from its forces.

    The forces have shape (n, 3), z along the normal [N].
    """
    edge = math.ceil(EDGE_SHARE * len(force))
    middle = force[edge : len(force) - edge]
    with np.errstate(divide="ignore", invalid="ignore"):
        normal = np.where(middle[:, 2] > 0.0, middle[:, 2], np.nan)
        forward = np.abs(middle[:, 0]) / normal
        lateral = np.abs(middle[:, 1]) / normal
    total = np.hypot(forward, np.nan_to_num(lateral))
    tangential = np.hypot(force[:, 0], np.nan_to_num(force[:, 1]))
    parts = (force[:, 2], tangential, total, forward, lateral)
    return StanceForces(
        *(
            float(np.nanmax(part)) if np.isfinite(part).any() else math.nan
            for part in parts
        )
    )


def body_weight(
    feet: Sequence[tuple[TimeSeries, Sequence[Stance]]],
    masses: Sequence[tuple[float, str]] = (),
    spoiled: str = "",
) -> tuple[float, str]:
    """Estimate the subject's weight [N]; NaN when it cannot be found.

    All sources are named where they differ.

    Quiet standing comes first, then whole strides, then a written mass, then a single
    step. Over whole steps the mean of the total vertical force is the weight, flight
    included. With every stance of a stride recorded, that is from a touchdown to the
    next but one; on a few plates, from the middle of a stance to the middle of a later
    one.

    Args:
        feet: all feet or plates together, each with its stances.
        masses: what is written down [kg] and where; NaN is left out.
        spoiled: why the forces don't tell the weight; empty where they may.
    """
    measured, words, sure = (math.nan, spoiled, False) if spoiled else _carried(feet)
    kilograms, source = next(
        ((m, where) for m, where in masses if math.isfinite(m)), (math.nan, "")
    )
    written = kilograms * G0
    if math.isnan(written) or math.isnan(measured):
        return (measured, words) if math.isnan(written) else (written, source)
    apart = 100.0 * (measured / written - 1.0)
    doubt = (
        f"; {abs(apart):.0f} % apart, check which is right"
        if abs(apart) >= WEIGHTS_APART
        else ""
    )
    if sure:
        return measured, f"{words}; {source} says {written:.1f} N{doubt}"
    return written, f"{source}; {words} says {measured:.1f} N{doubt}"


def _carried(
    feet: Sequence[tuple[TimeSeries, Sequence[Stance]]],
) -> tuple[float, str, bool]:
    """Estimate the weight that the forces show [N], and over what.

    Return also whether that is standing or whole strides.
    """
    time, total = _total(feet)
    if not len(time):
        return math.nan, "the sensors have no unit of force", False
    spans = sorted(
        Span(
            float(series.stamp_ns[stance.first]) * 1e-9,
            float(series.stamp_ns[stance.last - 1]) * 1e-9,
            sensor,
        )
        for sensor, (series, found) in enumerate(feet)
        for stance in found
    )
    if spans and all(
        one.first <= time[0] + EDGE_TIME and one.last >= time[-1] - EDGE_TIME
        for one in spans
    ):
        if np.nanstd(total) > STILL_SHARE * abs(np.nanmean(total)):
            return math.nan, "neither steps nor still standing", False
        return float(np.nanmean(total)), "mean over still standing", True
    still = _stillest(time, total, np.sort([edge for one in spans for edge in one[:2]]))
    if still is not None:
        words = (
            f"mean over still standing, {time[still.start]:.2f} to "
            f"{time[still.stop - 1]:.2f} s"
        )
        return float(np.mean(total[still])), words, True
    begin, end, words = _whole_steps(
        _longest_chain(spans), time[0] + EDGE_TIME, time[-1] - EDGE_TIME
    )
    whole = total[(time >= begin) & (time < end)]
    if not len(whole):
        return math.nan, words, False
    return (
        float(np.mean(whole)),
        f"mean over {words}, {begin:.2f} to {end:.2f} s",
        words != "1 step",
    )


def _stillest(time: FloatArray, total: FloatArray, edges: FloatArray) -> slice | None:
    """Find the second of quiet standing in which the total force scatters least.

    ``edges`` are those of stances [s].
    """
    count = round(STILL_TIME / float(np.median(np.diff(time))))
    if not 2 <= count <= len(total):
        return None
    mean = uniform_filter1d(total, count)[count // 2 : len(total) - (count - 1) // 2]
    square = uniform_filter1d(total**2, count)[
        count // 2 : len(total) - (count - 1) // 2
    ]
    scatter = np.sqrt(np.maximum(square - mean**2, 0.0))
    stands = mean > FULL_SHARE * float(
        np.quantile(total, 0.9)
    )  # and no stance begins or ends:
    stands &= np.searchsorted(edges, time[: len(mean)]) == np.searchsorted(
        edges, time[count - 1 :], side="right"
    )
    if not stands.any():
        return None
    best = int(np.argmin(np.where(stands, scatter / np.maximum(mean, 1e-9), np.inf)))
    return (
        slice(best, best + count) if scatter[best] <= QUIET_SHARE * mean[best] else None
    )


def _whole_steps(
    chain: list[Span], earliest: float, latest: float
) -> tuple[float, float, str]:
    """Find begin and end of a whole number of steps in a chain of stances.

    Return their description, too.
    """
    touchdowns = [
        one.first for one in chain[1:] if one.first > earliest
    ]  # the stance before one is in the chain
    strides = (len(touchdowns) - 1) // 2
    if strides >= 1:
        return touchdowns[0], touchdowns[2 * strides], plural(strides, "stride")
    middles = [
        0.5 * (one.first + one.last)
        for one in chain
        if one.first > earliest and one.last < latest
    ]
    steps = len(middles) - 1
    if steps < 1:
        return 0.0, 0.0, "no two steps follow one another"
    even = steps if steps < 2 else 2 * (steps // 2)
    return middles[0], middles[even], plural(even, "step")


def _longest_chain(spans: list[Span]) -> list[Span]:
    """Find the longest run of stances on alternating sensors.

    Each begins about when the last one ends.
    """
    best: list[Span] = []
    chain: list[Span] = []
    for span in spans:
        alternates = bool(chain) and chain[-1].sensor != span.sensor
        follows = (
            alternates
            and chain[-1].first < span.first <= chain[-1].last + LONGEST_FLIGHT
        )
        chain = [*chain, span] if follows else [span]
        best = max(best, chain, key=len)
    return best


def _total(
    feet: Sequence[tuple[TimeSeries, Sequence[Stance]]],
) -> tuple[FloatArray, FloatArray]:
    """Sum the vertical forces of all feet, on the time of the first."""
    if not feet or feet[0][0].normal_unit != "N":
        return np.empty(0), np.empty(0)
    stamps = feet[0][0].stamp_ns
    total = np.zeros(len(stamps))
    for series, _ in feet:
        loaded = np.nan_to_num(series.force[:, 2], posinf=0.0, neginf=0.0)
        same = len(series.stamp_ns) == len(stamps) and bool(
            (series.stamp_ns == stamps).all()
        )
        total += (
            loaded
            if same
            else np.interp(stamps, series.stamp_ns, loaded, left=0.0, right=0.0)
        )
    return stamps.astype(float) * 1e-9, total


# What can't be: too few samples for ratios, forces of the wrong sign, millimetres that
# are called metres.

# [Hz]; 100 and 50 as clocks have them
FULL_RATE = 99.0
LEAST_RATE = 49.0
# [m/s] of a foot, [m] of one that stands
FASTEST = 50.0
FURTHEST = 10.0


def too_slow(series: TimeSeries) -> str:
    """Explain why the sampling rate is too low for force ratios; empty if it is not."""
    rate = 1.0 / series.step
    return (
        f"sampled at {rate:.3g} Hz: force ratios need at least 50 Hz"
        if rate < LEAST_RATE
        else ""
    )


def only_at_least(series: TimeSeries) -> bool:
    """Return whether the largest ratio may lie between two samples.

    Required friction is then a lower bound.
    """
    return LEAST_RATE <= 1.0 / series.step < FULL_RATE


def rate_notes(series: Sequence[TimeSeries]) -> list[str]:
    """Describe the effect of the sampling rates on force ratios."""
    notes = [f"{one.name}: {too_slow(one)}" for one in series if too_slow(one)]
    words = (
        "{}: sampled at {:.3g} Hz: required friction is a lower bound; sample at "
        "100 Hz or more"
    )
    return notes + [
        words.format(one.name, 1.0 / one.step) for one in series if only_at_least(one)
    ]


def check_plausible(path: object, series: TimeSeries) -> None:
    """Refuse forces and motions whose sign or unit must be wrong.

    Raises:
        InvalidRecording: with the remedy.
    """
    normal = series.force[:, 2]
    size = np.nan_to_num(np.abs(normal))
    loaded = normal[size > LOADED_SHARE * float(size.max(initial=0.0))]
    if len(loaded) and float(np.median(loaded)) < 0.0:
        words = (
            f"the normal force of {series.name} is {np.median(loaded):.3g} N "
            "while loaded, but the ground pushes"
        )
        raise InvalidRecording(
            path,
            words,
            "turn the sign of all forces: they are those of the ground on the foot",
        )
    speed = np.hypot(series.velocity[:, 0], np.nan_to_num(series.velocity[:, 1]))
    fastest = float(np.nanquantile(speed, 0.999)) if np.isfinite(speed).any() else 0.0
    level = contact_level(usual_load(normal), OFF_SHARE, 0.0)
    moved = [
        np.nan_to_num(np.ptp(series.displacement[a:b], axis=0)).max()
        for a, b in stances(normal, level)
    ]
    furthest = float(max(moved, default=0.0))
    if fastest > FASTEST or furthest > FURTHEST:
        words = (
            f"{series.name} moves at {fastest:.3g} m/s and by {furthest:.3g} m "
            "while it stands"
        )
        raise InvalidRecording(
            path, words, "are its motions in mm? metres and m/s are expected"
        )


# Settings of the estimators: what the recording knows of its sensors.

LEAST_LOAD = 1e-3  # [N]; of a recording that is never loaded
# a source whose motion is not that of the patch that carries: feet roll and shoes give
# way
NOT_THE_PATCH = "marker"
# [s] over which positions of recordings are differenced, unless a layout sets it
DIFFERENCING_TIME = 0.05


def foot_settings(
    load: float, slip: SlipBasedConfig, motion: Motion, force_noise: float, planar: bool
) -> EstimatorSettings:
    """Build a foot's settings from the facts of a recording.

    The sole of a recorded foot isn't calibrated, so without slip the interval estimator
    answers what the foot has held.

    Args:
        load: 99th percentile of the normal force [N]; stands for the body weight.
        slip: thresholds of contact and slip.
        motion: source and noise of the foot's motion.
        force_noise: standard deviation of a force axis [N]; 0: unknown.
        planar: only the x direction is known.
    """
    defaults = IntervalConfig()
    noise = motion.velocity_noise
    if motion.source in (
        DIFFERENCED,
        NOT_THE_PATCH,
    ):  # the position itself was measured
        sensor = MotionNoise(
            kind="position",
            sigma=noise * DIFFERENCING_TIME if noise else defaults.motion.sigma,
        )
    else:
        sensor = MotionNoise(kind="velocity", sigma=min(noise or 1e-3, 0.1))
    sigma = force_noise or defaults.force.sigma
    interval = IntervalConfig(
        motion=sensor,
        force=ForceNoise(sigma=sigma, offset=sigma),
        axes=1 if planar else 2,
    )
    return EstimatorSettings(max(load, LEAST_LOAD), slip, interval, slip_counts=True)


def of_the_patch(series: TimeSeries) -> TimeSeries:
    """Drop a displacement that is not that of the patch from a series.

    Its velocity still shows slides.
    """
    if series.motion.source != NOT_THE_PATCH:
        return series
    return dataclasses.replace(
        series, displacement=np.full_like(series.displacement, np.nan)
    )
