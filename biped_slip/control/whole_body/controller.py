# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whole-body controller: state, measurements and friction limits in, torques out.

Each tick goes through: limits from the estimates, dynamics in axes along the floor
(:mod:`~biped_slip.control.whole_body.floor_frame`), with the joints' damping by the
robot's description, joint friction out of them, the decision
(:mod:`~biped_slip.control.whole_body.decision`), the program, torques.
"""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import Held, OfOneType, hold, kernel, put
from biped_slip.config import Configuration, configuration, parameter, section
from biped_slip.constants import GRAVITY
from biped_slip.control.actuation import ActuationConfig, FrictionState, friction_step
from biped_slip.control.whole_body.balance import balances
from biped_slip.control.whole_body.body import (
    Body,
    SoleUse,
    largest_friction,
    turning_of,
    with_smaller_soles,
)
from biped_slip.control.whole_body.dcm import natural_rate
from biped_slip.control.whole_body.decision import TickPlan, decide, torques_of
from biped_slip.control.whole_body.floor_frame import (
    LEVEL_FRAME,
    carried_over,
    compile_for_slopes,
    floor_height,
    frame_about,
    lean_gravity,
    on_floor,
    standing_foot,
)
from biped_slip.control.whole_body.footsteps import (
    Command,
    FootstepConfig,
    Gait,
    SteppingConfig,
    SteppingState,
    yaw_near,
)
from biped_slip.control.whole_body.friction_adaptation import (
    AdaptationConfig,
    quantile_of,
)
from biped_slip.control.whole_body.gait_patterns import (
    PatternConfig,
    Patterns,
    Pendulum,
    patterns_for,
)
from biped_slip.control.whole_body.memory import first_memory
from biped_slip.control.whole_body.sensed import SoleInputs, sensed_of
from biped_slip.control.whole_body.setup import Setup
from biped_slip.control.whole_body.tasks import (
    GainConfig,
    Terms,
    TermsSource,
    Turning,
    level_points,
)
from biped_slip.control.whole_body.tick_program import WeightConfig, solve
from biped_slip.estimation.invariant_filter import rotation_of
from biped_slip.estimation.readings import RobotState
from biped_slip.estimation.sole_motion import LEVEL_FLOOR, SolePair
from biped_slip.friction_estimation.limits import RatioLimit
from biped_slip.friction_estimation.types import FootMeasurement, FrictionEstimate
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
    ankle_reach: float = parameter(
        1.0,
        unit="m",
        above=0.0,
        high=10.0,
        doc="how far ahead of and behind the ankle the centre of pressure may be: its "
        "torque over the weight",
    )
    ankle_reach_across: float = parameter(
        1.0, unit="m", above=0.0, high=10.0, doc="likewise to both sides"
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
    def sole_use(self) -> SoleUse:
        """Return what of the soles the centre of pressure may use."""
        return SoleUse(
            share=(self.sole_share, self.sole_share_across),
            reach=(self.ankle_reach, self.ankle_reach_across),
        )


# [s^2/m] ratio that a swing foot costs per acceleration (measured: TALOS, 0.3 m/s on mu
# 0.05)
SWINGING = 0.003


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
        self.body = with_smaller_soles(body, config.sole_use)
        self.config = config
        self._limit = limit
        self._terms = TermsSource(body.robot)
        self.height = config.height_share * body.centre_height
        self.omega = natural_rate(self.height, GRAVITY)
        self._weight = body.program.mass * GRAVITY
        self._whole_soles = body.program.corners
        turning = turning_of(body)
        self._setup = Setup(
            robot=self.body.program,
            posture=body.posture,
            lowest=body.lowest,
            highest=body.highest,
            fastest=config.gains.speed_share * body.fastest,
            middle=self.body.middle,
            half_size=self.body.half_size,
            flat=balances(self.body.half_size),
            height=self.height,
            omega=self.omega,
            patterns=self._patterns(turning),
            quantile=quantile_of(config.adaptation),
            turning=turning,
            config=config.packed,
        )
        compile_for_slopes()
        self.solver = solve
        # compiled at the first tick
        self._decide = OfOneType(decided)
        self._torques = OfOneType(torques_held)
        limited = limits_by(self._limit.kernel)
        self._limited = OfOneType(limited)
        # a kernel that closes over a plain function is plain
        self._limit_compiled = hasattr(limited, "get_compile_result")
        self._limit_settings = hold(self._limit.settings, self._limit_compiled)
        self._held_setup = hold(self._setup)
        self._put = OfOneType(put)
        self._without_friction = OfOneType(compensated)
        self._largest_friction = largest_friction(body, config.actuation.friction)
        self._damping = np.array(body.model.damping[6:])
        self._damped = bool(self._damping.any())
        self.reset()

    def _patterns(self, turning: Turning) -> Patterns:
        """Tabulate the gaits that the robot, its config and the limit allow."""
        config = self.config
        pendulum = Pendulum(
            height=self.height,
            omega=self.omega,
            roll=0.0,
            turning=SWINGING,
            smooth=config.stepping.smooth_swing,
        )
        if turning.lever > 0.0:
            arm = moment_arm(self._whole_soles[0, :, :2])
            pendulum = pendulum._replace(
                lever=turning.lever / (arm * self._weight),
                free=turning.most * turning.inertia / turning.lever,
            )
        foresees = bool(getattr(self._limit, "foresees", False))
        return patterns_for(
            config.steps,
            config.stepping,
            config.pattern,
            float(self.body.half_size[0]),
            pendulum,
            None if foresees else config.adaptation.worst_floor,
        )

    def reset(self) -> None:
        """Reset to standing on both feet, without estimates of the floor."""
        first = self._limit.initial_state(), self._limit.initial_state()
        self._limits = hold(first, self._limit_compiled)
        self._memory: Any = None  # ``WholeBodyState``, held, once it has begun
        # of that memory
        self._stepping: SteppingState | None = None
        self._heading = 0.0
        self._floor = LEVEL_FRAME
        self._friction: FrictionState | None = None

    def _compensate(
        self, terms: Terms, velocity: Array, wrenches: Array, acting: Array, dt: float
    ) -> None:
        """Take the friction of the joints into the terms.

        It is found from the forces under the feet.
        """
        before = self._friction or FrictionState(velocity.copy(), np.zeros(acting.size))
        self._friction = self._without_friction(
            before, velocity, wrenches, acting, terms, self._largest_friction, dt
        )

    def _on_floor(
        self, state: RobotState, rise: Array, load: tuple[float, float]
    ) -> tuple[Array, Terms]:
        """Transform coordinates and dynamics into axes that lie on the floor.

        The floor is that of the foot that carries.
        """
        q = on_floor(state.q, self._floor)
        terms = self._terms.at(q, state.v)
        if self._stepping is not None:
            foot = standing_foot(self._stepping, load)
            known = self._floor.rise
            if rise[foot, 0] != known[0] or rise[foot, 1] != known[1]:
                old = self._floor
                self._floor = frame_about(rise[foot], terms.position[foot], self._floor)
                q = on_floor(state.q, self._floor)
                terms = self._terms.at(q, state.v)
                height = terms.centre_of_mass[2] - floor_height(terms, self._stepping)
                self._put(
                    self._memory,
                    carried_over(self._memory.value, old, self._floor, height),
                )
        if self._floor is not LEVEL_FRAME:
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
        load = (
            measurements[0].force_normal / self._weight,
            measurements[1].force_normal / self._weight,
        )
        limits = self._limits_of(estimates, measurements, dt)
        q, terms = self._on_floor(state, rise, load)
        up = self._floor.up
        climb = (
            0.0 if self._floor is LEVEL_FRAME else float(np.hypot(up[0], up[1]) / up[2])
        )
        if climb > 0.0:
            # a foot that holds less than the weight needs slides whatever it is to do
            least = climb + self.config.adaptation.worst
            limits = max(limits[0], least), max(limits[1], least)
        if self._damped:
            # of the model as gravity is: an MJCF for learners has as much as brakes a
            # light robot's shift of weight to a tenth
            terms.bias[6:] += self._damping * state.v[6:]
        compensates = self.config.actuation.friction > 0.0 and dt > 0.0
        if compensates and wrenches is not None and acting is not None:
            self._compensate(terms, state.v, wrenches, acting, dt)
        if not self._setup.flat:
            heading = (
                yaw_near(rotation_of(q[3:7]), 0.0)
                if self._memory is None
                else self._heading
            )
            level_points(terms, heading)
        inputs = SoleInputs(
            q=q,
            v=state.v,
            limits=limits,
            measured=measurements,
            estimates=(estimates[0], estimates[1]),
            up=up,
        )
        return self._answer(inputs, terms, command, dt)

    def _limits_of(
        self,
        estimates: tuple[FrictionEstimate, FrictionEstimate],
        measurements: tuple[FootMeasurement, FootMeasurement],
        dt: float,
    ) -> tuple[float, float]:
        """Step the limits on the force ratio of both feet."""
        limits: tuple[float, float] = self._limited(
            self._limits,
            self._limit_settings,
            (estimates[0], estimates[1]),
            (measurements[0], measurements[1]),
            dt,
        )
        return limits

    def _answer(
        self, inputs: SoleInputs, terms: Terms, command: Command, dt: float
    ) -> WholeBodyOutput:
        """Decide, solve the program and read the torques."""
        setup = self._held_setup
        held = self._terms.held
        if self._memory is None:
            first = first_memory(terms, inputs.limits, self._setup)
            self._memory = hold(first)
            self._put(self._memory, first)  # compiled before the first slope
        decided = self._decide(self._memory, held, inputs, command, dt, setup)
        self._stepping = stepping = decided.stepping
        self._heading = decided.heading
        solution = self.solver(decided.plan.program)
        torques, forces = self._torques(solution.x, decided.plan, held, setup)
        if self._floor is not LEVEL_FRAME:
            forces = forces @ self._floor.rotation.T
        return WholeBodyOutput(
            torques=torques,
            limits=inputs.limits,
            forces=forces,
            phase=stepping.phase,
            solved=solution.solved,
            dcm_error=decided.error,
            gait=decided.gait,
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


class Decided(NamedTuple):
    """Decision of a tick, as far as Python needs it."""

    plan: TickPlan
    error: Array  # (2,) of the DCM [m]
    gait: Gait
    stepping: SteppingState
    heading: float  # of the walk as commanded [rad]


@kernel
def decided(
    memory: Any,
    terms: Held,
    inputs: SoleInputs,
    command: Command,
    dt: float,
    setup: Held,
) -> Decided:
    """Decide from what is measured of both feet and known of their floors.

    Args:
        memory: ``WholeBodyState``, held; replaced.
        terms: dynamics of the robot now, held.
        inputs: of both feet.
        command: velocity, or a pose.
        dt: tick [s].
        setup: of the walk, held.
    """
    fixed = setup.value
    sensed = sensed_of(inputs, fixed.robot.mass * GRAVITY)
    decision = decide(memory.value, terms.value, sensed, command, dt, fixed)
    after = decision.memory
    memory.value = after
    return Decided(
        plan=decision.plan,
        error=decision.error,
        gait=after.gait,
        stepping=after.stepping,
        heading=after.heading,
    )


@kernel
def torques_held(
    x: Array, plan: TickPlan, terms: Held, setup: Held
) -> tuple[Array, Array]:
    """Read the torques by :func:`torques_of`, whose terms and setup are held."""
    return torques_of(x, plan, terms.value, setup.value.robot)


def limits_by(limit: Callable[..., tuple[Any, float]]) -> Callable[..., Any]:
    """Make the kernel of the limits on the force ratio of both feet.

    Args:
        limit: of one foot, (state, settings, estimate, measurement, dt) -> (state,
            limit).
    """

    @kernel
    def limits(
        states: Any,
        settings: Held,
        estimates: tuple[FrictionEstimate, FrictionEstimate],
        measured: SolePair,
        dt: float,
    ) -> tuple[float, float]:
        left, right = states.value
        left, low = limit(left, settings.value, estimates[0], measured[0], dt)
        right, high = limit(right, settings.value, estimates[1], measured[1], dt)
        states.value = (left, right)
        return float(low), float(high)

    return limits
