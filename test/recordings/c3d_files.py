# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""C3D files written byte by byte, with whatever a test wants to be rare in them."""

import struct

import numpy as np

BLOCK = 512
RATE = 200.0
CORNERS = np.array([[0.6, 0.4, 0.0], [0.0, 0.4, 0.0], [0.0, 0.0, 0.0], [0.6, 0.0, 0.0]])
SHARE = 0.19  # largest fore-aft force of a step over its normal force


def step_wrench(rate=RATE, seconds=1.9, begin=0.5, duration=0.7, weight=700.0):
    """A step on a plate of type 2 (n, 6): braking first, its shear ratio is a sine."""
    time = np.arange(round(seconds * rate)) / rate
    share = np.clip((time - begin) / duration, 0.0, 1.0)
    normal = weight * np.sin(np.pi * share) ** 0.3
    shear = -SHARE * normal * np.cos(np.pi * share)
    place = 0.2 * (share - 0.5)
    zero = np.zeros_like(time)
    return np.column_stack([shear, zero, normal, zero, -place * normal, zero])


def two_steps(rate=RATE):
    """Two steps on two plates, (n, 12)."""
    return np.hstack([step_wrench(rate), step_wrench(rate, begin=1.1)])


def plates(count=1, kind=2, **changes):
    """FORCE_PLATFORM of plates side by side, each with six channels of its own."""
    shift = np.array([0.0, 0.5, 0.0])
    corners = np.stack([CORNERS - k * shift for k in range(count)], axis=2)
    return {
        "USED": [count],
        "TYPE": [kind] * count,
        "CORNERS": corners.transpose(1, 0, 2),
        "ORIGIN": np.zeros((3, count)),
        "CHANNEL": np.arange(1, 6 * count + 1).reshape(count, 6).T,
    } | changes


def written(path, analog, platform=None, order="<", processor=84, **changes):
    """Write a file of floats, or of integers with ``integers=True``.

    ``header``, ``POINT``, ``ANALOG``, ``TRIAL`` change what it says; None leaves a
    parameter out; ``groups`` adds others.
    """
    points = changes.get("points", np.zeros((len(analog), 0, 4)))
    samples = changes.get("samples", 1)
    channels = analog.shape[1]
    frames = len(analog) // samples
    integers = changes.get("integers", False)
    scale = 1.0 if integers else -1.0
    groups = {
        "POINT": {
            "USED": points.shape[1],
            "SCALE": scale,
            "RATE": RATE / samples,
            "FRAMES": min(frames, 65535),
            "UNITS": ["m"],
            "LABELS": [f"M{k}" for k in range(points.shape[1])],
        }
        | changes.get("POINT", {}),
        "ANALOG": {
            "USED": channels,
            "RATE": RATE,
            "GEN_SCALE": 1.0,
            "SCALE": [1.0] * channels,
            "OFFSET": [0] * channels,
            "UNITS": ["N", "N", "N", "Nm", "Nm", "Nm"] * (channels // 6),
        }
        | changes.get("ANALOG", {}),
        "FORCE_PLATFORM": plates(channels // 6) if platform is None else platform,
        "TRIAL": changes.get("TRIAL", {}),
    } | changes.get("groups", {})
    section = _section(groups, order, processor)
    word = order + ("i2" if integers else "f4")
    rows = np.hstack(
        [
            points.reshape(frames, -1) if points.size else np.empty((frames, 0)),
            np.asarray(analog, dtype=float).reshape(frames, -1),
        ]
    )
    whole = np.round(rows).astype(np.int64).astype("u2").view("i2")
    data = whole.astype(word) if integers else rows.astype(word)
    said = {"first": 1, "last": min(frames, 65535), "rate": RATE / samples}
    said |= changes.get("header", {})
    head = struct.pack(
        order + "BBHHHHHfHHf",
        2,
        0x50,
        points.shape[1],
        channels * samples,
        said["first"],
        said["last"],
        0,
        scale,
        2 + len(section) // BLOCK,
        samples,
        said["rate"],
    )
    filled = data.tobytes().ljust(-(-data.nbytes // BLOCK) * BLOCK, b"\0")
    path.write_bytes(head.ljust(BLOCK, b"\0") + section + filled)
    return path


def _section(groups, order, processor):
    chain = b""
    for number, (name, values) in enumerate(groups.items(), start=1):
        chain += _record(name, -number, b"\0", order)
        for key, value in values.items():
            if value is not None:
                chain += _record(key, number, _body(value, order), order)
    blocks = -(-(len(chain) + 6) // BLOCK)
    head = bytes((1, 0x50, blocks, processor))
    return (head + chain).ljust(blocks * BLOCK, b"\0")


def _record(name, group, body, order):
    link = struct.pack(order + "H", len(body) + 2)
    return struct.pack("bb", len(name), group) + name.encode() + link + body


def _body(value, order):
    if isinstance(value, list) and value and isinstance(value[0], str):
        width = max(map(len, value))
        texts = b"".join(one.encode().ljust(width) for one in value)
        return struct.pack("bBBB", -1, 2, width, len(value)) + texts + b"\0"
    array = np.asarray(value)
    real = array.dtype.kind == "f"
    shape = bytes(array.shape)
    kind = 4 if real else 2
    numbers = array.ravel(order="F")
    raw = (numbers.astype(order + "f4") if real else numbers.astype("i8")).tobytes()
    if not real:
        raw = numbers.astype("i8").astype("u2").astype(order + "u2").tobytes()
    return struct.pack("bB", kind, len(shape)) + shape + raw + b"\0"
