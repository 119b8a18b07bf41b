# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Closed-form dynamics of the thesis' biped as corrected in A.6: an oracle, not a
product."""

import numpy as np

M_BODY = 3.0
M_FEM = 0.1
M_TIB = 0.1
L_FEM = 0.5
L_TIB = 0.5
I_FEM = 0.1
I_TIB = 0.1
G = 9.81
A = L_FEM * (M_FEM / 2 + M_TIB)
B = L_TIB * M_TIB / 2


def mass_matrix(q):
    m = np.zeros((6, 6))
    m[0, 0] = m[1, 1] = M_BODY + 2 * M_FEM + 2 * M_TIB
    for a, b in ((2, 3), (4, 5)):
        s1 = np.sin(q[a])
        s2 = np.sin(q[a] + q[b])
        c1 = np.cos(q[a])
        c2 = np.cos(q[a] + q[b])
        cb = np.cos(q[b])
        m[0, a] = -A * s1 - B * s2
        m[0, b] = -B * s2
        m[1, a] = A * c1 + B * c2
        m[1, b] = B * c2
        m[a, a] = (
            I_FEM
            + I_TIB
            + L_FEM**2 * (M_FEM / 4 + M_TIB)
            + L_TIB**2 * M_TIB / 4
            + L_FEM * L_TIB * M_TIB * cb
        )
        m[a, b] = I_TIB + L_TIB * M_TIB * (L_TIB + 2 * L_FEM * cb) / 4
        m[b, b] = I_TIB + M_TIB * L_TIB**2 / 4
    return np.triu(m) + np.triu(m, 1).T


def bias(q, v):
    """C + G."""
    c = np.zeros(6)
    c[1] = G * (M_BODY + 2 * M_FEM + 2 * M_TIB)
    for a, b in ((2, 3), (4, 5)):
        s1 = np.sin(q[a])
        s2 = np.sin(q[a] + q[b])
        c1 = np.cos(q[a])
        c2 = np.cos(q[a] + q[b])
        sb = np.sin(q[b])
        c[0] += -A * c1 * v[a] ** 2 - B * c2 * (v[a] + v[b]) ** 2
        c[1] += -A * s1 * v[a] ** 2 - B * s2 * (v[a] + v[b]) ** 2
        c[a] = -L_FEM * L_TIB * M_TIB * sb * (2 * v[a] * v[b] + v[b] ** 2) / 2 + G * (
            A * c1 + B * c2
        )
        c[b] = L_FEM * L_TIB * M_TIB * sb * v[a] ** 2 / 2 + G * B * c2
    return c


def jacobian(q):
    """Rows x and y of leg 1, then of leg 2."""
    j = np.zeros((4, 6))
    for row, (a, b) in ((0, (2, 3)), (2, (4, 5))):
        s1 = np.sin(q[a])
        s2 = np.sin(q[a] + q[b])
        c1 = np.cos(q[a])
        c2 = np.cos(q[a] + q[b])
        j[row, [0, a, b]] = 1.0, -L_FEM * s1 - L_TIB * s2, -L_TIB * s2
        j[row + 1, [1, a, b]] = 1.0, L_FEM * c1 + L_TIB * c2, L_TIB * c2
    return j
