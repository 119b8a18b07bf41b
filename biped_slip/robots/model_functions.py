# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Compiled model functions of a robot, generated once from its Pinocchio model and kept in the code cache.

Kernels of other rooms call these names; :meth:`ModelFunctions.bind` puts the robot's own functions behind them.
Arrays: q, v, tau (nv,); wrenches (2, 6) as (force, moment) of the ground on each sole, in world axes at the sole.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
from functools import lru_cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Callable, cast

import casadi as cs
import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.kernel import cache_folder, specialise
from biped_slip.compile.sources import code_hash
from biped_slip.robots.code_generation import into_source, returning_source
from biped_slip.robots.robot import Robot
from biped_slip.robots.symbolic_dynamics import SymbolicDynamics

Array = NDArray[np.float64]

_HEADER = '''"""Generated from a robot model; do not edit."""
import math

import numpy as np

from biped_slip.compile.kernel import generated_kernel


'''


def joint_acceleration(q: Array, v: Array, tau: Array, wrenches: Array) -> Array:
    """Accelerations (nv,) under generalized torques and sole wrenches (articulated-body algorithm)."""
    raise NotImplementedError("bound per robot")


def sole_motion(q: Array, v: Array) -> tuple[Array, Array]:
    """Sole positions (2, 3) and velocities (2, 6) as (linear, angular), in the world."""
    raise NotImplementedError("bound per robot")


def sole_rotations(q: Array) -> Array:
    """Sole orientations, (6, 3): two stacked matrices that turn sole axes into world axes."""
    raise NotImplementedError("bound per robot")


def sole_jacobians(q: Array) -> Array:
    """Linear rows of the sole Jacobians in the world, (6, nv): left x, y, z, right x, y, z."""
    raise NotImplementedError("bound per robot")


def sole_drift(q: Array, v: Array) -> Array:
    """Linear accelerations (2, 3) of the soles at zero joint acceleration: dJ/dt v, in the world."""
    raise NotImplementedError("bound per robot")


def dynamics_terms(q: Array, v: Array) -> tuple[Array, Array]:
    """Mass matrix (nv, nv) and bias torques h (nv,): Coriolis, centrifugal, gravity."""
    raise NotImplementedError("bound per robot")


def joint_acceleration_into(q: Array, v: Array, tau: Array, wrenches: Array, acceleration: Array) -> None:
    """:func:`joint_acceleration` into an array that the caller keeps; every function here has such a form."""
    raise NotImplementedError("bound per robot")


def sole_motion_into(q: Array, v: Array, position: Array, velocity: Array) -> None:
    """:func:`sole_motion` into arrays that the caller keeps."""
    raise NotImplementedError("bound per robot")


def coordinates(q: Array) -> Any:
    """An array (nv,) as a tuple, which every function here takes in the place of q or v.

    What two of them compute of the same tuple, sines above all, is computed once.
    """
    raise NotImplementedError("bound per robot")


_RETURNING = ("joint_acceleration", "sole_motion", "sole_rotations", "sole_jacobians", "sole_drift", "dynamics_terms")
NAMES = (*_RETURNING, *(f"{name}_into" for name in _RETURNING), "coordinates")


class ModelFunctions:
    """The functions above for one robot."""

    def __init__(self, robot: Robot) -> None:
        module = _load(robot.key, _source(robot))
        self.key = robot.key
        self.functions: dict[str, Callable[..., Any]] = {name: getattr(module, name) for name in NAMES}

    def __getattr__(self, name: str) -> Callable[..., Any]:
        try:
            return self.__dict__["functions"][name]
        except KeyError:
            raise AttributeError(name) from None

    def bind(self, function: Callable[..., Any], inside: str = "", /, **bindings: Any) -> Callable[..., Any]:
        """Compile a function of another room with this robot's model functions (and further bindings) in it."""
        return specialise(cast(FunctionType, function), {**self.functions, **bindings}, self.key, inside=inside)


@lru_cache(maxsize=16)
def model_functions(robot: Robot) -> ModelFunctions:
    """The model functions of a robot, generated at most once."""
    return ModelFunctions(robot)


def _source(robot: Robot) -> Callable[[], str]:
    def generate() -> str:
        symbolic = SymbolicDynamics(robot.model, robot.soles)
        soles = symbolic.soles
        q, v = {"q": symbolic.q}, {"v": symbolic.v}

        def stacked(part: str, rows: slice) -> Any:
            return cs.vertcat(*(sole[part][rows].T for sole in soles))

        everything, linear = slice(0, 6), slice(0, 3)
        parts: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
            "joint_acceleration": (
                {**q, **v, "tau": symbolic.tau, "wrenches": symbolic.wrenches},
                {"acceleration": symbolic.acceleration()},
            ),
            "sole_motion": (
                {**q, **v},
                {"position": stacked("position", linear), "velocity": stacked("velocity", everything)},
            ),
            "sole_rotations": (q, {"rotation": cs.vertcat(*(sole["rotation"] for sole in soles))}),
            "sole_jacobians": (q, {"jacobian": cs.vertcat(*(sole["jacobian"][:3, :] for sole in soles))}),
            "sole_drift": (
                {**q, **v},
                {"drift": cs.vertcat(*(cs.jtimes(s["velocity"][:3], symbolic.q, symbolic.v).T for s in soles))},
            ),
            "dynamics_terms": ({**q, **v}, {"mass": symbolic.mass_matrix(), "bias": symbolic.bias_forces()}),
        }
        numbers = ", ".join(f"q[{i}]" for i in range(robot.model.nv))
        sources = [f"def coordinates(q):\n    return ({numbers})\n"]
        sources += [
            source(name, *signature) for name, signature in parts.items() for source in (into_source, returning_source)
        ]
        return _HEADER + "\n\n".join(f"@generated_kernel\n{source}" for source in sources)

    return generate


def _load(key: str, generate: Callable[[], str]) -> ModuleType:
    """Import the generated module from the code cache, writing it first where it is missing."""
    path = cache_folder("robots", f"{key}-{code_hash(__name__)}") / "model.py"
    if not path.exists():
        _write(path, generate())
    name = f"_biped_slip_model_{key}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _write(path: Path, text: str) -> None:
    """Write at once or not at all: several processes may start together."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(temporary, path)
