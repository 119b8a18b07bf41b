# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m studies.mutation [TARGET …] [--minutes M] [--seed S] [--results FILE]``, beside the sources.

Mutants are tried in a random order until the time is over. One is killed when a test fails or does not end; the
survivors are listed with their lines. Changes that are known to change nothing (``targets.py``) are left out. What
stands in the file of results, of the same mutant and the same tests, is not tried again. Exit code 1 when less than
95 % of those tried were killed.
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path
from typing import Mapping

from biped_slip.simulation.campaign import LineFile, key_of
from studies.mutation.changes import SURVIVED, Mutant, mutants, preload, source_of, trial
from studies.mutation.targets import TARGETS, why_equivalent

REQUIRED = 0.95
PATIENCE = 10.0  # times as long as the tests of the right source take


def main() -> int:
    """Try mutants of what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"{', '.join(TARGETS)} (all)")
    parser.add_argument("--minutes", type=float, default=60.0, help="in all (60)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--results", default="mutants.jsonl", help="verdicts are kept here (mutants.jsonl)")
    chosen = parser.parse_args()
    names = chosen.targets or list(TARGETS)
    if unknown := set(names) - set(TARGETS):
        parser.error(f"no such target: {', '.join(sorted(unknown))}")
    preload()
    file, total, survivors = LineFile(chosen.results), 0, list[str]()
    for number, name in enumerate(names):
        left = 60.0 * chosen.minutes * (number + 1) / len(names)
        tried, survived = try_target(name, BEGIN + left, random.Random(chosen.seed), file)
        total, survivors = total + tried, survivors + survived
    print(*survivors, sep="\n")
    score = 1.0 - len(survivors) / max(total, 1)
    print(f"{total} mutants tried, {len(survivors)} survived: score {score:.1%}")
    return 0 if score >= REQUIRED else 1


def try_target(name: str, end: float, rng: random.Random, file: LineFile) -> tuple[int, list[str]]:
    """Mutants of one target until a time on the steady clock: how many, and the survivors in words."""
    target = TARGETS[name]
    right = {module: source_of(module) for module in (*target.modules, *target.plain)}
    tests = [Path(test).read_text(encoding="utf-8") for test in target.tests]
    found = [(module, mutant) for module in target.modules for mutant in mutants(right[module][0])]
    found = [(module, one) for module, one in found if not why_equivalent(_line(right[module][0], one), one.what)]
    rng.shuffle(found)
    patience, tried, survivors = 0.0, 0, []
    for module, mutant in found:
        key = key_of("mutant", module, mutant.source, tests)
        known = file.entry(key)
        if known is None:
            if time.monotonic() > end:
                continue
            patience = patience or _patience(name, right)
            known = {"verdict": trial({**right, module: (mutant.source, right[module][1])}, target.tests, patience)}
            file.append(key, known)
        tried += 1
        if known["verdict"] == SURVIVED:
            survivors.append(f"{module}:{mutant.line}: {mutant.what}: {_line(right[module][0], mutant)}")
    print(f"{name}: {tried} of {len(found)} mutants tried, {tried - len(survivors)} killed", flush=True)
    return tried, survivors


def _patience(name: str, right: Mapping[str, tuple[str, str]]) -> float:
    """How long the tests may take [s]: they pass on the right source, and need that long there."""
    begin = time.monotonic()
    if trial(right, TARGETS[name].tests, 600.0) != SURVIVED:
        raise SystemExit(f"{name}: the tests fail on the right source")
    return max(PATIENCE * (time.monotonic() - begin), 30.0)


def _line(source: str, mutant: Mutant) -> str:
    return source.splitlines()[mutant.line - 1].strip()


BEGIN = time.monotonic()

if __name__ == "__main__":
    raise SystemExit(main())
