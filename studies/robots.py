# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Which robots walk from their file alone, over which floors: a table that is drawn.

Each robot walks 5 m on 0.8, then over 2 m of each floor in question, once by the same
seed, with the sensors that it has. What it is refused for, or how it ended, is a
sentence of the product. Rows are kept in a file; robots that are named come into it, or
anew, and the page is drawn from all of them, with a picture of each in its posture.
"""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Iterable, NamedTuple, Sequence

from biped_slip.cli.options import SEED_TYPE
from biped_slip.cli.terminal import Screen
from biped_slip.errors import BipedSlipError
from biped_slip.reports.stances import StanceRow, fall_sentence, stance_rows
from biped_slip.robots.humanoid import Humanoid, check_legs, load_humanoid
from biped_slip.robots.robot import SOLES
from biped_slip.robots.stick_figures import link_lines, sole_outline
from biped_slip.simulation.humanoid.scenario import (
    HumanoidWalkConfig,
    PatchConfig,
    chosen_walk,
    in_file,
)
from biped_slip.simulation.humanoid.summary import summarise_humanoid
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.walking.sensor_sway import ChecksSensors
from studies.frame import ROOT, plain

ROWS = ROOT / "studies/robots.json"
PAGE = ROOT / "studies/robots.md"
PICTURES = "../docs/images/robots"
FLOORS = (0.25, 0.1, 0.05)
DISTANCE = 5.0  # [m] on 0.8
OVER_PATCH = 3.6  # [m] of a way with a patch of 2 m
PATCH_FROM = 1.0, 1.4  # [m] where it begins
RIGHT_SHARE = 0.1  # of mu by which a value may be off
NOT_MEASURED = "-"
HERE = "here"  # this package's plant


@dataclass(frozen=True)
class Crossing:
    """A walk of a robot over one floor.

    Attributes:
        end: of the walk in words.
        slip: largest of a stance [mm].
        known: stances whose floor was known within RIGHT_SHARE.
        stances: of the walk.
        speed: [m/s] mean; 0 where it did not arrive.
        why: a sentence about a fall or a refusal; empty: none.
        answered: stances with a value of mu, however wide its interval; None: not
            counted.
        held: stances whose interval holds the floor's friction; None: not counted.
    """

    end: str
    slip: float = 0.0
    known: int = 0
    stances: int = 0
    speed: float = 0.0
    why: str = ""
    answered: int | None = None
    held: int | None = None

    def __str__(self) -> str:
        """Say it in a cell of the table."""
        if self.end != "arrived":
            return self.end
        answered = "" if self.answered is None else f"{self.answered} answered, "
        held = "" if self.held is None else f"{self.held} held, "
        known = f"{answered}{held}{self.known} right of {self.stances}"
        return f"{self.slip:.1f} mm; {known}"


class Known(NamedTuple):
    """What was known of the floor under stances, counted.

    Attributes:
        stances: all of them.
        answered: with a value of mu, however wide its interval.
        right: whose value is within RIGHT_SHARE of the floor's.
        held: whose interval holds the floor's.
    """

    stances: int
    answered: int
    right: int
    held: int


def known_of(rows: Sequence[StanceRow]) -> Known:
    """Count what was known of the floor under stances."""
    answered = [row for row in rows if row.mu is not None]
    right = [
        row
        for row in answered
        if abs((row.mu or 0.0) - row.mu_true) <= RIGHT_SHARE * row.mu_true
    ]
    held = [
        row
        for row in answered
        if (row.mu_low or 0.0) <= row.mu_true <= (row.mu_high or math.inf)
    ]
    return Known(
        stances=len(rows), answered=len(answered), right=len(right), held=len(held)
    )


@dataclass(frozen=True)
class RobotRow:
    """A robot of the table.

    Attributes:
        name: of its file or the shipped walk.
        source: where the file is from.
        world: HERE, or its own MJCF in MuJoCo.
        mass: [kg]; 0 where it was refused.
        sensors: of the forces on its feet, in words.
        refused: why it walks not at all; empty: it does.
        dry: its walk on 0.8; None: not measured.
        crossed: floors by their mu, as text.
        self_tests: of its sensors by as many seeds, without a walk.
        sound: those of them that named no fault.
    """

    name: str
    source: str
    world: str = HERE
    mass: float = 0.0
    sensors: str = ""
    refused: str = ""
    dry: Crossing | None = None
    crossed: dict[str, Crossing] = field(default_factory=dict)
    self_tests: int = 0
    sound: int = 0


def short_name(robot: str) -> str:
    """Return the name of a robot's row: that of its file, or its own."""
    return Path(robot).stem if "/" in robot or "." in robot else robot


def walk_config(
    robot: str, mu: float | None, period: float | None, world: str
) -> HumanoidWalkConfig:
    """Build a walk of the table.

    Args:
        robot: name or file.
        mu: of the patch; None: no patch.
        period: of control [s]; None: the walk's.
        world: HERE, or the file of an MJCF, ``own`` for the robot's.
    """
    config = chosen_walk(robot, period=period)
    earliest, latest = PATCH_FROM
    patch = PatchConfig(length=0.0)
    if mu is not None:
        patch = PatchConfig(mu=mu, length=2.0, earliest=earliest, latest=latest)
    distance = DISTANCE if mu is None else OVER_PATCH
    config = replace(config, distance=distance, patch=patch)
    if world == HERE:
        return config
    return in_file(config, robot if world == "own" else world, stiff=True)


def _faults_of(walk: HumanoidWalk) -> Sequence[str]:
    sequencer = walk.sequencer
    return (sequencer.faults or ()) if isinstance(sequencer, ChecksSensors) else ()


def crossing(config: HumanoidWalkConfig, seed: int) -> Crossing:
    """Walk once, with the sensors checked first."""
    walk = HumanoidWalk(config, "touchdown", seed, checked=True)
    faults = "; ".join(walk.check_sensors())
    if not faults:
        walk.run()
    # of torques, which the first steps judge
    late = "; ".join(_faults_of(walk))
    summary = replace(summarise_humanoid(walk), faults=faults)
    known = known_of(stance_rows(walk.world.log))
    speed = summary.distance / summary.end_time if summary.arrived else 0.0
    return Crossing(
        end=summary.end,
        slip=1e3 * summary.max_stance_slip,
        known=known.right,
        stances=known.stances,
        speed=speed,
        why=faults or late or fall_sentence(walk.world.log, summary.end) or "",
        answered=known.answered,
        held=known.held,
    )


def measured(
    robot: str,
    source: str,
    floors: Iterable[float],
    seed: int,
    period: float | None = None,
    world: str = HERE,
) -> RobotRow:
    """Measure the row of a robot; a refusal is one, too."""
    row = RobotRow(name=short_name(robot), source=source, world=world)
    try:
        config = walk_config(robot, None, period, world)
        humanoid = load_humanoid(config.robot)
        check_legs(humanoid)
    except BipedSlipError as error:
        folder = f"{Path(robot).resolve().parent}/"
        return replace(row, refused=str(error).replace(folder, ""))
    currents = config.walking.by_currents
    row = replace(
        row,
        mass=round(float(humanoid.robot.mass), 1),
        sensors="currents" if currents else "ankles",
        dry=crossing(config, seed),
    )
    crossed = {}
    if row.dry is not None and row.dry.end == "arrived":
        for mu in floors:
            crossed[f"{mu:g}"] = crossing(walk_config(robot, mu, period, world), seed)
    return replace(row, crossed=crossed)


def sound_seeds(config: HumanoidWalkConfig, seeds: Iterable[int]) -> int:
    """Count the seeds by which the self-test of sound sensors names no fault."""
    return sum(
        not HumanoidWalk(config, "touchdown", seed, checked=True).check_sensors()
        for seed in seeds
    )


def read_rows(path: Path) -> list[RobotRow]:
    """Read the rows of a file; none where there is no file yet."""
    if not path.is_file():
        return []
    found = []
    for row in json.loads(path.read_text(encoding="utf-8")):
        dry = row.pop("dry")
        crossed = {mu: Crossing(**one) for mu, one in row.pop("crossed").items()}
        found.append(RobotRow(**row, dry=dry and Crossing(**dry), crossed=crossed))
    return found


def with_row(rows: Sequence[RobotRow], row: RobotRow) -> list[RobotRow]:
    """Put a row in the place of that robot's in that world, or at the end."""
    same = [(one.name, one.world) == (row.name, row.world) for one in rows]
    if not any(same):
        return [*rows, row]
    return [row if old else one for one, old in zip(rows, same, strict=True)]


def picture_of(humanoid: Humanoid, path: Path) -> None:
    """Draw a robot in its posture, from the front and from its left."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    q = humanoid.standing()
    lines = link_lines(humanoid.model, SOLES, q)
    figure = Figure(figsize=(1.6, 1.6), layout="constrained")
    FigureCanvasAgg(figure)
    for axis, along in zip(figure.subplots(1, 2, sharey=True), (1, 0), strict=True):
        for line in lines:
            axis.plot(line[:, along], line[:, 2], color="0.35", linewidth=1.5)
        for foot, colour in enumerate(("tab:blue", "tab:orange")):
            outline = _sole(humanoid, q, foot)
            axis.plot(outline[:, along], outline[:, 2], color=colour, linewidth=2.0)
        axis.set_aspect("equal")
        axis.axis("off")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=80)


def _sole(humanoid: Humanoid, q: Any, foot: int) -> Any:
    import pinocchio as pin

    model = humanoid.model
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    place = data.oMf[model.getFrameId(SOLES[foot])]
    return sole_outline(humanoid.polygon(foot), place.translation, place.rotation)


HEAD = """# Which robots walk from their file?

**Question.** Which bipeds walk from the one file that describes them, with the sensors
that they have, and over which floors?

**Method.** `python -m studies robots FILE --source WORDS` adds a robot, or measures it
anew, and draws this page; `--world own` walks in MuJoCo on the robot's own MJCF, with
stiff friction. Nothing is tuned. One walk each by one seed, sensors checked first: 5 m
on 0.8, then 3.6 m with 2 m of another friction from about 1.2 m on. Cells: the largest
slip of a stance, and of its stances how many were answered, in how many the interval
held the floor's friction and in how many the value was right within 10 %; or how the
walk ended. A dash: not measured. Self-test: by how many of the seeds 1 to 6 the check
of sound sensors before the first step names no fault (`--self-tests 6`); a walk has
passed its own by its seed. Forces come from
sensors in the ankles, or from the currents of the motors, whose values scatter by a
tenth of mu on dry floors and whose first stances have no answer
([why](../docs/currents.md)).

A friction time constant of 2 ms makes a sliding foot hop in MuJoCo: G1's had no load
for 50 to 78 % of the first 100 ms of a landing. With the file's 20 ms and `impratio`
100 a light foot that slides slowly feels m v b and not mu N (b = 105/s): over 3 m,
landings of G1 that slid by less than 2 mm showed 0.17 to 0.61 of 0.8, those of more
than 3 mm 0.73 to 0.80. `--stiff-friction` takes 10 ms since then, as do the rows and
the square of `own` worlds.

A robot walks as its file says. Draco 3's knee is two joints of a motor each there, with
limits of their own; on the robot they roll on each other, which its file does not say:
no `<mimic>`, no transmission, and a fixed joint `l_knee_adj` that has a range.

Read without a complaint, and not walked: GR3, Romeo. A dash of a floor: it was not
walked. Self-tests by six seeds were run for the rows that show them alone.

"""


def page_of(rows: Sequence[RobotRow], floors: Sequence[str]) -> str:
    """Write the page."""
    heads = ["", "Robot", "From", "World", "kg", "Forces by", "Self-test"]
    heads += ["Speed", "5 m on 0.8"]
    heads += [f"2 m of {mu}" for mu in floors]
    lines = [HEAD + "| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    reasons = []
    for row in rows:
        if row.refused:
            cells = ["", row.name, row.source, row.world, "", "", "", "", "refused"]
            lines.append("| " + " | ".join(cells + [""] * len(floors)) + " |")
            named = "" if row.refused.startswith(row.name) else f"{row.name}: "
            reasons.append(f"- {named}{row.refused}")
            continue
        dry = row.dry
        speed = f"{dry.speed:.2f} m/s" if dry and dry.speed else ""
        tested = f"{row.sound} of {row.self_tests}" if row.self_tests else NOT_MEASURED
        cells = [
            f"![{row.name}]({PICTURES}/{row.name}.png)",
            row.name,
            row.source,
            row.world,
            f"{row.mass:g}",
            row.sensors,
            tested,
            speed,
            str(dry) if dry else NOT_MEASURED,
        ]
        cells += [str(row.crossed.get(mu, NOT_MEASURED)) for mu in floors]
        lines.append("| " + " | ".join(cells) + " |")
        walks = {"0.8": dry, **row.crossed}
        reasons += [
            f"- {row.name} on {mu}: {one.why}"
            for mu, one in walks.items()
            if one is not None and one.why
        ]
    why_not = ["", "## Why not", "", *reasons] if reasons else []
    text = "\n".join([*lines, "", conclusion(rows, floors), *why_not])
    return f"{text}\n\n{SQUARE}"


SQUARE = """## Steered around a square

`python -m studies square --robot FILE --world own --period 2 --seeds 4 --first-seed 1`
steers a humanoid by velocity commands, clipped and obeyed as those of `cmd_vel`, in one
process: sides of 1.5 m, then 0.10 is poured over the next 2 m. The MJCFs are
Playground's, with `--stiff-friction`. A stance is known where it is answered and its
interval holds the floor's friction; right where its value is within 10 %.

| Robot | seeds | fell | seconds | largest slip | 0.8: stances, known, right | water |
|---|---|---|---|---|---|---|
| G1 | 1 to 4 | 0 | 103 to 104 | 1.1, 3.1, 4.0 and 7.9 mm | 272, 260, 228 | 35, 35, 25 |
| T1 | 1 | 1 | 178 | 35.4 mm | 96, 33, 17 | not reached |
| T1 | 2 | 0 | 322, then out of time | 14.1 mm | 68, 50, 41 | not reached |

T1 walks straight ahead as the table says, and does not follow the square: as it turns,
its intervals leave out the floor's friction in half of its stances. The reason was not
found. Traced over the first 40 s of seed 1 (recorded; no command): of 21 answered
stances five leave out 0.8, all of the right foot and all with an estimated load of 119
N or more; the 16 with 33 to 69 N hold it. The floor's force on the sliding foot is 0.80
of its load in these landings, too: where 0.44 (0.29 to 0.56) was answered with 125 N,
80 to 97 N acted. Feet hop and drag before they land, and turn.
Not walked: more seeds of T1, the same over topics.
"""


def conclusion(rows: Sequence[RobotRow], floors: Sequence[str]) -> str:
    """Count in a sentence what walked, and over what."""
    walked = [row for row in rows if row.dry is not None and row.dry.end == "arrived"]
    parts = [f"{len(walked)} of {len(rows)} rows walk 5 m on 0.8"]
    for mu in floors:
        tried = [row.crossed[mu] for row in walked if mu in row.crossed]
        if tried:
            over = sum(one.end == "arrived" for one in tried)
            parts.append(f"{over} of {len(tried)} cross 2 m of {mu}")
    return f"**Conclusion.** {'; '.join(parts)}. One seed each."


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the study."""
    add = parser.add_argument
    add("robots", nargs="*", metavar="ROBOT", help="files or names of robots to add")
    add("--source", default="shipped", help="where they are from, in words (shipped)")
    add("--floors", nargs="*", type=float, default=list(FLOORS), help="mu of patches")
    add("--seed", type=SEED_TYPE, default=1, help="of the walks (1)")
    add("--period", type=float, help="of control [ms] in place of the walk's")
    add("--world", default=HERE, help="here (default), own, or an MJCF that is it")
    add("--self-tests", type=int, help="seeds of self-tests alone; walks stay as known")
    add("--rows", type=Path, default=ROWS, help="file of the rows")
    add("--page", type=Path, default=PAGE, help="page to draw")


def run(arguments: argparse.Namespace) -> int:
    """Measure the robots that are named, and draw the page of all."""
    console = Screen(stderr=True)
    rows = read_rows(arguments.rows)
    period = None if arguments.period is None else 1e-3 * arguments.period
    for robot in arguments.robots:
        sought = (short_name(robot), arguments.world)
        known = [one for one in rows if (one.name, one.world) == sought]
        if arguments.self_tests and known:
            seeds = range(1, arguments.self_tests + 1)
            config = walk_config(robot, None, period, arguments.world)
            row = replace(
                known[0], self_tests=len(seeds), sound=sound_seeds(config, seeds)
            )
        else:
            row = measured(
                robot,
                arguments.source,
                arguments.floors,
                arguments.seed,
                period,
                arguments.world,
            )
        console.print(f"{row.name}: {row.refused or row.dry}")
        rows = with_row(rows, row)
        arguments.rows.write_text(
            json.dumps([plain(asdict(one)) for one in rows], indent=1) + "\n",
            encoding="utf-8",
        )
        if not row.refused:
            picture = (arguments.page.parent / PICTURES / f"{row.name}.png").resolve()
            picture_of(load_humanoid(chosen_walk(robot).robot), picture)
    measured_floors = {mu for row in rows for mu in row.crossed}
    floors = sorted(measured_floors | {f"{mu:g}" for mu in FLOORS}, reverse=True)
    arguments.page.write_text(page_of(rows, floors), encoding="utf-8")
    return 0
