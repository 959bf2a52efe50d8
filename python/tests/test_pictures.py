"""Views of notebooks: they are small, self-contained SVG files, and show what is in front."""

from __future__ import annotations

import base64
import re
import struct
import xml.etree.ElementTree
import zlib

import numpy as np
import pytest
from conftest import moved

import extricate as ex
from extricate import _native


def images(svg: str) -> list[np.ndarray]:
    """The raster images (H, W, 4) of a picture, by a reader of PNG files with the filters that it uses."""
    xml.etree.ElementTree.fromstring(svg)
    found = []
    for data in re.findall(r'href="data:image/png;base64,([^"]*)"', svg):
        png = base64.b64decode(data)
        width, height = struct.unpack(">II", png[16:24])
        start, content = 8, b""
        while start < len(png):
            length, kind = struct.unpack(">I4s", png[start : start + 8])
            body = png[start + 8 : start + 8 + length]
            assert zlib.crc32(kind + body) == struct.unpack(">I", png[start + 8 + length : start + 12 + length])[0]
            content += body if kind == b"IDAT" else b""
            start += 12 + length
        rows = np.frombuffer(zlib.decompress(content), np.uint8).reshape(height, 4 * width + 1)
        assert (rows[:, 0] == 1).all()
        found.append(np.cumsum(rows[:, 1:].reshape(height, width, 4), axis=1, dtype=np.uint8))
    return found


def test_the_nearest_triangle_is_drawn() -> None:
    square = [[0, 0], [10, 0], [0, 10], [10, 10]]
    vertices = [[*corner, depth] for depth in (2.0, 1.0) for corner in square]
    vertices[4:] = [[x / 2, y, z] for x, y, z in vertices[4:]]
    faces = [[0, 1, 2], [1, 3, 2], [4, 5, 6], [5, 7, 6], [0, 0, 1]]
    nearest, depth = _native._raster(vertices, faces, (12, 10))
    assert set(nearest[:10, :5].ravel()) == {2, 3} and set(nearest[:10, 5:].ravel()) == {0, 1}
    assert (nearest[10:] == -1).all() and np.isinf(depth[10:]).all()
    assert (depth[:10, :5] == 1).all() and (depth[:10, 5:] == 2).all()
    for bad in ([[0, 1, 8]], [[0, 1, -1]]):
        with pytest.raises(ValueError):
            _native._raster(vertices, bad, (12, 10))
    with pytest.raises(ValueError):
        _native._raster(vertices, faces, (0, 10**9))


def test_a_separation_shows_both_poses(cup: ex.Mesh, spoon: ex.Mesh) -> None:
    pose = moved(0, 0, 0.2)
    found = ex.penetration(spoon, cup, pose)
    picture = ex.draw_separation(spoon, cup, pose, found=found)
    assert picture._repr_svg_() == picture.svg and len(picture.svg) < 200_000
    assert "before" in picture.svg and f"{found.depth:.4g} m" in picture.svg and "<line" in picture.svg
    before, after = images(picture.svg)
    assert before.shape == after.shape and (before != after).any()
    assert 0.05 < (before[..., 3] > 0).mean() < 0.95
    rigid = ex.draw_separation(spoon, cup, pose, found=ex.penetration_rigid(spoon, cup, pose))
    assert "rigid motion" in rigid.svg
    assert len(images(ex.draw_separation(spoon, cup, moved(9)).svg)) == 1
    assert len(images(ex.draw_separation(spoon, ex.Shape.half_space(), pose).svg)) in (1, 2)


def test_what_is_inside_shines_through() -> None:
    box, ball = ex.Shape.box([2, 2, 2]), ex.Shape.sphere(0.3)
    inside, _ = images(ex.draw_separation(ball, box).svg)
    alone, = images(ex.draw(box).svg)
    middle = tuple(length // 2 for length in inside.shape[:2])
    colours = {tuple(pixel) for pixel in inside.reshape(-1, 4)[inside.reshape(-1, 4)[:, 3] == 255]}
    assert len(colours) > len({tuple(pixel) for pixel in alone.reshape(-1, 4)}) and inside[middle][3] == 255


def test_a_repair_shows_the_robot_before_and_after(arm: ex.Robot, cell: ex.Workcell) -> None:
    q = arm.configuration({"shoulder": 1.2, "elbow": 0.4})
    picture = ex.draw_repair(cell, q)
    assert "colliding pair" in picture.svg and ": free" in picture.svg
    before, after = images(picture.svg)
    assert (before != after).any() and len(picture.svg) < 200_000


def test_notebooks_draw_objects_of_all_kinds(arm: ex.Robot, cell: ex.Workcell, cup: ex.Mesh) -> None:
    world = ex.World.load("scenes/rigid/box_stack.ron")
    ground = ex.Workcell(arm, {"ground": ex.Shape.half_space()})
    for item in (cup, ex.Shape.half_space(), ex.Shape.capsule(0.1, 1), arm, cell, ground, world):
        image, = images(item._repr_svg_())
        assert (image[..., 3] > 0).mean() > 0.005, item
    with pytest.raises(TypeError, match="expected shapes"):
        ex.draw(3)


def test_captions_are_escaped() -> None:
    from extricate import _pictures

    picture = _pictures._picture([_pictures._Panel([], "<&>")])
    assert "&lt;&amp;&gt;" in picture.svg
