# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Source of a bag's feet: their own topics, or a robot's model."""

from __future__ import annotations

import numpy as np

from biped_slip.recordings.bag_feet import BagLayout, SampleSource, TopicSource
from biped_slip.recordings.bags import Bag
from biped_slip.recordings.judge.stances import ContactLevels, stances
from biped_slip.recordings.series import Stance, Standing, TimeSeries
from biped_slip.walking.stances import steps_of


def sample_source(bag: Bag, layout: BagLayout) -> SampleSource:
    """Choose the source of a bag's feet: their own topics, or a robot's model."""
    # only robots need their model's libraries
    if layout.robot is not None:
        from biped_slip.recordings.bag_robot import RobotSource

        return RobotSource(bag, layout.robot)
    if layout.humanoid is not None and layout.humanoid.by_currents:
        from biped_slip.recordings.bag_currents import CurrentFeet

        return CurrentFeet(bag, layout.humanoid)
    if layout.humanoid is not None:
        from biped_slip.recordings.bag_humanoid import HumanoidFeet

        return HumanoidFeet(bag, layout.humanoid)
    return TopicSource(bag, layout)


def robot_standings(
    series: TimeSeries, source: SampleSource, levels: ContactLevels
) -> tuple[Standing, ...] | None:
    """Find the stances of a robot's foot as its walk counts them; None of others.

    Args:
        series: of the foot.
        source: of its samples.
        levels: of contact.
    """
    if source.bridged == 0.0:
        return None
    found = stances(series.force[:, 2], levels.begins)
    period = float(np.median(np.diff(series.stamp_ns))) * 1e-9
    steps = steps_of(found, period, source.bridged)
    return tuple(Standing(Stance(*step), series.name) for step in steps)
