# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walks and recordings in three dimensions, live in the browser or as one HTML file; knows data, no physics."""
