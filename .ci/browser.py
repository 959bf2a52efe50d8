#!/usr/bin/env python3
"""Tests what is seen in a browser, in headless Chromium: the pages of `extricate serve`, and the site of the book.

    .ci/browser.py serve PROGRAM [PICTURES]   the viewer in the browser; with a folder, pictures of it are saved there
    .ci/browser.py site FOLDER [PICTURES]     every page of a site loads without an error, and no link or picture is missing

Chromium is driven over a pipe by the DevTools protocol; nothing but Python and Chromium is needed.
"""

import base64
import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Without a GPU; software rendering of WebGL must be allowed by name.
OPTIONS = ["--headless=new", "--remote-debugging-pipe", "--no-first-run", "--hide-scrollbars", "--window-size=1280,720", "--mute-audio",
           "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking", "--disable-extensions"]
PATIENCE = 60.0


class Browser:
    """A browser with one page."""

    def __init__(self, size=(1280, 720), options=()):
        program = next(filter(None, map(shutil.which, NAMES)), None)
        if program is None:
            sys.exit(f"no browser was found: install one of {', '.join(NAMES)}")
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        read, to_browser = os.pipe()
        from_browser, write = os.pipe()
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        command = [program, *OPTIONS, *options, *sandbox, f"--user-data-dir={self.folder.name}", "about:blank"]
        # The browser expects the pipes as its descriptors 3 and 4.
        shell = ["bash", "-c", f'exec "$0" "$@" 3<&{read} 4>&{write}', *command]
        self.process = subprocess.Popen(shell, pass_fds=(read, write), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        os.close(read)
        os.close(write)
        self.input, self.output = os.fdopen(to_browser, "wb"), os.fdopen(from_browser, "rb")
        self.count, self.replies, self.errors, self.loaded = 0, {}, [], 0
        self.arrived = threading.Condition()
        threading.Thread(target=self.receive, daemon=True).start()
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=False)

    def receive(self):
        """Collects replies, and errors of the page."""
        buffer = b""
        while chunk := self.output.read1(1 << 16):
            *messages, buffer = (buffer + chunk).split(b"\0")
            for message in map(json.loads, messages):
                with self.arrived:
                    if "id" in message:
                        self.replies[message["id"]] = message
                    else:
                        self.note(message.get("method"), message.get("params", {}))
                    self.arrived.notify_all()

    def note(self, method, params):
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "assert"):
            self.errors.append(" ".join(str(part.get("value", part.get("description"))) for part in params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(f"{params['entry']['text']} ({params['entry'].get('url')})")
        elif method == "Page.loadEventFired":
            self.loaded += 1

    def call(self, method, **params):
        """Calls a method of the protocol and returns its result."""
        self.count += 1
        number = self.count
        message = {"id": number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.input.write(json.dumps(message).encode() + b"\0")
        self.input.flush()
        with self.arrived:
            if not self.arrived.wait_for(lambda: number in self.replies, PATIENCE):
                raise AssertionError(f"{method} was not answered")
            reply = self.replies.pop(number)
        if "error" in reply:
            raise AssertionError(f"{method}: {reply['error']}")
        return reply["result"]

    def open(self, url):
        """Loads a page."""
        before = self.loaded
        self.call("Page.navigate", url=url)
        with self.arrived:
            assert self.arrived.wait_for(lambda: self.loaded > before, PATIENCE), f"{url} was not loaded"

    def value(self, expression):
        """The value of an expression, awaited."""
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise AssertionError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait(self, condition, patience=PATIENCE):
        """Waits until an expression is true, and returns it."""
        until = time.monotonic() + patience
        while time.monotonic() < until:
            value = self.value(condition)
            if value:
                return value
            time.sleep(0.03)
        raise AssertionError(f"not true within {patience} s: {condition}; errors: {self.errors}")

    def mouse(self, kind, x, y, buttons=1, modifiers=0):
        button = "left" if kind != "mouseMoved" else "none"
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, buttons=buttons, clickCount=1, modifiers=modifiers)

    def key(self, key, code=0):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code)

    def picture(self, path):
        Path(path).write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def close(self):
        with contextlib.suppress(Exception):
            self.session = None
            self.call("Browser.close")
        self.process.wait(10)
        self.folder.cleanup()


@contextlib.contextmanager
def serving(program, *arguments):
    """The address of a server that shows something."""
    process = subprocess.Popen([program, "serve", "--port", "0", *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait(10)


def refused(url, path=None, **headers):
    """The status with which the server answers a request for a WebSocket."""
    parts = urllib.parse.urlsplit(url)
    lines = {"Host": parts.netloc, "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
             "Sec-WebSocket-Key": base64.b64encode(bytes(16)).decode(), **headers}
    with socket.create_connection((parts.hostname, parts.port), 10) as connection:
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        connection.sendall(f"GET {path or parts.path + 'socket'} HTTP/1.1\r\n{head}\r\n".encode())
        return int(connection.makefile("rb").readline().split()[1])


# The depths of the present poses, with best effort.
MEASURED = ("!extricate.state.isEditing && extricate.state.measured?.effort === 'best' "
            "&& extricate.state.measured.revision === extricate.state.frame.revision && extricate.state.measured")
OVERLAPS = "extricate.state.measured.pairs.filter((pair) => pair.status === 'penetrating').length"
PLACE = "(() => {{ const item = extricate.drawing.items[{0}]; return extricate.drawing.project(item.position); }})()"


def admission(page, url):
    """Only the page itself, with the token and a known host, is admitted."""
    host = urllib.parse.urlsplit(url).netloc
    assert refused(url) == 101 and refused(url, Origin=f"http://{host}") == 101
    assert refused(url, Origin="http://evil.example") == 403 and refused(url, Origin="null") == 403
    assert refused(url, Host="evil.example") == 403 and refused(url, path="/socket") == 403
    page.open("data:text/html,a page of another origin")
    socket_url = json.dumps(url.replace("http", "ws") + "socket")
    opened = page.value(f"new Promise((done) => {{ const s = new WebSocket({socket_url}); s.onopen = () => done(true); s.onerror = () => done(false); }})")
    assert opened is False, "a foreign origin was admitted"
    page.errors.clear()


def boxes(page, url, save):
    """Two unit boxes: the depth is right, a drag changes it, a repair frees."""
    page.open(url)
    found = page.wait(MEASURED)["pairs"][0]
    assert found["status"] == "penetrating" and abs(found["depth"] - 0.2) < 1e-9 and found["lower_bound"] > 0.199, found
    save("boxes")
    x, y = page.value(PLACE.format(0))
    page.mouse("mousePressed", x, y)
    for step in range(1, 9):
        page.mouse("mouseMoved", x + 5 * step, y + 2 * step)
    page.mouse("mouseReleased", x + 40, y + 16, buttons=0)
    depth = page.wait(MEASURED)["pairs"][0]["depth"]
    # The overlap of two boxes with parallel axes is the smallest of those along the axes.
    a, b = page.value("extricate.drawing.items.map((item) => item.position.toArray())")
    expected = min(1 - abs(p - q) for p, q in zip(a, b))
    assert abs(depth - expected) < 1e-5 and abs(depth - 0.2) > 1e-3, (depth, expected)
    page.key("Enter", 13)
    page.wait("extricate.state.repaired?.status === 'repaired' && extricate.state.repaired.response.verified_free")
    page.wait(f"{MEASURED} && {OVERLAPS} === 0")
    save("boxes_repaired")


def robot(page, url, save):
    """An arm: a joint is set so that it runs into a box, and repaired; a link is dragged."""
    page.open(url)
    page.wait(MEASURED)
    page.wait("extricate.state.colliding.length > 0")
    save("arm")
    page.key("Enter", 13)
    page.wait("extricate.state.repaired?.status === 'repaired' && extricate.state.repaired.response.verified_free")
    page.wait("extricate.state.colliding.length === 0")
    save("arm_repaired")
    joints = "extricate.state.frame.joints.flat()"
    before = page.value(joints)
    last = page.value("extricate.drawing.items.findLastIndex((item) => item.userData.robot && item.geometry)")
    x, y = page.value(f"extricate.drawing.project(extricate.drawing.ball([extricate.drawing.items[{last}]]).center)")
    page.mouse("mousePressed", x, y)
    for step in range(1, 7):
        page.mouse("mouseMoved", x, y - 8 * step)
    page.mouse("mouseReleased", x, y - 48, buttons=0)
    page.wait("extricate.state.frame.undo > 1")
    after = page.value(joints)
    assert max(abs(p - q) for p, q in zip(before, after)) > 1e-3, (before, after)


def running(page, url, save):
    """A scene runs in real time, is paused, and one of its past states is shown again."""
    page.open(url)
    page.wait("extricate.state.stage?.can_run")
    page.value("document.querySelector('[data-mode=run]').click()")
    page.wait("extricate.state.frame?.time > 0.4")
    save("run")
    page.key(" ", 32)
    page.wait("extricate.state.playing === false")
    page.value("(() => { const s = document.querySelector('#position'); s.value = 3; s.dispatchEvent(new Event('input')); })()")
    page.wait("extricate.state.frame?.index === 3 && extricate.state.frame.step === 3")


def record(page, url, save):
    """A record is scrubbed to its end, and played."""
    page.open(url)
    count = page.wait("extricate.state.count")
    page.value(f"(() => {{ const s = document.querySelector('#position'); s.value = {count - 1}; s.dispatchEvent(new Event('input')); }})()")
    page.wait(f"extricate.state.frame?.index === {count - 1}")
    save("record")


def dropping(page, url, save):
    """Meshes are dropped, one after another; what is not a mesh is refused with a message."""
    page.open(url)
    page.wait("extricate.state.stage?.mode === 'nothing'")
    drop = """(async (name, path) => {{
      const transfer = new DataTransfer();
      transfer.items.add(new File([{0}], "{1}"));
      window.dispatchEvent(new DragEvent("drop", {{ dataTransfer: transfer }}));
    }})()"""
    cube = (ROOT / "assets/meshes/u_shape.obj").read_text()
    for count in (1, 2):
        page.value(drop.format(json.dumps(cube), "shape.obj"))
        page.wait(f"extricate.state.stage?.bodies.length === {count}")
    page.wait("extricate.state.measured?.pairs[0]?.status === 'penetrating'")
    page.value(drop.format(json.dumps("solid nothing"), "../broken.obj"))
    page.wait("!document.querySelector('#notice').hidden")
    save("dropped")


def test_server(program, pictures):
    program = str(Path(program).resolve())
    page = Browser()
    started = time.monotonic()

    def save(name):
        if pictures:
            time.sleep(0.7)
            page.picture(Path(pictures) / f"{name}.png")

    try:
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([program, "--quiet", "run", "scenes/rigid/ring_stack.ron", "--time", "0.3", "-o", f"{folder}/run"], cwd=ROOT)
            assert run.returncode == 0
            with serving(program) as url:
                admission(page, url)
            for test, arguments in [
                (boxes, ["box:1,1,1", "box:1,1,1@0.8,0.1,0.05"]), (robot, ["assets/robots/arm.urdf", "box:0.3,0.3,0.3@0.12,0,0.8"]), (running, ["scenes/rigid/ring_stack.ron"]),
                (record, [f"{folder}/run"]), (dropping, []),
            ]:
                with serving(program, *arguments) as url:
                    test(page, url, save)
                    assert not page.errors, page.errors
                    # The page of a server that ends would report that.
                    page.open("about:blank")
                print(f"{test.__name__}: {time.monotonic() - started:.1f} s", flush=True)
    finally:
        page.close()


def test_site(folder, pictures):
    """Every page of a site: no error in the console, no picture that is missing, alternative texts, contrast, keys, dividers that move."""
    folder = Path(folder).resolve()
    # The search of the site is a worker, which pages from files may not start otherwise.
    page = Browser(options=["--allow-file-access-from-files"])
    failures = []
    try:
        for file in sorted(folder.rglob("*.html")):
            name = file.relative_to(folder)
            # Its addresses are those of a server.
            if name.name == "404.html":
                continue
            page.errors.clear()
            page.open(file.as_uri())
            broken = page.value("[...document.images].filter((image) => image.complete && !image.naturalWidth).map((image) => image.src)")
            silent = page.value("[...document.images].filter((image) => !image.alt).map((image) => image.src)")
            links = page.value("[...document.links].map((link) => link.href)")
            missing = [link for link in links if link.startswith("file:") and not is_there(link)]
            access = page.value(ACCESS)
            dividers = divider_faults(page)
            failures += [f"{name}: {fault}" for fault in [*page.errors, *broken, *silent, *missing, *access, *dividers]]
            if pictures:
                page.picture(Path(pictures) / f"{'-'.join(name.with_suffix('').parts)}.png")
    finally:
        page.close()
    print("\n".join(failures) or "no broken link, picture, console error, faint text or region without keys")
    return 1 if failures else 0


# Texts whose contrast to the background is less than 4.5 : 1, or 3 : 1 of large ones (WCAG 2.1, 1.4.3), once for each pair of colours; and
# regions that are scrolled but not reached by keys (2.1.1).
ACCESS = """(() => {
    const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
    const linear = (x) => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
    const luminance = (rgb) => [0.2126, 0.7152, 0.0722].reduce((sum, weight, k) => sum + weight * linear(rgb[k] / 255), 0);
    const background = (element) => {
        for (; element; element = element.parentElement) {
            const colour = channels(getComputedStyle(element).backgroundColor);
            if (colour.length < 4 || colour[3] === 1) return colour;
        }
        return [255, 255, 255];
    };
    const faults = new Map();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const element = texts.currentNode.parentElement;
        if (!texts.currentNode.data.trim() || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
        const style = getComputedStyle(element);
        const size = parseFloat(style.fontSize);
        const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
        const [text, behind] = [channels(style.color), background(element)];
        const [low, high] = [text, behind].map(luminance).sort((a, b) => a - b);
        const contrast = (high + 0.05) / (low + 0.05);
        if (contrast < (large ? 3 : 4.5)) {
            faults.set(`${text} on ${behind}`, `contrast ${contrast.toFixed(2)}: ${style.color} on ${behind}, as "${texts.currentNode.data.trim().slice(0, 40)}"`);
        }
    }
    const scrolled = [...document.querySelectorAll("pre code, .wy-table-responsive, table")];
    const unreachable = scrolled.filter((region) => region.scrollWidth > region.clientWidth && region.tabIndex < 0);
    return [...faults.values(), ...unreachable.map((region) => `not reached by keys: ${region.textContent.trim().slice(0, 40)}`)];
})()"""


def divider_faults(page):
    """Faults of the dividers between pictures of sketched and repaired poses: one for each pair, moved by the mouse and by keys."""
    pairs = page.value("""document.querySelectorAll('img[src$="_sketched.png"]').length""")
    found = page.value("document.querySelectorAll('.compare > input[type=range][aria-label]').length")
    faults = [f"{found} dividers for {pairs} pairs of pictures"] if pairs != found else []
    for index in range(found):
        page.value(f"divider = document.querySelectorAll('.compare > input')[{index}]; divider.scrollIntoView({{block: 'center', behavior: 'instant'}})")
        x, y, width = page.value("box = divider.parentElement.getBoundingClientRect(); [box.x, box.y + box.height / 2, box.width]")
        for kind, place in (("mousePressed", 0.5), ("mouseMoved", 0.4), ("mouseMoved", 0.25), ("mouseReleased", 0.25)):
            # A native slider follows moves of a named button only.
            page.call("Input.dispatchMouseEvent", type=kind, x=x + place * width, y=y, button="left", buttons=1, clickCount=1)
        hidden = "parseFloat(getComputedStyle(divider.parentElement.querySelectorAll('img')[1]).clipPath.split(' ').at(-1))"
        dragged = page.value(hidden)
        page.value("divider.focus()")
        page.key("ArrowRight", 39)
        moved = page.value(hidden)
        if not (abs(dragged - 25) <= 1 and moved == dragged + 1):
            faults.append(f"divider {index}: at {dragged} % after it was dragged to 25 %, at {moved} % after a step to the right")
    return faults


def is_there(link):
    path = Path(urllib.parse.unquote(urllib.parse.urlsplit(link).path))
    return path.is_file() or (path / "index.html").is_file()


def main(arguments):
    match arguments:
        case ["serve", program, *pictures] if len(pictures) < 2:
            return test_server(program, *pictures or [None])
        case ["site", folder, *pictures] if len(pictures) < 2:
            return test_site(folder, *pictures or [None])
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
