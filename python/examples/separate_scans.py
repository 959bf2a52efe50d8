"""Separate two scanned meshes that overlap: the smallest translation, and the smallest rigid motion."""

import numpy as np

import extricate as ex

cup, spoon = ex.Mesh.load("assets/meshes/cup.obj"), ex.Mesh.load("assets/meshes/spoon.obj")
pose = np.eye(4)
pose[2, 3] = 0.2

found = ex.penetration(spoon, cup, pose, effort="best")
free = pose.copy()
free[:3, 3] += found.translation
print(f"{found.depth:.4f} m deep, at least {found.lower_bound:.4f} m; collides after the move: {ex.collide(spoon, cup, free)}")

rigid = ex.penetration_rigid(spoon, cup, pose)
print(f"with rotation {rigid.depth:.4f} m (root mean square); collides: {ex.collide(spoon, cup, rigid.pose)}")

for region in ex.local_penetrations(spoon, cup, pose):
    print(f"a region {region.depth:.4f} m deep at {region.point.round(3)}")
