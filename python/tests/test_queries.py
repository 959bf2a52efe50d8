"""Answers: closed forms, independent checks, and the same bits as the command line."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import moved

import extricate as ex


def cli(*arguments: str, check: bool = True) -> str:
    done = subprocess.run([sys.executable, "-m", "extricate", *arguments], capture_output=True, text=True, timeout=120)
    assert not check or done.returncode == 0, done.stderr
    return done.stdout


def test_two_balls_are_as_far_apart_and_as_deep_as_their_centres_say() -> None:
    ball = ex.Shape.sphere(1)
    for x in [0.5, 1.5, 2.5, 7.0]:
        found = ex.distance(ball, ball, moved(x), signed=True)
        assert found.value == pytest.approx(x - 2, abs=1e-9)
        assert ex.collide(ball, ball, moved(x)) == (x <= 2)
        deep = ex.penetration(ball, ball, moved(x))
        assert (deep is None) == (x > 2)
        if deep is not None:
            assert deep.depth == pytest.approx(2 - x, abs=1e-9)
            assert deep.direction == pytest.approx([1, 0, 0], abs=1e-6)


def test_meshes_are_free_after_the_translation_and_collide_before_its_end(cup: ex.Mesh, spoon: ex.Mesh) -> None:
    pose = moved(0.0, 0.0, 0.2)
    for effort in ("fast", "best"):
        found = ex.penetration(spoon, cup, pose, effort=effort)
        assert found.lower_bound <= found.depth
        for part, expected in [(0.999, True), (1.0, False)]:
            at = pose.copy()
            at[:3, 3] += part * found.translation
            assert ex.collide(spoon, cup, at) == expected


def test_a_batch_has_the_bits_of_single_queries_whatever_the_threads(cup: ex.Mesh) -> None:
    ball = ex.Shape.sphere(0.1)
    random = np.random.default_rng(1)
    poses = np.tile(np.eye(4), (60, 1, 1))
    poses[:, :3, 3] = random.uniform(-0.6, 0.6, (60, 3))
    one = ex.penetration_batch(ball, cup, poses, threads=1)
    many = ex.penetration(ball, cup, poses)
    for name in ("depth", "lower_bound", "direction", "translation", "witnesses", "status"):
        assert getattr(one, name).tobytes() == getattr(many, name).tobytes()
    assert set(one.status.tolist()) == {0, 1}
    for index, pose in enumerate(poses):
        single = ex.penetration(ball, cup, pose)
        assert (single is None) == (one.status[index] == 0)
        if single is not None:
            assert single.depth == one.depth[index] and (single.direction == one.direction[index]).all()
    assert (ex.collide(ball, cup, poses) == (one.status == 1)).all()
    nearest = ex.distance(ball, cup, poses)
    assert ((nearest.value == 0) == (one.status == 1)).all()
    # One pose is that of all items.
    assert len(ex.distance(ball, cup, None, np.linalg.inv(poses))) == 60


def test_answers_have_the_bits_of_the_command_line(cup: ex.Mesh, tmp_path: Path) -> None:
    random = np.random.default_rng(2)
    poses, lines = [], []
    for _ in range(12):
        q, r = np.linalg.qr(random.normal(size=(3, 3)))
        rotation = q * np.sign(np.diag(r))
        rotation[:, 0] *= np.sign(np.linalg.det(rotation))
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = rotation, random.uniform(-0.5, 0.5, 3)
        poses.append(pose)
        lines.append(json.dumps({"a": {"translation": pose[:3, 3].tolist(), "rotation": rotation.ravel().tolist()}}))
    file = tmp_path / "poses.jsonl"
    file.write_text("\n".join(lines) + "\n")
    arguments = ["assets/meshes/spoon.obj", "assets/meshes/cup.obj", "--poses", str(file), "--json"]
    spoon = ex.Mesh.load("assets/meshes/spoon.obj")
    own = ex.penetration_batch(spoon, cup, np.array(poses))
    for index, line in enumerate(cli("query", "penetration", *arguments, "--effort", "fast").splitlines()):
        line = json.loads(line)
        assert (line.get("depth") is None) == (own.status[index] == 0)
        if own.status[index] == 1:
            assert line["depth"] == own.depth[index]
            assert line["translation"] == own.translation[index].tolist()
    apart = ex.distance(spoon, cup, np.array(poses))
    for index, line in enumerate(cli("query", "distance", *arguments).splitlines()):
        assert json.loads(line)["distance"] == apart.value[index]


def test_a_repair_has_the_bits_of_the_command_line(arm: ex.Robot, cell: ex.Workcell, tmp_path: Path) -> None:
    (tmp_path / "pose.json").write_text('{"joints": {"shoulder": 1.2, "elbow": 0.4}}')
    free = tmp_path / "free.json"
    cli("repair", "--robot", "assets/robots/arm.urdf", "--joints", str(tmp_path / "pose.json"),
        "--obstacle", "box:1,1,0.6@0.75,0,0.3", "-o", str(free))  # fmt: skip
    expected = arm.configuration(json.loads(free.read_text())["joints"])
    q = arm.configuration({"shoulder": 1.2, "elbow": 0.4})
    assert (cell.repair(q, effort="best").q == expected).all()
    assert (cell.repair_batch([q], effort="best").q[0] == expected).all()


def test_a_rigid_motion_separates(cup: ex.Mesh, spoon: ex.Mesh) -> None:
    pose = moved(0, 0, 0.2)
    found = ex.penetration_rigid(spoon, cup, pose)
    assert found.verified_free and not ex.collide(spoon, cup, found.pose)
    batch = ex.penetration_rigid(spoon, cup, np.stack([pose, moved(9)]))
    assert batch.status.tolist() == [1, 0] and batch.depth[0] == found.depth


def test_a_motion_is_free_up_to_its_first_contact(cup: ex.Mesh) -> None:
    ball = ex.Shape.sphere(0.1)
    found = ex.time_of_contact(ball, cup, moved(3), moved(0), motion="linear")
    assert 0 < found.time < 1
    assert not ex.collide(ball, cup, moved(3 * (1 - found.time)))
    many = ex.time_of_contact(ball, cup, np.stack([moved(3), moved(3)]), np.stack([moved(0), moved(2.9)]))
    assert many.status.tolist() == [1, 0] and np.isnan(many.time[1])


def test_the_distance_field_of_a_box_is_its_distance() -> None:
    box = ex.Shape.box([1, 1, 1]).to_mesh()
    field = ex.DistanceField(box, 0.05)
    points = np.random.default_rng(3).uniform(-0.5, 0.5, (200, 3))
    assert field.sample(points) == pytest.approx(np.abs(points).max(axis=1) - 0.5, abs=0.02)
    assert np.linalg.norm(field.gradient(points), axis=1).max() < 1.2


def test_bodies_are_separated(cup: ex.Mesh) -> None:
    poses = np.stack([moved(0.3 * index) for index in range(4)])
    box = ex.Shape.box([1, 1, 1])
    found = ex.separate([box] * 4, poses)
    after = poses.copy()
    after[:, :3, 3] += found.translations
    assert not any(ex.collide(box, box, after[i], after[j]) for i in range(4) for j in range(i))
    with pytest.raises(ex.NotSeparatedError):
        ex.separate([box] * 4, poses, fixed=[0, 1, 2, 3])


def test_a_world_repeats_its_bits_and_is_that_of_a_run(tmp_path: Path) -> None:
    scene = "scenes/rigid/ring_stack.ron"
    in_memory = ex.run(scene, time=0.2)
    recorded = ex.run(scene, tmp_path / "run", time=0.2)
    assert in_memory.hash == recorded.hash == recorded.summary["hash"]
    assert (in_memory.poses == recorded.poses).all() and (in_memory.times == recorded.times).all()
    cli("run", scene, "--time", "0.2", "-o", str(tmp_path / "cli"))
    assert json.loads((tmp_path / "cli/summary.json").read_text())["hash"] == recorded.hash
    world = ex.World.load(scene)
    world.step(7)
    before, poses = world.snapshot(), world.poses
    world.step(5)
    after = world.hash
    world.restore(before)
    assert (world.poses == poses).all()
    world.step(5)
    assert world.hash == after
    assert world.names == in_memory.names and (world.contacts.force >= 0).all()


def test_a_soft_world_has_nodes() -> None:
    world = ex.World.load("scenes/soft/drop.ron")
    world.step()
    with pytest.raises(ValueError, match="no soft body named 'x'"):
        world.nodes("x")


def test_jacobians_are_the_differences_of_poses(arm: ex.Robot) -> None:
    q, step = 0.1 * np.arange(1, 1 + len(arm.joint_names)), 1e-6
    index = arm.link_names.index("hand")
    jacobian = arm.jacobian(q, "hand")
    for joint in range(len(q)):
        ends = np.tile(q, (2, 1))
        ends[:, joint] += [-step, step]
        low, high = arm.forward_kinematics(ends)[:, index]
        assert jacobian[:3, joint] == pytest.approx((high - low)[:3, 3] / (2 * step), abs=1e-6)
        spin = (high - low)[:3, :3] / (2 * step) @ arm.forward_kinematics(q)[index, :3, :3].T
        assert jacobian[3:, joint] == pytest.approx([spin[2, 1], spin[0, 2], spin[1, 0]], abs=1e-6)


def test_repaired_configurations_are_free(arm: ex.Robot, cell: ex.Workcell, colliding: np.ndarray) -> None:
    before = cell.collides(colliding)
    assert before.any() and not before.all()
    seen: list[tuple[int, int]] = []
    found = cell.repair_batch(colliding, progress=lambda done, of: seen.append((done, of)))
    assert seen[-1] == (24, 24)
    done = found.status >= 0
    assert done.any() and (found.status[~before] == 0).all()
    assert not cell.collides(found.q[done]).any()
    assert found.verified_free[done].all() and found.limits_kept[done].all()
    one = cell.repair_batch(colliding, threads=1)
    assert one.q.tobytes() == found.q.tobytes() and set(found.errors) == set(np.flatnonzero(~done).tolist())
    assert (cell.clearance(found.q[found.status == 1]) > 0).all()
    pairs = cell.colliding_pairs(colliding)
    assert [bool(of_item) for of_item in pairs] == before.tolist()


def test_what_cannot_be_repaired_says_what_still_collides(arm: ex.Robot) -> None:
    buried = ex.Workcell(arm, {"block": ex.Shape.box([20, 20, 20])})
    q = np.zeros(len(arm.joint_names))
    with pytest.raises(ex.RepairNotFoundError) as error:
        buried.repair(q)
    assert error.value.best.q.shape == q.shape and error.value.still_colliding[0].b == "block"
    batch = buried.repair_batch([q])
    assert batch.status.tolist() == [-1] and np.isnan(batch.q).all() and "collide" in batch.errors[0]


def test_what_a_hand_holds_is_part_of_the_robot_and_what_is_kept_stays(arm: ex.Robot) -> None:
    obstacles = {"table": (ex.Shape.box([1, 1, 0.6]), moved(0.75, 0, 0.3))}
    tray = {"tray": ("hand", ex.Shape.box([0.2, 0.2, 0.02]), moved(0, 0, 0.2))}
    q = arm.configuration({"shoulder": 1.2, "elbow": 0.4})
    holding = ex.Workcell(arm, obstacles, attached=tray, keep=["direction:hand,z"])
    assert "tray" in {pair.a for pair in holding.colliding_pairs(q)} | {pair.b for pair in holding.colliding_pairs(q)}
    free = holding.repair(q)
    assert not holding.collides(free.q) and not ex.Workcell(arm, obstacles).collides(free.q)
    hand = arm.link_names.index("hand")
    before, after = arm.forward_kinematics(np.stack([q, free.q]))[:, hand, :3, 2]
    assert after == pytest.approx(before, abs=1e-9)
    assert list(free.constraints) == ["direction:hand,z"] and max(free.constraints["direction:hand,z"]) < 1e-9
    without = ex.Workcell(arm, obstacles).repair(q)
    assert without.constraints == {} and without.immobilised_by == () and without.depth < free.depth
    again = pickle.loads(pickle.dumps(holding))
    assert (again.repair(q).q == free.q).all()


def test_inverse_and_forward_dynamics_are_inverse_and_agree_with_the_mass_matrix(arm: ex.Robot) -> None:
    joints, random = len(arm.joint_names), np.random.default_rng(0)
    q, velocities, forces = random.uniform(-0.5, 0.5, (3, 5, joints))
    found = arm.forward_dynamics(q, velocities, forces)
    assert arm.inverse_dynamics(q, velocities, found) == pytest.approx(forces, abs=1e-9)
    bias = arm.inverse_dynamics(q, velocities, 0 * q)
    inertia = arm.mass_matrix(q)
    assert inertia.shape == (5, joints, joints) and inertia == pytest.approx(inertia.swapaxes(1, 2), abs=1e-12)
    assert np.einsum("nij,nj->ni", inertia, found) + bias == pytest.approx(forces, abs=1e-9)
    holding, double = (arm.inverse_dynamics(q, 0 * q, 0 * q, gravity=[0, 0, z]) for z in (-9.81, -19.62))
    assert double == pytest.approx(2 * holding, abs=1e-9)
    assert (arm.mass_matrix(q[0]) == inertia[0]).all()


def test_a_path_is_free(arm: ex.Robot, cell: ex.Workcell) -> None:
    start, goal = arm.configuration({}), arm.configuration({"shoulder": 0.4})
    path = cell.plan(start, goal)
    fine = np.linspace(path.q[:-1], path.q[1:], 20).reshape(-1, len(start))
    assert not cell.collides(fine).any()
    with pytest.raises(ValueError, match="not free"):
        cell.plan(start, arm.configuration({"shoulder": 1.2, "elbow": 0.4}))


def test_columns_become_a_table(cup: ex.Mesh) -> None:
    pytest.importorskip("pyarrow")
    poses = np.stack([np.eye(4), moved(np.nan)])
    table = ex.penetration(ex.Shape.sphere(0.6), cup, poses).to_arrow()
    assert table.num_rows == 2 and table["status"].to_pylist() == [1, -1]
    assert table["error"].to_pylist()[0] is None and "not finite" in table["error"].to_pylist()[1]
    assert len(table["direction"][0].as_py()) == 3


def test_the_command_line_is_in_the_package() -> None:
    assert cli("--version").split()[1] == ex.__version__
    assert cli("query", "collide", check=False) == ""
