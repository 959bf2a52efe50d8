"""Runs for the viewer Rerun."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from extricate._recording import Recording


def log(recording: Recording, path: str | os.PathLike[str] | None) -> Any:
    """Log meshes once, poses as columns, and soft surfaces and contacts for each state."""
    try:
        import rerun as rr
    except ImportError as error:
        raise ImportError("Rerun is not installed: pip install extricate[rerun]") from error
    states = recording._states()
    stream = rr.RecordingStream("extricate")
    if path is None:
        stream.spawn()
    else:
        stream.save(os.fspath(path))
    stream.log("world", rr.ViewCoordinates.RIGHT_HAND_Z_UP, static=True)
    times = rr.TimeColumn("time", duration=recording.times)
    for index, (name, shape) in enumerate(zip(recording.names, recording.shapes, strict=True)):
        entity = f"world/{_joined(rr, name)}"
        surface = shape._surface()
        if surface is not None:
            stream.log(entity, _mesh(rr, surface.vertices, surface.faces), static=True)
        poses = recording.poses[:, index]
        # Rerun stores matrices column by column.
        rotations = poses[:, :3, :3].transpose(0, 2, 1).reshape(-1, 9)
        columns = rr.Transform3D.columns(translation=poses[:, :3, 3], mat3x3=rotations)
        stream.send_columns(entity, indexes=[times], columns=columns)
    surfaces = states.soft_surfaces()
    for index, time in enumerate(recording.times):
        stream.set_time("time", duration=time)
        for body, (name, faces) in enumerate(surfaces):
            stream.log(f"world/{_joined(rr, name)}", _mesh(rr, states.soft_nodes(index, body), faces))
        contacts = states.contacts(index)
        if contacts is not None:
            arrows = 0.1 * contacts.normals
            stream.log("world/contacts", rr.Arrows3D(origins=contacts.points, vectors=arrows))
    stream.flush()
    return stream


def _joined(rr: Any, name: str) -> str:
    return "/".join(rr.escape_entity_path_part(part) for part in name.split("/"))


def _mesh(rr: Any, vertices: Any, faces: Any) -> Any:
    """A mesh with normals of its triangles at the vertices."""
    corners = vertices[faces]
    of_faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = np.zeros_like(vertices)
    for corner in range(3):
        np.add.at(normals, faces[:, corner], of_faces)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    return rr.Mesh3D(vertex_positions=vertices, triangle_indices=faces, vertex_normals=normals)
