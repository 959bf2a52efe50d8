"""The viewer in the browser: the page of ``extricate serve``, from a process of its own."""

from __future__ import annotations

import atexit
import html
import json
import os
import subprocess
import sys
import webbrowser
from typing import Any

from extricate._errors import ExtricateError


class Viewer:
    """A page that shows a scene, a run, robots or shapes; notebooks show it in a frame.

    The server ends with this process, or when the viewer is closed.

    >>> import extricate as ex
    >>> viewer = ex.show("sphere:1", browser=False)
    >>> "<iframe" in viewer._repr_html_()
    True
    >>> viewer.close()
    """

    def __init__(self, process: subprocess.Popen[str], url: str, height: int) -> None:
        self._process = process
        self._height = height
        self.url = url
        """Address of the page, with its token."""
        atexit.register(self.close)

    def _repr_html_(self) -> str:
        """A frame with the page."""
        source = html.escape(self.url, quote=True)
        return f'<iframe src="{source}" width="100%" height="{self._height}" style="border:1px solid #d5dbe3;border-radius:8px"></iframe>'

    def close(self) -> None:
        """End the server."""
        atexit.unregister(self.close)
        if self._process.poll() is None:
            self._process.terminate()
        self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def show(*shown: str | os.PathLike[str], port: int = 0, height: int = 560, browser: bool | None = None) -> Viewer:
    """Show a scene file, the folder of a run, or robots and shapes in a browser, as ``extricate serve`` does.

    Robots and shapes are texts as on the command line: a file or ``sphere:R``, ``box:X,Y,Z`` and so on, each with an optional
    pose ``@X,Y,Z`` or ``@X,Y,Z,W,QX,QY,QZ``. Without any, files can be dropped on the page. In a notebook the result is shown as a
    frame of ``height`` pixels; elsewhere a browser is opened, unless ``browser`` is false.

    >>> import extricate as ex
    >>> with ex.show("box:1,1,1", "sphere:0.5@0.9,0,0", browser=False) as viewer:
    ...     viewer.url.startswith("http://127.0.0.1:")
    True
    """
    command = [sys.executable, "-m", "extricate", "serve", "--json", "--port", str(port)]
    command += [os.fspath(item) for item in shown]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stderr is not None
    line = process.stdout.readline()
    if not line:
        message = process.stderr.read().strip()
        process.stdout.close()
        process.stderr.close()
        process.wait()
        raise ExtricateError(message.removeprefix("error: ") or "the server did not start")
    process.stderr.close()
    viewer = Viewer(process, json.loads(line)["url"], height)
    if browser or (browser is None and not _in_notebook()):
        webbrowser.open(viewer.url)
    return viewer


def _in_notebook() -> bool:
    """Whether this is the kernel of a notebook."""
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"
