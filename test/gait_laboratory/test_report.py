# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The report of a study says which of its numbers may be cited, and cuts no word."""

import dataclasses
import math

import numpy as np
import pytest
from recordings.c3d_files import two_steps, written

from biped_slip.gait_laboratory.statistics import BOTH, conditions
from biped_slip.gait_laboratory.step import Step, TrialInfo
from biped_slip.gait_laboratory.study import StoredTrial, Study, StudyTrial
from biped_slip.gait_laboratory.study_report import (
    CITED,
    Section,
    TablePages,
    sections,
    study_sentence,
    summarise,
)
from biped_slip.gait_laboratory.trial import GaitSettings

UNKNOWN_CURVES = np.full((4, 101), np.nan)


@dataclasses.dataclass
class OneTrial:
    """A study of one trial with these steps."""

    walked: list[Step]
    doubts: tuple[str, ...] = ()

    def stored(self):
        yield StoredTrial(
            trial="walk",
            steps=tuple(self.walked),
            curves=(UNKNOWN_CURVES,) * len(self.walked),
            events=(),
            failure="",
            doubts=self.doubts,
        )

    def steps(self):
        return iter(self.walked)


def steps_with(ratios, person="P01", floor="steel"):
    """Left steps with these RCOF; NaN has the reason of a missing maximum."""
    return [
        Step(
            trial="walk",
            person=person,
            floor=floor,
            foot="left",
            required=0.3,
            rcof=ratio,
            rcof_from="weight acceptance" if math.isfinite(ratio) else "no maximum",
        )
        for ratio in ratios
    ]


def table_of(study, heading):
    return next(one for one in sections(summarise(study)) if heading in one.heading)


def written_words(section):
    """All words of a PDF's pages with this table."""
    pages = TablePages("title")
    pages.add(section)
    return " ".join(text.get_text() for page in pages.pages for text in page.texts)


def test_the_people_of_a_quantity_are_those_whose_steps_have_it():
    walked = steps_with([0.2, 0.21]) + steps_with([math.nan], person="P02")
    found = {one.group.foot: one for one in conditions(walked)}[BOTH]
    assert found.of("rcof").people == 1
    assert found.of("required").people == 2


def test_people_without_a_name_are_not_counted_as_one():
    study = OneTrial(steps_with([0.2, 0.21], person=""))
    assert conditions(study.steps())[0].of("rcof").people == 0
    table = table_of(study, "RCOF")
    assert table.rows[0][table.columns.index("people")] is None


def test_steps_without_rcof_are_counted_with_their_reason():
    """A floor on which no step has one does not vanish without a word."""
    walked = steps_with([0.2, 0.21]) + steps_with([math.nan] * 3, floor="ice")
    study = OneTrial(walked)
    words = table_of(study, "RCOF").words
    assert "weight acceptance (2)" in words
    assert "Judged steps without RCOF: no maximum (3)" in words
    assert "0.20 to 0.21" not in study_sentence(summarise(study))
    assert "(of 1 of 2 conditions)" in study_sentence(summarise(study))


@pytest.mark.parametrize(("count", "stated"), [(19, False), (20, True)])
def test_a_twentieth_of_the_steps_is_stated_from_twenty_steps_on(count, stated):
    values = np.linspace(0.2, 0.3, count)
    table = table_of(OneTrial(steps_with(values)), "RCOF")
    low = table.rows[0][table.columns.index("5 %")]
    assert (low == "0.205") is stated
    assert stated or math.isnan(low)


@pytest.mark.parametrize(("count", "tests"), [(7, False), (8, True)])
def test_columns_of_tests_stand_where_steps_are_enough_for_one(count, tests):
    table = table_of(OneTrial(steps_with(np.linspace(0.2, 0.3, count))), "RCOF")
    assert ("best fit" in table.columns) is tests
    assert ("Anderson" in table.words) is tests
    assert {len(row) for row in table.rows} == {len(table.columns)}


def test_ratios_have_three_digits_whatever_their_size():
    table = table_of(OneTrial(steps_with([0.0123456, 0.0123456, 0.3])), "RCOF")
    first = dict(zip(table.columns, table.rows[0], strict=True))
    assert first["mean"] == "0.108"
    assert first["median"] == "0.012"


def test_no_word_of_a_long_cell_is_cut_from_the_pdf():
    reason = "the file holds " + " ".join(f"word{n}" for n in range(40))
    section = Section("Trials", "", ["trial", "why"], [["a.c3d", reason]])
    found = written_words(section)
    assert all(word in found for word in reason.split())


def test_a_long_table_of_long_cells_stays_above_the_foot_of_its_pages():
    rows = [[f"trial {n}", "reason " * 40] for n in range(30)]
    pages = TablePages("title")
    pages.add(Section("Trials", "", ["trial", "why"], rows))
    heights = [text.get_position()[1] for page in pages.pages for text in page.texts]
    assert len(pages.pages) > 1
    assert min(heights) > 0.05
    names = [text.get_text() for page in pages.pages for text in page.texts]
    assert [f"trial {n}" for n in range(30)] == [
        name for name in names if name[:6] == "trial "
    ]


def test_a_doubted_trial_is_named_in_the_report(tmp_path):
    """Both axes of shear ten times too large: 1.79 and more, which no floor gives."""
    force = two_steps()
    for first in (0, 6):
        force[:, first : first + 2] *= 10.0
    file = written(tmp_path / "odd.c3d", force)
    sound = written(tmp_path / "sound.c3d", two_steps())
    trials = [StudyTrial(path, None, TrialInfo(path.stem)) for path in (file, sound)]
    study = Study(trials, tmp_path / "out", GaitSettings())
    study.run()
    table = table_of(study, "doubted")
    assert {row[0] for row in table.rows} == {"odd"}
    assert "required friction of" in written_words(table)


def test_the_rules_of_citing_stand_on_the_first_page():
    pages = TablePages("title")
    pages.sentences(CITED.heading, CITED.sentences)
    found = " ".join(text.get_text() for text in pages.pages[0].texts)
    assert all(words in found for words in CITED.sentences)
