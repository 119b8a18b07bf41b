# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A slip is motion under a load that no longer rises, and without ``reversals`` not under
one that turns round."""

import math

import numpy as np
import pytest

from biped_slip.friction_estimation.interval.config import SlipConfig
from biped_slip.friction_estimation.slip_detection import (
    detect,
    last_event,
    new_buffers,
    restart_window,
)

MU = 0.4
S_P = 0.8  # [mm] at which a virgin load reaches 95 % of mu
BEND = S_P / math.log(20.0)  # [mm] u = mu (1 - exp(-x/BEND))
BLOCK = 5e-3  # [s]


def bent(ratio):
    """Displacement [mm] of a sole at rest under a rising load."""
    return -BEND * math.log(1.0 - ratio / MU)


def bent_back(high, ratio):
    """Displacement [mm] after a reversal at a load: twice the curve (Masing)."""
    return bent(high) + 2.0 * BEND * math.log(1.0 - 0.5 * (high - ratio) / MU)


def slips(ratios, places, heading=0.0, moments=None, arm=0.0):
    """Judge a way along a direction; which blocks are slips, and the event."""
    slip = new_buffers()
    restart_window(slip)
    config = SlipConfig(moment_arm=arm, reversals=False).packed
    found = []
    for k, (ratio, x) in enumerate(zip(ratios, places, strict=True)):
        c = math.cos(heading)
        s = math.sin(heading)
        moment = 0.0 if moments is None else moments[k]
        found.append(
            bool(
                detect(
                    slip,
                    config,
                    BLOCK * k,
                    ratio * c,
                    ratio * s,
                    moment,
                    x * c,
                    x * s,
                    1e-3,
                    5e-3,
                    S_P,
                )
            )
        )
    return found, last_event(slip)


def loaded(high, low, blocks):
    """A load that rises slowly, and in some blocks becomes another one, for good."""
    up = np.linspace(0.0, high, 60)
    down = np.linspace(high, low, blocks + 1)[1:]
    held = np.full(20, low)
    places = [bent(u) for u in up]
    places += [bent_back(high, u) for u in (*down, *held)]
    return [*up, *down, *held], places


@pytest.mark.parametrize("heading", [0.0, math.pi, 0.7])
@pytest.mark.parametrize("blocks", [2, 3, 4, 6])
@pytest.mark.parametrize("low", [-0.145, -0.2, -0.24])
def test_a_load_that_turns_round_at_once_bends_the_sole_and_is_no_slip(
    low, blocks, heading
):
    """From 0.24 to -0.145 the sole moves by 0.44 s_p along its force, whose ratio has
    fallen: a torso that is righted does so in every step."""
    assert bent(0.24) - bent_back(0.24, low) > 0.3 * S_P
    found, event = slips(*loaded(0.24, low, blocks), heading)
    assert not any(found)
    assert event is None


@pytest.mark.parametrize("low", [0.1, 0.02, -0.01])
def test_a_load_that_is_taken_off_is_no_slip(low):
    found, _ = slips(*loaded(0.3, low, 3))
    assert not any(found)


@pytest.mark.parametrize("heading", [0.0, 2.0])
@pytest.mark.parametrize("turned", [False, True])
def test_a_slide_is_found_in_either_direction(heading, turned):
    """It goes on at 20 mm/s from where the sole was bent to nearly all of mu; after a
    turn, too."""
    sign = -1.0 if turned else 1.0
    if turned:
        ratios, places = loaded(0.3, -0.97 * MU, 30)
    else:
        ratios = list(np.linspace(0.0, 0.97 * MU, 60))
        places = [bent(u) for u in ratios]
    begin = len(ratios)
    slide = 20.0 * BLOCK * np.arange(1, 21)
    ratios += [sign * 0.97 * MU] * len(slide)
    places += [places[begin - 1] + sign * way for way in slide]
    found, event = slips(ratios, places, heading)
    assert not any(found[: begin - 1])
    assert all(found[begin + 4 :])
    assert event is not None
    assert event.kinetic == pytest.approx(0.97 * MU)
    off = event.heading - (heading + (math.pi if turned else 0.0))
    assert math.cos(off) == pytest.approx(1.0)


def test_a_slide_that_turns_slowly_goes_on():
    """The pull turns by 3 degrees a block, by 12 in the window: it still opposes."""
    slip = new_buffers()
    restart_window(slip)
    config = SlipConfig(reversals=False).packed
    x = y = 0.0
    found = []
    for k in range(60):
        angle = math.radians(3.0 * k)
        u_x = MU * math.cos(angle)
        u_y = MU * math.sin(angle)
        found.append(
            bool(detect(slip, config, BLOCK * k, u_x, u_y, 0.0, x, y, 1e-3, 5e-3, S_P))
        )
        x += 0.1 * math.cos(angle)
        y += 0.1 * math.sin(angle)
    assert all(found[5:])


def test_a_moment_that_turns_round_with_its_force_is_no_slip_either():
    ratios, places = loaded(0.24, -0.145, 4)
    moments = [0.05 * u for u in ratios]
    found, _ = slips(ratios, places, moments=moments, arm=0.05)
    assert not any(found)
