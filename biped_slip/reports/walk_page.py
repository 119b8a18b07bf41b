# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One page on one or several walks over the same floor, of whatever robot: what came out, then pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterable, Iterator, Mapping, NamedTuple

from biped_slip.reports.figures import save_figure
from biped_slip.reports.html import heading, paragraph, picture, write_page
from biped_slip.simulation.summary import Summary

PAGE = "index.html"
SLID = 0.01  # [m] slides below it are not worth a sentence


class Picture(NamedTuple):
    """A section of the page."""

    name: str  # of its PNG file
    title: str
    caption: str
    figure: Any


def write_walk_page(directory: Path, title: str, summaries: Mapping[str, Summary], pieces: Iterable[str],
                    pictures: Iterable[Picture]) -> Path:  # fmt: skip
    """Write ``index.html`` with everything in it, and its pictures beside it as PNG files.

    Args:
        directory: made when missing; files of an earlier page there are replaced.
        title: of the page.
        summaries: of the walks by the name of their slip prevention; each is told in a sentence.
        pieces: what stands between these and the pictures.
        pictures: sections.

    Returns:
        The page.
    """
    found = [paragraph(sentence(name, summary)) for name, summary in summaries.items()]
    return write_page(directory / PAGE, title, [*found, *pieces, *_sections(directory, pictures)])


def _sections(directory: Path, pictures: Iterable[Picture]) -> Iterator[str]:
    for name, title, caption, figure in pictures:
        yield heading(title)
        yield picture(save_figure(figure, directory / f"{name}.png"), caption)


def sentence(name: str, summary: Summary) -> str:
    """One walk in one sentence."""
    end = "fell" if summary.fell else "still stood"
    slides = [slip for slip in summary.slips if slip.distance >= SLID]
    words = (
        f"a stance foot slid {len(slides)} time{'s' if len(slides) > 1 else ''} by "
        f"{1e3 * SLID:.0f} mm or more (most in one stance: {1e3 * summary.max_stance_slip:.0f} mm)"
        if slides
        else f"no stance foot slid by {1e3 * SLID:.0f} mm (most: {1e3 * summary.max_stance_slip:.1f} mm)"
    )
    return (
        f"Slip prevention “{name}”: the robot {end} after {summary.end_time:.1f} s "
        f"and {summary.distance:.2f} m; {words}."
    )
