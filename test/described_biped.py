# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A made biped of 39 kg as a URDF and as an MJCF, for tests of what is found in one.

Legs of 0.35 m thighs and shins hang 0.1 m beside the middle; the ankle's axes lie
0.06 m over the sole, whose shape a test chooses.
"""

ANKLE = 0.06  # [m] over the sole
HEEL = -0.08  # [m] of the box that is the foot by default
TOE = 0.13
HALF_WIDTH = 0.05
HIPS = 0.1  # [m] beside the middle
#: name, axis, offset from the joint before, mass, lower and upper end [rad]
LEG = (
    ("hip_yaw", "0 0 1", (0.0, 0.0, -0.05), 1.0, -0.6, 0.6),
    ("hip_roll", "1 0 0", (0.0, 0.0, 0.0), 1.0, -0.5, 0.5),
    ("hip_pitch", "0 1 0", (0.0, 0.0, 0.0), 4.0, -1.6, 0.8),
    ("knee", "0 1 0", (0.0, 0.0, -0.35), 3.0, -0.05, 2.2),
    ("ankle_pitch", "0 1 0", (0.0, 0.0, -0.35), 0.5, -1.1, 0.8),
    ("ankle_roll", "1 0 0", (0.0, 0.0, 0.0), 1.0, -0.4, 0.4),
)
MASS = 18.0 + 2.0 * sum(row[3] for row in LEG)


def collision(geometry, xyz="0 0 0", rpy="0 0 0", tag="collision"):
    return (
        f'<{tag}><origin xyz="{xyz}" rpy="{rpy}"/><geometry>{geometry}</geometry>'
        f"</{tag}>"
    )


def box_foot(low=-ANKLE, heel=HEEL, toe=TOE, half=HALF_WIDTH, height=0.04):
    """A box whose lower face is ``low`` below the ankle."""
    size = f"{toe - heel} {2.0 * half} {height}"
    xyz = f"{0.5 * (toe + heel)} 0 {low + 0.5 * height}"
    return collision(f'<box size="{size}"/>', xyz)


def _link(name, mass, inside=""):
    moment = 0.01 * mass
    return (
        f'<link name="{name}"><inertial><origin xyz="0 0 -0.02"/><mass value="{mass}"/>'
        f'<inertia ixx="{moment}" iyy="{moment}" izz="{moment}" ixy="0" ixz="0" '
        f'iyz="0"/></inertial>{inside}</link>'
    )


def biped(foot=None, extra="", names="{side}_{joint}", mirrored=False, effort=120.0):
    """Write the URDF.

    Args:
        foot: shapes of each foot.
        extra: more links and joints.
        names: of joints, by side and joint; links are called as their joint with _link.
        mirrored: whether the right leg's axes point the other way.
        effort: [N m] of every joint.
    """
    foot = box_foot() if foot is None else foot
    parts = [_link("base", 18.0)]
    for side, sign in (("l", 1.0), ("r", -1.0)):
        parent = "base"
        for joint, axis, (x, y, z), mass, low, high in LEG:
            name = names.format(side=side, joint=joint)
            inside = foot if joint == "ankle_roll" else ""
            beside = sign * HIPS if parent == "base" else y
            if mirrored and side == "r":
                axis = axis.replace("1", "-1")
                low, high = -high, -low
            parts.append(_link(f"{name}_link", mass, inside))
            parts.append(
                f'<joint name="{name}" type="revolute"><parent link="{parent}"/>'
                f'<child link="{name}_link"/><origin xyz="{x} {beside} {z}"/>'
                f'<axis xyz="{axis}"/><limit lower="{low}" upper="{high}" '
                f'effort="{effort}" velocity="10"/></joint>'
            )
            parent = f"{name}_link"
    return f'<robot name="made">{"".join(parts)}{extra}</robot>'


def frame(name, parent, xyz="0 0 0", rpy="0 0 0", joint=None, inside=""):
    """A massless link fixed to another."""
    return (
        f'<link name="{name}">{inside}</link><joint name="{joint or name + "_fixed"}" '
        f'type="fixed"><parent link="{parent}"/><child link="{name}"/>'
        f'<origin xyz="{xyz}" rpy="{rpy}"/></joint>'
    )


def arm(side, link, name, lower=-1.0, upper=1.0, kind="revolute", inside=""):
    """A joint with a link of 0.5 kg on another link."""
    y = 0.2 if side == "l" else -0.2
    return (
        _link(f"{name}_link", 0.5)
        + f'<joint name="{name}" type="{kind}"><parent link="{link}"/><child '
        f'link="{name}_link"/><origin xyz="0 {y} 0.3"/><axis xyz="0 1 0"/>'
        f'<limit lower="{lower}" upper="{upper}" effort="20" velocity="8"/>{inside}'
        "</joint>"
    )


def turned(urdf, rpy="0 0 3.141592653589793"):
    """Put a root link with inertia above the base, in which it is turned."""
    above = _link("root", 0.5) + frame("unused", "root")
    joint = (
        '<joint name="turn" type="fixed"><parent link="root"/><child link="base"/>'
        f'<origin rpy="{rpy}"/></joint>'
    )
    return urdf.replace("</robot>", f"{above}{joint}</robot>")


def mjcf_biped(
    default="", inside="", foot=None, actuators="", compiler="", base="<freejoint/>"
):
    """Write the same biped as an MJCF in degrees, its joints in a class of their own."""
    foot = foot or (
        f'<geom type="box" size="{0.5 * (TOE - HEEL)} {HALF_WIDTH} 0.02" '
        f'pos="{0.5 * (TOE + HEEL)} 0 {-ANKLE + 0.02}"/>'
    )
    legs = []
    for side, sign in (("l", 1.0), ("r", -1.0)):
        opened = []
        for number, (joint, axis, (x, y, z), mass, low, high) in enumerate(LEG):
            beside = sign * HIPS if number == 0 else y
            moment = 0.01 * mass
            degrees = f"{low * 57.29577951308232} {high * 57.29577951308232}"
            opened.append(
                f'<body name="{side}_{joint}_link" pos="{x} {beside} {z}">'
                f'<inertial pos="0 0 -0.02" mass="{mass}" '
                f'diaginertia="{moment} {moment} {moment}"/>'
                f'<joint name="{side}_{joint}" axis="{axis}" range="{degrees}"/>'
            )
        legs.append("".join(opened) + foot + "</body>" * len(LEG))
    return (
        f'<mujoco model="made"><compiler {compiler}/><default><default class="leg">'
        f'<joint armature="0.02" damping="0.5" frictionloss="0.3"/>{default}'
        f"</default></default><worldbody>"
        f'<body name="base" pos="0 0 0.8" childclass="leg">{base}<inertial '
        'pos="0 0 -0.02" mass="18" diaginertia="0.18 0.18 0.18"/>'
        f"{''.join(legs)}</body></worldbody>{actuators}{inside}</mujoco>"
    )
