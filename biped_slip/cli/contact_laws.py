# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Compare the contact laws: drop and pull tests of each, cost, pictures."""

from __future__ import annotations

import argparse
import csv
import json
import math
from pathlib import Path
from typing import Any, Mapping, Sequence

from rich.table import Table

from biped_slip.cli.terminal import Screen
from biped_slip.constants import GRAVITY
from biped_slip.contact import free_body
from biped_slip.contact.free_body import RecordedMotion
from biped_slip.contact.normal_laws import normal_law, normal_law_names
from biped_slip.friction_laws.coefficient import SLIDING_SPEEDS, measured_ratios
from biped_slip.friction_laws.registry import friction_law, friction_law_names
from biped_slip.reports.figures import Panel, gallery, save_figure


def run(arguments: argparse.Namespace) -> int:
    """Print the tables of laws and draw their pictures."""
    console = Screen()
    errors = Screen(stderr=True)
    normal = arguments.normal or normal_law_names()
    friction = arguments.friction or friction_law_names()
    with errors.status("dropping, pulling and timing every law, about half a minute"):
        tables = (
            _normal_table(normal),
            _friction_table(friction),
            _coefficient_table(friction),
        )
    console.print(*tables)
    if arguments.picture is not None:
        draw(arguments.picture, normal, friction)
    if arguments.out is not None:
        write(arguments.out, normal, friction)
    return 0


def _normal_table(laws: Sequence[str]) -> Table:
    table = Table(
        "normal law",
        "depth [mm]",
        "starts from 0",
        "depth 0.4 s after the drop [mm]",
        "ns/point",
        title_justify="left",
    )
    table.title = f"Normal laws, default values: {free_body.MASS:g} kg on four points"
    for name in laws:
        law = normal_law(name)()
        motion = free_body.drop_test(name)
        table.add_row(
            name,
            f"{1e3 * law.steady_penetration(free_body.LOAD):.3f}",
            "yes" if law.continuous_at_touchdown else "no",
            f"{-1e3 * motion.position[-1, 2]:.3f}",
            f"{free_body.cost(name, 'bliman_sorine').point:.0f}",
        )
    return table


def _friction_table(laws: Sequence[str]) -> Table:
    table = Table(
        "friction law",
        "held [um]",
        "drift [um/s]",
        "stays [um]",
        "load x memory",
        "ns/point",
    )
    table.title = (
        "Friction laws, default values: half of mu F_n held for 5 s, then released"
    )
    for name in laws:
        held, drift, stays = (1e6 * value for value in free_body.hold_test(name))
        drift = 0.0 if abs(drift) < 5e-4 else drift
        cost = free_body.cost("hunt_crossley", name).point
        form = "yes" if friction_law(name).ratio_form else "no"
        table.add_row(
            name, f"{held:.1f}", f"{drift:.3f}", f"{stays:.1f}", form, f"{cost:.0f}"
        )
    return table


def _coefficient_table(laws: Sequence[str]) -> Table:
    speeds = (f"{v:g} m/s" for v in SLIDING_SPEEDS)
    table = Table("friction law", "held", *speeds, "mu is", title_justify="left")
    table.title = (
        f"Friction held and slid with over mu = {free_body.MU:g}, default values, "
        f"{free_body.LOAD:.3g} N on one point"
    )
    for name in laws:
        law = friction_law(name)()
        found = measured_ratios(law, free_body.MU, free_body.LOAD)
        ratios = (found.held, *found.slid)
        slides = law.steady_ratio(SLIDING_SPEEDS[-1], free_body.MU) < math.inf
        cells = (f"{ratio:.2f}" if slides else "-" for ratio in ratios)
        table.add_row(name, *cells, law.mu_is)
    return table


def draw(folder: Path, normal: Sequence[str], friction: Sequence[str]) -> None:
    """Draw and store the pictures of both tests."""
    save_figure(drop_figure(normal), folder / "drop.png")
    save_figure(pull_figure(friction), folder / "pull.png")


def write(folder: Path, normal: Sequence[str], friction: Sequence[str]) -> None:
    """Write the curves of both tests, one row a sample, and the numbers of the laws."""
    folder.mkdir(parents=True, exist_ok=True)
    _write_curves(
        folder / "drop.csv",
        {name: free_body.drop_test(name) for name in normal},
    )
    _write_curves(
        folder / "pull.csv",
        {name: free_body.pull_test(name) for name in friction},
    )
    document = {"mu": free_body.MU, "friction": {n: _numbers(n) for n in friction}}
    text = json.dumps(document, indent=2, allow_nan=False)
    (folder / "laws.json").write_text(text + "\n", encoding="utf-8")


def _write_curves(path: Path, motions: Mapping[str, RecordedMotion]) -> None:
    """Write motions of the body on each law; forces are those of the ground on it."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(
            ["law", "time_s", "x_m", "z_m", "force_x_n", "force_normal_n"],
        )
        for name, motion in motions.items():
            rows = zip(
                motion.time,
                motion.position[:, 0],
                motion.position[:, 2],
                motion.force[:, 0],
                motion.normal,
                strict=True,
            )
            writer.writerows([name, *(f"{value:.9g}" for value in row)] for row in rows)


def _numbers(name: str) -> dict[str, Any]:
    """Measure what a law holds, how it creeps, and its ratios when it slides."""
    law = friction_law(name)()
    held, drift, stays = free_body.hold_test(name)
    found = measured_ratios(law, free_body.MU, free_body.LOAD)
    slides = law.steady_ratio(SLIDING_SPEEDS[-1], free_body.MU) < math.inf
    return {
        "held_m": held,
        "drift_m_per_s": drift,
        "stays_m": stays,
        "ratio_held_over_mu": found.held if slides else None,
        "ratio_slid_over_mu": [
            {"speed_m_per_s": speed, "ratio": ratio if slides else None}
            for speed, ratio in zip(SLIDING_SPEEDS, found.slid, strict=True)
        ],
        "mu_is": law.mu_is,
    }


def drop_figure(laws: Sequence[str]) -> Any:
    """Draw every normal law on the drop."""
    weight = free_body.MASS * GRAVITY
    drops = {}
    for name in laws:
        motion = free_body.drop_test(name)
        drops[name] = Panel(
            motion.time, 1e3 * motion.position[:, 2], motion.normal / weight
        )
    labels = ("time [s]", "height [mm]", "force [weight]")
    return gallery(
        drops,
        labels,
        ((-5.0, 22.0), (0.0, 40.0)),
        "Drop from 2 cm, 4 kg on four points",
    )


def pull_figure(laws: Sequence[str]) -> Any:
    """Draw every friction law on the pull."""
    weight = free_body.MASS * GRAVITY
    pulls = {}
    for name in laws:
        motion = free_body.pull_test(name)
        pulls[name] = Panel(
            motion.time, 1e3 * motion.position[:, 0], -motion.force[:, 0] / weight
        )
    labels = ("time [s]", "displacement [mm]", "friction [weight]")
    return gallery(
        pulls,
        labels,
        ((-5.0, 600.0), (-0.3, 1.0)),
        "Pull to slip within 0.8 s, then release; mu = 0.5",
    )
