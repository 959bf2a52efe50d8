"""Penetration depth, proximity, pose repair and contact-rich simulation for triangle meshes, without convex decomposition.

SI units; right-handed frames; poses are arrays ``(4, 4)`` of float64 that map body to world. Every query takes one pose or
``(N, 4, 4)``; the direction of a penetration is that in which A moves. Three outcomes have three shapes: a result, ``None`` for
a *proved* absence, and an exception for a failure, which is never reported as an absence.

>>> import numpy as np
>>> import extricate as ex
>>> cup, ball = ex.Mesh.load("assets/meshes/cup.obj"), ex.Shape.sphere(0.1)
>>> at_rim = np.eye(4)
>>> at_rim[:3, 3] = [0.46, 0, 0.6]
>>> found = ex.penetration(ball, cup, at_rim)
>>> free = at_rim.copy()
>>> free[:3, 3] += found.translation
>>> ex.collide(ball, cup, at_rim), ex.collide(ball, cup, free)
(True, False)
"""

from extricate._errors import ExtricateError, FileError, InternalError, NotSeparatedError, RepairNotFoundError
from extricate._native import (
    VERSION,
    DistanceField,
    Mesh,
    Robot,
    Shape,
    Workcell,
    World,
    collide,
    distance,
    growth_distance,
    hausdorff,
    local_penetrations,
    open_run,
    penetration,
    penetration_batch,
    penetration_rigid,
    run,
    separate,
    time_of_contact,
)
from extricate._orders import from_pinocchio, to_pinocchio
from extricate._pictures import Picture, draw, draw_repair, draw_separation
from extricate._recording import Recording
from extricate._results import (
    CollidingPair,
    Contact,
    ContactBatch,
    Distance,
    DistanceBatch,
    GrowthDistance,
    GrowthDistanceBatch,
    Hausdorff,
    HausdorffBatch,
    LocalPenetration,
    LocalPenetrationBatch,
    Path,
    Penetration,
    PenetrationBatch,
    Repair,
    RepairBatch,
    RigidPenetration,
    RigidPenetrationBatch,
    Separation,
    SeparationBatch,
    WorldContacts,
)
from extricate._show import Viewer, show

__version__ = VERSION

__all__ = [
    "CollidingPair",
    "Contact",
    "ContactBatch",
    "Distance",
    "DistanceBatch",
    "DistanceField",
    "ExtricateError",
    "FileError",
    "GrowthDistance",
    "GrowthDistanceBatch",
    "Hausdorff",
    "HausdorffBatch",
    "InternalError",
    "LocalPenetration",
    "LocalPenetrationBatch",
    "Mesh",
    "NotSeparatedError",
    "Path",
    "Penetration",
    "PenetrationBatch",
    "Picture",
    "Recording",
    "Repair",
    "RepairBatch",
    "RepairNotFoundError",
    "RigidPenetration",
    "RigidPenetrationBatch",
    "Robot",
    "Separation",
    "SeparationBatch",
    "Shape",
    "Viewer",
    "Workcell",
    "World",
    "WorldContacts",
    "collide",
    "distance",
    "draw",
    "draw_repair",
    "draw_separation",
    "from_pinocchio",
    "growth_distance",
    "hausdorff",
    "local_penetrations",
    "open_run",
    "penetration",
    "penetration_batch",
    "penetration_rigid",
    "run",
    "separate",
    "show",
    "time_of_contact",
    "to_pinocchio",
]
