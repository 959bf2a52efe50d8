"""Growth distances: closed forms of balls and boxes, and the bits of the command line."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from conftest import moved

import extricate as ex

BOX, BALL = ex.Shape.box([1, 1, 1]), ex.Shape.sphere(1)


def test_balls_grow_by_the_distance_of_their_centres_over_the_sum_of_their_radii() -> None:
    small = ex.Shape.sphere(0.5)
    for x in [0.0, 0.3, 1.5, 2.0, 7.0]:
        found = ex.growth_distance(BALL, small, None, moved(0, x, 0))
        assert found.value == pytest.approx(x / 1.5, abs=1e-8) and found.converged
        assert found.lower_bound <= found.value <= found.upper_bound
        assert found.contact == pytest.approx([0, x / 1.5, 0], abs=1e-7)
        assert found.seeds.tolist() == [[0, 0, 0], [0, x, 0]]
        if x > 0:
            assert found.normal == pytest.approx([0, -1, 0], abs=1e-6)
            assert found.points == pytest.approx(np.array([[0, 1, 0], [0, x - 0.5, 0]]), abs=1e-7)


def test_boxes_grow_by_their_farthest_axis() -> None:
    random = np.random.default_rng(4)
    size = ex.Shape.box([1, 2, 3])
    centres = random.uniform(-4, 4, (40, 3))
    poses = np.stack([moved(*centre) for centre in centres])
    found = ex.growth_distance(BOX, size, None, poses)
    expected = (np.abs(centres) / [1, 1.5, 2]).max(axis=1)
    assert found.value == pytest.approx(expected, abs=1e-8) and found.converged.all()
    assert ((found.value < 1) == ex.collide(BOX, size, None, poses)).all()
    # The scaling moves both points to the contact.
    for side in range(2):
        grown = found.seeds[:, side] + found.value[:, None] * (found.points[:, side] - found.seeds[:, side])
        assert grown == pytest.approx(found.contact, abs=1e-7)


def test_seeds_are_in_the_frames_of_their_shapes() -> None:
    around = np.eye(4)
    around[:2, :2] = [[0, -1], [1, 0]]
    # From half a metre before the surface of A and the centre of B.
    found = ex.growth_distance(BALL, BALL, around, moved(3), seed_a=[0, -0.5, 0], seed_b=(0, 0, 0))
    assert found.seeds == pytest.approx(np.array([[0.5, 0, 0], [3, 0, 0]]))
    assert found.value == pytest.approx(2.5 / 1.5, abs=1e-8)
    assert found.contact == pytest.approx([0.5 + 0.5 * 2.5 / 1.5, 0, 0], abs=1e-7)
    batch = ex.growth_distance(BALL, BALL, around[None], moved(3), seed_a=[0, -0.5, 0])
    assert batch.value.tolist() == [found.value] and (batch.contact[0] == found.contact).all()


def test_a_batch_has_the_bits_of_single_queries_whatever_the_threads() -> None:
    cone = ex.Shape.cone(0.5, 1)
    poses = np.stack([moved(0.2 * index, 0.3, 0.1) for index in range(20)] + [moved(np.inf)])
    seen: list[int] = []
    many = ex.growth_distance(BOX, cone, poses, progress=lambda done, of: seen.append(done))
    one = ex.growth_distance(BOX, cone, poses, threads=1)
    assert seen[-1] == 21 and many.status.tolist() == [1] * 20 + [-1] and "pose_a[20]" in many.errors[20]
    for name in ("value", "lower_bound", "upper_bound", "points", "contact", "normal", "seeds", "converged"):
        assert getattr(one, name).tobytes() == getattr(many, name).tobytes()
        for index, pose in enumerate(poses[:20]):
            assert np.array_equal(getattr(many, name)[index], getattr(ex.growth_distance(BOX, cone, pose), name))
    assert np.isnan(many.value[20]) and not many.converged[20]


def test_the_answer_has_the_bits_of_the_command_line() -> None:
    arguments = ["box:1,1,1", "cone:0.5,1@0.4,0.3,1.5", "--a-seed", "0.1,0.2,-0.3"]
    command = [sys.executable, "-m", "extricate", "query", "growth", *arguments, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    expected = json.loads(done.stdout)
    found = ex.growth_distance(BOX, ex.Shape.cone(0.5, 1), None, moved(0.4, 0.3, 1.5), seed_a=[0.1, 0.2, -0.3])
    assert found.value == expected["value"] and found.upper_bound == expected["upper_bound"]
    assert found.contact.tolist() == expected["contact"] and found.points.tolist() == expected["points"]


def test_shapes_and_seeds_that_have_none_are_refused(cup: ex.Mesh) -> None:
    for b, why in [(cup, "convex"), (ex.Shape.half_space(), "half-space")]:
        with pytest.raises(ValueError, match=why):
            ex.growth_distance(BALL, b)
    for seed, why in [([2, 0, 0], "seed of A"), ([0, np.nan, 0], "seed_a"), ([0, 0], "seed_a"), ("x", "seed_a")]:
        with pytest.raises(ValueError, match=why):
            ex.growth_distance(BALL, BALL, seed_a=seed)
    # On the boundary, neither shape extends towards the other.
    with pytest.raises(ValueError, match="neither shape extends"):
        ex.growth_distance(BOX, BOX, None, moved(3), seed_a=[0.5, 0, 0], seed_b=[-0.5, 0, 0])
    batch = ex.growth_distance(BALL, BALL, np.eye(4)[None], seed_b=[0, 2, 0])
    assert batch.status.tolist() == [-1] and "seed of B" in batch.errors[0]
