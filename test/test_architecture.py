# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Rooms import in one direction, and only the ROS shell knows ROS
(docs/architecture.md)."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import biped_slip

ROOT = Path(biped_slip.__file__).parent
BESIDE = {
    "bounded_files",
    "errors",
    "config",
    "constants",
    "plugins",
    "shared_files",
    "child_processes",
    "compile",
}
ROOMS = {
    "friction_laws": set(),
    "friction_estimation": set(),
    "contact": {"friction_laws"},
    "robots": set(),
    "estimation": {"friction_estimation", "robots"},
    "control": {"friction_estimation", "estimation", "robots"},
    "walking": {"friction_estimation", "estimation", "robots", "control"},
    "simulation": {
        "friction_laws",
        "friction_estimation",
        "contact",
        "robots",
        "estimation",
        "control",
        "walking",
    },
    "recordings": {"friction_estimation", "estimation", "robots", "reports", "walking"},
    "gait_laboratory": {"recordings", "reports"},
    "reports": {"simulation", "contact", "estimation", "robots"},
    "view": {
        "simulation",
        "recordings",
        "reports",
        "walking",
        "control",
        "estimation",
        "friction_estimation",
        "robots",
    },
}
SHELLS = {"ros", "cli"}
WITH_ROS = {("ros",)}
ROS = {
    "rclpy",
    "launch",
    "launch_ros",
    "ament_index_python",
    "lifecycle_msgs",
    "rosgraph_msgs",
    "std_srvs",
}
ROS |= {
    f"{kind}_msgs"
    for kind in ("std", "sensor", "geometry", "nav", "diagnostic", "visualization")
}


def imports(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def rooms_of(path):
    return {
        name.split(".")[1] for name in imports(path) if name.startswith("biped_slip.")
    }


def place(path):
    return path.relative_to(ROOT).parent.parts


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_what_it_may(room):
    allowed = ROOMS[room] | BESIDE | {room}
    for path in (ROOT / room).rglob("*.py"):
        assert rooms_of(path) <= allowed, (
            f"{path.relative_to(ROOT)} imports {sorted(rooms_of(path) - allowed)}"
        )


def test_every_room_is_in_the_table():
    folders = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert folders == {*ROOMS, *SHELLS, "compile"}


CHECKOUT = ROOT.parent
# what lies in a checkout beside the library, and which of it may be imported there
BESIDE_THE_LIBRARY = {
    "biped_slip": set(),
    "synthetic": {"synthetic"},
    "examples": set(),
    "launch": set(),
    "studies": {"studies", "synthetic"},
    "test": {"synthetic"},
}


@pytest.mark.parametrize("folder", BESIDE_THE_LIBRARY)
def test_studies_are_imported_by_their_own_tests_alone(folder):
    """So that a study can go when no page cites it any more."""
    checked = 0
    for path in (CHECKOUT / folder).rglob("*.py"):
        if path.is_relative_to(CHECKOUT / "test" / "studies"):
            continue
        checked += 1
        found = {name.split(".")[0] for name in imports(path)}
        found &= {"studies", "synthetic"}
        assert found <= BESIDE_THE_LIBRARY[folder], f"{path} imports {sorted(found)}"
    assert checked > 0


def test_the_library_imports_no_command():
    for path in ROOT.rglob("*.py"):
        assert place(path)[:1] == ("cli",) or "cli" not in rooms_of(path), path


def test_only_the_shell_imports_ros_and_no_room_imports_the_shell():
    for path in ROOT.rglob("*.py"):
        if any(place(path)[: len(folder)] == folder for folder in WITH_ROS):
            continue
        names = set(imports(path))
        assert not {name.split(".")[0] for name in names} & ROS, (
            f"{path.relative_to(ROOT)} imports ROS"
        )
        if place(path)[:1] != ("cli",):
            assert not any(name.startswith("biped_slip.ros") for name in names), path


def test_a_node_file_has_no_library_that_computes():
    """Formulas live in the library: no SciPy, Pinocchio, CasADi or numba in the ROS
    shell."""
    for path in (ROOT / "ros").rglob("*.py"):
        found = {name.split(".")[0] for name in imports(path)} & {
            "scipy",
            "pinocchio",
            "casadi",
            "numba",
        }
        assert not found, f"{path.name} imports {found}"


NODES = {
    "walking_controller": ("walking_controller", 120),
    "walking_controller of a humanoid": ("humanoid_robot", 167),
    "friction_estimator": ("friction_estimator", 120),
    "friction_governor": ("friction_governor", 60),
    "foot_estimator": ("foot_estimator", 125),
}


@pytest.mark.parametrize("node", NODES)
def test_what_a_robot_loads_holds_no_simulation_and_no_report(node):
    pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
    part, most = NODES[node]
    program = (
        f"import sys, biped_slip.ros.nodes.{node.split()[0]}, "
        f"biped_slip.ros.nodes.{part}\n"
        "print(*(n for n, m in sys.modules.items() if n.startswith('biped_slip.') and "
        "not hasattr(m, '__path__')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = done.stdout.split()
    rooms = {name.split(".")[1] for name in loaded}
    print(f"{node}: {len(loaded)} files of {', '.join(sorted(rooms))}")
    assert not rooms & {"simulation", "contact", "friction_laws", "reports", "view"}
    assert len(loaded) < most
