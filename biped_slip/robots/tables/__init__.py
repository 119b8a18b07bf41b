# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The papers' robots as descriptions, made from what the papers print; ``table:NAME`` in a robot's YAML."""
