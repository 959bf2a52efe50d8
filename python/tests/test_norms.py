"""Norms, allowed translations and reasons for the ends of searches: closed forms, and the bits of the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from conftest import moved

import extricate as ex

BOX, BALL, GROUND = ex.Shape.box([1, 1, 1]), ex.Shape.sphere(0.5), ex.Shape.half_space()
ORDERS = {"l1": 1, "l2": 2, "linf": np.inf}
DUALS = {"l1": np.inf, "l2": 2, "linf": 1}


@pytest.mark.parametrize("norm", ORDERS)
def test_a_ball_leaves_an_oblique_half_space_by_its_depth_over_the_dual_norm_of_the_normal(norm: Any) -> None:
    tilted = np.eye(4)
    tilted[:3, :3] = np.array([[1, -2, 2], [2, -1, -2], [2, 2, 1]]) / 3
    up = tilted[:3, 2]
    pose = moved(*(0.3 * up))
    found = ex.penetration(BALL, GROUND, pose, tilted, norm=norm)
    assert found.depth == pytest.approx(0.2 / np.linalg.norm(up, DUALS[norm]), abs=1e-9)
    assert np.linalg.norm(found.translation, ORDERS[norm]) == pytest.approx(found.depth, abs=1e-8)
    assert found.lower_bound == pytest.approx(found.depth, abs=1e-8) and found.ended_by == "completed"
    free = pose.copy()
    free[:3, 3] += found.translation
    assert ex.collide(BALL, GROUND, pose, tilted) and not ex.collide(BALL, GROUND, free, tilted)


@pytest.mark.parametrize("norm", ORDERS)
def test_distances_of_balls_and_boxes_are_those_of_the_norm(norm: Any) -> None:
    gaps = [2.0, 3.0, 0.0]
    found = ex.distance(BOX, BOX, moved(3, -4, 0.5), norm=norm)
    assert found.value == pytest.approx(np.linalg.norm(gaps, ORDERS[norm]), abs=1e-8)
    assert found.lower_bound <= found.upper_bound == pytest.approx(found.lower_bound, abs=1e-8)
    assert np.linalg.norm(found.points[1] - found.points[0], ORDERS[norm]) == pytest.approx(found.value, abs=1e-7)
    # Balls on the diagonal approach each other along it in every norm.
    along = 3 - 1 / np.sqrt(3)
    found = ex.distance(BALL, BALL, moved(3, 3, 3), norm=norm)
    assert found.value == pytest.approx(np.linalg.norm([along] * 3, ORDERS[norm]), abs=1e-7)
    poses = np.stack([moved(3, 3, 3), moved(0.1), moved(np.nan)])
    batch = ex.distance(BALL, BALL, poses, norm=norm)
    assert batch.status.tolist() == [1, 1, -1] and batch.value[:2].tolist() == [found.value, 0]


def test_signed_distances_of_balls_continue_in_the_norm() -> None:
    # The farthest point from the other centre of a ball of translations is one of its vertices.
    x = 0.3
    expected = {"l1": x - np.sqrt(1 - 2 * x * x), "l2": np.sqrt(3) * x - 1, "linf": x - 1 / np.sqrt(3)}
    for norm, value in expected.items():
        found = ex.distance(BALL, BALL, moved(x, x, x), signed=True, norm=norm)
        assert found.value == pytest.approx(value, abs=1e-8)
        assert ex.penetration(BALL, BALL, moved(x, x, x), norm=norm).depth == pytest.approx(-value, abs=1e-8)
        apart = ex.distance(BOX, BOX, moved(2, 2), signed=True, norm=norm)
        assert apart.value == pytest.approx(np.linalg.norm([1, 1], ORDERS[norm]), abs=1e-8)


@pytest.mark.parametrize(
    ("allowed", "depth", "direction"),
    [
        (None, 0.1, [0, 0, 1]),
        ("plane:0,0,2", 0.4, [1, 0, 0]),
        ("line:0,1,0", 0.5, [0, 1, 0]),
        ("direction:0,-1,0", 1.5, [0, -1, 0]),
        ("direction:3,0,4", 0.125, [0.6, 0, 0.8]),
    ],
)
def test_a_box_leaves_a_box_by_the_shortest_allowed_translation(
    allowed: str | None, depth: float, direction: list[float]
) -> None:
    pose = moved(0.6, 0.5, 0.9)
    for a, b in [(BOX, BOX), (BOX.to_mesh(), BOX.to_mesh())]:
        found = ex.penetration(a, b, pose, allowed=allowed)
        assert found.depth == pytest.approx(depth, abs=1e-8)
        assert found.direction == pytest.approx(direction, abs=1e-7)
        batch = ex.penetration_batch(a, b, np.stack([pose, moved(9)]), allowed=allowed)
        assert batch.depth.tolist() == [found.depth, 0] and (batch.direction[0] == found.direction).all()


def test_norms_and_allowed_translations_combine() -> None:
    # In the plane the vertices of the ball of translations are those of a square.
    found = ex.penetration(BALL, BALL, moved(0.3, 0.3), norm="linf", allowed="plane:0,0,1")
    assert found.depth == pytest.approx(1 / np.sqrt(2) - 0.3, abs=1e-8)
    assert found.translation == pytest.approx([found.depth, found.depth, 0], abs=1e-8)


def test_where_no_allowed_translation_separates_it_is_an_error_and_the_status_of_an_item() -> None:
    with pytest.raises(ex.NotSeparatedError, match="allowed"):
        ex.penetration(BALL, GROUND, moved(0, 0, 0.3), allowed="plane:0,0,1")
    batch = ex.penetration_batch(BALL, GROUND, np.stack([moved(0, 0, 0.3), moved(0, 0, 3)]), allowed="plane:0,0,1")
    assert batch.status.tolist() == [-1, 0] and "allowed" in batch.errors[0]
    assert batch.ended_by.tolist() == ["", ""]


@pytest.mark.parametrize("query", [ex.penetration, ex.penetration_batch, ex.distance])
def test_other_names_of_norms_and_translations_are_refused(query: Any) -> None:
    with pytest.raises(ValueError, match="norm: expected 'l1', 'l2' or 'linf', found 'L1'"):
        query(BOX, BOX, norm="L1")
    if query is not ex.distance:
        for text in ["plane", "plane:0,0,0", "line:1,2", "sphere:0,0,1"]:
            with pytest.raises(ValueError, match=f"allowed: unknown translations `{text}`"):
                query(BOX, BOX, allowed=text)


@pytest.mark.parametrize("norm", ORDERS)
def test_distances_of_meshes_are_those_of_their_nearest_points_in_the_norm(norm: Any, cup: ex.Mesh) -> None:
    mesh = BOX.to_mesh()
    for a, b in [(mesh, mesh), (BOX, mesh), (mesh, BOX)]:
        for signed in (False, True):
            found = ex.distance(a, b, moved(3, -4, 0.5), norm=norm, signed=signed)
            assert found.value == pytest.approx(np.linalg.norm([2.0, 3.0, 0.0], ORDERS[norm]), abs=1e-8)
    for a in (BALL, cup):
        found = ex.distance(a, cup, moved(3, 2, 1), norm=norm)
        gap = found.points[1] - found.points[0]
        assert np.linalg.norm(gap, ORDERS[norm]) == pytest.approx(found.value, abs=1e-8)
        batch = ex.distance(a, cup, np.stack([moved(3, 2, 1), moved(0.4)]), norm=norm)
        assert batch.status.tolist() == [1, 1] and batch.value[0] == found.value and batch.value[1] == 0


@pytest.mark.parametrize("options", [{"norm": "linf"}, {"allowed": "direction:1,0,0"}])
def test_regions_of_an_overlap_take_the_norm_and_the_allowed_translations_of_the_whole(options: dict[str, Any]) -> None:
    pose = moved(0.6, 0.5, 0.9)
    for a, b in [(BOX, BOX), (BOX.to_mesh(), BOX.to_mesh())]:
        (region,) = ex.local_penetrations(a, b, pose, **options)
        if a is BOX:
            found = ex.penetration(a, b, pose, **options)
            assert region.normal.tolist() == found.direction.tolist()
            assert region.depth == pytest.approx(np.linalg.norm(found.translation), abs=1e-7)
        batch = ex.local_penetrations(a, b, np.stack([pose, moved(9)]), **options)
        assert len(batch.depth) == 1 and batch.depth[0] == region.depth
    with pytest.raises(ValueError, match="norm"):
        ex.local_penetrations(BOX, BOX, pose, norm="L1")


@pytest.mark.parametrize(
    "options", [{"norm": "linf"}, {"norm": "l1", "allowed": "plane:0,0,1"}, {"allowed": "line:1,0,1"}]
)
def test_depths_of_meshes_have_the_bits_of_the_command_line(
    cup: ex.Mesh, spoon: ex.Mesh, options: dict[str, Any]
) -> None:
    files = ["assets/meshes/spoon.obj", "assets/meshes/cup.obj"]
    given = [text for name, value in options.items() for text in (f"--{name}", value)]
    command = [sys.executable, "-m", "extricate", "query", "penetration", *files, "--effort", "fast", "--json", *given]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    found, expected = ex.penetration(spoon, cup, **options), json.loads(done.stdout)
    assert found.depth == expected["depth"] and found.translation.tolist() == expected["translation"]
    assert np.linalg.norm(found.translation, ORDERS[options.get("norm", "l2")]) == pytest.approx(found.depth, rel=1e-6)


def test_results_name_the_reason_for_the_end_of_their_search(cup: ex.Mesh, spoon: ex.Mesh) -> None:
    pose = moved(0, 0, 0.2)
    assert ex.penetration(spoon, cup, pose).ended_by == "completed"
    assert ex.penetration(spoon, cup, pose, effort="best", time_budget=1e-6).ended_by == "time budget"
    batch = ex.penetration(spoon, cup, np.stack([pose, moved(9), moved(np.nan)]))
    assert batch.ended_by.tolist() == ["completed", "", ""]
    rigid = ex.penetration_rigid(spoon, cup, np.stack([pose, moved(9)]))
    single = ex.penetration_rigid(spoon, cup, pose)
    assert rigid.ended_by.tolist() == [single.ended_by, ""]
    assert single.ended_by in ("completed", "no improvement")
    assert ex.penetration_rigid(spoon, cup, pose, effort="best", time_budget=1e-6).ended_by == "stopped"
    within = ex.penetration_rigid(spoon, cup, pose, time_budget=3600)
    assert (within.depth, within.ended_by) == (single.depth, single.ended_by)
    regions, late = (ex.local_penetrations(spoon, cup, pose, time_budget=budget) for budget in (3600, 1e-6))
    assert all(region.is_measured for region in regions) and not any(region.is_measured for region in late)
    assert [region.depth for region in regions] == [region.depth for region in ex.local_penetrations(spoon, cup, pose)]
    assert len(ex.penetration_batch(BOX, BOX, np.zeros((0, 4, 4))).ended_by) == 0
    pytest.importorskip("pyarrow")
    assert batch.to_arrow().column("ended_by").to_pylist() == ["completed", "", ""]
