# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a network is shown: scales, limits, and the order of the instants before."""

import math

import numpy as np
import pytest

from biped_slip.errors import InvalidParameter
from biped_slip.walking.policy_observation import (
    instant_at_rest,
    observed,
    row_of,
    seen_at,
    shown,
    with_instant,
)

TERMS = ("command_turn", "joint_position")
REST = instant_at_rest(2, (0.0,))


def at(number):
    """An instant whose numbers say which they are: turn n, joints 10 n, 10 n + 1."""
    return REST._replace(
        command=np.array([0.0, 0.0, number]),
        joint_position=10.0 * number + np.arange(2.0),
    )


def rows(how, numbers):
    """The rows of successive instants."""
    past = None
    found = []
    for number in numbers:
        past = with_instant(how, past, seen_at(how, at(number)))
        found.append(row_of(how, past).tolist())
    return found


def test_a_command_is_shown_whole_or_in_its_two_parts():
    now = REST._replace(command=np.array([0.5, 0.1, -0.2]))
    assert observed(("command",), now).tolist() == [0.5, 0.1, -0.2]
    parts = observed(("command_turn", "command_linear"), now)
    assert parts.tolist() == [-0.2, 0.5, 0.1]


def test_a_term_is_multiplied_by_one_number_or_by_one_each():
    scales = {"command": (2.0, 2.0, 0.25), "joint_position": (0.1,)}
    how = shown(("command", "joint_position"), scales, REST)
    now = at(4.0)._replace(command=np.array([0.5, 0.1, 0.8]))
    np.testing.assert_allclose(seen_at(how, now), [1.0, 0.2, 0.2, 4.0, 4.1])


def test_a_wrong_number_of_factors_is_refused_in_one_sentence():
    with pytest.raises(InvalidParameter) as refused:
        shown(("command",), {"command": (2.0, 2.0)}, REST)
    assert str(refused.value) == (
        "scales.command is [2.0, 2.0], but must be one number, or 3; correct it"
    )


def test_every_number_is_clipped_after_its_scale():
    how = shown(TERMS, {"command_turn": (3.0,)}, REST, limit=5.0)
    assert seen_at(how, at(2.0)).tolist() == [5.0, 5.0, 5.0]
    assert seen_at(how, at(-1.0)).tolist() == [-3.0, -5.0, -5.0]


def test_a_history_by_term_shows_all_instants_of_the_first_term_first():
    how = shown(TERMS, {}, REST, frames=3, by_term=True)
    assert how.size == 9
    first, second, *_, last = rows(how, [1.0, 2.0, 3.0, 4.0])
    assert first == [1, 1, 1, 10, 11, 10, 11, 10, 11]  # the first one repeated
    assert second == [1, 1, 2, 10, 11, 10, 11, 20, 21]
    assert last == [2, 3, 4, 20, 21, 30, 31, 40, 41]


def test_a_history_by_frame_shows_whole_instants_and_zeros_before_the_first():
    how = shown(TERMS, {}, REST, frames=3, by_term=False)
    first, second, *_, last = rows(how, [1.0, 2.0, 3.0, 4.0])
    assert first == [0, 0, 0, 0, 0, 0, 1, 10, 11]
    assert second == [0, 0, 0, 1, 10, 11, 2, 20, 21]
    assert last == [2, 20, 21, 3, 30, 31, 4, 40, 41]


@pytest.mark.parametrize("by_term", [True, False])
def test_a_history_of_one_instant_is_the_instant(by_term):
    how = shown(TERMS, {}, REST, frames=1, by_term=by_term)
    assert rows(how, [1.0, 2.0]) == [[1, 10, 11], [2, 20, 21]]


def test_phases_are_shown_as_cosines_and_sines():
    now = REST._replace(phases=np.array([0.0, math.pi / 2]))
    found = observed(("cosine_of_phases", "sine_of_phases"), now)
    np.testing.assert_allclose(found, [1, 0, 0, 1], atol=1e-15)
