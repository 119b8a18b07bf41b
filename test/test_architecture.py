# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Rooms import in one direction, and only the nodes know ROS (docs/architecture.md)."""

import ast
from pathlib import Path

import pytest

import biped_slip

ROOT = Path(biped_slip.__file__).parent
BESIDE = {
    "arrays",
    "borrowed_arrays",
    "compiled_parts",
    "errors",
    "config",
    "kernels",
    "code_hash",
    "constants",
    "shared_files",
}
ROOMS = {
    "friction": set(),
    "contact": {"friction"},
    "robots": set(),
    "estimation": {"friction", "robots"},
    "control": {"friction", "estimation", "robots"},
    "simulation": {"friction", "contact", "robots", "estimation", "control"},
    "recordings": {"friction", "estimation", "robots", "reports"},
    "campaigns": {"simulation", "reports"},
    "reports": {"simulation", "contact", "estimation", "robots"},
    "studies": {"friction", "contact", "robots", "estimation", "simulation", "recordings", "reports"},
    "papers": {"friction", "contact", "robots", "simulation", "recordings", "reports"},
}
ROS = {"rclpy", "launch", "launch_ros", "ament_index_python", "lifecycle_msgs", "rosgraph_msgs", "std_srvs"}
ROS |= {f"{kind}_msgs" for kind in ("std", "sensor", "geometry", "nav", "diagnostic", "visualization")}


def imports(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_what_it_may(room):
    allowed = ROOMS[room] | BESIDE | {room}
    for path in (ROOT / room).rglob("*.py"):
        rooms = {name.split(".")[1] for name in imports(path) if name.startswith("biped_slip.")}
        assert rooms <= allowed, f"{path.relative_to(ROOT)} imports {sorted(rooms - allowed)}"


def test_every_room_is_in_the_table():
    folders = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert folders == {*ROOMS, "nodes", "cli"}


def test_only_nodes_import_ros_and_nothing_imports_nodes():
    for path in ROOT.rglob("*.py"):
        if path.parent.name == "nodes":
            continue
        names = set(imports(path))
        assert not {name.split(".")[0] for name in names} & ROS, f"{path.relative_to(ROOT)} imports ROS"
        if path.parent.name != "cli":
            assert not any(name.startswith("biped_slip.nodes") for name in names), path


def test_a_node_file_has_no_library_that_computes():
    """Formulas live in the library: no SciPy, Pinocchio, CasADi or numba in the ROS shell."""
    for path in (ROOT / "nodes").glob("*.py"):
        found = {name.split(".")[0] for name in imports(path)} & {"scipy", "pinocchio", "casadi", "numba"}
        assert not found, f"{path.name} imports {found}"
