# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The interval estimator's recursion once more, in plain NumPy with matrices, written
from study 7 alone.

Beyond the study: the lag of the motion behind the force, the sensor's offset at the
read-out, for an IMU force noise that counts as at the lowest mu that is left, Masing's
rule of reversal, signs of compliance and lag, ends of the grid that are no bounds, what
is held, and weight taken from evidence whose residuals are correlated.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr


class Oracle:
    """One contact. Lengths in mm, compliance in mm per 100 N, as the study prints them."""

    def __init__(
        self,
        mu,
        shapes,
        axes,
        kind,
        sigma,
        quantisation,
        density,
        bias,
        latency,
        s_f,
        off,
        compliance,
        temper,
        lag,
        masing,
    ):
        self.mu = mu
        self.shapes = shapes
        self.axes = axes
        self.kind = kind
        self.sigma = sigma
        self.q = quantisation
        self.density = density
        self.bias = bias
        self.latency = latency
        self.s_f = s_f
        self.off = off
        self.compliance = compliance
        self.temper = temper
        # masing: one flag a shape
        self.lag = lag
        self.masing = masing
        self.rho = np.concatenate([[0.0], 1 - 0.8 ** np.arange(1, 13), [0.99]])
        self.step = np.log(mu[1] / mu[0])
        self.states = (
            axes + 1 + (compliance > 0) + (lag > 0) + (2 * axes if kind == "imu" else 0)
        )

    def start(self, u, x, force, width, dt):
        n = len(self.mu)
        m = len(self.shapes)
        k = self.states
        offset = {
            "position": 0.05 + 3 * self.sigma,
            "velocity": 1e-3 + 3 * self.sigma * dt,
        }
        offset = {**offset, "imu": 0.01 + 3 * self.sigma}[self.kind]
        prior = [offset] * self.axes + [6.0] + [self.compliance] * (self.compliance > 0)
        # mean of the log-normal belief about s_p
        prior += [self.lag * 0.8 * np.exp(0.5)] * (self.lag > 0)
        if self.kind == "imu":
            prior += [0.06 * self.bias + self.density * np.sqrt(0.06)] * self.axes + [
                self.bias
            ] * self.axes
        self.P = np.tile(np.diag(np.square(prior)), (n, m, 1, 1))
        lag = self.axes + 1 + (self.compliance > 0)
        if self.lag > 0:
            self.P[:, :, lag, lag] *= (self.mu[:, None] / 0.5) ** 2
        self.m = np.zeros((n, m, k))
        self.m[..., self.axes] = 1.0
        self.lw = np.zeros((n, m))
        self.u_c = u.copy()
        self.phi_c = np.zeros((n, m, 2))
        self.play = np.zeros((n, 12, 2))
        self.front = (0.0, np.zeros(2))
        self.origin = np.zeros((n, m, 2))
        self.play, self.front = self.follow(u)
        self.origin = self.remembered(self.play, self.front, u)
        self.energy = self.product = self.count = 0.0
        self.last_e = np.zeros(2)
        self.phi = self.phi_c.copy()
        self.x0 = x.copy()
        self.f0 = force.copy()
        self.recent = []
        self.width = width
        self.dt = dt
        self.peak = 0.0
        self.held = 0.0
        self.shift = 0.0
        self.step_c = np.zeros(2)
        self.q05 = self.mu[n // 2]
        self.waiting = []
        self.alive = self.mu[n // 2]
        self.i_r = n // 2
        self.j_r = m // 2
        self.mu_r = self.mu[n // 2]
        self.s_r = 0.8

    def follow(self, u):
        """Plays and largest load after going straight to u."""
        away = u / self.mu[:, None, None] - self.play
        far = np.linalg.norm(away, axis=2, keepdims=True) + 1e-300
        play = self.play + np.maximum(1 - self.rho[1:13, None] / far, 0.0) * away
        load = np.linalg.norm(u)
        return play, (load, u / load) if load >= self.front[
            0
        ] and load > 0 else self.front

    @staticmethod
    def curve(v, alpha):
        v, beyond = min(v, 0.99), max(v - 0.99, 0.0) * 0.01**-alpha
        return beyond + (
            -np.log(1 - v) if alpha == 1 else (1 - (1 - v) ** (1 - alpha)) / (1 - alpha)
        )

    def remembered(self, play, front, u):
        """Path by Masing's rule since the contact began."""
        total = np.zeros((len(self.mu), len(self.shapes), 2))
        for j in np.flatnonzero(self.masing):
            knots = np.array([self.curve(r, self.shapes[j]) for r in self.rho])
            slope = np.diff(knots) / np.diff(self.rho)
            weight = np.diff(slope)
            for i, mu in enumerate(self.mu):
                share = front[0] / mu
                virgin = slope[0] * share + weight @ np.maximum(
                    share - self.rho[1:13], 0.0
                )
                total[i, j] = slope[0] * u / mu + weight @ play[i]
                total[i, j] += (self.curve(share, self.shapes[j]) - virgin) * front[1]
        return total - self.origin

    def path(self, u):
        total = np.zeros_like(self.phi)
        du = (u - self.u_c) / 2
        if not np.any(du):
            return total
        for sub in (0.5, 1.5):
            um = self.u_c + sub * du
            for i, mu in enumerate(self.mu):
                room = max(mu**2 - um @ um, 0.02 * mu**2)
                s = (um @ du + np.sqrt((um @ du) ** 2 + room * (du @ du))) / room
                for j, alpha in enumerate(self.shapes):
                    bend = max(1 - um @ du / (np.linalg.norm(du) * mu), 0.01) ** (
                        1 - alpha
                    )
                    total[i, j] += bend * (du + s * um) / mu
        return total

    def update(self, u, x, force, fn):
        s_u = np.sqrt((self.s_f**2 / self.width + self.off**2 / 3) * (1 + u @ u)) / fn
        if np.linalg.norm(u) > self.peak:
            self.peak = np.linalg.norm(u)
            self.shift = self.off * np.sqrt(1 + u @ u) / fn
        noise = self.s_f / np.sqrt(self.width) / fn * np.hypot(1, np.linalg.norm(u))
        self.recent = [
            *self.recent[-3:],
            np.linalg.norm(u) - 3 * noise - self.off * np.sqrt(1 + u @ u) / fn,
        ]
        if len(self.recent) == 4:
            self.held = max(self.held, min(self.recent))
        self.waiting.append((u, x, force, fn))
        u, x, force, fn = (
            np.mean([block[k] for block in self.waiting], axis=0) for k in range(4)
        )
        w = self.width * len(self.waiting)
        if self.s_f / np.sqrt(w) / fn > 0.015 * self.mu_r and len(self.waiting) < 4:
            return s_u
        self.waiting = []
        self.see(u, x, force, fn, w)
        return s_u

    def see(self, u, x, force, fn, w):
        t = w * self.dt
        s_u = np.sqrt((self.s_f**2 / w + self.off**2 / 3) * (1 + u @ u)) / fn
        before = self.phi[self.i_r, self.j_r].copy()
        phi = self.phi
        self.phi = self.phi_c + self.path(u)
        play, front = self.follow(u)
        self.phi[:, self.masing] = self.remembered(play, front, u)[:, self.masing]
        rate = (self.phi - phi) / t
        du = u - self.u_c
        if np.linalg.norm(du) > 4 * s_u:
            if du @ self.step_c < 0:
                load = np.linalg.norm(self.u_c)
                turn = (
                    self.s_r
                    / 3
                    * 2
                    * s_u
                    * (
                        1 / max(self.mu_r - load, 0.03 * self.mu_r)
                        - 1 / (self.mu_r + load)
                    )
                )
                for a in range(self.axes):
                    self.P[..., a, a] += turn**2
            self.u_c = u.copy()
            self.phi_c = self.phi.copy()
            self.step_c = du
            self.play = play
            self.front = front
        phi_r = self.phi[self.i_r, self.j_r]
        load = np.linalg.norm(u)
        slope = self.s_r / 3 / max(self.mu_r - load, 0.03 * self.mu_r)
        sensor = {
            "position": self.sigma**2,
            "velocity": 1e-4**2 + 0.3 * (self.sigma * self.dt) ** 2,
            "imu": 2e-3**2 + self.sigma**2,
        }[self.kind] / w
        ratio = self.s_f / np.sqrt(self.width) / fn / (0.012 * self.q05)
        doubt = 0.5 * np.clip(ratio - 1, 0, 1)
        steep = (
            self.s_r
            / 3
            / max(self.mu_r ** (1 - doubt) * self.q05**doubt - load, 0.03 * self.mu_r)
        )
        if self.kind == "imu":
            room = max(self.alive - load, (1 / 0.85 - 1) * load, 0.03 * self.alive)
            steep = max(self.s_r, 0.8) / 3 / room
        stairs = 3 * max(1 - 2 * self.sigma / self.q, 0) if self.q else 0.0
        R = (
            sensor
            + self.q**2 / 24 * (1 + stairs)
            + (steep * s_u) ** 2
            + (0.03 * self.s_r * np.linalg.norm(phi_r) / 3) ** 2
        )
        R += (
            self.latency
            * (1 + min((self.latency - 1e-3) / 5e-3, 1))
            * self.s_r
            * np.linalg.norm(phi_r - before)
            / 3
            / t
        ) ** 2
        if self.compliance > 0:
            R += (self.m[self.i_r, self.j_r, self.axes + 1] / 100 * self.s_f) ** 2 / w
        R += (0.32 * self.step / np.sqrt(12) * slope * load) ** 2
        A = np.eye(self.states)
        Q = np.zeros((self.states, self.states))
        for a in range(self.axes):
            if self.kind == "velocity":
                Q[a, a] = w * (self.sigma * self.dt) ** 2
            if self.kind == "imu":
                v = self.states - 2 * self.axes + a
                A[a, v] = t
                A[a, v + self.axes] = t * t / 2
                A[v, v + self.axes] = t
                Q[v, v] = w * self.density**2 * self.dt / 2
        e = np.zeros(2)
        spread = []
        for a in range(self.axes):
            h = np.zeros(self.states)
            h[a], h[self.axes] = 1.0, self.phi[self.i_r, self.j_r, a] / 3
            if self.compliance > 0:
                h[self.axes + 1] = (force[a] - self.f0[a]) / 100
            if self.lag > 0:
                h[self.axes + 1 + (self.compliance > 0)] = (
                    -rate[self.i_r, self.j_r, a] / 3
                )
            m = A @ self.m[self.i_r, self.j_r]
            P = A @ self.P[self.i_r, self.j_r] @ A.T + Q
            e[a] = x[a] - self.x0[a] - h @ m
            spread.append(h @ P @ h + R)
        e /= np.sqrt(np.mean(spread))
        for i in range(len(self.mu)):
            for j in range(len(self.shapes)):
                m = A @ self.m[i, j]
                P = A @ self.P[i, j] @ A.T + Q
                for a in range(self.axes):
                    h = np.zeros(self.states)
                    h[a], h[self.axes] = 1.0, self.phi[i, j, a] / 3
                    if self.compliance > 0:
                        h[self.axes + 1] = (force[a] - self.f0[a]) / 100
                    if self.lag > 0:
                        h[self.axes + 1 + (self.compliance > 0)] = -rate[i, j, a] / 3
                    S = h @ P @ h + R
                    nu = x[a] - self.x0[a] - h @ m
                    K = P @ h / S
                    m = m + K * nu
                    P = P - np.outer(K, h @ P)
                    self.lw[i, j] -= self.temper * 0.5 * (nu**2 / S + np.log(S))
                self.m[i, j] = m
                self.P[i, j] = P
            over = max(load - 0.995 * self.mu[i], 0.0)
            self.lw[i] -= 0.5 * over**2 / (s_u**2 + (0.003 * self.mu[i]) ** 2)

        self.energy += e @ e / self.axes
        self.product += e @ self.last_e / self.axes
        self.last_e = e
        self.count = self.count + 1

    def positive(self, index, s_mean, s_var, margin):
        """Chance that a state is positive, given s_p."""
        own = self.P[..., self.axes, self.axes]
        slope = self.P[..., index, self.axes] / own
        left = self.P[..., index, index] - slope**2 * (own - s_var)
        mean = self.m[..., index] + slope * (s_mean - self.m[..., self.axes]) + margin
        return ndtr(mean / np.sqrt(np.maximum(left, 1e-18)))

    def read(self, s_u):
        z, g = np.polynomial.hermite_e.hermegauss(7)
        s = (
            self.m[..., self.axes, None]
            + np.sqrt(self.P[..., self.axes, self.axes, None]) * z
        )
        safe = np.maximum(s, 0.02)
        density = np.where(s > 0.02, np.exp(-0.5 * np.log(safe / 0.8) ** 2) / safe, 0.0)
        f = density @ g
        safe_f = np.maximum(f, 1e-300)
        s_mean = (density * s) @ g / safe_f
        s_var = (density * s * s) @ g / safe_f - s_mean**2
        if self.compliance > 0:
            f = f * self.positive(self.axes + 1, s_mean, s_var, 0.0)
        if self.lag > 0:
            f = f * self.positive(
                self.axes + 1 + (self.compliance > 0),
                s_mean,
                s_var,
                self.latency * s_mean,
            )
        share = 1.0
        if self.count >= 10:
            r = np.clip(self.product / self.energy, 0.0, 0.9)
            share = 1 / max(self.energy / self.count * (1 + r) / (1 - r) / 2.0, 1.0)
        p = np.exp(share * (self.lw - self.lw.max())) * f
        p /= p.sum()
        keep = np.flatnonzero((p >= 0.05 * p.mean()).any(axis=1))
        low = self.mu[keep[0]] * np.exp(-self.step)
        high = self.mu[keep[-1]] * np.exp(self.step / 2)
        low = low * (keep[0] > 0)
        high = np.inf if keep[-1] == len(self.mu) - 1 else high
        q05, q50 = self.quantiles(p)
        rules = [p[:, rule] for rule in (self.masing, ~self.masing) if rule.any()]
        likely = [q for q in rules if q.sum() / q.shape[1] >= 0.002 / p.shape[1]]
        said = np.min([(q05, q50), *map(self.quantiles, likely)], axis=0)
        self.q05 = q05
        self.alive = self.mu[keep[0]]
        self.i_r = int(np.argmin(abs(np.log(self.mu / q50))))
        self.j_r = int(np.argmax(p[self.i_r]))
        self.mu_r = self.mu[self.i_r]
        self.s_r = np.clip(self.m[self.i_r, self.j_r, self.axes], 0.05, 6.0)
        released = (
            self.peak >= max(0.35 * q50, 8 * s_u)
            and self.mu[0] < self.mu_r < self.mu[-1]
        )
        low = max(low * released - self.shift, self.held)
        return low, said[0], max(said[1], low), max(high + self.shift, low), released

    def quantiles(self, p):
        """Where 5 % and 50 % of p (mu, shapes) are passed."""
        cdf = np.r_[0, np.cumsum(p.sum(1))]
        edges = np.log(self.mu[0]) + self.step * (np.arange(len(self.mu) + 1) - 0.5)
        return np.exp(np.interp([0.05, 0.5], cdf / cdf[-1], edges))
