# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Feet of many points: Bruneau's tests, any laws at the points, uneven ground,
independent simulators."""

import math

import numpy as np
import pytest

from biped_slip.constants import GRAVITY
from biped_slip.contact.distributed_foot import SoleMovement, foot_wrench, sole_grid
from biped_slip.contact.free_body import FreeBodyConfig, simulate
from biped_slip.contact.ground import bumps, ground_under, slope, steps, terrain_of
from biped_slip.contact.point_contact import contact_law, fresh_memory
from biped_slip.errors import BipedSlipError, InvalidParameter, UnknownName

BOX = np.array([(x, y, -0.05) for x in (-0.12, 0.12) for y in (-0.05, 0.05)])
BODY = FreeBodyConfig(
    5.0,
    (
        5 / 3 * (0.05**2 + 0.05**2),
        5 / 3 * (0.12**2 + 0.05**2),
        5 / 3 * (0.12**2 + 0.05**2),
    ),
)


def wrench_at(
    law,
    points,
    memory,
    position,
    velocity=(0.0, 0.0, 0.0),
    spin=(0.0, 0.0, 0.0),
    ground=None,
    dt=1e-5,
):
    arrays = [np.array(item, dtype=float) for item in (position, velocity, spin)]
    terrain = slope(0.0, 0.6) if ground is None else ground
    motion = SoleMovement(np.eye(3), *arrays)
    return foot_wrench(law)(points, memory, memory, motion, terrain, law.packed, dt)


@pytest.mark.parametrize(
    "name", ["hunt_crossley + bliman_sorine", "khadiv", "linear + lugre", "bruneau"]
)
def test_a_flat_foot_shares_its_load_and_has_no_moment_about_its_middle(name):
    law = contact_law(name)
    points = sole_grid([(-0.1, -0.05), (0.1, -0.05), (0.1, 0.05), (-0.1, 0.05)], 6, 3)
    load = 15.0
    depth = law.normal.steady_penetration(load)
    wrench = wrench_at(law, points, fresh_memory(18), (0.0, 0.0, -depth))
    assert wrench.touching == 18
    np.testing.assert_allclose(
        wrench[:6], [0.0, 0.0, 18 * load, 0.0, 0.0, 0.0], atol=1e-9
    )


def test_the_moment_is_that_of_the_point_forces_about_the_origin():
    law = contact_law("hunt_crossley + bliman_sorine")
    points = np.array([(0.1, 0.02, -0.05)])
    wrench = wrench_at(
        law, points, fresh_memory(1), (0.0, 0.0, 0.049), (0.3, -0.1, 0.0), dt=1e-3
    )
    np.testing.assert_allclose(wrench[3:6], np.cross(points[0], wrench[:3]), atol=1e-12)
    assert wrench.force_x < 0.0 < wrench.force_y


@pytest.mark.compiled
def test_moving_the_scene_moves_nothing_else():
    law = contact_law("hunt_crossley + elasto_plastic")
    one = simulate(
        law,
        slope(0.0, 0.6),
        BOX,
        BODY,
        position=(0, 0, 0.06),
        velocity=(0.5, 0.1, 0),
        duration=0.2,
    )
    two = simulate(
        law,
        slope(0.0, 0.6),
        BOX,
        BODY,
        position=(7, -3, 0.06),
        velocity=(0.5, 0.1, 0),
        duration=0.2,
    )
    np.testing.assert_allclose(two.position - [7, -3, 0], one.position, atol=1e-10)


@pytest.mark.parametrize(
    ("points", "peak", "sink", "settled"),
    [(36, 32.7e3, 11.8e-3, 0.030), (18, 16.6e3, 22.2e-3, 0.050)],
)
@pytest.mark.compiled
def test_bruneaus_drop_has_the_measured_peak_sink_and_settling(
    points, peak, sink, settled
):
    sole = np.tile(
        sole_grid([(-0.1, -0.05), (0.1, -0.05), (0.1, 0.05), (-0.1, 0.05)], 6, 3),
        (points // 18, 1),
    )
    weight = 75.0 * GRAVITY
    body = FreeBodyConfig(75.0, rotates=False)
    motion = simulate(
        contact_law("bruneau"),
        slope(0.0, 0.4),
        sole,
        body,
        position=(0, 0, 0),
        velocity=(0, 0, -2.426),
        duration=0.1,
        dt=2e-6,
    )
    top = motion.normal.argmax()
    assert motion.normal[top] == pytest.approx(peak, rel=3e-3)
    assert -motion.position[:, 2].min() == pytest.approx(sink, rel=0.02)
    assert np.argmax(motion.normal[top:] < 1.1 * weight) * 2e-6 == pytest.approx(
        settled, rel=0.02
    )


@pytest.mark.compiled
def test_bruneaus_pull_slips_all_at_once_stays_above_the_dynamic_level_and_ends_without_force():
    sole = np.tile(
        sole_grid([(-0.1, -0.05), (0.1, -0.05), (0.1, 0.05), (-0.1, 0.05)], 6, 3),
        (2, 1),
    )
    weight = 75.0 * GRAVITY
    law = contact_law("bruneau")
    pull = np.array(
        [[0.05, 0, 0, 0], [0.2, weight, 0, 0], [0.41, 0, 0, 0], [0.7, 0, 0, 0]]
    )
    rest = law.normal.steady_penetration(weight / 36)
    body = FreeBodyConfig(75.0, rotates=False)
    motion = simulate(
        law,
        slope(0.0, 0.4),
        sole,
        body,
        position=(0, 0, -rest),
        pull=pull,
        duration=0.7,
        dt=1e-5,
    )
    ratio = motion.tangential / motion.normal
    start = np.argmax(ratio >= 0.7)
    stop = start + np.argmax(motion.velocity[start:, 0] <= 0.0)
    assert motion.time[start] == pytest.approx(0.157, abs=0.001)
    assert motion.time[stop] == pytest.approx(0.497, abs=0.002)
    assert motion.position[start, 0] == pytest.approx(0.79e-3, rel=0.02)
    slide = ratio[start + 1100 : stop - 200]
    assert 0.4 <= slide.min()
    assert slide.max() <= 0.43
    assert motion.tangential[-1] < 1e-3 * weight


@pytest.mark.compiled
def test_feet_rest_and_slide_like_the_same_box_in_mujoco():
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(
        """<mujoco><option timestep="0.0001" cone="elliptic" impratio="100"/><worldbody>
        <geom type="plane" size="10 10 1" friction="0.5 0 0"/>
        <body pos="0 0 0.15"><freejoint/><geom type="box" size="0.12 0.05 0.05" mass="5" friction="0.5 0 0"/></body>
        </worldbody></mujoco>"""
    )
    data = mujoco.MjData(model)
    data.qvel[0] = 1.5
    heights = []
    landed = None
    for k in range(8000):
        mujoco.mj_step(model, data)
        heights.append(data.qpos[2])
        if landed is None and data.qpos[2] <= 0.05:
            landed = (k + 1) * 1e-4
    law = contact_law(
        "hunt_crossley + elasto_plastic", {"normal": {"stiffness": 3e4, "damping": 3e4}}
    )
    ours = simulate(
        law,
        slope(0.0, 0.5),
        BOX,
        BODY,
        position=(0, 0, 0.15),
        velocity=(1.5, 0, 0),
        duration=0.8,
        dt=5e-5,
    )
    assert ours.time[np.argmax(ours.position[:, 2] <= 0.05)] == pytest.approx(
        landed, abs=1e-3
    )
    assert ours.position[-1, 2] == pytest.approx(data.qpos[2], abs=1e-3)
    assert abs(ours.velocity[-1, 0]) < 1e-3
    assert ours.position[-1, 0] == pytest.approx(data.qpos[0], rel=0.05)


@pytest.mark.parametrize("angle", [0.1, 0.3])
@pytest.mark.compiled
def test_a_box_on_a_slope_stays_below_the_friction_angle_and_accelerates_above_it(
    angle,
):
    law = contact_law("hunt_crossley + elasto_plastic")
    turn = np.array(
        [
            [math.cos(angle), 0, -math.sin(angle)],
            [0, 1, 0],
            [math.sin(angle), 0, math.cos(angle)],
        ]
    )
    start = turn @ [0.0, 0.0, 0.0499]
    motion = simulate(
        law,
        slope(angle, 0.2),
        BOX,
        BODY,
        position=tuple(start),
        rotation=turn,
        duration=1.0,
        dt=1e-4,
    )
    speed = motion.velocity @ turn[:, 0]
    expected = GRAVITY * max(math.sin(angle) - 0.2 * math.cos(angle), 0.0)
    assert (speed[5000] - speed[-1]) / 0.4999 == pytest.approx(
        expected, rel=1e-3, abs=1e-3
    )
    assert (-speed[-1] > 1.0) == (expected > 0.0)


def test_uneven_ground_is_met_along_its_local_normal():
    waves = bumps(0.02, 0.5, 0.7)
    for x, y in ((0.1, 0.2), (0.33, -0.4)):
        plane = ground_under(waves, x, y)
        assert plane.height == pytest.approx(
            0.005 * (2 - math.cos(4 * math.pi * x) - math.cos(4 * math.pi * y)),
            abs=2e-5,
        )
        slopes = 0.02 * math.pi * np.sin(4 * math.pi * np.array([x, y]))
        normal = np.array([-slopes[0], -slopes[1], 1.0]) / math.sqrt(
            1.0 + slopes @ slopes
        )
        np.testing.assert_allclose(plane[1:4], normal, atol=5e-3)
    assert ground_under(steps(0.1, 0.3, 0.5), 0.75, 0.0).height == pytest.approx(0.2)


def test_a_patch_of_ice_has_its_own_friction():
    floor = terrain_of(
        lambda x, y: 0.0 * x * y, lambda x, y: np.where(x < 1.0, 0.8, 0.1) + 0.0 * y
    )
    assert ground_under(floor, 0.5, 0.0).mu == 0.8
    assert ground_under(floor, 1.5, 0.0).mu == 0.1


def test_a_grid_fills_any_polygon_and_refuses_a_sole_without_area():
    triangle = sole_grid([(0.0, 0.0), (0.2, 0.0), (0.0, 0.1)], 5, 3)
    assert len(triangle) == 9
    assert np.all(triangle[:, 0] / 0.2 + triangle[:, 1] / 0.1 <= 1.0 + 1e-9)
    with pytest.raises(InvalidParameter, match="at least 3 corners"):
        sole_grid([(0.0, 0.0), (0.1, 0.0)], 3, 3)
    with pytest.raises(InvalidParameter, match="area"):
        sole_grid([(0.0, 0.0), (0.1, 0.0), (0.2, 0.0)], 3, 3)


def test_negative_friction_too_large_a_step_and_unknown_laws_are_refused_in_a_sentence():
    with pytest.raises(InvalidParameter, match=r"terrain.mu is -0.1, but must be >= 0"):
        slope(0.0, -0.1)
    with pytest.raises(
        InvalidParameter, match=r"dt is 0.01, but must be > 0 and <= .* s"
    ):
        simulate(
            contact_law("khadiv"),
            slope(0.0, 0.5),
            BOX,
            BODY,
            position=(0, 0, 1),
            duration=0.1,
            dt=0.01,
        )
    with pytest.raises(
        UnknownName, match=r"unknown friction law 'glue'; known: .*armstrong"
    ):
        contact_law("hertz + glue")
    with pytest.raises(BipedSlipError, match=r"contact\.normal\.mass"):
        contact_law("hertz + dahl", {"normal": {"mass": 3.0}})


@pytest.mark.compiled
def test_the_compiled_foot_equals_its_plain_python():
    law = contact_law("hunt_crossley + bliman_sorine")
    compiled = foot_wrench(law)
    if not hasattr(compiled, "py_func"):
        pytest.skip("compilation is off")
    rng = np.random.default_rng(5)
    points = sole_grid([(-0.1, -0.05), (0.1, -0.05), (0.1, 0.05), (-0.1, 0.05)], 4, 3)
    ground = bumps(0.004, 0.1, 0.5)
    one = fresh_memory(12)
    two = fresh_memory(12)
    for _ in range(5):
        motion = SoleMovement(
            rotation=np.eye(3),
            position=np.array([0.0, 0.0, 0.001]),
            velocity=rng.normal(0, 0.1, 3),
            angular_velocity=rng.normal(0, 0.1, 3),
        )
        a = compiled(points, one, one, motion, ground, law.packed, 1e-3)
        b = compiled.py_func(points, two, two, motion, ground, law.packed, 1e-3)
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(one, two, rtol=1e-12)
