# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walks and recordings in three dimensions.

They are shown live in the browser or as one HTML file; the package knows data, no
physics.
"""
