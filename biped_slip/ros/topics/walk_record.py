# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The result of a simulated walk: what the world saw and what the controller reported, as files."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections import Counter
from pathlib import Path
from typing import Any, Iterable, Mapping, Sequence

from biped_slip.errors import BipedSlipError
from biped_slip.estimation.problem import Problem
from biped_slip.ros.runtime.kept_time import KEPT
from biped_slip.ros.topics.humanoid_record import SOLVED
from biped_slip.ros.topics.messages import UnusableSample
from biped_slip.ros.topics.named_scalars import RecordInput
from biped_slip.ros.topics.planar_record import planar_record_from
from biped_slip.simulation.humanoid.summary import summarise_track
from biped_slip.simulation.humanoid.track import HumanoidTrack
from biped_slip.simulation.humanoid.world import FloatingWorld
from biped_slip.simulation.planar.summary import summarise
from biped_slip.simulation.planar.world import World


class WalkRecord(ABC):
    """Puts the controller's records beside the world's log, by stamp.

    Args:
        world: that is walked in.
        skipped: counts records that can't be used, by their problem.
    """

    def __init__(self, world: World | FloatingWorld, skipped: Counter[str]) -> None:
        self._log, self._period = world.log, world.scenario.plant.control_period_ns
        self._skipped, self._input, self._newest = skipped, RecordInput("record"), -1

    def add(self, messages: Iterable[bytes]) -> None:
        """Records of the controller, serialised."""
        for raw in messages:
            try:
                tick, rest = divmod(self._input.open(raw), self._period)
                self._input.keep()
                if rest or tick >= self._log.length:
                    raise UnusableSample(Problem("wrong time", "control record of no tick"))
                self.keep(tick, self._input.values)
            except UnusableSample as problem:
                self._skipped[str(problem)] += 1
                continue
            self._newest = max(self._newest, tick)

    @property
    def complete(self) -> bool:
        """Whether the record of the last tick has arrived."""
        return self._newest == self._log.length - 1

    @abstractmethod
    def keep(self, tick: int, values: Sequence[float]) -> None:
        """What the controller did in a tick.

        Raises:
            UnusableSample: other numbers than expected.
        """

    @abstractmethod
    def result(self) -> Mapping[str, Any]:
        """What the walk amounts to, for JSON."""

    def write(self, result_file: str, log_file: str, kept_time: Mapping[str, int]) -> None:
        """The result, as `biped-slip walk --json` writes it, how time was kept, and the log; no name, no file."""
        log = self._log.trim()
        try:
            if result_file:
                said = {**self.result(), KEPT: dict(kept_time)}
                Path(result_file).write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
            if log_file:
                log.save(log_file)
        except OSError as error:
            raise BipedSlipError(f"the result can't be written ({error})") from error


class PlanarRecord(WalkRecord):
    """A walk of the planar biped; the controller's records go into its log."""

    def __init__(self, world: World, skipped: Counter[str]) -> None:
        super().__init__(world, skipped)
        self._world, self._begin = world, time.perf_counter()

    def keep(self, tick: int, values: Sequence[float]) -> None:
        """Into the log."""
        self._world.log.record_control(tick, planar_record_from(values, len(self._world.robot.joints)))

    def result(self) -> Mapping[str, Any]:
        """The walk's summary."""
        return summarise(self._world.log, self._world.fell, time.perf_counter() - self._begin).to_mapping()


class HumanoidRecord(WalkRecord):
    """A walk of a humanoid; counts how often its program had no answer."""

    def __init__(self, track: HumanoidTrack, skipped: Counter[str]) -> None:
        super().__init__(track.world, skipped)
        self._track, self._unsolved = track, 0

    def keep(self, tick: int, values: Sequence[float]) -> None:
        """Whether it was solved."""
        self._unsolved += values[SOLVED] == 0.0

    def result(self) -> Mapping[str, Any]:
        """The walk's summary."""
        return summarise_track(self._track, self._unsolved).to_mapping()


class TruthRecord(WalkRecord):
    """A humanoid whose controller is somebody else's: the log of its world alone."""

    complete = True

    def __init__(self, world: FloatingWorld) -> None:
        super().__init__(world, Counter())
        self._world = world

    def add(self, messages: Iterable[bytes]) -> None:
        """Left to the controller."""

    def keep(self, tick: int, values: Sequence[float]) -> None:
        """Nothing."""

    def result(self) -> Mapping[str, Any]:
        """Fall, time and place of the base at the end."""
        world = self._world
        place = [float(x) for x in world.plant.state.q[:3]]
        return {"fell": world.fell, "end_time": 1e-9 * world.plant.stamp_ns, "base": place}
