# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a biped's description, said before anything is simulated with it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

from biped_slip.errors import BipedSlipError, InvalidParameter, UnknownName

TILT = 0.2  # [rad] between a sole and the floor in the standing posture
RANGE_SLACK = 1e-6  # [rad] beyond a joint's range: rounding of its description
UNEVEN = 0.01  # [m] between the heights of both soles
LEAST_MASS = 1e-9  # [kg]
ENDLESS = 1000.0  # [N m] a torque limit that stands for none


def check_description(urdf: str, joints: tuple[str, ...]) -> None:
    """Inertia on every moving link, and every moving joint actuated.

    Args:
        urdf: completed description.
        joints: actuated joints; () is all.

    Raises:
        BipedSlipError: with the joint, its link and what to do.
    """
    try:
        model = pin.buildModelFromXML(urdf)
    except (ValueError, RuntimeError) as error:
        raise BipedSlipError(f"robot description: not a valid URDF ({error})") from error
    moving = list(model.names)[1:]
    for joint in joints:
        if joint not in moving:
            raise UnknownName("actuated joint", joint, moving)
    idle = [joint for joint in moving if joint not in joints]
    if joints and idle:
        raise InvalidParameter(
            "joints", joints, f"every moving joint; {', '.join(idle)} is not actuated", "list it, or lock it"
        )
    if model.inertias[0].mass < LEAST_MASS:
        raise InvalidParameter(
            "mass of the base link", model.inertias[0].mass, "> 0 kg", "give the description's root an inertia"
        )
    for i, name in enumerate(moving, start=1):
        inertia = model.inertias[i]
        if inertia.mass < LEAST_MASS:
            raise InvalidParameter(
                f"mass moved by joint {name}", inertia.mass, "> 0 kg", "give its link an <inertial>, or lock the joint"
            )
        least = float(np.linalg.eigvalsh(inertia.inertia)[0])
        if least <= 0.0:
            raise InvalidParameter(
                f"smallest principal moment moved by joint {name}",
                least,
                "> 0 kg m^2",
                "correct the link's inertia, or say 'least_moment: 1e-5'",
            )


def check_motors(joints: tuple[str, ...], efforts: np.ndarray, speeds: np.ndarray) -> None:
    """Every joint has torque and speed: a description may leave them at 0."""
    for name, effort, speed in zip(joints, efforts, speeds, strict=True):
        if not effort > 0.0:
            raise InvalidParameter(
                f"torque limit of joint {name}", float(effort), "> 0 N m", "give it under 'efforts', or lock the joint"
            )
        if not speed > 0.0:
            raise InvalidParameter(f"speed limit of joint {name}", float(speed), "> 0 rad/s", "correct its <limit>")


def doubts(model: Any, efforts: np.ndarray) -> list[str]:
    """What a description says that no body or motor can be like, but that a simulation bears; one sentence each."""
    found = []
    for i in range(1, model.njoints):
        moments = np.linalg.eigvalsh(model.inertias[i].inertia)
        if moments[2] > (moments[0] + moments[1]) * (1.0 + 1e-3):
            excess = moments[2] / (moments[0] + moments[1])
            found.append(
                f"inertia moved by joint {model.names[i]}: no body has it, one moment is {excess:.2g} x the others' sum"
            )
    endless = [model.names[i + 2] for i, effort in enumerate(efforts) if effort >= ENDLESS]
    if endless:
        found.append(f"torque limits of {', '.join(endless)}: {ENDLESS:g} N m or more; give real ones under 'efforts'")
    return found


def check_posture(model: Any, q: np.ndarray) -> None:
    """Every joint of the standing posture is inside its range.

    Args:
        q: coordinates (nq,) of the posture.
    """
    low, high = model.lowerPositionLimit[7:], model.upperPositionLimit[7:]
    outside = np.flatnonzero((q[7:] < low - RANGE_SLACK) | (q[7:] > high + RANGE_SLACK)).tolist()
    if len(outside):
        first = outside[0]
        others = (
            f" (outside are, too: {', '.join(model.names[2 + i] for i in outside[1:])})" if len(outside) > 1 else ""
        )
        raise InvalidParameter(
            f"posture of joint {model.names[2 + first]}",
            round(float(q[7 + first]), 4),
            f"within its range, {low[first]:.4g} to {high[first]:.4g} rad",
            f"correct it under 'posture', or the joint's <limit>{others}",
        )


def check_stance(model: Any, q: np.ndarray, soles: tuple[str, str]) -> None:
    """In the standing posture both soles are level, look up and forward, and the left one is left.

    Args:
        q: coordinates (nq,) with an upright base that looks along x.
    """
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    places = [data.oMf[model.getFrameId(sole)] for sole in soles]
    for sole, place in zip(soles, places, strict=True):
        up, forward = place.rotation[2, 2], place.rotation[0, 0]
        if up < np.cos(TILT):
            raise InvalidParameter(
                f"{sole}: angle between its z axis and the vertical in the standing posture",
                round(float(np.arccos(np.clip(up, -1.0, 1.0))), 3),
                f"<= {TILT} rad",
                "correct its rpy or the posture",
            )
        if forward < 0.5:
            raise InvalidParameter(
                f"{sole}: x axis in the base's frame",
                tuple(place.rotation[:, 0].round(3).tolist()),
                "forward, as the base's x axis",
                "correct its rpy; a base that looks backwards needs a root link above it that looks forward",
            )
    left, right = (place.translation for place in places)
    if left[1] <= right[1]:
        raise InvalidParameter(
            "l_sole", f"{right[1] - left[1]:.3f} m right of r_sole", "on the left (+y) side", "swap the soles"
        )
    if abs(left[2] - right[2]) > UNEVEN:
        raise InvalidParameter("height of l_sole over r_sole", float(left[2] - right[2]), f"within {UNEVEN} m")
