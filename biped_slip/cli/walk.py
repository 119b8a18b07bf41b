# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walk the planar biped, or a humanoid, over floors of different friction, without ROS.

Exit codes: 0 upright without a slide, 1 fell or must not walk, 2 can't be walked or
the simulation diverged, 3 upright, but a stance foot slid by 1 cm or more, 4 upright,
but out of time.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable, Mapping, NamedTuple

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from biped_slip.cli.keyboard import check_terminal, drive, steerable, terminal_keys
from biped_slip.cli.terminal import (
    Screen,
    result_screen,
    tell_kept_time,
    walk_exit_code,
    write_json,
    written,
)
from biped_slip.errors import InvalidParameter
from biped_slip.estimation.residuals import WRENCH_SENSORS
from biped_slip.estimation.sensor_self_test import UNCHECKED
from biped_slip.reports.figures import prevention
from biped_slip.reports.stances import (
    STANCE_COLUMNS,
    STANCE_KEY,
    cells,
    closing_sentence,
    fall_sentence,
    slide_sentence,
    stance_rows,
)
from biped_slip.robots.humanoid import check_legs, load_humanoid
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.ros.processes import REALTIME
from biped_slip.ros.topic_walks import (
    Run,
    compile_ahead,
    humanoid_over_topics,
    walk_over_topics,
)
from biped_slip.simulation.humanoid.scenario import (
    HumanoidWalkConfig,
    chosen_walk,
    in_file,
    with_motion,
)
from biped_slip.simulation.humanoid.summary import HumanoidSummary, summarise_humanoid
from biped_slip.simulation.humanoid.walk import HumanoidTrack, HumanoidWalk
from biped_slip.simulation.log import Log
from biped_slip.simulation.planar.oracle import planar_policy
from biped_slip.simulation.planar.plant import with_chosen_step
from biped_slip.simulation.planar.scenario import (
    ScenarioConfig,
    changed,
    chosen_scenario,
)
from biped_slip.simulation.planar.summary import summarise
from biped_slip.simulation.planar.walk import Walk as PlanarWalk
from biped_slip.simulation.planar.walk import WalkResult, run_walk
from biped_slip.simulation.summary import Summary
from biped_slip.simulation.time_series import write_series
from biped_slip.view.page import planar_scene, scene_pieces
from biped_slip.walking.registry import HUMANOID_DEFAULT, PLANAR_DEFAULT
from biped_slip.walking.sensor_sway import ChecksSensors

SCENARIO = "thesis"
WALK_MODES = ("lockstep", "real-time")

# options that the nodes of a planar walk do not take
PLANAR_WORDS = ("variant", "contact", "sensors", "spill", "keyboard")

BY_CURRENTS = "forces on the feet: from the currents of the legs' motors"


class EndedWalk(NamedTuple):
    """Walk of any robot that has ended, with its summary."""

    summary: Summary
    arrived: bool
    log: Log
    show: Callable[[Screen], None]
    report: Callable[[Path], Path]


def walk(arguments: argparse.Namespace) -> int:
    """Run one walk and print its results."""
    planar = arguments.robot == "planar"
    if arguments.keyboard:
        check_terminal()
    out = result_screen(arguments)
    console = Screen(stderr=True)
    if planar:
        _left_out(
            arguments,
            ("motion",),
            "left out without --robot",
            "write motion.source in a scenario",
        )
        _left_out(
            arguments,
            ("true_base", "no_sensor_check", "world"),
            "left out without --robot",
            "it belongs to humanoids",
        )
        arguments.scenario = arguments.scenario or SCENARIO
    else:
        _left_out(
            arguments,
            ("scenario", "variant"),
            "left out with --robot",
            "it belongs to the planar walk",
        )
    walked = (_planar if planar else _humanoid)(arguments, console)
    walked.show(out)
    log = walked.log
    if not walked.summary.refused:
        show_stances(log, out)
        out.print(STANCE_KEY, style="dim", highlight=False)
        show_end(walked.summary, log, out)
    if arguments.json is not None:
        scenario = {"scenario": arguments.scenario} if planar else {}
        chosen = {"robot": arguments.robot, **scenario, "limit": arguments.limit}
        known = {
            "stances": [row._asdict() for row in stance_rows(log)],
            "fall": fall_sentence(log, walked.summary.end),
            "slide": slide_sentence(log, walked.summary.slips),
        }
        write_json(
            arguments.json,
            arguments,
            [{**chosen, **walked.summary.to_mapping(), **known}],
        )
    if arguments.series is not None:
        _write_series(arguments.series, log.filled())
    if arguments.report is not None:
        console.print(f"report: {walked.report(arguments.report)}")
    return walk_exit_code(walked.summary, walked.arrived)


def _write_series(target: Path, arrays: Mapping[str, Any]) -> None:
    """Write the time series of a walk to a file or standard output."""
    with written(target, ".csv") as path:
        write_series(path, arrays)


def period_of(asked: str | None) -> float | None:
    """Return the period [s] that an option asks for; None: the walk's."""
    if asked == "auto":
        raise InvalidParameter("--period", asked, "1, 2 or 4 without --over-topics")
    return None if asked is None else 1e-3 * float(asked)


def _left_out(
    arguments: argparse.Namespace, names: tuple[str, ...], where: str, remedy: str
) -> None:
    for name in names:
        if getattr(arguments, name):
            raise InvalidParameter(
                f"--{name.replace('_', '-')}", getattr(arguments, name), where, remedy
            )


def _run(arguments: argparse.Namespace) -> Run:
    """Build how the nodes of a walk over topics run, for any robot."""
    real_time = arguments.over_topics == "real-time"
    period = {None: "walk", "auto": "auto"}.get(
        arguments.period, f"{arguments.period} ms"
    )
    return Run(
        mode=arguments.over_topics,
        controller=arguments.controller,
        period=period,
        options=REALTIME if real_time else (),
        kept=tell_kept_time if real_time else None,
    )


def _planar(arguments: argparse.Namespace, console: Screen) -> EndedWalk:
    period = None if arguments.over_topics else period_of(arguments.period)
    name = arguments.scenario
    limit = arguments.limit
    seed = arguments.seed
    scenario = chosen_scenario(
        name, arguments.variant, seed, arguments.contact, arguments.sensors, period
    )
    if arguments.spill:
        spills = [*scenario.ground.spills, *arguments.spill]
        scenario = changed(scenario, {"ground.spills": spills})
    if arguments.keyboard and arguments.over_topics is None:
        result = _planar_by_keys(arguments, scenario, console)
        return _planar_walked(result, scenario, limit)
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task(f"walking ({limit})", total=1.0)

        def progress(share: float) -> None:
            bar.update(task, completed=share)

        if arguments.over_topics is None:
            result = run_walk(
                scenario,
                limit,
                seed or 0,
                progress,
                arguments.controller or PLANAR_DEFAULT,
            )
        elif any(getattr(arguments, word) for word in PLANAR_WORDS):
            raise InvalidParameter(
                "--over-topics",
                arguments.over_topics,
                "without --variant, --contact, --sensors, --spill and --keyboard",
                "write them in a scenario, and steer by cmd_vel",
            )
        else:
            result = walk_over_topics(
                name, limit, _run(arguments), seed=seed, progress=progress
            )
    return _planar_walked(result, scenario, limit)


def _planar_by_keys(
    arguments: argparse.Namespace, scenario: ScenarioConfig, console: Screen
) -> WalkResult:
    policy = planar_policy(arguments.limit, scenario)
    name = arguments.controller or PLANAR_DEFAULT
    walk = PlanarWalk(scenario, policy, arguments.seed or 0, name)
    begin = time.perf_counter()
    controller = steerable(walk.controller, name)
    with terminal_keys() as keys:
        drive(walk, controller, keys, console.print)
    took = time.perf_counter() - begin
    log = walk.log.trim()
    return WalkResult(log, summarise(log, walk.fell, took, walk.diverged))


def _planar_walked(
    result: WalkResult, scenario: ScenarioConfig, limit: str
) -> EndedWalk:
    def tell(screen: Screen) -> None:
        physics = with_chosen_step(planar_biped(scenario.variant), scenario.plant)
        steps = physics.control_period_ns // physics.step_ns
        screen.print(f"contact: {physics.contact.law}, {steps} steps a control period")
        _tell_halved(scenario.plant, physics, screen)

    def report(folder: Path) -> Path:
        from biped_slip.reports.walks import write_walk_report

        return write_walk_report(
            folder, {limit: result}, scenario, planar_scene({limit: result}, scenario)
        )

    return EndedWalk(
        summary=result.summary, arrived=True, log=result.log, show=tell, report=report
    )


def _humanoid(arguments: argparse.Namespace, console: Screen) -> EndedWalk:
    """Check the sensors, then walk.

    A robot with wrong sensors takes no step, and is reported as far as it came.
    """
    period = None if arguments.over_topics else period_of(arguments.period)
    config = chosen_walk(arguments.robot, arguments.sensors, period)
    if arguments.over_topics is not None:
        _left_out(
            arguments,
            ("contact", "motion", "sensors", "spill", "keyboard", "world"),
            "left out with --over-topics",
            "name it in the walk, or steer by cmd_vel",
        )
        return _walked(arguments, _humanoid_over_topics(arguments, console), config)
    config = _changed_walk(config, arguments)
    humanoid = load_humanoid(config.robot)
    if (arguments.controller or HUMANOID_DEFAULT) == HUMANOID_DEFAULT:
        check_legs(humanoid)
    walk = HumanoidWalk(
        config,
        arguments.limit,
        arguments.seed or 0,
        true_base=arguments.true_base,
        checked=not arguments.no_sensor_check,
        controller=arguments.controller or HUMANOID_DEFAULT,
    )
    for note in (*humanoid.notes, *walk.world.plant.notes):
        console.print(f"note: {note}", highlight=False)
    if config.walking.by_currents:
        console.print(BY_CURRENTS)
    if (
        not arguments.no_sensor_check
        and WRENCH_SENSORS in config.walking.absent_sensors
    ):
        console.print(UNCHECKED)
    faults = "; ".join(walk.check_sensors())
    if faults:
        walk.world.log.trim()
    elif arguments.keyboard:
        name = arguments.controller or HUMANOID_DEFAULT
        controller = steerable(walk.sequencer, name)
        with terminal_keys() as keys:
            drive(walk, controller, keys, console.print)
    else:
        with Progress(console=console, transient=True) as bar:
            task = bar.add_task(
                f"{arguments.robot} walks ({arguments.limit})", total=1.0
            )
            walk.run(lambda share: bar.update(task, completed=share))
        if isinstance(walk.sequencer, ChecksSensors):
            for sentence in walk.sequencer.faults or ():
                console.print(f"it walked no further: {sentence}")
    return _walked(arguments, walk, config, faults)


def _changed_walk(
    config: HumanoidWalkConfig, arguments: argparse.Namespace
) -> HumanoidWalkConfig:
    """Change a humanoid's walk by the options of one in this process."""
    if arguments.contact:
        config = HumanoidWalkConfig.from_mapping(
            {**config.to_mapping(), "contact": arguments.contact}
        )
    if arguments.world:
        own = arguments.world == "own"
        file = config.robot if own else arguments.world
        config = in_file(config, file, arguments.stiff_friction)
    if arguments.spill:
        spills = (*config.course.spills, *arguments.spill)
        config = replace(config, course=replace(config.course, spills=spills))
    if arguments.motion:
        config = with_motion(config, arguments.motion)
    return config


def _walked(
    arguments: argparse.Namespace,
    walk: HumanoidWalk | HumanoidTrack,
    config: HumanoidWalkConfig,
    faults: str = "",
) -> EndedWalk:
    summary = replace(summarise_humanoid(walk), faults=faults)
    if arguments.keyboard:  # where it is steered
        summary = replace(summary, arrived=not summary.fell)

    def report(folder: Path) -> Path:
        from biped_slip.reports.html import paragraph
        from biped_slip.reports.walks import write_humanoid_report
        from biped_slip.view.humanoid_source import HumanoidSource

        refusal = (
            [paragraph(f"Not a step, the check of its sensors found: {faults}.")]
            if faults
            else []
        )
        scene = scene_pieces(
            lambda: [HumanoidSource(walk, prevention(arguments.limit))]
        )
        return write_humanoid_report(
            folder, {arguments.limit: walk}, [*refusal, *scene]
        )

    def tell(screen: Screen) -> None:
        _tell(summary, config, screen)
        world = walk.world
        _tell_halved(world.scenario.plant, world.plant.config, screen)

    return EndedWalk(
        summary=summary,
        arrived=summary.arrived,
        log=walk.world.log,
        show=tell,
        report=report,
    )


def _humanoid_over_topics(
    arguments: argparse.Namespace, console: Screen
) -> HumanoidTrack:
    """Walk the same by nodes.

    Wrong sensors keep the robot standing until the time is over.
    """
    with Progress(
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        console=console,
        transient=True,
    ) as bar:
        words = f"{arguments.robot} walks over topics"
        task = bar.add_task(words, total=None)
        return humanoid_over_topics(
            arguments.robot,
            arguments.limit,
            _run(arguments),
            seed=arguments.seed or 0,
            checked=not arguments.no_sensor_check,
            base="odom" if arguments.true_base else "estimated",
            progress=lambda time: bar.update(
                task, description=f"{words}: {time:.1f} s"
            ),
        )


def _tell_halved(asked: Any, taken: Any, screen: Screen) -> None:
    """Print a sentence where the law of the contact did not bear the plant's step."""
    if asked.error_target == 0.0 and taken.step_ns < asked.step_ns:
        screen.print(
            f"plant step: {1e-3 * taken.step_ns:g} us in the place of "
            f"{1e-3 * asked.step_ns:g} us, which the damper of {taken.contact.law} "
            "does not bear"
        )


def _tell(summary: HumanoidSummary, config: HumanoidWalkConfig, screen: Screen) -> None:
    if summary.refused:
        Screen(stderr=True).print(f"not a step: {summary.faults}")
    elif config.patch.length > 0.0:
        end = summary.patch_from + config.patch.length
        screen.print(
            f"patch of mu = {config.patch.mu:g} from {summary.patch_from:.2f} m to "
            f"{end:.2f} m"
        )


def pushed_walk(name: str, push: float = 0.0) -> HumanoidWalkConfig:
    """Load a walk by its name or file, with a push [body weights] on the patch."""
    config = chosen_walk(name)
    if push == 0.0:
        return config
    changed = config.to_mapping()
    changed["push"]["force"] = push
    return HumanoidWalkConfig.from_mapping(changed)


def show_stances(log: Log, console: Screen, title: str | None = None) -> None:
    """Print the friction estimate of each stance."""
    known = Table(*STANCE_COLUMNS, title=title)
    for row in stance_rows(log):
        known.add_row(*cells(row))
    console.print(known)


def show_end(summary: Summary, log: Log, console: Screen, name: str = "") -> None:
    """Print the end of a walk, its friction estimates, and the causes of a fall.

    Each is one sentence.
    """
    how = f"{name or 'This walk: '}{summary}"
    console.print(
        "\n".join(
            filter(
                None,
                (
                    how,
                    closing_sentence(stance_rows(log)),
                    fall_sentence(log, summary.end),
                    slide_sentence(log, summary.slips),
                ),
            )
        ),
        highlight=False,
    )


# The demonstration: the planar biped over real topics, without and with slip
# prevention.


def demo(arguments: argparse.Namespace) -> int:
    """Run one walk per limit over real topics, each node a process.

    Print the results and write the report.
    """
    from biped_slip.reports.walks import write_walk_report

    if arguments.duration is not None and not arguments.duration > 0.0:
        raise InvalidParameter("--duration", arguments.duration, "above 0 s")
    scenario = chosen_scenario(arguments.scenario, seed=arguments.seed)
    how = Run()
    if arguments.real_time:
        how = Run(mode="real-time", options=REALTIME)
    console = Screen(stderr=True)
    results = {}
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} %"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console) as bar:
        compiling = bar.add_task("compiling", total=1)
        compile_ahead(scenario, arguments.limit, arguments.embedded)
        bar.update(compiling, completed=1)
        for limit in arguments.limit:
            task = bar.add_task(f"walking, slip prevention: {limit}", total=1.0)
            results[limit] = walk_over_topics(
                arguments.scenario,
                limit,
                how,
                seed=arguments.seed,
                embedded=arguments.embedded,
                duration=arguments.duration,
                progress=lambda share, task=task: bar.update(task, completed=share),
            )
            bar.update(task, completed=1.0)
        drawing = bar.add_task("drawing the report", total=1)
        page = write_walk_report(
            arguments.report, results, scenario, planar_scene(results, scenario)
        )
        bar.update(drawing, completed=1)
    screen = Screen(file=sys.stdout)
    for limit, (log, _) in results.items():
        show_stances(log, screen, prevention(limit))
    screen.print(STANCE_KEY, style="dim", highlight=False)
    for limit, (log, summary) in results.items():
        show_end(summary, log, screen, f"{prevention(limit)}: ")
    console.print(f"report: {page}")
    return 0
