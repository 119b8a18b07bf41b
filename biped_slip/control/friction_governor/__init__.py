# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A guard before any walking controller: of a velocity command only what the floor holds goes through."""
