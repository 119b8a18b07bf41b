# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The interval estimator's recursion once more, in plain NumPy with matrices, written from study 7 alone.

Beyond the study: the lag of the motion behind the force, the sensor's offset at the read-out, and for an IMU force
noise that counts as at the lowest mu that is left.
"""

from __future__ import annotations

import numpy as np


class Oracle:
    """One contact. Lengths in mm, compliance in mm per 100 N, as the study prints them."""

    def __init__(
        self, mu, shapes, axes, kind, sigma, quantisation, density, bias, latency, s_f, off, compliance, temper, lag
    ):
        self.mu, self.shapes, self.axes, self.kind = mu, shapes, axes, kind
        self.sigma, self.q, self.density, self.bias = sigma, quantisation, density, bias
        self.latency, self.s_f, self.off, self.compliance, self.temper = latency, s_f, off, compliance, temper
        self.lag = lag
        self.step = np.log(mu[1] / mu[0])
        self.states = axes + 1 + (compliance > 0) + (lag > 0) + (2 * axes if kind == "imu" else 0)

    def start(self, u, x, force, width, dt):
        n, m, k = len(self.mu), len(self.shapes), self.states
        offset = {"position": 0.05 + 3 * self.sigma, "velocity": 1e-3 + 3 * self.sigma * dt}
        offset = {**offset, "imu": 0.01 + 3 * self.sigma}[self.kind]
        prior = [offset] * self.axes + [6.0] + [self.compliance] * (self.compliance > 0)
        prior += [self.lag * 0.8 * np.exp(0.5)] * (self.lag > 0)  # mean of the log-normal belief about s_p
        if self.kind == "imu":
            prior += [0.06 * self.bias + self.density * np.sqrt(0.06)] * self.axes + [self.bias] * self.axes
        self.P = np.tile(np.diag(np.square(prior)), (n, m, 1, 1))
        lag = self.axes + 1 + (self.compliance > 0)
        if self.lag > 0:
            self.P[:, :, lag, lag] *= (self.mu[:, None] / 0.5) ** 2
        self.m = np.zeros((n, m, k))
        self.m[..., self.axes] = 1.0
        self.lw = np.zeros((n, m))
        self.u_c, self.phi_c = u.copy(), np.zeros((n, m, 2))
        self.phi = self.phi_c.copy()
        self.x0, self.f0 = x.copy(), force.copy()
        self.width, self.dt, self.peak, self.held, self.shift = width, dt, 0.0, 0.0, 0.0
        self.step_c, self.q05, self.waiting = np.zeros(2), self.mu[n // 2], []
        self.alive = self.mu[n // 2]
        self.i_r, self.j_r, self.mu_r, self.s_r = n // 2, m // 2, self.mu[n // 2], 0.8

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
                    bend = max(1 - um @ du / (np.linalg.norm(du) * mu), 0.01) ** (1 - alpha)
                    total[i, j] += bend * (du + s * um) / mu
        return total

    def update(self, u, x, force, fn):
        s_u = np.sqrt((self.s_f**2 / self.width + self.off**2 / 3) * (1 + u @ u)) / fn
        if np.linalg.norm(u) > self.peak:
            self.peak, self.shift = np.linalg.norm(u), self.off * np.sqrt(1 + u @ u) / fn
        self.held = max(self.held, np.linalg.norm(u) - 3 * s_u)
        self.waiting.append((u, x, force, fn))
        u, x, force, fn = (np.mean([block[k] for block in self.waiting], axis=0) for k in range(4))
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
        rate = (self.phi - phi) / t
        du = u - self.u_c
        if np.linalg.norm(du) > 4 * s_u:
            if du @ self.step_c < 0:
                load = np.linalg.norm(self.u_c)
                turn = self.s_r / 3 * 2 * s_u * (1 / max(self.mu_r - load, 0.03 * self.mu_r) - 1 / (self.mu_r + load))
                for a in range(self.axes):
                    self.P[..., a, a] += turn**2
            self.u_c, self.phi_c, self.step_c = u.copy(), self.phi.copy(), du
        phi_r, load = self.phi[self.i_r, self.j_r], np.linalg.norm(u)
        slope = self.s_r / 3 / max(self.mu_r - load, 0.03 * self.mu_r)
        sensor = {
            "position": self.sigma**2,
            "velocity": 1e-4**2 + 0.3 * (self.sigma * self.dt) ** 2,
            "imu": 2e-3**2 + self.sigma**2,
        }[self.kind] / w
        ratio = self.s_f / np.sqrt(self.width) / fn / (0.012 * self.q05)
        doubt = 0.5 * np.clip(ratio - 1, 0, 1)
        steep = self.s_r / 3 / max(self.mu_r ** (1 - doubt) * self.q05**doubt - load, 0.03 * self.mu_r)
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
        A, Q = np.eye(self.states), np.zeros((self.states, self.states))
        for a in range(self.axes):
            if self.kind == "velocity":
                Q[a, a] = w * (self.sigma * self.dt) ** 2
            if self.kind == "imu":
                v = self.states - 2 * self.axes + a
                A[a, v], A[a, v + self.axes], A[v, v + self.axes] = t, t * t / 2, t
                Q[v, v] = w * self.density**2 * self.dt / 2
        for i in range(len(self.mu)):
            for j in range(len(self.shapes)):
                m, P = A @ self.m[i, j], A @ self.P[i, j] @ A.T + Q
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
                    m, P = m + K * nu, P - np.outer(K, h @ P)
                    self.lw[i, j] -= self.temper * 0.5 * (nu**2 / S + np.log(S))
                self.m[i, j], self.P[i, j] = m, P
            over = max(load - 0.995 * self.mu[i], 0.0)
            self.lw[i] -= 0.5 * over**2 / (s_u**2 + (0.003 * self.mu[i]) ** 2)

    def read(self, s_u):
        z, g = np.polynomial.hermite_e.hermegauss(7)
        s = self.m[..., self.axes, None] + np.sqrt(self.P[..., self.axes, self.axes, None]) * z
        safe = np.maximum(s, 0.02)
        f = np.where(s > 0.02, np.exp(-0.5 * np.log(safe / 0.8) ** 2) / safe, 0.0) @ g
        p = np.exp(self.lw - self.lw.max()) * f
        p /= p.sum()
        keep = np.flatnonzero((p >= 0.05 * p.mean()).any(axis=1))
        low, high = self.mu[keep[0]] * np.exp(-self.step / 2), self.mu[keep[-1]] * np.exp(self.step / 2)
        cdf, edges = np.r_[0, np.cumsum(p.sum(1))], np.log(self.mu[0]) + self.step * (np.arange(len(self.mu) + 1) - 0.5)
        q05, q50 = np.exp(np.interp([0.05, 0.5], cdf, edges))
        self.q05, self.alive = q05, self.mu[keep[0]]
        self.i_r = int(np.argmin(abs(np.log(self.mu / q50))))
        self.j_r, self.mu_r = int(np.argmax(p[self.i_r])), self.mu[self.i_r]
        self.s_r = np.clip(self.m[self.i_r, self.j_r, self.axes], 0.05, 6.0)
        released = self.peak >= max(0.35 * q50, 8 * s_u)
        if not released:
            low = min(low, self.mu[0])
        low = max(low - self.shift, self.held)
        return low, q05, q50, max(high + self.shift, low), released
