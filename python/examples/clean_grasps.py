"""Clean a set of grasps: configurations of a hand that interpenetrate the object it holds."""

import numpy as np

import extricate as ex

hand = ex.Robot.load("assets/robots/hand.urdf")
bottle = ex.Mesh.load("assets/meshes/bottle_small.obj")
at = np.eye(4)
at[:3, 3] = [0.05, 0.05, 0.1]
cell = ex.Workcell(hand, {"bottle": (bottle, at)})

lower, upper = np.clip(hand.limits, -1, 1).T
grasps = np.random.default_rng(0).uniform(lower, upper, (50, len(lower)))
found = cell.repair_batch(grasps)
print(f"{(found.status == 0).sum()} grasps were free, {(found.status == 1).sum()} are repaired, {len(found.errors)} cannot be")

clean = found.q[found.status >= 0]
print(f"of {len(clean)} clean grasps {cell.collides(clean).sum()} collide; median change {np.median(found.depth[found.status == 1]):.4f} m")
