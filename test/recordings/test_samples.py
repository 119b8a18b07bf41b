# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Samples: shipped ones are replayed by name, real ones are stored only when their hash
is right."""

import hashlib
import json
import re

import pytest

from biped_slip.cli import main
from biped_slip.recordings import samples as place
from biped_slip.recordings.samples import ShippedSample, fetch, samples


def test_every_sample_is_shipped_or_pinned_with_its_hash_and_licence():
    for sample in samples().values():
        if sample.file:
            assert sample.made_by
            continue
        assert re.fullmatch(
            r"https://raw\.githubusercontent\.com/[^/]+/[^/]+/[0-9a-f]{40}/\S+",
            sample.url,
        )
        assert re.fullmatch(r"[0-9a-f]{64}", sample.sha256)
        assert sample.licence


def test_the_shipped_slide_is_answered_with_its_mu_and_the_shipped_walk_without_slides(
    capsys,
):
    assert main(["replay", "slide", "walk", "--json", "-"]) == 0
    slide, walk = json.loads(capsys.readouterr().out)["results"]
    assert slide["summary"]["mu_median"] == pytest.approx(0.4, abs=0.003)
    assert slide["summary"]["slip_count"] >= 8
    assert walk["summary"]["slip_count"] == 0
    assert all(
        contact["mu_median"] is None or contact["mu_median"] < 1.01
        for contact in walk["contacts"]
    )


@pytest.fixture
def published(tmp_path, monkeypatch):
    """One sample whose publisher is a file."""
    source = tmp_path / "data.csv"
    source.write_text("1,2\n")
    sample = ShippedSample(
        "mine",
        "",
        url=source.as_uri(),
        sha256=hashlib.sha256(source.read_bytes()).hexdigest(),
    )
    monkeypatch.setattr(place, "samples", lambda: {"mine": sample})
    (tmp_path / "here").mkdir()
    return source, tmp_path / "here"


def test_a_sample_is_fetched_once(published):
    source, folder = published
    assert fetch("mine", folder).read_text() == "1,2\n"
    source.unlink()
    assert fetch("mine", folder) == folder / "data.csv", "it is there already"


def test_something_else_is_not_stored(published):
    source, folder = published
    source.write_text("1,3\n")
    with pytest.raises(place.BipedSlipError, match="not what it was"):
        fetch("mine", folder)
    source.unlink()
    with pytest.raises(place.BipedSlipError, match="can't be fetched"):
        fetch("mine", folder)
    assert not list(folder.iterdir())


def test_a_sample_that_is_not_shipped_names_the_command(capsys):
    assert main(["replay", "gait_plates"]) == 2
    assert "biped-slip samples --fetch gait_plates" in capsys.readouterr().err
    assert main(["samples"]) == 0
    assert "friction_rig" in capsys.readouterr().out
    assert main(["samples", "--fetch", "nobody"]) == 2


def test_a_sample_is_converted_and_its_steps_are_judged_by_its_name(tmp_path, capsys):
    assert main(["convert", "slide", str(tmp_path / "slide.mcap")]) == 0
    assert (tmp_path / "slide.mcap.yaml").is_file()
    main(["gait", "trial", "slide", "--subject", "robot"])
    assert "the force along y is not known" in capsys.readouterr().out
