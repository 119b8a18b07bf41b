# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What most tests of nodes need: the other side of a node."""

import pytest


@pytest.fixture
def partner(ros):
    from ros.partner import Partner

    made = Partner()
    yield made
    made.close()


@pytest.fixture
def bridge(ros):
    """Make bridges to a robot that is played; all are closed."""
    from ros.unitree_partner import Bridge

    made = []

    def start(played, /, **parameters):
        made.append(Bridge(played, **parameters))
        return made[-1]

    yield start
    for one in made:
        one.close()
