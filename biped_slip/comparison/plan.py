# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The plan of a comparison: walkers, floors, what governs them, contacts, seeds.

A file::

    walkers:
      mine: {network: mine.onnx, robot: mine.xml, speed: 0.5}
      talos: {robot: talos, speed: 0.3}    # this package's own walker
    floors: [1.0, 0.4, 0.25, 0.15]
    patches: [0.15]

A network's layout lies beside it; paths are relative to the file, or to a folder that
the command names.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Mapping, NamedTuple

from biped_slip.config import (
    Configuration,
    configuration,
    parameter,
    read_yaml,
    section,
)
from biped_slip.control.friction_governor import FrictionGovernorConfig
from biped_slip.errors import BipedSlipError, InvalidParameter, UnknownName
from biped_slip.shared_files import shared_file, shared_names

PLANS_FOLDER = "config/comparisons"
GOOD_MU = 1.0  # mu beside patches, and of the floor that speeds are compared with
ALONE = "alone"
TRUTH = "truth"
BY_ANKLES = "ankles"
CURRENTS = "currents"
#: What a walker has before it: nothing, or the friction governor with what it is given.
GOVERNED = (ALONE, TRUTH, BY_ANKLES, CURRENTS)
OWN_CONTACT = "here"
MUJOCO = "mujoco"
COMPARED_CONTACTS: dict[str, Any] = {
    MUJOCO: {
        "law": "mujoco",
        "mujoco": {
            "friction_time_constant": 0.002,
            "impratio": 10.0,
            "step": 0.001,
        },
    },
    OWN_CONTACT: "hunt_crossley + elasto_plastic",
}
#: The same in words, for captions.
CONTACT_WORDS = {
    MUJOCO: "MuJoCo, friction of 2 ms, impratio 10, elliptic cones, step 1 ms",
    OWN_CONTACT: "this package's hunt_crossley + elasto_plastic: presliding, Coulomb",
}


@configuration
class WalkerConfig(Configuration):
    """One walker: a network on a robot, or this package's own controller."""

    robot: str = parameter(
        doc="MJCF of a network's robot, or what `walk --robot` takes"
    )
    network: str = parameter("", doc="ONNX file; '': this package's controller")
    imu: str = parameter(
        "",
        doc="site of the MJCF; '': one on the base with imu in its name, or the base",
    )
    speed: float = parameter(0.5, unit="m/s", above=0.0, high=5.0, doc="commanded")
    limit: str = parameter("touchdown", doc="of this package's controller")
    contacts: tuple[str, ...] = parameter(
        (MUJOCO,), choices=tuple(COMPARED_CONTACTS), doc="in which it walks"
    )


@configuration
class SeedsConfig(Configuration):
    """Walks of each kind, by contact."""

    mujoco: int = parameter(4, low=1, high=1000, doc="in MuJoCo")
    here: int = parameter(2, low=1, high=1000, doc="in this package's contact")


def governor_defaults(**values: Any) -> FrictionGovernorConfig:
    """Return the governor of a comparison.

    It lets 0.2 m/s pass on any floor: standing is harder than that for many networks.
    """
    return FrictionGovernorConfig(**{"minimum_speed": 0.2, **values})


@configuration
class ComparisonConfig(Configuration):
    """Floors, governors and seeds of a comparison."""

    floors: tuple[float, ...] = parameter(
        (1.0, 0.6, 0.4, 0.25, 0.15, 0.1, 0.05), above=0.0, high=5.0, doc="whole floors"
    )
    patches: tuple[float, ...] = parameter(
        (0.15,), above=0.0, high=5.0, doc="mu of patches across a floor of 1.0"
    )
    failing_patch: bool = parameter(
        True, doc="also a patch of the first whole floor on which the walker fails"
    )
    patch_length: float = parameter(
        2.0, unit="m", above=0.0, high=100.0, doc="along the way"
    )
    patch_begin: tuple[float, float] = parameter(
        (2.0, 2.5), unit="m", low=0.0, high=100.0, doc="the seed draws where it begins"
    )
    pushes: tuple[float, ...] = parameter(
        (), above=0.0, high=1.0, doc="sideways for 0.2 s, in weights"
    )
    push_mu: float = parameter(0.4, above=0.0, high=5.0, doc="of the floor of pushes")
    governed: tuple[str, ...] = parameter(GOVERNED, choices=GOVERNED, doc="kinds")
    governed_up_to: float = parameter(
        0.25, above=0.0, high=5.0, doc="largest mu of whole floors for governed walks"
    )
    governor: FrictionGovernorConfig = section(governor_defaults)  # type: ignore[arg-type]
    seeds: SeedsConfig = section(SeedsConfig)
    seconds: float = parameter(20.0, unit="s", above=0.0, high=3600.0, doc="of a walk")
    sensors: str = parameter("realistic", doc="set of sensors, or a .yaml file")


class WalkedFloor(NamedTuple):
    """What a walk goes over."""

    mu: float  # of the whole floor, or of the patch
    patch: bool = False
    push: float = 0.0  # sideways, in weights

    def __str__(self) -> str:
        """Say it in words."""
        if self.push > 0.0:
            return f"{self.mu:g}, pushed by {self.push:g} weights"
        return f"patch of {self.mu:g}" if self.patch else f"{self.mu:g}"


class ComparedWalker(NamedTuple):
    """A walker of a plan, its files found."""

    name: str
    network: Path | None
    robot: str  # path or name
    config: WalkerConfig


class ComparisonPlan(NamedTuple):
    """Plan of a comparison."""

    source: str  # as the command names it
    folder: Path  # where its files lie
    walkers: dict[str, WalkerConfig]
    config: ComparisonConfig


def load_plan(name: str, folder: Path | None = None) -> ComparisonPlan:
    """Read a plan.

    Args:
        name: of a shipped plan, or a .yaml file.
        folder: where its files lie; by default the plan's own.

    Raises:
        UnknownName: no such plan.
        BipedSlipError: it contradicts itself, or names nobody who walks.
    """
    path = Path(name)
    if path.suffix not in (".yaml", ".yml"):
        shipped = shared_names(PLANS_FOLDER)
        if name not in shipped:
            raise UnknownName("plan", name, [*shipped, "or a .yaml or .onnx file"])
        path = shared_file(f"{PLANS_FOLDER}/{name}.yaml")
    return plan_of(name, dict(read_yaml(path)), folder or path.parent)


def plan_of(source: str, mapping: Mapping[str, Any], folder: Path) -> ComparisonPlan:
    """Build a plan from what its file says."""
    values = dict(mapping)
    walkers = values.pop("walkers", None)
    if not isinstance(walkers, Mapping) or not walkers:
        raise InvalidParameter(
            f"{source}: walkers",
            walkers,
            "a mapping from names to network and robot",
            "name one walker at least",
        )
    return ComparisonPlan(
        source=source,
        folder=folder,
        walkers={
            str(name): WalkerConfig.from_mapping(said, f"walkers.{name}")
            for name, said in walkers.items()
        },
        config=ComparisonConfig.from_mapping(values),
    )


def plan_of_network(network: Path, walker: WalkerConfig) -> ComparisonPlan:
    """Build the plan of one network named on the command line."""
    return ComparisonPlan(
        source=str(network),
        folder=Path(),
        walkers={network.stem: replace(walker, network=str(network))},
        config=ComparisonConfig(),
    )


def found_walker(plan: ComparisonPlan, name: str) -> ComparedWalker:
    """Find the files of a walker.

    Raises:
        UnknownName: the plan has no such walker.
        BipedSlipError: a file is not there.
    """
    if name not in plan.walkers:
        raise UnknownName("walker", name, list(plan.walkers))
    config = plan.walkers[name]
    network = None
    if config.network:
        network = (plan.folder / config.network).resolve()
        _check_file(network, name)
    robot = config.robot
    if Path(robot).suffix:
        path = (plan.folder / robot).resolve()
        _check_file(path, name)
        robot = str(path)
    return ComparedWalker(name=name, network=network, robot=robot, config=config)


def _check_file(path: Path, walker: str) -> None:
    if not path.is_file():
        raise BipedSlipError(
            f"{path}: not there, but walker {walker} needs it; --networks FOLDER says "
            "where the files of a plan lie"
        )
