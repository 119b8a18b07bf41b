# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A humanoid falls and lands as in MuJoCo, which reads the same description."""

import numpy as np
import pytest
from simulation.humanoid.standing import Standing, parts_of

from biped_slip.control.whole_body.joint_hold import holding_torques
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation.humanoid.mujoco_plant import MujocoPlant, Twin
from biped_slip.simulation.humanoid.plant import FloatingPlant, FloatingPlantConfig
from biped_slip.simulation.humanoid.scenario import FloatingScenarioConfig
from biped_slip.simulation.humanoid.terrain import TerrainConfig
from biped_slip.simulation.humanoid.world import FloatingWorld

mujoco = pytest.importorskip("mujoco")

STEP = 1e-4


def twin_of(humanoid, feet=False):
    twin = Twin(humanoid, feet)
    twin.model.opt.timestep = STEP
    twin.model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    return twin


def carried_by(twin):
    """Vertical force of MuJoCo's floor [N]."""
    mujoco.mj_forward(twin.model, twin.data)
    total = 0.0
    wrench = np.zeros(6)
    for i in range(twin.data.ncon):
        mujoco.mj_contactForce(twin.model, twin.data, i, wrench)
        total += wrench[0]
    return total


def ours(humanoid, q, v):
    plant = FloatingPlant(humanoid, TerrainConfig(), FloatingPlantConfig())
    joints = plant.around.joints
    # MuJoCo's are soft constraints, or none
    joints.coulomb[:] = 0.0
    joints.stiffness[:] = 0.0
    joints.speed[:] = 1e9
    plant.place(q, v)
    return plant


@pytest.mark.parametrize("name", ["talos", "g1"])
def test_soles_add_nothing_to_what_the_robot_weighs(name):
    humanoid = load_humanoid(name)
    for feet in (False, True):
        mass = twin_of(humanoid, feet).model.body_mass.sum()
        assert mass == pytest.approx(humanoid.robot.mass, rel=1e-9)


@pytest.mark.parametrize("name", ["talos", "g1"])
@pytest.mark.compiled
def test_a_tumbling_fall_is_mujocos(name):
    humanoid = load_humanoid(name)
    rng = np.random.default_rng(1)
    q = humanoid.standing(0.5, -0.2, 0.4, 10.0)
    v = rng.normal(size=humanoid.model.nv)
    torques = 0.02 * humanoid.efforts * rng.normal(size=len(humanoid.robot.joints))
    plant = ours(humanoid, q, v)
    twin = twin_of(humanoid)
    twin.place(q, v)
    for _ in range(300):
        plant.advance(torques)
        twin.advance(torques, 10)
    theirs = twin.q
    theirs[3:7] *= np.sign(theirs[3:7] @ plant.state.q[3:7])
    np.testing.assert_allclose(plant.state.q, theirs, atol=2e-5)


@pytest.mark.compiled
def test_a_drop_ends_as_in_mujoco():
    humanoid = load_humanoid("talos")
    q = humanoid.standing(height=0.02)
    v = np.zeros(humanoid.model.nv)
    plant = ours(humanoid, q, v)
    twin = twin_of(humanoid, feet=True)
    twin.model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    twin.place(q, v)
    forward = holding_torques(*parts_of(humanoid))
    stiffness = 3.4 * humanoid.weight
    damping = 0.2 * humanoid.weight
    heights = []
    forces = []
    for _ in range(500):
        state = plant.state
        plant.advance(
            forward + stiffness * (q[7:] - state.q[7:]) - damping * state.v[6:]
        )
        twin.advance(
            forward
            + stiffness * (q[7:] - twin.q[7:])
            - damping * twin.data.qvel[twin.vs],
            10,
        )
        heights.append((plant.state.q[2], twin.q[2]))
        forces.append((plant.observe().soles.normal.sum(), carried_by(twin)))
    heights = np.array(heights)
    forces = np.array(forces)
    landing = [int(np.argmax(column > 1.0)) for column in forces.T]
    assert abs(landing[0] - landing[1]) <= 1
    impulses = 1e-3 * forces.sum(axis=0)
    # sampled: the first blow is short
    assert impulses[0] == pytest.approx(impulses[1], rel=0.03)
    # other contacts rebound otherwise
    assert np.abs(heights[:, 0] - heights[:, 1]).max() < 5e-3
    assert np.abs(heights[-100:, 0] - heights[-100:, 1]).max() < 3e-4


def standing_in_mujoco(mu, force, seconds=0.6, options=None):
    """A log of a robot that holds its posture on MuJoCo's floor, pushed sideways all
    the time by so many weights."""
    humanoid = load_humanoid("talos")
    said = {"duration": seconds, "terrain": {"mu": mu}}
    if options is not None:
        law = "hunt_crossley + elasto_plastic"
        said["plant"] = {"contact": {"law": law, "mujoco": options}}
    world = FloatingWorld(
        humanoid, FloatingScenarioConfig.from_mapping(said), plant=MujocoPlant
    )
    hold = Standing(humanoid)
    push = np.array([0.0, force * humanoid.weight, 0.0, 0.0, 0.0, 0.0])
    while not world.ended:
        world.advance(hold(world.read()), push)
    return humanoid, world.log.trim()


@pytest.mark.compiled
def test_on_mujocos_floor_the_soles_carry_the_weight_and_the_push():
    humanoid, log = standing_in_mujoco(0.5, 0.03)
    late = log.time > 0.5
    assert log.wrench[late, :, 2].sum(axis=1).mean() == pytest.approx(
        humanoid.weight, rel=0.02
    )
    assert -log.wrench[late, :, 1].sum(axis=1).mean() == pytest.approx(
        0.03 * humanoid.weight, rel=0.25
    )
    assert np.abs(np.ptp(log.sole_position[:, :, 1], axis=0)).max() < 2e-3


def creep_of(log):
    """Way of the left sole [m] along the push, once it stands."""
    late = log.time > 0.3
    return float(np.ptp(log.sole_position[late, 0, 1]))


@pytest.mark.compiled
def test_friction_of_a_shorter_time_constant_creeps_less_and_carries_the_same():
    humanoid, soft = standing_in_mujoco(0.5, 0.03)
    stiff_options = {"friction_time_constant": 0.002, "impratio": 10.0}
    _, stiff = standing_in_mujoco(0.5, 0.03, options=stiff_options)
    # a loaded constraint creeps at its time constant over impratio: at a hundredth
    assert creep_of(stiff) < 0.03 * creep_of(soft)
    for log in (soft, stiff):
        late = log.time > 0.5
        carried = log.wrench[late, :, 2].sum(axis=1).mean()
        assert carried == pytest.approx(humanoid.weight, rel=0.02)


@pytest.mark.compiled
def test_options_of_mujoco_are_its_own_defaults_where_a_scenario_names_none():
    _, named = standing_in_mujoco(0.5, 0.03, 0.1, {"friction_time_constant": 0.02})
    _, default = standing_in_mujoco(0.5, 0.03, 0.1)
    np.testing.assert_array_equal(named.q, default.q)


def test_joints_rub_in_mujoco_as_their_description_says():
    humanoid = load_humanoid("talos")
    plant = MujocoPlant(
        humanoid, TerrainConfig(), FloatingPlantConfig(), compiled=False
    )
    twin = plant._twin
    found = twin.model.dof_frictionloss[twin.vs]
    assert found.max() == 1.0
    np.testing.assert_array_equal(found, humanoid.model.friction[6:])


@pytest.mark.compiled
def test_on_mujocos_floor_a_sole_slides_at_the_terrains_friction():
    _, log = standing_in_mujoco(0.02, 0.06)
    late = log.time > 0.3
    assert np.nanmedian(log.ratio[late]) == pytest.approx(0.02, rel=0.05)
    assert np.ptp(log.sole_position[:, :, 1], axis=0).min() > 5e-3
    # left is left
    assert np.all(log.sole_position[late, 0, 1] > log.sole_position[late, 1, 1])
