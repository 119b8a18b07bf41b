# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The report of a recording: how slippery it was, how close to slipping each step was, when it slipped, how sure."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Iterable, Sequence

from biped_slip.recordings.answers import Answer, summary
from biped_slip.recordings.figures import demand_figure, path_figure, replay_figure
from biped_slip.recordings.replay import at_least, contact_record
from biped_slip.reports.figures import save_figure
from biped_slip.reports.html import heading, paragraph, picture, table, write_page

MOST_ROWS = 200
MOST_CURVES = 60


def write_report(folder: str | Path, result: Answer, scene: Iterable[str] = ()) -> Path:
    """A self-contained HTML page and its pictures as PNG files in a folder; returns the page.

    Args:
        folder: made when missing.
        result: of one recording.
        scene: pieces that show it in three dimensions.
    """
    place, stem = Path(folder), re.sub(r"[^\w.-]+", "_", Path(result.path).name)
    pieces = [*_answers(result), *scene, *_contacts(result), *_slips(result)]
    for foot in result.feet:
        name = f"{stem}.{re.sub(r'[^0-9A-Za-z]+', '_', foot.series.name)}.png"
        pieces += [heading(foot.series.name), picture(save_figure(replay_figure(foot), place / name), _caption(foot))]
    shown = [(foot, one) for foot in result.feet for one in foot.contacts if not one.standing.refusal][:MOST_CURVES]
    if any(one.peak_ratio is not None for _, one in shown):
        png = save_figure(demand_figure(shown), place / f"{stem}.demand.png")
        pieces += [
            heading("Friction demand"),
            picture(png, "Largest between 10 and 90 % of a stance: required friction."),
        ]
    path = path_figure(shown)
    if path is not None:
        png = save_figure(path, place / f"{stem}.path.png")
        pieces += [
            heading("Where the feet stood"),
            picture(png, "Centre of pressure while the load is above a quarter."),
        ]
    pieces += [heading("What was read and done"), *(paragraph(note, "note") for note in result.notes)]
    return write_page(place / f"{stem}.html", f"Friction in {Path(result.path).name}", pieces)


def write_index(folder: str | Path, pages: Sequence[tuple[Path, Answer]], failures: Sequence[str] = ()) -> Path:
    """One page that compares recordings and leads to the page of each.

    Args:
        folder: where ``index.html`` goes.
        pages: what :func:`write_report` returned, and the answer it shows.
        failures: sentences on recordings that could not be read.
    """
    columns = ["recording", "contacts", "refused", "required", "largest", "mu", "known in", "slips", "sliding [s]"]
    keys = "contacts refused required_median required_largest mu_median contacts_with_mu slip_count slip_time".split()
    rows = [[page.name, *(summary(result)[key] for key in keys)] for page, result in pages]
    links = {page.name: Path(result.path).name for page, result in pages}
    pieces = [
        paragraph("Required friction and mu are medians over contacts; each row leads to its recording.", "note"),
        table(columns, rows, links),
        *(paragraph(f"Not read: {failure}", "warning") for failure in failures),
    ]
    return write_page(Path(folder) / "index.html", f"{len(pages)} recordings", pieces)


def _answers(result: Answer) -> list[str]:
    numbers = summary(result)
    rows = [
        ["How slippery was it? friction found, median over contacts", numbers["mu_median"]],
        ["… smallest and largest of a contact", _pair(numbers["mu_smallest"], numbers["mu_largest"])],
        ["How close to slipping? required friction, median over contacts", numbers["required_median"]],
        ["… largest", numbers["required_largest"]],
        ["When did it slip? number of slips", numbers["slip_count"]],
        ["… together [s]", float(numbers["slip_time"])],
        [
            "How sure? contacts whose friction is known, of all",
            f"{numbers['contacts_with_mu']} of {numbers['contacts']}",
        ],
        [f"Weight carried [N] ({numbers['body_weight_from']})", numbers["body_weight"]],
    ]
    pieces = [table(["question", "answer"], rows)]
    held = [one.held for one in result.contacts if one.held is not None]
    if not numbers["contacts_with_mu"] and held:
        words = (
            f"No contact slipped: friction is at least {max(held):.2f}, held without slip, and may be anything above."
        )
        pieces.append(paragraph(words, "note"))
    return pieces


def _pair(low: Any, high: Any) -> str | None:
    return None if low is None else f"{low:.3g} – {high:.3g}"  # noqa: RUF001


def _contacts(result: Answer) -> list[str]:
    columns = ["contact", "foot", "start [s]", "end [s]", "peak normal [N]", "required", "forward", "lateral"]
    columns += ["mu", "low", "high", "known otherwise", "usable from [s]", "slips"]
    keys = "foot start end peak_normal required required_forward required_lateral mu_median mu_low mu_high"
    rows, refusals = [], []
    for number, contact in enumerate(result.contacts[:MOST_ROWS], start=1):
        record = contact_record(contact)
        known = [record[key] for key in keys.split()]
        rows.append([number, *known, at_least(contact), record["usable_from"], len(contact.slips)])
        if contact.standing.refusal:
            refusals.append(paragraph(f"Contact {number} isn't judged: {contact.standing.refusal}.", "warning"))
    more = len(result.contacts) - MOST_ROWS
    note = [paragraph(f"{more} more contacts are in the JSON and CSV files.", "note")] if more > 0 else []
    return [heading("Contacts"), table(columns, rows), *note, *refusals]


def _slips(result: Answer) -> list[str]:
    rows = [
        [slip.start, slip.end, contact.foot, slip.mu, slip.source]
        for contact in result.contacts
        for slip in contact.slips
    ]
    if not rows:
        return []
    return [heading("Slips"), table(["start [s]", "end [s]", "foot", "mu", "found by"], rows[:MOST_ROWS])]


def _caption(foot: Any) -> str:
    source = foot.series.motion
    motion = f"motion {source.source}" if source.source != "none" else f"no motion ({source.note})"
    return f"Forces, force ratio and estimate ({foot.estimator}); {motion}; slips are shaded."
