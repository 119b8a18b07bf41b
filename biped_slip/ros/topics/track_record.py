# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The result of a humanoid's walk over topics: what its world saw, and how often its program had no answer."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Iterable

from biped_slip.errors import BipedSlipError
from biped_slip.ros.topics.humanoid_record import SOLVED
from biped_slip.ros.topics.messages import UnusableSample
from biped_slip.ros.topics.named_scalars import RecordInput
from biped_slip.simulation.humanoid.summary import summarise_track
from biped_slip.simulation.humanoid.track import HumanoidTrack


class TrackRecord:
    """Counts the controller's records beside the world's log."""

    def __init__(self, course: HumanoidTrack, skipped: Counter[str]) -> None:
        self._track, self._skipped, self._input = course, skipped, RecordInput("record")
        self._newest, self._unsolved = -1, 0

    def add(self, messages: Iterable[bytes]) -> None:
        """Records of the controller, serialised."""
        for raw in messages:
            try:
                stamp = self._input.open(raw)
                self._input.keep()
            except UnusableSample as problem:
                self._skipped[str(problem)] += 1
                continue
            self._unsolved += self._input.values[SOLVED] == 0.0
            self._newest = max(self._newest, stamp)

    @property
    def complete(self) -> bool:
        """Whether the record of the last tick has arrived."""
        return self._newest >= round(1e9 * self._track.world.log.time[self._track.world.log.length - 1])

    def write(self, result_file: str, log_file: str) -> None:
        """The summary that `biped-slip walk --robot ... --json` writes, and the log; empty names write nothing."""
        log = self._track.world.log.trim()
        try:
            if result_file:
                text = json.dumps(summarise_track(self._track, self._unsolved).to_mapping(), indent=1)
                Path(result_file).write_text(text + "\n", encoding="utf-8")
            if log_file:
                log.save(log_file)
        except OSError as error:
            raise BipedSlipError(f"the result can't be written ({error})") from error
