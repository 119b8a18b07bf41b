# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Content of a C3D file as arrays, by the published description of the format.

Blocks of 512 bytes: a header, a chain of parameters in groups, then one frame after the
other. A frame holds four words per point (x, y, z and a residual that is negative where
the point was not seen), then every analog channel as often as it was sampled in it::

    value of a channel = (stored - ANALOG:OFFSET) * ANALOG:GEN_SCALE * ANALOG:SCALE

Words are 16-bit integers, or 32-bit floats where the scale of the points is negative.
Counts of 16 bits end at 65535, so longer trials say their length elsewhere, and the
room in the file has the last word (www.c3d.org, sections on the header, POINT, ANALOG,
TRIAL and FORCE_PLATFORM).
"""

from __future__ import annotations

import dataclasses
import math
import struct
from pathlib import Path
from typing import Any, Iterator, Mapping, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biped_slip.errors import InvalidRecording
from biped_slip.recordings.series import FloatArray

BLOCK_BYTES = 512
INTEL = 84
DEC = 85  # floats of a VAX
MIPS = 86  # big endian
MOST_COUNT = 0xFFFF  # what 16 bits hold
NUMBER_PARAMETERS = ("TYPE", "USED", "CORNERS", "ORIGIN", "CHANNEL", "CAL_MATRIX")
# [kg]
MASSES = (("PROCESSING", "BODYMASS"), ("SUBJECT", "WEIGHT"))
MASS_SHARE = 1.03  # of the lighter; masses that differ by more are two
HEAVIEST = 300.0  # [kg]; a larger number is a weight in newtons, or nonsense
MOST_DIMENSIONS = 7  # of a parameter
SHORT_BITS = 16  # of a converter whose file names no other number
RATE_SHARE = 0.01  # by which two statements of one sampling rate may differ
#: Types of parameters: bytes of one element, as NumPy reads them.
ELEMENTS = {-1: "S1", 1: "u1", 2: "<i2", 4: "<f4"}

Parameters = Mapping[tuple[str, str], Any]  # (group, name) -> array, or list of texts


class Record(NamedTuple):
    """One record of the parameter chain."""

    name: str
    group: int  # negative: the record names a group
    body: int  # place of its content in the section


def records(section: bytes, order: str = "<") -> Iterator[Record]:
    """Yield the records of a parameter section as far as its chain is whole."""
    place = 4
    while place + 2 <= len(section):
        length, group = struct.unpack_from("bb", section, place)
        link = place + 2 + abs(length)
        if length == 0 or group == 0 or link + 2 > len(section):
            return
        (offset,) = struct.unpack_from(order + "H", section, link)
        yield Record(_text(section[place + 2 : link]).upper(), group, link + 2)
        if offset < 3:
            return
        place = link + offset


def parameters_of(section: bytes, processor: int) -> dict[tuple[str, str], Any]:
    """Read all parameters of a section that fit into it, by group and name."""
    found = list(records(section))
    groups = {-one.group: one.name for one in found if one.group < 0}
    values: dict[tuple[str, str], Any] = {}
    for one in found:
        if one.group > 0 and one.group in groups:
            value = _value(section, one.body, processor)
            if value is not None:
                values[groups[one.group], one.name] = value
    return values


def _value(section: bytes, place: int, processor: int) -> Any:
    """Read the value of one parameter; None where it doesn't fit its place."""
    if place + 2 > len(section):
        return None
    kind, count = struct.unpack_from("bB", section, place)
    begin = place + 2 + count
    shape = tuple(section[place + 2 : begin])
    element = ELEMENTS.get(kind)
    size = math.prod(shape)
    fits = count <= MOST_DIMENSIONS and begin + size * abs(kind) <= len(section)
    if element is None or not fits:
        return None
    if kind == -1:
        width = shape[0] if shape else 1
        whole = section[begin : begin + size]
        return [
            _text(whole[k : k + width]) for k in range(0, size, max(width, 1)) if width
        ]
    raw = np.frombuffer(section, element, size, begin)
    if kind == 4 and processor == DEC:
        raw = vax_floats(raw)
    return raw.astype(float).reshape(shape, order="F")


def _text(raw: bytes) -> str:
    return raw.decode("latin-1").replace("\0", " ").strip()


def vax_floats(raw: NDArray[Any]) -> NDArray[np.float32]:
    """Convert 32-bit floats of a VAX: its 16-bit halves stand in the other order."""
    halves = np.ascontiguousarray(raw).view("<u2").reshape(-1, 2)[:, ::-1]
    with np.errstate(invalid="ignore", over="ignore"):
        values = np.ascontiguousarray(halves).view("<f4").ravel() / np.float32(4.0)
    return np.asarray(values.reshape(raw.shape), dtype=np.float32)


@dataclasses.dataclass(frozen=True)
class DataLayout:
    """What the header says about the data section."""

    points: int
    measurements: int  # analog samples a frame, of all channels
    first: int  # frame
    last: int  # frame
    samples: int  # of each channel a frame
    data_block: int
    real: bool  # words are 32-bit floats
    rate: float  # of the frames [Hz]

    @property
    def width(self) -> int:
        """Return the bytes of one frame."""
        return (4 if self.real else 2) * (4 * self.points + self.measurements)

    @property
    def frames(self) -> int:
        """Return the number of frames in the header's range, which may wrap round."""
        count = self.last - self.first + 1
        return count if count > 0 else count + MOST_COUNT + 1


def layout_of(head: bytes, order: str, processor: int) -> DataLayout:
    """Read the layout of the data from the header block."""
    points, measurements, first, last = struct.unpack_from(order + "4H", head, 2)
    data_block, samples = struct.unpack_from(order + "2H", head, 16)
    scale, rate = (
        _real(head[place : place + 4], order, processor) for place in (12, 20)
    )
    return DataLayout(
        points=points,
        measurements=measurements,
        first=first,
        last=last,
        samples=samples,
        data_block=data_block,
        real=scale < 0.0,
        rate=rate,
    )


def _real(raw: bytes, order: str, processor: int) -> float:
    values = np.frombuffer(raw, order + "f4")
    return float((vax_floats(values) if processor == DEC else values)[0])


class FrameCount(NamedTuple):
    """Number of frames that are read, and what is odd about it."""

    frames: int
    note: str = ""
    padded: bool = False  # the last of them may be the padding of a block


def frame_count(
    path: object, layout: DataLayout, parameters: Parameters, room: int
) -> FrameCount:
    """Decide how many frames a file holds.

    Args:
        path: for messages.
        layout: of the data.
        parameters: of the file.
        room: whole frames between the begin of the data and their end.

    Raises:
        InvalidRecording: the data end before what every statement promises.
    """
    stated = _stated(layout, parameters)
    spare = (BLOCK_BYTES - 1) // layout.width  # the last block is filled up
    for name, count in stated.items():
        if 0 <= room - count <= spare:
            odd = {n: c for n, c in stated.items() if c != count and c < MOST_COUNT}
            words = (
                f"{_listed(odd)}, but the file holds {count} ({name}): these are read"
            )
            return FrameCount(count, words if odd else "")
    full = MOST_COUNT in stated.values() or layout.last == MOST_COUNT
    wrapped = any(0 < room - c and (room - c) % 65536 <= spare for c in stated.values())
    if room and (full or wrapped):
        words = (
            f"{_listed(stated)}, but a count of 16 bits ends at 65535 and the file "
            f"holds {room}: all are read"
        )
        return FrameCount(room, words, padded=True)
    held = [count for count in stated.values() if count <= room]
    if not held:
        words = f"holds {room} of the {min(stated.values())} frames it promises"
        raise InvalidRecording(path, words, "it is truncated; copy it again")
    words = (
        f"{_listed(stated)}; the file has room for {room}: {max(held)} are read, "
        f"{room - max(held)} are left out"
    )
    return FrameCount(max(held), words)


def _stated(layout: DataLayout, parameters: Parameters) -> dict[str, int]:
    """Collect what a file says about its number of frames; what counts most first."""
    start, end = (
        _long(parameters.get(("TRIAL", f"ACTUAL_{name}_FIELD")))
        for name in ("START", "END")
    )
    frames = int(number(parameters, "POINT", "FRAMES"))
    stated = {
        "TRIAL:ACTUAL_END_FIELD": end - start + 1 if start and end else 0,
        "POINT:LONG_FRAMES": int(number(parameters, "POINT", "LONG_FRAMES")),
        "POINT:FRAMES": frames if frames >= 0 else frames + 65536,
        "the header": layout.frames,
    }
    return {name: count for name, count in stated.items() if count > 0}


def _listed(stated: Mapping[str, int]) -> str:
    words = " and ".join(f"{name} {count}" for name, count in stated.items())
    return f"frames are {words}"


def _long(value: Any) -> int:
    """Join the two 16-bit words of a field, the lower one first."""
    if not isinstance(value, np.ndarray) or value.size != 2:
        return 0
    low, high = (int(word) & MOST_COUNT for word in np.nan_to_num(value.ravel()))
    return low + (high << 16)


def number(parameters: Parameters, group: str, name: str) -> float:
    """Return the first number of a parameter; 0 where there is none."""
    value = parameters.get((group, name))
    if not isinstance(value, np.ndarray) or not value.size:
        return 0.0
    first = float(value.flat[0])
    return first if math.isfinite(first) else 0.0


def _joined(parameters: Parameters, group: str, name: str) -> list[Any]:
    """Join a list that goes on in NAME2, NAME3, …, as lists of more than 255 do."""
    found: list[Any] = []
    for suffix in ("", *map(str, range(2, 100))):
        value = parameters.get((group, f"{name}{suffix}"))
        if value is None:
            break
        found += list(value.ravel() if isinstance(value, np.ndarray) else value)
    return found


def load_c3d(path: str | Path) -> dict[str, Any]:
    """Load the content of a C3D file as arrays.

    Returns:
        ``analog`` (n, channels) scaled, ``converter`` (2, channels) the least and the
        largest value that each converter gives, ``analog_rate``, ``points`` (frames,
        markers, 3), ``point_rate``, ``first_frame`` counted from 0, the texts
        ``labels``, ``point_unit``, ``analog_units``, the events (texts
        ``event_labels``, ``event_contexts``, and ``event_times`` [s of the trial]), the
        subject's ``mass`` [kg] (NaN without), ``notes``, and the parameters of
        FORCE_PLATFORM by name where the file has them.

    Raises:
        InvalidRecording: data that end early, or that don't fit their description.
    """
    data = Path(path).read_bytes()
    block = (data[0] - 1) * BLOCK_BYTES
    processor = data[block + 3]
    layout = layout_of(data[:BLOCK_BYTES], "<", processor)
    begin = (layout.data_block - 1) * BLOCK_BYTES
    blocks = max(data[block + 2], 1) * BLOCK_BYTES
    end_of_section = begin if begin > block else block + blocks
    parameters = parameters_of(data[block:end_of_section], processor)
    frames, notes = _frames(path, data, begin, layout, parameters, processor)
    timing = _timing(path, layout, parameters)
    channels = layout.measurements // max(timing.samples, 1)
    words = 4 * layout.points
    analog, converter = _analog(
        frames[:, words:].reshape(-1, channels) if channels else np.empty((0, 0)),
        layout,
        parameters,
    )
    odd = (*notes, timing.note, _mass_note(_masses(parameters)))
    found: dict[str, Any] = {
        "analog": analog,
        "converter": converter,
        "analog_rate": timing.analog_rate,
        "points": _points(
            frames[:, :words].reshape(len(frames), layout.points, 4), parameters
        ),
        "point_rate": timing.point_rate,
        "first_frame": float(
            (_long(parameters.get(("TRIAL", "ACTUAL_START_FIELD"))) or layout.first) - 1
        ),
        "notes": tuple(note for note in odd if note),
    }
    return found | _described(parameters)


def _described(parameters: Parameters) -> dict[str, Any]:
    """Collect texts, events, mass and force plates."""
    labels = _texts(parameters, "EVENT", "LABELS")
    times = parameters.get(("EVENT", "TIMES"))
    numbers = times if isinstance(times, np.ndarray) else np.empty(0)
    plates = {
        name: parameters["FORCE_PLATFORM", name]
        for name in NUMBER_PARAMETERS
        if isinstance(parameters.get(("FORCE_PLATFORM", name)), np.ndarray)
    }
    return {
        "labels": _texts(parameters, "POINT", "LABELS"),
        "point_unit": _texts(parameters, "POINT", "UNITS"),
        "analog_units": _texts(parameters, "ANALOG", "UNITS"),
        "event_labels": labels,
        "event_contexts": _texts(parameters, "EVENT", "CONTEXTS"),
        "event_times": event_times(numbers, len(labels)),
        "mass": next(iter(_masses(parameters).values()), math.nan),
    } | {name: value for name, value in plates.items() if value.size}


def _frames(
    path: str | Path,
    data: bytes,
    begin: int,
    layout: DataLayout,
    parameters: Parameters,
    processor: int,
) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Read the words of all frames, shape (frames, words a frame), and notes."""
    rotations = (int(number(parameters, "ROTATION", "DATA_START")) - 1) * BLOCK_BYTES
    end = rotations if begin < rotations < len(data) else len(data)
    count = frame_count(path, layout, parameters, (end - begin) // layout.width)
    kind = "<f4" if layout.real else "<i2"
    words = layout.width // (4 if layout.real else 2)
    raw = np.frombuffer(data, kind, count.frames * words, begin).reshape(-1, words)
    if count.padded:
        spare = (BLOCK_BYTES - 1) // layout.width
        filled = np.flatnonzero(raw[-spare - 1 :].any(axis=1))
        kept = len(raw) - spare + int(filled[-1]) if len(filled) else len(raw)
        note = count.note.replace(f"holds {len(raw)}", f"holds {min(kept, len(raw))}")
        return raw[:kept], (note,)
    if layout.real and processor == DEC:
        raw = vax_floats(raw)
    return raw, (count.note,)


class _Timing(NamedTuple):
    """Rates of frames and analog samples."""

    samples: int  # of each channel a frame
    point_rate: float  # [Hz]
    analog_rate: float  # [Hz]
    note: str


def _timing(path: object, layout: DataLayout, parameters: Parameters) -> _Timing:
    """Find the rates, each of which a file may leave to the others."""
    stated = number(parameters, "ANALOG", "RATE")
    frame_rate = number(parameters, "POINT", "RATE")
    if not frame_rate > 0.0 and layout.rate > 0.0 and math.isfinite(layout.rate):
        frame_rate = layout.rate
    used = int(number(parameters, "ANALOG", "USED"))
    samples = layout.samples
    if not samples and layout.measurements:
        samples = layout.measurements // used if used > 0 else 1
    if layout.measurements % max(samples, 1):
        words = (
            f"its header has {layout.measurements} analog values a frame, which are no "
            f"{samples} samples of each channel"
        )
        raise InvalidRecording(path, words, "it is damaged")
    if not frame_rate > 0.0:
        frame_rate = stated / max(samples, 1)
    rate = frame_rate * samples
    differs = stated > 0.0 and rate > 0.0 and abs(stated / rate - 1.0) > RATE_SHARE
    note = (
        f"ANALOG:RATE is {stated:g} Hz, but {samples} samples a frame at "
        f"{frame_rate:g} Hz are {rate:g} Hz, which counts"
    )
    return _Timing(samples, frame_rate, rate, note if differs else "")


def _analog(
    raw: NDArray[Any], layout: DataLayout, parameters: Parameters
) -> tuple[FloatArray, FloatArray]:
    """Scale the analog channels; also what their converters give at most, (2, k)."""
    channels = raw.shape[1]
    form = _texts(parameters, "ANALOG", "FORMAT")
    unsigned = bool(len(form)) and str(form[0]).upper().startswith("UNSIGNED")
    offset = _of_channels(_joined(parameters, "ANALOG", "OFFSET"), channels, 0.0)
    scale = _of_channels(_joined(parameters, "ANALOG", "SCALE"), channels, 1.0)
    general = number(parameters, "ANALOG", "GEN_SCALE")
    scale = scale * (general if ("ANALOG", "GEN_SCALE") in parameters else 1.0)
    if unsigned:
        raw = raw if layout.real else raw.astype("<i2").view("<u2")
        offset = np.where(offset < 0.0, offset + 65536.0, offset)
    bits = int(number(parameters, "ANALOG", "BITS")) or SHORT_BITS
    span = 2.0 ** (bits if 8 <= bits <= 32 else SHORT_BITS)
    if layout.real and ("ANALOG", "BITS") not in parameters:
        span = math.inf  # floats have no end of their own
    # converters whose zero lies in their middle count from 0
    counted = unsigned or bool((offset > 0.25 * span).any())
    lowest = np.full(channels, 0.0 if counted else -0.5 * span)
    highest = np.full(channels, (span if counted else 0.5 * span) - 1.0)
    ends = np.array([lowest, highest])
    with np.errstate(invalid="ignore", over="ignore"):
        return (raw.astype(float) - offset) * scale, (ends - offset) * scale


def _of_channels(values: list[Any], channels: int, default: float) -> FloatArray:
    """Fill up what a file says of its channels with the default, shape (channels,)."""
    numbers = [float(one) for one in values if not isinstance(one, str)][:channels]
    return np.array(numbers + [default] * (channels - len(numbers)))


def _points(raw: NDArray[Any], parameters: Parameters) -> FloatArray:
    """Scale the points, shape (frames, points, 3); NaN where one was not seen."""
    scale = abs(number(parameters, "POINT", "SCALE")) or 1.0
    whole = raw.dtype.kind == "i"
    places = raw[:, :, :3].astype(float) * (scale if whole else 1.0)
    places[raw[:, :, 3] < 0] = np.nan
    return places


def _texts(parameters: Parameters, group: str, name: str) -> NDArray[np.str_]:
    values = _joined(parameters, group, name)
    return np.array([one for one in values if isinstance(one, str)], dtype=np.str_)


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


def _masses(parameters: Parameters) -> dict[str, float]:
    """Return the parameters that can be the subject's mass [kg]; what counts first."""
    values = {f"{g}:{name}": number(parameters, g, name) for g, name in MASSES}
    return {name: mass for name, mass in values.items() if 0.0 < mass < HEAVIEST}


def _mass_note(masses: Mapping[str, float]) -> str:
    """Name the masses of a file that differ; empty where they don't."""
    if not masses or max(masses.values()) < MASS_SHARE * min(masses.values()):
        return ""
    words = " and ".join(f"{name} {mass:g} kg" for name, mass in masses.items())
    return f"the file has {words}: the first counts"
