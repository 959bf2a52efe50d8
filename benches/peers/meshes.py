"""Collision and distance of triangle meshes beside coal and FCL: the same meshes, poses and answers, and ratios of time.

    python3 -m venv peers && peers/bin/pip install coal python-fcl numpy
    cargo build --release
    peers/bin/python benches/peers/meshes.py

Five pairs of meshes of at least ten thousand triangles, made by `extricate mesh`. Three sets of poses for each: `random`
(orientations and places at random, overlapping or apart), `near` (random orientations, a hundredth of the size short
of touching) and `coherent` (a smooth motion around a near pose). Ours are the times that `extricate query` tells; the peers'
are taken around the call from Python, which adds up to 0.4 microseconds. Each set is asked --repeats times,
and the least time of every query counts. All run on one thread; coal and FCL use trees of OBB-RSS, their best for distances.

Asked are whether the meshes collide, how far they are apart, and how far to within 1 % (which FCL's binding does not offer).
Ours starts each distance from what the last line left; the peers have nothing like it for meshes.

Exit code 1 tells that answers differ: distances by more than a relative 1e-6 or beyond the tolerance, or whether meshes
collide.
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

try:
    import coal
except ImportError:
    coal = None
try:
    import fcl
except ImportError:
    fcl = None

# Name, kind and parameters.
MESHES = {
    "knot": ("torus_knot", {"segments": 400, "sides": 20}),
    "blob": ("blob", {"frequency": 32}),
    "bumpy": ("bumpy_sphere", {"frequency": 24}),
    "figurine": ("figurine", {"frequency": 28}),
    "cup": ("cup", {"segments": 144, "rings": 40}),
    "boulder": ("blob", {"frequency": 60}),
}
PAIRS = [("knot", "knot"), ("cup", "figurine"), ("blob", "bumpy"), ("knot", "blob"), ("boulder", "boulder")]
# Distances that differ by less than this, relative, are equal.
EQUAL = 1e-6
# Relative tolerance of what is asked only roughly.
TOLERANCE = 0.01
# What is asked, and the arguments of `extricate query`.
QUERIES = {"collide": ["collide"], "distance": ["distance"], "roughly": ["distance", f"--tolerance={100 * TOLERANCE}%"]}


def read_obj(path):
    vertices, triangles = [], []
    for line in path.read_text().splitlines():
        words = line.split()
        if words and words[0] == "v":
            vertices.append([float(x) for x in words[1:4]])
        elif words and words[0] == "f":
            triangles.append([int(word.split("/")[0]) - 1 for word in words[1:4]])
    return np.array(vertices), np.array(triangles, dtype=np.int32)


class Mesh:
    def __init__(self, path):
        self.path = path
        self.vertices, self.triangles = read_obj(path)
        low, high = self.vertices.min(axis=0), self.vertices.max(axis=0)
        self.center = 0.5 * (low + high)
        self.radius = np.linalg.norm(self.vertices - self.center, axis=1).max()


def random_rotation(rng):
    w, x, y, z = (lambda q: q / np.linalg.norm(q))(rng.normal(size=4))
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])


def turned(axis, angle):
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k


def unit(rng):
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def random_poses(rng, a, b, count):
    """Poses of A, B resting: centres up to one and a half times the summed radii apart."""
    for _ in range(count):
        rotation = random_rotation(rng)
        reach = rng.uniform(0.2, 1.5) * (a.radius + b.radius)
        yield rotation, b.center - rotation @ a.center + reach * unit(rng)


def near_pose(rng, a, b, distance):
    """A random pose of A, moved towards B until a hundredth of its radius is left."""
    while True:
        rotation, direction = random_rotation(rng), unit(rng)
        translation = b.center - rotation @ a.center + (a.radius + b.radius) * direction
        for _ in range(200):
            left = distance(rotation, translation) - 0.01 * a.radius
            if abs(left) < 1e-4 * a.radius:
                return rotation, translation
            translation = translation - left * direction
        # It has passed by.


def coherent_poses(rng, a, b, count, distance):
    rotation, translation = near_pose(rng, a, b, distance)
    axis, outward = unit(rng), translation + rotation @ a.center - b.center
    outward /= np.linalg.norm(outward)
    for step in range(count):
        turn = turned(axis, math.radians(0.5 * step))
        away = a.radius * (0.15 - 0.15 * math.cos(0.05 * step))
        arm = turn @ (translation + rotation @ a.center - b.center)
        yield turn @ rotation, b.center + arm - turn @ rotation @ a.center + away * (turn @ outward)


def timed(call):
    start = time.perf_counter_ns()
    found = call()
    return found, 1e-3 * (time.perf_counter_ns() - start)


class Coal:
    name = "coal"

    def __init__(self, a, b):
        self.a, self.b = self.model(a), self.model(b)
        self.rest = coal.Transform3s()
        self.far = coal.DistanceRequest()
        self.far.enable_signed_distance = False
        self.rough = coal.DistanceRequest()
        self.rough.enable_signed_distance = False
        self.rough.rel_err = TOLERANCE
        self.touch = coal.CollisionRequest()
        self.touch.enable_contact = False

    @staticmethod
    def model(mesh):
        model = coal.BVHModelOBBRSS()
        model.beginModel(len(mesh.triangles), len(mesh.vertices))
        model.addVertices(mesh.vertices)
        model.addTriangles(mesh.triangles)
        model.endModel()
        return model

    def distance(self, rotation, translation, request=None):
        pose, result = coal.Transform3s(rotation, translation), coal.DistanceResult()
        request = request or self.far
        return timed(lambda: max(coal.distance(self.a, pose, self.b, self.rest, request, result), 0.0))

    def roughly(self, rotation, translation):
        return self.distance(rotation, translation, self.rough)

    def collide(self, rotation, translation):
        pose, result = coal.Transform3s(rotation, translation), coal.CollisionResult()
        return timed(lambda: coal.collide(self.a, pose, self.b, self.rest, self.touch, result) > 0)


class Fcl:
    name = "fcl"

    def __init__(self, a, b):
        self.models = [self.model(a), self.model(b)]
        self.rest = fcl.CollisionObject(self.models[1], fcl.Transform())

    @staticmethod
    def model(mesh):
        model = fcl.BVHModel()
        model.beginModel(len(mesh.triangles), len(mesh.vertices))
        model.addSubModel(mesh.vertices, mesh.triangles)
        model.endModel()
        return model

    def distance(self, rotation, translation):
        body = fcl.CollisionObject(self.models[0], fcl.Transform(rotation, translation))
        request, result = fcl.DistanceRequest(), fcl.DistanceResult()
        return timed(lambda: max(fcl.distance(body, self.rest, request, result), 0.0))

    def collide(self, rotation, translation):
        body = fcl.CollisionObject(self.models[0], fcl.Transform(rotation, translation))
        request, result = fcl.CollisionRequest(), fcl.CollisionResult()
        return timed(lambda: fcl.collide(body, self.rest, request, result) > 0)


def make_meshes(command, folder):
    meshes = {}
    for name, (kind, parameters) in MESHES.items():
        path = folder / f"{name}.obj"
        if not path.exists():
            options = [f"--{key.replace('_', '-')}={value}" for key, value in parameters.items()]
            subprocess.run([command, "mesh", kind, *options, "--quiet", "-o", path], check=True, stdout=subprocess.DEVNULL)
        meshes[name] = Mesh(path)
    return meshes


def ask_ours(command, query, a, b, poses, repeats):
    """The answers, and the least time of every query: one process asks the whole set again and again."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        for rotation, translation in repeats * poses:
            line = {"a": {"rotation": rotation.ravel().tolist(), "translation": translation.tolist()}}
            file.write(json.dumps(line) + "\n")
        file.flush()
        arguments = [*QUERIES[query], a.path, b.path, "--surface", "--poses", file.name, "--json", "--threads", "1"]
        found = subprocess.run([command, "query", *arguments], check=True, capture_output=True, text=True)
    lines = [json.loads(line) for line in found.stdout.splitlines()]
    answers = [line["collides" if query == "collide" else "distance"] for line in lines[: len(poses)]]
    return answers, np.min(np.reshape([line["time_us"] for line in lines], (repeats, len(poses))), axis=0)


def ask_peer(peer, query, poses, repeats):
    """As `ask_ours`."""
    asked = [getattr(peer, query)(*pose) for pose in repeats * poses]
    answers = [answer for answer, _ in asked[: len(poses)]]
    return answers, np.min(np.reshape([time for _, time in asked], (repeats, len(poses))), axis=0)


def differing(query, ours, theirs):
    """Indices of the answers that are not equal."""
    if query == "collide":
        return [i for i, (x, y) in enumerate(zip(ours, theirs)) if x != y]
    tolerance = EQUAL + (TOLERANCE if query == "roughly" else 0.0)
    return [i for i, (x, y) in enumerate(zip(ours, theirs)) if not abs(x - y) <= tolerance * max(abs(x), abs(y))]


def compare(label, query, poses, repeats, ours, peers):
    """Prints a line of times and ratios; the number of answers that differ."""
    ours, our_times = ours
    line = f"{label:<42} {our_times.mean():9.1f}"
    wrong = 0
    for peer in peers:
        if not hasattr(peer, query):
            continue
        theirs, times = ask_peer(peer, query, poses, repeats)
        bad = differing(query, ours, theirs)
        wrong += len(bad)
        ratios = times / our_times
        line += f" | {times.mean():9.1f} {times.mean() / our_times.mean():7.1f} {np.median(ratios):7.1f}"
        for i in bad[:3]:
            print(f"  {peer.name} differs at pose {i}: {theirs[i]} instead of {ours[i]}")
    print(line, flush=True)
    return wrong


def sets_of_poses(a, b, count, distance):
    rng = np.random.default_rng(2026)
    yield "random", list(random_poses(rng, a, b, count))
    yield "near", [near_pose(rng, a, b, distance) for _ in range(count)]
    yield "coherent", list(coherent_poses(rng, a, b, 4 * count, distance))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--extricate", default="target/release/extricate", help="the program to measure")
    parser.add_argument("--meshes", type=pathlib.Path, help="folder that keeps the meshes")
    parser.add_argument("--poses", type=int, default=25, help="poses of a set; four times as many in motion")
    parser.add_argument("--repeats", type=int, default=3, help="how often each set is asked")
    parser.add_argument("--peers", default="coal,fcl", help="which to ask, of those installed")
    options = parser.parse_args()
    wanted = options.peers.split(",")
    kinds = [kind for kind, module in ((Coal, coal), (Fcl, fcl)) if module and kind.name in wanted]
    if not kinds:
        sys.exit("neither coal nor python-fcl is installed")
    wrong = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.meshes or pathlib.Path(temporary)
        meshes = make_meshes(options.extricate, folder)
        columns = "".join(f" | {kind.name:>9} {'mean':>7} {'median':>7}" for kind in kinds)
        print(f"{'microseconds; ratios of means and median of ratios':<42}      ours{columns}")
        for names in PAIRS:
            a, b = meshes[names[0]], meshes[names[1]]
            peers = [kind(a, b) for kind in kinds]
            sizes = " ".join(f"{name}({len(mesh.triangles)})" for name, mesh in zip(names, (a, b)))
            for name, poses in sets_of_poses(a, b, options.poses, lambda *pose: peers[0].distance(*pose)[0]):
                for query in QUERIES:
                    ours = ask_ours(options.extricate, query, a, b, poses, options.repeats)
                    wrong += compare(f"{sizes} {name} {query}", query, poses, options.repeats, ours, peers)
    print(f"{wrong} answers differ")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
