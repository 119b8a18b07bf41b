# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
r"""A humanoid that shall walk on as slippery a floor as the seed draws, for learners.

Action, observation and gains are those of a layout (``walking/policy_layout.py``), so a
network that learnt here plays by the same layout wherever ``onnx:FILE`` does. An action
moves the targets of the joints for one period of the layout (20 ms); in between the
robot's sensors are read every control period and springs follow::

    reset: draw floor, command, start, sensors; stand until the base is known
    step:  target = posture + scale action, held for a period; observe

A pilot commands the turn that keeps the heading. Reward of a step, from the true motion
over it, with :math:`v` the mean velocity of the
base, :math:`c` the commanded speed forward, :math:`s` the mean speed along the floor of
the soles that touch it, and :math:`\tau` the torques over their limits:

.. math::
    r = w_v e^{-((v_x - c)^2 + v_y^2) / \sigma^2} + w_u - w_s s
        - w_\tau \overline{\tau^2} - w_f\,[\text{fell}]

An episode terminates where the robot falls or the simulation diverges, and is truncated
after ``seconds``.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box

from biped_slip.compile.arrays import Array
from biped_slip.config import Configuration, configuration, parameter, section
from biped_slip.contact.point_contact import ContactConfig
from biped_slip.errors import BipedSlipError, InvalidParameter
from biped_slip.estimation.readings import HumanoidReadings
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation.humanoid.log import FloatingLog
from biped_slip.simulation.humanoid.pilot import steering
from biped_slip.simulation.humanoid.plant import FloatingPlant, standing_contact
from biped_slip.simulation.humanoid.scenario import FloatingScenarioConfig, chosen_walk
from biped_slip.simulation.humanoid.walk import true_base
from biped_slip.simulation.humanoid.world import FloatingWorld
from biped_slip.walking.learned_policy import TargetDrivenRobot
from biped_slip.walking.policy_layout import LearnedPolicyConfig, layout_of
from biped_slip.walking.slip_policies import slip_policy

MUJOCO = "mujoco"
#: Friction as stiff as open policies were measured with: by MuJoCo's own default loaded
#: feet creep by centimetres a stance.
STIFF = {
    "law": MUJOCO,
    "mujoco": {"friction_time_constant": 0.002, "impratio": 10.0, "step": 0.001},
}
FRICTION = "friction"  # term of an observation
TOUCHING = 0.01  # of the weight
LONGEST_STAND = 2.0  # [s] until the base is known
PATCH_HALF_WIDTH = 3.0  # [m] of the patch to either side


@configuration
class RewardConfig(Configuration):
    """Weights of the reward."""

    tracking: float = parameter(1.0, low=0.0, doc="of the commanded velocity")
    width: float = parameter(
        0.25, unit="m/s", above=0.0, doc="error of velocity that leaves 1/e of it"
    )
    upright: float = parameter(0.2, low=0.0, doc="of each step without a fall")
    slip: float = parameter(
        1.0, unit="s/m", low=0.0, doc="taken by the speed of touching soles"
    )
    effort: float = parameter(
        0.1, low=0.0, doc="taken by the mean square of torques over their limits"
    )
    fall: float = parameter(10.0, low=0.0, doc="taken by a fall")


@configuration
class SlipEnvironmentConfig(Configuration):
    """Robot, floors, sensors and reward of the environment."""

    robot: str = parameter("g1", doc="as `biped-slip walk --robot` takes it")
    layout: str = parameter(
        "g1_playground", doc="name of a shipped layout of networks, or a .yaml file"
    )
    sensors: str = parameter("", doc="set of sensors, or a .yaml file; '': the walk's")
    true_base: bool = parameter(
        False, doc="show the true motion of the base, not its estimate"
    )
    estimate: bool = parameter(
        True, doc="show the friction under both feet, as far as it is known"
    )
    contact: str = parameter(
        MUJOCO,
        doc="mujoco, with stiff friction; here: this package's presliding contact; or "
        "a law as a scenario names it",
    )
    mu: tuple[float, float] = parameter(
        (0.1, 1.0), above=0.0, high=5.0, doc="range from which a floor is drawn"
    )
    patch_mu: tuple[float, float] = parameter(
        (0.1, 1.0), above=0.0, high=5.0, doc="range of the patch's friction"
    )
    patch_length: float = parameter(
        0.0, unit="m", low=0.0, high=100.0, doc="along the way; 0: no patch"
    )
    patch_begin: tuple[float, float] = parameter(
        (1.0, 3.0), unit="m", low=0.0, high=100.0, doc="range of where it begins"
    )
    speed: tuple[float, float] = parameter(
        (0.5, 0.5), unit="m/s", low=0.0, high=5.0, doc="range of the command, forward"
    )
    start_speed: float = parameter(
        0.05, unit="m/s", low=0.0, high=1.0, doc="sd of the base's at the start"
    )
    seconds: float = parameter(20.0, unit="s", above=0.0, high=3600.0, doc="an episode")
    period: float = parameter(
        0.002, unit="s", above=0.0, high=0.004, doc="of sensors and springs"
    )
    action_bound: float = parameter(
        1.0,
        above=0.0,
        high=100.0,
        doc="of an action; larger ones are clipped (a layout's action_limit stays)",
    )
    reward: RewardConfig = section(RewardConfig)

    def check(self) -> None:
        """Check that ranges rise."""
        for name in ("mu", "patch_mu", "patch_begin", "speed"):
            low, high = getattr(self, name)
            if low > high:
                raise InvalidParameter(
                    name, [low, high], "[low, high] with low <= high", "exchange them"
                )


def chosen_layout(name: str) -> LearnedPolicyConfig:
    """Find a layout by its file or by its shipped name."""
    path = Path(name)
    return layout_of(path if path.suffix else path.with_suffix(".yaml"))


class SlipEnvironment(gymnasium.Env[Any, Any]):
    """A humanoid walks along x at a commanded speed, on a floor that may be slippery.

    Observation: the numbers (float32) that the layout shows of the robot's sensors, and
    with ``estimate`` those of the term ``friction``. Action: (driven joints,) offsets
    of the targets from the layout's posture, over the layout's scale.

    ``reset(seed=...)`` draws everything: the same seed and actions give the same
    episode to the last bit. ``info`` holds the truth: ``time`` [s], ``mu`` of the floor
    and ``patch_mu``, ``speed`` forward [m/s], ``sole_speed`` of touching soles [m/s],
    ``fell``, ``diverged``.

    Args:
        render_mode: None, the only one there is; ``view`` and ``walk --report`` show
            what a network does.
        settings: of :class:`SlipEnvironmentConfig`, by name.

    Attributes:
        chosen: the robot as its layout has it.
        world: robot on its floor; its log holds the last step.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - as its base has it

    def __init__(self, render_mode: str | None = None, **settings: Any) -> None:
        self.render_mode = render_mode
        self.config = config = SlipEnvironmentConfig.from_mapping(settings)
        self._walk = walk = chosen_walk(
            config.robot, config.sensors or None, config.period
        )
        layout = chosen_layout(config.layout)
        if config.estimate and FRICTION not in layout.observation:
            layout = replace(layout, observation=(*layout.observation, FRICTION))
        shows_friction = FRICTION in layout.observation
        weight = load_humanoid(walk.robot).weight
        policy = slip_policy(
            "touchdown" if shows_friction else "none",
            walk.walking.policy_settings(weight),
        )
        self.chosen = TargetDrivenRobot(walk.walking, policy, layout)
        self._steps = max(round(layout.period / config.period), 1)
        bound = np.full(self.chosen.drives.driven, config.action_bound)
        self.action_space = Box(-bound, bound, dtype=np.float64)
        self.observation_space = Box(
            -np.inf, np.inf, (self.chosen.shown.size,), dtype=np.float32
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Draw an episode; return its first observation and the truth."""
        super().reset(seed=seed)
        draw = self.np_random
        self._mu = float(draw.uniform(*self.config.mu))
        self._patch_mu = float(draw.uniform(*self.config.patch_mu))
        begin = float(draw.uniform(*self.config.patch_begin))
        self._speed = float(draw.uniform(*self.config.speed))
        self.world = self._placed(begin, int(draw.integers(2**31)))
        plant = self.world.plant
        velocity = np.zeros(self.world.humanoid.model.nv)
        velocity[:2] = draw.normal(0.0, self.config.start_speed, 2)
        plant.place(plant.state.q, velocity)
        self.chosen.reset()
        self._stand()
        return self._observation(), self._truth(0.0, 0.0)

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Hold the targets of one action for a period of the layout."""
        bound = self.config.action_bound
        plant = self.world.plant
        self.chosen.answer(np.clip(np.asarray(action, dtype=float), -bound, bound))
        before = plant.state.q[:2].copy()
        began = plant.ticks
        self.world.log.length = 0
        for _ in range(self._steps):
            self.world.advance(self.chosen.torques())
            self._sense()
            if self.world.ended:
                break
        over = (plant.ticks - began) * self.config.period
        velocity = (plant.state.q[:2] - before) / max(over, self.config.period)
        log = self.world.log
        sole_speed = touching_speed(
            log.normal[: log.length], log.sole_speed[: log.length], plant.weight
        )
        truth = self._truth(float(velocity[0]), sole_speed)
        terminated = self.world.fell or self.world.diverged != ""
        truncated = self.world.ended and not terminated
        reward = self._reward(velocity, sole_speed)
        return self._observation(), reward, terminated, truncated, truth

    def _placed(self, begin: float, seed: int) -> FloatingWorld:
        """Place the robot on the drawn floor."""
        config = self.config
        far = 2.0 + 2.0 * config.speed[1] * config.seconds
        end = begin + config.patch_length
        patch = [[begin, end, -PATCH_HALF_WIDTH, PATCH_HALF_WIDTH, self._patch_mu]]
        scenario = FloatingScenarioConfig.from_mapping(
            {
                "duration": config.seconds,
                "terrain": {
                    "mu": self._mu,
                    "patches": patch if config.patch_length > 0.0 else [],
                    "extent": [-far, far, -PATCH_HALF_WIDTH, PATCH_HALF_WIDTH],
                },
                "sensors": self._walk.sensors.to_mapping(),
                "unmodelled": self._walk.unmodelled.to_mapping(),
                "plant": plant_settings(config.contact, config.period),
            }
        )
        world = FloatingWorld(
            self.chosen.humanoid, scenario, seed, plant=plant_of(config.contact)
        )
        world.log = FloatingLog(world.plant, self._steps + 1)
        return world

    def _stand(self) -> None:
        """Stand until the base is known.

        Raises:
            BipedSlipError: it never is.
        """
        self._sense()
        for _ in range(round(LONGEST_STAND / self.config.period)):
            if self.chosen.observation.ready:
                return
            self.world.advance(self.chosen.torques())
            self.world.log.length = 0
            self._sense()
        raise BipedSlipError(
            f"{self.config.robot}: its base is not known after {LONGEST_STAND} s of "
            "standing; set true_base, or correct its sensors"
        )

    def _sense(self) -> None:
        state = self.world.plant.state
        base = true_base(state) if self.config.true_base else None
        self.chosen.sense(HumanoidReadings(self.world.sense(), base))

    def _observation(self) -> Array:
        turn = steering(self.world.plant.state.q)
        row = self.chosen.show(np.array([self._speed, 0.0, turn]))
        return row.astype(np.float32)

    def _truth(self, speed: float, sole_speed: float) -> dict[str, Any]:
        return {
            "time": 1e-9 * self.world.plant.stamp_ns,
            "mu": self._mu,
            "patch_mu": self._patch_mu,
            "command": self._speed,
            "speed": speed,
            "sole_speed": sole_speed,
            "fell": self.world.fell,
            "diverged": self.world.diverged,
        }

    def _reward(self, velocity: Array, sole_speed: float) -> float:
        weights = self.config.reward
        log = self.world.log
        away = (velocity[0] - self._speed) ** 2 + velocity[1] ** 2
        share = log.torques[: log.length] / self.chosen.humanoid.efforts
        reward = (
            weights.tracking * math.exp(-away / weights.width**2)
            + weights.upright
            - weights.slip * sole_speed
            - weights.effort * float(np.mean(share**2))
        )
        return float(reward - weights.fall * self.world.fell)


def touching_speed(normal: Array, speed: Array, weight: float) -> float:
    """Average the speed [m/s] of the soles that touch the floor; 0: none does.

    Args:
        normal: (ticks, 2) load [N].
        speed: (ticks, 2) along the floor [m/s].
        weight: of the robot [N].
    """
    touching = normal > TOUCHING * weight
    return float(speed[touching].mean()) if touching.any() else 0.0


def plant_settings(contact: str, period: float) -> dict[str, Any]:
    """Return what a scenario says of its plant.

    Args:
        contact: by its name in the environment's settings.
        period: of control [s].
    """
    settings: dict[str, Any] = {"control_period_ns": round(1e9 * period)}
    if contact == MUJOCO:
        options = ContactConfig.from_mapping(STIFF).to_mapping()["mujoco"]
        law = {**standing_contact().to_mapping(), "mujoco": options}
        return {**settings, "contact": law}
    presliding = "hunt_crossley + elasto_plastic"
    return {**settings, "contact": presliding if contact == "here" else contact}


def plant_of(name: str) -> type[FloatingPlant]:
    """Return the plant of a contact by its name in the environment's settings."""
    if name != MUJOCO:
        return FloatingPlant
    # takes a while to load
    from biped_slip.simulation.humanoid.mujoco_plant import MujocoPlant

    return MujocoPlant
