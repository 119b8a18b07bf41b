# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Faults put into the topics of running nodes, and what must come of each."""
