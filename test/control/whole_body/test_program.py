# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The whole-body program of TALOS and of a point-foot robot: constraints, optimum,
static torques, cones."""

import math

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biped_slip.constants import GRAVITY
from biped_slip.control.whole_body.tasks import TermsSource
from biped_slip.control.whole_body.tick_program import (
    EQUALITY,
    SOFT,
    Targets,
    WeightConfig,
    assemble,
    cone_rows,
    corner_shares,
    solve,
)
from biped_slip.robots.humanoid import load_humanoid, moment_arm
from biped_slip.walking.humanoid import humanoid_body

WEIGHTS = WeightConfig().packed
BOTH = (True, True)


@pytest.fixture(scope="module", params=["talos", "bolt"])
def robot(request):
    """Humanoid, controller's view of it, source of terms."""
    humanoid = load_humanoid(request.param)
    body = humanoid_body(humanoid)
    return humanoid, body, TermsSource(body.robot)


def case(robot, rng, spread=0.05):
    """Terms at a state near standing, and random aims."""
    humanoid, body, source = robot
    model = body.model
    q = pin.integrate(
        model, humanoid.standing(), spread * rng.standard_normal(model.nv)
    )
    v = spread * rng.standard_normal(model.nv)
    legs = body.program.moved.size
    mass = body.program.mass
    forces = np.array([[0.0, 0.0, 0.5 * mass * GRAVITY]] * 2)
    aims = Targets(
        centre_acceleration=rng.standard_normal(3),
        momentum_rate=rng.standard_normal(3),
        base_acceleration=rng.standard_normal(3),
        swing_acceleration=rng.standard_normal((2, 6)),
        joint_acceleration=rng.standard_normal(model.nv - 6),
        foot_force=forces,
        pressure=np.zeros((2, 2)),
        lowest_acceleration=np.full(legs, -1e4),
        highest_acceleration=np.full(legs, 1e4),
    )
    return source.at(q, v), aims


def residuals(program, solution):
    """Largest violation of equalities, of hard inequalities, and of stationarity."""
    x = solution.x
    size = program.hessian.shape[0]
    bounded = program.upper.size - program.rows.shape[0]
    rows = np.vstack((np.eye(size)[:bounded], program.rows))
    values = rows @ x
    equal = program.kind == EQUALITY
    hard = program.kind != SOFT
    gap = np.abs(values - program.upper)[equal].max()
    over = np.maximum(values - program.upper, program.lower - values)[
        hard & ~equal
    ].max(initial=0.0)
    gradient = program.hessian @ x + program.gradient + rows.T @ solution.multipliers
    return gap, over, np.abs(gradient).max()


@pytest.mark.parametrize("stance", [BOTH, (True, False), (False, True)])
def test_the_answer_keeps_every_constraint_and_is_optimal(robot, stance):
    rng = np.random.default_rng(1)
    for _ in range(20):
        terms, aims = case(robot, rng)
        program = assemble(
            terms, aims, robot[1].program, stance, (0.6, 0.4), WEIGHTS, np.zeros((2, 3))
        )
        solution = solve(program)
        assert solution.solved
        gap, over, gradient = residuals(program, solution)
        assert gap < 1e-6
        assert over < 1e-5
        assert solution.softened or gradient < 1e-5 * max(
            1.0, np.abs(program.gradient).max()
        )


def wrench_of(forces, body, foot, rotation):
    """Wrench (6,) of corner forces (n, 3) at the sole's origin, the tangential ones at
    the force points."""
    wrench = np.zeros(6)
    for corner, force_point, force in zip(
        body.program.corners[foot], body.program.force_points[foot], forces, strict=True
    ):
        tangential = force * (1.0, 1.0, 0.0)
        normal = force * (0.0, 0.0, 1.0)
        moment = np.cross(rotation @ force_point, tangential) + np.cross(
            rotation @ corner, normal
        )
        wrench += np.concatenate((force, moment))
    return wrench


def test_the_answer_obeys_newton_and_euler(robot):
    rng = np.random.default_rng(2)
    _, body, _ = robot
    terms, aims = case(robot, rng)
    program = assemble(
        terms, aims, body.program, BOTH, (0.7, 0.7), WEIGHTS, np.zeros((2, 3))
    )
    x = solve(program).x
    known = 6 + body.program.moved.size
    acceleration = np.zeros(body.model.nv)
    acceleration[:6], acceleration[body.program.moved] = x[:6], x[6:known]
    acceleration[body.program.rest] = aims.joint_acceleration[body.program.rest - 6]
    corners = body.program.mass * x[known:].reshape(2, -1, 3)
    generalized = np.zeros(body.model.nv)
    for foot in (0, 1):
        generalized += terms.jacobians[foot].T @ wrench_of(
            corners[foot], body, foot, terms.rotation[foot]
        )
    torques = terms.mass_matrix @ acceleration + terms.bias - generalized
    assert np.abs(torques[:6]).max() < 1e-5 * body.program.mass * GRAVITY
    legs = program.torque_rows @ x + program.torque_bias
    assert torques[body.program.moved] == pytest.approx(legs, abs=1e-6)


def test_standing_torques_are_those_of_inverse_dynamics():
    humanoid = load_humanoid("talos")
    body = humanoid_body(humanoid)
    model = body.model
    q = humanoid.standing()
    still = np.zeros(model.nv)
    terms = TermsSource(body.robot).at(q, still)
    legs = body.program.moved
    weight = body.program.mass * GRAVITY
    forces = np.array([[0.0, 0.0, 0.5 * weight]] * 2)
    aims = Targets(
        centre_acceleration=np.zeros(3),
        momentum_rate=np.zeros(3),
        base_acceleration=np.zeros(3),
        swing_acceleration=np.zeros((2, 6)),
        joint_acceleration=np.zeros(model.nv - 6),
        foot_force=forces,
        pressure=np.zeros((2, 2)),
        lowest_acceleration=np.full(legs.size, -1e4),
        highest_acceleration=np.full(legs.size, 1e4),
    )
    program = assemble(
        terms,
        aims,
        body.program,
        BOTH,
        (0.7, 0.7),
        WeightConfig(force=1e-9).packed,
        np.zeros((2, 3)),
    )
    x = solve(program).x
    known = 6 + legs.size
    assert np.abs(x[:known]).max() < 1e-4
    total = body.program.mass * x[known:].reshape(-1, 3).sum(axis=0)
    assert total == pytest.approx([0.0, 0.0, weight], abs=1e-4 * weight)
    # Pinocchio's own inverse dynamics under the forces that were found
    data = model.createData()
    pin.forwardKinematics(model, data, q, still)
    external = pin.StdVec_Force([pin.Force.Zero() for _ in range(model.njoints)])
    corners = body.program.mass * x[known:].reshape(2, -1, 3)
    for foot, frame in enumerate(body.soles):
        joint = model.frames[frame].parentJoint
        place = pin.updateFramePlacement(model, data, frame)
        wrench = wrench_of(corners[foot], body, foot, place.rotation)
        world = pin.Force(
            wrench[:3], wrench[3:] + np.cross(place.translation, wrench[:3])
        )
        external[joint] += data.oMi[joint].actInv(world)
    torques = pin.rnea(model, data, q, still, still, external)
    assert torques[legs] == pytest.approx(
        program.torque_rows @ x + program.torque_bias, abs=0.05
    )


@given(
    st.floats(0.01, 1.2),
    st.floats(-math.pi, math.pi),
    st.floats(-math.pi, math.pi),
    st.floats(0.0, 1.5),
)
@settings(max_examples=200, deadline=None)
def test_whatever_the_rows_allow_lies_in_the_friction_cone(
    mu, heading, direction, ratio
):
    force = np.array([ratio * math.cos(direction), ratio * math.sin(direction), 1.0])
    allowed = np.all(cone_rows(mu, heading) @ force <= 0.0)
    assert not allowed or ratio <= mu + 1e-12


@given(st.floats(0.01, 1.2), st.floats(-math.pi, math.pi))
@settings(max_examples=50, deadline=None)
def test_along_the_heading_nothing_of_the_friction_is_lost(mu, heading):
    force = np.array([mu * math.cos(heading), mu * math.sin(heading), 1.0])
    assert (cone_rows(mu, heading) @ force).max() <= 1e-12


def test_no_foot_is_ever_pulled_down():
    assert (cone_rows(0.3, 0.4) @ np.array([0.0, 0.0, -1.0])).max() > 0.0


@pytest.mark.parametrize("limit", [0.1, 0.3])
def test_a_push_wanted_harder_than_the_floor_holds_is_cut_at_the_limit(robot, limit):
    _, body, _ = robot
    terms, aims = case(robot, np.random.default_rng(3), spread=0.0)
    aims = aims._replace(centre_acceleration=np.array([8.0, 0.0, 0.0]))
    program = assemble(
        terms, aims, body.program, BOTH, (limit, limit), WEIGHTS, np.zeros((2, 3))
    )
    x = solve(program).x
    corners = x[6 + body.program.moved.size :].reshape(-1, 3)
    assert np.all(
        np.hypot(corners[:, 0], corners[:, 1]) <= limit * corners[:, 2] + 1e-5
    )
    assert corners[:, 0].sum() > 0.8 * limit * corners[:, 2].sum()


@pytest.mark.parametrize("way", [-1.0, 1.0])
def test_a_sole_that_tips_on_its_edge_pushes_both_ways_as_hard_as_the_floor_holds(
    robot, way
):
    _, body, _ = robot
    limit = 0.1
    tipped = pin.rpy.rpyToMatrix(0.08, 0.0, 0.0)
    terms, aims = case(robot, np.random.default_rng(3), spread=0.0)
    terms = terms._replace(
        rotation=np.array([tipped @ terms.rotation[0], tipped @ terms.rotation[1]])
    )
    aims = aims._replace(centre_acceleration=np.array([0.0, 8.0 * way, 0.0]))
    x = solve(
        assemble(
            terms, aims, body.program, BOTH, (limit, limit), WEIGHTS, np.zeros((2, 3))
        )
    ).x
    corners = x[6 + body.program.moved.size :].reshape(-1, 3)
    assert np.all(
        np.hypot(corners[:, 0], corners[:, 1]) <= limit * corners[:, 2] + 1e-5
    )
    assert way * corners[:, 1].sum() > 0.75 * limit * corners[:, 2].sum()


# planned forces weigh little and the base may not turn, so that what the cones hold is
# seen
FREE = WeightConfig(force=0.03, base_turn=1.0).packed


def yaw_moment(body, source, humanoid, aims, limit=0.3, weights=WEIGHTS):
    """On the left sole alone: moment about its middle [N m], normal force [N]; turning
    of the base [rad/s^2]."""
    terms = source.at(humanoid.standing(), np.zeros(body.model.nv))
    program = assemble(
        terms,
        aims(body),
        body.program,
        (True, False),
        (limit, limit),
        weights,
        np.zeros((2, 3)),
    )
    x = solve(program).x
    forces = body.program.mass * x[6 + body.program.moved.size :].reshape(-1, 3)
    wrench = wrench_of(forces, body, 0, terms.rotation[0])
    middle = terms.rotation[0] @ np.array([*body.middle[0], 0.0])
    return wrench[5] - (middle[0] * wrench[1] - middle[1] * wrench[0]), wrench[2], x[5]


def turning(body):
    """Aims of a body that should turn left as hard as it can."""
    legs = body.program.moved.size
    weight = body.program.mass * GRAVITY
    return Targets(
        centre_acceleration=np.zeros(3),
        momentum_rate=np.array([0.0, 0.0, 1e4]),
        base_acceleration=np.zeros(3),
        swing_acceleration=np.zeros((2, 6)),
        joint_acceleration=np.zeros(body.model.nv - 6),
        foot_force=np.array([[0.0, 0.0, weight], [0.0, 0.0, 0.0]]),
        pressure=np.zeros((2, 2)),
        lowest_acceleration=np.full(legs, -1e4),
        highest_acceleration=np.full(legs, 1e4),
    )


def swinging(body):
    """Aims of a body that stands on its left foot and starts the right one forward."""
    swing = np.zeros((2, 6))
    swing[1, 0] = 10.0
    return turning(body)._replace(momentum_rate=np.zeros(3), swing_acceleration=swing)


def test_no_sole_is_asked_for_more_moment_than_its_area_holds():
    """At the sole's corners friction would hold almost twice as much."""
    humanoid = load_humanoid("talos")
    body = humanoid_body(humanoid)
    moment, normal, _ = yaw_moment(
        body, TermsSource(body.robot), humanoid, turning, weights=FREE
    )
    held = 0.3 * moment_arm(np.array(humanoid.polygon(0))) * normal
    assert 0.6 * held < moment < held * (1.0 + 1e-6)


def test_a_waist_takes_the_momentum_of_a_swinging_leg_that_base_and_floor_had_to_take():
    humanoid = load_humanoid("talos")
    body = humanoid_body(humanoid)
    source = TermsSource(body.robot)
    waist = body.model.idx_vs[body.model.getJointId("torso_1_joint")]
    assert waist in body.program.moved
    moment, _, turned = yaw_moment(body, source, humanoid, swinging, weights=FREE)
    held = WeightConfig(waist=1e4, force=0.03, base_turn=1.0).packed
    locked_moment, _, locked_turned = yaw_moment(
        body, source, humanoid, swinging, weights=held
    )
    assert abs(moment) < 0.8 * abs(locked_moment)
    assert abs(turned) < 0.5 * abs(locked_turned)


@given(st.floats(-0.09, 0.09), st.floats(-0.05, 0.05))
@settings(max_examples=50, deadline=None)
def test_a_foot_s_force_is_shared_by_its_corners_so_that_it_acts_where_it_is_planned(
    x, y
):
    corners = np.array(
        [[0.1, 0.06, 0.0], [0.1, -0.06, 0.0], [-0.1, -0.06, 0.0], [-0.1, 0.06, 0.0]]
    )
    corners[:, 0] += 0.03
    shares = corner_shares(corners, np.array([x, y]))
    assert shares.sum() == pytest.approx(1.0)
    assert shares @ corners[:, :2] == pytest.approx([0.03 + x, y])


@pytest.mark.parametrize("name", ["talos", "g1"])
def test_a_foot_presses_where_the_pivot_is_when_no_task_says_otherwise(name):
    """A force through the middle of the sole would roll the trunk whenever the ZMP is
    beside it to balance."""
    humanoid = load_humanoid(name)
    body = humanoid_body(humanoid)
    q = humanoid.standing()
    terms = TermsSource(body.robot).at(q, np.zeros(body.model.nv))
    legs = body.program.moved.size
    mass = body.program.mass
    aside = 0.5 * body.half_size[1]
    middle = (terms.position[0] + terms.rotation[0] @ np.array([*body.middle[0], 0.0]))[
        :2
    ]
    zmp = middle + np.array([0.0, aside])
    away = GRAVITY / body.centre_height * (terms.centre_of_mass[:2] - zmp)
    wanted = np.array([*away, 0.0])
    forces = np.array([[*mass * away, mass * GRAVITY], np.zeros(3)])

    weights = WeightConfig(base=0.0, momentum=0.0, swing=0.0).packed

    def pressure(planned):
        aims = Targets(
            centre_acceleration=wanted,
            momentum_rate=np.zeros(3),
            base_acceleration=np.zeros(3),
            swing_acceleration=np.zeros((2, 6)),
            joint_acceleration=np.zeros(body.model.nv - 6),
            foot_force=forces,
            pressure=np.array([[0.0, planned], [0.0, 0.0]]),
            lowest_acceleration=np.full(legs, -1e4),
            highest_acceleration=np.full(legs, 1e4),
        )
        x = solve(
            assemble(
                terms,
                aims,
                body.program,
                (True, False),
                (0.8, 0.8),
                weights,
                np.zeros((2, 3)),
            )
        ).x
        corners = mass * x[6 + legs :].reshape(-1, 3)
        wrench = wrench_of(corners, body, 0, terms.rotation[0])
        return wrench[3] / wrench[2]

    for planned in (aside, 0.0, -aside):
        assert pressure(planned) == pytest.approx(planned, abs=0.1 * aside)


def test_a_base_that_may_turn_takes_the_moment_off_the_sole():
    humanoid = load_humanoid("talos")
    body = humanoid_body(humanoid)
    source = TermsSource(body.robot)
    held, loose = (
        WeightConfig(waist=1e4, base=1.0, base_turn=turn).packed for turn in (1.0, 0.0)
    )
    moment, _, turned = yaw_moment(body, source, humanoid, swinging, weights=held)
    loose_moment, _, loose_turned = yaw_moment(
        body, source, humanoid, swinging, weights=loose
    )
    assert abs(loose_moment) < 0.8 * abs(moment)
    assert abs(loose_turned) > 1.2 * abs(turned)
