# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""`import biped_slip`: what it offers, how little it needs, and an estimator on
somebody's own arrays."""

import ast
import dataclasses
import inspect
import re
import subprocess
import sys
from pathlib import Path

import api_page
import numpy as np
import pytest

import biped_slip as bs

ROOT = Path(__file__).parents[1]
WITHOUT_MODELS = """
import sys

class Absent:
    names = {"pinocchio", "casadi", "rclpy", "mujoco", "quantecon", "matplotlib"}
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
import numpy as np
import biped_slip as bs

law = bs.contact_law("hunt_crossley + dahl")
assert law.friction.steady_ratio(0.1, 0.5) > 0.0
t = np.arange(0.0, 0.5, 1e-3)
columns = {"time": t, "force_x": -100.0 * t, "force_normal": np.full(500, 700.0), "displacement_x": 1e-5 * t}
for name in bs.estimator_names():
    assert len(bs.estimate_friction(columns, name)) == 500, name
rows = np.column_stack([t, np.full(500, 700.0), 100.0 * t])
np.savetxt(sys.argv[1] + "/pull.csv", rows, delimiter=",", header="t,load,pull", comments="")
answer = bs.replay_file(sys.argv[1] + "/pull.csv", sys.argv[1] + "/pull.yaml")
assert len(answer.contacts) == 1
print(len(answer.feet[0].series.stamp_ns))
"""
LAYOUT = """
layouts:
  - feet:
      - time: {column: t, unit: s}
        normal: {column: load, unit: N}
        force_x: {column: pull, unit: N, sign: -1}
"""


def pulled(mu=0.4, load=700.0, seed=0):
    """A foot that is dragged until it slides from 1.3 s on, in the air before 0.5 s and
    after 2.5 s."""
    rng = np.random.default_rng(seed)
    time = np.arange(0.0, 3.0, 1e-3)
    normal = np.where((time > 0.5) & (time < 2.5), load, 0.0)
    drag = np.clip(mu * load * (time - 0.6) / 0.7, 0.0, mu * load) * (normal > 0.0)
    moved = -1e-4 * np.log1p(
        -np.minimum(drag / (mu * load), 0.999)
    ) + 0.05 * np.maximum(time - 1.35, 0.0)
    return {
        "time": time,
        "force_x": -drag + rng.normal(0.0, 1.0, len(time)),
        "force_normal": normal,
        "displacement_x": moved + rng.normal(0.0, 1e-6, len(time)),
    }


def test_every_name_is_there_and_in_all():
    assert sorted(bs._PLACES) == sorted(bs.__all__)
    for name in bs.__all__:
        assert getattr(bs, name).__doc__, name


def test_no_name_is_that_of_a_folder_which_would_take_its_place_once_imported():
    folders = {path.parent.name for path in (ROOT / "biped_slip").glob("*/__init__.py")}
    modules = {path.stem for path in (ROOT / "biped_slip").glob("*.py")}
    assert not set(bs.__all__) & (folders | modules)


def test_type_checkers_see_the_same_names_in_the_same_modules():
    tree = ast.parse((ROOT / "biped_slip/__init__.py").read_text(encoding="utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {alias.name: node.module for node in block.body for alias in node.names}
    assert seen == {name: f"biped_slip.{module}" for name, module in bs._PLACES.items()}


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'estimate'"):
        bs.estimate  # noqa: B018


def test_importing_the_package_loads_nothing_of_weight():
    code = (
        "import sys, biped_slip; print(*sorted({'numpy', 'numba', 'scipy', 'yaml'} "
        "& set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert done.stdout.split() == []


def test_laws_estimators_and_recordings_work_without_models_simulators_and_ros(
    tmp_path,
):
    (tmp_path / "pull.yaml").write_text(LAYOUT, encoding="utf-8")
    command = [sys.executable, "-c", WITHOUT_MODELS, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["500"]


@pytest.mark.parametrize(
    ("module", "outcome"),
    [
        ("simulation.planar.walk", "loaded"),
        (
            "walking.humanoid",
            "a humanoid's whole-body controller needs .* `pip install "
            "'.\\[humanoids\\]'` in the checkout brings it",
        ),
    ],
)
def test_without_its_solver_the_planar_biped_walks_and_humanoids_say_what_is_missing(
    module, outcome
):
    code = f"""
import sys
sys.modules["daqp"] = None
sys.path.insert(0, {str(ROOT)!r})
from biped_slip.errors import BipedSlipError
try:
    import biped_slip.{module}
    print("loaded")
except BipedSlipError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert re.search(outcome, done.stdout), done.stdout


def test_the_page_of_the_api_says_what_the_docstrings_say():
    assert sorted(
        name for names in api_page.SECTIONS.values() for name in names
    ) == sorted(bs.__all__)
    remedy = "write it anew: python test/api_page.py"
    assert (ROOT / "docs/api.md").read_text(encoding="utf-8") == api_page.text(), remedy


def test_an_estimator_on_arrays_finds_the_friction_that_they_were_made_with():
    table = bs.estimate_friction(pulled(mu=0.4))
    sliding = np.searchsorted(table["time"], 2.0)
    assert table["mu"][sliding] == pytest.approx(0.4, rel=0.02)
    assert table["slipping"][sliding]
    assert len(table) == 3000
    assert [round(contact.start, 2) for contact in table.contacts] == [0.5]


def test_the_table_does_not_depend_on_where_time_begins():
    columns = pulled()
    later = {**columns, "time": columns["time"] + 100.0}
    np.testing.assert_allclose(
        bs.estimate_friction(later)["mu"],
        bs.estimate_friction(columns)["mu"],
        rtol=1e-6,
    )


@pytest.mark.parametrize("wrong", ["force_x", "displacement_x"])
def test_force_and_motion_of_one_sign_are_named_in_one_sentence(wrong):
    columns = pulled()
    columns[wrong] = -columns[wrong]
    with pytest.raises(
        bs.BipedSlipError,
        match=r"have one sign: friction would give the foot .* change the sign",
    ):
        bs.estimate_friction(columns)


def test_both_signs_turned_are_the_same_foot_dragged_backward():
    columns = pulled()
    turned = {
        **columns,
        "force_x": -columns["force_x"],
        "displacement_x": -columns["displacement_x"],
    }
    table = bs.estimate_friction(columns)
    backward = bs.estimate_friction(turned)
    np.testing.assert_allclose(backward["mu_low"], table["mu_low"], rtol=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_a_foot_that_stands_still_in_noise_has_no_wrong_sign(seed):
    columns = pulled(seed=seed)
    rng = np.random.default_rng(seed)
    columns["force_x"] = rng.normal(0.0, 1.0, 3000)
    columns["displacement_x"] = rng.normal(0.0, 1e-5, 3000)
    assert bs.foot_series(columns).motion.source == "differenced"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"force_z": np.zeros(3000)},
            "unknown column 'force_z'; known: .*force_normal",
        ),
        (
            {"force_x": np.zeros(2999)},
            r"force_x is 'array of shape \(2999,\)', but must be one number a sample",
        ),
        (
            {"time": np.zeros(3000)},
            r"time\[1\] is 0.0, but must be later than the sample before",
        ),
    ],
)
def test_columns_that_cannot_be_used_are_refused_in_a_sentence(change, sentence):
    with pytest.raises(bs.BipedSlipError, match=sentence):
        bs.estimate_friction({**pulled(), **change})


def test_what_is_missing_is_named():
    with pytest.raises(bs.BipedSlipError, match="missing: force_normal"):
        bs.estimate_friction({"time": np.arange(3.0), "force_x": np.zeros(3)})


def test_a_data_frame_comes_out_where_pandas_is_installed_and_a_sentence_where_not(
    monkeypatch,
):
    table = bs.estimate_friction(pulled(), "slip")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(bs.BipedSlipError, match=r"pip install '.\[pandas\]'"):
        table.to_pandas()
    monkeypatch.undo()
    pandas = pytest.importorskip("pandas")
    frame = table.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == list(table.names)


def described(thing):
    """Fields of a record, or arguments of a function, with its docstring."""
    words = inspect.getdoc(thing) or ""
    if not inspect.isclass(thing):
        names = set(inspect.signature(thing).parameters) - {"self", "cls"}
        return names, words
    if dataclasses.is_dataclass(thing):
        return {field.name for field in dataclasses.fields(thing)}, words
    return set(getattr(thing, "_fields", ())), words


def public_things():
    """Every public function and class by its name, with the methods of each class."""
    for name in bs.__all__:
        thing = getattr(bs, name)
        if callable(thing):
            yield name, thing
        for own, value in vars(thing).items() if inspect.isclass(thing) else ():
            function = getattr(value, "__func__", getattr(value, "fget", value))
            if inspect.isfunction(function) and not own.startswith("_"):
                yield f"{name}.{own}", function


def test_every_field_and_argument_that_people_pass_or_get_is_described():
    """By its name with a colon, or in running words as code."""
    missing = {}
    for name, thing in public_things():
        fields, words = described(thing)
        lost = [one for one in fields if not re.search(rf"\b{one}:|``{one}``", words)]
        if lost or not words:
            missing[name] = sorted(lost)
    assert missing == {}


def test_a_configuration_says_unit_range_and_source_of_each_of_its_fields():
    words = inspect.getdoc(bs.Processing)
    assert "velocity_window: " in words
    assert re.search(r"force_noise: .*\[N\]; finite and >= 0.*; \w+", words)
    floor = inspect.getdoc(bs.FloorConfig)
    assert "slope: incline of the floor along x, positive uphill; [rad]; " in floor
