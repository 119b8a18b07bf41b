# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Hostile YAML is refused in one sentence and at once; a sound text says what it says."""

import pytest
import yaml

from biped_slip.bounded_files import load_yaml
from biped_slip.config import read_yaml
from biped_slip.errors import BipedSlipError

SOUND = [
    "",
    "a: 1",
    "base: &b {x: 1, y: [2, 3]}\nleft: *b\nright: {<<: *b, x: 5}",
    "a: {b: {c: [1, 2, {d: null}]}}",
]
BOMB = "a0: &a0 [x]\n" + "".join(
    f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]\n" for k in range(1, 10)
)
HOSTILE = {
    "alias bomb": BOMB,
    "nested lists": "a: " + "[" * 20_000,
    "nested lists that close": "a: " + "[" * 20_000 + "]" * 20_000,
    "a little too deep": "a: " + "[" * 200 + "]" * 200,
    "nested mappings": "{a: " * 20_000,
    "a list that holds itself": "a: &a [*a]",
    "a key twice": "a: 1\nb: {c: 1, c: 2}",
    "endless text": "a: " + "x" * 10_000_001,
}


@pytest.mark.parametrize("text", SOUND)
def test_a_sound_text_is_read_as_ever(text):
    assert load_yaml(text) == yaml.safe_load(text)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_is_one_short_sentence(tmp_path, name):
    path = tmp_path / "hostile.yaml"
    path.write_text(HOSTILE[name])
    with pytest.raises(BipedSlipError) as refusal:
        read_yaml(path)
    assert str(path) in str(refusal.value)
    assert len(str(refusal.value)) < 1000


@pytest.mark.parametrize(
    "text", ["a: !!python/object/apply:os.system [x]", "a: [1, 2", "a: 1\n---\nb: 2"]
)
def test_what_is_no_plain_yaml_is_refused_too(tmp_path, text):
    path = tmp_path / "wrong.yaml"
    path.write_text(text)
    with pytest.raises(BipedSlipError):
        read_yaml(path)
