"""Results: frozen dataclasses. Batches hold columns, whose first axis has the length N of the batch."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pyarrow

Floats = npt.NDArray[np.float64]
"""An array of float64."""


def _column(values: Any) -> Any:
    """One column of an Arrow table; arrays of more than one axis are lists of fixed size."""
    import pyarrow as pa

    array = np.asarray(values)
    if array.ndim == 1:
        return pa.array(array)
    width = int(np.prod(array.shape[1:]))
    return pa.FixedSizeListArray.from_arrays(pa.array(np.ascontiguousarray(array).reshape(-1)), width)


@dataclass(frozen=True, eq=False)
class _Batch:
    """Columns with a status and an error for each item.

    ``status`` (N,) int8 is 1 where a result was found, 0 where its absence is proved, and -1 where the item failed;
    ``errors`` maps the index of each failed item to its message.
    """

    status: npt.NDArray[np.int8]
    errors: dict[int, str]

    def __len__(self) -> int:
        return len(self.status)

    def to_arrow(self) -> pyarrow.Table:
        """Return the columns as a table; needs ``pyarrow``.

        Arrays of more than one axis are lists of fixed size, row by row; ``error`` is null where there is none.
        """
        import pyarrow as pa

        names = [own.name for own in fields(self) if own.name != "errors"]
        columns = {name: _column(getattr(self, name)) for name in names}
        columns["error"] = self._error_column()
        return pa.table(columns)

    def _error_column(self) -> Any:
        import pyarrow as pa

        return pa.array([self.errors.get(index) for index in range(len(self))], pa.string())


@dataclass(frozen=True, eq=False)
class Distance:
    """Distance of two shapes.

    >>> import extricate as ex
    >>> ex.distance(ex.Shape.sphere(1), ex.Shape.sphere(1)).value
    0.0
    """

    value: float
    """The distance [m], in the norm of the query: zero where the shapes collide, or minus the penetration depth where it is
    signed."""
    lower_bound: float
    """Proved lower bound [m]."""
    upper_bound: float
    """Proved upper bound [m]."""
    points: Floats
    """A point of A and one of B (2, 3) [m, world]: the closest ones, or points in the overlap; to 1e-8 in L1 and L∞."""


@dataclass(frozen=True, eq=False)
class DistanceBatch(_Batch):
    """Distances of two shapes at many poses. Failed items are NaN.

    >>> import numpy as np, extricate as ex
    >>> poses = np.tile(np.eye(4), (2, 1, 1)); poses[:, 0, 3] = [3, 4]
    >>> ex.distance(ex.Shape.sphere(1), ex.Shape.sphere(1), poses).value.tolist()
    [1.0, 2.0]
    """

    value: Floats
    """Distances (N,) [m], in the norm of the query."""
    lower_bound: Floats
    """Proved lower bounds (N,) [m]."""
    upper_bound: Floats
    """Proved upper bounds (N,) [m]."""
    points: Floats
    """A point of A and one of B (N, 2, 3) [m, world]."""


@dataclass(frozen=True, eq=False)
class GrowthDistance:
    """Growth distance of two convex shapes.

    >>> import extricate as ex
    >>> ex.growth_distance(ex.Shape.sphere(1), ex.Shape.sphere(1)).value
    0.0
    """

    value: float
    """The factor by which both shapes are scaled about their seeds so that they touch: below 1 where they overlap, above 1 where
    they are apart; zero for coincident seeds."""
    lower_bound: float
    """Proved lower bound of the factor."""
    upper_bound: float
    """Proved upper bound of the factor; infinite where none was proved."""
    points: Floats
    """A point of A and one of B (2, 3) [m, world], of the shapes as they are, that the scaling moves to ``contact``."""
    contact: Floats
    """The point (3,) [m, world] in which the scaled shapes touch."""
    normal: Floats
    """Unit normal (3,) [world] of the plane that separates the scaled shapes there, from B to A; the x axis for coincident
    seeds."""
    seeds: Floats
    """The seeds of A and of B (2, 3) [m, world]."""
    converged: bool
    """Whether the bounds agree."""


@dataclass(frozen=True, eq=False)
class GrowthDistanceBatch(_Batch):
    """Growth distances of two convex shapes at many poses. Failed items are NaN.

    >>> import numpy as np, extricate as ex
    >>> poses = np.tile(np.eye(4), (2, 1, 1)); poses[:, 0, 3] = [3, 1]
    >>> ex.growth_distance(ex.Shape.sphere(1), ex.Shape.sphere(1), poses).value.round(6).tolist()
    [1.5, 0.5]
    """

    value: Floats
    """Factors (N,) by which both shapes are scaled about their seeds so that they touch."""
    lower_bound: Floats
    """Proved lower bounds (N,) of the factors."""
    upper_bound: Floats
    """Proved upper bounds (N,) of the factors; infinite where none was proved."""
    points: Floats
    """A point of A and one of B (N, 2, 3) [m, world] that the scaling moves to ``contact``."""
    contact: Floats
    """Points (N, 3) [m, world] in which the scaled shapes touch."""
    normal: Floats
    """Unit normals (N, 3) [world] of the planes that separate the scaled shapes there, from B to A."""
    seeds: Floats
    """The seeds of A and of B (N, 2, 3) [m, world]."""
    converged: npt.NDArray[np.bool_]
    """Whether the bounds agree (N,)."""


@dataclass(frozen=True, eq=False)
class Penetration:
    """The smallest separating translation found of A.

    >>> import extricate as ex
    >>> ex.penetration(ex.Shape.sphere(1), ex.Shape.half_space()).depth
    1.0
    """

    depth: float
    """Length of the translation [m], in the norm of the query: an upper bound of the penetration depth."""
    lower_bound: float
    """Proved lower bound of the penetration depth [m]; zero for a mesh without an inside."""
    direction: Floats
    """Unit direction (3,) in which A moves [world]."""
    translation: Floats
    """Translation (3,) of A [m, world] after which the shapes were verified to be apart: along ``direction``, ``depth`` in the
    norm of the query and a clearance of at most 1e-10 of their size."""
    witnesses: Floats
    """A point of A and one of B (2, 3) [m, world] that touch when A has moved."""
    converged: bool
    """Whether the search ended at a local optimum, and not at its bound on work."""
    approximation: float
    """Distance [m] by which the polyhedron that chose the direction for a round shape extends beyond it."""
    ended_by: str
    """Reason for the end of the search: ``"completed"``, ``"work bound"`` or ``"time budget"``. Nearer translations may exist
    where it is a bound, and after a time budget the result is not reproducible."""


@dataclass(frozen=True, eq=False)
class PenetrationBatch(_Batch):
    """Penetrations at many poses. Directions are NaN where the shapes are apart, all numbers where an item failed.

    >>> import numpy as np, extricate as ex
    >>> poses = np.tile(np.eye(4), (2, 1, 1)); poses[:, 2, 3] = [0.75, 2]
    >>> ex.penetration(ex.Shape.sphere(1), ex.Shape.half_space(), poses).depth.tolist()
    [0.25, 0.0]
    """

    depth: Floats
    """Depths (N,) [m], in the norm of the query; zero where the shapes are proved apart."""
    lower_bound: Floats
    """Proved lower bounds (N,) [m]."""
    direction: Floats
    """Unit directions (N, 3) [world] in which A moves."""
    translation: Floats
    """Translations (N, 3) [m, world] of A after which the shapes were verified to be apart."""
    witnesses: Floats
    """A point of A and one of B (N, 2, 3) [m, world] that touch when A has moved."""
    ended_by: npt.NDArray[np.str_]
    """Reasons (N,) for the ends of the searches, as of ``Penetration``; empty where the shapes are apart or the item failed."""


@dataclass(frozen=True, eq=False)
class LocalPenetration:
    """One region of an overlap.

    >>> import numpy as np, extricate as ex
    >>> box = ex.Shape.box([1, 1, 1]).to_mesh()
    >>> pose = np.eye(4); pose[2, 3] = 0.9
    >>> ex.local_penetrations(box, box, pose)[0].normal.round(6).tolist()
    [0.0, 0.0, 1.0]
    """

    point: Floats
    """Centre (3,) [m, world] of the intersection curve of the surfaces."""
    normal: Floats
    """Unit direction (3,) [world] in which A moves to separate the region."""
    depth: float
    """Length [m] of that motion."""
    triangles_a: npt.NDArray[np.uint32]
    """Triangles of A in the region."""
    triangles_b: npt.NDArray[np.uint32]
    """Triangles of B in the region."""
    is_measured: bool = True
    """Whether the region was measured before a bound on work was met; if not, direction and depth are those of the whole
    overlap."""


@dataclass(frozen=True, eq=False)
class LocalPenetrationBatch(_Batch):
    """The regions of overlaps at many poses: columns of all R regions, and where those of each item begin.

    The regions of item ``i`` are rows ``offsets[i]`` to ``offsets[i + 1]``; ``regions(i)`` returns them as objects.

    >>> import numpy as np, extricate as ex
    >>> box = ex.Shape.box([1, 1, 1]).to_mesh()
    >>> poses = np.tile(np.eye(4), (2, 1, 1)); poses[:, 2, 3] = [0.9, 2]
    >>> found = ex.local_penetrations(box, box, poses)
    >>> found.status.tolist(), found.offsets.tolist(), found.regions(0)[0].normal.round(6).tolist()
    ([1, 0], [0, 1, 1], [0.0, 0.0, 1.0])
    """

    offsets: npt.NDArray[np.int64]
    """Row of the first region of each item, and the number of regions (N + 1,)."""
    point: Floats
    """Centres (R, 3) [m, world] of the intersection curves."""
    normal: Floats
    """Unit directions (R, 3) [world] in which A moves to separate the region."""
    depth: Floats
    """Lengths (R,) [m] of these motions."""
    triangles_a: npt.NDArray[np.uint32]
    """Triangles of A in all regions."""
    triangles_a_offsets: npt.NDArray[np.int64]
    """Place of the first triangle of A of each region, and the number of these triangles (R + 1,)."""
    triangles_b: npt.NDArray[np.uint32]
    """Triangles of B in all regions."""
    triangles_b_offsets: npt.NDArray[np.int64]
    """Place of the first triangle of B of each region, and the number of these triangles (R + 1,)."""
    is_measured: npt.NDArray[np.bool_]
    """Whether each region (R,) was measured before a bound on work was met."""

    def regions(self, item: int) -> list[LocalPenetration]:
        """Return the regions of an item, deepest first."""
        if not 0 <= item < len(self):
            raise IndexError(f"there is no item {item} of {len(self)}")
        on_a, on_b = self.triangles_a_offsets, self.triangles_b_offsets
        return [
            LocalPenetration(
                self.point[row],
                self.normal[row],
                float(self.depth[row]),
                self.triangles_a[on_a[row] : on_a[row + 1]],
                self.triangles_b[on_b[row] : on_b[row + 1]],
                bool(self.is_measured[row]),
            )
            for row in range(self.offsets[item], self.offsets[item + 1])
        ]

    def to_arrow(self) -> pyarrow.Table:
        """Return a table of the items; needs ``pyarrow``. The columns of the regions are lists."""
        import pyarrow as pa

        def lists(offsets: npt.NDArray[np.int64], values: Any) -> Any:
            return pa.LargeListArray.from_arrays(pa.array(offsets), values)

        columns = {"status": pa.array(self.status)}
        for name in ("point", "normal", "depth", "is_measured"):
            columns[name] = lists(self.offsets, _column(getattr(self, name)))
        for name in ("triangles_a", "triangles_b"):
            of_regions = lists(getattr(self, f"{name}_offsets"), pa.array(getattr(self, name)))
            columns[name] = lists(self.offsets, of_regions)
        columns["error"] = self._error_column()
        return pa.table(columns)


@dataclass(frozen=True, eq=False)
class RigidPenetration:
    """The smallest rigid motion found that separates A from B.

    >>> import extricate as ex
    >>> ex.penetration_rigid(ex.Shape.sphere(1), ex.Shape.half_space()).verified_free
    True
    """

    depth: float
    """√σ [m]."""
    sigma: float
    """σ [m²]: the mean squared displacement of the points of A, the object norm [Tang14]."""
    pose: Floats
    """Pose (4, 4) of A after the motion, body to world."""
    clearance: float
    """Distance [m] of the shapes at that pose, as far as it was looked for."""
    verified_free: bool
    """Whether collision queries that are independent of the search found the pose free."""
    ended_by: str
    """Reason for the end of the search: ``"completed"``, ``"no improvement"``, ``"work bound"``, ``"stopped"`` or
    ``"impossible"``. Nearer poses may exist where it is ``"work bound"`` or ``"stopped"``."""


@dataclass(frozen=True, eq=False)
class RigidPenetrationBatch(_Batch):
    """Rigid penetrations at many poses. Poses are NaN where the shapes are apart and where an item failed.

    >>> import numpy as np, extricate as ex
    >>> poses = np.tile(np.eye(4), (2, 1, 1)); poses[:, 2, 3] = [0.9, 2]
    >>> ex.penetration_rigid(ex.Shape.box([1, 1, 1]), ex.Shape.box([1, 1, 1]), poses).status.tolist()
    [1, 0]
    """

    depth: Floats
    """√σ (N,) [m]; zero where the shapes are proved apart."""
    sigma: Floats
    """σ (N,) [m²]."""
    pose: Floats
    """Poses (N, 4, 4) of A after the motion."""
    ended_by: npt.NDArray[np.str_]
    """Reasons (N,) for the ends of the searches, as of ``RigidPenetration``; empty where the shapes are apart or the item
    failed."""


@dataclass(frozen=True, eq=False)
class Contact:
    """The first contact of a motion.

    >>> import numpy as np, extricate as ex
    >>> start, end = np.eye(4), np.eye(4); start[2, 3] = 3
    >>> round(ex.time_of_contact(ex.Shape.sphere(1), ex.Shape.half_space(), start, end).time, 5)
    0.66667
    """

    time: float
    """Time in [0, 1] up to which the motion is proved free."""
    gap: float
    """Distance [m] of the shapes at that time."""
    points: Floats
    """A point of A and one of B (2, 3) [m, world] at that time."""
    normal: Floats
    """Unit normal (3,) [world], from B to A."""


@dataclass(frozen=True, eq=False)
class ContactBatch(_Batch):
    """First contacts of many motions. Items are NaN where the motion is free and where they failed.

    >>> import numpy as np, extricate as ex
    >>> start, end = np.tile(np.eye(4), (2, 1, 1)), np.eye(4); start[:, 2, 3] = 3; end[2, 3] = 2
    >>> ex.time_of_contact(ex.Shape.sphere(1), ex.Shape.half_space(), start, end).status.tolist()
    [0, 0]
    """

    time: Floats
    """Times (N,) in [0, 1]."""
    points: Floats
    """A point of A and one of B (N, 2, 3) [m, world]."""
    normal: Floats
    """Unit normals (N, 3) [world], from B to A."""


@dataclass(frozen=True, eq=False)
class Hausdorff:
    """The Hausdorff distance of two surfaces.

    >>> import extricate as ex
    >>> ex.hausdorff(ex.Shape.box([1, 1, 1]), ex.Shape.box([1, 1, 1])).value
    0.0
    """

    value: float
    """Maximum deviation found [m]."""
    lower_bound: float
    """Proved lower bound [m]."""
    upper_bound: float
    """Proved upper bound [m]."""
    points: Floats
    """The points of A and of B (2, 3) [m, world] that have it."""
    converged: bool
    """Whether the bounds meet the tolerance."""


@dataclass(frozen=True, eq=False)
class HausdorffBatch(_Batch):
    """Hausdorff distances of two surfaces at many poses. Failed items are NaN.

    >>> import numpy as np, extricate as ex
    >>> poses = np.tile(np.eye(4), (2, 1, 1)); poses[1, 0, 3] = 0.5
    >>> ex.hausdorff(ex.Shape.box([1, 1, 1]), ex.Shape.box([1, 1, 1]), poses).value.round(3).tolist()
    [0.0, 0.5]
    """

    value: Floats
    """Maximum deviations found (N,) [m]."""
    lower_bound: Floats
    """Proved lower bounds (N,) [m]."""
    upper_bound: Floats
    """Proved upper bounds (N,) [m]."""
    points: Floats
    """The points of A and of B (N, 2, 3) [m, world] that have it."""
    converged: npt.NDArray[np.bool_]
    """Whether the bounds meet the tolerance (N,)."""


@dataclass(frozen=True, eq=False)
class Separation:
    """Translations after which bodies do not overlap.

    >>> import numpy as np, extricate as ex
    >>> poses = np.tile(np.eye(4), (2, 1, 1)); poses[1, 0, 3] = 3
    >>> ex.separate([ex.Shape.sphere(1)] * 2, poses).total_displacement
    0.0
    """

    translations: Floats
    """Translations (B, 3) [m, world]; zero for bodies that stay."""
    total_displacement: float
    """Sum of the lengths of the translations [m]."""
    clearance: float
    """Minimum distance of two bodies [m]."""


@dataclass(frozen=True, eq=False)
class SeparationBatch(_Batch):
    """Separations of bodies in many scenes: ``status`` is 1 where bodies move, 0 where none has to. Failed rows are NaN.

    >>> import numpy as np, extricate as ex
    >>> poses = np.tile(np.eye(4), (2, 2, 1, 1)); poses[:, 1, 0, 3] = [0.9, 2]
    >>> box = ex.Shape.box([1, 1, 1])
    >>> found = ex.separate([box, box], poses)
    >>> found.status.tolist(), found.total_displacement.round(6).tolist()
    ([1, 0], [0.1, 0.0])
    """

    translations: Floats
    """Translations (N, B, 3) [m, world]; zero for bodies that stay."""
    total_displacement: Floats
    """Sums of the lengths of the translations (N,) [m]."""
    clearance: Floats
    """Minimum distances of two bodies (N,) [m]."""


@dataclass(frozen=True)
class CollidingPair:
    """Two parts that collide: links or obstacles.

    >>> import extricate as ex
    >>> ex.CollidingPair("hand", "table", 0.01).b
    'table'
    """

    a: str
    """Name of the first part."""
    b: str
    """Name of the second part."""
    depth: float | None
    """Depth [m] by which their convex pieces overlap; ``None`` where only triangles are known."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Repair:
    """The nearest free configuration found; of one that was free, without a change.

    >>> import numpy as np, extricate as ex
    >>> arm = ex.Robot.load("assets/robots/arm.urdf")
    >>> ex.Workcell(arm).repair(np.zeros(len(arm.joint_names))).was_free
    True
    """

    q: Floats
    """Configuration (J,) [rad or m]."""
    base: Floats
    """Pose (4, 4) of the root link."""
    was_free: bool
    """Whether the given configuration was free and within limits."""
    depth: float
    """√σ [m]."""
    sigma: float
    """σ [m²]: the object norm of the change."""
    changes: dict[str, float]
    """Changes of the joints that moved [rad or m], largest part of σ first; of a base the length of its translation [m]."""
    farthest: tuple[str, float] | None
    """The link that moved farthest, and the displacement of its farthest point [m]."""
    limits_kept: bool
    """Whether all joints are within their limits."""
    verified_free: bool
    """Whether a collision query that is independent of the search found the configuration free."""
    iterations: int
    """Steps of all descents."""
    constraints: dict[str, tuple[float, float]]
    """What ``keep`` and loops of the robot keep, with its errors of positions [m] and of rotations [rad]; empty where the
    configuration was free."""
    immobilised_by: tuple[str, ...]
    """Names of the constraints that leave links which still collide no freedom; empty of a repair."""

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{name}</td><td>{change:+.6g}</td></tr>" for name, change in self.changes.items())
        title = "free as it was" if self.was_free else f"moved by {self.depth:.6g} m (root mean square)"
        return f"<table><caption>{title}</caption><tr><th>joint</th><th>change</th></tr>{rows}</table>"


@dataclass(frozen=True, eq=False)
class RepairBatch(_Batch):
    """Repairs of many configurations: ``status`` is 1 where one was repaired, 0 where it was free. Failed rows are NaN.

    >>> import numpy as np, extricate as ex
    >>> arm = ex.Robot.load("assets/robots/arm.urdf")
    >>> ex.Workcell(arm).repair_batch(np.zeros((2, len(arm.joint_names)))).verified_free.tolist()
    [True, True]
    """

    q: Floats
    """Configurations (N, J) [rad or m]."""
    base: Floats
    """Poses (N, 4, 4) of the root link."""
    depth: Floats
    """√σ (N,) [m]; zero where the configuration was free."""
    sigma: Floats
    """σ (N,) [m²]."""
    limits_kept: npt.NDArray[np.bool_]
    """Whether all joints are within their limits (N,)."""
    verified_free: npt.NDArray[np.bool_]
    """Whether an independent query found the configuration free (N,)."""


@dataclass(frozen=True, eq=False)
class Path:
    """A path that is free at all times; joints are interpolated linearly between its configurations.

    >>> import numpy as np, extricate as ex
    >>> arm = ex.Robot.load("assets/robots/arm.urdf")
    >>> len(ex.Workcell(arm).plan(arm.configuration({}), arm.configuration({"elbow": 0.1})).q)
    2
    """

    q: Floats
    """Configurations (T, J) [rad or m] from the start to the goal."""
    length: float
    """Sum of √σ over its segments [m]."""
    found_length: float
    """The same before the path was shortened [m]."""
    checked: int
    """Number of configurations along the path that collision queries of the models found free."""
    samples: int
    """Number of samples of the search."""


@dataclass(frozen=True, eq=False)
class WorldContacts:
    """The contacts of a step: columns of C.

    >>> import extricate as ex
    >>> world = ex.World.load("scenes/rigid/box_stack.ron"); world.step()
    >>> len(world.contacts.depth) == len(world.contacts.bodies)
    True
    """

    bodies: tuple[tuple[str, str], ...]
    """Names of the two bodies of each contact."""
    points: Floats
    """Points (C, 3) [m, world]."""
    normals: Floats
    """Unit directions (C, 3) [world] in which the first body is pushed."""
    depth: Floats
    """Depths (C,) [m] along the normals; negative for a contact that is not closed yet."""
    force: Floats
    """Magnitudes (C,) [N] of the normal forces."""

    def __len__(self) -> int:
        return len(self.bodies)
