# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The five works that are reproduced, in full; docs/references.md says the same."""

REFERENCES = {
    "roosen": "Stephen Roosen, Ground-Contact Friction Estimation and Slip Prevention in Bipedal Robots. Thesis, "
    "Master of Philosophy, Department of Mechanical Engineering, University of Melbourne (no date in the copy used).",
    "bruneau": "O. Bruneau, F. B. Ouezdou, Distributed ground/walking robot interaction. Robotica 17, 1999.",
    "rengifo": "Carlos Rengifo, Yannick Aoustin, Christine Chevallereau, Franck Plestan, A penalty-based approach for "
    "contact forces computation in bipedal robots. 9th IEEE-RAS International Conference on Humanoid Robots, Paris "
    "2009, pp. 121-127, doi:10.1109/ICHR.2009.5379590.",
    "rodic": "Aleksandar Rodić, Khalid Addi, Georges Dalleau, Modeling of Impact Phenomena with Biped Locomotion "
    "Mechanisms \N{EN DASH} Theory and Experiments. Scientific Technical Review, No. 1, 2009.",
    "khadiv": "Majid Khadiv, S. Ali A. Moosavian, Aghil Yousefi-Koma, Majid Sadedel, Abbas Ehsani-Seresht, Saeed "
    "Mansouri, Rigid vs compliant contact: an experimental study on biped walking. Multibody System Dynamics, 2019, "
    "arXiv:1709.06314.",
}
