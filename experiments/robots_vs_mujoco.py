#!/usr/bin/env python3
"""Time of a step of robots beside MuJoCo's, in one run; a Markdown table.

    cargo build --release && cargo build --release --example robot_speed
    pip install mujoco numpy            (in a virtual environment outside of the repository)
    python experiments/robots_vs_mujoco.py --data DIR [--models DIR] [--only NAME] [--json FILE]

DIR holds a robot a line in `expect.jsonl`, with its URDF and package folders; `--models` has a folder with a URDF for each robot. Both programs
read the same URDF, with meshes as OBJ or STL, and the same start: chains and arms on a fixed base swing limply; the others, with a
floating base, fall by 0.25 m onto a floor, limp and with motors (2000 N·m/rad, 100 N·m·s/rad, bounded by their efforts) that hold the
joints. MuJoCo runs at its defaults but for the step of 1/480 s and the integrator `implicitfast`, which its documentation recommends for
motors like these; its meshes are their convex hulls, ours the meshes themselves. Times are those of the processor, of one thread;
depths are the largest after 0.5 s.
"""
import argparse, hashlib, json, os, pathlib, re, subprocess, tempfile, time
import xml.etree.ElementTree as xml

import mujoco
import numpy

EXTRICATE = "target/release/extricate"
SPEED = "target/release/examples/robot_speed"
STEP, DURATION = 1 / 480, 1.0
ARMS = ["panda", "yumi"]
FALLING = ["g1_29dof", "atlas_hull", "romeo", "go2", "anymal_b", "allegro_right", "pr2"]
MODELS = ["mj_humanoid27", "cmu_humanoid62", "figure41", "shadow25"]


def chain(links, folder):
    """A chain as `assets/robots/chain.urdf`, of any length."""
    own = """<link name="link_{0:03}"><inertial><origin xyz="0 0 -0.05"/><mass value="0.1"/>
      <inertia ixx="9e-5" ixy="0" ixz="0" iyy="9e-5" iyz="0" izz="2e-5"/></inertial>
      <collision><origin xyz="0 0 -0.05"/><geometry><capsule radius="0.02" length="0.06"/></geometry></collision></link>
      <joint name="joint_{0:03}" type="revolute"><parent link="{1}"/><child link="link_{0:03}"/><origin xyz="0 0 {2}"/>
      <axis xyz="{3}"/><limit lower="-1.2" upper="1.2" effort="0" velocity="0"/></joint>"""
    links = [own.format(i, f"link_{i - 1:03}" if i > 1 else "hook", "-0.1" if i > 1 else "0", "0 1 0" if i % 2 else "1 0 0")
             for i in range(1, links + 1)]
    path = folder / f"chain{len(links)}.urdf"
    path.write_text(f'<robot name="chain"><link name="hook"/>{"".join(links)}</robot>')
    return path


def readable(urdf, packages, folder):
    """A URDF whose meshes both programs read: OBJ or STL, by absolute paths."""
    text = re.sub(r"<transmission.*?</transmission>|<gazebo.*?</gazebo>", "", urdf.read_text(), flags=re.S)
    tree = xml.fromstring(text)
    for link in tree.iter("link"):
        for visual in link.findall("visual"):
            link.remove(visual)
    for mesh in tree.iter("mesh"):
        name = mesh.get("filename")
        found = name.removeprefix("file://")
        if name.startswith("package://"):
            package, rest = name.removeprefix("package://").split("/", 1)
            places = [p / package / rest for p in packages] + [p / rest for p in packages if p.name == package]
            places += [p.parent / rest for p in packages if p.parent.name == package]
            found = next((p for p in places if p.exists()), None) or next(
                (q for p in packages for q in p.rglob(rest) if q.exists()), name)
        path = pathlib.Path(found)
        path = path if path.is_absolute() else urdf.parent / path
        converted = folder / f"{path.stem}_{hashlib.sha1(str(path).encode()).hexdigest()[:8]}.stl"
        if not converted.exists():
            subprocess.run([EXTRICATE, "convert", path, converted], check=True, capture_output=True)
        mesh.set("filename", str(converted))
    out = folder / f"{urdf.stem}.urdf"
    out.write_text(xml.tostring(tree, encoding="unicode"))
    return out


def ours(case):
    name, urdf, base, mode, joints = case
    given = [f"{joint}={value}" for joint, value in joints.items()]
    ran = subprocess.run([SPEED, urdf, base, mode, *given], capture_output=True, text=True,
                         env={**os.environ, "RAYON_NUM_THREADS": "1"})
    if ran.returncode:
        return {"error": ran.stderr.strip().splitlines()[-1][:200]}
    return json.loads(ran.stdout)


def model_of(case, height, values):
    name, urdf, base, mode, _ = case
    tree = xml.fromstring(pathlib.Path(urdf).read_text())
    children = {joint.find("child").get("link") for joint in tree.iter("joint") if joint.find("child") is not None}
    root = next(link.get("name") for link in tree.iter("link") if link.get("name") not in children)
    kind = "floating" if base == "floating" else "fixed"
    tree.append(xml.fromstring('<link name="mujoco_world"/>'))
    tree.append(xml.fromstring(f'<joint name="mujoco_root" type="{kind}"><parent link="mujoco_world"/><child link="{root}"/></joint>'))
    settings = '<mujoco><compiler strippath="false" balanceinertia="true" boundmass="1e-6" boundinertia="1e-9" fusestatic="true"/></mujoco>'
    for own in tree.findall("mujoco"):
        tree.remove(own)
    tree.append(xml.fromstring(settings))
    spec = mujoco.MjSpec.from_string(xml.tostring(tree, encoding="unicode"))
    spec.option.timestep, spec.option.integrator = STEP, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    if base == "floating":
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    efforts = {joint.get("name"): joint.find("limit").get("effort") for joint in tree.iter("joint") if joint.find("limit") is not None}
    for joint in spec.joints:
        joint.actfrclimited = mujoco.mjtLimited.mjLIMITED_FALSE
        if joint.name in values and mode == "held":
            motor = spec.add_actuator(name=f"motor_{joint.name}", target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
            motor.gainprm[0], motor.biastype = 2000, mujoco.mjtBias.mjBIAS_AFFINE
            motor.biasprm[1], motor.biasprm[2] = -2000, -100
            effort = float(efforts.get(joint.name) or 0)
            if effort > 0:
                motor.forcelimited, motor.forcerange = mujoco.mjtLimited.mjLIMITED_TRUE, [-effort, effort]
    model = spec.compile()
    data = mujoco.MjData(model)
    for index in range(model.njnt):
        joint, at = model.joint(index), model.jnt_qposadr[index]
        if joint.type[0] == mujoco.mjtJoint.mjJNT_FREE:
            data.qpos[at : at + 3] = 0, 0, height
        elif joint.name in values:
            data.qpos[at] = values[joint.name]
    for index in range(model.nu):
        data.ctrl[index] = values[model.actuator(index).name.removeprefix("motor_")]
    return model, data


def mujocos(case, mine):
    model, data = model_of(case, mine.get("height", 0.0), mine["joints"])
    times, contacts, deepest = [], [], 0.0
    for step in range(round(DURATION / STEP)):
        started = time.process_time()
        mujoco.mj_step(model, data)
        times.append(1e3 * (time.process_time() - started))
        contacts.append(data.ncon)
        if step * STEP > 0.5 * DURATION and data.ncon:
            deepest = max(deepest, -data.contact.dist.min())
    return {"ms": numpy.mean(times), "p99": numpy.quantile(times, 0.99), "contacts": numpy.mean(contacts), "deepest": deepest,
            "freedoms": model.nv}


def cases(options, folder):
    for links in [10, 60, 200]:
        yield f"chain of {links}", chain(links, folder), "fixed", "limp", {"joint_001": 0.5235988}
    if options.data:
        data = pathlib.Path(options.data).resolve()
        known = {(line := json.loads(text))["robot"]: line for text in (data / "expect.jsonl").read_text().splitlines()}
        for name in ARMS + FALLING:
            urdf = data / known[name]["urdf"]
            packages = [(data / package).resolve() for package in known[name]["packages"]] + [data]
            made = readable(urdf, packages, folder)
            if name in ARMS:
                yield f"{name}, swings", made, "fixed", "limp", {}
            else:
                yield f"{name}, falls held", made, "floating", "held", {}
                yield f"{name}, falls limp", made, "floating", "limp", {}
    if options.models:
        models = pathlib.Path(options.models).resolve()
        for name in MODELS:
            made = readable(models / name / f"{name}.urdf", [models], folder)
            yield f"{name}, falls held", made, "floating", "held", {}
            yield f"{name}, falls limp", made, "floating", "limp", {}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data"), parser.add_argument("--models"), parser.add_argument("--json"), parser.add_argument("--only")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.gettempdir()) / "robots_vs_mujoco"
    folder.mkdir(exist_ok=True)
    print("| robot | freedoms | ms | MuJoCo, ms | ratio | p99 | solver, ms | contacts | MuJoCo's | sweeps | p99 | deepest, mm | MuJoCo's | gain, J |")
    print("|---|" + "--:|" * 13)
    rows = []
    for case in cases(options, folder):
        if options.only and options.only not in case[0]:
            continue
        mine = ours(case)
        if "error" in mine:
            print(f"| {case[0]} | {mine['error']} |", flush=True)
            continue
        try:
            peer = mujocos(case, mine)
        except ValueError as error:
            print(f"| {case[0]} | MuJoCo: {' '.join(str(error).split())} |", flush=True)
            continue
        rows.append({"case": case[0], "ours": mine, "mujoco": peer})
        print(f"| {case[0]} | {peer['freedoms']} | {mine['ms']:.3f} | {peer['ms']:.3f} | {mine['ms'] / peer['ms']:.1f} | {mine['p99']:.2f} |"
              f" {mine['solver_ms']:.3f} | {mine['contacts']:.1f} | {peer['contacts']:.1f} | {mine['sweeps']:.0f} | {mine['sweeps_p99']:.0f} |"
              f" {1e3 * mine['deepest']:.2f} | {1e3 * peer['deepest']:.2f} | {mine['gain']:.1e} |", flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
