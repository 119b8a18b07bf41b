# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Rooms import in one direction, and only the ROS shell knows ROS
(docs/architecture.md)."""

import ast
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from source_measures import (
    built_by_position,
    circles,
    classes_of_one_name,
    constants_of_one_name,
    functions,
    parallel_assignments,
    skipped_by_the_formatter,
    sources,
    tokens_a_line,
)

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
    "comparison": {
        "simulation",
        "walking",
        "control",
        "estimation",
        "friction_estimation",
        "robots",
    },
    "reports": {"simulation", "comparison", "contact", "estimation", "robots"},
    "environments": {"simulation", "contact", "walking", "estimation", "robots"},
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
    "launch_files": set(),
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
        shell = place(path)[:1] == ("cli",) or path == ROOT / "__main__.py"
        assert shell or "cli" not in rooms_of(path), path


# What a reader has to hold in mind at once. Lines, files and words are not counted:
# each of these is about how much stands in one place, and whether a name says one thing.
MOST_TOKENS_A_LINE = 8.5
MOST_PARALLEL_ASSIGNMENTS = 100
MOST_SKIPPED_LINES = 40  # of matrices, whose columns the formatter would take apart
LONG_TOKENS = 400
LONG_ARGUMENTS = 8
LONG_LOCALS = 20
MOST_FIELDS_BY_POSITION = 4
MOST_CONSTANTS_OF_ONE_NAME = 20
#: Functions that are longer than that, have more arguments or more locals, and why.
LONG = {
    "config:parameter": "each argument is an independent property, given by its name",
    "contact.distributed_foot:wrench_on_foot": "sums over points, kept in registers",
    "contact.free_body:simulate": "public, all but two arguments by name",
    "friction_estimation.interval.readout:_weigh": "one pass over the grid, in place",
    "friction_estimation.slip_detection:detect": "flat numbers: it is the recursion",
    "recordings.replay:answer_bag": "the pieces of a bag pass through one loop",
    "walking.planar:step": "the order of the stages is what it says",
    "walking.planar:tick": "what crosses into compiled code is flat",
}


@pytest.fixture(scope="module")
def files():
    return sources(ROOT)


def test_a_line_of_code_says_one_thing(files):
    mean = tokens_a_line(files)
    parallel = parallel_assignments(files)
    print(f"{mean:.2f} tokens a line, {len(parallel)} parallel assignments")
    assert mean <= MOST_TOKENS_A_LINE
    assert len(parallel) <= MOST_PARALLEL_ASSIGNMENTS


def test_the_formatter_decides(files):
    skipped = skipped_by_the_formatter(files)
    print(f"{len(skipped)} lines are kept from the formatter")
    assert len(skipped) <= MOST_SKIPPED_LINES


def test_a_function_is_long_only_for_a_reason(files):
    found = {
        one.name.removeprefix("biped_slip."): one
        for one in functions(files)
        if one.tokens > LONG_TOKENS
        or one.arguments > LONG_ARGUMENTS
        or one.locals > LONG_LOCALS
    }
    for one in sorted(found.values(), key=lambda one: -one.tokens):
        print(f"{one.tokens} tokens, {one.arguments} arguments, {one.locals} locals:")
        print(f"    {one.name}")
    assert set(found) <= set(LONG), "take it apart, or give the reason in LONG"
    assert set(LONG) <= set(found), "no longer long: drop it from LONG"


def test_records_are_built_by_the_names_of_their_fields(files):
    assert built_by_position(files, MOST_FIELDS_BY_POSITION) == []


def test_a_name_means_one_thing(files):
    constants = constants_of_one_name(files)
    print(f"{len(constants)} constants of several values: {', '.join(constants)}")
    assert classes_of_one_name(files) == {}
    assert len(constants) <= MOST_CONSTANTS_OF_ONE_NAME


def test_files_do_not_import_one_another_in_a_circle(files):
    assert circles(files) == []


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


#: Files that a robot loads, at most, by node: its modules, its estimator, the number. They
#: are the import closure of what was chosen; more of them means that something else is
#: loaded along, which nobody asked for.
NODES = {
    "planar biped": ("nodes.walking_controller planar_robot", "touchdown", 80),
    "humanoid": ("nodes.walking_controller humanoid_robot", "touchdown", 105),
    "friction_estimator": ("nodes.friction_estimator", "interval", 80),
    "friction_governor": ("nodes.friction_governor", "", 45),
    "foot_estimator": ("nodes.foot_estimator", "interval", 75),
    "unitree_bridge": ("nodes.unitree_bridge", "", 50),
}
LOADED = """
import importlib, sys
for part in {modules!r}.split():
    importlib.import_module(f"biped_slip.ros.{{part}}")
if {estimator!r}:
    from biped_slip.friction_estimation.registry import make_estimator
    from biped_slip.friction_estimation.settings import EstimatorSettings
    make_estimator({estimator!r}, EstimatorSettings())
print(*(name for name, module in sys.modules.items()
        if name.startswith("biped_slip.") and not hasattr(module, "__path__")))
"""
#: What belongs to one estimator alone, by its name.
OF_ESTIMATORS = {
    "interval": {
        "interval.estimator",
        "interval.grid",
        "interval.model",
        "interval.readout",
        "interval.recursion",
        "slip_detection",
    },
    "touchdown": {"touchdown"},
    "thesis": {"rls"},
}


@pytest.mark.parametrize("node", NODES)
def test_what_a_robot_loads_holds_no_simulation_and_no_estimator_but_its_own(node):
    pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
    modules, estimator, most = NODES[node]
    program = LOADED.format(modules=modules, estimator=estimator)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = done.stdout.split()
    rooms = Counter(name.split(".")[1] for name in loaded)
    print(f"{node}: {len(loaded)} files; {dict(rooms)}")
    assert not {"simulation", "contact", "friction_laws", "reports", "view"} & set(
        rooms
    )
    assert len(loaded) <= most
    if node != "foot_estimator":  # whose samples are judged as those of recordings
        assert "recordings" not in rooms
        for name, parts in OF_ESTIMATORS.items():
            if name != estimator:
                others = {f"biped_slip.friction_estimation.{part}" for part in parts}
                assert not others & set(loaded), name
