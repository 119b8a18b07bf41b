# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Results of a study in a folder: tables, figures, an HTML page and an appendix PDF."""

from __future__ import annotations

import dataclasses
import io
import os
import textwrap
from collections import Counter
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, NamedTuple, Sequence

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure
from matplotlib.image import imread

from biped_slip.gait_laboratory.made import MADE_FILE, Made, write_made
from biped_slip.gait_laboratory.required_friction import CURVE_POINTS, NAMES, Band
from biped_slip.gait_laboratory.slip_chance import (
    AtLeast,
    ChanceRow,
    Reading,
    at_least,
    chance_rows,
    write_chances,
)
from biped_slip.gait_laboratory.statistics import (
    BOTH,
    LEAST_VALUES,
    Condition,
    Distribution,
    Group,
    conditions,
    groups_of,
    write_conditions,
)
from biped_slip.gait_laboratory.step import (
    CLASSES,
    Step,
    write_csv,
    write_parquet,
    write_table,
)
from biped_slip.gait_laboratory.study import StoredTrial, Study
from biped_slip.recordings.series import FloatArray
from biped_slip.reports.cells import cell_text
from biped_slip.reports.figures import (
    ESTIMATE,
    FOOT_COLOURS,
    LIMIT,
    MUTED,
    SLIP,
    save_figure,
    single_axes,
    stacked_axes,
)
from biped_slip.reports.html import (
    heading,
    paragraph,
    picture,
    table,
    write_page,
)

SIDE_COLOURS = dict(zip(("left", "right"), FOOT_COLOURS, strict=True))
LABELS = [
    "fore-aft [BW]",
    "lateral [BW]",
    "normal [BW]",
    "|shear| / normal [-]",
]  # of ``NAMES``
STEP_QUANTITIES = {  # columns of the table of steps, and what they are
    "rcof": "RCOF: required friction of a step (rcof)",
    "rcof_push_off": "Required friction at push-off (rcof_push_off)",
    "required": "Largest required friction of a stance (required)",
}
MOST_DRAWN = 24  # of a picture with one row a condition


def curves_figure(title: str, bands: Mapping[str, Band]) -> Any:
    """Draw mean and one standard deviation of each foot's curves over the stance."""
    figure, axes = stacked_axes(
        LABELS, title=title, abscissa="share of the stance [%]", width=8.0
    )
    share = np.linspace(0.0, 100.0, CURVE_POINTS)
    for foot, band in bands.items():
        colour = SIDE_COLOURS.get(foot, MUTED)
        count = int(band.count.max())
        for axis, middle, spread in zip(axes, band.middle, band.spread, strict=True):
            steps = "1 step" if count == 1 else f"{count} steps"
            axis.plot(share, middle, color=colour, label=f"{foot}, {steps}")
            axis.fill_between(
                share,
                middle - spread,
                middle + spread,
                color=colour,
                alpha=0.18,
                linewidth=0.0,
            )
    axes[0].legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2)
    inner = [
        band.middle[NAMES.index("ratio"), 5:-5] for band in bands.values()
    ]  # without the edges of the stance
    top = max(
        (float(np.nanmax(ratio)) for ratio in inner if np.isfinite(ratio).any()),
        default=0.0,
    )
    axes[-1].set_ylim(0.0, min(1.4 * top, 1.0) or 1.0)
    return figure


def steps_figure(stances: Sequence[tuple[Step, FloatArray]]) -> Any:
    """Draw the force ratio of every step of a trial.

    RCOF is marked at weight acceptance and at push-off.
    """
    figure, axes = single_axes(
        "share of the stance [%]",
        "|shear| / normal [-]",
        title="required friction",
        width=8.0,
    )
    share = np.linspace(0.0, 100.0, CURVE_POINTS)
    top = 0.0
    for step, curves in stances:
        colour = SIDE_COLOURS.get(step.foot, MUTED)
        axes.plot(
            share, curves[NAMES.index("ratio")], color=colour, linewidth=1.0, alpha=0.8
        )
        for percent, value, mark in (
            (step.acceptance_percent, step.rcof_acceptance, "o"),
            (step.push_off_percent, step.rcof_push_off, "s"),
        ):
            axes.plot(
                [percent],
                [value],
                mark,
                color=colour,
                markersize=6,
                markerfacecolor="white",
            )
            top = max(top, value) if np.isfinite(value) else top
    axes.plot(
        [], [], "o", color=MUTED, markerfacecolor="white", label="weight acceptance"
    )
    axes.plot([], [], "s", color=MUTED, markerfacecolor="white", label="push-off")
    for foot, colour in SIDE_COLOURS.items():
        axes.plot([], [], color=colour, label=foot)
    axes.set_ylim(0.0, max(1.5 * top, 0.3))
    axes.legend(loc="upper center", ncols=4)
    return figure


def conditions_figure(
    found: Sequence[Condition],
    quantity: str = "rcof",
    points: Mapping[Group, Mapping[str, Sequence[float]]] | None = None,
) -> Any | None:
    """Draw 5, 50 and 95 %, mean and single steps of a quantity.

    There is one row a condition and foot.

    Return None where it is never known.
    """
    rows = [
        (one.group, known) for one in found if (known := one.of(quantity)) is not None
    ][:MOST_DRAWN]
    if not rows:
        return None
    name = STEP_QUANTITIES.get(quantity, quantity)
    figure, axes = single_axes(
        f"{name} [-]", "", width=9.0, height=1.2 + 0.32 * len(rows)
    )
    for place, (group, row) in enumerate(rows):
        colour = SIDE_COLOURS.get(group.foot, MUTED)
        axes.plot(
            [row.q05, row.q95],
            [place, place],
            color=colour,
            linewidth=2.5,
            solid_capstyle="butt",
            alpha=0.5,
        )
        axes.plot(
            [row.median], [place], "|", color=colour, markersize=13, markeredgewidth=2.0
        )
        axes.plot([row.mean], [place], "o", color=colour, markersize=5)
        single = (points or {}).get(group, {}).get(quantity, [])
        axes.plot(
            single,
            np.full(len(single), place + 0.25),
            ".",
            color=colour,
            markersize=3,
            alpha=0.6,
        )
    axes.set_yticks(
        range(len(rows)), [f"{group.words} (n = {row.steps})" for group, row in rows]
    )
    axes.invert_yaxis()
    axes.set_xlim(left=0.0)
    axes.set_title(
        "bar: 5 to 95 % of the steps, line: median, dot: mean, below: single steps",
        loc="left",
    )
    return figure


def chance_figure(rows: Sequence[ChanceRow]) -> Any:
    """Draw chances with their intervals, one row a cell."""
    shown = sorted(
        (row for row in rows if row.foot == BOTH), key=lambda row: -row.chance
    )[:MOST_DRAWN]
    figure, axes = single_axes(
        "chance of a slip at a step",
        "",
        width=9.0,
        height=1.2 + 0.32 * max(len(shown), 1),
    )
    for place, row in enumerate(shown):
        axes.plot(
            [row.low, row.high],
            [place, place],
            color=LIMIT,
            linewidth=2.5,
            solid_capstyle="butt",
            alpha=0.6,
        )
        axes.plot([row.chance], [place], "o", color=SLIP, markersize=5)
    names = [
        ", ".join(filter(None, (row.surface, row.person, row.shoe, row.condition)))
        for row in shown
    ]
    axes.set_yticks(range(len(shown)), names)
    axes.invert_yaxis()
    axes.set_xlim(-0.02, 1.02)
    axes.set_title("all feet; bar: 95 % interval", loc="left")
    return figure


def slips_figure(found: Sequence[Condition]) -> Any | None:
    """Draw the share of steps in each slip class; None where motion is never known."""
    rows = [one for one in found if one.group.foot == BOTH and any(one.slips.values())][
        :MOST_DRAWN
    ]
    if not rows:
        return None
    figure, axes = single_axes(
        "share of the steps", "", width=9.0, height=1.4 + 0.36 * len(rows)
    )
    colours = (MUTED, ESTIMATE, LIMIT, SLIP)
    for place, one in enumerate(rows):
        total = sum(one.slips.values())
        left = 0.0
        for name, colour in zip(CLASSES, colours, strict=True):
            share = one.slips[name] / total
            axes.barh(
                place,
                share,
                left=left,
                color=colour,
                height=0.6,
                label=name if place == 0 else None,
            )
            left += share
    names = [one.group._replace(foot="").words for one in rows]
    counts = [sum(one.slips.values()) for one in rows]
    axes.set_yticks(
        range(len(rows)),
        [f"{name} (n = {n})" for name, n in zip(names, counts, strict=True)],
    )
    axes.invert_yaxis()
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=4)
    return figure


# A PDF of tables and figures, A4, by matplotlib alone.

A4 = (8.27, 11.69)  # [in]
# of the page
PAGE_LEFT = 0.07
PAGE_RIGHT = 0.95
TOP = 0.94
BOTTOM = 0.06
ROW = 0.018  # height of a table's row
LINE = 0.014  # height of a sentence's line
ROW_GAP = 0.035  # height of the space before a heading
LEAST_ROWS = 4  # that a heading brings onto its page
LONGEST_CELL = 46  # letters of a line of a cell
SENTENCE_WIDTH = LONGEST_CELL + 2.5  # of a column with cells of several lines
SENTENCE_LETTERS = 110  # letters of a sentence's line
LETTERS = 80  # across the page at full size
FOOT = 0.03  # of the page, where its number stands
LONGEST_FOOT_LINE = 150  # letters
DRAWN_DPI = 200


class Section(NamedTuple):
    """Table of the report with its heading and a sentence."""

    heading: str
    words: str
    columns: list[str]
    rows: list[list[object]]


class Sentences(NamedTuple):
    """Part of the report without a table."""

    heading: str
    sentences: Sequence[str]


class TablePages:
    """PDF pages that are filled with tables from the top."""

    def __init__(self, title: str) -> None:
        self.pages: list[Figure] = []
        self._turn()
        self._text(PAGE_LEFT, title, 16)

    def add(self, section: Section) -> None:
        """Add one table with its heading and caption."""
        heading, words, columns, rows = section
        texts = [_wrapped(columns), *map(_wrapped, rows)]
        widths = [
            SENTENCE_WIDTH
            if any(len(row[k]) > 1 for row in texts)
            else max(len(row[k][0]) for row in texts) + 2
            for k in range(len(columns))
        ]
        self._begin(heading, [words], ROW * (1 + min(len(rows), LEAST_ROWS)))
        self._row(texts[0], widths, "bold")
        for row in texts[1:]:
            if self._height - _row_height(row) < BOTTOM:
                self._turn()
                self._row(texts[0], widths, "bold")
            self._row(row, widths, "normal")

    def sentences(self, heading: str, sentences: Sequence[str]) -> None:
        """Add sentences, each on lines of its own."""
        self._begin(heading, sentences, 0.0)

    def _begin(self, heading: str, sentences: Sequence[str], below: float) -> None:
        """Write a heading and its sentences, on one page with what stands below."""
        lines = [
            line
            for words in sentences
            for line in textwrap.wrap(words, SENTENCE_LETTERS)
        ]
        if self._height - ROW_GAP - LINE * len(lines) - below < BOTTOM:
            self._turn()
        self._height -= ROW_GAP
        self._text(PAGE_LEFT, heading, 12)
        for line in lines:
            self._height -= LINE
            self._text(PAGE_LEFT, line, 8, color="#555555")

    def _turn(self) -> None:
        page = Figure(figsize=A4)
        FigureCanvasAgg(page)
        self.pages.append(page)
        self._height = TOP

    def _text(self, place: float, text: str, size: float, **style: Any) -> None:
        self.pages[-1].text(place, self._height, text, fontsize=size, **style)

    def _row(
        self, cells: Sequence[list[str]], widths: Sequence[float], weight: str
    ) -> None:
        """Lay out a row: the first column and sentences to the left, else right."""
        top = self._height
        scale = (PAGE_RIGHT - PAGE_LEFT) / max(sum(widths), LETTERS)
        place = PAGE_LEFT
        size = 8.0 * min(1.0, LETTERS / sum(widths) + 0.1)
        for number, (lines, width) in enumerate(zip(cells, widths, strict=True)):
            at, side = (
                (place, "left")
                if number == 0 or width == SENTENCE_WIDTH
                else (place + (width - 1) * scale, "right")
            )
            for line_number, line in enumerate(lines):
                self._height = top - ROW - line_number * LINE
                self._text(at, line, size, ha=side, weight=weight)
            place += width * scale
        self._height = top - _row_height(cells)


def _wrapped(row: Sequence[object]) -> list[list[str]]:
    """Break the cells of a row into lines; nothing is cut."""
    return [textwrap.wrap(cell_text(cell), LONGEST_CELL) or [""] for cell in row]


def _row_height(cells: Sequence[list[str]]) -> float:
    return ROW + LINE * (max(map(len, cells)) - 1)


def write_pdf(
    path: Path,
    title: str,
    sections: Sequence[Section],
    figures: Sequence[tuple[str, Any, str]],
    foot: str = "",
    before: Sequence[Sentences] = (),
    after: Sequence[Sentences] = (),
) -> None:
    """Write sentences and tables one after the other, then a figure to an A4 page.

    Args:
        path: of the file.
        title: of the first page.
        sections: tables.
        figures: each as (name, figure, caption).
        foot: line below every page, beside its number.
        before: sentences above the tables.
        after: sentences below them.
    """
    tables = TablePages(title)
    for one in before:
        tables.sentences(one.heading, one.sentences)
    for section in sections:
        tables.add(section)
    for one in after:
        tables.sentences(one.heading, one.sentences)
    pages = [
        *tables.pages,
        *(_figure_page(figure, words) for _, figure, words in figures),
    ]
    with PdfPages(path, metadata={"Title": title, "CreationDate": None}) as pdf:
        for number, page in enumerate(pages, start=1):
            style: dict[str, Any] = {"fontsize": 7, "color": "#555555"}
            page.text(
                PAGE_LEFT, FOOT, textwrap.shorten(foot, LONGEST_FOOT_LINE), **style
            )
            page.text(PAGE_RIGHT, FOOT, f"{number} / {len(pages)}", ha="right", **style)
            pdf.savefig(page)


def _figure_page(figure: Any, words: str) -> Figure:
    """Lay a figure out on an A4 page, as wide as the text, its caption below."""
    with io.BytesIO() as buffer:
        figure.savefig(buffer, dpi=DRAWN_DPI, format="png")
        buffer.seek(0)
        image = imread(buffer, format="png")
    page = Figure(figsize=A4)
    FigureCanvasAgg(page)
    width = PAGE_RIGHT - PAGE_LEFT
    height = min(
        width * A4[0] / A4[1] * image.shape[0] / image.shape[1], TOP - 2.0 * BOTTOM
    )
    axes = page.add_axes((PAGE_LEFT, TOP - height, width, height))
    axes.imshow(image)
    axes.set_axis_off()
    for number, line in enumerate(textwrap.wrap(words, 110), start=1):
        page.text(PAGE_LEFT, TOP - height - number * LINE, line, fontsize=8)
    return page


MOST_PAGE_ROWS = 60  # of a table on the page; the files hold all
MOST_CURVES = 12  # pictures of curves
MOST_POINTS = 200  # single steps that are drawn of a group
STATISTICS = ("n", "people", "mean", "sd", "5 %", "median", "95 %")
TESTS = ("best fit", "p", "normal?")  # columns, where there are steps enough
LEAST_FOR_TAILS = 20  # steps; with fewer a twentieth is less than one
RATIO_DIGITS = 3  # of a ratio of forces, behind the point
CITED = Sentences(
    "Which numbers may be cited?",
    (
        "Required friction: mean, standard deviation (sd), n and people of a condition "
        "and foot, with the name of the quantity and this version.",
        "n counts steps. Steps of one person are alike, so a standard deviation of "
        "few people is no spread between people.",
        "Not the friction of a floor, unless feet slid on it: steps without slip say "
        "what it held at least.",
        "Nothing of steps and trials that are listed as not judged, not read or "
        "doubted.",
    ),
)


@dataclasses.dataclass(frozen=True)
class StudySummary:
    """Summary that the page shows; its size does not grow with the number of trials."""

    trials: int
    failures: list[tuple[str, str]]  # trial and why it couldn't be read
    steps: int
    judged: int
    exclusions: Counter[str]  # reason and number of steps
    bands: dict[Group, Band]
    conditions: list[Condition]
    floors: list[AtLeast]
    events: list[float]  # by force later than in the file, in frames
    chances: list[ChanceRow]
    # name, steps and judged steps of the first trials
    names: list[tuple[str, int, int]]
    # by group: some single values of each quantity
    points: dict[Group, dict[str, list[float]]]
    sources: Counter[str]  # where the RCOF of judged steps is from
    without: Counter[str]  # reason and number of judged steps without RCOF
    doubts: list[tuple[str, str]]  # trial and what is doubted there


class _Tally:
    """Sums over the stored trials, and what is kept of the first ones."""

    def __init__(self) -> None:
        self.trials = self.judged = 0
        self.failures: list[tuple[str, str]] = []
        self.exclusions: Counter[str] = Counter()
        self.bands: dict[Group, Band] = {}
        self.events: list[float] = []
        self.names: list[tuple[str, int, int]] = []
        self.points: dict[Group, dict[str, list[float]]] = {}
        self.sources: Counter[str] = Counter()
        self.without: Counter[str] = Counter()
        self.doubts: list[tuple[str, str]] = []

    def add(self, trial: StoredTrial) -> None:
        """Count one more trial with its steps."""
        self.trials += 1
        if trial.failure:
            self.failures.append((trial.trial, trial.failure))
        self.doubts += [(trial.trial, words) for words in trial.doubts]
        self.events += [event[4] for event in trial.events]
        sound = sum(not step.excluded for step in trial.steps)
        if len(self.names) < MOST_PAGE_ROWS and not trial.failure:
            self.names.append((trial.trial, len(trial.steps), sound))
        for step, curve in zip(trial.steps, trial.curves, strict=True):
            if step.excluded:
                self.exclusions[_plain_reason(step.excluded)] += 1
            else:
                self._add_judged(step, curve)

    def _add_judged(self, step: Step, curve: FloatArray) -> None:
        self.judged += 1
        counted = self.sources if np.isfinite(step.rcof) else self.without
        counted[step.rcof_from] += 1
        groups = groups_of(step)
        self.bands[groups[0]] = self.bands.get(groups[0], Band()).with_curve(curve)
        for one in groups:
            _keep(self.points.setdefault(one, {}), step)


def _plain_reason(words: str) -> str:
    """Leave out numbers and names of plates, so that equal reasons count together."""
    return words.split(":")[0].split(" for ")[0].rstrip("0123456789 ")


def summarise(study: Study, readings: Sequence[Reading] = ()) -> StudySummary:
    """Summarise the stored trials one by one, keeping sums and numbers only."""
    tally = _Tally()
    for trial in study.stored():
        tally.add(trial)
    return StudySummary(
        trials=tally.trials,
        failures=tally.failures,
        steps=tally.judged + tally.exclusions.total(),
        judged=tally.judged,
        exclusions=tally.exclusions,
        bands=tally.bands,
        conditions=conditions(study.steps()),
        floors=at_least(study.steps()),
        events=tally.events,
        chances=chance_rows(study.steps(), readings) if readings else [],
        names=tally.names,
        points=tally.points,
        sources=tally.sources,
        without=tally.without,
        doubts=tally.doubts,
    )


def _keep(values: dict[str, list[float]], step: Step) -> None:
    """Keep what a step required, as long as there are few."""
    for quantity in STEP_QUANTITIES:
        value = getattr(step, quantity)
        kept = values.setdefault(quantity, [])
        if np.isfinite(value) and len(kept) < MOST_POINTS:
            kept.append(value)


def write_results(
    study: Study, readings: Sequence[Reading] = (), made: Made | None = None
) -> Path:
    """Write tables, figures and report into the study's folder; return the page.

    Args:
        study: whose trials are stored.
        readings: of available friction.
        made: how, for the foot of every page, the tables and a file beside them.
    """
    out = study.out
    words = "" if made is None else made.words
    if made is not None:
        _complete(out / MADE_FILE, lambda path: write_made(path, made))
    _complete(out / "steps.csv", lambda path: write_csv(path, study.steps()))
    _complete(
        out / "steps.parquet",
        lambda path: write_parquet(path, study.steps(), made),
    )
    summary = summarise(study, readings)
    _complete(
        out / "conditions.csv", lambda path: write_conditions(path, summary.conditions)
    )
    columns = ("trial", "step", "foot", "sensor", "reason")
    _complete(
        out / "exclusions.csv",
        lambda path: write_table(path, columns, _exclusions(study)),
    )
    if summary.chances:
        _complete(
            out / "chances.csv", lambda path: write_chances(path, summary.chances)
        )
    figures = study_figures(summary)
    pictures = [
        (save_figure(figure, out / f"{name}.png"), caption)
        for name, figure, caption in figures
    ]
    _complete(
        out / "report.pdf",
        lambda path: write_pdf(
            path,
            title="Required friction of a study",
            sections=sections(summary),
            figures=figures,
            foot=words,
            before=[Sentences("What came out", [study_sentence(summary)]), CITED],
            after=[] if made is None else [Sentences("Settings", [made.rules])],
        ),
    )
    pieces = page_pieces(summary, pictures)
    if made is not None:
        pieces += [
            heading("Settings"),
            paragraph(made.rules, "note"),
            paragraph(words, "note"),
        ]
    return write_page(out / "index.html", "Required friction of a study", pieces)


def _complete(path: Path, write: Callable[[Path], Any]) -> None:
    """Write beside the target and move it there.

    A kill leaves the old file or the new one.
    """
    beside = path.with_name(f".{path.name}")
    write(beside)
    os.replace(beside, path)


def _exclusions(study: Study) -> Iterator[Sequence[object]]:
    """List every trial that could not be read and every step that is not judged.

    Each comes with the reason.
    """
    for trial in study.stored():
        if trial.failure:
            yield trial.trial, "", "", "", trial.failure
        yield from (
            (trial.trial, step.step, step.foot, step.sensor, step.excluded)
            for step in trial.steps
            if step.excluded
        )


def study_figures(summary: StudySummary) -> list[tuple[str, Any, str]]:
    """Draw every figure of a study, with its name and caption."""
    figures = []
    for name, (quantity, heads) in zip(
        ("rcof", "push_off", "required"), STEP_QUANTITIES.items(), strict=True
    ):
        figure = conditions_figure(summary.conditions, quantity, summary.points)
        if figure is not None:
            words = (
                f"{heads}, per condition and foot. Bars of fewer than "
                f"{LEAST_FOR_TAILS} steps are interpolated between the outermost ones."
            )
            figures.append((name, figure, words))
    slips = slips_figure(summary.conditions)
    if slips is not None:
        figures.append(
            ("slips", slips, "Steps whose motion is known, by class of slip.")
        )
    if summary.chances:
        figures.append(
            (
                "chances",
                chance_figure(summary.chances),
                "Chance that a step asks for more than was read.",
            )
        )
    together = dict.fromkeys(group._replace(foot="") for group in summary.bands)
    for number, group in enumerate(list(together)[:MOST_CURVES], start=1):
        bands = {
            foot.foot: band
            for foot, band in summary.bands.items()
            if foot._replace(foot="") == group
        }
        caption = (
            "Forces of the ground on the foot, mean and one standard deviation "
            "between steps."
        )
        figures.append(
            (
                f"curves-{number}",
                curves_figure(group.words, bands),
                f"{group.words}: {caption}",
            )
        )
    return figures


def sections(summary: StudySummary) -> list[Section]:
    """List the tables of the report with their sentences.

    The page and the PDF show the same.
    """
    names: list[list[object]] = [list(name) for name in summary.names]
    found = [
        _overview(summary),
        *_required_friction(summary),
        _slips(summary),
        _held(summary),
        _chances(summary),
        Section("Trials", "", ["trial", "steps", "judged"], names),
        _doubts(summary),
        _not_judged(summary),
        _failures(summary),
    ]
    return [one for one in found if one.rows]


def _overview(summary: StudySummary) -> Section:
    frames = np.abs(np.array(summary.events))
    agree = (
        f"{int(np.sum(frames <= 1.0))} of {len(frames)}"
        if len(frames)
        else "no events in the files"
    )
    rows: list[list[object]] = [
        ["trials", summary.trials],
        ["of these not readable", len(summary.failures)],
        ["steps", summary.steps],
        ["of these judged", summary.judged],
        [
            "touchdowns and lift-offs within one frame of those that the files name",
            agree,
        ],
    ]
    return Section("Overview", "", ["", ""], rows)


def _required_friction(summary: StudySummary) -> Iterator[Section]:
    for quantity, heads in STEP_QUANTITIES.items():
        found = [
            (one.group, row)
            for one in summary.conditions
            if (row := one.of(quantity)) is not None
        ][:MOST_PAGE_ROWS]
        tests = any(row.best_fit for _, row in found)
        words = (
            "|shear| / normal force [-]; n: steps; sd: standard deviation of the "
            f"steps; 5 and 95 %: of the steps, from {LEAST_FOR_TAILS} on."
        )
        if tests:
            words += (
                " Best fit: largest p of an Anderson-Darling test (from "
                f"{LEAST_VALUES} steps on), none if all are rejected."
            )
        columns = ["condition", *STATISTICS, *(TESTS if tests else ())]
        rows = [_statistics(group, row)[: len(columns)] for group, row in found]
        yield Section(heads, f"{words}{_origin(summary, quantity)}", columns, rows)


def _origin(summary: StudySummary, quantity: str) -> str:
    """Say what an RCOF is, and how many steps have none; else which rule it is."""
    if quantity == "required":
        return " The largest between 10 and 90 % of the stance."
    if quantity != "rcof":
        return " A local maximum in the second half of the stance."
    words = ""
    if summary.sources:
        words += f" Taken from: {_counted(summary.sources)}."
    if summary.without:
        words += f" Judged steps without RCOF: {_counted(summary.without)}."
    return words


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{words} ({count})" for words, count in sorted(counts.items()))


def _slips(summary: StudySummary) -> Section:
    rows: list[list[object]] = [
        [one.group.words, *one.slips.values()]
        for one in summary.conditions
        if one.group.foot == BOTH and any(one.slips.values())
    ]
    words = "Steps whose motion over the floor is known."
    return Section("Slips", words, ["condition", *CLASSES], rows[:MOST_PAGE_ROWS])


def _held(summary: StudySummary) -> Section:
    words = (
        "A floor under steps that didn't slip held at least what they asked for; "
        "how much more, such steps can't tell."
    )
    names = [
        "floor",
        "shoe",
        "condition",
        "steps",
        "held at least",
        "slides",
        "friction of slides",
    ]
    rows = [list(map(_ratio, one)) for one in summary.floors[:MOST_PAGE_ROWS]]
    return Section("What the floors held", words, names, rows)


def _chances(summary: StudySummary) -> Section:
    words = (
        "95 % intervals; they hold for independent steps. Instruments don't "
        "agree: a chance is that instrument's."
    )
    names = ["surface", "person", "foot", "steps", "readings"]
    names += ["chance", "low", "high", "instrument"]
    rows = [[getattr(one, name) for name in names] for one in summary.chances]
    return Section("Chance of a slip", words, names, rows[:MOST_PAGE_ROWS])


def _not_judged(summary: StudySummary) -> Section:
    rows: list[list[object]] = [
        [reason, count] for reason, count in sorted(summary.exclusions.items())
    ]
    words = "One reason each; every step with its own is in exclusions.csv."
    return Section("Steps that aren't judged", words, ["reason", "steps"], rows)


def _doubts(summary: StudySummary) -> Section:
    rows: list[list[object]] = [list(one) for one in summary.doubts[:MOST_PAGE_ROWS]]
    return Section("Trials that are doubted", "", ["trial", "what"], rows)


def _ratio(value: object) -> object:
    """Write a known ratio of forces with the digits that it has."""
    known = isinstance(value, float) and np.isfinite(value)
    return f"{value:.{RATIO_DIGITS}f}" if known else value


def _failures(summary: StudySummary) -> Section:
    rows: list[list[object]] = [list(one) for one in summary.failures[:MOST_PAGE_ROWS]]
    return Section("Trials that couldn't be read", "", ["trial", "why"], rows)


def _statistics(group: Group, row: Distribution) -> list[object]:
    normal = (
        ""
        if np.isnan(row.normal_p)
        else "rejected"
        if row.normal_refused
        else "not rejected"
    )
    enough = row.steps >= LEAST_FOR_TAILS
    numbers = (
        row.mean,
        row.deviation,
        row.q05 if enough else np.nan,
        row.median,
        row.q95 if enough else np.nan,
    )
    tests = [row.best_fit, row.best_p, normal]
    people = row.people or None  # unknown where no step names its person
    return [group.words, row.steps, people, *map(_ratio, numbers), *tests]


def study_sentence(summary: StudySummary) -> str:
    """Summarise in plain words what a study read, judged and found."""
    feet = [one for one in summary.conditions if one.group.foot == BOTH]
    means = [row.mean for one in feet if (row := one.of("rcof")) is not None]
    slips = sum((Counter(one.slips) for one in feet), Counter())
    words = (
        f"{summary.trials - len(summary.failures)} of {summary.trials} trials "
        "were read and "
    )
    words += f"{summary.judged} of {summary.steps} steps judged."
    ends = sorted({f"{mean:.2f}" for mean in (min(means), max(means))}) if means else []
    if ends:
        words += (
            f" Mean RCOF of a condition: {' to '.join(ends)} (of {len(means)} of "
            f"{len(feet)} conditions)."
        )
    slipped = slips.total() - slips[CLASSES[0]]
    return words + (
        f" Of {slips.total()} steps with known motion {slipped} slipped."
        if slips
        else ""
    )


def page_pieces(
    summary: StudySummary, pictures: Sequence[tuple[bytes, str]]
) -> list[str]:
    """Assemble the study's page: tables first, then pictures."""
    pieces = [paragraph(study_sentence(summary)), heading(CITED.heading)]
    pieces += [paragraph(words) for words in CITED.sentences]
    for title, words, columns, rows in sections(summary):
        pieces += [
            heading(title),
            *([paragraph(words, "note")] if words else []),
            table(columns, rows),
        ]
    pieces.append(heading("Figures"))
    return pieces + [picture(png, words) for png, words in pictures]
