# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Mutants are wrong in one place each, and the tests of a target are asked about every
one of them."""

import ast
from pathlib import Path

from studies.mutation import (
    EQUIVALENT,
    KILLED,
    SURVIVED,
    TARGETS,
    mutants,
    source_of,
    trial,
)

SOURCE = '''
LIMIT = 3.0


def beyond(x, n=2):
    """Words stay."""
    if x > LIMIT and n >= 0:
        return max(x, 1.0) + n
    return -x
'''
ROOT = Path(__file__).parents[3]


def test_each_mutant_is_another_program_and_differs_in_one_place():
    found = list(mutants(SOURCE))
    texts = {mutant.source for mutant in found}
    whole = ast.unparse(ast.parse(SOURCE))
    assert len(texts) == len(found) >= 12
    assert whole not in texts
    for mutant in found:
        pairs = zip(whole.splitlines(), mutant.source.splitlines(), strict=True)
        assert sum(one != other for one, other in pairs) == 1, mutant
        assert "LIMIT = 3.0" in mutant.source
        assert "Words stay." in mutant.source
    assert {
        "Gt to GtE",
        "Gt to LtE",
        "And to Or",
        "max to min",
        "Add to Sub",
        "USub dropped",
    } <= {m.what for m in found}


def test_a_wrong_module_is_noticed_by_its_tests_and_the_right_one_is_not(tmp_path):
    """In processes of their own: this one's module stays what it is."""
    test = tmp_path / "test_limits.py"
    test.write_text(
        "import numpy as np\n"
        "from biped_slip.control.supervisor import all_within\n"
        "def test_it():\n"
        "    assert all_within(np.ones(2), np.ones(2))\n"
    )
    name = "biped_slip.control.supervisor"
    source, path = source_of(name)
    assert trial({name: (source, path)}, [str(test)], 120.0) == SURVIVED
    assert "<= limits[i]:" in source
    wrong = source.replace("<= limits[i]:", "< limits[i]:")
    assert trial({name: (wrong, path)}, [str(test)], 120.0) == KILLED


def test_every_target_and_every_line_that_is_excused_is_there():
    sources = ""
    for target in TARGETS.values():
        sources += "".join(source_of(module)[0] for module in target.modules)
        assert all((ROOT / test).is_file() for test in target.tests)
    for line, _, why in EQUIVALENT:
        assert line in sources
        assert why
