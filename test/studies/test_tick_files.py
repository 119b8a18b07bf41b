# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A traced tick counts calls by file, and how often one file leads to another."""

from biped_slip.control.supervisor import idle, power_limit
from biped_slip.control.whole_body.dcm import natural_rate
from studies.tick_files import traced


def test_a_call_counts_for_its_file_and_a_change_where_the_next_is_in_another():
    def calls():
        power_limit(700.0, 0.9)
        natural_rate(0.9, 9.81)
        idle(4)
        idle(4)

    found = traced(calls)
    supervisor = "control/supervisor.py"
    dcm = "control/whole_body/dcm.py"
    assert found.calls == {supervisor: 3, dcm: 1}
    assert found.changes == 2
    assert found.between == {f"{supervisor} -> {dcm}": 1, f"{dcm} -> {supervisor}": 1}
