# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The real ros2_control for tests: what is installed of it, and this package's launch files under the real launch."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAMS = (
    "base_estimator",
    "friction_estimator",
    "friction_markers",
    "odom_transform",
    "wait_for_active",
    "walking_controller",
)
NEEDED = (
    *("launch_ros", "controller_manager", "joint_state_broadcaster", "imu_sensor_broadcaster"),
    *("force_torque_sensor_broadcaster", "forward_command_controller", "robot_state_publisher", "xacro"),
)
LAUNCH = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
service = LaunchService(noninteractive=True)
file, *arguments = sys.argv[1:]
pairs = [tuple(one.split(":=", 1)) for one in arguments]
source = PythonLaunchDescriptionSource(file)
service.include_launch_description(LaunchDescription([IncludeLaunchDescription(source, launch_arguments=pairs)]))
raise SystemExit(service.run())
"""


def missing():
    """Packages of the real stack that are not installed."""
    from ament_index_python.packages import PackageNotFoundError, get_package_prefix

    absent = []
    for name in NEEDED:
        if name in ("launch_ros", "xacro"):
            if not _importable(name):
                absent.append(name)
            continue
        try:
            get_package_prefix(name)
        except (PackageNotFoundError, OSError):  # the latter without AMENT_PREFIX_PATH
            absent.append(name)
    return absent


def _importable(name):
    import importlib.util

    return importlib.util.find_spec(name) is not None


def need_ros2_control():
    """Skip where the real programs are not installed, with the reason."""
    if absent := missing():
        pytest.skip(f"ros2_control is not installed: no {', '.join(absent)}")


def installed(prefix):
    """This package as an install tree, with its nodes' programs; environment to find it first."""
    programs, index = prefix / "lib" / "biped_slip", prefix / "share" / "ament_index" / "resource_index" / "packages"
    for folder in (programs, index, prefix / "share" / "biped_slip"):
        folder.mkdir(parents=True)
    (index / "biped_slip").touch()
    for name in ("launch", "config", "urdf", "worlds", "package.xml"):
        (prefix / "share" / "biped_slip" / name).symlink_to(ROOT / name)
    for name in PROGRAMS:
        program = programs / name
        program.write_text(f"#!{sys.executable}\nfrom biped_slip.ros.__main__ import main\nraise SystemExit(main())\n")
        program.chmod(0o755)
    return {
        "AMENT_PREFIX_PATH": f"{prefix}:{os.environ.get('AMENT_PREFIX_PATH', sys.prefix)}",
        "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }


@contextlib.contextmanager
def launched(file, domain, folder, **arguments):
    """A launch file as `ros2 launch` runs it, in a process group of its own; the log's path."""
    words = [sys.executable, "-c", LAUNCH, str(ROOT / "launch" / file), *(f"{k}:={v}" for k, v in arguments.items())]
    log = folder / "launch.log"
    place = {
        "ROS_DOMAIN_ID": str(domain),
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
        "ROS_LOG_DIR": str(folder / "ros"),
    }
    environment = {**os.environ, **installed(folder / "install"), **place}
    with log.open("w") as output:
        process = subprocess.Popen(
            words, stdout=output, stderr=subprocess.STDOUT, env=environment, start_new_session=True
        )
    try:
        yield process, log
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(30.0)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def processes_of(group):
    """Ids of the processes in a group that are not zombies."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            words = stat.read_text().rpartition(")")[2].split()
            if int(words[2]) == group and words[0] != "Z":
                found.append(int(stat.parent.name))
    return found
