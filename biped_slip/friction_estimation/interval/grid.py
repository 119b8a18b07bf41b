# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Grid over mu.

It has the states of its nodes, the load memory of the contact, and monitoring of the
residuals.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel

# Lengths inside are in mm, compliance in mm per 100 N.

# kinds of motion noise, in the order of config.MOTION_KINDS
POSITION_MOTION = 0
VELOCITY_MOTION = 1
IMU_MOTION = 2


class Model(NamedTuple):
    """Constants of the estimator, built by ``config.build``.

    They are grid, noise and thresholds.
    """

    mu: Array  # nodes of the grid, shape (nodes,) [-]
    prior: Array  # stated belief on them, sum 1, shape (nodes,)
    # 1 - alpha of each variant, a shape with a rule of reversal, shape (variants,)
    exponents: Array
    belief: Array  # in each variant before the first step, sum 1, shape (variants,)
    thresholds: Array  # of the plays of Masing's rule, in mu, shape (elements,)
    # of those plays for each variant that follows it, shape (variants - local, elements
    # + 1)
    weights: Array
    local: int  # variants that remember no reversal; they come first
    log_step: float  # distance of two nodes in ln mu
    temper: float  # weight of a block's evidence (study 7)
    kind: int  # POSITION_MOTION, VELOCITY_MOTION or IMU_MOTION
    axes: int  # 1 or 2
    sigma: float  # [mm] or [mm/s]
    quantisation: float  # [mm]
    noise_density: float  # [mm/s^2/sqrt(Hz)]
    bias: float  # [mm/s^2]
    latency: float  # [s], at least 1 ms
    start_speed: float  # [mm/s]
    shared: bool  # the motion is that of two feet
    force_sigma: float  # [N]
    force_offset: float  # [N]
    cross_talk: float  # of the normal force read as tangential, as a share
    has_compliance: bool
    has_lag: bool
    held_blocks: int  # in a row, that a ratio must last to be held
    level: float
    release_share: float
    release_sigmas: float
    usable_ratio: float


class SolePrior(NamedTuple):
    """Prior of a contact: from the configuration, later from the steps before."""

    s_p: float  # median [mm]
    s_p_spread: float  # sd of the logarithm
    compliance: float  # mean [mm/100 N]
    compliance_sd: float  # [mm/100 N]
    lag_sd: float  # of the time by which motion lags force [s]


class Block(NamedTuple):
    """Means over the samples of one block."""

    u_x: float  # tangential over normal force, with the sign of the sliding motion [-]
    u_y: float
    x: float  # displacement [mm]
    y: float
    force_x: float  # tangential [N], with the sign of u
    force_y: float
    force_normal: float  # [N]
    samples: int
    duration: float  # [s]
    merged: int  # blocks of 5 ms in it


@kernel
def lag_state(model: Model) -> int:
    """Return the index of the lag among a filter's states, also if there is none."""
    return model.axes + 1 + int(model.has_compliance)


@kernel
def drift_states(model: Model) -> int:
    """Return the index of the first state of an IMU's drift."""
    return lag_state(model) + int(model.has_lag)


class Filters(NamedTuple):
    """One Kalman filter per node and shape (node by node, shapes inside).

    The kernels overwrite these buffers.

    A filter's states are: offset per axis [mm], s_p [mm], compliance [mm/100 N] if any,
    lag times s_p [mm s] if any, and for an IMU velocity per axis [mm/s] and
    acceleration bias per axis [mm/s^2]. The filters are the last dimension of every
    array, so that loops over them vectorise.
    """

    log_weight: Array  # shape (filters,)
    mean: Array  # shape (states, filters)
    covariance: Array  # its lower half, shape (states, states, filters)
    # scratch, product of the innovations' variances of a block [mm^2 per axis], shape
    # (filters,)
    volume: Array
    path: Array  # since the origin, shape (2, filters)
    committed_path: Array  # at the committed force ratio, shape (2, filters)
    # at the origin, of the filters that follow Masing's rule, shape (2, filters)
    origin_path: Array
    # of Masing's rule at the followed force ratio, shape (2, elements, nodes) [mu]
    play: Array
    moved_play: Array  # scratch, the same now
    rate: Array  # of the path over the last block [1/s], shape (2, filters)
    probability: Array  # of the last read-out, sum 1, shape (filters,)
    shape_weight: (
        Array  # belief in the variants before this contact, sum 1, shape (variants,)
    )
    belief: Array  # density of s_p at squares of BELIEF_STEP, shape (BELIEF_SIZE,)
    work: Array  # scratch, shape (2 + states, filters)
    contact: NDArray[Any]  # one record of CONTACT
    recent: Array  # of the last blocks, what they held surely, shape (held_blocks,) [-]
    # sums over the blocks that wait to be merged: the numbers of a Block, then how many
    # blocks
    pending: Array


@kernel
def living(filters: Filters, model: Model) -> tuple[int, int]:
    """Return the range of filters still possible: first, and one behind the last."""
    contact = filters.contact[0]
    count = model.exponents.size
    return contact["first"] * count, contact["last"] * count


BELIEF_STEP = 0.01  # [sqrt(mm)]
BELIEF_SIZE = 512  # up to 26 mm


CONTACT = np.dtype(
    [
        # force ratio up to which the path is committed [-]
        (
            "committed_x",
            np.float64,
        ),
        ("committed_y", np.float64),
        # force ratio up to which the plays have followed [-]
        (
            "followed_x",
            np.float64,
        ),
        ("followed_y", np.float64),
        # largest force ratio since the contact began, and its direction [-]
        (
            "front",
            np.float64,
        ),
        ("front_x", np.float64),
        ("front_y", np.float64),
        ("step_x", np.float64),  # last committed change of the force ratio [-]
        ("step_y", np.float64),
        ("origin_x", np.float64),  # displacement at the start [mm]
        ("origin_y", np.float64),
        ("force_origin_x", np.float64),  # tangential force at the start [N]
        ("force_origin_y", np.float64),
        # nodes first to last - 1 are still possible; the others rest
        (
            "first",
            np.int64,
        ),
        ("last", np.int64),
        # filter at the node of the last median, of the most probable shape
        (
            "reference",
            np.int64,
        ),
        ("median", np.float64),  # mu of that node [-]
        ("low", np.float64),  # lowest node that is not ruled out [-]
        ("s_p_begin", np.float64),  # median of s_p as the contact began [mm]
        ("q05", np.float64),  # 5 % quantile of the last read-out [-]
        ("s_p_reference", np.float64),  # of that node [mm]
        # of the reference filter in the last update, in its sd
        (
            "innovation_x",
            np.float64,
        ),
        ("innovation_y", np.float64),
        ("before_x", np.float64),  # the same one update earlier
        ("before_y", np.float64),
        ("surprise", np.float64),  # cumulative sum of too large innovations
        # updates so far, and their mean square and product sums
        (
            "watched",
            np.float64,
        ),
        ("energy", np.float64),
        ("product", np.float64),
        ("last_u_x", np.float64),  # of the block before [-]
        ("last_u_y", np.float64),
        ("last_x", np.float64),  # [mm]
        ("last_y", np.float64),
        # sum over blocks of motion times change of the force ratio [mm]
        (
            "along",
            np.float64,
        ),
        ("across", np.float64),  # the same of their sizes [mm]
        ("pulled", np.float64),  # sum of the squared changes of the force ratio [-]
        ("load", np.float64),  # largest |u| of a block [-]
        # bound on what the force sensor's offset adds to |u| at that load [-]
        (
            "shift",
            np.float64,
        ),
        # largest force ratio held, less what the sensors may add [-]
        (
            "mu_demonstrated",
            np.float64,
        ),
        ("blocks", np.int64),  # in a row that were held
        ("released", np.bool_),
    ]
)


class Interval(NamedTuple):
    """Interval and quantiles of mu after a block."""

    low: float
    q05: float
    median: float
    q95: float
    high: float
    released: bool
    usable: bool
    refuted: bool  # the foot held more than the upper end
    mu_demonstrated: float
    s_p: float  # mean [mm]
    s_p_sd: float  # [mm]


# Whether the residuals agree with the noise: surprise forgets the floor, correlation
# takes weight from evidence.
#
# Watched is the innovation e of the reference filter in its own sd. The sensors' bounds
# make it smaller than 1 and a little correlated where all is as stated. Two tests use
# it, and one of the motion itself.
#
# - Is there suddenly too much of it (Page's cumulative sum of e^2)? Then the contact is
#   no longer what it was: another
#   floor, a foot that shifted, a sensor that failed. What was known of this floor is
# forgotten.
# - Does the motion run with the load? Every contact moves the way it is pushed; one
#   that does not has a turned sign.
# - Is evidence counted more than once? The variance of a sum of innovations over that
#   of independent ones,
#   e^2 (1 + r)/(1 - r) with r their correlation from block to block, divides the weight
# of all evidence when above what
#   is usual.

# e^2 that adds no surprise (choice: a model that fits badly makes residuals last, not
# jump)
ALLOWED = 4.0
SURPRISE = 25.0  # beyond which the contact is no longer what it was (choice)
LARGEST_SQUARED_ERROR = 16.0  # of one e^2: a single spike is no other floor
LEAST_BLOCKS = 10  # blocks before the correlation is trusted
CORRELATED = 0.9  # largest correlation that is counted
# of the second test, which bounds and slack of the model explain where all is as stated
# (choice)
USUAL = 2.0
# of what noise adds to the motion along the load, beyond which its sign is known
# (choice)
OPPOSED_SIGMAS = 4.0
# of all motion, that must run against the load (choice: creep and rolling oppose for a
# while)
OPPOSED_SHARE = 0.3


@kernel
def note(filters: Filters, model: Model) -> bool:
    """Record an update's innovations; return whether they show a changed contact."""
    contact = filters.contact[0]
    x = contact["innovation_x"]
    y = contact["innovation_y"] if model.axes == 2 else 0.0
    square = (x * x + y * y) / model.axes
    contact["watched"] += 1.0
    contact["energy"] += square
    contact["product"] += (
        x * contact["before_x"] + y * contact["before_y"]
    ) / model.axes
    contact["before_x"] = x
    contact["before_y"] = y
    contact["surprise"] = max(
        contact["surprise"] + min(square, LARGEST_SQUARED_ERROR) - ALLOWED, 0.0
    )
    return contact["surprise"] > SURPRISE


@kernel
def overcounting(filters: Filters) -> float:
    """Compute the factor by which correlated residuals overstate the evidence.

    It is 1 or more.
    """
    contact = filters.contact[0]
    if contact["watched"] < LEAST_BLOCKS or contact["energy"] <= 0.0:
        return 1.0
    correlation = min(max(contact["product"] / contact["energy"], 0.0), CORRELATED)
    found = (
        contact["energy"]
        / contact["watched"]
        * (1.0 + correlation)
        / (1.0 - correlation)
    )
    return max(found / USUAL, 1.0)


@kernel
def begin_motion(filters: Filters, block: Block) -> None:
    """Reset the origin of the motion to the present block."""
    contact = filters.contact[0]
    contact["last_u_x"] = block.u_x
    contact["last_u_y"] = block.u_y
    contact["last_x"] = block.x
    contact["last_y"] = block.y


@kernel
def compare_motion(filters: Filters, block: Block) -> None:
    """Compare the sign of a block's motion with that of its load's change.

    Jumps are left out.
    """
    contact = filters.contact[0]
    if (
        contact["innovation_x"] ** 2 + contact["innovation_y"] ** 2
        > LARGEST_SQUARED_ERROR
    ):
        begin_motion(filters, block)
        return
    du_x = block.u_x - contact["last_u_x"]
    du_y = block.u_y - contact["last_u_y"]
    dx = block.x - contact["last_x"]
    dy = block.y - contact["last_y"]
    contact["along"] += dx * du_x + dy * du_y
    contact["across"] += math.hypot(dx, dy) * math.hypot(du_x, du_y)
    contact["pulled"] += du_x * du_x + du_y * du_y
    begin_motion(filters, block)


@kernel
def opposed(filters: Filters, model: Model, samples: int, duration: float) -> bool:
    """Return whether this contact's motion runs against its load.

    It is never so for an IMU, which drifts.
    """
    if model.kind == IMU_MOTION:
        return False
    contact = filters.contact[0]
    sigma = math.hypot(
        model.sigma / math.sqrt(samples), model.quantisation / math.sqrt(12.0)
    )
    if model.kind == VELOCITY_MOTION:
        sigma = model.sigma * duration / math.sqrt(samples)
    against = -contact["along"]
    return against > 2.0 * OPPOSED_SIGMAS * sigma * math.sqrt(contact["pulled"]) and (
        against > OPPOSED_SHARE * contact["across"]
    )


# The path of a contact that remembers every reversal of its load: Masing's rule, in the
# plane.
#
# Springs with sliders in parallel (Iwan) carry a given force with the motion of *plays*
# in series: each element follows the force ratio in units of mu, v, once v is farther
# than the element's threshold rho from it. On a line,
#
# .. math:: \varphi = \phi(|v|_{max})\,\hat m + \sum_j W_j\,(p_j - (|v|_{max} -
# \rho_j)^+\,\hat m),
#
# is the pull curve phi of a first load and twice its half-scaled copy after every
# reversal, nested loops included, but for the interpolation of phi between thresholds
# (at most 0.006 in 1). Thresholds belong to nodes, weights to shapes.

# thresholds 1 - THRESHOLD_RATIO^j of the limit
IWAN_ELEMENTS = 12
THRESHOLD_RATIO = 0.8
# share of the limit beyond which the pull curve goes on straight: the path is steep,
# not infinite
LAST = 0.99


def thresholds() -> Array:
    """Compute the plays' thresholds in mu, shape (elements,)."""
    return np.array([1.0 - THRESHOLD_RATIO**j for j in range(1, IWAN_ELEMENTS + 1)])


def weights(shapes: Array) -> Array:
    """Weigh the force ratio and every play, shape (shapes, elements + 1).

    The weights are second differences of the pull curve.
    """
    knots = np.concatenate([[0.0], thresholds(), [LAST]])
    found = np.empty((shapes.size, IWAN_ELEMENTS + 1))
    for k, shape in enumerate(shapes):
        curve = np.array([pull_curve(knot, 1.0 - shape) for knot in knots])
        slope = np.diff(curve) / np.diff(knots)
        found[k] = np.append(slope[0], np.diff(slope))
    return found


@kernel
def pull_curve(share: float, exponent: float) -> float:
    """Evaluate phi(v) of a first load (study 2).

    It is (1 - (1 - v)^(1 - alpha))/(1 - alpha), and -ln(1 - v) at alpha = 1.
    """
    room = max(1.0 - share, 1.0 - LAST)
    beyond = max(share - LAST, 0.0) * (1.0 - LAST) ** (exponent - 1.0)
    if abs(exponent) < 1e-9:
        return beyond - math.log(room)
    return beyond + (1.0 - math.exp(exponent * math.log(room))) / exponent


@kernel
def forget_load(filters: Filters) -> None:
    """Reset the load memory to that of an unloaded contact."""
    contact = filters.contact[0]
    filters.play[:, :, :] = 0.0
    contact["followed_x"] = contact["followed_y"] = 0.0
    contact["front"] = contact["front_x"] = contact["front_y"] = 0.0


@kernel
def follow_load(filters: Filters, model: Model, u_x: float, u_y: float) -> None:
    """Move the plays with the force ratio to ``u``, in place."""
    if model.local == model.exponents.size:
        return
    move(filters, filters.play, model, u_x, u_y)
    contact = filters.contact[0]
    load = math.hypot(u_x, u_y)
    contact["followed_x"] = u_x
    contact["followed_y"] = u_y
    if load >= contact["front"] and load > 0.0:
        contact["front"] = load
        contact["front_x"] = u_x / load
        contact["front_y"] = u_y / load


@kernel
def move(filters: Filters, into: Array, model: Model, u_x: float, u_y: float) -> None:
    """Move plays (2, elements, nodes) straight to the force ratio ``u``.

    The result is written to ``into``.
    """
    contact = filters.contact[0]
    mu = model.mu
    first = contact["first"]
    last = contact["last"]
    for j in range(model.thresholds.size):
        threshold = model.thresholds[j]
        from_x = filters.play[0, j]
        to_x = into[0, j]
        if model.axes == 1:
            for i in range(first, last):
                away = u_x / mu[i] - from_x[i]
                to_x[i] = from_x[i] + away - min(max(away, -threshold), threshold)
            continue
        from_y = filters.play[1, j]
        to_y = into[1, j]
        for i in range(first, last):
            away_x = u_x / mu[i] - from_x[i]
            away_y = u_y / mu[i] - from_y[i]
            scale = max(
                1.0 - threshold / math.sqrt(away_x * away_x + away_y * away_y + 1e-30),
                0.0,
            )
            to_x[i] = from_x[i] + scale * away_x
            to_y[i] = from_y[i] + scale * away_y


@kernel
def masing_path(
    filters: Filters, model: Model, play: Array, u_x: float, u_y: float, path: Array
) -> None:
    """Compute the path at ``u`` by Masing's rule since the contact began.

    It is written into ``path`` (2, filters).
    """
    contact = filters.contact[0]
    count = model.exponents.size
    load = math.hypot(u_x, u_y)
    front = contact["front"]
    front_x = contact["front_x"]
    front_y = contact["front_y"]
    if load >= front and load > 0.0:
        front = load
        front_x = u_x / load
        front_y = u_y / load
    for i in range(contact["first"], contact["last"]):
        share = front / model.mu[i]
        for v in range(model.local, count):
            weight = model.weights[v - model.local]
            excess = pull_curve(share, model.exponents[v]) - weight[0] * share
            x = y = 0.0
            for j in range(model.thresholds.size):
                excess -= weight[j + 1] * max(share - model.thresholds[j], 0.0)
                x += weight[j + 1] * play[0, j, i]
            path[0, i * count + v] = (
                x + excess * front_x + weight[0] * u_x / model.mu[i]
            )
            if model.axes == 1:
                continue
            for j in range(model.thresholds.size):
                y += weight[j + 1] * play[1, j, i]
            path[1, i * count + v] = (
                y + excess * front_y + weight[0] * u_y / model.mu[i]
            )


# The filters of one contact: one per node of mu and shape of the curve, their start and
# their origin (study 7.2).

# [mm], nearly flat; the real belief enters at the read-out (study 7.2, study 7.5)
S_P_PRIOR = (
    1.0,
    6.0,
)
SMALLEST_S_P_MM = 0.02  # [mm] (study 7.5)
OFFSET_PRIOR = 0.05  # [mm] (study 7.2)
OFFSET_PRIOR_VELOCITY = 1e-3  # [mm]
OFFSET_PRIOR_IMU = 0.01  # [mm]
# of a sample's noise, by which the force ratio must have changed to be followed
# (choice)
FOLLOW_SIGMAS = 4.0
LAG_MU = 0.5  # at which the expected s_p holds (choice)
IMU_START = 0.06  # [s] that an acceleration was integrated before the start (study 7.2)


def new_filters(model: Model) -> Filters:
    """Allocate the filters' buffers before the first contact."""
    count = model.mu.size * model.exponents.size
    states = drift_states(model) + (2 * model.axes if model.kind == IMU_MOTION else 0)
    return Filters(
        log_weight=np.zeros(count),
        mean=np.zeros((states, count)),
        covariance=np.zeros((states, states, count)),
        volume=np.ones(count),
        path=np.zeros((2, count)),
        committed_path=np.zeros((2, count)),
        origin_path=np.zeros((2, count)),
        play=np.zeros((2, model.thresholds.size, model.mu.size)),
        moved_play=np.zeros((2, model.thresholds.size, model.mu.size)),
        rate=np.zeros((2, count)),
        probability=np.full(count, 1.0 / count),
        shape_weight=model.belief.copy(),
        belief=np.zeros(BELIEF_SIZE),
        work=np.zeros((states + 2, count)),
        contact=np.zeros(1, dtype=CONTACT),
        recent=np.zeros(model.held_blocks),
        pending=np.zeros(10),
    )


@kernel
def start(filters: Filters, model: Model, sole: SolePrior, block: Block) -> None:
    """Reset for a new contact.

    All nodes have equal weights, and the origins are at the first block.
    """
    filters.log_weight[:] = 0.0
    filters.volume[:] = 1.0
    filters.probability[:] = 1.0 / filters.probability.size
    filters.mean[:, :] = 0.0
    filters.covariance[:, :, :] = 0.0
    _restart(filters, model.axes, S_P_PRIOR[0], S_P_PRIOR[1])
    if model.has_compliance:
        _restart(filters, model.axes + 1, sole.compliance, sole.compliance_sd)
    if model.has_lag:
        _start_lag(filters, model, sole)
    _start_belief(filters, sole)
    _start_contact(filters, model, sole)
    anchor(filters, model, block)


@kernel
def _start_lag(filters: Filters, model: Model, sole: SolePrior) -> None:
    """Reset the lag of every filter to its prior.

    It is that of one stiffness for all nodes: else the prior would favour a large mu.
    """
    lag = lag_state(model)
    shapes = model.exponents.size
    # mean of a log-normal
    expected = sole.s_p * math.exp(0.5 * sole.s_p_spread * sole.s_p_spread)
    _restart(filters, lag, 0.0, 1.0)
    for n in range(filters.log_weight.size):
        sd = sole.lag_sd * expected * model.mu[n // shapes] / LAG_MU
        filters.covariance[lag, lag, n] = sd * sd


@kernel
def _start_belief(filters: Filters, sole: SolePrior) -> None:
    """Reset the belief about s_p: log-normal, 0 where no sole can be (study 7.5)."""
    for k in range(BELIEF_SIZE):
        s_p = (k * BELIEF_STEP) ** 2
        filters.belief[k] = 0.0
        if s_p > SMALLEST_S_P_MM:
            distance = math.log(s_p / sole.s_p) / sole.s_p_spread
            filters.belief[k] = math.exp(-0.5 * distance**2) / s_p


@kernel
def _start_contact(filters: Filters, model: Model, sole: SolePrior) -> None:
    """Reset what has been found in the contact before."""
    contact = filters.contact[0]
    contact["surprise"] = 0.0
    contact["watched"] = 0.0
    contact["energy"] = 0.0
    contact["product"] = 0.0
    contact["before_x"] = 0.0
    contact["before_y"] = 0.0
    contact["load"] = 0.0
    contact["shift"] = 0.0
    contact["mu_demonstrated"] = 0.0
    contact["blocks"] = 0
    contact["released"] = False
    contact["first"] = 0
    contact["last"] = model.mu.size
    middle = model.mu.size // 2
    contact["reference"] = middle * model.exponents.size + model.exponents.size // 2
    contact["median"] = model.mu[middle]
    contact["q05"] = model.mu[middle]
    contact["low"] = model.mu[middle]
    contact["s_p_reference"] = sole.s_p
    contact["s_p_begin"] = sole.s_p


@kernel
def anchor(filters: Filters, model: Model, block: Block) -> None:
    """Reset the origins of path and displacement to a block.

    Estimates of mu and sole stay.
    """
    contact = filters.contact[0]
    contact["committed_x"] = block.u_x
    contact["committed_y"] = block.u_y
    contact["step_x"] = contact["step_y"] = 0.0
    contact["origin_x"] = block.x
    contact["origin_y"] = block.y
    contact["force_origin_x"] = block.force_x
    contact["force_origin_y"] = block.force_y
    filters.pending[:] = 0.0
    begin_motion(filters, block)
    follow_load(filters, model, block.u_x, block.u_y)
    masing_path(filters, model, filters.play, block.u_x, block.u_y, filters.origin_path)
    filters.path[:, :] = 0.0
    filters.committed_path[:, :] = 0.0
    offset = OFFSET_PRIOR + 3.0 * model.sigma
    if model.kind == VELOCITY_MOTION:
        offset = (
            OFFSET_PRIOR_VELOCITY + 3.0 * model.sigma * block.duration / block.samples
        )
    elif model.kind == IMU_MOTION:
        offset = OFFSET_PRIOR_IMU + 3.0 * model.sigma
    for axis in range(model.axes):
        _restart(filters, axis, 0.0, offset)
        if model.kind == IMU_MOTION:
            first = drift_states(model)
            started = IMU_START * model.bias + model.noise_density * math.sqrt(
                IMU_START
            )
            velocity = math.hypot(started, model.start_speed)
            _restart(filters, first + axis, 0.0, velocity)
            _restart(filters, first + model.axes + axis, 0.0, model.bias)


@kernel
def touch_down(filters: Filters, model: Model) -> None:
    """Reset weights and motion before a contact's first sample and after its last."""
    contact = filters.contact[0]
    contact["first"] = 0
    contact["last"] = model.mu.size
    contact["along"] = contact["across"] = contact["pulled"] = 0.0


@kernel
def settle(
    filters: Filters, model: Model, u_x: float, u_y: float, normal: float
) -> None:
    """Update the load memory by a sample before the first block."""
    contact = filters.contact[0]
    noise = model.force_sigma * math.sqrt(1.0 + u_x * u_x + u_y * u_y) / normal
    if (
        math.hypot(u_x - contact["followed_x"], u_y - contact["followed_y"])
        > FOLLOW_SIGMAS * noise
    ):
        follow_load(filters, model, u_x, u_y)


@kernel
def _restart(filters: Filters, index: int, mean: float, sd: float) -> None:
    filters.mean[index, :] = mean
    filters.covariance[index, :, :] = 0.0
    filters.covariance[:, index, :] = 0.0
    filters.covariance[index, index, :] = sd * sd
