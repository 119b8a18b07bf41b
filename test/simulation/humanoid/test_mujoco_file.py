# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A humanoid in the world of its own MJCF, which stays what its author wrote."""

import numpy as np
import pytest
from described_biped import LEG, MASS, mjcf_biped
from simulation.humanoid.standing import Standing, stand

from biped_slip.constants import GRAVITY
from biped_slip.contact.spill import spill_of
from biped_slip.errors import BipedSlipError, InvalidParameter
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation.humanoid.mujoco_file import contact_of
from biped_slip.simulation.humanoid.mujoco_plant import MujocoPlant
from biped_slip.simulation.humanoid.scenario import (
    STIFF_FRICTION,
    FloatingScenarioConfig,
)
from biped_slip.simulation.humanoid.world import FloatingWorld

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed")

STIFF = STIFF_FRICTION
POSITIONS = "".join(
    f'<position joint="{side}_{row[0]}" kp="500"/>' for side in "lr" for row in LEG
)
ACTUATORS = "<actuator>" + "".join(
    f'<motor joint="{side}_{row[0]}" ctrlrange="-120 120"/>'
    for side in "lr"
    for row in LEG
)


def motors(more=""):
    return f"{ACTUATORS}{more}</actuator>"


def scene(folder, text=None, name="robot.xml", head=""):
    """Write an MJCF; ``head`` comes first in its world."""
    text = mjcf_biped(actuators=motors()) if text is None else text
    path = folder / name
    path.write_text(text.replace("<worldbody>", f"<worldbody>{head}"))
    return str(path)


def world_of(robot, file=None, mu=0.8, seconds=0.4, period=0.001, **options):
    scenario = FloatingScenarioConfig.from_mapping(
        {
            "duration": seconds,
            "terrain": {"mu": mu},
            "period": period,
            "plant": {
                "contact": {
                    "law": "hunt_crossley + elasto_plastic",
                    "mujoco": {
                        "file": file or robot,
                        **({} if "step" in options else {"step": 0.001}),
                        **options,
                    },
                }
            },
        }
    )
    return FloatingWorld(load_humanoid(robot), scenario, 0, False, MujocoPlant)


def pushed(world, share):
    """Let it hold its posture under a push forward of a share of its weight."""
    hold = Standing(world.humanoid)
    push = np.array([share * world.humanoid.weight, 0.0, 0.0, 0.0, 0.0, 0.0])
    while not world.ended:
        world.advance(hold(world.read()), push)
    return world.log.trim()


def test_it_stands_on_its_own_geoms_which_carry_its_weight(tmp_path):
    world = world_of(scene(tmp_path), **STIFF)
    log = stand(world, Standing(world.humanoid))
    late = log.time > 0.3
    assert log.wrench[late, :, 2].sum(axis=1).mean() == pytest.approx(
        MASS * GRAVITY, rel=0.01
    )
    assert np.abs(log.wrench[late, 0, 2] - log.wrench[late, 1, 2]).max() < 1.0
    assert np.ptp(log.q[late, :3], axis=0).max() < 2e-3
    assert any("no floor" in note for note in world.plant.notes)


def test_what_moves_before_the_robot_in_the_file_is_no_coordinate_of_it(tmp_path):
    plain = world_of(scene(tmp_path), **STIFF)
    thing = (
        '<body name="ball" pos="5 5 1"><freejoint/><geom type="sphere" size="0.1" '
        'mass="1" contype="0" conaffinity="0"/></body>'
    )
    beside = world_of(scene(tmp_path, name="beside.xml", head=thing), **STIFF)
    logs = [stand(world, Standing(world.humanoid)) for world in (plain, beside)]
    np.testing.assert_allclose(logs[0].q, logs[1].q, atol=1e-9)
    np.testing.assert_allclose(logs[0].wrench, logs[1].wrench, atol=1e-5)


FLOOR = '<geom name="ground" type="plane" size="5 5 1" friction="0.3 0.005 0.0001"/>'
SLIPPERY = 'friction="0.2 0.005 0.0001"'


@pytest.mark.parametrize("named", ["", 'name="sole"'])
def test_a_sole_slides_at_the_friction_of_the_walk_or_of_the_file(tmp_path, named):
    foot = (
        f'<geom {named} type="box" size="0.105 0.05 0.02" pos="0.025 0 -0.04" '
        f"{SLIPPERY}/>"
    )
    text = mjcf_biped(foot=foot, actuators=motors())
    if named:  # names must differ
        left, right = text.split("r_hip_yaw_link", 1)
        text = left + "r_hip_yaw_link" + right.replace('name="sole"', 'name="other"')
    robot = scene(tmp_path, text, head=FLOOR)
    by_walk = pushed(world_of(robot, mu=0.05, seconds=0.3, **STIFF), 0.15)
    by_file = pushed(world_of(robot, mu=0.05, seconds=0.3, floor="file", **STIFF), 0.15)
    late = by_walk.time > 0.15
    assert np.nanmedian(by_walk.ratio[late]) == pytest.approx(0.05, rel=0.03)
    np.testing.assert_array_equal(by_walk.mu, 0.05)
    # of both frictions the larger one counts
    np.testing.assert_array_equal(by_file.mu, 0.3)
    assert np.ptp(by_file.sole_position[:, :, 0]) < 0.01
    assert np.nanmax(by_file.ratio[late]) <= 0.3 + 1e-6


def test_a_spill_changes_the_friction_under_one_foot_of_the_file(tmp_path):
    world = world_of(scene(tmp_path), mu=0.8, seconds=0.3, **STIFF)
    world.spill(spill_of([-1.0, 1.0, 0.0, 1.0, 0.02]))
    log = pushed(world, 0.1)
    late = log.time > 0.1
    assert np.nanmax(log.ratio[late, 0]) <= 0.02 + 1e-6
    assert np.nanmax(log.ratio[late, 1]) > 0.1
    with pytest.raises(InvalidParameter, match="floor: walk"):
        world_of(scene(tmp_path), floor="file").spill(spill_of([-1.0, 1.0, 0.1]))


def test_soft_friction_is_named_with_its_key_and_creeps(tmp_path):
    robot = scene(tmp_path)
    soft = world_of(robot, mu=0.8, seconds=0.5)
    stiff = world_of(robot, mu=0.8, seconds=0.5, **STIFF)
    assert any("impratio: 100" in note for note in soft.plant.notes)
    assert not any("impratio" in note for note in stiff.plant.notes)
    ways = []
    for world in (soft, stiff):
        log = pushed(world, 0.05)
        ways.append(np.ptp(log.sole_position[log.time > 0.2, 0, 0]))
    assert ways[1] < 0.1 * ways[0]


def drawn_foot(mass, speed, friction_time_constant, impratio):
    """Draw a box as a foot over a floor of 0.8, pressed by 50 N; return the part of
    0.1 s for which it bears anything, and its friction over its load."""
    own = ""
    if friction_time_constant > 0.0:
        own = f'solreffriction="{friction_time_constant} 1"'
    model = mujoco.MjModel.from_xml_string(
        f'''<mujoco><option timestep="0.002" cone="elliptic" impratio="{impratio}"/>
        <worldbody><geom name="floor" type="plane" size="5 5 1"/>
        <body pos="0 0 0.0199"><freejoint/>
        <geom name="foot" type="box" size="0.1 0.03 0.02" mass="{mass}"/></body>
        </worldbody><contact><pair geom1="floor" geom2="foot" condim="3"
        friction="0.8 0.8 0.005 0.0001 0.0001" {own}/></contact></mujoco>'''
    )
    data = mujoco.MjData(model)
    force = np.empty(6)
    forces = np.zeros((50, 2))
    for row in forces:
        data.qvel[0] = speed
        data.qvel[3:] = 0.0
        data.xfrc_applied[1, 2] = mass * GRAVITY - 50.0
        mujoco.mj_step(model, data)
        for contact in range(data.ncon):
            mujoco.mj_contactForce(model, data, contact, force)
            row += force[0], np.hypot(force[1], force[2])
    normal, tangential = forces[15:].sum(axis=0)
    return float(np.mean(forces[:, 0] > 0.0)), float(tangential / normal)


LIGHT = 0.7  # [kg] with which G1's foot resists a slide of its landing, measured


def test_a_foot_that_slides_stays_on_a_floor_of_stiff_friction():
    """The one of ``--stiff-friction``: in the dual of MuJoCo's cone, which bounds
    velocities, friction that is to stop a foot at once lifts it instead."""
    bears, ratio = drawn_foot(LIGHT, 0.4, **STIFF_FRICTION)
    assert bears > 0.9
    assert ratio == pytest.approx(0.8, abs=0.01)
    assert drawn_foot(LIGHT, 0.4, friction_time_constant=0.002, impratio=10.0)[0] < 0.6


@pytest.mark.parametrize("impratio", [1.0, 100.0])
def test_a_slow_slide_feels_mass_by_speed_and_not_mu_as_the_file_has_it(impratio):
    """MuJoCo brakes it by 2 v / (impedance x time constant), whatever the ratio of
    impedances; half of the file's time constant brakes it twice as much."""
    braking = 2.0 / (0.95 * 0.02)  # [1/s]
    _, ratio = drawn_foot(LIGHT, 0.2, friction_time_constant=0.0, impratio=impratio)
    assert ratio == pytest.approx(LIGHT * braking * 0.2 / 50.0, rel=0.05)
    assert drawn_foot(LIGHT, 0.2, **STIFF_FRICTION)[1] == pytest.approx(
        2.0 * ratio, rel=0.05
    )


def test_actuators_of_the_file_do_nothing_and_that_is_said(tmp_path):
    bare = world_of(scene(tmp_path), seconds=0.1)
    driven = world_of(
        scene(tmp_path, mjcf_biped(actuators=motors(POSITIONS)), "driven.xml"),
        seconds=0.1,
    )
    limp = np.zeros(12)
    for world in (bare, driven):
        while not world.ended:
            world.advance(limp)
        assert any("actuators" in note for note in world.plant.notes)
    np.testing.assert_array_equal(bare.plant.state.q, driven.plant.state.q)


def random_geom(rng, spec, name, **options):
    solref = [rng.uniform(0.005, 0.05), rng.uniform(0.5, 2.0)]
    if rng.random() < 0.3:
        solref = [-rng.uniform(1e3, 1e4), -rng.uniform(10.0, 100.0)]
    low = rng.uniform(0.5, 0.9)
    return spec.worldbody.add_geom(
        name=name,
        condim=int(rng.choice([1, 3, 4, 6])),
        friction=rng.uniform(0.1, 1.0, 3),
        priority=int(rng.integers(0, 2)),
        solmix=float(rng.choice([0.0, 0.5, 2.0])),
        solref=solref,
        solimp=[low, rng.uniform(low, 0.99), 0.001, 0.5, 2.0],
        **options,
    )


@pytest.mark.parametrize("seed", range(12))
def test_two_geoms_say_of_their_contact_what_mujoco_makes_of_them(seed):
    rng = np.random.default_rng(seed)
    spec = mujoco.MjSpec()
    floor = random_geom(
        rng, spec, "floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1]
    )
    body = spec.worldbody.add_body(pos=[0, 0, 0.05])
    body.add_freejoint()
    ball = random_geom(
        rng, spec, "ball", type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.06, 0, 0]
    )
    said = contact_of(floor, ball)
    moving = body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_SPHERE,
        size=[0.06, 0, 0],
        condim=ball.condim,
        friction=ball.friction,
        priority=ball.priority,
        solmix=ball.solmix,
        solref=ball.solref,
        solimp=ball.solimp,
    )
    assert moving is not None
    spec.delete(ball)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    (found,) = data.contact
    assert found.dim == said.condim
    np.testing.assert_allclose(found.solref, said.solref)
    np.testing.assert_allclose(found.solimp, said.solimp)
    if said.condim > 1:
        np.testing.assert_allclose(found.friction[0], said.friction[0])


def test_a_joint_that_is_held_for_ever_stays_where_the_robot_holds_it(tmp_path):
    head = (
        '<body name="head" pos="0 0 0.3"><inertial pos="0.1 0 0.05" mass="2" '
        'diaginertia="0.02 0.02 0.02"/><joint name="head_pitch" axis="0 1 0" '
        'range="-60 60"/></body>'
    )
    text = mjcf_biped(actuators=motors('<motor joint="head_pitch"/>'))
    base = text.index('<body name="l_hip_yaw_link"')
    robot = scene(tmp_path, text[:base] + head + text[base:])
    assert "head_pitch" not in load_humanoid(robot).robot.joints
    world = world_of(robot, **STIFF)
    stand(world, Standing(world.humanoid))
    model = world.plant._twin.model
    held = world.plant._twin.data.qpos[model.joint("head_pitch").qposadr[0]]
    assert abs(held) < 0.02


def test_a_missing_mesh_is_left_out_with_a_note(tmp_path):
    text = mjcf_biped(actuators=motors()).replace(
        "<worldbody>", '<asset><mesh name="skin" file="skin.stl"/></asset><worldbody>'
    )
    at = text.index('<body name="l_hip_yaw_link"')
    seen = '<geom type="mesh" mesh="skin" contype="0" conaffinity="0" mass="0"/>'
    robot = scene(tmp_path, text[:at] + seen + text[at:])
    assert any("1 mesh" in note for note in world_of(robot).plant.notes)


def test_feet_that_touch_nothing_in_the_file_meet_the_floor_and_that_is_said(tmp_path):
    foot = (
        '<geom type="box" size="0.105 0.05 0.02" pos="0.025 0 -0.04" contype="0" '
        'conaffinity="0"/>'
    )
    world = world_of(scene(tmp_path, mjcf_biped(foot=foot, actuators=motors())))
    assert any("touch nothing" in note for note in world.plant.notes)
    log = stand(world, Standing(world.humanoid))
    assert log.wrench[-1, :, 2].sum() == pytest.approx(MASS * GRAVITY, rel=0.05)


def test_a_step_that_does_not_divide_the_period_is_one_sentence(tmp_path):
    text = mjcf_biped(actuators=motors()).replace(
        "<default>", '<option timestep="0.003"/><default>', 1
    )
    robot = scene(tmp_path, text)
    with pytest.raises(InvalidParameter, match="divisor of the control period of 1 ms"):
        world_of(robot, step=0.0)
    assert world_of(robot, period=0.003, step=0.0).plant.steps == 1
    assert world_of(robot, step=0.0005).plant.steps == 2


@pytest.mark.parametrize(
    ("option", "named"),
    [
        ('<option gravity="0 0 0.0001"/>', "gravity is (0.0, 0.0, 0.0001)"),
        ('<option gravity="0 -9.81 0"/>', "gravity is (0.0, -9.81, 0.0)"),
        ('<option gravity="0 0 -1.62"/>', "gravity is (0.0, 0.0, -1.62)"),
        ('<option><flag gravity="disable"/></option>', "<flag gravity> is 'disable'"),
        ('<option><flag contact="disable"/></option>', "<flag contact> is 'disable'"),
    ],
)
def test_a_scene_to_look_at_in_which_nothing_stands_is_refused_by_its_option(
    tmp_path, option, named
):
    """As the scene of a maker's robot that hangs without weight."""
    text = mjcf_biped(actuators=motors())
    robot = scene(tmp_path, text)
    seen = scene(tmp_path, text.replace("<worldbody>", f"{option}<worldbody>"), "s.xml")
    with pytest.raises(InvalidParameter) as caught:
        world_of(robot, seen)
    assert named in str(caught.value)
    assert "<option>" in str(caught.value)


def test_gravity_to_more_digits_is_the_same_gravity(tmp_path):
    text = mjcf_biped(actuators=motors())
    option = '<option gravity="0 0 -9.80665"/><worldbody>'
    fine = scene(tmp_path, text.replace("<worldbody>", option), "fine.xml")
    assert world_of(scene(tmp_path, text), fine).plant.steps == 1


def test_the_file_of_another_robot_is_refused_by_name(tmp_path):
    robot = scene(tmp_path)
    renamed = scene(
        tmp_path,
        mjcf_biped(actuators=motors()).replace("l_knee", "left_knee"),
        "renamed.xml",
    )
    with pytest.raises(BipedSlipError, match="no joint l_knee"):
        world_of(robot, renamed)
    longer = scene(
        tmp_path, mjcf_biped(actuators=motors()).replace("-0.35", "-0.4"), "longer.xml"
    )
    with pytest.raises(BipedSlipError, match=r"stands 50 mm from where"):
        world_of(robot, longer)
    fixed = scene(tmp_path, mjcf_biped(actuators=motors(), base=""), "fixed.xml")
    with pytest.raises(BipedSlipError, match="does not float"):
        world_of(robot, fixed)
    with pytest.raises(BipedSlipError, match="no such file"):
        world_of(robot, "nowhere.xml")
