# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Build description for ament_python (colcon) and for pip."""

from pathlib import Path

from setuptools import find_packages, setup

PACKAGE = "biped_slip"
WALK = ["casadi", "pin", "quantecon"]  # robots and their simulation
EXTRAS = {  # what people use
    "campaigns": ["distributed", "pyarrow"],
    "completion": ["argcomplete"],
    "gymnasium": [*WALK, "example-robot-data", "gymnasium>=1.0,<2", "mujoco"],
    "hdf5": ["h5py"],
    "humanoids": [*WALK, "daqp", "example-robot-data"],
    "mujoco": ["mujoco"],
    "pandas": ["pandas"],
    "policies": ["onnxruntime"],
    "unitree": ["cyclonedds==11.0.1"],  # by its C interface, which may change
    "view": ["fast-simplification", "trimesh", "viser"],
    "walk": WALK,
}


def shared(folder: str, place: str = "") -> list[tuple[str, list[str]]]:
    """Install every file below a folder into the package's share directory.

    Subfolders are kept; another name of the folder there is its place.
    """
    files: dict[str, list[str]] = {}
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            parent = Path(place or folder, path.parent.relative_to(folder)).as_posix()
            files.setdefault(f"share/{PACKAGE}/{parent}", []).append(path.as_posix())
    return list(files.items())


setup(
    name=PACKAGE,
    version="0.1.0",
    description="Friction estimation at touchdown and walking inside the friction "
    "cone, for bipeds and ROS 2",
    author="The biped_slip authors",
    maintainer="The biped_slip authors",
    long_description=Path("README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    maintainer_email="maintainers@biped-slip.org",
    license="Apache-2.0",
    python_requires=">=3.10",
    classifiers=[
        "Development Status :: 3 - Alpha",
        "Intended Audience :: Science/Research",
        "Operating System :: POSIX :: Linux",
        *(f"Programming Language :: Python :: 3.{minor}" for minor in range(10, 15)),
        "Topic :: Scientific/Engineering",
    ],
    packages=find_packages(include=[PACKAGE, f"{PACKAGE}.*"]),
    package_data={PACKAGE: ["py.typed", "**/*.yaml", "**/*.urdf"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{PACKAGE}"]),
        (f"share/{PACKAGE}", ["package.xml"]),
        # here a folder `launch` would hide the package that launch files import
        *shared("launch_files", "launch"),
        *shared("config"),
        *shared("urdf"),
        *shared("worlds"),
        *shared("examples"),
    ],
    install_requires=[  # laws, estimators, recordings, the gait laboratory
        "setuptools",
        "matplotlib",
        "numba",
        "numpy",
        "pyyaml",
        "rich",
        "rosbags",
        "scipy",
    ],
    extras_require={
        **EXTRAS,
        "all": sorted({library for extra in EXTRAS.values() for library in extra}),
        "test": [
            "argcomplete",
            "ezc3d",
            "gymnasium",
            "pytest",
            "pytest-cov",
            "pytest-rerunfailures",
            "pytest-xdist",
            "h5py",
            "hypothesis",
            "mujoco",
            "onnx",
            "onnxruntime",
            "pillow",
            "selenium",
            "xacro",
        ],
        "peers": ["mujoco", "pybullet", "dartpy", "drake"],
        "docs": ["furo", "myst-nb", "sphinx"],
        "lint": ["ruff", "mypy", "types-PyYAML", "scipy-stubs"],
        "ros": [
            "ros-jazzy-rclpy",
            "ros-jazzy-rmw-fastrtps-cpp",
            "ros-jazzy-common-interfaces",
        ],
    },
    entry_points={
        "console_scripts": [
            "biped-slip = biped_slip.cli:main",
            "base_estimator = biped_slip.ros.__main__:main",
            "contact_simulator = biped_slip.ros.__main__:main",
            "foot_estimator = biped_slip.ros.__main__:main",
            "friction_governor = biped_slip.ros.__main__:main",
            "friction_markers = biped_slip.ros.__main__:main",
            "friction_estimator = biped_slip.ros.__main__:main",
            "odom_transform = biped_slip.ros.__main__:main",
            "recording_player = biped_slip.ros.__main__:main",
            "topic_recorder = biped_slip.ros.__main__:main",
            "unitree_bridge = biped_slip.ros.__main__:main",
            "wait_for_active = biped_slip.ros.__main__:main",
            "viewer = biped_slip.ros.__main__:main",
            "walking_controller = biped_slip.ros.__main__:main",
        ],
        "biped_slip.slip_policies": ["oracle = biped_slip.simulation.oracle:oracle"],
    },
    zip_safe=True,
)
