# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C, termination or a closed terminal leave one sentence, the shell's exit code
and no process."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from biped_slip.cli import BIPED_SLIP, COMMANDS, main, options
from biped_slip.simulation.planar.scenario import chosen_scenario


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("place", ["declare", "run"])
def test_an_interruption_is_one_word_and_the_shells_exit_code(
    command, place, monkeypatch, capsys
):
    def interrupted(*_):
        raise KeyboardInterrupt

    module = BIPED_SLIP.module(command)
    runs = "run" if hasattr(module, "run") else command.replace("-", "_")
    monkeypatch.setattr(
        options, "declare", interrupted if place == "declare" else lambda *_: None
    )
    monkeypatch.setattr(module, runs, interrupted)
    assert main([command]) == 130
    assert capsys.readouterr().err.strip() == "interrupted"


WALKS = (
    "import sys; from biped_slip.cli import main; print('here', flush=True); "
    "sys.exit(main(sys.argv[1:]))"
)


def listening():
    """Programs that a shell starts in the background are deaf to Ctrl-C, and so would
    be what they start."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # and with `nohup` to this


LONG = 600.0  # [s] of a walk that nobody waits for
BUSY = {
    "a walk": ("walk", "--scenario", "long.yaml"),
    "walks side by side": (
        "campaign",
        "--scenario",
        "long.yaml",
        "--seeds",
        "40",
        "--limit",
        "none",
        "--workers",
        "2",
    ),
    "nodes": ("walk", "--scenario", "thesis", "--over-topics", "lockstep"),
}


@contextlib.contextmanager
def busy(what, folder):
    """The command at work, in a session of its own; it has said that its interpreter is
    up."""
    (folder / "long.yaml").write_text(
        yaml.safe_dump({**chosen_scenario("thesis").to_mapping(), "duration": LONG})
    )
    words = (sys.executable, "-c", WALKS, *BUSY[what])
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(
        words, cwd=folder, start_new_session=True, preexec_fn=listening, **pipes
    ) as process:
        assert process.stdout.readline() == "here\n"
        yield process


def processes_of(session):
    """Those that run (no zombies), by their command lines."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state, _, _, of = (
                (entry / "stat").read_text().rpartition(")")[2].split()[:4]
            )
            if int(of) == session and state != "Z":
                found.append((entry / "cmdline").read_text().replace("\0", " "))
    return found


def stay(session):
    """Those that do not end by themselves: who keeps books of shared memory, e.g.,
    needs a moment after its master."""
    for _ in range(100):
        if not processes_of(session):
            break
        time.sleep(0.1)
    return processes_of(session)


@pytest.mark.parametrize("what", ["a walk", "walks side by side"])
@pytest.mark.parametrize("after", [0.2, 2.0])
def test_an_interrupted_process_says_no_more_than_that(what, after, tmp_path):
    """As a terminal does it: the signal goes to the whole group, workers among them."""
    with busy(what, tmp_path) as process:
        time.sleep(after)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate()
    assert "Traceback" not in said
    assert process.returncode == 130
    assert said.strip().splitlines()[-1] == "interrupted"


@pytest.mark.parametrize("what", ["walks side by side", "nodes"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_who_is_ended_from_outside_ends_what_it_has_started(what, number, tmp_path):
    """The signal goes to the command alone, as from `kill` or a service manager."""
    if what == "nodes":
        pytest.importorskip("rclpy")
    with busy(what, tmp_path) as process:
        while process.poll() is None and len(processes_of(process.pid)) < 3:
            time.sleep(0.05)
        process.send_signal(number)
        _, said = process.communicate()
    assert stay(process.pid) == []
    assert process.returncode == 128 + number
    # the keeper of semaphores may have a word after it
    assert f"ended by {number.name}" in said.splitlines()
    assert "Traceback" not in said
