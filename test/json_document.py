# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a command writes with `--json`."""

import json

from biped_slip import __version__


def document(text):
    """What --json wrote, after a look at its head."""
    found = json.loads(text)
    assert list(found) == ["schema", "version", "command", "seed", "results", "tables"]
    assert found["schema"] == "biped_slip/1"
    assert found["version"] == __version__
    assert all(isinstance(result, dict) for result in found["results"])
    return found
