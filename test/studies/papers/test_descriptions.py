# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The shipped descriptions of the papers' robots are made from the papers' tables."""

import pytest

from biped_slip.robots.description import read_description
from studies.papers.robots import DESCRIPTIONS


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_the_shipped_description_is_what_the_tables_give(name):
    assert read_description(f"urdf/{name}.urdf") == DESCRIPTIONS[name]()
