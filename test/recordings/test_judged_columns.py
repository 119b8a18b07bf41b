# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Every column of every reader of recordings is judged, or listed with its reason."""

import contextlib

import numpy as np
import pytest

from biped_slip.errors import InvalidRecording
from biped_slip.recordings.gait import Overrides
from biped_slip.recordings.layout import FACTORS, QUANTITIES
from biped_slip.recordings.registry import read_recording
from biped_slip.recordings.replay import answer
from biped_slip.recordings.series import MOST_BY_QUANTITY, Motion, TimeSeries

SAMPLES = 400
RATE = 100.0
#: What may say anything, and why.
UNJUDGED = {
    "acceleration_x": "integrated only where it comes back to zero from rest to rest",
    "acceleration_y": "likewise",
    "acceleration_z": "not integrated: the foot stands on the floor",
}
#: Arrays of a series, of which tables, bags, C3D and OpenSim files alike are made.
SERIES_UNJUDGED = {
    "pressure": "noise over noise where nothing presses; only loaded samples place a "
    "foot",
    "outline": "corners of the plate, not measured by the foot",
    "rotation": "of the laboratory, not measured by the foot",
    "stamp_ns": "rows whose time does not increase are dropped and counted",
}


def sound(quantity):
    """Three loaded seconds of four: a sound number of every sample."""
    time = np.arange(SAMPLES) / RATE
    load = 300.0 * (time % 1.0 < 0.75)
    if quantity == "time":
        return time
    return (
        load
        if quantity == "normal"
        else 0.1 * load
        if QUANTITIES[quantity] == "force"
        else 1e-3 * np.sin(time)
    )


def written(folder, motion, spoilt="", wrong=0.0):
    """Write a table of all quantities with one source of motion, one number of it
    wrong, and its layout."""
    names = [
        name
        for name, kind in QUANTITIES.items()
        if kind in ("time", "force", "moment", "angular_rate", motion)
    ]
    columns = {name: sound(name).copy() for name in names}
    if spoilt:
        columns[spoilt][SAMPLES // 2] = wrong
    rows = (
        ",".join(repr(float(columns[name][k])) for name in names)
        for k in range(SAMPLES)
    )
    feet = "".join(
        f"        {name}: {{column: {name}, unit: "
        f"{next(iter(FACTORS[QUANTITIES[name]]))}}}\n"
        for name in names
    )
    table = folder / "table.csv"
    layout = folder / "table.yaml"
    table.write_text(",".join(names) + "\n" + "\n".join(rows) + "\n")
    layout.write_text(
        f"source: test\nlayouts:\n  - name: one\n    feet:\n      - name: foot\n{feet}"
    )
    return table, layout


@pytest.mark.parametrize("quantity", list(QUANTITIES))
def test_every_column_of_a_table_is_judged_or_listed_with_the_reason(
    tmp_path, quantity
):
    kind = QUANTITIES[quantity]
    motion = kind if kind in ("velocity", "acceleration") else "position"
    read_recording(*written(tmp_path, motion), Overrides())
    passed = set()
    for wrong in (-1e300, 1e12):
        with contextlib.suppress(InvalidRecording):
            read_recording(*written(tmp_path, motion, quantity, wrong), Overrides())
            passed.add(wrong)
    assert bool(passed) == (quantity in UNJUDGED), passed


@pytest.mark.parametrize("wrong", ["nan", "inf", "-inf"])
@pytest.mark.parametrize(
    "quantity", [name for name in QUANTITIES if name.endswith(("x", "normal"))]
)
def test_a_cell_that_is_not_finite_is_not_measured(tmp_path, quantity, wrong):
    motion = (
        QUANTITIES[quantity]
        if QUANTITIES[quantity] in ("velocity", "acceleration")
        else "position"
    )
    result = answer(
        read_recording(*written(tmp_path, motion, quantity, float(wrong)), Overrides()),
        "slip",
    )
    assert result is not None


@pytest.mark.parametrize("field", sorted({*TimeSeries.__dataclass_fields__}))
def test_every_array_of_a_series_is_judged_or_listed_with_the_reason(field):
    arrays = {
        "force": 3,
        "moment": 3,
        "displacement": 2,
        "velocity": 2,
        "angular_rate": 3,
    }
    sound_ones = {name: np.ones((3, width)) for name, width in arrays.items()}
    series = TimeSeries("foot", np.arange(3), **sound_ones, motion=Motion())
    if not isinstance(getattr(series, field), np.ndarray):
        return
    assert (field in MOST_BY_QUANTITY) != (field in SERIES_UNJUDGED)
    if field in MOST_BY_QUANTITY:
        # what is not finite is counted as not measured instead
        for wrong in (
            -1e300,
            1.1 * MOST_BY_QUANTITY[field],
        ):
            spoilt = sound_ones[field].copy()
            spoilt[1, -1] = wrong
            with pytest.raises(
                InvalidRecording, match=f"{field.replace('_', ' ')} of .* in sample 2"
            ):
                TimeSeries("foot", np.arange(3), **{**sound_ones, field: spoilt})
