"""A real local cluster, in a network namespace of its own with the loopback interface only."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap

import pytest

SCRIPT = """
import os, signal, sys, tempfile
import numpy as np, ray
import extricate as ex, extricate.ray
root, folder = sys.argv[1:]
ray.init(num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1", log_to_driver=False,
         object_store_memory=200_000_000, _temp_dir=folder + "/ray", configure_logging=False)
ray.data.DataContext.get_current().enable_progress_bars = False
arm = ex.Robot.load(root + "/assets/robots/arm.urdf")
at = np.eye(4); at[:3, 3] = [0.75, 0, 0.3]
obstacles = {"table": (ex.Shape.box([1, 1, 0.6]), at)}
q = np.random.default_rng(0).uniform(-1.5, 1.5, (400, len(arm.joint_names)))
q[7] = np.nan
plain = ex.Workcell(arm, obstacles).repair_batch(q)
rows = ray.data.from_items([{"id": i, "q": row} for i, row in enumerate(q)], override_num_blocks=8)
found = extricate.ray.repair_dataset(rows, arm, obstacles, concurrency=2, batch_size=50).take_all()
found.sort(key=lambda row: row["id"])
assert [row["id"] for row in found] == list(range(400))
assert np.array([row["q"] for row in found]).tobytes() == plain.q.tobytes()
assert [row["status"] for row in found] == plain.status.tolist() and "not finite" in found[7]["error"]
print("repairs equal")

cup, ball = ex.Mesh.load(root + "/assets/meshes/cup.obj"), ex.Shape.sphere(0.1)
poses = np.tile(np.eye(4), (60, 1, 1)); poses[:, 0, 3] = np.linspace(0, 1, 60)
items = [{"id": i, "pose_a": pose.ravel(), "seed": i % 2} for i, pose in enumerate(poses)]
data = ray.data.from_items(items, override_num_blocks=4)
labels = sorted(extricate.ray.penetration_dataset(data, ball, cup, concurrency=1).take_all(), key=lambda row: row["id"])
assert [row["depth"] for row in labels] == ex.penetration_batch(ball, cup, poses).depth.tolist()
print("labels equal")

scenes = ray.data.from_items([{"id": 0, "scene": root + "/scenes/rigid/box_stack.ron", "time": 0.05},
                              {"id": 1, "scene": "missing.ron", "time": 0.05}])
runs = sorted(extricate.ray.simulate_dataset(scenes).take_all(), key=lambda row: row["id"])
assert runs[0]["hash"] == ex.run(root + "/scenes/rigid/box_stack.ron", time=0.05).hash and runs[1]["status"] == -1
print("runs equal")

rows.write_parquet(folder + "/in")
inputs = sorted(folder + "/in/" + name for name in os.listdir(folder + "/in"))
fix = lambda data: extricate.ray.repair_dataset(data, arm, obstacles, concurrency=1)
assert len(extricate.ray.write_partitions(inputs[:1], folder + "/out", fix)) == 1
assert len(extricate.ray.write_partitions(inputs[:2], folder + "/out", fix)) == 1
print("resumed")
"""

KILLED = """
import os, sys, time
import numpy as np, ray
import extricate as ex, extricate.ray
root, folder = sys.argv[1:]
ray.init(num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1", log_to_driver=False,
         object_store_memory=200_000_000, _temp_dir=folder + "/ray", configure_logging=False)
ray.data.DataContext.get_current().enable_progress_bars = False

class Dies(extricate.ray._Penetrations):
    def __call__(self, rows):
        if not os.path.exists(folder + "/died"):
            open(folder + "/died", "w").close()
            os._exit(1)
        return super().__call__(rows)

cup, ball = ex.Mesh.load(root + "/assets/meshes/cup.obj"), ex.Shape.sphere(0.1)
poses = np.tile(np.eye(4), (60, 1, 1)); poses[:, 0, 3] = np.linspace(0, 1, 60)
data = ray.data.from_items([{"id": i, "pose_a": pose.ravel()} for i, pose in enumerate(poses)], override_num_blocks=4)
extricate.ray._Penetrations = Dies
found = extricate.ray.penetration_dataset(data, ball, cup, concurrency=1, batch_size=10).take_all()
assert sorted(row["id"] for row in found) == list(range(60)) and os.path.exists(folder + "/died")
print("answered by another")
"""


@pytest.mark.parametrize(("script", "expected"), [(SCRIPT, "resumed"), (KILLED, "answered by another")], ids=["answers", "killed"])
def test_a_local_cluster_answers_as_a_plain_batch(script: str, expected: str) -> None:
    if importlib.util.find_spec("ray") is None:
        pytest.skip("Ray is not installed: pip install extricate[ray]")
    isolated = ["unshare", "-n", "--map-root-user", "sh", "-c"]
    if shutil.which("unshare") is None or subprocess.run([*isolated, "ip link set lo up || ifconfig lo up"], capture_output=True).returncode:
        pytest.skip("a network namespace with the loopback interface cannot be made here")
    # Ray's sockets need a short path.
    folder = tempfile.mkdtemp(prefix="ray")
    command = '(ip link set lo up || ifconfig lo up) && exec "$0" -c "$1" "$2" "$3"'
    try:
        done = subprocess.run(
            [*isolated, command, sys.executable, textwrap.dedent(script), os.getcwd(), folder],
            capture_output=True,
            text=True,
            timeout=150,
            env={**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "PYTHONWARNINGS": "ignore"},
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    assert expected in done.stdout
