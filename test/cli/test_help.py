# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What ``--help`` tells: an example in each command, names as the registries have them,
nothing heavy loaded."""

import argparse
import shlex
import subprocess
import sys

import pytest

from biped_slip.cli import BIPED_SLIP, COMMANDS, Parser, main, options

VERBS = ["trial", "study", "chance"]


def parser_of(command):
    parser = Parser(prog=f"biped-slip {command}")
    options.declare(command, parser)
    return parser


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_examples_that_its_own_arguments_take(command):
    parser = parser_of(command)
    _, _, examples = parser.format_help().partition("examples:\n")
    lines = [
        line.strip()
        for line in examples.splitlines()
        if line.strip().startswith(f"biped-slip {command}")
    ]
    assert lines
    for line in lines:
        parser.parse_args(shlex.split(line)[2:])


def test_every_verb_of_gait_has_an_example():
    verbs = next(
        a
        for a in parser_of("gait")._actions
        if isinstance(a, argparse._SubParsersAction)
    ).choices
    assert list(verbs) == VERBS
    for name, verb in verbs.items():
        assert f"biped-slip gait {name}" in verb.format_help()


def test_one_word_for_one_thing():
    """--picture for what is drawn, --out for where results go, everywhere."""
    for command in COMMANDS:
        words = {
            word
            for action in parser_of(command)._actions
            for word in action.option_strings
        }
        assert not words & {"--pictures", "--output", "--plot", "--folder"}, command


HEAVY = ("numba", "scipy", "matplotlib", "pinocchio", "casadi", "pandas", "viser")


@pytest.mark.parametrize("command", COMMANDS)
def test_no_help_loads_what_computes(command):
    program = (
        "import contextlib, io, sys\nfrom biped_slip.cli import main\n"
        "with contextlib.suppress(SystemExit), "
        "contextlib.redirect_stdout(io.StringIO()):\n"
        f"    main(['{command}', '--help'])\n"
        f"print(*(name for name in {HEAVY} if name in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""


@pytest.mark.parametrize("words", [["samples"], ["record", "x"]])
def test_commands_that_walk_nothing_load_neither_compiler_nor_simulator(words):
    program = (
        "import sys\nsys.modules['rclpy'] = None\nfrom biped_slip.cli import main\n"
        f"main({words})\n"
        "print(*(name for name in sys.modules if name.partition('.')[0] == 'numba' "
        "or name.startswith('biped_slip.simulation')), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stderr.splitlines()[-1] == ""


def test_the_names_in_the_help_are_those_of_the_registries():
    pytest.importorskip("pinocchio")
    from biped_slip.cli import campaign
    from biped_slip.estimation.sole_motion import HUMANOID_SOURCES
    from biped_slip.friction_estimation.registry import DEFAULT, estimator_names
    from biped_slip.gait_laboratory.slip_chance import DEFAULT as USUAL
    from biped_slip.gait_laboratory.slip_chance import METHODS
    from biped_slip.gait_laboratory.step import AXES, FLOAT_FIELDS, SUBJECTS
    from biped_slip.gait_laboratory.study import TRIALS_TABLE
    from biped_slip.recordings.layout import FOLDER
    from biped_slip.recordings.markers import SIGNED_AXES as DIRECTIONS
    from biped_slip.recordings.pulls import COLUMNS
    from biped_slip.recordings.registry import format_names
    from biped_slip.robots.planar_biped import ROOTS
    from biped_slip.shared_files import shared_names
    from biped_slip.simulation.time_series import TABLE_ENDINGS
    from biped_slip.view.server import LOCALHOST, PORT
    from biped_slip.walking.registry import (
        humanoid_controller_names,
        planar_controller_names,
    )
    from biped_slip.walking.slip_policies import DEFAULT_POLICY, slip_policy_names

    assert list(options.FORMATS) == format_names()
    for words, command in (
        ((*planar_controller_names(), *humanoid_controller_names()), "walk"),
        (slip_policy_names(), "walk"),
        (estimator_names(), "replay"),
        (shared_names(FOLDER), "replay"),
    ):
        shown = " ".join(parser_of(command).format_help().split())
        assert all(word in shown for word in words), (command, words)
    assert options.MOTIONS == HUMANOID_SOURCES
    assert options.SIGNED_AXES == DIRECTIONS
    assert options.INTERVALS == tuple(sorted(METHODS))
    assert options.TABLE_ENDINGS == TABLE_ENDINGS
    assert set(options.REQUIRED_RATIOS) == {
        name for name in FLOAT_FIELDS if name == "required" or name.startswith("rcof")
    }
    said = {
        word: parser_of(command).parse_args(given)
        for word, command, given in (
            ("walk", "walk", []),
            ("view", "view", []),
            ("replay", "replay", ["x"]),
            ("gait", "gait", ["chance", "x"]),
        )
    }
    assert said["walk"].limit == DEFAULT_POLICY
    assert said["view"].limit == [DEFAULT_POLICY]
    assert (said["view"].host, said["view"].port) == (LOCALHOST, PORT)
    assert said["replay"].estimator == DEFAULT
    assert (said["gait"].interval, said["gait"].quantity) == (USUAL, "rcof")
    text = " ".join(
        parser_of(name).format_help() for name in ("walk", "campaign", "calibrate-sole")
    )
    text = " ".join(text.split())
    assert "{" + ",".join(sorted(ROOTS)) + "}" in text
    assert ", ".join(COLUMNS) in text
    assert (
        f"number of seeds ({campaign.SEEDS}; humanoids {campaign.HUMANOID_SEEDS})"
        in text
    )
    assert str(campaign.HUMANOID_RESULTS) in text
    verbs = next(
        a
        for a in parser_of("gait")._actions
        if isinstance(a, argparse._SubParsersAction)
    ).choices
    trial = verbs["trial"].format_help()
    assert TRIALS_TABLE in verbs["study"].format_help()
    assert all("{" + ",".join(choices) + "}" in trial for choices in (SUBJECTS, AXES))


def test_every_command_has_something_that_runs_it():
    for command in COMMANDS:
        module = BIPED_SLIP.module(command)
        assert callable(getattr(module, "run", None) or getattr(module, command))


@pytest.mark.parametrize(
    ("words", "nearest"),
    [
        (["wlak"], "'walk'"),
        (["walk", "--robotx", "talos"], "'--robot'"),
        (["walk", "--limitt=none"], "'--limit'"),
        (["gait", "trail", "x.c3d"], "'trial'"),
        (["walk", "--limit", "tochdown"], "'touchdown'"),
        (["view", "--limit", "none", "intervall"], "'interval'"),
    ],
)
def test_a_mistyped_word_is_answered_by_the_nearest_one(words, nearest, capsys):
    assert main(words) == 2
    assert f"did you mean {nearest}?" in capsys.readouterr().err


def test_a_word_like_no_other_gets_no_guess(capsys):
    assert main(["walk", "--zzzz"]) == 2
    assert "did you mean" not in capsys.readouterr().err
