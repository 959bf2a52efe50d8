#!/usr/bin/env bash
# No build compiles a dependency, or a crate of this workspace, a second time because another build asks for more of its features:
# every package of the program has the same features in the tests, with the window, and in the Python package. Nothing is compiled.
set -euo pipefail
cd "$(dirname "$0")/.."
tree() { cargo tree --locked "$@" --prefix none -f '{p} [{f}]' | sed 's/ (\*)$//' | sort -u; }
program=$(tree -p extricate -e normal,build)
faults=0
compare() {
  local name=$1
  shift
  # The crate of the program itself has the feature of the window.
  differing=$(comm -23 <(echo "$program") <(tree "$@") | grep -v '^extricate v' || true)
  if [ -n "$differing" ]; then
    printf 'features that %s changes; ask for them in Cargo.toml of the workspace:\n%s\n' "$name" "$differing" >&2
    faults=1
  fi
}
compare 'the tests' -e normal,build,dev
compare 'the window' -p extricate --features viewer -e normal,build
compare 'the tests with the window' -p extricate -p extricate-viewer --features extricate/viewer -e normal,build,dev
compare 'the Python package' -p extricate-python -e normal,build
exit $faults
