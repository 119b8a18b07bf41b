# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The licences that are listed are those that the distributions say."""

from email.message import Message

import pytest

from studies.licences import LONGEST, UNSAID, licence_of, rows


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ([("License-Expression", "MIT"), ("License", "else")], "MIT"),
        (
            [
                ("Classifier", "License :: OSI Approved :: BSD License"),
                ("License", "else"),
            ],
            "BSD License",
        ),
        ([("License", "Apache 2.0\nwith | more")], "Apache 2.0"),
        ([("License", "x" * 500)], "x" * LONGEST),
        ([], UNSAID),
    ],
)
def test_a_licence_is_the_most_exact_that_is_said(fields, said):
    message = Message()
    for name, value in fields:
        message[name] = value
    assert licence_of(message) == said


def test_what_is_installed_is_listed_once_and_this_package_is_not():
    from importlib import metadata

    names = [name for name, _, _ in rows(metadata.distributions())]
    assert len(set(names)) == len(names) > 20
    assert "numpy" in names
    assert not {"biped_slip", "biped-slip"} & set(names)
