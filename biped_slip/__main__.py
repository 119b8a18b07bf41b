# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m biped_slip``: the command without its installed script."""

import sys

from biped_slip.cli import main

sys.exit(main())
