"""Types of the extension module. What takes one pose or many returns one result or columns, which no type can tell: ``Any``."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, final

import numpy as np
import numpy.typing as npt

from typing_extensions import disjoint_base

from extricate._recording import Recording
from extricate._results import (
    CollidingPair,
    Path,
    PenetrationBatch,
    Repair,
    RepairBatch,
    WorldContacts,
)

__all__ = [
    "DistanceField",
    "Mesh",
    "Robot",
    "Shape",
    "VERSION",
    "Workcell",
    "World",
    "_Run",
    "_panic",
    "_raster",
    "collide",
    "distance",
    "growth_distance",
    "hausdorff",
    "local_penetrations",
    "main",
    "open_run",
    "penetration",
    "penetration_batch",
    "penetration_rigid",
    "run",
    "separate",
    "time_of_contact",
]

VERSION: str

_Floats = npt.NDArray[np.float64]
_Effort = Literal["fast", "best"]
_Norm = Literal["l1", "l2", "linf"]
_Progress = Callable[[int, int], object] | bool | None
_File = str | PathLike[str]

@disjoint_base
class Shape:
    @staticmethod
    def box(size: npt.ArrayLike) -> Shape: ...
    @staticmethod
    def sphere(radius: float) -> Shape: ...
    @staticmethod
    def capsule(radius: float, length: float) -> Shape: ...
    @staticmethod
    def cylinder(radius: float, height: float) -> Shape: ...
    @staticmethod
    def cone(radius: float, height: float) -> Shape: ...
    @staticmethod
    def half_space() -> Shape: ...
    @staticmethod
    def hull(points: npt.ArrayLike) -> Shape: ...
    @staticmethod
    def rounded(shape: Shape, radius: float) -> Shape: ...
    @property
    def kind(self) -> str: ...
    @property
    def volume(self) -> float: ...
    @property
    def bounding_radius(self) -> float: ...
    def prepare(self) -> None: ...
    def bounds(self, pose: npt.ArrayLike | None = None) -> _Floats: ...
    def to_mesh(self) -> Mesh: ...
    def _surface(self) -> Mesh | None: ...
    def _repr_svg_(self) -> str: ...
    @staticmethod
    def _of_json(text: str) -> Shape: ...

@final
class Mesh(Shape):
    def __new__(cls, vertices: Any, faces: Any, *, solid: bool | None = None) -> Mesh: ...
    @staticmethod
    def load(path: _File, *, solid: bool | None = None) -> Mesh: ...
    @classmethod
    def from_trimesh(cls, mesh: Any, *, solid: bool | None = None) -> Mesh: ...
    @property
    def vertices(self) -> _Floats: ...
    @property
    def faces(self) -> npt.NDArray[np.uint32]: ...
    @property
    def solid(self) -> bool: ...
    @staticmethod
    def _of_arrays(vertices: Any, faces: Any, solid: bool) -> Mesh: ...

@final
class DistanceField:
    def __new__(cls, mesh: Mesh, spacing: float) -> DistanceField: ...
    @staticmethod
    def load(path: _File) -> DistanceField: ...
    def save(self, path: _File) -> None: ...
    @property
    def shape(self) -> tuple[int, int, int]: ...
    @property
    def spacing(self) -> float: ...
    def sample(self, points: npt.ArrayLike) -> _Floats: ...
    def gradient(self, points: npt.ArrayLike) -> _Floats: ...
    def update(self, mesh: Mesh, region: npt.ArrayLike) -> int: ...
    @staticmethod
    def _of_bytes(bytes: bytes) -> DistanceField: ...

@final
class Robot:
    @staticmethod
    def load(path: _File, *, packages: Sequence[_File] = ..., base: Literal["fixed", "floating"] = "fixed") -> Robot: ...
    @property
    def name(self) -> str: ...
    @property
    def base(self) -> Literal["fixed", "floating"]: ...
    @property
    def joint_names(self) -> tuple[str, ...]: ...
    @property
    def link_names(self) -> tuple[str, ...]: ...
    @property
    def limits(self) -> _Floats: ...
    def configuration(self, joints: Mapping[str, float]) -> _Floats: ...
    def from_order(self, names: Any, q: npt.ArrayLike) -> _Floats: ...
    def to_order(self, names: Any, q: npt.ArrayLike) -> _Floats: ...
    def forward_kinematics(self, q: npt.ArrayLike, *, base: npt.ArrayLike | None = None) -> _Floats: ...
    def jacobian(self, q: npt.ArrayLike, link: str, *, base: npt.ArrayLike | None = None) -> _Floats: ...
    def mass_matrix(self, q: npt.ArrayLike) -> _Floats: ...
    def inverse_dynamics(
        self,
        q: npt.ArrayLike,
        velocities: npt.ArrayLike,
        accelerations: npt.ArrayLike,
        *,
        gravity: npt.ArrayLike | None = None,
    ) -> _Floats: ...
    def forward_dynamics(
        self,
        q: npt.ArrayLike,
        velocities: npt.ArrayLike,
        forces: npt.ArrayLike,
        *,
        gravity: npt.ArrayLike | None = None,
    ) -> _Floats: ...
    def link_shape(self, link: str) -> Shape | None: ...
    def _repr_svg_(self) -> str: ...
    @staticmethod
    def _load(path: _File, packages: Sequence[_File], base: str) -> Robot: ...

@final
class Workcell:
    def __new__(
        cls,
        robot: Robot,
        obstacles: Mapping[str, Shape | tuple[Shape, npt.ArrayLike]] | None = None,
        *,
        base: npt.ArrayLike | None = None,
        fixed: Sequence[str] = ...,
        weights: Mapping[str, float] | None = None,
        allow: Sequence[tuple[str, str]] = ...,
        forbid: Sequence[tuple[str, str]] = ...,
        attached: Mapping[str, tuple[str, Shape] | tuple[str, Shape, npt.ArrayLike]] | None = None,
        keep: Sequence[str] = ...,
    ) -> Workcell: ...
    @property
    def robot(self) -> Robot: ...
    @property
    def obstacle_names(self) -> tuple[str, ...]: ...
    def collides(self, q: npt.ArrayLike, *, threads: int = 0) -> Any: ...
    def clearance(self, q: npt.ArrayLike, *, threads: int = 0) -> Any: ...
    def colliding_pairs(self, q: npt.ArrayLike, *, threads: int = 0) -> Any: ...
    def repair(
        self,
        q: npt.ArrayLike,
        *,
        effort: _Effort = "fast",
        clearance: float | None = None,
        max_move: float | None = None,
        seed: int = 0,
    ) -> Repair: ...
    def repair_batch(
        self,
        q: npt.ArrayLike,
        *,
        effort: _Effort = "fast",
        clearance: float | None = None,
        max_move: float | None = None,
        seed: int = 0,
        threads: int = 0,
        progress: _Progress = None,
    ) -> RepairBatch: ...
    def plan(
        self,
        start: npt.ArrayLike,
        goal: npt.ArrayLike,
        *,
        clearance: float = 0.0,
        seed: int = 0,
        max_samples: int = 20000,
    ) -> Path: ...
    def _repr_svg_(self) -> str: ...
    @staticmethod
    def _of_arguments(
        robot: Robot,
        obstacles: Mapping[str, Any] | None,
        base: npt.ArrayLike | None,
        fixed: Sequence[str],
        weights: Mapping[str, float] | None,
        allow: Sequence[tuple[str, str]],
        forbid: Sequence[tuple[str, str]],
        attached: Mapping[str, Any] | None = None,
        keep: Sequence[str] = ...,
    ) -> Workcell: ...

@final
class World:
    @staticmethod
    def load(path: _File) -> World: ...
    @staticmethod
    def from_text(text: str, *, folder: _File | None = None) -> World: ...
    @staticmethod
    def from_dict(scene: dict[str, Any], *, folder: _File | None = None) -> World: ...
    def step(self, n: int = 1) -> None: ...
    def prepare(self) -> float: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def poses(self) -> _Floats: ...
    @property
    def velocities(self) -> _Floats: ...
    @property
    def time(self) -> float: ...
    @property
    def time_step(self) -> float: ...
    @property
    def steps(self) -> int: ...
    @property
    def hash(self) -> str: ...
    @property
    def energy(self) -> float: ...
    @property
    def contacts(self) -> WorldContacts: ...
    @property
    def shapes(self) -> tuple[Shape, ...]: ...
    def nodes(self, name: str) -> _Floats: ...
    def snapshot(self) -> bytes: ...
    def restore(self, snapshot: bytes) -> None: ...
    def _repr_svg_(self) -> str: ...
    @staticmethod
    def _restored(path: _File, text: str, snapshot: bytes) -> World: ...

@final
class _Run:
    def export(self, path: _File, format: str, state: int | None = None) -> list[str]: ...
    def contacts(self, state: int) -> WorldContacts | None: ...
    def shapes(self) -> tuple[Shape, ...]: ...
    def soft_surfaces(self) -> list[tuple[str, npt.NDArray[np.uint32]]]: ...
    def soft_nodes(self, state: int, body: int) -> _Floats: ...
    @staticmethod
    def _open(folder: _File) -> _Run: ...

def collide(
    a: Shape,
    b: Shape,
    pose_a: npt.ArrayLike | None = None,
    pose_b: npt.ArrayLike | None = None,
    *,
    clearance: float = 0.0,
    time_budget: float | None = None,
    threads: int = 0,
) -> Any: ...
def distance(
    a: Shape,
    b: Shape,
    pose_a: npt.ArrayLike | None = None,
    pose_b: npt.ArrayLike | None = None,
    *,
    signed: bool = False,
    tolerance: float | None = None,
    norm: _Norm = "l2",
    time_budget: float | None = None,
    threads: int = 0,
    progress: _Progress = None,
) -> Any: ...
def growth_distance(
    a: Shape,
    b: Shape,
    pose_a: npt.ArrayLike | None = None,
    pose_b: npt.ArrayLike | None = None,
    *,
    seed_a: npt.ArrayLike | None = None,
    seed_b: npt.ArrayLike | None = None,
    threads: int = 0,
    progress: _Progress = None,
) -> Any: ...
def penetration(
    a: Shape,
    b: Shape,
    pose_a: npt.ArrayLike | None = None,
    pose_b: npt.ArrayLike | None = None,
    *,
    effort: _Effort = "fast",
    time_budget: float | None = None,
    seed: int = 0,
    norm: _Norm = "l2",
    allowed: str | None = None,
    threads: int = 0,
    progress: _Progress = None,
) -> Any: ...
def penetration_batch(
    a: Shape,
    b: Shape,
    poses_a: npt.ArrayLike | None = None,
    poses_b: npt.ArrayLike | None = None,
    *,
    effort: _Effort = "fast",
    time_budget: float | None = None,
    seed: int = 0,
    norm: _Norm = "l2",
    allowed: str | None = None,
    threads: int = 0,
    progress: _Progress = None,
) -> PenetrationBatch: ...
def local_penetrations(
    a: Shape,
    b: Shape,
    pose_a: npt.ArrayLike | None = None,
    pose_b: npt.ArrayLike | None = None,
    *,
    effort: _Effort = "fast",
    time_budget: float | None = None,
    seed: int = 0,
    norm: _Norm = "l2",
    allowed: str | None = None,
    threads: int = 0,
    progress: _Progress = None,
) -> Any: ...
def penetration_rigid(
    a: Shape,
    b: Shape,
    pose_a: npt.ArrayLike | None = None,
    pose_b: npt.ArrayLike | None = None,
    *,
    effort: _Effort = "fast",
    time_budget: float | None = None,
    clearance: float = 0.0,
    seed: int = 0,
    threads: int = 0,
    progress: _Progress = None,
) -> Any: ...
def time_of_contact(
    a: Shape,
    b: Shape,
    start: npt.ArrayLike,
    end: npt.ArrayLike,
    pose_b: npt.ArrayLike | None = None,
    *,
    motion: Literal["screw", "linear"] = "screw",
    time_budget: float | None = None,
    threads: int = 0,
    progress: _Progress = None,
) -> Any: ...
def hausdorff(
    a: Shape,
    b: Shape,
    pose_a: npt.ArrayLike | None = None,
    pose_b: npt.ArrayLike | None = None,
    *,
    tolerance: float | None = None,
    one_sided: bool = False,
    time_budget: float | None = None,
    threads: int = 0,
    progress: _Progress = None,
) -> Any: ...
def separate(
    shapes: Sequence[Shape],
    poses: npt.ArrayLike,
    *,
    fixed: Sequence[int] = ...,
    clearance: float = 0.0,
    effort: _Effort = "fast",
    threads: int = 0,
    progress: _Progress = None,
) -> Any: ...
def run(scene: _File, out: _File | None = None, *, time: float | None = None) -> Recording: ...
def open_run(folder: _File) -> Recording: ...
def main(arguments: Sequence[str]) -> int: ...
def _panic(place: str = "here") -> None: ...
def _raster(
    vertices: npt.ArrayLike, faces: npt.ArrayLike, size: tuple[int, int]
) -> tuple[npt.NDArray[np.int32], _Floats]: ...
