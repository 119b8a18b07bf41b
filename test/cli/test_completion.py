# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a shell is offered for a command line that is not typed to its end."""

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("biped-slip wa", {"walk"}),
        ("biped-slip gait st", {"study"}),
        ("biped-slip walk --sen", {"--sensors"}),
        ("biped-slip zz", set()),
    ],
)
def test_a_shell_is_offered_what_fits(line, offered, tmp_path):
    answer = tmp_path / "offered"
    subprocess.run(
        [sys.executable, "-m", "biped_slip"],
        env={
            **os.environ,
            "_ARGCOMPLETE": "1",
            "_ARGCOMPLETE_IFS": "\n",
            "_ARGCOMPLETE_STDOUT_FILENAME": str(answer),
            "COMP_LINE": line,
            "COMP_POINT": str(len(line)),
        },
        timeout=60,
    )
    words = {word.split(":")[0].strip() for word in answer.read_text().split("\n")}
    assert words - {""} == offered
