# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Required friction by its rule: closed forms, what the rule leaves out, and an
independent reading of real files."""

import math

import numpy as np
import pytest
from scipy.signal import medfilt

from biped_slip.gait_laboratory.required_friction import (
    RequiredFrictionConfig,
    required_friction,
)
from biped_slip.gait_laboratory.step import TrialInfo
from biped_slip.gait_laboratory.trial import GaitSettings, analyse
from biped_slip.recordings.gait import Overrides
from biped_slip.recordings.judge.force_ratio import on_slope
from biped_slip.recordings.registry import read_recording

RULE = RequiredFrictionConfig()
SHARE = np.linspace(0.0, 1.0, 701)
TIME = 0.7 * SHARE


def stance(acceptance=0.2, push_off=0.25, lateral=0.0, weight=700.0):
    """A step whose ratio has one maximum while braking, at 12 %, and one while pushing,
    at 88 %."""
    normal = weight * np.sin(np.pi * SHARE) ** 0.5
    ratio = -acceptance * np.exp(-(((SHARE - 0.12) / 0.05) ** 2)) + push_off * np.exp(
        -(((SHARE - 0.88) / 0.05) ** 2)
    )
    return np.column_stack([ratio * normal, lateral * ratio * normal, normal])


def test_both_maxima_are_found_where_they_are():
    found = required_friction(TIME, stance(), RULE)
    assert found.acceptance.ratio == pytest.approx(0.2, abs=1e-4)
    assert found.acceptance.share == pytest.approx(0.12, abs=5e-4)
    assert found.push_off.ratio == pytest.approx(0.25, abs=1e-4)
    assert found.push_off.share == pytest.approx(0.88, abs=5e-4)
    assert found.acceptance.shear / found.acceptance.normal == pytest.approx(
        0.2, abs=1e-4
    )


def test_the_resultant_counts_the_lateral_shear_and_the_fore_aft_value_does_not():
    found = required_friction(TIME, stance(lateral=0.75), RULE)
    assert found.acceptance.ratio == pytest.approx(0.2 * 1.25, abs=2e-5)
    assert found.acceptance_fore_aft.ratio == pytest.approx(0.2, abs=2e-5)
    assert found.push_off_fore_aft.ratio == pytest.approx(0.25, abs=2e-5)


def test_a_spike_of_the_first_contact_does_not_count():
    force = stance()
    force[:8, 0] += [
        9.0,
        9.0,
        8.0,
        7.0,
        5.0,
        3.0,
        2.0,
        1.0,
    ]  # forward, on a small normal force
    assert required_friction(TIME, force, RULE).acceptance.ratio == pytest.approx(
        0.2, abs=1e-3
    )


@pytest.mark.parametrize(("bump", "right"), [(0.07, math.nan), (0.4, 0.4)])
def test_a_bump_below_a_ratio_that_grows_to_the_edge_is_no_push_off(bump, right):
    # the ratio grows to 0.2 at the last admitted sample; a bump at 60 % that stays
    # below is a stray one, one above it is the maximum
    normal = 700.0 * np.ones_like(SHARE)
    grows = 0.2 * np.clip((SHARE - 0.8) / 0.2, 0.0, None)
    ratio = grows + bump * np.exp(-(((SHARE - 0.6) / 0.03) ** 2))
    force = np.column_stack([ratio * normal, 0.0 * normal, normal])
    found = required_friction(TIME, force, RULE)
    assert found.push_off.ratio == pytest.approx(right, abs=1e-3, nan_ok=True)
    assert found.push_off_fore_aft.ratio == pytest.approx(right, abs=1e-3, nan_ok=True)


def test_a_ratio_that_grows_to_the_edge_has_no_maximum():
    normal = 700.0 * np.sin(np.pi * SHARE)
    force = np.column_stack([0.8 * (SHARE - 0.5) * normal, 0.0 * normal, normal])
    found = required_friction(TIME, force, RULE)
    assert math.isnan(found.acceptance.ratio)
    assert math.isnan(found.push_off.ratio)
    assert found.largest.normal == pytest.approx(found.least_normal, rel=0.01)


def test_a_child_and_an_adult_of_the_same_gait_need_the_same_friction():
    adult, child = (
        required_friction(TIME, stance(weight=weight), RULE) for weight in (900.0, 90.0)
    )
    assert child.acceptance.ratio == pytest.approx(adult.acceptance.ratio, abs=1e-9)
    assert child.push_off.ratio == pytest.approx(adult.push_off.ratio, abs=1e-9)


def test_noise_does_not_lift_the_maximum():
    rng = np.random.default_rng(3)
    found = [
        required_friction(
            TIME, stance() + rng.normal(0.0, 2.0, (len(TIME), 3)), RULE
        ).acceptance.ratio
        for _ in range(100)
    ]
    assert np.mean(found) == pytest.approx(0.2, abs=0.003)


def test_standing_on_a_ramp_asks_for_its_tangent():
    level = np.tile([0.0, 0.0, 700.0], (len(TIME), 1))
    turned = on_slope(level, math.radians(10.0))
    assert turned[:, 0] / turned[:, 2] == pytest.approx(math.tan(math.radians(10.0)))
    assert np.linalg.norm(turned, axis=1) == pytest.approx(700.0)


# ---- independent reading of real files
# -----------------------------------------------------------------------------


def plates_by_ezc3d(path):
    """Force of each plate in the laboratory, offsets removed, and its walking axis,
    without the package's readers."""
    ezc3d = pytest.importorskip("ezc3d")
    content = ezc3d.c3d(str(path), extract_forceplat_data=True)
    rate = float(content["header"]["analogs"]["frame_rate"])
    forces = []
    for plate in content["data"]["platform"]:
        force = np.array(plate["force"]).T
        empty = force[force[:, 2] < np.quantile(force[:, 2], 0.2) + 10.0]
        forces.append(force - np.median(empty, axis=0))
    return rate, forces


def maximum(ratio, allowed):
    """Largest value that is higher than what lies 0.01 below it on both sides, by going
    downhill sample by sample."""
    best = math.nan
    for i in np.flatnonzero(allowed):
        falls = []
        for way in (-1, 1):
            j = i
            while (
                0 <= j < len(ratio)
                and np.isfinite(ratio[j])
                and ratio[i] - 0.01 < ratio[j] <= ratio[i]
            ):
                j += way
            falls.append(0 <= j < len(ratio) and ratio[j] <= ratio[i] - 0.01)
        if all(falls) and not ratio[i] <= best:
            best = ratio[i]
    return best


def by_hand(force, axis, sign, rate):
    """RCOF at weight acceptance and push-off of the one stance on a plate."""
    normal = force[:, 2]
    on = np.flatnonzero(normal > 20.0)
    runs = np.split(on, np.flatnonzero(np.diff(on) > 1) + 1)
    longest = max(runs, key=len)
    part = force[longest[0] : longest[-1] + 1]
    share = np.linspace(0.0, 1.0, len(part))
    enough = part[:, 2] >= min(100.0, 0.15 * part[:, 2].max())
    ratio = np.hypot(part[:, 0], part[:, 1]) / part[:, 2]
    # single samples of fast channels are noise
    ratio = medfilt(ratio, 5) if rate > 500.0 else ratio
    ratio = np.where(enough, ratio, np.nan)
    along = sign * part[:, axis]
    return maximum(ratio, enough & (share <= 0.25) & (along < 0)), maximum(
        ratio, enough & (share >= 0.5) & (along > 0)
    )


@pytest.mark.parametrize(
    ("name", "axis", "sign"),
    [
        ("btk_c3d/PiG_Motion3_noFF.c3d", 1, 1.0),
        ("btk_c3d/Eb015pr.c3d", 1, 1.0),
        ("btk_c3d/type-2a.c3d", 0, 1.0),
        ("btk_c3d/type-4a.c3d", 0, 1.0),
        ("opensim/walking2.c3d", 0, 1.0),
    ],
)
def test_rcof_of_real_steps_agrees_with_a_reading_by_hand(recordings, name, axis, sign):
    recording = read_recording(recordings / name, None, Overrides())
    assert f"forward is {'+' if sign > 0 else '-'}{'xyz'[axis]}" in " ".join(
        recording.series[0].provenance
    )
    steps = analyse(recording, TrialInfo(name), GaitSettings()).steps
    rate, forces = plates_by_ezc3d(recordings / name)
    compared = 0
    for step in steps:
        if step.excluded:
            continue
        acceptance, push_off = by_hand(
            forces[int(step.sensor.split()[-1]) - 1], axis, sign, rate
        )
        assert step.rcof_acceptance == pytest.approx(acceptance, abs=0.005, nan_ok=True)
        assert step.rcof_push_off == pytest.approx(push_off, abs=0.005, nan_ok=True)
        compared += 1
    assert compared >= 1


def test_rcof_of_a_force_file_agrees_with_a_reading_by_hand(recordings):
    path = recordings / "opensim" / "gait10dof18musc_subject01_walk_grf.mot"
    lines = path.read_text().splitlines()
    begin = next(k for k, line in enumerate(lines) if line.strip() == "endheader") + 1
    names = lines[begin].split()
    data = np.array(
        [line.split() for line in lines[begin + 1 :] if line.strip()], dtype=float
    )
    time = data[:, names.index("time")]
    feet = {
        "right": [names.index(f"ground_force_v{axis}") for axis in "xzy"],
        "left": [names.index(f"1_ground_force_v{axis}") for axis in "xzy"],
    }
    steps = analyse(
        read_recording(path, None, Overrides()), TrialInfo("mot"), GaitSettings()
    ).steps
    judged = [step for step in steps if not step.excluded]
    assert [step.foot for step in judged] == ["right", "left"]
    for step in judged:
        window = (time >= step.touchdown_s - 0.05) & (time <= step.lift_off_s + 0.05)
        acceptance, _ = by_hand(
            data[window][:, feet[step.foot]] * [1.0, -1.0, 1.0], 0, 1.0, 588.0
        )
        assert step.rcof_acceptance == pytest.approx(acceptance, abs=0.005)
