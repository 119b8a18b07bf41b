# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A controller that keeps a humanoid in its standing posture: what tests of the plant
need."""

from biped_slip.control.whole_body.joint_hold import JointHold


def parts_of(humanoid):
    """Model, sole frames, posture: what a hold of the joints needs."""
    frames = tuple(humanoid.model.getFrameId(sole) for sole in humanoid.robot.soles)
    return humanoid.model, frames, humanoid.posture


class Standing(JointHold):
    """The library's hold of the joints, called with readings."""

    def __init__(self, humanoid):
        super().__init__(*parts_of(humanoid), humanoid.efforts)

    def __call__(self, readings):
        return self.torques(readings)


def stand(world, control):
    """Run a world to its end and return what is left of its log."""
    while not world.ended:
        world.advance(control(world.read()))
    return world.log.trim()
