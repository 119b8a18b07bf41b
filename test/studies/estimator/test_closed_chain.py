# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Double support seen by encoders: what the chain shows, what may be certified of it,
and that probing pays."""

import numpy as np
import pytest

from biped_slip.cli import main
from studies.__main__ import STUDIES
from studies.estimator import sensing
from studies.estimator.certificate import answers, judge
from studies.estimator.sensing import CHAIN, ENCODERS, TICK, Push
from synthetic.contacts import Contact
from synthetic.stances import told

COUNT = 80


def double_supports(seed, push, count=COUNT):
    rng = np.random.default_rng(seed)
    chain = sensing.draw(rng, count, push)
    return chain, sensing.observe(rng, chain)


def test_both_feet_push_with_one_force_and_encoders_show_the_chain_to_a_few_ticks():
    chain, seen = double_supports(3, Push())
    forces = [foot.ratio[..., 0] * foot.normal for foot in chain.feet]
    np.testing.assert_allclose(forces[0][:, 60:350], forces[1][:, 60:350], rtol=1e-9)
    error = seen[0].displacement[..., 0] - chain.chain
    assert np.std(error[:, 100:400]) == pytest.approx(ENCODERS.sigma, rel=0.2)
    assert np.abs(error[:, 100:400]).max() < 3.0 * TICK
    grown = (
        chain.chain[:, 350]
        - chain.feet[0].displacement[:, 350, 0]
        - chain.feet[1].displacement[:, 350, 0]
    )
    # two legs of 1e5 N/m
    assert np.mean(grown / forces[0][:, 350]) == pytest.approx(2e-5, rel=0.1)


@pytest.mark.parametrize("contact", ["dahl", "iwan"])
@pytest.mark.parametrize("other_floor", [False, True])
def test_neither_foot_is_certified_above_its_floor(contact, other_floor):
    chain, seen = double_supports(5, Push(Contact(contact), other_floor=other_floor))
    for foot, shown in zip(chain.feet, seen, strict=True):
        said = answers(shown, told(ENCODERS, False, CHAIN))
        assert judge(foot, said.low, said.high, said.usable).wrong <= 0.05 + 0.06


def test_the_bound_of_what_can_be_known_shrinks_with_the_load():
    chain, _ = double_supports(7, Push(), 20)
    little, _ = double_supports(7, Push(largest_share=(0.3, 0.35)), 20)
    for k in range(20):
        foot = int(chain.feet[1].share[k].max() > chain.feet[0].share[k].max())
        assert sensing.bound(chain, k, foot) < sensing.bound(little, k, foot)


def test_probing_pays():
    still = sensing._chain("", "", Push(largest_share=sensing.UNPROBED), COUNT, 11)
    probed = sensing._chain("", "", Push(), COUNT, 11)
    assert still.in_time < 0.1 < probed.in_time
    assert probed.certified > 0.75 > 0.5 > still.certified
    assert max(still.wrong, probed.wrong) <= 0.05 + 0.06


def test_too_few_stances_are_refused(capsys):
    assert main(["benchmark", "sensors", "--stances", "3"], program=STUDIES) == 2
    assert "--stances" in capsys.readouterr().err
