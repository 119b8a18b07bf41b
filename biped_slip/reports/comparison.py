# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The page of a comparison: contracts, how far down, pictures, table, commands."""

from __future__ import annotations

import html
import math
from pathlib import Path
from typing import Any, NamedTuple, Sequence

import numpy as np

from biped_slip.comparison.contract import ContractCheck
from biped_slip.comparison.job import ComparedWalk
from biped_slip.comparison.plan import ALONE, CONTACT_WORDS
from biped_slip.comparison.table import (
    ComparedRow,
    Saved,
    command_of,
    last_mus,
    rows_of,
    saved_by,
    whole,
)
from biped_slip.reports.figures import png_bytes, stacked_axes
from biped_slip.reports.html import (
    folded,
    heading,
    paragraph,
    picture,
    table,
    write_page,
)

PAGE_COLUMNS = (
    "walker",
    "contact",
    "governed",
    "mu",
    "completed",
    "95 %",
    "survival [s]",
    "speed kept [%]",
    "touching soles [m/s]",
    "slip largest [mm]",
    "slip mean [mm]",
    "required friction",
)
METHOD = (
    "A walk completes if the robot is on its feet to the end of the time; shares have "
    "exact intervals. Survival is the mean time to the fall, or all of it. Speed kept "
    "is that of completed walks, from 3 s on, over that of the same walker alone on mu "
    "1.0 in the same contact. Slip and sole speed are those of the sole's material at "
    "the centre of pressure, from 1.5 s on; slip is its way in a stance while the "
    "foot bears a tenth of the weight. Required friction is the 99 % quantile of the "
    "force ratio of a stance from 40 ms after its touch on, above three tenths of the "
    "weight, the median over a walk, then the mean. No row is better than another "
    "whose interval overlaps its own."
)


class Comparison(NamedTuple):
    """What the page of a comparison shows."""

    title: str
    checks: Sequence[ContractCheck]
    walks: Sequence[ComparedWalk]
    words: Sequence[str]  # that begin the command of each row
    cost: str  # a sentence on the time that it took


def write_comparison_page(path: Path, shown: Comparison) -> Path:
    """Write the page of a comparison; return its path."""
    rows = rows_of(shown.walks)
    contacts = list(dict.fromkeys(row.group.contact for row in rows))
    pieces = [
        paragraph(METHOD),
        *(paragraph(f"{one}: {CONTACT_WORDS[one]}.", "note") for one in contacts),
        paragraph(shown.cost, "note"),
        heading("Does each walker walk well on mu 1.0?"),
        *(
            paragraph(check.sentence, "warning" if check.faults else "")
            for check in shown.checks
        ),
        heading("How far down?"),
        table(*_how_far(rows)),
    ]
    for contact in contacts:
        mine = [row for row in rows if row.group.contact == contact]
        caption = f"Walks completed, {contact}: {CONTACT_WORDS[contact]}"
        pieces.append(picture(png_bytes(completed_figure(mine)), caption))
        caption = f"Speed kept and survival of walks alone, {contact}"
        pieces.append(picture(png_bytes(speed_figure(mine)), caption))
    pieces += [*_saved_pieces(saved_by(shown.walks)), heading("All rows")]
    pieces.append(table(PAGE_COLUMNS, [cells_of(row) for row in rows]))
    lines = "\n".join(command_of(row.group, shown.words) for row in rows)
    pieces.append(
        folded("The command of each row, in order", f"<pre>{html.escape(lines)}</pre>")
    )
    return write_page(path, shown.title, pieces)


def cells_of(row: ComparedRow) -> tuple[object, ...]:
    """Return the cells of a row under PAGE_COLUMNS."""
    group = row.group
    return (
        group.walker,
        group.contact,
        group.governed,
        str(group.floor),
        f"{row.completed}/{row.walks}",
        f"{100.0 * row.low:.0f} to {100.0 * row.high:.0f} %",
        rounded(row.survival, 1),
        rounded(100.0 * row.kept, 0),
        rounded(row.sole_speed, 3),
        rounded(1e3 * row.slip_largest, 0),
        rounded(1e3 * row.slip_mean, 1),
        rounded(row.required, 2),
    )


def rounded(value: float, digits: int) -> str:
    """Round a number; a dash for none."""
    return f"{value:.{digits}f}" if math.isfinite(value) else "-"


def _how_far(rows: Sequence[ComparedRow]) -> tuple[list[str], list[tuple[object, ...]]]:
    """Tabulate the last mu by walker and contact, a column a governor."""
    found = last_mus(rows)
    kinds = list(dict.fromkeys(one.governed for one in found))
    table: dict[tuple[str, str], dict[str, str]] = {}
    for one in found:
        text = f"{one.mu:g}" if math.isfinite(one.mu) else "none"
        cells = table.setdefault((one.walker, one.contact), {})
        cells[one.governed] = f"{text} ({one.walks} walks)"
    columns = ["walker", "contact", *(f"last mu, {kind}" for kind in kinds)]
    return columns, [
        (*place, *(cells.get(kind) for kind in kinds)) for place, cells in table.items()
    ]


def _saved_pieces(found: Sequence[Saved]) -> list[str]:
    if not found:
        return []
    columns = [
        "walker",
        "contact",
        "governed",
        "walks",
        "falls alone",
        "falls governed",
        "saved when given mu",
        "saved of those",
    ]
    words = (
        "The same floors, patches and seeds, alone and governed. Saved when given mu: "
        "walks that fall alone and complete behind the governor that knows mu at the "
        "first touch; saved of those: by this governor."
    )
    return [
        heading("What does the governor save?"),
        paragraph(words),
        table(columns, [tuple(one) for one in found]),
    ]


def completed_figure(rows: Sequence[ComparedRow]) -> Any:
    """Draw completed walks of all walkers over the floors, one panel a governor."""
    walkers = list(dict.fromkeys(row.group.walker for row in rows))
    kinds = list(dict.fromkeys(row.group.governed for row in rows))
    floors = _floors(rows)
    figure, axes = stacked_axes(
        kinds, abscissa="mu", row_height=0.34 * len(walkers) + 0.5, width=8.0
    )
    for axis, kind in zip(axes, kinds, strict=True):
        share = np.full((len(walkers), len(floors)), np.nan)
        for row in (row for row in rows if row.group.governed == kind):
            at = (walkers.index(row.group.walker), floors.index(str(row.group.floor)))
            share[at] = row.completed / row.walks
            axis.text(
                at[1], at[0], f"{row.completed}/{row.walks}", ha="center", va="center"
            )
        axis.imshow(share, vmin=0.0, vmax=1.0, cmap="RdYlGn", alpha=0.6, aspect="auto")
        axis.set_yticks(range(len(walkers)), walkers)
        axis.grid(visible=False)
    axes[-1].set_xticks(range(len(floors)), floors, rotation=20)
    return figure


def _floors(rows: Sequence[ComparedRow]) -> list[str]:
    """List the floors: whole ones by mu, then patches and pushes."""
    floors = sorted(
        {row.group.floor for row in rows},
        key=lambda floor: (not whole(floor), floor.push, -floor.mu),
    )
    return [str(floor) for floor in floors]


def speed_figure(rows: Sequence[ComparedRow]) -> Any:
    """Draw speed kept and survival of walks alone over mu of whole floors."""
    figure, (kept, survival) = stacked_axes(
        ["speed kept [%]", "survival [s]"], abscissa="mu", width=8.0, row_height=2.4
    )
    alone = [
        row for row in rows if row.group.governed == ALONE and whole(row.group.floor)
    ]
    for walker in dict.fromkeys(row.group.walker for row in alone):
        mine = sorted(
            (row for row in alone if row.group.walker == walker),
            key=lambda row: row.group.floor.mu,
        )
        mus = [row.group.floor.mu for row in mine]
        kept.plot(mus, [100.0 * row.kept for row in mine], "o-", ms=3, label=walker)
        survival.plot(mus, [row.survival for row in mine], "o-", ms=3)
    for axis in (kept, survival):
        axis.set_xscale("log")
        axis.set_ylim(bottom=0.0)
    ticks = sorted({row.group.floor.mu for row in alone})
    survival.set_xticks(ticks, [f"{mu:g}" for mu in ticks])
    survival.minorticks_off()
    kept.legend(ncols=3, fontsize=7, loc="lower right")
    return figure
