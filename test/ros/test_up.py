# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""`biped-slip up`: programs of one terminal with one log, which end together."""

import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from biped_slip.cli import main
from biped_slip.errors import BipedSlipError
from biped_slip.ros.bringup.parts import Included, LaunchedProgram, LaunchPlan
from biped_slip.ros.bringup.running import opened_log, run

ROOT = Path(__file__).parents[2]
PACKAGE = "others"
#: Waits to be interrupted, takes a while to end, and writes when it has.
WAITS = """
import signal, sys, time
try:
    print("{0} waits", flush=True)
    time.sleep(60.0)
except KeyboardInterrupt:
    time.sleep({1})
    print("{0} ends", flush=True)
"""


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Make a program of another package from Python text."""
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    folder = tmp_path / "lib" / PACKAGE
    folder.mkdir(parents=True)

    def made(name, text, **more):
        file = folder / name
        restored = "import signal\nsignal.signal(2, signal.default_int_handler)\n"
        file.write_text(f"#!{sys.executable}\n{restored}{text}")
        file.chmod(0o755)
        return LaunchedProgram(package=PACKAGE, executable=name, name=name, **more)

    return made


def ran(plan, folder):
    """Exit code and log of a plan."""
    path = folder / "up.log"
    screen = io.StringIO()
    with opened_log(path, screen) as log:
        code = run(plan, log)
    assert screen.getvalue() == path.read_text()
    return code, path.read_text()


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("raise SystemExit(7)", 7, "ended with exit code 7"),
        ("import os; os.kill(os.getpid(), 9)", 137, "was ended by SIGKILL"),
        ("import os; os.kill(os.getpid(), 11)", 139, "was ended by SIGSEGV"),
    ],
)
def test_a_program_that_ends_badly_ends_all_and_its_exit_code_is_kept(
    program, tmp_path, text, code, words
):
    other = program("other", WAITS.format("other", 0.0))
    bad = program("bad", f"import time; time.sleep(1.0)\n{text}")
    found, log = ran(LaunchPlan([other, bad]), tmp_path)
    assert found == code
    assert f"bad {words}" in log
    assert "other ends" in log


def test_one_that_ends_well_ends_no_other_unless_all_end_with_it(program, tmp_path):
    short = program("short", "print('short done')")
    last = program("last", "import time; time.sleep(1.0)", ends_all="it is over")
    other = program("other", WAITS.format("other", 0.0))
    code, log = ran(LaunchPlan([short, last, other]), tmp_path)
    assert code == 0
    assert "last ended: it is over" in log
    assert "other ends" in log
    assert ran(LaunchPlan([short]), tmp_path)[0] == 0


def test_a_program_starts_when_the_one_it_waits_for_has_ended_well(program, tmp_path):
    first = program("first", "import time; time.sleep(0.5); print('first done')")
    later = program("later", "print('later begins')", after="first")
    code, log = ran(LaunchPlan([later, first]), tmp_path)
    assert code == 0
    assert log.index("first done") < log.index("later begins")


def test_a_program_does_not_start_behind_one_that_ended_badly(program, tmp_path):
    first = program("first", "raise SystemExit(1)")
    later = program("later", "print('later begins')", after="first")
    code, log = ran(LaunchPlan([later, first]), tmp_path)
    assert code == 1
    assert "later begins" not in log


def test_who_commands_joints_ends_before_anything_else_is_interrupted(
    program, tmp_path
):
    """Its zero effort needs the others to arrive: it takes half a second here."""
    robot = program("robot", WAITS.format("robot", 0.0))
    controller = program("controller", WAITS.format("controller", 0.5), commands=True)
    last = program("last", "import time; time.sleep(1.5)", ends_all="it is over")
    _, log = ran(LaunchPlan([robot, controller, last]), tmp_path)
    assert log.index("controller ends") < log.index("robot ends")


def test_one_that_does_not_end_is_killed_and_named(program, tmp_path, monkeypatch):
    monkeypatch.setattr("biped_slip.ros.bringup.running.PATIENCE_AT_END", 0.5)
    deaf = program(
        "deaf",
        "signal.signal(2, signal.SIG_IGN)\nimport time; time.sleep(60.0)",
    )
    last = program("last", "import time; time.sleep(1.0)", ends_all="it is over")
    code, log = ran(LaunchPlan([deaf, last]), tmp_path)
    assert code == 0
    assert "deaf did not end in 0.5 s: killed" in log


def test_an_optional_program_that_is_not_installed_is_named_and_left_out(
    program, tmp_path
):
    absent = LaunchedProgram(package="no_such", executable="absent", optional=True)
    module = LaunchedProgram(
        package="biped_slip",
        executable="odom_transform",
        imports=("no_such_messages",),
        optional=True,
    )
    code, log = ran(LaunchPlan([absent, module, program("one", "")]), tmp_path)
    assert code == 0
    assert "without absent: no_such is not installed" in log
    assert "without odom_transform: no_such_messages is not installed" in log


def test_a_needed_program_that_is_not_installed_starts_nothing(program, tmp_path):
    absent = LaunchedProgram(package="no_such", executable="absent")
    with pytest.raises(BipedSlipError, match="absent needs no_such, which is not"):
        ran(LaunchPlan([program("one", "print('begun')"), absent]), tmp_path)
    assert "begun" not in (tmp_path / "up.log").read_text()


def test_a_launch_file_that_includes_another_is_left_to_ros2_launch(tmp_path):
    included = Included(package="ros_gz_sim", file="gz_sim.launch.py", arguments={})
    with pytest.raises(BipedSlipError, match="only `ros2 launch` starts"):
        ran(LaunchPlan([], included=[included]), tmp_path)


def test_parameters_names_and_topics_reach_a_program(program, tmp_path):
    shown = program("shown", "import sys; print(*sys.argv[1:])")
    shown = shown._replace(
        namespace="one",
        files=("first.yaml",),
        parameters={"text": lambda: "made late", "rate": 2},
        options=("--own", "word"),
        ros_options=("--log-level", "warn"),
        remappings=(("odom", "there/odom"),),
    )
    _, log = ran(LaunchPlan([shown]), tmp_path)
    words = next(line for line in log.splitlines() if "--own" in line)
    assert words.startswith("--own word --ros-args --log-level warn")
    assert "-r __node:=shown -r __ns:=/one -r odom:=there/odom" in words
    assert words.index("first.yaml") < words.index("_shown.yaml")


CHILD = """
import sys
from pathlib import Path
from biped_slip.child_processes import interrupted_by_endings
from biped_slip.ros.bringup.parts import LaunchPlan, LaunchedProgram
from biped_slip.ros.bringup.running import opened_log, run
names = ("controller", "robot")
programs = [
    LaunchedProgram(package="others", executable=name, name=name, commands=name == names[0])
    for name in names
]
with interrupted_by_endings(), opened_log(Path(sys.argv[1]), sys.stdout) as log:
    run(LaunchPlan(programs), log)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_however_it_is_ended_its_programs_are_interrupted(program, tmp_path, number):
    """SIGKILL, too, which nobody can catch: the system then interrupts them."""
    for name in ("controller", "robot"):
        program(name, WAITS.format(name, 0.0))
    path = tmp_path / "log" / "up.log"
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )

    def wait_for(words):
        end = time.monotonic() + 60.0
        while not (path.is_file() and all(one in path.read_text() for one in words)):
            assert time.monotonic() < end, path.read_text()
            time.sleep(0.05)

    wait_for(["controller waits", "robot waits"])
    process.send_signal(number)
    assert process.wait(60.0) != 0
    wait_for(["controller ends", "robot ends"])
    text = path.read_text()
    if number != signal.SIGKILL:
        assert text.index("controller ends") < text.index("robot ends")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["robot", "walk:=true"], "say so with --armed"),
        (["robot", "--armed"], "--armed is for `biped-slip up robot walk:=true`"),
        (["robot", "walk:=false", "--armed"], "--armed is for"),
        (["hil", "--armed"], "--armed is for"),
        (["hil", "sead:=1"], "did you mean 'seed'?"),
        (["replay"], "recording is missing"),
        (["run"], "invalid choice: 'run'"),
    ],
)
def test_what_must_not_start_is_one_sentence(capsys, words, sentence):
    assert main(["up", *words]) == 2
    assert sentence in capsys.readouterr().err


def test_the_arguments_of_a_launch_file_are_listed_without_starting_it(capsys):
    assert main(["up", "replay", "--show-args"]) == 0
    shown = capsys.readouterr().out
    assert "  recording\n" in shown
    assert "  mode:='lockstep'\n" in shown


@pytest.mark.ros
@pytest.mark.slow
def test_hardware_in_the_loop_walks_and_ends_with_its_walk(tmp_path):
    pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
    from biped_slip.ros.processes import free_domain

    log = tmp_path / "up.log"
    words = ["up", "hil", "scenario:=demo", "--log", str(log)]
    place = {"ROS_DOMAIN_ID": str(free_domain()), "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(
        [sys.executable, "-m", "biped_slip", *words],
        cwd=tmp_path,
        env={**os.environ, **place},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert ended.returncode == 0, ended.stdout
    assert "the robot is upright" in log.read_text()
    assert "contact_simulator ended: the walk has ended" in ended.stdout
