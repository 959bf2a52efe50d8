"""Bad arguments: each is refused with its index, and nothing crashes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import moved
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import extricate as ex

BOX = ex.Shape.box([1, 1, 1])


@pytest.mark.parametrize(
    ("pose", "why"),
    [
        (np.eye(3), "shape"),
        (np.zeros((0, 4)), "shape"),
        (np.zeros((2, 3, 4)), "shape"),
        (np.eye(4) * np.nan, "not finite"),
        (np.diag([2.0, 1, 1, 1]), "not a rotation"),
        (np.diag([-1.0, 1, 1, 1]), "reflection"),
        (np.diag([1.0, 1, 1, 2]), "last row"),
        (np.eye(4, dtype=complex), "dtype"),
        (np.eye(4, dtype=bool), "dtype"),
        (np.full((4, 4), "x"), "dtype"),
        ([[1, 2], [3]], "not an array"),
        (object(), "dtype"),
    ],
)
def test_a_bad_pose_is_refused(pose: object, why: str) -> None:
    for query in (ex.collide, ex.distance, ex.penetration, ex.local_penetrations, ex.penetration_rigid, ex.hausdorff):
        with pytest.raises(ValueError, match=f"(?s)pose_b.*{why}"):
            query(BOX, BOX, None, pose)


def test_numbers_of_other_types_and_orders_are_taken() -> None:
    pose = moved(3)
    backwards = np.ascontiguousarray(pose[::-1, ::-1])[::-1, ::-1]
    packed = np.zeros(1, dtype=[("pad", "i1"), ("pose", "f8", (4, 4))])
    packed["pose"] = pose
    forms = [pose.astype(np.float32), pose.astype(np.int64), pose.tolist(), np.asfortranarray(pose), backwards]
    forms += [packed["pose"][0], memoryview(pose), pose.astype(">f8")]
    for form in forms:
        assert ex.distance(BOX, BOX, form).value == 2.0


def test_a_bad_item_fails_alone_where_there_is_a_status_and_else_with_its_index() -> None:
    poses = np.stack([moved(0.5), moved(0.5) * 2, moved(np.inf), moved(5)])
    for found in (ex.penetration(BOX, BOX, poses), ex.distance(BOX, BOX, poses), ex.penetration_rigid(BOX, BOX, poses)):
        assert found.status.tolist()[1:3] == [-1, -1] and set(found.errors) == {1, 2}
        assert "pose_a[1]" in found.errors[1] and "not finite" in found.errors[2]
    with pytest.raises(ValueError, match=r"pose_a\[1\]"):
        ex.collide(BOX, BOX, poses)
    with pytest.raises(ValueError, match="4 poses and pose_b 3"):
        ex.collide(BOX, BOX, poses, poses[:3])
    assert len(ex.penetration_batch(BOX, BOX, np.zeros((0, 4, 4)))) == 0


@pytest.mark.parametrize(
    ("vertices", "faces", "why"),
    [
        (np.zeros((3, 2)), [[0, 1, 2]], "vertices: expected an array of shape"),
        (np.eye(3), [[0, 1, 3]], "references vertex 3"),
        (np.eye(3), [[0, 1, -1]], r"faces\[0\]: -1"),
        (np.eye(3), [[0.0, 1.0, 2.0]], "expected integers"),
        (np.eye(3), [[0, 1]], "faces: expected an array of shape"),
        (np.eye(3), np.zeros((0, 3), int), "no triangles"),
        (np.full((3, 3), np.inf), [[0, 1, 2]], r"vertices\[0\]: not finite"),
        (np.zeros((3, 3)), [[0, 1, 2]], "degenerate"),
        (np.eye(3), [[0, 1, 2**40]], "not the index of a vertex"),
    ],
)
def test_a_bad_mesh_is_refused(vertices: object, faces: object, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        ex.Mesh(vertices, faces)


def test_an_open_mesh_is_no_solid() -> None:
    assert not ex.Mesh(np.eye(3), [[0, 1, 2]]).solid
    with pytest.raises(ValueError, match="bounds no solid"):
        ex.Mesh(np.eye(3), [[0, 1, 2]], solid=True)
    with pytest.raises(ValueError, match="closed"):
        ex.DistanceField(ex.Mesh(np.eye(3), [[0, 1, 2]]), 0.1)


@pytest.mark.parametrize("size", [0.0, -1.0, np.nan, np.inf])
def test_a_bad_size_is_refused(size: float) -> None:
    makers = [
        lambda: ex.Shape.sphere(size),
        lambda: ex.Shape.box([1, size, 1]),
        lambda: ex.Shape.cylinder(1, size),
        lambda: ex.Shape.cone(size, 1),
        lambda: ex.DistanceField(BOX.to_mesh(), size),
    ]
    for make in makers:
        with pytest.raises(ValueError):
            make()


def test_bad_options_are_refused(cell: ex.Workcell, arm: ex.Robot) -> None:
    q = np.zeros(len(arm.joint_names))
    calls = [
        lambda: ex.penetration(BOX, BOX, effort="hard"),
        lambda: ex.penetration(BOX, BOX, time_budget=-1),
        lambda: ex.penetration(BOX, BOX, time_budget=float("nan")),
        lambda: ex.penetration_rigid(BOX, BOX, time_budget=-1),
        lambda: ex.local_penetrations(BOX, BOX, time_budget=0),
        lambda: ex.distance(BOX, BOX, tolerance=-1),
        lambda: ex.collide(BOX, BOX, clearance=float("inf")),
        lambda: ex.time_of_contact(BOX, BOX, moved(1), moved(2), motion="jump"),
        lambda: ex.penetration_batch(BOX, BOX, np.eye(4)[None], progress=3),
        lambda: ex.hausdorff(BOX, ex.Shape.half_space()),
        lambda: ex.local_penetrations(BOX, BOX, np.eye(4)[None], progress="all"),
        lambda: ex.Shape.rounded(BOX.to_mesh(), 0.1),
        lambda: ex.Shape.half_space().to_mesh(),
        lambda: ex.separate([BOX], np.eye(4)[None], fixed=[1]),
        lambda: ex.separate([BOX], np.tile(np.eye(4), (2, 1, 1))),
        lambda: ex.DistanceField(BOX.to_mesh(), 1e-9),
        lambda: ex.DistanceField(BOX.to_mesh(), 0.2).update(BOX.to_mesh(), [[1, 1, 1], [0, 0, 0]]),
        lambda: cell.repair(np.tile(q, (2, 1))),
        lambda: cell.repair(q, clearance=-1),
        lambda: cell.repair(q, max_move=float("nan")),
        lambda: cell.collides(q[:-1]),
        lambda: cell.collides(np.full((2, len(q)), np.nan)),
        lambda: ex.Workcell(arm, {"a": (BOX, np.eye(3))}),
        lambda: ex.Workcell(arm, {"a": 3}),
        lambda: ex.Workcell(arm, fixed=["wrsit"]),
        lambda: ex.Workcell(arm, weights={"elbow": -1.0}),
        lambda: ex.Workcell(arm, allow=[("hand", "foot")]),
        lambda: ex.Workcell(arm, keep=["hand"]),
        lambda: ex.Workcell(arm, keep=["pose:foot"]),
        lambda: ex.Workcell(arm, attached={"tray": ("foot", BOX)}),
        lambda: ex.Workcell(arm, attached={"tray": BOX}),
        lambda: ex.Workcell(arm, attached={"floor": ("hand", ex.Shape.half_space())}),
        lambda: arm.mass_matrix(q[:-1]),
        lambda: arm.forward_dynamics(q, q, np.stack([q, q])),
        lambda: arm.inverse_dynamics(q, q, q, gravity=[0, 0, np.nan]),
        lambda: arm.jacobian(q, "foot"),
        lambda: arm.configuration({"knee": 1.0}),
        lambda: arm.configuration({"elbow": float("nan")}),
        lambda: arm.from_order(["elbow"], q),
        lambda: arm.from_order(["elbow"] * len(q), q),
        lambda: ex.Robot.load("assets/robots/arm.urdf", base="loose"),
        lambda: ex.World.load("scenes/rigid/box_stack.ron").restore(b"x"),
        lambda: ex.run("scenes/rigid/box_stack.ron", time=float("nan")),
    ]
    for index, call in enumerate(calls):
        with pytest.raises(ValueError):
            call()
            pytest.fail(f"call {index} was accepted")


def test_wrong_types_are_type_errors() -> None:
    for call in (lambda: ex.collide(3, BOX), lambda: ex.Workcell("arm.urdf"), lambda: ex.DistanceField(BOX, 0.1)):
        with pytest.raises(TypeError):
            call()


def test_arrays_that_are_too_large_are_refused() -> None:
    huge = np.broadcast_to(np.eye(4), (10**12, 4, 4))
    with pytest.raises((ValueError, MemoryError)):
        ex.penetration_batch(BOX, BOX, huge)
    with pytest.raises((ValueError, MemoryError)):
        ex.Mesh(np.broadcast_to(np.zeros(3), (10**12, 3)), [[0, 1, 2]])


def test_a_bad_file_is_named_with_its_line(tmp_path: Path) -> None:
    scene = tmp_path / "bad.ron"
    scene.write_text("(\n  title: 3,\n)\n")
    mesh = tmp_path / "bad.obj"
    mesh.write_text("v 0 0 0\nv 0 0 x\n")
    robot = tmp_path / "bad.urdf"
    robot.write_text("<robot name='r'>\n<link>\n</robot>")
    for call, path in [(ex.World.load, scene), (ex.Mesh.load, mesh), (ex.Robot.load, robot), (ex.run, scene)]:
        with pytest.raises(ex.FileError) as error:
            call(path)
        assert error.value.path == str(path) and error.value.line is not None and error.value.line >= 1
    for call in (ex.World.load, ex.Mesh.load, ex.Robot.load, ex.DistanceField.load, ex.run):
        with pytest.raises(ex.FileError):
            call(tmp_path / "missing.obj")


numbers = hnp.arrays(
    st.sampled_from([np.float64, np.float32, np.int32, np.uint8, np.bool_, np.complex128]),
    hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4),
)


@settings(max_examples=150, deadline=None)
@given(numbers)
def test_no_array_crashes_a_query(array: np.ndarray) -> None:
    for query in (ex.collide, ex.distance, ex.penetration):
        try:
            found = query(BOX, BOX, array)
        except (ValueError, ex.ExtricateError):
            continue
        assert array.shape[-2:] == (4, 4) and found is not Ellipsis


@settings(max_examples=150, deadline=None)
@given(numbers, hnp.arrays(np.int64, hnp.array_shapes(min_dims=1, max_dims=2, max_side=4)))
def test_no_array_crashes_a_mesh(vertices: np.ndarray, faces: np.ndarray) -> None:
    try:
        mesh = ex.Mesh(vertices, faces)
    except ValueError:
        return
    assert mesh.vertices.shape[1] == 3


@settings(max_examples=60, deadline=None)
@given(hnp.arrays(np.float64, st.tuples(st.integers(0, 5), st.just(3)), elements=st.floats(-5, 5)))
def test_poses_of_any_translation_are_answered(points: np.ndarray) -> None:
    poses = np.tile(np.eye(4), (len(points), 1, 1))
    poses[:, :3, 3] = points
    found = ex.penetration_batch(BOX, BOX, poses)
    inside = np.abs(points).max(axis=1, initial=0.0)
    assert ((found.status == 1) == (inside <= 1)).all() or np.isclose(inside, 1, atol=1e-6).any()
    clear = found.status == 1
    assert found.depth[clear] == pytest.approx(1 - inside[clear], abs=1e-6)
