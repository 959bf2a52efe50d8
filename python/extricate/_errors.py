"""Exceptions. Bad arguments are ``ValueError``; all other failures are subclasses of :class:`ExtricateError`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from extricate._results import CollidingPair, Repair


class ExtricateError(Exception):
    """A query, search or step that failed; never reported as an absence.

    >>> import extricate as ex
    >>> issubclass(ex.NotSeparatedError, ex.ExtricateError)
    True
    """


class NotSeparatedError(ExtricateError):
    """No motion was found, or verified, after which the shapes are apart.

    >>> import numpy as np, extricate as ex
    >>> ball = ex.Shape.sphere(1)
    >>> try:
    ...     ex.separate([ball, ball], np.tile(np.eye(4), (2, 1, 1)), fixed=[0, 1])
    ... except ex.NotSeparatedError as error:
    ...     print("overlap" in str(error))
    True
    """


class RepairNotFoundError(ExtricateError):
    """No free configuration was found within the limits and bounds of a repair.

    Attributes:
        best: the best effort, a :class:`Repair`.
        still_colliding: the pairs that still collide in it.

    >>> import extricate as ex
    >>> issubclass(ex.RepairNotFoundError, ex.ExtricateError)
    True
    """

    best: Repair
    still_colliding: list[CollidingPair]

    def __init__(self, message: str, best: Repair, still_colliding: list[CollidingPair]) -> None:
        super().__init__(message)
        self.best = best
        self.still_colliding = still_colliding

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.best, self.still_colliding)


class FileError(ExtricateError):
    """A file that is missing, damaged, of an unsupported format, or cannot be written.

    Attributes:
        path: the file.
        line: the line, from 1; ``None`` where it is not known.

    >>> import extricate as ex
    >>> try:
    ...     ex.Mesh.load("missing.obj")
    ... except ex.FileError as error:
    ...     print(error.path, error.line)
    missing.obj None
    """

    path: str
    line: int | None

    def __init__(self, message: str, path: str, line: int | None = None) -> None:
        super().__init__(message)
        self.path = path
        self.line = line

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.path, self.line)


class InternalError(ExtricateError):
    """A defect of this library: please report it with the input.

    >>> import extricate as ex
    >>> issubclass(ex.InternalError, Exception)
    True
    """
