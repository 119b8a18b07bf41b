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
