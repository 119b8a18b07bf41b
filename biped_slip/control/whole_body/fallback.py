# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""When the whole-body program has no answer: the virtual model in three dimensions stands on both feet instead.

It takes both soles to the floor. Out of double support it holds; a foot that swings it can only push down.
"""

from __future__ import annotations

from biped_slip.compile.arrays import Array, all_finite
from biped_slip.control.whole_body.body import Body
from biped_slip.control.whole_body.controller import WholeBodyOutput
from biped_slip.control.whole_body.footsteps import Command
from biped_slip.control.whole_body.terms import TermsSource
from biped_slip.control.whole_body.virtual_standing import Stand, VirtualStandingConfig, stand, stand_here
from biped_slip.estimation.robot_state import RobotState

CALM = 0.3  # [s] of answers in a row before the program is trusted again (choice)


class StandingFallback:
    """Stands from the first tick without an answer until the program has had one for a while.

    Args:
        body: the robot, with the part of its soles that may be used.
        config: of the virtual model.
    """

    def __init__(self, body: Body, config: VirtualStandingConfig | None = None) -> None:
        self._body, self._config = body, config or VirtualStandingConfig()
        self._terms = TermsSource(body.robot)
        self.reset()

    def reset(self) -> None:
        """The program is trusted."""
        self._aim: Stand | None = None
        self._calm = 0.0

    def allowed(self, command: Command) -> Command:
        """The command; none to move as long as this stands."""
        return command if self._aim is None else Command()

    def step(self, answer: WholeBodyOutput, state: RobotState, dt: float) -> Array | None:
        """Torques (n,) [N m] that stand; None where the program's are to be taken."""
        good = answer.solved and all_finite(answer.torques)
        if self._aim is None and good:
            return None
        terms = self._terms.at(state.q, state.v)
        self._calm = self._calm + dt if good else 0.0
        if self._calm > CALM:
            self.reset()
            return None
        self._aim = self._aim or stand_here(terms, state.q)
        return stand(terms, state.q, state.v, self._body, self._aim, answer.limits, self._config).torques
