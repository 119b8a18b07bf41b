# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a recording plays for each foot, and what its estimator is told: the same as in a replay without topics."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from biped_slip.errors import BipedSlipError
from biped_slip.friction_estimation.registry import EstimatorSettings
from biped_slip.recordings.bag_answer import sample_source
from biped_slip.recordings.bag_layout import BagFoot, bag_layout
from biped_slip.recordings.bag_series import Survey
from biped_slip.recordings.bags import Bag
from biped_slip.recordings.gait import Overrides
from biped_slip.recordings.messages import foot_prefix, moves
from biped_slip.recordings.read import read_recording
from biped_slip.recordings.registry import recording_format
from biped_slip.recordings.replay import series_settings


class LiveFoot(NamedTuple):
    """One foot on topics."""

    topics: BagFoot
    settings: EstimatorSettings
    planar: bool  # only the x direction is known


def live_feet(path: str | Path, config: str | Path | None = None, overrides: Overrides | None = None) -> list[LiveFoot]:
    """The feet of a recording as a player publishes them.

    Args:
        path: recording of any format; a bag is walked through once, for its loads.
        config: YAML of a table or a bag.
        overrides: axes of plates that the user knows better.

    Raises:
        BipedSlipError: one sentence on what can't be used and why.
    """
    if recording_format(path) == "bag":
        bag = Bag(path)
        layout = bag_layout(bag, config)
        if not layout.feet:
            raise BipedSlipError(f"{config}: names a robot, not feet; use the friction_estimator node")
        source = sample_source(bag, layout)
        survey = Survey(source)
        settings = survey.settings(source, layout.processing)
        return [LiveFoot(*foot) for foot in zip(layout.feet, settings, survey.planar, strict=True)]
    recording = read_recording(path, config, overrides or Overrides())
    feet = []
    for one in recording.series:
        prefix = f"/{foot_prefix(one)}"
        topics = BagFoot(one.name, f"{prefix}/wrench", motion=f"{prefix}/odom" if moves(one) else "")
        feet.append(LiveFoot(topics, series_settings(one, recording.processing), one.planar))
    return feet
