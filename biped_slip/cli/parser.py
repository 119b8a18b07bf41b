# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Arguments that are judged before any work begins: one sentence on what can't be used."""

from __future__ import annotations

import argparse
from typing import Callable, NoReturn

from biped_slip.errors import BipedSlipError


class WrongUsage(BipedSlipError):
    """What was typed can't be understood."""


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are one sentence, like every other of the command."""

    def error(self, message: str) -> NoReturn:
        """Raise in place of printing the usage and leaving.

        Raises:
            WrongUsage: always.
        """
        raise WrongUsage(f"{message} (`{self.prog} --help` tells all arguments)")


def at_least(low: int) -> Callable[[str], int]:
    """The type of an argument: a whole number from a smallest one on."""

    def whole(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = low - 1
        if number < low:
            raise argparse.ArgumentTypeError(f"is {text!r}, but must be a whole number of at least {low}")
        return number

    return whole


SEED, COUNT = at_least(0), at_least(1)
