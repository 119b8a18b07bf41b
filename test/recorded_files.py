# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Third-party recordings: each file with its layout and whose feet it recorded."""

from pathlib import Path
from typing import NamedTuple

CONFIGS = Path(__file__).parents[1] / "config" / "recordings"


class RecordedFile(NamedTuple):
    """One recording below the folder of third-party recordings."""

    name: str
    layout: str = ""  # a shipped layout, or a YAML beside the file
    subject: str = "person"

    def config(self, folder):
        """Return the path of its layout; None where the format tells everything."""
        if not self.layout:
            return None
        if self.layout.endswith(".yaml"):
            return folder / self.layout
        return CONFIGS / f"{self.layout}.yaml"


def _files(folder, layout, *names, subject="robot"):
    return [RecordedFile(f"{folder}/{name}", layout, subject) for name in names]


FILES = [
    RecordedFile("btk_c3d/Eb015pr.c3d"),
    RecordedFile("btk_c3d/PiG_Motion3_noFF.c3d"),
    RecordedFile("btk_c3d/type-2a.c3d"),
    RecordedFile("btk_c3d/type-4a.c3d"),
    RecordedFile("opensim/walking2.c3d"),
    RecordedFile("pycgm/Sample_Static.c3d"),
    RecordedFile("opensim/gait10dof18musc_subject01_walk_grf.mot"),
    RecordedFile("opensim/std_walking2_grfs.sto"),
    RecordedFile("opensim/std_cop_walking2_grfs.sto"),
    RecordedFile("bmclab/grf_run.mot"),
    RecordedFile("bmclab/PDS13OR1grf.txt.gz", "bmclab"),
    *_files(
        "friction_models",
        "friction_models",
        "test_data_1.csv",
        "test_data_2_t0-107.5.txt",
    ),
    *_files(
        "lcd",
        "lcd",
        "ATLAS_10k_05ground.csv.gz",
        "ATLAS_21k_02ground.csv.gz",
        "NAO_13k_mixedFriction_rows0-6799.csv.gz",
    ),
    *_files(
        "pce",
        "pce",
        "ATLAS_01ground.csv.gz",
        "ATLAS_01ground_003slip_rows0-10999.csv.gz",
        "GO1_normal_surface.csv.gz",
        "GO1_slippery_surface.csv.gz",
    ),
    *_files("gem_valkyrie", "gem_valkyrie", "valkyrie_rows0-7999.csv.gz"),
    *_files("gem_valkyrie", "gem_valkyrie_truth", "valkyrie_rows0-7999.csv.gz"),
    *_files("icub", "icub/forces.yaml", "walking_front_and_back.csv.gz"),
    *_files("icub", "icub/forces_and_positions.yaml", "walking_front_and_back.csv.gz"),
]
