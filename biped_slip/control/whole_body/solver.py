# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Solves the whole-body program: daqp, a dual active-set solver [Arnstrom2022]."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.control.whole_body.program import Program
from biped_slip.errors import MissingExtra

try:
    import daqp
except ImportError as error:
    raise MissingExtra("a humanoid's whole-body controller", "humanoids") from error


class Solution(NamedTuple):
    """Answer of the solver."""

    x: Array
    solved: bool
    softened: bool  # the torque limits had to give way
    multipliers: Array  # of the rows


def solve(program: Program) -> Solution:
    """Solve a program; ``solved`` is false where no force inside the cones holds the robot."""
    x, _, flag, info = daqp.solve(
        program.hessian, program.gradient, program.rows, program.upper, program.lower, program.kind
    )
    return Solution(np.asarray(x), flag in (1, 2), flag == 2, np.asarray(info["lam"]))
