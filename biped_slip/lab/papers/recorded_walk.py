# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A person's walk over force plates, as the curves that Bruneau's figures 14 and 15 compare with (B.3)."""

from __future__ import annotations

import math
from pathlib import Path

from biped_slip.errors import InvalidRecording
from biped_slip.lab.papers.force_curve import StanceCurves, joined, stance_curves
from biped_slip.recordings.contacts import contact_level, stances, usual_load
from biped_slip.recordings.gait import Overrides
from biped_slip.recordings.read import read_recording
from biped_slip.recordings.stance_summary import body_weight

CONTACT = 0.1  # of the usual load: a contact for weighing the person


def recorded_walk(path: str | Path) -> StanceCurves:
    """All whole stances of a recording, in its body weights.

    Raises:
        InvalidRecording: the weight can't be found, or there is no whole stance.
    """
    series = read_recording(path, None, Overrides()).series
    feet = [
        (foot, stances(foot.force[:, 2], contact_level(usual_load(foot.force[:, 2]), CONTACT, foot.force_noise)))
        for foot in series
    ]
    weight, words = body_weight(feet)
    if not math.isfinite(weight):
        raise InvalidRecording(path, f"has no body weight ({words})")
    found = joined([stance_curves(foot.time, foot.force[:, 2], foot.force[:, 0], weight) for foot in series])
    if not found.humps:
        raise InvalidRecording(path, "has no whole stance")
    return found
