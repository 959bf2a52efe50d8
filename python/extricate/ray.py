"""Data sets on a cluster: queries and repairs as maps over ``ray.data``; needs ``pip install extricate[ray]``.

Workers load shapes and robots once. Rows keep their ``id``, since Ray does not keep their order; failed rows have status -1 and
an ``error``, and never end the job. A column ``seed`` gives each row a seed of its own. Rows of a worker that dies are
answered by another one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import ray.data

import extricate as ex

Rows = dict[str, Any]
"""Columns of a batch by name."""


def _array(column: Any) -> np.ndarray[Any, Any]:
    """A column whose rows may be lists as one array."""
    array = np.asarray(column)
    return np.stack([np.asarray(row, dtype=float) for row in array]) if array.dtype == object else array


def _by_seed(rows: Rows, answer: Callable[[np.ndarray[Any, Any], int], Any]) -> list[tuple[np.ndarray[Any, Any], Any]]:
    """Answers of the rows of each seed, with their indices; of all rows at once where there is no column ``seed``."""
    count = len(rows["id"])
    if "seed" not in rows:
        return [(np.arange(count), answer(np.arange(count), 0))]
    seeds = np.asarray(rows["seed"])
    parts = [(np.flatnonzero(seeds == seed), int(seed)) for seed in np.unique(seeds)]
    return [(indices, answer(indices, seed)) for indices, seed in parts]


def _merged(rows: Rows, names: Sequence[str], parts: Iterable[tuple[np.ndarray[Any, Any], Any]]) -> Rows:
    """Columns of answers in the order of the rows."""
    count = len(rows["id"])
    found: Rows = {"id": rows["id"]}
    errors = [""] * count
    for indices, answer in parts:
        for name in names:
            column = getattr(answer, name)
            if name not in found:
                found[name] = np.zeros((count, *column.shape[1:]), column.dtype)
            found[name][indices] = column
        for index, why in answer.errors.items():
            errors[indices[index]] = why
    found["error"] = np.array(errors, dtype=object)
    return found


class _Repairs:
    """A worker that repairs configurations."""

    def __init__(self, cell: ex.Workcell, options: dict[str, Any]) -> None:
        self.cell, self.options = cell, options

    def __call__(self, rows: Rows) -> Rows:
        q = _array(rows["q"])

        def answer(indices: np.ndarray[Any, Any], seed: int) -> ex.RepairBatch:
            return self.cell.repair_batch(q[indices], seed=seed, threads=1, **self.options)

        return _merged(rows, ("q", "depth", "verified_free", "status"), _by_seed(rows, answer))


class _Penetrations:
    """A worker that labels poses."""

    def __init__(self, shapes: tuple[ex.Shape, ex.Shape], options: dict[str, Any]) -> None:
        self.shapes, self.options = shapes, options

    def __call__(self, rows: Rows) -> Rows:
        poses = [_array(rows[name]).reshape(-1, 4, 4) if name in rows else None for name in ("pose_a", "pose_b")]

        def answer(indices: np.ndarray[Any, Any], seed: int) -> ex.PenetrationBatch:
            own = [None if pose is None else pose[indices] for pose in poses]
            return ex.penetration_batch(*self.shapes, *own, seed=seed, threads=1, **self.options)

        names = ("depth", "lower_bound", "direction", "translation", "status")
        return _merged(rows, names, _by_seed(rows, answer))


def _simulated(rows: Rows) -> Rows:
    """The last states of runs of scenes."""
    found: Rows = {"id": rows["id"], "hash": [], "time": [], "poses": [], "status": [], "error": []}
    times = rows.get("time", [None] * len(rows["id"]))
    for scene, time in zip(rows["scene"], times, strict=True):
        try:
            run = ex.run(str(scene), time=None if time is None else float(time))
            answer = (run.hash, run.times[-1], run.poses[-1].ravel().tolist(), 1, "")
        except (ex.ExtricateError, ValueError) as error:
            answer = ("", np.nan, [], -1, str(error))
        for name, value in zip(("hash", "time", "poses", "status", "error"), answer, strict=True):
            found[name].append(value)
    return found


def _shape(given: ex.Shape | str | os.PathLike[str]) -> ex.Shape:
    return given if isinstance(given, ex.Shape) else ex.Mesh.load(given)


def repair_dataset(
    dataset: ray.data.Dataset,
    robot: ex.Robot,
    obstacles: Mapping[str, Any],
    *,
    concurrency: int,
    batch_size: int = 256,
    num_cpus: float = 0.9,
    fixed: Sequence[str] = (),
    weights: Mapping[str, float] | None = None,
    **options: Any,
) -> ray.data.Dataset:
    """Repair the configurations of a data set with columns ``id`` and ``q`` (J,).

    ``concurrency`` is the number of workers, each with one thread; ``num_cpus`` below one leaves room for the readers, which
    actors that claim every CPU would starve. ``options`` are those of :meth:`Workcell.repair_batch`. Returns the columns
    ``id``, ``q``, ``depth``, ``verified_free``, ``status`` and ``error``.

    Raises ``ValueError`` for bad obstacles and names, before anything is started.
    """
    cell = ex.Workcell(robot, dict(obstacles), fixed=list(fixed), weights=dict(weights or {}))
    return dataset.map_batches(
        _Repairs,
        fn_constructor_args=(cell, options),
        batch_size=batch_size,
        batch_format="numpy",
        compute=ray.data.ActorPoolStrategy(size=concurrency),
        num_cpus=num_cpus,
    )


def penetration_dataset(
    dataset: ray.data.Dataset,
    a: ex.Shape | str | os.PathLike[str],
    b: ex.Shape | str | os.PathLike[str],
    *,
    concurrency: int,
    batch_size: int = 256,
    num_cpus: float = 0.9,
    **options: Any,
) -> ray.data.Dataset:
    """Label poses of a data set with columns ``id`` and ``pose_a`` or ``pose_b`` (4, 4), or sixteen numbers row by row.

    ``a`` and ``b`` are shapes or mesh files; ``options`` are those of :func:`penetration_batch`. Returns the columns ``id``,
    ``depth``, ``lower_bound``, ``direction``, ``translation``, ``status`` and ``error``.

    Raises ``FileError`` for a bad mesh file, before anything is started.
    """
    return dataset.map_batches(
        _Penetrations,
        fn_constructor_args=((_shape(a), _shape(b)), options),
        batch_size=batch_size,
        batch_format="numpy",
        compute=ray.data.ActorPoolStrategy(size=concurrency),
        num_cpus=num_cpus,
    )


def simulate_dataset(dataset: ray.data.Dataset, *, batch_size: int = 1, num_cpus: float = 0.9) -> ray.data.Dataset:
    """Run the scenes of a data set with columns ``id``, ``scene`` (a file) and, if given, ``time`` [s].

    Returns the columns ``id``, ``hash``, ``time`` and ``poses`` of the last state (B · 16 numbers, in the order of the names of
    the bodies), ``status`` and ``error``.
    """
    return dataset.map_batches(_simulated, batch_size=batch_size, batch_format="numpy", num_cpus=num_cpus)


def write_partitions(
    inputs: Iterable[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    transform: Callable[[ray.data.Dataset], ray.data.Dataset],
) -> list[str]:
    """Transform Parquet files one by one into files of the same names in the folder ``output``; those that exist are kept.

    A file appears when it is complete, sorted by ``id``: a job that was killed is resumed by the same call. Returns the
    paths of the files that were written.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    os.makedirs(output, exist_ok=True)
    written = []
    for path in inputs:
        target = os.path.join(output, os.path.basename(path))
        if os.path.exists(target):
            continue
        blocks = [ray.get(block) for block in transform(ray.data.read_parquet(os.fspath(path))).to_arrow_refs()]
        table = pa.concat_tables(block for block in blocks if block.num_rows > 0).sort_by("id")
        pq.write_table(table, target + ".part")
        os.replace(target + ".part", target)
        written.append(target)
    return written
