# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Sensors that a description has: IMUs and force/torque sensors, by their links.

A sensor that a description has not is never made up: without a force/torque sensor in
each foot its forces come from the currents of the motors. Only an IMU in the body,
without which no humanoid knows its attitude, is assumed.

A sensor is an element ``<sensor>`` at a link or joint, Gazebo's as well; where none has
its kind, a link whose name says so (``imu_link``, ``l_foot_ft_sensor``). A sensor at a
joint measures in the joint's child.
"""

from __future__ import annotations

import re
from typing import NamedTuple, Sequence
from xml.etree.ElementTree import Element, tostring

from biped_slip.robots.described_robot import DescribedRobot, Setting
from biped_slip.robots.description import base_link
from biped_slip.robots.legs import snake

IMU_WORDS = re.compile(r"(?:^|[^a-z])(imu|gyro|accelerometer|inertial|vectornav)")
FORCE_WORDS = re.compile(
    r"(?:^|[^a-z])(ft|fts|f_t|force|forcetorque|ftsensor|[lr]fsensor|sixaxis|loadcell)"
    r"(?![a-z])"
)
IMU_TYPES = ("imu", "imu_sensor")
FORCE_TYPES = ("force_torque", "force", "torque")


class DescribedSensors(NamedTuple):
    """Links with sensors, in the order of the description."""

    imus: tuple[str, ...]
    wrenches: tuple[str, ...]  # six axes
    forces: tuple[str, ...]  # three axes: forces without moments


def described_sensors(robot: Element) -> DescribedSensors:
    """Find the sensors of a URDF; names count where no element says the kind."""
    links = [link.get("name", "") for link in robot.findall("link")]
    kinds = _kinds(robot, links)
    imus = [link for link in links if kinds.get(link, set()) & set(IMU_TYPES)]
    wrenches = []
    forces = []
    for link in links:
        has = kinds.get(link, set())
        if "force_torque" in has or {"force", "torque"} <= has:
            wrenches.append(link)
        elif "force" in has:
            forces.append(link)
    if not imus:
        imus = _named(robot, links, IMU_WORDS)
    if not wrenches and not forces:
        wrenches = _named(robot, links, FORCE_WORDS)
    return DescribedSensors(tuple(imus), tuple(wrenches), tuple(forces))


def _kinds(robot: Element, links: Sequence[str]) -> dict[str, set[str]]:
    """Return the kinds of sensors at each link, as elements say them."""
    children = {
        joint.get("name", ""): _child(joint) for joint in robot.findall("joint")
    }
    found: dict[str, set[str]] = {}
    holders = [*robot.findall("gazebo"), *robot.findall("joint"), robot]
    for holder in holders:
        for sensor in holder.findall("sensor"):
            place = holder.get("reference", holder.get("name", ""))
            parent = sensor.find("parent")
            if parent is not None:
                place = parent.get("link", parent.get("joint", ""))
            link = place if place in links else children.get(place, "")
            kinds = found.setdefault(link, set())
            kinds.add(sensor.get("type", ""))
            kinds.update(part.tag for part in sensor)
    return found


def _named(robot: Element, links: Sequence[str], words: re.Pattern[str]) -> list[str]:
    """List links whose name, or whose fixed joint's, holds a word."""
    fixed = {
        _child(joint): joint.get("name", "")
        for joint in robot.findall("joint")
        if joint.get("type") == "fixed"
    }
    return [  # a link that moves has the name of its motor
        link
        for link in links
        if link in fixed
        and (words.search(snake(link)) or words.search(snake(fixed[link])))
    ]


def _child(joint: Element) -> str:
    child = joint.find("child")
    return "" if child is None else child.get("link", "")


# What a robot's YAML says of them.

FRAMES_IN_FEET = {
    "force_torque": ("l_ft", "r_ft"),
    "foot_imus": ("l_foot_imu", "r_foot_imu"),
}


def sensor_settings(robot: DescribedRobot) -> dict[str, Setting]:
    """Return where the robot's sensors are, and which it lacks."""
    sensors = described_sensors(robot.element)
    settings = {"imu": _body_imu(robot, sensors)}
    absent = []
    for kind, frames in FRAMES_IN_FEET.items():
        carried = _in_feet(robot, _links(sensors, kind))
        if any(len(links) != 1 for links in carried):
            absent.append(kind)
            continue
        for frame, links in zip(frames, carried, strict=True):
            settings[frame] = Setting({"link": links[0]}, "of the description")
    if absent:
        why = "the description has none in its feet"
        if "force_torque" in absent:
            why += ": forces come from the currents of its motors"
        settings["absent"] = Setting(absent, why)
    return settings


def sensor_notes(robot: DescribedRobot) -> tuple[str, ...]:
    """Name force sensors of the feet that are not used."""
    sensors = described_sensors(robot.element)
    notes = []
    if any(len(links) > 1 for links in _in_feet(robot, sensors.wrenches)):
        notes.append(
            "a foot has several force/torque sensors, which share its load and are "
            "not added: forces come from the currents of its motors"
        )
    if any(_in_feet(robot, sensors.forces)):
        notes.append(
            "the feet's force sensors have three axes and no moments: forces come "
            "from the currents of its motors"
        )
    return tuple(notes)


def _links(sensors: DescribedSensors, kind: str) -> tuple[str, ...]:
    return sensors.wrenches if kind == "force_torque" else sensors.imus


def _in_feet(robot: DescribedRobot, links: Sequence[str]) -> list[list[str]]:
    """Sort out the links that the left and the right foot carry."""
    feet = [chain[-1] for chain in robot.legs.joints]
    return [[link for link in links if robot.carrier(link) == foot] for foot in feet]


def _body_imu(robot: DescribedRobot, sensors: DescribedSensors) -> Setting:
    legs = {joint for chain in robot.legs.joints for joint in chain}
    found = [link for link in sensors.imus if robot.carrier(link) not in legs]
    if not found:
        base = base_link(tostring(robot.element, encoding="unicode"))
        return Setting({"link": base}, "assumed: the description has none")
    nearest = min(found, key=lambda link: _joints_above(robot, link))
    if len(found) == 1:
        return Setting({"link": nearest}, "of the description")
    others = ", ".join(link for link in found if link != nearest)
    why = f"of {len(found)}, the one nearest to the base (others: {others})"
    return Setting({"link": nearest}, why)


def _joints_above(robot: DescribedRobot, link: str) -> tuple[int, int]:
    """Count the joints between the base and a link: those that move, then all."""
    return len(robot.model.supports[robot.carrier(link)]), len(robot.above(link))
