# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A description of more joints than any walking robot moves is refused at once."""

import pytest

from biped_slip.errors import InvalidParameter
from biped_slip.robots.humanoid import MOST_JOINTS, check_description

LINK = """<link name="link{k}"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="joint{k}" type="{kind}"><parent link="link{before}"/>
<child link="link{k}"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="10" velocity="5"/></joint>"""


def chain(joints, kind="revolute"):
    """A chain of links, one joint after the other."""
    links = [LINK.format(k=k) for k in range(joints + 1)]
    between = [JOINT.format(k=k, before=k - 1, kind=kind) for k in range(1, joints + 1)]
    return f"<robot name='chain'>{''.join(links + between)}</robot>"


@pytest.mark.parametrize("joints", [MOST_JOINTS + 1, 500])
def test_too_many_moving_joints_are_refused_with_what_to_do(joints):
    """Functions of 500 take more than a minute to make, without a word."""
    with pytest.raises(InvalidParameter, match=f"moving joints is {joints}.*lock"):
        check_description(chain(joints), ())


@pytest.mark.parametrize(
    ("joints", "kind"), [(MOST_JOINTS, "revolute"), (500, "fixed")]
)
def test_as_many_as_the_bound_and_any_number_that_do_not_move_pass(joints, kind):
    check_description(chain(joints, kind), ())
