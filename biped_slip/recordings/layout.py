# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Layouts of tables: the meaning of their columns, from a small YAML.

There is one file per source of recording.
"""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any, Mapping, NoReturn, Sequence

from biped_slip.config import (
    Configuration,
    configuration,
    parameter,
    read_yaml,
    section,
)
from biped_slip.errors import BipedSlipError, InvalidParameter, UnknownName
from biped_slip.friction_estimation.settings import PlateauConfig, SlidingConfig
from biped_slip.shared_files import shared_file, shared_names

G0 = 9.80665  # standard gravity [m/s^2]

# Units in which recordings come, and their factors to SI.
FACTORS: dict[str, dict[str, float]] = {
    "time": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0},
    "force": {
        "N": 1.0,
        "kN": 1e3,
        "mN": 1e-3,
        "uN": 1e-6,
        "kgf": G0,
        "lbf": 4.4482216152605,
        "counts": 1.0,
    },
    "moment": {
        "N m": 1.0,
        "N mm": 1e-3,
        "N cm": 1e-2,
        "uN m": 1e-6,
        "lbf ft": 1.3558179483314004,
    },
    "position": {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "in": 0.0254},
    "velocity": {"m/s": 1.0, "cm/s": 1e-2, "mm/s": 1e-3, "um/s": 1e-6},
    "acceleration": {"m/s^2": 1.0, "mm/s^2": 1e-3, "g": G0},
    "angular_rate": {"rad/s": 1.0, "deg/s": math.pi / 180.0},
}
SPELLINGS = {
    "Nm": "N m",
    "Nmm": "N mm",
    "µN": "uN",
    "µm": "um",
    "m/s2": "m/s^2",
    "m/s²": "m/s^2",
    "N·m": "N m",
}


def factor(name: str, quantity: str, unit: str) -> float:
    """Return the factor from a unit to SI.

    Args:
        name: what is converted, for the error.
        quantity: a key of ``FACTORS``.
        unit: as written in a file.

    Raises:
        InvalidParameter: the quantity has no such unit.
    """
    known = FACTORS[quantity]
    spelled = SPELLINGS.get(unit, unit)
    if spelled not in known:
        raise InvalidParameter(
            name, unit, f"a unit of {quantity.replace('_', ' ')}: {', '.join(known)}"
        )
    return known[spelled]


# The YAML of a source::
#
#     source: whose recordings these are
#     layouts:                       # the first that fits a file's columns is taken
#       - name: force and motion
#         rate: 100.0                # [Hz], where there is no time column
#         width: 13                  # number of columns, where there is no header line
#         names_line: 4              # line of the names, below a preamble
#         data_line: 6               # first line of numbers
#         feet:
#           - name: foot
#             force_x: {column: 1, unit: N, sign: -1}      # number counted from 1, or a
# name in the header
#             normal: {column: 3, unit: N}
#             estimated: false           # true where the robot itself estimated forces
#         processing: {force_noise: 0.9}
#
# Signs turn every column into the force of the ground on the foot, positive normal when
# the ground pushes.

QUANTITIES = {  # name in the YAML -> quantity, whose units are known
    "time": "time",
    **dict.fromkeys(("force_x", "force_y", "normal"), "force"),
    **{
        f"{name}_{axis}": name
        for name in ("moment", "acceleration", "angular_rate")
        for axis in "xyz"
    },
    **{f"{name}_{axis}": name for name in ("position", "velocity") for axis in "xy"},
}


@configuration
class Processing(Configuration):
    """Settings by which the quantities of a layout become one series."""

    force_noise: float = parameter(
        0.0, unit="N", low=0.0, high=1e4, doc="standard deviation of each force axis"
    )
    velocity_noise: float = parameter(
        0.0, unit="m/s", low=0.0, high=10.0, doc="of the recorded velocity"
    )
    velocity_window: float = parameter(
        0.05,
        unit="s",
        above=0.0,
        high=10.0,
        doc="time over which a recorded position is differenced",
    )
    contact_share: float = parameter(
        0.02,
        above=0.0,
        below=1.0,
        doc="share of the 99th percentile of the normal force that begins a contact",
    )
    remove_zero: bool = parameter(
        False,
        doc="subtract what the force sensor reads without load (mounting, weight of "
        "the foot below it)",
    )
    settle_time: float = parameter(
        0.0, unit="s", low=0.0, high=10.0, doc="after touchdown, without slip detection"
    )
    slip_load_share: float = parameter(
        0.0,
        low=0.0,
        below=1.0,
        doc="share of the 99th percentile of the normal force below which slip isn't "
        "judged",
    )
    motion: SlidingConfig = section(SlidingConfig)
    force: PlateauConfig = section(PlateauConfig)


@dataclasses.dataclass(frozen=True)
class Column:
    """Column of a table with its quantity, unit and sign."""

    quantity: str  # a key of QUANTITIES
    column: str | int  # name in the header, or number counted from 1
    unit: str
    factor: float  # to SI, with the sign
    rate: float | None = (
        # [Hz], of a column that is sampled more slowly than the table and ends early
        None
    )


@dataclasses.dataclass(frozen=True)
class FootLayout:
    """Columns of one foot."""

    name: str
    columns: tuple[Column, ...]
    estimated: bool = False  # the robot's own estimate, no sensor's reading

    def find(self, quantity: str) -> Column | None:
        """Find the column of a quantity, or None."""
        return next(
            (column for column in self.columns if column.quantity == quantity), None
        )


@dataclasses.dataclass(frozen=True)
class Layout:
    """One kind of table."""

    name: str
    feet: tuple[FootLayout, ...]
    rate: float | None
    width: int | None
    processing: Processing
    names_line: int | None = None  # counted from 1; None: found
    data_line: int | None = None  # first line of numbers; None: found

    @property
    def named(self) -> bool:
        """Return whether a column is told by its name."""
        return any(
            isinstance(c.column, str) for foot in self.feet for c in foot.columns
        )

    def may_begin(self, line: int) -> bool:
        """Return whether names, or numbers without names, may stand in a line."""
        if self.names_line is not None:
            return line == self.names_line
        if self.data_line is None:
            return True
        return line < self.data_line if self.named else line == self.data_line

    def fits(self, header: Sequence[str] | None, width: int) -> bool:
        """Return whether a table is of this kind.

        Its header (None: without) and its number of columns decide.
        """
        columns = [column.column for foot in self.feet for column in foot.columns]
        named = [name for name in columns if isinstance(name, str)]
        numbered = [number for number in columns if isinstance(number, int)]
        if self.width is not None and width != self.width:
            return False
        return set(named) <= set(header or ()) and all(
            1 <= number <= width for number in numbered
        )


@dataclasses.dataclass(frozen=True)
class RecordingLayouts:
    """All kinds of tables of one source."""

    path: str
    source: str
    layouts: tuple[Layout, ...]

    def choose(
        self, header: Sequence[str] | None, width: int, line: int
    ) -> Layout | None:
        """Choose the first layout that fits a table; None where none does.

        Args:
            header: names of its columns, None without.
            width: number of its columns.
            line: where the names, or without them the numbers, stand.
        """
        for layout in self.layouts:
            if layout.fits(header, width) and layout.may_begin(line):
                return layout
        return None

    def refuse(
        self, path: object, header: Sequence[str] | None, width: int, remedy: str
    ) -> NoReturn:
        """Refuse a table that fits no layout, and list all of them.

        Raises:
            BipedSlipError: always.
        """
        widths = [
            f" ({one.width} columns)" if one.width else "" for one in self.layouts
        ]
        wanted = "; ".join(
            f"{one.name}{width}"
            for one, width in zip(self.layouts, widths, strict=True)
        )
        content = (
            f"columns {', '.join(header)[:300]}"
            if header
            else f"{width} columns without names"
        )
        raise BipedSlipError(
            f"{path}: has {content}, which fits no layout of {self.path}: {wanted}"
            + (f"; {remedy}" if remedy else "")
        )


def read_layouts(path: str | Path) -> RecordingLayouts:
    """Read the layouts of a YAML; an error names the place in it."""
    content = read_yaml(path)
    refuse_unknown(str(path), content, ["source", "layouts"])
    layouts = content.get("layouts")
    if not isinstance(layouts, list) or not layouts:
        raise InvalidParameter(
            f"{path}: layouts", layouts, "a list of at least one layout"
        )
    return RecordingLayouts(
        str(path),
        str(content.get("source", Path(path).stem)),
        tuple(
            _layout(f"{path}: layouts[{index}]", item)
            for index, item in enumerate(layouts)
        ),
    )


def _layout(where: str, content: Any) -> Layout:
    keys = ["name", "rate", "width", "names_line", "data_line", "feet", "processing"]
    refuse_unknown(where, content, keys)
    layout = Layout(
        name=str(content.get("name", "table")),
        feet=tuple(_foot(*item) for item in listed_feet(where, content)),
        rate=_positive(f"{where}.rate", content.get("rate"), "Hz"),
        width=_whole(where, content, "width", "a whole number of columns"),
        processing=Processing.from_mapping(
            content.get("processing"), f"{where}.processing"
        ),
        names_line=_whole(where, content, "names_line", "a line, counted from 1"),
        data_line=_whole(where, content, "data_line", "a line, counted from 1"),
    )
    if layout.data_line is not None and layout.data_line <= (layout.names_line or 0):
        raise InvalidParameter(
            f"{where}.data_line", layout.data_line, "below the line of the names"
        )
    if layout.rate is None and any(foot.find("time") is None for foot in layout.feet):
        raise InvalidParameter(
            f"{where}.rate", None, "given in Hz when there is no time column"
        )
    return layout


def _foot(where: str, content: Any) -> FootLayout:
    refuse_unknown(where, content, ["name", "estimated", *QUANTITIES])
    estimated = content.get("estimated", False)
    if not isinstance(estimated, bool):
        raise InvalidParameter(f"{where}.estimated", estimated, "true or false")
    columns = tuple(
        _column(f"{where}.{name}", name, content[name])
        for name in QUANTITIES
        if name in content
    )
    foot = FootLayout(str(content.get("name", "foot")), columns, estimated)
    if foot.find("normal") is None:
        raise InvalidParameter(
            f"{where}.normal",
            None,
            "the column of the normal force",
            "no ratio exists without it",
        )
    return foot


def _column(where: str, name: str, content: Any) -> Column:
    refuse_unknown(where, content, ["column", "unit", "sign", "rate"])
    column = content.get("column")
    unit = content.get("unit")
    if isinstance(column, bool) or not isinstance(column, (str, int)):
        raise InvalidParameter(
            f"{where}.column", column, "a column's name, or its number counted from 1"
        )
    if not isinstance(unit, str):
        raise InvalidParameter(f"{where}.unit", unit, "the unit of the column, as text")
    scale = checked_sign(where, content) * factor(
        f"{where}.unit", QUANTITIES[name], unit
    )
    return Column(
        quantity=name,
        column=column,
        unit=unit,
        factor=scale,
        rate=_positive(f"{where}.rate", content.get("rate"), "Hz"),
    )


def _whole(where: str, content: Any, name: str, what: str) -> int | None:
    value = content.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidParameter(f"{where}.{name}", value, what)
    return value


def _positive(where: str, value: Any, unit: str) -> float | None:
    if value is None:
        return None
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        or not 0.0 < value < 1e7
    ):
        raise InvalidParameter(where, value, f"a positive number below 1e7 [{unit}]")
    return float(value)


def refuse_unknown(where: str, content: Any, known: Sequence[str]) -> None:
    """Refuse an entry that is no mapping or has an unknown key."""
    if not isinstance(content, Mapping):
        raise InvalidParameter(where, content, "a mapping of names to values")
    for key in content:
        if key not in known:
            raise UnknownName("entry", f"{where}.{key}", list(known))


def listed_feet(where: str, content: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """List the items of ``feet``, each with its place."""
    feet = content.get("feet")
    if not isinstance(feet, list) or not feet:
        raise InvalidParameter(f"{where}.feet", feet, "a list of at least one foot")
    return [(f"{where}.feet[{index}]", item) for index, item in enumerate(feet)]


def checked_sign(where: str, content: Mapping[str, Any]) -> int:
    """Check the entry ``sign``, 1 or -1."""
    sign = content.get("sign", 1)
    if sign not in (1, -1):
        raise InvalidParameter(f"{where}.sign", sign, "1 or -1")
    return int(sign)


FOLDER = "config/recordings"


def layout_file(name: str | Path) -> Path:
    """Find the YAML of layouts by its path, or by the name of a shipped one.

    Raises:
        UnknownName: neither.
    """
    path = Path(name)
    if path.exists() or path.suffix in (".yaml", ".yml"):
        return path
    known = shared_names(FOLDER)
    if str(name) not in known:
        raise UnknownName(
            "layout of recordings", str(name), [*known, "or a .yaml file"]
        )
    return shared_file(f"{FOLDER}/{name}.yaml")
