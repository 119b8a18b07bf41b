# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A trial's file as recordings: one for a file, one for each piece of a bag, so that long bags need no memory."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator

from biped_slip.gait_laboratory.event_agreement import Agreement
from biped_slip.gait_laboratory.subject import TrialInfo
from biped_slip.gait_laboratory.trial import GaitSettings, JudgedStance, TrialSteps, analyse
from biped_slip.recordings.formats import Recording
from biped_slip.recordings.gait import Overrides
from biped_slip.recordings.read import read_recording
from biped_slip.recordings.registry import recording_format
from biped_slip.recordings.series import TimeSeries


def trial_recordings(path: str | Path, config: str | Path | None, overrides: Overrides) -> Iterator[Recording]:
    """A file as one recording, a bag as one for each stretch of all its feet.

    Raises:
        BipedSlipError: one sentence on what can't be used and why.
    """
    if recording_format(path) != "bag":
        yield read_recording(path, config, overrides)
        return
    from biped_slip.recordings.bag_answer import sample_source
    from biped_slip.recordings.bag_layout import bag_layout
    from biped_slip.recordings.bag_series import Survey, bag_pieces
    from biped_slip.recordings.bags import Bag

    bag = Bag(path)
    layout = bag_layout(bag, config)
    source = sample_source(bag, layout)
    settings = Survey(source).settings(source, layout.processing)
    stretch: dict[int, TimeSeries] = {}
    for foot, series in bag_pieces(source, [one.slip.contact_off for one in settings]):
        if foot in stretch:
            yield Recording(str(path), tuple(stretch.values()), layout.processing)
            stretch = {}
        stretch[foot] = series
    if stretch:
        yield Recording(str(path), tuple(stretch.values()), layout.processing)


def analyse_file(
    path: str | Path, config: str | Path | None, overrides: Overrides, info: TrialInfo, settings: GaitSettings
) -> TrialSteps:
    """All steps of a file."""
    stances: list[JudgedStance] = []
    agreement: list[Agreement] = []
    notes: dict[str, None] = {}
    for recording in trial_recordings(path, config, overrides):
        found = analyse(recording, info, settings, len(stances))
        stances += found.stances
        agreement += found.agreement
        notes |= dict.fromkeys(found.notes)
    return TrialSteps(tuple(stances), tuple(agreement), tuple(notes))
