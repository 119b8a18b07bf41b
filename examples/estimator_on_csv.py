# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Friction from a CSV file.

Name its columns in a small YAML, replay it, print every stance and draw the first foot.

python examples/estimator_on_csv.py [RECORDING.csv LAYOUT.yaml]; without arguments a
file made here.
"""

import sys
from pathlib import Path

import numpy as np

import biped_slip as bs

LAYOUT = """
source: a foot that is pulled until it slides
layouts:
  - name: pull
    feet:
      - name: foot
        time: {column: t, unit: s}
        normal: {column: load, unit: N}
        # the pull; the ground's force on the foot opposes it
        force_x: {column: pull, unit: N, sign: -1}
        position_x: {column: travel, unit: mm}
"""

recording, layout = sys.argv[1:3] if len(sys.argv) > 2 else ("pull.csv", "pull.yaml")
if len(sys.argv) <= 2:
    t = np.arange(0.0, 2.0, 1e-3)
    pull = np.minimum(400.0 * t, 280.0)  # it slides at 0.4 of its load of 700 N
    travel = -0.1 * np.log1p(-np.minimum(pull / 280.0, 0.999)) + 50.0 * np.maximum(
        t - 0.7, 0.0
    )
    rows = [t, np.full(len(t), 700.0), pull, travel]
    np.savetxt(
        recording,
        np.transpose(rows),
        delimiter=",",
        header="t,load,pull,travel",
        comments="",
    )
    Path(layout).write_text(LAYOUT, encoding="utf-8")

answer = bs.replay_file(recording, layout)
for contact in answer.contacts:
    print(
        f"{contact.foot}: {contact.start:.2f} to {contact.end:.2f} s, mu in "
        f"[{contact.mu_low}, {contact.mu_high}]"
    )
bs.save_figure(bs.replay_figure(answer.feet[0]), "replay.png")
