# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Calibration of a sole from slow pulls to slip.

It finds the presliding curve, the stiffness and the rule of reversal.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, Sequence

import numpy as np
from scipy.optimize import least_squares

from biped_slip.compile.arrays import Array
from biped_slip.errors import BipedSlipError
from biped_slip.friction_estimation.interval.config import SoleModel

# Which rule of reversal a sole follows, from the way back of a pull that went to slip:
# Dahl's or Masing's.
#
# Both rules have the same way there. On the way back from slip a contact without memory
# gives way by the pull curve's slope at ``-u``, one that remembers by its half-scaled
# copy, which is stiffer for long.

FEWEST_BLOCKS = 8  # of a way back
LEAST_RETURN = 0.4  # of the peak ratio, that the force must come back by
RETURN_BEGIN = 0.95  # of the limit, from where the way back is compared
RETURN_END = -0.95  # of the limit, to where it is compared
DECIDED = 1.5  # times that one rule's residual must be larger than the other's (choice)
CONVINCED = 0.95  # belief in memory where the ways back agree on it
UNDECIDED = 0.5  # belief in memory where nothing is known


class Return(NamedTuple):
    """Residuals of an unloading branch by either rule of reversal, rms [m]."""

    local: float
    masing: float


def way_back(
    ratio: Array,
    force: Array,
    displacement: Array,
    mu: float,
    shape: float,
    s_p: float,
    compliance: float,
    peak_at: int,
) -> Return | None:
    """Compare a pull's unloading branch with both rules of reversal.

    None: too few blocks.
    """
    v = ratio[peak_at:] / mu
    turned = np.flatnonzero(v < RETURN_BEGIN)
    if turned.size == 0 or np.ptp(v[turned[0] :]) < LEAST_RETURN:
        return None
    last = int(np.argmin(v))
    use = slice(int(turned[0]), last + 1)
    v = v[use]
    f = force[peak_at:][use]
    x = displacement[peak_at:][use]
    keep = v > RETURN_END
    v = v[keep]
    f = f[keep]
    x = x[keep]
    if v.size < FEWEST_BLOCKS:
        return None
    away = (1.0 - v) / 2.0  # from full slip, by which Masing's copy is entered
    paths = presliding(-v, 1.0, shape), 2.0 * presliding(away, 1.0, shape)
    return Return(
        *(float(np.std(x + s_p / 3.0 * path - compliance * f)) for path in paths)
    )


def belief(returns: Sequence[Return]) -> float:
    """Compute the probability of full memory at reversals.

    It is certain where all unloading branches agree.
    """
    votes = [one.local > one.masing for one in returns if max(one) > DECIDED * min(one)]
    if not votes or any(votes) != all(votes):
        return UNDECIDED
    return CONVINCED if votes[0] else 1.0 - CONVINCED


def in_words(returns: Sequence[Return]) -> str:
    """Describe the rule of reversal in one sentence."""
    if not returns:
        return (
            "rule of reversal unknown: let the force come back after slip, by half "
            "of its peak or more"
        )
    rms = ", ".join(
        f"{1e6 * one.local:.1f} against {1e6 * one.masing:.1f} um" for one in returns
    )
    names = {UNDECIDED: "undecided", CONVINCED: "Masing's, it remembers reversals"}
    found = names.get(belief(returns), "Dahl's, it remembers none")
    return (
        f"rule of reversal: {found} (residuals of the way back, Dahl's against "
        f"Masing's: {rms})"
    )


# A force sensor that reads a share of the normal force as tangential, found where a
# sole slides both ways.
#
# In one direction that share looks like friction, in the other it hides some. In a
# stance, which has one direction, no data show it.

SLIDING_SHARE = (
    0.5  # of the fastest motion in a direction, above which the sole slides (choice)
)
LEAST_BLOCKS_A_WAY = 10  # blocks of it, either way
LEAST_WAY = 1.0  # in s_p, that the sole must go back: less is presliding


def leaning(ratio: Array, displacement: Array, s_p: float) -> float:
    """Compute half of the difference between the sliding ratios in both directions.

    It is NaN without both.

    ``ratio`` [-] and ``displacement`` [m] are blocks of a pull, equally far apart in
    time; ``s_p`` [m] is the sole's.
    """
    speed = np.gradient(displacement)
    forward = (speed > SLIDING_SHARE * speed.max()) & (ratio > 0.0)
    backward = (speed < SLIDING_SHARE * speed.min()) & (ratio < 0.0)
    way = -float(np.sum(speed[backward]))
    if (
        np.count_nonzero(forward) < LEAST_BLOCKS_A_WAY
        or np.count_nonzero(backward) < LEAST_BLOCKS_A_WAY
        or way < LEAST_WAY * s_p
    ):
        return math.nan
    return 0.5 * float(np.median(ratio[forward]) + np.median(ratio[backward]))


# What a sole does before it slips: shape, s_p and compliance from pulls up to slip
# (study 6).
#
# A pull-to-slip recording shows mu itself, at slip; with mu known the bend of the curve
# before it tells the shape.

BLOCK_TIME = 5e-3  # [s] averaged, as the estimator does
FIRST_SHARE = 0.05  # of the peak ratio, from which the curve is fitted
LAST_SHARE = 0.97  # of the peak ratio, up to which it is fitted
MU_DOUBT = 0.02  # sd of ln mu at slip against the peak ratio (choice)
REVERSAL_SHARE = (
    0.1  # of the peak ratio that the pull may fall back before it counts as no pull
)
SHAPES = (0.3, 2.2)  # range of alpha that the estimator can carry (study 6)
SMALLEST_S_P = (
    2.1e-5  # [m], the least that the estimator can tell from none (study 7.5)
)
FEWEST_RISING_BLOCKS = 20
FEWEST_SURFACES = 5  # that the study asks for
NORMAL_95 = 1.96
COVERAGE = 1.64  # sd of ln alpha on either side that the estimator's shapes span: 90 %
BOUND_SHARE = 0.01  # of alpha, nearer than which it counts as being at a bound
# share of the normal force: undeclared, 1 % breaks the certificate in 4 % of stances
LEAST_LEAN = 0.005
LARGEST_RESIDUAL = 0.03  # of s_p, as much as the estimator allows its path (choice)
SMALLEST_S_P_SPREAD = 0.5  # of ln s_p (study 5)
LIGHT_LOAD_SHARE = 0.1  # load of a landing's slide over full load (choice)
APART = 2.0  # least ratio of the loads of pulls (choice)


class Pull(NamedTuple):
    """A foot or sole sample pulled along a surface until it slips."""

    name: str
    time: Array  # [s], shape (samples,)
    force: Array  # tangential, with the sign of the pull [N]
    normal: Array  # [N]
    displacement: Array  # [m]
    # force ratio while sliding, where it is known better than by the peak
    sliding: float = math.nan


class Quantity(NamedTuple):
    """A fitted number and its standard error."""

    value: float
    sd: float

    @property
    def interval(self) -> tuple[float, float]:
        """Return the 95 % interval."""
        return self.value - NORMAL_95 * self.sd, self.value + NORMAL_95 * self.sd


class PullFit(NamedTuple):
    """One pull: friction coefficient, shape, s_p and series compliance."""

    name: str
    mu: float
    shape: Quantity
    log_s_p: Quantity  # ln of [m]
    compliance: Quantity  # [m/N]
    residual: float  # rms [m]
    back: Return | None  # residuals of its way back by either rule of reversal
    # share of the normal force that is read as tangential; NaN: it did not slide both
    # ways
    lean: float = math.nan
    load: float = math.nan  # mean normal force [N]


class SoleCalibration(NamedTuple):
    """Settings for the estimator, and the fits that they rest on."""

    sole: SoleModel
    shape: Quantity
    s_p: tuple[
        float, float, float
    ]  # median and the 95 % interval of a single surface [m]
    compliance: Quantity
    fits: tuple[PullFit, ...]

    @property
    def rule(self) -> str:
        """Return the rule of reversal that the unloading branches show."""
        return in_words([fit.back for fit in self.fits if fit.back is not None])

    @property
    def settled(self) -> bool:
        """Return whether the shape is certain.

        It is where there are no warnings and no confusion with a series compliance.
        """
        return not self.warnings and self.compliance.interval[0] <= 0.0

    @property
    def bend(self) -> str:
        """Explain the estimated shape in one sentence."""
        if self.settled:
            return (
                "shape: beyond doubt, no contact that bends later is carried "
                "beside it (least_shape 0)"
            )
        return (
            "shape: in doubt, a contact that bends later is carried beside it "
            f"(least_shape {self.sole.least_shape:g})"
        )

    @property
    def under_load(self) -> str:
        """Name the setting for friction that depends on the load."""
        return (
            f"touchdown.load_factor: {load_factor(self.fits):.2f} (nan: no surface "
            "was pulled at loads that differ)"
        )

    @property
    def warnings(self) -> list[str]:
        """List the reasons against trusting the calibration, in sentences."""
        found = []
        if len(self.fits) < FEWEST_SURFACES:
            found.append(
                f"{len(self.fits)} recordings; {FEWEST_SURFACES} surfaces or more "
                "show the shape's scatter"
            )
        for fit in self.fits:
            if (
                min(fit.shape.value - SHAPES[0], SHAPES[1] - fit.shape.value)
                < BOUND_SHARE * fit.shape.value
            ):
                found.append(
                    f"{fit.name}: alpha {fit.shape.value:.2f} is at an end of the "
                    "range; no curve of the family fits"
                )
            if fit.residual > LARGEST_RESIDUAL * math.exp(fit.log_s_p.value):
                found.append(
                    f"{fit.name}: the fit leaves {1e6 * fit.residual:.1f} um rms, "
                    f"above {LARGEST_RESIDUAL:.0%} of s_p; "
                    "keep the sole uncalibrated unless the sensor is that noisy"
                )
            if abs(fit.lean) > LEAST_LEAN:
                found.append(
                    f"{fit.name}: the force ratios of sliding to and fro differ by "
                    f"{2.0 * abs(fit.lean):.3f}: "
                    f"{abs(fit.lean):.1%} of the normal force is read as tangential, "
                    "or the surface leans; level it, "
                    "zero the sensor, or tell the estimator force.cross_talk "
                    f"{abs(fit.lean):.3f}"
                )
        if self.shape.value < 0.75:
            found.append(
                f"alpha {self.shape.value:.2f} is below 0.75: keep the sole "
                "uncalibrated, no certificate holds there"
            )
        return found


def presliding(ratio: Array, mu: float, shape: float) -> Array:
    """Evaluate phi(u) of a first pull (study 2).

    It is (1 - (1 - u/mu)^(1 - alpha))/(1 - alpha), and -ln(1 - u/mu) at alpha = 1.
    """
    room = np.maximum(1.0 - ratio / mu, 1e-6)
    bend = 1.0 - shape
    return -np.log(room) if abs(bend) < 1e-6 else (1.0 - room**bend) / bend


def fit_pull(pull: Pull) -> PullFit:
    """Fit one pull up to 0.97 of its limit.

    The limit is the given sliding ratio, else the peak; mu is that within 2 %.
    """
    ratio, force, displacement = _blocks(pull)
    peak_at = int(np.argmax(ratio))
    peak = float(ratio[peak_at])
    if math.isfinite(pull.sliding):
        peak_at = int(np.argmax(ratio >= LAST_SHARE * pull.sliding)) or peak_at
        peak = pull.sliding
    rising = ratio[: peak_at + 1]
    if (
        peak <= 0.0
        or np.max(np.maximum.accumulate(rising) - rising) > REVERSAL_SHARE * peak
    ):
        raise BipedSlipError(
            f"{pull.name}: the force does not rise steadily to slip; record one slow "
            "pull from rest"
        )
    use = (
        (np.arange(ratio.size) <= peak_at)
        & (ratio > FIRST_SHARE * peak)
        & (ratio < LAST_SHARE * peak)
    )
    if np.count_nonzero(use) < FEWEST_RISING_BLOCKS:
        enough = f"{FEWEST_RISING_BLOCKS} are needed; pull slower"
        raise BipedSlipError(
            f"{pull.name}: {np.count_nonzero(use)} blocks of 5 ms before slip, {enough}"
        )
    u = ratio[use]
    f = force[use]
    x = displacement[use] - displacement[use][0]
    noise_u, noise_x = _noise(u), _noise(x)
    scale = float(np.ptp(x))

    def residual(p: Array) -> Array:
        mu = math.exp(p[0])
        shape = p[1]
        s_p = math.exp(p[2])
        steep = s_p / 3.0 / mu * np.maximum(1.0 - u / mu, 0.01) ** (-shape)
        model = (
            p[4] * scale
            + s_p / 3.0 * presliding(u, mu, shape)
            + p[3] * scale * f / f[-1]
        )
        weighted = (x - model) / np.hypot(
            noise_x, (steep + p[3] * scale / u[-1]) * noise_u
        )
        return np.append(weighted, (p[0] - math.log(peak)) / MU_DOUBT)

    low = [math.log(0.9 * peak), SHAPES[0], math.log(SMALLEST_S_P), 0.0, -2.0]
    high = [math.log(1.3 * peak), SHAPES[1], math.log(0.1), 1.0, 2.0]
    first = math.log(1.01 * peak), math.log(max(scale, 2.0 * SMALLEST_S_P))
    starts = ([first[0], shape, first[1], 0.05, 0.0] for shape in (0.6, 1.0, 1.6))
    best = min(
        (least_squares(residual, start, bounds=(low, high)) for start in starts),
        key=lambda found: found.cost,
    )
    spread = max(2.0 * best.cost / (u.size - 5), 1.0)
    jacobian = np.asarray(best.jac)
    covariance = np.linalg.pinv(jacobian.T @ jacobian) * spread
    sd = np.sqrt(np.diag(covariance))
    per_newton = scale / f[-1]
    left = best.fun[:-1] * noise_x
    mu, s_p = math.exp(best.x[0]), math.exp(best.x[2])
    shape, log_s_p = (
        Quantity(float(best.x[1]), float(sd[1])),
        Quantity(float(best.x[2]), float(sd[2])),
    )
    compliance = Quantity(float(best.x[3]) * per_newton, float(sd[3]) * per_newton)
    back = way_back(
        ratio, force, displacement, mu, shape.value, s_p, compliance.value, peak_at
    )
    return PullFit(
        name=pull.name,
        mu=mu,
        shape=shape,
        log_s_p=log_s_p,
        compliance=compliance,
        residual=float(np.sqrt(np.mean(left**2))),
        back=back,
        lean=leaning(ratio, displacement, s_p),
        load=float(np.mean(pull.normal)),
    )


def load_factor(fits: Sequence[PullFit]) -> float:
    """Fit ``ln mu = a - k ln N`` to each folder, which holds pulls on one surface.

    Return ``10^-k`` less two standard errors; NaN where there is only one load.
    """
    folders = {Path(fit.name).parent for fit in fits}
    logs = [
        np.log([(fit.load, fit.mu) for fit in fits if Path(fit.name).parent == one])
        for one in sorted(folders)
    ]
    apart = [
        log - log.mean(axis=0) for log in logs if np.ptp(log[:, 0]) >= math.log(APART)
    ]
    if not apart:
        return math.nan
    load, mu = np.concatenate(apart).T
    slope = float(load @ mu / (load @ load))
    free = max(load.size - len(apart) - 1, 1)
    error = math.sqrt(
        float(np.sum((mu - slope * load) ** 2)) / free / float(load @ load)
    )
    return min(LIGHT_LOAD_SHARE ** -(slope - 2.0 * error), 1.0)


def calibrate(pulls: list[Pull]) -> SoleCalibration:
    """Calibrate one sole from pulls over several surfaces.

    The shape's scatter is that between surfaces and the fits' own doubt together; s_p
    belongs to sole and surface, so its spread stays at 0.5 or above. Where five
    surfaces or more leave nothing to warn of, contacts that bend later are no longer
    carried.
    """
    if not pulls:
        raise BipedSlipError(
            "no pull-to-slip recording was given; give one or more, five surfaces are "
            "better"
        )
    fits = tuple(fit_pull(pull) for pull in pulls)
    shape, shape_scatter = _combine([fit.shape for fit in fits])
    log_s_p, s_p_scatter = _combine([fit.log_s_p for fit in fits])
    compliance, compliance_scatter = _combine([fit.compliance for fit in fits])
    relative = math.hypot(shape_scatter, shape.sd) / shape.value
    spread = max(SMALLEST_S_P_SPREAD, math.hypot(s_p_scatter, log_s_p.sd))
    sole = SoleModel(
        calibrated=True,
        masing=belief([fit.back for fit in fits if fit.back is not None]),
        shape=shape.value,
        shape_scatter=min(COVERAGE * relative, 1.0),
        s_p=math.exp(log_s_p.value),
        s_p_spread=min(spread, 2.0),
        compliance=compliance.value,
        compliance_spread=math.hypot(compliance_scatter, compliance.sd),
    )
    reach = NORMAL_95 * math.hypot(s_p_scatter, log_s_p.sd)
    s_p = (sole.s_p, sole.s_p * math.exp(-reach), sole.s_p * math.exp(reach))
    found = SoleCalibration(
        sole=sole, shape=shape, s_p=s_p, compliance=compliance, fits=fits
    )
    return (
        found._replace(sole=replace(sole, least_shape=0.0)) if found.settled else found
    )


def _combine(values: list[Quantity]) -> tuple[Quantity, float]:
    """Combine means with their sd [DerSimonianLaird1986].

    Return also the scatter between values beyond their errors.
    """
    numbers = np.array([v.value for v in values])
    errors = np.maximum([v.sd for v in values], 1e-12)
    weight = 1.0 / errors**2
    mean = np.sum(weight * numbers) / np.sum(weight)
    excess = float(np.sum(weight * (numbers - mean) ** 2)) - (numbers.size - 1)
    room = float(np.sum(weight) - np.sum(weight**2) / np.sum(weight))
    between = max(excess / room, 0.0) if room > 0.0 else 0.0
    weight = 1.0 / (errors**2 + between)
    return Quantity(
        float(np.sum(weight * numbers) / np.sum(weight)), float(np.sum(weight) ** -0.5)
    ), math.sqrt(between)


def _blocks(pull: Pull) -> tuple[Array, Array, Array]:
    """Average force ratio, force and displacement over 5 ms."""
    arrays = pull[1:5]
    if any(
        array.size != pull.time.size or not np.all(np.isfinite(array))
        for array in arrays
    ):
        raise BipedSlipError(
            f"{pull.name}: samples are missing or not finite; give complete, finite "
            "columns"
        )
    if pull.time.size < FEWEST_RISING_BLOCKS or np.any(np.diff(pull.time) <= 0.0):
        raise BipedSlipError(
            f"{pull.name}: time must rise over at least {FEWEST_RISING_BLOCKS} samples"
        )
    if np.any(pull.normal <= 0.0):
        raise BipedSlipError(
            f"{pull.name}: the normal force is not positive throughout; cut to the "
            "contact"
        )
    width = max(1, round(BLOCK_TIME / float(np.median(np.diff(pull.time)))))
    count = pull.time.size // width
    ratio, force, displacement = (
        array[: count * width].reshape(count, width).mean(axis=1)
        for array in (pull.force / pull.normal, pull.force, pull.displacement)
    )
    return ratio, force, displacement


def _noise(signal: Array) -> float:
    """Estimate the sd of the noise on a smooth signal from its second differences.

    Their median is taken, so that no jump counts.
    """
    sd = 1.48 * float(np.median(np.abs(np.diff(signal, 2)))) / math.sqrt(6.0)
    return max(sd, 1e-6 * float(np.ptp(signal)))
