# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What does not compile, in one sentence.

numba tells of a kernel that it can't type from the outside in: a headline per caller,
the cause, the line that it stands in, then the callers again, in some thousand
characters. The cause is the first line that is no headline, its place the first
"During".
"""

from __future__ import annotations

HEADLINE = "Failed in nopython mode pipeline"


def cause(error: BaseException) -> str:
    """Return the cause of an error, without numba's way to it."""
    text = str(error)
    if not text.startswith(HEADLINE):
        return text
    lines = [line.strip() for line in text.splitlines()]
    causes = [line for line in lines if line and not line.startswith(HEADLINE)]
    places = [line for line in causes if line.startswith("During: typing of")]
    return ", ".join([*causes[:1], *places[:1]]) or text
