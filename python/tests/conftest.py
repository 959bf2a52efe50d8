"""Fixtures: the shapes and robots of the repository, from whose root the tests run."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import extricate as ex

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _in_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def pytest_sessionstart() -> None:
    os.chdir(ROOT)


def moved(x: float, y: float = 0.0, z: float = 0.0) -> np.ndarray:
    """A translation."""
    pose = np.eye(4)
    pose[:3, 3] = [x, y, z]
    return pose


@pytest.fixture(scope="session")
def cup() -> ex.Mesh:
    return ex.Mesh.load(ROOT / "assets/meshes/cup.obj")


@pytest.fixture(scope="session")
def spoon() -> ex.Mesh:
    return ex.Mesh.load(ROOT / "assets/meshes/spoon.obj")


@pytest.fixture(scope="session")
def arm() -> ex.Robot:
    return ex.Robot.load(ROOT / "assets/robots/arm.urdf")


@pytest.fixture(scope="session")
def cell(arm: ex.Robot) -> ex.Workcell:
    return ex.Workcell(arm, {"table": (ex.Shape.box([1, 1, 0.6]), moved(0.75, 0, 0.3))})


@pytest.fixture(scope="session")
def colliding(arm: ex.Robot) -> np.ndarray:
    """Configurations of which about half collide with the table."""
    random = np.random.default_rng(0)
    lower, upper = np.clip(arm.limits, -2, 2).T
    return random.uniform(lower, upper, (24, len(lower)))
