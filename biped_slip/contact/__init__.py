# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Forward physics between a foot and the floor: normal laws, the point contact, the sole, the ground."""
