# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the machine refuses, a full disk or a folder below a file, is one sentence and
exit code 2."""

import errno
import importlib
import os

import pytest

from biped_slip.cli import main

NAME = "view"


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/dev/full"),
            "/dev/full: No space left on device",
        ),
        (
            NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), "a/b"),
            "a/b: Not a directory",
        ),
        (
            FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)),
            "No such file or directory",
        ),
        (
            OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG), "x" * 300),
            "File name too long",
        ),
        (MemoryError(), "out of memory"),
    ],
)
def test_a_refusal_of_the_machine_is_one_sentence(monkeypatch, capsys, error, sentence):
    def failing(*_):
        raise error

    module = importlib.import_module(f"biped_slip.cli.{NAME.replace('-', '_')}")
    monkeypatch.setattr(module, "run", failing)
    assert main([NAME]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"biped-slip {NAME}: ")
    assert sentence in said
    assert said.count("\n") == 1
