# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Exceptions of this package: one base class, then one class per kind of failure."""

from __future__ import annotations

import copyreg
from difflib import get_close_matches
from typing import Iterable


class BipedSlipError(Exception):
    """Base of all errors raised on purpose; the text is one sentence for a user.

    Names in it may come from anybody's file: what is not printable, a line's end among
    it, is escaped, and what is too long for a sentence is left out.
    """

    def __str__(self) -> str:
        return sentence(super().__str__())

    def __reduce__(
        self,
    ) -> tuple[
        object, ...
    ]:  # on its way from a worker: Python's own hands on the sentence alone
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


LONGEST_SENTENCE = 300  # characters
LEFT_OUT = " ... "


def bounded(text: str) -> str:
    """Bound a text to a sentence: of a longer one the middle is left out.

    Its begin says what is wrong, its end what to do.
    """
    if len(text) <= LONGEST_SENTENCE:
        return text
    end = LONGEST_SENTENCE // 3
    return text[: LONGEST_SENTENCE - end - len(LEFT_OUT)] + LEFT_OUT + text[-end:]


def sentence(text: str) -> str:
    """Make one bounded printable line of any text, which escapes may lengthen again."""
    return bounded(printable(bounded(text)))


def printable(text: str) -> str:
    """Escape a text to one line without what a terminal might take for a command."""
    if text.isprintable():
        return text
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode("ascii")
        for one in text
    )


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Ask for the known name next to a mistyped one; empty if none is near."""
    nearest = get_close_matches(name, list(known), 1)
    return f"; did you mean {nearest[0]!r}?" if nearest else ""


class InvalidParameter(BipedSlipError, ValueError):
    """Parameter outside the range that its owner accepts.

    Args:
        name: dotted name of the parameter.
        value: the value that was given.
        limit: what is accepted, in words with units.
        remedy: what to do about it; may be empty.
    """

    def __init__(self, name: str, value: object, limit: str, remedy: str = "") -> None:
        super().__init__(
            f"{name} is {value!r}, but must be {limit}{'; ' + remedy if remedy else ''}"
        )
        self.name = name
        self.value = value
        self.limit = limit
        self.remedy = remedy


class UnknownName(BipedSlipError, KeyError):
    """Name that is not among the known ones; the message lists those."""

    def __init__(self, kind: str, name: str, known: list[str]) -> None:
        # phrases such as FILE.py:NAME last
        names = sorted(known, key=lambda one: (" " in one or ":" in one, one))
        self.text = (
            f"unknown {kind} {name!r}; known: {', '.join(names) or 'none'}"
            f"{did_you_mean(name, known)}"
        )
        super().__init__(self.text)
        self.kind = kind
        self.name = name
        self.known = known

    def __str__(self) -> str:
        return sentence(self.text)


class MissingExtra(BipedSlipError, ImportError):
    """Missing library that an extra would install."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(
            f"{what} needs a library that is missing; `pip install '.[{extra}]'` in "
            "the checkout brings it"
        )
        self.what = what
        self.extra = extra


#: Which extra brings a library that the light installation lacks.
EXTRAS = {
    **dict.fromkeys(("pinocchio", "casadi", "quantecon"), "walk"),
    **dict.fromkeys(("daqp", "example_robot_data"), "humanoids"),
    **dict.fromkeys(("distributed", "pyarrow"), "campaigns"),
    "gymnasium": "gymnasium",
    "h5py": "hdf5",
    "mujoco": "mujoco",
    "cyclonedds": "unitree",
    "onnxruntime": "policies",
    **dict.fromkeys(("fast_simplification", "trimesh", "viser"), "view"),
    "pandas": "pandas",
    "rclpy": "ros",
}


def missing_extra(what: str, error: ModuleNotFoundError) -> BaseException:
    """Name the extra that brings a failed import.

    Where none does, return the import error itself.
    """
    extra = EXTRAS.get((error.name or "").partition(".")[0])
    return error if extra is None else MissingExtra(what, extra)


class WorkerLost(BipedSlipError, RuntimeError):
    """Worker processes of a campaign that were killed again and again."""

    def __init__(self, losses: int) -> None:
        super().__init__(
            f"{losses} worker processes in a row died without ending a walk; "
            "start again with fewer --workers if memory is short: what has ended is "
            "kept"
        )
        self.losses = losses


class InvalidRecording(BipedSlipError):
    """Recording that cannot be used; the message names file, place and remedy."""

    def __init__(self, path: object, problem: str, remedy: str = "") -> None:
        super().__init__(f"{path}: {problem}{'; ' + remedy if remedy else ''}")
        self.path = path
        self.problem = problem
        self.remedy = remedy


def reason(path: object, error: Exception) -> str:
    """Explain in one sentence why a file of a batch cannot be used.

    It does so whatever the file's reader raised.
    """
    if isinstance(error, BipedSlipError):
        return str(error)
    return sentence(
        f"{path}: can't be used ({type(error).__name__}: {error}); please report it "
        "with the file"
    )


class SimulationDiverged(BipedSlipError):
    """Simulated state that is not finite or physically absurd."""

    def __init__(self, what: str, value: float, limit: float, time: float) -> None:
        super().__init__(
            f"simulation diverged at {time:.3f} s: {what} is {value:g}, limit "
            f"{limit:g}; "
            "a smaller plant step or softer contact helps"
        )
        self.what = what
        self.value = value
        self.limit = limit
        self.time = time
