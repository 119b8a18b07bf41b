# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The types of arrays, and results as columns; loads no compiler."""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biped_slip.errors import MissingExtra, UnknownName

Array = NDArray[np.float64]
AnyArray = NDArray[Any]  # numbers, or whether something holds


class Columns:
    """Result with named columns.

    It offers ``result["mu_low"]``, ``len(result)``, ``result.to_pandas()``.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the columns."""
        raise NotImplementedError

    def column(self, name: str) -> Any:
        """Return one column, shape (rows,)."""
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self.column(self.names[0]))

    def __getitem__(self, name: str) -> Any:
        if name not in self.names:
            raise UnknownName("column", name, list(self.names))
        return self.column(name)

    def to_pandas(self) -> Any:
        """Convert to a ``pandas.DataFrame``, unknown numbers as NaN.

        Raises:
            MissingExtra: pandas is not installed.
        """
        try:
            import pandas
        except ImportError as error:
            raise MissingExtra(f"{type(self).__name__}.to_pandas", "pandas") from error
        return pandas.DataFrame({name: self[name] for name in self.names})

    def __repr__(self) -> str:
        """Show every column with its first, middle and last value."""
        count = len(self)
        lines = [
            f"{type(self).__name__} of {count} rows; columns, each with its first, "
            "middle and last value:"
        ]
        for name in self.names:
            values = self[name]
            shown = (
                [values[k] for k in sorted({0, count // 2, count - 1})] if count else []
            )
            lines.append(f"  {name}: " + ", ".join(_short(value) for value in shown))
        return "\n".join(lines)


def _short(value: Any) -> str:
    return (
        f"{value:.6g}"
        if isinstance(value, float)
        else str(value.name if isinstance(value, Enum) else value)[:40]
    )
