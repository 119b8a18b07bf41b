# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Third-party recordings of known friction, and the parts of a replay."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from biped_slip.cli import main
from biped_slip.friction_estimation.slip_based import SlipBasedEstimator
from biped_slip.friction_estimation.types import EstimateState, FootMeasurement
from biped_slip.recordings.foot_settings import slip_config
from biped_slip.recordings.layout import read_layouts
from biped_slip.recordings.replay import FIELDS, estimates, replay
from biped_slip.recordings.tables import read_table_recording

CONFIGS = Path(__file__).parents[2] / "config" / "recordings"


def replayed(recordings, source, name, estimator="slip"):
    series, processing = read_table_recording(
        recordings / source / name, read_layouts(CONFIGS / f"{source}.yaml")
    )
    return replay(series[0], processing, estimator)


def known_mu(contacts):
    return np.array(
        [contact.mu_median for contact in contacts if contact.mu_median is not None]
    )


def all_slips(result):
    return [slip for contact in result.contacts for slip in contact.slips]


def test_a_real_block_that_slides_back_and_forth_has_its_published_sliding_friction(
    recordings,
):
    result = replayed(recordings, "friction_models", "test_data_2_t0-107.5.txt")
    slips = all_slips(result)
    assert len(result.contacts) == 1
    assert result.contacts[0].mu_median == pytest.approx(0.464, abs=0.02)
    assert np.median([slip.mu for slip in slips]) == pytest.approx(0.464, abs=0.02)
    assert result.contacts[0].peak_ratio == pytest.approx(0.512, abs=0.001)
    assert {slip.source for slip in slips} == {"motion"}
    assert len(slips) >= 47, "one slide a stroke, and there are 47 reversals"


def test_a_velocity_table_of_the_same_source_slides_at_its_coulomb_level(recordings):
    result = replayed(recordings, "friction_models", "test_data_1.csv")
    assert result.contacts[0].mu_median == pytest.approx(0.151, abs=0.01)


@pytest.mark.parametrize(
    ("source", "name", "span", "mu", "found_by"),
    [
        ("lcd", "ATLAS_21k_02ground.csv.gz", (0.0, 1e9), 0.10, "force-plateau"),
        (
            "lcd",
            "NAO_13k_mixedFriction_rows0-6799.csv.gz",
            (10.73, 29.5),
            0.05,
            "motion",
        ),
        (
            "lcd",
            "NAO_13k_mixedFriction_rows0-6799.csv.gz",
            (31.22, 48.9),
            0.30,
            "motion",
        ),
        (
            "lcd",
            "NAO_13k_mixedFriction_rows0-6799.csv.gz",
            (50.21, 67.44),
            0.05,
            "motion",
        ),
        ("pce", "ATLAS_01ground.csv.gz", (0.0, 1e9), 0.10, "force-plateau"),
        (
            "pce",
            "ATLAS_01ground_003slip_rows0-10999.csv.gz",
            (0.0, 6.9),
            0.10,
            "force-plateau",
        ),
        (
            "pce",
            "ATLAS_01ground_003slip_rows0-10999.csv.gz",
            (8.0, 10.9),
            0.03,
            "force-plateau",
        ),
    ],
)
def test_simulated_humanoid_feet_show_the_cap_of_their_floor(
    recordings, source, name, span, mu, found_by
):
    result = replayed(recordings, source, name)
    contacts = [
        contact
        for contact in result.contacts
        if span[0] <= contact.start and contact.end <= span[1]
    ]
    mus = known_mu(contacts)
    assert np.median(mus) == pytest.approx(mu, abs=0.01)
    assert np.mean(np.abs(mus - mu) <= 0.01) >= 0.8, (
        "single contacts agree too, not only their median"
    )
    assert {slip.source for contact in contacts for slip in contact.slips} == {found_by}


@pytest.mark.parametrize(
    ("source", "name", "mu"),
    [
        ("lcd", "ATLAS_21k_02ground.csv.gz", 0.10),
        ("pce", "ATLAS_01ground.csv.gz", 0.10),
    ],
)
def test_without_measured_motion_the_interval_is_not_identifiable_until_the_foot_slides(
    recordings, source, name, mu
):
    result = replayed(recordings, source, name, "interval")
    assert np.isnan(result.series.displacement).all()
    assert np.median(known_mu(result.contacts)) == pytest.approx(mu, abs=0.01)
    slid = replayed(recordings, source, name, "slip").answers[:, FIELDS.index("mu")]
    words, mus = (
        result.answers[:, FIELDS.index(field)] for field in ("state_code", "mu")
    )
    silent = np.isin(words, [EstimateState.SETTLING, EstimateState.NOT_IDENTIFIABLE])
    spoken = np.isin(words, [EstimateState.USABLE, EstimateState.SLIPPING])
    assert np.isnan(slid[words == EstimateState.NOT_IDENTIFIABLE]).all()
    assert np.isnan(mus[silent]).all()
    assert spoken.sum() > 1000
    np.testing.assert_array_equal(mus[spoken], slid[spoken])


def test_an_uncalibrated_foot_sensor_gives_contacts_without_ratio_or_friction(
    recordings,
):
    result = replayed(recordings, "pce", "GO1_slippery_surface.csv.gz")
    assert len(result.contacts) > 5
    assert all(
        contact.peak_ratio is None and contact.mu_median is None
        for contact in result.contacts
    )


def test_the_compiled_loop_gives_what_single_steps_give(recordings):
    layouts = read_layouts(CONFIGS / "lcd.yaml")
    series, processing = read_table_recording(
        recordings / "lcd" / "ATLAS_10k_05ground.csv.gz", layouts
    )
    estimator = SlipBasedEstimator(slip_config(series[0], processing))
    fast = estimates(estimator, series[0])[0][:1500]
    state = estimator.initial_state()
    table = series[0].table()
    stamps = series[0].stamp_ns
    for index in range(1500):
        dt = float((stamps[index] - stamps[max(index - 1, 0)]) * 1e-9)
        state, answer = estimator.step(
            state, FootMeasurement(int(stamps[index]), *table[index]), dt
        )
        assert np.array_equal(
            np.array(answer, dtype=float), fast[index], equal_nan=True
        )


def piece(series, window):
    """Cut a stretch of a series; its stances are to be found anew."""
    names = (
        "stamp_ns",
        "force",
        "moment",
        "displacement",
        "velocity",
        "angular_rate",
        "pressure",
    )
    parts = {name: getattr(series, name)[window] for name in names}
    return dataclasses.replace(series, **parts, standings=None)


def test_a_recording_in_pieces_gives_the_same_answers(recordings):
    layouts = read_layouts(CONFIGS / "lcd.yaml")
    series, processing = read_table_recording(
        recordings / "lcd" / "ATLAS_10k_05ground.csv.gz", layouts
    )
    estimator = SlipBasedEstimator(slip_config(series[0], processing))
    whole, _ = estimates(estimator, series[0])
    reached = None
    pieces = []
    for window in (slice(0, 777), slice(777, 3000), slice(3000, None)):
        answers, reached = estimates(estimator, piece(series[0], window), reached)
        pieces.append(answers)
    assert np.array_equal(np.concatenate(pieces), whole, equal_nan=True)


def test_the_thesis_estimator_replays_through_the_same_interface(recordings):
    result = replayed(
        recordings, "friction_models", "test_data_2_t0-107.5.txt", "thesis"
    )
    assert result.answers.shape == (len(result.series.stamp_ns), len(FIELDS))
    assert len(all_slips(result)) >= 47, "slips are found whatever the estimator"


def test_a_resumed_replay_leaves_out_what_its_table_has(tmp_path):
    file = tmp_path / "contacts.csv"
    assert main(["replay", "slide", "--csv", str(file)]) == 0
    assert (
        main(["replay", "slide", "gone.c3d", "walk", "--csv", str(file), "--resume"])
        == 1
    )
    rows = file.read_text().splitlines()
    assert sum("slide.csv" in row for row in rows) == 17
    assert sum("walk.csv" in row for row in rows) > 5
    assert sum(row.startswith("gone.c3d") for row in rows) == 1
    assert sum(row.startswith("file,") for row in rows) == 1
    assert (
        main(["replay", "slide", "gone.c3d", "walk", "--csv", str(file), "--resume"])
        == 0
    )
    assert file.read_text().splitlines() == rows


def test_the_command_writes_json_and_a_picture(recordings, tmp_path, capsys):
    file = recordings / "pce" / "ATLAS_01ground.csv.gz"
    arguments = ["replay", str(file), "--config", str(CONFIGS / "pce.yaml")]
    code = main(
        [
            *arguments,
            "--json",
            str(tmp_path / "a.json"),
            "--picture",
            str(tmp_path / "a.png"),
        ]
    )
    assert code == 0
    (record,) = json.loads((tmp_path / "a.json").read_text())["results"]
    assert set(record["contacts"][0]) >= {
        "start",
        "end",
        "peak_ratio",
        "mu_median",
        "mu_low",
        "mu_high",
        "usable_from",
        "slips",
    }
    slip = next(slip for contact in record["contacts"] for slip in contact["slips"])
    assert set(slip) == {"start", "end", "mu", "source"}
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert "ATLAS_01ground" in capsys.readouterr().out
