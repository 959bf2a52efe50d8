"""Scenes of dictionaries."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np


def _plain(value: Any) -> Any:
    """What JSON does not know: arrays and numbers of numpy, tensors, paths."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, np.generic):
        return value.item()
    if hasattr(value, "__array__") or hasattr(value, "__dlpack__"):
        return np.asarray(value).tolist()
    raise ValueError(f"scene: {type(value).__name__} is not a value of a scene")


def to_json(scene: dict[str, Any]) -> str:
    """Return a scene as JSON.

    Raises ``ValueError`` for numbers that are not finite and for values of other types.
    """
    try:
        return json.dumps(scene, default=_plain, allow_nan=False)
    except (TypeError, RecursionError) as error:
        raise ValueError(f"scene: {error}") from error
    except ValueError as error:
        raise error if str(error).startswith("scene: ") else ValueError(f"scene: {error}") from error
