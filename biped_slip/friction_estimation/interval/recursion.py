# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One block of samples through every node of the grid.

The steps are the path of the force, noise and the Kalman filter.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation.interval.grid import (
    IMU_MOTION,
    VELOCITY_MOTION,
    Block,
    Filters,
    Model,
    compare_motion,
    drift_states,
    follow_load,
    lag_state,
    living,
    masing_path,
    move,
    note,
)

# Kalman filters of all nodes: ``x = offset + s_p path/3 + compliance force - lag s_p
# rate/3`` (study 7.2).
#
# The last term is not the study's: the force of a sole that damps its presliding is
# ahead of its motion by damping over stiffness, which is the same as a motion that
# comes late, so ``x(t) = s_p/3 path(t - lag)``.


@kernel
def drift(filters: Filters, model: Model, block: Block) -> None:
    """Propagate the drift of the displacement source over one block (study 7.2).

    A position has none.
    """
    axes = model.axes
    time = block.duration
    mean = filters.mean
    covariance = filters.covariance
    if model.kind == VELOCITY_MOTION:
        for axis in range(axes):
            _add(
                covariance[axis, axis],
                block.samples * (model.sigma * time / block.samples) ** 2,
            )
    elif model.kind == IMU_MOTION:
        for k in range(mean.shape[0]):
            for m in range(k):
                for n in range(covariance.shape[2]):
                    covariance[m, k, n] = covariance[k, m, n]
        for axis in range(axes):
            velocity = drift_states(model) + axis
            acceleration = velocity + axes
            _extrapolate(mean[axis], mean[velocity], mean[acceleration], time)
            for k in range(mean.shape[0]):
                _extrapolate(
                    covariance[axis, k],
                    covariance[velocity, k],
                    covariance[acceleration, k],
                    time,
                )
            for k in range(mean.shape[0]):
                _extrapolate(
                    covariance[k, axis],
                    covariance[k, velocity],
                    covariance[k, acceleration],
                    time,
                )
            _add(covariance[velocity, velocity], 0.5 * model.noise_density**2 * time)


class DisplacementRow(NamedTuple):
    """What the displacement along one axis is made of, by states of a filter."""

    axis: int  # state of the offset
    sole: int  # state of s_p
    compliance: int  # state of the series compliance
    force: float  # that it yields to [100 N]; 0 without compliance
    lag: int  # state of the lag
    lagging: float  # factor of the path's rate; 0 without lag


@kernel
def _row(model: Model, axis: int, force: float) -> DisplacementRow:
    """Find the states that the displacement along an axis is made of."""
    sole = model.axes
    compliance = sole + 1
    if not model.has_compliance:
        compliance = sole
        force = 0.0
    lag = sole
    lagging = 0.0
    if model.has_lag:
        lag = lag_state(model)
        lagging = -1.0 / 3.0
    return DisplacementRow(
        axis=axis,
        sole=sole,
        compliance=compliance,
        force=force,
        lag=lag,
        lagging=lagging,
    )


@kernel
def observe(
    filters: Filters,
    model: Model,
    axis: int,
    displacement: float,
    force: float,
    noise: float,
) -> None:
    """Update every Kalman filter by one axis.

    Its evidence is added to the weights (study 7.2, study 7.4).

    Args:
        filters: are overwritten.
        model: grid and sensors.
        axis: of the floor.
        displacement: since the origin [mm].
        force: tangential, since the origin [100 N].
        noise: variance R of the displacement [mm^2].
    """
    row = _row(model, axis, force)
    _innovations(filters, model, row, displacement)
    _gains(filters, model, row)
    _variances(filters, model, row, noise)
    first, last = living(filters, model)
    innovation = filters.work[0]
    variance = filters.work[1]
    for n in range(first, last):
        evidence = innovation[n] * innovation[n] / variance[n]
        filters.log_weight[n] -= 0.5 * model.temper * evidence
        filters.volume[n] *= variance[n]
        variance[n] = 1.0 / variance[n]
    _corrections(filters, model)


@kernel
def _innovations(
    filters: Filters, model: Model, row: DisplacementRow, displacement: float
) -> None:
    """Compute each filter's innovation [mm] into ``work[0]``."""
    mean = filters.mean
    path = filters.path[row.axis]
    rate = filters.rate[row.axis]
    innovation = filters.work[0]
    first, last = living(filters, model)
    for n in range(first, last):
        innovation[n] = (
            displacement
            - mean[row.axis, n]
            - path[n] / 3.0 * mean[row.sole, n]
            - row.force * mean[row.compliance, n]
        )
        innovation[n] -= row.lagging * rate[n] * mean[row.lag, n]


@kernel
def _gains(filters: Filters, model: Model, row: DisplacementRow) -> None:
    """Compute each filter's covariance of states and displacement into ``work[2:]``."""
    covariance = filters.covariance
    path = filters.path[row.axis]
    rate = filters.rate[row.axis]
    gain = filters.work[2:]
    first, last = living(filters, model)
    for k in range(filters.mean.shape[0]):
        # of the covariance only the lower half is kept up
        own = covariance[max(k, row.axis), min(k, row.axis)]
        sliding = covariance[max(k, row.sole), min(k, row.sole)]
        giving = covariance[max(k, row.compliance), min(k, row.compliance)]
        late = covariance[max(k, row.lag), min(k, row.lag)]
        for n in range(first, last):
            gain[k, n] = (
                own[n]
                + path[n] / 3.0 * sliding[n]
                + row.force * giving[n]
                + row.lagging * rate[n] * late[n]
            )


@kernel
def _variances(
    filters: Filters, model: Model, row: DisplacementRow, noise: float
) -> None:
    """Compute the variances [mm^2] of the innovations into ``work[1]``."""
    path = filters.path[row.axis]
    rate = filters.rate[row.axis]
    variance = filters.work[1]
    gain = filters.work[2:]
    first, last = living(filters, model)
    for n in range(first, last):
        variance[n] = (
            noise
            + gain[row.axis, n]
            + path[n] / 3.0 * gain[row.sole, n]
            + row.force * gain[row.compliance, n]
        )
        variance[n] += row.lagging * rate[n] * gain[row.lag, n]


@kernel
def _corrections(filters: Filters, model: Model) -> None:
    """Correct means and covariances; ``work`` has innovation, 1/variance, gains."""
    mean = filters.mean
    covariance = filters.covariance
    innovation = filters.work[0]
    weight = filters.work[1]
    gain = filters.work[2:]
    first, last = living(filters, model)
    for k in range(mean.shape[0]):
        for n in range(first, last):
            mean[k, n] += gain[k, n] * weight[n] * innovation[n]
        for m in range(k + 1):
            for n in range(first, last):
                covariance[k, m, n] -= gain[k, n] * gain[m, n] * weight[n]


@kernel
def weigh_volume(filters: Filters, model: Model) -> None:
    """Weigh the evidence of the innovations' variances in a block, all axes at once."""
    first, last = living(filters, model)
    for n in range(first, last):
        filters.log_weight[n] -= 0.5 * model.temper * math.log(filters.volume[n])
        filters.volume[n] = 1.0


@kernel
def foresee(
    filters: Filters, model: Model, axis: int, displacement: float, force: float
) -> tuple[float, float]:
    """Predict the reference filter's innovation by one axis before an update [mm].

    Predict its variance without R [mm^2] as well.
    """
    n = filters.contact[0]["reference"]
    row = filters.work[:, 0]  # what the displacement is made of, by state
    row[:] = 0.0
    row[axis] = 1.0
    row[model.axes] = filters.path[axis, n] / 3.0
    if model.has_compliance:
        row[model.axes + 1] = force
    if model.has_lag:
        row[lag_state(model)] = -filters.rate[axis, n] / 3.0
    innovation = displacement
    variance = 0.0
    for k in range(filters.mean.shape[0]):
        innovation -= row[k] * filters.mean[k, n]
        for m in range(filters.mean.shape[0]):
            variance += row[k] * filters.covariance[max(k, m), min(k, m), n] * row[m]
    return innovation, variance


@kernel
def _add(target: Array, value: float) -> None:
    for n in range(target.size):
        target[n] += value


@kernel
def _extrapolate(
    position: Array, velocity: Array, acceleration: Array, time: float
) -> None:
    for n in range(position.size):
        position[n] += time * velocity[n] + 0.5 * time * time * acceleration[n]
        velocity[n] += time * acceleration[n]


# How exact a block is: its force ratio, its displacement, and the path of the force
# (study 7, study 7.3).

INTEGRATED_SIGMA = 1e-4  # [mm], of an integrated velocity (study 7.2)
INTEGRATED_SHARE = 0.3  # of a sample's own step (study 7.2)
IMU_SIGMA = 2e-3  # [mm], of a twice integrated acceleration (study 7.2)
PATH_ERROR = 0.03  # relative error of the path that the model is allowed (study 7.3)
# of a cell; the node's s_p takes up the rest (study 7.3: 1/sqrt(12); choice)
GRID_ERROR = 0.32 / math.sqrt(12.0)
ROOM = 0.03  # smallest mu - |u| of the reference node, in mu (study 7.3)
# more variance of a quantisation that no noise dithers: its error stays for many blocks
# (choice)
STAIRCASE = 3.0
# [s] of latency that acts as white noise; a longer one is the same error in many blocks
PROMPT = 1e-3
LATE_DOUBLING = 5e-3  # [s] more at which it counts twice (choice)
# noise of a block's force ratio, in mu, from which R is taken at a lower mu (choice)
DOUBT_NOISE = 0.012
DOUBT_LARGEST = 0.5  # geometric share of the 5 % quantile in that mu (choice)
# smallest mu - |u| there, in |u| (choice: nearer than that the control rule lets no
# load)
IMU_ROOM = 1.0 / 0.85 - 1.0
# of the force ratio that a turning point may be off (choice: half the hysteresis)
TURN_SIGMAS = 2.0


@kernel
def ratio_sigma(model: Model, block: Block) -> float:
    """Compute the sd of a block's force ratio [-] (study 7).

    It is given by s_u^2 = (sigma_F^2/w + o^2/3)(1 + |u|^2)/F_n^2.
    """
    squared = model.force_sigma**2 / block.samples + model.force_offset**2 / 3.0
    return math.sqrt(squared * (1.0 + block.u_x**2 + block.u_y**2)) / block.force_normal


@kernel
def ratio_noise(model: Model, block: Block) -> float:
    """Compute the sd of a block's force ratio without the constant offset [-]."""
    return model.force_sigma / math.sqrt(block.samples) / block.force_normal


@kernel
def ratio_offset(model: Model, block: Block) -> float:
    """Bound the constant error of a block's force ratio [-].

    It is from offset and cross-talk.
    """
    constant = (
        model.force_offset
        * math.sqrt(1.0 + block.u_x**2 + block.u_y**2)
        / block.force_normal
    )
    return constant + model.cross_talk


@kernel
def observation_variance(
    filters: Filters, model: Model, block: Block, s_u: float, moved: float
) -> float:
    r"""Compute the variance R of a block's displacement [mm^2] (study 7.3).

    It is the same for all nodes.

    .. math::

       R
       = \frac{\sigma_x^2}{w} + \frac{q^2}{24}k_q + (L_d s_u)^2
       + \Bigl(0.03\,\frac{s_r|\phi_r|}{3}\Bigr)^2
       + \Bigl(k_\tau\frac{\tau s_r|d\phi_r|}{3T_b}\Bigr)^2 + (0.32\,D L|u|)^2,
       \quad L = \frac{s_r}{3(\mu_r - |u|)}

    evaluated at the node of the previous median (a variance per node would bias mu
    upwards); D is the sd of ln mu in a cell of the grid. Beyond the study, found
    necessary where it measured more than 5 % wrong bounds: :math:`k_q` up to 4 where
    sensor noise does not dither the quantisation, :math:`k_\tau` up to 2 where latency
    exceeds 1 ms, force noise times the compliance, and :math:`L_d` at a mu below the
    median (:func:`_steepest`). ``moved`` is |d phi_r|.
    """
    contact = filters.contact[0]
    load = math.hypot(block.u_x, block.u_y)
    mu = contact["median"]
    s_p = contact["s_p_reference"]
    reference = contact["reference"]
    slope = s_p / (3.0 * max(mu - load, ROOM * mu))
    path = math.hypot(filters.path[0, reference], filters.path[1, reference])
    late = model.latency * (1.0 + min((model.latency - PROMPT) / LATE_DOUBLING, 1.0))
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
    """Compute the slope :math:`L_d` of displacement over force ratio [mm].

    It is the one by which force noise counts.

    If the true mu is below the median, its displacement should follow the noise of the
    force more than the median's does, and because it does not, the truth would be ruled
    out. So where force noise is large against mu, L_d is that of a lower mu. An IMU's
    drift can take the place of the whole bend, noise makes s_p shrink, and nothing
    holds the median: there L_d is that of the lowest mu that is not ruled out, with no
    less than the s_p of the beginning.
    """
    contact = filters.contact[0]
    load = math.hypot(block.u_x, block.u_y)
    mu = contact["median"]
    s_p = contact["s_p_reference"]
    if model.kind == IMU_MOTION:
        low = contact["low"]
        return max(s_p, contact["s_p_begin"]) / (
            3.0 * max(low - load, IMU_ROOM * load, ROOM * low)
        )
    single = ratio_noise(model, block) * math.sqrt(block.merged)
    doubt = DOUBT_LARGEST * min(
        max(single / (DOUBT_NOISE * contact["q05"]) - 1.0, 0.0), 1.0
    )
    return s_p / (3.0 * max(mu * (contact["q05"] / mu) ** doubt - load, ROOM * mu))


@kernel
def _compliance_variance(filters: Filters, model: Model, block: Block) -> float:
    """Compute the force noise seen through the compliance [mm^2] (choice).

    The compliance is that of the reference node.
    """
    if not model.has_compliance:
        return 0.0
    compliance = filters.mean[model.axes + 1, filters.contact[0]["reference"]] / 100.0
    return compliance**2 * model.force_sigma**2 / block.samples


@kernel
def _sensor_variance(model: Model, block: Block) -> float:
    if model.kind == VELOCITY_MOTION:
        step = model.sigma * block.duration / block.samples
        return (INTEGRATED_SIGMA**2 + INTEGRATED_SHARE * step**2) / block.samples
    if model.kind == IMU_MOTION:
        return (IMU_SIGMA**2 + model.sigma**2) / block.samples
    stairs = 0.0
    if model.quantisation > 0.0:
        stairs = STAIRCASE * max(1.0 - 2.0 * model.sigma / model.quantisation, 0.0)
    return model.sigma**2 / block.samples + model.quantisation**2 / 24.0 * (
        1.0 + stairs
    )


@kernel
def turning_sigma(filters: Filters, load: float, s_u: float) -> float:
    r"""Compute the sd of the permanent displacement that a force reversal adds [mm].

    .. math::

       \frac{s_r}{3}\,2 s_u\Bigl(\frac{1}{\mu_r - |u|} - \frac{1}{\mu_r + |u|}\Bigr)

    loading up to a point and unloading from it differ by this if the point is wrong by
    2 s_u (choice).
    """
    contact = filters.contact[0]
    mu = contact["median"]
    return (
        contact["s_p_reference"]
        / 3.0
        * TURN_SIGMAS
        * s_u
        * (1.0 / max(mu - load, ROOM * mu) - 1.0 / (mu + load))
    )


# The path of the force: how far the contact moves, in units of s_p/3, when its force
# ratio changes.

SUB_STEPS = 2  # midpoint steps per increment (study 7.1)
# smallest mu^2 - |u|^2, in mu^2 (study 7.1): beyond the limit the path is steep, not
# infinite
LEAST_MARGIN = 0.02


@kernel
def add_path(
    u_x: float,
    u_y: float,
    du_x: float,
    du_y: float,
    mu: float,
    exponents: Array,
    first: int,
    path: Array,
) -> None:
    r"""Add the path from ``u`` to ``u + du`` to ``path`` (study 2, study 7.1).

    It is the path for one mu and every shape.

    .. math::

       d\phi
       = \frac{du + s\,u}{\mu}
       \Bigl(1 - \frac{u\cdot du}{|du|\,\mu}\Bigr)^{1-\alpha},\qquad
       s = \frac{u\cdot du + \sqrt{(u\cdot du)^2 + (\mu^2 - |u|^2)|du|^2}}{\mu^2 -
       |u|^2}

    The direction of motion comes from the force alone, never from the sign of a
    measured velocity.

    The change of the force ratio is not zero; ``exponents`` (shapes,) are 1 - alpha, 0
    is the first order law in closed form; ``first`` is the index of the node's first
    shape in ``path`` (2, filters).
    """
    step_x = du_x / SUB_STEPS
    step_y = du_y / SUB_STEPS
    length_squared = step_x * step_x + step_y * step_y
    bent = exponents.size > 1 or exponents[0] != 0.0
    for sub_step in range(SUB_STEPS):
        mid_x = u_x + (sub_step + 0.5) * step_x
        mid_y = u_y + (sub_step + 0.5) * step_y
        along = mid_x * step_x + mid_y * step_y
        room = max(mu * mu - mid_x * mid_x - mid_y * mid_y, LEAST_MARGIN * mu * mu)
        s = (along + math.sqrt(along * along + room * length_squared)) / room
        path_x = (step_x + s * mid_x) / mu
        path_y = (step_y + s * mid_y) / mu
        if bent:
            log_distance = math.log(
                max(1.0 - along / (math.sqrt(length_squared) * mu), 0.5 * LEAST_MARGIN)
            )
            for shape in range(exponents.size):
                bend = (
                    math.exp(exponents[shape] * log_distance)
                    if exponents[shape] != 0.0
                    else 1.0
                )
                path[0, first + shape] += bend * path_x
                path[1, first + shape] += bend * path_y
        else:
            path[0, first] += path_x
            path[1, first] += path_y


# The recursion: every filter takes every block, with the same noise (study 7.1–7.4).

COMMIT_SIGMAS = 4.0  # hysteresis of the path, in sd of the force ratio (study 7.1)
HELD = 0.995  # |u| above this share of mu speaks against a node (study 7.4)
HELD_SOFTNESS = 0.003  # (study 7.4)
HELD_SIGMAS = 3.0  # (study 7.6)
# noise of the force ratio, in mu, above which blocks are merged first (choice)
MERGE_NOISE = 0.015
MERGE_LARGEST = 4  # blocks merged at most: 20 ms (choice)


@kernel
def update(filters: Filters, model: Model, block: Block) -> bool:
    """Update the grid by one block; return whether the contact has changed.

    The path is not linear in the force ratio: noise that is large against mu bends it.
    Such blocks are averaged up to 20 ms before the filters see them; with exact force
    sensors nothing is merged. What the block held is demonstrated at once.
    """
    contact = filters.contact[0]
    pending = filters.pending
    load = math.hypot(block.u_x, block.u_y)
    if load > contact["load"]:
        contact["load"] = load
        contact["shift"] = ratio_offset(model, block)
    _raise_demonstrated(filters, model, block, load)
    sums = (
        block.u_x,
        block.u_y,
        block.x,
        block.y,
        block.force_x,
        block.force_y,
        block.force_normal,
        float(block.samples),
        block.duration,
        1.0,
    )
    for k in range(pending.size):
        pending[k] += sums[k]
    n = pending[9]
    merged = Block(
        u_x=pending[0] / n,
        u_y=pending[1] / n,
        x=pending[2] / n,
        y=pending[3] / n,
        force_x=pending[4] / n,
        force_y=pending[5] / n,
        force_normal=pending[6] / n,
        samples=int(pending[7]),
        duration=pending[8],
        merged=int(n),
    )
    if (
        ratio_noise(model, merged) > MERGE_NOISE * contact["median"]
        and n < MERGE_LARGEST
    ):
        return False
    pending[:] = 0.0
    _advance(filters, model, merged)
    return note(filters, model)


@kernel
def _raise_demonstrated(
    filters: Filters, model: Model, block: Block, load: float
) -> None:
    """Raise the lower bound of mu to the demonstrated force ratio.

    It is the one demonstrated throughout the last blocks, whatever the model.
    """
    contact = filters.contact[0]
    recent = filters.recent
    doubt = HELD_SIGMAS * ratio_noise(model, block) * math.hypot(
        1.0, load
    ) + ratio_offset(model, block)
    recent[contact["blocks"] % recent.size] = load - doubt
    contact["blocks"] += 1
    if contact["blocks"] >= recent.size:
        contact["mu_demonstrated"] = max(contact["mu_demonstrated"], recent.min())


@kernel
def _advance(filters: Filters, model: Model, block: Block) -> None:
    contact = filters.contact[0]
    s_u = ratio_sigma(model, block)
    reference = contact["reference"]
    before_x = filters.path[0, reference]
    before_y = filters.path[1, reference]
    _advance_paths(filters, model, block, s_u)
    moved = math.hypot(
        filters.path[0, reference] - before_x, filters.path[1, reference] - before_y
    )
    noise = observation_variance(filters, model, block, s_u, moved)
    drift(filters, model, block)
    force_x = block.force_x - contact["force_origin_x"]
    force_y = block.force_y - contact["force_origin_y"]
    _watch(filters, model, block, force_x / 100.0, force_y / 100.0, noise)
    compare_motion(filters, block)
    observe(filters, model, 0, block.x - contact["origin_x"], force_x / 100.0, noise)
    if model.axes == 2:
        observe(
            filters, model, 1, block.y - contact["origin_y"], force_y / 100.0, noise
        )
    weigh_volume(filters, model)
    _rule_out_held(filters, model, math.hypot(block.u_x, block.u_y), s_u)


@kernel
def _watch(
    filters: Filters,
    model: Model,
    block: Block,
    force_x: float,
    force_y: float,
    noise: float,
) -> None:
    """Record the innovation of the reference filter, in its sd.

    The sd is the same for both axes: it turns with everything.
    """
    contact = filters.contact[0]
    x, variance = foresee(filters, model, 0, block.x - contact["origin_x"], force_x)
    y = 0.0
    if model.axes == 2:
        y, other = foresee(filters, model, 1, block.y - contact["origin_y"], force_y)
        variance = 0.5 * (variance + other)
    sd = math.sqrt(variance + noise)
    contact["innovation_x"] = x / sd
    contact["innovation_y"] = y / sd


@kernel
def _advance_paths(filters: Filters, model: Model, block: Block, s_u: float) -> None:
    """Advance every node's path (study 7.1).

    It is committed only beyond the hysteresis, lest noise lengthen it.

    Where the force turns, the hysteresis leaves a constant error, which the offset must
    be free to take up.
    """
    contact = filters.contact[0]
    du_x = block.u_x - contact["committed_x"]
    du_y = block.u_y - contact["committed_y"]
    first, last = living(filters, model)
    for axis in range(model.axes):
        for n in range(first, last):
            filters.rate[axis, n] = -filters.path[axis, n] / block.duration
            filters.path[axis, n] = filters.committed_path[axis, n]
    if (du_x != 0.0 or du_y != 0.0) and model.local > 0:
        exponents = model.exponents[: model.local]
        for i in range(contact["first"], contact["last"]):
            add_path(
                contact["committed_x"],
                contact["committed_y"],
                du_x,
                du_y,
                model.mu[i],
                exponents,
                i * model.exponents.size,
                filters.path,
            )
    _remembered_paths(filters, model, block)
    for axis in range(model.axes):
        for n in range(first, last):
            filters.rate[axis, n] += filters.path[axis, n] / block.duration
    if math.hypot(du_x, du_y) > COMMIT_SIGMAS * s_u:
        _commit_paths(filters, model, block, s_u)


@kernel
def _commit_paths(filters: Filters, model: Model, block: Block, s_u: float) -> None:
    """Take a block's force ratio for the end of the path; s_u is its sd [-]."""
    contact = filters.contact[0]
    from_x = contact["committed_x"]
    from_y = contact["committed_y"]
    du_x = block.u_x - from_x
    du_y = block.u_y - from_y
    first, last = living(filters, model)
    if du_x * contact["step_x"] + du_y * contact["step_y"] < 0.0:
        turn = turning_sigma(filters, math.hypot(from_x, from_y), s_u)
        for axis in range(model.axes):
            for n in range(first, last):
                filters.covariance[axis, axis, n] += turn * turn
    for axis in range(model.axes):
        for n in range(first, last):
            filters.committed_path[axis, n] = filters.path[axis, n]
    follow_load(filters, model, block.u_x, block.u_y)
    contact["committed_x"] = block.u_x
    contact["committed_y"] = block.u_y
    contact["step_x"] = du_x
    contact["step_y"] = du_y


@kernel
def _remembered_paths(filters: Filters, model: Model, block: Block) -> None:
    """Advance the path of the filters that follow Masing's rule."""
    count = model.exponents.size
    if model.local == count:
        return
    move(filters, filters.moved_play, model, block.u_x, block.u_y)
    masing_path(filters, model, filters.moved_play, block.u_x, block.u_y, filters.path)
    contact = filters.contact[0]
    for axis in range(model.axes):
        for i in range(contact["first"], contact["last"]):
            for n in range(i * count + model.local, (i + 1) * count):
                filters.path[axis, n] -= filters.origin_path[axis, n]


@kernel
def _rule_out_held(filters: Filters, model: Model, load: float, s_u: float) -> None:
    """Lower the weight of every mu below a held load (study 7.4)."""
    shapes = model.exponents.size
    for i in range(filters.contact[0]["first"], filters.contact[0]["last"]):
        excess = load - HELD * model.mu[i]
        if excess <= 0.0:
            return
        penalty = (
            0.5 * excess * excess / (s_u * s_u + (HELD_SOFTNESS * model.mu[i]) ** 2)
        )
        for n in range(i * shapes, (i + 1) * shapes):
            filters.log_weight[n] -= penalty
