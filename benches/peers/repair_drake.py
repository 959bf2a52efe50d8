"""Pose repair beside Drake's inverse kinematics: the same robots, obstacles and colliding configurations, same measure.

    python3 -m venv peers && peers/bin/pip install drake numpy
    cargo build --release
    peers/bin/python benches/peers/repair_drake.py --data DATA

DATA holds `articulated/{puma,hand,figure}.json`, with configurations and the best repair known of each, and the models
that they name. Geometry is the convex hulls of the links' collision meshes and the convex pieces of the obstacle: all
that Drake's signed distances take.

Drake minimises, from the colliding configuration, either the object norm (`norm`: the sum of H times the squared change
of each joint, H as in DATA) or the plain squared change of the joints (`joints`), subject to the joint limits and to
a least distance of all pairs (`InverseKinematics.AddMinimumDistanceLowerBoundConstraint`), by SNOPT. With
`--restarts K` a configuration that failed is tried K times more from starts nearby, all of which count as time.

A repair counts when Drake's own geometry query finds no pair deeper than --slack and no joint beyond its limit: our
answers are judged by the same query. `ratio` is the length of the change, the square root of
sigma = (1/V) sum H X^2, X = 2 sin(dq/2) of a revolute joint, over that of the best repair known; of failures there is none.
Ours are the times that `extricate repair` tells, one configuration after another on --threads; Drake's are taken around
the solver and run on one thread. `checked` is what `extricate repair` says of Drake's answers: the number it finds free.
"""

import argparse
import importlib.metadata
import json
import math
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import time

try:
    import numpy as np
    from pydrake.all import (
        AddMultibodyPlantSceneGraph,
        CollisionFilterDeclaration,
        Convex,
        CoulombFriction,
        DiagramBuilder,
        GeometrySet,
        InverseKinematics,
        Parser,
        RigidTransform,
        RotationMatrix,
        SnoptSolver,
        SolverOptions,
    )
except ImportError as missing:
    sys.exit(f"Drake is not to be had here ({missing}); `pip install drake numpy` gets it")

SETS = ["puma", "hand", "figure"]
# How far beyond its least distance a pair still counts for Drake's constraint [m]; its default is 0.01.
INFLUENCE = 0.02
# Size of the changes of joints that restarts try [rad or m], times one to K.
SPREAD = 0.1


class Robot:
    """A robot in Drake, beside an obstacle of convex pieces."""

    def __init__(self, urdf, base, pieces, excluded, folder):
        builder = DiagramBuilder()
        self.plant, self.scene = AddMultibodyPlantSceneGraph(builder, time_step=0.0)
        parser = Parser(self.plant)
        # `world` is Drake's own name.
        text = urdf.read_text().replace('"world"', '"root"')
        text = re.sub(r'filename="(?!/)([^"]*)"', lambda found: f'filename="{urdf.parent / found[1]}"', text)
        copy = folder / f"{urdf.stem}.urdf"
        copy.write_text(text)
        (self.model,) = parser.AddModels(str(copy))
        root = self.plant.GetBodyByName("root", self.model)
        rotation = RotationMatrix(np.reshape(base["rotation"], (3, 3)))
        pose = RigidTransform(rotation, base["translation"])
        self.plant.WeldFrames(self.plant.world_frame(), root.body_frame(), pose)
        for i, piece in enumerate(pieces):
            friction = CoulombFriction(1.0, 1.0)
            self.plant.RegisterCollisionGeometry(
                self.plant.world_body(), RigidTransform(), Convex(str(piece)), f"piece{i}", friction
            )
        self.plant.Finalize()
        manager = self.scene.collision_filter_manager()
        for first, second, _ in excluded:
            both = [
                GeometrySet(self.plant.GetCollisionGeometriesForBody(self.plant.GetBodyByName(name)))
                for name in (first, second)
            ]
            manager.Apply(CollisionFilterDeclaration().ExcludeBetween(*both))
        self.diagram = builder.Build()
        self.context = self.diagram.CreateDefaultContext()
        self.plant_context = self.plant.GetMyContextFromRoot(self.context)
        self.scene_context = self.scene.GetMyContextFromRoot(self.context)
        self.lower = self.plant.GetPositionLowerLimits()
        self.upper = self.plant.GetPositionUpperLimits()

    def places(self, joints):
        """Where each of the named joints stands in Drake's configuration."""
        return [self.plant.GetJointByName(name).position_start() for name in joints]

    def least_distance(self, q):
        self.plant.SetPositions(self.plant_context, q)
        query = self.scene.get_query_output_port().Eval(self.scene_context)
        pairs = query.ComputeSignedDistancePairwiseClosestPoints(INFLUENCE)
        return min((pair.distance for pair in pairs), default=INFLUENCE)

    def is_repaired(self, q, slack):
        within = np.all(q >= self.lower - 1e-9) and np.all(q <= self.upper + 1e-9)
        return bool(within and self.least_distance(q) >= -slack)

    def repair(self, q0, costs, starts, options):
        """The nearest configuration that SNOPT finds, from the first start that leads to one, and the time."""
        began = time.perf_counter()
        self.plant.SetPositions(self.plant_context, q0)
        ik = InverseKinematics(self.plant, self.plant_context, with_joint_limits=True)
        q, program = ik.q(), ik.prog()
        program.AddQuadraticErrorCost(np.diag(costs), q0, q)
        ik.AddMinimumDistanceLowerBoundConstraint(options.distance, INFLUENCE)
        settings = SolverOptions()
        settings.SetOption(SnoptSolver.id(), "Major iterations limit", options.iterations)
        found = None
        for start in starts:
            try:
                result = SnoptSolver().Solve(program, start, settings)
            except RuntimeError as error:
                # Drake's queries give up on some deep pairs.
                print(f"  Drake: {str(error).splitlines()[0][:100]}", file=sys.stderr)
                continue
            found = result.GetSolution(q)
            if self.is_repaired(found, options.slack):
                break
        return found, 1e3 * (time.perf_counter() - began)


def split_pieces(path, folder):
    """Each object of an OBJ file in a file of its own."""
    vertices, pieces = [], []
    for line in path.read_text().splitlines():
        words = line.split()
        if words[:1] == ["o"]:
            pieces.append(([], len(vertices)))
        elif words[:1] == ["v"]:
            vertices.append(line)
        elif words[:1] == ["f"]:
            pieces[-1][0].append([int(word.split("/")[0]) for word in words[1:]])
    files = []
    for i, (faces, _) in enumerate(pieces):
        used = sorted({index for face in faces for index in face})
        place = {index: at + 1 for at, index in enumerate(used)}
        lines = [vertices[index - 1] for index in used]
        lines += ["f " + " ".join(str(place[index]) for index in face) for face in faces]
        files.append(folder / f"{path.stem}_{i}.obj")
        files[-1].write_text("\n".join(lines) + "\n")
    return files


def sigma(case, joints, found):
    """Mean squared displacement [m^2] in the measure of the data."""
    total = 0.0
    for name, (kind, h) in zip(joints, case["weights"]):
        change = found[name] - case["joints"][name]
        x = change if kind == "P" else 2.0 * math.sin(0.5 * change)
        total += h * x * x
    return total / case["V"]


def ask_ours(options, robot, case_lines, obstacle, effort, excluded):
    """The answers of `extricate repair` to lines that have nothing to do with one another."""
    command = [options.extricate, "repair", "--robot", str(robot), "--obstacle", str(obstacle)]
    command += ["--effort", effort, "--independent", "--json", "--threads", str(options.threads)]
    command += [f"--allow={first},{second}" for first, second, _ in excluded]
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.write("\n".join(json.dumps(line) for line in case_lines) + "\n")
        file.flush()
        done = subprocess.run([*command, "--joints", file.name], capture_output=True, text=True)
    # 6 tells that some line was not repaired.
    if done.returncode not in (0, 6):
        sys.exit(f"extricate repair failed: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def row(label, ratios, times, count, note=""):
    cells = f"{label:<34} {len(ratios):3d}/{count:<3d}"
    if ratios:
        cells += f" {np.median(ratios):8.3f} {max(ratios):8.2f}"
    else:
        cells += f" {'–':>8} {'–':>8}"
    print(f"{cells} {np.median(times):10.2f} {max(times):10.2f}{note}", flush=True)


def grouped(cases):
    """Cases by obstacle, in order."""
    groups = {}
    for case in cases:
        groups.setdefault(case["obstacle"], []).append(case)
    return groups


def measure(name, options, folder):
    data = json.loads((options.data / "articulated" / f"{name}.json").read_text())
    urdf, joints = (options.data / data["robot"]).resolve(), data["dofs"]
    print(f"\n{name}: {data['robot']}, {len(data['configs'])} configurations, {len(joints)} joints")
    for label, self_colliding in (("", False), (" self-colliding", True)):
        cases = [case for case in data["configs"] if bool(case.get("self_collision_at_q0")) == self_colliding]
        if cases:
            of_cases(name + label, cases, data, urdf, options, folder)


def of_cases(label, cases, data, urdf, options, folder):
    joints, excluded = data["dofs"], data["excluded_pairs"]
    robots = {}
    for case in cases:
        pieces = split_pieces(options.data / case["obstacle"], folder)
        robots[case["id"]] = Robot(urdf, case["base"], pieces, excluded, folder)
    for kind in options.costs.split(","):
        ratios, times, answers = [], [], []
        for case in cases:
            robot = robots[case["id"]]
            places = robot.places(joints)
            q0, costs = np.zeros(len(places)), np.ones(len(places))
            for place, name, (_, h) in zip(places, joints, case["weights"]):
                q0[place] = case["joints"][name]
                costs[place] = h if kind == "norm" else 1.0
            costs /= costs.max()
            rng = np.random.default_rng(2014)
            starts = [q0] + [
                np.clip(q0 + SPREAD * (k + 1) * rng.normal(size=len(q0)), robot.lower, robot.upper)
                for k in range(options.restarts)
            ]
            q, took = robot.repair(q0, costs, starts, options)
            times.append(took)
            if q is not None and robot.is_repaired(q, options.slack):
                found = {name: q[place] for place, name in zip(places, joints)}
                ratios.append(math.sqrt(sigma(case, joints, found)) / math.sqrt(case["sigma_best"]))
                answers.append((case, found))
        note = "" if options.no_ours else f"   checked {checked(answers, urdf, excluded, options)}"
        row(f"{label}: Drake, {kind}", ratios, times, len(cases), note)
    if options.no_ours:
        return
    for effort in ("fast", "best"):
        ratios, times = [], []
        for obstacle, group in grouped(cases).items():
            lines = [{"joints": case["joints"], "base": case["base"]} for case in group]
            for case, answer in zip(group, ask_ours(options, urdf, lines, options.data / obstacle, effort, excluded)):
                times.append(answer["time_ms"])
                robot = robots[case["id"]]
                q = np.zeros(len(joints))
                for place, name in zip(robot.places(joints), joints):
                    q[place] = answer["joints"][name]
                if answer["verified_free"] and robot.is_repaired(q, options.slack):
                    ratios.append(math.sqrt(sigma(case, joints, answer["joints"]) / case["sigma_best"]))
        row(f"{label}: extricate, {effort}", ratios, times, len(cases))


def checked(answers, urdf, excluded, options):
    """How many of Drake's answers `extricate repair` finds free already."""
    free = 0
    by_obstacle = grouped([case for case, _ in answers])
    found = {case["id"]: joints for case, joints in answers}
    for obstacle, group in by_obstacle.items():
        lines = [{"joints": {k: float(v) for k, v in found[case["id"]].items()}, "base": case["base"]} for case in group]
        replies = ask_ours(options, urdf, lines, options.data / obstacle, "fast", excluded)
        free += sum(reply["status"] == "already-free" for reply in replies)
    return free


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("../shared/data"), help="folder of the ground truth")
    parser.add_argument("--extricate", default="target/release/extricate", help="the program to measure")
    parser.add_argument("--no-ours", action="store_true", help="measure Drake alone")
    parser.add_argument("--sets", default=",".join(SETS), help="which of the sets")
    parser.add_argument("--costs", default="norm,joints", help="which of Drake's costs")
    parser.add_argument("--restarts", type=int, default=5, help="further starts after a failure")
    parser.add_argument("--distance", type=float, default=1e-5, help="least distance asked of Drake [m]")
    parser.add_argument("--slack", type=float, default=1e-6, help="depth that still counts as free [m]")
    parser.add_argument("--iterations", type=int, default=1000, help="major iterations of SNOPT")
    parser.add_argument("--threads", type=int, default=1, help="threads of ours")
    options = parser.parse_args()
    if not (options.data / "articulated").is_dir():
        sys.exit(f"{options.data} has no folder `articulated`: give the ground truth with --data")
    print(f"drake {importlib.metadata.version('drake')}, python {platform.python_version()}, {options.restarts} restarts")
    print(f"{'':<34} {'freed':>7} {'median':>8} {'worst':>8} {'median ms':>10} {'worst ms':>10}")
    with tempfile.TemporaryDirectory() as temporary:
        for name in options.sets.split(","):
            measure(name, options, pathlib.Path(temporary))


if __name__ == "__main__":
    main()
