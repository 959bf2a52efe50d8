#!/usr/bin/env python3
"""Mass matrix, inverse and forward dynamics of robots against Pinocchio; a Markdown table.

    cargo build --release --example robot_dynamics
    pip install pin numpy            (in a virtual environment outside of the repository)
    python experiments/pinocchio_dynamics.py FILE…

FILE is a URDF. Errors are the largest ones of five random states, relative to the largest entry of the matrix, of the forces and of the
accelerations. Forward dynamics is judged against the accelerations whose forces it was given; `condition` is that of the mass matrix, by
which rounding of the forces grows. Joints with several freedoms and joints that mimic others are not compared: the conventions
differ. Exit code 1: a mass matrix or forces differ by more than 1e-12.
"""
import json, subprocess, sys

import numpy
import pinocchio

PROGRAM = "target/release/examples/robot_dynamics"


def compare(answer):
    model = pinocchio.buildModelFromUrdf(answer["file"])
    data = model.createData()
    names = list(model.names)[1:]
    if sorted(names) != sorted(answer["names"]):
        return None
    worst = [0.0, 0.0, 0.0, 0.0]
    for state in answer["states"]:
        q, v, a = (numpy.zeros(size) for size in (model.nq, model.nv, model.nv))
        place = []
        for index, name in enumerate(answer["names"]):
            joint = model.joints[model.getJointId(name)]
            value = state["q"][index]
            if joint.nq == 2:
                q[joint.idx_q : joint.idx_q + 2] = numpy.cos(value), numpy.sin(value)
            else:
                q[joint.idx_q] = value
            v[joint.idx_v], a[joint.idx_v] = state["v"][index], state["a"][index]
            place.append(joint.idx_v)
        mass = pinocchio.crba(model, data, q)
        mass = (numpy.triu(mass) + numpy.triu(mass, 1).T)[numpy.ix_(place, place)]
        tau = pinocchio.rnea(model, data, q, v, a)[place]
        errors = [
            abs(numpy.array(state["mass"]) - mass).max() / abs(mass).max(),
            abs(numpy.array(state["tau"]) - tau).max() / abs(tau).max(),
            abs(numpy.array(state["fd"]) - a[place]).max() / abs(a).max() if state["fd"] else float("nan"),
            numpy.linalg.cond(mass),
        ]
        worst = [max(old, new) for old, new in zip(worst, errors)]
    return worst


def main():
    out = subprocess.run([PROGRAM, *sys.argv[1:]], capture_output=True, text=True)
    print(out.stderr, end="", file=sys.stderr)
    print("| robot | coordinates | mass matrix | forces | accelerations | condition |\n|---|---:|---:|---:|---:|---:|")
    wrong = 0
    for line in out.stdout.splitlines():
        answer = json.loads(line)
        name = answer["file"].rsplit("/", 1)[-1].removesuffix(".urdf")
        errors = compare(answer) if answer["names"] else None
        if errors is None:
            print(f"{name}: not compared", file=sys.stderr)
            continue
        mass, forces, accelerations, condition = errors
        wrong += not max(mass, forces) <= 1e-12
        print(f"| {name} | {len(answer['names'])} | {mass:.0e} | {forces:.0e} | {accelerations:.0e} | {condition:.0e} |")
    sys.exit(1 if wrong else 0)


main()
