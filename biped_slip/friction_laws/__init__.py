# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Friction laws of a contact point: displacement and load in, force out; one a file."""
