"""Scenes of dictionaries, and runs for other programs."""

from __future__ import annotations

import json
import os
import pickle
import struct
import sys
from pathlib import Path

import numpy as np
import pytest

import extricate as ex

DROP = {
    "title": "drop",
    "duration": 0.5,
    "on_overlap": "error",
    "shapes": {
        "ball": {"ball": {"radius": 0.1}},
        "ring": {"procedural": {"kind": "torus", "parameters": {"segments": 24}}},
        "cup": {"mesh": {"file": "assets/meshes/cup.obj", "scale": 0.1}},
        "ground": "half_space",
    },
    "bodies": [
        {"name": "ball", "shape": "ball", "position": np.array([0, 0, 0.5]), "linear_velocity": (0, 0, np.float32(-1))},
        {"name": "cup", "shape": "cup", "position": [3, 0, 1], "rotation": {"euler_degrees": [90, 0, 0]}},
        {"name": "ring", "shape": "ring", "position": [0, 4, 2], "restitution": 0.5},
        {"name": "ground", "shape": "ground", "kind": "fixed"},
    ],
}

TEXT = """(title: "drop", duration: 0.5, on_overlap: error,
    shapes: {"ball": ball(radius: 0.1), "ring": procedural(kind: "torus", parameters: {"segments": 24}),
        "cup": mesh(file: "assets/meshes/cup.obj", scale: 0.1), "ground": half_space},
    bodies: [(name: "ball", shape: "ball", position: (0, 0, 0.5), linear_velocity: (0, 0, -1)),
        (name: "cup", shape: "cup", position: (3, 0, 1), rotation: euler_degrees(90, 0, 0)),
        (name: "ring", shape: "ring", position: (0, 4, 2), restitution: 0.5),
        (name: "ground", shape: "ground", kind: fixed)])"""


def test_a_world_of_a_dictionary_is_that_of_the_text() -> None:
    worlds = [ex.World.from_dict(DROP), ex.World.from_text(TEXT)]
    for world in worlds:
        world.step(40)
    assert worlds[0].hash == worlds[1].hash
    copy = pickle.loads(pickle.dumps(worlds[0]))
    copy.step(3)
    worlds[0].step(3)
    assert copy.hash == worlds[0].hash
    assert [shape.kind for shape in copy.shapes] == ["ball", "solid mesh", "half-space", "solid mesh"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"gravety": 1}, "unknown field `gravety`"),
        ({"gravity": [0, 0]}, "gravity: invalid length 2"),
        ({"gravity": [0, 0, float("nan")]}, "scene: .*NaN|not JSON compliant|Out of range"),
        ({"duration": "long"}, "duration: invalid type"),
        ({"duration": -1}, "duration"),
        ({"title": object()}, "object is not a value of a scene"),
        ({3j: 1}, "keys must be"),
        ({"shapes": {"a": {"ball": {"radius": 1}, "cone": {}}}}, r"shapes\[\"a\"\]: expected one of"),
        ({"bodies": [{"name": "a", "shape": "none"}]}, "none"),
        ({"shapes": {**DROP["shapes"], "cup": {"mesh": {"file": "missing.obj"}}}}, "missing.obj"),
    ],
)
def test_a_dictionary_that_is_no_scene_is_refused_with_its_place(change: dict, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        ex.World.from_dict({**DROP, **change})


def test_a_dictionary_that_contains_itself_is_refused() -> None:
    loop: dict = {"title": "loop"}
    loop["shapes"] = loop
    with pytest.raises(ValueError):
        ex.World.from_dict(loop)


@pytest.mark.parametrize("in_folder", [False, True])
def test_a_run_in_memory_and_in_a_folder_give_the_same_files(in_folder: bool, tmp_path: Path) -> None:
    scene = "scenes/rigid/ring_stack.ron"
    recording = ex.run(scene, tmp_path / "run" if in_folder else None, time=0.2)
    assert recording.to_gltf(tmp_path / "run.glb") == ["the half-space of floor, which has no surface"]
    recording.to_mcap(str(tmp_path / "run.mcap"))
    length = struct.unpack("<I", (tmp_path / "run.glb").read_bytes()[12:16])[0]
    gltf = json.loads((tmp_path / "run.glb").read_bytes()[20 : 20 + length])
    assert {node["name"] for node in gltf["nodes"]} - {"z_up"} == set(recording.names)
    bare = ex.run(scene, time=0.2)
    for index in (0, len(bare.times) - 1):
        one, other = recording.contacts(index), bare.contacts(index)
        assert one is not None and other is not None and one.bodies == other.bodies
        assert one.points.tobytes() == other.points.tobytes() and one.force.tobytes() == other.force.tobytes()
    assert recording.contacts(-1).bodies and len(recording.shapes) == len(recording.names)
    bare.to_gltf(tmp_path / "bare.glb")
    assert (tmp_path / "bare.glb").read_bytes() == (tmp_path / "run.glb").read_bytes()
    again = pickle.loads(pickle.dumps(recording))
    assert again.hash == recording.hash
    if in_folder:
        again.to_gltf(tmp_path / "again.glb")
        assert ex.open_run(tmp_path / "run").poses.tobytes() == recording.poses.tobytes()
    else:
        with pytest.raises(ValueError, match="pickled"):
            again.to_gltf(tmp_path / "again.glb")
    with pytest.raises(ValueError, match=r"\.mcap"):
        recording.to_mcap(tmp_path / "run.txt")
    with pytest.raises(ex.FileError):
        recording.to_mcap(tmp_path / "missing" / "run.mcap")
    with pytest.raises(IndexError):
        recording.contacts(len(recording.times))


def test_an_mcap_file_is_read_by_its_own_library(tmp_path: Path) -> None:
    reader = pytest.importorskip("mcap.reader", reason="the reader of MCAP is not installed: pip install mcap")
    recording = ex.run("scenes/rigid/ring_stack.ron", time=0.2)
    recording.to_mcap(tmp_path / "run.mcap")
    messages: dict[str, list] = {}
    with open(tmp_path / "run.mcap", "rb") as file:
        for schema, channel, message in reader.make_reader(file).iter_messages():
            messages.setdefault(channel.topic, []).append(json.loads(message.data))
            assert schema.encoding == "jsonschema" and json.loads(schema.data)["type"] == "object"
    for index, (transforms, contacts) in enumerate(zip(messages["/tf"], messages["/contacts"], strict=True)):
        for found, pose in zip(transforms["transforms"], recording.poses[index], strict=True):
            assert [found["translation"][axis] for axis in "xyz"] == pose[:3, 3].tolist()
        own = recording.contacts(index)
        assert own is not None and [item["point"] for item in contacts["contacts"]] == own.points.tolist()
        assert [item["force"] for item in contacts["contacts"]] == own.force.tolist()
    assert len(messages["/contact_markers"]) == len(recording.times)


@pytest.mark.parametrize("scene", ["scenes/rigid/ring_stack.ron", "scenes/soft/drop.ron", "scenes/robots/arm_reaches.ron"])
def test_a_run_is_logged_to_rerun(scene: str, tmp_path: Path) -> None:
    if sys.platform == "linux":
        os.environ.setdefault("RERUN_ANALYTICS", "0")
    pytest.importorskip("rerun", reason="Rerun is not installed: pip install extricate[rerun]")
    ex.run(scene, time=0.05).to_rerun(tmp_path / "run.rrd")
    assert (tmp_path / "run.rrd").read_bytes()[:3] == b"RRF"


def test_without_rerun_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rerun", None)
    with pytest.raises(ImportError, match=r"pip install extricate\[rerun\]"):
        ex.run("scenes/rigid/box_stack.ron", time=0.02).to_rerun("x.rrd")
