# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Figures, HTML pages, animation and progress; knows data, no physics."""
