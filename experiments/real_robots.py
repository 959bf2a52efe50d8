#!/usr/bin/env python3
"""Real robots in collision: repaired by the program and by random jiggle, judged by Pinocchio with coal; a Markdown table.

    cargo build --release
    pip install pin coal numpy trimesh pillow            (in a virtual environment outside of the repository)
    python experiments/real_robots.py --data ../shared/data/real --write docs/measured.md

The folder holds `robots/expect.jsonl` (robots: `robot`, `urdf`, `packages`, `allowed_pairs`), `robots/starts.jsonl` (starts:
`robot`, `start`, `joints`, `obstacle`, `colliding`) and `check_free.py`, which judges a configuration; its README says how.

A start counts as *repaired* when `extricate repair` with its defaults and the allowed pairs answers `repaired`, and as *accepted*
when Pinocchio and coal with default settings then find no colliding pair and the limits are kept. *Jiggle* is what planners do to
a start in collision (MoveIt, FixStartStateCollision, with its defaults): up to 100 random configurations, each joint within 2 % of its
range around the start, until one is free. *Pairs* are the colliding pairs of the starts: how many of the starts have exactly those
that Pinocchio and coal find, by `query collide --self-collision`. Times are those of the search alone; loading comes on top.

Results are kept, a line a start, in OUT/results.jsonl: a run that was interrupted continues, and --table only prints them. Remove
the file to measure another version of the program. Exit code 1: a start was not repaired, or not accepted.
"""
import argparse, json, os, random, statistics, subprocess, sys, time

JIGGLE_FRACTION, JIGGLE_ATTEMPTS = 0.02, 100


def lines(path):
    with open(path) as file:
        return [json.loads(line) for line in file if line.strip()]


def truth_of(checks, folder, robot):
    truth = checks.Robot(os.path.join(folder, robot["urdf"]), [os.path.join(folder, p) for p in robot["packages"]])
    truth.allowed = {tuple(sorted((a, b))): why for a, b, why in robot["allowed_pairs"]}
    return truth


def options(robot):
    given = [option for folder in robot["packages"] for option in ("--package", folder)]
    return given + [option for a, b, _ in robot["allowed_pairs"] for option in ("--allow", f"{a},{b}")]


def answer(arguments, folder, limit):
    """The last line of JSON of a command, or what went wrong, and its wall-clock time [s]."""
    started = time.time()
    try:
        ended = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return {"status": "time limit"}, limit
    taken, out = time.time() - started, ended.stdout.strip()
    if not out:
        return {"status": "failed", "error": ended.stderr.strip()[-400:]}, taken
    return json.loads(out.splitlines()[-1]), taken


def jiggled(truth, joints, obstacles, seed):
    """The number of attempts after which random jiggle finds a free configuration, or None; and the time [s]."""
    rng, started = random.Random(seed), time.time()
    for attempt in range(1, JIGGLE_ATTEMPTS + 1):
        near = {}
        for name, value in joints.items():
            low, high = truth.limits.get(name, (None, None))
            reach = JIGGLE_FRACTION * (high - low if low is not None else 6.283185307179586)
            value += rng.uniform(-reach, reach)
            near[name] = value if low is None else min(max(value, low), high)
        if not truth.collisions(near, obstacles):
            return attempt, time.time() - started
    return None, time.time() - started


def judged(checks, program, folder, robot, start, limit):
    obstacle = start["obstacle"]
    joints = json.dumps({"joints": start["joints"]})
    common = [robot["urdf"], *options(robot)]
    repair = [program, "--json", "--quiet", "repair", "--joints", joints, "--obstacle", obstacle, "--robot", *common]
    found, wall = answer(repair, folder, limit)
    is_file = not obstacle.startswith("box:")
    obstacles = [checks.obstacle(os.path.join(folder, obstacle) if is_file else obstacle)]
    name = obstacles[0][0]
    truth = truth_of(checks, folder, robot)
    result = {"robot": robot["robot"], "start": start["start"], "status": found["status"], "wall_s": round(wall, 3)}
    for key in ("time_ms", "clearance", "depth", "error"):
        if found.get(key) is not None:
            result[key] = found[key]
    if found["status"] in ("repaired", "already-free"):
        result["still"] = truth.collisions(found["joints"], obstacles)
        result["beyond"] = truth.beyond(found["joints"])
    attempts, taken = jiggled(truth, start["joints"], obstacles, start["start"])
    result["jiggle"], result["jiggle_s"] = attempts, round(taken, 3)
    ask = [program, "--json", "--quiet", "query", "collide", robot["urdf"], obstacle, "--joints", joints, "--self-collision"]
    pairs, _ = answer([*ask, *options(robot)], folder, limit)
    if "links" in pairs:
        ours = {(link, name) for link, _ in pairs["links"]}
        ours |= {tuple(sorted(pair)) for pair in pairs["self_collisions"]}
        theirs = {tuple(pair) if pair[1] == name else tuple(sorted(pair)) for pair in start["colliding"]}
        result["pairs_more"], result["pairs_fewer"] = sorted(ours - theirs), sorted(theirs - ours)
        result["pairs_same"] = len(ours & theirs)
    else:
        result["pairs_error"] = pairs.get("error", pairs["status"])
    return result


def digits(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def table(results):
    robots = {}
    for result in results:
        robots.setdefault(result["robot"], []).append(result)
    accepted = lambda one: "still" in one and not one["still"] and not one["beyond"]
    same = lambda one: "pairs_same" in one and not one["pairs_more"] and not one["pairs_fewer"]

    def row(name, own):
        times = sorted(one["time_ms"] for one in own if "time_ms" in one)
        count = lambda test: sum(1 for one in own if test(one))
        median, worst = (digits(statistics.median(times)), digits(times[-1])) if times else ("", "")
        cells = [name, len(own), count(lambda one: one["status"] == "repaired"), count(accepted),
                 count(lambda one: one["jiggle"] is not None), median, worst, count(same)]
        return "| " + " | ".join(map(str, cells)) + " |"

    head = "| robot | starts | repaired | accepted | by jiggle | median [ms] | worst [ms] | equal pairs |"
    body = [row(name, own) for name, own in robots.items()]
    return "\n".join([head, "|---|" + "---|" * 7, *body, row("**all**", results)])


def write(path, text):
    """Replaces the table of a page between its marks."""
    begin, end = "<!-- real_robots -->\n", "<!-- /real_robots -->"
    with open(path) as file:
        page = file.read()
    before, _, rest = page.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        sys.exit(f"{path}: no table between {begin.strip()} and {end}")
    with open(path, "w") as file:
        file.write(before + begin + text + "\n" + end + after)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--data", default="../shared/data/real")
    p.add_argument("--program", default="target/release/extricate")
    p.add_argument("--out", default="out/real_robots")
    p.add_argument("--starts", type=int, default=10, help="starts of each robot, 10 by default")
    p.add_argument("--robot", action="append", help="only this robot; may be repeated")
    p.add_argument("--limit", type=float, default=120, help="time limit of a repair [s], 120 by default")
    p.add_argument("--table", action="store_true", help="only print the table of the results that are there")
    p.add_argument("--write", metavar="PAGE", help="also replace the table in a page, such as docs/measured.md")
    a = p.parse_args()
    os.makedirs(a.out, exist_ok=True)
    kept = os.path.join(a.out, "results.jsonl")
    results = lines(kept) if os.path.exists(kept) else []
    if not a.table:
        sys.path.insert(0, a.data)
        import check_free as checks
        folder, program = os.path.abspath(os.path.join(a.data, "robots")), os.path.abspath(a.program)
        robots = {robot["robot"]: robot for robot in lines(os.path.join(folder, "expect.jsonl"))}
        done = {(result["robot"], result["start"]) for result in results}
        wanted = [start for start in lines(os.path.join(folder, "starts.jsonl"))
                  if start["start"] < a.starts and (not a.robot or start["robot"] in a.robot)]
        # Start by start over all robots: an interrupted run has seen all of them.
        for start in sorted(wanted, key=lambda start: start["start"]):
            if (start["robot"], start["start"]) in done:
                continue
            result = judged(checks, program, folder, robots[start["robot"]], start, a.limit)
            results.append(result)
            with open(kept, "a") as file:
                file.write(json.dumps(result) + "\n")
            print(f"{result['robot']} {result['start']}: {result['status']}, {result['wall_s']} s", file=sys.stderr, flush=True)
    print(table(results))
    if a.write:
        write(a.write, table(results))
    wrong = [one for one in results if one["status"] != "repaired" or one.get("still") or one.get("beyond")]
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
