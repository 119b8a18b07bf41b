# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Start the nodes of a launch file in this terminal, without ROS 2's launch."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from biped_slip.errors import BipedSlipError
from biped_slip.ros.bringup.parts import (
    LaunchFile,
    launch_file,
    truth,
    values,
)
from biped_slip.ros.bringup.running import opened_log
from biped_slip.ros.bringup.running import run as run_plan
from biped_slip.ros.processes import need_ros

ON_A_ROBOT = "robot"


def run(arguments: argparse.Namespace) -> int:
    """Start the nodes, and wait for their end or an interruption."""
    file = launch_file(arguments.name)
    if arguments.show_args:
        print(described(file))
        return 0
    given = values(file.arguments, arguments.arguments)
    commands = arguments.name == ON_A_ROBOT and truth(given, "walk")
    if commands and not arguments.armed:
        raise BipedSlipError(
            "walk:=true sends efforts to the robot's joints: say so with --armed"
        )
    if arguments.armed and not commands:
        raise BipedSlipError(
            "--armed is for `biped-slip up robot walk:=true` alone: nothing else sends "
            "efforts to a robot's joints"
        )
    need_ros()
    path = arguments.log or default_log(arguments.name)
    with opened_log(path, sys.stdout) as log:
        log.say(f"{arguments.name}: Ctrl-C ends all; log: {path}")
        return run_plan(file.plan(given), log)


def default_log(name: str) -> Path:
    """Return the log's file in the folder of ROS's logs."""
    home = Path(os.environ.get("ROS_HOME") or Path.home() / ".ros")
    folder = Path(os.environ.get("ROS_LOG_DIR") or home / "log")
    began = time.strftime("%Y-%m-%d-%H-%M-%S")
    return folder / f"up_{name}_{began}_{os.getpid()}.log"


def described(file: LaunchFile) -> str:
    """Return the arguments of a launch file, each with default and meaning."""
    lines = [f"{file.meaning}; arguments:"]
    for name, argument in file.arguments.items():
        default = "" if argument.default is None else f":={argument.default!r}"
        lines.append(f"  {name}{default}")
        choices = f" ({', '.join(argument.choices)})" if argument.choices else ""
        lines.append(f"      {argument.meaning}{choices}")
    return "\n".join(lines)
