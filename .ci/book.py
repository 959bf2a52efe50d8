#!/usr/bin/env python3
"""Checks the documentation, and makes a site of it.

    .ci/book.py check                 links, anchors, SUMMARY.md, paths of the map of papers, examples that no page lists, blocks that
                                      cannot be run
    .ci/book.py run PROGRAM [PAGE…]   runs the commands of the pages, each page in a fresh copy of the tracked files
    .ci/book.py build                 target/book, by MkDocs, which installs in seconds into target/mkdocs
    .ci/book.py test                  compiles and runs the programs of the book by mdBook, if that is installed
    .ci/book.py preprocess            the preprocessor of book.toml, with which `mdbook test` finds the library

Commands stand in blocks of `sh`. A comment `<!-- not run: REASON -->` in the line before a block keeps it from being run.
`extricate` in a block is PROGRAM; commands of `cargo` are left out, since the steps of continuous integration are those.
"""

import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unicodedata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GENERATOR = "mkdocs==1.6.1"
FENCE = re.compile(r"^( *)(```+|~~~+)\s*(\S*)")
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(([^()\s]+(?:\([^()\s]*\))?)\)")
REFERENCE = re.compile(r"^\[[^\]]+\]:\s+(\S+)")
NOT_RUN = re.compile(r"<!-- not run: .+ -->")


def tracked():
    """Files of the repository, those that are not ignored and not yet added included."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ".", ":!shared"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return [name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()]


def pages():
    """All Markdown pages, by path relative to the root."""
    return sorted(name for name in tracked() if name.endswith(".md"))


def prose(text):
    """Lines outside of fenced blocks, with their numbers."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        mark = FENCE.match(line)
        if fence is None and mark:
            fence = mark[2]
        elif fence is not None:
            if mark and mark[2].startswith(fence) and not mark[3]:
                fence = None
        else:
            yield number, line


def slug(title):
    """The anchor of a heading, as hosts of repositories and mdBook make it."""
    title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("\\", "").replace("`", "")
    kept = (c for c in title.strip().lower() if c in " -_" or unicodedata.category(c)[0] in "LN")
    return "".join(kept).replace(" ", "-")


def anchors(path):
    """The anchors of a page."""
    found = {}
    for _, line in prose(path.read_text(encoding="utf-8")):
        heading = re.match(r"#{1,6}\s+(.*?)\s*#*$", line)
        if heading:
            name = slug(heading[1])
            count = found.get(name, 0)
            found[name] = count + 1
            if count:
                found[f"{name}-{count}"] = 1
    return set(found)


def link_faults(name):
    """Links of a page that lead nowhere."""
    page = ROOT / name
    for number, line in prose(page.read_text(encoding="utf-8")):
        spoken = re.sub(r"`[^`]*`", lambda code: "x" * len(code[0]), line)
        targets = [match[1] for match in LINK.finditer(spoken)]
        targets += [match[1] for match in [REFERENCE.match(line)] if match]
        for target in targets:
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            if not file.is_relative_to(ROOT) or not file.exists():
                yield f"{name}:{number}: there is no file {target}"
            elif anchor and file.suffix == ".md" and anchor not in anchors(file):
                yield f"{name}:{number}: no heading of {path or 'this page'} has the anchor #{anchor}"


def summary():
    """Entries of SUMMARY.md: depth, title and page; a part (`# …`) and its end (`---`) have the depth None."""
    for _, line in prose((ROOT / "docs/SUMMARY.md").read_text(encoding="utf-8")):
        entry = re.match(r"( *)(?:- )?\[([^\]]+)\]\(([^)]*)\)$", line)
        part = re.match(r"(?:# (?!Summary)(.+)|(---))$", line)
        if entry:
            yield len(entry[1]) // 4, entry[2], entry[3]
        elif part:
            yield None, part[1], None


def map_faults():
    """Paths of code in the map of papers that are not there."""
    for number, line in prose((ROOT / "docs/papers.md").read_text(encoding="utf-8")):
        for code in re.findall(r"`([^` ]+/[^` ]*)`", line):
            choices = re.match(r"(.*)\{(.*)\}(.*)", code)
            paths = [choices[1] + choice + choices[3] for choice in choices[2].split(",")] if choices else [code]
            for path in paths:
                if not any(True for found in (path, f"{path}.rs") for _ in ROOT.glob(found)):
                    yield f"docs/papers.md:{number}: there is no {path}"


def viewer_faults():
    """Commands of the viewer in blocks that are run, by a program that is built without it."""
    for name in pages():
        for line in commands(name).splitlines():
            if re.search(r"\bextricate (render|view)\b", line):
                yield f"{name}: needs the feature `viewer`, so mark the block <!-- not run: viewer -->: {line}"


def check():
    """Prints every fault, and says whether there is none."""
    faults = [fault for name in pages() for fault in link_faults(name)]
    listed = {page for _, _, page in summary() if page}
    written = {str(Path(name).relative_to("docs")) for name in pages() if name.startswith("docs/")} - {"SUMMARY.md"}
    faults += [f"docs/SUMMARY.md: {page} is not listed" for page in sorted(written - listed)]
    faults += [f"docs/SUMMARY.md: there is no page {page}" for page in sorted(listed - written)]
    faults += map_faults()
    faults += viewer_faults()
    listed = "".join((ROOT / page).read_text(encoding="utf-8") for page in ("docs/examples.md", "docs/experiments.md"))
    programs = {Path(name).parts[1].removesuffix(".rs") for name in tracked() if re.match(r"(?:examples|experiments)/(\w+\.rs|\w+/main\.rs)$", name)}
    faults += [f"neither docs/examples.md nor docs/experiments.md lists {name}" for name in sorted(programs) if name not in listed]
    lines = len((ROOT / "README.md").read_text(encoding="utf-8").splitlines())
    faults += [f"README.md has {lines} lines, 150 at most are meant"] if lines > 150 else []
    print("\n".join(faults) or f"{len(pages())} pages, all links, anchors and paths lead somewhere")
    return not faults


def commands(name):
    """The script of a page: its blocks of `sh` that are to be run."""
    script, inside, before = [], False, ""
    for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
        mark = FENCE.match(line)
        if not inside and mark and mark[3] == "sh" and not NOT_RUN.search(before):
            inside = True
        elif inside and mark:
            inside = False
        elif inside and not re.match(r"(\w+=\S+ )?cargo ", line):
            script.append(line)
        before = line if line.strip() else before
    return "\n".join(script) + "\n" if script else ""


def run_page(name, program, files):
    """Runs the commands of a page; its output, its seconds and whether all went well."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        copy, tools = Path(folder) / "extricate", Path(folder) / "bin"
        for file in files:
            (copy / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / file, copy / file)
        tools.mkdir()
        (tools / "extricate").symlink_to(program)
        environment = os.environ | {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
        ran = subprocess.run(
            ["bash", "-euo", "pipefail", "-x", "-c", commands(name)],
            cwd=copy, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
    return name, ran.returncode, ran.stdout, time.monotonic() - started


def run(program, chosen):
    """Runs the commands of all pages, or of those chosen; prints the output of pages that fail."""
    names = [name for name in pages() if commands(name) and (not chosen or name in chosen)]
    files = [name for name in tracked() if not name.startswith(("crates/", "src/", "docs/pictures/"))]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, code, output, seconds in pool.map(lambda name: run_page(name, program, files), names):
            verdict = "ok" if code == 0 else f"FAILED with code {code}"
            print(f"{name}: {verdict}, {seconds:.1f} s", flush=True)
            if code != 0:
                failed += 1
                print(output)
    return failed == 0 and bool(names)


def navigation():
    """The navigation of the site: parts, and chapters without a page of their own, hold what follows."""
    whole = []
    part = chapter = whole
    for depth, title, page in summary():
        if depth is None:
            part = [] if title else whole
            whole += [{title: part}] if title else []
        elif depth:
            chapter.append({title: page})
        else:
            chapter = []
            part.append({title: page or chapter})
    return whole


def build():
    """Makes the site in target/book."""
    python = ROOT / "target/mkdocs/bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", python.parent.parent], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", GENERATOR], check=True)
    with tempfile.TemporaryDirectory() as folder:
        source, settings = Path(folder) / "docs", Path(folder) / "mkdocs.yml"
        shutil.copytree(ROOT / "docs", source)
        for page in source.rglob("*.md"):
            page.write_text(without_outside_links(page, source), encoding="utf-8")
        (source / "SUMMARY.md").unlink()
        settings.write_text(
            "site_name: Extricate\ntheme: {name: readthedocs, highlightjs: false}\nuse_directory_urls: false\n"
            "plugins: [search]\nextra_css: [site/site.css, site/compare.css]\nextra_javascript: [site/compare.js, site/scroll.js]\nmarkdown_extensions: [tables, fenced_code, toc]\n"
            "validation: {anchors: warn, unrecognized_links: warn}\n"
            f"nav: {json.dumps(navigation())}\n",
            encoding="utf-8",
        )
        command = [python, "-m", "mkdocs", "build", "--strict", "--quiet", "-f", settings, "-d", ROOT / "target/book"]
        return subprocess.run(command).returncode == 0


def without_outside_links(page, source):
    """The text of a page of the site; what it links outside of docs/ stays as text, since it is not part of the site."""
    home = (ROOT / "docs" / page.relative_to(source)).parent
    text = page.read_text(encoding="utf-8")

    def shown(match):
        title, target = match[1], match[2]
        inside = re.match(r"[a-z]+:|#", target) or (home / target.partition("#")[0]).resolve().is_relative_to(ROOT / "docs")
        return match[0] if inside else title

    return re.sub(r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)", shown, text)


def test():
    """Runs `mdbook test` with the library and its dependencies alone, of which a target directory may hold several versions."""
    command = ["cargo", "build", "--release", "--lib", "--message-format", "json-render-diagnostics"]
    built = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    libraries = ROOT / "target/mdbook-libraries"
    shutil.rmtree(libraries, ignore_errors=True)
    libraries.mkdir(parents=True)
    for message in map(json.loads, built.splitlines()):
        for name in message.get("filenames", []):
            if name.endswith((".rlib", ".so")) and not (libraries / Path(name).name).exists():
                (libraries / Path(name).name).symlink_to(name)
    return subprocess.run(["mdbook", "test", "-L", libraries], cwd=ROOT).returncode == 0


def preprocess(context, book):
    """The book for `mdbook test`, which neither names the library to a program nor runs it in the root of the repository."""

    def chapters(items):
        for item in items:
            if "Chapter" in item:
                yield item["Chapter"]
                yield from chapters(item["Chapter"]["sub_items"])

    if context["renderer"] == "test":
        for chapter in chapters(book["items"]):
            named = re.sub(r"^```rust$", "```rust\n# extern crate extricate;", chapter["content"], flags=re.M)
            chapter["content"] = named.replace('"assets/', f'"{ROOT}/assets/').replace('"scenes/', f'"{ROOT}/scenes/')
    print(json.dumps(book))


def main(arguments):
    match arguments:
        case ["preprocess"]:
            preprocess(*json.load(sys.stdin))
            return True
        case ["preprocess", "supports", _]:
            return True
        case ["check"]:
            return check()
        case ["run", program, *chosen]:
            return run(Path(program).resolve(), chosen)
        case ["build"]:
            return build()
        case ["test"]:
            return test()
    print(__doc__)
    return False


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
