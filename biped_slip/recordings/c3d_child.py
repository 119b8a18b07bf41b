# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Run ``ezc3d`` in a process of its own, since it may loop or crash on damaged files.

As a program: ``python -m biped_slip.recordings.c3d_child FILE.c3d OUT.npz`` stores what
:func:`load_c3d` returns.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from biped_slip.errors import BipedSlipError, InvalidRecording

READ_PATIENCE = 120.0  # [s]; large files take a few
NUMBER_PARAMETERS = ("TYPE", "USED", "CORNERS", "ORIGIN", "CHANNEL", "CAL_MATRIX")
MOST_MEMORY = 8 << 30  # [byte] of address space
# [kg]
MASSES = (
    ("PROCESSING", "Bodymass"),
    ("PROCESSING", "BodyMass"),
    ("SUBJECT", "WEIGHT"),
)
HEAVIEST = 300.0  # [kg]; a larger number is a weight in newtons, or nonsense
NO_LIBRARY = 3  # exit code


def load_c3d(path: str | Path) -> dict[str, Any]:
    """Load the content of a C3D file as arrays.

    Returns:
        ``analog`` (n, channels) scaled, ``analog_rate``, ``points`` (frames, markers,
        3), ``point_rate``, ``first_frame``, the texts ``labels``, ``point_unit``,
        ``analog_units``, the events (texts ``event_labels``, ``event_contexts``, and
        ``event_times`` [s of the trial]), the subject's ``mass`` [kg] (NaN without),
        and the parameters of FORCE_PLATFORM by name where the file has them.

    Raises:
        BipedSlipError: ``ezc3d`` isn't installed.
        InvalidRecording: the reader gave up, crashed or didn't come to an end.
    """
    package = str(Path(__file__).resolve().parents[2])
    paths = os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])])
    with tempfile.TemporaryDirectory() as folder:
        stored = Path(folder, "c3d.npz")
        command = [
            sys.executable,
            "-m",
            __name__,
            str(Path(path).resolve()),
            str(stored),
        ]
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                timeout=READ_PATIENCE,
                env={**os.environ, "PYTHONPATH": paths},
            )
        except subprocess.TimeoutExpired as error:
            raise InvalidRecording(
                path,
                f"the C3D reader didn't finish in {READ_PATIENCE:g} s",
                "it is damaged",
            ) from error
        if done.returncode == NO_LIBRARY:
            raise BipedSlipError(
                "C3D files need the package ezc3d; `pip install .` in the checkout "
                "brings it"
            )
        if done.returncode < 0 or not stored.exists():
            last = done.stderr.strip().splitlines()[-1:] or [
                f"exit code {done.returncode}"
            ]
            raise InvalidRecording(
                path, f"the C3D reader gave up ({last[0][:200]})", "it is damaged"
            )
        with np.load(stored, allow_pickle=False) as content:
            return {name: content[name] for name in content.files}


def main() -> int:
    """Read a C3D file with ``ezc3d`` and store its arrays."""
    try:
        import ezc3d
    except ImportError:
        return NO_LIBRARY
    # a damaged count must not take the machine's memory
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    content = ezc3d.c3d(sys.argv[1])
    parameters = content["parameters"]
    header = content["header"]
    points = np.asarray(content["data"]["points"], dtype=float)[:3]
    found: dict[str, Any] = {
        "analog": np.asarray(content["data"]["analogs"], dtype=float)[0].T,
        "analog_rate": float(header["analogs"]["frame_rate"]),
        "points": points.transpose(2, 1, 0),
        "point_rate": float(header["points"]["frame_rate"]),
        "first_frame": float(header["points"]["first_frame"]),
        "labels": _texts(parameters, "POINT", "LABELS"),
        "point_unit": _texts(parameters, "POINT", "UNITS"),
        "analog_units": _texts(parameters, "ANALOG", "UNITS"),
        "event_labels": _texts(parameters, "EVENT", "LABELS"),
        "event_contexts": _texts(parameters, "EVENT", "CONTEXTS"),
        "event_times": event_times(
            _numbers(parameters, "EVENT", "TIMES"),
            len(_texts(parameters, "EVENT", "LABELS")),
        ),
        "mass": _mass(parameters),
    }
    for name in NUMBER_PARAMETERS:
        value = _numbers(parameters, "FORCE_PLATFORM", name)
        if value.size:
            found[name] = value
    np.savez(sys.argv[2], **found)
    return 0


def _texts(parameters: Any, group: str, name: str) -> Any:
    values = (
        parameters[group][name]["value"]
        if group in parameters and name in parameters[group]
        else []
    )
    return np.array([str(text) for text in values], dtype=np.str_)


def _numbers(parameters: Any, group: str, name: str) -> Any:
    """Read a parameter as an array; empty where the file has none, or no numbers."""
    try:
        return np.asarray(parameters[group][name]["value"], dtype=float)
    except (KeyError, ValueError, TypeError):
        return np.empty(0)


def event_times(times: Any, count: int) -> Any:
    """Read events in seconds of the trial, shape (at most ``count``,).

    They come from EVENT:TIMES of any shape.

    Minutes and seconds of each event stand in two rows, in two columns or one after the
    other; some files hold seconds alone.
    """
    flat = np.asarray(times, dtype=float).ravel(order="F")
    if flat.size < 2 * count:
        return flat[:count]
    rows = flat[: 2 * (flat.size // 2)].reshape(-1, 2)
    columns = flat[: 2 * (flat.size // 2)].reshape(2, -1).T
    whole = [
        bool((pairs[:, 0] % 1.0 == 0.0).all()) for pairs in (rows, columns)
    ]  # minutes are whole numbers
    minutes, seconds = (columns if whole[1] and not whole[0] else rows)[:count].T
    return 60.0 * minutes + seconds


def _mass(parameters: Any) -> float:
    """Return the first of some parameters that can be a mass [kg]; NaN without any."""
    values = [_numbers(parameters, *place).ravel()[:1] for place in MASSES]
    return next(
        (
            float(value[0])
            for value in values
            if value.size and 0.0 < value[0] < HEAVIEST
        ),
        float("nan"),
    )


if __name__ == "__main__":
    sys.exit(main())
