# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Counts of problems by their sentences, so many of a name and no more: a hostile sender must not grow them."""

from __future__ import annotations

from collections import Counter

MOST_OF_A_NAME = 16  # sentences (choice)
MOST_IN_ALL = 128
LONGEST = 300  # characters


class NamedCounter(Counter[str]):
    """Counts sentences ``name: detail``; from a number of details on a name's others are counted together."""

    def __setitem__(self, sentence: str, count: int) -> None:
        super().__setitem__(self._bounded(sentence), count)

    def __getitem__(self, sentence: str) -> int:
        return super().__getitem__(self._bounded(sentence))

    def _bounded(self, sentence: str) -> str:
        sentence = sentence[:LONGEST]
        if sentence in self:
            return sentence
        name = sentence.partition(":")[0]
        of_name = sum(known.partition(":")[0] == name for known in self)
        if len(self) >= MOST_IN_ALL:
            return "others: of further names"
        return f"{name}: others" if of_name >= MOST_OF_A_NAME else sentence
