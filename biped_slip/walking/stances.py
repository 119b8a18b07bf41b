# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Stances of a walking foot: one landing is one stance, though the foot bounces.

A foot that lands bounces for some milliseconds. So losses of contact that are shorter
than ``BRIDGED_GAP`` do not end a stance, and what is shorter than ``SHORTEST_STANCE``
is no step. A simulated walk and the replay of its recording count by the same rule.
"""

from __future__ import annotations

from typing import Iterable, Iterator

BRIDGED_GAP = 0.020  # [s] shorter losses of contact do not end a stance (choice)
SHORTEST_STANCE = 0.100  # [s] (choice)


def steps_of(
    spans: Iterable[tuple[int, int]], period: float, bridged: float = BRIDGED_GAP
) -> Iterator[tuple[int, int]]:
    """Yield the stances, first sample and end, that loaded spans of a foot make up.

    Args:
        spans: first loaded sample and end of each, in the order of time.
        period: between samples [s].
        bridged: gaps that are shorter are closed [s].
    """
    merged: list[list[int]] = []
    for start, end in spans:
        if merged and (start - merged[-1][1]) * period < bridged:
            merged[-1][1] = int(end)
        else:
            merged.append([int(start), int(end)])
    for start, end in merged:
        if (end - start) * period >= SHORTEST_STANCE:
            yield start, end
