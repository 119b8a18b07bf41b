# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whether the residuals are what the noise says: surprise forgets the floor, correlation takes weight from evidence.

Watched is the innovation e of the reference filter in its own sd. The sensors' bounds make it smaller than 1 and a
little correlated where all is as told. Two questions are asked of it, and one of the motion itself.

- Is there suddenly too much of it (Page's cumulative sum of e^2)? Then the contact is no longer what it was: another
  floor, a foot that shifted, a sensor that failed. What was known of this floor is forgotten.
- Does the motion run with the load? Every contact moves the way it is pushed; one that does not has a turned sign.
- Is evidence counted more than once? The variance of a sum of innovations over that of independent ones,
  e^2 (1 + r)/(1 - r) with r their correlation from block to block, divides the weight of all evidence when above what
  is usual.
"""

from __future__ import annotations

import math

from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation.interval.types import IMU, VELOCITY, Block, Filters, Model

ALLOWED = 4.0  # e^2 that adds no surprise (choice: a model that fits badly makes residuals last, not jump)
SURPRISE = 25.0  # beyond which the contact is no longer what it was (choice)
LARGEST = 16.0  # of one e^2: a single spike is no other floor
FEWEST = 10  # blocks before the correlation is trusted
CORRELATED = 0.9  # largest correlation that is counted
USUAL = 2.0  # of what is asked second, that bounds and slack of the model explain where all is as told (choice)
OPPOSED_SIGMAS = 4.0  # of what noise adds to the motion along the load, beyond which its sign is known (choice)
OPPOSED_SHARE = 0.3  # of all motion, that must run against the load (choice: creep and rolling oppose for a while)


@kernel
def begin(filters: Filters) -> None:
    """Nothing was watched yet."""
    contact = filters.contact[0]
    contact["surprise"] = contact["watched"] = contact["energy"] = contact["product"] = 0.0
    contact["before_x"] = contact["before_y"] = 0.0


@kernel
def note(filters: Filters, model: Model) -> bool:
    """Take the innovations of an update; returns whether the contact is no longer what it was."""
    contact = filters.contact[0]
    x, y = contact["innovation_x"], contact["innovation_y"] if model.axes == 2 else 0.0
    square = (x * x + y * y) / model.axes
    contact["watched"] += 1.0
    contact["energy"] += square
    contact["product"] += (x * contact["before_x"] + y * contact["before_y"]) / model.axes
    contact["before_x"], contact["before_y"] = x, y
    contact["surprise"] = max(contact["surprise"] + min(square, LARGEST) - ALLOWED, 0.0)
    return contact["surprise"] > SURPRISE


@kernel
def overcounting(filters: Filters) -> float:
    """How many times evidence counts too much; 1 where it doesn't."""
    contact = filters.contact[0]
    if contact["watched"] < FEWEST or contact["energy"] <= 0.0:
        return 1.0
    correlation = min(max(contact["product"] / contact["energy"], 0.0), CORRELATED)
    found = contact["energy"] / contact["watched"] * (1.0 + correlation) / (1.0 - correlation)
    return max(found / USUAL, 1.0)


@kernel
def nothing_moved(filters: Filters) -> None:
    """A contact of which no motion was seen."""
    contact = filters.contact[0]
    contact["along"] = contact["across"] = contact["pulled"] = 0.0


@kernel
def begin_motion(filters: Filters, block: Block) -> None:
    """Motion counts from here."""
    contact = filters.contact[0]
    contact["last_u_x"], contact["last_u_y"] = block.u_x, block.u_y
    contact["last_x"], contact["last_y"] = block.x, block.y


@kernel
def compare_motion(filters: Filters, block: Block) -> None:
    """Take the motion of a block and the change of its load; a jump is a slide or a spike and has no sign."""
    contact = filters.contact[0]
    if contact["innovation_x"] ** 2 + contact["innovation_y"] ** 2 > LARGEST:
        begin_motion(filters, block)
        return
    du_x, du_y = block.u_x - contact["last_u_x"], block.u_y - contact["last_u_y"]
    dx, dy = block.x - contact["last_x"], block.y - contact["last_y"]
    contact["along"] += dx * du_x + dy * du_y
    contact["across"] += math.hypot(dx, dy) * math.hypot(du_x, du_y)
    contact["pulled"] += du_x * du_x + du_y * du_y
    begin_motion(filters, block)


@kernel
def opposed(filters: Filters, model: Model, samples: int, duration: float) -> bool:
    """Whether the motion of this contact surely runs against its load; of an IMU's, which drifts, nobody can say.

    Args:
        samples, duration: of a block [-], [s].
    """
    if model.kind == IMU:
        return False
    contact = filters.contact[0]
    sigma = math.hypot(model.sigma / math.sqrt(samples), model.quantisation / math.sqrt(12.0))
    if model.kind == VELOCITY:
        sigma = model.sigma * duration / math.sqrt(samples)
    against = -contact["along"]
    return against > 2.0 * OPPOSED_SIGMAS * sigma * math.sqrt(contact["pulled"]) and (
        against > OPPOSED_SHARE * contact["across"]
    )
