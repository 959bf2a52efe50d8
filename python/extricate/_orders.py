"""Configurations of other libraries: orders of joints, and joints that they store as a cosine and a sine."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from extricate._native import Robot
from extricate._results import Floats


def names_of(model: Any) -> list[str]:
    """Return the names of the joints of a configuration of a robot of yourdfpy (``URDF``) or Pinocchio (``Model``).

    Raises ``ValueError`` for other objects, and for joints of Pinocchio that have several numbers in a configuration.
    """
    if hasattr(model, "actuated_joint_names"):
        return [str(name) for name in model.actuated_joint_names]
    if hasattr(model, "names") and hasattr(model, "nqs"):
        several = [str(name) for name, count in zip(model.names, model.nqs, strict=True) if count > 1]
        if several:
            names = ", ".join(several)
            raise ValueError(f"names: to_pinocchio and from_pinocchio convert joints with several numbers: {names}")
        return [str(name) for name, count in zip(model.names, model.nqs, strict=True) if count == 1]
    raise ValueError(f"names: expected names of joints, or a robot of yourdfpy or Pinocchio, found {type(model).__name__}")


def _places(robot: Robot, model: Any) -> list[tuple[int, int, int]]:
    """For each joint of Pinocchio: its place here, its first place there, and its number of values there."""
    own = robot.joint_names
    places = []
    for name, first, count, degrees in zip(model.names, model.idx_qs, model.nqs, model.nvs, strict=True):
        if count == 0:
            continue
        if name not in own or degrees != 1 or count > 2:
            raise ValueError(
                f"joint '{name}' of the model is not an independent joint with one degree of freedom here; "
                "pinocchio.buildModelFromUrdf(path, mimic=True) reads joints that mimic others as such"
            )
        places.append((own.index(name), int(first), int(count)))
    if len(places) != len(own):
        missing = sorted(set(own) - {own[place] for place, _, _ in places})
        raise ValueError(f"the model has no joint named {', '.join(missing)}")
    return places


def to_pinocchio(robot: Robot, model: Any, q: npt.ArrayLike) -> Floats:
    """Return configurations ``q`` (J,) or (N, J) as those of a Pinocchio ``Model``, (nq,) or (N, nq).

    Joints without limits are a cosine and a sine there.

    Raises ``ValueError`` for a model with other joints.

    >>> import types, numpy as np, extricate as ex
    >>> arm = ex.Robot.load("assets/robots/arm.urdf")
    >>> count = len(arm.joint_names)
    >>> like_pinocchio = types.SimpleNamespace(
    ...     names=["universe", *arm.joint_names], idx_qs=[0, *range(count)], nqs=[0] + [1] * count, nvs=[0] + [1] * count)
    >>> q = np.linspace(0, 1, count)
    >>> bool((ex.to_pinocchio(arm, like_pinocchio, q) == q).all())
    True
    """
    given = np.asarray(q, dtype=float)
    robot.to_order(robot.joint_names, given)
    places = _places(robot, model)
    found = np.zeros((*given.shape[:-1], sum(count for _, _, count in places)))
    for own, first, count in places:
        if count == 1:
            found[..., first] = given[..., own]
        else:
            found[..., first], found[..., first + 1] = np.cos(given[..., own]), np.sin(given[..., own])
    return found


def from_pinocchio(robot: Robot, model: Any, q: npt.ArrayLike) -> Floats:
    """Return configurations ``q`` (nq,) or (N, nq) of a Pinocchio ``Model`` as those of a robot: the inverse of ``to_pinocchio``.

    Angles of joints without limits are between -π and π.

    Raises ``ValueError`` for a model with other joints, and arrays of another length.

    >>> import types, numpy as np, extricate as ex
    >>> arm = ex.Robot.load("assets/robots/arm.urdf")
    >>> count = len(arm.joint_names)
    >>> like_pinocchio = types.SimpleNamespace(
    ...     names=["universe", *arm.joint_names], idx_qs=[0, *range(count)], nqs=[0] + [1] * count, nvs=[0] + [1] * count)
    >>> ex.from_pinocchio(arm, like_pinocchio, np.zeros((3, count))).shape == (3, count)
    True
    """
    given = np.asarray(q, dtype=float)
    places = _places(robot, model)
    length = sum(count for _, _, count in places)
    if given.ndim not in (1, 2) or given.shape[-1] != length:
        raise ValueError(f"q: expected an array of shape ({length},) or (N, {length}), found {list(given.shape)}")
    found = np.zeros((*given.shape[:-1], len(robot.joint_names)))
    for own, first, count in places:
        value = given[..., first]
        found[..., own] = value if count == 1 else np.arctan2(given[..., first + 1], value)
    return found
