"""Batches of the queries that return regions, deviations and separations: each item is that of the single query, to the bit."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import moved

import extricate as ex

BOX = ex.Shape.box([1, 1, 1])


def poses_with_a_bad_one(spread: float) -> np.ndarray:
    poses = np.stack([moved(spread * index, 0.1 * index) for index in range(9)])
    poses[4] *= np.nan
    return poses


def test_regions_of_many_poses_are_those_of_each(cup: ex.Mesh, spoon: ex.Mesh) -> None:
    poses = np.stack([moved(0, 0, 0.2 + 0.05 * index) for index in range(5)] + [moved(9), moved(np.nan)])
    seen: list[tuple[int, int]] = []
    found = ex.local_penetrations(spoon, cup, poses, progress=lambda done, of: seen.append((done, of)))
    assert seen[-1] == (7, 7) and len(found) == 7
    assert found.status.tolist() == [1, 1, 1, 1, 1, 0, -1] and "pose_a[6]" in found.errors[6]
    for index, pose in enumerate(poses[:6]):
        expected = ex.local_penetrations(spoon, cup, pose)
        regions = found.regions(index)
        assert len(regions) == len(expected) == found.offsets[index + 1] - found.offsets[index]
        for one, other in zip(regions, expected, strict=True):
            for name in ("point", "normal", "depth", "triangles_a", "triangles_b"):
                assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert sum(len(found.regions(index)) for index in range(7)) == len(found.depth)
    one = ex.local_penetrations(spoon, cup, poses, threads=1)
    assert one.depth.tobytes() == found.depth.tobytes()
    with pytest.raises(IndexError):
        found.regions(7)


def test_deviations_at_many_poses_are_those_at_each() -> None:
    ball = ex.Shape.sphere(0.5).to_mesh()
    poses = poses_with_a_bad_one(0.2)
    found = ex.hausdorff(BOX, ball, poses, tolerance=1e-3)
    assert set(found.errors) == {4} and found.status.tolist() == [1, 1, 1, 1, -1, 1, 1, 1, 1]
    for index in (0, 3, 8):
        single = ex.hausdorff(BOX, ball, poses[index], tolerance=1e-3)
        assert (found.value[index], found.converged[index]) == (single.value, single.converged)
        assert np.array_equal(found.points[index], single.points)
    assert np.isnan(found.value[4]) and not found.converged[4]
    # Of equal boxes moved along an axis the deviation is the displacement.
    apart = np.stack([moved(0.1), moved(0.3)])
    assert ex.hausdorff(BOX, BOX, apart).value == pytest.approx([0.1, 0.3], rel=0.01)
    refused = ex.hausdorff(BOX, ex.Shape.half_space(), apart)
    assert refused.status.tolist() == [-1, -1] and "half-space" in refused.errors[0]


def test_separations_of_many_scenes_are_those_of_each() -> None:
    shapes = [BOX, ex.Shape.sphere(0.5), BOX]
    poses = np.stack([np.stack([moved(0), moved(0.3 * index + 0.4), moved(9)]) for index in range(6)])
    poses[2, 1] *= 2
    seen: list[int] = []
    found = ex.separate(shapes, poses, fixed=[0], progress=lambda done, of: seen.append(done))
    assert seen[-1] == 6 and found.translations.shape == (6, 3, 3)
    assert found.status[0] == 1 and found.status[2] == -1 and found.status[5] == 0
    assert "poses[2, 1]" in found.errors[2]
    for index in (0, 1, 5):
        single = ex.separate(shapes, poses[index], fixed=[0])
        assert np.array_equal(found.translations[index], single.translations)
        assert found.clearance[index] == single.clearance
        assert (found.translations[index, 0] == 0).all()
        after = poses[index].copy()
        after[:, :3, 3] += found.translations[index]
        assert not ex.collide(shapes[0], shapes[1], after[0], after[1])
    stuck = ex.separate([BOX, BOX], np.tile(np.eye(4), (2, 2, 1, 1)), fixed=[0, 1])
    assert stuck.status.tolist() == [-1, -1] and "overlap" in stuck.errors[1]
    with pytest.raises(ValueError, match=r"poses\[1\]"):
        ex.separate([BOX, BOX], np.stack([np.eye(4), np.eye(4) * np.nan]))


def test_an_exception_of_the_progress_ends_a_batch() -> None:
    def refuse(done: int, of: int) -> None:
        raise KeyError("enough")

    poses = np.tile(np.eye(4), (3, 1, 1))
    for call in (
        lambda: ex.hausdorff(BOX, BOX, poses, progress=refuse),
        lambda: ex.local_penetrations(BOX, BOX, poses, progress=refuse),
        lambda: ex.separate([BOX], poses[:, None], progress=refuse),
    ):
        with pytest.raises(KeyError, match="enough"):
            call()


def test_their_columns_become_tables(cup: ex.Mesh, spoon: ex.Mesh) -> None:
    pytest.importorskip("pyarrow")
    poses = np.stack([moved(0, 0, 0.2), moved(9), moved(np.nan)])
    found = ex.local_penetrations(spoon, cup, poses)
    table = found.to_arrow()
    assert table["status"].to_pylist() == [1, 0, -1] and "not finite" in table["error"].to_pylist()[2]
    rows = table.to_pylist()
    assert rows[0]["depth"] == [region.depth for region in found.regions(0)] and rows[1]["depth"] == []
    assert rows[0]["triangles_a"] == [region.triangles_a.tolist() for region in found.regions(0)]
    assert rows[0]["normal"][0] == found.regions(0)[0].normal.tolist()
    table = ex.hausdorff(spoon, cup, poses, tolerance=0.1).to_arrow()
    assert table["converged"].to_pylist()[:2] == [True, True] and len(table["points"][0].as_py()) == 6
    table = ex.separate([BOX, BOX], np.stack([poses, poses], axis=1)).to_arrow()
    assert len(table["translations"][0].as_py()) == 6
