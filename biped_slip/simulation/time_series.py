# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The time series of a walk for other programs: CSV, Parquet, or NumPy's .npz.

An array with further axes becomes one column a number, whose name says the place:
``normal_left``, ``estimates_right_mu_low``, ``q_0``.
"""

from __future__ import annotations

import csv
from itertools import product
from pathlib import Path
from typing import Any, Mapping

import numpy as np

from biped_slip.constants import FEET
from biped_slip.errors import InvalidParameter, MissingExtra
from biped_slip.friction_estimation.types import FrictionEstimate

SPACE_AXES = ("x", "y", "z")
TWIST = (*SPACE_AXES, *(f"about_{axis}" for axis in SPACE_AXES))
NAMED: dict[
    str, tuple[tuple[str, ...], ...]
] = {  # what the further axes of an array are called
    "estimates": (FEET, FrictionEstimate._fields),
    "sole_position": (FEET, SPACE_AXES),
    "sole_velocity": (FEET, TWIST),
    "sole_rotation": (FEET, SPACE_AXES, SPACE_AXES),
    "wrench": (FEET, TWIST),
}
BY_FOOT = (
    "foot_x",
    "foot_z",
    "foot_vx",
    "normal",
    "tangential",
    "mu_true",
    "mu",
    "wanted_ratio",
    "limit",
)
TABLE_ENDINGS = (".csv", ".parquet", ".npz")


def columns(arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Split into one column (ticks,) a number.

    Columns have names such as ``normal_left``, ``estimates_right_mu_low`` or ``q_0``.

    Args:
        arrays: of a log, ticks on their first axis, :meth:`Log.filled`.
    """
    found: dict[str, Any] = {}
    for name, array in arrays.items():
        rows = np.asarray(array)
        if rows.ndim == 1:
            found[name] = rows
            continue
        usual = (
            (FEET,)
            if name in BY_FOOT
            else tuple(tuple(map(str, range(n))) for n in rows.shape[1:])
        )
        for place, words in zip(
            np.ndindex(rows.shape[1:]), product(*NAMED.get(name, usual)), strict=True
        ):
            found["_".join((name, *words))] = np.moveaxis(rows, 0, -1)[place]
    return found


def write_series(path: str | Path, arrays: Mapping[str, Any]) -> None:
    """Write the arrays of a log as CSV, Parquet or NumPy archive, by the file's ending.

    Raises:
        InvalidParameter: an unknown ending.
        MissingExtra: Parquet without pyarrow.
    """
    target = Path(path)
    ending = Path(path).suffix
    if ending not in TABLE_ENDINGS:
        raise InvalidParameter(
            "time series", str(path), f"a file that ends in {', '.join(TABLE_ENDINGS)}"
        )
    if ending == ".npz":
        np.savez_compressed(target, **arrays)
    elif ending == ".parquet":
        write_table(target, columns(arrays))
    else:
        table = columns(arrays)
        with target.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(table)
            writer.writerows(
                zip(*(column.tolist() for column in table.values()), strict=True)
            )


def write_table(path: Path, table: Any) -> None:
    """Write a table as Parquet, from its columns by name or from a list of its rows.

    Raises:
        MissingExtra: without pyarrow.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtra("a table in Parquet", "campaigns") from error
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = isinstance(table, list)
    parquet.write_table(
        pyarrow.Table.from_pylist(table) if rows else pyarrow.table(table), path
    )
