# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Report of a recording: floor friction, required friction of each step, slips."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any, Iterable, Sequence

import numpy as np

from biped_slip.recordings.answer import Answer, Replay, answer_sentence, summary
from biped_slip.recordings.contact import Contact, contact_record
from biped_slip.recordings.judge.verdict import SHORTEST_CONTACT
from biped_slip.recordings.judge.weight import plural
from biped_slip.recordings.replay import FIELDS
from biped_slip.reports.figures import (
    ESTIMATE,
    FOOT_COLOURS,
    LEFT_COLOUR,
    MUTED,
    RIGHT_COLOUR,
    SLIP,
    save_figure,
    single_axes,
    stacked_axes,
    thinned,
)
from biped_slip.reports.html import heading, paragraph, picture, table, write_page

SIDE_COLOURS = dict(zip(("left", "right"), FOOT_COLOURS, strict=True))


def replay_figure(result: Replay) -> Any:
    """Draw forces, force ratio with the estimate and its interval, speed where known.

    Slips are shaded.

    Args:
        result: of one foot or plate.

    Returns:
        A Matplotlib figure: time [s], forces [N], ratio [-], speed [m/s].
    """
    series = result.series
    moving = bool(np.isfinite(series.velocity[:, 0]).any())
    labels = [f"force [{series.normal_unit}]", "|Ft| / Fn, mu [-]"] + (
        ["speed [m/s]"] if moving else []
    )
    figure, axes = stacked_axes(
        labels,
        title=f"{series.name}: {series.provenance[0].rsplit('/', 1)[-1]}",
        width=11.0,
    )
    time = series.stamp_ns * 1e-9
    tangential = np.hypot(series.force[:, 0], np.nan_to_num(series.force[:, 1]))
    thin_time, thin_normal, thin_tangential = thinned(
        time, series.force[:, 2], tangential
    )
    axes[0].plot(thin_time, thin_normal, color=LEFT_COLOUR, label="normal")
    axes[0].plot(thin_time, thin_tangential, color=RIGHT_COLOUR, label="tangential")
    axes[0].legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2)
    _ratios(axes[1], result, time)
    if moving:
        speed = np.hypot(series.velocity[:, 0], np.nan_to_num(series.velocity[:, 1]))
        axes[2].plot(*thinned(time, speed), color=MUTED)
    for axis in axes:
        for contact in result.contacts:
            for slip in contact.slips:
                axis.axvspan(
                    slip.start, slip.end, color=SLIP, alpha=0.18, linewidth=0.0
                )
    return figure


def _ratios(axis: Any, result: Replay, time: Any) -> None:
    standing = np.zeros(len(time), dtype=bool)
    for contact in result.contacts:
        standing[slice(*contact.standing.stance)] = True
    ratio = np.where(standing, result.series.ratio, np.nan)
    usable = result.answers[:, FIELDS.index("usable")] > 0.0
    mu, low, high = (
        np.where(usable, result.answers[:, FIELDS.index(name)], np.nan)
        for name in ("mu", "mu_low", "mu_high")
    )
    axis.plot(*thinned(time, ratio), color=MUTED, label="ratio", linewidth=0.8)
    if np.isfinite(low).any():
        axis.fill_between(
            *thinned(time, low, high),
            color=ESTIMATE,
            alpha=0.2,
            label="interval",
            linewidth=0.0,
        )
    axis.plot(
        *thinned(time, mu),
        color=ESTIMATE,
        label=f"mu ({result.estimator})",
        linewidth=1.8,
    )
    if np.isfinite(ratio).any():
        axis.set_ylim(0.0, 1.3 * float(np.nanquantile(ratio, 0.99)))
    axis.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3)


def required_friction_figure(contacts: Sequence[tuple[Replay, Contact]]) -> Any:
    """Draw the force ratio over each stance, thin per contact, thick the median.

    It is judged between the dotted lines.
    """
    title = "force ratio of each stance"
    figure, axes = single_axes(
        "share of the stance [%]", "|Ft| / Fn [-]", title=title, width=7.0
    )
    largest, curves = 0.0, {side: [] for side in SIDE_COLOURS}  # type: tuple[float, dict[str, list[Any]]]
    for replayed, contact in contacts:
        first, last = contact.standing.stance
        share = np.linspace(0.0, 100.0, last - first)
        ratio = replayed.series.ratio[first:last]
        axes.plot(
            *thinned(share, ratio, points=800),
            color=SIDE_COLOURS.get(contact.foot, MUTED),
            alpha=0.35,
            linewidth=0.7,
        )
        if (
            contact.foot in curves
            and contact.end - contact.start >= SHORTEST_MEDIAN_STANCE
        ):
            curves[contact.foot].append(np.interp(np.arange(101.0), share, ratio))
        if np.isfinite(contact.forces.required):
            largest = max(largest, contact.forces.required)
    for edge in (10.0, 90.0):
        axes.axvline(edge, color=MUTED, linestyle=":", linewidth=0.9)
    for side, colour in SIDE_COLOURS.items():
        if curves[side]:
            words = f"{side}, median of {len(curves[side])} stances"
            axes.plot(
                np.arange(101.0),
                np.median(curves[side], axis=0),
                color=colour,
                linewidth=2.4,
                label=words,
            )
    axes.set_ylim(0.0, 1.6 * largest or 1.0)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper center", ncols=2)
    return figure


def path_figure(contacts: Sequence[tuple[Replay, Contact]]) -> Any | None:
    """Draw the paths of the centre of pressure over the floor.

    Return None where no plate shows them.
    """
    figure, axes = single_axes(
        "forward [m]", "left [m]", title="centre of pressure", width=7.0
    )
    drawn = False
    for replayed, contact in contacts:
        if not len(replayed.series.pressure):
            continue
        first, last = contact.standing.stance
        load = replayed.series.force[first:last, 2]
        steady = load > 0.25 * np.nanmax(load)
        x, y = replayed.series.pressure[first:last][steady].T
        axes.plot(x, y, color=SIDE_COLOURS.get(contact.foot, MUTED), linewidth=1.4)
        drawn = True
    axes.set_aspect("equal", adjustable="datalim")
    return figure if drawn else None


SHORTEST_MEDIAN_STANCE = 0.1  # [s] of a stance that counts for the median
MOST_REPORT_ROWS = 200
MOST_REPORT_CURVES = 60
CONTACTS = (
    "Required friction is the largest ratio between 10 and 90 % of a contact. Low and "
    "high are empty where a slide of "
    f"the foot measured mu instead. Contacts of less than {1e3 * SHORTEST_CONTACT:g} "
    "ms are bounces and show no mu."
)


def write_report(folder: str | Path, result: Answer, scene: Iterable[str] = ()) -> Path:
    """Write a self-contained HTML page and its pictures as PNG files into a folder.

    Args:
        folder: made when missing.
        result: of one recording.
        scene: pieces that show it in three dimensions.

    Returns:
        Path of the page.
    """
    place = Path(folder)
    stem = re.sub(r"[^\w.-]+", "_", Path(result.path).name)
    pieces = [*_answers(result), *scene, *_contacts(result), *_slips(result)]
    for foot in result.feet:
        name = f"{stem}.{re.sub(r'[^0-9A-Za-z]+', '_', foot.series.name)}.png"
        pieces += [
            heading(foot.series.name),
            picture(save_figure(replay_figure(foot), place / name), _caption(foot)),
        ]
    shown = [
        (foot, one)
        for foot in result.feet
        for one in foot.contacts
        if not one.standing.refusal
    ][:MOST_REPORT_CURVES]
    if any(one.peak_ratio is not None for _, one in shown):
        png = save_figure(
            required_friction_figure(shown), place / f"{stem}.required.png"
        )
        words = (
            "The largest ratio between the dotted lines, 10 and 90 % of a stance, "
            "is its required friction."
        )
        pieces += [heading("Required friction"), picture(png, words)]
    path = path_figure(shown)
    if path is not None:
        png = save_figure(path, place / f"{stem}.path.png")
        words = "Centre of pressure while the load is above a quarter."
        pieces += [heading("Where the feet stood"), picture(png, words)]
    pieces += [
        heading("What was read and done"),
        *(paragraph(note, "note") for note in result.notes),
    ]
    return write_page(
        place / f"{stem}.html", f"Friction in {Path(result.path).name}", pieces
    )


def write_index(
    folder: str | Path,
    pages: Sequence[tuple[Path, Answer]],
    failures: Sequence[str] = (),
) -> Path:
    """Write the page that compares recordings and links each.

    A single recording gets its own page.

    Args:
        folder: where ``index.html`` goes.
        pages: what :func:`write_report` returned, and the answer it shows.
        failures: sentences on recordings that could not be read.
    """
    index = Path(folder) / "index.html"
    if len(pages) == 1 and not failures:
        return Path(shutil.copyfile(pages[0][0], index))
    columns = [
        "recording",
        "contacts",
        "not judged",
        "required friction",
        "… largest",
        "friction found (mu)",
    ]
    columns += ["… in contacts", "slips", "sliding [s]"]
    keys = (
        "contacts refused required_median required_largest mu_median "
        "contacts_with_mu slip_count slip_time"
    ).split()
    rows = [
        [page.name, *(summary(result)[key] for key in keys)] for page, result in pages
    ]
    links = {page.name: Path(result.path).name for page, result in pages}
    words = (
        "Ratios |tangential| / normal force [-], medians over contacts. Each row "
        "leads to its recording."
    )
    pieces = [
        paragraph(words, "note"),
        table(columns, rows, links),
        *(paragraph(f"Not read: {failure}", "warning") for failure in failures),
    ]
    return write_page(index, f"Friction in {plural(len(pages), 'recording')}", pieces)


def _answers(result: Answer) -> list[str]:
    numbers = summary(result)
    known = f"{numbers['contacts_with_mu']} of {numbers['contacts']}"
    extremes = (
        f"{numbers['mu_smallest']:.3g} to {numbers['mu_largest']:.3g}"
        if numbers["contacts_with_mu"]
        else None
    )
    rows = [
        [
            "How slippery was it? friction found, median over contacts",
            numbers["mu_median"],
        ],
        ["… smallest and largest of a contact", extremes],
        [
            "How close to slipping? required friction, median over contacts",
            numbers["required_median"],
        ],
        ["… largest", numbers["required_largest"]],
        ["When did it slip? number of slips", numbers["slip_count"]],
        ["… together [s]", float(numbers["slip_time"])],
        ["In how many contacts is friction known?", known],
        [f"Weight carried [N] ({numbers['body_weight_from']})", numbers["body_weight"]],
    ]
    return [paragraph(answer_sentence(result)), table(["question", "answer"], rows)]


def _contacts(result: Answer) -> list[str]:
    columns = [
        "contact",
        "foot",
        "start [s]",
        "end [s]",
        "peak normal [N]",
        "required friction",
        "… forward",
    ]
    columns += [
        "… lateral",
        "friction found (mu)",
        "low",
        "high",
        "held without slip",
        "usable from [s]",
        "slips",
    ]
    keys = (
        "foot start end peak_normal required required_forward required_lateral "
        "mu_median mu_low mu_high"
    )
    rows = []
    refusals = []
    for number, contact in enumerate(result.contacts[:MOST_REPORT_ROWS], start=1):
        record = contact_record(contact)
        known = [record[key] for key in keys.split()]
        held = None if contact.held is None else f"≥ {contact.held:.2f}"
        rows.append([number, *known, held, record["usable_from"], len(contact.slips)])
        refusals += [
            paragraph(f"Contact {number}: {words}.", "warning")
            for words in contact.withheld
        ]
        if contact.standing.refusal:
            refusals.append(
                paragraph(
                    f"Contact {number} isn't judged: {contact.standing.refusal}.",
                    "warning",
                )
            )
    more = len(result.contacts) - MOST_REPORT_ROWS
    note = (
        [paragraph(f"{more} more contacts are in the JSON and CSV files.", "note")]
        if more > 0
        else []
    )
    return [
        heading("Contacts"),
        paragraph(CONTACTS, "note"),
        table(columns, rows),
        *note,
        *refusals,
    ]


def _slips(result: Answer) -> list[str]:
    found = [
        (contact.foot, slip) for contact in result.contacts for slip in contact.slips
    ]
    found.sort(key=lambda pair: pair[1].start)
    rows = [
        [slip.start, slip.end, foot, slip.mu, slip.source]
        for foot, slip in found[:MOST_REPORT_ROWS]
    ]
    return (
        [
            heading("Slips"),
            table(["start [s]", "end [s]", "foot", "mu", "found by"], rows),
        ]
        if rows
        else []
    )


def _caption(foot: Any) -> str:
    source = foot.series.motion
    motion = (
        f"motion {source.source}"
        if source.source != "none"
        else f"no motion ({source.note})"
    )
    return (
        f"Forces, force ratio and estimate ({foot.estimator}); {motion}; slips are "
        "shaded."
    )
