# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the kernels of the interval estimator pass around; lengths inside are in mm, compliance in mm per 100 N."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel

POSITION, VELOCITY, IMU = 0, 1, 2  # kinds of motion noise, in the order of config.KINDS


class Model(NamedTuple):
    """Everything that stays fixed: the grid, the noise and the thresholds (built by ``model.build``)."""

    mu: Array  # nodes of the grid, shape (nodes,) [-]
    prior: Array  # stated belief on them, sum 1, shape (nodes,)
    exponents: Array  # 1 - alpha of each variant, a shape with a rule of reversal, shape (variants,)
    belief: Array  # in each variant before the first step, sum 1, shape (variants,)
    thresholds: Array  # of the plays of Masing's rule, in mu, shape (elements,)
    weights: Array  # of those plays for each variant that follows it, shape (variants - local, elements + 1)
    local: int  # variants that remember no reversal; they come first
    log_step: float  # distance of two nodes in ln mu
    temper: float  # weight of a block's evidence (study 7)
    kind: int  # POSITION, VELOCITY or IMU
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
    """What a contact starts with: from the configuration, later from the steps before."""

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
    """Index of the lag among the states of a filter; without one, where it would be."""
    return model.axes + 1 + int(model.has_compliance)


@kernel
def drift_states(model: Model) -> int:
    """Index of the first state of an IMU's drift."""
    return lag_state(model) + int(model.has_lag)


class Filters(NamedTuple):
    """One Kalman filter per node and shape (node by node, shapes inside); buffers that the kernels overwrite.

    A filter's states are: offset per axis [mm], s_p [mm], compliance [mm/100 N] if any, lag times s_p [mm s] if any,
    and for an IMU velocity per axis [mm/s] and acceleration bias per axis [mm/s^2]. The filters are the last dimension
    of every array, so that loops over them vectorise.
    """

    log_weight: Array  # shape (filters,)
    mean: Array  # shape (states, filters)
    covariance: Array  # its lower half, shape (states, states, filters)
    volume: Array  # scratch, product of the innovations' variances of a block [mm^2 per axis], shape (filters,)
    path: Array  # since the origin, shape (2, filters)
    committed_path: Array  # at the committed force ratio, shape (2, filters)
    origin_path: Array  # at the origin, of the filters that follow Masing's rule, shape (2, filters)
    play: Array  # of Masing's rule at the followed force ratio, shape (2, elements, nodes) [mu]
    moved_play: Array  # scratch, the same now
    rate: Array  # of the path over the last block [1/s], shape (2, filters)
    probability: Array  # of the last read-out, sum 1, shape (filters,)
    shape_weight: Array  # belief in the variants before this contact, sum 1, shape (variants,)
    belief: Array  # density of s_p at squares of BELIEF_STEP, shape (BELIEF_SIZE,)
    work: Array  # scratch, shape (2 + states, filters)
    contact: NDArray[Any]  # one record of CONTACT
    recent: Array  # of the last blocks, what they held surely, shape (held_blocks,) [-]
    pending: Array  # sums over the blocks that wait to be merged: the numbers of a Block, then how many blocks


@kernel
def living(filters: Filters, model: Model) -> tuple[int, int]:
    """First filter that is still possible, and one behind the last."""
    contact, count = filters.contact[0], model.exponents.size
    return contact["first"] * count, contact["last"] * count


BELIEF_STEP = 0.01  # [sqrt(mm)]
BELIEF_SIZE = 512  # up to 26 mm


CONTACT = np.dtype(
    [
        ("committed_x", np.float64),  # force ratio up to which the path is committed [-]
        ("committed_y", np.float64),
        ("followed_x", np.float64),  # force ratio up to which the plays have followed [-]
        ("followed_y", np.float64),
        ("front", np.float64),  # largest force ratio since the contact began, and its direction [-]
        ("front_x", np.float64),
        ("front_y", np.float64),
        ("step_x", np.float64),  # last committed change of the force ratio [-]
        ("step_y", np.float64),
        ("origin_x", np.float64),  # displacement at the start [mm]
        ("origin_y", np.float64),
        ("force_origin_x", np.float64),  # tangential force at the start [N]
        ("force_origin_y", np.float64),
        ("first", np.int64),  # nodes first to last - 1 are still possible; the others rest
        ("last", np.int64),
        ("reference", np.int64),  # filter at the node of the last median, of the most probable shape
        ("median", np.float64),  # mu of that node [-]
        ("low", np.float64),  # lowest node that is not ruled out [-]
        ("s_p_begin", np.float64),  # median of s_p as the contact began [mm]
        ("q05", np.float64),  # 5 % quantile of the last read-out [-]
        ("s_p_reference", np.float64),  # of that node [mm]
        ("innovation_x", np.float64),  # of the reference filter in the last update, in its sd
        ("innovation_y", np.float64),
        ("before_x", np.float64),  # the same one update earlier
        ("before_y", np.float64),
        ("surprise", np.float64),  # cumulative sum of too large innovations
        ("watched", np.float64),  # updates so far, and their mean square and product sums
        ("energy", np.float64),
        ("product", np.float64),
        ("last_u_x", np.float64),  # of the block before [-]
        ("last_u_y", np.float64),
        ("last_x", np.float64),  # [mm]
        ("last_y", np.float64),
        ("along", np.float64),  # sum over blocks of motion times change of the force ratio [mm]
        ("across", np.float64),  # the same of their sizes [mm]
        ("pulled", np.float64),  # sum of the squared changes of the force ratio [-]
        ("load", np.float64),  # largest |u| of a block [-]
        ("shift", np.float64),  # bound on what the force sensor's offset adds to |u| at that load [-]
        ("witnessed", np.float64),  # largest force ratio held, less what the sensors may add [-]
        ("blocks", np.int64),  # in a row that were held
        ("released", np.bool_),
    ]
)


class Interval(NamedTuple):
    """What the grid knows after a block."""

    low: float
    q05: float
    median: float
    q95: float
    high: float
    released: bool
    usable: bool
    refuted: bool  # the foot held more than the upper end
    witnessed: float
    s_p: float  # mean [mm]
    s_p_sd: float  # [mm]
