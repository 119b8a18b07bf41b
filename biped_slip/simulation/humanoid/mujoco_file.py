# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A user's MJCF as the world of a humanoid: its bodies, contacts and integrator.

The file stays what it is but for what a controller of torques and a floor by place
need: actuators are switched off, and torques act on the joints by name; joints that the
robot holds for ever are held by an equality; where nothing lies under the robot a level
floor is added. Each geom of a foot meets each geom of the floor as a pair with what
both say (condim, softness, by priority or solmix), so that each foot has a friction of
its own. In the files that learners use, geoms of the feet often touch nothing outside
of their scene: then those that are no meshes meet the floor. [MuJoCo]
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.constants import GRAVITY
from biped_slip.contact.point_contact import MujocoConfig
from biped_slip.errors import BipedSlipError, InvalidParameter, MissingExtra
from biped_slip.robots.humanoid import Humanoid
from biped_slip.simulation.humanoid.mujoco_model import MujocoModel

try:
    import mujoco
except ImportError:
    mujoco = None

ADDED_FLOOR = "floor_under_the_robot"  # name of the one that is added
CLOSE = 1e-3  # [m] within which a joint stands where the robot's model has it
SAME_MASS = 0.01  # share by which both masses may differ
SAME_GRAVITY = 0.01  # of ours, by which a file's may differ
# of the impedances of friction and normal force, from which feet creep by a tenth
STIFF_RATIO = 10.0
LEAST_MIX = 1e-15  # of a weight in a mixture, as MuJoCo has it


class PairContact(NamedTuple):
    """What two geoms say of their contact together."""

    condim: int
    friction: Array  # (3,) along, torsional, rolling
    solref: Array  # (2,)
    solimp: Array  # (5,)
    margin: float
    gap: float


def contact_of(one: Any, other: Any) -> PairContact:
    """Combine what two geoms say as MuJoCo does.

    The one of higher priority says all but margin and gap; of equal priorities the
    larger friction and dimension count, and softness is mixed by ``solmix``.
    """
    margin = max(one.margin, other.margin)
    gap = max(one.gap, other.gap)
    if one.priority != other.priority:
        first = one if one.priority > other.priority else other
        return PairContact(
            condim=int(first.condim),
            friction=np.array(first.friction),
            solref=np.array(first.solref),
            solimp=np.array(first.solimp),
            margin=margin,
            gap=gap,
        )
    weights = np.array([one.solmix, other.solmix])
    weights[weights < LEAST_MIX] = 0.0
    share = weights[0] / weights.sum() if weights.any() else 0.5
    refs = np.array([one.solref, other.solref])
    solref = share * refs[0] + (1.0 - share) * refs[1]
    if refs[:, 0].min() <= 0.0:  # stiffness and damping, not time and ratio
        solref = refs.min(axis=0)
    return PairContact(
        condim=max(int(one.condim), int(other.condim)),
        friction=np.maximum(one.friction, other.friction),
        solref=solref,
        solimp=share * np.array(one.solimp) + (1.0 - share) * np.array(other.solimp),
        margin=margin,
        gap=gap,
    )


class FileWorld(MujocoModel):
    """MuJoCo's model of a user's file, for the plant of a humanoid.

    Args:
        humanoid: the robot, of the same file or of another that describes it.
        options: file, time step, softness of friction, whose floor.

    Attributes:
        friction: of each foot with the floor as the file has it (2,).

    Raises:
        BipedSlipError: the file can't be read, or is of another robot.
    """

    def __init__(self, humanoid: Humanoid, options: MujocoConfig) -> None:
        if mujoco is None:
            raise MissingExtra("a humanoid in its own MJCF", "mujoco")
        super().__init__()
        self._path = options.file
        self._humanoid = humanoid
        self._unnamed = 0  # geoms that have got a name
        spec = self._read()
        self._hold_joints(spec)
        self._add_floor(spec)
        names = self._pair_feet(spec, options)
        try:
            self.model = spec.compile()
        except ValueError as error:
            raise BipedSlipError(f"{self._path}: {_line(error)}") from error
        self._check_nature()
        self.data = mujoco.MjData(self.model)
        self.pairs = [[self.model.pair(name).id for name in foot] for foot in names]
        self._find_coordinates()
        self.find_sides()
        model = self.model
        if model.nu:
            model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ACTUATION
            self.notes.append("its actuators are switched off: torques act on joints")
        if options.step > 0.0:
            model.opt.timestep = options.step
        self._stiffen(options)
        self.friction = np.array(
            [model.pair_friction[foot, 0].max() for foot in self.pairs]
        )
        self._compare()

    def _read(self) -> Any:
        """Read the file; meshes that are missing are left out."""
        if not Path(self._path).is_file():
            raise BipedSlipError(f"{self._path}: there is no such file")
        try:
            spec = mujoco.MjSpec.from_file(self._path)
        except ValueError as error:
            raise BipedSlipError(f"{self._path}: {_line(error)}") from error
        folder = Path(self._path).parent / spec.meshdir
        missing = [
            mesh
            for mesh in spec.meshes
            if mesh.file and not (folder / mesh.file).is_file()
        ]
        gone = {mesh.name for mesh in missing}
        for geom in [geom for geom in spec.geoms if geom.meshname in gone]:
            spec.delete(geom)
        for mesh in missing:
            spec.delete(mesh)
        if missing:
            self.notes.append(f"{len(missing)} meshes are missing and left out")
        return spec

    def _check_nature(self) -> None:
        """Refuse a scene without weight or contacts, as some are to be looked at."""
        option = self.model.opt
        flags = mujoco.mjtDisableBit
        off = [
            name
            for name, flag in (
                ("gravity", flags.mjDSBL_GRAVITY),
                ("contact", flags.mjDSBL_CONTACT),
                ("constraint", flags.mjDSBL_CONSTRAINT),
            )
            if option.disableflags & flag
        ]
        if off:
            raise InvalidParameter(
                f"{self._path}: <flag {off[0]}>",
                "disable",
                "enabled for a robot to walk",
                "remove it from the file's <option>",
            )
        down = np.array([0.0, 0.0, -GRAVITY])
        if np.linalg.norm(option.gravity - down) > SAME_GRAVITY * GRAVITY:
            raise InvalidParameter(
                f"{self._path}: gravity",
                tuple(option.gravity.tolist()),
                f"(0, 0, {-GRAVITY}) m/s^2, for which controller and sensors are made",
                "set it in the file's <option>",
            )

    def _hold_joints(self, spec: Any) -> None:
        """Hold the joints for ever that the robot's model has not."""
        held = dict(self._humanoid.config.locked)
        ours = set(self._humanoid.robot.joints)
        self._held = {}
        kinds = mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE
        for joint in spec.joints:
            if joint.name in ours or joint.type not in kinds:
                continue
            position = held.get(joint.name)
            if position is None:
                continue  # of another body of the scene
            self._held[joint.name] = position
            hold = spec.add_equality(
                type=mujoco.mjtEq.mjEQ_JOINT,
                objtype=mujoco.mjtObj.mjOBJ_JOINT,
                name1=joint.name,
            )
            hold.data[0] = position - joint.ref

    def _add_floor(self, spec: Any) -> None:
        """Add a level floor where no geom of the world is large enough for one."""
        flat = mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_HFIELD
        self._floors = [geom for geom in spec.worldbody.geoms if geom.type in flat]
        self._floors += [
            geom
            for geom in spec.worldbody.geoms
            if geom.type not in flat and (geom.contype or geom.conaffinity)
        ]
        if not self._floors:
            floor = spec.worldbody.add_geom(
                name=ADDED_FLOOR, type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5.0, 5.0, 1.0]
            )
            self._floors = [floor]
            self.notes.append("the file has no floor: a level one is added")

    def _pair_feet(
        self, spec: Any, options: MujocoConfig
    ) -> tuple[list[str], list[str]]:
        """Let the geoms of each foot meet the floor as pairs; return their names."""
        names: tuple[list[str], list[str]] = [], []
        for foot, found in enumerate(names):
            for geom in self._foot_geoms(spec, foot):
                for floor in self._floors:
                    pair = self._pair(spec, geom, floor)
                    pair.name = f"foot_{foot}_{len(found)}"
                    found.append(pair.name)
                    if options.friction_time_constant > 0.0:
                        pair.solreffriction = [
                            options.friction_time_constant,
                            options.damping_ratio,
                        ]
        return names

    def _pair(self, spec: Any, geom: Any, floor: Any) -> Any:
        """Return the file's pair of two geoms, or a new one with what both say."""
        for one in (geom, floor):
            if not one.name:
                one.name = f"unnamed_{self._unnamed}"
                self._unnamed += 1
        both = {geom.name, floor.name}
        for pair in spec.pairs:
            if {pair.geomname1, pair.geomname2} == both:
                return pair
        said = contact_of(geom, floor)
        along, torsional, rolling = said.friction
        return spec.add_pair(
            geomname1=floor.name,
            geomname2=geom.name,
            condim=max(said.condim, 3),
            friction=[along, along, torsional, rolling, rolling],
            solref=said.solref,
            solimp=said.solimp,
            margin=said.margin,
            gap=said.gap,
        )

    def _foot_geoms(self, spec: Any, foot: int) -> list[Any]:
        """List the geoms of a foot that meet the floor."""
        model = self._humanoid.model
        frame = model.frames[model.getFrameId(self._humanoid.robot.soles[foot])]
        joint = spec.joint(model.names[frame.parentJoint])
        if joint is None:
            raise BipedSlipError(
                f"{self._path}: has no joint {model.names[frame.parentJoint]}, on "
                "which the robot's sole is; give a file of this robot"
            )
        geoms = _geoms_below(joint.parent)
        paired = {name for p in spec.pairs for name in (p.geomname1, p.geomname2)}
        touching = [
            geom
            for geom in geoms
            if geom.name in paired or any(_meet(geom, floor) for floor in self._floors)
        ]
        if touching:
            return touching
        solid = [geom for geom in geoms if geom.type != mujoco.mjtGeom.mjGEOM_MESH]
        if not solid:
            raise BipedSlipError(
                f"{self._path}: no geom of {joint.parent.name} can touch the floor; "
                "give its foot one with contype and conaffinity"
            )
        if foot == 0:
            self.notes.append(
                "geoms of its feet touch nothing there: those that are no meshes meet "
                "the floor"
            )
        return solid

    def _find_coordinates(self) -> None:
        """Find the robot's coordinates among those of the file.

        Raises:
            BipedSlipError: a joint is not there, or the base does not float.
        """
        model = self.model
        names = self._humanoid.robot.joints
        known = {model.joint(i).name for i in range(model.njnt)}
        for name in names:
            if name not in known:
                raise BipedSlipError(
                    f"{self._path}: has no joint {name} of the robot; give a file of "
                    "this robot"
                )
        self.find_joints(names)
        body = int(model.jnt_bodyid[self.joints[0]])
        self.base = int(model.body_rootid[body])
        first = int(model.body_jntadr[self.base])
        if first < 0 or model.jnt_type[first] != mujoco.mjtJoint.mjJNT_FREE:
            raise BipedSlipError(
                f"{self._path}: its base {model.body(self.base).name} does not float; "
                "give it a freejoint"
            )
        self.q0 = int(model.jnt_qposadr[first])
        self.v0 = int(model.jnt_dofadr[first])
        self.held = [
            (int(model.joint(name).qposadr[0]), position)
            for name, position in self._held.items()
        ]

    def _stiffen(self, options: MujocoConfig) -> None:
        """Set what stiff friction needs, or say that the file's is soft."""
        model = self.model
        pairs = [pair for foot in self.pairs for pair in foot]
        own_softness = bool(model.pair_solreffriction[pairs].any())
        if options.impratio != 1.0:
            model.opt.impratio = options.impratio
        if own_softness or options.impratio != 1.0:  # pyramids know one softness alone
            model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        elliptic = model.opt.cone == mujoco.mjtCone.mjCONE_ELLIPTIC
        if not own_softness and not (elliptic and model.opt.impratio >= STIFF_RATIO):
            self.notes.append(
                "its friction is as soft as its contact, so that loaded feet creep: "
                "contact.mujoco.impratio: 100 makes it stiff"
            )

    def _compare(self) -> None:
        """Refuse a file whose joints stand elsewhere than the robot's model has them.

        Another mass is noted.

        Raises:
            BipedSlipError: they do.
        """
        import pinocchio as pin

        humanoid = self._humanoid
        q = humanoid.standing()
        self.place(q, np.zeros(humanoid.model.nv))
        mujoco.mj_kinematics(self.model, self.data)
        data = humanoid.model.createData()
        pin.forwardKinematics(humanoid.model, data, q)
        for name, joint in zip(humanoid.robot.joints, self.joints, strict=True):
            ours = data.oMi[humanoid.model.getJointId(name)].translation
            away = float(np.linalg.norm(self.data.xanchor[joint] - ours))
            if away > CLOSE:
                raise BipedSlipError(
                    f"{self._path}: joint {name} stands {1e3 * away:.0f} mm from where "
                    "the robot has it; give the file from which the robot is"
                )
        mass = float(self.model.body_subtreemass[self.base])
        ours = humanoid.robot.mass
        if abs(mass - ours) > SAME_MASS * ours:
            self.notes.append(f"it weighs {mass:.1f} kg there, {ours:.1f} kg as robot")


def _line(error: Exception) -> str:
    """Return what MuJoCo says of a file in one line."""
    return " ".join(str(error).split())


def _geoms_below(body: Any) -> list[Any]:
    """List the geoms of a body, and of those that are fixed to it."""
    found = list(body.geoms)
    for child in body.bodies:
        if not list(child.joints):
            found += _geoms_below(child)
    return found


def _meet(one: Any, other: Any) -> bool:
    """Return whether two geoms touch by their types."""
    return bool(one.contype & other.conaffinity or other.contype & one.conaffinity)
