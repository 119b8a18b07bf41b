# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How fast a recording replays, per estimator: an hour of two feet at 1 kHz.

The hour comes in pieces of a minute, and each foot has a thread.
"""

from __future__ import annotations

import argparse
import functools
import resource
import time

import numpy as np

from biped_slip.cli.options import COUNT
from biped_slip.friction_estimation.registry import ESTIMATORS
from biped_slip.friction_estimation.settings import EstimatorSettings
from biped_slip.recordings.answer import Reached
from biped_slip.recordings.foot_settings import series_settings
from biped_slip.recordings.layout import Processing
from biped_slip.recordings.replay import replay, side_by_side
from biped_slip.recordings.series import Motion, TimeSeries

RATE = 1000  # [Hz]
# of the floor and the sole [-], [m]
MU = 0.5
S_P = 1e-3


def minute(seed: int, begin_ns: int) -> TimeSeries:
    """Generate a minute of one walking foot: stance 0.6 s, swing 0.4 s.

    The presliding displacement has sensor noise.
    """
    rng = np.random.default_rng(seed)
    samples = np.arange(60 * RATE)
    share = (samples / RATE) % 1.0 / 0.6
    standing = share < 1.0
    load = np.where(
        standing, 500.0 * np.minimum(1.0, np.minimum(share, 1.0 - share) * 8.0), 0.0
    )
    ratio = np.where(standing, 0.8 * MU * np.sin(np.pi * np.clip(share, 0.0, 1.0)), 0.0)
    force = np.column_stack([-ratio * load, np.zeros_like(load), load]) + rng.normal(
        0.0, 1.0, (len(samples), 3)
    )
    x = -S_P / 3.0 * np.log1p(-ratio / MU) + rng.normal(0.0, 5e-6, len(samples))
    displacement = np.column_stack([x, rng.normal(0.0, 5e-6, len(samples))])
    empty = np.zeros((len(samples), 3))
    return TimeSeries(
        name="foot",
        stamp_ns=begin_ns + samples * (1_000_000_000 // RATE),
        force=force,
        moment=empty,
        displacement=displacement,
        velocity=np.gradient(displacement, 1.0 / RATE, axis=0),
        angular_rate=empty,
        motion=Motion("differenced", 1e-4),
        force_noise=1.0,
        provenance=("made",),
    )


def hour(name: str, minutes: int) -> tuple[float, float, int]:
    """Return seconds by the clock and of the processor for two feet.

    They are for so many minutes; the number of contacts comes with them.
    """
    spent = 0.0
    computed = 0.0
    contacts = 0
    settings: EstimatorSettings | None = None
    reached: list[Reached | None] = [None, None]
    for index in range(minutes):
        begin_ns = 1_000_000_000 + index * 60_000_000_000
        feet = [minute(2 * (index % 5) + foot, begin_ns) for foot in range(2)]
        started = time.perf_counter()
        started_computing = time.process_time()
        settings = settings or series_settings(feet[0], Processing())
        tasks = [
            functools.partial(replay, foot, Processing(), name, settings, before)
            for foot, before in zip(feet, reached, strict=True)
        ]
        results = side_by_side(tasks)
        spent += time.perf_counter() - started
        computed += time.process_time() - started_computing
        reached = [result.reached for result in results]
        contacts += sum(len(result.contacts) for result in results)
    return spent, computed, contacts


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "minutes", nargs="?", type=COUNT, default=60, help="of the recording (60)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print seconds, the factor over real time and memory, one line per estimator."""
    minutes = arguments.minutes
    for name in ESTIMATORS:
        if name == "thesis":
            continue  # plain Python, sample by sample: about 10 us each
        hour(name, 1)  # compile
        spent, computed, contacts = hour(name, minutes)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{name}: {minutes} min of two feet at {RATE} Hz in {spent:.1f} s "
            f"({computed:.1f} s of the "
            f"processor), {minutes * 60 / spent:.0f} times real time, {contacts} "
            f"contacts, peak memory {memory:.0f} MB"
        )
    return 0
