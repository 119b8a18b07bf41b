# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walking of a humanoid.

State, measurements and friction limits go in, joint torques come out.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin
from scipy.optimize import nnls

from biped_slip.compile.arrays import Array, all_finite
from biped_slip.compile.kernel import OfOneType, kernel
from biped_slip.config import Configuration, configuration, parameter, section
from biped_slip.constants import GRAVITY
from biped_slip.control.supervisor import ActuationConfig, FrictionState, friction_step
from biped_slip.control.whole_body.body import (
    Body,
    largest_friction,
    turning_of,
    with_smaller_soles,
)
from biped_slip.control.whole_body.decision import (
    Decision,
    Sensed,
    Setup,
    WholeBodyState,
    decide,
    first_memory,
    level_points,
    torques_of,
    yaw_near,
)
from biped_slip.control.whole_body.footsteps import (
    STAND,
    TRANSFER,
    Command,
    Foothold,
    FootstepConfig,
    Gait,
    SteppingConfig,
    SteppingState,
    SwingPoint,
    natural_rate,
)
from biped_slip.control.whole_body.friction_adaptation import (
    TELLING,
    AdaptationConfig,
    PatternConfig,
    Pendulum,
    patterns_for,
    quantile_of,
)
from biped_slip.control.whole_body.program import UPWARDS, WeightConfig, solve
from biped_slip.control.whole_body.tasks import (
    GainConfig,
    Terms,
    TermsSource,
    balances,
    turned_up,
)
from biped_slip.estimation.invariant_filter import rotation_of
from biped_slip.estimation.readings import RobotState, SensorReadings
from biped_slip.estimation.sole_motion import LEVEL_FLOOR, SolePair
from biped_slip.friction_estimation.limits import RatioLimit
from biped_slip.friction_estimation.types import (
    NO_CONTACT,
    FootMeasurement,
    FrictionEstimate,
)
from biped_slip.robots.humanoid import moment_arm


@configuration
class WholeBodyConfig(Configuration):
    """Steps, gains, weights and slip prevention."""

    steps: FootstepConfig = section(FootstepConfig)
    stepping: SteppingConfig = section(SteppingConfig)
    gains: GainConfig = section(GainConfig)
    weights: WeightConfig = section(WeightConfig)
    adaptation: AdaptationConfig = section(AdaptationConfig)
    pattern: PatternConfig = section(PatternConfig)
    actuation: ActuationConfig = section(ActuationConfig)
    height_share: float = parameter(
        0.935,
        above=0.3,
        high=1.2,
        doc="of the standing centre of mass' height: bent knees reach further",
    )
    sole_share: float = parameter(
        0.8,
        above=0.0,
        high=1.0,
        doc="of the sole's length that the centre of pressure may use: a foot that "
        "rolls "
        "over its toe holds next to no moment about the vertical",
    )
    sole_share_across: float = parameter(
        0.8, above=0.0, high=1.0, doc="of its width: at its edge the foot tips"
    )
    height_rate: float = parameter(
        0.15, unit="m/s", above=0.0, high=2.0, doc="at which that height is taken up"
    )
    acceleration: float = parameter(
        0.3,
        unit="m/s^2",
        above=0.0,
        high=10.0,
        doc="at which a new command is taken up",
    )
    turn_acceleration: float = parameter(
        0.5, unit="rad/s^2", above=0.0, high=10.0, doc="likewise for turning"
    )

    @property
    def sole_shares(self) -> tuple[float, float]:
        """Return half length and width of the soles, along and across the walk."""
        return self.sole_share, self.sole_share_across


# A world whose floor is level: on a slope the controller walks in axes that lie on the
# floor, under leaning gravity.
#
# Friction cones, swing feet, footholds and the pendulum's plane are then those of a
# level floor. What differs is gravity: its part along the floor moves the point that
# balances over the ZMP, and takes its share of the friction.


class FloorFrame(NamedTuple):
    """Axes along the floor, with their pivot."""

    rise: Array  # (2,) of the floor along the world's x and y
    rotation: Array  # (3, 3) floor to world
    in_world: Array  # (3,) [m]
    in_floor: Array  # (3,) the same point [m]
    up: Array  # (3,) the vertical in the floor's axes


LEVEL = FloorFrame(
    rise=np.zeros(2),
    rotation=np.eye(3),
    in_world=np.zeros(3),
    in_floor=np.zeros(3),
    up=UPWARDS,
)


def frame_about(rise: Array, pivot: Array, old: FloorFrame) -> FloorFrame:
    """Compute axes along a floor of another gradient (2,).

    They turn about a pivot (3,) of the old axes.
    """
    normal = np.array([-rise[0], -rise[1], 1.0]) / math.sqrt(
        1.0 + rise[0] ** 2 + rise[1] ** 2
    )
    in_world = old.rotation @ (pivot - old.in_floor) + old.in_world
    rotation = turned_up(normal)
    return FloorFrame(
        rise=rise.copy(),
        rotation=rotation,
        in_world=in_world,
        in_floor=pivot.copy(),
        up=rotation[2].copy(),
    )


def on_floor(q: Array, frame: FloorFrame) -> Array:
    """Transform coordinates (nq,) into the floor's axes.

    Velocities are in the base's and stay.
    """
    if frame is LEVEL:
        return q
    result = q.copy()
    back = frame.rotation.T
    result[:3] = back @ (q[:3] - frame.in_world) + frame.in_floor
    result[3:7] = pin.Quaternion(back @ rotation_of(q[3:7])).coeffs()
    return result


def compile_for_slopes() -> None:
    """Compile the kernels of the first slope ahead."""
    on_floor(
        np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
        frame_about(np.zeros(2), np.zeros(3), LEVEL),
    )


def lean_gravity(terms: Terms, q: Array, up: Array) -> None:
    """Correct the bias of the dynamics for gravity.

    On a slope gravity is not along the normal.

    The first three rows of the mass matrix are the momentum in the base, so gravity
    ``g`` weighs ``M[:3].T R.T g`` on all coordinates.
    """
    more = -GRAVITY * (up - UPWARDS)
    terms.bias[:] -= terms.mass_matrix[:3].T @ (rotation_of(q[3:7]).T @ more)


def carried_over(
    memory: WholeBodyState, old: FloorFrame, new: FloorFrame, centre_height: float
) -> WholeBodyState:
    """Transform the memory to new axes.

    It uses the height of the centre of mass over the soles [m].
    """
    turn = new.rotation.T @ old.rotation
    pivot = new.in_floor

    def moved(place: Array) -> Array:
        return pivot + turn @ (place - pivot)

    def level(place: Array) -> Array:
        return moved(np.array([place[0], place[1], pivot[2]]))[:2]

    steps = memory.stepping
    point = memory.stepping.point
    lifted = moved(np.array([point.position[0], point.position[1], steps.lift_z]))[2]
    target = level(np.array([steps.target.x, steps.target.y]))
    position = point.position.copy()
    velocity = point.velocity.copy()
    acceleration = point.acceleration.copy()
    position[:3], velocity[:3], acceleration[:3] = (
        moved(position[:3]),
        turn @ velocity[:3],
        turn @ acceleration[:3],
    )
    stepping = SteppingState(
        phase=steps.phase,
        time=steps.time,
        duration=steps.duration,
        swing=steps.swing,
        zmp_from=level(steps.zmp_from),
        zmp_to=level(steps.zmp_to),
        target=Foothold(float(target[0]), float(target[1]), steps.target.yaw),
        lift_z=float(lifted),
        point=SwingPoint(position, velocity, acceleration),
        sliding=steps.sliding,
    )
    return memory._replace(stepping=stepping, height=centre_height, touch=np.zeros(2))


def standing_foot(steps: SteppingState, load: tuple[float, float]) -> int:
    """Return the foot that carries, or will carry next."""
    if steps.phase == STAND:
        return 0 if load[0] >= load[1] else 1
    return 1 - steps.swing


def floor_height(terms: Terms, steps: SteppingState) -> float:
    """Compute the height of the floor under the centre of mass [m].

    It is the one that a tick's targets use.
    """
    if steps.phase in (STAND, TRANSFER):
        return float(0.5 * (terms.position[0, 2] + terms.position[1, 2]))
    return float(terms.position[1 - steps.swing, 2])


# [s^2/m] ratio that a swing foot costs per acceleration (measured: TALOS, 0.3 m/s on mu
# 0.05)
SWINGING = 0.003
IN_THE_AIR = 0.01  # body weights on a foot that carries nothing (choice)


class WholeBodyOutput(NamedTuple):
    """Output of one control tick; feet left, right."""

    torques: Array  # (n,) [N m]
    limits: tuple[float, float]  # on the force ratio
    forces: Array  # (2, 3) of the ground on the feet, world [N]
    phase: int
    solved: bool  # the program had an answer inside its constraints
    dcm_error: Array  # (2,) [m]
    gait: Gait
    stepping: SteppingState


class WholeBodyController:
    """Whole-body controller with the states of walk and limits.

    There is one ``step`` per control tick.

    Args:
        body: the robot.
        config: steps, gains, weights.
        limit: from friction estimates to limits on the force ratio.

    Attributes:
        solver: of the program; a benchmark may wrap it.
    """

    def __init__(
        self, body: Body, config: WholeBodyConfig, limit: RatioLimit[Any]
    ) -> None:
        self.body = with_smaller_soles(body, config.sole_shares)
        self.config = config
        self._limit = limit
        self._terms = TermsSource(body.robot)
        self.height = config.height_share * body.centre_height
        self.omega = natural_rate(self.height, GRAVITY)
        self._weight = body.program.mass * GRAVITY
        turning = turning_of(body)
        arm = moment_arm(body.program.corners[0, :, :2])
        pendulum = Pendulum(
            height=self.height,
            omega=self.omega,
            roll=0.0,
            turning=SWINGING,
            smooth=config.stepping.smooth_swing,
        )
        if turning.lever > 0.0:
            free = turning.most * turning.inertia / turning.lever
            pendulum = pendulum._replace(
                lever=turning.lever / (arm * self._weight), free=free
            )
        foresees = bool(getattr(limit, "foresees", False))
        table = patterns_for(
            config.steps,
            config.stepping,
            config.pattern,
            float(self.body.half_size[0]),
            pendulum,
            config.adaptation,
            foresees,
        )
        self._setup = Setup(
            robot=self.body.program,
            posture=body.posture,
            lowest=body.lowest,
            highest=body.highest,
            fastest=config.gains.speed_share * body.fastest,
            middle=self.body.middle,
            half_size=self.body.half_size,
            height=self.height,
            omega=self.omega,
            patterns=table,
            quantile=quantile_of(config.adaptation),
            turning=turning,
            config=config.packed,
        )
        compile_for_slopes()
        self.solver = solve
        (
            self._decide,
            self._torques,
            self._limited,
            self._rubbed,
        ) = (  # compiled at the first tick
            OfOneType(each)
            for each in (decided, torques_of, self._limit.kernel, compensated)
        )
        self._largest_friction = largest_friction(body, config.actuation.friction)
        self.reset()

    def reset(self) -> None:
        """Reset to standing on both feet, without estimates of the floor."""
        self._limits = [self._limit.initial_state(), self._limit.initial_state()]
        self._state: WholeBodyState | None = None
        self._floor = LEVEL
        self._friction: FrictionState | None = None

    @property
    def centre_velocity(self) -> Array:
        """Return the velocity of the centre of mass (3,) [m/s].

        The next tick overwrites it.
        """
        return self._terms.terms.centre_velocity

    def _compensate(
        self, terms: Terms, velocity: Array, wrenches: Array, acting: Array, dt: float
    ) -> None:
        """Take the friction of the joints into the terms.

        It is found from the forces under the feet.
        """
        before = self._friction or FrictionState(velocity.copy(), np.zeros(acting.size))
        inputs = before, velocity, wrenches, acting, terms, self._largest_friction, dt
        self._friction = self._rubbed(*inputs)

    def _on_floor(
        self, state: RobotState, rise: Array, load: tuple[float, float]
    ) -> tuple[Array, Terms]:
        """Transform coordinates and dynamics into axes that lie on the floor.

        The floor is that of the foot that carries.
        """
        q = on_floor(state.q, self._floor)
        terms = self._terms.at(q, state.v)
        if self._state is not None:
            foot = standing_foot(self._state.stepping, load)
            known = self._floor.rise
            if rise[foot, 0] != known[0] or rise[foot, 1] != known[1]:
                old = self._floor
                self._floor = frame_about(rise[foot], terms.position[foot], self._floor)
                q = on_floor(state.q, self._floor)
                terms = self._terms.at(q, state.v)
                height = terms.centre_of_mass[2] - floor_height(
                    terms, self._state.stepping
                )
                self._state = carried_over(self._state, old, self._floor, height)
        if self._floor is not LEVEL:
            lean_gravity(terms, q, self._floor.up)
        return q, terms

    def step(
        self,
        state: RobotState,
        measurements: tuple[FootMeasurement, FootMeasurement],
        estimates: tuple[FrictionEstimate, FrictionEstimate],
        command: Command,
        dt: float,
        rise: Array = LEVEL_FLOOR,
        wrenches: Array | None = None,
        acting: Array | None = None,
    ) -> WholeBodyOutput:
        """Compute torques for a commanded velocity of the body.

        Args:
            state: coordinates and velocities of the robot.
            measurements: of both soles.
            estimates: friction under both soles.
            command: velocity, or a pose.
            dt: control period [s].
            rise: (2, 2) of the floor under each foot, along x and y.
            wrenches: (2, 6) of the floor on the soles, in the soles [N, N m]; None:
                joint friction is not compensated.
            acting: (n,) torques of the joints now [N m], likewise.
        """
        settings = self._limit.settings
        self._limits[0], left = self._limited(
            self._limits[0], settings, estimates[0], measurements[0], dt
        )
        self._limits[1], right = self._limited(
            self._limits[1], settings, estimates[1], measurements[1], dt
        )
        load = (
            measurements[0].force_normal / self._weight,
            measurements[1].force_normal / self._weight,
        )
        setup = self._setup
        (q, terms) = self._on_floor(state, rise, load)
        limits = (float(left), float(right))
        up = self._floor.up
        climb = 0.0 if self._floor is LEVEL else float(np.hypot(up[0], up[1]) / up[2])
        if (
            climb > 0.0
            # a foot that holds less than the weight needs slides whatever is asked of
            # it
        ):
            least = climb + self.config.adaptation.worst
            limits = max(limits[0], least), max(limits[1], least)
        if (
            self.config.actuation.friction > 0.0
            and wrenches is not None
            and acting is not None
            and dt > 0.0
        ):
            self._compensate(terms, state.v, wrenches, acting, dt)
        if not balances(setup.half_size):
            level_points(
                terms,
                yaw_near(rotation_of(q[3:7]), 0.0)
                if self._state is None
                else self._state.heading,
            )
        memory = (
            self._state
            if self._state is not None
            else first_memory(terms, limits, setup)
        )
        inputs = (
            memory,
            terms,
            q,
            state.v,
            limits,
            measurements,
            (estimates[0], estimates[1]),
            up,
            command,
            dt,
            setup,
        )
        decision = self._decide(*inputs)
        self._state = decision.memory
        solution = self.solver(decision.program)
        torques, forces = self._torques(solution.x, decision, terms, setup.robot)
        stepping = decision.memory.stepping
        if self._floor is not LEVEL:
            forces = forces @ self._floor.rotation.T
        return WholeBodyOutput(
            torques=torques,
            limits=limits,
            forces=forces,
            phase=stepping.phase,
            solved=solution.solved,
            dcm_error=decision.error,
            gait=decision.gait,
            stepping=stepping,
        )


@kernel
def compensated(
    state: FrictionState,
    velocity: Array,
    wrenches: Array,
    acting: Array,
    terms: Terms,
    largest: Array,
    dt: float,
) -> FrictionState:
    """Estimate the friction of the joints, and take it out of the terms' bias.

    ``wrenches`` (2, 6) are in the soles.
    """
    force = terms.bias.copy()
    for foot in range(2):
        for part in range(0, 6, 3):
            along = terms.rotation[foot] @ wrenches[foot, part : part + 3]
            force -= along @ terms.jacobians[foot, part : part + 3]
    found = friction_step(
        state, velocity, acting, terms.mass_matrix, force, largest, dt
    )
    terms.bias[6:] -= found.friction
    return found


@kernel
def decided(
    memory: WholeBodyState,
    terms: Terms,
    q: Array,
    v: Array,
    limits: tuple[float, float],
    measured: SolePair,
    estimates: tuple[FrictionEstimate, FrictionEstimate],
    up: Array,
    command: Command,
    dt: float,
    setup: Setup,
) -> Decision:
    """Decide from what is measured of both feet and known of their floors."""
    weight = setup.robot.mass * GRAVITY
    force = np.zeros((2, 3))
    left, right, low, high = *estimates, *limits
    for foot in range(2):
        one = measured[foot]
        for k, value in enumerate((one.force_x, one.force_y, one.force_normal)):
            if math.isfinite(value):
                force[foot, k] = value
    load = measured[0].force_normal / weight, measured[1].force_normal / weight
    sensed = Sensed(
        q=q,
        v=v,
        load=load,
        limits=limits,
        friction=(_friction(left, low), _friction(right, high)),
        held=(_held(left, low), _held(right, high)),
        known=(bool(left.usable), bool(right.usable)),
        telling=(_tells(left, load[0]), _tells(right, load[1])),
        ahead=_ahead(measured, estimates, limits, weight),
        up=up,
        force=force,
    )
    return decide(memory, terms, sensed, command, dt, setup)


@kernel
def _held(estimate: FrictionEstimate, limit: float) -> float:
    """Return the certain friction under a foot.

    It is the foot's limit if that is certain, or demonstrated friction.
    """
    if estimate.usable:
        return limit
    return (
        estimate.mu_demonstrated if estimate.mu_demonstrated > 0.0 else 0.0
    )  # not NaN


@kernel
def _tells(estimate: FrictionEstimate, load: float) -> bool:
    """Return whether a foot's limit is that of the floor under it.

    A bouncing foot may still have the limit of the way ahead.
    """
    return load >= TELLING or (bool(estimate.usable) and load >= IN_THE_AIR)


@kernel
def _friction(estimate: FrictionEstimate, limit: float) -> float:
    """Return the friction under a foot.

    It is the estimate, no less than its limit; the limit without an estimate.
    """
    return (
        max(estimate.mu_median, limit)
        if estimate.usable and math.isfinite(estimate.mu_median)
        else limit
    )


@kernel
def _ahead(
    measurements: SolePair,
    estimates: tuple[FrictionEstimate, FrictionEstimate],
    limits: tuple[float, float],
    weight: float,
) -> tuple[float, float]:
    """Return friction and limit of the floor ahead of swing feet.

    They are infinite where nothing is known.

    A foot that bounces in its landing tells of the floor under it, not of the way
    ahead.
    """
    limit = mu = math.inf
    for foot in range(2):
        estimate = estimates[foot]
        friction = _friction(estimates[foot], limits[foot])
        light = measurements[foot].force_normal < IN_THE_AIR * weight
        known = estimate.usable and estimate.state_code != NO_CONTACT and light
        if known and (limits[foot], friction) < (limit, mu):
            limit = limits[foot]
            mu = friction
    return mu, limit


# The virtual model in three dimensions: springs and dampers hold the body over both
# feet (A.8 for a humanoid).
#
# The wanted force and moment on the centre of mass go to the corners of both soles
# inside their friction limits (A.9); the legs push with what the corners take, J' f. No
# quadratic program with accelerations: it always has an answer.

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
    given = scale * shares.reshape((*pushes.shape[:3], 1)) * pushes
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

CALM = 0.3  # [s] of answers in a row before the program is trusted again (choice)


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
        if self._calm > CALM:
            self.reset()
            return None
        self._aim = self._aim or stand_here(terms, state.q)
        return stand(
            terms, state.q, state.v, self._body, self._aim, answer.limits, self._config
        ).torques


# [1/rad], [s/rad] of all joints and of the ankles, times weight (choice)
STIFFNESS = 3.4
DAMPING = 0.1
BRAKING = 0.3
#: [kg m^2] of a joint below which only softer gains bear torques that are 2 ms late,
#: and the softest share that stands
# (choice)
ROTOR = 0.05
LIGHT = 0.2
# [s] of a known delay from which on these gains fall, so that its phase stays (choice)
PROMPT = 1e-3
# [m] torque limit over weight from which a joint has these gains; weaker ones have
# their share (choice)
STRONG = 0.1


class JointHold:
    """Joint PD hold around the standing posture, and ankles that brake the base's sway.

    Needs encoders and the gyro: what a humanoid does as long as it does not know how
    its base moves.

    Args:
        model: Pinocchio model with a free-flyer root.
        soles: frame indices, left then right.
        posture: (n,) joint positions that it holds [rad].
        efforts: (n,) largest joint torques [N m]: a wrist with an ankle's gains would
            follow the encoders' noise.
        delay: of the torques behind their commands [s].
    """

    def __init__(
        self,
        model: Any,
        soles: tuple[int, int],
        posture: Array,
        efforts: Array,
        delay: float = 0.0,
    ) -> None:
        weight = GRAVITY * float(sum(inertia.mass for inertia in model.inertias))
        self.posture = posture
        self._forward = holding_torques(model, soles, posture)
        rotor = min(1.0, float(np.min(model.armature[6:])) / ROTOR)
        softer = PROMPT / max(delay, PROMPT) * max(rotor, LIGHT)
        share = softer * np.minimum(efforts / (STRONG * weight), 1.0)
        self._stiffness = STIFFNESS * weight * share
        self._damping = DAMPING * weight * share * rotor
        ankles = [model.frames[sole].parentJoint for sole in soles]
        self._ankles = np.array(
            [[model.joints[j].idx_v - 6 for j in (i, model.parents[i])] for i in ankles]
        )
        self._braking = softer * BRAKING * weight

    def torques(self, readings: SensorReadings) -> Array:
        """Compute joint torques (n,) [N m]."""
        torques = self._forward + self._stiffness * (
            self.posture - readings.joint_position
        )
        torques -= self._damping * readings.joint_velocity
        torques[self._ankles] += self._braking * readings.angular_velocity_in_base[:2]
        return np.asarray(torques)


def holding_torques(model: Any, soles: tuple[int, int], posture: Array) -> Array:
    """Compute joint torques (n,) of the standing posture.

    The soles share the weight by least squares.
    """
    data = model.createData()
    q = pin.neutral(model)
    q[7:] = posture
    gravity = pin.computeGeneralizedGravity(model, data, q)
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    frames = [
        pin.getFrameJacobian(model, data, sole, pin.LOCAL_WORLD_ALIGNED)
        for sole in soles
    ]
    jacobian = np.vstack(frames)
    wrenches = np.linalg.lstsq(jacobian[:, :6].T, gravity[:6], rcond=None)[0]
    return np.asarray((gravity - jacobian.T @ wrenches)[6:])
