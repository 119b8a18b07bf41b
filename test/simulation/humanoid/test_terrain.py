# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Floors of humanoids: what a configuration makes, and what a robot does on it."""

import numpy as np
import pytest
from simulation.humanoid.standing import Standing, parts_of, stand

from biped_slip.contact.ground import ground_under
from biped_slip.control.whole_body.joint_hold import holding_torques
from biped_slip.errors import InvalidParameter
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation.humanoid.plant import FloatingPlant, FloatingPlantConfig
from biped_slip.simulation.humanoid.scenario import (
    FloatingScenarioConfig,
    HumanoidWalkConfig,
    drawn,
    track_scenario,
)
from biped_slip.simulation.humanoid.terrain import TerrainConfig
from biped_slip.simulation.humanoid.world import FloatingWorld


def test_patches_and_boxes_cover_what_was_there_before():
    config = TerrainConfig.from_mapping(
        {
            "mu": 0.8,
            "patches": [[1, 3, -1, 1, 0.25], [2, 3, -1, 1, 0.1]],
            "boxes": [[4, 5, -1, 1, 0.1]],
        }
    )
    terrain = config.terrain()
    assert [ground_under(terrain, x, 0.0).mu for x in (0.5, 1.5, 2.5, 3.5)] == [
        0.8,
        0.25,
        0.1,
        0.8,
    ]
    assert [ground_under(terrain, x, 0.0).height for x in (3.5, 4.5, 5.5)] == [
        0.0,
        0.1,
        0.0,
    ]
    assert ground_under(terrain, 1.5, 2.0).mu == 0.8
    assert config.largest_mu == 0.8


def test_spots_are_round_and_cover_patches():
    config = TerrainConfig.from_mapping(
        {
            "patches": [[1, 3, -1, 1, 0.25]],
            "spots": [[2.0, 0.1, 0.05, 0.1]],
            "cell": 0.005,
        }
    )
    terrain = config.terrain()
    angles = np.linspace(0.0, 2.0 * np.pi, 24)
    assert {
        ground_under(terrain, 2.0 + 0.045 * np.cos(a), 0.1 + 0.045 * np.sin(a)).mu
        for a in angles
    } == {0.1}
    assert {
        ground_under(terrain, 2.0 + 0.055 * np.cos(a), 0.1 + 0.055 * np.sin(a)).mu
        for a in angles
    } == {0.25}
    with pytest.raises(InvalidParameter, match="radius"):
        TerrainConfig.from_mapping({"spots": [[0.0, 0.0, 0.0, 0.1]]})


def test_the_seed_strews_spots_over_the_way():
    mapping = HumanoidWalkConfig().to_mapping()
    mapping["course"]["spots"] = [[5.0, 0.02, 0.1, 0.1], [1.0, 0.3, 0.5, 0.3]]
    config = HumanoidWalkConfig.from_mapping(mapping)
    draws = [drawn(config, seed) for seed in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2]
    small = [spot for spot in draws[0].spots if spot[3] == 0.1]
    assert abs(len(small) - 100) < 50  # five sigma of a Poisson number
    assert all(
        0.0 <= x <= 10.0 and abs(y) <= 1.0 and 0.02 <= radius <= 0.1
        for x, y, radius, _ in small
    )
    assert drawn(HumanoidWalkConfig(), 1)[:4] == draws[0][:4]
    assert track_scenario(config, draws[0]).terrain.spots == draws[0].spots


def test_a_slope_rises_as_it_says_far_from_its_origin():
    terrain = TerrainConfig(slope_x=0.1, slope_y=-0.05).terrain()
    ground = ground_under(terrain, 30.0, -20.0)
    assert ground.height == pytest.approx(30.0 * np.tan(0.1) + 20.0 * np.tan(0.05))
    assert ground.normal_x / ground.normal_z == pytest.approx(-np.tan(0.1))


def test_waves_have_their_height():
    terrain = TerrainConfig(bump_height=0.02, bump_spacing=0.4).terrain()
    heights = [ground_under(terrain, x, 0.0).height for x in np.linspace(0.0, 0.4, 81)]
    # half of it along one direction alone
    assert max(heights) == pytest.approx(0.01, abs=1e-4)
    assert min(heights) == pytest.approx(0.0, abs=1e-4)


@pytest.mark.parametrize(
    "wrong",
    [
        {"patches": [[1, 0, 0, 1, 0.5]]},
        {"boxes": [[0, 1, 0, 1]]},
        {"patches": [[0, 1, 0, 1, -0.1]]},
        {"extent": [1.0, 0.0, 0.0, 1.0]},
        {"mu": -1.0},
    ],
)
def test_what_is_no_floor_is_refused(wrong):
    with pytest.raises(InvalidParameter):
        TerrainConfig.from_mapping(wrong)


@pytest.mark.compiled
def test_a_push_moves_the_foot_on_ice_and_leaves_the_other():
    talos = load_humanoid("talos")
    scenario = FloatingScenarioConfig.from_mapping(
        {
            "duration": 0.4,
            "terrain": {
                "mu": 0.8,
                "patches": [[-1, 1, 0.0, 1, 0.02]],
                "extent": [-1, 1, -1, 1],
            },
            "pushes": {"each": [[0.1, 0.2, 0.0, 150.0, 0.0]]},
        }
    )
    log = stand(FloatingWorld(talos, scenario), Standing(talos))
    np.testing.assert_array_equal(log.mu[0], [0.02, 0.8])
    travel = np.linalg.norm(
        log.sole_position[-1, :, :2] - log.sole_position[0, :, :2], axis=1
    )
    assert travel[0] > 5e-3 > 5.0 * travel[1]
    assert np.nanmax(log.ratio[:, 0]) < 0.03


@pytest.mark.parametrize("law", ["khadiv", "bruneau"])
@pytest.mark.compiled
def test_a_robot_stands_on_other_contact_laws(law):
    talos = load_humanoid("talos")
    config = FloatingPlantConfig.from_mapping({"contact": law, "step_ns": 20_000})
    plant = FloatingPlant(talos, TerrainConfig(mu=0.7), config, compiled=False)
    share = 0.5 * talos.weight / plant.around.points.shape[1]
    plant.place(talos.standing(height=-plant.law.normal.steady_penetration(share)))
    torques = holding_torques(*parts_of(talos))
    for _ in range(10):
        plant.advance(torques)
    assert plant.observe().soles.wrench[:, 2].sum() == pytest.approx(
        talos.weight, rel=0.02
    )


def test_a_walk_names_its_floors_law_alone_or_with_parameters():
    rubber = {"law": "hunt_crossley + surface", "friction": {"load_exponent": 0.1}}
    laws = {
        "ElastoPlastic": {},
        "Iwan": {"contact": "hunt_crossley + iwan"},
        "Surface": {"contact": rubber},
    }
    for name, said in laws.items():
        config = HumanoidWalkConfig.from_mapping(
            HumanoidWalkConfig.from_mapping(said).to_mapping()
        )
        friction = track_scenario(config, drawn(config, 0)).plant.contact.friction
        assert type(friction).__name__ == f"{name}Config"
    assert friction.load_exponent == 0.1
