"""Meshes and arrays of other libraries. Those that are not installed are stood in for by their protocol alone."""

from __future__ import annotations

import types
from typing import Any

import numpy as np
import pytest
from conftest import moved

import extricate as ex

CUBE = ex.Shape.box([1, 1, 1]).to_mesh()


class Tensor:
    """A tensor that is known by DLPack alone."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


class OnDevice(Tensor):
    """A tensor that is not in the memory of the CPU."""

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, 0)

    def __dlpack__(self, **options: Any) -> Any:
        raise BufferError("not on the CPU")


def test_tensors_by_dlpack_and_by_the_buffer_protocol_are_meshes_and_poses() -> None:
    vertices, faces = np.array(CUBE.vertices), np.array(CUBE.faces).astype(np.int64)
    for mesh in (
        ex.Mesh(Tensor(vertices), Tensor(faces)),
        ex.Mesh(Tensor(vertices.astype(np.float32)), Tensor(faces.astype(np.int32))),
        ex.Mesh(memoryview(vertices), memoryview(faces)),
        ex.Mesh(vertices.tolist(), faces.tolist()),
    ):
        assert mesh.volume == pytest.approx(1, abs=1e-6)
        assert ex.distance(mesh, CUBE, Tensor(moved(3))).value == pytest.approx(2, abs=1e-6)
    poses = np.stack([moved(0.5), moved(3)])
    assert ex.collide(CUBE, CUBE, Tensor(poses)).tolist() == [True, False]
    with pytest.raises(ValueError, match="vertices: not an array"):
        ex.Mesh(OnDevice(vertices), faces)


def test_arrays_out_are_shared_without_a_copy() -> None:
    assert CUBE.vertices is CUBE.vertices and not CUBE.vertices.flags.writeable
    assert np.shares_memory(CUBE.vertices, np.asarray(memoryview(CUBE.vertices)))
    batch = ex.penetration(CUBE, CUBE, np.stack([moved(0.5), moved(3)]))
    # Results can be written, and other libraries take them by DLPack without a copy.
    assert np.shares_memory(batch.direction, np.from_dlpack(batch.direction))
    assert batch.depth.flags.writeable and batch.depth.flags.c_contiguous


def test_meshes_of_trimesh() -> None:
    trimesh = pytest.importorskip("trimesh", reason="trimesh is not installed")
    mesh = ex.Mesh.from_trimesh(trimesh.creation.box((1, 2, 3)))
    assert mesh.solid and mesh.volume == pytest.approx(6)
    back = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)
    assert back.is_watertight and back.volume == pytest.approx(6)


def test_meshes_that_name_their_arrays_as_others_do() -> None:
    like_open3d = types.SimpleNamespace(vertices=CUBE.vertices.tolist(), triangles=CUBE.faces.tolist())
    assert ex.Mesh.from_trimesh(like_open3d).volume == 1
    tensors = types.SimpleNamespace(positions=Tensor(CUBE.vertices.copy()), indices=Tensor(CUBE.faces.astype(np.int64)))
    like_open3d_tensors = types.SimpleNamespace(vertex=tensors, triangle=tensors)
    assert ex.Mesh.from_trimesh(like_open3d_tensors, solid=True).solid
    with pytest.raises(ValueError, match="has no vertices and faces"):
        ex.Mesh.from_trimesh(3)


def test_meshes_of_open3d() -> None:
    open3d = pytest.importorskip("open3d", reason="Open3D is not installed")
    legacy = open3d.geometry.TriangleMesh.create_box()
    assert ex.Mesh.from_trimesh(legacy).volume == pytest.approx(1)
    assert ex.Mesh.from_trimesh(open3d.t.geometry.TriangleMesh.from_legacy(legacy)).volume == pytest.approx(1)


def test_tensors_of_pytorch() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    mesh = ex.Mesh(torch.tensor(CUBE.vertices.copy()), torch.tensor(CUBE.faces.astype(np.int64)))
    depth = torch.from_dlpack(ex.penetration(mesh, mesh, np.stack([moved(0.5)])).depth)
    assert float(depth[0]) == pytest.approx(0.5)


def test_orders_of_joints_of_other_libraries(arm: ex.Robot) -> None:
    q = np.arange(2.0 * len(arm.joint_names)).reshape(2, -1)
    like_yourdfpy = types.SimpleNamespace(actuated_joint_names=list(arm.joint_names[::-1]))
    assert (arm.from_order(like_yourdfpy, q) == q[:, ::-1]).all()
    assert (arm.to_order(like_yourdfpy, arm.from_order(like_yourdfpy, q)) == q).all()
    # Pinocchio's first joint is the universe.
    like_pinocchio = types.SimpleNamespace(names=["universe", *sorted(arm.joint_names)], nqs=[0] + [1] * len(arm.joint_names))
    order = sorted(arm.joint_names)
    assert (arm.from_order(like_pinocchio, q) == arm.from_order(order, q)).all()
    with pytest.raises(ValueError, match="names"):
        arm.from_order(types.SimpleNamespace(), q)


def test_continuous_joints_are_a_cosine_and_a_sine(arm: ex.Robot) -> None:
    count = len(arm.joint_names)
    names, rolls = arm.joint_names[::-1], arm.joint_names[::-1].index("roll")
    model = types.SimpleNamespace(names=["universe", *names], nvs=[0] + [1] * count)
    model.nqs = [0] + [2 if index == rolls else 1 for index in range(count)]
    model.idx_qs = [0] + [index + (index > rolls) for index in range(count)]
    q = np.random.default_rng(0).uniform(-3, 3, (5, count))
    theirs = ex.to_pinocchio(arm, model, q)
    assert theirs.shape == (5, count + 1)
    assert np.hypot(theirs[:, rolls], theirs[:, rolls + 1]) == pytest.approx(1)
    assert ex.from_pinocchio(arm, model, theirs) == pytest.approx(q, abs=1e-12)
    assert ex.from_pinocchio(arm, model, theirs[0]).shape == (count,)
    with pytest.raises(ValueError, match="to_pinocchio"):
        arm.to_order(model, q)
    with pytest.raises(ValueError, match="shape"):
        ex.from_pinocchio(arm, model, q)
    model.names[1] = "other"
    with pytest.raises(ValueError, match="'other'.*mimic=True"):
        ex.to_pinocchio(arm, model, q)


def test_configurations_of_pinocchio(arm: ex.Robot) -> None:
    pinocchio = pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    model = pinocchio.buildModelFromUrdf("assets/robots/arm.urdf", mimic=True)
    q = np.linspace(-0.5, 0.5, len(arm.joint_names))
    data = model.createData()
    theirs = ex.to_pinocchio(arm, model, q)
    assert ex.from_pinocchio(arm, model, theirs) == pytest.approx(q, abs=1e-12)
    pinocchio.forwardKinematics(model, data, theirs)
    pinocchio.updateFramePlacements(model, data)
    poses = arm.forward_kinematics(q)
    for index, name in enumerate(arm.link_names):
        theirs = data.oMf[model.getFrameId(name)].homogeneous
        assert theirs == pytest.approx(poses[index], abs=1e-9), name
