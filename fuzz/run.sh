#!/bin/bash
# run.sh SECONDS [TARGET ...]: feeds each target for so many seconds, one after another, and tells executions, CPU time, edges
# covered and crashes, here and in logs/summary.tsv. Needs built targets (README.md) and seeds.
set -eu
cd "$(dirname "$0")"
seconds=$1
shift
bin=${FUZZ_BIN:-target/x86_64-unknown-linux-gnu/release}
[ $# -gt 0 ] || set -- obj stl ply off gltf tetgen gmsh urdf mjcf xacro srdf scene world recording poses shape_argument field tree clear \
    golden manifest checkpoint
mkdir -p artifacts logs
TIMEFORMAT='%U %S'
for target in "$@"; do
    mkdir -p "corpus/$target" "artifacts/$target"
    dictionary=()
    [ ! -f "dictionaries/$target.dict" ] || dictionary=("-dict=dictionaries/$target.dict")
    # Time and memory of one input, and a single allocation, are bounded.
    cpu=$({ time ${FUZZ_NICE-nice -n 19} "$bin/$target" "corpus/$target" "${dictionary[@]}" -max_total_time="$seconds" -timeout="${FUZZ_TIMEOUT:-10}" \
        -rss_limit_mb=2048 -malloc_limit_mb=512 -max_len=16384 -len_control=20 -print_final_stats=1 \
        -artifact_prefix="artifacts/$target/" >"logs/$target.log" 2>&1 || true; } 2>&1)
    cpu=$(awk '{ printf "%.0f", $1 + $2 }' <<<"$cpu")
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "logs/$target.log")
    edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "logs/$target.log" | tail -1)
    crashes=$(find "artifacts/$target" -type f | wc -l)
    printf '%s\t%s executions\t%s CPU s\t%s edges\t%s crashes\n' "$target" "${runs:-0}" "$cpu" "${edges:-?}" "$crashes" |
        tee -a logs/summary.tsv
done
