# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a user gets: exit codes, JSON, CSV and the report."""

import csv
import json
import re
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest

import biped_slip as bs
from biped_slip.cli import main
from biped_slip.recordings.answer import CSV_COLUMNS

CONFIGS = Path(__file__).parents[2] / "config" / "recordings"
LAYOUT = """
layouts:
  - name: made
    rate: 1000.0
    width: 3
    feet: [{name: left, force_x: {column: 1, unit: N}, force_y: {column: 2, unit: N}, normal: {column: 3, unit: N}}]
"""


@pytest.fixture
def made(tmp_path):
    """A table of five stances on mu = 0.3 of which the last two slide, turning, and its
    layout."""
    time = np.arange(0.0, 5.0, 1e-3)
    share = time % 1.0 / 0.6
    load = np.where(share < 1.0, 600.0 * (1.0 - 0.6 * share), 0.0)
    wanted = np.where(time > 3.0, 0.7, 0.05) * share**2 * 600.0
    tangential = np.where(load > 0.0, np.minimum(wanted, 0.3 * load), 0.0)
    table = np.column_stack(
        [-tangential * np.cos(share), tangential * np.sin(share), load]
    )
    np.savetxt(tmp_path / "made.csv", table, delimiter=",", fmt="%.9g")
    (tmp_path / "made.yaml").write_text(LAYOUT)
    return tmp_path


def replay(folder, *arguments):
    return main(["replay", *map(str, arguments), "--config", str(folder / "made.yaml")])


def test_slides_are_answered_with_their_mu_and_the_others_with_null(made):
    assert replay(made, made / "made.csv", "--json", made / "a.json") == 0
    (record,) = json.loads((made / "a.json").read_text())["results"]
    assert [contact["mu_median"] is None for contact in record["contacts"]] == [
        True,
        True,
        True,
        False,
        False,
    ]
    assert [
        contact["mu_median"] for contact in record["contacts"][3:]
    ] == pytest.approx([0.3, 0.3], abs=0.002)
    assert record["summary"]["slip_count"] == 2
    assert record["summary"]["contacts"] == 5


def test_standard_output_carries_nothing_but_json_when_asked(made, capsys):
    assert replay(made, made / "made.csv", "--json", "-") == 0
    assert len(json.loads(capsys.readouterr().out)["results"][0]["contacts"]) == 5


def test_one_bad_file_among_good_ones_gives_exit_code_1_and_the_other_answers(
    made, capsys
):
    assert (
        replay(made, made / "nowhere.csv", made / "made.csv", "--csv", made / "a.csv")
        == 1
    )
    assert "nowhere.csv: can't be read" in capsys.readouterr().err
    with (made / "a.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert "can't be read" in rows[0]["refusal"], "a file that fails is a line, too"
    assert [row["slip_count"] for row in rows[1:]] == ["0", "0", "0", "1", "1"]
    assert rows[1]["mu_median"] == ""


def test_only_bad_files_give_exit_code_2(made):
    assert replay(made, made / "nowhere.csv") == 2
    assert replay(made, made / "nowhere.csv", made / "nor_here.csv") == 2


def test_a_table_without_layout_names_the_remedy(made, capsys):
    assert main(["replay", str(made / "made.csv")]) == 2
    assert "need --config: a YAML file" in capsys.readouterr().err


def test_the_report_is_one_page_that_loads_nothing_and_answers_the_questions(made):
    assert replay(made, made / "made.csv", "--report", made / "report") == 0
    page = (made / "report" / "made.csv.html").read_text(encoding="utf-8")
    assert not re.findall(r'(?:src|href)="(?!data:)', page)
    for question in (
        "How slippery",
        "How close to slipping",
        "When did it slip",
        "In how many contacts",
    ):
        assert question in page
    assert page.count("<img") >= 2
    assert "force-plateau" in page
    assert (made / "report" / "made.csv.left.png").read_bytes().startswith(b"\x89PNG")


def test_replaying_twice_gives_the_same_bytes(made):
    written = []
    for _ in range(2):
        assert replay(made, made / "made.csv", "--json", made / "a.json") == 0
        written.append((made / "a.json").read_bytes())
    assert written[0] == written[1]


@pytest.mark.slow
def test_the_interval_estimator_contains_the_published_friction_of_sliding_feet(
    recordings, tmp_path
):
    source = recordings / "lcd" / "NAO_13k_mixedFriction_rows0-6799.csv.gz"
    options = [
        "--config",
        str(CONFIGS / "lcd.yaml"),
        "--estimator",
        "interval",
        "--json",
        str(tmp_path / "a.json"),
    ]
    assert main(["replay", str(source), *options]) == 0
    contacts = json.loads((tmp_path / "a.json").read_text())["results"][0]["contacts"]
    known = [
        c
        for c in contacts
        if 31.2 < c["start"] and c["end"] < 48.9 and c["mu_low"] is not None
    ]
    assert len(known) > 3
    assert np.mean([c["mu_low"] <= 0.302 <= 1.05 * c["mu_high"] for c in known]) >= 0.7


def test_a_stance_that_the_recording_cuts_off_is_left_out_of_the_summary(made):
    normal = np.zeros(3000)
    # a whole stance, and one that the end cuts off
    normal[500:1500] = 500.0
    normal[2000:] = 500.0
    force = np.where(np.arange(3000) < 1800, 0.2, 0.4) * normal
    np.savetxt(
        made / "cut.csv",
        np.column_stack([-force, 0.0 * force, normal]),
        delimiter=",",
        fmt="%.9g",
    )
    assert replay(made, made / "cut.csv", "--json", made / "a.json") == 0
    (record,) = json.loads((made / "a.json").read_text())["results"]
    assert [contact["cut_off"] for contact in record["contacts"]] == [False, True]
    assert [contact["required"] for contact in record["contacts"]] == pytest.approx(
        [0.2, 0.4]
    )
    assert (
        record["summary"]["required_median"]
        == record["summary"]["required_largest"]
        == pytest.approx(0.2)
    )
    assert record["summary"]["cut_off"] == 1


def test_an_index_leads_to_the_page_of_every_recording_and_names_what_was_not_read(
    made,
):
    (made / "b & c.csv").write_bytes((made / "made.csv").read_bytes())
    files = [made / "made.csv", made / "b & c.csv", made / "nowhere.csv"]
    assert replay(made, *files, "--report", made / "pages") == 1
    page = (made / "pages" / "index.html").read_text()
    assert "nowhere.csv: can&#x27;t be read" in page
    targets = re.findall(r'href="([^"]+)"', page)
    assert len(targets) == 2
    assert all((made / "pages" / unquote(target)).is_file() for target in targets)


def test_a_layout_that_is_shipped_goes_by_its_name(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text(
        "Time,Velocity,Normal,Friction\n"
        + "".join(f"{0.01 * i},0.1,100.0,15.0\n" for i in range(50))
    )
    assert main(["replay", str(file), "--config", "friction_models"]) == 0


def test_an_answer_has_the_columns_of_its_table_and_a_short_text(made):
    answer = bs.replay_file(made / "made.csv", made / "made.yaml")
    assert answer["foot"].tolist() == ["left"] * 5
    assert answer["mu_median"][3:] == pytest.approx([0.3, 0.3], abs=0.002)
    assert np.isnan(answer["mu_median"][:3]).all()
    assert answer["slip_count"].tolist() == [0, 0, 0, 1, 1]
    assert len(answer) == 5
    assert list(answer.names) == CSV_COLUMNS
    lines = repr(answer).splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 160
    with pytest.raises(bs.BipedSlipError, match="unknown column 'mue'"):
        answer["mue"]


def test_states_are_members_of_their_enumeration(made):
    time = np.arange(0.0, 1.0, 1e-3)
    columns = {
        "time": time,
        "force_x": -100.0 * time,
        "force_normal": np.full(1000, 700.0),
        "displacement_x": 0.0 * time,
    }
    table = bs.estimate_friction(columns)
    assert set(map(type, table["state"])) == {bs.EstimateState}
    assert [int(state) for state in table["state"]] == table["state_code"].tolist()
    assert any(state.name in repr(table).splitlines()[-1] for state in bs.EstimateState)
