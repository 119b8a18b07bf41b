# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The real ros2_control for tests: what is installed of it, and this package's launch
files under the real launch."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PATIENCE = 120.0  # [s] a loaded machine compiles slowly
PROGRAMS = (
    "base_estimator",
    "friction_estimator",
    "friction_markers",
    "odom_transform",
    "wait_for_active",
    "walking_controller",
)
NEEDED = (
    *(
        "launch_ros",
        "controller_manager",
        "joint_state_broadcaster",
        "imu_sensor_broadcaster",
    ),
    *(
        "force_torque_sensor_broadcaster",
        "forward_command_controller",
        "robot_state_publisher",
        "xacro",
    ),
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


def missing(needed=NEEDED):
    """Packages of the real stack that are not installed."""
    from ament_index_python.packages import PackageNotFoundError, get_package_prefix

    absent = []
    for name in needed:
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
    """This package as an install tree, with its nodes' programs; environment to find it
    first."""
    programs = prefix / "lib" / "biped_slip"
    index = prefix / "share" / "ament_index" / "resource_index" / "packages"
    for folder in (programs, index, prefix / "share" / "biped_slip"):
        folder.mkdir(parents=True)
    (index / "biped_slip").touch()
    share = prefix / "share" / "biped_slip"
    for name in ("config", "examples", "urdf", "worlds", "package.xml"):
        (share / name).symlink_to(ROOT / name)
    (share / "launch").symlink_to(ROOT / "launch_files")
    for name in PROGRAMS:
        program = programs / name
        program.write_text(
            f"#!{sys.executable}\nfrom biped_slip.ros.__main__ import main\nraise "
            "SystemExit(main())\n"
        )
        program.chmod(0o755)
    return {
        "AMENT_PREFIX_PATH": f"{prefix}:{os.environ.get('AMENT_PREFIX_PATH', sys.prefix)}",
        "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }


class Ear:
    """Hears what a launched robot says."""

    def __init__(self, domain, namespace=""):
        import rclpy
        from rclpy.context import Context
        from rclpy.executors import SingleThreadedExecutor

        self.context = Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = rclpy.create_node(
            "listener", namespace=namespace, context=self.context
        )
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.newest = {}

    def listen(self, kind, topic):
        """Keep every message."""
        from rclpy.qos import qos_profile_sensor_data

        def keep(message):
            self.newest.setdefault(topic, []).append(message)

        self.node.create_subscription(kind, topic, keep, qos_profile_sensor_data)

    def until(self, condition, process, log, patience=PATIENCE):
        """What a condition answers, as soon as that is something; the launch must not
        end before."""
        end = time.monotonic() + patience
        while not (found := condition()):
            assert process.poll() is None, log.read_text()[-4000:]
            assert time.monotonic() < end, log.read_text()[-6000:]
            self.executor.spin_once(timeout_sec=0.1)
        return found

    def close(self):
        import rclpy

        self.executor.remove_node(self.node)
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)


@contextlib.contextmanager
def launched(file, domain, folder, place=None, **arguments):
    """A launch file as `ros2 launch` runs it, in a process group of its own; the log's
    path."""
    words = [
        sys.executable,
        "-c",
        LAUNCH,
        str(ROOT / "launch_files" / file),
        *(f"{k}:={v}" for k, v in arguments.items()),
    ]
    log = folder / "launch.log"
    place = {
        **(place or {}),
        "ROS_DOMAIN_ID": str(domain),
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
        "ROS_LOG_DIR": str(folder / "ros"),
        # spawners lock a file there: those of other launches wait otherwise
        "ROS_HOME": str(folder / "ros"),
    }
    environment = {**os.environ, **installed(folder / "install"), **place}
    with log.open("w") as output:
        process = subprocess.Popen(
            words,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
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


def let_go(log):
    """Whether efforts go to the joints."""
    said = log.read_text()
    return (
        "Configured and activated effort_controller" in said
        or "controllers list : ['effort_controller']" in said
    )


def processes_of(group):
    """Ids of the processes in a group that are not zombies."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            words = stat.read_text().rpartition(")")[2].split()
            if int(words[2]) == group and words[0] != "Z":
                found.append(int(stat.parent.name))
    return found


def program_of(group, name):
    """Ids of this package's programs of a name in a process group."""
    found = []
    for process in processes_of(group):
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
            if any(word.endswith(f"lib/biped_slip/{name}".encode()) for word in words):
                found.append(process)
    return found
