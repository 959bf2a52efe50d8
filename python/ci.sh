#!/usr/bin/env bash
# Builds the Python package, installs its wheel and its source distribution each into a clean environment, and tests it.
# Dependencies and crates compiled for the workspace are reused: both builds share its target folder.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
target=${CARGO_TARGET_DIR:-$PWD/target}

step() { printf '\n== %s\n' "$*"; "$@"; }
environment() {
  "$python" -m venv "$1"
  PIP_DISABLE_PIP_VERSION_CHECK=1 "$1/bin/pip" install --quiet "${@:2}"
}

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo "$python is older than Python 3.11: set PYTHON to a newer one" >&2
  exit 1
fi
environment "$work/tools" 'maturin>=1.16,<2'
step "$work/tools/bin/maturin" build --locked --release --manifest-path python/Cargo.toml -o "$work/dist"
step "$work/tools/bin/maturin" sdist --manifest-path python/Cargo.toml -o "$work/dist"

# The source distribution has the layout and the dates of the workspace: what is compiled already is not compiled again.
mkdir "$work/source"
tar -xzf "$work"/dist/*.tar.gz -C "$work/source" --strip-components=1
environment "$work/from_source" numpy
CARGO_TARGET_DIR="$target" step "$work/from_source/bin/pip" install --quiet "$work/source"
step "$work/from_source/bin/python" python/examples/separate_scans.py

# With all peers that tests compare with or convert, and Ray, whose cluster stays in a network namespace of its own.
environment "$work/wheel" "$work"/dist/*.whl 'pytest>=8' 'hypothesis>=6' 'mypy>=1.15' 'ray[data]>=2.40' mcap trimesh
step "$work/wheel/bin/python" -m pytest python/tests -p no:cacheprovider
(cd "$work" && step wheel/bin/python -m mypy.stubtest extricate._native)
step "$work/wheel/bin/python" -m mypy --config-file python/pyproject.toml --cache-dir "$work/mypy" python/extricate
for example in python/examples/*.py; do step "$work/wheel/bin/python" "$example"; done
step "$work/wheel/bin/extricate" check scenes/rigid/box_stack.ron
du -h "$work"/dist/*
