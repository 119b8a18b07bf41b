# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Open policies: their robots are those of their MJCF, and they walk in both plants."""

import math

import numpy as np
import pinocchio as pin
import pytest

pytest.importorskip("mujoco", reason="the mujoco extra is not installed")
pytest.importorskip("onnxruntime", reason="the policies extra is not installed")

import mujoco

from biped_slip.comparison.policy_robot import urdf_of, write_robot
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation.humanoid.scenario import chosen_walk
from studies.policies import (
    POLICIES,
    PolicyJob,
    PolicyWalk,
    landings,
    playable,
    policy_table,
    walk_policy,
    write_walk,
)
from studies.policy_robots import policy_files

MJCF = """<mujoco><compiler angle="radian"/><worldbody>
<body name="base" pos="0 0 1"><freejoint/>
<inertial pos="0.1 0 0.2" mass="3" diaginertia="0.1 0.2 0.3" quat="0.9 0.1 0.2 0.3"/>
<body name="arm" pos="0 0.1 0.2" quat="0.8 0 0.6 0">
<inertial pos="0 0 -0.1" mass="2" diaginertia="0.02 0.02 0.01"/>
<joint name="shoulder" axis="0 1 0" range="-1 2"/>
<body name="hand" pos="0 0 -0.3"><inertial pos="0 0 0" mass="0.5"
 diaginertia="0.001 0.001 0.001"/></body></body></body></worldbody></mujoco>"""

WALK = PolicyWalk(
    job=PolicyJob("folder", "walker", "here", 0.4, 20.0, 0),
    problem="",
    fell=False,
    time=20.0,
    commanded=0.5,
    speed=0.4,
    landings=40,
)


@pytest.fixture
def folder(recordings):
    """Folder of the open policies; tests are skipped without it."""
    found = recordings / "policies"
    if not (found / "index.yaml").is_file():
        pytest.skip(f"no policies are at {found}")
    return found


def mass_matrices(model, urdf, q):
    """The mass matrix of joints, by MuJoCo and by Pinocchio, at a joint position."""
    data = mujoco.MjData(model)
    data.qpos[7:] = q
    mujoco.mj_forward(model, data)
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full)
    fixed = pin.buildModelFromXML(urdf)
    return full[6:, 6:], pin.crba(fixed, fixed.createData(), np.array(q))


def test_a_urdf_has_the_masses_and_inertias_of_its_mjcf():
    model = mujoco.MjModel.from_xml_string(MJCF)
    theirs, ours = mass_matrices(model, urdf_of(model, "made_up"), [0.4])
    np.testing.assert_allclose(ours, theirs, rtol=1e-9)


def test_every_open_robot_moves_as_its_mjcf_and_stands_on_its_soles(folder, tmp_path):
    for name in playable(folder):
        files = policy_files(folder, name)
        model = mujoco.MjModel.from_xml_path(str(files.mjcf))
        humanoid = load_humanoid(str(write_robot(files, tmp_path)))
        joints = [model.joint(joint) for joint in humanoid.robot.joints]
        at = [joint.qposadr[0] for joint in joints]
        dofs = [joint.dofadr[0] for joint in joints]
        data = mujoco.MjData(model)
        q = humanoid.standing()
        data.qpos[:3] = q[:3]
        data.qpos[at] = q[7:]
        mujoco.mj_forward(model, data)
        full = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, full)
        ours = humanoid.model
        matrix = pin.crba(ours, ours.createData(), q)
        # Pinocchio fills the upper half; rotors are on the diagonal of both
        upper = np.triu(matrix)[6:, 6:]
        np.testing.assert_allclose(
            upper, np.triu(full[np.ix_(dofs, dofs)]), rtol=1e-6, atol=1e-7
        )
        assert humanoid.robot.mass == pytest.approx(float(model.body_mass.sum()))
        np.testing.assert_allclose(ours.friction[6:], model.dof_frictionloss[dofs])


def test_a_walk_that_is_written_is_one_that_the_walk_command_takes(folder, tmp_path):
    files = policy_files(folder, "h1_unitree_rl_gym")
    walk = chosen_walk(str(write_walk(files, tmp_path, "mujoco", 0.4, 7.0)))
    assert walk.contact.law == "mujoco"
    assert walk.contact.mujoco.friction_time_constant == 0.002
    assert (walk.mu, walk.speed, walk.distance) == (0.4, 0.5, 7.0)
    assert walk.patch.length == 0.0


def test_a_landing_is_a_contact_after_some_time_in_the_air():
    normal = np.zeros((1000, 2))
    normal[:, 0] = 50.0
    normal[400:420, 0] = 0.0  # a rebound
    normal[600:700, 0] = 0.0
    normal[200:300, 1] = 50.0
    normal[500:510, 1] = 50.0
    assert landings(normal, 100.0, 1e-3) == 2


def test_a_row_has_falls_and_the_speed_of_the_walks_that_stayed_up():
    fallen = WALK._replace(
        job=WALK.job._replace(seed=1), fell=True, time=3.0, speed=math.nan
    )
    other = WALK._replace(job=WALK.job._replace(mu=1.0))
    row, second = policy_table([WALK, fallen, other])
    assert (row.runs, row.up, row.time, row.speed) == (2, 1, 3.0, 0.4)
    assert (second.mu, second.runs) == (1.0, 1)
    assert math.isnan(second.time)


def test_a_walk_in_the_file_is_found(folder, tmp_path):
    job = WALK.job._replace(folder=str(folder), policy="g1_playground")
    walk = WALK._replace(job=job)
    POLICIES.file(tmp_path / "policies.jsonl").add(walk)
    kept = POLICIES.file(tmp_path / "policies.jsonl")
    assert kept.find(job) == walk
    assert kept.find(job._replace(mu=0.1)) is None


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("policy", "plant"),
    [
        ("h1_unitree_rl_gym", "here"),  # a memory, one phase
        ("t1_booster_gym", "here"),  # clipped answers, torque limits of the layout
        ("h1_unitree_rl_gym", "mujoco"),
    ],
)
def test_an_open_policy_walks_on_a_good_floor(folder, policy, plant):
    job = PolicyJob(str(folder), policy, plant, 1.0, 5.0, 0)
    walk = walk_policy(job)
    assert not walk.fell
    assert not walk.problem
    assert walk.speed > 0.5 * walk.commanded
    assert walk.landings >= 6
