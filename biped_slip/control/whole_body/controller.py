# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walking of a humanoid: state, foot loads and friction limits in, joint torques out."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

from biped_slip.config import Configuration, configuration, parameter, section
from biped_slip.constants import GRAVITY
from biped_slip.control.whole_body.dcm import dcm_reference, natural_rate, uncontrollable_error, wanted_pivot
from biped_slip.control.whole_body.footsteps import Command, Foothold, FootstepConfig, within_reach
from biped_slip.control.whole_body.program import Robot, Wanted, WeightConfig, assemble
from biped_slip.control.whole_body.solver import solve
from biped_slip.control.whole_body.stepping import (
    Feet, Gait, Phase, SteppingConfig, SteppingState, pivot_now, plan, side_of, standing, stepping, swing_on, foothold_for,
)
from biped_slip.control.whole_body.terms import Terms, TermsSource
from biped_slip.estimation.readings import Array


@configuration
class GainConfig(Configuration):
    """Feedback gains."""

    dcm: float = parameter(4.0, unit="1/s", low=0.0, high=50.0, doc="decay of the error of the DCM")
    height: float = parameter(100.0, unit="1/s^2", low=0.0, high=1e4, doc="of the centre of mass; damped critically")
    base: float = parameter(150.0, unit="1/s^2", low=0.0, high=1e4, doc="orientation of the base; damped critically")
    swing: float = parameter(900.0, unit="1/s^2", low=0.0, high=1e4, doc="swing sole; damped critically")
    posture: float = parameter(100.0, unit="1/s^2", low=0.0, high=1e4, doc="joints that walk does not move; likewise")
    momentum: float = parameter(5.0, unit="1/s", low=0.0, high=100.0, doc="decay of angular momentum")


@configuration
class WholeBodyConfig(Configuration):
    steps: FootstepConfig = section(FootstepConfig)
    stepping: SteppingConfig = section(SteppingConfig)
    gains: GainConfig = section(GainConfig)
    weights: WeightConfig = section(WeightConfig)
    centre_height: float = parameter(0.85, unit="m", above=0.0, high=3.0, doc="of the centre of mass over the soles")


class Answer(NamedTuple):
    torques: Array  # (nv - 6,)
    forces: Array  # (2, 3) wanted, world [N]
    solved: bool
    phase: int


def heading(rotation: Array) -> float:
    return math.atan2(rotation[1, 0], rotation[0, 0])


def _pd(error: Array, rate: Array, stiffness: float) -> Array:
    return stiffness * error - 2.0 * math.sqrt(stiffness) * rate


class WholeBodyController:
    def __init__(self, model: Any, soles: tuple[int, int], corners: Array, posture: Array, config: WholeBodyConfig) -> None:
        self.config, self.model = config, model
        self.terms = TermsSource(model, soles)
        self.posture = posture  # (nv-6,)
        legs = []
        for s in soles:
            j = model.frames[s].parentJoint
            chain = []
            while j > 1:
                chain.append(model.idx_vs[j]); j = model.parents[j]
            legs += sorted(chain)
        legs = np.array(legs)
        rest = np.setdiff1d(np.arange(6, model.nv), legs)
        self.robot = Robot(float(sum(i.mass for i in model.inertias)), legs, rest, model.effortLimit[legs].copy(), corners)
        self.low, self.high = model.lowerPositionLimit[legs + 1] + 0.02, model.upperPositionLimit[legs + 1] - 0.02
        for i, s in enumerate(soles):
            j = model.frames[s].parentJoint; reach = np.linalg.norm(model.frames[s].placement.translation)
            best = (0.0, 0)
            while j > 1:
                arm = np.linalg.norm(model.jointPlacements[j].translation)
                best = max(best, (min(arm, reach), j)); reach = arm; j = model.parents[j]
            k = int(np.flatnonzero(legs == model.idx_vs[best[1]])[0])
            self.low[k] = max(self.low[k], 0.15)
        self.middle = corners[0].mean(axis=0)[:2]
        self.half = np.ptp(corners[0], axis=0)[:2] / 2
        self.state: SteppingState | None = None
        self.omega = natural_rate(config.centre_height, GRAVITY)

    def joint_bounds(self, q: Array, v: Array) -> tuple[Array, Array]:
        L = self.robot.legs
        k = 400.0; d = 40.0
        return k * (self.low - q[L + 1]) - d * v[L], k * (self.high - q[L + 1]) - d * v[L]

    def feet(self, t: Terms) -> Feet:
        holds = tuple(Foothold(t.position[i, 0], t.position[i, 1], heading(t.rotation[i])) for i in (0, 1))
        return Feet(holds, (t.position[0, 2], t.position[1, 2]))

    def step(self, q: Array, v: Array, load: tuple[float, float], limits: tuple[float, float], command: Command, dt: float) -> Answer:
        cfg, gains = self.config, self.config.gains
        t = self.terms.at(q, v)
        feet = self.feet(t)
        if self.state is None:
            self.state = standing(feet, self.middle, cfg.stepping)
        gait = Gait(command, cfg.steps.single_support, cfg.steps.double_support)
        s = stepping(self.state, feet, load, gait, True, self.middle, cfg.steps, cfg.stepping, dt)
        om = self.omega
        c, cd = t.centre_of_mass, t.centre_velocity
        dcm = c[:2] + cd[:2] / om
        if s.phase == Phase.SWING:
            if s.time < 0.7 * s.duration:
                target = foothold_for(feet.holds[1 - s.swing], s.swing, gait, cfg.steps)
                p = plan(s._replace(target=target), feet, gait, self.middle, cfg.steps, cfg.stepping)
                err = dcm - dcm_reference(p.pivots, p.durations, om)
                rem = s.duration - s.time
                adj = [uncontrollable_error(float(err[k]), 0.7 * float(self.half[k]), rem, om) for k in (0, 1)]
                target = within_reach(target._replace(x=target.x + adj[0], y=target.y + adj[1]), feet.holds[1 - s.swing], side_of(s.swing), cfg.steps.width, cfg.steps.packed)
            else:
                target = s.target
            s = swing_on(s, target, feet.height[1 - s.swing], cfg.stepping, dt)
        p = plan(s, feet, gait, self.middle, cfg.steps, cfg.stepping)
        ref = dcm_reference(p.pivots, p.durations, om)
        pivot = wanted_pivot(dcm, ref, p.pivots[0], om, gains.dcm)
        stance = (not (s.phase == Phase.SWING and s.swing == 0), not (s.phase == Phase.SWING and s.swing == 1))
        if s.phase == Phase.SWING:
            o = 1 - s.swing
            rel = t.rotation[o][:2, :2].T @ (pivot - t.position[o][:2]) - self.middle
            rel = np.clip(rel, -0.95 * self.half, 0.95 * self.half) + self.middle
            pivot = t.position[o][:2] + t.rotation[o][:2, :2] @ rel
        acc = np.empty(3)
        acc[:2] = om * om * (c[:2] - pivot)
        floor = feet.height[1 - s.swing] if s.phase == Phase.SWING else 0.5 * sum(feet.height)
        acc[2] = gains.height * (floor + cfg.centre_height - c[2]) - 2 * math.sqrt(gains.height) * cd[2]
        # friction
        total = self.robot.mass * (acc + np.array([0, 0, GRAVITY]))
        # shares
        if s.phase == Phase.SWING:
            share = np.array([0.0, 0.0]); share[1 - s.swing] = 1.0
        else:
            a, b = feet.holds
            d = np.array([b.x - a.x, b.y - a.y])
            m = np.array([a.x, a.y]) + self.middle
            lam = float(np.clip(d @ (pivot - m) / (d @ d), 0.02, 0.98))
            share = np.array([1 - lam, lam])
        lim = np.minimum(limits, 1.2)
        normal = share * total[2]
        carry = lim * normal
        forces = np.empty((2, 3))
        forces[:, 2] = normal
        forces[:, :2] = (carry / carry.sum())[:, None] * total[:2]
        # base
        R = pin.Quaternion(q[3], q[4], q[5], q[6]).toRotationMatrix() if False else pin.Quaternion(q[3:7]).toRotationMatrix()
        yaw = 0.5 * (feet.holds[0].yaw + feet.holds[1].yaw)
        want = pin.utils.rotate("z", yaw)
        base = _pd(pin.log3(R.T @ want), v[3:6], gains.base)
        joints = _pd(self.posture - q[7:], v[6:], gains.posture)
        swing = np.zeros((2, 6))
        if s.phase == Phase.SWING:
            k, pt = s.swing, s.point
            kd = 2 * math.sqrt(gains.swing)
            swing[k, :3] = pt.acceleration[:3] + gains.swing * (pt.position[:3] - t.position[k]) + kd * (pt.velocity[:3] - t.velocity[k, :3])
            e = pin.log3(pin.utils.rotate("z", pt.position[3]) @ t.rotation[k].T)
            swing[k, 3:] = gains.swing * e - kd * (t.velocity[k, 3:] - np.array([0, 0, pt.velocity[3]]))
            swing[k, 5] += pt.acceleration[3]
        low, high = self.joint_bounds(q, v)
        wanted = Wanted(acc, -gains.momentum * t.angular_momentum, base, swing, joints, forces, low, high)
        heads = tuple(math.atan2(*(t.rotation[i][:2, :2].T @ forces[i, :2])[::-1]) for i in (0, 1))
        prog = assemble(t, wanted, self.robot, stance, (float(lim[0]), float(lim[1])), heads, cfg.weights.packed)
        sol = solve(prog)
        x = sol.x
        tau = np.zeros(self.model.nv)
        a = np.zeros(self.model.nv); na = 6 + len(self.robot.legs)
        a[:6] = x[:6]; a[self.robot.legs] = x[6:na]; a[self.robot.rest] = joints[self.robot.rest - 6]
        tau = t.mass_matrix @ a + t.bias
        tau[self.robot.legs] = prog.torque_rows @ x + prog.torque_bias
        F = np.zeros((2, 3)); col = na; n = self.robot.corners.shape[1]
        for i in (0, 1):
            if stance[i]:
                F[i] = self.robot.mass * x[col:col + 3 * n].reshape(-1, 3).sum(axis=0); col += 3 * n
        self.state = s
        self.debug = (dcm, ref, pivot, p.pivots[0], acc)
        return Answer(tau[6:], F, sol.solved, int(s.phase))
