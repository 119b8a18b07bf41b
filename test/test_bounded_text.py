# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Hostile YAML is refused in one sentence and at once; a sound text says what it says."""

import pytest
import yaml

from biped_slip.bounded_files import TooMuch, _named_twice, load_yaml
from biped_slip.config import read_yaml
from biped_slip.errors import LONGEST_SENTENCE, BipedSlipError

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
    # as text, which writes every alias out, it would have no end
    "an alias bomb as a key": f"{BOMB}? [*a9]\n: 1\n",
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
    assert len(str(refusal.value)) <= LONGEST_SENTENCE


@pytest.mark.parametrize(
    "text", ["a: !!python/object/apply:os.system [x]", "a: [1, 2", "a: 1\n---\nb: 2"]
)
def test_what_is_no_plain_yaml_is_refused_too(tmp_path, text):
    path = tmp_path / "wrong.yaml"
    path.write_text(text)
    with pytest.raises(BipedSlipError):
        read_yaml(path)


def test_every_key_of_a_mapping_is_looked_at_once():
    """A few looks a key: not one for each other key, which takes hours for a file of 10
    MB."""
    looks = []

    class Key(str):
        __slots__ = ()

        def __eq__(self, other):
            looks.append(1)
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    count = 20_000
    keys = [yaml.ScalarNode("", Key(f"key {k}")) for k in range(count)]
    mapping = yaml.MappingNode("", [(key, key) for key in keys])
    assert _named_twice(mapping) == ""
    assert len(looks) <= 3 * count
    mapping.value.append((keys[7], keys[7]))
    assert _named_twice(mapping) == "key 7"


def test_a_long_key_that_stands_twice_is_named_by_its_beginning():
    with pytest.raises(TooMuch) as refusal:
        load_yaml(f"{'x' * 500}: 1\n{'x' * 500}: 2")
    assert "x" * 50 in str(refusal.value)
    assert len(str(refusal.value)) < 120


def test_mappings_may_be_merged_more_than_once():
    text = "a: &a {x: 1}\nb: &b {y: 2}\nc: {<<: *a, <<: *b}"
    assert load_yaml(text) == yaml.safe_load(text)
