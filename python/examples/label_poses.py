"""Label scene poses with their depth and the nearest free pose; on a cluster where Ray is installed (`pip install extricate[ray]`)."""

import numpy as np

import extricate as ex

cup, spoon = ex.Mesh.load("assets/meshes/cup.obj"), ex.Mesh.load("assets/meshes/spoon.obj")
random = np.random.default_rng(0)
poses = np.tile(np.eye(4), (500, 1, 1))
poses[:, :3, 3] = random.uniform(-3, 3, (500, 3))

labels = ex.penetration_batch(spoon, cup, poses)
free = poses.copy()
hit = labels.status == 1
free[hit, :3, 3] += labels.translation[hit]
print(f"{hit.sum()} of {len(poses)} poses collide, up to {labels.depth.max():.4f} m deep")
print(f"{ex.collide(spoon, cup, free).sum()} of the labelled free poses collide")

# The same on many machines: `extricate.ray.penetration_dataset(dataset, "spoon.obj", "cup.obj")`, with columns `id` and `pose_a`.
