# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Robots that differ from their models: masses, motors, friction, and the sets of
sensors that name them."""

import dataclasses
import re

import numpy as np
import pinocchio as pin
import pytest

from biped_slip.constants import GRAVITY
from biped_slip.contact.ground import GroundConfig
from biped_slip.errors import InvalidParameter, UnknownName
from biped_slip.robots.gears import Gears
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.robots.sensor_config import (
    UnmodelledConfig,
    with_sensor_set,
)
from biped_slip.shared_files import shared_file
from biped_slip.simulation.humanoid.plant import FloatingPlant, FloatingPlantConfig
from biped_slip.simulation.humanoid.scenario import chosen_walk
from biped_slip.simulation.humanoid.terrain import TerrainConfig
from biped_slip.simulation.humanoid.walk import HumanoidTrack
from biped_slip.simulation.planar.plant import Plant, PlantConfig, drive, motors_of
from biped_slip.simulation.planar.scenario import chosen_scenario, start_state
from biped_slip.simulation.planar.walk import run_walk
from biped_slip.simulation.unmodelled import Anatomy, drawn_unmodelled
from biped_slip.walking.humanoid import chosen_walking, completed

NONE = np.zeros(4)


def draw(joints=4, seed=0, **sizes):
    efforts = np.full(joints, 60.0)
    speeds = np.full(joints, 30.0)
    gears = Gears(coulomb=0.02 * efforts, viscous=efforts / 500.0, load=0.0 * efforts)
    anatomy = Anatomy(efforts=efforts, speeds=speeds, gears=gears, bodies=joints + 1)
    return drawn_unmodelled(
        UnmodelledConfig(**sizes), anatomy, np.random.default_rng(seed)
    )


def test_draws_stay_within_their_sizes():
    draws = [
        draw(seed=seed, mass=0.05, centre=0.01, coulomb=0.02, viscous=0.01)
        for seed in range(100)
    ]
    masses = np.array([one.mass for one in draws])
    assert 0.95 <= masses.min() < 0.97
    assert 1.03 < masses.max() <= 1.05
    assert 0.009 < max(np.abs(one.centre).max() for one in draws) <= 0.01
    frictions = np.array([one.coulomb for one in draws])
    assert frictions.min() >= 0.6
    assert frictions.max() <= 1.2
    assert max(one.viscous.max() for one in draws) <= 0.01 * 60.0 / 30.0


GEARS = {
    "gear_friction": 1.0,
    "gear_spread": 0.5,
    "load": 0.1,
    "static": 1.4,
    "static_rate": 0.1,
    "bristle": 1e-3,
    "link_mass": 0.05,
    "link_centre": 5e-3,
}


@pytest.mark.parametrize(
    ("field", "low", "high"),
    [
        ("coulomb", 0.6, 1.8),  # half of 1.2 N m to thrice that
        ("viscous", 0.06, 0.18),
        ("load", 0.02, 0.1),
        ("static", 1.0, 1.4),
        ("static_rate", 0.02, 0.1),
        ("bristle", 1e-4, 1e-3),
        ("link_mass", -0.05, 0.05),
        ("link_centre", -5e-3, 5e-3),
    ],
)
def test_gears_and_links_are_drawn_evenly_within_their_ranges(field, low, high):
    values = np.ravel([getattr(draw(seed=seed, **GEARS), field) for seed in range(250)])
    share = (values - low) / (high - low)
    assert share.min() >= -1e-9
    assert share.max() <= 1.0 + 1e-9
    # a uniform distribution: mean 1/2 of sd 1/sqrt(12 n), four sd
    assert share.mean() == pytest.approx(0.5, abs=4.0 / np.sqrt(12.0 * share.size))
    assert np.quantile(share, 0.1) == pytest.approx(0.1, abs=0.05)
    assert np.quantile(share, 0.9) == pytest.approx(0.9, abs=0.05)


def test_gears_and_links_leave_all_other_draws_as_they_are():
    sizes = {"mass": 0.05, "centre": 0.01, "coulomb": 0.02, "viscous": 0.01}
    alone = draw(seed=3, **sizes)
    among = draw(seed=3, **sizes, **{**GEARS, "gear_friction": 0.0})
    for field in ("mass", "centre", "coulomb", "viscous"):
        np.testing.assert_array_equal(getattr(alone, field), getattr(among, field))


@pytest.mark.parametrize("sizes", [{"load": 0.1}, {"static": 1.4}])
def test_what_grows_with_coulomb_friction_is_refused_without_it(sizes):
    with pytest.raises(InvalidParameter, match=f"unmodelled.{next(iter(sizes))}.*gear"):
        UnmodelledConfig(**sizes)
    UnmodelledConfig(**sizes, gear_friction=1.0)
    UnmodelledConfig(**sizes, coulomb=0.01)


@pytest.mark.parametrize(
    "sizes",
    [
        {"coulomb": 0.01, "load": 0.1},
        {"coulomb": 0.01, "static": 1.4},
        {"bristle": 1e-3},
        {"link_mass": 0.05},
        {"link_centre": 5e-3},
    ],
)
def test_the_planar_biped_refuses_gears_and_links_by_name(sizes):
    plant = Plant(planar_biped(), GroundConfig(), PlantConfig())
    name = list(sizes)[-1]
    with pytest.raises(InvalidParameter, match=f"unmodelled.{name}.*planar biped"):
        plant.differ(draw(**sizes))


def heavier(humanoid, factor):
    """The same robot with all of its masses, moments and rotors larger by a factor,
    from its description."""
    number = r'="([-+.0-9eE]+)"'
    urdf = re.sub(
        f"<mass value{number}",
        lambda m: f'<mass value="{factor * float(m[1])!r}"',
        humanoid.urdf,
    )
    urdf = re.sub(
        f"(i[xyz][xyz]){number}", lambda m: f'{m[1]}="{factor * float(m[2])!r}"', urdf
    )
    config = dataclasses.replace(
        humanoid.config, armature=factor * humanoid.config.armature
    )
    return dataclasses.replace(humanoid, urdf=urdf, config=config)


def test_a_robot_told_to_be_heavier_moves_and_feels_as_one_described_so():
    bolt = load_humanoid("bolt")
    config = FloatingPlantConfig(weight_scaled=False, step_ns=50_000)
    both = (
        FloatingPlant(one, TerrainConfig(), config, compiled=False)
        for one in (bolt, heavier(bolt, 1.05))
    )
    told, described = both
    told.differ(draw(len(bolt.robot.joints))._replace(mass=1.05))
    assert described.humanoid.weight == pytest.approx(1.05 * bolt.weight)
    rng = np.random.default_rng(0)
    loads = []
    for plant in (told, described):
        plant.place(bolt.standing(height=-1e-3))
    for _ in range(20):
        torques = 0.05 * rng.normal(size=len(bolt.robot.joints))
        push = rng.normal(size=6)
        told.advance(torques, push)
        described.advance(torques, push)
        loads.append(told.observe().soles.normal.max())
    assert loads[0] > 1.0
    np.testing.assert_allclose(told.state.q, described.state.q, atol=1e-10)
    np.testing.assert_allclose(told.state.v, described.state.v, atol=1e-8)
    for ours, theirs in zip(
        *(plant.sensor_readings(plant.observe()) for plant in (told, described)),
        strict=True,
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=1e-8)


def test_mujoco_takes_the_same_differences():
    pytest.importorskip("mujoco")
    from biped_slip.simulation.humanoid.mujoco_plant import MujocoPlant

    g1 = load_humanoid("g1")
    joints = len(g1.robot.joints)
    told = draw(joints)._replace(mass=1.05, lag=5e-3, coulomb=np.full(joints, 0.1))
    plant = MujocoPlant(g1, TerrainConfig(), FloatingPlantConfig(), compiled=False)
    before = (
        plant._twin.model.body_mass.sum(),
        plant._twin.model.dof_frictionloss[plant._twin.vs].copy(),
    )
    plant.differ(told)
    assert plant._twin.model.body_mass.sum() == pytest.approx(1.05 * before[0])
    np.testing.assert_allclose(
        plant._twin.model.dof_frictionloss[plant._twin.vs], before[1] + 0.1
    )
    plant.place(g1.standing(height=0.1))
    for _ in range(4):
        plant.advance(np.full(joints, 0.2))
    np.testing.assert_allclose(
        plant.state.torque, 0.2 * (1.0 - np.exp(-4.0 / 5.0)), rtol=1e-9
    )


def test_weight_beside_the_centre_of_mass_turns_the_base():
    bolt = load_humanoid("bolt")
    plant = FloatingPlant(bolt, TerrainConfig(), FloatingPlantConfig(), compiled=False)
    centre = np.array([0.01, -0.004, 0.02])
    plant.differ(draw(len(bolt.robot.joints))._replace(mass=1.04, centre=centre))
    q = bolt.standing()
    q[3:7] = pin.Quaternion(pin.rpy.rpyToMatrix(0.2, -0.1, 0.7)).coeffs()
    plant.place(q)
    _, held = plant.acts(np.zeros(len(bolt.robot.joints)), np.arange(6.0))
    weight = np.array([0.0, 0.0, -1.04 * bolt.weight])
    wanted = np.cross(pin.Quaternion(q[3:7]).matrix() @ centre, weight)
    np.testing.assert_allclose(
        held, np.arange(6.0) + np.concatenate((np.zeros(3), wanted)), atol=1e-9
    )


def test_dead_time_is_a_number_of_ticks_in_both_plants():
    bolt = load_humanoid("bolt")
    rng = np.random.default_rng(0)
    plant = FloatingPlant(bolt, TerrainConfig(), FloatingPlantConfig(), compiled=False)
    plant.differ(draw(6, dead_time=3e-3))
    sent = rng.normal(size=(8, 6))
    acted = np.array([plant.acts(one, None)[0] for one in sent])
    np.testing.assert_array_equal(acted, np.concatenate((np.zeros((3, 6)), sent[:5])))
    motors, memory = motors_of(draw(dead_time=3e-3), 4, 1e-3)
    acted = np.array(
        [drive(2, one[:4].copy(), np.zeros(6), 0.0, motors, memory)[2:] for one in sent]
    )
    np.testing.assert_array_equal(
        acted, np.concatenate((np.zeros((3, 4)), sent[:5, :4]))
    )


def test_planar_motors_give_the_impulse_of_a_first_order_lag():
    motors, memory = motors_of(draw(motor_lag=5e-3), 4, 1e-3)
    command = np.array([1.0, -2.0, 3.0, 0.0])
    periods = 12
    given = [
        drive(3, command, np.zeros(7), 0.0, motors, memory)[3:] for _ in range(periods)
    ]
    np.testing.assert_allclose(
        memory.torque, command * (1.0 - np.exp(-periods / 5.0)), rtol=1e-12
    )
    # integral of the step response
    impulse = command * (periods * 1e-3 - 5e-3 * (1.0 - np.exp(-periods / 5.0)))
    np.testing.assert_allclose(1e-3 * np.sum(given, axis=0), impulse, rtol=1e-12)


def test_planar_joints_rub_against_their_motion():
    found = draw(coulomb=0.02, viscous=0.01)
    motors, memory = motors_of(found, 4, 1e-3)
    v = np.concatenate((np.zeros(2), [1.0, -1.0, 2.0, -2.0]))
    for _ in range(50):  # far beyond presliding
        given = drive(2, NONE, v, 0.0, motors, memory)[2:]
    np.testing.assert_allclose(
        given, -np.sign(v[2:]) * found.coulomb - found.viscous * v[2:], rtol=1e-9
    )


def test_a_planar_robot_that_is_its_model_gets_its_commands_and_its_push():
    motors, memory = motors_of(None, 4, 1e-3)
    np.testing.assert_array_equal(
        drive(2, np.arange(4.0), np.ones(6), 7.0, motors, memory),
        [7.0, 0.0, 0, 1, 2, 3],
    )


def test_momentum_of_a_heavier_planar_robot_changes_by_the_forces_on_it():
    robot = planar_biped()
    plant = Plant(robot, GroundConfig(mu=(0.8,), edges=()), PlantConfig())
    plant.differ(draw()._replace(mass=1.05))
    scenario = chosen_scenario("thesis")
    plant.place(*start_state(scenario, robot))
    plant.advance(np.array([1.0, -2.0, 0.5, 1.5]), 3.0)
    acceleration = plant.acceleration()
    contact = plant.contact()
    data = robot.model.createData()
    pin.centerOfMass(robot.model, data, plant.state.q, plant.state.v, acceleration)
    force = contact.force.sum(axis=0) + np.array([3.0, -1.05 * robot.mass * GRAVITY])
    assert contact.normal.min() > 1.0
    np.testing.assert_allclose(
        1.05 * robot.mass * data.acom[0][[0, 2]], force, rtol=1e-6
    )


def test_another_mass_is_refused_where_contact_solves_for_the_whole_robot():
    plant = Plant(
        planar_biped(), GroundConfig(), PlantConfig.from_mapping({"contact": "rengifo"})
    )
    with pytest.raises(
        InvalidParameter, match=r"unmodelled.mass.*rengifo.*law of points"
    ):
        plant.differ(draw()._replace(mass=1.05))


def test_a_set_of_sensors_takes_the_place_of_what_a_walk_says():
    said = {
        "sensors": "realistic",
        "speed": 0.2,
        "motion": {"source": "odometry", "horizon": 0.4},
    }
    found = with_sensor_set(said, "humanoid", "talos")
    assert found["motion"]["source"] == "both_feet"
    assert found["motion"]["horizon"] == 0.4
    assert found["speed"] == 0.2
    assert found["sensors"]["force_torque"]["errors"]["cross_talk"] == 0.02
    assert with_sensor_set({"speed": 0.2}, "humanoid") == {"speed": 0.2}
    with pytest.raises(UnknownName, match=r"perfect.*realistic"):
        with_sensor_set({"sensors": "perfect"}, "planar")


def test_a_set_of_sensors_may_be_a_file_and_speak_of_one_robot(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text(
        "humanoid: {motion: {source: foot_imu}}\nrobots: {g1: {motion: {source: "
        "both_feet}}}\n"
    )
    assert (
        with_sensor_set({"sensors": str(file)}, "humanoid", "g1")["motion"]["source"]
        == "both_feet"
    )
    assert (
        with_sensor_set({"sensors": str(file)}, "humanoid", "talos")["motion"]["source"]
        == "foot_imu"
    )
    file.write_text("humanoids: {}\n")
    with pytest.raises(UnknownName, match="humanoids"):
        with_sensor_set({"sensors": str(file)}, "humanoid")


def test_no_robot_with_realistic_sensors_sees_its_soles():
    for robot in ("talos", "surena3", "g1", "bolt"):
        walk = chosen_walk(robot, "realistic")
        assert walk.motion.source == "both_feet"
        # of all masses alike, or of each link by itself
        assert max(walk.unmodelled.mass, walk.unmodelled.link_mass) == 0.05
    assert chosen_walk("g1", "realistic").by_currents
    assert chosen_scenario("thesis", sensors="realistic").motion.source == "both_feet"


def test_a_walk_file_may_name_its_sensors_and_its_controller_knows(tmp_path):
    file = tmp_path / "walk.yaml"
    file.write_text("robot: talos\nsensors: realistic\n")
    assert chosen_walking(str(file)).motion.source == "both_feet"
    assert chosen_walk(str(file)).unmodelled.motor_lag == 5e-3


def test_g1_with_currents_rubs_as_its_vendor_says_give_or_take_a_half():
    g1 = load_humanoid("g1")
    plant = HumanoidTrack(chosen_walk("g1", "currents"), 1).plant
    own = np.array(g1.model.friction[6:])
    share = (plant.around.joints.coulomb - own) / g1.gears.coulomb
    assert share.min() >= 0.5
    assert share.max() <= 1.5
    assert np.ptp(share) > 0.7
    assert plant.around.links.mass.size == g1.model.njoints - 1


def test_every_walk_draws_its_own_robot():
    masses = [
        HumanoidTrack(chosen_walk("talos", "realistic"), seed).plant.around.mass
        for seed in (1, 1, 2)
    ]
    assert masses[0] == masses[1] != masses[2]


@pytest.mark.parametrize("seed", [1, 2])
def test_the_planar_biped_walks_with_realistic_sensors(seed):
    scenario = dataclasses.replace(
        chosen_scenario("thesis", seed=seed, sensors="realistic"), duration=6.0
    )
    summary = run_walk(scenario, "constant:0.3", seed).summary
    assert not summary.fell
    assert summary.distance > 2.3


def test_a_file_that_is_called_like_a_shipped_robot_is_another_robot(tmp_path):
    """What `realistic` says of G1 as it is sold is not said of somebody's g1.yaml."""
    text = shared_file("config/robots/g1.yaml").read_text(encoding="utf-8")
    for name in ("g1.yaml", "mine.yaml"):
        (tmp_path / name).write_text(text, encoding="utf-8")
    mine, called_alike = (
        completed({"robot": name, "sensors": "realistic"}, tmp_path)
        for name in ("mine.yaml", "g1.yaml")
    )
    assert called_alike["sensors"] == mine["sensors"]
    assert called_alike["unmodelled"] == mine["unmodelled"]
    shipped = completed({"robot": "g1", "sensors": "realistic"}, tmp_path)
    assert shipped["sensors"]["force_torque"]["present"] is False
    assert "present" not in mine["sensors"]["force_torque"]
