# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Torques go to a robot only while everything that they need is there."""

import math

import pytest

from biped_slip.robots.unitree.arming import (
    FOREIGN_MEMORY,
    LOST_COMMANDS,
    LOST_STATE,
    SECOND_WRITER,
    Arming,
    ArmingConfig,
    armed,
    deadline,
    ended,
    refusal,
)

CONFIG = ArmingConfig(commands=True)
NOW = 100.0
FRESH = Arming(state_at=NOW)


def test_it_can_be_armed_with_parameter_and_fresh_state():
    assert refusal(FRESH, NOW, CONFIG) == ""


@pytest.mark.parametrize(
    ("arming", "config", "sentence"),
    [
        (FRESH, ArmingConfig(), "parameter commands"),
        (Arming(), CONFIG, "no good state"),
        (Arming(state_at=NOW - 0.021), CONFIG, "no good state"),
        (FRESH._replace(foreign_at=NOW - 0.5), CONFIG, "another writer"),
    ],
)
def test_each_thing_that_is_missing_is_a_refusal_with_its_remedy(
    arming, config, sentence
):
    assert sentence in refusal(arming, NOW, config)


def test_a_writer_that_has_stopped_forbids_nothing():
    earlier = NOW - FOREIGN_MEMORY - 0.01
    assert refusal(FRESH._replace(foreign_at=earlier), NOW, CONFIG) == ""


def test_nothing_ends_that_is_not_armed():
    assert ended(Arming(), NOW, CONFIG) is None
    assert deadline(Arming(), CONFIG) == math.inf


def test_commands_may_take_their_time_to_begin_but_not_to_go_on():
    waiting = armed(FRESH)
    later = waiting._replace(state_at=NOW + 10.0)
    assert ended(later, NOW + 10.0, CONFIG) is None
    driven = later._replace(command_at=NOW + 10.0)
    still = driven._replace(state_at=NOW + 10.021)
    assert ended(driven, NOW + 10.017, CONFIG) is None
    assert ended(still, NOW + 10.021, CONFIG).name == LOST_COMMANDS


def test_what_ends_it_is_named():
    driven = armed(FRESH)._replace(command_at=NOW)
    assert ended(driven, NOW + 0.021, CONFIG).name == LOST_STATE
    foreign = driven._replace(foreign_at=NOW)
    assert ended(foreign, NOW, CONFIG).name == SECOND_WRITER


def test_the_deadline_is_when_the_first_limit_passes():
    driven = armed(FRESH)._replace(command_at=NOW - 0.005)
    first = deadline(driven, CONFIG)
    assert first == pytest.approx(NOW + 0.013)
    assert ended(driven, first - 1e-6, CONFIG) is None
    assert ended(driven, first + 1e-6, CONFIG) is not None


def test_arming_again_forgets_the_commands_before():
    driven = armed(FRESH)._replace(command_at=NOW - 50.0)
    damped = driven._replace(armed=False)
    assert ended(armed(damped), NOW, CONFIG) is None


def test_who_is_armed_already_is_not_armed_anew():
    """Else whoever asks again when commands have ended keeps the last torques on."""
    driven = armed(FRESH)._replace(command_at=NOW)
    asked_again = armed(driven)
    assert asked_again == driven
    late = NOW + CONFIG.command_limit + 1e-3
    assert (
        ended(asked_again._replace(state_at=late), late, CONFIG).name == LOST_COMMANDS
    )


def test_damping_is_due_early_enough_to_be_out_within_20_ms():
    """The bridge wakes at the deadline; to wake and to write took up to 1.0 ms."""
    waiting = Arming(armed=True, state_at=NOW, command_at=NOW)
    due = deadline(waiting, ArmingConfig())
    assert due - NOW <= 0.020 - 0.001
    assert ended(waiting, NOW + 0.019, ArmingConfig()).name == LOST_STATE
