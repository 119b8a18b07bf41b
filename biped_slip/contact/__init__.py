# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Forward physics between a foot and the floor.

Its parts are normal laws, the point contact, the sole, and the ground.
"""
