"""The bar that ``progress=True`` shows."""

from __future__ import annotations

from collections.abc import Callable


def bar(total: int) -> Callable[[int, int], None]:
    """Return a callback that shows a bar; without ``tqdm`` one that shows nothing."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return lambda done, of: None
    shown = tqdm(total=total)

    def report(done: int, of: int) -> None:
        shown.update(done - shown.n)
        if done == of:
            shown.close()

    return report
