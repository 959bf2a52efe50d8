#!/usr/bin/env bash
# What `cargo publish` would upload: files and compressed size of each package, which the registry limits to 10 MB, and the fields that it requires.
# Nothing is compiled, and nothing is uploaded.
set -euo pipefail
cd "$(dirname "$0")/.."
limit=$((10 << 20))
faults=0
for manifest in crates/core crates/dynamics crates/scene crates/serve crates/viewer .; do
  name=$(sed -n 's/^name = "\(.*\)"/\1/p' "$manifest/Cargo.toml" | head -1)
  for field in description license version; do
    grep -Eq "^$field(\.workspace)? = " "$manifest/Cargo.toml" || { echo "$name: no $field" >&2; faults=1; }
  done
  # The package adds these itself; an archive of the rest has its size to a few per cent.
  files=$(cargo package --list --locked --allow-dirty --quiet -p "$name" 2>/dev/null | grep -Ev '^(\.cargo_vcs_info\.json|Cargo\.toml\.orig|Cargo\.lock)$')
  size=$(cd "$manifest" && tar -cz --files-from <(printf '%s\n' "$files") | wc -c)
  printf '%-20s %5d files %9d bytes\n' "$name" "$(wc -l <<<"$files")" "$size"
  if [ "$size" -gt "$limit" ]; then echo "$name: more than $limit bytes" >&2; faults=1; fi
done
exit $faults
