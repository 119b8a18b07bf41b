# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Draw the figures of the docs again, each from what it shows: walks, stances, papers, contact laws."""

from __future__ import annotations

import argparse
import importlib.util
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Callable, Sequence

from biped_slip.cli.terminal import Screen, folder_to_write
from biped_slip.errors import MissingExtra, UnknownName
from biped_slip.reports.figures import VECTOR, save_figure

LIMITS = ("none", "interval")
HUMANOID, SEED, HUMANOID_LIMITS = "surena3", 2, ("constant:0.7", "interval")
PAPERS = ("bruneau", "rengifo", "rodic", "khadiv")
OF_PAPERS = ("bruneau-normal", "rengifo-walk-force", "rodic-walk-normal", "khadiv-walk-zmp")
PEERS = ("mujoco", "pybullet", "dartpy", "pydrake")
ON_ICE = {"none": "no slip prevention", "interval": "walks on what it estimates"}
ICE, ICE_SEED, ICE_SPAN = 0.06, 1, (10.2, 17.2, 1.3)  # mu, seed; seconds from and to, and how fast
COURSE_SEED, COURSE_LIMITS = 0, ("constant:0.7", "constant:0.2", "interval")
ENDINGS = (".png", *VECTOR)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--out", type=folder_to_write, default="docs/images", metavar="DIR", help="(docs/images)")
    parser.add_argument("--only", nargs="+", metavar="NAME", help=f"these of {', '.join((*FIGURES, *MOVING))}")
    parser.add_argument(
        "--ladder",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="of `python -m studies ladder --json`, to be drawn side by side as humanoid-ladder",
    )
    endings = [ending.strip(".") for ending in ENDINGS]
    parser.add_argument(
        "--format", nargs="+", choices=endings, default=["png"], help="svg and pdf have no pixels; moving ones are GIF"
    )


def run(arguments: argparse.Namespace) -> int:
    """Draw one after the other; what can't be drawn here is named, exit code 1."""
    screen, missing = Screen(stderr=True), 0
    known: dict[str, Callable[[], Any]] = {**FIGURES, **MOVING}
    if arguments.ladder is not None:
        known["humanoid-ladder"] = partial(_ladder, arguments.ladder)
    for name in arguments.only or known:
        if name not in known:
            raise UnknownName("figure", name, list(known))
    for name in arguments.only or known:
        try:
            with screen.status(f"drawing {name}"):
                figure = known[name]()
        except MissingExtra as error:
            missing += 1
            screen.print(f"{name} is left out: {error}")
            continue
        for ending in ["gif"] if name in MOVING else arguments.format:
            path = Path(arguments.out) / f"{name}.{ending}"
            _save(figure, path)
            screen.print(str(path), highlight=False)
    return 1 if missing else 0


def _save(figure: Any, path: Path) -> None:
    if isinstance(figure, bytes):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(figure)
    else:
        save_figure(figure, path)


def _walk() -> Any:
    from biped_slip.reports.planar import comparison_figure
    from biped_slip.simulation.planar.walk import chosen_scenario, run_walk

    scenario = chosen_scenario("thesis")
    return comparison_figure({limit: run_walk(scenario, limit) for limit in LIMITS}, scenario.ground)


def _drop() -> Any:
    from biped_slip.cli.contact_laws import drop_figure
    from biped_slip.contact.normal_laws import normal_law_names

    return drop_figure(normal_law_names())


def _pull() -> Any:
    from biped_slip.cli.contact_laws import pull_figure
    from biped_slip.friction_laws.registry import friction_law_names

    return pull_figure(friction_law_names())


def _stances(name: str) -> Callable[[], Any]:
    def draw() -> Any:
        from studies.estimator.pictures import PICTURES

        return PICTURES[name]()

    return draw


@cache
def _humanoid_walks() -> Any:
    from biped_slip.simulation.humanoid.scenario import chosen_walk
    from biped_slip.simulation.humanoid.walk import HumanoidWalk

    walks = {limit: HumanoidWalk(chosen_walk(HUMANOID), limit, SEED) for limit in HUMANOID_LIMITS}
    for walk in walks.values():
        walk.run()
    return walks


def _footprints() -> Any:
    from biped_slip.reports.humanoid import footprint_figure

    return footprint_figure(_humanoid_walks())


def _ratios() -> Any:
    from biped_slip.reports.humanoid import ratio_figure

    return ratio_figure(_humanoid_walks())


def _course() -> Any:
    from biped_slip.reports.humanoid import filmstrip_figure
    from biped_slip.simulation.humanoid.walk import HumanoidWalk
    from studies.humanoids.course import LEVEL, course_walk

    walks = {limit: HumanoidWalk(course_walk("talos", LEVEL), limit, COURSE_SEED) for limit in COURSE_LIMITS}
    for walk in walks.values():
        walk.run()
    return filmstrip_figure(walks)


def _ladder(tables: Sequence[Path]) -> Any:
    from studies.commands.ladder import rows_of
    from studies.humanoids.ladder_figure import ladder_figure

    return ladder_figure([row for table in tables for row in rows_of(table)])


def _papers() -> Any:
    from studies.papers.rows import figures_together

    found: dict[str, Any] = {}
    for name in PAPERS:
        reproduced = importlib.import_module(f"studies.papers.{name}").reproduce()
        found |= {figure.name: figure for figure in reproduced.figures}
    return figures_together([found[name] for name in OF_PAPERS])


def _simulators() -> Any:
    from studies.simulators import bullet, claims, dart, drake, humanoid, planar
    from studies.simulators.bench import measured

    if any(importlib.util.find_spec(name) is None for name in PEERS):
        raise MissingExtra("this figure", "peers")
    peers = bullet.settings() + dart.settings() + drake.settings()
    return claims.picture({
        "planar biped": measured(planar.settings() + peers, planar.SCENES),
        "TALOS": measured(humanoid.settings(), humanoid.SCENES),
    })  # fmt: skip


def _on_ice() -> bytes:
    from biped_slip.simulation.humanoid.scenario import chosen_walk
    from biped_slip.simulation.humanoid.walk import HumanoidWalk
    from biped_slip.view.moving import Span, moving_picture
    from biped_slip.view.walk_sources import HumanoidSource

    talos = chosen_walk("talos")
    config = replace(talos, patch=replace(talos.patch, mu=ICE))
    walks = {words: HumanoidWalk(config, limit, ICE_SEED) for limit, words in ON_ICE.items()}
    for walk in walks.values():
        walk.run()
    return moving_picture(
        [HumanoidSource(walk, words) for words, walk in walks.items()],
        Span(*ICE_SPAN),
        ["fell" if walk.world.fell else "arrived" for walk in walks.values()],
    )


FIGURES: dict[str, Callable[[], Any]] = {
    "walk": _walk,
    "contact/drop": _drop,
    "contact/pull": _pull,
    **{name: _stances(name) for name in ("one-stance", "known-when", "thesis-beside")},
    "humanoid-footprints": _footprints,
    "humanoid-ratio": _ratios,
    "humanoid-course": _course,
    "papers-walks": _papers,
    "simulators": _simulators,
}
MOVING: dict[str, Callable[[], bytes]] = {"talos-on-ice": _on_ice}
