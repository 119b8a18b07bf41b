# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Files of open walking policies in a folder: networks, layouts, MJCF, an index."""

from __future__ import annotations

from pathlib import Path

from biped_slip.comparison.policy_robot import PolicyFiles
from biped_slip.config import read_yaml
from biped_slip.errors import BipedSlipError
from biped_slip.walking.policy_layout import LearnedPolicyConfig


def policy_files(folder: Path, name: str) -> PolicyFiles:
    """Find the files of a policy in a folder with ``index.yaml``."""
    index = read_yaml(folder / "index.yaml")
    if name not in index:
        raise BipedSlipError(f"{folder}: no policy {name!r}; it has {sorted(index)}")
    entry = index[name]
    network = folder / f"{name}.onnx"
    return PolicyFiles(
        network=network,
        layout=LearnedPolicyConfig.from_yaml(network.with_suffix(".yaml")),
        mjcf=folder / "robots" / f"{entry['robot']}.xml",
        imu=entry["imu"],
        speed=float(entry["speed"]),
    )
