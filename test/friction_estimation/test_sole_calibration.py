# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest

from biped_slip.cli import main
from biped_slip.errors import BipedSlipError
from biped_slip.friction_estimation.interval.config import SoleModel
from biped_slip.friction_estimation.sole_calibration import (
    Pull,
    calibrate,
    fit_pull,
    load_factor,
    presliding,
)
from biped_slip.friction_laws.bristle_laws import SurfaceConfig
from biped_slip.friction_laws.law import FRESH
from biped_slip.recordings.pulls import COLUMNS
from synthetic.contacts import dahl, elements, parallel


def pull(
    mu=0.6,
    s_p=1e-3,
    shape=1.0,
    stiffness=math.inf,
    seed=0,
    seconds=1.0,
    load=300.0,
    sigma=2e-6,
    name="pull",
):
    """A force ramp from rest to 0.995 of the limit, then sliding, sampled at 1 kHz."""
    rng = np.random.default_rng(seed)
    rising = round(1000 * seconds)
    ratio = np.concatenate(
        [np.linspace(0.0, 0.995 * mu, rising), np.full(200, 0.99 * mu)]
    )
    moved = np.zeros((rising + 200, 2))
    dahl(np.column_stack([ratio, np.zeros_like(ratio)]), mu, s_p, shape, moved)
    x = moved[:, 0] + ratio * load / stiffness
    x[rising:] = x[rising - 1] + 0.05e-3 * np.arange(200)
    return Pull(
        name=name,
        time=1e-3 * np.arange(ratio.size),
        force=ratio * load + rng.normal(0.0, 0.5, ratio.size),
        normal=load + rng.normal(0.0, 0.5, ratio.size),
        displacement=x + 0.3 + rng.normal(0.0, sigma, ratio.size),
    )


def test_the_presliding_curve_is_continuous_in_the_shape():
    ratio = np.linspace(0.0, 0.5, 20)
    np.testing.assert_allclose(
        presliding(ratio, 0.6, 1.0), presliding(ratio, 0.6, 1.0 + 1e-5), rtol=1e-4
    )


@pytest.mark.parametrize(
    ("shape", "s_p", "mu"), [(1.0, 1e-3, 0.6), (0.8, 0.5e-3, 0.3), (1.4, 2e-3, 0.9)]
)
def test_one_pull_gives_back_its_sole(shape, s_p, mu):
    fit = fit_pull(pull(mu, s_p, shape))
    assert fit.mu == pytest.approx(mu, rel=0.03)
    assert fit.shape.value == pytest.approx(shape, abs=max(0.15, 3.0 * fit.shape.sd))
    assert math.exp(fit.log_s_p.value) == pytest.approx(s_p, rel=0.02)


def to_and_fro(masing, seed=0, mu=0.6, s_p=1e-3, load=300.0, sigma=2e-6):
    """A pull to 0.99 of the limit and back to -0.5 of it."""
    rng = np.random.default_rng(seed)
    ratio = mu * np.concatenate(
        [np.linspace(0.0, 0.99, 800), np.linspace(0.99, -0.5, 800)]
    )
    course = np.column_stack([ratio, 0.0 * ratio])
    moved = np.zeros((1600, 2))
    if masing:
        parallel(course / mu, np.full(1600, s_p / 3.0), *elements("iwan"), moved)
    else:
        dahl(course, mu, s_p, 1.0, moved)
    noise = rng.normal(0.0, 1.0, (3, 1600))
    force = ratio * load + 0.5 * noise[0]
    normal = load + 0.5 * noise[1]
    return Pull(
        name="to and fro",
        time=1e-3 * np.arange(1600),
        force=force,
        normal=normal,
        displacement=moved[:, 0] + sigma * noise[2],
    )


@pytest.mark.parametrize("masing", [False, True])
def test_the_way_back_of_a_pull_shows_whether_the_sole_remembers_reversals(masing):
    found = calibrate([to_and_fro(masing, seed) for seed in range(5)])
    assert found.sole.masing == pytest.approx(0.95 if masing else 0.05)
    assert ("Masing's, it remembers" in found.rule) == masing


def there_and_back(
    cross_talk, seed=0, mu=0.6, s_p=1e-3, load=300.0, sigma=2e-6, back=200
):
    """Pulled until it slides for 10 mm, then pushed back until it does so for ``back``
    samples of 0.05 mm."""
    rng = np.random.default_rng(seed)
    limit = 0.995 * mu
    ratio = np.concatenate(
        [np.linspace(0.0, limit, 800), np.linspace(limit, -limit, 800)]
    )
    moved = np.zeros((1600, 2))
    dahl(np.column_stack([ratio, 0.0 * ratio]), mu, s_p, 1.0, moved)
    slide = 0.05e-3 * np.arange(1, 201)
    push = 0.05e-3 * np.arange(1, back + 1)
    x = np.concatenate(
        [moved[:800, 0], moved[799, 0] + slide, moved[800:, 0] + slide[-1]]
    )
    x = np.concatenate([x, x[-1] - push])
    ratio = np.concatenate(
        [ratio[:800], np.full(200, limit), ratio[800:], np.full(back, -limit)]
    )
    noise = rng.normal(0.0, 1.0, (3, x.size))
    force = (ratio + cross_talk) * load + 0.5 * noise[0]
    normal = load + 0.5 * noise[1]
    return Pull(
        name="there and back",
        time=1e-3 * np.arange(x.size),
        force=force,
        normal=normal,
        displacement=x + sigma * noise[2],
    )


@pytest.mark.parametrize("cross_talk", [0.0, 0.02, -0.02])
def test_a_sole_that_slides_both_ways_shows_what_its_sensor_reads_of_the_normal_force(
    cross_talk,
):
    assert fit_pull(there_and_back(cross_talk)).lean == pytest.approx(
        cross_talk, abs=1e-3
    )
    said = [
        warning
        for warning in calibrate([there_and_back(cross_talk)]).warnings
        if "cross_talk" in warning
    ]
    assert len(said) == (cross_talk != 0.0)
    assert not said or "2.0% of the normal force" in said[0]


def test_a_sole_that_slides_one_way_says_nothing_of_its_sensor():
    assert math.isnan(fit_pull(pull()).lean)
    assert math.isnan(fit_pull(there_and_back(0.02, back=5)).lean)


def test_a_shape_that_five_surfaces_agree_on_is_beyond_doubt_unless_a_leg_gives_way_with_it():
    stiff = calibrate([pull(seed=k) for k in range(5)])
    assert stiff.sole.least_shape == 0.0
    assert "beyond doubt" in stiff.bend
    for doubtful in (
        calibrate([pull(seed=k) for k in range(4)]),
        calibrate([pull(seed=k, stiffness=2e5) for k in range(5)]),
    ):
        assert doubtful.sole.least_shape == SoleModel().least_shape
        assert "in doubt" in doubtful.bend


def test_a_pull_without_a_way_back_leaves_the_rule_unknown():
    found = calibrate([pull(seed=seed) for seed in range(5)])
    assert found.sole.masing == 0.5
    assert "unknown" in found.rule


def test_intervals_hold_the_truth_as_often_as_they_say():
    fits = [fit_pull(pull(seed=seed, shape=1.1)) for seed in range(40)]
    inside = [fit.shape.interval[0] <= 1.1 <= fit.shape.interval[1] for fit in fits]
    assert np.mean(inside) >= 0.85


def test_five_surfaces_give_a_sole_that_the_estimator_takes():
    pulls = [
        pull(mu, 1e-3, 1.0 + 0.1 * k, seed=k, name=f"surface {k}")
        for k, mu in enumerate((0.3, 0.45, 0.6, 0.8, 1.0))
    ]
    found = calibrate(pulls)
    assert found.sole.calibrated
    low = found.sole.shape * math.exp(-found.sole.shape_scatter)
    high = found.sole.shape * math.exp(found.sole.shape_scatter)
    assert low < 1.05
    assert high > 1.35
    assert found.sole.s_p == pytest.approx(1e-3, rel=0.05)
    assert found.sole.s_p_spread >= 0.5
    assert not found.warnings


def test_a_soft_leg_is_told_from_a_soft_sole():
    stiff = calibrate([pull(seed=k) for k in range(3)])
    soft = calibrate([pull(seed=k, stiffness=5e5) for k in range(3)])
    assert soft.compliance.value > stiff.compliance.value
    assert soft.compliance.interval[0] <= 2e-6 <= soft.compliance.interval[1] + 1e-6


def test_too_few_surfaces_and_shapes_out_of_scope_are_said_so():
    found = calibrate([pull(shape=0.5, s_p=2e-3)])
    assert any("surfaces" in warning for warning in found.warnings)
    assert any("0.75" in warning for warning in found.warnings)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda p: p._replace(force=np.sin(20.0 * p.time) * 100.0), "steadily"),
        (lambda p: p._replace(normal=p.normal * 0.0), "normal force"),
        (
            lambda p: p._replace(displacement=np.full_like(p.displacement, np.nan)),
            "finite",
        ),
        (lambda p: p._replace(time=p.time[::-1]), "time"),
        (
            lambda p: Pull(p.name, *(array[::60] for array in p[1:5])),
            "rise over|pull slower",
        ),
    ],
)
def test_recordings_that_show_no_pull_are_refused_with_a_remedy(change, words):
    with pytest.raises(BipedSlipError, match=words):
        fit_pull(change(pull()))


def test_nothing_to_calibrate_from_is_refused():
    with pytest.raises(BipedSlipError, match="no pull"):
        calibrate([])


def test_the_command_writes_a_sole_that_the_estimator_reads(tmp_path, capsys):
    paths = []
    for k in range(2):
        one = pull(0.4 + 0.2 * k, seed=k)
        path = tmp_path / f"pull{k}.csv"
        table = np.column_stack(one[1:5])
        np.savetxt(path, table, delimiter=",", header=",".join(COLUMNS), comments="")
        paths.append(str(path))
    output = tmp_path / "sole.yaml"
    assert main(["calibrate-sole", *paths, "--out", str(output)]) == 0
    sole = SoleModel.from_yaml(output)
    assert sole.calibrated
    assert sole.shape == pytest.approx(1.0, abs=0.02)
    assert "95 % intervals" in output.read_text()


def test_a_missing_column_is_named(tmp_path, capsys):
    path = tmp_path / "pull.csv"
    path.write_text("time,force\n0,1\n", encoding="utf-8")
    assert main(["calibrate-sole", str(path)]) == 2
    assert "displacement" in capsys.readouterr().err


def dragged(exponent, share, weight=900.0, mu=0.5, surface="tile"):
    """A drag of the simulator's sole under a share of the weight, from rest to slip at
    4 mm/s."""
    law = SurfaceConfig(load_exponent=exponent, reference_load=weight)
    memory = FRESH
    load = share * weight
    forces = []
    for _ in range(1500):
        for _ in range(10):
            memory, force, _ = SurfaceConfig.step(
                memory, 4e-3, 0.0, load, mu, law.packed, 1e-4
            )
        forces.append(abs(force))
    time = 1e-3 * np.arange(1, 1501)
    noise = np.random.default_rng(round(1e3 * share)).normal(0.0, 0.3, (2, 1500))
    return Pull(
        name=f"{surface}/{share}.csv",
        time=time,
        force=np.array(forces) + noise[0],
        normal=load + noise[1],
        displacement=4e-3 * time,
    )


@pytest.mark.parametrize("exponent", [0.0, 0.1])
def test_drags_at_5_to_50_percent_of_the_load_give_the_factor_that_certifies_rubber(
    exponent,
):
    fits = [fit_pull(dragged(exponent, share)) for share in (0.05, 0.1, 0.2, 0.5)]
    assert load_factor(fits) == pytest.approx(0.1**exponent, abs=0.03)
    assert load_factor(fits) <= 0.1**exponent + 1e-3
    others = [
        fit_pull(dragged(0.0, share, mu=0.3, surface=f"other{share}"))
        for share in (0.05, 0.5)
    ]
    assert math.isnan(load_factor(others))  # one load a surface tells nothing
