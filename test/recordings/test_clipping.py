# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A channel clips where its force goes on without it, not where it has a smooth top."""

import numpy as np
import pytest
from recordings.c3d_files import plates, step_wrench, written

from biped_slip.recordings.c3d import read_c3d
from biped_slip.recordings.plates import clipped
from biped_slip.recordings.registry import read_recording

RATE = 1000.0


def wrench(seed=0, noise=0.0, rate=RATE, weight=700.0):
    """One step (n, 6), the first half second of it without load."""
    clean = step_wrench(rate, weight=weight)
    return clean + np.random.default_rng(seed).normal(0.0, noise, clean.shape)


def at_rest(channels):
    return np.arange(len(channels)) < 0.45 * RATE


def found(channels, **known):
    return clipped(channels, at_rest(channels), **known)


def in_steps(channels, size):
    return np.round(channels / size) * size


@pytest.mark.parametrize("share", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("noise", [0.0, 1e-3, 3e-3])
@pytest.mark.parametrize("column", [0, 2, 4])
def test_an_amplifier_at_its_limit_clips(share, noise, column):
    """A limit of its own somewhere in the converter's range, at half of the force that
    was there or more; noise as a share of the largest force."""
    channels = wrench()
    white = np.random.default_rng(1).normal(0.0, noise, channels.shape)
    channels = channels + white * np.abs(channels).max(axis=0)
    limit = share * np.abs(channels[:, column]).max()
    channels[:, column] = np.clip(channels[:, column], -limit, limit)
    assert column in found(in_steps(channels, 0.02))


@pytest.mark.parametrize("size", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("noise", [0.0, 0.1, 0.3, 0.5, 1.0])
def test_a_smooth_top_in_coarse_numbers_does_not_clip(size, noise):
    """The top of a step stays within one step of resolution for tens of samples."""
    for seed in range(4):
        assert found(in_steps(wrench(seed, noise * size), size)) == []


@pytest.mark.parametrize("factor", [2, 5, 10])
def test_forces_drawn_between_few_samples_or_held_do_not_clip(factor):
    slow = in_steps(wrench(rate=RATE / factor), 0.2)
    fine = np.arange(len(slow) * factor) / factor
    drawn = [np.interp(fine, np.arange(len(slow)), one) for one in slow.T]
    assert found(np.column_stack(drawn)) == []
    assert found(np.repeat(slow, factor, axis=0)) == []


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("counts", [0.1, 0.3, 0.5, 0.7])
def test_a_converter_of_12_bits_in_a_part_of_its_range_does_not_clip(
    tmp_path, seed, counts
):
    """2 to 40 % of the range are used: nothing is near its end."""
    scale = np.array([1000.0, 1000.0, 2000.0, 400.0, 400.0, 200.0]) / 2048.0
    rng = np.random.default_rng(seed)
    stored = step_wrench(RATE) / scale
    stored = stored + rng.normal(0.0, counts, stored.shape) + 2048.0
    changes = {"BITS": 12, "OFFSET": [2048] * 6, "SCALE": scale, "RATE": RATE}
    file = written(
        tmp_path / "a.c3d",
        stored,
        integers=True,
        ANALOG=changes,
        POINT={"RATE": RATE},
        header={"rate": RATE},
    )
    (series,) = read_recording(file).series
    assert series.clipped == ()
    assert not series.standings[0].refusal


@pytest.mark.parametrize("bits", [12, 14, 16])
def test_the_end_of_the_converters_range_clips(tmp_path, bits):
    """The vertical force goes to 1.02 of what the converter gives."""
    top = 2.0 ** (bits - 1) - 1.0
    wanted = step_wrench(RATE)
    scale = np.array([1.0, 1.0, 700.0 / 1.02 / top, 1.0, 1.0, 1.0])
    stored = np.minimum(wanted / scale, top)
    changes = {"BITS": bits, "SCALE": scale, "RATE": RATE}
    file = written(
        tmp_path / "a.c3d",
        stored,
        integers=True,
        ANALOG=changes,
        POINT={"RATE": RATE},
        header={"rate": RATE},
    )
    (series,) = read_recording(file).series
    assert series.clipped == (3,)
    assert "channel 3 of plate 1 clips" in series.standings[0].refusal


def test_the_point_of_application_of_type_1_is_a_place_and_clips_not(tmp_path):
    """In whole millimetres a place that sways by 6 mm stays at its largest value."""
    channels = step_wrench(RATE)
    time = np.arange(len(channels)) / RATE
    loaded = channels[:, 2] > 0.0
    channels[:, 3] = np.where(loaded, 20.0 + 6.0 * np.sin(4.0 * np.pi * time), 0.0)
    channels[:, 4] = np.where(loaded, 100.0 * np.cos(np.pi * time), 0.0)
    channels[:, 3:5] = np.round(channels[:, 3:5])
    units = {"UNITS": ["N", "N", "N", "mm", "mm", "Nm"], "RATE": RATE}
    rates = {"POINT": {"RATE": RATE}, "header": {"rate": RATE}}
    file = written(
        tmp_path / "a.c3d", channels, plates(1, TYPE=[1]), ANALOG=units, **rates
    )
    (plate,) = read_c3d(file).plates
    assert plate.sensing == (0, 1, 2, 5)
    assert read_recording(file).series[0].clipped == ()


def test_a_load_at_rest_is_no_limit_while_nothing_else_moves():
    """A robot that stands bears the same force for seconds, on every channel."""
    ramp = np.clip((np.arange(4000) - 1000) / 200.0, 0.0, 1.0)
    ramp = np.minimum(ramp, np.clip((3000 - np.arange(4000)) / 200.0, 0.0, 1.0))
    channels = np.outer(ramp, [40.0, 10.0, 300.0, 5.0, 20.0, 1.0])
    assert found(channels) == []
