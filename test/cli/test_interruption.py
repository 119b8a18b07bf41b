# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C leaves one sentence and exit code 130, whatever the command was doing."""

import importlib
import os
import signal
import subprocess
import sys

import pytest

from biped_slip.cli import COMMANDS, main


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("place", ["configure", "run"])
def test_an_interruption_is_one_word_and_the_shells_exit_code(command, place, monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    module = importlib.import_module(f"biped_slip.cli.{command.replace('-', '_')}")
    monkeypatch.setattr(module, "configure", lambda parser: None)
    monkeypatch.setattr(module, place, interrupted)
    assert main([command]) == 130
    assert capsys.readouterr().err.strip() == "interrupted"


WALKS = "import sys; from biped_slip.cli import main; print('here', flush=True); sys.exit(main(sys.argv[1:]))"


def listening():
    """Programs that a shell starts in the background are deaf to Ctrl-C, and so would be what they start."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


BUSY = {
    "a walk": ("walk", "--scenario", "thesis"),
    "walks side by side": ("campaign", "--scenario", "thesis", "--seeds", "40", "--limit", "none", "--workers", "2"),
}


@pytest.mark.parametrize("what", BUSY)
@pytest.mark.parametrize("after", [0.2, 2.0])
def test_an_interrupted_process_says_no_more_than_that(what, after, tmp_path):
    """As a terminal does it: the signal goes to the whole group, workers among them."""
    words = (sys.executable, "-c", WALKS, *BUSY[what])
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(words, cwd=tmp_path, start_new_session=True, preexec_fn=listening, **pipes) as process:
        assert process.stdout.readline() == "here\n"
        try:
            process.wait(after)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate()
    assert "Traceback" not in said
    assert process.returncode in (130, 3, 0)  # or it had ended already
    if process.returncode == 130:
        assert said.strip().splitlines()[-1] == "interrupted"
