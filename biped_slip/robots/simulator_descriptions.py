# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Descriptions of robots for other simulators: MJCF for MuJoCo, URDF for Gazebo.

Gazebo has no rotor inertia: a controller there needs the robot without it
(:func:`without_rotors`).
"""

from __future__ import annotations

import dataclasses
from typing import Any, Collection, Iterable
from xml.etree.ElementTree import Element, SubElement, fromstring, tostring

import numpy as np
import pinocchio as pin

from biped_slip.constants import GRAVITY
from biped_slip.errors import InvalidParameter
from biped_slip.robots.description import base_link
from biped_slip.robots.humanoid import (
    FOOT_IMUS,
    FORCE_SENSORS,
    IMU,
    Humanoid,
    humanoid_of,
)
from biped_slip.robots.robot import SOLES, Robot

# [m] of the ball that stands for a point foot; the floor lies as much lower
SOLE_RADIUS = 1.0e-3


def mjcf(robot: Robot, slope: float = 0.0) -> Element:
    """Write the MJCF of a robot over a plane that rises along x by ``slope`` [rad].

    The plane goes through the origin.

    The coordinates and their order are those of its Pinocchio model. Joints with one
    degree of freedom; a ball of
    :data:`SOLE_RADIUS` at each sole, paired with the floor alone.
    """
    root = Element("mujoco")
    SubElement(root, "option", gravity=f"0 0 {-GRAVITY!r}")
    world = SubElement(root, "worldbody")
    normal = np.array([-np.sin(slope), 0.0, np.cos(slope)])
    SubElement(
        world,
        "geom",
        name="floor",
        type="plane",
        size="100 100 1",
        zaxis=_text(normal),
        pos=_text(-SOLE_RADIUS * normal),
        contype="0",
        conaffinity="0",
    )
    bodies: dict[int, Element] = {0: world}
    for index in range(1, robot.model.njoints):
        bodies[index] = _joint(robot.model, index, bodies)
    _soles(robot, bodies)
    pairs = SubElement(root, "contact")
    for name in robot.soles:
        SubElement(pairs, "pair", name=name, geom1="floor", geom2=name, condim="3")
    return root


def _joint(model: Any, index: int, bodies: dict[int, Element]) -> Element:
    """Append joint and link ``index``.

    Joints with nothing between them share a body.
    """
    parent = bodies[model.parents[index]]
    placement = model.jointPlacements[index]
    if parent.tag == "body" and parent.find("inertial") is None:
        body = parent
    else:
        body = SubElement(
            parent,
            "body",
            name=f"link_{model.names[index]}",
            pos=_text(placement.translation),
            quat=_quaternion(placement.rotation),
        )
    joint = model.joints[index]
    data = joint.createData()
    joint.calc(data, np.zeros(joint.nq))
    axis = np.asarray(data.S).reshape(6)
    slides = bool(np.any(axis[:3] != 0.0))
    SubElement(
        body,
        "joint",
        name=model.names[index],
        type="slide" if slides else "hinge",
        axis=_text(axis[:3] if slides else axis[3:]),
    )
    inertia = model.inertias[index]
    if inertia.mass > 0.0:
        xx, xy, yy, xz, yz, zz = inertia.inertia[np.tril_indices(3)]
        full = np.array([xx, yy, zz, xy, xz, yz])
        SubElement(
            body,
            "inertial",
            mass=repr(float(inertia.mass)),
            pos=_text(inertia.lever),
            fullinertia=_text(full),
        )
    return body


def _soles(robot: Robot, bodies: dict[int, Element]) -> None:
    for name in robot.soles:
        frame = robot.model.frames[robot.model.getFrameId(name)]
        SubElement(
            bodies[frame.parentJoint],
            "geom",
            name=name,
            type="sphere",
            size=repr(SOLE_RADIUS),
            mass="0",
            pos=_text(frame.placement.translation),
            contype="0",
            conaffinity="0",
        )


def _text(values: Any) -> str:
    return " ".join(repr(float(value)) for value in values)


def _quaternion(rotation: Any) -> str:
    x, y, z, w = pin.Quaternion(np.asarray(rotation)).coeffs()
    return _text((w, x, y, z))


SENSOR_RATE = 1000  # [Hz] of every sensor, at most once a step
# [m] radius of a sole's corners, which touch the floor where the sole's plane does
# (choice)
BALL = 0.002
# friction of the corners: the smaller of two counts, so the floor's patch decides
CORNER_FRICTION = 10.0
TOPICS = {
    IMU: "imu/data",
    **dict(zip(FOOT_IMUS, ("l_foot/imu", "r_foot/imu"), strict=True)),
    **dict(zip(FORCE_SENSORS, ("l_ankle/wrench", "r_ankle/wrench"), strict=True)),
}


def without_rotors(humanoid: Humanoid) -> Humanoid:
    """Remove the rotor inertia from the joints, as Gazebo has none."""
    config = dataclasses.replace(humanoid.config, armature=0.0, armatures=())
    return humanoid_of(config, humanoid.name, humanoid.folder)


EVERY_SENSOR = (IMU, *FOOT_IMUS, *FORCE_SENSORS)


def gazebo_description(
    humanoid: Humanoid,
    controllers: str,
    namespace: str = "",
    sensors: Collection[str] = EVERY_SENSOR,
) -> str:
    """Write a URDF with what Gazebo needs besides.

    These are feet that collide, sensors, and joint efforts by ros2_control.

    Args:
        humanoid: standing in its posture at the start.
        controllers: path of the controllers' YAML, which Gazebo's plugin reads.
        namespace: of the controller manager and of all topics inside Gazebo.
        sensors: frames of those that the robot has.

    Raises:
        InvalidParameter: a force-torque sensor that is not in a joint.
    """
    robot = fromstring(humanoid.urdf)
    for foreign in (
        one
        for tag in ("gazebo", "ros2_control", "transmission")
        for one in robot.findall(tag)
    ):
        robot.remove(foreign)  # of other simulators
    for body in robot.findall("link"):
        _drop_nothing(body)
    carriers = _Carriers(humanoid, robot)
    place = f"{namespace.strip('/')}/" if namespace.strip("/") else ""
    for foot, sole in enumerate(SOLES):
        _add_corners(robot, carriers, sole, humanoid.polygon(foot))
    for imu in (one for one in (IMU, *FOOT_IMUS) if one in sensors):
        link, placement = carriers.of(imu)
        sensor = _sensor(SubElement(robot, "gazebo", reference=link), imu, "imu", place)
        SubElement(sensor, "pose").text = _numbers(
            (*placement.translation, *pin.rpy.matrixToRpy(placement.rotation))
        )
    for name in (one for one in FORCE_SENSORS if one in sensors):
        sensor = _sensor(
            SubElement(robot, "gazebo", reference=carriers.joint_at(name)),
            name,
            "force_torque",
            place,
        )
        _add_texts(
            _part(sensor, "force_torque"),
            frame="child",
            measure_direction="child_to_parent",
        )
    robot.append(_control(humanoid))
    plugins = SubElement(robot, "gazebo")
    _add_plugins(plugins, controllers, namespace, place, base_link(humanoid.urdf))
    _add_joint_states(plugins, humanoid.robot.joints, place)
    return tostring(robot, encoding="unicode")


def gazebo_controllers(
    joints: Iterable[str], rate: int = SENSOR_RATE
) -> dict[str, Any]:
    """Write the controllers' YAML: joint states out, joint efforts in.

    Their rate [Hz] is of simulated time.
    """
    controllers = {
        "joint_state_broadcaster": "joint_state_broadcaster/JointStateBroadcaster",
        "effort_controller": "forward_command_controller/ForwardCommandController",
    }
    manager = {
        "update_rate": rate,
        "enforce_command_limits": True,
        "use_sim_time": True,
    }
    types = {name: {"type": kind} for name, kind in controllers.items()}
    return {
        "/**/controller_manager": {"ros__parameters": {**manager, **types}},
        "/**/joint_state_broadcaster": {
            "ros__parameters": {"use_local_topics": True}
        },  # Gazebo itself publishes them
        "/**/effort_controller": {
            "ros__parameters": {"interface_name": "effort", "joints": list(joints)}
        },
    }


class _Carriers:
    """Links that survive the conversion to SDF, in which fixed joints disappear.

    Each has the frame of its joint.
    """

    def __init__(self, humanoid: Humanoid, robot: Element) -> None:
        self._model = humanoid.model
        self._links = {
            one.get("name", ""): _part(one, "child").get("link", "")
            for one in robot.findall("joint")
        }
        self._base = base_link(humanoid.urdf)
        self._config = humanoid.config

    def of(self, frame: str) -> tuple[str, Any]:
        """Return the link that carries a frame, and the frame's placement in it."""
        found = self._model.frames[self._model.getFrameId(frame)]
        joint = self._model.names[found.parentJoint]
        return self._links.get(joint, self._base), found.placement

    def joint_at(self, frame: str) -> str:
        """Return the joint whose child has a frame at its origin."""
        found = self._model.frames[self._model.getFrameId(frame)]
        joint = str(self._model.names[found.parentJoint])
        if joint not in self._links or not found.placement.isIdentity(1e-6):
            where = tuple(round(float(x), 4) for x in found.placement.translation)
            raise InvalidParameter(
                f"{frame} in Gazebo", f"{where} from its joint", "where the joint is"
            )
        return joint


def _drop_nothing(link: Element) -> None:
    """Drop bodies without mass.

    Two of them, joined in the conversion to SDF, would have no defined centre of mass.
    """
    inertial = link.find("inertial")
    if inertial is not None and float(_part(inertial, "mass").get("value", "0")) == 0.0:
        link.remove(inertial)


def _part(parent: Element, name: str) -> Element:
    """Return the element below another, made where it is missing."""
    found = parent.find(name)
    return SubElement(parent, name) if found is None else found


def _add_texts(parent: Element, **texts: str) -> None:
    """Append elements that hold nothing but a text."""
    for name, text in texts.items():
        SubElement(parent, name).text = text


def _numbers(values: Iterable[float]) -> str:
    return " ".join(repr(round(float(value), 12)) for value in values)


def _add_corners(
    robot: Element,
    carriers: _Carriers,
    sole: str,
    polygon: Iterable[tuple[float, float]],
) -> None:
    name, placement = carriers.of(sole)
    (link,) = [one for one in robot.findall("link") if one.get("name") == name]
    for number, (x, y) in enumerate(polygon):
        collision = SubElement(link, "collision", name=f"{sole}_{number}")
        SubElement(
            collision,
            "origin",
            xyz=_numbers(placement.act(np.array([x, y, BALL]))),
            rpy="0 0 0",
        )
        SubElement(SubElement(collision, "geometry"), "sphere", radius=repr(BALL))
    surface = SubElement(
        SubElement(SubElement(robot, "gazebo", reference=name), "collision"), "surface"
    )
    law = SubElement(SubElement(surface, "friction"), "ode")
    _add_texts(
        law, mu=f"{CORNER_FRICTION:g}", mu2=f"{CORNER_FRICTION:g}", slip1="0", slip2="0"
    )


def _sensor(parent: Element, frame: str, kind: str, place: str) -> Element:
    sensor = SubElement(parent, "sensor", name=frame, type=kind)
    _add_texts(
        sensor,
        always_on="true",
        update_rate=str(SENSOR_RATE),
        gz_frame_id=frame,
        topic=place + TOPICS[frame],
    )
    return sensor


def _control(humanoid: Humanoid) -> Element:
    control = Element("ros2_control", name=humanoid.name, type="system")
    SubElement(
        SubElement(control, "hardware"), "plugin"
    ).text = "gz_ros2_control/GazeboSimSystem"
    for name, effort, start in zip(
        humanoid.robot.joints, humanoid.efforts, humanoid.posture, strict=True
    ):
        joint = SubElement(control, "joint", name=name)
        command = SubElement(joint, "command_interface", name="effort")
        for end, sign in (("min", -1.0), ("max", 1.0)):
            SubElement(command, "param", name=end).text = repr(float(sign * effort))
        for state, value in {"position": start, "velocity": 0.0, "effort": 0.0}.items():
            interface = SubElement(joint, "state_interface", name=state)
            SubElement(interface, "param", name="initial_value").text = repr(
                float(value)
            )
    return control


def _add_plugins(
    parent: Element, controllers: str, namespace: str, place: str, base: str
) -> None:
    control = SubElement(
        parent,
        "plugin",
        filename="gz_ros2_control-system",
        name="gz_ros2_control::GazeboSimROS2ControlPlugin",
    )
    SubElement(control, "parameters").text = controllers
    if place:
        SubElement(SubElement(control, "ros"), "namespace").text = namespace
    odometry = SubElement(
        parent,
        "plugin",
        filename="gz-sim-odometry-publisher-system",
        name="gz::sim::systems::OdometryPublisher",
    )
    _add_texts(
        odometry,
        odom_frame="odom",
        robot_base_frame=base,
        odom_publish_frequency=str(SENSOR_RATE),
        odom_topic=f"{place}odom",
        tf_topic=f"{place}tf",
        dimensions="3",
    )


def _add_joint_states(parent: Element, joints: Iterable[str], place: str) -> None:
    """Publish joint states at their own instant.

    A broadcaster's stamp is now and then one step too early.
    """
    publisher = SubElement(
        parent,
        "plugin",
        filename="gz-sim-joint-state-publisher-system",
        name="gz::sim::systems::JointStatePublisher",
    )
    SubElement(publisher, "topic").text = f"{place}joint_states"
    for joint in joints:
        SubElement(publisher, "joint_name").text = joint
