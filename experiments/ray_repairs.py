#!/usr/bin/env python3
"""Repairs on a local cluster of Ray beside the plain batch: overhead, equal answers, and a worker that is killed on the way.

    pip install './python[ray,arrow]' && python experiments/ray_repairs.py [--rows N] [--workers W]

Random configurations of `assets/robots/arm.urdf` at a table, all of which collide. In one run: the plain batch with as
many threads as workers, then Ray with as many workers, each twice in turn, of which the faster one counts; then Ray once more, with one
of its workers killed. The answers are compared after sorting by `id`, bit by bit. Where the system permits, Ray runs in a network
namespace with the loopback interface only, because it listens on all interfaces otherwise.
"""

from __future__ import annotations

import argparse
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

import extricate as ex

ROOT = Path(__file__).resolve().parent.parent
INSIDE = "EXTRICATE_IN_NAMESPACE"


def isolated() -> None:
    """Start this script again in a network namespace, where that is possible."""
    command = ["unshare", "-n", "--map-root-user", "sh", "-c"]
    up = "ip link set lo up || ifconfig lo up"
    if os.environ.get(INSIDE) or shutil.which("unshare") is None:
        return
    if subprocess.run([*command, up], capture_output=True).returncode == 0:
        os.environ[INSIDE] = "1"
        os.execvp("unshare", [*command, f'({up}) && exec "$0" "$@"', sys.executable, *sys.argv])
    print("a network namespace cannot be made: Ray listens on all interfaces", file=sys.stderr)


def work_cell() -> tuple[ex.Robot, dict[str, tuple[ex.Shape, np.ndarray]]]:
    at = np.eye(4)
    at[:3, 3] = [0.75, 0, 0.3]
    return ex.Robot.load(ROOT / "assets/robots/arm.urdf"), {"table": (ex.Shape.box([1, 1, 0.6]), at)}


def kill_one(folder: str) -> None:
    """Kill the first worker that has answered a batch."""
    while not (pids := os.listdir(folder)):
        time.sleep(0.05)
    time.sleep(1)
    os.kill(int(pids[0]), signal.SIGKILL)


def on_ray(starts: np.ndarray, workers: int, batch: int, killed: bool) -> tuple[float, dict[str, np.ndarray]]:
    """Repair on Ray; returns the wall-clock time [s] and the columns, sorted."""
    import ray

    import extricate.ray

    arm, obstacles = work_cell()
    import pandas

    blocks = np.array_split(np.arange(len(starts)), max(4 * workers, len(starts) // 5000))
    rows = ray.data.from_pandas([pandas.DataFrame({"id": ids, "q": list(starts[ids])}) for ids in blocks])
    with tempfile.TemporaryDirectory() as folder:

        class Marked(extricate.ray._Repairs):
            """A worker that states its process, so that it can be killed."""

            def __call__(self, columns: extricate.ray.Rows) -> extricate.ray.Rows:
                found = super().__call__(columns)
                open(os.path.join(folder, str(os.getpid())), "w").close()
                return found

        kept = extricate.ray._Repairs
        if killed:
            extricate.ray._Repairs = Marked
            threading.Thread(target=kill_one, args=(folder,), daemon=True).start()
        start = time.perf_counter()
        found = extricate.ray.repair_dataset(rows, arm, obstacles, concurrency=workers, batch_size=batch)
        tables = [ray.get(reference) for reference in found.to_arrow_refs()]
        elapsed = time.perf_counter() - start
        extricate.ray._Repairs = kept
        if killed:
            print(f"  {len(os.listdir(folder))} processes have answered, one of which was killed")
    import pyarrow as pa

    table = pa.concat_tables([table for table in tables if table.num_rows > 0]).combine_chunks().sort_by("id")
    q = np.array(table["q"].to_pylist(), dtype=float)
    return elapsed, {"id": table["id"].to_numpy(), "q": q, "status": table["status"].to_numpy()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--batch", type=int, default=256)
    given = parser.parse_args()
    isolated()
    os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0")
    import ray

    arm, obstacles = work_cell()
    lower, upper = np.clip(arm.limits, -1.5, 1.5).T
    cell = ex.Workcell(arm, obstacles)
    random, starts = np.random.default_rng(0), np.zeros((0, len(lower)))
    while len(starts) < given.rows:
        drawn = random.uniform(lower, upper, (given.rows, len(lower)))
        starts = np.concatenate([starts, drawn[cell.collides(drawn)]])
    starts = starts[: given.rows]
    folder = tempfile.mkdtemp(prefix="ray")
    # The cluster has a processor more than workers, for its readers.
    ray.init(num_cpus=given.workers + 1, include_dashboard=False, _node_ip_address="127.0.0.1", log_to_driver=False, _temp_dir=folder)
    ray.data.DataContext.get_current().enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    plain, spread = [], []
    try:
        for _ in range(2):
            start = time.perf_counter()
            expected = cell.repair_batch(starts, threads=given.workers)
            plain.append(time.perf_counter() - start)
            elapsed, found = on_ray(starts, given.workers, given.batch, killed=False)
            spread.append(elapsed)
            check(expected, found)
        killed, found = on_ray(starts, given.workers, given.batch, killed=True)
        check(expected, found)
    finally:
        ray.shutdown()
        shutil.rmtree(folder, ignore_errors=True)
    counts = {name: int((expected.status == status).sum()) for name, status in (("free", 0), ("repaired", 1), ("failed", -1))}
    print(f"{given.rows} rows: {counts}; {given.workers} workers, batches of {given.batch}")
    print("| | time [s] | a row [ms] | to the plain batch |\n|---|---|---|---|")
    for name, seconds in (("plain batch", min(plain)), ("Ray", min(spread)), ("Ray, a worker killed", killed)):
        print(f"| {name} | {seconds:.1f} | {1e3 * seconds / given.rows:.3f} | {seconds / min(plain):.3f} |")
    print(f"all times: plain {[round(x, 1) for x in plain]}, Ray {[round(x, 1) for x in spread]}")


def check(expected: ex.RepairBatch, found: dict[str, np.ndarray]) -> None:
    """Compare answers, bit by bit."""
    assert (found["id"] == np.arange(len(expected))).all(), "rows are missing or repeated"
    assert found["q"].tobytes() == expected.q.tobytes() and (found["status"] == expected.status).all(), "answers differ"


if __name__ == "__main__":
    main()
