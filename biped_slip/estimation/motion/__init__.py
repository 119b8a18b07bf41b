# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Where a robot's knowledge of its feet's motion can come from; one source a file, chosen by name in ``sources``."""
