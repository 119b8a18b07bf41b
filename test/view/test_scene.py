# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What is seen of walks: shapes, places, colours of what is certified, footprints."""

import itertools
import math

import numpy as np
import pinocchio as pin
import pytest
import yaml

from biped_slip.cli import main
from biped_slip.reports.figures import prevention
from biped_slip.reports.stances import stance_rows
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.robots.robot import SOLES
from biped_slip.simulation.planar.scenario import changed, chosen_scenario
from biped_slip.simulation.planar.walk import run_walk
from biped_slip.view.planar_source import PlanarSource
from biped_slip.view.scene import (
    SHORTEST_STREAK,
    FootNumbers,
    Footprint,
    FootprintTrail,
    KnownFriction,
    Scene,
    SceneInstant,
    known,
    landing_streak,
    loaded,
    pressure_points,
    slide_words,
    slides,
    streak,
    zero_moment_point,
)
from biped_slip.view.server import close_server, lanes, look_at, open_server
from biped_slip.view.shapes import Skeleton, level_points
from biped_slip.view.stage import Stage

pytest.importorskip("viser", reason="viser is not installed (extra view)")
trimesh = pytest.importorskip("trimesh", reason="trimesh is not installed (extra view)")


@pytest.fixture(scope="module")
def walk():
    scenario = chosen_scenario("thesis")
    return run_walk(
        scenario, "oracle"
    ), scenario  # who asks for much of the floor learns much of it


@pytest.fixture(scope="module")
def source(walk):
    return PlanarSource(walk[0].log, walk[1], "interval")


def in_world(places, parents):
    """Placements of all joints, one after the other from the root."""
    found = []
    for place, parent in zip(places, parents, strict=True):
        own = pin.SE3(pin.Quaternion(*place[3:]).toRotationMatrix(), place[:3])
        found.append(own if parent < 0 else found[parent] * own)
    return found


def test_joints_placed_in_their_parents_stand_where_pinocchio_says():
    model = load_humanoid("surena3").model
    q = pin.integrate(
        model, pin.neutral(model), np.random.default_rng(3).normal(size=model.nv)
    )
    skeleton = Skeleton(model)
    data = model.createData()
    pin.forwardKinematics(model, data, q)
    for joint, placement in enumerate(
        in_world(skeleton.places(q), skeleton.parents), start=1
    ):
        assert placement.isApprox(data.oMi[joint], 1e-9), skeleton.names[joint - 1]


@pytest.fixture(scope="module")
def fine():
    """The shapes of TALOS with all of their triangles."""
    from biped_slip.view import shapes
    from biped_slip.view.bodies import humanoid_shapes

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shapes, "FACES", 10**9)
        return humanoid_shapes(load_humanoid("talos"))


def test_a_described_robot_keeps_its_size_with_a_sixth_of_its_triangles(fine):
    from biped_slip.view.bodies import humanoid_shapes

    coarse = humanoid_shapes(load_humanoid("talos"))
    assert (
        sum(len(shape.faces) for shape in coarse)
        < 26000
        < 150000
        < sum(len(shape.faces) for shape in fine)
    )
    for one, other in zip(fine, coarse, strict=True):
        for corner in (np.min, np.max):
            assert corner(one.vertices, axis=0) == pytest.approx(
                corner(other.vertices, axis=0), abs=0.015
            )


def test_the_mirrored_leg_of_talos_is_drawn_mirrored(fine):
    names = list(load_humanoid("talos").model.names)[1:]
    shapes = {names[shape.joint]: shape for shape in fine}
    left = shapes["leg_left_4_joint"]
    right = shapes["leg_right_4_joint"]
    for corner in (np.min, np.max):
        assert corner(left.vertices * (1.0, -1.0, 1.0), axis=0) == pytest.approx(
            corner(right.vertices, axis=0), abs=1e-4
        )
    volumes = [
        trimesh.Trimesh(shape.vertices, shape.faces).volume for shape in (left, right)
    ]
    # faces look outwards on both sides
    assert volumes[1] == pytest.approx(volumes[0], rel=1e-3)
    assert volumes[0] > 0.0


MESH = (
    "<visual><geometry><mesh "
    'filename="package://mine/nowhere.dae"/></geometry></visual>'
)


def test_a_robot_whose_meshes_are_missing_is_drawn_as_rods_and_the_command_says_why(
    tmp_path, capsys
):
    from biped_slip.view.shapes import ROD, robot_shapes

    robot = planar_biped()
    shapes = robot_shapes(
        robot.model, robot.urdf.replace("</link>", f"{MESH}</link>", 1), (), SOLES, 1.3
    )
    assert shapes
    assert {shape.colour for shape in shapes} == {ROD}

    (tmp_path / "mine.urdf").write_text(
        load_humanoid("bolt").urdf.replace("</link>", f"{MESH}</link>", 1)
    )
    posture = dict(load_humanoid("bolt").config.posture)
    (tmp_path / "mine.yaml").write_text(
        yaml.safe_dump({"description": "mine.urdf", "posture": posture})
    )
    assert main(["robot", str(tmp_path / "mine.yaml"), "--no-trial"]) == 0
    assert "drawn as rods" in capsys.readouterr().out


def test_a_robot_without_visuals_is_drawn_as_rods_from_joint_to_joint():
    from biped_slip.view.bodies import humanoid_shapes

    humanoid = load_humanoid("surena3")
    shapes = {shape.joint: shape for shape in humanoid_shapes(humanoid)}
    model = humanoid.model
    for joint in range(2, model.njoints):
        drawn = shapes[model.parents[joint] - 1]
        end = model.jointPlacements[joint].translation
        assert np.min(np.linalg.norm(drawn.vertices - end, axis=1)) < 0.06, model.names[
            joint
        ]


def test_the_planar_biped_is_drawn_from_its_urdf():
    from biped_slip.view.shapes import robot_shapes

    robot = planar_biped()
    shapes = robot_shapes(robot.model, robot.urdf, (), SOLES, 1.3)
    thigh = next(
        shape for shape in shapes if robot.model.names[shape.joint + 1] == "l_hip"
    )
    assert np.ptp(thigh.vertices, axis=0) == pytest.approx([0.5, 0.06, 0.06], abs=2e-3)


def test_pressure_is_where_the_force_alone_makes_the_moment():
    rng = np.random.default_rng(1)
    origins = rng.normal(size=(2, 3))
    force = rng.normal((0.0, 0.0, 300.0), size=(2, 3))
    arms = np.column_stack([rng.normal(size=(2, 2)), np.zeros(2)])
    wrenches = np.column_stack([force, np.cross(arms, force)])
    assert pressure_points(wrenches, origins) == pytest.approx(origins + arms)


def test_the_zero_moment_point_lies_between_the_feet_by_their_loads():
    points = np.array([[0.0, 0.1, 0.0], [0.4, -0.1, 0.0]])
    assert zero_moment_point(np.array([300.0, 100.0]), points) == pytest.approx(
        [0.1, 0.05, 0.0]
    )
    assert np.isnan(zero_moment_point(np.zeros(2), points)).all()


def test_what_is_certified_is_nothing_a_bound_or_an_interval():
    assert known(math.nan, math.nan) == known(0.0, 0.5) == KnownFriction.UNKNOWN
    assert known(0.3, math.nan) == KnownFriction.AT_LEAST
    assert known(0.3, 0.45) == KnownFriction.INTERVAL


def test_drawn_soles_meet_the_drawn_legs(source):
    """Soles come from the log, legs from the joints: they must meet."""
    sole = planar_biped().model.frames[planar_biped().model.getFrameId("l_sole")]
    for i in (0, 3000, 9000):
        instant = source.instant(i)
        leg = (
            in_world(instant.places, source.scene.parents)[sole.parentJoint - 1]
            * sole.placement
        )
        assert leg.translation[[0, 2]] == pytest.approx(
            instant.soles[0][[0, 2]], abs=1e-6
        )


def test_forces_carry_the_robot_and_ratios_are_theirs(source):
    forces = np.array([source.instant(i).forces for i in range(2000, 9000, 7)])
    assert forces[:, :, 2].sum(axis=1).mean() == pytest.approx(
        source.scene.weight, rel=0.02
    )
    instant = source.instant(5000)
    carries = loaded(source.scene, instant)
    ratio = np.abs(instant.forces[:, 0]) / instant.forces[:, 2]
    assert instant.numbers.ratio[carries] == pytest.approx(ratio[carries])


def footprints_of(source):
    trail = FootprintTrail(source.scene)
    for i in range(0, len(source.times), 20):
        trail.add(source.instant(i))
    return trail


def test_a_footprint_is_left_where_a_foot_stood_and_says_the_most_that_was_certified(
    source, walk
):
    trail = footprints_of(source)
    stances = [
        contact
        for contact in walk[0].summary.contacts
        if contact.end < source.times[-1] - 0.1
    ]
    assert len(trail.prints) >= len(stances) > 5
    assert KnownFriction.INTERVAL in {footprint.known for footprint in trail.prints}
    assert all(
        b.since >= a.since for a, b in zip(trail.prints, trail.prints[1:], strict=False)
    )


def test_a_landing_that_slid_is_told_with_its_number_and_not_before_it_is_over():
    scenario = chosen_scenario("demo")
    log = run_walk(scenario, "touchdown").log
    source = PlanarSource(log, scenario, "touchdown")
    rows = [
        row
        for row in stance_rows(log)
        if row.known_after is not None and row.lift_off < log.time[-1]
    ]
    landings = source.instant(log.length - 1).landings
    assert len(landings) >= len(rows) > 5
    for landing in landings:
        assert -0.03 < landing.way[0] < -1e-4  # a foot lands sliding backward
        mu = 0.4 if landing.place[0] > scenario.ground.edges[0] else 1.0
        assert float(landing.words.split()[0]) == pytest.approx(mu, abs=0.03)
        corners = landing_streak(source.scene, landing)
        assert np.ptp(corners[:, 0]) == pytest.approx(
            max(10.0 * abs(landing.way[0]), SHORTEST_STREAK), rel=0.01
        )
    counts = [len(source.instant(i).landings) for i in range(0, log.length, 100)]
    assert counts == sorted(counts)
    assert counts[0] == 0


def test_a_careful_walk_leaves_footprints_of_what_was_held_at_least():
    scenario = chosen_scenario("thesis")
    source = PlanarSource(run_walk(scenario, "interval").log, scenario, "interval")
    assert KnownFriction.AT_LEAST in {
        footprint.known for footprint in footprints_of(source).prints
    }


def test_a_point_foot_is_level_however_its_leg_leans():
    leaning = np.array([[0.1, 0.2, 0.0, 0.8, 0.6, 0.0, 0.0]] * 2)
    poses = level_points(leaning, (np.zeros((1, 3)), np.zeros((4, 3))))
    assert poses[0].tolist() == [0.1, 0.2, 0.0, 1.0, 0.0, 0.0, 0.0]
    assert poses[1].tolist() == leaning[1].tolist()


def instants(way, weight=700.0):
    """One foot that lands, slides by a way [m] while it stands, rolls off by 5 cm more
    and lifts."""
    for k in range(40):
        share = np.clip((k - 10) / 15.0, 0.0, 1.0)
        load = 0.0 if k in (0, 39) else 0.04 * weight if k > 34 else weight
        x = 0.3 + way * share + (0.05 if k > 34 else 0.0) - (0.05 if k < 4 else 0.0)
        sole = np.array([[x, 0.1, 0.0, 1.0, 0.0, 0.0, 0.0]])
        force = np.array([[0.0, 0.0, load]])
        nothing = FootNumbers(*(np.full(1, np.nan) for _ in range(5)))
        yield SceneInstant(
            time=0.02 * k,
            places=np.empty((0, 7)),
            soles=sole,
            forces=force,
            pressure=sole[:, :3],
            numbers=nothing,
            centre=np.zeros(3),
            zmp=np.zeros(3),
            footholds=np.empty((0, 3)),
        )


@pytest.mark.parametrize(("way", "words"), [(0.11, "1 slide, 110 mm"), (0.004, "")])
def test_a_slide_is_marked_with_its_length_and_landing_and_roll_off_are_not(way, words):
    scene = Scene(
        name="one",
        joints=(),
        parents=(),
        shapes=(),
        soles=(np.zeros((4, 3)),),
        floor=(),
        weight=700.0,
        height=1.7,
    )
    trail = FootprintTrail(scene)
    for instant in instants(way):
        trail.add(instant)
    (footprint,) = trail.prints
    assert footprint.slide == pytest.approx(way)
    assert slide_words(slides(trail.prints)) == words
    assert slides(trail.prints, time=0.3) == []
    if words:
        assert np.ptp(
            streak(footprint.landed, footprint.before)[:, 0]
        ) == pytest.approx(way)


def test_slides_are_counted_added_up_and_the_longest_is_named():
    place = np.zeros(3)
    found = [
        Footprint(
            foot=0,
            pose=np.zeros(7),
            since=0.0,
            known=KnownFriction.UNKNOWN,
            touchdown=0.0,
            landed=place,
            before=place + np.array([way, 0.0, 0.0]),
        )
        for way in (0.03, 0.067, 0.02)
    ]
    assert slide_words(found) == "3 slides, 117 mm in all, 67 at most"


LETTER = (8.0, 18.0)  # [px] that a letter takes, with its line
FRAME = (1024.0, 380.0)  # [px] of a scene in the gallery
LEFT_OF = {"left": 0.0, "center": 0.5, "right": 1.0}
ABOVE_OF = {"top": 0.0, "center": 0.5, "bottom": 1.0}


def seen_boxes(server):
    """Left, top, right and bottom [px] of each label that is seen, by its words."""
    camera = server.initial_camera
    eye = np.array(camera.position)
    away = np.array(camera.look_at) - eye
    away = away / np.linalg.norm(away)
    right = np.cross(away, (0.0, 0.0, 1.0))
    right = right / np.linalg.norm(right)
    up = np.cross(right, away)
    scale = 0.5 * FRAME[1] / math.tan(0.5 * camera.fov)
    handles = server.scene._handle_from_node_name
    found = {}
    for name, handle in handles.items():
        if not hasattr(handle, "text") or not handle.visible or not handle.text:
            continue
        parts = name.split("/")
        above = ["/".join(parts[: k + 1]) for k in range(2, len(parts) - 1)]
        place = np.array(handle.position)
        for frame in (handles[one] for one in reversed(above) if one in handles):
            place = place + np.array(frame.position)  # frames of a stage turn nothing
        ray = place - eye
        if ray @ away < 0.1:
            continue
        x = 0.5 * FRAME[0] + scale * (ray @ right) / (ray @ away)
        y = 0.5 * FRAME[1] - scale * (ray @ up) / (ray @ away)
        over, _, beside = handle.anchor.partition("-")
        size = (LETTER[0] * len(handle.text), LETTER[1])
        left = x - LEFT_OF[beside] * size[0]
        top = y - ABOVE_OF[over] * size[1]
        if 0.0 < x < FRAME[0]:
            found[name] = np.array([left, top, left + size[0], top + size[1]])
    return found


def overlap(one, other):
    """The share of the smaller box that the other one hides."""
    wide = np.minimum(one[2:], other[2:]) - np.maximum(one[:2], other[:2])
    small = min(np.prod(one[2:] - one[:2]), np.prod(other[2:] - other[:2]))
    return float(np.prod(np.maximum(wide, 0.0)) / small)


def test_words_over_and_beside_two_robots_can_be_read_at_any_time():
    scenario = changed(chosen_scenario("demo"), {"duration": 9.0})
    sources = [
        PlanarSource(run_walk(scenario, limit).log, scenario, prevention(limit))
        for limit in ("none", "touchdown")
    ]
    server = open_server(port=8500)
    try:
        scenes = [one.scene for one in sources]
        ways = zip(scenes, lanes(scenes), strict=True)
        stages = [Stage(server, scene, aside, named=True) for scene, aside in ways]
        look_at(server, scenes)
        hidden = []
        shown = set()
        for time in np.arange(3.0, 9.0, 0.05):
            for source, stage in zip(sources, stages, strict=True):
                at = min(np.searchsorted(source.times, time), len(source.times) - 1)
                instant = source.instant(int(at))
                stage.remember(instant)
                stage.show(instant)
                stage.follow(instant.centre)
            boxes = seen_boxes(server)
            shown.update(boxes)
            hidden += [
                (round(float(time), 2), one, other, round(overlap(*pair), 2))
                for (one, other) in itertools.combinations(boxes, 2)
                if overlap(*(pair := (boxes[one], boxes[other]))) > 0.25
            ]
    finally:
        close_server(server)
    assert hidden == []
    assert any("/slides/" in name for name in shown)
    assert sum("/landings/" in name for name in shown) > 4
