# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of every command, with examples.

``--help`` shows them without loading the command's own module. Names of estimators,
policies, controllers and layouts come from their registries, which load nothing for
that; other words of a module that computes stand here as text, and a test compares
them.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from pathlib import Path
from typing import Any, Callable

from biped_slip.friction_estimation.registry import ESTIMATORS
from biped_slip.ros.bringup.parts import LAUNCH_NAMES
from biped_slip.shared_files import shared_names
from biped_slip.walking.registry import HUMANOID, PLANAR, WITH_ARGUMENT
from biped_slip.walking.slip_policies import LIMIT_KINDS as POLICIES

STANDARD = Path("-")

# Types of arguments: places are tried before the work begins, ``-`` is standard output.


def at_least(low: int) -> Callable[[str], int]:
    """Return the type of an argument: an integer with a lower bound."""

    def whole(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = low - 1
        if number < low:
            raise argparse.ArgumentTypeError(
                f"is {text!r}, but must be a whole number of at least {low}"
            )
        return number

    return whole


SEED_TYPE = at_least(0)
COUNT = at_least(1)


def file_to_write(text: str) -> Path:
    """Check the type of an argument: a file that can be written, or ``-``."""
    path = Path(text)
    if path == STANDARD:
        return path
    try:
        if path.is_dir():
            raise argparse.ArgumentTypeError(
                f"{text}: is a folder, but must be a file or - for standard output"
            )
        if not path.parent.is_dir():
            raise argparse.ArgumentTypeError(
                f"{text}: there is no folder {path.parent}; make it first"
            )
        if path.is_file():
            path.open("ab").close()
        elif not path.exists():
            _try(path.parent)
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(
            f"{text}: can't be written ({_reason(error)})"
        ) from error
    return path


def file_to_keep(text: str) -> Path:
    """Check the type of an argument: a file that is read and appended to.

    So it is never standard output.
    """
    if Path(text) == STANDARD:
        raise argparse.ArgumentTypeError(
            "is -, but must be a file: what is in it is read again"
        )
    return file_to_write(text)


def folder_to_write(text: str) -> Path:
    """Check the type of an argument: a folder in which files can be made.

    It need not be there yet.
    """
    path = Path(text)
    try:
        there = next(
            place for place in (path, *path.absolute().parents) if place.exists()
        )
        if not there.is_dir():
            raise argparse.ArgumentTypeError(
                f"{text}: {there} is a file, but must be a folder"
            )
        _try(there)
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(
            f"{text}: nothing can be written there ({_reason(error)})"
        ) from error
    return path


def _try(folder: Path) -> None:
    tempfile.TemporaryFile(dir=folder).close()


def _reason(error: Exception) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)


TABLE_ENDINGS = (".csv", ".parquet", ".npz")  # of time series


def series_to_write(text: str) -> Path:
    """Check the type of an argument: a file for a time series, or ``-`` for CSV."""
    path = file_to_write(text)
    if path != STANDARD and path.suffix not in TABLE_ENDINGS:
        raise argparse.ArgumentTypeError(
            f"{text}: must end in {', '.join(TABLE_ENDINGS)}, or be - for CSV"
        )
    return path


# What commands have in common.

PERIOD_CHOICES = ("1", "2", "4", "auto")
SIGNED_AXES = ("+x", "-x", "+y", "-y", "+z", "-z")
FORMATS = ("bag", "storage", "c3d", "hdf5", "table")
MOTIONS = ("odometry", "both_feet", "foot_imu")
SENSOR_SETS = (
    "set of sensors and model errors: ankles, realistic, laboratory, or a .yaml file"
)
INTERVALS = ("automatic", "bootstrap", "exact", "normal", "score", "wide score")
REQUIRED_RATIOS = (
    "rcof",
    "rcof_acceptance",
    "rcof_push_off",
    "rcof_acceptance_fore_aft",
    "rcof_push_off_fore_aft",
    "rcof_largest",
    "required",
)
OR_OWN = "or FILE.py:NAME"
FORMAT_HELP = f"format, instead of the detected one: {', '.join(FORMATS)} {OR_OWN}"


def _recording(parser: argparse.ArgumentParser, *, overrides: bool = True) -> None:
    """Declare how a recording is read."""
    add = parser.add_argument_group("reading of recordings").add_argument
    words = (
        "columns, units and signs of a table, or topics of a bag: a .yaml file, "
        "or a shipped one:"
    )
    add(
        "--config",
        metavar="YAML",
        help=f"{words} {', '.join(shared_names('config/recordings'))}",
    )
    if overrides:
        add(
            "--vertical",
            choices=SIGNED_AXES,
            default="",
            help="vertical axis of the plates, instead of the detected one",
        )
        add(
            "--forward",
            choices=SIGNED_AXES,
            default="",
            help="walking direction, instead of the detected one",
        )
        add(
            "--keep-offsets",
            action="store_true",
            help="don't subtract the offset of unloaded plates",
        )


def _json(add: Callable[..., Any]) -> None:
    add(
        "--json",
        type=file_to_write,
        metavar="FILE",
        help="write everything as JSON (- for standard output)",
    )


def _seed(add: Callable[..., Any]) -> None:
    add(
        "--seed",
        type=SEED_TYPE,
        help="seed of start, patch edges and sensor noise; without it the nominal walk",
    )


# One function a command, each with the examples of its help.


def demo(parser: argparse.ArgumentParser) -> str:
    """Declare the arguments of ``demo``."""
    add = parser.add_argument
    add(
        "--scenario",
        default="demo",
        help="name of a shipped scenario, or a .yaml file (demo)",
    )
    add(
        "--limit",
        nargs="+",
        default=["none", "touchdown"],
        help="friction limits, one walk each (none touchdown)",
    )
    add(
        "--real-time",
        action="store_true",
        help="run at 1 kHz on the steady clock instead of lockstep",
    )
    add(
        "--embedded",
        action="store_true",
        help="estimate inside the controller: two processes instead of three",
    )
    add(
        "--duration",
        type=float,
        metavar="SECONDS",
        help="end of the walk [s], instead of the scenario's",
    )
    _seed(add)
    add(
        "--report",
        type=folder_to_write,
        default="report",
        metavar="DIR",
        help="write a page with pictures (report)",
    )
    return (
        "biped-slip demo\nbiped-slip demo --limit none touchdown oracle --report "
        "compared"
    )


def walk(parser: argparse.ArgumentParser) -> str:
    """Declare the arguments of ``walk``."""
    add = parser.add_argument
    add(
        "--robot",
        default="planar",
        help="planar, or a humanoid: talos, g1, ..., its description (.urdf, .xacro, "
        ".xml), a .yaml file, or its name in an installed package (planar)",
    )
    add(
        "--limit",
        default="touchdown",
        metavar="LIMIT",
        help=f"friction limit: {', '.join(POLICIES)} {OR_OWN} (touchdown)",
    )
    add(
        "--no-prevention",
        dest="limit",
        action="store_const",
        const="none",
        help="same as --limit none",
    )
    of_humanoids = [
        *HUMANOID,
        *(f"{n}:{what}" for n, (what, _) in WITH_ARGUMENT.items()),
    ]
    controllers = f"{', '.join(PLANAR)}; humanoids: {', '.join(of_humanoids)}; {OR_OWN}"
    add("--controller", default="", metavar="NAME", help=controllers)
    add(
        "--over-topics",
        nargs="?",
        choices=("lockstep", "real-time"),
        const="lockstep",
        help="run nodes over ROS topics (lockstep)",
    )
    add(
        "--contact",
        metavar="LAW",
        help="contact law instead of the scenario's, e.g. mujoco or bruneau",
    )
    add(
        "--period",
        choices=PERIOD_CHOICES,
        help="control period [ms], instead of the walk's; auto: the shortest "
        "that this computer keeps up with (--over-topics)",
    )
    add(
        "--keyboard",
        action="store_true",
        help="steer by keys: w a s d, space stands, p spills water, x ends",
    )
    add(
        "--spill",
        nargs=4,
        type=float,
        action="append",
        metavar=("TIME", "FROM", "TO", "MU"),
        help="at a time [s] the floor gets this friction from one x to another [m], "
        "also under a standing foot; may be given again",
    )
    _seed(add)
    planar = parser.add_argument_group("planar biped").add_argument
    planar("--scenario", help="name of a shipped scenario (thesis), or a .yaml file")
    planar(
        "--variant",
        choices=("thesis", "torso"),
        help="upright torso (thesis), or one that pitches (torso)",
    )
    humanoids = parser.add_argument_group("humanoids").add_argument
    humanoids(
        "--true-base",
        action="store_true",
        help="use the base's true motion instead of its estimate",
    )
    humanoids(
        "--no-sensor-check",
        action="store_true",
        help="skip the self-test of the sensors before the walk",
    )
    humanoids(
        "--world",
        metavar="FILE.xml",
        help="walk in MuJoCo in the world of an MJCF; own: the robot's file",
    )
    humanoids(
        "--stiff-friction",
        action="store_true",
        help="friction of that world so stiff that loaded feet do not creep",
    )
    words = "source of the soles' motion, instead of that of the sensor set"
    humanoids("--motion", choices=MOTIONS, help=words)
    add("--sensors", metavar="NAME", help=SENSOR_SETS)
    out = parser.add_argument_group("results").add_argument
    _json(out)
    out(
        "--series",
        type=series_to_write,
        metavar="FILE",
        help="write every tick: .csv (- for standard output), .parquet or .npz",
    )
    out(
        "--report",
        type=folder_to_write,
        metavar="DIR",
        help="write pictures and an HTML page into this folder",
    )
    return (
        "biped-slip walk --limit none --report slides\n"
        "biped-slip walk --robot talos --limit touchdown --report talos\n"
        "biped-slip walk --scenario my_floor.yaml --seed 3 --json walk.json --series "
        "walk.csv"
    )


def campaign(parser: argparse.ArgumentParser) -> str:
    """Declare the arguments of ``campaign``."""
    add = parser.add_argument
    add(
        "plan",
        nargs="?",
        metavar="FILE.yaml",
        help="campaign file, or the name of a shipped one",
    )
    add("--workers", type=COUNT, help="number of processes (all cores)")
    add(
        "--scheduler",
        metavar="ADDRESS",
        help="address of a Dask cluster that runs the walks, e.g. tcp://host:8786",
    )
    plan = parser.add_argument_group("with a campaign file").add_argument
    plan(
        "--out",
        type=folder_to_write,
        metavar="DIR",
        help="folder of the results (the file's name)",
    )
    plan(
        "--rerun",
        type=int,
        metavar="ROW",
        help="run the walk of one row of the table again, with its report",
    )
    own = parser.add_argument_group("without a campaign file").add_argument
    own(
        "--scenario",
        nargs="+",
        metavar="NAME",
        help="shipped names or .yaml files (thesis)",
    )
    own(
        "--robot",
        nargs="+",
        metavar="NAME",
        help="humanoids instead of scenarios: talos, g1, ...",
    )
    own("--limit", nargs="+", metavar="LIMIT", help="friction limits to compare")
    own(
        "--push",
        nargs="+",
        type=float,
        metavar="WEIGHTS",
        help="humanoids: sideways push in body weights (0)",
    )
    own(
        "--true-base",
        action="store_true",
        help="humanoids: use the base's true motion instead of its estimate",
    )
    own("--seeds", type=COUNT, help="number of seeds (60; humanoids 20)")
    own("--first-seed", type=SEED_TYPE, default=0, help="first seed (0)")
    own(
        "--results",
        type=file_to_keep,
        metavar="FILE",
        help="file that keeps ended walks, which are not run again (humanoids: "
        "humanoid-walks.jsonl)",
    )
    _json(own)
    return (
        "biped-slip campaign floors --out floors\n"
        "biped-slip campaign --scenario thesis --limit none touchdown --seeds 20\n"
        "biped-slip campaign --robot talos --limit constant:0.7 touchdown --seeds 5 "
        "--results talos.jsonl"
    )


def compare(parser: argparse.ArgumentParser) -> str:
    """Declare the arguments of ``compare``."""
    add = parser.add_argument
    add(
        "plan",
        metavar="PLAN",
        help=f"plan (.yaml, or {', '.join(shared_names('config/comparisons'))}), or "
        "a network (.onnx)",
    )
    add("--networks", type=Path, metavar="FOLDER", help="where the plan's files lie")
    network = parser.add_argument_group("of one network").add_argument
    network("--robot", metavar="NAME", help="its MJCF, or as `walk --robot` takes it")
    network("--speed", type=float, default=0.5, help="commanded [m/s] (0.5)")
    some = parser.add_argument_group("instead of the plan's").add_argument
    some("--walker", nargs="+", metavar="NAME", help="walkers")
    some("--floor", nargs="+", type=float, metavar="MU", help="whole floors")
    some("--patch", nargs="+", type=float, metavar="MU", help="patches across mu 1.0")
    some("--push", nargs="+", type=float, metavar="WEIGHTS", help="sideways pushes")
    some(
        "--governed",
        nargs="+",
        choices=("alone", "truth", "ankles", "currents"),
        help="what stands before the walker: nothing, or the friction governor, given "
        "mu, or with the estimate by ankle sensors or by currents",
    )
    some("--contact", nargs="+", choices=("mujoco", "here"), help="contacts")
    some("--seeds", type=COUNT, help="walks of each kind")
    some("--seconds", type=float, help="of a walk")
    some("--sensors", metavar="NAME", help=SENSOR_SETS)
    out = parser.add_argument_group("results").add_argument
    out(
        "--out",
        type=folder_to_write,
        metavar="DIR",
        help="folder of walks and page (comparison); walks in it are not walked again",
    )
    _json(out)
    add("--workers", type=COUNT, help="number of processes (all cores)")
    add(
        "--scheduler",
        metavar="ADDRESS",
        help="address of a Dask cluster that runs the walks, e.g. tcp://host:8786",
    )
    return (
        "biped-slip compare mine.onnx --robot mine.xml --floor 1.0 0.25 0.15\n"
        "biped-slip compare open_policies --networks FOLDER --out table"
    )


def view(parser: argparse.ArgumentParser) -> str:
    """Declare the arguments of ``view``."""
    add = parser.add_argument
    add(
        "recordings",
        nargs="*",
        metavar="RECORDING",
        help="recording to show instead of a walk, as for replay",
    )
    walks = parser.add_argument_group("walks").add_argument
    walks(
        "--robot",
        default="planar",
        help="planar, or a humanoid: talos, g1, ..., its description (.urdf, .xacro, "
        ".xml), a .yaml file, or its name in an installed package (planar)",
    )
    walks(
        "--scenario",
        default="thesis",
        help="scenario of the planar walk: a shipped name, or a .yaml file (thesis)",
    )
    policies = (
        f"friction limits, one walk each, side by side: {', '.join(POLICIES)} "
        f"{OR_OWN} (touchdown)"
    )
    walks("--limit", nargs="+", default=["touchdown"], metavar="LIMIT", help=policies)
    _seed(walks)
    _recording(parser, overrides=False)
    live = parser.add_argument_group("live").add_argument
    live(
        "--host",
        default="127.0.0.1",
        help="address to serve on (127.0.0.1, this machine alone)",
    )
    live(
        "--port",
        type=int,
        default=8080,
        help="port to serve on, or the next free one (8080)",
    )
    out = parser.add_argument_group("files instead of a live view").add_argument
    out("--html", type=file_to_write, metavar="FILE", help="write one HTML file")
    out("--gif", type=file_to_write, metavar="FILE", help="write a moving picture")
    out(
        "--span",
        nargs=2,
        type=float,
        metavar=("FROM", "TO"),
        help="begin and end of --html and --gif [s] (all)",
    )
    return (
        "biped-slip view --limit none touchdown\n"
        "biped-slip view --robot talos --html talos.html\n"
        "biped-slip view trial.c3d"
    )


def robot(parser: argparse.ArgumentParser) -> str:
    """Declare the arguments of ``robot``."""
    add = parser.add_argument
    add(
        "robot",
        help="name of a shipped robot or of one in an installed package, its "
        "description (.urdf, .xacro, .xml), or a .yaml file",
    )
    add(
        "--yaml",
        type=file_to_write,
        metavar="FILE",
        help="write what was found in a description as the robot's YAML",
    )
    add(
        "--urdf",
        type=file_to_write,
        metavar="FILE",
        help="write the completed description to this file",
    )
    add("--no-trial", action="store_true", help="skip the simulated landing")
    return (
        "biped-slip robot talos\n"
        "biped-slip robot my_robot.urdf --yaml my_robot.yaml\n"
        "biped-slip robot my_robot.yaml --urdf completed.urdf"
    )


def replay(parser: argparse.ArgumentParser) -> str:
    """Declare the arguments of ``replay``."""
    add = parser.add_argument
    add(
        "recordings",
        nargs="+",
        metavar="RECORDING",
        help="C3D, .mot, .sto, CSV, .gz, rosbag2, or a sample's name",
    )
    add(
        "--estimator",
        default="interval",
        help=f"friction estimator: {', '.join(ESTIMATORS)} {OR_OWN} (interval)",
    )
    add(
        "--format",
        default="",
        help=FORMAT_HELP,
    )
    add(
        "--robot",
        default="",
        help="a humanoid's bag with joint_states (effort too) and imu/data alone: name "
        "of a shipped walk, or the .yaml file of a walk or a robot",
    )
    _recording(parser)
    out = parser.add_argument_group("results").add_argument
    _json(out)
    out(
        "--csv",
        type=file_to_write,
        metavar="FILE",
        help="write one line per contact, as results come",
    )
    out(
        "--resume",
        action="store_true",
        help="append to the --csv file the recordings that it lacks",
    )
    out(
        "--report",
        type=folder_to_write,
        metavar="DIR",
        help="write an HTML page with pictures per recording",
    )
    out(
        "--picture",
        type=file_to_write,
        metavar="PNG",
        help="draw forces, ratio, estimate, slips of the first foot",
    )
    return (
        "biped-slip replay slide --report report\n"
        "biped-slip replay trial.c3d --estimator slip --csv contacts.csv\n"
        "biped-slip replay forces.csv --config my_columns.yaml"
    )


def samples(parser: argparse.ArgumentParser) -> str:
    """Declare the arguments of ``samples``."""
    add = parser.add_argument
    add(
        "--fetch",
        nargs="+",
        default=[],
        metavar="NAME",
        help="samples to download; their hashes are checked",
    )
    add(
        "--to",
        type=folder_to_write,
        default=".",
        metavar="DIR",
        help="folder for downloads (the present one)",
    )
    return "biped-slip samples\nbiped-slip replay slide"


def gait(parser: argparse.ArgumentParser) -> str:
    """Declare the arguments of every verb of ``gait``."""
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for name, words, configure in (
        (
            "trial",
            "print the steps of one recording: required friction, slips, exclusions "
            "with their reasons",
            _trial,
        ),
        (
            "study",
            "analyse all trials of a folder: one table of steps, statistics, figures "
            "and a report",
            _study,
        ),
        (
            "chance",
            "compute the chance of a slip from a table of steps and an instrument's "
            "readings",
            _chance,
        ),
    ):
        verb = verbs.add_parser(name, help=words, description=words)
        with_examples(verb, configure(verb))
    return (
        "biped-slip gait trial trial.c3d\nbiped-slip gait study FOLDER\nbiped-slip "
        "gait chance steps.csv"
    )


def _settings(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--settings",
        metavar="YAML",
        help="definitions of RCOF and slips, instead of the defaults",
    )


def _trial(parser: argparse.ArgumentParser) -> str:
    add = parser.add_argument
    add("recording", help="C3D, .mot, .sto, CSV or rosbag2")
    add("--format", default="", help=FORMAT_HELP)
    add(
        "--subject",
        choices=("person", "robot", "insoles"),
        default="person",
        help="kind of subject (person)",
    )
    add(
        "--mass",
        type=float,
        default=math.nan,
        metavar="KG",
        help="body mass, if the forces do not show the weight",
    )
    add(
        "--slope",
        type=float,
        default=0.0,
        metavar="DEG",
        help="slope of the floor, positive uphill (0)",
    )
    words = (
        "axes of the recorded forces on a slope: along the floor, or along "
        "gravity (floor)"
    )
    add("--axes", choices=("floor", "gravity"), default="floor", help=words)
    add(
        "--definitions",
        action="store_true",
        help="print required friction by every definition in use, too",
    )
    _settings(parser)
    _recording(parser)
    out = parser.add_argument_group("results").add_argument
    out("--csv", type=file_to_write, metavar="FILE", help="write the table of steps")
    out(
        "--opensim",
        type=file_to_write,
        metavar="MOT",
        help="write offset-corrected forces of each foot for OpenSim",
    )
    out(
        "--picture",
        type=file_to_write,
        metavar="PNG",
        help="draw the force ratio of every step",
    )
    return "biped-slip gait trial trial.c3d --csv steps.csv --picture ratio.png"


def _study(parser: argparse.ArgumentParser) -> str:
    add = parser.add_argument
    add("folder", type=Path, help="folder of trials, with their table in trials.csv")
    add("--table", type=Path, metavar="CSV", help="table of trials (FOLDER/trials.csv)")
    add(
        "--acof",
        type=Path,
        metavar="CSV",
        help="available friction: columns instrument, floor, shoe, condition, acof",
    )
    add(
        "--out",
        type=folder_to_write,
        metavar="DIR",
        help="folder of the results (FOLDER/results)",
    )
    add("--workers", type=COUNT, default=1, metavar="N", help="number of processes (1)")
    _settings(parser)
    _recording(parser)
    parser.set_defaults(config=None)
    return (
        "biped-slip gait study trials --workers 2\nbiped-slip gait study trials "
        "--acof readings.csv --out results"
    )


def _chance(parser: argparse.ArgumentParser) -> str:
    add = parser.add_argument
    add("steps", help="steps.csv or steps.parquet of `gait study` or `gait trial`")
    add(
        "--acof",
        metavar="CSV",
        help="available friction: columns instrument, floor, shoe, condition, acof",
    )
    add(
        "--quantity",
        choices=REQUIRED_RATIOS,
        default="rcof",
        help="required friction to compare (rcof)",
    )
    add(
        "--interval",
        choices=INTERVALS,
        default="automatic",
        help="kind of confidence interval (automatic)",
    )
    add("--csv", type=file_to_write, metavar="FILE", help="write the table")
    return (
        "biped-slip gait chance results/steps.csv --acof readings.csv --csv chances.csv"
    )


def convert(parser: argparse.ArgumentParser) -> str:
    """Declare the arguments of ``convert``."""
    parser.add_argument(
        "recording", metavar="RECORDING", help="C3D, .mot, .sto, CSV or .gz"
    )
    parser.add_argument(
        "out", metavar="OUT", help="OUT.mcap: one file; any other name: a bag folder"
    )
    _recording(parser)
    return "biped-slip convert trial.c3d trial.mcap"


def record(parser: argparse.ArgumentParser) -> str:
    """Declare the arguments of ``record``."""
    add = parser.add_argument
    add("out", metavar="OUT", help="OUT.mcap: one file; any other name: a bag folder")
    add(
        "--topics",
        nargs="+",
        default=[],
        metavar="TOPIC",
        help="topics to record (all)",
    )
    add(
        "--least-free",
        type=float,
        default=200.0,
        metavar="MB",
        help="free space of the disk at which it stops (200)",
    )
    return (
        "biped-slip record walk.mcap --topics joint_states imu/data odom "
        "l_foot/wrench r_foot/wrench"
    )


def up(parser: argparse.ArgumentParser) -> str:
    """Declare the arguments of ``up``."""
    add = parser.add_argument
    add(
        "name",
        metavar="NAME",
        choices=LAUNCH_NAMES,
        help=f"launch file: {', '.join(LAUNCH_NAMES)}",
    )
    add(
        "arguments",
        nargs="*",
        metavar="ARGUMENT:=VALUE",
        help="arguments of the launch file; --show-args lists them",
    )
    add("--show-args", action="store_true", help="list the launch file's arguments")
    add(
        "--armed",
        action="store_true",
        help="up robot walk:=true: efforts may go to the robot's joints",
    )
    add(
        "--log",
        type=file_to_write,
        metavar="FILE",
        help="log of all nodes (a file in ROS's folder of logs)",
    )
    return (
        "biped-slip up walk\nbiped-slip up hil robot:=talos period:='2 ms'\n"
        "biped-slip up robot hardware:=my_robot/MyHardware\n"
        "biped-slip up hil --show-args"
    )


def _discovery(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--wait",
        type=float,
        default=5.0,
        metavar="S",
        help="seconds to look for others, at most (5)",
    )


def topics(parser: argparse.ArgumentParser) -> str:
    """Declare the arguments of ``topics``."""
    _discovery(parser)
    return "biped-slip topics"


def echo(parser: argparse.ArgumentParser) -> str:
    """Declare the arguments of ``echo``."""
    add = parser.add_argument
    add("topic", metavar="TOPIC", help="its type is found by who publishes it")
    add("--once", action="store_true", help="end after one message")
    _discovery(parser)
    return "biped-slip echo friction_estimator/l_foot/friction_values --once"


def set(parser: argparse.ArgumentParser) -> str:
    """Declare the arguments of ``set``."""
    add = parser.add_argument
    add("node", metavar="NODE", help="such as walking_controller")
    add("parameter", metavar="PARAM", help="name of the parameter")
    add("value", metavar="VALUE", help="as YAML, converted to the parameter's type")
    _discovery(parser)
    return "biped-slip set walking_controller speed_scale 0.5"


def calibrate_sole(parser: argparse.ArgumentParser) -> str:
    """Declare the arguments of ``calibrate-sole``."""
    words = (
        "table with the columns time, force_tangential, force_normal, "
        "displacement (s, N, N, m), "
    )
    parser.add_argument(
        "recordings",
        nargs="+",
        type=Path,
        metavar="RECORDING",
        help=words + "of one slow pull from rest to slip",
    )
    parser.add_argument(
        "--out",
        type=file_to_write,
        default="sole.yaml",
        metavar="YAML",
        help="the sole (sole.yaml)",
    )
    return "biped-slip calibrate-sole pulls/*.csv --out sole.yaml"


def contact_laws(parser: argparse.ArgumentParser) -> str:
    """Declare the arguments of ``contact-laws``."""
    add = parser.add_argument
    add(
        "--picture",
        type=folder_to_write,
        metavar="DIR",
        help="draw every law on the drop and on the pull, a file each",
    )
    add(
        "--normal",
        nargs="+",
        metavar="LAW",
        help="these normal laws only, e.g. hertz or FILE.py:NAME",
    )
    add("--friction", nargs="+", metavar="LAW", help="these friction laws only")
    add(
        "--out",
        type=folder_to_write,
        metavar="DIR",
        help="write the curves (drop.csv, pull.csv) and what is held, drifts and stays "
        "(laws.json)",
    )
    return (
        "biped-slip contact-laws --normal hertz --friction dahl lugre --picture laws\n"
        "biped-slip contact-laws --friction dahl FILE.py:NAME --out laws"
    )


def compile(parser: argparse.ArgumentParser) -> str:
    """Declare the arguments of ``compile``."""
    add = parser.add_argument
    add(
        "--all",
        action="store_true",
        help="compile everything that is shipped, not the first commands alone",
    )
    add(
        "--robot",
        nargs="+",
        metavar="NAME",
        help="humanoids to compile as well, by name or .yaml file",
    )
    return "biped-slip compile\nbiped-slip compile --robot talos"


def with_examples(parser: argparse.ArgumentParser, examples: str) -> None:
    """Show examples under the help of a command."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = "examples:\n" + "\n".join(
        f"  {line}" for line in examples.splitlines()
    )


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of a command of ``biped-slip``."""
    with_examples(parser, globals()[name.replace("-", "_")](parser))
