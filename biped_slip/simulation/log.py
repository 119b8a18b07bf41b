# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the logs of all walks share: arrays over ticks that are filled row by row, cut off and stored."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import numpy as np

AnyLog = TypeVar("AnyLog", bound="Log")


class Log:
    """Arrays over ticks as attributes; only their first ``length`` rows are filled."""

    length: int

    def filled(self) -> dict[str, Any]:
        """The filled rows of each array, by its name."""
        return {name: rows[: self.length] for name, rows in vars(self).items() if isinstance(rows, np.ndarray)}

    def trim(self: AnyLog) -> AnyLog:
        """Drop the rows that were not reached."""
        for name, rows in self.filled().items():
            setattr(self, name, rows)
        return self

    def save(self, path: str | Path) -> None:
        """Write the filled rows as a NumPy archive (.npz)."""
        with Path(path).open("wb") as file:
            np.savez(file, **self.filled())
