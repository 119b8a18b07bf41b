# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Steps of real recordings: what is judged, what is refused and why, weight, events,
and no slip on any dry floor."""

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest

from biped_slip.cli import main
from biped_slip.gait_laboratory.activity import activity
from biped_slip.gait_laboratory.opensim_forces import write_opensim_forces
from biped_slip.gait_laboratory.step import TrialInfo
from biped_slip.gait_laboratory.trial import GaitSettings, analyse, analyse_file
from biped_slip.recordings.gait import HUMAN_GAIT, Overrides, Recording
from biped_slip.recordings.gait_events import gait_events
from biped_slip.recordings.judge.spoiled import inside_by, off_the_plate
from biped_slip.recordings.markers import NO_MARKERS, Markers
from biped_slip.recordings.plate_series import plate_series
from biped_slip.recordings.registry import read_recording
from synthetic.slipping_steps import Walker, slipping_step

CONFIGS = Path(__file__).parents[2] / "config" / "recordings"
WITH_MARKERS = [
    "btk_c3d/PiG_Motion3_noFF.c3d",
    "btk_c3d/type-2a.c3d",
    "btk_c3d/type-4a.c3d",
    "opensim/walking2.c3d",
]


def analysed(recordings, name, config=None, **info):
    path = config and CONFIGS / f"{config}.yaml"
    return analyse(
        read_recording(recordings / name, path, Overrides()),
        TrialInfo(name, **info),
        GaitSettings(),
    )


def judged(found):
    return [step for step in found.steps if not step.excluded]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("btk_c3d/PiG_Motion3_noFF.c3d", [0.305, 0.305, 0.340]),
        ("btk_c3d/Eb015pr.c3d", [0.129, 0.181]),
        ("opensim/walking2.c3d", [0.297]),
        ("opensim/gait10dof18musc_subject01_walk_grf.mot", [0.243, 0.252]),
    ],
)
def test_the_rule_of_the_middle_of_the_stance_gives_the_published_numbers(
    recordings, name, expected
):
    assert [
        step.required for step in judged(analysed(recordings, name))
    ] == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize("name", WITH_MARKERS)
def test_no_dry_step_slips(recordings, name):
    steps = judged(analysed(recordings, name))
    assert steps
    assert [(step.motion_from, step.slip_class, step.slips) for step in steps] == [
        ("markers", "none", 0)
    ] * len(steps)


def test_events_agree_with_those_of_the_file_within_a_frame(recordings):
    frames = [
        event.frames
        for event in analysed(recordings, "btk_c3d/PiG_Motion3_noFF.c3d").agreement
    ]
    assert len(frames) == 6
    # The file has one lift-off 2.4 frames earlier, where the plate still reads 86 N.
    assert sorted(np.abs(frames))[:5] == pytest.approx(np.zeros(5), abs=0.5)
    assert max(frames) == pytest.approx(2.4, abs=0.2)


@pytest.mark.parametrize(
    ("name", "config", "weight", "within"),
    [
        (
            "opensim/gait10dof18musc_subject01_walk_grf.mot",
            None,
            712.2,
            0.01,
        ),  # a stride; 72.6 kg
        (
            "pycgm/Sample_Static.c3d",
            None,
            781.28,
            0.001,
        ),  # quiet stance; mean of the plate
        ("bmclab/PDS13OR1grf.txt.gz", "bmclab", 640.9, 0.01),  # quiet stance; 65.35 kg
        (
            "btk_c3d/PiG_Motion3_noFF.c3d",
            None,
            709.0,
            0.01,
        ),  # two steps; 2.3 % below the mass that was typed in
    ],
)
def test_weight_over_a_stride_or_quiet_stance(recordings, name, config, weight, within):
    assert analysed(recordings, name, config).steps[0].weight_n == pytest.approx(
        weight, rel=within
    )


def test_standing_and_running_are_named_and_not_judged(recordings):
    for name, config, what in (
        ("bmclab/PDS13OR1grf.txt.gz", "bmclab", "standing"),
        ("pycgm/Sample_Static.c3d", None, "standing"),
        ("bmclab/grf_run.mot", None, "running"),
    ):
        steps = analysed(recordings, name, config).steps
        assert {step.activity for step in steps} == {what}
        assert all(step.excluded and math.isnan(step.rcof) for step in steps)


def test_two_feet_on_one_plate_and_a_foot_partly_off_are_refused_with_the_reason(
    recordings,
):
    (standing,) = analysed(recordings, "pycgm/Sample_Static.c3d").steps
    assert "two feet on one plate" in standing.excluded
    left, right = analysed(recordings, "opensim/walking2.c3d").steps
    assert "heel marker is 16 cm beyond the edge" in left.excluded
    assert not right.excluded
    assert math.isnan(right.weight_n)  # the other plate didn't carry all of its foot
    assert "partly off" in right.weight_from


def test_a_stance_that_the_recording_cuts_off_is_refused(recordings):
    steps = analysed(recordings, "opensim/gait10dof18musc_subject01_walk_grf.mot").steps
    cut = [step.step for step in steps if "cut off by the" in step.excluded]
    assert cut == [1, 2, 5]


def test_a_clipping_channel_spoils_its_plate(recordings):
    recording = read_recording(
        recordings / "btk_c3d" / "PiG_Motion3_noFF.c3d", None, Overrides()
    )
    series = dataclasses.replace(recording.series[1], clipped=(3,))
    clipping = dataclasses.replace(
        recording, series=(recording.series[0], series, recording.series[2])
    )
    steps = analyse(clipping, TrialInfo("clips"), GaitSettings()).steps
    assert [bool(step.excluded) for step in steps] == [False, True, False]
    assert steps[1].excluded.startswith("channel 3 of plate 2 clips")


def test_a_robot_gives_the_same_table(recordings):
    steps = analysed(
        recordings,
        "gem_valkyrie/valkyrie_rows0-7999.csv.gz",
        "gem_valkyrie_truth",
        subject="robot",
    ).steps
    assert [step.foot for step in steps] == ["left", "right"] * 3
    assert steps[2].weight_n == pytest.approx(1317.7, rel=0.005)
    assert [step.rcof_from for step in steps if not step.excluded] == [
        "required friction of a flat foot"
    ] * 3


def test_slides_of_a_robot_measure_its_floor(recordings):
    steps = analysed(
        recordings,
        "lcd/NAO_13k_mixedFriction_rows0-6799.csv.gz",
        "lcd",
        subject="robot",
    ).steps
    slid = [step.slip_friction for step in steps if step.slips]
    assert len(slid) >= 10
    assert np.median(slid) == pytest.approx(0.05, abs=0.002)


def test_insoles_give_steps_and_weight_but_no_required_friction(tmp_path):
    time = np.arange(0.0, 5.0, 0.01)
    feet = [
        np.maximum(np.sin(np.pi * ((time + shift) % 1.0) / 0.6), 0.0) * 700.0
        for shift in (0.0, 0.5)
    ]
    feet = [
        np.where((time + shift) % 1.0 < 0.6, foot, 0.0)
        for foot, shift in zip(feet, (0.0, 0.5), strict=True)
    ]
    path = tmp_path / "insoles.csv"
    np.savetxt(
        path,
        np.column_stack([time, *feet]),
        delimiter=",",
        header="time,left,right",
        comments="",
    )
    recording = read_recording(path, CONFIGS / "insoles.yaml", Overrides())
    steps = analyse(
        recording, TrialInfo("insoles", subject="insoles"), GaitSettings()
    ).steps
    whole = [step for step in steps if not step.excluded]
    assert {step.foot for step in whole} == {"left", "right"}
    assert whole[0].stance_s == pytest.approx(0.58, abs=1e-3)
    assert whole[0].weight_n == pytest.approx(
        700.0 * 2.0 * 0.6 * 2.0 / math.pi, rel=1e-3
    )
    assert all(
        math.isnan(step.rcof) and step.rcof_from == "an insole measures no shear"
        for step in whole
    )


def test_a_bag_gives_the_same_steps_as_the_table_it_was_made_from(recordings, tmp_path):
    pytest.importorskip("rosbags")
    table = str(recordings / "gem_valkyrie" / "valkyrie_rows0-7999.csv.gz")
    config = str(CONFIGS / "gem_valkyrie_truth.yaml")
    bag = str(tmp_path / "walk.mcap")
    assert main(["convert", table, bag, "--config", config]) == 0
    info = TrialInfo("walk", subject="robot")
    settings = GaitSettings()
    from_bag = analyse_file(bag, f"{bag}.yaml", Overrides(), info, settings).steps
    from_table = analyse_file(table, config, Overrides(), info, settings).steps
    assert [step.foot for step in from_bag] == [step.foot for step in from_table]
    for one, other in zip(from_bag, from_table, strict=True):
        assert one.stance_s == pytest.approx(other.stance_s, abs=0.005)
        assert one.required == pytest.approx(other.required, abs=1e-6, nan_ok=True)


def test_forces_for_opensim_ask_for_the_same_friction(recordings, tmp_path):
    path = recordings / "btk_c3d" / "PiG_Motion3_noFF.c3d"
    recording = read_recording(path, None, Overrides())
    info = TrialInfo("PiG")
    written = tmp_path / "pig.mot"
    assert write_opensim_forces(written, recording, info) == 3
    again = analyse(
        read_recording(written, None, Overrides()), info, GaitSettings()
    ).steps
    first = analyse(recording, info, GaitSettings()).steps
    assert [step.foot for step in again] == [step.foot for step in first]
    for one, other in zip(again, first, strict=True):
        assert one.rcof_push_off == pytest.approx(other.rcof_push_off, abs=1e-3)
        assert one.rcof_acceptance == pytest.approx(other.rcof_acceptance, abs=1e-3)


@pytest.mark.parametrize(
    ("duration", "duty", "load", "what"),
    [
        (0.65, 0.6, 1.1, "walking"),
        (2.2, math.nan, 1.0, "walking"),
        (0.42, 0.58, 1.3, "walking"),  # a child that hurries
        (0.24, math.nan, math.nan, "running"),
        (0.40, 0.38, 1.4, "running"),
        (0.40, math.nan, 2.2, "running"),
        (5.0, math.nan, 1.0, "standing"),
    ],
)
def test_walking_running_and_standing(duration, duty, load, what):
    assert activity(duration, True, True, duty, load) == what


def test_how_far_inside_an_outline_is_the_distance_to_its_nearest_edge():
    corners = np.array([[0.0, 0.0], [0.6, 0.0], [0.6, 0.4], [0.0, 0.4]])
    points = np.array([[0.3, 0.2], [0.05, 0.2], [0.3, 0.45], [-0.1, 0.2]])
    for turned in (corners, corners[::-1]):
        assert inside_by(turned, points) == pytest.approx([0.2, 0.05, -0.05, -0.1])


def test_a_foot_that_presses_on_the_edge_is_partly_off():
    time = np.linspace(0.0, 0.7, 100)
    outline = np.array(
        [[0.0, 0.0, 0.0], [0.6, 0.0, 0.0], [0.6, 0.4, 0.0], [0.0, 0.4, 0.0]]
    )
    normal = np.full(100, 700.0)
    inside = np.tile([0.3, 0.2], (100, 1))
    assert off_the_plate(time, inside, normal, outline, NO_MARKERS, "left") == ""
    edge = inside.copy()
    edge[:40, 0] = 0.003
    assert "presses on the edge for 40 %" in off_the_plate(
        time, edge, normal, outline, NO_MARKERS, "left"
    )


def test_events_are_read_under_the_names_in_use():
    labels = ["Foot Strike", "Foot Off", "RHS", "LTO", "Left Heel Strike", "General"]
    found = gait_events(
        labels, ["Left", "Right", "", "", "", "Left"], [0.5, 0.4, 0.3, 0.2, 0.1, 0.0]
    )
    assert [(event.kind, event.foot) for event in found] == [
        ("touchdown", "left"),
        ("lift-off", "left"),
        ("touchdown", "right"),
        ("lift-off", "right"),
        ("touchdown", "left"),
    ]


def test_markers_turn_with_the_forces():
    quarter = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    markers = Markers(("LHEE",), 100.0, np.array([[[1.0, 2.0, 3.0]]])).turned(quarter)
    assert markers.position[0, 0] == pytest.approx([2.0, -1.0, 3.0])


def made_up_steps(seed, count, **walker):
    """Steps of made-up walkers, the whole way from plate and markers to the table."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        step = slipping_step(Walker(weight=rng.uniform(500.0, 900.0), **walker), rng)
        series = plate_series("made", [step.plate], step.markers, Overrides("+z", "+x"))
        recording = Recording("made", tuple(series), HUMAN_GAIT, step.markers)
        yield from analyse(recording, TrialInfo(f"made {number}"), GaitSettings()).steps


@pytest.mark.parametrize("rate", [60.0, 120.0, 200.0])
@pytest.mark.parametrize("skin", [0.001, 0.015])
def test_no_dry_step_has_a_friction_of_slides_below_what_it_held(rate, skin):
    """Markers that move by 15 mm under load, at few frames a second: shoes and skin, no
    slides of the floor."""
    steps = list(
        made_up_steps(
            3, 8, mu=0.8, acceptance=0.3, push_off=0.35, marker_rate=rate, skin=skin
        )
    )
    assert sum(not step.excluded for step in steps) >= 6
    for step in steps:
        assert not step.slip_friction < step.held
        assert skin > 0.01 or not step.slips


def test_slides_on_a_slippery_floor_have_its_friction_or_none():
    steps = [step for step in made_up_steps(5, 12, mu=0.1) if not step.excluded]
    slid = [step.slip_friction for step in steps if step.slips]
    known = [value for value in slid if math.isfinite(value)]
    assert len(slid) >= 8
    assert len(known) >= 6
    assert known == pytest.approx([0.1] * len(known), abs=3e-3)
    assert all(not step.slip_friction < step.held for step in steps)
