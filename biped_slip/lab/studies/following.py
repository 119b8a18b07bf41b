# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Run the interval estimator's core over a batch of observed stances, block by block, from 60 ms on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation.interval import filters as grid
from biped_slip.friction_estimation.interval.config import IntervalConfig
from biped_slip.friction_estimation.interval.foot import LIGHT_SHARE
from biped_slip.friction_estimation.interval.masing import forget_load
from biped_slip.friction_estimation.interval.model import build, sole_prior
from biped_slip.friction_estimation.interval.noise import ratio_sigma
from biped_slip.friction_estimation.interval.readout import read_out
from biped_slip.friction_estimation.interval.recursion import update
from biped_slip.friction_estimation.interval.types import Block, Filters, Model, SolePrior
from biped_slip.lab.studies.sensing import Observed
from biped_slip.lab.studies.stances import PERIOD, SAMPLES

START = 60  # samples after contact (study 2)
WIDTH = 5  # samples a block (study 7)
BODY_WEIGHT = 1000.0 / 3.0  # [N]: the study's compliance prior is 1 mm per 100 N
LIGHT = 0.2 * LIGHT_SHARE * BODY_WEIGHT  # [N] from which load is remembered
BLOCKS = (SAMPLES - START) // WIDTH


class Course(NamedTuple):
    """Answers after every block, shape (stances, blocks); NaN after the stance has ended."""

    low: Array
    q05: Array
    median: Array
    q95: Array
    high: Array
    released: Array
    usable: Array
    witnessed: Array
    s_p: Array  # mean [mm]
    s_p_sd: Array  # [mm]

    @staticmethod
    def sample(block: int) -> int:
        """Sample at whose end a block's answer exists."""
        return START + WIDTH * (block + 1) - 1


def follow(observed: Observed, length: Array, config: IntervalConfig) -> Course:
    """Run the core over every stance."""
    model, sole = build(config, BODY_WEIGHT), sole_prior(config.sole, BODY_WEIGHT)
    filters = grid.new_filters(model)
    answers = np.full((length.size, BLOCKS, len(Course._fields)), np.nan)
    ratio = observed.ratio
    for stance in range(length.size):
        follow_stance(
            filters, model, sole, ratio[stance], observed.force[stance], observed.normal[stance],
            observed.displacement[stance], length[stance], answers[stance],
        )  # fmt: skip
    return Course(*np.moveaxis(answers, -1, 0))


@kernel
def follow_stance(
    filters: Filters,
    model: Model,
    sole: SolePrior,
    ratio: Array,
    force: Array,
    normal: Array,
    displacement: Array,
    length: int,
    answers: Array,
) -> None:
    """One stance; fills ``answers`` (blocks, fields of an Interval)."""
    for index in range((length - START) // WIDTH):
        first = START + WIDTH * index
        block = mean_block(ratio, force, normal, displacement, first)
        forgotten = index > 0 and update(filters, model, block)
        if forgotten:
            forget_load(filters)
            grid.start(filters, model, sole, block)
        if index == 0:
            forget_load(filters)
            grid.touch_down(filters, model)
            for k in range(START):
                if normal[k] > LIGHT:
                    grid.settle(filters, model, ratio[k, 0], ratio[k, 1], normal[k])
            grid.start(filters, model, sole, block)
        answer = read_out(filters, model, ratio_sigma(model, block))
        row = answers[index]
        row[0], row[1], row[2], row[3], row[4] = answer.low, answer.q05, answer.median, answer.q95, answer.high
        row[5], row[6], row[7] = answer.released, answer.usable, answer.witnessed
        row[8], row[9] = answer.s_p, answer.s_p_sd


@kernel
def mean_block(ratio: Array, force: Array, normal: Array, displacement: Array, first: int) -> Block:
    """Means of one block; lengths become mm."""
    u_x = u_y = x = y = force_x = force_y = force_normal = 0.0
    for k in range(first, first + WIDTH):
        u_x += ratio[k, 0] / WIDTH
        u_y += ratio[k, 1] / WIDTH
        x += 1e3 * displacement[k, 0] / WIDTH
        y += 1e3 * displacement[k, 1] / WIDTH
        force_x += force[k, 0] / WIDTH
        force_y += force[k, 1] / WIDTH
        force_normal += normal[k] / WIDTH
    return Block(u_x, u_y, x, y, force_x, force_y, force_normal, WIDTH, WIDTH * PERIOD, 1)
