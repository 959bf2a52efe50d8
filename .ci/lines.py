#!/usr/bin/env python3
"""Counts lines of Rust: product code, documentation and comments, tests, blank; by part of the workspace.

    .ci/lines.py [FOLDER]      (the repository by default)

A line counts as a test in a file `tests.rs`, in a folder `tests`, and after `#[cfg(test)]` up to the end of that item.
"""
import pathlib
import re
import subprocess
import sys

KINDS = ["code", "docs", "tests", "blank"]


def kinds(path, text):
    """The kind of each line of a file."""
    whole = path.name == "tests.rs" or "tests" in path.parts[:-1]
    depth, inside = 0, False
    for line in text.splitlines():
        bare = line.strip()
        if bare == "#[cfg(test)]":
            inside, depth, opened = True, 0, False
        test = whole or inside
        if inside and bare != "#[cfg(test)]":
            plain = re.sub(r"//.*|\"(\\.|[^\"])*\"|'(\\.|[^'\\])'", "", bare)
            depth += plain.count("{") - plain.count("}")
            opened = opened or "{" in plain
            inside = not (depth <= 0 and (opened or plain.endswith(";")))
        if not bare:
            yield "blank"
        elif test:
            yield "tests"
        elif bare.startswith("//"):
            yield "docs"
        else:
            yield "code"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    names = subprocess.run(["git", "-C", root, "ls-files", "*.rs"], capture_output=True, text=True, check=True).stdout
    parts = {}
    for name in names.split():
        path = pathlib.Path(name)
        if not (root / path).exists():
            continue
        if path.parts[0] == "crates":
            part = "/".join(path.parts[:4] if path.parts[1] in ("core", "scene") else path.parts[:2])
        elif path.parts[0] == "src":
            part = "/".join(path.parts[:2]) if len(path.parts) > 2 else "src"
        else:
            part = path.parts[0]
        counts = parts.setdefault(part, dict.fromkeys(KINDS, 0))
        for kind in kinds(path, (root / path).read_text()):
            counts[kind] += 1
    product = [name for name in parts if name.split("/")[0] in ("crates", "src") and "test-support" not in name]
    rows = [(name, parts[name]) for name in sorted(parts)]
    rows.append(("product", {kind: sum(parts[name][kind] for name in product) for kind in KINDS}))
    width = max(len(name) for name, _ in rows)
    print(" " * width, *(f"{kind:>8}" for kind in KINDS))
    for name, counts in rows:
        print(f"{name:{width}}", *(f"{counts[kind]:8}" for kind in KINDS))


main()
