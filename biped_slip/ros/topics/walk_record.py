# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The result of a simulated walk: what the world saw and what the controller reported, as files."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path
from typing import Iterable

from biped_slip.errors import BipedSlipError
from biped_slip.estimation.problem import Problem
from biped_slip.ros.topics.messages import UnusableSample
from biped_slip.ros.topics.named_scalars import RecordInput
from biped_slip.ros.topics.planar_record import planar_record_from
from biped_slip.simulation.planar.summary import summarise
from biped_slip.simulation.planar.world import World


class WalkRecord:
    """Puts the controller's records beside the world's log, by stamp."""

    def __init__(self, world: World, skipped: Counter[str]) -> None:
        self._world, self._skipped = world, skipped
        self._input = RecordInput("record")
        self._begin = time.perf_counter()
        self._newest = -1

    def add(self, messages: Iterable[bytes]) -> None:
        """Records of the controller, serialised."""
        period = self._world.scenario.plant.control_period_ns
        for raw in messages:
            try:
                tick, rest = divmod(self._input.open(raw), period)
                self._input.keep()
                if rest or tick >= self._world.log.length:
                    raise UnusableSample(Problem("wrong time", "control record of no tick"))
                record = planar_record_from(self._input.values, len(self._world.robot.joints))
            except UnusableSample as problem:
                self._skipped[str(problem)] += 1
                continue
            self._world.log.record_control(tick, record)
            self._newest = max(self._newest, tick)

    @property
    def complete(self) -> bool:
        """Whether the record of the last tick has arrived."""
        return self._newest == self._world.log.length - 1

    def write(self, result_file: str, log_file: str) -> None:
        """The summary that `biped-slip walk --json` writes, and the log; empty names write nothing."""
        log = self._world.log.trim()
        try:
            if result_file:
                summary = summarise(log, self._world.fell, time.perf_counter() - self._begin)
                text = json.dumps(summary.to_mapping(), indent=1, allow_nan=False)
                Path(result_file).write_text(text + "\n", encoding="utf-8")
            if log_file:
                log.save(log_file)
        except OSError as error:
            raise BipedSlipError(f"the result can't be written ({error})") from error
