# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How exact a block is: its force ratio, its displacement, and the path of the force (study 7, study 7.3)."""

from __future__ import annotations

import math

from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation.interval.types import IMU, VELOCITY, Block, Filters, Model

INTEGRATED_SIGMA = 1e-4  # [mm], of an integrated velocity (study 7.2)
INTEGRATED_SHARE = 0.3  # of a sample's own step (study 7.2)
IMU_SIGMA = 2e-3  # [mm], of a twice integrated acceleration (study 7.2)
PATH_ERROR = 0.03  # relative error of the path that the model is allowed (study 7.3)
GRID_ERROR = 0.32 / math.sqrt(12.0)  # of a cell; the node's s_p takes up the rest (study 7.3: 1/sqrt(12); choice)
ROOM = 0.03  # smallest mu - |u| of the reference node, in mu (study 7.3)
STAIRCASE = 3.0  # more variance of a quantisation that no noise dithers: its error stays for many blocks (choice)
PROMPT = 1e-3  # [s] of latency that acts as white noise; a longer one is the same error in many blocks
LATE = 5e-3  # [s] more at which it counts twice (choice)
DOUBT_NOISE = 0.012  # noise of a block's force ratio, in mu, from which R is taken at a lower mu (choice)
DOUBT_LARGEST = 0.5  # geometric share of the 5 % quantile in that mu (choice)
IMU_ROOM = 1.0 / 0.85 - 1.0  # smallest mu - |u| there, in |u| (choice: nearer than that the control rule lets no load)
TURN_SIGMAS = 2.0  # of the force ratio that a turning point may be off (choice: half the hysteresis)


@kernel
def ratio_sigma(model: Model, block: Block) -> float:
    r"""Sd of a block's force ratio [-].

    .. math:: s_u^2 = (\sigma_F^2/w + o^2/3)(1 + |u|^2)/F_n^2

    Source: study 7.
    """
    squared = model.force_sigma**2 / block.samples + model.force_offset**2 / 3.0
    return math.sqrt(squared * (1.0 + block.u_x**2 + block.u_y**2)) / block.force_normal


@kernel
def ratio_noise(model: Model, block: Block) -> float:
    """The part of it that changes from block to block, without the constant offset [-]."""
    return model.force_sigma / math.sqrt(block.samples) / block.force_normal


@kernel
def ratio_offset(model: Model, block: Block) -> float:
    """Bound on the other part of it, the constant error of both forces and what one of them shows of the other [-]."""
    constant = model.force_offset * math.sqrt(1.0 + block.u_x**2 + block.u_y**2) / block.force_normal
    return constant + model.cross_talk


@kernel
def observation_variance(filters: Filters, model: Model, block: Block, s_u: float, moved: float) -> float:
    r"""Variance R of a block's displacement [mm^2], the same for all nodes (study 7.3).

    .. math:: R = \frac{\sigma_x^2}{w} + \frac{q^2}{24}k_q + (L_d s_u)^2 + \Bigl(0.03\,\frac{s_r|\phi_r|}{3}\Bigr)^2
       + \Bigl(k_\tau\frac{\tau s_r|d\phi_r|}{3T_b}\Bigr)^2 + (0.32\,D L|u|)^2,
       \quad L = \frac{s_r}{3(\mu_r - |u|)}

    evaluated at the node of the previous median (a variance per node would bias mu upwards); D is the sd of
    ln mu in a cell of the grid. Beyond the study, found necessary where it measured more than 5 % wrong bounds:
    :math:`k_q` up to 4 where sensor noise does not dither the quantisation, :math:`k_\tau` up to 2 where latency
    exceeds 1 ms, force noise times the compliance, and :math:`L_d` at a mu below the median (:func:`_steepest`).

    Args:
        moved: change of the reference node's path since the last block, |d phi_r| [-].
    """
    contact = filters.contact[0]
    load = math.hypot(block.u_x, block.u_y)
    mu, s_p, reference = contact["median"], contact["s_p_reference"], contact["reference"]
    slope = s_p / (3.0 * max(mu - load, ROOM * mu))
    path = math.hypot(filters.path[0, reference], filters.path[1, reference])
    late = model.latency * (1.0 + min((model.latency - PROMPT) / LATE, 1.0))
    return (
        _sensor_variance(model, block)
        + _compliance_variance(filters, model, block)
        + (_steepest(filters, model, block) * s_u) ** 2
        + (PATH_ERROR * s_p * path / 3.0) ** 2
        + (late * s_p * moved / (3.0 * block.duration)) ** 2
        + (GRID_ERROR * model.log_step * slope * load) ** 2
    )


@kernel
def _steepest(filters: Filters, model: Model, block: Block) -> float:
    """Slope :math:`L_d` of displacement over force ratio by which force noise counts [mm].

    If the true mu is below the median, its displacement should follow the noise of the force more than the median's
    does, and because it does not, the truth would be ruled out. So where force noise is large against mu, L_d is that
    of a lower mu. An IMU's drift can take the place of the whole bend, noise makes s_p shrink, and nothing holds the
    median: there L_d is that of the lowest mu that is not ruled out, with no less than the s_p of the beginning.
    """
    contact = filters.contact[0]
    load = math.hypot(block.u_x, block.u_y)
    mu, s_p = contact["median"], contact["s_p_reference"]
    if model.kind == IMU:
        low = contact["low"]
        return max(s_p, contact["s_p_begin"]) / (3.0 * max(low - load, IMU_ROOM * load, ROOM * low))
    single = ratio_noise(model, block) * math.sqrt(block.merged)
    doubt = DOUBT_LARGEST * min(max(single / (DOUBT_NOISE * contact["q05"]) - 1.0, 0.0), 1.0)
    return s_p / (3.0 * max(mu * (contact["q05"] / mu) ** doubt - load, ROOM * mu))


@kernel
def _compliance_variance(filters: Filters, model: Model, block: Block) -> float:
    """Force noise seen through the compliance of the reference node [mm^2] (choice)."""
    if not model.has_compliance:
        return 0.0
    compliance = filters.mean[model.axes + 1, filters.contact[0]["reference"]] / 100.0
    return compliance**2 * model.force_sigma**2 / block.samples


@kernel
def _sensor_variance(model: Model, block: Block) -> float:
    if model.kind == VELOCITY:
        step = model.sigma * block.duration / block.samples
        return (INTEGRATED_SIGMA**2 + INTEGRATED_SHARE * step**2) / block.samples
    if model.kind == IMU:
        return (IMU_SIGMA**2 + model.sigma**2) / block.samples
    stairs = 0.0
    if model.quantisation > 0.0:
        stairs = STAIRCASE * max(1.0 - 2.0 * model.sigma / model.quantisation, 0.0)
    return model.sigma**2 / block.samples + model.quantisation**2 / 24.0 * (1.0 + stairs)


@kernel
def turning_sigma(filters: Filters, load: float, s_u: float) -> float:
    r"""Sd of the displacement that a turning point of the force, off by the hysteresis, adds for good [mm].

    .. math:: \frac{s_r}{3}\,2 s_u\Bigl(\frac{1}{\mu_r - |u|} - \frac{1}{\mu_r + |u|}\Bigr)

    loading up to a point and unloading from it differ by this if the point is wrong by 2 s_u (choice).
    """
    contact = filters.contact[0]
    mu = contact["median"]
    return contact["s_p_reference"] / 3.0 * TURN_SIGMAS * s_u * (1.0 / max(mu - load, ROOM * mu) - 1.0 / (mu + load))
