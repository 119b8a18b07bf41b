# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Parts of launch files as plain data: arguments, programs, what begins after what.

A launch file is a function from the values of its arguments, which are texts, to the
programs that it starts. ``ros2 launch`` makes actions of them (``actions.py``),
``biped-slip up`` processes (``running.py``); so both start the same.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping, NamedTuple, Sequence

from biped_slip.errors import BipedSlipError, InvalidParameter, UnknownName
from biped_slip.shared_files import shared_folder

Given = Mapping[str, str]  # value of each argument

#: Launch files by name; each is a module of this package with a ``NAME_LAUNCH``.
LAUNCH_NAMES = ("walk", "hil", "robot", "governor", "friction", "replay", "gazebo")


class Argument(NamedTuple):
    """Argument of a launch file."""

    default: str | None  # None: it must be given
    meaning: str
    choices: tuple[str, ...] = ()


class LaunchedProgram(NamedTuple):
    """Program that a launch file starts: a node, or one that does something and ends.

    A parameter may be a function without arguments, called when the program starts.
    """

    package: str
    executable: str
    name: str = ""  # of the node; empty: its own
    namespace: str = ""
    files: tuple[str, ...] = ()  # of parameters, before those below
    parameters: Mapping[str, Any] = {}
    options: tuple[str, ...] = ()  # words before --ros-args
    ros_options: tuple[str, ...] = ()  # words behind --ros-args
    remappings: tuple[tuple[str, str], ...] = ()
    after: str = ""  # label of the program that must have ended well before
    ends_all: str = ""  # why all ends with it; empty: it does not
    commands: bool = False  # joints: where all ends, it ends first
    imports: tuple[str, ...] = ()  # without these modules it is left out
    optional: bool = False  # the others are of use without it

    @property
    def label(self) -> str:
        """Return its name in sentences."""
        return self.name or self.executable

    def values(self) -> dict[str, Any]:
        """Return the values of its parameters."""
        return {
            name: value() if callable(value) else value
            for name, value in self.parameters.items()
        }


class Included(NamedTuple):
    """Launch file of another package."""

    package: str
    file: str
    arguments: Mapping[str, str]


class LaunchPlan(NamedTuple):
    """What a launch file starts, by the values of its arguments."""

    programs: Sequence[LaunchedProgram]
    included: Sequence[Included] = ()
    environment: Mapping[str, str] = {}
    search_paths: Mapping[str, str] = {}  # appended to variables of the environment


class LaunchFile(NamedTuple):
    """Launch file: its arguments and what it starts."""

    meaning: str
    own_arguments: Mapping[str, Argument]
    start: Callable[[Given], LaunchPlan]

    @property
    def arguments(self) -> dict[str, Argument]:
        """Return its arguments and those of every launch file."""
        return {**self.own_arguments, **COMMON}

    def plan(self, given: Given) -> LaunchPlan:
        """Return what starts by the values of all arguments.

        Raises:
            BipedSlipError: a value cannot be used.
        """
        plan = self.start(given)
        everywhere = {"ROS_AUTOMATIC_DISCOVERY_RANGE": given["discovery_range"]}
        return plan._replace(environment={**everywhere, **plan.environment})


#: Arguments of every launch file.
COMMON = {
    "namespace": Argument("", "namespace of all nodes"),
    "log_level": Argument("info", "debug, info, warn, error"),
    "discovery_range": Argument("LOCALHOST", "who may listen: LOCALHOST or SUBNET"),
}

#: [Hz] of a control loop, by the argument ``period``.
LOOP_RATES = {"1 ms": 1000, "2 ms": 500, "4 ms": 250}
PERIOD_ARGUMENT = Argument(
    "walk",
    "of control: the walk's, or auto: the shortest that this computer keeps up with",
    ("walk", "auto", *LOOP_RATES),
)
PERIOD_BEHIND = Argument(
    "1 ms", "of control, and of what is controlled", tuple(LOOP_RATES)
)
MARKERS_ARGUMENT = Argument(
    "false", "true: forces, friction cones and footsteps for RViz and Foxglove"
)
STEERED_ARGUMENT = Argument("false", "true: the robot stands until it hears cmd_vel")
AUTOSTART_ARGUMENT = Argument("true", "configure and activate at once")

#: FIFO priority of loops beside ros2_control, whose own loop has 50: torques must go
#: out while these compute.
REALTIME_PRIORITY = "45"

#: [s] for a manager to answer: Gazebo's stands still while a Python system compiles,
#: longer than the usual 5 s.
SWITCH_TIMEOUT = "60"

TRUTHS = {"true": True, "1": True, "false": False, "0": False}


def launch_file(name: str) -> LaunchFile:
    """Return a launch file by its name.

    Raises:
        UnknownName: there is none of that name.
    """
    if name not in LAUNCH_NAMES:
        raise UnknownName("launch file", name, LAUNCH_NAMES)
    module = importlib.import_module(f"{__package__}.{name}")
    found: LaunchFile = getattr(module, f"{name.upper()}_LAUNCH")
    return found


def shipped(*path: str) -> str:
    """Return a file of this package's share folder."""
    return str(Path(shared_folder(), *path))


def values(arguments: Mapping[str, Argument], words: Iterable[str]) -> dict[str, str]:
    """Return the values of arguments by words ``name:=value``, or their defaults.

    Raises:
        BipedSlipError: a word is none, or names or says what there is not.
    """
    given: dict[str, str] = {}
    for word in words:
        name, found, value = word.partition(":=")
        if not found:
            raise BipedSlipError(f"{word!r} is no argument: write NAME:=VALUE")
        if name not in arguments:
            raise UnknownName("argument", name, list(arguments))
        choices = arguments[name].choices
        if choices and value not in choices:
            raise InvalidParameter(name, value, f"one of {', '.join(choices)}")
        given[name] = value
    for name, argument in arguments.items():
        if argument.default is None and not given.get(name):
            raise BipedSlipError(f"{name} is missing: {argument.meaning}")
    return {
        name: given.get(name, argument.default or "")
        for name, argument in arguments.items()
    }


def truth(given: Given, name: str) -> bool:
    """Return an argument that is true or false; InvalidParameter refuses others."""
    found = TRUTHS.get(given[name].lower())
    if found is None:
        raise InvalidParameter(name, given[name], "true or false")
    return found


def number(given: Given, name: str) -> float:
    """Return an argument that is a number; InvalidParameter refuses others."""
    try:
        return float(given[name])
    except ValueError:
        raise InvalidParameter(name, given[name], "a number") from None


def whole(given: Given, name: str) -> int:
    """Return an argument that is a whole number; InvalidParameter refuses others."""
    try:
        return int(given[name])
    except ValueError:
        raise InvalidParameter(name, given[name], "a whole number") from None


def estimator_behind(limit: str) -> str:
    """Return the estimator of a slip policy."""
    return limit if limit in ("interval", "thesis") else "interval"


def own_node(
    executable: str, parameters: Mapping[str, Any], given: Given, **more: Any
) -> LaunchedProgram:
    """Return a node of this package.

    Parameters of the file come first, then these.
    """
    return LaunchedProgram(
        package="biped_slip",
        executable=executable,
        name=executable,
        namespace=given["namespace"],
        files=(given["params_file"],),
        parameters=parameters,
        ros_options=(
            "--log-level",
            given["log_level"],
            # means something only where SROS 2 is enabled
            "--enclave",
            f"/biped_slip/{executable}",
        ),
        commands=executable == "walking_controller",
        **more,
    )


def realtime(given: Given) -> tuple[str, ...]:
    """Return the words that ask for the priority of a loop."""
    return ("--realtime-priority", given["realtime_priority"])


def markers(
    given: Given, parameters: Mapping[str, Any] | None = None
) -> list[LaunchedProgram]:
    """Return the node that draws, if it is asked for."""
    asked = truth(given, "markers")
    return [own_node("friction_markers", parameters or {}, given)] if asked else []


def after_active(
    name: str, program: LaunchedProgram, given: Given, heard: float = 0.0
) -> list[LaunchedProgram]:
    """Start a program once a lifecycle node of this package is active.

    It does not matter in which order things have been started. With ``heard``, not
    before its sensors have sent for that many seconds of their stamps.
    """
    waiter = LaunchedProgram(
        package="biped_slip",
        executable="wait_for_active",
        name=f"wait_for_{name}",
        namespace=given["namespace"],
        parameters={"node": name, "heard": heard},
    )
    return [waiter, program._replace(after=waiter.name)]


def spawner(given: Given, *controllers: str) -> LaunchedProgram:
    """Load controllers of ros2_control and activate them together."""
    return LaunchedProgram(
        package="controller_manager",
        executable="spawner",
        namespace=given["namespace"],
        options=(
            *controllers,
            "--activate-as-group",
            "--controller-manager",
            "controller_manager",
            "--switch-timeout",
            SWITCH_TIMEOUT,
        ),
    )


def robot_state_publisher(
    description: str | Callable[[], str],
    given: Given,
    parameters: Mapping[str, Any] | None = None,
) -> LaunchedProgram:
    """Publish TF of the robot's links from ``joint_states``."""
    return LaunchedProgram(
        package="robot_state_publisher",
        executable="robot_state_publisher",
        namespace=given["namespace"],
        parameters={"robot_description": description, **(parameters or {})},
        optional=True,
    )


def odom_transform(given: Given) -> LaunchedProgram:
    """Publish TF of the robot's base from ``odom``."""
    return own_node("odom_transform", {}, given, imports=("tf2_msgs",), optional=True)


def shown_robot(given: Given) -> list[LaunchedProgram]:
    """Publish TF of base and links of the robot in the argument ``robot``.

    By default it is the planar biped.
    """
    return [
        odom_transform(given),
        robot_state_publisher(lambda: description_of(given.get("robot", "")), given),
    ]


def description_of(walk: str) -> str:
    """Return the URDF of the robot of a humanoid's walk.

    Without a walk, return that of the planar biped.
    """
    if not walk:
        from biped_slip.robots.planar_biped import planar_biped

        return planar_biped().urdf
    from biped_slip.robots.humanoid import load_humanoid
    from biped_slip.walking.humanoid import chosen_walking

    return load_humanoid(chosen_walking(walk).robot).robot.urdf


def xacro_text(path: str, **arguments: str) -> str:
    """Return the text of a robot description from a xacro file.

    Arguments may have blanks.

    Raises:
        BipedSlipError: xacro is not installed, or refuses the file.
    """
    try:
        import xacro
    except ImportError:
        raise BipedSlipError(
            f"{path}: xacro is missing; `pip install xacro` brings it"
        ) from None
    try:
        return str(xacro.process_file(path, mappings=arguments).toxml())
    except Exception as error:  # of any kind: a parser's, a file's, xacro's own
        raise BipedSlipError(f"{path}: {error}") from error
