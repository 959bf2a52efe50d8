"""Repair the start states of a planner, then plan from each of them."""

import numpy as np

import extricate as ex

arm = ex.Robot.load("assets/robots/arm.urdf")
table = np.eye(4)
table[:3, 3] = [0.75, 0, 0.3]
cell = ex.Workcell(arm, {"table": (ex.Shape.box([1, 1, 0.6]), table)})

goal = arm.configuration({})
lower, upper = np.clip(arm.limits, -1.5, 1.5).T
starts = np.random.default_rng(0).uniform(lower, upper, (8, len(lower)))
repaired = cell.repair_batch(starts, clearance=0.005)
for index, status in enumerate(repaired.status):
    if status < 0:
        print(f"start {index}: {repaired.errors[index]}")
        continue
    try:
        path = cell.plan(repaired.q[index], goal, max_samples=300)
    except (ValueError, ex.ExtricateError) as error:
        print(f"start {index}: {error}")
    else:
        print(f"start {index}: moved {repaired.depth[index]:.4f} m, then a path of {len(path.q)} configurations")
