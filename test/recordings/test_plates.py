# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Force plates of every C3D type, against closed forms and the independent conversion
of ezc3d."""

import contextlib

import numpy as np
import pytest

from biped_slip.errors import InvalidRecording, UnknownName
from biped_slip.recordings.c3d import read_c3d
from biped_slip.recordings.opensim import read_storage
from biped_slip.recordings.plates import (
    Plate,
    centre_of_pressure,
    plate_axes,
    plate_wrench,
)

ezc3d = pytest.importorskip("ezc3d")

# axes of the laboratory
CORNERS = np.array([[0.6, 0.4, 0.0], [0.0, 0.4, 0.0], [0.0, 0.0, 0.0], [0.6, 0.0, 0.0]])
# sensor depth and distances [m]
DEPTH = 0.05
A = 0.21
B = 0.13
# about the centre
FORCE = np.array([30.0, -20.0, 700.0])
POINT = np.array([0.08, -0.05, 0.0])
TWIST = 3.0


def truth():
    return FORCE, np.cross(POINT, FORCE) + np.array([0.0, 0.0, TWIST])


def channels(kind):
    """What a plate of a type would measure for the force above, one sample."""
    force, moment = truth()
    deep = moment - np.cross(force, [0.0, 0.0, -DEPTH])  # about the sensor
    if kind == 1:
        return np.array([[*force, POINT[0], POINT[1], TWIST]])
    if kind in (2, 4):
        return np.array([[*force, *deep]])
    total = force[2]
    over_b = deep[0] / B
    over_a = deep[1] / A
    z = [
        (total + over_b - over_a) / 4,
        (total + over_b + over_a) / 4,
        (total - over_b + over_a) / 4,
    ]
    z.append(total - sum(z))
    twist = deep[2] / B
    return np.array(
        [
            [
                force[0] / 2 - twist / 2,
                force[0] / 2 + twist / 2,
                force[1] / 2,
                force[1] / 2,
                *z,
            ]
        ]
    )


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_every_type_gives_force_moment_and_centre_of_pressure(kind):
    origin = np.array([A, B, -DEPTH]) if kind == 3 else np.array([0.0, 0.0, -DEPTH])
    scale = np.diag([2.0] * 6) if kind == 4 else None
    raw = channels(kind) / (2.0 if kind == 4 else 1.0)
    force, moment = plate_wrench(kind, raw, CORNERS, origin, scale)
    assert force[0] == pytest.approx(truth()[0])
    assert moment[0] == pytest.approx(truth()[1])
    plate = Plate(
        name="p",
        stamp_ns=np.zeros(1, dtype=np.int64),
        force=force,
        moment=moment,
        centre=CORNERS.mean(axis=0),
        corners=CORNERS,
    )
    assert centre_of_pressure(plate, force, moment, 2)[0] == pytest.approx(
        CORNERS.mean(axis=0) + POINT
    )


@pytest.mark.parametrize("kind", [2, 3, 4])
def test_the_sign_in_which_a_file_stores_the_sensor_depth_does_not_matter(kind):
    origin = np.array([A, B, -DEPTH]) if kind == 3 else np.array([0.0, 0.0, -DEPTH])
    raw = channels(kind)
    down, up = (
        plate_wrench(kind, raw, CORNERS, sign * origin, None)[1] for sign in (1.0, -1.0)
    )
    assert down == pytest.approx(up)


def test_turning_the_plate_in_the_laboratory_turns_force_and_moment_alike():
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    force, moment = plate_wrench(
        2, channels(2), CORNERS @ turn.T, np.array([0.0, 0.0, -DEPTH]), None
    )
    assert force[0] == pytest.approx(turn @ truth()[0])
    assert moment[0] == pytest.approx(turn @ truth()[1])


def test_plate_axes_are_a_rotation():
    corners = CORNERS + np.random.default_rng(1).normal(0, 0.001, (4, 3))
    axes = plate_axes(corners)
    assert axes.T @ axes == pytest.approx(np.eye(3), abs=1e-12)
    assert np.linalg.det(axes) == pytest.approx(1.0)


def test_an_unknown_type_is_named():
    with pytest.raises(UnknownName, match="force plate type '21'"):
        plate_wrench(21, channels(2), CORNERS, np.zeros(3), None)


@pytest.mark.parametrize(
    "name",
    "btk_c3d/PiG_Motion3_noFF btk_c3d/Eb015pr btk_c3d/type-2a opensim/walking2 "
    "pycgm/Sample_Static".split(),
)
def test_our_plates_equal_those_of_ezc3d(recordings, name):
    path = recordings / f"{name}.c3d"
    plates = read_c3d(path).plates
    reference = ezc3d.c3d(str(path), extract_forceplat_data=True)["data"]["platform"]
    assert len(plates) == len(reference)
    for ours, theirs in zip(plates, reference, strict=True):
        assert ours.force == pytest.approx(theirs["force"].T, abs=1e-9)
        assert ours.moment * 1e3 == pytest.approx(theirs["moment"].T, abs=1e-6)


@pytest.mark.parametrize("name", ["std_walking2_grfs.sto", "std_cop_walking2_grfs.sto"])
def test_opensims_own_output_for_a_c3d_file_equals_ours(recordings, name):
    ours = read_c3d(recordings / "opensim" / "walking2.c3d").plates
    theirs, notes = read_storage(recordings / "opensim" / name)
    assert any("mm" in note for note in notes)
    for plate, reference in zip(ours, theirs, strict=True):
        rows = np.searchsorted(plate.stamp_ns, reference.stamp_ns)
        assert plate.force[rows] == pytest.approx(reference.force, abs=1e-3)


def test_one_trial_described_as_two_types_gives_the_same_forces(recordings):
    one, other = (
        read_c3d(recordings / "btk_c3d" / f"type-{kind}a.c3d").plates for kind in (2, 4)
    )
    peaks = [
        [float(plate.force[:, 2].max()) for plate in plates] for plates in (one, other)
    ]
    assert np.ravel(peaks) == pytest.approx([521.6, 582.8, 520.7, 583.2], abs=0.1)
    for first, second in zip(one, other, strict=True):
        assert np.abs(first.force - second.force).max() <= 1.8
        top = int(np.argmax(first.force[:, 2]))
        points = [
            centre_of_pressure(p, p.force, p.moment, 2)[top] for p in (first, second)
        ]
        assert np.linalg.norm(points[0] - points[1]) < 0.6e-3


def written(folder, kind, samples=200, **changes):
    """A C3D file of one plate of a type with a person on it in the middle third."""
    file = ezc3d.c3d()
    raw = np.repeat(channels(kind), samples, axis=0)
    raw[: samples // 3] = raw[2 * samples // 3 :] = 0.0
    rate = changes.get("rate", 100.0)
    file["parameters"]["POINT"]["RATE"]["value"] = [rate]
    file["parameters"]["POINT"]["LABELS"]["value"] = ["LHEE"]
    file["parameters"]["POINT"]["UNITS"]["value"] = ["m"]
    file["parameters"]["ANALOG"]["RATE"]["value"] = [rate]
    file["parameters"]["ANALOG"]["LABELS"]["value"] = [
        f"c{k}" for k in range(raw.shape[1])
    ]
    units = {
        1: ["N"] * 3 + ["m"] * 2 + ["Nm"],
        2: ["N"] * 3 + ["Nm"] * 3,
        3: ["N"] * 8,
        4: ["V"] * 6,
    }[kind]
    file["parameters"]["ANALOG"]["UNITS"]["value"] = changes.get("units", units)
    file["data"]["points"] = np.zeros((4, 1, samples))
    file["data"]["analogs"] = raw.T[None]
    file.add_parameter("FORCE_PLATFORM", "USED", [changes.get("used", 1)])
    file.add_parameter("FORCE_PLATFORM", "TYPE", [changes.get("type", kind)])
    file.add_parameter(
        "FORCE_PLATFORM", "CORNERS", changes.get("corners", CORNERS).T[:, :, None]
    )
    origin = (
        np.array([A, B, -DEPTH])
        if kind == 3
        else np.array([0.0, 0.0, -DEPTH if kind != 1 else 0.0])
    )
    file.add_parameter("FORCE_PLATFORM", "ORIGIN", origin[:, None])
    first = changes.get("channel", 1)
    file.add_parameter(
        "FORCE_PLATFORM", "CHANNEL", (np.arange(raw.shape[1]) + float(first))[:, None]
    )
    if kind == 4:
        file.add_parameter("FORCE_PLATFORM", "CAL_MATRIX", np.eye(6)[:, :, None])
    path = folder / "written.c3d"
    file.write(str(path))
    return path


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_a_file_of_every_type_is_read_in_its_own_units(tmp_path, kind):
    plates = read_c3d(written(tmp_path, kind)).plates
    assert plates[0].force[100] == pytest.approx(truth()[0], rel=1e-5)
    assert plates[0].moment[100] == pytest.approx(truth()[1], rel=1e-4)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"used": 3}, "promises 3 plates"),
        ({"channel": 40}, "channels that don't exist"),
        ({"corners": np.zeros((4, 3))}, "span no area"),
        (
            {"rate": 1e-30},
            "at 1e-30 Hz; ANALOG:RATE, POINT:RATE or its header must name the rate",
        ),
        ({"rate": 0.01}, "at 0.01 Hz"),
        ({"rate": 1e7}, "at 1e\\+07 Hz"),
    ],
)
def test_a_plate_that_cannot_be_right_is_refused(tmp_path, changes, words):
    with pytest.raises(InvalidRecording, match=words):
        read_c3d(written(tmp_path, 2, **changes))


def test_a_plate_type_without_conversion_is_refused_by_name(tmp_path):
    with pytest.raises(InvalidRecording, match=r"written\.c3d: plate 1 is of type 6"):
        read_c3d(written(tmp_path, 2, type=6))


def test_an_unknown_analog_unit_is_presumed_and_said(tmp_path):
    notes = read_c3d(written(tmp_path, 2, units=["bananas"] * 6)).notes
    assert any("'bananas' isn't known" in note for note in notes)


@pytest.mark.parametrize(
    ("cut", "words"),
    [
        (0, "is empty"),
        (10, "not a C3D file"),
        (600, "broken|ends before"),
        (2500, "truncated|broken"),
        (-2000, "of the .* frames"),
    ],
)
def test_a_truncated_file_says_what_is_missing(tmp_path, recordings, cut, words):
    data = (recordings / "btk_c3d" / "type-2a.c3d").read_bytes()
    path = tmp_path / "cut.c3d"
    path.write_bytes(data[:cut])
    with pytest.raises(InvalidRecording, match=words):
        read_c3d(path)


def test_a_wrong_byte_order_mark_is_refused(tmp_path, recordings):
    data = bytearray((recordings / "btk_c3d" / "type-2a.c3d").read_bytes())
    data[(data[0] - 1) * 512 + 3] = 99
    (tmp_path / "order.c3d").write_bytes(bytes(data))
    with pytest.raises(InvalidRecording, match="processor type is 99"):
        read_c3d(tmp_path / "order.c3d")


def test_a_file_that_claims_the_other_byte_order_is_refused(tmp_path, recordings):
    data = bytearray((recordings / "btk_c3d" / "type-2a.c3d").read_bytes())
    data[(data[0] - 1) * 512 + 3] = 86  # big endian, but it isn't
    (tmp_path / "order.c3d").write_bytes(bytes(data))
    with pytest.raises(InvalidRecording, match=r"damaged|truncated"):
        read_c3d(tmp_path / "order.c3d")


def test_damaged_files_are_refused_or_read_but_never_crash(tmp_path, recordings):
    data = (recordings / "pycgm" / "Sample_Static.c3d").read_bytes()
    rng = np.random.default_rng(7)
    for _ in range(15):
        damaged = bytearray(data)
        for place in rng.integers(0, 6000, 8):
            damaged[place] = int(rng.integers(256))
        (tmp_path / "damaged.c3d").write_bytes(bytes(damaged))
        with contextlib.suppress(InvalidRecording, UnknownName):
            read_c3d(tmp_path / "damaged.c3d")
