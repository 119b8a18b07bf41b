# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Source of a bag's feet: their own topics, or a robot's model."""

from __future__ import annotations

from biped_slip.recordings.bag_feet import BagLayout, SampleSource, TopicSource
from biped_slip.recordings.bags import Bag


def sample_source(bag: Bag, layout: BagLayout) -> SampleSource:
    """Choose the source of a bag's feet: their own topics, or a robot's model."""
    if layout.robot is None:
        return TopicSource(bag, layout)
    # only robots need their model's libraries
    from biped_slip.recordings.bag_robot import RobotSource

    return RobotSource(bag, layout.robot)
