"""MuJoCo's flex and PyBullet's deformables on the cube of experiments/dropped_cube.rs: milliseconds a step.

    cargo run --release --example dropped_cube -- --export /tmp/cubes
    python3 benches/peers/soft_cube.py /tmp/cubes [steps] [cube_1k]

The mesh, the time step of 5 ms, density, E = 1 MPa and nu = 0.3 are the same; one thread, of which the processor time counts. An engine that is not installed
(pip install mujoco pybullet) is left out. `deepest` is how far the lowest node goes below the floor and `top` the highest node
at the end: they tell whether the engine solved the problem that was timed.
"""

import sys
import time
from pathlib import Path

STEP = 0.005
YOUNG = 1e6
POISSON = 0.3
MASS = 1000.0
MESHES = ["cube_1k", "cube_6k", "cube_24k"]


def rows(path):
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return [line.split()[1:] for line in lines[1:]]


def report(name, tets, engine, times, deepest, top):
    times = sorted(1e3 * t for t in times)
    mean = sum(times) / len(times)
    print(
        f"{name:9} {tets:6} {engine:34} {mean:9.2f} {times[len(times) // 2]:9.2f} {times[-1]:9.2f}"
        f" {deepest:10.5f} {top:8.4f}",
        flush=True,
    )


def mujoco_flex(folder, name, tets, steps, solver, collide):
    import mujoco

    xml = f"""<mujoco><option timestep="{STEP}" solver="{solver}" integrator="discrete"/><size memory="2G"/>
    <worldbody><geom type="plane" size="5 5 1"/>
    <flexcomp name="cube" type="gmsh" file="{folder / name}.msh" mass="{MASS}" dim="3" radius="0.001" pos="0 0 0.5">
    <elasticity young="{YOUNG}" poisson="{POISSON}"/><contact selfcollide="{collide}"/>
    </flexcomp></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    times, deepest = [], 0.0
    for _ in range(steps):
        start = time.process_time()
        mujoco.mj_step(model, data)
        times.append(time.process_time() - start)
        deepest = max(deepest, -data.flexvert_xpos[:, 2].min())
    report(name, tets, f"MuJoCo {mujoco.__version__} {solver}, self {collide}", times, deepest, data.flexvert_xpos[:, 2].max())


def write_vtk(folder, name):
    """PyBullet reads tetrahedra from legacy VTK files."""
    nodes, tets = rows(folder / f"{name}.node"), rows(folder / f"{name}.ele")
    lines = ["# vtk DataFile Version 2.0", name, "ASCII", "DATASET UNSTRUCTURED_GRID"]
    lines += [f"POINTS {len(nodes)} float"] + [" ".join(node[:3]) for node in nodes]
    lines += [f"CELLS {len(tets)} {5 * len(tets)}"] + ["4 " + " ".join(tet[:4]) for tet in tets]
    lines += [f"CELL_TYPES {len(tets)}"] + ["10"] * len(tets)
    path = folder / f"{name}.vtk"
    path.write_text("\n".join(lines) + "\n")
    return path


def pybullet_neo_hookean(folder, name, tets, steps, step):
    import pybullet as engine

    engine.connect(engine.DIRECT)
    engine.resetSimulation(engine.RESET_USE_DEFORMABLE_WORLD)
    engine.setGravity(0, 0, -9.81)
    engine.setTimeStep(step)
    floor = engine.createCollisionShape(engine.GEOM_BOX, halfExtents=[5, 5, 0.5])
    engine.createMultiBody(0, floor, basePosition=[0, 0, -0.5])
    mu = YOUNG / (2 * (1 + POISSON))
    stretch = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON))
    body = engine.loadSoftBody(
        str(write_vtk(folder, name)),
        basePosition=[0, 0, 0.5],
        mass=MASS,
        useNeoHookean=1,
        NeoHookeanMu=mu,
        NeoHookeanLambda=stretch,
        NeoHookeanDamping=0.01,
        useSelfCollision=1,
        collisionMargin=0.006,
        frictionCoeff=0.5,
        repulsionStiffness=1e4,
    )
    times, deepest, top = [], 0.0, 0.0
    for _ in range(steps):
        start = time.process_time()
        engine.stepSimulation()
        times.append(time.process_time() - start)
        heights = [p[2] for p in engine.getMeshData(body, -1, flags=engine.MESH_DATA_SIMULATION_MESH)[1]]
        deepest, top = max(deepest, -min(heights)), max(heights)
    engine.disconnect()
    report(name, tets, f"PyBullet neo-Hookean, dt {1e3 * step:g} ms", times, deepest, top)


def main():
    folder = Path(sys.argv[1])
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    only = sys.argv[3] if len(sys.argv) > 3 else None
    print("mesh        tets engine                               cpu ms    median     worst deepest[m]   top[m]")
    for name in [name for name in MESHES if only in (None, name)]:
        tets = len(rows(folder / f"{name}.ele"))
        runs = [
            (mujoco_flex, ("CG", "none")),
            (mujoco_flex, ("CG", "auto")),
            (mujoco_flex, ("Newton", "none")),
            (pybullet_neo_hookean, (STEP,)),
            (pybullet_neo_hookean, (2 * STEP,)),
        ]
        for run, options in runs:
            try:
                run(folder, name, tets, steps, *options)
            except ImportError as error:
                print(f"{run.__name__}: {error}")
            except Exception as error:  # an engine that refuses the scene is a result too
                print(f"{name:9} {run.__name__}{options}: {error}")


if __name__ == "__main__":
    main()
