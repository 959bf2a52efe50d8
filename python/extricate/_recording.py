"""The states of a run, as a frozen dataclass that also writes them for other programs."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from extricate._results import Floats, WorldContacts

if TYPE_CHECKING:
    from extricate._native import Shape


@dataclass(frozen=True, eq=False, kw_only=True)
class Recording:
    """The states of a run.

    >>> import extricate as ex
    >>> ex.run("scenes/rigid/box_stack.ron", time=0.05).times[0]
    np.float64(0.0)
    """

    times: Floats
    """Times (T,) [s]."""
    poses: Floats
    """Poses (T, B, 4, 4) of the bodies, body to world."""
    names: tuple[str, ...]
    """Names of the bodies."""
    hash: str
    """Hash of the last state."""
    folder: str | None
    """The folder of the run; ``None`` where nothing was written."""
    summary: dict[str, Any] | None
    """``summary.json`` of a complete run that was recorded."""
    _run: Any = field(default=None, repr=False)

    def _states(self) -> Any:
        if self._run is None:
            raise ValueError("a run in memory loses its states when it is pickled: run(scene, folder) keeps them")
        return self._run

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        if self.folder is None:
            state["_run"] = None
        return state

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """The shape of each body, in the order of ``names``."""
        shapes: tuple[Shape, ...] = self._states().shapes()
        return shapes

    def contacts(self, state: int) -> WorldContacts | None:
        """Return the contacts of a state; ``None`` where they were not recorded.

        >>> import extricate as ex
        >>> recording = ex.run("scenes/rigid/box_stack.ron", time=0.05)
        >>> bool((recording.contacts(len(recording.times) - 1).force >= 0).all())
        True
        """
        found: WorldContacts | None = self._states().contacts(range(len(self.times))[state])
        return found

    def to_mcap(self, path: str | os.PathLike[str]) -> list[str]:
        """Write an MCAP file for Foxglove and similar programs: poses, meshes, joints, contacts.

        Returns what the format does not hold, such as half-spaces. Raises ``ValueError`` for another extension, ``FileError``
        where the file cannot be written.

        >>> import os, tempfile, extricate as ex
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "run.mcap")
        ...     left_out = ex.run("scenes/rigid/box_stack.ron", time=0.05).to_mcap(path)
        ...     os.path.getsize(path) > 0
        True
        """
        left_out: list[str] = self._states().export(path, "mcap")
        return left_out

    def to_gltf(self, path: str | os.PathLike[str]) -> list[str]:
        """Write an animated glTF file, binary (``.glb``). Returns what the format does not hold.

        Raises ``ValueError`` for another extension, ``FileError`` where the file cannot be written.

        >>> import os, tempfile, extricate as ex
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ex.run("scenes/rigid/linked_chain.ron", time=0.05).to_gltf(os.path.join(folder, "run.glb"))
        []
        """
        left_out: list[str] = self._states().export(path, "glb")
        return left_out

    def to_rerun(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Log the run to Rerun, which needs ``pip install extricate[rerun]``: to a file ``.rrd``, or to a viewer.

        Without a path a viewer is started. Returns the ``rerun.RecordingStream``.
        """
        from extricate._rerun import log

        return log(self, path)
