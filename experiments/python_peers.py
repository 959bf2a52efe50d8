#!/usr/bin/env python3
"""Python libraries on the same work: collide, distance, separate, repair. Times and wrong answers.

    pip install ./python coal python-fcl mujoco pin && python experiments/python_peers.py [--poses N]

Peers that are not installed are left out. An answer is wrong if
- collide: it differs from that of two independent queries that agree: `extricate.distance` and a parity test of points, or
  if a mesh inside another one counts as free,
- distance: it differs by more than 1e-6 m,
- separate: the meshes still collide after the translation that the library's depth and normal state (with 1e-6 m to spare),
- repair: the configuration still collides, or violates a joint limit. Libraries without a repair push along the Jacobian of
  their deepest contact for at most 200 steps.

Times are medians of all poses, on one thread; arrays and poses are prepared before.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

import extricate as ex

ROOT = Path(__file__).resolve().parent.parent
CLEARANCE = 1e-6


def poses_of(count: int, reach: float) -> np.ndarray:
    """Random rotations and translations within a reach [m]."""
    random = np.random.default_rng(0)
    poses = np.tile(np.eye(4), (count, 1, 1))
    q, r = np.linalg.qr(random.normal(size=(count, 3, 3)))
    rotations = q * np.sign(np.einsum("nii->ni", r))[:, None, :]
    rotations[:, :, 0] *= np.linalg.det(rotations)[:, None]
    poses[:, :3, :3], poses[:, :3, 3] = rotations, random.uniform(-reach, reach, (count, 3))
    return poses


class Extricate:
    name = "extricate"

    def __init__(self, a: ex.Mesh, b: ex.Mesh) -> None:
        self.a, self.b = a, b

    def collide(self, pose: np.ndarray) -> bool:
        return ex.collide(self.a, self.b, pose)

    def distance(self, pose: np.ndarray) -> float:
        return ex.distance(self.a, self.b, pose).value

    def separate(self, pose: np.ndarray) -> np.ndarray:
        found = ex.penetration(self.a, self.b, pose)
        return np.zeros(3) if found is None else found.translation


class Coal:
    name = "coal"

    def __init__(self, a: ex.Mesh, b: ex.Mesh) -> None:
        import coal

        self.coal, self.shapes = coal, [self.tree(coal, mesh) for mesh in (a, b)]
        self.there = coal.Transform3s()

    @staticmethod
    def tree(coal, mesh: ex.Mesh):
        tree = coal.BVHModelOBBRSS()
        vertices, faces = np.array(mesh.vertices), np.array(mesh.faces, dtype=np.int64)
        tree.beginModel(len(faces), len(vertices))
        tree.addVertices(vertices)
        tree.addTriangles(faces)
        tree.endModel()
        return tree

    def at(self, pose: np.ndarray):
        return self.coal.Transform3s(pose[:3, :3], pose[:3, 3])

    def contacts(self, pose: np.ndarray, most: int):
        request, result = self.coal.CollisionRequest(), self.coal.CollisionResult()
        request.num_max_contacts = most
        self.coal.collide(self.shapes[0], self.at(pose), self.shapes[1], self.there, request, result)
        return result

    def collide(self, pose: np.ndarray) -> bool:
        return self.contacts(pose, 1).isCollision()

    def distance(self, pose: np.ndarray) -> float:
        request, result = self.coal.DistanceRequest(), self.coal.DistanceResult()
        return max(0.0, self.coal.distance(self.shapes[0], self.at(pose), self.shapes[1], self.there, request, result))

    def separate(self, pose: np.ndarray) -> np.ndarray:
        contacts = self.contacts(pose, 10_000).getContacts()
        if not len(contacts):
            return np.zeros(3)
        deepest = max(contacts, key=lambda contact: abs(contact.penetration_depth))
        return -np.array(deepest.normal) * (abs(deepest.penetration_depth) + CLEARANCE)


class Fcl:
    name = "python-fcl"

    def __init__(self, a: ex.Mesh, b: ex.Mesh) -> None:
        import fcl

        self.fcl = fcl
        self.objects = []
        for mesh in (a, b):
            tree = fcl.BVHModel()
            tree.beginModel(len(mesh.vertices), len(mesh.faces))
            tree.addSubModel(np.array(mesh.vertices), np.array(mesh.faces))
            tree.endModel()
            self.objects.append(fcl.CollisionObject(tree, fcl.Transform()))

    def place(self, pose: np.ndarray):
        self.objects[0].setTransform(self.fcl.Transform(pose[:3, :3], pose[:3, 3]))
        return self.objects

    def collide(self, pose: np.ndarray) -> bool:
        return self.fcl.collide(*self.place(pose), self.fcl.CollisionRequest(), self.fcl.CollisionResult()) > 0

    def distance(self, pose: np.ndarray) -> float:
        return max(0.0, self.fcl.distance(*self.place(pose), self.fcl.DistanceRequest(), self.fcl.DistanceResult()))

    def separate(self, pose: np.ndarray) -> np.ndarray:
        request = self.fcl.CollisionRequest(num_max_contacts=10_000, enable_contact=True)
        result = self.fcl.CollisionResult()
        self.fcl.collide(*self.place(pose), request, result)
        if not result.contacts:
            return np.zeros(3)
        deepest = max(result.contacts, key=lambda contact: contact.penetration_depth)
        return -np.array(deepest.normal) * (deepest.penetration_depth + CLEARANCE)


class Mujoco:
    """Convex hulls: what this library collides where a mesh is given."""

    name = "mujoco"

    def __init__(self, a: ex.Mesh, b: ex.Mesh) -> None:
        import mujoco

        self.mujoco = mujoco
        spec = mujoco.MjSpec()
        for name, mesh in (("a", a), ("b", b)):
            made = spec.add_mesh(name=name)
            made.uservert, made.userface = mesh.vertices.ravel(), mesh.faces.astype(np.int32).ravel()
            body = spec.worldbody.add_body(name=name)
            if name == "a":
                body.add_freejoint()
            body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.witnesses = np.zeros(6)

    def place(self, pose: np.ndarray) -> None:
        quaternion = np.zeros(4)
        self.mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(pose[:3, :3]).ravel())
        self.data.qpos[:3], self.data.qpos[3:] = pose[:3, 3], quaternion
        self.mujoco.mj_kinematics(self.model, self.data)

    def collide(self, pose: np.ndarray) -> bool:
        self.place(pose)
        self.mujoco.mj_collision(self.model, self.data)
        return self.data.ncon > 0

    def distance(self, pose: np.ndarray) -> float:
        self.place(pose)
        return max(0.0, self.mujoco.mj_geomDistance(self.model, self.data, 0, 1, 100.0, self.witnesses))

    def separate(self, pose: np.ndarray) -> np.ndarray:
        self.collide(pose)
        if self.data.ncon == 0:
            return np.zeros(3)
        deepest = min(self.data.contact, key=lambda contact: contact.dist)
        # The normal is that from the first geom, which moves, to the second one.
        sign = -1.0 if deepest.geom[0] == 0 else 1.0
        return sign * np.array(deepest.frame[:3]) * (CLEARANCE - deepest.dist)


def timed(call, poses: np.ndarray) -> tuple[list, float]:
    """The answers, and the median time of a call [s]."""
    answers, times = [], []
    for pose in poses:
        start = time.perf_counter()
        answers.append(call(pose))
        times.append(time.perf_counter() - start)
    return answers, float(np.median(times))


def meshes(count: int) -> None:
    """Collide, distance and separate of a spoon and a cup."""
    a, b = (ex.Mesh.load(ROOT / f"assets/meshes/{name}.obj") for name in ("spoon", "cup"))
    poses = poses_of(count, 0.8 * (a.bounding_radius + b.bounding_radius))
    truth = ex.distance(a, b, poses).value
    colliding = truth == 0
    print(f"\nspoon ({len(a.faces)} triangles) and cup ({len(b.faces)}), {count} poses, {colliding.sum()} collide\n")
    print("| library | collide [µs] | wrong | distance [µs] | wrong | separate [µs] | still colliding |")
    print("|---|---|---|---|---|---|---|")
    for library in (Extricate, Coal, Fcl, Mujoco):
        try:
            own = library(a, b)
        except ImportError:
            print(f"| {library.name} | not installed | | | | | |")
            continue
        found, of_collide = timed(own.collide, poses)
        wrong = int((np.array(found) != colliding).sum())
        apart = poses[~colliding]
        distances, of_distance = timed(own.distance, apart)
        far = int((np.abs(np.array(distances) - truth[~colliding]) > 1e-6).sum())
        moves, of_separate = timed(own.separate, poses[colliding])
        after = poses[colliding].copy()
        after[:, :3, 3] += np.array(moves)
        left = int(ex.collide(a, b, after).sum())
        columns = [f"{1e6 * of_collide:.1f}", f"{wrong} of {count}", f"{1e6 * of_distance:.1f}", f"{far} of {len(apart)}"]
        columns += [f"{1e6 * of_separate:.0f}", f"{left} of {colliding.sum()}"]
        print(f"| {library.name} | {' | '.join(columns)} |")


def repairs(count: int) -> None:
    """Configurations of an arm in a table: repaired, and pushed along the deepest contact by pinocchio with coal."""
    path = ROOT / "assets/robots/arm.urdf"
    arm = ex.Robot.load(path)
    table = np.eye(4)
    table[:3, 3] = [0.75, 0, 0.3]
    cell = ex.Workcell(arm, {"table": (ex.Shape.box([1, 1, 0.6]), table)})
    lower, upper = np.clip(arm.limits, -1.5, 1.5).T
    q = np.random.default_rng(1).uniform(lower, upper, (4 * count, len(lower)))
    q = q[cell.collides(q)][:count]
    limits = arm.limits
    print(f"\n{len(q)} configurations of an arm in a table\n\n| library | repair [ms] | not repaired |\n|---|---|---|")

    def report(name: str, found: np.ndarray, seconds: float) -> None:
        kept = ((found >= limits[:, 0] - 1e-9) & (found <= limits[:, 1] + 1e-9)).all(axis=1)
        free = ~np.array([cell.collides(one) if np.isfinite(one).all() else True for one in found])
        print(f"| {name} | {1e3 * seconds:.2f} | {(~(kept & free)).sum()} of {len(q)} |")

    for effort in ("fast", "best"):

        def repaired(one: np.ndarray, effort: str = effort) -> np.ndarray:
            try:
                return cell.repair(one, effort=effort).q
            except ex.RepairNotFoundError:
                return np.full_like(one, np.nan)

        found, seconds = timed(repaired, q)
        report(f"extricate, {effort}", np.array(found), seconds)
    try:
        import coal
        import pinocchio as pin
    except ImportError:
        print("| pinocchio with coal | not installed | |")
        return
    model = pin.buildModelFromUrdf(str(path))
    geometry = pin.buildGeomFromUrdf(model, str(path), pin.GeometryType.COLLISION, package_dirs=str(path.parent))
    box = pin.GeometryObject("table", 0, pin.SE3(np.eye(3), table[:3, 3]), coal.Box(1, 1, 0.6))
    index = geometry.addGeometryObject(box)
    for other in range(index):
        geometry.addCollisionPair(pin.CollisionPair(other, index))
    data, of_geometry = model.createData(), pin.GeometryData(geometry)
    for request in of_geometry.collisionRequests:
        request.enable_contact, request.num_max_contacts = True, 100
    names = [name for name in model.names if name in arm.joint_names]
    # Joints that mimic another one are free in this model, and stay at zero.
    own = [model.joints[model.getJointId(name)].idx_q for name in names]

    def pushed(one: np.ndarray) -> np.ndarray:
        q = pin.neutral(model)
        q[own] = arm.to_order(names, one)
        for _ in range(200):
            pin.computeCollisions(model, data, geometry, of_geometry, q, False)
            pin.computeJointJacobians(model, data, q)
            row = None
            for pair, result in zip(geometry.collisionPairs, of_geometry.collisionResults, strict=True):
                for contact in result.getContacts():
                    if row is None or contact.penetration_depth < row[0]:
                        row = (contact.penetration_depth, pair, contact)
            if row is None:
                break
            depth, pair, contact = row
            joint = geometry.geometryObjects[pair.first].parentJoint
            jacobian = pin.getJointJacobian(model, data, joint, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
            lever = np.array(contact.pos) - data.oMi[joint].translation
            push = -np.array(contact.normal) @ (jacobian[:3] - pin.skew(lever) @ jacobian[3:])
            size = push @ push
            if size < 1e-12:
                break
            q = pin.integrate(model, q, push * (abs(depth) + 1e-4) / size)
            q = np.clip(q, model.lowerPositionLimit, model.upperPositionLimit)
        return arm.from_order(names, q[own]) if np.isfinite(q).all() else np.full_like(one, np.nan)

    found, seconds = timed(pushed, q)
    report("pinocchio with coal, pushed", np.array(found), seconds)


def overheads() -> None:
    """Cost of a call that is proved apart, and of an item of a batch, over the query itself."""
    ball, pose = ex.Shape.sphere(1), np.eye(4)
    pose[0, 3] = 10
    poses = np.tile(pose, (10_000, 1, 1))
    calls = {
        "collide, proved apart": lambda: ex.collide(ball, ball, pose),
        "penetration, proved apart": lambda: ex.penetration(ball, ball, pose),
        "distance": lambda: ex.distance(ball, ball, pose),
    }
    print("\n| call | [µs] |\n|---|---|")
    for name, call in calls.items():
        best = min(loop(call, 20_000) for _ in range(7))
        print(f"| {name} | {1e6 * best:.2f} |")
    for name, function in {"collide": ex.collide, "penetration": ex.penetration}.items():
        best = min(loop(lambda: function(ball, ball, poses, threads=1), 10) for _ in range(7)) / len(poses)
        print(f"| {name}, an item of 10 000, one thread | {1e6 * best:.3f} |")


def loop(call, times: int) -> float:
    """Mean time of a call [s]."""
    start = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - start) / times


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--poses", type=int, default=300)
    count = parser.parse_args().poses
    overheads()
    meshes(count)
    repairs(max(1, count // 5))


if __name__ == "__main__":
    main()
