# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m biped_slip.lab.mutation [TARGET …] [--minutes M] [--seed S]``, from the folder of the sources.

Mutants are tried in a random order until the time is over. One is killed when a test fails or does not end; the
survivors are printed with their lines. Changes that are known to change nothing (``targets.py``) are left out. Exit
code 1 when less than 95 % of those tried were killed.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter

from biped_slip.lab.mutation.changes import Mutant, mutants
from biped_slip.lab.mutation.targets import TARGETS, why_equivalent
from biped_slip.lab.mutation.trial import SURVIVED, preload, source_of, trial

REQUIRED = 0.95
PATIENCE = 10.0  # times as long as the tests of the right source take


def main() -> int:
    """Try mutants of what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"{', '.join(TARGETS)} (all)")
    parser.add_argument("--minutes", type=float, default=60.0, help="in all (60)")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    names = chosen.targets or list(TARGETS)
    if unknown := set(names) - set(TARGETS):
        parser.error(f"no such target: {', '.join(sorted(unknown))}")
    preload()
    total: Counter[str] = Counter()
    for number, name in enumerate(names):
        left = 60.0 * chosen.minutes * (number + 1) / len(names)
        total += try_target(name, BEGIN + left, random.Random(chosen.seed))
    tried = sum(total.values())
    score = 1.0 - total[SURVIVED] / max(tried, 1)
    print(f"{tried} mutants tried, {total[SURVIVED]} survived: score {score:.1%}")
    return 0 if score >= REQUIRED else 1


def try_target(name: str, end: float, rng: random.Random) -> Counter[str]:
    """Mutants of one target until a time on the steady clock; prints survivors."""
    target = TARGETS[name]
    right = {module: source_of(module) for module in (*target.modules, *target.plain)}
    begin = time.monotonic()
    if trial(right, target.tests, 600.0) != SURVIVED:
        raise SystemExit(f"{name}: the tests fail on the right source")
    patience = max(PATIENCE * (time.monotonic() - begin), 30.0)
    found = [(module, mutant) for module in target.modules for mutant in mutants(right[module][0])]
    found = [(module, one) for module, one in found if not why_equivalent(_line(right[module][0], one), one.what)]
    rng.shuffle(found)
    counts: Counter[str] = Counter()
    for module, mutant in found:
        if time.monotonic() > end:
            break
        verdict = trial({**right, module: (mutant.source, right[module][1])}, target.tests, patience)
        counts[verdict] += 1
        if verdict == SURVIVED:
            print(f"{module}:{mutant.line}: {mutant.what}: {_line(right[module][0], mutant)}", flush=True)
    tried = sum(counts.values())
    print(f"{name}: {tried} of {len(found)} mutants tried, {tried - counts[SURVIVED]} killed", file=sys.stderr)
    return counts


def _line(source: str, mutant: Mutant) -> str:
    return source.splitlines()[mutant.line - 1].strip()


BEGIN = time.monotonic()

if __name__ == "__main__":
    raise SystemExit(main())
