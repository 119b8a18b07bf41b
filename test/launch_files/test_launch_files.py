# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The launch files load under the real launch system, offer their arguments, and start
what their data says (test/ros/test_bringup.py tests the data)."""

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip(
    "launch_ros",
    reason="launch_ros is not installed: it comes with ROS 2, not from the package "
    "index",
)
pytestmark = pytest.mark.ros

from launch import LaunchContext, LaunchDescription, LaunchService  # noqa: E402
from launch.actions import (  # noqa: E402
    AppendEnvironmentVariable,
    IncludeLaunchDescription,
    OpaqueFunction,
    RegisterEventHandler,
    SetEnvironmentVariable,
    Shutdown,
    TimerAction,
)
from launch.event_handlers import OnProcessExit  # noqa: E402
from launch.launch_description_sources import (  # noqa: E402
    get_launch_description_from_python_launch_file,
)
from launch_ros.actions import Node  # noqa: E402
from launch_ros.utilities import evaluate_parameters  # noqa: E402

from biped_slip.ros.bringup import gazebo  # noqa: E402
from biped_slip.ros.bringup.actions import actions  # noqa: E402
from biped_slip.ros.bringup.parts import (  # noqa: E402
    COMMON,
    LAUNCH_NAMES,
    LaunchPlan,
    after_active,
    launch_file,
    own_node,
    values,
)
from biped_slip.ros.processes import free_domain  # noqa: E402

ROOT = Path(__file__).parents[2]
REQUIRED = {"replay": {"recording": "bag"}, "robot": {"walk": "true"}}


def description(name):
    return get_launch_description_from_python_launch_file(
        str(ROOT / "launch_files" / f"{name}.launch.py")
    )


def started(name):
    """LaunchPlan of a launch file, and the actions that the launch system makes of it."""
    made = description(name)
    context = LaunchContext()
    given = {
        one.name: "".join(part.perform(context) for part in one.default_value or ())
        for one in made.get_launch_arguments()
    } | REQUIRED.get(name, {})
    context.launch_configurations.update(given)
    (chooses,) = [one for one in made.entities if isinstance(one, OpaqueFunction)]
    return launch_file(name).plan(given), chooses.execute(context), context


def nodes_in(found):
    """Nodes that start at once, and those that handlers start."""
    now = [one for one in found if isinstance(one, Node)]
    later = []
    for one in found:
        if isinstance(one, RegisterEventHandler):
            assert isinstance(one.event_handler, OnProcessExit)
            later += [each for each in answers(one, 0, False) if isinstance(each, Node)]
    return now, later


def answers(handler, code, ends):
    """What a handler does when its process has ended with a code."""
    of_event = handler.event_handler
    when_ended = (
        of_event._OnActionEventBase__actions_on_event
        or of_event._OnActionEventBase__on_event
    )
    if not callable(when_ended):
        return when_ended
    return when_ended(
        SimpleNamespace(returncode=code), SimpleNamespace(is_shutdown=ends)
    )


@pytest.mark.parametrize("name", LAUNCH_NAMES)
def test_it_offers_the_arguments_of_its_data(name):
    offered = {one.name: one for one in description(name).get_launch_arguments()}
    said = launch_file(name).arguments
    assert offered.keys() == said.keys()
    assert offered.keys() >= COMMON.keys()
    for key, argument in said.items():
        assert tuple(offered[key].choices or ()) == argument.choices
        assert (offered[key].default_value is None) == (argument.default is None)


@pytest.mark.parametrize("name", LAUNCH_NAMES)
def test_it_starts_the_programs_of_its_data(name):
    plan, found, _ = started(name)
    now, later = nodes_in(found)
    for nodes, waits in ((now, False), (later, True)):
        assert sorted((one.node_package, one.node_executable) for one in nodes) == (
            sorted(
                (one.package, one.executable)
                for one in plan.programs
                if bool(one.after) == waits
            )
        )
    for kind, many in (
        (SetEnvironmentVariable, plan.environment),
        (AppendEnvironmentVariable, plan.search_paths),
        (IncludeLaunchDescription, plan.included),
    ):
        assert sum(isinstance(one, kind) for one in found) == len(many)


@pytest.mark.parametrize("name", ["robot", "gazebo"])
def test_what_waits_does_not_start_after_a_bad_end_or_while_all_is_ended(name):
    _, found, _ = started(name)
    (handler,) = [one for one in found if isinstance(one, RegisterEventHandler)]
    assert len(answers(handler, 0, False)) == 1
    assert answers(handler, 1, False) == []
    assert answers(handler, 0, True) == []


@pytest.mark.parametrize("name", ["walk", "hil", "replay"])
def test_the_end_of_the_walk_or_the_recording_ends_the_launch(name):
    _, found, _ = started(name)
    (handler,) = [one for one in found if isinstance(one, RegisterEventHandler)]
    (action,) = answers(handler, 0, False)
    assert isinstance(action, Shutdown)


@pytest.mark.parametrize("name", LAUNCH_NAMES)
def test_parameters_reach_the_nodes_as_they_are_in_the_data(
    name, tmp_path, monkeypatch
):
    """Texts such as '1 ms', 'true' or an empty one stay texts."""
    monkeypatch.setattr(gazebo, "mkdtemp", lambda prefix: str(tmp_path))
    plan, found, context = started(name)
    now, later = nodes_in(found)
    for program in plan.programs:
        nodes = later if program.after else now
        node = next(
            one
            for one in nodes
            if one.node_executable == program.executable
            and one._Node__node_name == (program.name or None)
        )
        own = [one for one in node._Node__parameters if isinstance(one, dict)]
        if not program.parameters:
            assert not own
            continue
        (values_there,) = evaluate_parameters(context, own)
        for key, value in program.values().items():
            there = values_there[key]
            assert there == (tuple(value) if isinstance(value, list) else value), key


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """This package as an install tree in front of the others, with its nodes' programs."""
    prefix = tmp_path / "install"
    programs = prefix / "lib" / "biped_slip"
    index = prefix / "share" / "ament_index" / "resource_index" / "packages"
    for folder in (programs, index, prefix / "share" / "biped_slip"):
        folder.mkdir(parents=True)
    (index / "biped_slip").touch()
    for name in ("friction_markers", "wait_for_active"):
        program = programs / name
        program.write_text(
            f"#!{sys.executable}\nfrom biped_slip.ros.__main__ import main\nraise "
            "SystemExit(main())\n"
        )
        program.chmod(0o755)
    monkeypatch.setenv(
        "AMENT_PREFIX_PATH",
        f"{prefix}:{os.environ.get('AMENT_PREFIX_PATH', sys.prefix)}",
    )
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}:{os.environ.get('PYTHONPATH', '')}")
    return prefix


@pytest.mark.parametrize("late", [0.0, 4.0])
def test_what_waits_for_a_node_starts_when_it_is_active_whoever_was_first(
    installed, tmp_path, late
):
    """With real processes; four seconds later the node has long been active."""
    log = tmp_path / "order.txt"
    note = installed / "lib" / "biped_slip" / "note"
    text = f"open({str(log)!r}, 'a').write('later ')"
    note.write_text(f"#!{sys.executable}\n{text}\n")
    note.chmod(0o755)
    given = values({**COMMON, **launch_file("walk").arguments}, [])
    node = own_node("friction_markers", {"autostart": True}, given)
    last = own_node("friction_markers", {}, given)._replace(
        executable="note", name="", files=(), ends_all="noted"
    )
    waiting = LaunchPlan(after_active("friction_markers", last, given))
    service = LaunchService(noninteractive=True)
    service.include_launch_description(
        LaunchDescription(
            [
                SetEnvironmentVariable("ROS_DOMAIN_ID", str(free_domain())),
                SetEnvironmentVariable("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST"),
                TimerAction(period=late, actions=actions(waiting)),
                TimerAction(period=60.0, actions=[Shutdown()]),
                *actions(LaunchPlan([node])),
            ]
        )
    )
    assert service.run() == 0
    assert log.read_text() == "later "
