# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Fit a sole's shape, s_p and compliance from pull-to-slip recordings.

What the estimator reads is written.
"""

from __future__ import annotations

import argparse
import math

import yaml
from rich.table import Table

from biped_slip.cli.options import STANDARD
from biped_slip.cli.terminal import result_screen, write_text
from biped_slip.friction_estimation.sole_calibration import SoleCalibration, calibrate
from biped_slip.recordings.pulls import read_pull


def run(arguments: argparse.Namespace) -> int:
    """Calibrate a sole, print the fits, write the configuration."""
    found = calibrate([read_pull(path) for path in arguments.recordings])
    console = result_screen(arguments)
    table = Table(
        "recording", "mu", "alpha", "s_p [mm]", "compliance [um/N]", "residual [um]"
    )
    for fit in found.fits:
        low, high = fit.shape.interval
        table.add_row(
            fit.name,
            f"{fit.mu:.3f}",
            f"{fit.shape.value:.2f} ({low:.2f} to {high:.2f})",
            f"{1e3 * math.exp(fit.log_s_p.value):.3f}",
            f"{1e6 * fit.compliance.value:.2f}",
            f"{1e6 * fit.residual:.1f}",
        )
    console.print(table)
    console.print(found.rule)
    console.print(found.bend)
    console.print(found.under_load)
    for warning in found.warnings:
        console.print(f"note: {warning}")
    write_text(arguments.out, as_yaml(found))
    if arguments.out != STANDARD:
        console.print(f"wrote {arguments.out}")
    return 0


def as_yaml(found: SoleCalibration) -> str:
    """Format the sole as the estimator's configuration reads it.

    Its intervals stand there as comments.
    """
    low, high = found.shape.interval
    _, s_p_low, s_p_high = found.s_p
    stiff, soft = found.compliance.interval
    lines = [
        "# Sole calibrated from pulls to slip; 95 % intervals:",
        f"#   alpha {found.shape.value:.3f} ({low:.3f} to {high:.3f}) for the mean "
        f"over {len(found.fits)} surfaces",
        f"#   s_p {1e3 * found.sole.s_p:.4f} mm ({1e3 * s_p_low:.4f} to "
        f"{1e3 * s_p_high:.4f}) on a single surface",
        f"#   compliance {1e6 * found.compliance.value:.3f} um/N "
        f"({1e6 * max(stiff, 0.0):.3f} to {1e6 * soft:.3f})",
        f"#   {found.rule}",
        f"#   {found.bend}",
        f"#   {found.under_load}",
        *(f"# note: {warning}" for warning in found.warnings),
    ]
    return (
        "\n".join(lines)
        + "\n"
        + yaml.safe_dump(found.sole.to_mapping(), sort_keys=False)
    )
