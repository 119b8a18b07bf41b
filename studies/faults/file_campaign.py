# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Hostile files and surroundings against the commands that meet them; no gait and no robot is in it.

``python -m studies.faults.file_campaign --help``; prints one line of JSON an outcome.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Sequence

from studies.faults.file_faults import FILE_KINDS
from studies.faults.outcomes import ONCE, OUT_OF_TIME, Outcome, OutcomeLog, OutOfTime, campaign_arguments, wanted

FILES = "commands"  # in place of a robot


def main(arguments: Sequence[str] | None = None) -> int:
    """Try what is asked for; one line of JSON an outcome."""
    chosen = campaign_arguments(__doc__ or "").parse_args(arguments)
    log = OutcomeLog(chosen)
    try:
        for fault in FILE_KINDS:
            if wanted(fault.kind, chosen.kind) and not log.known(fault.kind, ONCE, FILES):
                with tempfile.TemporaryDirectory(prefix="biped_slip_") as folder:
                    log.add(Outcome(fault.kind, ONCE, FILES, violations=fault.act(Path(folder))))
    except OutOfTime:
        return OUT_OF_TIME
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
