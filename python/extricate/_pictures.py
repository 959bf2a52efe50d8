"""Views for notebooks: shapes, robots and worlds as SVG, with a raster image inside, and captions on top."""

from __future__ import annotations

import base64
import html
import os
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from extricate import _native
from extricate._results import Floats, Penetration, Repair, RigidPenetration

Color = tuple[float, float, float]

# Colours that people with any colour vision distinguish [Okabe and Ito].
BLUE: Color = (0.337, 0.706, 0.914)
ORANGE: Color = (0.902, 0.624, 0.0)
RED: Color = (0.835, 0.369, 0.0)
GREEN: Color = (0.0, 0.62, 0.451)
GREY: Color = (0.72, 0.72, 0.74)
PALETTE = (BLUE, ORANGE, GREEN, (0.8, 0.475, 0.655), (0.0, 0.447, 0.698), (0.941, 0.894, 0.259))

WIDTH, HEIGHT = 340, 280
"""Size of a panel [px]."""
SAMPLES = 2
"""Samples of a pixel along each axis."""
HIDDEN = 0.3
"""Opacity of what a nearer surface hides."""


@dataclass(frozen=True)
class Picture:
    """A picture that notebooks show.

    >>> import extricate as ex
    >>> ex.draw(ex.Shape.sphere(1)).svg.startswith("<svg")
    True
    """

    svg: str
    """The picture as the text of an SVG file."""

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to an SVG file.

        >>> import os, tempfile, extricate as ex
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ex.draw(ex.Shape.sphere(1)).save(os.path.join(folder, "ball.svg"))
        """
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)


@dataclass(frozen=True)
class _Part:
    """A surface in the world, and its colour."""

    vertices: Floats
    faces: npt.NDArray[np.uint32]
    color: Color
    shines_through: bool = False


@dataclass(frozen=True)
class _Panel:
    parts: list[_Part]
    caption: str
    arrow: tuple[Floats, Floats] | None = None


def _part(shape: _native.Shape, pose: Any, color: Color, shines_through: bool = False) -> _Part | None:
    """A shape at a pose; none of a half-space."""
    surface = shape._surface()
    if surface is None:
        return None
    pose = np.eye(4) if pose is None else np.asarray(pose, dtype=float)
    return _Part(surface.vertices @ pose[:3, :3].T + pose[:3, 3], surface.faces, color, shines_through)


def _parts(posed: Sequence[tuple[_native.Shape, Any, Color, bool]]) -> list[_Part]:
    """Shapes at poses; half-spaces as a plate below the others."""
    parts = [part for item in posed if (part := _part(*item)) is not None]
    extent = np.concatenate([part.vertices for part in parts]) if parts else np.array([[-1.0] * 3, [1.0] * 3])
    low, high = extent.min(axis=0), extent.max(axis=0)
    reach = 0.6 * float(np.linalg.norm(high - low))
    for shape, pose, _, _ in posed:
        if shape.kind == "half-space":
            pose = np.eye(4) if pose is None else np.asarray(pose, dtype=float)
            middle = np.linalg.inv(pose) @ [*(low + high) / 2, 1.0]
            corners = [[x, y, 0] for x in (-reach, reach) for y in (-reach, reach)] + np.array([*middle[:2], 0])
            faces = np.array([[0, 2, 1], [1, 2, 3]], dtype=np.uint32)
            parts.append(_Part(corners @ pose[:3, :3].T + pose[:3, 3], faces, (0.9, 0.9, 0.9)))
    return parts


def _axes() -> Floats:
    """Rows: right, down and away of a camera that looks down on the model, z up."""
    away = np.array([-0.55, 0.75, -0.42])
    away /= np.linalg.norm(away)
    right = np.cross(away, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    return np.array([right, np.cross(away, right), away])


class _View:
    """An orthographic projection that shows all panels at the same scale."""

    def __init__(self, panels: Sequence[_Panel]) -> None:
        self.axes = _axes()
        points = [part.vertices for panel in panels for part in panel.parts]
        seen = (np.concatenate(points) if points else np.zeros((1, 3))) @ self.axes.T
        low, high = seen[:, :2].min(axis=0), seen[:, :2].max(axis=0)
        room = np.array([WIDTH - 20, HEIGHT - 40])
        self.scale = float((room / np.maximum(high - low, 1e-12)).min())
        self.offset = np.array([WIDTH, HEIGHT + 20]) / 2 - self.scale * (low + high) / 2

    def pixels(self, points: Floats) -> Floats:
        """Right and down [px], and the depth."""
        seen = points @ self.axes.T
        return np.column_stack([self.scale * seen[:, :2] + self.offset, seen[:, 2]])

    def image(self, parts: Sequence[_Part]) -> npt.NDArray[np.uint8]:
        """The parts with hidden surfaces removed (H, W, 4)."""
        size = (SAMPLES * HEIGHT, SAMPLES * WIDTH)
        color, depth = np.zeros((*size, 4)), np.full(size, np.inf)
        layers = []
        for part in parts:
            pixels = self.pixels(part.vertices) * [SAMPLES, SAMPLES, 1]
            nearest, own = _native._raster(pixels, part.faces, size)
            shaded = np.concatenate([self._shaded(part), np.zeros((1, 4))])[nearest]
            front = own < depth
            color[front], depth[front] = shaded[front], own[front]
            layers.append((part, shaded, own))
        for part, shaded, own in layers:
            if part.shines_through:
                hidden = np.isfinite(own) & (own > depth)
                color[hidden, :3] += HIDDEN * (shaded[hidden, :3] - color[hidden, :3])
        pooled = color.reshape(HEIGHT, SAMPLES, WIDTH, SAMPLES, 4).mean(axis=(1, 3))
        visible = pooled[..., 3:] > 0
        pooled[..., :3] = np.divide(pooled[..., :3], pooled[..., 3:], out=np.zeros_like(pooled[..., :3]), where=visible)
        # Fewer shades compress better, and nobody sees the difference.
        shades: npt.NDArray[np.uint8] = (np.round(pooled * 63) * (255 / 63)).astype(np.uint8)
        return shades

    def _shaded(self, part: _Part) -> Floats:
        """Colour and opacity of each triangle, with a light beside the camera."""
        a, b, c = (part.vertices[part.faces[:, corner]] for corner in range(3))
        normals = np.cross(b - a, c - a)
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
        light = -self.axes[2] + 0.5 * self.axes[0] - 0.4 * self.axes[1]
        brightness = 0.3 + 0.7 * np.abs(normals @ (light / np.linalg.norm(light)))
        return np.column_stack([brightness[:, None] * part.color, np.ones(len(brightness))])


def _png(image: npt.NDArray[np.uint8]) -> bytes:
    """A PNG file of an image (H, W, 4)."""
    height, width, _ = image.shape

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    # Each row is preceded by its filter: the difference to the pixel on the left.
    left = np.concatenate([np.zeros((height, 1, 4), np.uint8), image[:, :-1]], axis=1)
    rows = np.concatenate([np.ones((height, 1), np.uint8), (image - left).reshape(height, -1)], axis=1)
    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows.tobytes(), 9)) + chunk(b"IEND", b"")


def _picture(panels: Sequence[_Panel]) -> Picture:
    view = _View(panels)
    content = []
    for number, panel in enumerate(panels):
        left = number * WIDTH
        data = base64.b64encode(_png(view.image(panel.parts))).decode()
        content.append(
            f'<image x="{left}" y="0" width="{WIDTH}" height="{HEIGHT}" href="data:image/png;base64,{data}"/>'
            f'<text x="{left + 8}" y="18">{html.escape(panel.caption)}</text>'
        )
        if panel.arrow is not None:
            (x, y, _), (to_x, to_y, _) = view.pixels(np.array(panel.arrow))
            if np.hypot(to_x - x, to_y - y) > 3:
                content.append(
                    f'<line x1="{left + x:.1f}" y1="{y:.1f}" x2="{left + to_x:.1f}" y2="{to_y:.1f}" '
                    'stroke="#000" stroke-width="2" marker-end="url(#extricate-arrow)"/>'
                )
    total = WIDTH * len(panels)
    marker = (
        '<defs><marker id="extricate-arrow" markerWidth="8" markerHeight="8" refX="6" refY="3" orient="auto">'
        '<path d="M0,0 L6,3 L0,6 z"/></marker></defs>'
    )
    return Picture(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total} {HEIGHT}" width="{total}" height="{HEIGHT}" '
        f'font-family="sans-serif" font-size="13"><rect width="{total}" height="{HEIGHT}" fill="#fff"/>'
        f"{marker}{''.join(content)}</svg>\n"
    )


def draw(*shapes: Any) -> Picture:
    """Draw shapes: each a shape, or a pair of a shape and its pose (4, 4). Half-spaces are plates.

    >>> import numpy as np, extricate as ex
    >>> aside = np.eye(4); aside[0, 3] = 1
    >>> ex.draw(ex.Shape.box([1, 1, 1]), (ex.Shape.sphere(0.3), aside)).svg.count("<image")
    1
    """
    posed = [item if isinstance(item, tuple) else (item, None) for item in shapes]
    for shape, _ in posed:
        if not isinstance(shape, _native.Shape):
            raise TypeError(f"expected shapes, or pairs of a shape and its pose, found {type(shape).__name__}")
    colored = [(shape, pose, PALETTE[index % len(PALETTE)], False) for index, (shape, pose) in enumerate(posed)]
    return _picture([_Panel(_parts(colored), "")])


def draw_separation(
    a: _native.Shape,
    b: _native.Shape,
    pose_a: npt.ArrayLike | None = None,
    pose_b: npt.ArrayLike | None = None,
    found: Penetration | RigidPenetration | None = None,
) -> Picture:
    """Draw two shapes before and after the motion of A that separates them; what is inside the other one shines through.

    ``found`` is the result of ``penetration`` or ``penetration_rigid`` for these poses; by default that of ``penetration``
    is computed.

    Raises as ``penetration``.

    >>> import numpy as np, extricate as ex
    >>> pose = np.eye(4); pose[2, 3] = 0.4
    >>> picture = ex.draw_separation(ex.Shape.sphere(0.5), ex.Shape.box([2, 2, 0.2]), pose)
    >>> "before" in picture.svg and "after" in picture.svg
    True
    """
    found = _native.penetration(a, b, pose_a, pose_b) if found is None else found
    start = np.eye(4) if pose_a is None else np.array(pose_a, dtype=float)
    end = start.copy()
    if found is None:
        return _picture([_Panel(_parts([(b, pose_b, BLUE, True), (a, start, ORANGE, True)]), "apart")])
    if isinstance(found, RigidPenetration):
        end = found.pose
        moved = f"after a rigid motion of {found.depth:.4g} m"
    else:
        end[:3, 3] += found.translation
        moved = f"after a translation of {found.depth:.4g} m"
    # A half-space has no middle: it stays where it is in the picture.
    surface = a._surface()
    middle = surface.vertices.mean(axis=0) if surface is not None else np.zeros(3)
    arrow = (start[:3, :3] @ middle + start[:3, 3], end[:3, :3] @ middle + end[:3, 3])
    before = _Panel(_parts([(b, pose_b, BLUE, True), (a, start, ORANGE, True)]), "before", arrow)
    after = _Panel(_parts([(b, pose_b, BLUE, True), (a, end, GREEN, True)]), moved)
    return _picture([before, after])


def _arguments(cell: _native.Workcell) -> Any:
    """The arguments of a work cell: robot, obstacles, base, and more."""
    return cell.__reduce__()[1]


def _robot(cell: _native.Workcell, q: Any, color: Color, base: Any) -> _Panel:
    """A robot among its obstacles; links that collide are red."""
    robot, obstacles = cell.robot, _arguments(cell)[1] or {}
    pairs = cell.colliding_pairs(q)
    colliding = {name for pair in pairs for name in (pair.a, pair.b)}
    posed: list[tuple[_native.Shape, Any, Color, bool]] = []
    for given in obstacles.values():
        shape, pose = given if isinstance(given, tuple | list) else (given, None)
        posed.append((shape, pose, GREY, False))
    poses = robot.forward_kinematics(q, base=base)
    for name, pose in zip(robot.link_names, poses, strict=True):
        shape = robot.link_shape(name)
        if shape is not None:
            posed.append((shape, pose, RED if name in colliding else color, True))
    collisions = f"{len(pairs)} colliding pair{'' if len(pairs) == 1 else 's'}" if pairs else "free"
    return _Panel(_parts(posed), collisions)


def draw_repair(cell: _native.Workcell, q: npt.ArrayLike, repair: Repair | None = None) -> Picture:
    """Draw a robot in a configuration ``q`` (J,) and in the repaired one; links that collide are red.

    ``repair`` is the result of ``cell.repair(q)``, which is computed by default.

    Raises as ``Workcell.repair``.

    >>> import numpy as np, extricate as ex
    >>> arm = ex.Robot.load("assets/robots/arm.urdf")
    >>> at = np.eye(4); at[:3, 3] = [0.75, 0, 0.3]
    >>> cell = ex.Workcell(arm, {"table": (ex.Shape.box([1, 1, 0.6]), at)})
    >>> "free" in ex.draw_repair(cell, arm.configuration({"shoulder": 1.2, "elbow": 0.4})).svg
    True
    """
    repair = cell.repair(q) if repair is None else repair
    base = _arguments(cell)[2]
    before, after = _robot(cell, q, BLUE, base), _robot(cell, repair.q, GREEN, repair.base)
    moved = f"after a repair of {repair.depth:.4g} m: {after.caption}"
    return _picture([_Panel(before.parts, f"before: {before.caption}"), _Panel(after.parts, moved)])


def svg_of(item: Any) -> str:
    """Return the SVG of a shape, robot, work cell or world."""
    if isinstance(item, _native.World):
        posed = list(zip(item.shapes, item.poses, strict=True))
        return draw(*posed).svg
    if isinstance(item, _native.Shape):
        return draw(item).svg
    cell = _native.Workcell(item) if isinstance(item, _native.Robot) else item
    rest = np.clip(np.zeros(len(cell.robot.joint_names)), *cell.robot.limits.T)
    panel = _robot(cell, rest, BLUE, _arguments(cell)[2])
    return _picture([_Panel(panel.parts, "")]).svg
