# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A walk of two feet as arrays of wrenches, as a bag and as a table."""

import numpy as np

from biped_slip.recordings.messages import WRENCH, TimedMessage, write_bag

BAG_RATE = 100.0
BEGIN = 10.0  # [s] of the first stamp
STEP = 0.55  # [s] between touchdowns
STANCE = 0.64  # [s]
SHEAR = 0.2  # largest ratio of a step


def walking(steps=4, weight=500.0, offset=(0.0,) * 6, rest=0.3):
    """Wrenches (n, 6) of left and right foot, which step in turn."""
    time = np.arange(round((2 * rest + STEP * steps + STANCE) * BAG_RATE)) / BAG_RATE
    feet = {}
    for number, foot in enumerate(("left", "right")):
        wrench = np.zeros((len(time), 6)) + np.asarray(offset)
        for step in range(number, steps, 2):
            share = np.clip((time - rest - STEP * step) / STANCE, 0.0, 1.0)
            normal = weight * np.sin(np.pi * share) ** 0.3
            wrench[:, 2] += normal
            wrench[:, 0] -= SHEAR * normal * np.cos(np.pi * share)
        feet[foot] = wrench
    return feet


def wrench_bag(path, feet, topics=None):
    """Write wrenches as a bag; ``topics`` are l_foot/wrench and r_foot/wrench."""
    topics = topics or {"left": "/l_foot/wrench", "right": "/r_foot/wrench"}

    def messages():
        for sample in range(len(next(iter(feet.values())))):
            stamp = round(1e9 * (BEGIN + sample / BAG_RATE))
            for foot, wrench in feet.items():
                yield TimedMessage(
                    stamp_ns=stamp,
                    topic=topics.get(foot, foot),
                    kind=WRENCH,
                    frame="sole",
                    values=tuple(wrench[sample]),
                )

    write_bag(path, messages())
    return path


def table_of(folder, feet, processing="{}"):
    """Write the forces as a CSV with its layout; return both paths."""
    names = [f"{foot}_f{axis}" for foot in feet for axis in "xyz"]
    count = len(next(iter(feet.values())))
    time = np.arange(count) / BAG_RATE
    rows = np.column_stack([time, *(wrench[:, :3] for wrench in feet.values())])
    lines = [",".join(["time", *names])]
    lines += [",".join(f"{cell:.9g}" for cell in row) for row in rows]
    (folder / "table.csv").write_text("\n".join(lines) + "\n")
    (folder / "table.yaml").write_text(layout_text(feet, processing))
    return folder / "table.csv", folder / "table.yaml"


def layout_text(feet, processing="{}", more="", name="{foot}_f{axis}"):
    """Make the layout of such a table; ``more`` are further keys of it."""
    text = f"layouts:\n  - name: walk\n{more}    feet:\n"
    for foot in feet:
        text += f"      - name: {foot}\n        time: {{column: time, unit: s}}\n"
        for quantity, axis in (("force_x", "x"), ("force_y", "y"), ("normal", "z")):
            column = name.format(foot=foot, axis=axis)
            text += f"        {quantity}: {{column: {column}, unit: N}}\n"
    return text + f"    processing: {processing}\n"
