# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One compact picture of several walks side by side: places of the feet over force ratios."""

from __future__ import annotations

import math
from typing import Any

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from biped_slip.contact.ground import GroundConfig
from biped_slip.reports.figures import STYLE
from biped_slip.reports.planar.figures import Walks, draw_feet, draw_ratio, ratio_legend
from biped_slip.reports.walk_rows import legend_above
from biped_slip.simulation.stances import FEET

COLUMN_WIDTH, HEIGHT = 4.6, 5.4  # [in]


def comparison_figure(walks: Walks, ground: GroundConfig) -> Any:
    """One column per walk: feet over the patches, then the force ratio of each foot against limit and true mu."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(COLUMN_WIDTH * max(1, len(walks)), HEIGHT), layout="constrained")
        FigureCanvasAgg(figure)
        grid = figure.subplots(
            3, max(1, len(walks)), sharex=True, sharey="row", squeeze=False, height_ratios=(1.5, 1.0, 1.0)
        )
        for column, (name, walk) in enumerate(walks.items()):
            draw_feet(grid[0, column], walk, ground, labelled_slide=math.inf)
            grid[0, column].set_title(
                f"slip prevention: {name} (largest slip {1e3 * walk.summary.max_stance_slip:.0f} mm)", loc="left"
            )
            for foot in (0, 1):
                draw_ratio(grid[1 + foot, column], walk, foot)
            grid[2, column].set_xlabel("time [s]")
        for axis, label in zip(grid[:, 0], ("foot x [m]", *(f"{f} |Ft| / Fn" for f in FEET)), strict=True):
            axis.set_ylabel(label)
        legend_above(figure, ratio_legend())
    return figure
