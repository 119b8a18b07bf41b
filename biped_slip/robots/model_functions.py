# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Compiled model functions of a robot, generated once from its Pinocchio model and kept in the code cache.

Factories of kernels in other rooms take them and close over those that they need.
Arrays: q, v, tau (nv,); wrenches (2, 6) as (force, moment) of the ground on each sole, in world axes at the sole.
"""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, Callable

import casadi as cs

from biped_slip.compile.arrays import Array
from biped_slip.compile.cache import cache_folder, code_hash, keep, kept
from biped_slip.errors import BipedSlipError
from biped_slip.robots.code_generation import into_source, returning_source
from biped_slip.robots.robot import Robot
from biped_slip.robots.symbolic_dynamics import SymbolicDynamics

_HEADER = '''"""Generated from a robot model; do not edit."""
import math

import numpy as np

from biped_slip.compile.kernel import generated_kernel


'''


@dataclass(frozen=True, eq=False)
class ModelFunctions:
    """Kinematics and dynamics of one robot as kernels; those ``_into`` fill arrays of the caller."""

    key: str
    joint_acceleration: Callable[[Array, Array, Array, Array], Array]
    """(q, v, tau, wrenches) -> accelerations (nv,), by the articulated-body algorithm."""
    sole_motion: Callable[[Array, Array], tuple[Array, Array]]
    """(q, v) -> sole positions (2, 3) and velocities (2, 6) as (linear, angular), in the world."""
    sole_rotations: Callable[[Array], Array]
    """(q) -> sole orientations (6, 3): two stacked matrices that turn sole axes into world axes."""
    sole_jacobians: Callable[[Array], Array]
    """(q) -> linear rows of the sole Jacobians in the world (6, nv): left x, y, z, right x, y, z."""
    sole_drift: Callable[[Array, Array], Array]
    """(q, v) -> linear accelerations (2, 3) of the soles at zero joint acceleration: dJ/dt v, in the world."""
    dynamics_terms: Callable[[Array, Array], tuple[Array, Array]]
    """(q, v) -> mass matrix (nv, nv) and bias torques h (nv,): Coriolis, centrifugal, gravity."""
    joint_acceleration_into: Callable[[Any, Any, Array, Array, Array], None]
    """(q, v, tau, wrenches, acceleration)."""
    sole_motion_into: Callable[[Any, Any, Array, Array], None]
    """(q, v, position, velocity)."""
    coordinates: Callable[[Array], Any]
    """An array (nv,) as a tuple, which every function here takes in the place of q or v.

    What two of them compute of the same tuple, sines above all, is computed once.
    """


@lru_cache(maxsize=16)
def model_functions(robot: Robot) -> ModelFunctions:
    """The model functions of a robot, generated at most once."""
    module = _load(robot.key, lambda: _source(robot))
    return ModelFunctions(robot.key, *(getattr(module, field.name) for field in fields(ModelFunctions)[1:]))


def _source(robot: Robot) -> str:
    symbolic = SymbolicDynamics(robot.model, robot.soles)
    soles = symbolic.soles
    q, v = {"q": symbolic.q}, {"v": symbolic.v}

    def stacked(part: str) -> Any:
        return cs.vertcat(*(sole[part].T for sole in soles))

    moving = {**q, **v}
    forced = {**moving, "tau": symbolic.tau, "wrenches": symbolic.wrenches}
    drift = cs.vertcat(*(cs.jtimes(s["velocity"][:3], symbolic.q, symbolic.v).T for s in soles))
    parts: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "joint_acceleration": (forced, {"acceleration": symbolic.acceleration()}),
        "sole_motion": (moving, {"position": stacked("position"), "velocity": stacked("velocity")}),
        "sole_rotations": (q, {"rotation": cs.vertcat(*(sole["rotation"] for sole in soles))}),
        "sole_jacobians": (q, {"jacobian": cs.vertcat(*(sole["jacobian"][:3, :] for sole in soles))}),
        "sole_drift": (moving, {"drift": drift}),
        "dynamics_terms": (moving, {"mass": symbolic.mass_matrix(), "bias": symbolic.bias_forces()}),
    }
    numbers = ", ".join(f"q[{i}]" for i in range(robot.model.nv))
    sources = [f"def coordinates(q):\n    return ({numbers})\n"]
    sources += [
        source(name, *signature) for name, signature in parts.items() for source in (into_source, returning_source)
    ]
    return _HEADER + "\n\n".join(f"@generated_kernel\n{source}" for source in sources)


def _load(key: str, generate: Callable[[], str]) -> ModuleType:
    """The generated module from the code cache, made first where it is missing or damaged."""
    name = f"_biped_slip_model_{key}"
    if name in sys.modules:
        return sys.modules[name]
    folder = cache_folder("robots", f"{key}-{code_hash(__name__)}")
    content = kept(folder / "model.kept")
    if content is None:
        content = generate().encode()
        keep(folder / "model.kept", content)
    path = folder / "model.py"  # numba asks it for its age, and people may read it
    _write(path, content)
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    exec(compile(content, str(path), "exec"), module.__dict__)  # what was checked, whatever the file says by now
    return module


def _write(path: Path, content: bytes) -> None:
    """Write at once or not at all, where it says something else: several processes may start together."""
    try:
        if path.is_file() and path.read_bytes() == content:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except OSError as error:
        remedy = "make room or set BIPED_SLIP_CACHE to another folder"
        raise BipedSlipError(f"{path} can't be written: {error.strerror or error}; {remedy}") from error
