# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The answer to a bag: two walks through it, one to learn the load, one to estimate; memory stays bounded."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from biped_slip.errors import InvalidRecording
from biped_slip.friction_estimation.registry import EstimatorSettings
from biped_slip.recordings.answers import Answer, from_replays
from biped_slip.recordings.bag_layout import BagLayout, bag_layout
from biped_slip.recordings.bag_series import Progress, SampleSource, Survey, bag_pieces
from biped_slip.recordings.bag_topics import TopicSource
from biped_slip.recordings.bags import Bag
from biped_slip.recordings.batch import Reached
from biped_slip.recordings.layout import Processing
from biped_slip.recordings.replay import Contact, Replay, replay


def answer_bag(path: str | Path, config: str | Path | None, estimator: str, progress: Progress | None = None) -> Answer:
    """Replay the feet of a bag.

    Args:
        path: folder, .mcap or .db3.
        config: YAML with a ``bag`` section; None takes every WrenchStamped as a foot.
        estimator: a key of ``ESTIMATORS``.
        progress: told how many messages have been read.

    Raises:
        BipedSlipError: one sentence on what can't be used and why.
    """
    bag = Bag(path)
    layout = bag_layout(bag, config)
    processing = layout.processing
    source = sample_source(bag, layout)
    survey = Survey(source, progress)
    settings = survey.settings(source, processing)
    first, contacts = _replayed(source, processing, settings, estimator, progress)
    if not first:
        raise InvalidRecording(path, "holds fewer than two wrenches with increasing stamps")
    notes = (*survey.notes(source), *_piece_note(first, contacts))
    return from_replays(str(path), estimator, tuple(first), contacts, notes)


def sample_source(bag: Bag, layout: BagLayout) -> SampleSource:
    """The feet of a bag, by their own topics or through a robot's model."""
    if layout.robot is None:
        return TopicSource(bag, layout)
    from biped_slip.recordings.bag_robot import RobotSource  # only robots need their model's libraries

    return RobotSource(bag, layout.robot)


def _replayed(
    source: SampleSource,
    processing: Processing,
    settings: list[EstimatorSettings],
    estimator: str,
    progress: Progress | None,
) -> tuple[list[Replay], list[Contact]]:
    """The first piece of every foot and all contacts of all pieces."""
    first: dict[int, Replay] = {}
    reached: dict[int, Reached] = {}
    contacts: list[Contact] = []
    for index, series in bag_pieces(source, [one.slip.contact_off for one in settings], progress):
        series = dataclasses.replace(series, force_noise=processing.force_noise)
        result = replay(series, processing, estimator, settings[index], reached.get(index))
        reached[index] = result.reached
        first.setdefault(index, result)
        contacts.extend(result.contacts)
    return [first[index] for index in sorted(first)], contacts


def _piece_note(first: list[Replay], contacts: list[Contact]) -> list[str]:
    drawn = sum(len(replayed.contacts) for replayed in first)
    return [f"pictures and weight show the first {drawn} of {len(contacts)} contacts"] if drawn < len(contacts) else []
