# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of every command, with examples: what ``--help`` tells without loading what the command runs.

Names that registries hold stand here as text; a test compares them.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from pathlib import Path
from typing import Any, Callable

from biped_slip.cli import COUNT, SEED

STANDARD = Path("-")

# Types of arguments: places are tried before the work begins, ``-`` is standard output.


def file_to_write(text: str) -> Path:
    """Check the type of an argument: a file that can be written, or ``-``."""
    path = Path(text)
    if path == STANDARD:
        return path
    try:
        if path.is_dir():
            raise argparse.ArgumentTypeError(f"{text}: is a folder, but must be a file or - for standard output")
        if not path.parent.is_dir():
            raise argparse.ArgumentTypeError(f"{text}: there is no folder {path.parent}; make it first")
        if path.is_file():
            path.open("ab").close()
        elif not path.exists():
            _try(path.parent)
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"{text}: can't be written ({_reason(error)})") from error
    return path


def file_to_keep(text: str) -> Path:
    """Check the type of an argument: a file that is read and appended to, so never standard output."""
    if Path(text) == STANDARD:
        raise argparse.ArgumentTypeError("is -, but must be a file: what is in it is read again")
    return file_to_write(text)


def folder_to_write(text: str) -> Path:
    """Check the type of an argument: a folder in which files can be made; it need not be there yet."""
    path = Path(text)
    try:
        there = next(place for place in (path, *path.absolute().parents) if place.exists())
        if not there.is_dir():
            raise argparse.ArgumentTypeError(f"{text}: {there} is a file, but must be a folder")
        _try(there)
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"{text}: nothing can be written there ({_reason(error)})") from error
    return path


def _try(folder: Path) -> None:
    tempfile.TemporaryFile(dir=folder).close()


def _reason(error: Exception) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)


ENDINGS = (".csv", ".parquet", ".npz")  # of time series


def series_to_write(text: str) -> Path:
    """Check the type of an argument: a file for a time series, or ``-`` for CSV."""
    path = file_to_write(text)
    if path != STANDARD and path.suffix not in ENDINGS:
        raise argparse.ArgumentTypeError(f"{text}: must end in {', '.join(ENDINGS)}, or be - for CSV")
    return path


# What commands have in common.

PERIODS = ("1", "2", "4", "auto")
AXES = ("+x", "-x", "+y", "-y", "+z", "-z")
POLICIES = ("none", "constant:RATIO", "reflex", "oracle", "thesis", "interval", "touchdown")
ESTIMATORS = ("interval", "slip", "touchdown", "thesis")
FORMATS = ("bag", "storage", "c3d", "table")
LAYOUTS = ("bmclab", "friction_models", "gait_trial", "gem_valkyrie", "gem_valkyrie_truth", "insoles", "lcd", "pce",
           "walk", "walk_series")  # fmt: skip
PLANAR, HUMANOID = ("virtual_model",), ("whole_body", "onnx:FILE", "governed:NAME")
MOTIONS = ("odometry", "both_feet", "foot_imu")
INTERVALS = ("automatic", "bootstrap", "exact", "normal", "score", "wide score")
REQUIRED = ("rcof", "rcof_acceptance", "rcof_push_off", "rcof_acceptance_fore_aft", "rcof_push_off_fore_aft",
            "rcof_largest", "required")  # fmt: skip
OR_OWN = "or FILE.py:NAME"


def _recording(parser: argparse.ArgumentParser, *, overrides: bool = True) -> None:
    """Declare how a recording is read."""
    add = parser.add_argument_group("how it is read").add_argument
    words = "columns, units and signs of a table, topics of a bag; shipped:"
    add("--config", metavar="YAML", help=f"{words} {', '.join(LAYOUTS)}")
    if overrides:
        add("--vertical", choices=AXES, default="", help="vertical axis of plates, instead of detecting it")
        add("--forward", choices=AXES, default="", help="walking direction, instead of detecting it")
        add("--keep-offsets", action="store_true", help="don't subtract the reading of unloaded plates")


def _json(add: Callable[..., Any]) -> None:
    add("--json", type=file_to_write, metavar="FILE", help="write everything as JSON (- for standard output)")


def _seed(add: Callable[..., Any]) -> None:
    add("--seed", type=SEED, help="perturb start and patch edges, and draw the sensor noise")


# One function a command, each with the examples of its help.


def demo(parser: argparse.ArgumentParser) -> str:
    """Declare the arguments of ``demo``."""
    add = parser.add_argument
    add("--scenario", default="demo", help="name of a shipped scenario, or a .yaml file (demo)")
    add("--limit", nargs="+", default=["none", "touchdown"], help="slip preventions, one walk each (none touchdown)")
    add("--real-time", action="store_true", help="1 kHz on the steady clock instead of lockstep")
    add("--embedded", action="store_true", help="estimate inside the controller: two processes")
    add("--duration", type=float, metavar="SECONDS", help="instead of the scenario's")
    _seed(add)
    add("--report", type=folder_to_write, default="report", metavar="DIR", help="pictures and an HTML page (report)")
    return "biped-slip demo\nbiped-slip demo --limit none touchdown oracle --report compared"


def walk(parser: argparse.ArgumentParser) -> str:
    """Declare the arguments of ``walk``."""
    add = parser.add_argument
    add("--robot", default="planar", help="planar (the default), or a humanoid: talos, g1, ...")
    add(
        "--limit",
        default="touchdown",
        metavar="LIMIT",
        help=f"slip prevention: {', '.join(POLICIES)} {OR_OWN} (touchdown)",
    )
    add("--no-prevention", dest="limit", action="store_const", const="none", help="same as --limit none")
    controllers = f"{', '.join(PLANAR)}; humanoids: {', '.join(HUMANOID)}; {OR_OWN}"
    add("--controller", default="", metavar="NAME", help=controllers)
    add("--over-topics", nargs="?", choices=("lockstep", "real-time"), const="lockstep",
        help="by nodes over ROS topics (lockstep)")  # fmt: skip
    add("--contact", metavar="LAW", help="contact law in place of the scenario's, e.g. mujoco or bruneau")
    add("--period", choices=PERIODS, help="of control [ms], in place of the walk's; auto: the shortest "
        "that this computer keeps up with, over topics")  # fmt: skip
    _seed(add)
    planar = parser.add_argument_group("planar biped").add_argument
    planar("--scenario", help="name of a shipped scenario (thesis), or a .yaml file")
    planar("--variant", choices=("thesis", "torso"), help="torso without pitch (thesis) or with (torso)")
    humanoids = parser.add_argument_group("humanoids").add_argument
    humanoids("--true-base", action="store_true", help="true motion of the base instead of its estimate")
    humanoids("--no-sensor-check", action="store_true", help="skip the self-test of the sensors before the walk")
    words = "source of the soles' motion, in place of a sensor that sees them"
    humanoids("--motion", choices=MOTIONS, help=words)
    add("--sensors", metavar="NAME", help="set of sensors and of what the robot's model does not know: ankles, "
        "realistic, laboratory, or a .yaml file")  # fmt: skip
    out = parser.add_argument_group("results").add_argument
    _json(out)
    out("--series", type=series_to_write, metavar="FILE",
        help="write every tick: .csv (- for standard output), .parquet or .npz")  # fmt: skip
    out("--report", type=folder_to_write, metavar="DIR", help="write pictures and an HTML page")
    return (
        "biped-slip walk --limit none --report slides\n"
        "biped-slip walk --robot talos --limit touchdown --report talos\n"
        "biped-slip walk --scenario my_floor.yaml --seed 3 --json walk.json --series walk.csv"
    )


def campaign(parser: argparse.ArgumentParser) -> str:
    """Declare the arguments of ``campaign``."""
    add = parser.add_argument
    add("plan", nargs="?", metavar="FILE.yaml", help="a campaign file, or the name of a shipped one")
    add("--workers", type=COUNT, help="processes; all cores by default")
    add("--scheduler", metavar="ADDRESS", help="walk on this Dask cluster, e.g. tcp://host:8786")
    plan = parser.add_argument_group("of a campaign file").add_argument
    plan("--out", type=folder_to_write, metavar="DIR", help="folder of the results (the plan's name)")
    plan("--rerun", type=int, metavar="ROW", help="walk one row of the table again, with its report")
    own = parser.add_argument_group("without a file: seeds x limits x scenarios or humanoids").add_argument
    own("--scenario", nargs="+", metavar="NAME", help="shipped names or .yaml files (thesis)")
    own("--robot", nargs="+", metavar="NAME", help="humanoids in place of the scenarios: talos, g1, ...")
    own("--limit", nargs="+", metavar="LIMIT", help="slip preventions to compare")
    own("--push", nargs="+", type=float, metavar="WEIGHTS", help="humanoids: sideways push on the patch (0)")
    own("--true-base", action="store_true", help="humanoids: true motion of the base instead of its estimate")
    own("--seeds", type=COUNT, help="number of seeds (60; humanoids 20)")
    own("--first-seed", type=SEED, default=0, help="first seed (0)")
    own("--results", type=file_to_keep, metavar="FILE",
        help="walks that have ended; what is there is not walked again (humanoids: humanoid-walks.jsonl)")  # fmt: skip
    _json(own)
    return (
        "biped-slip campaign floors --out floors\n"
        "biped-slip campaign --scenario thesis --limit none touchdown --seeds 20\n"
        "biped-slip campaign --robot talos --limit constant:0.7 touchdown --seeds 5 --results talos.jsonl"
    )


def view(parser: argparse.ArgumentParser) -> str:
    """Declare the arguments of ``view``."""
    add = parser.add_argument
    add("recordings", nargs="*", metavar="RECORDING", help="to replay, in place of a walk: as for replay")
    walks = parser.add_argument_group("walks").add_argument
    walks("--robot", default="planar", help="planar (the default), or a humanoid: talos, g1, ...")
    walks("--scenario", default="thesis", help="of the planar walk: a shipped name or a .yaml file (thesis)")
    policies = f"slip preventions, side by side: {', '.join(POLICIES)} {OR_OWN} (touchdown)"
    walks("--limit", nargs="+", default=["touchdown"], metavar="LIMIT", help=policies)
    _seed(walks)
    _recording(parser, overrides=False)
    live = parser.add_argument_group("live").add_argument
    live("--host", default="127.0.0.1", help="address to serve on (127.0.0.1: only this machine)")
    live("--port", type=int, default=8080, help="(8080; the next free one where it is taken)")
    out = parser.add_argument_group("files instead").add_argument
    out("--html", type=file_to_write, metavar="FILE", help="write one HTML file instead of serving")
    out("--gif", type=file_to_write, metavar="FILE", help="write a moving picture instead of serving")
    out("--span", nargs=2, type=float, metavar=("FROM", "TO"), help="seconds that --gif shows (all)")
    return (
        "biped-slip view --limit none touchdown\n"
        "biped-slip view --robot talos --html talos.html\n"
        "biped-slip view trial.c3d"
    )


def robot(parser: argparse.ArgumentParser) -> str:
    """Declare the arguments of ``robot``."""
    add = parser.add_argument
    add("robot", help="name of a shipped robot, or a .yaml file")
    add("--urdf", type=file_to_write, metavar="FILE", help="write the completed description here")
    add("--no-trial", action="store_true", help="leave out the simulated landing")
    return "biped-slip robot talos\nbiped-slip robot my_robot.yaml --urdf completed.urdf"


def replay(parser: argparse.ArgumentParser) -> str:
    """Declare the arguments of ``replay``."""
    add = parser.add_argument
    add("recordings", nargs="+", metavar="RECORDING", help="C3D, .mot, .sto, CSV, .gz, rosbag2, or a sample's name")
    add("--estimator", default="interval", help=f"{', '.join(ESTIMATORS)} {OR_OWN} (interval)")
    add("--format", default="", help=f"{', '.join(FORMATS)} {OR_OWN}, where the file does not show it")
    _recording(parser)
    out = parser.add_argument_group("results").add_argument
    _json(out)
    out("--csv", type=file_to_write, metavar="FILE", help="write one line per contact, as answers come")
    out("--resume", action="store_true", help="go on with the --csv that is there: only recordings that it lacks")
    out("--report", type=folder_to_write, metavar="DIR", help="write an HTML page with pictures per recording")
    out("--picture", type=file_to_write, metavar="PNG", help="draw the first foot: forces, ratio, estimate and slips")
    return (
        "biped-slip replay slide --report report\n"
        "biped-slip replay trial.c3d --estimator slip --csv contacts.csv\n"
        "biped-slip replay forces.csv --config my_columns.yaml"
    )


def samples(parser: argparse.ArgumentParser) -> str:
    """Declare the arguments of ``samples``."""
    add = parser.add_argument
    add("--fetch", nargs="+", default=[], metavar="NAME", help="download these and check their hashes")
    add("--to", type=folder_to_write, default=".", metavar="DIR", help="folder for downloads (here)")
    return "biped-slip samples\nbiped-slip replay slide"


def gait(parser: argparse.ArgumentParser) -> str:
    """Declare the arguments of every verb of ``gait``."""
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for name, words, configure in (
        ("trial", "steps of one recording: required friction, slips, what can't be judged and why", _trial),
        ("study", "all trials of a folder as one table of steps, with statistics, figures and a report", _study),
        ("chance", "chance of a slip from a table of steps and an instrument's readings", _chance),
    ):
        verb = verbs.add_parser(name, help=words, description=words)
        with_examples(verb, configure(verb))
    return "biped-slip gait trial trial.c3d\nbiped-slip gait study FOLDER\nbiped-slip gait chance steps.csv"


def _settings(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", metavar="YAML", help="settings in place of the defaults")


def _trial(parser: argparse.ArgumentParser) -> str:
    add = parser.add_argument
    add("recording", help="C3D, .mot, .sto, CSV or rosbag2")
    add("--subject", choices=("person", "robot", "insoles"), default="person", help="kind of subject (person)")
    add("--mass", type=float, default=math.nan, metavar="KG", help="body mass, where the forces do not show the weight")
    add("--slope", type=float, default=0.0, metavar="DEG", help="of the floor, positive uphill (0)")
    words = "recorded forces on a slope are along the floor (floor)"
    add("--axes", choices=("floor", "gravity"), default="floor", help=words)
    _settings(parser)
    _recording(parser)
    out = parser.add_argument_group("results").add_argument
    out("--csv", type=file_to_write, metavar="FILE", help="write the table of steps")
    out("--opensim", type=file_to_write, metavar="MOT", help="write zeroed forces, foot by foot, for OpenSim")
    out("--picture", type=file_to_write, metavar="PNG", help="draw the force ratio of every step")
    return "biped-slip gait trial trial.c3d --csv steps.csv --picture ratio.png"


def _study(parser: argparse.ArgumentParser) -> str:
    add = parser.add_argument
    add("folder", type=Path, help="trials, with their table in trials.csv")
    add("--table", type=Path, metavar="CSV", help="the table, where it is elsewhere")
    add("--acof", type=Path, metavar="CSV", help="readings: instrument, floor, shoe, condition, acof")
    add("--out", type=folder_to_write, metavar="DIR", help="folder of the results (FOLDER/results)")
    add("--workers", type=COUNT, default=1, metavar="N", help="processes (1)")
    _settings(parser)
    _recording(parser)
    parser.set_defaults(config=None)
    return "biped-slip gait study trials --workers 2\nbiped-slip gait study trials --acof readings.csv --out results"


def _chance(parser: argparse.ArgumentParser) -> str:
    add = parser.add_argument
    add("steps", help="steps.csv or steps.parquet of `gait study` or `gait trial`")
    add("--acof", metavar="CSV", help="readings: instrument, floor, shoe, condition, acof")
    add("--quantity", choices=REQUIRED, default="rcof", help="required friction to compare (rcof)")
    add("--interval", choices=INTERVALS, default="automatic", help="of the chance (automatic)")
    add("--csv", type=file_to_write, metavar="FILE", help="write the table")
    return "biped-slip gait chance results/steps.csv --acof readings.csv --csv chances.csv"


def convert(parser: argparse.ArgumentParser) -> str:
    """Declare the arguments of ``convert``."""
    parser.add_argument("recording", metavar="RECORDING", help="C3D, .mot, .sto, CSV or .gz")
    parser.add_argument("out", metavar="OUT", help="OUT.mcap for one file, another name for a bag folder")
    _recording(parser)
    return "biped-slip convert trial.c3d trial.mcap"


def record(parser: argparse.ArgumentParser) -> str:
    """Declare the arguments of ``record``."""
    add = parser.add_argument
    add("out", metavar="OUT", help="OUT.mcap for one file, another name for a bag folder")
    add("--topics", nargs="+", default=[], metavar="TOPIC", help="topics to record (all)")
    add("--least-free", type=float, default=200.0, metavar="MB", help="stop when less of the disk is free (200)")
    return "biped-slip record walk.mcap --topics joint_states imu/data odom l_foot/wrench r_foot/wrench"


def calibrate_sole(parser: argparse.ArgumentParser) -> str:
    """Declare the arguments of ``calibrate-sole``."""
    words = "table with the columns time, force_tangential, force_normal, displacement (s, N, N, m), "
    parser.add_argument(
        "recordings", nargs="+", type=Path, metavar="RECORDING", help=words + "one slow pull from rest to slip"
    )
    parser.add_argument("--out", type=file_to_write, default="sole.yaml", metavar="YAML", help="the sole (sole.yaml)")
    return "biped-slip calibrate-sole pulls/*.csv --out sole.yaml"


def contact_laws(parser: argparse.ArgumentParser) -> str:
    """Declare the arguments of ``contact-laws``."""
    add = parser.add_argument
    add(
        "--picture", type=folder_to_write, metavar="DIR", help="draw every law on the drop and on the pull, a file each"
    )
    add("--normal", nargs="+", metavar="LAW", help="these normal laws only, e.g. hertz or FILE.py:NAME")
    add("--friction", nargs="+", metavar="LAW", help="these friction laws only")
    return "biped-slip contact-laws --normal hertz --friction dahl lugre --picture laws"


def compile(parser: argparse.ArgumentParser) -> str:
    """Declare the arguments of ``compile``."""
    add = parser.add_argument
    add("--all", action="store_true", help="everything that is shipped, not only what the first commands run")
    add("--robot", nargs="+", metavar="NAME", help="humanoids as well, shipped or own .yaml files")
    return "biped-slip compile\nbiped-slip compile --robot talos"


def with_examples(parser: argparse.ArgumentParser, examples: str) -> None:
    """Show examples under the help of a command."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = "examples:\n" + "\n".join(f"  {line}" for line in examples.splitlines())


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of a command of ``biped-slip``."""
    with_examples(parser, globals()[name.replace("-", "_")](parser))
