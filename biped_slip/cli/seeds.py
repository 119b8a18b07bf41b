# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Seeds of a campaign as its command line says them."""

from __future__ import annotations

import argparse

from biped_slip.errors import InvalidParameter


def chosen_seeds(arguments: argparse.Namespace, usual: int) -> range:
    """So many seeds as ``--seeds`` says, ``usual`` without it, from ``--first-seed`` on.

    Raises:
        InvalidParameter: fewer than one.
    """
    count = usual if arguments.seeds is None else arguments.seeds
    if count < 1:
        raise InvalidParameter("--seeds", count, "at least 1")
    return range(arguments.first_seed, arguments.first_seed + count)
