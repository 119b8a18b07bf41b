# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The recursion: every filter sees every block, with the same noise (study 7.1–7.4)."""

from __future__ import annotations

import math

from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation.interval.kalman import drift, foresee, observe, weigh_volume
from biped_slip.friction_estimation.interval.masing import follow_load, masing_path, move
from biped_slip.friction_estimation.interval.noise import (
    observation_variance,
    ratio_noise,
    ratio_offset,
    ratio_sigma,
    turning_sigma,
)
from biped_slip.friction_estimation.interval.path import add_path
from biped_slip.friction_estimation.interval.types import Block, Filters, Model, living
from biped_slip.friction_estimation.interval.watch import compare_motion, note

COMMIT_SIGMAS = 4.0  # hysteresis of the path, in sd of the force ratio (study 7.1)
HELD = 0.995  # |u| above this share of mu speaks against a node (study 7.4)
HELD_SOFTNESS = 0.003  # (study 7.4)
WITNESS_SIGMAS = 3.0  # (study 7.6)
MERGE_NOISE = 0.015  # noise of the force ratio, in mu, above which blocks are merged first (choice)
MERGE_LARGEST = 4  # blocks merged at most: 20 ms (choice)


@kernel
def update(filters: Filters, model: Model, block: Block) -> bool:
    """Take one block; returns whether the contact is no longer what it was.

    The path is not linear in the force ratio: noise that is large against mu bends it. Such blocks are averaged up
    to 20 ms before the filters see them; with exact force sensors nothing is merged. What the block held is
    witnessed at once.
    """
    contact, pending = filters.contact[0], filters.pending
    load = math.hypot(block.u_x, block.u_y)
    if load > contact["load"]:
        contact["load"] = load
        contact["shift"] = ratio_offset(model, block)
    _witness(filters, model, block, load)
    pending[0] += block.u_x
    pending[1] += block.u_y
    pending[2] += block.x
    pending[3] += block.y
    pending[4] += block.force_x
    pending[5] += block.force_y
    pending[6] += block.force_normal
    pending[7] += block.samples
    pending[8] += block.duration
    pending[9] += 1.0
    n = pending[9]
    merged = Block(pending[0] / n, pending[1] / n, pending[2] / n, pending[3] / n, pending[4] / n, pending[5] / n,
                   pending[6] / n, int(pending[7]), pending[8], int(n))  # fmt: skip
    if ratio_noise(model, merged) > MERGE_NOISE * contact["median"] and n < MERGE_LARGEST:
        return False
    pending[:] = 0.0
    _advance(filters, model, merged)
    return note(filters, model)


@kernel
def _witness(filters: Filters, model: Model, block: Block, load: float) -> None:
    """What the foot held throughout the last blocks is a lower bound of mu, whatever the model."""
    contact, recent = filters.contact[0], filters.recent
    doubt = WITNESS_SIGMAS * ratio_noise(model, block) * math.hypot(1.0, load) + ratio_offset(model, block)
    recent[contact["blocks"] % recent.size] = load - doubt
    contact["blocks"] += 1
    if contact["blocks"] >= recent.size:
        contact["witnessed"] = max(contact["witnessed"], recent.min())


@kernel
def _advance(filters: Filters, model: Model, block: Block) -> None:
    contact = filters.contact[0]
    s_u, reference = ratio_sigma(model, block), contact["reference"]
    before_x, before_y = filters.path[0, reference], filters.path[1, reference]
    _advance_paths(filters, model, block, s_u)
    moved = math.hypot(filters.path[0, reference] - before_x, filters.path[1, reference] - before_y)
    noise = observation_variance(filters, model, block, s_u, moved)
    drift(filters, model, block)
    force_x, force_y = block.force_x - contact["force_origin_x"], block.force_y - contact["force_origin_y"]
    _watch(filters, model, block, force_x / 100.0, force_y / 100.0, noise)
    compare_motion(filters, block)
    observe(filters, model, 0, block.x - contact["origin_x"], force_x / 100.0, noise)
    if model.axes == 2:
        observe(filters, model, 1, block.y - contact["origin_y"], force_y / 100.0, noise)
    weigh_volume(filters, model)
    _rule_out_held(filters, model, math.hypot(block.u_x, block.u_y), s_u)


@kernel
def _watch(filters: Filters, model: Model, block: Block, force_x: float, force_y: float, noise: float) -> None:
    """Keep the innovation of the reference filter, in its sd, the same for both axes: it turns with everything."""
    contact = filters.contact[0]
    x, variance = foresee(filters, model, 0, block.x - contact["origin_x"], force_x)
    y = 0.0
    if model.axes == 2:
        y, other = foresee(filters, model, 1, block.y - contact["origin_y"], force_y)
        variance = 0.5 * (variance + other)
    sd = math.sqrt(variance + noise)
    contact["innovation_x"], contact["innovation_y"] = x / sd, y / sd


@kernel
def _advance_paths(filters: Filters, model: Model, block: Block, s_u: float) -> None:
    """Study 7.1: path of every node; committed only beyond the hysteresis, lest noise lengthen it.

    Where the force turns, the hysteresis leaves a constant error, which the offset must be free to take up.
    """
    contact = filters.contact[0]
    from_x, from_y = contact["committed_x"], contact["committed_y"]
    du_x, du_y = block.u_x - from_x, block.u_y - from_y
    first, last = living(filters, model)
    for axis in range(model.axes):
        for n in range(first, last):
            filters.rate[axis, n] = -filters.path[axis, n] / block.duration
            filters.path[axis, n] = filters.committed_path[axis, n]
    if (du_x != 0.0 or du_y != 0.0) and model.local > 0:
        exponents = model.exponents[: model.local]
        for i in range(contact["first"], contact["last"]):
            add_path(from_x, from_y, du_x, du_y, model.mu[i], exponents, i * model.exponents.size, filters.path)
    _remembered_paths(filters, model, block)
    for axis in range(model.axes):
        for n in range(first, last):
            filters.rate[axis, n] += filters.path[axis, n] / block.duration
    if math.hypot(du_x, du_y) > COMMIT_SIGMAS * s_u:
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
    """Path of the filters that follow Masing's rule."""
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
    """A load that is held speaks against every mu below it (study 7.4)."""
    shapes = model.exponents.size
    for i in range(filters.contact[0]["first"], filters.contact[0]["last"]):
        excess = load - HELD * model.mu[i]
        if excess <= 0.0:
            return
        penalty = 0.5 * excess * excess / (s_u * s_u + (HELD_SOFTNESS * model.mu[i]) ** 2)
        for n in range(i * shapes, (i + 1) * shapes):
            filters.log_weight[n] -= penalty
