# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Print sha256 of what walks, replays and nodes compute.

The command is ``python -m studies.fingerprints [--only PART ...]``.

Run it before and after a change that must not change behaviour, and compare the two
outputs line by line. A line is ``HASH NAME``; a NAME is ``planar/SCENARIO/LIMIT/SEED``,
``humanoid/ROBOT/LIMIT``, ``governed/ROBOT``, ``replay/SAMPLE``, ``topics/SCENARIO``,
``topics/ROBOT`` or ``parameters``. Arrays are hashed with their shapes, to the last
bit. With ``NUMBA_DISABLE_JIT=1`` the same code runs as plain Python (choose ``--seconds
0.05`` then).
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import importlib.util
import sys
from functools import partial
from typing import Any, Callable, Iterator

import numpy as np

SCENARIOS = ("thesis", "thesis_sensors", "traction", "traction_sensors", "torso")
LIMITS = ("none", "interval", "oracle", "thesis")
SEEDS = (None, 1, 2)
ROBOTS = ("talos", "g1", "surena3", "bolt")
HUMANOID_LIMITS = ("interval", "oracle")
SAMPLES = ("slide", "walk")
OVER_TOPICS = 1.0  # [s] in lockstep


def digest(value: Any) -> str:
    """Hash nested arrays, numbers, texts, mappings and dataclasses.

    The hash has 16 hexadecimal digits.
    """
    found = hashlib.sha256()
    _feed(found, value)
    return found.hexdigest()[:16]


def _feed(found: Any, value: Any) -> None:
    if isinstance(value, np.ndarray):
        found.update(
            f"{value.shape}{value.dtype.kind}".encode()
            + np.ascontiguousarray(value).tobytes()
        )
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        _feed(
            found,
            {
                field.name: getattr(value, field.name)
                for field in dataclasses.fields(value)
            },
        )
    elif isinstance(value, dict):
        for key in sorted(value, key=str):
            found.update(str(key).encode())
            _feed(found, value[key])
    elif isinstance(value, (tuple, list)):
        for item in value:
            _feed(found, item)
    elif isinstance(value, float):
        found.update(np.float64(value).tobytes())
    else:
        found.update(repr(value).encode())


def planar(seconds: float | None) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Walk the planar biped over every scenario under every limit."""
    import biped_slip as bs

    def walk(scenario: str, limit: str, seed: int | None) -> Any:
        chosen = bs.chosen_scenario(scenario, seed=seed)
        if seconds is not None:
            chosen = dataclasses.replace(chosen, duration=seconds)
        return bs.run_walk(chosen, limit, seed or 0).log.filled()

    for scenario in SCENARIOS:
        for limit in LIMITS:
            for seed in SEEDS:
                yield (
                    f"planar/{scenario}/{limit}/{seed}",
                    partial(walk, scenario, limit, seed),
                )


def humanoid(seconds: float | None) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Walk every humanoid for some seconds.

    Under the interval, the sensors are checked first.
    """
    import biped_slip as bs

    def walk(robot: str, limit: str) -> Any:
        steps = bs.HumanoidWalk(
            bs.chosen_walk(robot), limit, seed=3, checked=limit == "interval"
        )
        while not steps.ended and 1e-9 * steps.world.plant.stamp_ns < (seconds or 8.0):
            steps.tick()
        ticks = [[one.time, *one.limits, one.phase] for one in steps.ticks]
        return steps.world.log.filled(), np.array(ticks, dtype=np.float64)

    for robot in ROBOTS:
        for limit in HUMANOID_LIMITS:
            yield f"humanoid/{robot}/{limit}", partial(walk, robot, limit)


def governed(seconds: float | None) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Walk G1 behind the friction governor."""
    from studies.governor import Cell, run_governed

    yield (
        "governed/g1",
        lambda: vars(run_governed((Cell("whole_body", 0.25, 0.3, "governor"), 1))),
    )


def replays(seconds: float | None) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Replay the shipped recordings through three estimators."""
    from biped_slip.recordings.answer import answer_record
    from biped_slip.recordings.replay import replay_file
    from biped_slip.recordings.samples import sample_or_file

    def answer(sample: str, estimator: str) -> Any:
        record = answer_record(
            replay_file(*sample_or_file(sample, None), estimator=estimator)
        )
        return {name: value for name, value in record.items() if name != "file"}

    for sample in SAMPLES:
        for estimator in ("interval", "thesis", "slip"):
            yield f"replay/{sample}/{estimator}", partial(answer, sample, estimator)


def topics(seconds: float | None) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Walk in lockstep over ROS topics.

    The planar biped walks by three nodes, and TALOS by two.
    """
    from biped_slip.ros.topic_walks import humanoid_over_topics, walk_over_topics

    if importlib.util.find_spec("rclpy") is None:
        return

    def over_topics(scenario: str) -> Any:
        return walk_over_topics(
            scenario, "interval", seed=1, duration=OVER_TOPICS
        ).log.filled()

    for scenario in ("thesis", "thesis_sensors"):
        yield f"topics/{scenario}/interval", partial(over_topics, scenario)
    yield (
        "topics/g1/interval",
        lambda: humanoid_over_topics("g1", "interval", checked=False).log.filled(),
    )


def parameters(seconds: float | None) -> Iterator[tuple[str, Callable[[], Any]]]:
    """List the parameters that the nodes declare, as their files show them."""
    from studies import generated_files

    if importlib.util.find_spec("rclpy") is not None:
        for name in generated_files.FILES:
            yield f"parameters/{name}", partial(generated_files.parameter_file, name)


PARTS = {
    "planar": planar,
    "humanoid": humanoid,
    "governed": governed,
    "replays": replays,
    "topics": topics,
    "parameters": parameters,
}


def main() -> int:
    """Print a line as each walk ends."""
    parser = argparse.ArgumentParser(
        description="Print sha256 of what walks, replays and nodes compute."
    )
    parser.add_argument(
        "--only",
        nargs="+",
        choices=PARTS,
        default=list(PARTS),
        help="parts to run (all)",
    )
    parser.add_argument(
        "--seconds",
        type=float,
        help="length of each walk [s] (planar: the scenario's; humanoid: 8)",
    )
    arguments = parser.parse_args()
    for part in arguments.only:
        for name, compute in PARTS[part](arguments.seconds):
            print(digest(compute()), name, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
