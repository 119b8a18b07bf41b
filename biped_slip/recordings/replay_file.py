# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One call from a recording's file to its answer, whatever its format."""

from __future__ import annotations

from pathlib import Path

from biped_slip.friction_estimation.registry import DEFAULT
from biped_slip.recordings.answers import Answer, answer
from biped_slip.recordings.bag_answer import answer_bag
from biped_slip.recordings.gait import Overrides
from biped_slip.recordings.read import read_recording
from biped_slip.recordings.registry import BAG, recording_format
from biped_slip.recordings.tables import Progress


def replay_file(
    path: str | Path,
    config: str | Path | None = None,
    estimator: str = DEFAULT,
    overrides: Overrides | None = None,
    progress: Progress | None = None,
    kind: str = "",
) -> Answer:
    """Run a friction estimator over every foot of a recording.

    Args:
        path: C3D, OpenSim, a table, a bag, or a format from outside.
        config: YAML that names the columns of a table or the topics of a bag.
        estimator: name, or ``FILE.py:NAME``.
        overrides: axes of plates that the user knows better.
        progress: told how many rows or messages have been read.
        kind: name of the format, where the file does not tell it.

    Raises:
        BipedSlipError: one sentence on what can't be used and why.
    """
    kind = kind or recording_format(path)
    if kind == BAG:
        return answer_bag(path, config, estimator, progress)
    return answer(read_recording(path, config, overrides, progress, kind), estimator)
