# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Five papers reproduced: a module a paper, its rows and figures."""
