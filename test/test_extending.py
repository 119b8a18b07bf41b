# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Each example of docs/extending.md, plugged in from a file outside the package."""

import doctest
import math
import pickle
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from recordings.c3d_files import CORNERS, plates, two_steps, written

import biped_slip as bs
from biped_slip.cli import main
from biped_slip.compile.cache import KernelCache, keep
from biped_slip.friction_laws.law import FRESH
from biped_slip.gait_laboratory.study import study_trials
from biped_slip.plugins import FROM_FILE, named

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/extending.md").read_text(encoding="utf-8")
NOTHING = lambda *_: None  # noqa: E731 (a factory of nothing)
FOOT = {
    "time": np.arange(0.0, 0.5, 1e-3),
    "force_x": -400.0 * np.arange(0.0, 0.5, 1e-3),
    "force_normal": np.full(500, 700.0),
    "displacement_x": 1e-5 * np.arange(0.0, 0.5, 1e-3),
}


def example(heading):
    """The first piece of code below a heading of the page."""
    return re.search(rf"## {heading}\n.*?```\w+\n(.*?)```", PAGE, re.DOTALL).group(1)


@pytest.fixture
def file(tmp_path):
    """Writes an example beside nothing of the package, and answers where."""

    def write(name, heading):
        (tmp_path / name).write_text(example(heading), encoding="utf-8")
        return tmp_path / name

    return write


@pytest.fixture
def installed(tmp_path, monkeypatch, file):
    """Installs an example as a package with an entry point."""

    def install(group, name, heading, attribute):
        module = f"outside_{name}"
        file(f"{module}.py", heading)
        folder = tmp_path / f"{module}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n", encoding="utf-8"
        )
        (folder / "entry_points.txt").write_text(
            f"[{group}]\n{name} = {module}:{attribute}\n", encoding="utf-8"
        )
        monkeypatch.syspath_prepend(tmp_path)

    yield install
    for name in [name for name in sys.modules if name.startswith("outside_")]:
        del sys.modules[name]


def test_a_friction_law_joins_a_scenario_by_its_file(file):
    place = file("law.py", "A friction law")
    law = f"hunt_crossley + {place}:Smooth"
    said = {"contact": {"law": law, "friction": {"velocity": 1e-3}}}
    scenario = bs.ScenarioConfig.from_mapping(said)
    friction = scenario.plant.contact.friction
    assert friction.velocity == 1e-3
    _, force, _ = type(friction).step(
        FRESH, 1e-3, 0.0, 100.0, 0.5, friction.packed, 1e-4
    )
    assert force == pytest.approx(50.0 * math.tanh(1.0))
    assert bs.ScenarioConfig.from_mapping(scenario.to_mapping()) == scenario


def test_a_friction_law_from_a_file_reaches_child_processes(file):
    law = bs.contact_law(f"hertz + {file('law.py', 'A friction law')}:Smooth")
    code = (
        "import sys, pickle, biped_slip.plugins; "
        "print(pickle.load(sys.stdin.buffer).friction.velocity)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=pickle.dumps(law),
        capture_output=True,
        cwd=ROOT,
    )
    assert float(done.stdout) == 1e-2, done.stderr


def test_a_friction_law_is_listed_and_found_by_its_entry_point(installed):
    installed("biped_slip.friction_laws", "smooth", "A friction law", "Smooth")
    assert "smooth" in bs.friction_law_names()
    assert bs.contact_law("hertz + smooth").friction.steady_ratio(
        1.0, 0.5
    ) == pytest.approx(0.5)


def test_an_estimator_runs_on_arrays_by_its_file(file):
    table = bs.estimate_friction(FOOT, f"{file('held.py', 'An estimator')}:HeldRatio")
    noise = 3.0 * bs.EstimatorSettings().interval.force.sigma
    assert table["mu_demonstrated"][-1] == pytest.approx(
        (400.0 * 0.499 - noise) / 700.0
    )


def test_an_estimator_runs_in_a_replay_by_its_entry_point(installed, tmp_path):
    installed("biped_slip.estimators", "held", "An estimator", "HeldRatio")
    installed("biped_slip.recordings", "insole", "A recording format", "INSOLE")
    trial = tmp_path / "trial.txt"
    np.savetxt(trial, np.column_stack(list(FOOT.values())), header="insole")
    answer = bs.replay_file(trial, estimator="held")
    demonstrated = answer.feet[0].answers[
        -1, bs.FrictionEstimate._fields.index("mu_demonstrated")
    ]
    assert 0.98 < demonstrated / (400.0 * 0.499 / 700.0) < 1.0


def test_a_limit_holds_a_walk_to_its_share_of_what_is_known_by_its_file(file):
    scenario = bs.ScenarioConfig.from_mapping(
        {**bs.chosen_scenario("thesis").to_mapping(), "duration": 4.0}
    )
    walk = bs.run_walk(scenario, f"{file('careful.py', 'A limit')}:careful", seed=1)
    limits = walk.log["limit_left"]
    known = walk.log["estimates_left_usable"] > 0.0
    low = walk.log["estimates_left_mu_low"]
    assert known.any()
    assert not known.all()
    np.testing.assert_allclose(limits, 0.8 * np.where(known, low, 0.2))


def test_an_estimator_without_a_kernel_is_refused_by_the_planar_loop_in_a_sentence(
    file,
):
    policy = bs.slip_policy("none", bs.PolicySettings(bs.EstimatorSettings(), None))
    settings = bs.EstimatorSettings()
    policy = policy._replace(
        estimator=bs.make_estimator(
            f"{file('held.py', 'An estimator')}:HeldRatio", settings
        )
    )
    with pytest.raises(
        bs.BipedSlipError, match="estimator is 'HeldRatio', but must be compiled"
    ):
        bs.planar_controller(
            bs.PlanarWalkingConfig(), policy, bs.PlanarSite(bs.planar_biped("thesis"))
        )


def test_a_recording_format_is_read_by_its_file(file, tmp_path):
    kind = f"{file('insole.py', 'A recording format')}:INSOLE"
    trial = tmp_path / "trial.txt"
    np.savetxt(trial, np.column_stack(list(FOOT.values())), header="insole")
    (series,) = bs.read_recording(trial, kind=kind).series
    np.testing.assert_allclose(series.force[:, 0], FOOT["force_x"])


def test_a_robot_is_loaded_by_its_file(file):
    humanoid = bs.load_humanoid(str(file("romeo.yaml", "A robot")))
    assert humanoid.weight == pytest.approx(400.0, rel=0.1)


def test_a_controller_of_a_humanoid_takes_the_joints_by_its_file(file):
    name = f"{file('stand.py', 'A controller')}:Stand"
    walk = bs.HumanoidWalk(
        bs.chosen_walk("bolt"), "none", compiled=False, controller=name
    )
    for _ in range(3):
        output = walk.tick()
    assert type(output).__name__ == "Output"
    assert np.abs(output.torques).max() > 0.0
    assert walk.ticks == []


def test_a_controller_that_is_none_is_refused_in_a_sentence(file):
    policy = bs.slip_policy("none", bs.PolicySettings(bs.EstimatorSettings(), None))
    with pytest.raises(
        bs.BipedSlipError,
        match="must be a Controller; it has no speed_scale, moving, reserve",
    ):
        bs.humanoid_controller(
            bs.HumanoidWalkingConfig(), policy, f"{__file__}:NoController"
        )


@pytest.mark.parametrize(
    "name", [name for name in bs.__all__ if ">>>" in (getattr(bs, name).__doc__ or "")]
)
def test_examples_of_public_names_say_what_happens(name):
    finder = doctest.DocTestFinder(recurse=False)
    (example,) = finder.find(getattr(bs, name), name, globs={})
    assert doctest.DocTestRunner().run(example).failed == 0


def test_what_is_no_estimator_or_policy_is_refused_by_name():
    """A lambda makes neither."""
    with pytest.raises(
        bs.BipedSlipError,
        match=r"NOTHING.*a FrictionEstimator; it has no initial_state, step",
    ):
        bs.make_estimator(f"{__file__}:NOTHING", bs.EstimatorSettings())
    with pytest.raises(bs.BipedSlipError, match=r"NOTHING.*SlipPolicy"):
        bs.slip_policy(
            f"{__file__}:NOTHING", bs.PolicySettings(bs.EstimatorSettings(), None)
        )


class NoController:
    """Made like a controller, but none."""

    def __init__(self, config, policy):
        pass


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("glue", "unknown friction law 'glue'; known: .*FILE.py:NAME"),
        (
            "nowhere.py:Glue",
            "friction law nowhere.py:Glue: can't be loaded .*FileNotFoundError",
        ),
        (f"{__file__}:Glue", "unknown friction law in .* 'Glue'"),
        (f"{__file__}:NoController", "must be a class that derives from FrictionLaw"),
    ],
)
def test_a_name_that_leads_nowhere_is_refused_in_a_sentence(name, sentence):
    with pytest.raises(bs.BipedSlipError, match=sentence):
        bs.friction_law(name)


def test_a_file_is_imported_once(file):
    place = file("held.py", "An estimator")
    assert named("x", "none", {}, f"{place}:HeldRatio") is named(
        "x", "none", {}, f"{place}:HeldRatio"
    )


def test_code_compiled_for_a_file_that_has_moved_is_made_again_without_a_word(
    tmp_path, monkeypatch, caplog
):
    cache = KernelCache(test_a_file_is_imported_once, tmp_path, "sources")
    monkeypatch.setattr(cache, "_key", lambda sig, context: sig)
    keep(
        cache.path("its types"),
        f"c{FROM_FILE}{b'/gone/law.py'.hex()}\nSmooth\n.".encode(),
    )
    assert (
        cache.load_overload("its types", SimpleNamespace(refresh=lambda: None)) is None
    )
    assert not caplog.records


@pytest.mark.ros
def test_a_sensor_of_the_feet_is_a_line_in_the_table(monkeypatch):
    pytest.importorskip("rclpy")
    from geometry_msgs.msg import PointStamped
    from rclpy.serialization import serialize_message

    from biped_slip.estimation.readings import trial_readings
    from biped_slip.ros.messages import (
        FOOT_SENSORS,
        WORLD_FRAME,
        FootSensor,
        Frames,
        SerialisedSensors,
    )
    from biped_slip.ros.sensor_inputs import SensorInputs
    from synthetic.sensor_messages import SensorMessages

    marker = FootSensor(
        PointStamped, WORLD_FRAME, {"point": "foot_position_in_world"}, ("marker",)
    )
    monkeypatch.setitem(FOOT_SENSORS, "marker", marker)
    joints = ("a", "b")
    soles = ("l_sole", "r_sole")
    told = next(trial_readings(2))._replace(
        stamp_ns=5, foot_position_in_world=np.arange(6.0).reshape(2, 3)
    )
    messages = SensorMessages(joints, soles, Frames(), "marker").fill(told)
    sent = SerialisedSensors(joints, soles, Frames(), "marker").fill(told)
    inputs = SensorInputs(joints, soles, "marker")
    assert list(sent) == list(inputs.topics)
    assert {"l_foot/marker", "r_foot/marker"} < set(sent)
    for topic, one in inputs.topics.items():
        for raw in (serialize_message(messages[topic]), sent[topic]):
            assert one.open(raw) == 5
            one.keep()
    np.testing.assert_array_equal(
        inputs.readings(5).foot_position_in_world, told.foot_position_in_world
    )


class Limp:
    """A controller of the planar biped that lets its joints go."""

    speed_scale = 1.0
    moving = False
    reserve = None

    def __init__(self, config, policy, site):
        self.joints = len(site.robot.joints)

    def reset(self):
        """Remembers nothing."""

    def step(self, readings, estimates=None):
        """No torque at all."""
        return SimpleNamespace(
            torques=np.zeros(self.joints), estimates=(bs.NO_ESTIMATE, bs.NO_ESTIMATE)
        )


@pytest.mark.slow
def test_a_controller_of_the_planar_biped_takes_the_joints_by_its_file():
    said = {**bs.chosen_scenario("thesis").to_mapping(), "duration": 0.02}
    walk = bs.run_walk(
        bs.ScenarioConfig.from_mapping(said), "none", controller=f"{__file__}:Limp"
    )
    assert not walk.log.torques.any()
    assert np.isnan(walk.log.wanted_ratio).all()


@pytest.fixture
def plate_texts(tmp_path):
    """The same two steps as C3D and as the text of the page's second format, markers on
    the heels: moments about each plate's centre, and about the laboratory's origin."""
    wrenches = two_steps()
    centres = [CORNERS.mean(axis=0) - [0.0, 0.5 * k, 0.0] for k in range(2)]
    heels = np.tile(centres, (len(wrenches), 1, 1))
    points = np.concatenate([heels, np.zeros((len(heels), 2, 1))], axis=2)
    labels = {"LABELS": ["LHEE", "RHEE"]}
    c3d = written(
        tmp_path / "walk.c3d", wrenches, plates(2), points=points, POINT=labels
    )
    for k, centre in enumerate(centres):
        force = wrenches[:, 6 * k : 6 * k + 3]
        wrenches[:, 6 * k + 3 : 6 * k + 6] += np.cross(centre, force)
    text = tmp_path / "folder" / "walk.plates"
    text.parent.mkdir()
    rows = np.hstack([wrenches, 1e3 * heels.reshape(len(heels), -1)])
    np.savetxt(text, rows, header="plates")
    return c3d, text


def test_plates_of_a_format_of_ones_own_are_judged_as_those_of_a_c3d(file, plate_texts):
    c3d, text = plate_texts
    kind = f"{file('plates.py', 'Force plates')}:PLATES"
    ours = bs.read_recording(text, kind=kind)
    theirs = bs.read_recording(c3d)
    named = [
        [(one.stance, one.foot) for one in series.standings]
        for recording in (ours, theirs)
        for series in recording.series
    ]
    assert named[:2] == named[2:]
    assert [one[0][1] for one in named[:2]] == ["left", "right"]
    for one, other in zip(ours.series, theirs.series, strict=True):
        np.testing.assert_allclose(one.force, other.force, atol=1e-3)


def test_gait_trial_takes_a_format_by_its_file(file, plate_texts, capsys):
    kind = f"{file('plates.py', 'Force plates')}:PLATES"
    printed = []
    for words in ([str(plate_texts[1]), "--format", kind], [str(plate_texts[0])]):
        assert main(["gait", "trial", *words, "--mass", "70"]) == 0
        printed.append(re.findall(r"(?:left|right) .*", capsys.readouterr().out))
    assert printed[0] == printed[1]
    assert len(printed[0]) >= 2


def test_a_folder_is_searched_for_the_endings_of_installed_formats(
    installed, plate_texts
):
    folder = plate_texts[1].parent
    with pytest.raises(bs.BipedSlipError, match=r"no file of \.mcap, \.db3, .*\.c3d$"):
        study_trials(folder)
    installed("biped_slip.recordings", "plates", "Force plates", "PLATES")
    assert [one.path for one in study_trials(folder)] == [plate_texts[1]]


def test_markers_that_are_no_foots_by_their_names_are_named(plate_texts):
    c3d = bs.read_recording(plate_texts[0])
    assert not any("no marker" in one for one in c3d.series[0].provenance)
    plate = bs.Plate(
        "plate 1", np.arange(1900) * 1_000_000, *np.zeros((2, 1900, 3)), np.zeros(3)
    )
    plate.force[500:1200, 2] = 700.0
    markers = bs.Markers(("heel_l", "heel_r"), 1000.0, np.zeros((1900, 2, 3)))
    found = bs.plates_recording("walk.plates", [plate], markers)
    (note,) = (one for one in found.series[0].provenance if "no marker" in one)
    assert note.endswith("(LHEE, L_TOE, RANK ...): heel_l, heel_r")
