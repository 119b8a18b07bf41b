# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Small wrong changes of safety code, and whether the tests notice: ``python -m studies.mutation``.

Kept tools don't serve here: mutmut leaves decorated functions alone, and every kernel is one; cosmic-ray starts an
interpreter for each change, which takes ten times as long as the tests.
"""
