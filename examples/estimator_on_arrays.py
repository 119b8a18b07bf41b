# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Friction from NumPy arrays.

It prints what is known of the floor before the foot slides, and after.

Forces are those of the ground on the foot, motion is that of the foot: a foot dragged
forward feels a negative force.
"""

import numpy as np

import biped_slip as bs

# of the floor, and of the foot [N]
MU = 0.4
LOAD = 700.0
rng = np.random.default_rng(1)
time = np.arange(0.0, 3.0, 1e-3)
load = np.where((time > 0.5) & (time < 2.5), LOAD, 0.0)
drag = np.clip(400.0 * (time - 0.6), 0.0, MU * LOAD) * (load > 0.0)
# it creeps before it slides
moved = -1e-4 * np.log1p(-np.minimum(drag / (MU * LOAD), 0.999))
moved += 0.05 * np.maximum(time - 1.35, 0.0)

table = bs.estimate_friction(
    {
        "time": time,
        "force_x": -drag + rng.normal(0.0, 1.0, len(time)),
        "force_normal": load,
        "displacement_x": moved + rng.normal(0.0, 1e-6, len(time)),
    }
)
for moment in (0.7, 1.0, 1.25, 2.0):
    i = int(np.searchsorted(time, moment))
    state = bs.EstimateState(table["state_code"][i]).name.lower().replace("_", " ")
    low = table["mu_low"][i]
    high = table["mu_high"][i]
    print(
        f"{moment:.2f} s: {state}, ratio {table['force_ratio'][i]:.3f}, mu in "
        f"[{low:.3f}, {high:.3f}]"
    )
