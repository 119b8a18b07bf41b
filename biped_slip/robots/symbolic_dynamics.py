# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Rigid-body algorithms on symbols.

Numbers come from a Pinocchio model, formulas from Featherstone.

Spatial vectors are (linear, angular) as in Pinocchio. Joints have one degree of
freedom, but for a floating base. CasADi drops everything that is structurally zero, so
a planar robot yields planar code.

References:
    R. Featherstone, Rigid Body Dynamics Algorithms [Featherstone2008]: tables 5.1
    (RNEA), 6.2 (CRBA), 7.1 (ABA), sections 2.13 and 9.4.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import casadi as cs
import numpy as np

# entries of constant matrices below this are zeros that URDF angles have blurred
_ROUNDING = 1e-14


def constant(matrix: Any) -> Any:
    """Build a constant matrix, sparse where it is zero."""
    array = np.array(matrix, dtype=float)
    array[np.abs(array) < _ROUNDING] = 0.0
    return cs.SX(cs.sparsify(cs.DM(array)))


def skew(vector: Any) -> Any:
    """Build the matrix (3, 3) of the cross product from the left."""
    matrix = cs.SX(3, 3)
    for i, j, k, sign in (
        (0, 1, 2, -1),
        (0, 2, 1, 1),
        (1, 0, 2, 1),
        (1, 2, 0, -1),
        (2, 0, 1, -1),
        (2, 1, 0, 1),
    ):
        if vector[k].is_zero():
            continue
        matrix[i, j] = sign * vector[k]
    return matrix


def _motion_to_child(rotation: Any, position: Any) -> Any:
    """Build the motion transform from parent to child coordinates.

    The child is at (rotation, position) in the parent.
    """
    lower = cs.SX(3, 3)
    return cs.vertcat(
        cs.horzcat(rotation.T, -(rotation.T @ skew(position))),
        cs.horzcat(lower, rotation.T),
    )


def _cross_motion(velocity: Any) -> Any:
    """Build the matrix of v × for motions; its negative transpose acts on forces."""
    linear = skew(velocity[:3])
    angular = skew(velocity[3:])
    return cs.vertcat(cs.horzcat(angular, linear), cs.horzcat(cs.SX(3, 3), angular))


def symmetric(matrix: Any) -> Any:
    """Mirror the lower half of a symmetric matrix, which halves the generated code."""
    return cs.triu2symm(cs.triu(matrix))


def _divided(matrix: Any, vector: Any) -> Any:
    """Solve matrix⁻¹ vector for a symmetric positive definite matrix, by L D Lᵀ."""
    size = matrix.shape[0]
    lower = cs.SX(cs.DM.eye(size))
    diagonal = [cs.SX(0)] * size
    for j in range(size):
        diagonal[j] = matrix[j, j] - sum(
            (lower[j, k] ** 2 * diagonal[k] for k in range(j)), cs.SX(0)
        )
        for i in range(j + 1, size):
            rest = sum(
                (lower[i, k] * lower[j, k] * diagonal[k] for k in range(j)), cs.SX(0)
            )
            lower[i, j] = (matrix[i, j] - rest) / diagonal[j]
    solution = [vector[i] for i in range(size)]
    for i in range(size):
        solution[i] -= sum((lower[i, k] * solution[k] for k in range(i)), cs.SX(0))
    solution = [solution[i] / diagonal[i] for i in range(size)]
    for i in reversed(range(size)):
        solution[i] -= sum(
            (lower[k, i] * solution[k] for k in range(i + 1, size)), cs.SX(0)
        )
    return cs.vertcat(*solution)


def _rotation_of(quaternion: Any) -> Any:
    """Build the rotation matrix of a unit quaternion x, y, z, w."""
    x, y, z, w = (quaternion[i] for i in range(4))
    return cs.vertcat(
        cs.horzcat(1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
        cs.horzcat(2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
        cs.horzcat(2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
    )


def _axis_of(joint: Any) -> Any:
    """Return the motion (6, 1) of a joint of one degree of freedom at unit rate."""
    data = joint.createData()
    joint.calc(data, np.array([0.3]))  # the same at any angle
    return constant(np.asarray(data.S).reshape(6, 1))


class _ArticulatedBody(NamedTuple):
    """A body with all beyond it, as its joint feels it."""

    column: Any  # U: articulated inertia times the joint's axes
    pivot: Any  # D: inertia along the axes, with the rotor's
    effort: Any  # u: torque less the bias force along the axes


class SymbolicDynamics:
    """The robot's kinematics and dynamics as expressions.

    Their variables are q, v, torques and sole wrenches.

    Args:
        model: Pinocchio model whose joints have one degree of freedom, but for a
            free-flyer as the first.
        frames: names of the sole frames.
    """

    def __init__(self, model: Any, frames: tuple[str, ...]) -> None:
        self.model = model
        self.q = cs.SX.sym("q", model.nq)
        self.v = cs.SX.sym("v", model.nv)
        self.tau = cs.SX.sym("tau", model.nv)
        # (force, moment) in world axes at each sole
        self.wrenches = cs.SX.sym("wrench", len(frames), 6)
        self.gravity = constant(model.gravity.vector)
        self.count = model.njoints
        self._place_joints()
        self.soles = [
            self.sole(model.frames[model.getFrameId(name)]) for name in frames
        ]

    def _place_joints(self) -> None:
        """Place all joints in the world, from the base outwards.

        Index 0 of each list is the world, which has no axes, transforms and inertia.
        """
        self.subspace: list[Any] = [None]
        self.transform: list[Any] = [None]  # of motions, from the parent
        self.steps: list[Any] = [None]  # the same as a turn after a move
        self.places: list[Any] = [None]  # rotation and position in the parent
        self.inertia: list[Any] = [None]
        self.rotation = [cs.SX(cs.DM.eye(3))]
        self.position = [cs.SX(3, 1)]
        self.velocity = [cs.SX(6, 1)]
        for i in range(1, self.count):
            self.inertia.append(constant(self.model.inertias[i].matrix()))
            if self.model.joints[i].nv == 6:
                self._place_base()
            else:
                self._place_hinge(i)

    def _place_base(self) -> None:
        """Place a floating base: its coordinates are position and quaternion."""
        rotation = _rotation_of(self.q[3:7])
        position = self.q[:3]
        self.subspace.append(cs.SX(cs.DM.eye(6)))
        self.steps.append(None)
        self.places.append((rotation, position))
        # the world has no motion but gravity's
        self.transform.append(_motion_to_child(rotation, cs.SX(3, 1)))
        self.velocity.append(self.v[:6])
        self.rotation.append(rotation)
        self.position.append(position)

    def _place_hinge(self, i: int) -> None:
        """Place a joint of one degree of freedom on its parent."""
        joint = self.model.joints[i]
        parent = self.model.parents[i]
        axis = _axis_of(joint)
        rotation, position = self._hinge_in_parent(i, axis)
        to_child = _motion_to_child(rotation, position)
        self.places.append((rotation, position))
        self.steps.append(
            (
                _motion_to_child(rotation, cs.SX(3, 1)),
                _motion_to_child(cs.SX(cs.DM.eye(3)), position),
            )
        )
        self.subspace.append(axis)
        self.transform.append(to_child)
        self.velocity.append(
            to_child @ self.velocity[parent] + axis * self.v[joint.idx_v]
        )
        self.rotation.append(self.rotation[parent] @ rotation)
        self.position.append(self.position[parent] + self.rotation[parent] @ position)

    def _hinge_in_parent(self, i: int, axis: Any) -> tuple[Any, Any]:
        """Compute rotation and position of a joint in its parent (Rodrigues)."""
        angle = self.q[self.model.joints[i].idx_q]
        cross = skew(axis[3:])
        turn = (
            cs.SX(cs.DM.eye(3))
            + cs.sin(angle) * cross
            + (1 - cs.cos(angle)) * (cross @ cross)
        )
        placement = self.model.jointPlacements[i]
        rotation = constant(placement.rotation) @ turn
        position = constant(placement.translation) + constant(placement.rotation) @ (
            axis[:3] * angle
        )
        return rotation, position

    def sole(self, frame: Any) -> dict[str, Any]:
        """Compute position, rotation and velocity of a frame in the world."""
        joint = frame.parentJoint
        world = self.rotation[joint]
        place = constant(frame.placement.translation)
        arm = world @ place
        linear = world @ self.velocity[joint][:3]
        angular = world @ self.velocity[joint][3:]
        velocity = cs.vertcat(linear + cs.cross(angular, arm), angular)
        return {
            "joint": joint,
            "place": place,
            "arm": arm,
            "rotation": world @ constant(frame.placement.rotation),
            "position": self.position[joint] + arm,
            "velocity": velocity,
            "jacobian": cs.jacobian(velocity, self.v),
        }

    def _sole_forces(self) -> list[Any]:
        """Map sole wrenches to spatial forces on the joints, in joint coordinates."""
        forces = [cs.SX(6, 1) for _ in range(self.count)]
        for i, sole in enumerate(self.soles):
            force = self.wrenches[i, :3].T
            moment = self.wrenches[i, 3:].T
            to_joint = self.rotation[sole["joint"]].T
            forces[sole["joint"]] += cs.vertcat(
                to_joint @ force, to_joint @ (moment + cs.cross(sole["arm"], force))
            )
        return forces

    def _in_parent(self, i: int, inertia: Any) -> Any:
        """Express the inertia of body i in its parent's axes.

        It is turned, then moved, each half computed once.
        """
        turn, move = self.steps[i]
        return symmetric(move.T @ symmetric(turn.T @ inertia @ turn) @ move)

    def rows(self, i: int) -> slice:
        """Return the indices of the velocities of joint i."""
        joint = self.model.joints[i]
        return slice(joint.idx_v, joint.idx_v + joint.nv)

    def _gravity_acceleration(self) -> Any:
        return cs.vertcat(-self.gravity[:3], cs.SX(3, 1))

    def bias_forces(self) -> Any:
        """Compute Coriolis, centrifugal and gravity torques h(q, v) (table 5.1).

        They are without sole wrenches.
        """
        return self.inverse_dynamics(self.proper_accelerations(cs.SX(self.model.nv, 1)))

    def inverse_dynamics(self, proper: list[Any]) -> Any:
        """Compute the torques (nv,) that move the bodies so (table 5.1).

        They are without sole wrenches and the rotors' inertia.

        Args:
            proper: spatial accelerations of the joints' bodies less gravity's.
        """
        forces = [cs.SX(6, 1)]
        for i in range(1, self.count):
            momentum = self.inertia[i] @ self.velocity[i]
            forces.append(
                self.inertia[i] @ proper[i]
                - _cross_motion(self.velocity[i]).T @ momentum
            )
        torques = cs.SX(self.model.nv, 1)
        for i in range(self.count - 1, 0, -1):
            torques[self.rows(i)] = self.subspace[i].T @ forces[i]
            forces[self.model.parents[i]] += self.transform[i].T @ forces[i]
        return torques

    def mass_matrix(self) -> Any:
        """Compute the joint-space inertia M(q) (table 6.2)."""
        composite: list[Any] = [None] + [inertia + 0 for inertia in self.inertia[1:]]
        matrix = cs.SX(self.model.nv, self.model.nv)
        for i in range(self.count - 1, 0, -1):
            parent = self.model.parents[i]
            if parent > 0:
                composite[parent] += (
                    self.transform[i].T @ composite[i] @ self.transform[i]
                )
            force = composite[i] @ self.subspace[i]
            row = self.model.joints[i].idx_v
            matrix[row, row] = self.subspace[i].T @ force
            j = i
            while self.model.parents[j] > 0:
                force = self.transform[j].T @ force
                j = self.model.parents[j]
                column = self.model.joints[j].idx_v
                matrix[row, column] = matrix[column, row] = self.subspace[j].T @ force
        return matrix

    def acceleration(self) -> Any:
        """Compute joint accelerations from torques and sole wrenches.

        The algorithm is that of articulated bodies (table 7.1).
        """
        bodies = self._articulated_bodies()
        spatial = [self._gravity_acceleration()]
        result = cs.SX(self.model.nv, 1)
        for i in range(1, self.count):
            body = bodies[i]
            row = self.rows(i)
            carried = self.transform[i] @ spatial[self.model.parents[i]]
            if self.model.joints[i].nv == 1:
                # a base's velocity is all its own, and v × v = 0
                carried += self._coriolis(i)
            effort = body.effort - body.column.T @ carried
            result[row] = _divided(body.pivot, effort)
            spatial.append(carried + self.subspace[i] @ result[row])
        return result

    def _articulated_bodies(self) -> list[Any]:
        """Collect inertia and bias of each body with all beyond it, from the tips on.

        Beyond a joint that moves freely, a body weighs less: the part of its inertia
        along the joint's axis is not felt by the parent.
        """
        articulated: list[Any] = [None] + [inertia + 0 for inertia in self.inertia[1:]]
        bias = self._sole_forces()
        for i in range(1, self.count):
            momentum = self.inertia[i] @ self.velocity[i]
            bias[i] = -_cross_motion(self.velocity[i]).T @ momentum - bias[i]
        bodies: list[Any] = [None] * self.count
        for i in range(self.count - 1, 0, -1):
            row = self.rows(i)
            parent = self.model.parents[i]
            column = articulated[i] @ self.subspace[i]
            pivot = self.subspace[i].T @ column + cs.diag(
                constant(self.model.armature[row])
            )
            effort = self.tau[row] - self.subspace[i].T @ bias[i]
            bodies[i] = _ArticulatedBody(column, pivot, effort)
            if parent > 0:
                reduced = articulated[i] - symmetric(column @ (column / pivot).T)
                carried = (
                    bias[i] + reduced @ self._coriolis(i) + column * (effort / pivot)
                )
                articulated[parent] += self._in_parent(i, reduced)
                bias[parent] += self.transform[i].T @ carried
        return bodies

    def _coriolis(self, i: int) -> Any:
        """Compute the acceleration (6,) of body i by its velocity and its joint's."""
        return _cross_motion(self.velocity[i]) @ (
            self.subspace[i] * self.v[self.rows(i)]
        )

    def inertial_reading(self, frame: Any, proper: list[Any]) -> Any:
        """Compute an IMU's reading (6,) at a frame.

        It is angular velocity and specific force, both in its axes.
        """
        joint = frame.parentJoint
        to_frame = _to_frame(frame)
        velocity = to_frame @ self.velocity[joint]
        acceleration = to_frame @ proper[joint]
        return cs.vertcat(
            velocity[3:], acceleration[:3] + cs.cross(velocity[3:], velocity[:3])
        )

    def transmitted(self, frame: Any, proper: list[Any]) -> Any:
        """Compute force and moment (6,) of a frame's link and all beyond it.

        They act on the link before, and are in the frame's axes.

        At rest: what the ground does to the link, and the link's own weight.
        """
        outside = self._sole_forces()
        total = [cs.SX(6, 1) for _ in range(self.count)]
        for i in range(self.count - 1, frame.parentJoint - 1, -1):
            momentum = self.inertia[i] @ self.velocity[i]
            total[i] += (
                outside[i]
                - self.inertia[i] @ proper[i]
                + _cross_motion(self.velocity[i]).T @ momentum
            )
            total[self.model.parents[i]] += self.transform[i].T @ total[i]
        force = total[frame.parentJoint][:3]
        moment = total[frame.parentJoint][3:]
        turn = constant(frame.placement.rotation).T
        arm = constant(frame.placement.translation)
        return cs.vertcat(turn @ force, turn @ (moment - cs.cross(arm, force)))

    def proper_accelerations(self, acceleration: Any) -> list[Any]:
        """Compute spatial accelerations of the joints' bodies less gravity's.

        They are for joint accelerations (nv,).
        """
        proper = [self._gravity_acceleration()]
        for i in range(1, self.count):
            rows = self.rows(i)
            carried = (
                self.transform[i] @ proper[self.model.parents[i]]
                + self.subspace[i] @ acceleration[rows]
            )
            if self.model.joints[i].nv == 1:
                carried += self._coriolis(i)
            proper.append(carried)
        return proper


def _to_frame(frame: Any) -> Any:
    """Build the motion transform from a frame's joint to the frame."""
    return _motion_to_child(
        constant(frame.placement.rotation), constant(frame.placement.translation)
    )


class SymbolicTerms:
    """Mass matrix, soles and centre of mass of a robot whose base floats.

    They are expressions of q and v.

    Bodies beyond a joint move as one in the mass matrix; their inertia is kept as mass,
    first and second moment about the joint, which a change of axes costs a third of
    what it does as a matrix (6, 6). The base's rows of the mass matrix are the whole
    robot's momentum per velocity, so centre of mass and momentum come from them.
    """

    def __init__(self, dynamics: SymbolicDynamics) -> None:
        self._dynamics = dynamics
        self._model = dynamics.model

    def mass_matrix(self) -> Any:
        """Compute the joint-space inertia M(q) with the rotors' (table 6.2)."""
        one = self._dynamics
        composites = self._composites()
        matrix = cs.diag(constant(self._model.armature))
        for i in range(one.count - 1, 0, -1):
            force = composites[i] @ one.subspace[i]
            row = one.rows(i)
            matrix[row, row] += one.subspace[i].T @ force
            j = i
            while self._model.parents[j] > 0:
                force = one.transform[j].T @ force
                j = self._model.parents[j]
                column = one.rows(j)
                matrix[column, row] = one.subspace[j].T @ force
                matrix[row, column] = matrix[column, row].T
        return matrix

    def _composites(self) -> list[Any]:
        """Compute the inertia (6, 6) of each body with all beyond it.

        It is in the body's axes.
        """
        masses = [0.0]
        firsts = [cs.SX(3, 1)]
        seconds = [cs.SX(3, 3)]
        for inertia in self._model.inertias[1 : self._dynamics.count]:
            masses.append(inertia.mass)
            firsts.append(constant(inertia.mass * inertia.lever))
            seconds.append(constant(inertia.matrix()[3:, 3:]))
        for i in range(self._dynamics.count - 1, 1, -1):
            parent = self._model.parents[i]
            (rotation, position) = self._dynamics.places[i]
            turned = rotation @ firsts[i]
            place = skew(position)
            mixed = place @ skew(turned)
            masses[parent] += masses[i]
            firsts[parent] += turned + masses[i] * position
            second = (
                rotation @ symmetric(seconds[i]) @ rotation.T
                - masses[i] * place @ place
                - mixed
                - mixed.T
            )
            seconds[parent] += symmetric(second)
        return [None] + [
            cs.vertcat(
                cs.horzcat(mass * cs.SX(cs.DM.eye(3)), -skew(first)),
                cs.horzcat(skew(first), second),
            )
            for mass, first, second in zip(
                masses[1:], firsts[1:], seconds[1:], strict=True
            )
        ]

    def centre(self, mass_matrix: Any) -> tuple[Any, Any, Any]:
        """Compute the centre of mass, its velocity, and the angular momentum about it.

        Each is (3,) in the world.
        """
        one = self._dynamics
        mass = mass_matrix[0, 0]
        # M[:3, 3:6] = -skew(first)
        first = cs.vertcat(mass_matrix[1, 5], mass_matrix[2, 3], mass_matrix[0, 4])
        momentum = mass_matrix[:6, :] @ one.v
        turn = one.rotation[1]
        place = first / mass
        spin = momentum[3:] - cs.cross(place, momentum[:3])
        return one.q[:3] + turn @ place, turn @ (momentum[:3] / mass), turn @ spin

    def sole_jacobians(self) -> list[Any]:
        """Compute each sole's Jacobian (6, nv), linear over angular, world axes."""
        one = self._dynamics
        jacobians = []
        for sole in one.soles:
            matrix = cs.SX(6, self._model.nv)
            joint = sole["joint"]
            while joint > 0:
                axes = one.subspace[joint]
                linear = one.rotation[joint] @ axes[:3, :]
                angular = one.rotation[joint] @ axes[3:, :]
                arm = sole["position"] - one.position[joint]
                matrix[:, one.rows(joint)] = cs.vertcat(
                    linear - skew(arm) @ angular, angular
                )
                joint = self._model.parents[joint]
            jacobians.append(matrix)
        return jacobians

    def sole_drifts(self) -> list[Any]:
        """Compute the acceleration (6,) of each sole at zero joint acceleration.

        It is linear over angular, in world axes.
        """
        one = self._dynamics
        proper = one.proper_accelerations(cs.SX(self._model.nv, 1))
        drifts = []
        for sole in one.soles:
            joint = sole["joint"]
            place = sole["place"]
            velocity = one.velocity[joint]
            acceleration = proper[joint]
            turn = one.rotation[joint]
            angular = velocity[3:]
            linear = acceleration[:3] + cs.cross(acceleration[3:], place)
            linear += cs.cross(angular, velocity[:3] + cs.cross(angular, place))
            drifts.append(
                cs.vertcat(turn @ linear + one.gravity[:3], turn @ acceleration[3:])
            )
        return drifts
