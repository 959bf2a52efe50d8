"""Processes, threads, pickles, Ctrl-C, and a panic on purpose."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import moved

import extricate as ex


def work(mesh: ex.Mesh) -> tuple[list[float], bool, int]:
    poses = np.stack([moved(0.05 * index) for index in range(20)])
    batch = ex.penetration_batch(ex.Shape.sphere(0.2), mesh, poses)
    one = ex.penetration(ex.Shape.sphere(0.2), mesh, moved(0.4), effort="best")
    world = ex.World.load("scenes/rigid/box_stack.ron")
    world.step(3)
    return batch.depth.tolist(), one is not None, world.steps


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_a_process_answers_as_its_parent(method: str, cup: ex.Mesh) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    # The parent has used everything before, so that its threads exist.
    expected = work(cup)
    context = multiprocessing.get_context(method)
    with context.Pool(2) as pool:
        for found in pool.map_async(work, [cup, cup]).get(timeout=60):
            assert found == expected


def test_threads_answer_side_by_side(cup: ex.Mesh) -> None:
    expected = work(cup)
    with ThreadPoolExecutor(4) as pool:
        assert all(found == expected for found in pool.map(work, [cup] * 8))


def test_other_threads_run_during_a_batch(cup: ex.Mesh, spoon: ex.Mesh) -> None:
    ticks, ended = [], threading.Event()

    def tick() -> None:
        while not ended.wait(0.002):
            ticks.append(time.monotonic())

    ticking = threading.Thread(target=tick)
    ticking.start()
    start = time.monotonic()
    ex.penetration_batch(spoon, cup, np.stack([moved(0, 0, 0.001 * index) for index in range(300)]))
    end = time.monotonic()
    ended.set()
    ticking.join()
    during = [start, *(at for at in ticks if start < at < end), end]
    assert max(np.diff(during)) < max(0.5 * (end - start), 0.2)


def test_everything_pickles(cup: ex.Mesh, arm: ex.Robot, cell: ex.Workcell) -> None:
    again = pickle.loads(pickle.dumps(cup))
    assert again.solid and (again.vertices == cup.vertices).all() and (again.faces == cup.faces).all()
    assert type(again) is ex.Mesh and not pickle.loads(pickle.dumps(ex.Mesh(np.eye(3), [[0, 1, 2]]))).solid
    shapes = [ex.Shape.box([1, 2, 3]), ex.Shape.rounded(ex.Shape.cone(1, 2), 0.1), ex.Shape.half_space()]
    shapes += [ex.Shape.hull(np.random.default_rng(0).normal(size=(20, 3))), ex.Shape.capsule(0.1, 1 / 3)]
    for shape in shapes:
        copy = pickle.loads(pickle.dumps(shape))
        assert copy.kind == shape.kind and copy.bounding_radius == shape.bounding_radius
    assert pickle.loads(pickle.dumps(arm)).joint_names == arm.joint_names
    copy = pickle.loads(pickle.dumps(cell))
    q = arm.configuration({"shoulder": 1.2, "elbow": 0.4})
    assert copy.collides(q) and (copy.repair(q).q == cell.repair(q).q).all()
    world = ex.World.load("scenes/rigid/box_stack.ron")
    world.step(4)
    other = pickle.loads(pickle.dumps(world))
    world.step(3)
    other.step(3)
    assert other.hash == world.hash
    field = ex.DistanceField(cup, 0.1)
    points = np.random.default_rng(0).uniform(-1, 1, (50, 3))
    assert (pickle.loads(pickle.dumps(field)).sample(points) == field.sample(points)).all()
    with pytest.raises(ValueError, match="signature"):
        ex.DistanceField._of_bytes(b"damaged")
    found = pickle.loads(pickle.dumps(ex.penetration(ex.Shape.sphere(1), ex.Shape.half_space())))
    assert found.depth == 1.0
    with pytest.raises(ex.FileError) as error:
        ex.Mesh.load("missing.obj")
    assert pickle.loads(pickle.dumps(error.value)).path == "missing.obj"


LONG = {
    "batch": "ex.penetration_batch(a, b, many)",
    "effort": "[ex.penetration(knot, knot, tilted, effort='best') for _ in range(1000)]",
    "field": "ex.DistanceField(knot, 0.004)",
    "run": "ex.run('scenes/rigid/pile_of_150.ron', time=60)",
    "regions": "ex.local_penetrations(a, b, many)",
    "deviations": "ex.hausdorff(knot, a, many, tolerance=1e-6)",
    "scenes": "ex.separate([knot, knot], np.tile(np.stack([np.eye(4), tilted]), (10_000, 1, 1, 1)))",
}


@pytest.mark.skipif(os.name == "nt", reason="signals of another process")
@pytest.mark.parametrize("name", LONG)
def test_ctrl_c_ends_a_long_call(name: str) -> None:
    script = textwrap.dedent(f"""
        import signal, time, numpy as np, extricate as ex
        # A shell that starts the tests in the background ignores the signal, and so do its children.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        knot = ex.Mesh.load("assets/meshes/torus_knot.obj")
        a, b = ex.Mesh.load("assets/meshes/spoon.obj"), ex.Mesh.load("assets/meshes/cup.obj")
        tilted = np.array([[0, -1, 0, 0.1], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], float)
        many = np.tile(np.eye(4), (2_000_000, 1, 1))
        print("ready", flush=True)
        try:
            {LONG[name]}
            print("ended by itself")
        except KeyboardInterrupt:
            print("interrupted", time.time(), flush=True)
        assert ex.penetration_batch(ex.Shape.sphere(1), ex.Shape.sphere(1), np.eye(4)[None]).status[0] == 1
        print("usable")
    """)
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        time.sleep(1.0)
        sent = time.time()
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=60)[0].split()
    finally:
        process.kill()
    assert rest[0] == "interrupted" and rest[2:] == ["usable"], rest
    # The bound is 0.2 s on a machine that is free; a busy one takes longer to schedule.
    assert float(rest[1]) - sent < 1.0


def test_an_exception_of_the_progress_callback_ends_the_batch(cup: ex.Mesh, spoon: ex.Mesh) -> None:
    def refuse(done: int, of: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        ex.penetration_batch(spoon, cup, np.tile(moved(0, 0, 0.2), (2000, 1, 1)), progress=refuse)


def test_a_panic_is_an_exception_wherever_it_happens() -> None:
    from extricate import _native

    for place in ("here", "pool"):
        with pytest.raises(ex.InternalError, match="a panic on purpose"):
            _native._panic(place)
    with pytest.raises(ValueError, match="internal error: a panic on purpose"):
        _native._panic("batch")
    assert ex.collide(ex.Shape.sphere(1), ex.Shape.sphere(1))
