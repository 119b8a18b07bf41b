# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Standing without the program: the virtual model holds the body over both feet.

Springs and dampers give the wanted force and moment on the centre of mass (A.8 for a
humanoid). They go to the corners of both soles inside their friction limits (A.9) by
non-negative least squares, and the legs push with what the corners take, ``J^T f``.
Without accelerations as unknowns it always has an answer: :class:`StandingFallback`
stands so from the first tick in which the program has none.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pinocchio as pin
from scipy.optimize import nnls

from biped_slip.compile.array_kernels import all_finite
from biped_slip.compile.arrays import Array
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.constants import GRAVITY
from biped_slip.control.whole_body.body import Body
from biped_slip.control.whole_body.controller import WholeBodyOutput
from biped_slip.control.whole_body.footsteps import Command, yaw_near
from biped_slip.control.whole_body.tasks import Terms, TermsSource
from biped_slip.estimation.invariant_filter import rotation_of
from biped_slip.estimation.readings import RobotState

EDGES = 8  # of the pyramid inside the friction cone


@configuration
class VirtualStandingConfig(Configuration):
    """Gains per mass or inertia; near critical damping."""

    centre_stiffness: float = parameter(
        30.0, unit="1/s^2", low=0.0, high=1e4, doc="of the body's place"
    )
    centre_damping: float = parameter(
        10.0, unit="1/s", low=0.0, high=1e3, doc="of its velocity"
    )
    turn_stiffness: float = parameter(
        200.0, unit="1/s^2", low=0.0, high=1e4, doc="of the base's turn"
    )
    turn_damping: float = parameter(
        25.0, unit="1/s", low=0.0, high=1e3, doc="of its rate"
    )
    turn_inertia: float = parameter(
        5.0, unit="kg m^2", above=0.0, high=100.0, doc="what turns with it"
    )
    joint_stiffness: float = parameter(
        100.0, unit="1/s^2", low=0.0, high=1e4, doc="of the other joints"
    )
    joint_damping: float = parameter(
        20.0, unit="1/s", low=0.0, high=1e3, doc="of the other joints"
    )
    moment_lever: float = parameter(
        0.2, unit="m", above=0.0, high=2.0, doc="a moment's worth in forces"
    )
    unlimited: float = parameter(
        1.0, above=0.0, high=5.0, doc="force ratio where nothing limits it"
    )


class Stand(NamedTuple):
    """Place to stand, set when standing begins."""

    height: float  # of the centre of mass over the soles [m]
    yaw: float  # heading of the base [rad]


class StandingOutput(NamedTuple):
    """Torques, and wanted forces of the soles."""

    torques: Array  # (n,) [N m]
    forces: Array  # (2, 3) of the ground on each sole, world axes [N]


def stand_here(terms: Terms, q: Array) -> Stand:
    """Set the place to stand to the present posture, over the middle of the soles."""
    height = float(terms.centre_of_mass[2] - terms.position[:, 2].mean())
    return Stand(height, yaw_near(rotation_of(q[3:7]), 0.0))


def stand(
    terms: Terms,
    q: Array,
    v: Array,
    body: Body,
    aim: Stand,
    limits: tuple[float, float],
    config: VirtualStandingConfig,
) -> StandingOutput:
    """Compute torques that hold the body over both feet.

    The force ratios stay below ``limits``.
    """
    wanted = _virtual_wrench(terms, q, v, body, aim, config)
    corners = np.einsum("fij,fcj->fci", terms.rotation, body.program.corners)
    given = _corner_forces(wanted, terms, corners, body, limits, config)
    forces = given.sum(axis=(1, 2))
    turns = np.cross(corners[:, :, None], given).sum(axis=(1, 2))
    generalized = terms.bias.copy()
    for foot in range(2):
        generalized -= terms.jacobians[foot].T @ np.concatenate(
            (forces[foot], turns[foot])
        )
    rest = body.program.rest
    bent = (
        config.joint_stiffness * (body.posture[rest - 6] - q[rest + 1])
        - config.joint_damping * v[rest]
    )
    generalized[rest] += np.diag(terms.mass_matrix)[rest] * bent
    return StandingOutput(generalized[6:], forces)


def _corner_forces(
    wanted: Array,
    terms: Terms,
    corners: Array,
    body: Body,
    limits: tuple[float, float],
    config: VirtualStandingConfig,
) -> Array:
    """Share a wrench among the edges (2, corners, EDGES, 3) of all friction pyramids.

    They are the smallest non-negative forces [N] that give the ``wanted`` (6,) force
    and moment on the centre of mass [N, N m]; ``corners`` (2, n, 3) are from the soles'
    origins, world axes [m].
    """
    pushes = _pushes(terms, corners, limits, config)  # (feet, corners, EDGES, 3)
    arms = terms.position[:, None] + corners - terms.centre_of_mass
    moments = np.cross(arms[:, :, None], pushes)
    columns = np.concatenate((pushes, moments / config.moment_lever), axis=-1).reshape(
        -1, 6
    )
    scale = body.program.mass * GRAVITY
    aimed = np.concatenate((wanted[:3], wanted[3:] / config.moment_lever)) / scale
    spread = 1e-3 * np.eye(len(columns))  # the smallest pushes of all that do
    shares, _ = nnls(
        np.vstack((columns.T, spread)), np.concatenate((aimed, np.zeros(len(columns))))
    )
    return scale * shares.reshape((*pushes.shape[:3], 1)) * pushes


def _virtual_wrench(
    terms: Terms,
    q: Array,
    v: Array,
    body: Body,
    aim: Stand,
    config: VirtualStandingConfig,
) -> Array:
    """Compute force and moment (6,) wanted on the centre of mass.

    They are in world axes [N, N m].
    """
    middles = terms.position[:, :2] + np.einsum(
        "fij,fj->fi", terms.rotation[:, :2, :2], body.middle
    )
    place = np.array([*middles.mean(axis=0), terms.position[:, 2].mean() + aim.height])
    pull = (
        config.centre_stiffness * (place - terms.centre_of_mass)
        - config.centre_damping * terms.centre_velocity
    )
    rotation = pin.Quaternion(q[3:7]).matrix()
    upright = pin.rpy.rpyToMatrix(0.0, 0.0, aim.yaw)
    turn = rotation @ pin.log3(rotation.T @ upright)
    twist = config.turn_stiffness * turn - config.turn_damping * (rotation @ v[3:6])
    force = body.program.mass * (pull + np.array([0.0, 0.0, GRAVITY]))
    return np.concatenate((force, config.turn_inertia * twist))


def _pushes(
    terms: Terms,
    corners: Array,
    limits: tuple[float, float],
    config: VirtualStandingConfig,
) -> Array:
    """Build edges (2, corners, EDGES, 3) of each corner's friction pyramid.

    They have unit normal force, and are in world axes.
    """
    angles = 2.0 * math.pi * np.arange(EDGES) / EDGES
    pushes = np.empty((2, corners.shape[1], EDGES, 3))
    for foot in range(2):
        mu = min(limits[foot], config.unlimited)
        edges = np.column_stack(
            (mu * np.cos(angles), mu * np.sin(angles), np.ones(EDGES))
        )
        pushes[foot] = edges @ terms.rotation[foot].T
    return pushes


# The virtual model takes both soles to the floor. Out of double support it holds; a
# foot that swings it can only push down.

TRUST_TIME = 0.3  # [s] of answers in a row before the program is trusted again (choice)


class StandingFallback:
    """Standing from the first tick without a solution of the program.

    It lasts until the program has had a solution for a while.
    """

    def __init__(self, body: Body, config: VirtualStandingConfig | None = None) -> None:
        self._body = body
        self._config = config or VirtualStandingConfig()
        self._terms = TermsSource(body.robot)
        self.reset()

    def reset(self) -> None:
        """Reset to the use of the program."""
        self._aim: Stand | None = None
        self._calm = 0.0

    def allowed(self, command: Command) -> Command:
        """Return the allowed command; zero while the fallback stands."""
        return command if self._aim is None else Command()

    def step(
        self, answer: WholeBodyOutput, state: RobotState, dt: float
    ) -> Array | None:
        """Compute torques (n,) [N m] of standing; None while the program's are used."""
        good = answer.solved and all_finite(answer.torques)
        if self._aim is None and good:
            return None
        terms = self._terms.at(state.q, state.v)
        self._calm = self._calm + dt if good else 0.0
        if self._calm > TRUST_TIME:
            self.reset()
            return None
        self._aim = self._aim or stand_here(terms, state.q)
        return stand(
            terms, state.q, state.v, self._body, self._aim, answer.limits, self._config
        ).torques
