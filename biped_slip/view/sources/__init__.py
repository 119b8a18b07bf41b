# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What can be viewed: one adapter for each kind of walk and recording."""
