# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers that pages print beside a quick command are what it prints; those of long
ones say when they were printed."""

import json
import re
from pathlib import Path

import pytest

from biped_slip.cli import main
from biped_slip.friction_laws.registry import friction_law_names

ROOT = Path(__file__).parents[1]
COMMAND = re.compile(r"`((?:biped-slip|make|python|pytest)[^`]*)`")


def text_of(page):
    return (ROOT / page).read_text(encoding="utf-8")


def as_printed(value, text):
    """Whether a number, rounded as it is printed, is the printed one."""
    digits = text.replace(" ", "")
    return f"{round(value, 9) + 0.0:.{len(digits.partition('.')[2])}f}" == digits


def answered(tmp_path, *words):
    """What a command puts into its JSON."""
    file = tmp_path / "out.json"
    assert main([*map(str, words), "--json", str(file)]) == 0
    return json.loads(file.read_text())["results"]


def test_the_sample_that_slides_has_the_friction_that_the_pages_say(tmp_path):
    assert "mu is found to be 0.40" in text_of("docs/start.md")
    found = answered(tmp_path, "replay", "slide")[0]["summary"]["mu_median"]
    assert as_printed(found, "0.40")


BLOCK = re.compile(
    r"^\$ biped-slip (replay [^\n]*?)(?: --report \S+| --picture \S+)*\n(.*?)^```",
    re.MULTILINE | re.DOTALL,
)
STANCE = re.compile(
    r"^ +(\d+) +(\w+) +([\d.]+) … ([\d.]+) s +(?:required|mu) ([\d.]+)", re.MULTILINE
)
FILES = {
    "PiG_Motion3_noFF.c3d": "btk_c3d",
    "gait10dof18musc_subject01_walk_grf.mot": "opensim",
}


@pytest.mark.parametrize("name", FILES)
def test_stances_and_weight_of_a_trial_are_those_on_the_page(
    name, recordings, tmp_path
):
    words, said = next(
        block
        for block in BLOCK.findall(text_of("docs/recordings.md"))
        if name in block[0]
    )
    path = recordings / FILES[name] / name
    found = answered(
        tmp_path, *(path if word == name else word for word in words.split())
    )[0]
    stances = STANCE.findall(said)
    assert len(stances) == 3
    for number, foot, start, end, required in stances:
        contact = found["contacts"][int(number) - 1]
        assert contact["foot"] == foot
        for printed, key in ((start, "start"), (end, "end"), (required, "required")):
            assert as_printed(contact[key], printed), (number, key)
    weight = re.search(r"body weight: ([\d.]+) N", said)[1]
    assert as_printed(found["summary"]["body_weight"], weight)


def test_a_real_contact_slides_at_what_readme_and_page_say(recordings, tmp_path):
    path = recordings / "friction_models/test_data_2_t0-107.5.txt"
    found = answered(tmp_path, "replay", path, "--config", "friction_models")[0][
        "summary"
    ]
    for page in ("README.md", "studies/recordings.md"):
        row = next(line for line in text_of(page).splitlines() if path.name in line)
        assert as_printed(found["mu_median"], re.findall(r"0\.\d+", row)[-1]), page
    assert f"from {found['slip_count']} slides" in text_of("studies/recordings.md")


NAO = re.compile(
    r"in (\d+) of (\d+) contacts: (\d+) within 0.01 of 0.05 .*?, (\d+) within 0.01 of "
    r"0.30 .*?, (\d+) beside both"
)


def test_contacts_of_nao_are_counted_as_the_page_says(recordings, tmp_path):
    path = recordings / "lcd/NAO_13k_mixedFriction_rows0-6799.csv.gz"
    contacts = answered(tmp_path, "replay", path, "--config", "lcd")[0]["contacts"]
    mu = [
        contact["mu_median"] for contact in contacts if contact["mu_median"] is not None
    ]
    low, high = (
        sum(abs(value - floor) <= 0.01 for value in mu) for floor in (0.05, 0.30)
    )
    said = NAO.search(text_of("studies/recordings.md"))
    assert tuple(map(int, said.groups())) == (
        len(mu),
        len(contacts),
        low,
        high,
        len(mu) - low - high,
    )


LAW_ROW = re.compile(
    r"^\| `(\w+)`[^|]*\|[^|]*\|[^|]*\| ([\d. ]+) \| ([\d. ]+) \| ([^|]+) \|",
    re.MULTILINE,
)


@pytest.mark.compiled
@pytest.mark.slow
def test_the_table_of_friction_laws_is_what_contact_laws_prints():
    from biped_slip.contact import free_body

    rows = {
        name: numbers for name, *numbers in LAW_ROW.findall(text_of("docs/contact.md"))
    }
    assert set(rows) == set(friction_law_names())
    for name, printed in rows.items():
        for value, text in zip(free_body.hold_test(name), printed, strict=True):
            if text.strip()[0].isdigit():
                assert as_printed(1e6 * value, text.strip()), (name, text, value)


def test_results_of_the_readme_stand_on_the_page_of_a_study_with_their_command():
    """Each row of the table of results links the study that has the same command; the
    index dates it."""
    index = text_of("studies/README.md")
    rows = [
        line
        for line in text_of("README.md").splitlines()
        if re.search(r"\]\(studies/\w+\.md\)\)\. \|", line)
    ]
    assert len(rows) == 4
    for row in rows:
        page = re.search(r"\((studies/\w+\.md)\)", row)[1]
        assert re.search(rf"\[{Path(page).name}\].*20\d\d-\d\d-\d\d", index), page
        (command,) = COMMAND.findall(row)
        assert command in text_of(page), command


PYTHON = re.compile(
    r"^```python\n(.*?)^```\n\n```\n(.*?)^```", re.MULTILINE | re.DOTALL
)


@pytest.mark.slow
def test_the_python_of_the_readme_prints_what_stands_below_it(capsys):
    code, printed = PYTHON.search(text_of("README.md")).groups()
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out == printed
